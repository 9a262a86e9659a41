package weburl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// addresses are texts and their canonical form; "" is one that is refused.
var addresses = []struct{ what, text, want string }{
	{"clean", "https://example.com/a/b?c=d", "https://example.com/a/b?c=d"},
	{"no path", "http://example.com", "http://example.com/"},
	{"no path but a query", "http://example.com?a", "http://example.com/?a"},
	{"spaces around", " \t\nhttp://example.com/ \x00", "http://example.com/"},
	{"line ends inside", "http://exa\nmple.com/a\tb\r", "http://example.com/ab"},
	{"case of scheme and host", "HTTPS://WWW.Example.COM/Path?Q", "https://www.example.com/Path?Q"},
	{"fragment", "http://example.com/a#b?c", "http://example.com/a"},
	{"fragment after the query", "http://example.com/a?b#c", "http://example.com/a?b"},
	{"empty query", "http://example.com/a?", "http://example.com/a"},
	{"empty query and fragment", "http://example.com/a?#b", "http://example.com/a"},
	{"second question mark", "http://example.com/a??", "http://example.com/a??"},
	{"query order", "http://example.com/?b=2&a=1&b=1", "http://example.com/?b=2&a=1&b=1"},
	{"user and password", "http://user:pass@example.com/a", "http://example.com/a"},
	{"two at signs", "http://a@b@example.com/", "http://example.com/"},
	{"at sign in the path", "http://example.com/@user", "http://example.com/@user"},

	{"default port", "http://example.com:80/", "http://example.com/"},
	{"default port of https", "https://example.com:443/", "https://example.com/"},
	{"the other scheme's port", "https://example.com:80/", "https://example.com:80/"},
	{"empty port", "http://example.com:/", "http://example.com/"},
	{"zeros before the port", "http://example.com:0008080/", "http://example.com:8080/"},
	{"port 0", "http://example.com:0/", "http://example.com:0/"},
	{"port too large", "http://example.com:65536/", ""},
	{"port not a number", "http://example.com:8a/", ""},
	{"port and no host", "http://:80/", ""},

	{"dot segments", "http://example.com/a/./b/../c", "http://example.com/a/c"},
	{"dots above the root", "http://example.com/../../a", "http://example.com/a"},
	{"dots at the end", "http://example.com/a/b/..", "http://example.com/a/"},
	{"one dot at the end", "http://example.com/a/.", "http://example.com/a/"},
	{"escaped dots", "http://example.com/a/%2e%2E/b/%2e/c", "http://example.com/b/c"},
	{"dots in names", "http://example.com/.../a..b/.c", "http://example.com/.../a..b/.c"},
	{"dots in the query", "http://example.com/?a/../b", "http://example.com/?a/../b"},
	{"empty segments", "http://example.com//a///b/", "http://example.com//a///b/"},
	{"dots after empty segments", "http://example.com//a//../b", "http://example.com//a/b"},
	{"backslashes", `http:\\example.com\a\..\b?c\d`, `http://example.com/b?c\d`},
	{"too many slashes", "http:////example.com/", "http://example.com/"},
	{"too few slashes", "http:example.com/", "http://example.com/"},

	{"escapes in lower case", "http://example.com/%e4%b8%ad?%e6%96%87", "http://example.com/%E4%B8%AD?%E6%96%87"},
	{"escaped letters", "http://example.com/%61%2D%5f%7E?%41", "http://example.com/a-_~?A"},
	{"escaped delimiters stay", "http://example.com/a%2Fb%3F?c%26d%23", "http://example.com/a%2Fb%3F?c%26d%23"},
	{"space", "http://example.com/a b?c d", "http://example.com/a%20b?c%20d"},
	{"plus is no space", "http://example.com/a+b?c+d", "http://example.com/a+b?c+d"},
	{"what paths escape", "http://example.com/\"<>^`{}|'", "http://example.com/%22%3C%3E%5E%60%7B%7D|'"},
	{"what queries escape", "http://example.com/?\"<>^`{}|'", "http://example.com/?%22%3C%3E^`{}|%27"},
	{"percent sign alone", "http://example.com/100%?p=50%", "http://example.com/100%25?p=50%25"},
	{"percent sign and letters", "http://example.com/%zz%a", "http://example.com/%25zz%25a"},
	{"an escape in two steps", "http://example.com/%%341", "http://example.com/%2541"},
	{"control bytes", "http://example.com/a\x01b?\x7f", "http://example.com/a%01b?%7F"},
	{"Chinese", "http://example.com/新闻?类=体育", "http://example.com/%E6%96%B0%E9%97%BB?%E7%B1%BB=%E4%BD%93%E8%82%B2"},
	{"other Chinese", "http://example.com/娱乐?类=电影", "http://example.com/%E5%A8%B1%E4%B9%90?%E7%B1%BB=%E7%94%B5%E5%BD%B1"},
	{"emoji", "http://example.com/💩", "http://example.com/%F0%9F%92%A9"},
	{"bytes that are not UTF-8", "http://example.com/\xd6\xd0", "http://example.com/%D6%D0"},

	{"dot after the host", "http://example.com./a", "http://example.com/a"},
	{"dot before the port", "http://example.com.:8080/", "http://example.com:8080/"},
	{"a host of dots", "http://../", ""},
	{"underscores and hyphens", "http://a_b.-c-.example.com/", "http://a_b.-c-.example.com/"},
	{"Chinese host", "http://例子.测试/", "http://xn--fsqu00a.xn--0zwm56d/"},
	{"Chinese host in punycode", "http://XN--FSQU00A.xn--0zwm56d/", "http://xn--fsqu00a.xn--0zwm56d/"},
	{"ideographic dot", "http://例子。测试。/", "http://xn--fsqu00a.xn--0zwm56d/"},
	{"German host", "http://Bücher.example/", "http://xn--bcher-kva.example/"},
	{"sharp s stays", "http://straße.example/", "http://xn--strae-oqa.example/"},
	{"hyphens around Chinese", "http://-中-.example/", "http://xn-----qy2c.example/"},
	{"underscore beside Chinese", "http://中_国.example/", "http://xn--_-kq6az5z.example/"},
	{"full width", "http://ｅｘａｍｐｌｅ．ｃｏｍ/", "http://example.com/"},
	{"escaped host", "http://ex%61mple.com/", "http://example.com/"},
	{"punycode of nothing", "http://xn--a/", "http://xn--a/"},
	{"longest host", "http://" + strings.Repeat("a.", 126) + "b/", "http://" + strings.Repeat("a.", 126) + "b/"},
	{"host too long", "http://" + strings.Repeat("a.", 127) + "b/", ""},
	{"host too long in punycode", "http://" + strings.Repeat("中", 254) + "/", ""},
	{"host not UTF-8", "http://a%80b/", ""},
	{"escaped slash in the host", "http://exa%2Fmple.com/", ""},
	{"space in the host", "http://exa mple.com/", ""},
	{"angle bracket in the host", "http://a<b/", ""},
	{"percent sign in the host", "http://a%zz/", ""},

	{"IPv4", "http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"},
	{"short IPv4", "http://127.1/", "http://127.0.0.1/"},
	{"hexadecimal IPv4", "http://0x7F.1/", "http://127.0.0.1/"},
	{"octal IPv4", "http://0177.0.0.01/", "http://127.0.0.1/"},
	{"IPv4 as one number", "http://2130706433/", "http://127.0.0.1/"},
	{"IPv4 with a dot behind", "http://1.2.3.4./", "http://1.2.3.4/"},
	{"IPv4 too large", "http://1.2.3.256/", ""},
	{"IPv4 with a sign", "http://+127.0.0.1/", ""},
	{"name of a negative number", "http://-80/", "http://-80/"},
	{"IPv4 of five parts", "http://1.2.3.4.5/", ""},
	{"name that ends in a number", "http://example.42/", ""},
	{"name that starts with a number", "http://163.com/", "http://163.com/"},
	{"label that starts with a number", "http://example.4a/", "http://example.4a/"},
	{"IPv6", "http://[2001:DB8:0:0::1]:8080/", "http://[2001:db8::1]:8080/"},
	{"mapped IPv6", "http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"},
	{"IPv6 with a zone", "http://[fe80::1%25eth0]/", ""},
	{"IPv6 not closed", "http://[::1/", ""},
	{"IPv4 in brackets", "http://[1.2.3.4]/", ""},

	{"another scheme", "ftp://example.com/", ""},
	{"a mail address", "mailto:someone@example.com", ""},
	{"a script", "javascript:void(0)", ""},
	{"no scheme", "example.com/a", ""},
	{"no scheme but a port", "example.com:80/a", ""},
	{"a path", "/a/b", ""},
	{"two slashes", "//example.com/", ""},
	{"nothing", "", ""},
	{"only a scheme", "http:", ""},
	{"no host", "http:///", ""},
	{"no host but a user", "http://user@/a", ""},
	{"too long", "http://example.com/" + strings.Repeat("a", 8<<10), ""},
	{"too long once escaped", "http://example.com/" + strings.Repeat("中", 1000), ""},
}

func TestParseWritesTheCanonicalForm(t *testing.T) {
	for _, c := range addresses {
		got, err := weburl.Parse(c.text)
		if got.String() != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: Parse(%.100q) = %q, %v; want %q", c.what, c.text, got, err, c.want)
		}
	}
}

// references are links on the page http://example.com/a/b?c=d, and where they
// lead.
var references = []struct{ ref, want string }{
	{"", "http://example.com/a/b?c=d"},
	{"#top", "http://example.com/a/b?c=d"},
	{"?", "http://example.com/a/b"},
	{"?#top", "http://example.com/a/b"},
	{"?x=y", "http://example.com/a/b?x=y"},
	{"x", "http://example.com/a/x"},
	{"x/y?z#t", "http://example.com/a/x/y?z"},
	{".", "http://example.com/a/"},
	{"./x", "http://example.com/a/x"},
	{"..", "http://example.com/"},
	{"../x", "http://example.com/x"},
	{"../../../x", "http://example.com/x"},
	{"/", "http://example.com/"},
	{"/x/../y", "http://example.com/y"},
	{`\x`, "http://example.com/x"},
	{"//other.example/x", "http://other.example/x"},
	{`/\other.example/x`, "http://other.example/x"},
	{"///other.example/x", "http://other.example/x"},
	{"//EXAMPLE.com:80", "http://example.com/"},
	{"http:x", "http://example.com/a/x"},
	{"http:/x", "http://example.com/x"},
	{"http:", "http://example.com/a/b?c=d"},
	{"HTTP://other.example", "http://other.example/"},
	{"https:x", "https://x/"},
	{"https:/x", "https://x/"},
	{"新闻/1", "http://example.com/a/%E6%96%B0%E9%97%BB/1"},
	{"x:y", ""},
	{"./x:y", "http://example.com/a/x:y"},
	{"1:y", "http://example.com/a/1:y"},
	{"mailto:a@example.com", ""},
	{"tel:+123", ""},
	{"data:text/html," + strings.Repeat("x", 10<<10), ""},
	{"//", ""},
	{"//user@", ""},
	{strings.Repeat("x", 8<<10), ""},
}

func TestReferencesResolveAgainstTheirPage(t *testing.T) {
	page := parse(t, "http://example.com/a/b?c=d")
	for _, c := range references {
		got, err := page.Parse(c.ref)
		if got.String() != c.want || (err != nil) != (c.want == "") {
			t.Errorf("Parse(%.100q) on %s = %q, %v; want %q", c.ref, page, got, err, c.want)
		}
	}
}

func TestPartsOfAnAddress(t *testing.T) {
	for _, c := range []struct {
		text, scheme, host, hostname, origin, path, query, domain string
		loopback                                                  bool
	}{
		{"http://www.example.com.cn:8080/a/b?c=d", "http", "www.example.com.cn:8080", "www.example.com.cn",
			"http://www.example.com.cn:8080", "/a/b", "c=d", "example.com.cn", false},
		{"https://example.com", "https", "example.com", "example.com", "https://example.com", "/", "", "example.com", false},
		{"http://a.b.github.io/", "http", "a.b.github.io", "a.b.github.io", "http://a.b.github.io", "/", "", "b.github.io", false},
		{"http://github.io/", "http", "github.io", "github.io", "http://github.io", "/", "", "github.io", false},
		{"http://127.0.0.2:80/", "http", "127.0.0.2", "127.0.0.2", "http://127.0.0.2", "/", "", "127.0.0.2", true},
		{"http://10.0.0.1/", "http", "10.0.0.1", "10.0.0.1", "http://10.0.0.1", "/", "", "10.0.0.1", false},
		{"http://[::1]:81/a?b?c", "http", "[::1]:81", "::1", "http://[::1]:81", "/a", "b?c", "::1", true},
		{"http://[::ffff:127.0.0.1]/", "http", "[::ffff:7f00:1]", "::ffff:7f00:1", "http://[::ffff:7f00:1]", "/", "", "::ffff:7f00:1", true},
		{"http://[2001:db8::1]/", "http", "[2001:db8::1]", "2001:db8::1", "http://[2001:db8::1]", "/", "", "2001:db8::1", false},
		{"http://localhost:3000/", "http", "localhost:3000", "localhost", "http://localhost:3000", "/", "", "localhost", true},
		{"http://www.例子.测试/", "http", "www.xn--fsqu00a.xn--0zwm56d", "www.xn--fsqu00a.xn--0zwm56d",
			"http://www.xn--fsqu00a.xn--0zwm56d", "/", "", "xn--fsqu00a.xn--0zwm56d", false},
	} {
		u := parse(t, c.text)
		for _, p := range []struct{ name, got, want string }{
			{"Scheme", u.Scheme(), c.scheme},
			{"Host", u.Host(), c.host},
			{"Hostname", u.Hostname(), c.hostname},
			{"Origin", u.Origin(), c.origin},
			{"Path", u.Path(), c.path},
			{"Query", u.Query(), c.query},
			{"Domain", u.Domain(), c.domain},
		} {
			if p.got != p.want {
				t.Errorf("Parse(%q).%s() = %q, want %q", c.text, p.name, p.got, p.want)
			}
		}
		if got := u.Loopback(); got != c.loopback {
			t.Errorf("Parse(%q).Loopback() = %v, want %v", c.text, got, c.loopback)
		}
		if got, want := u.RequestURI(), strings.TrimPrefix(u.String(), c.origin); got != want {
			t.Errorf("Parse(%q).RequestURI() = %q, want %q", c.text, got, want)
		}
	}
}

func TestPartsOfTheZeroURLAreEmpty(t *testing.T) {
	var u weburl.URL
	parts := u.Scheme() + u.Host() + u.Hostname() + u.Origin() + u.RequestURI() + u.Path() + u.Query() + u.Domain()
	if parts != "" || u.Loopback() || !u.IsZero() {
		t.Errorf("the zero URL has parts %q, Loopback %v, IsZero %v", parts, u.Loopback(), u.IsZero())
	}
}

func TestErrorsNameTheFaultAndQuoteTheText(t *testing.T) {
	for _, c := range []struct {
		text, want string
		is         error
	}{
		{"ftp://example.com/", `not an http or https URL: "ftp://example.com/"`, weburl.ErrNotHTTP},
		{"http:///", `no host: "http:///"`, weburl.ErrNoHost},
		{"http://a b/", `host not valid: "http://a b/"`, weburl.ErrBadHost},
		{"http://a:x/", `port not valid: "http://a:x/"`, weburl.ErrBadPort},
		{"http://a/" + strings.Repeat("中", 4000), `longer than 8192 bytes: "http://a/` + strings.Repeat("中", 63) + `..."`, weburl.ErrTooLong},
	} {
		_, err := weburl.Parse(c.text)
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("Parse(%.50q): error %v, want %s", c.text, err, c.want)
		}
	}
}

func TestKeysOfOneHostAreNeighbours(t *testing.T) {
	a, b := parse(t, "http://example.com/a").Key(), parse(t, "https://example.com/b").Key()
	other := parse(t, "http://example.com:8080/a").Key()
	if a.Host() != b.Host() || a.Host() != weburl.HostKeyOf("example.com") {
		t.Errorf("keys %s and %s of one host differ in the host's part", a, b)
	}
	if a == b || a.Host() == other.Host() {
		t.Errorf("keys %s, %s and %s of different addresses are alike", a, b, other)
	}
}

// A key is stored in every job: it may change only with CanonVersion.
func TestKeysStayTheSameForEver(t *testing.T) {
	const want = "a379a6f6eeaf" + "2a1b402420ef46577471"
	if got := parse(t, "http://EXAMPLE.com").Key().String(); got != want || weburl.Version != 1 {
		t.Errorf("key of http://example.com/ is %s under version %d, want %s under 1", got, weburl.Version, want)
	}
}

func TestURLsTravelAsText(t *testing.T) {
	in := struct{ A, B weburl.URL }{A: parse(t, "http://example.com:81/新?a#b")}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := in
	out.B = in.A
	if err := json.Unmarshal(text, &out); err != nil || out != in {
		t.Errorf("json of %+v came back as %+v, %v", in, out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"gopher://x"}`), &out); err == nil || out.A != in.A {
		t.Errorf("json of a gopher address: %v, and the URL became %q", err, out.A)
	}
}

// otherwise are addresses in the standard's tests that Parse refuses on purpose.
var otherwise = map[string]string{
	"http://./":        "a host of dots alone is nobody to ask",
	"http://../":       "a host of dots alone is nobody to ask",
	"http://foo.09../": "without the dots at its end the host ends in a number that is none",
}

func TestParseAgreesWithTheWebPlatformTests(t *testing.T) {
	const file = "../../../shared/data/url/urltestdata.json"
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Skipf("%s is not here", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		t.Fatal(err)
	}
	passed, all := 0, 0
	for _, item := range items {
		if !bytes.HasPrefix(item, []byte("{")) {
			continue // a comment
		}
		var c struct{ Input, Base, Href string }
		if err := json.Unmarshal(item, &c); err != nil {
			t.Fatal(err)
		}
		var page weburl.URL
		if c.Base != "" && c.Base != "about:blank" {
			if page, err = weburl.Parse(c.Base); err != nil {
				continue // on a page that is none of ours
			}
		}
		all++
		got, gotErr := page.Parse(c.Input)
		want, wantErr := weburl.Parse(c.Href) // of other schemes, and of failures, it fails as it should
		scheme, _, _ := strings.Cut(c.Href, ":")
		if wantErr != nil && (scheme == "http" || scheme == "https") {
			t.Logf("Parse(%q): %v; on purpose: %s", c.Href, wantErr, otherwise[c.Href])
			if otherwise[c.Href] == "" {
				t.Errorf("Parse(%q): %v; it is a valid address", c.Href, wantErr)
			}
			continue
		}
		if got != want || (gotErr != nil) != (wantErr != nil) {
			t.Errorf("Parse(%q) on %q = %q, %v; want %q (from %q)", c.Input, c.Base, got, gotErr, want, c.Href)
			continue
		}
		passed++
	}
	t.Logf("%d of %d cases pass", passed, all)
	if passed*100 < all*99 {
		t.Errorf("%d of %d cases pass, fewer than 99%%", passed, all)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range addresses {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := weburl.Parse(text)
		if err != nil {
			if !u.IsZero() {
				t.Errorf("Parse(%q) = %q with error %v", text, u, err)
			}
			return
		}
		checkCanonical(t, u)
	})
}

func FuzzResolve(f *testing.F) {
	for i, c := range references {
		f.Add(addresses[i].text, c.ref)
	}
	f.Fuzz(func(t *testing.T, text, ref string) {
		page, err := weburl.Parse(text)
		if err != nil {
			return
		}
		u, err := page.Parse(ref)
		if err != nil {
			return
		}
		checkCanonical(t, u)
		if again, err := page.Parse(u.String()); err != nil || again != u {
			t.Errorf("Parse(%q) on %s = %q, %v; want it unchanged", u, page, again, err)
		}
		if absolute, err := weburl.Parse(ref); err == nil && absolute.Scheme() != page.Scheme() && absolute != u {
			t.Errorf("Parse(%q) = %s, but on %s it is %s", ref, absolute, page, u)
		}
	})
}

// checkCanonical checks what is true of every URL that Parse returns.
func checkCanonical(t *testing.T, u weburl.URL) {
	t.Helper()
	again, err := weburl.Parse(u.String())
	if err != nil || again != u {
		t.Errorf("Parse(%q) = %q, %v; want it unchanged", u, again, err)
	}
	s := u.String()
	if s != u.Scheme()+"://"+u.Host()+u.RequestURI() || s != u.Origin()+u.RequestURI() {
		t.Errorf("%q is not made of its parts %q %q %q", s, u.Scheme(), u.Host(), u.RequestURI())
	}
	if u.Hostname() == "" || !strings.HasPrefix(u.Path(), "/") || len(s) > 8<<10 || u.Domain() == "" {
		t.Errorf("%q: host name %q, domain %q, path %q, %d bytes", s, u.Hostname(), u.Domain(), u.Path(), len(s))
	}
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '#' {
			t.Errorf("%q holds the byte %q", s, c)
		}
	}
	if strings.Contains(u.Path()+"/", "/./") || strings.Contains(u.Path()+"/", "/../") {
		t.Errorf("%q holds a dot segment", s)
	}
}

func BenchmarkParseClean(b *testing.B) {
	for b.Loop() {
		weburl.Parse("https://www.example.com/news/2024/some-article-title.html?id=12345&lang=en")
	}
}

func BenchmarkParseChinese(b *testing.B) {
	for b.Loop() {
		weburl.Parse("https://www.example.com/新闻/体育/世界杯.html")
	}
}

func BenchmarkParseChineseHost(b *testing.B) {
	for b.Loop() {
		weburl.Parse("https://新闻.example.com/a.html")
	}
}

func BenchmarkResolveRelative(b *testing.B) {
	page := parse(b, "https://www.example.com/news/2024/index.html")
	for b.Loop() {
		page.Parse("../2023/some-article-title.html?id=12345")
	}
}

func BenchmarkResolveMailto(b *testing.B) {
	page := parse(b, "https://www.example.com/news/2024/index.html")
	for b.Loop() {
		page.Parse("mailto:someone@example.com")
	}
}

func BenchmarkKey(b *testing.B) {
	u := parse(b, "https://www.example.com/news/2024/some-article-title.html?id=12345&lang=en")
	for b.Loop() {
		u.Key()
	}
}

func BenchmarkDomain(b *testing.B) {
	u := parse(b, "https://www.example.com.cn/news/")
	for b.Loop() {
		u.Domain()
	}
}

func parse(t testing.TB, text string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAHostThatIsTypedIsThatOfItsURLs(t *testing.T) {
	for text, want := range map[string]string{
		"Example.org": "example.org", "example.org:80": "example.org:80", "BÜCHER.example": "xn--bcher-kva.example",
		"bücher.example:8080": "xn--bcher-kva.example:8080", "": "", "no host": "no host", "a/b": "a/b", "[::1]:80": "[::1]:80",
	} {
		if got := weburl.CanonicalHost(text); got != want {
			t.Errorf("CanonicalHost(%q) = %q, want %q", text, got, want)
		}
	}
}
