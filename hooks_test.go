package gatecrawl_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// hookCalls collects what the page hook is called with, by path.
type hookCalls struct {
	mu    sync.Mutex
	pages map[string][]gatecrawl.Settled
}

func (c *hookCalls) page(s gatecrawl.Settled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil {
		c.pages = make(map[string][]gatecrawl.Settled)
	}
	path := s.URL[strings.LastIndex(s.URL, "/"):]
	c.pages[path] = append(c.pages[path], s)
}

func TestThePageHookIsCalledOncePerPageWithWhatBecameOfIt(t *testing.T) {
	w := newWorld(t)
	html := func(body string) string { return "<title>Story</title><article>" + body + "</article>" }
	story := prose(1) + prose(2) + prose(3)
	w.text("/{$}", "text/html", html(prose(9)+`<a href="/moved">m</a><a href="/gone">g</a>`))
	w.text("/story", "text/html", html(story+`<a href="/same">s</a><a href="/edited">e</a>`))
	w.text("/same", "text/html", html(story+`<a href="/same">s</a><a href="/edited">e</a>`))
	w.text("/edited", "text/html", html(strings.Replace(story, "number 2", "number two", 1)))
	w.mux.Handle("GET /moved", http.RedirectHandler("/story", http.StatusMovedPermanently))
	var c hookCalls
	w.hooks.Page = c.page
	var told []page.Record // with one worker each before its page
	w.hooks.Record = func(r page.Record) { told = append(told, r) }
	w.o.Workers, w.o.Spare = 1, 0
	records, _ := w.crawl(t.Context(), "/")

	for path, want := range map[string]struct {
		verdict page.Verdict
		level   dedup.Level
		view    string // title
		status  int
	}{
		"/":       {page.VerdictNew, 0, "Story", 200},
		"/moved":  {page.VerdictRefused, 0, "", 301},
		"/gone":   {page.VerdictFailed, 0, "", 404},
		"/story":  {page.VerdictNew, 0, "Story", 200},
		"/same":   {page.VerdictCopy, dedup.LevelBytes, "", 200},
		"/edited": {page.VerdictCopy, dedup.LevelNear, "Story", 200},
	} {
		if len(c.pages[path]) != 1 {
			t.Errorf("the hook was called %d times for %s, want once", len(c.pages[path]), path)
			continue
		}
		got := c.pages[path][0]
		if got.Verdict != want.verdict || got.Level != int(want.level) {
			t.Errorf("%s: the hook has verdict %q of level %d, want %q of %d", path, got.Verdict, got.Level, want.verdict, want.level)
		}
		if got.Seq != records[path].Seq || got.Of != records[path].Of {
			t.Errorf("%s: the hook has record %d, copy of %q; the job %d, %q", path, got.Seq, got.Of, records[path].Seq, records[path].Of)
		}
		if (got.View != nil) != (want.view != "") || got.View != nil && got.View.Title != want.view {
			t.Errorf("%s: the hook has the view %+v, want the title %q", path, got.View, want.view)
		}
		if got.Response == nil || got.Response.Status != want.status {
			t.Errorf("%s: want the hook to have a response of status %d", path, want.status)
		}
		if !slices.ContainsFunc(told, func(r page.Record) bool { return reflect.DeepEqual(r, got.Record) }) {
			t.Errorf("%s: the record hook was not told what the page hook was", path)
		}
	}
	if len(told) != len(c.pages) {
		t.Errorf("the record hook was called %d times for %d pages", len(told), len(c.pages))
	}
}

func TestTheLinkHookRefusesLinksAndRaisesOthers(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/first">one</a><a href="/secret">two</a><a href="/last">three</a><a href="/moved">four</a>`)
	for n, path := range []string{"/first", "/secret", "/last", "/private"} {
		w.page(path, prose(n+2))
	}
	w.mux.Handle("GET /moved", http.RedirectHandler("/private", http.StatusFound))
	var mu sync.Mutex
	var seen []string
	w.hooks.Link = func(l *gatecrawl.Link) {
		mu.Lock()
		seen = append(seen, fmt.Sprintf("%s->%s %q %d", l.From.Path(), l.URL.Path(), l.Anchor, l.Depth))
		mu.Unlock()
		switch l.URL.Path() {
		case "/secret", "/private":
			l.Refuse("not for us")
		case "/last":
			l.Raise(5)
		case "/first":
			l.Raise(-5)
		}
	}
	w.o.Workers, w.o.Spare = 1, 0
	pages, _ := w.crawl(t.Context(), "/")
	if want := []string{"/", "/last", "/moved", "/first"}; !slices.Equal(w.asked(), want) {
		t.Errorf("asked for %v, want %v", w.asked(), want)
	}
	want := []string{`/->/first "one" 1`, `/->/secret "two" 1`, `/->/last "three" 1`, `/->/moved "four" 1`, `/moved->/private "" 1`}
	if !slices.Equal(seen, want) {
		t.Errorf("the hook was called for\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if got := pages["/last"].Score - pages["/first"].Score; got != 10 {
		t.Errorf("/last scores %v more than /first, want 10", got)
	}
	for _, path := range []string{"/secret", "/private"} {
		why, err := w.store.Why(t.Context(), w.srv.URL+path)
		if err != nil || !strings.Contains(fmt.Sprintf("%+v", why), "not for us") {
			t.Errorf("%s: %+v, %v; want the hook's reason", path, why, err)
		}
	}
	if n := w.store.Totals().Rules[gatecrawl.RuleHook]; n != 2 {
		t.Errorf("%d URLs refused by hooks, want 2", n)
	}
}

func TestAPageThatIsReadAgainLeadsTheLinkHookNowhere(t *testing.T) {
	w := newWorld(t)
	w.so.Templates = true
	frame := "<nav><a href=/n1>one</a><a href=/n2>two</a></nav><p>This line stands on each page of the site, whatever else it says.</p>"
	for n := range 30 {
		w.page(fmt.Sprintf("/p%d", n), frame+prose(n)+fmt.Sprintf(`<a href="/p%d">next</a>`, n+1))
	}
	calls := make(map[string]int)
	w.hooks.Link = func(l *gatecrawl.Link) { calls[l.From.Path()+" "+l.URL.Path()]++ }
	w.o.Workers, w.o.Spare = 1, 0
	w.crawl(t.Context(), "/p0")
	for link, n := range calls {
		if n > 1 {
			t.Errorf("the hook was called %d times for %s", n, link)
		}
	}
	if len(calls) < 60 {
		t.Errorf("the hook was called for %d links, want 60 and more", len(calls))
	}
}
