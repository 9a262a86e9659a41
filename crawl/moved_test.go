package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"gatecrawl.example/gatecrawl/crawl"
)

// TestACopyThatIsKeptSinceItsPageHasMovedIsUnchanged: when a page has moved, its new URL is a copy of it at first, is
// requested once more in the same run, since the old URL leads elsewhere, and is kept. Nothing has changed by then.
func TestACopyThatIsKeptSinceItsPageHasMovedIsUnchanged(t *testing.T) {
	t.Parallel()
	var moved atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, "<title>Home</title><a href=/old>old</a>")
		case r.URL.Path == "/old" && moved.Load():
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		case r.URL.Path == "/old", r.URL.Path == "/new":
			fmt.Fprintf(w, "<title>A page</title><p>%s</p>", strings.Repeat("a word of the page that moves, ", 40))
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	s := quick(site.URL + "/")
	s.RecrawlCopies = 1
	dir := t.TempDir()
	run := func() string {
		job, err := crawl.OpenWith(dir, s, crawl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer check(t, job)
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := job.Tally()
		return fmt.Sprintf("%d new, %d copies, %d changed, %d unchanged, %d promoted, %d gone, %d kept", n.New, n.Copies, n.Changed, n.Unchanged, n.Promoted, n.Gone, job.Totals().New)
	}
	got := []string{run()}
	moved.Store(true)
	for range 3 {
		got = append(got, run())
	}
	want := []string{
		"2 new, 0 copies, 0 changed, 0 unchanged, 0 promoted, 0 gone, 2 kept",
		"0 new, 1 copies, 0 changed, 2 unchanged, 1 promoted, 1 gone, 3 kept",
	}
	for i, line := range got {
		if i < len(want) && line != want[i] || i >= len(want) && !strings.Contains(line, " 0 changed") || i > 0 && !strings.HasSuffix(line, "3 kept") {
			t.Errorf("run %d: %s", i+1, line)
		}
	}
}
