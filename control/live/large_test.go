package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/api"
	"gatecrawl.example/gatecrawl/control/live"
	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// TestViewsOfALargeJob says what each page of the site and each list of the API costs of a job of
// so many pages, which it makes without a web: a page in eight is a copy, on another host. It is
// quick unless it is told the size. Where a folder is named the job stays there; one that is there is used, and made
// longer where it has fewer pages:
//
//	GATECRAWL_PAGES=1000000 GATECRAWL_JOB=large go test ./control/live -run TestViewsOfALargeJob -v -timeout 2h
func TestViewsOfALargeJob(t *testing.T) {
	pages, dir := env.Number(t, "GATECRAWL_PAGES", 1_000), os.Getenv("GATECRAWL_JOB")
	if dir == "" {
		dir = t.TempDir()
	}
	makeLarge(t, dir, pages)
	o := store.DefaultOptions()
	o.ReadOnly = true
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stop := make(chan struct{})
	site := live.New(s, nil, "", stop)
	defer func() {
		close(stop)
		site.Wait()
	}()
	mux := http.NewServeMux()
	mux.Handle("/", site.Handler())
	mux.Handle(api.Base+"/", api.Handler(control.Answers(s, nil), nil))

	kept := largeURL(0).String()
	views := []string{
		"/", "/pages", fmt.Sprint("/pages?from=", pages/2), "/pages?verdict=copy", "/pages?verdict=failed", "/pages?rule=nothing",
		"/pages?host=" + url.QueryEscape(largeURL(7).Host()), "/pages?host=unheard.example", "/hosts", "/hosts?by=failures", "/hosts?by=fetched",
		"/queue", "/refused", "/refused?rule=nothing", "/dups", fmt.Sprint("/dups?from=", pages/2), "/mirrors", "/why?url=" + url.QueryEscape(kept),
	}
	for _, question := range []string{
		"status", "pages?limit=100", "pages?limit=100&verdict=failed", "dups?limit=100", "hosts?limit=100", "queue", "why?url=" + url.QueryEscape(kept),
		"view?url=" + url.QueryEscape(kept), "near?url=" + url.QueryEscape(kept), "alive?url=" + url.QueryEscape(kept), "mirrors?limit=100",
	} {
		views = append(views, api.Base+"/"+question)
	}
	for _, path := range views {
		first, cpu := visited(t, mux, path)
		const times = 5
		var again, cpuAgain time.Duration
		for range times {
			took, cpu := visited(t, mux, path)
			again, cpuAgain = again+took, cpuAgain+cpu
		}
		t.Logf("%-50s first %8.1f ms (CPU %8.1f), then %7.1f ms (CPU %7.1f)", path, ms(first), ms(cpu), ms(again/times), ms(cpuAgain/times))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// visited asks for a page, and returns what that takes by the clock and of the processors.
func visited(t *testing.T, h http.Handler, path string) (took, cpu time.Duration) {
	t.Helper()
	start, used := time.Now(), cputime.Used()
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil)); w.Code != http.StatusOK {
		t.Errorf("GET %s is answered %d: %.200s", path, w.Code, w.Body)
	}
	return time.Since(start), cputime.Used() - used
}

// largeHost is how many pages a host of the large job has.
const largeHost = 200

// largeURL is the URL of the i-th page. Of each hundred hosts two are mirrors.
func largeURL(i int) weburl.URL {
	u, err := weburl.Parse(fmt.Sprintf("https://www.host%d.example/part%d/page-%d.html", i/largeHost, i%7, i%largeHost))
	if err != nil {
		panic(err) // of such digits every URL is one
	}
	return u
}

// largeText is the text of the i-th page.
func largeText(i int) string {
	if i%8 == 5 { // as on another host
		i -= i % 4000
	} else if host := i / largeHost; host%100 == 99 {
		i -= largeHost
	}
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	words := make([]string, 60)
	for j := range words {
		words[j] = fmt.Sprintf("word%d", rng.IntN(1_000_000))
	}
	return strings.Join(words, " ")
}

// largeNumber is i of largeURL(i).
func largeNumber(u weburl.URL) int {
	var host, part, i int
	if _, err := fmt.Sscanf(u.String(), "https://www.host%d.example/part%d/page-%d.html", &host, &part, &i); err != nil {
		panic(err) // it is of largeURL
	}
	return host*largeHost + i
}

// makeLarge makes a job of so many visits, and leaves a twentieth more queued.
func makeLarge(t *testing.T, dir string, pages int) {
	o := store.DefaultOptions()
	o.Delay, o.PerHost = 0, 8
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}()
	total := pages + pages/20
	for from := int(s.Totals().Seen); from < total; from += 50_000 {
		var cs []frontier.Candidate
		for i := from; i < min(from+50_000, total); i++ {
			cs = append(cs, frontier.Candidate{URL: largeURL(i), Signals: priority.Signals{Seed: float32(total-i) / float32(total), Depth: uint16(i % 6)}})
		}
		if _, err := s.Add(t.Context(), cs); err != nil {
			t.Fatal(err)
		}
	}
	work := make(chan frontier.Lease, 256)
	var workers sync.WaitGroup
	for range 64 {
		workers.Go(func() { // ends when there is no more work
			for l := range work {
				if _, err := s.Settle(context.Background(), largeVisit(l)); err != nil {
					t.Errorf("Settle(%s): %v", l.URL, err)
				}
			}
		})
	}
	for n := int(s.Totals().Pages); n < pages; {
		l, err := s.Next(t.Context())
		if errors.Is(err, frontier.ErrEmpty) {
			break
		}
		if err != nil {
			t.Error(err)
			break
		}
		if l.Task == frontier.Page {
			n++
		}
		work <- l
	}
	close(work)
	workers.Wait()
}

// largeVisit is what a lease of the large job brings.
func largeVisit(l frontier.Lease) *page.Visit {
	i := 0
	if l.Task == frontier.Page {
		i = largeNumber(l.URL)
	}
	switch {
	case l.Task == frontier.Robots:
		return &page.Visit{Lease: l, Robots: &robots.File{Origin: l.URL.Origin(), Status: 404, Fetched: time.Now()}}
	case l.Task != frontier.Page:
		return &page.Visit{Lease: l, Finished: time.Now()}
	case i%50 == 3:
		return &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
			URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404 not found", Reason: "http 404 not found", Fetched: time.Now(),
		}}
	case i%50 == 9:
		return &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
			URL: l.URL.String(), Status: 302, Verdict: page.VerdictRefused, Rule: "redirect", Reason: "redirect to http://elsewhere.example/", Fetched: time.Now(),
		}}
	}
	text := largeText(i)
	view := purify.DocView{Title: fmt.Sprintf("Page %d", i), Body: text, Lang: "en", Type: "article"}
	whole := dedup.TextOf(&view)
	sig := dedup.SignText(text)
	sig.Bytes = dedup.DigestOf([]byte(text))
	return &page.Visit{
		Lease: l, Sign: &sig, Text: &whole, View: page.PackView(&view), Finished: time.Now(), Body: []byte(text),
		Page: page.Record{
			URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Title: view.Title, Type: "text/html", Fetched: time.Now(), TookMS: 40,
			Depth: int(l.Signals.Depth), BodyTokens: int(sig.Tokens), Bytes: int64(len(text)),
		},
	}
}
