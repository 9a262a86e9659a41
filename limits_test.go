package gatecrawl_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// A bulkyWeb is a number of hosts whose pages all have the same size and link to
// many more, and which count what they are asked for, robots.txt aside.
type bulkyWeb struct {
	seeds []string
	asked atomic.Int64
}

// bulkyPage is the size of a page.
const bulkyPage = 8 << 10

func newBulkyWeb(t *testing.T, hosts int) *bulkyWeb {
	web := new(bulkyWeb)
	for i := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.7.%d:0", i+1))
		if err != nil {
			t.Skipf("this machine has no further loopback addresses: %v", err)
		}
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			web.asked.Add(1)
			w.Header().Set("Content-Type", "text/html")
			page := fmt.Appendf(nil, "<title>%s of %d</title>%s", r.URL.Path, i, prose(int(web.asked.Load())))
			for n := range 40 {
				page = fmt.Appendf(page, `<a href="%s%d">%d</a> `, r.URL.Path, n, n)
			}
			w.Write(fmt.Appendf(page, "<!--%*s-->", bulkyPage-len(page)-len("<!---->"), ""))
		}))
		srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		web.seeds = append(web.seeds, srv.URL+"/")
	}
	return web
}

// TestMaxBytesIsPassedByThePagesUnderWayAtMost crawls with and without hosts to wait
// for: workers that only wait for a host must not fetch a page after the limit.
func TestMaxBytesIsPassedByThePagesUnderWayAtMost(t *testing.T) {
	t.Parallel()
	const limit = 20 * bulkyPage
	for _, c := range []struct {
		hosts, workers int
		delay          time.Duration
	}{{1, 1, 0}, {1, 32, 0}, {12, 1, 0}, {12, 32, 0}, {12, 32, 20 * time.Millisecond}} {
		t.Run(fmt.Sprintf("%d hosts, %d workers, delay %v", c.hosts, c.workers, c.delay), func(t *testing.T) {
			web := newBulkyWeb(t, c.hosts)
			w := newWorld(t)
			w.o.Workers, w.o.MaxBytes = c.workers, limit
			w.so.Delay = c.delay
			_, ended := w.crawlURLs(t.Context(), web.seeds...)
			// Pages of one size are estimated well: one more than fits at most.
			if got, most := web.asked.Load(), int64(limit/bulkyPage+1); ended != gatecrawl.SizeLimit || got > most {
				t.Errorf("%q after %d pages of %d bytes, want the size limit after at most %d", ended, got, bulkyPage, most)
			}
			if n := w.store.Totals(); n.Wire < limit || n.Leased != 0 {
				t.Errorf("%d bytes, %d URLs still leased; want at least %d bytes and none", n.Wire, n.Leased, limit)
			}
		})
	}
}

func TestMaxPagesHoldsOverManyHosts(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 32} {
		web := newBulkyWeb(t, 12)
		w := newWorld(t)
		w.o.Workers, w.o.MaxPages = workers, 30
		_, ended := w.crawlURLs(t.Context(), web.seeds...)
		if got := web.asked.Load(); ended != gatecrawl.PageLimit || got != 30 {
			t.Errorf("with %d workers %q after %d pages, want the page limit after 30", workers, ended, got)
		}
	}
}

// TestNobodyWaitsForAHostWhenALimitIsReached reaches the limit by a page after which
// its host, the only one, rests for most of a minute.
func TestNobodyWaitsForAHostWhenALimitIsReached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, _ *http.Request) {
		time.Sleep(50 * time.Millisecond) // by which the crawler sees that the host is slow
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, prose(1), `<a href="/next">next</a>`)
	})
	w.o.MaxBytes, w.so.Delay, w.o.DelayFactor, w.so.MaxRest = 1, 500*time.Millisecond, 1000, time.Minute
	start := time.Now()
	if _, ended := w.crawl(t.Context(), "/"); ended != gatecrawl.SizeLimit || len(w.asked()) != 1 {
		t.Errorf("%q after %v, want the size limit after the first page", ended, w.asked())
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("the crawl ended after %v, want it to end with its page", took)
	}
}

func TestThePaceIsSetInTheStoreAlone(t *testing.T) {
	so := store.DefaultOptions()
	so.Delay, so.Backoff, so.MaxRest = 2*time.Second, 3*time.Second, 4*time.Second
	st, err := store.Open(t.TempDir(), so)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if got, want := st.Pace(), (gatecrawl.Pace{Delay: so.Delay, Backoff: so.Backoff, MaxRest: so.MaxRest}); got != want {
		t.Errorf("the store's pace is %+v, want %+v", got, want)
	}
}

// TestARecrawlAtThePageLimitVisitsTheJobsPagesAlone asks again for pages of a job that has as many as it may, while
// more URLs wait that were never visited.
func TestARecrawlAtThePageLimitVisitsTheJobsPagesAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what           string
		limit, perHost int64
		ended          gatecrawl.Ended
	}{{"of the job", 5, 0, gatecrawl.PageLimit}, {"of the host", 0, 5, gatecrawl.Done}} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pages := map[string]string{}
			for n := range 12 {
				pages[fmt.Sprintf("/v/%d", n)] = fmt.Sprintf(`%s <a href="/v/%d">more</a> <a href="/v/%d">more</a>`, prose(n), 2*n+1, 2*n+2)
			}
			site := newVersioned(w, pages)
			w.o.MaxPages, w.so.HostBudget = c.limit, c.perHost
			if _, ended := w.crawl(t.Context(), "/v/0"); ended != c.ended || len(site.full) != 5 {
				t.Fatalf("%s after %d pages, want %s after 5", ended, len(site.full), c.ended)
			}
			site.set("/v/2", prose(99)+`<a href="/v/12">new</a>`)
			for round := range 2 {
				before := len(w.asked())
				if _, err := w.store.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1, Ahead: c.limit > 0}); err != nil {
					t.Fatal(err)
				}
				records, ended := w.crawl(t.Context())
				asked := slices.DeleteFunc(w.asked()[before:], func(path string) bool { return len(path) > len("/v/12") }) // to see what an error page is
				if len(asked) != 5 || ended != c.ended {
					t.Errorf("round %d: asked for %v and %q, want 5 and %q", round, asked, ended, c.ended)
				}
				if p := records["/v/2"]; p.Verdict != page.VerdictNew || (p.Revisit == "") != (round == 0) {
					t.Errorf("round %d: the changed page is %s (%s)", round, p.Verdict, p.Revisit)
				}
				if n := w.store.Totals(); n.Answered() != 5 || n.Queued == 0 {
					t.Errorf("round %d: %d URLs fetched and %d queued, want 5, and more that were never visited", round, n.Answered(), n.Queued)
				}
			}
			if w.o.MaxPages *= 2; w.o.MaxPages > 0 {
				_, ended := w.crawl(t.Context())
				if n := w.store.Totals(); ended != c.ended || n.Answered() != 10 {
					t.Errorf("with the limit raised to 10: %s, %d URLs answered", ended, n.Answered())
				}
			}
		})
	}
}
