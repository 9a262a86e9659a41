package dust

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func parse(t testing.TB, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCompareNamesWhatDiffers(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"http://a.b/x?ref=1&id=2", "http://a.b/x?id=2", "parameter ref/value ref=1"},
		{"http://a.b/x?p=1", "http://a.b/x?p=2", "parameter p"},
		{"http://a.b/x?p=1&q=2", "http://a.b/x?q=2&p=1", "order "},
		{"http://a.b/x/", "http://a.b/x/index.html", "index index.html"},
		{"http://a.b/x/", "http://a.b/x", "slash "},
		{"http://a.b/X", "http://a.b/x", "case "},
		{"http://a.b/x.htm", "http://a.b/x.html", "extension .htm|.html"},
		{"http://a.b/print/x", "http://a.b/x", "view print"},
		{"http://a.b/v0123456789abcdef/x", "http://a.b/vfedcba9876543210/x", "segment 1"},
		{"https://www.a.b/x", "http://a.b/x", "scheme , www "},
		{"http://a.b/v0123456789abcdef/x/y", "http://a.b/x/y", "segment 1?"},
		{"http://a.b/~ann/pub/x.html", "http://a.b/people/ann/pub/x.html", "prefix /people/{s}|/~{s}"},
		{"http://a.b/docs/x.html?p=1", "http://a.b/x.html", "prefix |/docs, parameter p/value p=1"},
		{"http://a.b/2024/x.html", "http://a.b/x.html", "no"},
		{"http://a.b/a/b/c/d/x.html", "http://a.b/x.html", "no"},
		{"http://a.b/", "http://a.b/index.php", "index index.php"},
		{"http://a.b/x", "http://a.b/y", "no"},
		{"http://a.b/x", "http://c.b/x", "no"},
		{"http://a.b/x", "http://a.b/x", ""},
	} {
		ds, ok := Compare(parse(t, c.a), parse(t, c.b))
		var all []string
		for _, d := range ds {
			var one []string
			for _, r := range d {
				one = append(one, string(r.Kind)+" "+r.Arg)
			}
			all = append(all, strings.Join(one, "/"))
		}
		got := strings.Join(all, ", ")
		if !ok {
			got = "no"
		}
		if got != c.want {
			t.Errorf("Compare(%s, %s) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestURLsThatDifferInOneThingShareAForm(t *testing.T) {
	for _, c := range [][2]string{
		{"http://a.b/x?ref=1&id=2", "http://a.b/x?id=2"}, {"http://a.b/x?t=1&id=2", "http://a.b/x?id=2&t=9"},
		{"http://a.b/X/index.html", "https://www.a.b/x"}, {"http://a.b/v0123456789abcdef/x", "http://a.b/vfedcba9876543210/x"},
	} {
		f, g := FormsOf(parse(t, c[0])), FormsOf(parse(t, c[1]))
		of := append(g.Dropped, g.Exact)
		if !slices.ContainsFunc(append(f.Dropped, f.Exact), func(h uint64) bool { return slices.Contains(of, h) }) {
			t.Errorf("%s and %s share no form", c[0], c[1])
		}
	}
}

func TestARuleNeedsEvidenceOfDifferentPages(t *testing.T) {
	var wall, clean Stats
	for i := range 100 {
		wall.Count(true, i == 0)
		clean.Count(true, true)
		if i == 14 && clean.Tier(Param) != Defer {
			t.Errorf("after 15 pages a rule may %v, want defer", clean.Tier(Param))
		}
		if i == 15 && clean.Tier(Param) != Skip {
			t.Errorf("after 16 pages a rule may %v, want skip", clean.Tier(Param))
		}
	}
	if got := wall.Tier(Param); got != Watch {
		t.Errorf("a rule that one page confirms a hundred times may %v, want watch", got)
	}
	clean.Count(false, false)
	if got := clean.Tier(Param); got != Defer {
		t.Errorf("a rule that was wrong once of 101 may %v, want defer", got)
	}
}

func TestMostPagesOfSmallSitesAreTestedAndEnoughOfLargeOnes(t *testing.T) {
	o := DefaultOptions()
	for pages, want := range map[int]int{1: 1, 20: 20, 100: 76, 300: 112, 1_000_000: 140} {
		if got := o.Wanted(pages); got != want {
			t.Errorf("Wanted(%d) = %d, want %d", pages, got, want)
		}
	}
	// One page in twenty is different. At every size it is unlikely that none of those is tested.
	for _, pages := range []int{20, 40, 60, 100, 200, 400, 1000, 10_000} {
		slip := 1.0
		for i := range o.Wanted(pages) {
			slip *= float64(pages-pages/20-i) / float64(pages-i)
		}
		if slip > .001 {
			t.Errorf("of %d pages, %d of them different, %d are tested: none of the different ones with a probability of %.4f, want at most .001",
				pages, pages/20, o.Wanted(pages), slip)
		}
	}
}

func TestListsRemoveTheParametersThatTheyName(t *testing.T) {
	l := NewLists(true)
	bad := func(err error) { t.Error(err) }
	clear := `{"providers": {"shop": {"urlPattern": "^https?:\\/\\/(?:[a-z0-9-]+\\.)*?shop\\.test", "rules": ["src(?:_id)?"], "exceptions": ["keep"], "rawRules": ["\\/ref=[^/?]*"]}}}`
	if err := l.Read(strings.NewReader(clear), "clear.json", bad); err != nil {
		t.Fatal(err)
	}
	if err := l.Read(strings.NewReader("! note\n||news.test^$removeparam=from\n$removeparam=/^trk_/\n"), "list.txt", bad); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"http://a.test/x?utm_source=1&id=2":         "http://a.test/x?id=2",
		"http://a.test/x?GCLID=1":                   "http://a.test/x",
		"http://www.shop.test/x?src_id=1&q=2":       "http://www.shop.test/x?q=2",
		"http://www.shop.test/keep?src_id=1":        "http://www.shop.test/keep?src_id=1",
		"http://www.shop.test/x/ref=abc?q=2":        "http://www.shop.test/x?q=2",
		"http://a.test/x?src_id=1":                  "http://a.test/x?src_id=1",
		"http://en.news.test/x?from=1&trk_a=2&id=3": "http://en.news.test/x?id=3",
		"http://a.test/x?from=1":                    "http://a.test/x?from=1",
	} {
		if got, _ := l.Strip(parse(t, in)); got.String() != want {
			t.Errorf("Strip(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestErrorsOfAListNameFileAndLine(t *testing.T) {
	var faults []string
	l := NewLists(false)
	err := l.Read(strings.NewReader("$removeparam=a\n$removeparam=b,popup\n@@||x.test^$removeparam=c\n"), "list.txt", func(err error) { faults = append(faults, err.Error()) })
	if err != nil || len(faults) != 2 || !strings.Contains(faults[0], "list.txt:2") || !strings.Contains(faults[1], "list.txt:3") {
		t.Errorf("Read = %v, faults %q; want two, of lines 2 and 3", err, faults)
	}
	faults = nil
	clear := "{\"providers\": {\n \"a\": {\"urlPattern\": \"x\",\n  \"rules\": [\"y\", \"z(\"]},\n \"b\": {\"urlPattern\": \"x\", \"rules\": [\"(\", \"y\"]}}}"
	if err := l.Read(strings.NewReader(clear), "clear.json", func(err error) { faults = append(faults, err.Error()) }); err != nil ||
		len(faults) != 2 || !strings.Contains(faults[0], "clear.json:2: provider a") || !strings.Contains(faults[1], "clear.json:4: provider b") {
		t.Errorf("Read = %v, faults %q; want two, of lines 2 and 4", err, faults)
	}
	for text, line := range map[string]string{"{\"providers\": {\n\n": "cut.json:3:", "{\n\"providers\": 5}": "cut.json:2:", "{\n\n\n]": "cut.json:4:"} {
		if err := l.Read(strings.NewReader(text), "cut.json", func(error) {}); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("Read(%q) = %v, want an error of %s", text, err, line)
		}
	}
	if err := l.Read(strings.NewReader("nothing\n"), "other.txt", func(error) {}); err == nil || !strings.Contains(err.Error(), "other.txt") {
		t.Errorf("Read of a file without rules = %v, want an error that names it", err)
	}
}

func FuzzForms(f *testing.F) {
	f.Add("http://a.b/x/index.html?b=1&a=2&a", "http://www.a.b/X/amp")
	f.Add("http://a.b/print/v0123456789abcdef/", "http://a.b//;x?&&=")
	f.Fuzz(func(t *testing.T, a, b string) {
		u, err := weburl.Parse(a)
		if err != nil {
			return
		}
		v, err := weburl.Parse(b)
		if err != nil {
			return
		}
		if n := len(FormsOf(u).Dropped); n >= maxForms {
			t.Errorf("%s has %d forms", u, n)
		}
		if ds, ok := Compare(u, u); !ok || len(ds) > 0 {
			t.Errorf("Compare(%s) with itself = %v, %v", u, ds, ok)
		}
		_, there := Compare(u, v)
		if _, back := Compare(v, u); there != back {
			t.Errorf("Compare(%s, %s) = %v, the other way %v", u, v, there, back)
		}
		Template(u)
		NewLists(true).Strip(u)
	})
}

func FuzzLists(f *testing.F) {
	f.Add([]byte(`{"providers":{"a":{"urlPattern":"x","rules":["y"]}}}`))
	f.Add([]byte("||a.b^$removeparam=/x,y/i,domain=c.d|e.f\n"))
	u, _ := weburl.Parse("http://a.b/x?y=1")
	f.Fuzz(func(t *testing.T, b []byte) {
		l := NewLists(true)
		if l.Read(strings.NewReader(string(b)), "f", func(error) {}) == nil {
			l.Strip(u)
		}
	})
}

func BenchmarkDecideOneLink(b *testing.B) {
	u := parse(b, "http://www.example.org/news/2024/story-5.html?id=17&ref=home&tok=abc")
	book := NewBook(DefaultOptions())
	for range 100 {
		s, _ := book.Get(Rule{Param, "example.org", "ref"}.ID())
		s.Count(true, true)
		book.Put(Rule{Param, "example.org", "ref"}, s)
	}
	for b.Loop() {
		Template(u)
		book.Forms(u, Defer)
	}
}

func BenchmarkStripOneLink(b *testing.B) {
	u, l := parse(b, "http://www.example.org/news/story-5.html?id=17&utm_source=x"), NewLists(true)
	for b.Loop() {
		l.Strip(u)
	}
}
