package gatecrawl_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
)

// rerun crawls w as it is now, asking again for all that is known, and returns what
// that run brought.
func (w *world) rerun() gatecrawl.Tally {
	w.t.Helper()
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	c, err := gatecrawl.New(w.o, w.store, f, scopeOf(w.t, w.sco, w.store), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.store.Requeue(w.t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := c.Run(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return c.Tally()
}

func TestATallyTellsTheRunAndNotTheJob(t *testing.T) {
	w := newWorld(t)
	later := false
	w.mux.HandleFunc("GET /changes", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		if later {
			io.WriteString(rw, prose(20))
			return
		}
		io.WriteString(rw, prose(2))
	})
	w.mux.HandleFunc("GET /leaves", func(rw http.ResponseWriter, r *http.Request) {
		if later {
			http.NotFound(rw, r)
			return
		}
		io.WriteString(rw, prose(3))
	})
	w.mux.HandleFunc("GET /comes", func(rw http.ResponseWriter, r *http.Request) {
		if !later {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, prose(4))
	})
	w.mux.HandleFunc("GET /hidden", func(rw http.ResponseWriter, r *http.Request) {
		if !later {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("X-Robots-Tag", "noindex")
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, prose(5))
	})
	w.page("/", prose(1)+`<a href=/changes>1</a><a href=/leaves>2</a><a href=/comes>3</a><a href=/never>4</a><a href=/away>5</a><a href=/shut>6</a><a href=/hidden>7</a>`)
	w.mux.Handle("GET /away", http.RedirectHandler("/", http.StatusMovedPermanently))
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /shut\n")
	w.crawl(t.Context(), "/")
	later = true
	got := w.rerun()
	for _, c := range []struct {
		name      string
		got, want int64
	}{
		{"fetched", got.Fetched, 7}, {"new", got.New, 1}, {"copies", got.Copies, 0}, {"unchanged", got.Unchanged, 1},
		{"changed", got.Changed, 1}, {"gone", got.Gone, 1}, {"redirects", got.Redirects, 1}, {"errors", got.Errors, 1},
		{"others", got.Others, 1}, {"noindex", got.NoIndex, 1}, {"forbidden", got.Forbidden, 1}, {"unanswered", got.Unanswered, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s is %d, want %d", c.name, c.got, c.want)
		}
	}
	if f := got.Failures["http 404 not found"]; f.Count != 1 || !strings.HasSuffix(f.URL, "/never") {
		t.Errorf("failures are %+v, want one 404, of /never", got.Failures)
	}
	if again := w.rerun(); again.Gone != 0 || again.Unchanged != 4 {
		t.Errorf("at the next visit %d are gone and %d unchanged, want 0 and 4, the one that was gone before among them", again.Gone, again.Unchanged)
	}
	w.sco.Exclude = []string{"/never"}
	if n := w.rerun(); n.Forbidden != 1 || n.Excluded != 1 {
		t.Errorf("where a pattern was added %d URLs are forbidden by robots.txt and %d left out, want 1 and 1", n.Forbidden, n.Excluded)
	}
}

func TestATallyTellsCopiesOfOtherHosts(t *testing.T) {
	w := newWorld(t)
	w.sco.Mode = frontier.ScopeAny
	other := strings.Replace(w.srv.URL, "127.0.0.1", "localhost", 1)
	links := ""
	w.mux.HandleFunc("GET /{$}", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, prose(1)+`<a href=/story>1</a>`+links)
	})
	w.page("/story", prose(2))
	w.page("/again", prose(2))
	w.crawl(t.Context(), "/")
	links = `<a href=/again>2</a><a href="` + other + `/story">3</a>`
	if n := w.rerun(); n.Copies != 2 || n.Abroad != 1 {
		t.Errorf("%d copies, %d of pages on other hosts, want 2 and 1", n.Copies, n.Abroad)
	}
}

// A page whose text changed by a few words is the same document still, and the run says that it
// was edited: once, and not at later visits that find it so again.
func TestATallyTellsEditedPages(t *testing.T) {
	w := newWorld(t)
	text := prose(2)
	w.mux.HandleFunc("GET /edited", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, text)
	})
	w.page("/", prose(1)+`<a href=/edited>1</a>`)
	w.crawl(t.Context(), "/")
	for _, c := range []struct {
		text              string
		edited, unchanged int64
	}{{prose(2) + "<p>One more sentence.", 1, 1}, {prose(2) + "<p>One more sentence.", 0, 2}, {prose(2), 0, 2}} {
		text = c.text
		if got := w.rerun(); got.Edited != c.edited || got.Unchanged != c.unchanged || got.Changed != 0 || got.Again() != 2 {
			t.Errorf("with the text %.20q... %d are edited, %d unchanged, %d changed; want %d, %d, 0", text[len(text)-20:], got.Edited, got.Unchanged, got.Changed, c.edited, c.unchanged)
		}
	}
}

// What the first pages repeat is in the template of their site until it turns out that few pages have it. A page that was kept
// by then lacks it, and is not edited because it has it now.
func TestATemplateMakesNoEdits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	const pages, early = 90, 8
	revision := 1
	for i := 1; i <= pages; i++ {
		w.mux.HandleFunc(fmt.Sprintf("GET /%d", i), func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(rw, "<!-- %d --><h1>Story %d</h1>", revision, i)
			for n := range 12 { // so long that a template that gives one block back is no reason to read it again
				fmt.Fprintf(rw, "<p>%s</p>", prose(12*i+n))
			}
			if i <= early {
				fmt.Fprint(rw, `<div class="table-tabs" role="tablist"><button role="tab">Static Methods</button><button role="tab">Abstract Methods</button></div>`)
			}
			fmt.Fprintf(rw, `<p>%s</p><p><a href="/%d">on</a></p>`, prose(12*pages+i), i%pages+1)
		})
	}
	w.crawl(t.Context(), "/1")
	lacking := 0
	for _, body := range w.bodies("", early) {
		if !strings.Contains(body, "Abstract Methods") {
			lacking++
		}
	}
	if lacking == 0 {
		t.Fatal("no kept page lacks what an earlier template took out")
	}
	revision++
	if got := w.rerun(); got.Edited != 0 || got.Unchanged != pages {
		t.Errorf("%d pages are edited and %d unchanged, want 0 and %d", got.Edited, got.Unchanged, pages)
	}
}
