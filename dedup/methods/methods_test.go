package methods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/splitmix"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// invented returns documents of sentences that nobody wrote: articles and stop
// words between words of a vocabulary of which each document has its own part.
func invented(n, sentences int, chinese bool) []Document {
	docs := make([]Document, n)
	for i := range docs {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		word := func() string { return vocable(r.IntN(120)*n + i) }
		if r.IntN(3) == 0 { // some words are everybody's
			word = func() string { return vocable(r.IntN(150 * n)) }
		}
		gap, end := " ", ".\n"
		lead, link := []string{"the", "a", "this", "an"}, []string{"is", "of", "with a", "and the", "was"}
		if chinese {
			gap, end = "", "。\n"
			latin := word
			word = func() string {
				h := splitmix.Mix(xxhash.Sum64String(latin()))
				return string([]rune{rune(0x4E00 + h%3000), rune(0x4E00 + h/3000%3000)})
			}
			lead, link = []string{"这", "在", "是"}, []string{"的", "了", "和", "是"}
		}
		var b strings.Builder
		for range sentences {
			parts := []string{lead[r.IntN(len(lead))], word(), word(), link[r.IntN(len(link))], word(), word(), word(), link[r.IntN(len(link))], word(), word()}
			b.WriteString(strings.Join(parts, gap) + end)
		}
		docs[i] = Document{URL: fmt.Sprintf("http://site%d.example/%d", i%3, i), Site: fmt.Sprint(i % 3), Body: b.String()}
	}
	return docs
}

// vocable returns a word for a number.
func vocable(n int) string {
	var b strings.Builder
	for h := splitmix.Mix(uint64(n)); b.Len() < 7; h /= 100 {
		b.WriteByte("bdfgklmnprstvz"[h%14])
		b.WriteByte("aeiou"[h/14%5])
	}
	return b.String()
}

// The edits that a test makes.
var (
	unchanged  = func(s string) string { return s }
	oneWord    = func(s string) string { return replaceLine(s, "the changed sentence\n", "这改动的句子\n") }
	otherOrder = func(s string) string {
		lines := strings.SplitAfter(strings.TrimSpace(s), "\n")
		slices.Reverse(lines)
		lines[0] += "\n"
		return strings.Join(lines, "")
	}
	otherSpace = func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, " ", "\n  ")) }
	firstHalf  = func(s string) string { return s[:strings.IndexByte(s[len(s)/2:], '\n')+len(s)/2] }
)

// replaceLine puts another line for the middle one.
func replaceLine(s, english, chinese string) string {
	lines := strings.SplitAfter(s, "\n")
	line := english
	if strings.Contains(s, "。") {
		line = chinese
	}
	lines[len(lines)/2] = line
	return strings.Join(lines, "")
}

// share returns which share of documents a method takes for copies of what an
// edit makes of them, and how many other pairs it takes for copies.
func share(m Method, docs []Document, edit func(string) string) (found float64, wrong int) {
	all := slices.Clone(docs)
	for _, d := range docs {
		d.URL, d.Body = d.URL+"?edited", edit(d.Body)
		all = append(all, d)
	}
	n := 0
	for p := range m.Sign(all).Pairs(m.Threshold()) {
		if p.B == p.A+len(docs) {
			n++
		} else {
			wrong++
		}
	}
	return float64(n) / float64(len(docs)), wrong
}

// promises are what each method finds of copies that were edited in one way.
// 1 is all, and a smaller share is the least; -1 is not asked.
var promises = map[string]struct {
	oneWord, otherOrder, firstHalf float64
	wrong                          int // pairs of other documents, at the most
}{
	"jaccard":           {1, -1, 0, 0},
	"grain":             {1, 1, 0, 0},
	"gate":              {0.9, -1, 0, 0},
	"gate-6":            {0.9, -1, 0, 0},
	"simhash":           {0.7, 1, -1, 0},
	"simhash-tf":        {0.9, 1, -1, 10},
	"digest":            {0, 0, 0, 0},
	"projection":        {0.9, 1, -1, 0},
	"projection-links":  {0.9, 1, -1, 0},
	"text-links-url":    {1, -1, 0, 0},
	"shingling-rabin":   {1, -1, 0, 0},
	"minhash":           {0.9, -1, 0, 0},
	"docview-both":      {0.5, 0.9, -1, 0},
	"leader":            {0.6, 1, -1, 0},
	"segments-lines":    {1, -1, -1, 0},
	"wordlists-edit":    {0.9, -1, -1, 0},
	"shingling":         {1, -1, 0, 0},
	"shingling-mod":     {0.9, -1, -1, 0},
	"shingling-nth":     {-1, -1, -1, 0},
	"shingling-min":     {0.9, -1, -1, 0},
	"containment":       {1, -1, 1, 0},
	"supershingle":      {0.6, -1, 0, 0},
	"megashingle":       {0.6, -1, 0, 0},
	"bands":             {0.9, -1, -1, 0},
	"imatch":            {-1, 1, 0, 0},
	"imatch-lexicons":   {-1, 1, -1, 0},
	"spotsigs":          {1, 1, -1, 0},
	"spotsigs-3":        {1, 0.9, -1, 0},
	"docview-md5":       {0.5, 0.9, -1, 0},
	"docview-cosine":    {0.5, 0.9, -1, 0},
	"docview":           {0.5, 0.9, -1, 0},
	"cosine":            {0.6, 1, -1, 0},
	"segments":          {1, 1, -1, 0},
	"words":             {0.9, 1, -1, 0},
	"wordlists":         {0.5, 1, -1, 0},
	"chunks":            {1, -1, -1, 0},
	"bloom":             {1, -1, -1, 0},
	"bloom-containment": {1, -1, 0.9, 0},
}

func TestMethodsKeepTheirPromises(t *testing.T) {
	for _, lang := range []struct {
		name string
		docs []Document
	}{
		{"english", invented(22, 40, false)},
		{"chinese", invented(22, 40, true)},
	} {
		for _, m := range All(0.8) {
			t.Run(lang.name+"/"+m.Name(), func(t *testing.T) {
				promise, ok := promises[m.Name()]
				if !ok {
					t.Fatal("promises nothing")
				}
				for _, c := range []struct {
					name string
					edit func(string) string
					want float64
				}{
					{"no", unchanged, 1}, // of segments: others find more than that next
					{"another case and other spaces as an", otherSpace, 1},
					{"one sentence as an", oneWord, promise.oneWord},
					{"another order of lines as an", otherOrder, promise.otherOrder},
					{"the first half as an", firstHalf, promise.firstHalf},
				} {
					lines := strings.HasPrefix(m.Name(), "segments") // lines are its segments
					if lines && c.name == "another case and other spaces as an" || !lines && c.name == "no" {
						continue
					}
					if c.want < 0 && !slow.Wanted() {
						continue // which pairs of other documents it finds is seen with the other edits
					}
					found, wrong := share(m, lang.docs, c.edit)
					t.Logf("%s edit: finds %.2f, %d wrong", c.name, found, wrong)
					if c.want == 0 && found > 0 || found < c.want {
						t.Errorf("%s edit: finds %.2f, want %.2f", c.name, found, c.want)
					}
					if wrong > promise.wrong {
						t.Errorf("%s edit: finds %d pairs of other documents", c.name, wrong)
					}
				}
			})
		}
	}
}

// TestPairsAreThoseOfAScan compares each search with asking every pair, whose scores lie from 0 to 1
// and do not depend on the order.
func TestPairsAreThoseOfAScan(t *testing.T) {
	docs := mixture()
	for _, m := range All(0.8) {
		sigs := m.Sign(docs)
		var scan []Pair
		for a, b := range every(len(docs)) {
			s := sigs.Score(a, b)
			if math.IsNaN(s) || s < 0 || s > 1 {
				t.Fatalf("%s: Score(%d, %d) = %v", m.Name(), a, b, s)
			}
			if other := sigs.Score(b, a); other != s {
				t.Fatalf("%s: Score(%d, %d) = %v, the other way %v", m.Name(), a, b, s, other)
			}
			scan = append(scan, Pair{a, b, s})
		}
		for _, least := range []float64{m.Threshold(), SweepFrom(m.Threshold()), 1} {
			t.Run(fmt.Sprintf("%s/%.2f", m.Name(), least), func(t *testing.T) {
				want := make(map[Pair]bool)
				for _, p := range scan {
					if p.Score >= least {
						want[p] = true
					}
				}
				pairs := slices.Collect(sigs.Pairs(least))
				if least == m.Threshold() {
					if again := slices.Collect(m.Sign(docs).Pairs(least)); !slices.Equal(pairs, again) {
						t.Errorf("Pairs(%.3f) = %v, of documents signed again %v", least, pairs, again)
					}
				}
				for _, p := range pairs {
					if !want[p] {
						t.Fatalf("Pairs(%.3f) yields %+v, which a scan does not, or yields it twice", least, p)
					}
					delete(want, p)
				}
				if _, ok := m.(Gate); ok {
					return // its tables may miss a pair; how many is measured
				}
				for p := range want {
					t.Errorf("Pairs(%.3f) misses %+v", least, p)
				}
			})
		}
	}
}

// mixture returns documents of both languages and lengths, copies with ever more
// edits, and bodies with nothing in them.
func mixture() []Document {
	r := rand.New(rand.NewPCG(3, 3))
	docs := slices.Concat(invented(8, 30, false), invented(6, 12, true), invented(4, 2, false))
	for i := range docs {
		docs[i].URL += fmt.Sprint("?", i)
		docs[i].Links = []string{docs[(i+1)%len(docs)].URL, docs[r.IntN(len(docs))].URL}
	}
	for i, d := range docs[:14] {
		for edits := range 5 {
			lines := strings.SplitAfter(d.Body, "\n")
			for range edits {
				lines[r.IntN(len(lines))] = docs[r.IntN(14)].Body[:30] + "\n"
			}
			docs = append(docs, Document{URL: fmt.Sprint(i, "/", edits), Site: d.Site, Body: strings.Join(lines, "")})
		}
	}
	return append(docs, Document{URL: "empty"}, Document{URL: "also empty", Body: " ... \n"}, Document{URL: "one", Body: "one"}, Document{URL: "one too", Body: "One!"})
}

func TestEmptyDocumentsAreLikeNothing(t *testing.T) {
	docs := []Document{{URL: "a"}, {URL: "b"}, {URL: "c", Body: "..."}, {URL: "d", Body: "words"}}
	for _, m := range All(0.8) {
		for p := range m.Sign(docs).Pairs(0.01) {
			t.Errorf("%s: %+v", m.Name(), p)
		}
	}
}

func TestOneEqualMegaShingleIsTwoEqualSuperShingles(t *testing.T) {
	docs := mixture()
	super, mega := SuperShingles{5, 6, 14, 2}, MegaShingles{5, 6, 14}
	supers, megas := super.Sign(docs), mega.Sign(docs)
	for a, b := range every(len(docs)) {
		two := supers.Score(a, b) >= super.Threshold()
		one := megas.Score(a, b) >= mega.Threshold()
		if two != one {
			t.Errorf("documents %d and %d: two super-shingles equal %v, one mega-shingle %v", a, b, two, one)
		}
	}
}

func TestMoreLexiconsFindMore(t *testing.T) {
	docs := invented(60, 40, false)
	one, _ := share(IMatch{From: 0.2, To: 0.8, Floor: 8, Left: 1.0 / 3}, docs, oneWord)
	more, _ := share(IMatch{Lexicons: 10, From: 0.2, To: 0.8, Floor: 8, Left: 1.0 / 3}, docs, oneWord)
	t.Logf("one lexicon finds %.2f of copies with a sentence changed, ten more %.2f", one, more)
	if more <= one {
		t.Errorf("ten more lexicons find %.2f, one finds %.2f", more, one)
	}
}

func TestLinksKeepApartWhatIsLinkedToFromElsewhere(t *testing.T) {
	docs := invented(10, 20, false)
	docs[1].Body = docs[0].Body
	for i := 2; i < len(docs); i++ {
		docs[i].Links = []string{docs[0].URL}
	}
	content := Projection{Numbers: 16, Delta: 0.1}
	if s := content.Sign(docs).Score(0, 1); s != 1 {
		t.Errorf("by the text alone the score is %v, want 1", s)
	}
	linked := content
	linked.Links = true
	if s := linked.Sign(docs).Score(0, 1); s >= linked.Threshold() {
		t.Errorf("a page that eight link to is like its copy that none links to: %v", s)
	}
	// What is spread is content: pages of equal text that link there change nothing else.
	for i := range docs {
		docs[i].Links = nil
	}
	if s := linked.Sign(docs).Score(0, 1); s != 1 {
		t.Errorf("without links the score is %v, want 1", s)
	}
}

func TestKeywordsForgiveAWordThatSlips(t *testing.T) {
	docs := invented(20, 30, false)
	either := DocView{Keywords: 5, Delta: 0.1}
	c := NewCollection(either, nil)
	s := either.Scheme(c)
	v := s.Sketch(docs[0])
	slipped := slices.Clone(v)
	slipped[0]++ // another word in its place
	if got := s.Score(v, slipped); got >= 1 || got < 0.5 {
		t.Errorf("four of five keywords in common score %v, want the cosine", got)
	}
	if got := s.Score(v, v); got != 1 {
		t.Errorf("equal keywords score %v, want 1", got)
	}
	both := DocView{Keywords: 5, Delta: 0.5, Rule: Both}
	if got := both.Scheme(c).Score(v, slipped); got != 0 {
		t.Errorf("where both conditions are asked, four of five keywords score %v, want 0", got)
	}
}

// TestWordsAreWithinTheirEditDistance compares the diagonals that are looked at with the
// whole table.
func TestWordsAreWithinTheirEditDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		a, b := make([]uint64, r.IntN(9)), make([]uint64, r.IntN(9))
		for _, s := range [][]uint64{a, b} {
			for i := range s {
				s[i] = r.Uint64N(4)
			}
		}
		d := make([][]int, len(a)+1)
		for i := range d {
			d[i] = make([]int, len(b)+1)
			for j := range d[i] {
				switch {
				case i == 0 || j == 0:
					d[i][j] = i + j
				case a[i-1] == b[j-1]:
					d[i][j] = d[i-1][j-1]
				default:
					d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
				}
			}
		}
		for most := range 10 {
			if got, want := within(a, b, most), d[len(a)][len(b)] <= most; got != want {
				t.Fatalf("within(%v, %v, %d) = %v; the distance is %d", a, b, most, got, d[len(a)][len(b)])
			}
		}
	}
}

func TestRabinFingerprintsAreRemainders(t *testing.T) {
	for _, degree := range []int{8, 40, 61} {
		r := newRabin(degree, 4)
		slow := func(text []byte) (f uint64) {
			for _, c := range text {
				for bit := 7; bit >= 0; bit-- {
					top := f >> (degree - 1) & 1
					f = f<<1&(1<<degree-1) | uint64(c>>bit&1)
					if top == 1 {
						f ^= r.poly
					}
				}
			}
			return f
		}
		f := uint64(0)
		for i, c := range []byte("the quick brown fox") {
			f = r.appended(f, c)
			if want := slow([]byte("the quick brown fox")[:i+1]); f != want {
				t.Fatalf("degree %d: the fingerprint of %d bytes is %x, want %x", degree, i+1, f, want)
			}
		}
		words := "one two three four five six"
		want := slow([]byte("\x01three\x00four\x00five\x00six\x00"))
		if got := r.shingles(words); len(got) != 3 || got[2] != want {
			t.Errorf("degree %d: %x, want the third of three to be %x", degree, got, want)
		}
	}
	// x^4+x^3+x^2+x+1 and x^8+x^4+x^3+x+1 are irreducible, x^4+x^2+1 = (x^2+x+1)^2 is not.
	for _, c := range []struct {
		poly   uint64
		degree int
		want   bool
	}{{0b1111, 4, true}, {0b00011011, 8, true}, {0b0101, 4, false}, {0b0001, 4, false}} {
		if got := isIrreducible(c.poly, c.degree); got != c.want {
			t.Errorf("x^%d + %b irreducible: %v, want %v", c.degree, c.poly, got, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	m, err := Parse("docview:n=10,delta=.2", 0.8)
	if want := (DocView{Keywords: 10, Delta: 0.2, Weights: LogWeights}); err != nil || m != want {
		t.Errorf("n=10,delta=.2: %+v, %v; want %+v", m, err, want)
	}
	for text, want := range map[string]string{
		"docview:n=0":              "n=0: want a number, 1 to 1000",
		"docview:n=2.5":            "want a whole number",
		"docview:n":                `"n": want option=value`,
		"docview:n=5,delta=.2,n=6": "n is given twice",
		"docview:keywords=5":       "there are n, delta, weights",
		"docview:weights=tf":       "want log or plain",
		"digest:n=5":               "it has none",
		"supershingle:equal=9":     "want no more than there are",
		"chunks:min=500":           "want min below max",
		"chunks:backup=67":         "want backup below main",
		"bloom:bits=100":           "want a multiple of 64",
		"imatch:from=.9":           "want a band",
		"shingling:sample=4":       "all shingles are kept",
		"shingling-nth:sample=0":   "1 or more",
		"simhash,simhash-tf":       "are 2 methods: want one",
		"sinhash":                  "no such method",
	} {
		if _, err := Parse(text, 0.8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want it to say %q", text, err, want)
		}
	}
	list, err := Named("gate,docview:n=3,delta=0.1,docview:n=10,simhash", 0.8)
	if got := names(list); err != nil || !slices.Equal(got, []string{"gate", "simhash", "docview", "docview"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, m := range All(0.8) {
		for _, o := range Options(m) {
			if o.About == "" {
				t.Errorf("%s: option %s does not say what it is", m.Name(), o.Name)
			}
			if _, err := Parse(m.Name()+":"+o.Name+"="+o.Value, 0.8); err != nil {
				t.Errorf("%s does not take its own value: %v", m.Name(), err)
			}
		}
		if again, err := Parse(Spec(m), 0.5); err != nil || again != m {
			t.Errorf("Parse(%q): %v, %v, want %v", Spec(m), again, err, m)
		}
	}
}

func TestNamed(t *testing.T) {
	some, err := Named("simhash, gate", 0.8)
	if got := names(some); err != nil || !slices.Equal(got, []string{"gate", "simhash"}) {
		t.Errorf(`Named("simhash, gate") = %v, %v`, got, err)
	}
	all, err := Named("all", 0.8)
	if err != nil || len(all) != len(All(0.8)) {
		t.Errorf(`Named("all") = %d methods, %v`, len(all), err)
	}
	if _, err := Named("gate,sinhash", 0.8); err == nil || !strings.Contains(err.Error(), `"sinhash"`) {
		t.Errorf("Named of a wrong name: %v, want one that names it", err)
	}
	if list := names(All(0.8)); len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
		t.Errorf("two methods have one name: %v", list)
	}
}

func TestAShingleOfAThousandDocumentsSaysNothing(t *testing.T) {
	const notice = "This page was made by us and may be copied by all who name us, as the licence says."
	for _, c := range []struct {
		docs int
		same bool
	}{{commonShingle, true}, {commonShingle + 1, false}} {
		docs := make([]Document, c.docs)
		for i := range docs {
			docs[i].Body = notice + " " + vocable(3*i) + " " + vocable(3*i+1) + " " + vocable(3*i+2)
		}
		sigs := Shingling{Words: 4, Sample: Whole, Least: 0.5}.Sign(docs)
		if got := sigs.Score(1, 2); (got > 0.5) != c.same {
			t.Errorf("%d documents with one notice: the score of two is %.3f, want above 0.5: %v", c.docs, got, c.same)
		}
	}
}
