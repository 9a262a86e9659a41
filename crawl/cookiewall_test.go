package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/crawl"
)

// TestAPageThatSetsACookieFirstIsAskedForAgain: a server that sends whoever comes without its cookie
// to the same URL again, with the cookie, shows its pages to a crawl that keeps cookies. It is asked
// twice at most, and once without cookies.
func TestAPageThatSetsACookieFirstIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{true, false} {
		var mu sync.Mutex
		asked := make(map[string]int)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[r.URL.Path]++
			n := asked[r.URL.Path]
			mu.Unlock()
			seen, err := r.Cookie("seen")
			switch {
			case r.URL.Path == "/robots.txt":
				http.NotFound(w, r)
			case r.URL.Path == "/wall": // never content
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: fmt.Sprint(n)})
				http.Redirect(w, r, "/wall", http.StatusFound)
			case err != nil || seen.Value == "":
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/"})
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			default:
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprintf(w, "<title>Page %s</title><p>%s</p><a href=/wall>on</a>", r.URL.Path, strings.Repeat("a word of the page, ", 40))
			}
		}))
		s := quick(site.URL + "/")
		s.Cookies = keeps
		c := open(t, t.TempDir(), s, crawl.Options{})
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		site.Close()
		want := map[string]int{"/": 1}
		if keeps {
			want = map[string]int{"/": 2, "/wall": 2}
		}
		for path, n := range want {
			if asked[path] != n {
				t.Errorf("cookies %v: %s was asked for %d times, want %d", keeps, path, asked[path], n)
			}
		}
		for p, err := range c.Pages(t.Context()) {
			if to := p.Location == p.URL; err != nil || to != strings.HasPrefix(p.Reason, "redirects to itself") || to && !keeps && !strings.Contains(p.Reason, "the setting cookies keeps") {
				t.Errorf("cookies %v: %s: %q, %v", keeps, p.URL, p.Reason, err)
			}
		}
		if n := c.Totals(); n.New != int64(len(want)-1) || n.Failed != 0 {
			t.Errorf("cookies %v: %d pages are kept, %d failed; want %d and 0", keeps, n.New, n.Failed, len(want)-1)
		}
	}
}
