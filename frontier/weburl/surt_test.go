package weburl_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestSURTTurnsTheHostAround(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.Example.org/a/B?c=d": "http://(org,example,www,)/a/B?c=d",
		"http://example.org:8080":         "http://(org,example,:8080)/",
		"http://localhost/x":              "http://(localhost,)/x",
		"http://127.0.0.1:81/x":           "http://(127.0.0.1:81)/x",
		"http://[::1]/":                   "http://([::1])/",
		"http://新闻.example/":              "http://(example,xn--efvy88h,)/",
	} {
		u, err := weburl.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.SURT(); got != want {
			t.Errorf("SURT of %s = %s, want %s", in, got, want)
		}
	}
}
