package gatecrawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// versioned serves pages that a test may change, with an ETag and a
// Last-Modified, and answers 304 to who knows the version.
type versioned struct {
	mu    sync.Mutex
	pages map[string]string // "": gone
	full  map[string]int    // answers with a body
	asked map[string]int    // requests
	moved map[string]string // redirects
	words string            // answered to whatever is under the path any
	any   string

	changed map[string]time.Time // what /sitemap.xml tells; nil: there is none
}

func (s *versioned) set(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = body
	switch {
	case s.changed == nil:
	case body == "":
		delete(s.changed, path)
	default:
		s.changed[path] = time.Now()
	}
}

// sitemap tells when pages changed.
func (s *versioned) sitemap(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "application/xml")
	fmt.Fprint(rw, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for path, at := range s.changed {
		fmt.Fprintf(rw, "<url><loc>http://%s%s</loc><lastmod>%s</lastmod></url>", r.Host, path, at.Format(time.RFC3339Nano))
	}
	fmt.Fprint(rw, "</urlset>")
}

// anything answers with the same words whatever is asked for under a path.
func (s *versioned) anything(path, words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.any, s.words = path, words
}

func (s *versioned) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	if r.URL.Path == "/sitemap.xml" && s.changed != nil {
		s.sitemap(rw, r)
		return
	}
	s.asked[r.URL.Path]++
	if to := s.moved[r.URL.Path]; to != "" {
		http.Redirect(rw, r, to, http.StatusMovedPermanently)
		return
	}
	body := s.pages[r.URL.Path]
	if s.any != "" && strings.HasPrefix(r.URL.Path, s.any) {
		body = s.words
	}
	if body == "" {
		http.NotFound(rw, r)
		return
	}
	html := fmt.Sprintf("<!DOCTYPE html><html><head><title>%s</title></head><body>%s</body></html>", r.URL.Path, body)
	tag := fmt.Sprintf("%q", dedup.DigestOf([]byte(html)).String())
	rw.Header().Set("ETag", tag)
	rw.Header().Set("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Header.Get("If-None-Match") == tag && r.Header.Get("If-Modified-Since") != "" {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	s.full[r.URL.Path]++
	fmt.Fprint(rw, html)
}

// newVersioned adds pages of this kind to a world.
func newVersioned(w *world, pages map[string]string) *versioned {
	s := &versioned{pages: pages, full: map[string]int{}}
	w.mux.Handle("GET /v/", s)
	return s
}

// refetch asks again for all that is settled, and returns the records.
func (w *world) refetch() map[string]page.Record {
	w.t.Helper()
	if _, err := w.store.Requeue(w.t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); err != nil {
		w.t.Fatal(err)
	}
	pages, ended := w.crawl(w.t.Context())
	if ended != gatecrawl.Done {
		w.t.Errorf("ended: %s, want done", ended)
	}
	return pages
}

func TestAPageThatDidNotChangeCostsNoBody(t *testing.T) {
	w := newWorld(t)
	site := newVersioned(w, map[string]string{"/v/1": prose(1) + `<a href="/v/2">2</a>`, "/v/2": prose(2)})
	before, _ := w.crawl(t.Context(), "/v/1")
	view, err := w.store.View(t.Context(), before["/v/2"].URL)
	if err != nil {
		t.Fatal(err)
	}
	after := w.refetch()
	for path, p := range after {
		if site.full[path] != 1 {
			t.Errorf("%s was sent %d times, want once", path, site.full[path])
		}
		if p.Verdict != page.VerdictNew || p.Seq != before[path].Seq || p.Status != 200 || p.Digest != before[path].Digest {
			t.Errorf("%s: %+v, want the record that was", path, p)
		}
		if p.RevisitStatus != 304 || !p.Revisited.After(p.Fetched) || p.Revisit != "not modified since the last visit" {
			t.Errorf("%s: revisit %d at %v: %s", path, p.RevisitStatus, p.Revisited, p.Revisit)
		}
	}
	if again, err := w.store.View(t.Context(), before["/v/2"].URL); err != nil || again.Body != view.Body {
		t.Errorf("the view is gone: %v", err)
	}
	n := w.store.Totals()
	if n.Pages != 2 || n.New != 2 || n.Revisits != 2 || n.Statuses["304"] != 0 {
		t.Errorf("totals %+v, want 2 pages, 2 new, 2 revisits", n)
	}
	if got := len(w.asked()); got != 4 {
		t.Errorf("%d requests, want 4: one a page and crawl", got)
	}
}

func TestAChangedPageIsSettledAnew(t *testing.T) {
	w := newWorld(t)
	site := newVersioned(w, map[string]string{"/v/1": prose(1), "/v/2": prose(2), "/v/old": prose(1)})
	before, _ := w.crawl(t.Context(), "/v/1", "/v/2")
	w.crawl(t.Context(), "/v/old") // a copy of the first
	site.set("/v/1", prose(3)+`<a href="/v/4">4</a>`)
	site.set("/v/4", prose(1)) // what the first was
	after := w.refetch()
	p := after["/v/1"]
	if p.Verdict != page.VerdictNew || p.Seq == before["/v/1"].Seq || p.Digest == before["/v/1"].Digest || p.Revisit != "" {
		t.Errorf("the changed page: %+v, want a record of its own", p)
	}
	// What the first was: a copy found before, and a page found later. The first
	// is that no longer, so one of the two is kept now.
	successor, other := after["/v/4"], after["/v/old"]
	if successor.Verdict == page.VerdictCopy {
		successor, other = other, successor
	}
	if successor.Verdict != page.VerdictNew || other.Verdict != page.VerdictCopy || other.Of != successor.URL {
		t.Errorf("equal to what the first was: %s, and %s of %s; want one new, and one its copy", successor.Verdict, other.Verdict, other.Of)
	}
	view, err := w.store.View(t.Context(), p.URL)
	if err != nil || !strings.HasPrefix(view.Body, strings.TrimPrefix(prose(3), "<p>")[:20]) {
		t.Errorf("the view is not that of the new version: %v", err)
	}
	var old page.Record
	if err := w.store.Pages(t.Context(), before["/v/1"].Seq, func(q page.Record) error {
		if q.Seq == before["/v/1"].Seq {
			old = q
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if old.ReplacedBy != p.Seq {
		t.Errorf("the old record names %d as its successor, want %d", old.ReplacedBy, p.Seq)
	}
	older := int64(0)
	if err := w.store.Pages(t.Context(), 1, func(q page.Record) error {
		if q.ReplacedBy != 0 {
			older++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := w.store.Totals(); n.Older != older || older == 0 || n.New+n.Copies+n.Older != n.Pages || n.Statuses["200"] != n.New+n.Copies {
		t.Errorf("totals %+v; want %d older versions, which are counted by no verdict", n, older)
	}
	if again := w.refetch(); again["/v/1"].RevisitStatus != 304 || w.store.Totals().Pages != 6 {
		t.Errorf("a third visit: %+v, %d records; want 304 and 6 records", again["/v/1"], w.store.Totals().Pages)
	}
}

func TestAVoteFollowsItsPage(t *testing.T) {
	w := newWorld(t)
	site := newVersioned(w, map[string]string{"/v/kept": prose(1), "/v/other": prose(2)})
	w.crawl(t.Context(), "/v/kept", "/v/other")
	site.set("/v/copy", prose(1))
	before, _ := w.crawl(t.Context(), "/v/copy")
	if p := before["/v/copy"]; p.Verdict != page.VerdictCopy || !strings.HasSuffix(p.Of, "/v/kept") {
		t.Fatalf("the copy: %+v", p)
	}
	for n, c := range []struct {
		body, of string
		verdict  page.Verdict
		votes    int64
	}{
		{prose(2), "/v/other", page.VerdictCopy, 1},
		{prose(9), "", page.VerdictNew, 0},
		{prose(1), "/v/kept", page.VerdictCopy, 1},
		{prose(1) + "<!-- -->", "/v/kept", page.VerdictCopy, 1},
	} {
		site.set("/v/copy", c.body)
		p := w.refetch()["/v/copy"]
		if p.Verdict != c.verdict || !strings.HasSuffix(p.Of, c.of) {
			t.Errorf("step %d: %s of %q, want %s of %q", n, p.Verdict, p.Of, c.verdict, c.of)
		}
		if got := w.store.Totals().Votes; got != c.votes {
			t.Errorf("step %d: %d votes, want %d", n, got, c.votes)
		}
	}
}

func TestADocumentOutlivesAFailedVisit(t *testing.T) {
	w := newWorld(t)
	site := newVersioned(w, map[string]string{"/v/1": prose(1), "/v/late": ""})
	before, _ := w.crawl(t.Context(), "/v/1", "/v/late")
	site.set("/v/1", "")
	after := w.refetch()
	if p := after["/v/1"]; p.Verdict != page.VerdictNew || p.Seq != before["/v/1"].Seq || p.RevisitStatus != 404 || p.Revisit != "http 404 not found" {
		t.Errorf("a page that is gone: %+v", p)
	}
	if p := after["/v/late"]; p.Verdict != page.VerdictFailed || p.Seq != before["/v/late"].Seq || !p.Fetched.After(before["/v/late"].Fetched) {
		t.Errorf("a page that never was: %+v", p)
	}
	if n := w.store.Totals(); n.Pages != 2 || n.Failed != 1 || n.Reasons["http 404 not found"] != 1 || n.Statuses["404"] != 1 {
		t.Errorf("totals %+v", n)
	}
	site.set("/v/1", prose(1))
	site.set("/v/late", prose(2))
	after = w.refetch()
	if p := after["/v/1"]; p.Seq != before["/v/1"].Seq || p.RevisitStatus != 304 {
		t.Errorf("a page that came back: %+v", p)
	}
	if p := after["/v/late"]; p.Verdict != page.VerdictNew || p.Seq == before["/v/late"].Seq {
		t.Errorf("a page that came late: %+v", p)
	}
}

func TestWithoutVersionsEqualBytesAreTheSamePage(t *testing.T) {
	t.Parallel()
	for _, mode := range []dedup.Mode{dedup.ModeDiscard, dedup.ModeMark, dedup.ModeOff} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			w := newWorld(t)
			w.o.Mode, w.so.Dedup.Mode = mode, mode
			w.page("/1", prose(1))
			w.page("/2", prose(2))
			before, _ := w.crawl(t.Context(), "/1", "/2")
			for path, p := range w.refetch() {
				if p.Seq != before[path].Seq || p.Revisit != "same bytes as before" || p.RevisitStatus != 200 {
					t.Errorf("%s: %+v", path, p)
				}
			}
		})
	}
}

func TestOnlyWhatIsOldEnoughIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	w.page("/1", prose(1))
	w.crawl(t.Context(), "/1")
	between := time.Now()
	w.page("/2", prose(2))
	w.crawl(t.Context(), "/2")
	for _, c := range []struct {
		before time.Time
		want   int
	}{{between, 1}, {between, 0}, {time.Now(), 1}} {
		if got, err := w.store.Requeue(t.Context(), gatecrawl.Again{Before: c.before, Copies: 1}); got.Asked != c.want || err != nil {
			t.Errorf("Requeue(%v) = %d, %v, want %d", c.before, got.Asked, err, c.want)
		}
	}
}
