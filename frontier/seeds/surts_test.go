package seeds_test

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const surtList = `# what to keep
http://(org,example,        # with all subdomains
-http://(org,example,www,)/private
+http://(org,example,www,)/private/open
(COM,example,:8080)
http://shop.example.net/books/
plain.example
- https://plain.example/no
http://(net,archive)/it's/新?q='
(net,archive:81)
([::1]:81)/
127.0.0.1
`

func TestOfSeveralSurtsTheLongestDecides(t *testing.T) {
	s, err := seeds.ReadSurts(strings.NewReader(surtList), "list")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"http://example.org/":                        "http://(org,example, true",
		"https://a.b.example.org/x":                  "http://(org,example, true",
		"http://www.example.org/private/x":           "http://(org,example,www,)/private false",
		"http://www.example.org/private/open/x":      "http://(org,example,www,)/private/open true",
		"http://www.example.org/privat":              "http://(org,example, true",
		"http://examples.org/":                       " false",
		"http://example.com:8080/":                   "http://(com,example,:8080) true",
		"http://example.com/":                        " false",
		"http://shop.example.net/books/1":            "http://(net,example,shop,)/books/ true",
		"http://shop.example.net/books":              " false",
		"http://x.shop.example.net/books/1":          " false",
		"http://plain.example/a":                     "http://(example,plain, true",
		"http://www.plain.example/a":                 "http://(example,plain, true",
		"http://plain.example/nothing":               "http://(example,plain,)/no false",
		"http://archive.net/it's/新/":                 " false",
		"http://archive.net/it's/新?q='x":             "http://(net,archive,)/it's/%E6%96%B0?q=%27 true",
		"http://archive.net:81/":                     "http://(net,archive,:81) true",
		"http://[::1]:81/x":                          "http://([::1]:81)/ true",
		"http://127.0.0.1/x":                         "http://(127.0.0.1) true",
		"http://127.0.0.10/":                         " false",
		"http://aaa.example/":                        " false",
		"http://zzz.zzz/" + strings.Repeat("z", 100): " false",
	} {
		u, err := weburl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		prefix, in := s.Match(u)
		if got := fmt.Sprint(prefix, " ", in); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestReadSurtsNamesEveryBadLine(t *testing.T) {
	_, err := seeds.ReadSurts(strings.NewReader("http://(org,\nhttp://(\nhttp://(de,bücher,\nno host\n\nftp://x.example/\n"), "list")
	want := `list:2: SURT prefix "http://(" has no host
list:3: SURT prefix "http://(de,bücher," has a host that is not ASCII: write it as crawl url does, such as xn--bcher-kva
list:4: neither a SURT prefix such as http://(org,example, nor a URL: not an http or https URL: "no host"
list:6: neither a SURT prefix such as http://(org,example, nor a URL: not an http or https URL: "ftp://x.example/"`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func BenchmarkSurtsMatch100000(b *testing.B) {
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "http://(example,host%d,)/path/%d/\n", i%1000, i)
	}
	s, err := seeds.ReadSurts(strings.NewReader(list.String()), "list")
	if err != nil {
		b.Fatal(err)
	}
	u, err := weburl.Parse("https://www.host77.example/path/41077/page.html")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Match(u)
	}
}

func FuzzReadSurts(f *testing.F) {
	f.Add(surtList, "http://www.example.org/private/x")
	f.Fuzz(func(t *testing.T, list, address string) {
		s, err := seeds.ReadSurts(strings.NewReader(list), "list")
		u, bad := weburl.Parse(address)
		if err != nil || bad != nil {
			return
		}
		if prefix, in := s.Match(u); prefix != "" && !strings.HasPrefix(u.SURT(), prefix) || prefix == "" && in {
			t.Errorf("%q is no prefix of %s", prefix, u.SURT())
		}
	})
}
