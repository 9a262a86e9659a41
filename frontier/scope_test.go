package frontier_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// scopes are options that differ from the defaults, a seed, and for a URL found
// there the rule that keeps it out, or "".
var scopes = []struct {
	what string
	o    func(*frontier.ScopeOptions)
	seed string
	rule map[string]string
}{
	{"host", mode(frontier.ScopeHost), "http://www.example.com/docs/index.html", map[string]string{
		"http://www.example.com/":      "",
		"https://www.example.com/x":    "",
		"http://example.com/":          "scope:host",
		"http://www.example.com:8080/": "scope:host",
		"http://www.example.org/":      "scope:host",
	}},
	{"domain", mode(frontier.ScopeDomain), "http://www.example.com.cn/", map[string]string{
		"http://example.com.cn/":            "",
		"https://a.b.example.com.cn:8443/x": "",
		"http://other.com.cn/":              "scope:domain",
		"http://example.com/":               "scope:domain",
	}},
	{"domain of an address", mode(frontier.ScopeDomain), "http://127.0.0.1:8080/", map[string]string{
		"http://127.0.0.1/": "",
		"http://10.0.0.1/":  "scope:domain",
	}},
	{"prefix", mode(frontier.ScopePrefix), "http://example.com/docs/v2/index.html?x=/a/", map[string]string{
		"http://example.com/docs/v2/":      "",
		"https://example.com/docs/v2/a/b":  "",
		"http://example.com/docs/v2":       "scope:prefix",
		"http://example.com/docs/v21/":     "scope:prefix",
		"http://example.com/docs/":         "scope:prefix",
		"http://example.com/?/docs/v2/":    "scope:prefix",
		"http://example.org/docs/v2/":      "scope:prefix",
		"http://example.com:8080/docs/v2/": "scope:prefix",
	}},
	{"any", mode(frontier.ScopeAny), "http://example.com/", map[string]string{
		"http://example.org/": "",
	}},
	{"patterns", func(o *frontier.ScopeOptions) {
		o.Include = []string{`/docs/`, `/blog/`}
		o.Exclude = []string{`\.pdf$`, `[?&]print=`}
	}, "http://example.com/", map[string]string{
		"http://example.com/docs/a":         "",
		"http://example.com/blog/a?x":       "",
		"http://example.com/about":          "include",
		"http://example.com/docs/a.pdf":     "exclude",
		"http://example.com/docs/a?print=1": "exclude",
	}},
	{"length", func(o *frontier.ScopeOptions) { o.MaxURLBytes = 30 }, "http://example.com/", map[string]string{
		"http://example.com/12345678901":  "",
		"http://example.com/123456789012": "url-length",
	}},
	{"repeats", mode(frontier.ScopeHost), "http://example.com/", map[string]string{
		"http://example.com/a/a/a/":                     "",
		"http://example.com/a/a/a/a/":                   "trap:path-repetition",
		"http://example.com/x/a/a/a/a":                  "trap:path-repetition",
		"http://example.com/a/b/a/b/":                   "",
		"http://example.com/a/b/a/b/a":                  "",
		"http://example.com/a/b/a/b/a/b":                "trap:path-repetition",
		"http://example.com/x/a/b/c/a/b/c/a/b/c/y":      "trap:path-repetition",
		"http://example.com/a/b/c/a/b/d/a/b/e":          "",
		"http://example.com/a/b/a/c/a/d/a/e/a/f/a/g/":   "",
		"http://example.com/a/b/a/c/a/d/a/e/a/f/a/g/a/": "trap:path-repetition",
		"http://example.com//a//b":                      "",
		"http://example.com///a":                        "trap:path-repetition",
		"http://example.com/a/////b":                    "trap:path-repetition",
		"http://example.com/tile/1/1/1.png":             "",
		"http://example.com/aa/a/aa/a":                  "",
		"http://example.com/?box=1&box=2&box=3&box=4":   "",
		"http://example.com/?a=1&a=1&a=1":               "",
		"http://example.com/?a=1&b&a=1&c&a=1&a=1":       "trap:query-repetition",
	}},
	{"fewest repeats", func(o *frontier.ScopeOptions) { o.MaxRepeats = 1 }, "http://example.com/", map[string]string{
		"http://example.com/a/b/a/b":     "",
		"http://example.com/a/a":         "trap:path-repetition",
		"http://example.com/a/b/a/b/a/b": "trap:path-repetition",
		"http://example.com/?a&a":        "trap:query-repetition",
	}},
}

func TestScopeNamesTheRuleThatRefuses(t *testing.T) {
	for _, c := range scopes {
		s := newScope(t, c.o)
		s.AddRoot(parse(t, c.seed))
		for text, want := range c.rule {
			got := s.Check(parse(t, text), 1, frontier.Trail{})
			if got.Rule != want || (got.Detail == "") != (want == "") {
				t.Errorf("%s: Check(%s) = %+v, want rule %q", c.what, text, got, want)
			}
		}
	}
}

func TestRefusalsAreInAUsersWords(t *testing.T) {
	s := newScope(t, func(o *frontier.ScopeOptions) {
		o.Exclude, o.MaxDepth, o.MaxURLBytes = []string{`\.pdf$`}, 3, 100
	})
	s.AddRoot(parse(t, "http://example.com/"))
	for _, c := range []struct {
		text  string
		depth int
		trail frontier.Trail
		want  frontier.Refusal
	}{
		{"http://example.org/", 1, frontier.Trail{}, frontier.Refusal{Rule: "scope:host", Detail: "example.org is not a seed's host"}},
		{"http://example.com/a.pdf", 1, frontier.Trail{}, frontier.Refusal{Rule: "exclude", Detail: `\.pdf$`}},
		{"http://example.com/a", 4, frontier.Trail{}, frontier.Refusal{Rule: "depth", Detail: "4 links from a seed, the limit is 3"}},
		{"http://example.com/" + strings.Repeat("a", 100), 1, frontier.Trail{}, frontier.Refusal{Rule: "url-length", Detail: "119 bytes, the limit is 100"}},
		{"http://example.com/a/b/a/b/a/b", 1, frontier.Trail{}, frontier.Refusal{Rule: "trap:path-repetition", Detail: "/a/b occurs 3 times in a row"}},
		{"http://example.com/a/b/a/c/a/d/a/e/a/f/a/g/a/", 1, frontier.Trail{}, frontier.Refusal{Rule: "trap:path-repetition", Detail: "/a occurs 7 times"}},
		{"http://example.com/?a&a&a&a", 1, frontier.Trail{}, frontier.Refusal{Rule: "trap:query-repetition", Detail: "a occurs 4 times"}},
		{"http://example.com/2024/05", 1, frontier.Trail{Calendar: 25}, frontier.Refusal{Rule: "trap:calendar", Detail: "25 steps in a row through a calendar, the limit is 24"}},
		{"http://example.com/2024/05", 3, frontier.Trail{Calendar: 24}, frontier.Refusal{}},
	} {
		if got := s.Check(parse(t, c.text), c.depth, c.trail); got != c.want {
			t.Errorf("Check(%s, %d, %v) = %+v, want %+v", c.text, c.depth, c.trail, got, c.want)
		}
	}
}

func TestDepthLimits(t *testing.T) {
	for _, c := range []struct {
		limit, depth int
		refused      bool
	}{{-1, 1 << 20, false}, {0, 0, false}, {0, 1, true}, {3, 3, false}, {3, 4, true}} {
		s := newScope(t, func(o *frontier.ScopeOptions) { o.Mode, o.MaxDepth = frontier.ScopeAny, c.limit })
		if got := s.Check(parse(t, "http://example.com/"), c.depth, frontier.Trail{}); got.IsZero() == c.refused {
			t.Errorf("limit %d, depth %d: %+v, want refused %v", c.limit, c.depth, got, c.refused)
		}
	}
}

func TestSeedsAreRefusedByExcludeAndLengthAlone(t *testing.T) {
	s := newScope(t, func(o *frontier.ScopeOptions) {
		o.Include, o.Exclude, o.MaxURLBytes = []string{"/docs/"}, []string{"private"}, 50
	})
	for text, want := range map[string]string{
		"http://example.com/":                           "",
		"http://example.com/a/a/a/a/a":                  "",
		"http://example.com/private":                    "exclude",
		"http://example.com/" + strings.Repeat("a", 50): "url-length",
	} {
		if got := s.CheckSeed(parse(t, text)); got.Rule != want {
			t.Errorf("CheckSeed(%s) = %+v, want rule %q", text, got, want)
		}
	}
}

func TestRootsComeBackFromTheirText(t *testing.T) {
	const seed = "http://www.example.com:8080/docs/index.html"
	for m, want := range map[frontier.ScopeMode]string{
		frontier.ScopeHost:   "www.example.com:8080",
		frontier.ScopeDomain: "example.com",
		frontier.ScopePrefix: "www.example.com:8080/docs/",
		frontier.ScopeAny:    "",
	} {
		s := newScope(t, mode(m))
		root := s.Root(parse(t, seed))
		if root != want {
			t.Errorf("%s: Root(%s) = %q, want %q", m, seed, root, want)
		}
		s.AddRootText(root)
		s.AddRootText(root)
		if got := s.Check(parse(t, seed), 1, frontier.Trail{}); !got.IsZero() {
			t.Errorf("%s: after AddRootText(%q) the seed is refused: %+v", m, root, got)
		}
	}
}

func TestScopeSurtGoesByItsListAlone(t *testing.T) {
	list, err := seeds.ReadSurts(strings.NewReader("http://(org,example,\n-http://(org,example,)/no\n"), "list")
	if err != nil {
		t.Fatal(err)
	}
	s := newScope(t, func(o *frontier.ScopeOptions) { o.Mode, o.Surts = frontier.ScopeSurt, list })
	s.AddRoot(parse(t, "http://seed.example/"))
	for address, want := range map[string]string{
		"https://www.example.org/x": "{ }",
		"http://example.org/no/1":   "{scope:surt excluded by -http://(org,example,)/no}",
		"http://seed.example/1":     "{scope:surt no SURT prefix matches}",
	} {
		if got := fmt.Sprint(s.Check(parse(t, address), 1, frontier.Trail{})); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if err := (func() error {
		o := frontier.DefaultScopeOptions()
		o.Mode = frontier.ScopeSurt
		return o.Validate()
	})(); err == nil || !strings.Contains(err.Error(), "needs a list of SURT prefixes") {
		t.Errorf("scope surt without a list: %v", err)
	}
}

func TestAQueryOfTooManyParametersIsATrap(t *testing.T) {
	s := newScope(t, mode(frontier.ScopeAny))
	for n, want := range map[int]string{1: "", 30: "", 31: "trap:parameters"} {
		address := "http://a.example/?" + strings.TrimSuffix(strings.Repeat("x&", n), "&")
		for i := range n {
			address = strings.Replace(address, "x", fmt.Sprintf("p%d=%d", i, i), 1)
		}
		if got := s.Check(parse(t, address), 1, frontier.Trail{}); got.Rule != want {
			t.Errorf("%d parameters: %+v", n, got)
		}
	}
}

func TestALinkThatActsIsNotFollowed(t *testing.T) {
	s := newScope(t, mode(frontier.ScopeAny))
	for address, want := range map[string]string{
		"http://shop.example/thing?add-to-cart=29":               "trap:action",
		"http://shop.example/?page=2&add_to_wishlist=7":          "trap:action",
		"http://shop.example/cart/?remove_item=c2&_wpnonce=6":    "trap:action",
		"http://shop.example/how-to-add-to-cart/":                "",
		"http://shop.example/search?q=add-to-cart":               "",
		"http://shop.example/thing?cart=add-to-cart&add-to-car=": "",
	} {
		u := parse(t, address)
		if got := s.Check(u, 1, frontier.Trail{}); got.Rule != want {
			t.Errorf("%s: %+v, want %q", address, got, want)
		}
		if got := s.CheckSeed(u); !got.IsZero() {
			t.Errorf("%s as a seed: %+v", address, got)
		}
	}
}

func TestAScopeWithoutRootsLetsNothingIn(t *testing.T) {
	for _, m := range []frontier.ScopeMode{frontier.ScopeHost, frontier.ScopeDomain, frontier.ScopePrefix} {
		got := newScope(t, mode(m)).Check(parse(t, "http://example.com/"), 1, frontier.Trail{})
		if got.Rule != "scope:"+m.String() {
			t.Errorf("%s: %+v", m, got)
		}
	}
}

func TestRootsAreAddedWhileLinksAreChecked(t *testing.T) {
	s := newScope(t, mode(frontier.ScopePrefix))
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 500 {
				u := parse(t, fmt.Sprintf("http://host%d.example/%d/x", w, i))
				s.Check(u, 1, frontier.Trail{})
				s.AddRoot(u)
				if got := s.Check(u, 1, frontier.Trail{}); !got.IsZero() {
					t.Errorf("Check(%s) after AddRoot: %+v", u, got)
				}
			}
		})
	}
	all.Wait()
}

func TestValidateReportsEveryFaultOfAScope(t *testing.T) {
	o := frontier.ScopeOptions{Mode: 9, Include: []string{"("}, Exclude: []string{"ok", "[", "*"}, MaxDepth: -2, MaxURLBytes: 9999, MaxCalendarSteps: 256}
	err := o.Validate()
	if err == nil {
		t.Fatal("Validate passes")
	}
	for _, want := range []string{
		`scope 9 is not one of host, domain, prefix, any, surt`, `parameter limit 0`, `include pattern "("`, `exclude pattern "["`, `exclude pattern "*"`,
		`depth limit -2`, `URL length limit 9999`, `repetition limit 0`, `calendar limit 256`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Validate says\n%v\nand nothing of %s", err, want)
		}
	}
	if err := frontier.DefaultScopeOptions().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

func TestScopeModesTravelAsText(t *testing.T) {
	for _, m := range []frontier.ScopeMode{frontier.ScopeHost, frontier.ScopeDomain, frontier.ScopePrefix, frontier.ScopeAny} {
		text, _ := m.MarshalText()
		var back frontier.ScopeMode
		if err := back.UnmarshalText(text); err != nil || back != m {
			t.Errorf("mode %d came back from %q as %d, %v", m, text, back, err)
		}
	}
	_, err := frontier.ParseScopeMode("site")
	if err == nil || err.Error() != `scope "site" is not one of host, domain, prefix, any, surt` {
		t.Errorf("ParseScopeMode(site): %v", err)
	}
}

func BenchmarkScope(b *testing.B) {
	u := parse(b, "https://www.example.com/news/2024/some-article-title.html?id=12345&lang=en")
	for _, m := range []frontier.ScopeMode{frontier.ScopeHost, frontier.ScopeDomain, frontier.ScopePrefix} {
		b.Run(m.String(), func(b *testing.B) {
			s := newScope(b, mode(m))
			s.AddRoot(u)
			for b.Loop() {
				s.Check(u, 1, frontier.Trail{})
			}
		})
	}
}

func BenchmarkScopeOf2Patterns(b *testing.B) {
	u := parse(b, "https://www.example.com/news/2024/some-article-title.html?id=12345&lang=en")
	s := newScope(b, func(o *frontier.ScopeOptions) { o.Include, o.Exclude = []string{`/news/`}, []string{`\.(pdf|zip)$`} })
	s.AddRoot(u)
	for b.Loop() {
		s.Check(u, 1, frontier.Trail{})
	}
}

// BenchmarkScopeOf1000000Roots reports what a root of a long seed list takes.
func BenchmarkScopeOf1000000Roots(b *testing.B) {
	const roots = 1_000_000
	for b.Loop() {
		s := newScope(b, mode(frontier.ScopeHost))
		before := heap()
		for i := range roots {
			s.AddRootText(fmt.Sprintf("www.host%d.example", i))
		}
		b.ReportMetric(float64(heap()-before)/roots, "bytes/root")
		if got := s.Check(parse(b, fmt.Sprintf("http://www.host%d.example/", roots-1)), 1, frontier.Trail{}); !got.IsZero() {
			b.Fatalf("the last root is refused: %+v", got)
		}
	}
}

func mode(m frontier.ScopeMode) func(*frontier.ScopeOptions) {
	return func(o *frontier.ScopeOptions) { o.Mode = m }
}

// newScope returns a scope of the default options, changed.
func newScope(t testing.TB, change func(*frontier.ScopeOptions)) *frontier.Scope {
	t.Helper()
	o := frontier.DefaultScopeOptions()
	change(&o)
	s, err := frontier.NewScope(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
