package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
)

func TestNothingIsAskedForInQuietHours(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	hour := 17 // of the clock
	var asked []int
	quiet := make(chan struct{})
	var once sync.Once
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, hour)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>%s<a href=/second>second</a>", r.URL.Path, text("page"+r.URL.Path))
	}))
	defer site.Close()
	s := quick(site.URL + "/")
	s.QuietHours = []string{"08:00-18:00"}
	c := open(t, t.TempDir(), s, crawl.Options{})
	ticks := make(chan time.Time)
	c.SetClock(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		once.Do(func() { close(quiet) })
		return time.Date(2026, 11, 2, hour, 30, 0, 0, time.Local)
	}, ticks)
	ended := make(chan error, 1)
	go func() { // ends with the crawl
		end, err := c.Run(t.Context())
		if err == nil && end != gatecrawl.Done {
			err = fmt.Errorf("it ended with %q", end)
		}
		ended <- err
	}()
	<-quiet              // the crawl has looked at the clock
	ticks <- time.Time{} // and again, still quiet: it takes the tick when it keeps the hours
	end := time.Date(2026, 11, 2, 18, 0, 0, 0, time.Local)
	if s, err := c.Job().Status(t.Context()); err != nil || s.QuietUntil == nil || !s.QuietUntil.Equal(end) {
		t.Errorf("in quiet hours the status says that they last until %v, %v; want %v", s.QuietUntil, err, end)
	}
	select {
	case err := <-ended:
		t.Fatalf("the crawl ended in quiet hours: %v", err)
	default:
	}
	mu.Lock()
	hour = 18
	mu.Unlock()
	ticks <- time.Time{}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) < 2 {
		t.Errorf("%d requests, want those of two pages", len(asked))
	}
	for _, h := range asked {
		if h != 18 {
			t.Errorf("a request at %d:30, in quiet hours", h)
		}
	}
}

// TestQuietHoursEndOnTheMinute follows the times at which a crawl looks at its quiet hours.
func TestQuietHoursEndOnTheMinute(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 2, 17, 57, 48, 123_000_000, time.Local)
	end := time.Date(2026, 11, 2, 18, 0, 0, 0, time.Local)
	for at := start; !at.Equal(end); {
		wait := crawl.NextLook(at)
		if wait <= 0 || wait > 15*time.Second {
			t.Fatalf("%v after %v", wait, at)
		}
		if at = at.Add(wait); at.After(end) {
			t.Fatalf("the end at %v is seen at %v", end, at)
		}
	}
}
