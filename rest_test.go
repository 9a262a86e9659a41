package gatecrawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
)

// TestAHostRestsAsLongAsItAsks looks at when a host is asked for the page behind one
// that was slow or busy, or closed by a Crawl-delay, and at the bounds of what it may ask.
func TestAHostRestsAsLongAsItAsks(t *testing.T) {
	t.Parallel()
	const second, maxDelay = 250 * time.Millisecond, 400 * time.Millisecond
	for name, c := range map[string]struct {
		robots string
		slow   bool // robots.txt takes its time
		first  http.HandlerFunc
		rest   time.Duration // from the end of the first request, of robots.txt where that is slow
	}{
		"Crawl-delay":                    {robots: "User-agent: *\nCrawl-delay: 0.25\n", rest: second},
		"a Crawl-delay that is too long": {robots: "User-agent: *\nCrawl-delay: 86400\n", rest: maxDelay},
		"a slow answer":                  {first: func(http.ResponseWriter, *http.Request) { <-time.After(second / 5) }, rest: second},
		"a slow robots.txt":              {slow: true, rest: second},
		"Retry-After in seconds": {first: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "3600")
			rw.WriteHeader(http.StatusTooManyRequests)
		}, rest: maxDelay},
		"Retry-After as a date": {first: func(rw http.ResponseWriter, _ *http.Request) {
			now := time.Now().Add(-24 * time.Hour) // by a clock that is wrong
			rw.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			rw.Header().Set("Retry-After", now.Add(time.Hour).UTC().Format(http.TimeFormat))
			rw.WriteHeader(http.StatusServiceUnavailable)
		}, rest: maxDelay},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.so.Delay = 50 * time.Millisecond
			w.o.DelayFactor, w.so.MaxRest, w.o.Retries = 5, maxDelay, 0
			if c.robots != "" {
				w.text("/robots.txt", "text/plain", c.robots)
				w.o.DelayFactor = 0 // the answer of a busy machine asks for more
			}
			var mu sync.Mutex
			var ended, asked time.Time
			if c.slow {
				w.mux.HandleFunc("GET /robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
					<-time.After(second / 5)
					rw.WriteHeader(http.StatusNotFound)
					mu.Lock()
					defer mu.Unlock()
					ended = time.Now()
				})
			}
			w.mux.HandleFunc("GET /first", func(rw http.ResponseWriter, r *http.Request) {
				if c.first != nil {
					c.first(rw, r)
				}
				fmt.Fprint(rw, "first")
				mu.Lock()
				defer mu.Unlock()
				if c.slow && asked.IsZero() {
					asked = time.Now()
					return
				}
				ended = time.Now()
			})
			w.mux.HandleFunc("GET /second", func(rw http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				if !c.slow {
					asked = time.Now()
				}
			})
			w.crawl(t.Context(), "/first", "/second")
			if got := asked.Sub(ended); got < c.rest {
				t.Errorf("it is asked again after %v, want %v", got, c.rest)
			}
			if c.robots == "" {
				return
			}
			why, err := w.store.Why(t.Context(), w.srv.URL+"/second")
			if err != nil || why.Host == nil || why.Host.Rest != c.rest.Seconds() {
				t.Errorf("its rest is told as %+v, %v; want %v", why.Host, err, c.rest)
			}
		})
	}
}

func TestAHostThatIsTooBusyIsParked(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusInternalServerError} {
		w := newWorld(t)
		w.so.MaxRest = 4 * time.Millisecond
		w.so.ParkAfter, w.o.Soft404 = 4, false
		w.o.Retries = 20 // a page may be the first to be asked again; its retries must not run out
		var urls []string
		for i := range 20 {
			urls = append(urls, fmt.Sprintf("/%d", i))
		}
		var answers atomic.Int32
		w.text("/robots.txt", "text/plain", "")
		w.mux.HandleFunc("GET /{n}", func(rw http.ResponseWriter, _ *http.Request) {
			if answers.Add(1) > 5 {
				rw.WriteHeader(status)
			}
		})
		pages, _ := w.crawl(t.Context(), urls...)
		n := w.store.Totals()
		if status == http.StatusInternalServerError { // that is about the page
			if len(pages) != len(urls) || n.ParkedHosts != 0 {
				t.Errorf("%d: %d pages of %d, %d hosts parked", status, len(pages), len(urls), n.ParkedHosts)
			}
			continue
		}
		why, err := w.store.Why(t.Context(), w.srv.URL+urls[19])
		if err != nil {
			t.Fatal(err)
		}
		if asked := len(w.asked()); asked != 5+w.so.ParkAfter || n.ParkedHosts != 1 || n.Failed != 0 || why.Host.Parked == nil || !strings.Contains(why.Host.Failure, "http ") {
			t.Errorf("%d: asked %d times, %d hosts parked, %d pages failed, host %+v", status, asked, n.ParkedHosts, n.Failed, why.Host)
		}
	}
}

func TestWhyTellsWhatHoldsAHostBack(t *testing.T) {
	for what, c := range map[string]struct {
		robots, budget int
		want           func(h *gatecrawl.HostState) bool
	}{
		"its budget is used up":           {404, 1, func(h *gatecrawl.HostState) bool { return h.Held && h.Robots == "" }},
		"its robots.txt is not to be had": {503, 0, func(h *gatecrawl.HostState) bool { return !h.Held && h.Robots == "robots.txt: http 503" }},
	} {
		w := newWorld(t)
		w.so.HostBudget, w.so.ParkAfter = int64(c.budget), 1
		w.mux.HandleFunc("GET /robots.txt", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(c.robots) })
		w.page("/1", prose(1))
		w.page("/2", prose(2))
		w.crawl(t.Context(), "/1", "/2")
		why, err := w.store.Why(t.Context(), w.srv.URL+"/2")
		if err != nil || why.Page != nil || why.Host == nil || !c.want(why.Host) {
			t.Errorf("%s: %+v, host %+v, %v", what, why, why.Host, err)
		}
	}
}
