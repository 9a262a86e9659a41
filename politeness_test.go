package gatecrawl_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// crawlerOn returns a crawler of a new job, and its store, which is closed at the test's end.
func crawlerOn(t *testing.T, o gatecrawl.Options, so store.Options, fo fetch.Options) (*gatecrawl.Crawler, *store.Store) {
	t.Helper()
	s, err := store.Open(t.TempDir(), so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	fo.AllowLoopback = true
	f, err := fetch.New(fo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	scope, err := frontier.NewScope(frontier.DefaultScopeOptions())
	if err != nil {
		t.Fatal(err)
	}
	c, err := gatecrawl.New(o, s, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// run crawls seeds with the given settings until the end or for a while.
func run(t *testing.T, o gatecrawl.Options, so store.Options, fo fetch.Options, list []string, limit time.Duration) *store.Store {
	t.Helper()
	o.TimeLimit = limit
	c, s := crawlerOn(t, o, so, fo)
	text := strings.Join(list, "\n")
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(text), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoSiteIsAskedTooOftenOrTwiceAtOnce reads the request log of a web with slow
// pages, redirects, robots.txt files and a Crawl-delay.
func TestNoSiteIsAskedTooOftenOrTwiceAtOnce(t *testing.T) {
	t.Parallel()
	wo := testserver.Defaults()
	wo.Hosts, wo.Pages, wo.PageBytes, wo.Links = 8, 30, 6_000, 8
	wo.SlowDelay, wo.CrawlDelay = 150*time.Millisecond, 120*time.Millisecond
	web, err := testserver.New(wo)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	o, so := gatecrawl.DefaultOptions(), store.DefaultOptions()
	so.Delay = 30 * time.Millisecond
	o.MaxPages = 120
	run(t, o, so, fetch.Options{}, web.Seeds(), 20*time.Second)

	delay := make(map[string]time.Duration)
	log := web.Requests()
	for _, s := range web.Sites() {
		delay[s.Name] = max(so.Delay, crawlDelay(t, s.URL))
	}
	last := make(map[string]time.Time)
	for _, r := range log {
		want := delay[r.Site]
		if last[r.Site].IsZero() || r.Path == "/robots.txt" {
			want = 0 // the first is asked before anybody knows
		}
		if gap := r.Time.Sub(last[r.Site]); gap < want {
			t.Errorf("%s of %s came %v after the request before; want %v", r.Path, r.Site, gap, want)
		}
		last[r.Site] = r.Time
	}
	asked := 0
	for _, tr := range web.Traffic() {
		asked += tr.Requests
		if tr.Concurrent > 1 {
			t.Errorf("%s had %d requests at once", tr.Site, tr.Concurrent)
		}
	}
	if asked < 25 {
		t.Errorf("%d requests in all: too few to say anything", asked)
	}
}

// crawlDelay reads what a site's robots.txt asks for.
func crawlDelay(t *testing.T, site string) time.Duration {
	t.Helper()
	r, err := http.Get(site + "robots.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "Crawl-delay: "); ok {
			d, err := time.ParseDuration(strings.TrimSpace(v) + "s")
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	return 0
}

// silent listens on addresses of 127.0.0.0/8, takes connections and never answers.
func silent(t *testing.T, n int) (urls []string) {
	t.Helper()
	for i := range n {
		l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 90+i/62_500, 1+i/250%250, 1+i%250))
		if err != nil {
			t.Skipf("this system does not answer on all of 127.0.0.0/8: %v", err)
		}
		var open []net.Conn
		var mu sync.Mutex
		go func() { // ends when the listener is closed
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				mu.Lock()
				open = append(open, c)
				mu.Unlock()
			}
		}()
		t.Cleanup(func() {
			l.Close()
			mu.Lock()
			defer mu.Unlock()
			for _, c := range open {
				c.Close()
			}
		})
		for p := range 3 {
			urls = append(urls, fmt.Sprintf("http://%s/%d", l.Addr(), p))
		}
	}
	return urls
}

// With more hosts that accept connections and never answer than there are workers, a web is
// crawled to its end while all requests to those hosts are still open.
func TestDeadHostsDoNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	wo := testserver.Bench(4, 40)
	wo.PageBytes, wo.Mirrors, wo.Partial = 6_000, 0, 0
	web, err := testserver.New(wo)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	o, so := gatecrawl.DefaultOptions(), store.DefaultOptions()
	o.Workers, o.Spare, o.Grace, so.MaxProbes, so.Delay = 2, 20, 0, 20, 0
	want := run(t, o, so, fetch.Options{}, web.Seeds(), time.Minute).Totals().Fetched
	if want < 40 {
		t.Fatalf("%d pages without dead hosts, want 40 or more", want)
	}

	c, s := crawlerOn(t, o, so, fetch.Options{HeaderTimeout: time.Hour})
	list := strings.Join(append(silent(t, 16), web.Seeds()...), "\n")
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(list), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c.SetHooks(gatecrawl.Hooks{Page: func(gatecrawl.Settled) {
		if s.Totals().Fetched >= want {
			stop()
		}
	}})
	if _, err := c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := s.Totals(); n.Fetched != want || n.Failed != 0 {
		t.Errorf("%d pages fetched and %d failed while 16 hosts do not answer, want %d and 0", n.Fetched, n.Failed, want)
	}
}

// TestDeadHostsDoNotSlowDownTheOthers measures: it crawls a web alone, and then together with
// as many hosts that accept connections and never answer.
//
//	GATECRAWL_HOSTS=5000 GATECRAWL_SECONDS=60 go test . -run TestDeadHostsDoNotSlowDown -v
func TestDeadHostsDoNotSlowDownTheOthers(t *testing.T) {
	if os.Getenv("GATECRAWL_HOSTS") == "" {
		t.Skip("a measurement of speed: set GATECRAWL_HOSTS and GATECRAWL_SECONDS")
	}
	hosts, seconds := env.Number(t, "GATECRAWL_HOSTS", 16), env.Number(t, "GATECRAWL_SECONDS", 2)
	answered := func(dead []string) int {
		wo := testserver.Bench(hosts, 40+8*seconds)
		wo.PageBytes, wo.Mirrors, wo.Partial = 6_000, 0, 0
		web, err := testserver.New(wo)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		if err := web.Start(ctx); err != nil {
			t.Fatal(err)
		}
		defer web.Close()
		o, so := gatecrawl.DefaultOptions(), store.DefaultOptions()
		o.Workers, o.Grace = 16, 0
		so.MaxProbes = o.Spare
		// Politeness, not the machine, is to bound the living: 5 pages a second each.
		so.Delay = 200 * time.Millisecond
		seeds := append(web.Seeds(), dead...)
		run(t, o, so, fetch.Options{HeaderTimeout: 15 * time.Second}, seeds, time.Duration(seconds)*time.Second)
		n := 0
		for _, tr := range web.Traffic() {
			n += tr.Requests
		}
		return n
	}
	dead := silent(t, hosts)
	alone, together := answered(nil), answered(dead)
	t.Logf("%d hosts: %d requests in %d s alone, %d together with as many that do not answer", hosts, alone, seconds, together)
	if float64(together) < .9*float64(alone) {
		t.Errorf("want 90%% or more")
	}
}
