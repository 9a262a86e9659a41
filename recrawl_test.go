package gatecrawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// copiedHosts are a web of hosts with the same pages, which a test may change.
type copiedHosts struct {
	*world
	sites []*versioned
	hosts []string
}

// newFarm returns hosts whose pages are the same but for what change makes of
// them; nil: nothing.
func newCopiedHosts(t *testing.T, hosts, pages int) *copiedHosts {
	f := &copiedHosts{world: newWorld(t)}
	f.o.Soft404 = false // requests are counted
	for h := range hosts {
		site := &versioned{pages: map[string]string{}, full: map[string]int{}}
		var index strings.Builder
		for p := range pages {
			site.pages[pathOf(p)] = prose(p + 1)
			fmt.Fprintf(&index, `<a href="%s">%d</a> `, pathOf(p), p)
		}
		site.pages["/"] = fmt.Sprintf("<p>%s</p>%s", prose(1000+h), index.String())
		srv := httptest.NewServer(site)
		t.Cleanup(srv.Close)
		f.sites, f.hosts = append(f.sites, site), append(f.hosts, srv.URL)
	}
	return f
}

// tell gives the hosts sitemaps.
func (f *copiedHosts) tell() {
	for _, s := range f.sites {
		s.changed = make(map[string]time.Time)
		for path := range s.pages {
			s.changed[path] = time.Now().AddDate(0, -1, 0)
		}
		s.pages["/"] += `<a href="/sitemap.xml">all pages</a>`
	}
}

func pathOf(doc int) string { return fmt.Sprintf("/p/%d", doc) }

// requests returns how many requests for the shared pages were answered.
func (f *copiedHosts) requests() (n int) {
	for _, s := range f.sites {
		s.mu.Lock()
		for p, k := range s.asked {
			if strings.HasPrefix(p, "/p/") {
				n += k
			}
		}
		clear(s.asked)
		s.mu.Unlock()
	}
	return n
}

// first crawls the hosts, host by host, so that the first keeps all pages.
func (f *copiedHosts) first() {
	f.t.Helper()
	for _, h := range f.hosts {
		f.crawlURLs(f.t.Context(), h+"/")
	}
	f.requests()
}

// again re-crawls the hosts with the given share of copies, and returns the
// records by URL.
func (f *copiedHosts) again(copies float64) map[string]page.Record {
	f.t.Helper()
	if _, err := f.store.Requeue(f.t.Context(), gatecrawl.Again{Before: time.Now(), Copies: copies}); err != nil {
		f.t.Fatal(err)
	}
	pages, ended := f.crawlURLs(f.t.Context())
	if ended != gatecrawl.Done {
		f.t.Errorf("ended: %s, want done", ended)
	}
	return pages
}

// copiesOf counts the copies of a URL as its group tells them.
func (f *copiedHosts) copiesOf(url string) int {
	f.t.Helper()
	w, err := f.store.Why(f.t.Context(), url)
	if err != nil {
		f.t.Fatal(err)
	}
	return len(w.Copies)
}

func TestOfAMirroredPageOneCopyIsAskedAgain(t *testing.T) {
	t.Parallel()
	const hosts, pages = 24, 12
	f := newCopiedHosts(t, hosts, pages)
	f.first()
	f.again(0.02)
	got, most := f.requests(), hosts*pages/10
	t.Logf("%d requests for %d mirrored pages", got, hosts*pages)
	if got < pages || got > most {
		t.Errorf("%d requests for %d mirrored pages, want %d to %d", got, hosts*pages, pages, most)
	}
	for p := range pages { // every third page changes on all hosts
		if p%3 == 0 {
			for _, s := range f.sites {
				s.set(pathOf(p), prose(200+p))
			}
		}
	}
	records := f.again(0)
	for p := range pages {
		kept := records[f.hosts[0]+pathOf(p)]
		if changed := kept.Revisit == ""; changed != (p%3 == 0) {
			t.Errorf("page %d: changed %v is not noticed: %+v", p, p%3 == 0, kept)
		}
		if got := f.copiesOf(kept.URL); got != hosts-1 {
			t.Errorf("page %d has %d copies, want %d: they changed alike or not at all", p, got, hosts-1)
		}
	}
	if got, want := f.requests(), pages+(pages+2)/3*3; got != want {
		t.Errorf("%d requests where a third changed, want %d: one a page, and three more for each that changed", got, want)
	}
}

func TestAGroupIsSplitWhereItsKeptPageChangedAlone(t *testing.T) {
	t.Parallel()
	f := newCopiedHosts(t, 5, 2)
	f.first()
	f.sites[0].set(pathOf(0), prose(300))
	records := f.again(0)
	if got, want := f.requests(), 2+3; got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
	if kept := records[f.hosts[0]+pathOf(0)]; kept.Verdict != page.VerdictNew || f.copiesOf(kept.URL) != 0 {
		t.Errorf("the changed page: %s with %d copies, want new without", kept.Verdict, f.copiesOf(kept.URL))
	}
	successor, copies, unasked := "", 0, 0
	for _, h := range f.hosts[1:] {
		switch p := records[h+pathOf(0)]; p.Verdict {
		case page.VerdictNew:
			successor = p.URL
		case page.VerdictCopy:
			copies++
			if p.Compared != 0 {
				unasked++
			}
		}
	}
	if successor == "" || copies != 3 || f.copiesOf(successor) != 3 || unasked != 1 {
		t.Errorf("successor %q, %d copies, %d of them say with what they were compared; want one of four hosts, the other three, and the one that was not asked", successor, copies, unasked)
	}
	if got := f.copiesOf(f.hosts[0] + pathOf(1)); got != 4 {
		t.Errorf("the page that did not change has %d copies, want 4", got)
	}
	if again := f.again(0); again[successor].Revisit != "not modified since the last visit" || f.requests() != 3 {
		t.Errorf("the successor is asked for its group from then on: %+v", again[successor])
	}
}

// A copy changes and its kept page does not; then servers say of all their pages, each
// time, that they changed just now.
func TestACopyThatChangedAloneIsAskedWhereASitemapTellsSo(t *testing.T) {
	t.Parallel()
	const hosts, pages = 5, 60
	f := newCopiedHosts(t, hosts, pages)
	f.tell()
	f.first()
	f.again(0)
	if got := f.requests(); got != pages {
		t.Errorf("%d requests where nothing changed, want %d: one a page", got, pages)
	}
	f.sites[3].set(pathOf(7), prose(700))
	records := f.again(0)
	if p := records[f.hosts[3]+pathOf(7)]; p.Verdict != page.VerdictNew {
		t.Errorf("the copy that changed alone is %s of %s, want new", p.Verdict, p.Of)
	}
	if got, most := f.requests(), pages+1+10; got <= pages || got > most {
		t.Errorf("%d requests where one copy changed, want %d at most: one a page, that copy, and some of its host", got, most)
	}
	asked := make(map[string]bool)
	for range hosts - 1 {
		for _, s := range f.sites {
			for path := range s.changed {
				s.changed[path] = time.Now()
			}
		}
		start := time.Now()
		for url, p := range f.again(0) {
			if p.Verdict == page.VerdictCopy && p.Revisited.After(start) {
				asked[url] = true
			}
		}
		if got, most := f.requests(), pages+1+10*hosts; got > most {
			t.Errorf("%d requests where sitemaps always tell of changes, want %d at most", got, most)
		}
	}
	if want := 10 * hosts; len(asked) < want {
		t.Errorf("%d copies were asked in %d re-crawls, want %d and more: others each time", len(asked), hosts-1, want)
	}
}

// Of one host's copies all change while their kept pages do not.
func TestACopyThatChangedAloneLeadsToOthersOfItsHost(t *testing.T) {
	t.Parallel()
	const hosts, pages = 3, 80
	f := newCopiedHosts(t, hosts, pages)
	f.first()
	for p := range pages {
		f.sites[2].set(pathOf(p), prose(800+p))
	}
	found, start := 0, time.Now()
	for url, p := range f.again(0.2) {
		if strings.HasPrefix(url, f.hosts[2]+"/p/") && p.Fetched.After(start) {
			found++
		}
	}
	if got, most := f.requests(), pages+pages+2*pages/3; found != pages || got > most {
		t.Errorf("%d of %d copies that changed were found with %d requests, want all with %d at most", found, pages, got, most)
	}
}

func TestALivingCopyTakesOver(t *testing.T) {
	t.Parallel()
	f := newCopiedHosts(t, 5, 1)
	f.first()
	f.sites[0].set(pathOf(0), "") // gone
	f.sites[2].set(pathOf(0), "")
	records := f.again(0)
	var successor page.Record
	for _, h := range f.hosts[1:] {
		if p := records[h+pathOf(0)]; p.Verdict == page.VerdictNew {
			successor = p
		}
	}
	if successor.URL == "" || f.copiesOf(successor.URL) != 3 {
		t.Fatalf("successor %q with %d copies, want one with 3", successor.URL, f.copiesOf(successor.URL))
	}
	if p := records[f.hosts[0]+pathOf(0)]; p.RevisitStatus != http.StatusNotFound || p.Verdict != page.VerdictNew {
		t.Errorf("what is gone keeps its record: %+v", p)
	}
	f.sites[0].set(pathOf(0), prose(1))
	if p := f.again(0)[f.hosts[0]+pathOf(0)]; p.Verdict != page.VerdictCopy || p.Of != successor.URL {
		t.Errorf("what came back is %s of %q, want a copy of %s", p.Verdict, p.Of, successor.URL)
	}
}

func TestAGroupWithoutLivingCopiesIsLeft(t *testing.T) {
	t.Parallel()
	f := newCopiedHosts(t, 4, 1)
	f.first()
	for _, s := range f.sites {
		s.set(pathOf(0), "")
	}
	f.again(0)
	if got := f.requests(); got != 4 {
		t.Errorf("%d requests, want 4: each once", got)
	}
	for _, s := range f.sites {
		s.set(pathOf(0), prose(1))
	}
	kept := 0
	for _, p := range f.again(0) {
		if p.Verdict == page.VerdictNew && strings.HasSuffix(p.URL, pathOf(0)) && p.ReplacedBy == 0 && p.Revisit == "" {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d pages are kept of those that came back, want 1", kept)
	}
}

func TestEveryCopyGoesItsOwnWay(t *testing.T) {
	t.Parallel()
	f := newCopiedHosts(t, 4, 1)
	f.first()
	for h, s := range f.sites {
		s.set(pathOf(0), prose(400+h))
	}
	for url, p := range f.again(0) {
		if strings.HasSuffix(url, pathOf(0)) && (p.Verdict != page.VerdictNew || p.Compared != 0) {
			t.Errorf("%s: %s of %s, want new", url, p.Verdict, p.Of)
		}
	}
}

func TestTheChangeRateIsThatOfTheGroup(t *testing.T) {
	t.Parallel()
	f := newCopiedHosts(t, 2, 1)
	f.first()
	url := f.hosts[0] + pathOf(0)
	for n := range 4 {
		if n%2 == 1 {
			for _, s := range f.sites {
				s.set(pathOf(0), prose(500+n))
			}
		}
		f.again(0)
	}
	w, err := f.store.Why(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if w.Changes == nil || w.Changes.Visits != 4 || w.Changes.Changes != 2 {
		t.Errorf("changes %+v, want 2 in 4 visits", w.Changes)
	}
}
