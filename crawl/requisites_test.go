package crawl_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/page"
)

// A seenSite is a site with style sheets and pictures, and another host that has some of them.
type seenSite struct {
	site, cdn *httptest.Server

	mu    sync.Mutex
	asked map[string]int // by path; those of the other host start with //cdn
	keys  []string       // paths that were asked for with a key
}

const sitePages = 4

func newSeenSite(t *testing.T) *seenSite {
	s := &seenSite{asked: make(map[string]int)}
	note := func(r *http.Request, name string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked[name]++
		if r.Header.Get("X-Key") != "" {
			s.keys = append(s.keys, name)
		}
	}
	s.cdn = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r, "//cdn"+r.URL.Path)
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /closed\nSitemap: http://"+r.Host+"/map.xml\n")
			return
		}
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprint(w, "picture "+r.URL.Path)
	}))
	t.Cleanup(s.cdn.Close)
	s.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r, r.URL.Path)
		switch path := r.URL.Path; {
		case path == "/" || strings.HasPrefix(path, "/p"):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>Page %s</title><link rel=stylesheet href=/main.css><img src=/same1.png><img src=/same2.png srcset='%s/big.png 2x'><img src=%[2]s/closed.png><img src=/moved.png><p>", path, s.cdn.URL)
			for i := range 60 {
				fmt.Fprintf(w, "word%s%d ", strings.Trim(path, "/"), i)
			}
			for i := range sitePages {
				fmt.Fprintf(w, "</p><a href=/p%d>a page</a>", i)
			}
		case path == "/main.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, `@import "more.css"; p { background: url(bg.png) }`)
		case path == "/more.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, `@import "main.css"; p { background: url(gone.png) }`)
		case path == "/moved.png":
			http.Redirect(w, r, "/there.png", http.StatusFound)
		case path == "/robots.txt" || path == "/gone.png":
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "image/png")
			if strings.HasPrefix(path, "/same") {
				path = "/same"
			}
			fmt.Fprint(w, "picture "+path)
		}
	}))
	t.Cleanup(s.site.Close)
	return s
}

// wanted are the files that the pages of the site need, each once.
var wanted = []string{"//cdn/big.png", "/bg.png", "/gone.png", "/main.css", "/more.css", "/moved.png", "/same1.png", "/same2.png", "/there.png"}

// files returns what was asked for that is no page, as often as it was.
func (s *seenSite) files() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range s.asked {
		if name != "/" && !strings.HasPrefix(name, "/p") && !strings.HasSuffix(name, "/robots.txt") {
			names = append(names, slices.Repeat([]string{name}, n)...)
		}
	}
	slices.Sort(names)
	return names
}

// seen crawls a site with its requisites, and checks the job.
func seen(t *testing.T, dir string, s configs.Settings, o crawl.Options, hook func(*crawl.Crawl, context.CancelFunc), look func(*crawl.Crawl)) page.Totals {
	t.Helper()
	s.Requisites = true
	c, err := crawl.OpenWith(dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer check(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if hook != nil {
		hook(c, cancel)
	}
	if _, err := c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if look != nil {
		look(c)
	}
	return c.Totals()
}

func TestRequisitesAreFetchedOnceAndAreNoPages(t *testing.T) {
	t.Parallel()
	s := newSeenSite(t)
	kinds := make(map[string]int)
	n := seen(t, t.TempDir(), quick(s.site.URL+"/"), crawl.Options{Headers: []string{
		strings.TrimPrefix(s.cdn.URL, "http://") + ":X-Key=secret", strings.TrimPrefix(s.site.URL, "http://") + ":X-Key=secret",
	}}, nil, func(c *crawl.Crawl) {
		err := c.Job().Rows(t.Context(), gatecrawl.Wanted{Records: true, Requisites: true}, func(r *gatecrawl.Row) error {
			kind, _, _ := strings.Cut(strings.TrimPrefix(string(r.Record), "WARC/1.1\r\nWARC-Type: "), "\r\n")
			kinds[fmt.Sprint(r.Requisite, " ", kind)]++
			if r.Requisite && !strings.Contains(string(r.Record), "WARC-Target-URI: "+r.Page.URL+"\r\n") {
				t.Errorf("the record of %s is %.200q", r.Page.URL, r.Record)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	if got := s.files(); !slices.Equal(got, wanted) {
		t.Errorf("asked for %q, want %q", got, wanted)
	}
	if n.Pages != sitePages+1 || n.Fetched != sitePages+1 || n.Seen != sitePages+1 || n.Requisites != 7 || n.Unmet != 2 || n.Queued != 0 {
		t.Errorf("totals %+v, want %d pages, 7 requisites and 2 that are not to be had", n, sitePages+1)
	}
	if slices.Contains(s.keys, "//cdn/big.png") || !slices.Contains(s.keys, "/main.css") {
		t.Errorf("asked for with the key of their hosts: %q, want those of the page's site alone", s.keys)
	}
	if kinds["false response"] != sitePages+1 || kinds["true response"] != 7 || kinds["true revisit"] != 1 {
		t.Errorf("rows %v, want a record of each page and of each file, one of them a revisit", kinds)
	}
}

func TestRequisitesOfAPageAreBounded(t *testing.T) {
	t.Parallel()
	s := newSeenSite(t)
	few := quick(s.site.URL + "/")
	few.RequisitesPerPage, few.MaxPages, few.Workers = 2, 1, 1
	if n := seen(t, t.TempDir(), few, crawl.Options{}, nil, nil); n.MoreRequisites == 0 || len(s.files()) != 2 {
		t.Errorf("asked for %q, and %d were left out: want 2, and the others counted", s.files(), n.MoreRequisites)
	}
	s = newSeenSite(t)
	short := quick(s.site.URL + "/")
	short.RequisitesSize, short.MaxPages, short.Workers = 1, 1, 1
	if n := seen(t, t.TempDir(), short, crawl.Options{}, nil, nil); len(s.files()) != 1 || n.Unmet == 0 {
		t.Errorf("asked for %q, and %d were not: want 1, which is longer than the files of a page may be", s.files(), n.Unmet)
	}
}

func TestLimitsOfPagesAreNoneOfRequisites(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*configs.Settings){
		"pages":         func(s *configs.Settings) { s.MaxPages = 1 },
		"pages a host":  func(s *configs.Settings) { s.MaxPagesPerHost = 1 },
		"bytes":         func(s *configs.Settings) { s.MaxBytes = 1 },
		"and one depth": func(s *configs.Settings) { s.Depth, s.Include = 0, []string{"nothing"} },
	} {
		s := newSeenSite(t)
		o := quick(s.site.URL + "/")
		limit(&o)
		n := seen(t, t.TempDir(), o, crawl.Options{}, nil, nil)
		if got := s.files(); !slices.Equal(got, wanted) || n.Pages != 1 {
			t.Errorf("%s: %d pages, and asked for %q, want 1 and %q", name, n.Pages, got, wanted)
		}
	}
}

func TestAStoppedCrawlGoesOnWithItsRequisites(t *testing.T) {
	t.Parallel()
	s := newSeenSite(t)
	dir := t.TempDir()
	o := quick(s.site.URL + "/")
	o.Workers = 1
	seen(t, dir, o, crawl.Options{}, func(c *crawl.Crawl, stop context.CancelFunc) {
		c.OnPage(func(gatecrawl.Settled) { stop() })
	}, nil)
	if got := s.files(); len(got) >= len(wanted) {
		t.Fatalf("the first run asked for %q already", got)
	}
	o = saved(t, dir)
	o.Workers = 8
	seen(t, dir, o, crawl.Options{}, nil, nil)
	if got := s.files(); !slices.Equal(got, wanted) {
		t.Errorf("asked for %q, want %q", got, wanted)
	}
}

// TestARecrawlAsksForRequisitesAgain crawls a site a second time, of which a style sheet has
// changed, a picture is gone, and another one says by its ETag that it is as before.
func TestARecrawlAsksForRequisitesAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	answers := make(map[string]int) // of the second crawl: path and status
	changed := false
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		status := http.StatusOK
		switch path := r.URL.Path; {
		case path == "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>One</title><link rel=stylesheet href=/main.css><img src=/tagged.png><img src=/gone.png><img src=/same.png><p>"+strings.Repeat("Some words stand here. ", 20))
			return
		case path == "/main.css" && changed:
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, "p { background: url(new.png) }")
		case path == "/main.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, "p { color: red }")
		case path == "/tagged.png" && r.Header.Get("If-None-Match") == `"one"`:
			status = http.StatusNotModified
			w.WriteHeader(status)
		case path == "/gone.png" && changed, path == "/robots.txt":
			status = http.StatusNotFound
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("ETag", map[string]string{"/tagged.png": `"one"`}[path])
			fmt.Fprint(w, "picture "+path)
		}
		if changed && r.URL.Path != "/robots.txt" {
			answers[fmt.Sprint(r.URL.Path, " ", status)]++
		}
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	first := seen(t, dir, quick(site.URL+"/"), crawl.Options{}, nil, nil)
	mu.Lock()
	changed = true
	mu.Unlock()

	styles := make(map[string]int)
	second := seen(t, dir, saved(t, dir), crawl.Options{}, nil, func(c *crawl.Crawl) {
		err := c.Job().Rows(t.Context(), gatecrawl.Wanted{Records: true, Requisites: true}, func(r *gatecrawl.Row) error {
			if r.Requisite {
				_, body, _ := strings.Cut(string(r.Record), "\r\n\r\n")
				_, body, _ = strings.Cut(body, "\r\n\r\n")
				styles[strings.TrimPrefix(r.Page.URL, site.URL)+" "+strings.TrimSpace(body)]++
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	mu.Lock()
	got := slices.Sorted(maps.Keys(answers))
	mu.Unlock()
	if want := []string{"/gone.png 404", "/main.css 200", "/new.png 200", "/same.png 200", "/tagged.png 304"}; !slices.Equal(got, want) {
		t.Errorf("the second crawl asked for %q, want %q", got, want)
	}
	for _, want := range []string{
		"/main.css p { color: red }", "/main.css p { background: url(new.png) }", "/new.png picture /new.png",
		"/gone.png picture /gone.png", "/same.png picture /same.png", "/tagged.png picture /tagged.png",
	} {
		if styles[want] != 1 {
			t.Errorf("the job has %d records of %q, want 1", styles[want], want)
		}
	}
	if len(styles) != 6 || first.Requisites != 4 || second.Requisites != 5 {
		t.Errorf("records %v, %d files and then %d; want 6 records, 4 files and then 5", styles, first.Requisites, second.Requisites)
	}
	clear(answers)
	seen(t, dir, saved(t, dir), crawl.Options{}, nil, nil)
	seen(t, dir, saved(t, dir), crawl.Options{}, nil, nil)
	for _, path := range []string{"/tagged.png 304", "/same.png 200"} {
		if answers[path] != 1 {
			t.Errorf("%s %d times in two more crawls, want once: it was as before", path, answers[path])
		}
	}
}

// TestAJobThatWasCrawledWithoutItsFilesGetsThem: the first run did not look for the files of its
// pages, and the pages have not changed since.
func TestAJobThatWasCrawledWithoutItsFilesGetsThem(t *testing.T) {
	t.Parallel()
	for _, versions := range []bool{true, false} { // the server answers 304, or sends the same bytes
		var mu sync.Mutex
		answers := make(map[string]int)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status := http.StatusOK
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				answers[fmt.Sprint(r.URL.Path, " ", status)]++
			}()
			if versions {
				w.Header().Set("ETag", `"1"`)
			}
			switch {
			case r.URL.Path == "/robots.txt":
				status = http.StatusNotFound
				http.NotFound(w, r)
			case versions && r.Header.Get("If-None-Match") == `"1"`:
				status = http.StatusNotModified
				w.WriteHeader(status)
			case r.URL.Path == "/s.css":
				w.Header().Set("Content-Type", "text/css")
				fmt.Fprint(w, "p { color: red }")
			case r.URL.Path == "/plain":
				fmt.Fprint(w, "<title>Plain</title><p>A page on mountains, which needs no other file to be seen.")
			default:
				fmt.Fprint(w, "<title>Styled</title><link rel=stylesheet href=/s.css><p>A page on the sea, red, with a link to <a href=/plain>mountains</a>.")
			}
		}))
		t.Cleanup(site.Close)
		dir, s := t.TempDir(), quick(site.URL+"/")
		c, err := crawl.OpenWith(dir, s, crawl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, c)
		if n := seen(t, dir, s, crawl.Options{}, nil, nil); n.Requisites != 1 {
			t.Errorf("versions %v: %d files after the second run, want the style sheet", versions, n.Requisites)
		}
		if n := seen(t, dir, s, crawl.Options{}, nil, nil); n.Requisites != 1 {
			t.Errorf("versions %v: %d files after the third run, want the style sheet", versions, n.Requisites)
		}
		if versions && (answers["/ 200"] != 2 || answers["/plain 200"] != 2 || answers["/ 304"] != 1 || answers["/plain 304"] != 1) {
			t.Errorf("answers %v, want the bytes of each page once more, and none in the third run", answers)
		}
	}
}
