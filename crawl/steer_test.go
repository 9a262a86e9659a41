package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// A chain is a site of pages that each link to the next. Every page but the first waits
// until the test lets it be answered.
func chain(t *testing.T, pages int) (site *httptest.Server, asked chan string, answer chan struct{}) {
	asked, answer = make(chan string), make(chan struct{})
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")) // a probe for error pages may start with a digit
		if err == nil {
			select {
			case asked <- r.URL.Path:
				<-answer
			case <-t.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><p>Words of page number %d, which no other has.", n, n)
		if n < pages {
			fmt.Fprintf(w, `<p><a href="/%d">next</a> <a href="/drop/%d">never</a>`, n+1, n)
		}
	}))
	t.Cleanup(site.Close)
	return site, asked, answer
}

type ended struct {
	how gatecrawl.Ended
	err error
}

// running starts a crawl, and returns where its end is told.
func running(t *testing.T, c *crawl.Crawl) chan ended {
	end := make(chan ended, 1)
	go func() { // ends with the crawl
		how, err := c.Run(t.Context())
		end <- ended{how, err}
	}()
	return end
}

func TestAPausedCrawlStartsNoPageUntilItGoesOn(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 3)
	s := quick(site.URL + "/")
	s.Workers = 1
	c := open(t, t.TempDir(), s, crawl.Options{})
	settled := make(chan string, 10)
	c.OnPage(func(p gatecrawl.Settled) { settled <- p.URL })
	end := running(t, c)
	<-asked
	c.Pause()
	answer <- struct{}{} // the page in hand is finished
	for url := range settled {
		if strings.HasSuffix(url, "/1") {
			break
		}
	}
	st, err := c.Job().Status(t.Context())
	if err != nil || !st.Paused || st.Queued+st.Leased == 0 {
		t.Errorf("Status of a paused crawl = paused %v, %d queued, %v; want paused with a queue", st.Paused, st.Queued, err)
	}
	select {
	case path := <-asked:
		t.Fatalf("the paused crawl asked for %s", path)
	case e := <-end:
		t.Fatalf("the paused crawl ended: %v, %v", e.how, e.err)
	default:
	}
	c.Resume()
	for range 2 {
		<-asked
		answer <- struct{}{}
	}
	if e := <-end; e.how != gatecrawl.Done || e.err != nil {
		t.Errorf("the crawl ended with %q, %v, want %q", e.how, e.err, gatecrawl.Done)
	}
	if n := c.Tally().New; n != 4 {
		t.Errorf("the crawl has %d pages, want 4", n)
	}
}

func TestAPatternThatIsExcludedMeanwhileHoldsForWhatIsQueuedAndForTheNextRun(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 2)
	dir := t.TempDir()
	s := quick(site.URL + "/")
	s.Workers = 1
	c, err := crawl.Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	end := running(t, c)
	<-asked // "/" is settled: its links are queued
	if _, err := c.Apply(gatecrawl.Change{Exclude: []string{"("}}); err == nil || !strings.Contains(err.Error(), `exclude "("`) {
		t.Errorf("Turn of a pattern at fault = %v, want it named", err)
	}
	d, err := c.Apply(gatecrawl.Change{Exclude: []string{"/drop/", "/drop/"}})
	if err != nil || len(d.Exclude) != 1 {
		t.Fatalf("Turn = %q, %v, want the pattern once", d.Exclude, err)
	}
	answer <- struct{}{}
	<-asked
	answer <- struct{}{}
	if e := <-end; e.how != gatecrawl.Done || e.err != nil {
		t.Fatalf("the crawl ended with %q, %v", e.how, e.err)
	}
	why, err := c.Job().Why(t.Context(), site.URL+"/drop/0")
	if err != nil || why.Page == nil || why.Page.Verdict != page.VerdictRefused || why.Page.Rule != "exclude" {
		t.Errorf("why of a queued URL that was excluded = %+v, %v, want refused by exclude", why.Page, err)
	}
	check(t, c)
	if got := saved(t, dir).Exclude; len(got) != 1 || got[0] != "/drop/" {
		t.Errorf("the job keeps the patterns %q, want the new one", got)
	}
}

func TestWhatIsTurnedIsSavedWithTheJob(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 1)
	dir := t.TempDir()
	c, err := crawl.Open(dir, quick(site.URL+"/"))
	if err != nil {
		t.Fatal(err)
	}
	end := running(t, c)
	<-asked
	u, err := weburl.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	delay, workers, pages, bytes := 3*time.Second, 2, int64(50), int64(1<<20)
	d, err := c.Apply(gatecrawl.Change{
		Delay: &delay, Workers: &workers, MaxPages: &pages, MaxBytes: &bytes,
		HostDelay: map[string]time.Duration{u.Host(): 7 * time.Second, "b.example": 0},
	})
	if err != nil || d.Delay != delay || d.HostDelay[u.Host()] != 7*time.Second || len(d.HostDelay) != 1 {
		t.Errorf("Turn = %+v, %v", d, err)
	}
	for _, bad := range []gatecrawl.Change{
		{Workers: new(int)}, {Delay: ptr(-time.Second)}, {Delay: ptr(1000 * time.Hour)}, {MaxPages: ptr(int64(-1))}, {Exclude: []string{""}},
		{HostDelay: map[string]time.Duration{"a b": time.Second}},
	} {
		if _, err := c.Apply(bad); err == nil {
			t.Errorf("Turn(%+v) is taken", bad)
		}
	}
	if got := c.Controls(); got.Delay != delay || got.Workers != 2 {
		t.Errorf("after changes at fault Controls = %+v, want nothing changed", got)
	}
	c.Stop()
	answer <- struct{}{}
	if e := <-end; e.how != gatecrawl.Interrupted || e.err != nil {
		t.Errorf("the crawl ended with %q, %v, want %q", e.how, e.err, gatecrawl.Interrupted)
	}
	check(t, c)
	s := saved(t, dir)
	if time.Duration(s.Delay) != delay || s.Workers != 2 || s.MaxPages != 50 || s.MaxBytes != 1<<20 || len(s.HostDelay) != 1 || len(s.URL) != 0 {
		t.Errorf("the job keeps delay %v, workers %d, pages %d, bytes %d, host delays %v, URLs %v",
			time.Duration(s.Delay), s.Workers, s.MaxPages, s.MaxBytes, s.HostDelay, s.URL)
	}
}

func ptr[T any](v T) *T { return &v }

func TestAHostThatIsParkedByHandStaysParkedWhenTheJobIsOpenedAgain(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 3)
	dir := t.TempDir()
	s := quick(site.URL + "/")
	s.Workers = 1
	c, err := crawl.Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	end := running(t, c)
	<-asked
	host := strings.TrimPrefix(site.URL, "http://")
	if err := c.Park(t.Context(), "unheard.example", time.Hour); !errors.Is(err, gatecrawl.ErrUnknown) {
		t.Errorf("Park of a host that was never met = %v, want ErrUnknown", err)
	}
	if err := c.Park(t.Context(), host, time.Hour); err != nil {
		t.Fatal(err)
	}
	answer <- struct{}{} // an answer that is under way ends no park by hand
	if e := <-end; e.how != gatecrawl.Done || e.err != nil {
		t.Fatalf("a crawl with nothing but a parked host ended with %q, %v", e.how, e.err)
	}
	check(t, c)

	c = open(t, dir, saved(t, dir), crawl.Options{})
	hosts, err := c.Job().Hosts(t.Context(), gatecrawl.HostQuery{By: frontier.HostsParked})
	if err != nil || len(hosts) != 1 || hosts[0].Name != host || !hosts[0].ByHand || hosts[0].Parked == nil {
		t.Fatalf("Hosts = %+v, %v, want %s parked by hand", hosts, err, host)
	}
	if got := c.Totals(); got.ParkedHosts != 1 || got.Parked == 0 {
		t.Errorf("Totals = %d parked hosts with %d URLs, want 1 and some", got.ParkedHosts, got.Parked)
	}
	if why, err := c.Job().Why(context.Background(), site.URL+"/2"); err != nil || why.Host == nil || !why.Host.ByHand {
		t.Errorf("why of a URL of the host = %+v, %v, want that it is parked by hand", why.Host, err)
	}
	if err := c.Park(t.Context(), host, 0); err != nil {
		t.Fatal(err)
	}
	if got := c.Totals(); got.ParkedHosts != 0 {
		t.Errorf("after it was let go Totals count %d parked hosts", got.ParkedHosts)
	}
	end = running(t, c)
	for range 2 {
		<-asked
		answer <- struct{}{}
	}
	if e := <-end; e.how != gatecrawl.Done || e.err != nil {
		t.Errorf("the crawl ended with %q, %v", e.how, e.err)
	}
}

// Near max-pages a host that is leased and not asked yet is not one that does not answer.
func TestAHostThatWaitsForTheLimitIsNotSaidToBeAsked(t *testing.T) {
	t.Parallel()
	first, asked, answer := chain(t, 1)
	second := httptest.NewServer(first.Config.Handler)
	t.Cleanup(second.Close)
	s := quick(first.URL+"/1", second.URL+"/1")
	s.MaxPages, s.Workers = 1, 2
	c := open(t, t.TempDir(), s, crawl.Options{})
	end := running(t, c)
	release := sync.OnceFunc(func() {
		close(answer)
		go func() { // ends with the test; the path of a probe for error pages may look like that of a page
			for {
				select {
				case <-asked:
				case <-t.Context().Done():
					return
				}
			}
		}()
	})
	defer release()
	<-asked
	inHand := func(wait int) (waits, since []gatecrawl.HostState) {
		await.Until(t, 10*time.Second, func() error {
			waits, since = nil, nil
			hosts, err := c.Job().Hosts(t.Context(), gatecrawl.HostQuery{By: frontier.HostsInHand})
			for _, h := range hosts {
				if h.AtLimit {
					waits = append(waits, h)
				}
				if h.Since != nil {
					since = append(since, h)
				}
			}
			if err == nil && (len(hosts) != 2 || len(waits) != wait) {
				err = fmt.Errorf("of %d hosts in hand %d wait, want %d of 2", len(hosts), len(waits), wait)
			}
			return err
		})
		return waits, since
	}
	waits, since := inHand(1)
	if len(since) != 1 || waits[0].Name == since[0].Name {
		t.Errorf("%+v wait and %+v are asked: want one each", waits, since)
	}
	raised, two := time.Now(), int64(2)
	if _, err := c.Apply(gatecrawl.Change{MaxPages: &two}); err != nil {
		t.Fatal(err)
	}
	<-asked
	if _, since = inHand(0); len(since) != 2 {
		t.Errorf("%+v are asked, want both", since)
	}
	for _, h := range since {
		if h.Name == waits[0].Name && h.Since.Before(raised) {
			t.Errorf("%s is asked since %v, and the limit was raised at %v", h.Name, h.Since, raised)
		}
	}
	release()
	if e := <-end; e.err != nil {
		t.Errorf("the crawl ended with %+v", e)
	}
}
