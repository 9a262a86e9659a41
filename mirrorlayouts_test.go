package gatecrawl_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
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

// A site in languages whose pages, few of which are translated, show the links to the other languages in another order at each answer.
func TestAMirrorWhoseLinksAreShuffledIsLeftOut(t *testing.T) {
	t.Parallel()
	languages := []string{"de", "fr", "it", "es", "nl", "pl", "cs", "fi", "sv", "da"}
	const texts = 40
	site := func(seed uint64) func(string) string {
		var mu sync.Mutex
		r := rand.New(rand.NewPCG(seed, 1))
		return func(path string) string {
			list := func(but string, n int) (links []string) {
				for _, l := range languages {
					if l != but {
						links = append(links, fmt.Sprintf(`<a href="/%s/p%d">%s</a>`, l, n, l))
					}
				}
				mu.Lock()
				defer mu.Unlock()
				r.Shuffle(len(links), func(a, b int) { links[a], links[b] = links[b], links[a] })
				return links
			}
			if path == "/" {
				var b strings.Builder
				for i := range texts {
					b.WriteString("<li>" + strings.Join(list("", i), " "))
				}
				return "<title>Manual</title><ul>" + b.String() + "</ul>"
			}
			parts := strings.Split(strings.Trim(path, "/"), "/")
			var n int
			if _, err := fmt.Sscanf(parts[len(parts)-1], "p%d", &n); err != nil || len(parts) != 2 || !slices.Contains(languages, parts[0]) {
				return ""
			}
			text := n
			if n%5 == 0 { // it is translated
				text += 100 * (1 + slices.Index(languages, parts[0]))
			}
			title := madeUp(9000+text, 3)
			return "<html><head><title>Handbook: " + title + "</title></head><body><div class=nav><a href=/>Contents</a> " + strings.Join(list(parts[0], n), " ") +
				"</div><div class=text><h2>" + title + "</h2><p>" + madeUp(text, 30) + "</p></div><div class=foot>Served by the handbook with care.</div></body></html>"
		}
	}
	first, second := serveAt(t, "127.44.2.1", site(1)), serveAt(t, "127.44.2.2", site(2))
	j := crawlOf(t, first+"/", second+"/")
	m := j.store.Totals().Mirrors
	if m["found"] != 1 || m["given-up"] != 0 || m["deferred"] < 40 {
		t.Errorf("mirrors %v; want one that is found and not given up, and 40 or more pages left out", m)
	}
}
