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

// papers serves a first page that links to each of so many others by their titles, and those.
func papers(pages int, title, page func(n int) string) func(path string) string {
	return func(path string) string {
		if path == "/" {
			var b strings.Builder
			for i := range pages {
				fmt.Fprintf(&b, `<li><a href="/p%d">%s</a>`, i, title(i))
			}
			return "<title>Papers</title><ul>" + b.String() + "</ul>"
		}
		var n int
		if _, err := fmt.Sscanf(path, "/p%d", &n); err != nil {
			return ""
		}
		return page(n)
	}
}

// Of two sites with the same texts in two layouts one is left out, though what one layout makes the title of some pages is a
// heading in the other.
func TestAMirrorInAnotherLayoutIsLeftOut(t *testing.T) {
	t.Parallel()
	const pages = 240
	site := func(other bool) func(string) string {
		return papers(pages, func(n int) string { return madeUp(1000+n, 4) }, func(n int) string {
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
		})
	}
	first, second := serveAt(t, "127.44.1.1", site(false)), serveAt(t, "127.44.1.2", site(true))
	j := crawlOf(t, first+"/", second+"/")
	m := j.store.Totals().Mirrors
	if n := j.missing(second, pages); m["found"] != 1 || m["given-up"] != 0 || n < pages/4 || j.missing(first, pages) > 0 {
		t.Errorf("%d of %d pages of the copy are left out, and %d of the original; mirrors %v; want one found, and a quarter or more left out", n, pages, j.missing(first, pages), m)
	}
}

// Of two sites with the same brief texts, the one with links and a day in its body, the other as plain as pages of 1998 were, with a bar of other
// links and a last line with an address, one is left out. Where one word is another on a page of the sites, none is.
func TestAMirrorOfBriefPagesInAPlainLayoutIsLeftOut(t *testing.T) {
	t.Parallel()
	const pages = 240
	title := func(n int) string { return madeUp(1000+n%pages, 3) }
	site := func(plain bool, altered int) func(string) string {
		return papers(pages, title, func(n int) string {
			link := func(n int) string { return fmt.Sprintf(`<a href="/p%d">%s</a>`, n%pages, title(n)) }
			first, second := madeUp(n, 80), madeUp(5000+n, 30+n%40)
			if n%8 == 0 {
				first = madeUp(n, 20) // of these pages the frame is much, and the gate keeps both
			}
			if altered > 0 && n%altered == 0 {
				second = "lighthouse " + second
			}
			if plain {
				return "<html><head><title>" + title(n) + "</title></head><body bgcolor=white><center><font size=5>" + title(n) + "</font><br>" + link(0) + " | " + link(n+1) + " | " + link(n+17) + "</center><hr><p>" + first + "<p>" + second +
					fmt.Sprintf("<hr><font size=2>[ %s ] [ %s ]</font><p>Last changed 20%02d-03-%02d by the office, Pier Road 4, Northport</body></html>", link(n+29), link(n+31), n%20, 1+n%28)
			}
			return "<html><head><title>" + title(n) + " | Free Papers</title></head><body><header><a href=/>Free Papers</a></header><nav>" + link(n+1) + "</nav><main><h1>" + title(n) + "</h1><p>" + first + "</p><p>" + second +
				fmt.Sprintf("</p><h2>See also</h2><ul><li>%s</li><li>%s</li></ul><p>Last modified March %d, 20%02d: fix links (%x)</p></main><footer>All pages of Free Papers may be copied.</footer></body></html>", link(n+7), link(n+9), 1+n%28, n%20, 1000003*(n+1))
		})
	}
	for i, altered := range []int{0, 40} {
		first, second := serveAt(t, fmt.Sprintf("127.44.%d.1", 5+i), site(false, 0)), serveAt(t, fmt.Sprintf("127.44.%d.2", 5+i), site(true, altered))
		j := crawlOf(t, first+"/", second+"/")
		m := j.store.Totals().Mirrors
		n, lost := j.missing(second, pages), j.missing(first, pages)
		if least := pages / 4 * (1 - i); n < least || lost > 0 || i == 1 && n > 0 {
			t.Errorf("altered: one page in %d; %d of %d pages of the copy are left out, and %d of the original; mirrors %v", altered, n, pages, lost, m)
		}
	}
}

// Of a group of equal sites, and two with one word altered on a few pages and on one page in five, the latter is fetched whole: most of its altered pages are near
// copies of a page on a third site, and a site that was given up since one page differs is not left out for another that has that page otherwise.
func TestAlteredCopiesInAGroupAreFetched(t *testing.T) {
	t.Parallel()
	const pages = 160
	site := func(altered func(n int) bool) func(string) string {
		return papers(pages, func(n int) string { return madeUp(1000+n, 4) }, func(n int) string {
			text := madeUp(n, 120)
			if altered(n) {
				text = strings.Replace(text, " ", " lighthouse ", 1)
			}
			return "<title>" + madeUp(1000+n, 4) + "</title><h1>" + madeUp(1000+n, 4) + "</h1><p>" + text + "<p>" + madeUp(5000+n, 40)
		})
	}
	none := func(int) bool { return false }
	fifth := func(n int) bool { return n%5 == 3 }
	few := func(n int) bool { return n%80 == 7 }
	var origins, seeds []string
	for i, altered := range []func(int) bool{none, none, none, few, fifth} {
		origins = append(origins, serveAt(t, fmt.Sprintf("127.44.7.%d", 1+i), site(altered)))
		seeds = append(seeds, origins[i]+"/")
	}
	j := crawlOf(t, seeds...)
	lost := j.missing(origins[4], pages)
	left := 0
	for _, origin := range origins[1:3] {
		left += j.missing(origin, pages)
	}
	if lost > 0 || left < pages/2 {
		t.Errorf("%d pages of the copy with 32 altered ones were not fetched, want none; %d pages of two equal copies are left out, want half; mirrors %v", lost, left, j.store.Totals().Mirrors)
	}
}
