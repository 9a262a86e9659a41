package gatecrawl_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/page"
)

// sorry answers 200 to whatever is below /s/, and repeats the URL.
func (w *world) sorry() {
	w.mux.HandleFunc("GET /s/", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<!DOCTYPE html><html><head><title>Sorry</title></head><body>%s%s<p>There is no %s.</p></body></html>", prose(77), prose(78), r.URL.Path)
	})
}

func TestAnswersForWhatIsNotThereAreNoCopies(t *testing.T) {
	w := newWorld(t)
	w.o.Workers, w.o.Spare = 1, 0 // one after the other
	w.sorry()
	links := prose(1)
	for n := range 8 {
		links += fmt.Sprintf(`<a href="/s/page%d">%[1]d</a><a href="/t/page%d">%[1]d</a>`, n, n)
		w.text(fmt.Sprintf("/t/page%d", n), "text/html", "<title>Terms</title>"+prose(5)+strings.Repeat(" ", n)) // copies of a page that is there
	}
	w.page("/", links)
	pages, _ := w.crawl(t.Context(), "/")
	refused, copies := 0, 0
	for path, p := range pages {
		switch {
		case strings.HasPrefix(path, "/s/") && p.Rule == "soft-404":
			refused++
		case strings.HasPrefix(path, "/t/") && p.Verdict == page.VerdictCopy:
			copies++
		case p.Rule == "soft-404":
			t.Errorf("%s: %s", path, p.Reason)
		}
	}
	// The first is new, and for the third copy of it the site is asked.
	if refused != 5 || copies != 7 {
		t.Errorf("%d refused and %d copies, want 5 and 7", refused, copies)
	}
	if got, want := len(w.asked()), 1+16+2; got != want {
		t.Errorf("%d requests, want %d: each page, and of two folders an address where nothing is", got, want)
	}
}

// TestARequestForAnErrorPageThatIsNotAllowedSaysNothingOfTheSite has the lease run out between a page and the request for the error page of
// its folder: the page is fetched again, and the site asked then.
func TestARequestForAnErrorPageThatIsNotAllowedSaysNothingOfTheSite(t *testing.T) {
	w := newWorld(t)
	w.o.Workers, w.o.Spare = 1, 0 // one after the other
	var read atomic.Bool          // a page was read, and is not settled
	refused := 0
	w.mux.HandleFunc("GET /s/", func(rw http.ResponseWriter, r *http.Request) {
		read.Store(true)
		fmt.Fprintf(rw, "<!DOCTYPE html><title>Sorry</title>%s%s<p>There is no %s.</p>", prose(77), prose(78), r.URL.Path)
	})
	w.settling = func(*page.Visit) { read.Store(false) }
	w.allowed = func() error {
		if read.Load() && refused == 0 {
			refused++
			return errors.New("the lease has run out")
		}
		return nil
	}
	var urls []string
	for n := range 8 {
		urls = append(urls, fmt.Sprintf("/s/page%d", n))
	}
	pages, _ := w.crawl(t.Context(), urls...)
	errorPages := 0
	for _, p := range pages {
		if p.Rule == "soft-404" {
			errorPages++
		}
	}
	if refused != 1 || errorPages != 5 {
		t.Errorf("%d requests were not allowed, and %d error pages found, want 1 and 5", refused, errorPages)
	}
	if got, want := len(w.asked()), 8+1+1; got != want {
		t.Errorf("%d requests, want %d: each page, one of them twice, and an address where nothing is", got, want)
	}
}

func TestADocumentOutlivesTheWordsForItsEnd(t *testing.T) {
	w := newWorld(t)
	site := newVersioned(w, map[string]string{"/v/a/1": prose(1), "/v/b/2": prose(2), "/v/b/nowhere": ""})
	before, _ := w.crawl(t.Context(), "/v/a/1", "/v/b/2")
	site.anything("/v/a/", prose(77))
	site.set("/v/b/2", prose(3))
	after := w.refetch()
	if p := after["/v/a/1"]; p.Seq != before["/v/a/1"].Seq || !strings.HasPrefix(p.Revisit, "soft 404: ") || p.RevisitStatus != 200 {
		t.Errorf("a page that is gone, with words for it: %+v", p)
	}
	if p := after["/v/b/2"]; p.Seq == before["/v/b/2"].Seq || p.Verdict != page.VerdictNew {
		t.Errorf("a page that changed: %+v", p)
	}
}

func TestAnAddressThatRobotsForbidIsNotProbed(t *testing.T) {
	w := newWorld(t)
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /v/\nAllow: /v/1$\n")
	site := newVersioned(w, map[string]string{"/v/1": prose(1)})
	w.crawl(t.Context(), "/v/1")
	site.set("/v/1", prose(2))
	if p := w.refetch()["/v/1"]; p.Verdict != page.VerdictNew || p.Revisit != "" {
		t.Errorf("a page that changed: %+v", p)
	}
	for _, path := range w.asked() {
		if path != "/v/1" {
			t.Errorf("asked for %s, which robots.txt forbids", path)
		}
	}
}

// TestARequestForAnErrorPageHasItsTurn crawls a host with several requests at the same time, among which are those for
// the error pages of its folders.
func TestARequestForAnErrorPageHasItsTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers, w.o.DelayFactor, w.so.PerHost, w.so.Delay = 8, 0, 4, 80*time.Millisecond
	var mu sync.Mutex
	var asked []time.Time
	nowhere := 0
	w.mux.HandleFunc("GET /s/", func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, time.Now())
		if strings.Count(r.URL.Path, "/") != 3 || !strings.Contains(r.URL.Path, "/page") {
			nowhere++
		}
		mu.Unlock()
		<-time.After(3 * w.so.Delay / 2)
		fmt.Fprintf(rw, "<!DOCTYPE html><title>Sorry</title>%s%s<p>There is no %s.</p>", prose(77), prose(78), r.URL.Path)
	})
	var urls []string
	for n := range 24 {
		urls = append(urls, fmt.Sprintf("/s/%d/page%d", n%4, n))
	}
	w.crawl(t.Context(), urls...)
	if nowhere == 0 {
		t.Error("the host was never asked for an error page")
	}
	for i, at := range asked[1:] {
		early := time.Duration(i+1)*w.so.Delay - at.Sub(asked[0]) // on a busy machine a request arrives late, and the next one in time
		if gap := at.Sub(asked[i]); gap < w.so.Delay/8 && early > w.so.Delay/2 {
			t.Errorf("request %d came %v after the one before, and %v early, with %v between two", i+2, gap, early, w.so.Delay)
		}
	}
}

// TestErrorPagesThatSayTheirURLAreNoPages crawls links to nothing: each answer is another text of eight words, by the path
// in it. Stubs that say their path as well are pages, where the site knows what it does not have.
func TestErrorPagesThatSayTheirURLAreNoPages(t *testing.T) {
	w := newWorld(t)
	w.o.Workers, w.o.Spare = 1, 0 // one after the other
	w.mux.HandleFunc("GET /s/", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<!DOCTYPE html><title>Error</title><h1>Sorry</h1><p>The page %s is not on this server.</p>", r.URL.Path)
	})
	links := prose(1)
	for n, name := range strings.Fields("red green blue white black grey pink brown") {
		links += fmt.Sprintf(`<a href="/s/%s">%[1]s</a><a href="/t/%[1]s">%[1]s</a>`, name)
		w.text("/t/"+name, "text/html", fmt.Sprintf("<!DOCTYPE html><title>Stub</title><h1>Stub</h1><p>Somebody should write about %s one of these days.</p><!-- %d -->", name, n))
	}
	w.page("/", links)
	pages, _ := w.crawl(t.Context(), "/")
	refused, stubs := 0, 0
	for path, p := range pages {
		switch {
		case strings.HasPrefix(path, "/s/") && p.Rule == "soft-404":
			refused++
		case strings.HasPrefix(path, "/t/") && p.Verdict == page.VerdictNew:
			stubs++
		}
	}
	if refused != 6 || stubs != 8 {
		t.Errorf("%d refused and %d stubs, want 6 of 8 and 8", refused, stubs)
	}
	if got, want := len(w.asked()), 1+16+2; got != want {
		t.Errorf("%d requests, want %d: each page, and of two folders an address where nothing is", got, want)
	}
}

// TestSavedErrorsOfAServerAreNoPages crawls files that a program has saved, errors among them. The server has proper
// errors of its own.
func TestSavedErrorsOfAServerAreNoPages(t *testing.T) {
	w := newWorld(t)
	w.o.Workers = 1
	const says = "<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL %s was not found on this server.</p>"
	links := prose(1) + `<a href="/manual">manual</a>`
	for _, path := range []string{"/base/one.html", "/base/two%40.html"} {
		decoded := strings.ReplaceAll(path, "%40", "@")
		w.text(decoded, "text/html", fmt.Sprintf(says, decoded))
		links += fmt.Sprintf(`<a href="%s">x</a>`, path)
	}
	w.text("/manual", "text/html", fmt.Sprintf(says, "/base/three.html")) // another path than its own
	w.page("/", links)
	pages, _ := w.crawl(t.Context(), "/")
	refused := 0
	for path, p := range pages {
		if p.Rule == "soft-404" {
			refused++
			if !strings.HasPrefix(path, "/base/") {
				t.Errorf("%s: %s", path, p.Reason)
			}
		}
	}
	if refused != 2 || len(pages) != 4 {
		t.Errorf("%d of %d pages are refused, want 2 of 4", refused, len(pages))
	}
}
