package robots

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// token is the product token of the crawler that asks.
const token = "gatecrawl"

// googleCases are verdicts of Google's parser, kept next to the repository.
const googleCases = "../../../shared/data/robots/google_cases.tsv"

func TestVerdictsEqualGoogles(t *testing.T) {
	table, err := os.ReadFile(googleCases)
	if err != nil {
		t.Skipf("no table of cases: %v", err)
	}
	tried := 0
	for line := range strings.Lines(string(table)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		agent, url, body := unhexed(t, f[2]), unhexed(t, f[3]), unhexed(t, f[4])
		tried++
		// The path is given as it stands: some cases are about URLs that are
		// not canonical, which a weburl.URL cannot hold.
		got := Parse([]byte(body)).CheckRaw(ProductToken(agent), url)
		if want := f[1] == "1"; got.Allowed != want {
			t.Errorf("%s: check(%q, %q) = %+v, want allowed %v, of\n%s", f[0], agent, url, got, want, body)
		}
	}
	if tried < 67 {
		t.Errorf("tried %d cases, want 67 or more", tried)
	}
}

func unhexed(t *testing.T, s string) string {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A robotsCase is one question to one robots.txt. In a file "|" stands for the
// end of a line.
type robotsCase struct {
	name string
	file string
	path string
	line int // of the rule that decides; 0 for none
	ok   bool
}

var robotsCases = []robotsCase{
	{"an empty file allows", "", "/a", 0, true},
	{"an empty disallow allows", "User-agent: *|Disallow:", "/a", 0, true},
	{"disallow all", "User-agent: *|Disallow: /", "/a", 2, false},
	{"robots.txt itself is always allowed", "User-agent: *|Disallow: /", "/robots.txt", 0, true},
	{"own group instead of everybody's", "User-agent: *|Disallow: /|User-agent: gatecrawl|Disallow: /p", "/a", 0, true},
	{"own group forbids", "User-agent: *|Allow: /|User-agent: gatecrawl|Disallow: /p", "/p", 4, false},
	{"own group without rules allows", "User-agent: *|Disallow: /|User-agent: gatecrawl", "/a", 0, true},
	{"own empty group allows", "User-agent: *|Disallow: /||User-agent: gatecrawl|Disallow:", "/a", 0, true},
	{"token in capitals", "User-agent: GATECRAWL|Disallow: /p", "/p", 2, false},
	{"token with a version", "User-agent: gatecrawl/1.2|Disallow: /p", "/p", 2, false},
	{"token with words behind", "User-agent: gatecrawl the crawler|Disallow: /p", "/p", 2, false},
	{"a prefix of the token is another token", "User-agent: gate|Disallow: /p", "/p", 0, true},
	{"a longer token is another token", "User-agent: gatecrawl-news|Disallow: /p", "/p", 0, true},
	{"a full agent string names Mozilla", "User-agent: Mozilla/5.0 (compatible; gatecrawl)|Disallow: /p", "/p", 0, true},
	{"groups of one token are one", "User-agent: gatecrawl|Disallow: /a|User-agent: x|Disallow: /|User-agent: gatecrawl|Disallow: /b", "/b", 6, false},
	{"groups for everybody are one", "User-agent: *|Disallow: /a|User-agent: x|Disallow: /|User-agent: *|Disallow: /b", "/b", 6, false},
	{"two agents share rules", "User-agent: x|User-agent: gatecrawl|Disallow: /p", "/p", 3, false},
	{"a sitemap does not end the agents", "User-agent: gatecrawl|Sitemap: http://h/s|User-agent: x|Disallow: /p", "/p", 4, false},
	{"a delay does not end the agents", "User-agent: gatecrawl|Crawl-delay: 3|User-agent: x|Disallow: /p", "/p", 4, false},
	{"an empty disallow ends the agents", "User-agent: gatecrawl|Disallow:|User-agent: x|Disallow: /p", "/p", 0, true},
	{"a rule before any agent", "Disallow: /|User-agent: *|Disallow: /p", "/a", 0, true},
	{"star with words behind", "User-agent: * (all)|Disallow: /p", "/p", 2, false},
	{"star within a word is nobody", "User-agent: *bot|Disallow: /p", "/p", 0, true},
	{"the longer rule decides", "User-agent: *|Disallow: /p|Allow: /p/open", "/p/open/1", 3, true},
	{"whatever comes first", "User-agent: *|Allow: /p/open|Disallow: /p", "/p/open/1", 2, true},
	{"a tie allows", "User-agent: *|Disallow: /p|Allow: /p", "/p", 3, true},
	{"a tie allows whatever comes first", "User-agent: *|Allow: /p|Disallow: /p", "/p", 2, true},
	{"stars count as length", "User-agent: *|Allow: /page|Disallow: /*.htm", "/page.htm", 3, false},
	{"a pattern is a prefix", "User-agent: *|Disallow: /fish", "/fishheads/y.html", 2, false},
	{"case of a path counts", "User-agent: *|Disallow: /fish", "/Fish", 0, true},
	{"a pattern starts at the start", "User-agent: *|Disallow: /p*/x", "/a/p1/x", 0, true},
	{"star in the middle", "User-agent: *|Disallow: /a*/x", "/abc/d/x/y", 2, false},
	{"star for nothing", "User-agent: *|Disallow: /a*b", "/ab", 2, false},
	{"star and end", "User-agent: *|Disallow: /*.php$", "/a.php.php", 2, false},
	{"more behind the end", "User-agent: *|Disallow: /*.php$", "/a.php?x", 0, true},
	{"end of a plain pattern", "User-agent: *|Disallow: /a$", "/ab", 0, true},
	{"dollar in the middle is itself", "User-agent: *|Disallow: /a$b", "/a$bc", 2, false},
	{"pieces do not overlap", "User-agent: *|Disallow: /*ab*ba$", "/aba", 0, true},
	{"only a star", "User-agent: *|Disallow: *", "/a", 2, false},
	{"star first", "User-agent: *|Disallow: *secret", "/a/secret/b", 2, false},
	{"a query belongs to the path", "User-agent: *|Disallow: /p?z=1&a=2", "/p?z=1&a=2&b=3", 2, false},
	{"star over a query", "User-agent: *|Disallow: /*?id=", "/a/b?id=3", 2, false},
	{"Chinese pattern", "User-agent: *|Disallow: /新闻/", "/%E6%96%B0%E9%97%BB/1", 2, false},
	{"escaped pattern in small letters", "User-agent: *|Disallow: /%e6%96%b0", "/%E6%96%B0%E9%97%BB/1", 2, false},
	{"an escaped letter in a disallow", "User-agent: *|Disallow: /%7Ejoe", "/~joe/", 2, false},
	{"an escaped letter in the URL", "User-agent: *|Disallow: /~joe", "/%7ejoe/", 2, false},
	{"an escaped letter in an allow", "User-agent: *|Disallow: /|Allow: /%7Ejoe", "/~joe/", 2, false},
	{"a space in a disallow", "User-agent: *|Disallow: /My Documents/", "/My%20Documents/1", 2, false},
	{"an escaped space in a disallow", "User-agent: *|Disallow: /My%20Documents/", "/My%20Documents/1", 2, false},
	{"signs that a URL has escaped only", "User-agent: *|Disallow: /\"<>^`{}/", "/%22%3C%3E%5E%60%7B%7D/1", 2, false},
	{"a control character in a disallow", "User-agent: *|Disallow: /a\x1bb", "/a%1Bb", 2, false},
	{"brackets and bars", "User-agent: *|Disallow: /a[1]/b", "/a%5B1%5D/b", 2, false},
	{"escaped brackets and bars", "User-agent: *|Disallow: /a%5b1%5d%7cb", "/a[1]|b", 2, false},
	{"a space in an allow", "User-agent: *|Disallow: /|Allow: /My Documents/", "/My%20Documents/1", 2, false},
	{"an escaped star is no wildcard", "User-agent: *|Disallow: /a%2Ab", "/a1b", 0, true},
	{"an escaped dollar is no end", "User-agent: *|Disallow: /a%24", "/a", 0, true},
	{"an escaped question mark starts no query", "User-agent: *|Disallow: /a?b", "/a%3Fb", 0, true},
	{"an escaped percent sign starts no escape", "User-agent: *|Disallow: /a%2520b", "/a%20b", 0, true},
	{"an escaped slash is no slash", "User-agent: *|Disallow: /a/b", "/a%2Fb", 0, true},
	{"a comment after a rule", "User-agent: * # all|Disallow: /p # no", "/p", 2, false},
	{"space around the colon", "User-agent : *|Disallow : /p", "/p", 2, false},
	{"tabs and spaces", "\tUser-agent:\t*|  Disallow:   /p  ", "/p", 2, false},
	{"forgotten colon", "User-agent *|Disallow /p", "/p", 2, false},
	{"forgotten colon and three words", "User-agent: *|Disallow /p /q", "/p", 0, true},
	{"misspelt disallow", "User-agent: *|Dissalow: /p", "/p", 2, false},
	{"misspelt agent", "Useragent: *|Disalow: /p", "/p", 2, false},
	{"a path without a slash matches nothing", "User-agent: *|Disallow: p", "/p", 0, true},
	{"allowed index page means its folder", "User-agent: *|Disallow: /|Allow: /d/index.html", "/d/", 3, true},
	{"and nothing else in it", "User-agent: *|Disallow: /|Allow: /d/index.html", "/d/x", 2, false},
	{"bad bytes are passed over", "\xff\xfe|User-agent: *|\x00|Disallow: /p", "/p", 4, false},
	{"a page instead of a file", "<!DOCTYPE html>|<html><body>Disallow: /</body>", "/p", 0, true},
}

func TestCheck(t *testing.T) {
	for _, c := range robotsCases {
		t.Run(c.name, func(t *testing.T) {
			u, err := weburl.Parse("http://site.example" + c.path)
			if err != nil {
				t.Fatal(err)
			}
			r := Parse([]byte(strings.ReplaceAll(c.file, "|", "\n")))
			got := r.Check("gatecrawl", u)
			if got.Allowed != c.ok || got.Line != c.line {
				t.Errorf("Check(%q) = %+v, want allowed %v by line %d, of\n%s", c.path, got, c.ok, c.line, c.file)
			}
		})
	}
}

func TestLineEndsAndMarkDoNotMatter(t *testing.T) {
	const file = "User-agent: *\nDisallow: /p\n\nAllow: /p/q\n"
	for _, end := range []string{"\n", "\r\n", "\r"} {
		for _, mark := range []string{"", "\xef\xbb\xbf", "\xef\xbb"} {
			body := mark + strings.ReplaceAll(file, "\n", end)
			got := Parse([]byte(body)).check("x", "/p/q")
			if want := (Verdict{true, 4, "Allow: /p/q"}); got != want {
				t.Errorf("check of %q = %+v, want %+v", body, got, want)
			}
		}
	}
}

func TestAFileOfUTF16IsRead(t *testing.T) {
	const file = "User-agent: *\r\nDisallow: /ü\r\n\r\nAllow: /ü/q\r\n"
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		var body []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + file)) {
			body = append(body, 0, 0)
			order.PutUint16(body[len(body)-2:], u)
		}
		for _, c := range []struct {
			path string
			want Verdict
		}{
			{"/%C3%BC", Verdict{false, 2, "Disallow: /ü"}},
			{"/%C3%BC/q", Verdict{true, 4, "Allow: /ü/q"}},
			{"/p", Verdict{Allowed: true}},
		} {
			if got := Parse(body).check("x", c.path); got != c.want {
				t.Errorf("%v: check(%s) = %+v, want %+v", order, c.path, got, c.want)
			}
		}
		if got := NewComparer(File{Status: 200, Body: body}, "x").Compare("/%C3%BC"); !strings.Contains(got.Why, "UTF-16") {
			t.Errorf("%v: the comparison says %q, want that the file is UTF-16", order, got.Why)
		}
	}
}

func TestFilesBeyond500KiBDoNotCount(t *testing.T) {
	head := "User-agent: *\nDisallow: /a\n"
	pad := strings.Repeat("#", MaxSize-len(head)-len("Disallow: /")-1) + "\n"
	r := Parse([]byte(head + pad + "Disallow: /b\n"))
	if v := r.check("x", "/a"); v.Allowed {
		t.Errorf("the first rule does not count: %+v", v)
	}
	// The cut leaves "Disallow: /", which must not forbid the whole site.
	if v := r.check("x", "/b"); !v.Allowed {
		t.Errorf("the line at the cut counts: %+v", v)
	}
}

func TestDelay(t *testing.T) {
	for _, c := range []struct {
		file, token string
		want        time.Duration
	}{
		{"User-agent: *|Crawl-delay: 2", "gatecrawl", 2 * time.Second},
		{"User-agent: *|Crawl-delay: 0.5", "gatecrawl", 500 * time.Millisecond},
		{"User-agent: *|Crawl-delay: 10s", "gatecrawl", 10 * time.Second},
		{"User-agent: *|Crawl-delay: soon", "gatecrawl", 0},
		{"User-agent: *|Crawl-delay: -1", "gatecrawl", 0},
		{"User-agent: *|Crawl-delay: 99999999999999999999", "gatecrawl", 24 * time.Hour},
		{"Crawl-delay: 3|User-agent: *|Disallow: /a", "gatecrawl", 0},
		{"User-agent: *|Crawl-delay: 2|User-agent: gatecrawl|Disallow: /a", "gatecrawl", 0},
		{"User-agent: *|Crawl-delay: 2|User-agent: Gatecrawl/1|Crawl-delay: 1", "gatecrawl", time.Second},
		{"User-agent: gate|Crawl-delay: 9|User-agent: *|Disallow: /a", "gatecrawl", 0},
		{"User-agent: *|Crawl-delay: 2|Disallow: /a|Crawl-delay: 7", "gatecrawl", 7 * time.Second},
		{"User-agent: x|Crawl-delay: 9|User-agent: *|Disallow: /a", "gatecrawl", 0},
		{"User-agent: x|User-agent: *|Crawl-delay: 9|Disallow: /a", "gatecrawl", 9 * time.Second},
	} {
		r := Parse([]byte(strings.ReplaceAll(c.file, "|", "\n")))
		if got := r.Delay(c.token); got != c.want {
			t.Errorf("Delay(%q) = %v, want %v, of %s", c.token, got, c.want, c.file)
		}
	}
}

func TestSitemaps(t *testing.T) {
	r := Parse([]byte("Sitemap: http://h/1.xml\nDisallow: /nobody\nUser-agent: *\nSITEMAP:http://h/2 3.xml # all\nSitemap:\nSite-map: /新.xml\n"))
	want := []string{"http://h/1.xml", "http://h/2%203.xml", "/新.xml"}
	if got := r.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("Sitemaps() = %q, want %q", got, want)
	}
}

// The files of this test would take minutes if a pattern were tried again and
// again, or if agents and rules were multiplied.
func TestHostileRobotsAreCheap(t *testing.T) {
	path := "/" + strings.Repeat("a", 8000)
	fill := func(line string) string { return strings.Repeat(line, MaxSize/len(line)) }
	for name, file := range map[string]string{
		"stars":           "User-agent: *\nDisallow: " + strings.Repeat("*a", 8000) + "b\n",
		"stars and end":   "User-agent: *\nDisallow: " + strings.Repeat("a*", 8000) + "b$\n",
		"many rules":      "User-agent: *\n" + fill("Allow: *b\n"),
		"many agents":     fill("User-agent: a\nCrawl-delay: 1\nDisallow: /b\n"),
		"agents, delays":  fill("User-agent: a\n")[:250<<10] + "\n" + fill("Crawl-delay: 1\n")[:250<<10],
		"many own groups": fill("User-agent: x\nDisallow: *b*c\n"),
	} {
		start := time.Now()
		r := Parse([]byte(file))
		r.check("x", path)
		r.Delay("a")
		if took := time.Since(start); took > time.Minute { // an idle machine takes well under a second
			t.Errorf("%s: took %v", name, took)
		}
	}
}

func FuzzRules(f *testing.F) {
	for _, c := range robotsCases {
		f.Add([]byte(strings.ReplaceAll(c.file, "|", "\n")), "gatecrawl", c.path)
	}
	f.Fuzz(func(t *testing.T, body []byte, token, path string) {
		r := Parse(body)
		v := r.check(token, path)
		if v.Line == 0 && !v.Allowed {
			t.Errorf("check(%q, %q) forbids without a rule", token, path)
		}
		if lines := bytes.Count(body, []byte("\n")) + bytes.Count(body, []byte("\r")) + 1; v.Line > lines {
			t.Errorf("check(%q, %q) names line %d of %d", token, path, v.Line, lines)
		}
		if d := r.Delay(token); d < 0 || d > longestDelay {
			t.Errorf("Delay(%q) = %v", token, d)
		}
	})
}

// The reference tries every split of the path at every star.
func FuzzMatchGlob(f *testing.F) {
	f.Add("/a*b$", "/acb")
	f.Add("*ab*ba$", "/aba")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		pattern, path = pattern[:min(len(pattern), 10)], path[:min(len(path), 20)]
		if got, want := matchGlob(pattern, path), matchGlobSlowly(pattern, path); got != want {
			t.Errorf("matchGlob(%q, %q) = %v, want %v", pattern, path, got, want)
		}
	})
}

func matchGlobSlowly(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		return matchGlobSlowly(pattern[1:], path) || path != "" && matchGlobSlowly(pattern, path[1:])
	}
	return path != "" && path[0] == pattern[0] && matchGlobSlowly(pattern[1:], path[1:])
}

func BenchmarkCheck100Rules(b *testing.B) {
	var file strings.Builder
	file.WriteString("User-agent: *\n")
	for i := range 90 {
		file.WriteString("Disallow: /folder" + strings.Repeat("x", i%7) + "/private/\n")
	}
	for range 10 {
		file.WriteString("Disallow: /*?sort=\n")
	}
	r := Parse([]byte(file.String()))
	u, err := weburl.Parse("http://site.example/articles/2024/05/some-article-or-other.html")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.Check("gatecrawl", u)
	}
}
