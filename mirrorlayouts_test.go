package gatecrawl_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serveAt serves pages at an IP address of its own, so that sites at two of them have two owners, and returns the origin.
func serveAt(t *testing.T, ip string, page func(path string) string) string {
	t.Helper()
	l, err := net.Listen("tcp", ip+":0")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if html := page(r.URL.Path); html != "" {
			fmt.Fprint(w, html)
			return
		}
		http.NotFound(w, r)
	}))
	srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL
}

// madeUp returns so many made-up words, the same ones for a seed.
func madeUp(seed, n int) string {
	words := strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango")
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	var b strings.Builder
	for range n {
		b.WriteString(words[r.IntN(20)] + words[r.IntN(20)] + " ")
	}
	return b.String()
}

// Of two sites with the same texts in two layouts one is left out, though what one layout makes the title of some pages is a
// heading in the other.
func TestAMirrorInAnotherLayoutIsLeftOut(t *testing.T) {
	t.Parallel()
	const pages = 240
	site := func(other bool) func(string) string {
		return func(path string) string {
			if path == "/" {
				var b strings.Builder
				for i := range pages {
					fmt.Fprintf(&b, `<li><a href="/p%d">%s</a>`, i, madeUp(1000+i, 4))
				}
				return "<title>Papers</title><ul>" + b.String() + "</ul>"
			}
			var n int
			if _, err := fmt.Sscanf(path, "/p%d", &n); err != nil {
				return ""
			}
			title := madeUp(1000+n, 4)
			if n%2 == 0 {
				title += "- " + madeUp(2000+n, 5)
			}
			text := "<p>" + madeUp(n, 50) + "</p><p>" + madeUp(5000+n, 20) + "</p>"
			nav := fmt.Sprintf(`<a href="/">Index</a> <a href="/p%d">%s</a> <a href="/p%d">%s</a>`, (n+1)%pages, madeUp(1000+(n+1)%pages, 4), (n+9)%pages, madeUp(1000+(n+9)%pages, 4))
			if other {
				return "<html><head><title>Free Papers: " + title + "</title></head><body><div class=nav>" + nav + "</div><div class=text><h2>" + title + "</h2>" + text + "</div><div class=foot>Served by Free Papers with care, since 2003.</div></body></html>"
			}
			return "<html><head><title>" + title + " | Free Papers</title></head><body><header><a href=/>Free Papers</a></header><main><article><h1>" + title + "</h1>" + text + "</article></main><nav>" + nav + "</nav><footer>All pages of Free Papers may be copied.</footer></body></html>"
		}
	}
	first, second := serveAt(t, "127.44.1.1", site(false)), serveAt(t, "127.44.1.2", site(true))
	j := crawlOf(t, first+"/", second+"/")
	m := j.store.Totals().Mirrors
	if n := j.missing(second, pages); m["found"] != 1 || m["given-up"] != 0 || n < pages/4 || j.missing(first, pages) > 0 {
		t.Errorf("%d of %d pages of the copy are left out, and %d of the original; mirrors %v; want one found, and a quarter or more left out", n, pages, j.missing(first, pages), m)
	}
}
