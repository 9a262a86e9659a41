package gatecrawl_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/encoding/simplifiedchinese"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/warc"
)

// A world is a small web and a crawl of it.
type world struct {
	t     *testing.T
	mux   *http.ServeMux
	srv   *httptest.Server
	o     gatecrawl.Options
	so    store.Options
	sco   frontier.ScopeOptions
	topic *focus.Judge
	store *store.Store

	renderer fetch.Renderer
	archive  *warc.Archive
	hooks    gatecrawl.Hooks
	settling func(*page.Visit) // nil: each visit is settled as it is
	allowed  func() error      // nil: every request is allowed
	tally    gatecrawl.Tally   // of the last crawl

	mu   sync.Mutex
	hits []string // paths in the order they were asked for
}

// newWorld returns a web that answers 404 to everything but what is added.
func newWorld(t *testing.T) *world {
	w := &world{t: t, mux: http.NewServeMux(), o: gatecrawl.DefaultOptions(), so: store.DefaultOptions(), sco: frontier.DefaultScopeOptions()}
	w.so.Delay, w.so.Backoff = 0, time.Millisecond
	w.so.Filter.Capacity = 10_000
	w.srv = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.hits = append(w.hits, r.URL.RequestURI())
		w.mu.Unlock()
		w.mux.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.srv.Close)
	return w
}

// page serves an HTML page of the given body.
func (w *world) page(path, body string) {
	pattern := "GET " + path
	if strings.HasSuffix(path, "/") {
		pattern += "{$}"
	}
	w.mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<!DOCTYPE html><html><head><title>%s</title></head><body>%s</body></html>", path, body)
	})
}

// text serves a file.
func (w *world) text(path, contentType, body string) {
	w.mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", contentType)
		fmt.Fprint(rw, body)
	})
}

// crawl crawls from the given paths until the end, verifies the job, and
// returns its records by path.
func (w *world) crawl(ctx context.Context, seeds ...string) (map[string]page.Record, gatecrawl.Ended) {
	w.t.Helper()
	urls := make([]string, len(seeds))
	for i, s := range seeds {
		urls[i] = w.srv.URL + s
	}
	return w.crawlURLs(ctx, urls...)
}

// crawlURLs is crawl for URLs of any host.
func (w *world) crawlURLs(ctx context.Context, list ...string) (map[string]page.Record, gatecrawl.Ended) {
	w.t.Helper()
	var err error
	if w.store == nil {
		if w.store, err = store.Open(w.t.TempDir(), w.so); err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() {
			if err := w.store.Close(); err != nil {
				w.t.Error(err)
			}
		})
	}
	f, err := fetch.New(fetch.Options{AllowLoopback: true, Allowed: w.allowed})
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	scope := scopeOf(w.t, w.sco, w.store)
	var job gatecrawl.Store = w.store
	if w.settling != nil {
		job = settling{w.store, w.settling}
	}
	c, err := gatecrawl.New(w.o, job, f, scope, w.topic, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	c.RenderWith(w.renderer)
	c.ArchiveIn(w.archive)
	c.SetHooks(w.hooks)
	text := strings.Join(list, "\n")
	if _, err := c.Seed(w.t.Context(), seeds.Read(strings.NewReader(text), "seeds"), func(err error) { w.t.Error(err) }); err != nil {
		w.t.Fatal(err)
	}
	ended, err := c.Run(ctx)
	if err != nil {
		w.t.Fatalf("Run: %v", err)
	}
	w.tally = c.Tally()
	suite.Verify(w.t, w.store)
	pages := make(map[string]page.Record)
	if err := w.store.Pages(w.t.Context(), 1, func(p page.Record) error {
		pages[strings.TrimPrefix(p.URL, w.srv.URL)] = p
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return pages, ended
}

// scopeOf returns a scope with the roots that a job has.
func scopeOf(t *testing.T, o frontier.ScopeOptions, st *store.Store) *frontier.Scope {
	t.Helper()
	scope, err := frontier.NewScope(o)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := st.Roots()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range roots {
		scope.AddRoot(root)
	}
	return scope
}

// asked returns what the web was asked for, robots.txt aside.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.hits), func(p string) bool { return p == "/robots.txt" })
}

// prose is a body of a hundred words that no other n has.
func prose(n int) string {
	s := "<p>"
	for i := range 100 {
		s += fmt.Sprintf("term%d%c ", (i*31+n*7)%997, 'a'+(i+n)%26)
	}
	return s + fmt.Sprintf("number %d.</p>", n)
}

func TestLinksAreFollowedAndEachPageFetchedOnce(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/a">a</a> <a href="b#x">b</a> <a href="/a?">a again</a>`)
	w.page("/a", prose(2)+`<a href="/">home</a><a href="/b">b</a>`)
	w.page("/b", prose(3)+`<a href="/gone">gone</a>`)
	pages, ended := w.crawl(t.Context(), "/")
	if ended != gatecrawl.Done {
		t.Errorf("ended %q, want done", ended)
	}
	for path, want := range map[string]page.Verdict{
		"/": page.VerdictNew, "/a": page.VerdictNew, "/b": page.VerdictNew, "/gone": page.VerdictFailed,
	} {
		if got := pages[path].Verdict; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	got := w.asked()
	slices.Sort(got)
	if want := []string{"/", "/a", "/b", "/gone"}; !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
}

func TestWhatRobotsForbidsIsNotFetchedAndTheRecordNamesTheLine(t *testing.T) {
	w := newWorld(t)
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
	w.page("/", prose(1)+`<a href="/private/x">x</a><a href="/private/open">open</a>`)
	w.page("/private/open", prose(2))
	w.page("/private/x", prose(3))
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/private/x"]; p.Verdict != page.VerdictRefused || p.Rule != "robots" || !strings.Contains(p.Reason, "line 2: Disallow: /private") {
		t.Errorf("record %+v; want refused by line 2 of robots.txt", p)
	}
	if p := pages["/private/open"]; p.Verdict != page.VerdictNew {
		t.Errorf("%+v; want it fetched", p)
	}
	if slices.Contains(w.asked(), "/private/x") {
		t.Error("/private/x was fetched")
	}
}

func TestAnExactCopyIsDiscardedAndItsLinksAreFollowed(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/a/x">a</a><a href="/b/x">b</a>`)
	body := "<html><body>" + prose(2) + `<a href="next">next</a></body></html>`
	w.text("/a/x", "text/html", body)
	w.text("/b/x", "text/html", body)
	w.page("/a/next", prose(3))
	w.page("/b/next", prose(4))
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/b/x"]; p.Verdict != page.VerdictCopy || p.Of != w.srv.URL+"/a/x" || p.Level != 3 || p.Class != "full-layout" {
		t.Errorf("record of the copy: %+v", p)
	}
	if p := pages["/b/next"]; p.Verdict != page.VerdictNew {
		t.Errorf("link of the copy: %+v; want it fetched", p)
	}
	if _, err := w.store.View(t.Context(), w.srv.URL+"/b/x"); err == nil {
		t.Error("the copy's view is kept")
	}
	got, err := w.store.Body(t.Context(), w.srv.URL+"/a/x")
	if err != nil || string(got) != body {
		t.Errorf("kept body: %q, %v", got, err)
	}
}

// focusOn gives the crawl a topic.
func (w *world) focusOn(topic string) {
	w.t.Helper()
	var err error
	if w.topic, err = focus.New(topic, nil, nil); err != nil {
		w.t.Fatal(err)
	}
	w.so.Priority.Focused = true
}

func TestAnExactCopyIsAsRelevantAsTheKeptPage(t *testing.T) {
	w := newWorld(t)
	w.focusOn("telescope mirror")
	w.page("/", prose(1)+`<a href="/a/x">a</a><a href="/b/x">b</a>`)
	body := "<html><title>The mirror of a telescope</title><body>" + strings.Repeat("<p>A telescope needs a mirror, and the mirror a telescope.</p>", 5) + `<a href="next">next</a></body></html>`
	w.text("/a/x", "text/html", body)
	w.text("/b/x", "text/html", body)
	w.page("/a/next", prose(3))
	w.page("/b/next", prose(4))
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/")
	kept, copied := pages["/a/x"], pages["/b/x"]
	if copied.Verdict != page.VerdictCopy || copied.Level != 3 || kept.Relevance == 0 || copied.Relevance != kept.Relevance {
		t.Errorf("the kept page has relevance %v; its copy is %s of level %d and has %v", kept.Relevance, copied.Verdict, copied.Level, copied.Relevance)
	}
	why, err := w.store.Why(t.Context(), w.srv.URL+"/b/next")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(why.Terms, func(t priority.Term) bool { return t.Name == "best" && t.Value > 0 }) {
		t.Errorf("the score of the copy's link is of %+v; want the relevance of the page that it stands on", why.Terms)
	}
}

func TestBytesThatAreSentAsHTMLAreNotReadAsText(t *testing.T) {
	w := newWorld(t)
	noise := make([]byte, 4000)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	w.text("/packed", "text/html; charset=utf-8", "\x1f\x8b\x08\x00"+string(noise))
	w.text("/noise", "text/plain", string(noise))
	w.page("/", prose(1)+`<a href="/packed">1</a><a href="/noise">2</a>`)
	pages, _ := w.crawl(t.Context(), "/")
	for path, want := range map[string]string{"/packed": "application/gzip", "/noise": "application/octet-stream"} {
		if p := pages[path]; p.Verdict != page.VerdictNew || p.Type != want || p.BodyTokens != 0 || p.Charset != "" {
			t.Errorf("%s is %s of type %s with %d words in %q; want a document of type %s without words", path, p.Verdict, p.Type, p.BodyTokens, p.Charset, want)
		}
	}
}

func TestMarkKeepsCopiesAndLabelsThem(t *testing.T) {
	w := newWorld(t)
	w.o.Mode, w.so.Dedup.Mode = dedup.ModeMark, dedup.ModeMark
	body := "<html><body>" + prose(2) + "</body></html>"
	w.text("/a", "text/html", body)
	w.text("/b", "text/html", body)
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/a", "/b")
	if p := pages["/b"]; p.Verdict != page.VerdictCopy || p.Of != w.srv.URL+"/a" {
		t.Errorf("record of the copy: %+v", p)
	}
	if got, err := w.store.Body(t.Context(), w.srv.URL+"/b"); err != nil || string(got) != body {
		t.Errorf("body of the copy: %q, %v; want it kept", got, err)
	}
}

func TestOffFindsNoCopies(t *testing.T) {
	w := newWorld(t)
	w.o.Mode, w.so.Dedup.Mode = dedup.ModeOff, dedup.ModeOff
	body := "<html><body>" + prose(2) + "</body></html>"
	w.text("/a", "text/html", body)
	w.text("/b", "text/html", body)
	pages, _ := w.crawl(t.Context(), "/a", "/b")
	for _, p := range pages {
		if p.Verdict != page.VerdictNew {
			t.Errorf("%s is %q, want new", p.URL, p.Verdict)
		}
	}
}

func TestBytesOfAnyTypeHaveExactCopies(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/1.pdf">1</a><a href="/2.pdf">2</a>`)
	w.text("/1.pdf", "application/pdf", "%PDF-1.7 something")
	w.text("/2.pdf", "application/pdf", "%PDF-1.7 something")
	pages, _ := w.crawl(t.Context(), "/")
	a, b := pages["/1.pdf"], pages["/2.pdf"]
	if a.Verdict == b.Verdict || a.Level+b.Level != 3 {
		t.Errorf("records %+v and %+v; want one to be a copy by its bytes", a, b)
	}
}

func TestARedirectIsARecordAndItsTargetAURL(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/old">old</a>`)
	w.mux.Handle("GET /old", http.RedirectHandler("/new?b=2&a=1", http.StatusMovedPermanently))
	w.page("/new", prose(2))
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/old"]; p.Verdict != page.VerdictRefused || p.Rule != "redirect" || p.Status != 301 || p.Location != w.srv.URL+"/new?b=2&a=1" {
		t.Errorf("record of the redirect: %+v", p)
	}
	if p := pages["/new?b=2&a=1"]; p.Verdict != page.VerdictNew || p.Depth != 1 {
		t.Errorf("record of the target: %+v; want it fetched at depth 1", p)
	}
}

func TestARedirectToWhatIsNoURLIsToldBriefly(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/long">long</a> <a href="/mail">mail</a>`)
	w.mux.Handle("GET /long", http.RedirectHandler("/"+strings.Repeat("a", 9000), http.StatusFound))
	w.mux.Handle("GET /mail", http.RedirectHandler("mailto:me@example.org", http.StatusFound))
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/long"]; p.Rule != "redirect" || len(p.Location)+len(p.Reason) > 600 || !strings.Contains(p.Reason, "which is not a URL: longer than") {
		t.Errorf("record of a redirect to 9,000 letters: %d and %d bytes, %.300s", len(p.Location), len(p.Reason), p.Reason)
	}
	if p := pages["/mail"]; p.Reason != `redirects to "mailto:me@example.org", which is not a URL: not an http or https URL` {
		t.Errorf("reason of a redirect to a mail address: %s", p.Reason)
	}
}

func TestRedirectsWithoutEndEnd(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.mux.HandleFunc("GET /loop/", func(rw http.ResponseWriter, r *http.Request) {
		n++ // one request at a time: one host
		http.Redirect(rw, r, fmt.Sprintf("/loop/%d", n), http.StatusFound)
	})
	w.o.MaxRedirects = 5
	pages, ended := w.crawl(t.Context(), "/loop/")
	if ended != gatecrawl.Done || len(pages) != 6 {
		t.Errorf("%q after %d records; want done after 6", ended, len(pages))
	}
	if got := w.store.Totals().Rules["redirects"]; got != 1 {
		t.Errorf("refused by the rule redirects: %d, want 1", got)
	}
}

func TestTheRedirectOfASeedWidensTheScope(t *testing.T) {
	w := newWorld(t)
	other := newWorld(t)
	other.page("/home", prose(1)+`<a href="/more">more</a>`)
	other.page("/more", prose(2))
	w.mux.Handle("GET /{$}", http.RedirectHandler(other.srv.URL+"/home", http.StatusMovedPermanently))
	w.crawl(t.Context(), "/")
	if got, want := other.asked(), []string{"/home", "/more"}; !slices.Equal(got, want) {
		t.Errorf("the other host was asked for %v, want %v", got, want)
	}
	// The wider scope is kept with the job.
	other.page("/later", prose(3))
	if roots, err := w.store.Roots(); err != nil || !slices.ContainsFunc(roots, func(u weburl.URL) bool { return u.String() == other.srv.URL+"/" }) {
		t.Errorf("roots %v, %v", roots, err)
	}
}

func TestOnlyTheRedirectsOfASeedWidenTheScope(t *testing.T) {
	const feed = `<rss version="2.0"><channel><title>News</title><item><title>One</title><link>%s/http</link></item><item><title>Two</title><link>%[1]s/meta</link></item></channel></rss>`
	for name, serve := range map[string]func(w *world) (seed string){
		"entries of a sitemap that robots.txt names": func(w *world) string {
			w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow:\n\nSitemap: /map.xml\n")
			w.text("/map.xml", "application/xml", w.urlset("/http", "/meta", "/header", "/chain"))
			return "/"
		},
		"entries of a sitemap that is the seed": func(w *world) string {
			w.text("/map.xml", "application/xml", w.urlset("/http", "/meta", "/header", "/chain"))
			return "/map.xml"
		},
		"entries of a feed": func(w *world) string {
			w.text("/feed", "application/rss+xml", fmt.Sprintf(feed, w.srv.URL))
			return "/feed"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, other := newWorld(t), newWorld(t)
			w.o.Sitemaps = true
			other.page("/", prose(1)+`<a href="/more">more</a>`)
			other.page("/more", prose(2))
			w.page("/", prose(3))
			w.mux.Handle("GET /http", http.RedirectHandler(other.srv.URL, http.StatusMovedPermanently))
			w.mux.Handle("GET /chain", http.RedirectHandler("/http?2", http.StatusMovedPermanently))
			w.page("/meta", `<meta http-equiv="refresh" content="0; url=`+other.srv.URL+`/"><a href="`+other.srv.URL+`/">here</a>`)
			w.mux.HandleFunc("GET /header", func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Refresh", "0; url="+other.srv.URL)
			})
			seed := serve(w)
			w.o.MaxPages = 3
			w.crawl(t.Context(), seed)
			w.o.MaxPages = 0
			pages, _ := w.crawl(t.Context(), seed) // a run of its own, with what is stored of each URL
			if pages["/http"].Location != other.srv.URL+"/" || pages["/meta"].Rule != "redirect" {
				t.Errorf("the entries are %+v and %+v", pages["/http"], pages["/meta"])
			}
			if got := other.asked(); len(got) != 0 {
				t.Errorf("the other host was asked for %v", got)
			}
			if roots, err := w.store.Roots(); err != nil || len(roots) != 1 {
				t.Errorf("roots %v, %v; want the seed's", roots, err)
			}
		})
	}
}

func TestARowOfRedirectsFromASeedWidensTheScopeInALaterRun(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.o.Sitemaps = true
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow:\n\nSitemap: /map.xml\n")
	w.text("/map.xml", "application/xml", w.urlset("/", "/next"))
	w.mux.Handle("GET /{$}", http.RedirectHandler("/next", http.StatusMovedPermanently))
	w.mux.Handle("GET /next", http.RedirectHandler(other.srv.URL+"/home", http.StatusMovedPermanently))
	other.page("/home", prose(1)+`<a href="/more">more</a>`)
	other.page("/more", prose(2))
	w.o.MaxPages = 1
	w.crawl(t.Context(), "/")
	if got := other.asked(); len(got) != 0 {
		t.Fatalf("the first run asked the other host for %v", got)
	}
	w.o.MaxPages = 0
	w.crawl(t.Context(), "/")
	if got, want := other.asked(), []string{"/home", "/more"}; !slices.Equal(got, want) {
		t.Errorf("the other host was asked for %v, want %v", got, want)
	}
}

func TestABusyHostIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	tries := 0
	w.mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(rw, "<html><body>"+prose(1)+"</body></html>")
	})
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/"]; p.Verdict != page.VerdictNew || p.Attempt != 2 {
		t.Errorf("record %+v; want new at the third try", p)
	}
	if got := w.store.Totals().Retries; got != 2 {
		t.Errorf("retries %d, want 2", got)
	}
}

func TestAHostThatStaysBusyFails(t *testing.T) {
	w := newWorld(t)
	w.mux.HandleFunc("GET /x", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusBadGateway) })
	pages, ended := w.crawl(t.Context(), "/x")
	if p := pages["/x"]; ended != gatecrawl.Done || p.Verdict != page.VerdictFailed || p.Status != 502 || p.Reason != "http 502 bad gateway" {
		t.Errorf("%q with %+v", ended, p)
	}
	if got := len(w.asked()); got != 3 {
		t.Errorf("%d tries, want 3", got)
	}
}

func TestAHostThatRefusesConnectionsFailsWithAReason(t *testing.T) {
	w := newWorld(t)
	w.srv.Close()
	pages, ended := w.crawl(t.Context(), "/1", "/2")
	for _, path := range []string{"/1", "/2"} {
		if p := pages[path]; ended != gatecrawl.Done || p.Verdict != page.VerdictFailed || !strings.HasPrefix(p.Reason, "connect: ") {
			t.Errorf("%q with %+v; want failed to connect", ended, p)
		}
	}
}

func TestExactlyMaxPagesAreAnswered(t *testing.T) {
	w := newWorld(t)
	all := ""
	for i := range 40 {
		all += fmt.Sprintf(`<a href="/%d">%d</a>`, i, i)
		w.page(fmt.Sprintf("/%d", i), prose(i))
	}
	w.page("/", all)
	w.o.MaxPages, w.o.Workers, w.so.PerHost = 17, 8, 8
	pages, ended := w.crawl(t.Context(), "/")
	if ended != gatecrawl.PageLimit || len(pages) != 17 || len(w.asked()) != 17 {
		t.Errorf("%q after %d records and %d requests; want page limit after 17", ended, len(pages), len(w.asked()))
	}
	w.o.MaxPages = 0
	if pages, ended = w.crawl(t.Context()); ended != gatecrawl.Done || len(pages) != 41 {
		t.Errorf("without a limit: %q after %d records; want done after 41", ended, len(pages))
	}
}

func TestACancelledCrawlHandsItsPagesBackAndGoesOn(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.page("/", prose(1)+`<a href="/slow">slow</a>`)
	first := true
	w.mux.HandleFunc("GET /slow", func(rw http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			cancel()
			<-r.Context().Done() // the crawler gives up
			return
		}
		fmt.Fprint(rw, "<html><body>"+prose(2)+"</body></html>")
	})
	w.o.Grace = 10 * time.Millisecond
	pages, ended := w.crawl(ctx, "/")
	if _, there := pages["/slow"]; ended != gatecrawl.Interrupted || there {
		t.Errorf("%q with %v; want interrupted, and no record of /slow", ended, pages)
	}
	pages, ended = w.crawl(t.Context())
	if p := pages["/slow"]; ended != gatecrawl.Done || p.Verdict != page.VerdictNew || p.Attempt != 0 {
		t.Errorf("%q with %+v; want the page, at its first try", ended, p)
	}
}

func TestTheTimeLimitEndsARun(t *testing.T) {
	w := newWorld(t)
	w.mux.HandleFunc("GET /", func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(rw, `<html><body><a href="%sx/">on</a></body></html>`, r.URL.Path)
	})
	w.sco.MaxRepeats = 255
	w.o.TimeLimit = 50 * time.Millisecond
	w.so.Delay = 5 * time.Millisecond
	if _, ended := w.crawl(t.Context(), "/"); ended != gatecrawl.TimeLimit {
		t.Errorf("ended %q, want time limit", ended)
	}
}

func TestScopeDepthAndNoFollowAreRefusalsWithARule(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/1">1</a><a href="/no" rel="nofollow">no</a><a href="http://other.invalid/">other</a>`)
	w.page("/1", prose(2)+`<a href="/2">2</a>`)
	w.sco.MaxDepth = 1
	pages, _ := w.crawl(t.Context(), "/")
	if len(pages) != 2 {
		t.Errorf("%d records, want 2", len(pages))
	}
	for url, rule := range map[string]string{w.srv.URL + "/2": "depth", w.srv.URL + "/no": "nofollow", "http://other.invalid/": "scope:host"} {
		why, err := w.store.Why(t.Context(), url)
		if err != nil || why.State != "refused" || why.Rule != rule {
			t.Errorf("Why(%s) = %+v, %v; want refused by %s", url, why, err, rule)
		}
	}
}

func TestWithoutAContactNothingOffThisMachineIsAsked(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="http://other.invalid/">other</a>`)
	w.mux.Handle("GET /away", http.RedirectHandler("http://other.invalid/home", http.StatusFound))
	w.sco.Mode = frontier.ScopeAny
	w.o.LoopbackOnly = true
	w.crawl(t.Context(), "/", "/away")
	for _, url := range []string{"http://other.invalid/", "http://other.invalid/home"} {
		why, err := w.store.Why(t.Context(), url)
		if err != nil || why.State != "refused" || why.Rule != "contact" {
			t.Errorf("Why(%s) = %+v, %v; want refused by contact", url, why, err)
		}
	}
}

func TestATopicBringsItsPagesFirst(t *testing.T) {
	w := newWorld(t)
	all := ""
	for i := range 20 {
		all += fmt.Sprintf(`<p><a href="/misc/%d">number %d of those that are about something else</a>, %.120s</p>`, i, i, prose(i)[3:])
		w.page(fmt.Sprintf("/misc/%d", i), prose(i))
	}
	w.page("/", all+`<a href="/t">the history of the telescope</a>`)
	w.page("/t", `<h1>The history of the telescope</h1><p>The first telescope that we know of was shown in the Hague by a maker of spectacles. It had two pieces of glass in a tube, and made
things that were far away look three times as large. Within a year others had built better ones.</p><p>A mirror takes the place of the first glass in the instruments
of today, since a large mirror is lighter than a large lens, and colours do not part in it. The one on the mountain weighs as much as a lorry and is polished by hand
for years. No telescope on the ground sees all that the sky shows.</p><a href="/lens">lens</a>`)
	w.page("/lens", prose(99))
	w.focusOn("telescope mirror")
	w.o.Workers = 1
	w.crawl(t.Context(), "/")
	if got := w.asked()[:3]; !slices.Equal(got, []string{"/", "/t", "/lens"}) {
		t.Errorf("started with %v; want the page on the topic and what it links to", got)
	}
}

func TestPolitenessHoldsOnTheWire(t *testing.T) {
	t.Parallel()
	o := testserver.Defaults()
	o.Hosts, o.Pages, o.PageBytes, o.Mirrors = 3, 20, 6_000, 0
	o.SlowDelay = 10 * time.Millisecond
	web, err := testserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	const delay = 20 * time.Millisecond
	w := newWorld(t)
	w.so.Delay = delay
	w.sco.Mode = frontier.ScopeAny
	w.srv.URL = ""
	w.crawl(t.Context(), web.Seeds()...)
	for _, s := range web.Traffic() {
		if s.Requests > 1 && s.MinGap < delay || s.Concurrent > 1 {
			t.Errorf("site %s: %d requests, %v apart at least, %d at once; want %v and 1", s.Site, s.Requests, s.MinGap, s.Concurrent, delay)
		}
	}
}

func TestAnOddContentTypeLosesNoLinks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"text/html, text/html; charset=utf-8", "text/html charset=utf-8", "html", ";", "application/octet-stream"} {
		w := newWorld(t)
		w.text("/", kind, "<html><body>"+prose(1)+`<a href="/next">on</a></body></html>`)
		w.page("/next", prose(2))
		if pages, _ := w.crawl(t.Context(), "/"); pages["/next"].Verdict != page.VerdictNew {
			t.Errorf("the link of a page sent as %q was not followed: %+v", kind, pages["/"])
		}
	}
}

func TestAnAnswerWithoutContentIsNoDocument(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/a", "/b"} {
		w.mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNoContent) })
	}
	pages, _ := w.crawl(t.Context(), "/a", "/b")
	for path, p := range pages {
		if p.Verdict != page.VerdictFailed || p.Reason != "http 204 no content" {
			t.Errorf("%s is %s: %s, want it failed: http 204 no content", path, p.Verdict, p.Reason)
		}
	}
}

func TestTheQueryOfALinkIsInTheCharsetOfItsPage(t *testing.T) {
	w := newWorld(t)
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(`<html><body><p>` + strings.Repeat("编码是计算机处理文字的基础。", 20) + `</p><a href="/find?q=文字">a</a></body></html>`)
	if err != nil {
		t.Fatal(err)
	}
	w.text("/", "text/html; charset=gbk", gbk)
	w.text("/find", "text/html", prose(1))
	if pages, _ := w.crawl(t.Context(), "/"); pages["/find?q=%CE%C4%D7%D6"].Verdict != page.VerdictNew {
		t.Errorf("pages %v, want one whose query is in GBK", slices.Collect(maps.Keys(pages)))
	}
}

// A URL is lent again when its lease ends: the request for it must have ended by then.
func TestARequestEndsWithItsLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.so.Lease, w.so.PerHost = time.Second, 2
	var tries atomic.Int32
	ended := make(chan struct{})
	w.mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			<-r.Context().Done()
			close(ended)
			return
		}
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Error("the URL is asked for again, and the first request goes on")
		}
		fmt.Fprint(rw, "<html><body>"+prose(1)+"</body></html>")
	})
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/"]; p.Verdict != page.VerdictNew || w.store.Totals().Pages != 1 {
		t.Errorf("record %+v; want one page", p)
	}
}

func TestAPageOfTheFutureHasNoDateOfPublication(t *testing.T) {
	w := newWorld(t)
	at := func(day time.Time) string {
		return "<meta property=article:published_time content=" + day.Format(time.DateOnly) + "><h1>Story</h1>" + prose(1) + prose(2)
	}
	today := time.Now().UTC()
	w.text("/{$}", "text/html", at(today)+`<a href="/future">f</a>`)
	w.text("/future", "text/html", at(today.AddDate(0, 0, 9)))
	var c hookCalls
	w.hooks.Page = c.page
	w.crawl(t.Context(), "/")
	for path, want := range map[string]string{"/": today.Format(time.DateOnly), "/future": ""} {
		if got := c.pages[path]; len(got) != 1 || got[0].View == nil || got[0].View.Date != want {
			t.Errorf("%s: the hook has %+v, want a view with the date %q", path, got, want)
		}
	}
}
