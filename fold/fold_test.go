package fold

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// invented returns a list of n results: descriptions of 40 words, a third of which are those of an
// earlier result with some words replaced.
func invented(n int) []Result {
	r := rand.New(rand.NewPCG(3, 9))
	word := func() string { return fmt.Sprintf("w%d", r.IntN(4000)) }
	list := make([]Result, n)
	for i := range list {
		words := make([]string, 40)
		for j := range words {
			words[j] = word()
		}
		if i > 0 && r.IntN(3) == 0 {
			words = strings.Fields(list[r.IntN(i)].Snippet)
			for range r.IntN(12) {
				words[r.IntN(len(words))] = word()
			}
		}
		list[i] = Result{URL: fmt.Sprintf("https://h%d.example/%d", r.IntN(99), i), Title: "A page", Snippet: strings.Join(words, " "), Score: float64(n - i/3)}
	}
	return list
}

// TestFoldingIsThatOfAScan compares the index with a scan of all groups.
func TestFoldingIsThatOfAScan(t *testing.T) {
	list := invented(300)
	groups, err := List(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]int
	for i, r := range list { // sorted, best first
		best, most := -1, DefaultLeast
		for g, members := range want {
			if s := shingles.Score(pairsOf(r.Title, r.Snippet), pairsOf(list[members[0]].Title, list[members[0]].Snippet)); s > most || s == most && best < 0 {
				best, most = g, s
			}
		}
		if best < 0 {
			want = append(want, nil)
			best = len(want) - 1
		}
		want[best] = append(want[best], i)
	}
	var got [][]int
	folded := 0
	for _, g := range groups {
		members := []int{g.Place - 1}
		for _, m := range g.Folded {
			folded++
			members = append(members, m.Place-1)
		}
		got = append(got, members)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("groups\n%v, want\n%v", got, want)
	}
	if folded < 30 {
		t.Errorf("%d of 300 are folded: the test says little", folded)
	}
}

// Descriptions are compared as the published method compares texts.
func TestPairsOfWordsAreShinglesOfTwo(t *testing.T) {
	texts := [][2]string{
		{"Harbour", "The committee met on Tuesday, and heard three reports."},
		{"", "The committee met on Tuesday and heard 3.5 reports about it\nbefore winter"},
		{"Harbour", ""}, {"", ""}, {"港口委员会", "星期二开会，听取了三份关于港口水深的报告。"}, {"", "星期二开会，听取 reports 水深的报告。"},
		{"It's ＦＵＬＬ", "width, café, re\u0301sume\u0301"},
	}
	for _, a := range texts {
		for _, b := range texts {
			text := func(t [2]string) []uint64 {
				return shingles.Sketch(methods.Document{Body: t[0] + "\n" + t[1]})
			}
			got, want := shingles.Score(pairsOf(a[:]...), pairsOf(b[:]...)), shingles.Score(text(a), text(b))
			if got != want {
				t.Errorf("%q and %q: %g, want %g", a, b, got, want)
			}
		}
	}
}

func TestADescribedResultIsNotReadAgain(t *testing.T) {
	f := New()
	list := invented(20)
	if _, err := f.List(list, Options{}); err != nil {
		t.Fatal(err)
	}
	before := maps.Clone(f.descriptions)
	if _, err := f.List(list, Options{Least: .7}); err != nil {
		t.Fatal(err)
	}
	if len(before) != 20 || f.hits != 0 {
		t.Fatalf("%d descriptions of 20 results, and %d lists of two were taken for the same", len(before), f.hits)
	}
	for key, sketch := range f.descriptions {
		if &sketch[0] != &before[key][0] {
			t.Errorf("a description was read again for another list")
		}
	}
}

// Engines describe one page in different words: a result is compared with each of them.
func TestARepeatOfAPageInOtherWordsJoinsItsGroup(t *testing.T) {
	const one, other = "The committee met on Tuesday and heard three reports about the harbour and its depth before winter.",
		"Before the frost comes the port has to be dredged, says a paper that was read to members of the board."
	near := [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	for name, list := range map[string][]Result{
		"by its description": {{URL: "https://a.example/1", Snippet: one}, {URL: "http://a.example/1", Snippet: other}, {URL: "https://b.example/2", Snippet: other}},
		"by its text":        {{URL: "https://a.example/1"}, {URL: "http://a.example/1", Text: &Text{Sketch: near}}, {URL: "https://b.example/2", Text: &Text{Sketch: near}}},
	} {
		groups, err := List(list, Options{})
		if err != nil || len(groups) != 1 || len(groups[0].Folded) != 2 {
			t.Errorf("%s: groups are %+v, %v; want one", name, groups, err)
		}
	}
}

func TestWhatRepeatsAResult(t *testing.T) {
	const story = "The committee met on Tuesday and heard three reports about the harbour and its depth before winter."
	for _, c := range []struct {
		name string
		a, b Result
		want How // "": two groups
	}{
		{"the same words", Result{URL: "https://a.example/1", Snippet: story}, Result{URL: "https://b.example/2", Snippet: story}, ByDescription},
		{"other words", Result{URL: "https://a.example/1", Snippet: story}, Result{URL: "https://b.example/2", Snippet: "Trains leave each hour, and the journey takes eleven minutes less than by road."}, ""},
		{"another scheme and index page", Result{URL: "https://a.example/x/"}, Result{URL: "http://www.a.example/x/index.html"}, ByURL},
		{"the port of its scheme", Result{URL: "https://a.example:443/x"}, Result{URL: "http://a.example:80/x"}, ByURL},
		{"another port", Result{URL: "https://a.example:80/x"}, Result{URL: "http://a.example/x"}, ""},
		{"another query", Result{URL: "https://a.example/x?id=1"}, Result{URL: "https://a.example/x?id=2"}, ""},
		{"a known copy", Result{URL: "https://a.example/1"}, Result{URL: "https://b.example/2", Of: "https://a.example/1"}, ByCopy},
		{"two copies of a page that is not in the list", Result{URL: "https://a.example/1", Of: "https://c.example/"}, Result{URL: "https://b.example/2", Of: "https://c.example/"}, ByCopy},
		{"a title alone", Result{URL: "https://a.example/1", Title: "Home"}, Result{URL: "https://b.example/2", Title: "Home"}, ""},
		{"a title alone at the same path", Result{URL: "https://a.example/man/ls.html", Title: "ls, list files"}, Result{URL: "https://b.example/man/ls.html", Title: "ls, list files"}, ByDescription},
		{"nothing but URLs", Result{URL: "https://a.example/1"}, Result{URL: "https://b.example/1"}, ""},
		{"two texts that a crawl knows, of one sketch", Result{URL: "https://a.example/1", Text: &Text{Sketch: [16]byte{1}}}, Result{URL: "https://b.example/2", Text: &Text{Sketch: [16]byte{3}}}, ByText},
		{"the same abstract of other texts", Result{URL: "https://a.example/1", Text: &Text{Sketch: [16]byte{0xff, 0xff, 0xff, 0xff, 0xff}, Abstract: story}}, Result{URL: "https://b.example/2", Text: &Text{Sketch: [16]byte{1}, Abstract: story}}, ""},
		{"the same snippet of other texts", Result{URL: "https://a.example/1", Snippet: story, Text: &Text{Sketch: [16]byte{0xff, 0xff, 0xff, 0xff, 0xff}}}, Result{URL: "https://b.example/2", Snippet: story, Text: &Text{Sketch: [16]byte{1}}}, ByDescription},
		{"an abstract and a snippet", Result{URL: "https://a.example/1", Text: &Text{Abstract: story}}, Result{URL: "https://b.example/2", Snippet: story}, ByDescription},
		{"two texts that are too short", Result{URL: "https://a.example/1", Text: &Text{Abstract: story}}, Result{URL: "https://b.example/2", Text: &Text{Abstract: story}}, ""},
		{"Chinese", Result{URL: "https://a.example/1", Snippet: "港口委员会星期二开会，听取了三份关于港口水深的报告。"}, Result{URL: "https://b.example/2", Snippet: "港口委员会星期二开会，听取了三份关于港口水深的报告"}, ByDescription},
	} {
		groups, err := List([]Result{c.a, c.b}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got How
		if len(groups) == 1 {
			got = groups[0].Folded[0].How
		}
		if got != c.want {
			t.Errorf("%s: folded by %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheDegreeWeighs(t *testing.T) {
	list := []Result{
		{URL: "https://a.example/", Score: 10},
		{URL: "https://b.example/", Score: 9, Degree: 20},
		{URL: "https://c.example/", Score: 8},
		{URL: "https://d.example/", Score: 7, Of: "https://c.example/"},
		{URL: "https://e.example/", Score: -1},
		{URL: "https://f.example/", Score: -2, Degree: 9},
	}
	urls := func(o Options) (s string) {
		groups, err := List(list, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			s += g.URL[8:9]
		}
		return s
	}
	if got := urls(Options{}); got != "abcef" {
		t.Errorf("without a weight %s, want abcef", got)
	}
	if got := urls(Options{Weight: 0.5}); got != "bcafe" {
		t.Errorf("with a weight %s, want bcafe", got)
	}
}

// A list without scores is sorted: a place counts as in reciprocal rank fusion.
func TestTheDegreeWeighsInAListWithoutScores(t *testing.T) {
	list := []Result{{URL: "http://a/1"}, {URL: "http://b/2", Degree: 1}, {URL: "http://c/3"}, {URL: "http://d/4", Degree: 40}}
	for weight, want := range map[float64]string{0: "abcd", .01: "abdc", .2: "dbac"} {
		groups, err := List(list, Options{Weight: weight})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, g := range groups {
			got += g.URL[len("http://"):][:1]
		}
		if got != want {
			t.Errorf("with the weight %g %s, want %s", weight, got, want)
		}
	}
}

func TestAListIsRemembered(t *testing.T) {
	f := New()
	list := invented(50)
	first, err := f.List(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.List(list, Options{})
	if err != nil || !reflect.DeepEqual(first, again) || f.hits != 1 {
		t.Errorf("the second time: %v, %d remembered", err, f.hits)
	}
	list[3].Score++
	if _, err := f.List(list, Options{}); err != nil || f.hits != 1 {
		t.Errorf("another score: %v, %d remembered", err, f.hits)
	}
	list[4].Text = &Text{}
	if _, err := f.List(list, Options{}); err != nil || f.hits != 1 {
		t.Errorf("a text: %v, %d remembered", err, f.hits)
	}
	if _, err := f.List(list, Options{Weight: 1}); err != nil || f.hits != 1 {
		t.Errorf("another weight: %v, %d remembered", err, f.hits)
	}
	for i := range 2 * maxLists {
		if _, err := f.List([]Result{{URL: fmt.Sprint("u", i), Title: fmt.Sprint(i)}}, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.lists) > maxLists {
		t.Errorf("%d lists are remembered", len(f.lists))
	}
}

func TestWrongLists(t *testing.T) {
	for _, c := range []struct {
		list []Result
		o    Options
		want string
	}{
		{[]Result{{URL: "a"}, {Title: "b"}}, Options{}, "result 2 has no url"},
		{[]Result{{URL: "a", Score: math.NaN()}}, Options{}, "score"},
		{[]Result{{URL: "a", Degree: -1}}, Options{}, "degree -1"},
		{nil, Options{Least: 2}, "threshold 2"},
		{nil, Options{Weight: -1}, "weight -1"},
		{make([]Result, 3), Options{MaxResults: 2}, "3 results: want at most 2"},
	} {
		if _, err := List(c.list, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.list, err, c.want)
		}
	}
}

// 1,000 results of 40 words that are not cached, and the same list again.
func BenchmarkList1000(b *testing.B) {
	list := invented(1000)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			if _, err := New().List(list, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		f := New()
		for b.Loop() {
			if _, err := f.List(list, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Folding 1,000 results by the sketches of their texts, no two of which resemble each other.
func BenchmarkList1000OfAJob(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 9))
	list := make([]Result, 1000)
	for i := range list {
		var t Text
		for j := range t.Sketch {
			t.Sketch[j] = byte(r.Uint32())
		}
		list[i] = Result{URL: fmt.Sprintf("https://h%d.example/%d", r.IntN(99), i), Title: "A page", Text: &t}
	}
	for b.Loop() {
		if _, err := New().List(list, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestCutIsParse(t *testing.T) {
	for _, address := range []string{
		"http://a.example", "https://WWW.a.example:8080/", "http://a.example?x=1", "http://a.example/a/b.html?x=1&y=2?3",
		"http://a.example:/x", "http://a.example:80a/x", "http://a:1:2/x", "http:///x", "http://", "HTTP://a.example/x",
		"http://a.example/%41", "http://a.example/ü", "http://a.example/x#y", "http://u:p@a.example/x", "ftp://a.example/x",
		"http://[::1]:80/x", "/x", "http?x://y", "http://a.example/./../x//y/", "http://a.example/x:y", "http://a.example/?",
	} {
		host, path, query, ok := cut(address)
		if !ok {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || u.Host != host || u.EscapedPath() != path || u.RawQuery != query {
			t.Errorf("cut(%q) = %q, %q, %q; url.Parse has %+v, %v", address, host, path, query, u, err)
		}
	}
	for _, address := range []string{"http://a.example", "https://www.a.example:8080/x/y.html?z=1&b"} {
		if _, _, _, ok := cut(address); !ok {
			t.Errorf("cut(%q) asks url.Parse", address)
		}
	}
}

// TestTextsAreFoldedAsByAScan compares texts by what SketchResemblance says of each pair.
func TestTextsAreFoldedAsByAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	list := make([]Result, 400)
	for i := range list {
		var sketch [16]byte
		for j := range sketch {
			sketch[j] = byte(r.Uint32())
		}
		if i > 0 && i%2 == 0 { // as an earlier one but for some bits, at both sides of the threshold
			sketch = list[r.IntN(i)].Text.Sketch
			for range r.IntN(50) {
				sketch[r.IntN(16)] ^= 1 << r.IntN(8)
			}
		}
		list[i] = Result{URL: fmt.Sprintf("https://h%d.example/", i), Text: &Text{Sketch: sketch}}
	}
	for _, least := range []float64{0.05, 0.6, 0.7, 1} {
		groups, err := List(list, Options{Least: least})
		if err != nil {
			t.Fatal(err)
		}
		var heads []int
		want := make(map[string]string) // what is folded below what
		for i := range list {
			best, most := -1, 0.0
			for _, h := range heads {
				if s := dedup.SketchResemblance(list[i].Text.Sketch, list[h].Text.Sketch); s >= least && s > most {
					best, most = h, s
				}
			}
			if best < 0 {
				heads = append(heads, i)
				continue
			}
			want[list[i].URL] = fmt.Sprintf("%s %.3f", list[best].URL, most)
		}
		got := make(map[string]string)
		for _, g := range groups {
			for _, m := range g.Folded {
				got[m.URL] = fmt.Sprintf("%s %.3f", g.URL, m.Similarity)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("threshold %g: folded %v, want %v", least, got, want)
		}
		if len(want) < 2 && least < 1 {
			t.Errorf("threshold %g: %d are folded: the test says little", least, len(want))
		}
	}
}

// Places stand in for scores whether or not the degree counts: with no weight each rank was 0.
func TestAListWithoutScoresHasRanksByItsPlaces(t *testing.T) {
	for _, weight := range []float64{0, 1} {
		groups, err := List([]Result{{URL: "http://a.example/"}, {URL: "http://b.example/"}}, Options{Weight: weight})
		if err != nil || len(groups) != 2 || groups[0].Rank != 1./61 || groups[1].Rank != 1./62 {
			t.Errorf("weight %v: %+v, %v", weight, groups, err)
		}
	}
}

// A result whose page an earlier result is a copy of has another URL.
func TestAnOriginalBelowItsCopyIsNotTheSameURL(t *testing.T) {
	groups, err := List([]Result{
		{URL: "http://a.example/copy", Of: "http://a.example/page"},
		{URL: "http://a.example/page"}, {URL: "https://www.a.example/page"}, {URL: "http://a.example/other", Of: "http://a.example/page"},
	}, Options{})
	if err != nil || len(groups) != 1 || len(groups[0].Folded) != 3 {
		t.Fatalf("%+v, %v", groups, err)
	}
	for i, want := range []How{ByCopy, ByURL, ByCopy} {
		if f := groups[0].Folded[i]; f.How != want {
			t.Errorf("%s is folded by %q, want %q", f.URL, f.How, want)
		}
	}
}
