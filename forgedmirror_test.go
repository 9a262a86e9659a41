package gatecrawl_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A forgery is a site of so many pages, and a stranger that serves them too, some of
// them with one word replaced. Each is on an IP address of its own, so that they are
// of different registrable domains.
type forgery struct {
	pages    int
	altered  int          // of a hundred
	link     bool         // the original links to the stranger
	line     string       // on all pages of the stranger
	faithful atomic.Int64 // the stranger's answers to come that are as the original's, whatever altered says

	original, stranger string       // origins
	asked              atomic.Int64 // of the original
}

// text is the text of a page: 150 words.
func (f *forgery) text(n int) string {
	words := strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango")
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var b strings.Builder
	for range 150 {
		b.WriteString(words[r.IntN(20)] + words[r.IntN(20)] + " ")
	}
	return b.String()
}

func (f *forgery) isAltered(n int) bool { return n*f.altered/100 != (n+1)*f.altered/100 }

func (f *forgery) serve(t *testing.T, stranger bool) string {
	t.Helper()
	address := "127.44.0.2:0"
	if stranger {
		address = "127.44.0.1:0" // it comes first in the alphabet
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			fmt.Fprint(w, "<title>root</title><p>root of the site")
			for i := range f.pages {
				fmt.Fprintf(w, `<a href="/p%d">l</a> `, i)
			}
			if f.link && !stranger {
				fmt.Fprintf(w, `<a href="%s/">a friend</a>`, f.stranger)
			}
			return
		}
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/p%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		text := f.text(n)
		if stranger && f.isAltered(n) && f.faithful.Add(-1) < 0 {
			text = strings.Replace(text, " ", " EVILPAY ", 1)
		}
		if !stranger {
			f.asked.Add(1)
		}
		line := ""
		if stranger {
			line = f.line
		}
		fmt.Fprintf(w, "<title>Doc %d</title>%s<article><h1>Doc %d</h1><p>%s</p></article>", n, line, n, text)
	}))
	srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL
}

// A crawled is a job over some seeds, to be crawled again.
type crawled struct {
	t       *testing.T
	store   *store.Store
	crawler *gatecrawl.Crawler
}

func crawlOf(t *testing.T, list ...string) *crawled {
	t.Helper()
	so := store.DefaultOptions()
	so.Delay, so.PerIP, so.Mirrors = 0, 0, mirror.ModeOn
	st, err := store.Open(t.TempDir(), so)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	within := frontier.DefaultScopeOptions()
	within.Mode = frontier.ScopeAny
	scope, err := frontier.NewScope(within)
	if err != nil {
		t.Fatal(err)
	}
	o := gatecrawl.DefaultOptions()
	o.LoopbackOnly = true
	c, err := gatecrawl.New(o, st, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(strings.Join(list, "\n")), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	j := &crawled{t, st, c}
	j.run()
	return j
}

func (j *crawled) run() {
	j.t.Helper()
	if _, err := j.crawler.Run(j.t.Context()); err != nil {
		j.t.Fatal(err)
	}
	suite.Verify(j.t, j.store)
}

// missing counts the URLs of a site that brought no document.
func (j *crawled) missing(origin string, pages int) int {
	j.t.Helper()
	n := pages
	if err := j.store.Pages(j.t.Context(), 1, func(p page.Record) error {
		if strings.HasPrefix(p.URL, origin+"/p") && p.Document() && p.ReplacedBy == 0 {
			n--
		}
		return nil
	}); err != nil {
		j.t.Fatal(err)
	}
	return n
}

// displaced counts the pages of a site that were discarded as copies of pages of the stranger's with other bytes.
func (j *crawled) displaced(origin, stranger string) (n int) {
	j.t.Helper()
	if err := j.store.Pages(j.t.Context(), 1, func(p page.Record) error {
		if strings.HasPrefix(p.URL, origin+"/p") && strings.HasPrefix(p.Of, stranger) && p.Level > int(dedup.LevelBytes) && p.ReplacedBy == 0 {
			n++
		}
		return nil
	}); err != nil {
		j.t.Fatal(err)
	}
	return n
}

func TestAStrangersAlteredCopyDisplacesNothing(t *testing.T) {
	t.Parallel()
	pages, shares := 400, []int{1, 10, 100} // percent of the pages
	if !slow.Wanted() {
		pages, shares = 200, shares[1:2]
	}
	for _, altered := range shares {
		for _, order := range []string{"original first", "stranger first", "original links to the stranger"} {
			t.Run(fmt.Sprintf("%d%%, %s", altered, order), func(t *testing.T) {
				f := &forgery{pages: pages, altered: altered}
				f.original, f.stranger = f.serve(t, false), f.serve(t, true)
				seeds := []string{f.original + "/", f.stranger + "/"}
				switch order {
				case "stranger first":
					seeds[0], seeds[1] = seeds[1], seeds[0]
				case "original links to the stranger":
					seeds, f.link = seeds[:1], true
				}
				j := crawlOf(t, seeds...)
				lost := j.missing(f.original, pages)
				t.Logf("%d of the original's pages were not asked for, %d of the stranger's; mirrors %v", lost, j.missing(f.stranger, pages), j.store.Totals().Mirrors)
				if order == "stranger first" && altered == 1 {
					// The stranger was there first, and 99 of 100 pages are equal.
					return
				}
				if n := j.displaced(f.original, f.stranger); n > 0 && order != "stranger first" {
					t.Errorf("%d of %d pages of the original are near copies of the stranger's altered ones", n, pages)
				}
				if lost > 0 {
					t.Errorf("%d of %d pages of the original were not asked for, want none; mirrors %v", lost, pages, j.store.Totals().Mirrors)
				}
			})
		}
	}
}

// A line that is on all pages of a site is its frame, so that all of the stranger's texts are those of the original.
func TestAStrangersLineOnEachPageDisplacesNothing(t *testing.T) {
	t.Parallel()
	f := &forgery{pages: 120, line: "<div class=notice><p>Cheap medicine of all kinds is what we sell here, day and night</p></div>"}
	f.original, f.stranger = f.serve(t, false), f.serve(t, true)
	j := crawlOf(t, f.original+"/", f.stranger+"/")
	if n := j.displaced(f.original, f.stranger); n > 0 {
		t.Errorf("%d of %d pages of the original are copies of the stranger's", n, f.pages)
	}
}

// faithfulFor is so many answers that both sites were found to be one by then.
const faithfulFor = 90

func TestAMirrorThatChangesOnceItIsTrustedIsGivenUp(t *testing.T) {
	slow.Test(t, "crawls a site of 400 pages and its mirror twice")
	const pages = 400
	for _, strangerFirst := range []bool{false, true} {
		t.Run(fmt.Sprintf("stranger first: %v", strangerFirst), func(t *testing.T) {
			f := &forgery{pages: pages, altered: 100}
			f.faithful.Store(faithfulFor)
			f.original, f.stranger = f.serve(t, false), f.serve(t, true)
			seeds := []string{f.original + "/", f.stranger + "/"}
			putOff := f.stranger
			if strangerFirst {
				seeds[0], seeds[1], putOff = seeds[1], seeds[0], f.original
			}
			j := crawlOf(t, seeds...)
			m := j.store.Totals().Mirrors
			if m["found"] == 0 || m["given-up"] == 0 {
				t.Errorf("mirrors are %v, want one found and given up", m)
			}
			if n := j.missing(putOff, pages); n > 0 {
				t.Errorf("%d of %d pages of the site that is no copy any more were not asked for; mirrors %v", n, pages, m)
			}
		})
	}
}

func TestAMirrorThatChangesBeforeARecrawlIsGivenUp(t *testing.T) {
	t.Parallel()
	const pages = 300
	f := &forgery{pages: pages, altered: 100}
	f.faithful.Store(1 << 40)
	f.original, f.stranger = f.serve(t, false), f.serve(t, true)
	j := crawlOf(t, f.original+"/", f.stranger+"/")
	if m := j.store.Totals().Mirrors; m["found"] != 1 || m["given-up"] != 0 {
		t.Fatalf("mirrors are %v, want one found", m)
	}
	f.faithful.Store(0)
	if _, err := j.store.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: .02}); err != nil {
		t.Fatal(err)
	}
	j.run()
	if n := j.missing(f.stranger, pages); n > 0 {
		t.Errorf("%d of %d pages of the site that changed were not asked for; mirrors %v", n, pages, j.store.Totals().Mirrors)
	}
	pair, err := j.store.Pair(t.Context(), f.original, f.stranger)
	if err != nil {
		t.Fatal(err)
	}
	if ts := pair.Twins; len(ts) != 1 || !ts[0].GivenUp || ts[0].Missed == 0 || !strings.HasPrefix(ts[0].Differs, f.stranger+"/p") {
		t.Errorf("of the two sites is said %+v, want that the stranger was given up, and for which page", ts)
	}
}
