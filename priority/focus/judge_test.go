package focus_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/priority/focus"
)

// fields are the words of three kinds of pages; the first word is the topic's.
var fields = map[string][]string{
	"birds":  strings.Fields("bird feather beak egg nest wing plumage chick song flock heron wader migration clutch fledge"),
	"trains": strings.Fields("train rail station track signal engine carriage platform timetable gauge sleeper freight brake depot shunt"),
	"鸟":      strings.Split("鸟类 羽毛 鸟巢 鸟蛋 翅膀 雏鸟 迁徙 歌声 水鸟 苍鹭", " "),
	"车":      strings.Split("火车 铁路 车站 轨道 信号 机车 车厢 站台 货运 闸道", " "),
}

var plain = strings.Fields("the of and with from year part often seen large small found north south before after many most under over")

// doc makes a page of a field, in which the topic's own word occurs named times.
func doc(rng *rand.Rand, field string, named int) focus.Doc {
	var ws []string
	words := fields[field]
	for range 120 {
		if rng.IntN(3) == 0 {
			ws = append(ws, words[1+rng.IntN(len(words)-1)])
		} else {
			ws = append(ws, plain[rng.IntN(len(plain))])
		}
	}
	for range named {
		ws[rng.IntN(len(ws))] = words[0]
	}
	return focus.Doc{URL: fmt.Sprintf("http://a.test/%d", rng.Uint64()), Title: ws[0] + " " + ws[1], Body: strings.Join(ws, " ")}
}

func newJudge(t *testing.T, topic string, like, unlike []focus.Doc) *focus.Judge {
	t.Helper()
	j, err := focus.New(topic, like, unlike)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// learnAll passes pages to the judge as a crawl would, and returns how often it was trained.
func learnAll(j *focus.Judge, docs []focus.Doc) (fits int) {
	for i, d := range docs {
		if j.Learn(j.Rate(d), uint64(i+1), false) {
			fits++
		}
	}
	return fits
}

func docs(seed uint64, n int) (all []focus.Doc) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		switch i % 4 {
		case 0:
			all = append(all, doc(rng, "birds", 3))
		default:
			all = append(all, doc(rng, "trains", 0))
		}
	}
	return all
}

func TestAJudgeLearnsTheWordsBesideTheTopics(t *testing.T) {
	j := newJudge(t, "bird", nil, nil)
	rng := rand.New(rand.NewPCG(9, 9))
	silent, other := doc(rng, "birds", 0), doc(rng, "trains", 0) // neither has the word
	if r := j.Rate(silent); r.Relevance != 0 || r.Learned {
		t.Errorf("before it has learned: %+v", r)
	}
	if fits := learnAll(j, docs(1, 100)); fits != 3 {
		t.Errorf("fitted %d times in 100 pages, want at 25, 50 and 100", fits)
	}
	if a, b := j.Rate(silent).Relevance, j.Rate(other).Relevance; a < .4 || a < 3*b {
		t.Errorf("a page of the field without the word has %.2f, one of another field %.2f", a, b)
	}
	if a, b := j.Link("feathers and beaks", "/x"), j.Link("the station", "/rail"); a < .3 || b > .05 {
		t.Errorf("links of the field have %.2f, of another %.2f", a, b)
	}
	most, least := j.Words(12)
	has := func(ws []focus.Word, word string) bool {
		return slices.ContainsFunc(ws, func(w focus.Word) bool { return w.Word == word })
	}
	if !has(most, "bird") || !has(most, "plumage") && !has(most, "feather") && !has(most, "nest") || has(most, "train") || has(least, "bird") {
		t.Errorf("words for: %v\nagainst: %v", most, least)
	}
	if why := j.Why(silent, 5); len(why) != 5 || why[0].Weight <= 0 {
		t.Errorf("Why = %v", why)
	}
}

func TestChineseIsJudgedByPairs(t *testing.T) {
	j := newJudge(t, "鸟类", nil, nil)
	rng := rand.New(rand.NewPCG(2, 2))
	var all []focus.Doc
	for i := range 50 {
		if i%4 == 0 {
			all = append(all, doc(rng, "鸟", 4))
		} else {
			all = append(all, doc(rng, "trains", 0))
		}
	}
	learnAll(j, all)
	if a, b := j.Rate(doc(rng, "鸟", 0)).Relevance, j.Rate(doc(rng, "trains", 0)).Relevance; a < .4 || a < 3*b {
		t.Errorf("a page of the field without the word has %.2f, one of another field %.2f", a, b)
	}
	if got := j.Link("羽毛", "/"); got < .2 {
		t.Errorf("a link of the field has %.2f", got)
	}
}

// As long as a crawl has met its topic in one of two languages only, the pages it has met in the
// other are no evidence against the words of that language.
func TestTheOtherLanguageOfATopicCountsToo(t *testing.T) {
	in := func(d focus.Doc, lang string) focus.Doc {
		d.Lang = lang
		return d
	}
	for _, c := range []struct{ met, other, lang, otherLang, off, otherOff string }{
		{"birds", "鸟", "en-GB", "zh-Hans", "trains", "车"},
		{"鸟", "birds", "zh", "en", "车", "trains"},
	} {
		j := newJudge(t, "bird 鸟类", nil, nil)
		rng := rand.New(rand.NewPCG(5, 5))
		var all []focus.Doc
		for range 25 {
			all = append(all, in(doc(rng, c.met, 4), c.lang), in(doc(rng, c.off, 0), c.lang), in(doc(rng, c.otherOff, 0), c.otherLang))
		}
		learnAll(j, all)
		known, other := j.Rate(in(doc(rng, c.met, 4), c.lang)), j.Rate(in(doc(rng, c.other, 4), c.otherLang))
		if !known.Learned || other.Relevance < .8*known.Relevance {
			t.Errorf("%s: a page on the topic has %.2f, one in the language that was met %.2f", c.otherLang, other.Relevance, known.Relevance)
		}
		if off := j.Rate(in(doc(rng, c.otherOff, 0), c.otherLang)); off.Relevance > .05 {
			t.Errorf("%s: a page off the topic has %.2f", c.otherLang, off.Relevance)
		}
		var more []focus.Doc
		for range 25 {
			more = append(more, in(doc(rng, c.other, 4), c.otherLang))
		}
		learnAll(j, more)
		if now := j.Rate(in(doc(rng, c.other, 0), c.otherLang)); !now.Learned || now.Relevance < .3 {
			t.Errorf("%s: a page without the topic's own words has %.2f when that language was met too", c.otherLang, now.Relevance)
		}
	}
}

// hint is a page off the topic that has a word once.
func hint(rng *rand.Rand, field, word string) focus.Doc {
	d := doc(rng, field, 0)
	d.Title, d.Body = "", d.Body+strings.Repeat(" of the and", 200)+" "+word
	return d
}

// When one half of a topic in two languages is found, a page that has a little of the other is worth as much as in a
// crawl for that half alone: it is all that leads there.
func TestAHintOfTheOtherHalfOfATopicIsWorthWhatItIsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	both, alone := newJudge(t, "bird 鸟类", nil, nil), newJudge(t, "bird", nil, nil)
	var all []focus.Doc
	for i := range 60 {
		d := doc(rng, []string{"鸟", "车"}[i%2], 10*(1-i%2))
		d.Lang = "zh"
		all = append(all, d)
	}
	learnAll(both, all)
	learnAll(alone, all)
	d := hint(rng, "trains", "bird")
	d.Lang = "en"
	if a, b := alone.Rate(d).Relevance, both.Rate(d).Relevance; a < .1 || b < .7*a {
		t.Errorf("a page that has the word once is rated %.3f, and %.3f by the word alone", b, a)
	}
	if a, b := alone.Link("a bird", "/"), both.Link("a bird", "/"); b < a {
		t.Errorf("a link's words are rated %.2f, and %.2f by the word alone", b, a)
	}
	var file bytes.Buffer
	if err := both.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := focus.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := both.Rate(d).Relevance, loaded.Rate(d).Relevance; math.Abs(a-b) > 1e-6 {
		t.Errorf("the page is rated %v, and %v when the judge was saved and loaded", a, b)
	}
}

// The words of "python 爬虫" are on the same pages: a page with one of them is not as good as one with both.
func TestATopicWhosePagesHaveBothScriptsIsOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 16))
	j := newJudge(t, "bird 鸟类", nil, nil)
	with := func(both bool) focus.Doc {
		d := doc(rng, "birds", 8)
		d.Lang = "en"
		if both {
			d.Body += strings.Repeat(" 鸟类 bird and", 8)
		}
		return d
	}
	var all []focus.Doc
	for range 30 {
		all = append(all, with(true), doc(rng, "trains", 0))
	}
	learnAll(j, all)
	if one, both := j.Rate(with(false)).Query, j.Rate(with(true)).Query; one > .75*both {
		t.Errorf("a page with one word is rated %.2f by the topic's words, one with both %.2f", one, both)
	}
}

func TestExamplesTakeThePlaceOfWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var like, unlike []focus.Doc
	for range 8 {
		like, unlike = append(like, doc(rng, "birds", 0)), append(unlike, doc(rng, "trains", 0))
	}
	j := newJudge(t, "", like, unlike)
	if a, b := j.Rate(doc(rng, "birds", 0)).Relevance, j.Rate(doc(rng, "trains", 0)).Relevance; a < .5 || b > .5 {
		t.Errorf("like an example %.2f, like one of the others %.2f", a, b)
	}
	if r := j.Rate(focus.Doc{URL: "http://c.test/", Title: "Sculpture", Body: "Marble chisels granite carving bronze casting studio gallery."}).Relevance; r != 0 {
		t.Errorf("a page whose words no example has is rated %.2f: it is no more likely to be on the topic than any", r)
	}
	if auc, ok := focus.CrossValidate(like, unlike); !ok || auc < .9 {
		t.Errorf("CrossValidate = %v, %v", auc, ok)
	}
	if _, err := focus.New("", like, like); err == nil || !strings.Contains(err.Error(), "8 of the examples on the topic are among those off it too") {
		t.Errorf("New of the same examples on both sides: %v", err)
	}
	if _, err := focus.New("", like[:4], unlike); err == nil || !strings.Contains(err.Error(), "give 5 of each") {
		t.Errorf("New of four examples: %v", err)
	}
}

// A crawl that has words and examples starts with pages of which neither says anything, such as a list of sites: they
// are not on the topic, also where the model comes from an earlier crawl or was saved meanwhile.
func TestWithWordsAndExamplesAPageThatHasNeitherIsOffTheTopic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var like, unlike []focus.Doc
	for range 8 {
		like, unlike = append(like, doc(rng, "birds", 0)), append(unlike, doc(rng, "trains", 0))
	}
	examples := newJudge(t, "", like, unlike)
	lent, err := examples.Lend("bird")
	if err != nil {
		t.Fatal(err)
	}
	both := newJudge(t, "bird", like, unlike)
	var b bytes.Buffer
	if err := both.Save(&b); err != nil {
		t.Fatal(err)
	}
	saved, err := focus.Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	neither := focus.Doc{URL: "http://c.test/", Title: "Sculpture", Body: "Marble chisels granite carving bronze casting studio gallery."}
	for what, j := range map[string]*focus.Judge{"both": both, "lent": lent, "saved": saved} {
		if r := j.Rate(neither); r.Relevance != 0 {
			t.Errorf("%s: a page that has neither the topic's words nor the examples' is rated %.2f", what, r.Relevance)
		}
		if on, off := j.Rate(doc(rng, "birds", 3)).Relevance, j.Rate(doc(rng, "trains", 0)).Relevance; on < .5 || off > .3 {
			t.Errorf("%s: a page on the topic is rated %.2f, one of the others %.2f", what, on, off)
		}
	}
}

// A topic of one rare word has few pages to learn from: its words rate alone.
func TestTooFewExamplesMakeNoModel(t *testing.T) {
	j := newJudge(t, "bird", nil, nil)
	rng := rand.New(rand.NewPCG(4, 4))
	all := []focus.Doc{doc(rng, "birds", 3), doc(rng, "birds", 3)}
	for range 48 {
		all = append(all, doc(rng, "trains", 0))
	}
	if fits := learnAll(j, all); fits != 2 {
		t.Errorf("fits are due %d times, want 2", fits)
	}
	if a := j.About(); a.Model != 0 || !a.TooFew {
		t.Errorf("About = %+v, want no model", a)
	}
	if r := j.Rate(all[0]); r.Learned || r.Relevance == 0 {
		t.Errorf("Rate = %+v", r)
	}
}

// A crawl that never meets its topic does not take noise for it.
func TestACrawlThatNeverMeetsItsTopicHasNoBestPages(t *testing.T) {
	j := newJudge(t, "bird song", nil, nil)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 200 {
		d := doc(rng, "trains", 0)
		d.Body = strings.Repeat(d.Body+" ", 6) // some 5 kB
		if i%20 == 0 {
			d.Body += " song"
		}
		r := j.Rate(d)
		if r.Relevance > .8 {
			t.Fatalf("page %d has relevance %.2f", i, r.Relevance)
		}
		j.Learn(r, uint64(i+1), false)
	}
}

func TestAPageStuffedWithTheTopicIsNotTheBest(t *testing.T) {
	j := newJudge(t, "bird", nil, nil)
	learnAll(j, docs(6, 100))
	rng := rand.New(rand.NewPCG(6, 6))
	stuffed := focus.Doc{Title: "Bird bird bird", Body: strings.Repeat("bird birds cheap ", 200)}
	if a, b := j.Rate(stuffed).Relevance, j.Rate(doc(rng, "birds", 3)).Relevance; a > b/2 {
		t.Errorf("the stuffed page has %.2f, an ordinary one %.2f", a, b)
	}
}

func TestALabelCounts(t *testing.T) {
	j := newJudge(t, "bird", nil, nil)
	all := docs(7, 60)
	learnAll(j, all)
	rng := rand.New(rand.NewPCG(7, 7))
	before := j.Rate(all[1]).Model
	for range 6 {
		j.Label(doc(rng, "trains", 0), true)
	}
	j.Label(all[1], false)
	j.Label(all[1], true) // the last word counts
	if !j.Learn(j.Rate(all[2]), 100, false) {
		t.Error("the page after a label does not make a new model")
	}
	if after := j.Rate(all[1]).Model; after <= before {
		t.Errorf("a page that was labelled has %.2f by the model, before %.2f", after, before)
	}
	if a := j.About(); a.Like != 7 || a.Unlike != 0 {
		t.Errorf("About = %+v, want 7 examples for the topic", a)
	}
}

func TestAJudgeIsSavedAndGoesOn(t *testing.T) {
	all := docs(8, 120)
	whole, cut := newJudge(t, "bird", nil, nil), newJudge(t, "bird", nil, nil)
	learnAll(whole, all)
	for i, d := range all {
		if i == 61 {
			var file bytes.Buffer
			if err := cut.Save(&file); err != nil {
				t.Fatal(err)
			}
			var err error
			if cut, err = focus.Load(&file); err != nil {
				t.Fatal(err)
			}
			if cut.Seq() != 61 {
				t.Errorf("Seq = %d, want 61", cut.Seq())
			}
		}
		cut.Learn(cut.Rate(d), uint64(i+1), false)
	}
	if a, b := whole.About(), cut.About(); a != b {
		t.Errorf("in one go %+v, saved and loaded %+v", a, b)
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		d := doc(rng, "birds", 1)
		if a, b := whole.Rate(d).Relevance, cut.Rate(d).Relevance; a-b > 1e-3 || b-a > 1e-3 {
			t.Errorf("in one go %v, saved and loaded %v", a, b)
		}
	}
	other, err := whole.Lend("")
	if err != nil {
		t.Fatal(err)
	}
	if r := other.Rate(doc(rng, "birds", 0)); !r.Learned || r.Relevance < .3 {
		t.Errorf("lent to another job: %+v", r.Relevance)
	}
}

// A crawl that has found one half of a topic in two languages says which words were not found, and in which
// language it has pages that are not on the topic; one that has found nothing yet says nothing.
func TestGapsOfATopicAreTheWordsAndTheLanguagesThatWereNotFound(t *testing.T) {
	j, err := focus.New("feather 羽毛 heron 2024", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	documents := make(map[string]int64)
	learn := func(n int, lang, body string) {
		documents[lang[:2]] += int64(n)
		for i := range n {
			d := focus.Doc{URL: fmt.Sprint(lang, body[:2], i), Title: "a page", Body: strings.Repeat(body, 4), Lang: lang}
			j.Learn(j.Rate(d), 0, false)
		}
	}
	learn(30, "zh-CN", "码头上的拖轮和吊机。")
	if g := j.Gaps(documents); g.Words != nil || g.Languages != nil {
		t.Errorf("nothing was found, and the gaps are %+v", g)
	}
	learn(40, "en", "A tug pulls ships along the quay of the harbour. ")
	learn(9, "en", "A feather of a heron keeps it dry and warm, and other birds have such a feather too. ")
	g := j.Gaps(documents)
	if !slices.Equal(g.Words, []string{"羽毛"}) || len(g.Languages) != 1 || g.Languages[0].Language != "zh" || g.Languages[0].Share != 30./79 {
		t.Errorf("gaps %+v, want the word 羽毛, and zh with .38", g)
	}
	learn(9, "zh-CN", "鸟的羽毛很轻，羽毛保暖。")
	if g := j.Gaps(documents); g.Words != nil || g.Languages != nil {
		t.Errorf("both halves are found, and the gaps are %+v", g)
	}
}

// A word of the topic is found in another form of it: it is no gap, and a page stuffed with that form is stuffed with the topic.
func TestAWordIsFoundInItsGerund(t *testing.T) {
	j, err := focus.New("plumbing pipes", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const few = "You plumb a kitchen with pipes of copper, and the sink drains into the sewer below the street. "
	stuffed := focus.Doc{Title: "Plumb", Body: strings.Repeat("plumb piping cheap ", 200)}
	if a, b := j.Rate(stuffed).Relevance, j.Rate(focus.Doc{Title: "How to plumb", Body: few}).Relevance; a > b/2 || b < .5 {
		t.Errorf("the stuffed page has %.2f, an ordinary one %.2f", a, b)
	}
	for i := range 40 {
		d := focus.Doc{URL: fmt.Sprint("http://a.example/", i), Title: "a page", Body: strings.Repeat("A tug pulls ships along the quay of the harbour. ", 4)}
		if i%4 == 0 {
			d.Body = strings.Repeat(few, 3)
		}
		j.Learn(j.Rate(d), 0, false)
	}
	if g := j.Gaps(nil); g.Words != nil {
		t.Errorf("%q are not found, and they are, as plumb and pipes", g.Words)
	}
}

// What a user has said of a page counts, not what its words say as well: a seed that is labelled as off the topic was an
// example on both sides.
func TestAPageThatAUserHasLabelledIsOneExample(t *testing.T) {
	j, err := focus.New("bird", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	var seed focus.Doc
	for i := range 30 {
		d := doc(rng, "birds", 4*(i%2))
		d.URL = fmt.Sprint("http://a.example/", i)
		if i == 1 {
			seed = d
		}
		j.Learn(j.Rate(d), uint64(i+1), i == 1)
	}
	j.Label(seed, false)
	d := doc(rng, "birds", 0)
	d.URL = "http://a.example/last"
	j.Learn(j.Rate(d), 31, false)
	if a := j.About(); a.For+a.Against != 31 {
		t.Errorf("of 31 pages, one of them labelled, %d are examples for the topic and %d against it", a.For, a.Against)
	}
}

// A calendar whose days were fetched before a job was closed does not get its worth back.
func TestLinksThatWereFollowedDecayInTheNextRunToo(t *testing.T) {
	j, err := focus.New("heron", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		j.Followed("a.example", "heron of the day", false)
	}
	want := j.Decay("a.example", "heron of the day")
	var file bytes.Buffer
	if err := j.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := focus.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Decay("a.example", "heron of the day"); want >= .2 || got != want {
		t.Errorf("Decay after eight pages = %v, and %v once loaded; want the same, below .2", want, got)
	}
	if got := again.Decay("b.example", "heron of the day"); got != 1 {
		t.Errorf("Decay on another host = %v, want 1", got)
	}
}

// Links with the words of others that led to copies keep less of their rating, on their host; also in the next run. One
// copy among many pages hardly matters.
func TestLinksDecayWhenOthersWithTheirWordsLedToCopies(t *testing.T) {
	j, err := focus.New("heron", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.Followed("a.example", "Show source", true)
	j.Followed("a.example", "Show source", true)
	j.Followed("a.example", "Old name", true)
	for i := range 30 {
		j.Followed("a.example", "Next", i == 3)
	}
	var file bytes.Buffer
	if err := j.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := focus.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range []*focus.Judge{j, again} {
		for _, c := range []struct {
			host, words string
			least, most float64
		}{
			{"a.example", "Show source", .25, .25},
			{"a.example", "Old name", .4, .5},
			{"a.example", "Next", .9, .95},
			{"a.example", "Contents", 1, 1},
			{"b.example", "Show source", 1, 1},
		} {
			if got := j.Decay(c.host, c.words); got < c.least || got > c.most {
				t.Errorf("Decay(%q, %q) = %v, want %v to %v", c.host, c.words, got, c.least, c.most)
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	j, err := focus.New("bird", nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := j.Save(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte("no model"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if j, err := focus.Load(bytes.NewReader(b)); err == nil {
			j.Rate(focus.Doc{Title: "bird", Body: "bird"})
		}
	})
}

func BenchmarkRate10kB(b *testing.B) {
	j, err := focus.New("bird song", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	learnAll(j, docs(1, 100))
	rng := rand.New(rand.NewPCG(1, 1))
	var body strings.Builder
	for body.Len() < 10<<10 {
		body.WriteString(doc(rng, "birds", 2).Body)
	}
	d := focus.Doc{Title: "Birds", Body: body.String()}
	for b.Loop() {
		j.Rate(d)
	}
}

// The cost depends on the number of different words more than on the length: this page has the most
// that count.
func BenchmarkRateVaried10kB(b *testing.B) {
	j, err := focus.New("bird song", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	learnAll(j, docs(1, 100))
	rng := rand.New(rand.NewPCG(1, 1))
	var body strings.Builder
	for body.Len() < 10<<10 {
		fmt.Fprintf(&body, "%s ", strconv.FormatInt(int64(1e5/(1+600*rng.Float64())*1e4), 36))
	}
	d := focus.Doc{Title: "Birds", Body: body.String()}
	for b.Loop() {
		j.Rate(d)
	}
}

func BenchmarkLink(b *testing.B) {
	j, err := focus.New("bird song", nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	learnAll(j, docs(1, 100))
	for b.Loop() {
		j.Link("the song of the grey heron", "/birds/heron-song.html")
	}
}

// Years and prices are not words of a model, even if examples have them.
func TestNumbersSayNothingOfATopic(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	var like, unlike []focus.Doc
	for range 8 {
		a, b := doc(rng, "birds", 2), doc(rng, "trains", 0)
		a.Body += strings.Repeat(" 1984", 9)
		b.Body += strings.Repeat(" ２０１７", 9)
		like, unlike = append(like, a), append(unlike, b)
	}
	j := newJudge(t, "", like, unlike)
	most, least := j.Words(500)
	for _, w := range append(most, least...) {
		if w.Word == "1984" || w.Word == "2017" {
			t.Errorf("the model goes by %q: %+.2f", w.Word, w.Weight)
		}
	}
	if got := j.Link("1984", "/1984"); got != 0 {
		t.Errorf("a link named by a year has %v", got)
	}
}

// The topic's words count to the end of a long body, the model's words in its first 16 KiB; no word
// is lost where the two parts meet.
func TestALongBodyIsReadToItsEnd(t *testing.T) {
	for _, filler := range []string{"grey ", "灰色", "灰"} {
		long := strings.Repeat(filler, 40<<10/len(filler))
		for _, body := range []string{long + " heron", long[:20000/len(filler)*len(filler)] + " heron " + long, long} {
			topic, err := priority.NewTopic("heron")
			if err != nil {
				t.Fatal(err)
			}
			want := topic.Page("", nil, body)
			if got := newJudge(t, "heron", nil, nil).Rate(focus.Doc{Body: body}).Query; got != want {
				t.Errorf("a body of %d bytes of %q is rated %v, by its words alone %v", len(body), filler, got, want)
			}
		}
	}
}
