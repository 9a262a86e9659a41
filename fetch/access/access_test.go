package access_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestWhatIsGivenGoesToItsSiteAlone(t *testing.T) {
	for given, to := range map[string]map[string]bool{
		"example.org": {
			"https://example.org/a":      true,
			"https://example.org:443/a":  true,
			"http://example.org/a":       false, // in the clear
			"https://www.example.org/":   false,
			"https://example.org:8443/":  false,
			"https://example.org.evil/":  false,
			"https://evil/example.org":   false,
			"https://evil/?example.org":  false,
			"https://example.org@evil/":  false,
			"https://EXAMPLE.org/x?y":    true,
			"https://notexample.org/":    false,
			"https://sub.example.org./x": false,
		},
		"http://example.org":      {"http://example.org/": true, "https://example.org/": true, "http://example.org:81/": false},
		"https://example.org:444": {"https://example.org:444/": true, "https://example.org/": false, "http://example.org:444/": false},
		"127.0.0.1:8080":          {"http://127.0.0.1:8080/": true, "http://127.0.0.1:8081/": false, "http://127.0.0.1/": false},
	} {
		site, err := access.ParseSite(given)
		if err != nil {
			t.Fatal(err)
		}
		h, err := access.NewHeader(site, "X-Key", "secret")
		if err != nil {
			t.Fatal(err)
		}
		g := &access.Grants{Headers: []access.Header{h}}
		for address, want := range to {
			u, err := weburl.Parse(address)
			if err != nil {
				continue // no URL, no request
			}
			fields := make(http.Header)
			if carries := g.Apply(fields, u); carries != want || (fields.Get("X-Key") != "") != want {
				t.Errorf("given for %s: %s gets %v (%v), want %v", given, address, fields, carries, want)
			}
		}
	}
}

func TestWhatIsNoHostIsRefused(t *testing.T) {
	for _, text := range []string{"", "*", "*.example.org", "https://", "example.org/path", "user@example.org", "a b", "ftp://example.org", "example.org?x", "example.org#x"} {
		if site, err := access.ParseSite(text); err == nil {
			t.Errorf("%q is taken for %s", text, site)
		}
	}
}

func TestHeadersOfTheCrawlerAreNotGiven(t *testing.T) {
	for _, text := range []string{
		"example.org:Host=evil", "example.org:user-agent=x", "example.org:Content-Length=3", "example.org:Accept-Encoding=br",
		"example.org:Bad Name=x", "example.org:=x", "example.org=x", "example.org:X-A=secret\r\nX-B: y", "X-A=secret",
	} {
		if _, err := access.ParseHeader(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v; want one without the value", text, err)
		}
	}
	h, err := access.ParseHeader("[::1]:8080:x-key=a=b:c")
	if err != nil || h.Name != "X-Key" || h.Value != "a=b:c" || h.Site.String() != "[::1]:8080" {
		t.Errorf("%+v, %v", h, err)
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

func TestACookieGoesBackToItsHostAlone(t *testing.T) {
	j := access.NewJar()
	j.Set(parse(t, "https://a.example.co.uk/shop/x"), []string{
		"plain=1",
		"all=2; Domain=example.co.uk; Path=/",
		"suffix=3; Domain=co.uk; Path=/",
		"other=4; Domain=b.example.co.uk; Path=/",
		"over=5; Max-Age=0; Path=/",
		"past=6; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
		"no cookie at all",
		`quoted="7"; Path=/`,
	})
	j.Set(parse(t, "http://c.example/"), []string{"open=1", "secure=2; Secure"})
	for address, want := range map[string]string{
		"https://a.example.co.uk/shop/y":  `plain=1; all=2; quoted="7"`,
		"https://a.example.co.uk/shop":    `plain=1; all=2; quoted="7"`,
		"https://a.example.co.uk/shopper": `all=2; quoted="7"`,
		"https://a.example.co.uk/":        `all=2; quoted="7"`,
		"http://a.example.co.uk/":         "", // it came over TLS
		"https://a.example.co.uk:444/":    "",
		"https://b.example.co.uk/":        "",
		"https://example.co.uk/":          "",
		"http://c.example/":               "open=1",
		"https://c.example/":              "open=1",
	} {
		if got := j.Cookies(parse(t, address)); got != want {
			t.Errorf("%s gets %q, want %q", address, got, want)
		}
	}
	j.Set(parse(t, "https://a.example.co.uk/"), []string{"all=; Max-Age=-1; Path=/"})
	if got := j.Cookies(parse(t, "https://a.example.co.uk/")); got != `quoted="7"` {
		t.Errorf("a cookie that was taken back is sent: %q", got)
	}
}

func TestAJarHasABound(t *testing.T) {
	j := access.NewJar()
	u := parse(t, "https://a.example/")
	for i := range 500 {
		j.Set(u, []string{"n" + strings.Repeat("x", i) + "=1"})
	}
	j.Set(u, []string{"long=" + strings.Repeat("x", 5000)})
	if n := j.Len(); n != 50 {
		t.Errorf("%d cookies of a host, want 50", n)
	}
	alone := access.NewJar()
	alone.Set(u, []string{"long=" + strings.Repeat("x", 5000)})
	if alone.Len() != 0 {
		t.Error("a cookie of 5,000 bytes is kept")
	}
	for i := range 11_000 {
		j.Set(parse(t, fmt.Sprintf("https://h%d.example/", i)), []string{"n=1"})
	}
	if n := j.Len(); n != 50+9_999 {
		t.Errorf("%d cookies of 11,001 hosts, want those of 10,000", n)
	}
}

func TestCookiesOutliveTheRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.jsonl")
	j := access.NewJar()
	j.Set(parse(t, "https://a.example/"), []string{"a=1; Path=/", "b=2; Max-Age=3600; Path=/"})
	if err := j.Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file of mode 600", info.Mode(), err)
	}
	again := access.NewJar()
	if err := again.Load(path); err != nil {
		t.Fatal(err)
	}
	if got := again.Cookies(parse(t, "https://a.example/")); got != "a=1; b=2" {
		t.Errorf("%q", got)
	}
	if err := again.Load(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("a job without cookies: %v", err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := access.NewJar().Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is cut short: %v", err)
	}
}

func TestACookieFileGoesWhereItSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.txt")
	text := "# Netscape HTTP Cookie File\n\n" +
		".example.org\tTRUE\t/\tTRUE\t0\tall\t1\r\n" +
		"#HttpOnly_www.example.org\tFALSE\t/docs\tFALSE\t4000000000\tone\t2\n" +
		"www.example.org\tFALSE\t/\tFALSE\t1000000000\tover\t3\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j := access.NewJar()
	if err := j.ReadCookies(path); err != nil {
		t.Fatal(err)
	}
	j.Set(parse(t, "https://example.org/"), []string{"own=4; Path=/"}) // a host's own, next to those of the file
	for address, want := range map[string]string{
		"https://example.org/":           "own=4; all=1",
		"https://a.b.example.org:8443/":  "all=1",
		"http://example.org/":            "",
		"http://www.example.org/docs/x":  "one=2",
		"https://www.example.org/docs/x": "one=2; all=1",
		"https://x.www.example.org/docs": "all=1",
		"https://notexample.org/":        "",
	} {
		if got := j.Cookies(parse(t, address)); got != want {
			t.Errorf("%s gets %q, want %q", address, got, want)
		}
	}
	if err := j.Save(path + ".saved"); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path + ".saved"); bytes.Count(b, []byte("\n")) != 1 || !bytes.Contains(b, []byte(`"own"`)) {
		t.Errorf("the job keeps the cookies of a file: %s", b)
	}
}

func TestAFaultOfACookieFileNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"www.example.org FALSE / FALSE 0 name secret":                       ":1: 1 field:",
		"\n.co.uk\tTRUE\t/\tTRUE\t0\tname\tsecret":                          ":2: strangers have names below co.uk",
		"www.example.org\tFALSE\tdocs\tFALSE\t0\tname\tsecret":              ":1: its path",
		"www.example.org\tFALSE\t/\tFALSE\tsoon\tname\tsecret":              ":1: its fifth field",
		"www.example.org\tFALSE\t/\tFALSE\t0\tna me\tsecret":                ":1: its name or value",
		"www.example.org\tFALSE\t/\tFALSE\t0\tname\tsecret; other=1":        ":1: its name or value",
		"www.example.org/x\tFALSE\t/\tFALSE\t0\tname\tsecret":               ":1: its first field",
		"www.example.org\tFALSE\t/\tFALSE\t0\tname\tsecret\tmore\tand more": ":1: 9 fields",
	} {
		path := filepath.Join(t.TempDir(), "cookies.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := access.NewJar().ReadCookies(path)
		if err == nil || !strings.Contains(err.Error(), path+want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q and no value", text, err, want)
		}
	}
}

func TestAFileThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("x"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := access.ReadSecret(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("%v, want what to do", err)
	}
	if _, err := access.ReadSecret(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
}

func TestASessionIsNotInTheHeaderThatIsKept(t *testing.T) {
	site, err := access.ParseSite("a.example")
	if err != nil {
		t.Fatal(err)
	}
	a, b := parse(t, "https://a.example/"), parse(t, "https://b.example/")
	for what, c := range map[string]struct {
		g       *access.Grants
		u       weburl.URL
		carried bool
		want    string
	}{
		"nothing was given":           {nil, a, false, "s=secret; Path=/"},
		"the request carried a key":   {&access.Grants{}, a, true, "s=not-kept"},
		"all cookies are kept":        {&access.Grants{Jar: access.NewJar(), KeepCookies: true}, b, false, "s=not-kept"},
		"a site that is logged in to": {&access.Grants{Jar: access.NewJar(), Logins: []access.Login{{Site: site, Fields: url.Values{}}}}, a, false, "s=not-kept"},
		"another site":                {&access.Grants{Jar: access.NewJar(), Logins: []access.Login{{Site: site, Fields: url.Values{}}}}, b, false, "s=secret; Path=/"},
	} {
		h := http.Header{"Set-Cookie": {"s=secret; Path=/"}}
		c.g.Answered(h, c.u, c.carried)
		if got := h.Get("Set-Cookie"); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
}

// Whatever a server sets, what goes back is a header that can be sent, and goes to that server.
func FuzzCookies(f *testing.F) {
	f.Add("a=1; Path=/; Domain=example.org; Secure; HttpOnly", "/x")
	f.Add(`a="b c"; Max-Age=-1`, "/")
	f.Add("=;;=\x00\r\nX: y", "/%0d%0a")
	f.Fuzz(func(t *testing.T, line, path string) {
		u, err := weburl.Parse("https://www.example.org" + path)
		if err != nil || u.Host() != "www.example.org" {
			return
		}
		j := access.NewJar()
		j.Set(u, []string{line})
		for name, v := range map[string]string{"own": j.Cookies(u), "other": j.Cookies(parse(t, "https://example.org/"))} {
			if strings.ContainsAny(v, "\r\n\x00") || name == "other" && v != "" {
				t.Errorf("%q on %s: %s gets %q", line, u, name, v)
			}
		}
	})
}
