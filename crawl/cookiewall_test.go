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
		s.Cookies, s.Retries = keeps, 0
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

// TestAPageBehindAnotherURLThatSetsACookieIsAskedForAgain: a server that sends whoever comes without its
// cookie to another URL, which sets it and leads back, shows its pages to a crawl that keeps cookies, also
// those that were requested before the crawl had the cookie. What never shows a page is not asked for a third
// time, whatever URLs it leads to and whatever cookies these set. Without cookies nothing is asked for twice.
func TestAPageBehindAnotherURLThatSetsACookieIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keeps      bool
		partitions int
	}{{true, 0}, {true, 2}, {false, 0}} {
		var mu sync.Mutex
		asked := make(map[string]int)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[r.URL.Path]++
			n := asked[r.URL.Path]
			mu.Unlock()
			_, err := r.Cookie("agreed")
			switch p := r.URL.Path; {
			case p == "/robots.txt":
				http.NotFound(w, r)
			case p == "/never": // another URL and another cookie each time
				http.Redirect(w, r, fmt.Sprint("/consent/", n, "/never"), http.StatusFound)
			case p == "/first": // sets the cookie by the way of two URLs
				if err != nil {
					http.Redirect(w, r, "/by-way", http.StatusFound)
					return
				}
				writePage(w, p, "/never", "/other")
			case p == "/by-way":
				http.Redirect(w, r, "/consent/0/first", http.StatusFound)
			case strings.HasPrefix(p, "/consent/"):
				http.SetCookie(w, &http.Cookie{Name: "agreed", Value: p[len("/consent/"):][:1], Path: "/"})
				http.Redirect(w, r, p[strings.LastIndexByte(p, '/'):], http.StatusFound)
			case err != nil:
				http.Redirect(w, r, "/consent/0"+p, http.StatusFound)
			default:
				writePage(w, p)
			}
		}))
		s := quick(site.URL + "/first")
		s.URL = append(s.URL, site.URL+"/second", site.URL+"/third")
		s.Cookies, s.Partitions = c.keeps, c.partitions
		job := open(t, t.TempDir(), s, crawl.Options{})
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		site.Close()
		want, kept := map[string]int{"/first": 2, "/second": 2, "/third": 2, "/never": 2, "/other": 1, "/consent/2/never": 1, "/consent/3/never": 0}, 4
		if !c.keeps {
			want, kept = map[string]int{"/first": 1, "/second": 1, "/third": 1, "/never": 0, "/consent/0/first": 1}, 0
		}
		for path, n := range want {
			if got := asked[path]; got != n && !(n == 2 && got == 1 && path != "/first" && path != "/never") { // the cookie may be there already
				t.Errorf("%+v: %s was asked for %d times, want %d", c, path, got, n)
			}
		}
		for p, err := range job.Pages(t.Context()) {
			if told := strings.Contains(p.Reason, "which redirects here, with a cookie; the setting cookies"); err != nil || told != (!c.keeps && strings.HasPrefix(p.URL, site.URL+"/consent/0/") && !strings.HasSuffix(p.URL, "/first")) {
				t.Errorf("%+v: %s: %q, %v", c, p.URL, p.Reason, err)
			}
		}
		if n := job.Totals(); n.New != int64(kept) || n.Failed != 0 {
			t.Errorf("%+v: %d pages are kept, %d failed; want %d and 0", c, n.New, n.Failed, kept)
		}
	}
}

// writePage writes a page of some words with links.
func writePage(w http.ResponseWriter, path string, links ...string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<title>Page %s</title><p>%s</p>", path, strings.Repeat("a word of "+path+" and of the page, ", 40))
	for _, l := range links {
		fmt.Fprintf(w, "<a href=%s>on</a>", l)
	}
}
