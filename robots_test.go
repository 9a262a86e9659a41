package gatecrawl_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// robotsAsked returns how often the web was asked for its robots.txt.
func (w *world) robotsAsked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, path := range w.hits {
		if path == "/robots.txt" {
			n++
		}
	}
	return n
}

func TestRobotsAreAskedForOnceByAllWhoWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.so.PerHost = 16
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /closed\n")
	var seeds []string
	for i := range 40 {
		path := fmt.Sprintf("/%d", i)
		w.page(path, prose(i))
		seeds = append(seeds, path)
	}
	pages, _ := w.crawl(t.Context(), seeds...)
	if len(pages) != 40 || w.robotsAsked() != 1 {
		t.Errorf("%d pages, robots.txt asked for %d times, want 40 and once", len(pages), w.robotsAsked())
	}
}

func TestRobotsAreKeptOnDiskForTheNextRun(t *testing.T) {
	w := newWorld(t)
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /closed\n")
	w.page("/1", prose(1))
	w.crawl(t.Context(), "/1")
	pages, _ := w.crawl(t.Context(), "/closed/2") // a crawler that knows nothing
	if p := pages["/closed/2"]; p.Rule != "robots" || w.robotsAsked() != 1 {
		t.Errorf("%s by rule %q, robots.txt asked for %d times; want refused and once", p.Verdict, p.Rule, w.robotsAsked())
	}
}

// TestAStoredRobotsFileIsAsOldAsTheClockCanTell has files from before the clock was set,
// which a crawl reads back from the store when it goes on, and during a run where it has
// met more origins than it remembers.
func TestAStoredRobotsFileIsAsOldAsTheClockCanTell(t *testing.T) {
	t.Parallel()
	const closed = "User-agent: *\nDisallow: /\n"
	for what, c := range map[string]struct {
		age   time.Duration
		file  robots.File
		asked int
	}{
		"of today":                        {time.Hour, robots.File{Status: 200, Body: []byte(closed)}, 0},
		"of yesterday":                    {25 * time.Hour, robots.File{Status: 200, Body: []byte(closed)}, 1},
		"the clock was set ahead":         {1000 * time.Hour, robots.File{Status: 200, Body: []byte(closed)}, 1},
		"the clock was set back":          {-time.Minute, robots.File{Status: 200, Body: []byte(closed)}, 1},
		"the clock was set back by years": {-30_000 * time.Hour, robots.File{Status: 200, Body: []byte(closed)}, 1},
		"a failure, and it was set back":  {-30_000 * time.Hour, robots.File{Status: 503, Wait: time.Hour}, 1},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.text("/robots.txt", "text/plain", "User-agent: *\nAllow: /\n")
			w.page("/1", prose(1))
			w.page("/2", prose(2))
			w.crawl(t.Context(), "/1")
			before := w.robotsAsked()
			f := c.file
			f.Origin, f.Fetched = w.srv.URL, time.Now().Add(-c.age)
			u, err := weburl.Parse(w.srv.URL + "/1")
			if err != nil {
				t.Fatal(err)
			}
			v := &page.Visit{Lease: frontier.Lease{Task: frontier.Robots, URL: u}, Robots: &f}
			if _, err := w.store.Settle(t.Context(), v); !errors.Is(err, frontier.ErrLeaseLost) { // nobody was lent it
				t.Fatal(err)
			}
			pages, _ := w.crawl(t.Context(), "/2")
			want := page.VerdictNew
			if c.asked == 0 {
				want = page.VerdictRefused
			}
			if asked := w.robotsAsked() - before; asked != c.asked || pages["/2"].Verdict != want {
				t.Errorf("robots.txt was asked for %d times and the page is %s, want %d and %s", asked, pages["/2"].Verdict, c.asked, want)
			}
		})
	}
}

func TestWhatARobotsAnswerMeans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  int
		body    string
		verdict page.Verdict
		asked   int
	}{
		{200, "<!DOCTYPE html><title>Not here</title><p>Disallow: /", page.VerdictNew, 1},
		{200, strings.Repeat("# long\n", 10_000_000/7) + "User-agent: *\nDisallow: /\n", page.VerdictNew, 1},
		{404, "User-agent: *\nDisallow: /", page.VerdictNew, 1},
		{403, "", page.VerdictNew, 1},
		{429, "", page.VerdictFailed, 3}, // too busy to say, for now
		{503, "", page.VerdictFailed, 3},
	} {
		t.Run(fmt.Sprintf("%d %.10s", c.status, c.body), func(t *testing.T) {
			w := newWorld(t)
			w.so.Backoff = 100 * time.Millisecond // a busy machine is slower to come back than a millisecond
			w.mux.HandleFunc("GET /robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
				rw.WriteHeader(c.status)
				fmt.Fprint(rw, c.body)
			})
			w.page("/1", prose(1))
			pages, _ := w.crawl(t.Context(), "/1")
			p := pages["/1"]
			if p.Verdict != c.verdict || w.robotsAsked() != c.asked {
				t.Errorf("%s (%s), robots.txt asked for %d times; want %s and %d", p.Verdict, p.Reason, w.robotsAsked(), c.verdict, c.asked)
			}
			if c.verdict == page.VerdictFailed && p.Reason != fmt.Sprintf("robots.txt: http %d", c.status) {
				t.Errorf("reason %q", p.Reason)
			}
		})
	}
}
