package weburl_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// sessions are addresses with and without their session ids; an empty second
// text says that there is none.
var sessions = []struct{ with, without string }{
	{"http://a.example/x;jsessionid=0AB1?b=c", "http://a.example/x?b=c"},
	{"http://a.example/x.do;JSESSIONID=0AB1.node1", "http://a.example/x.do"},
	{"http://a.example/?PHPSESSID=abc&page=2", "http://a.example/?page=2"},
	{"http://a.example/?page=2&ASPSESSIONIDQQAB=abc", "http://a.example/?page=2"},
	{"http://a.example/?CFID=1&CFTOKEN=2", "http://a.example/"},
	{"http://a.example/(S(lit3py55t21z5v55vlm25s55))/orders.aspx?a=b", "http://a.example/orders.aspx?a=b"},
	{"http://a.example/?sid=4f2a9c3d5e6f708192a3b4c5d6e7f809", "http://a.example/"},
	{"http://a.example/thread?t=1&s=4f2a9c3d5e6f708192a3b4c5d6e7f809", "http://a.example/thread?t=1"},
	{"http://a.example/?sid=12", ""},
	{"http://a.example/?s=internationalization", ""},
	{"http://a.example/?s=a+long+search+for+something+with+2+words", ""},
	{"http://a.example/?session=2024-spring-meeting-of-the-society", ""},
	{"http://a.example/?sessionid=", ""},
	{"http://a.example/x;jsessionid=1/y", ""},
	{"http://a.example/x;v=1", ""},
	{"http://a.example/(S(short))/x", ""},
	{"http://a.example/list?id=4f2a9c3d5e6f708192a3b4c5d6e7f809", ""},
}

func TestSessionIDsAreTakenOut(t *testing.T) {
	for _, c := range sessions {
		u, err := weburl.Parse(c.with)
		if err != nil {
			t.Fatal(err)
		}
		want, had := c.without, true
		if want == "" {
			want, had = u.String(), false
		}
		if got, ok := u.WithoutSession(); got.String() != want || ok != had {
			t.Errorf("WithoutSession of %s = %s, %v; want %s, %v", c.with, got, ok, want, had)
		}
	}
}

func FuzzWithoutSession(f *testing.F) {
	for _, c := range sessions {
		f.Add(c.with)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := weburl.Parse(address)
		if err != nil {
			return
		}
		v, had := u.WithoutSession()
		if v.Origin() != u.Origin() || len(v.String()) > len(u.String()) || had == (v == u) {
			t.Errorf("%s became %s, %v", u, v, had)
		}
	})
}

func BenchmarkWithoutSession(b *testing.B) {
	u, err := weburl.Parse("https://www.example.org/articles/2024/05/a-title-of-some-words?page=2&sort=date")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		u.WithoutSession()
	}
}
