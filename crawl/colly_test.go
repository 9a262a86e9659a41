package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// A colly program's callbacks on the pages of a crawl: its queue, its politeness, its gate.
func ExampleCrawl_Collect() {
	site := smallSite()
	defer site.Close()
	folder, remove := newFolder()
	defer remove()
	s := configs.Default()
	s.URL, s.Delay, s.Workers = []string{site.URL + "/"}, 0, 1
	c, err := crawl.Open(folder, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	collector := colly.NewCollector()
	collector.OnHTML("h1", func(e *colly.HTMLElement) {
		fmt.Println("heading:", e.Text, "at", e.Request.URL.Path)
	})
	collector.OnError(func(r *colly.Response, err error) {
		fmt.Println("error:", r.Request.URL.Path, err)
	})
	if err := c.Collect(collector); err != nil {
		log.Fatal(err)
	}
	if _, err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// heading: Bees at /bees
	// heading: Clocks at /clocks
	// error: /gone Not Found
}

func TestACollectorsCallbacksAreCalledInCollysOrder(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	s := quick(site.URL + "/")
	s.Dedup, s.Workers = dedup.ModeMark, 1
	c := open(t, t.TempDir(), s, crawl.Options{})
	col := colly.NewCollector()
	calls := make(map[string][]string) // by path; the collector is not Async, so nothing guards it
	note := func(r *colly.Request, what string) { calls[r.URL.Path] = append(calls[r.URL.Path], what) }
	col.OnRequest(func(r *colly.Request) { note(r, fmt.Sprintf("request at depth %d", r.Depth)) })
	col.OnResponseHeaders(func(r *colly.Response) { note(r.Request, fmt.Sprintf("headers %d", r.StatusCode)) })
	col.OnResponse(func(r *colly.Response) {
		note(r.Request, "response "+string(crawl.SettledOf(r).Verdict))
		if !strings.Contains(string(r.Body), "<title>") || r.Headers.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: a body of %d bytes and the header %v", r.Request.URL, len(r.Body), r.Headers)
		}
	})
	col.OnHTML("title", func(e *colly.HTMLElement) { note(e.Request, "title "+e.Text) })
	col.OnHTML("a[href]", func(e *colly.HTMLElement) {
		var again *colly.AlreadyVisitedError
		if err := e.Request.Visit(e.Attr("href")); !errors.As(err, &again) {
			t.Errorf("Visit in a callback returns %v, want *colly.AlreadyVisitedError", err)
		}
	})
	col.OnScraped(func(r *colly.Response) { note(r.Request, "scraped") })
	col.OnError(func(r *colly.Response, err error) {
		note(r.Request, "error "+err.Error())
		if err := r.Request.Retry(); err == nil || !strings.Contains(err.Error(), "tried again already") {
			t.Errorf("Retry in a callback returns %v, want an error that says why not", err)
		}
	})
	if err := c.Collect(col); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	col.Wait()
	for path, want := range map[string][]string{
		"/":           {"request at depth 1", "headers 200", "response new", "title Start", "scraped"},
		"/bees":       {"request at depth 2", "headers 200", "response new", "title Bees", "scraped"},
		"/bees-again": {"request at depth 2", "headers 200", "response copy", "title Bees", "scraped"},
		"/gone":       {"request at depth 2", "headers 404", "error Not Found"},
	} {
		if !slices.Equal(calls[path], want) {
			t.Errorf("%s: %q, want %q", path, calls[path], want)
		}
	}
	if len(calls) != 5 {
		t.Errorf("callbacks for %d pages, want 5", len(calls))
	}
}

func TestACollectorIsNotShownCopiesThatAreDiscarded(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	s := quick(site.URL + "/")
	s.Workers = 1
	c := open(t, t.TempDir(), s, crawl.Options{})
	col := colly.NewCollector()
	var paths []string
	col.OnResponse(func(r *colly.Response) { paths = append(paths, r.Request.URL.Path) })
	if err := c.Collect(col); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"/", "/bees", "/clocks"}) {
		t.Errorf("responses of %v, want those that were kept", paths)
	}
}

func TestWhatACollectorWouldNotVisitItIsNotShown(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	c := open(t, t.TempDir(), quick(site.URL+"/"), crawl.Options{})
	col := colly.NewCollector(colly.MaxDepth(1))
	n := 0
	col.OnRequest(func(*colly.Request) { n++ })
	if err := c.Collect(col); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n != 1 || c.Totals().Fetched != 5 {
		t.Errorf("%d requests of %d pages, want the seed alone of 5", n, c.Totals().Fetched)
	}
}

func TestACollectorSendsNothingItself(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }))
	defer site.Close()
	c := open(t, t.TempDir(), quick(site.URL+"/robots.txt"), crawl.Options{})
	col := colly.NewCollector()
	col.IgnoreRobotsTxt = false
	if err := c.Collect(col); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Visit": col.Visit(site.URL), "Head": col.Head(site.URL), "Post": col.Post(site.URL, map[string]string{"a": "b"}),
	} {
		if err == nil {
			t.Errorf("%s returns nil, want an error", what)
		}
	}
	if asked.Load() != 0 {
		t.Errorf("the site was asked %d times", asked.Load())
	}
}

func TestErrorsOfTheWireReachOnError(t *testing.T) {
	t.Parallel()
	s := quick("http://127.0.0.1:1/")
	s.Retries = 0
	c := open(t, t.TempDir(), s, crawl.Options{})
	col := colly.NewCollector()
	var fault error
	col.OnError(func(_ *colly.Response, err error) { fault = err })
	if err := c.Collect(col); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for p, err := range c.Pages(t.Context()) {
		if err != nil || p.Verdict != page.VerdictFailed || fault == nil || !strings.Contains(fault.Error(), p.Reason) {
			t.Errorf("OnError has %v, want %q of the record; %v", fault, p.Reason, err)
		}
	}
}

// Callbacks of a collector with Async may run at once, those of another never do.
func TestCallbacksRunAtOnceForAnAsyncCollectorAlone(t *testing.T) {
	t.Parallel()
	var sites []string
	for range 8 { // hosts, since one is asked for one page at a time
		site := smallSite()
		defer site.Close()
		sites = append(sites, site.URL+"/bees")
	}
	for _, async := range []bool{true, false} {
		s := quick(sites...)
		s.Dedup = dedup.ModeOff
		c := open(t, t.TempDir(), s, crawl.Options{})
		col := colly.NewCollector(colly.Async(async))
		wait := 20 * time.Millisecond
		if async {
			wait = 20 * time.Second // until another is here
		}
		var now atomic.Int64
		var once sync.Once
		two := make(chan struct{}) // closed when two callbacks run at once
		col.OnHTML("h1", func(*colly.HTMLElement) {
			if now.Add(1) > 1 {
				once.Do(func() { close(two) })
			}
			select {
			case <-two:
			case <-time.After(wait):
			}
			now.Add(-1)
		})
		if err := c.Collect(col); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		met := false
		select {
		case <-two:
			met = true
		default:
		}
		if met != async {
			t.Errorf("async %v: two callbacks ran at once: %v", async, met)
		}
	}
}
