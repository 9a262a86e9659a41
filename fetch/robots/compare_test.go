package robots

import (
	"strings"
	"testing"
)

func TestAComparisonTellsWhyVerdictsDiffer(t *testing.T) {
	for name, c := range map[string]struct {
		file, path    string
		ours, theirs  bool
		section, says string
	}{
		"tie":            {"User-agent: *\nDisallow: /a\nAllow: /a\n", "/a", true, false, "2.2.2", "equally long"},
		"anywhere":       {"User-agent: *\nDisallow: /a*b\n", "/x/a1b", true, false, "2.2.2", "anywhere in the path"},
		"length":         {"User-agent: *\nDisallow: /a.b/*\nAllow: /a.b/.c*d.e\nDisallow: /a.b/.c.....d\n", "/a.b/.c.....d.e", false, true, "2.2.2", "regular expression"},
		"bad line":       {"User-agent: *\nCrawl-delay: soon\nDisallow: /a\n", "/a", false, false, "2.3.1.5", "give up the whole file"},
		"rule above":     {"Disallow: /a\nUser-agent: *\nDisallow: /b\n", "/b", false, false, "2.3.1.5", "give up the whole file"},
		"escapes":        {"User-agent: *\nDisallow: /%62\n", "/b", false, true, "2.2.2", "escaped and not"},
		"not ASCII":      {"User-agent: *\nDisallow: /茶\n", "/%E8%8C%B6", false, true, "2.2.2", "escaped and not"},
		"prefix":         {"User-agent: foo\nDisallow: /\nUser-agent: *\nAllow: /\n", "/a", true, false, "2.2.1", `the group of "foo"`},
		"version":        {"User-agent: FooBot/2.0\nDisallow: /\n", "/a", false, true, "2.2.1", "only the product token counts"},
		"dollar":         {"User-agent: *\nDisallow: /a$b\n", "/a$b", false, true, "2.2.3", "not its last character"},
		"no slash":       {"User-agent: *\nDisallow: a\n", "/a", true, false, "2.2", "no slash"},
		"index page":     {"User-agent: *\nDisallow: /a/\nAllow: /a/index.html\n", "/a/", true, false, "", "folder of the index page"},
		"robots.txt":     {"User-agent: *\nDisallow: /\n", "/robots.txt", true, false, "2.2.2", "always allowed"},
		"misspelt":       {"User-agent: *\nDisalow: /a\n", "/a", false, true, "", "line 2 is misspelt"},
		"delay in group": {"User-agent: foobot\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x\n", "/x", false, true, "2.2", "Crawl-delay"},
		"the same":       {"User-agent: *\nDisallow: /a\n", "/a", false, false, "", ""},
		"empty":          {"", "/a", true, true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := NewComparer(File{Status: 200, Body: []byte(c.file)}, "FooBot").Compare(c.path)
			if got.Ours.Allowed != c.ours || got.Theirs.Allowed != c.theirs || got.Section != c.section || !strings.Contains(got.Why, c.says) || (c.says == "") == got.Differs() {
				t.Errorf("%q, %s: got %+v\nwant ours %v, theirs %v, section %q and %q", c.file, c.path, got, c.ours, c.theirs, c.section, c.says)
			}
		})
	}
}

func TestAComparisonOfAnswersWithoutAFile(t *testing.T) {
	for status, c := range map[int]struct {
		ours, differs bool
		says          string
	}{
		404: {true, false, ""}, 503: {false, false, ""}, 429: {false, true, "too busy"}, 0: {false, true, "nothing answered"}, 302: {true, true, "lead nowhere"},
	} {
		got := NewComparer(File{Status: status, Failure: "connect: refused"}, "FooBot").Compare("/a")
		if got.Ours.Allowed != c.ours || got.Differs() != c.differs || !strings.Contains(got.Why, c.says) {
			t.Errorf("status %d: %+v, want ours %v and %q", status, got, c.ours, c.says)
		}
	}
}

func TestPathsToCompareAreThoseOfTheRules(t *testing.T) {
	c := NewComparer(File{Status: 200, Body: []byte("User-agent: *\nDisallow: /a*b$\nDisallow: /c/\n")}, "FooBot")
	if got, want := strings.Join(c.Paths(), " "), "/ /robots.txt /axb /axbx /c/ /c/x"; got != want {
		t.Errorf("paths %s, want %s", got, want)
	}
}

func FuzzComparison(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\n", "/axb")
	f.Add("user-agent: foobot\nallow: /index.html\ncrawl-delay: x", "/")
	f.Fuzz(func(t *testing.T, file, path string) {
		c := NewComparer(File{Status: 200, Body: []byte(file)}, "FooBot")
		for _, p := range append(c.Paths(), path) {
			got := c.Compare(p)
			if got.Ours != c.ours.check("FooBot", p) {
				t.Errorf("%q: ours is %+v, and Rules says %+v", p, got.Ours, c.ours.check("FooBot", p))
			}
			if got.Fault == "" && got.Differs() != (got.Ours.Allowed != got.Theirs.Allowed) {
				t.Errorf("%q: %+v", p, got)
			}
		}
	})
}
