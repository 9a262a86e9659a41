package gatecrawl_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
)

// A fakeRenderer puts a text into pages, or fails.
type fakeRenderer struct {
	err error

	mu    sync.Mutex
	pages []string
}

func (f *fakeRenderer) Render(_ context.Context, r *fetch.Response, m fetch.Manners) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages = append(f.pages, r.URL.RequestURI())
	closed, err := r.URL.Parse("/closed")
	if err != nil || m.May(closed) {
		return nil, errors.New("robots.txt was not asked")
	}
	text := prose(len(f.pages)) + `<a href="/found">found</a>`
	return []byte("<!DOCTYPE html><title>Übung</title><body>" + text), f.err
}

func (f *fakeRenderer) Close() error { return nil }

func TestPagesWithoutTextAreRendered(t *testing.T) {
	t.Parallel()
	const shell = `<html><body><div id="app"></div><script src="/app.js"></script></body></html>`
	for _, c := range []struct {
		render gatecrawl.Render
		err    error
		want   int    // pages that are rendered
		record string // of a shell
		found  bool
	}{
		{gatecrawl.RenderNever, nil, 0, "", false},
		{gatecrawl.RenderAuto, nil, 2, "done", true},
		{gatecrawl.RenderAlways, nil, 3, "done", true},
		{gatecrawl.RenderAuto, errors.New("no luck"), 1, "failed: no luck", false},
	} {
		t.Run(fmt.Sprint(c.render, c.err), func(t *testing.T) {
			w := newWorld(t)
			w.o.Render, w.o.Workers = c.render, 1
			w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /closed\n")
			w.with("/a", "text/html", shell, "ETag", `"1"`)
			w.with("/b", "text/html", shell)
			w.page("/plain", "short")
			w.page("/long", prose(9)+"<script>1</script>")
			w.page("/found", prose(10))
			w.renderer = &fakeRenderer{err: c.err}
			w.settling = func(v *page.Visit) {
				if v.Body != nil && v.Lease.Task != frontier.Reread && v.Sum != sha256.Sum256(v.Body) {
					t.Errorf("%s has another sum than its bytes", v.Page.URL)
				}
			}
			pages, _ := w.crawl(t.Context(), "/a", "/b", "/plain", "/long")
			if got := len(w.renderer.(*fakeRenderer).pages); got != c.want {
				t.Errorf("rendered %v, want %d pages", w.renderer.(*fakeRenderer).pages, c.want)
			}
			p := pages["/a"]
			if p.Render != c.record || (c.record == "done") != (p.ETag == "" && p.Title == "Übung") {
				t.Errorf("record of a shell: render %q, etag %q, title %q; want render %q", p.Render, p.ETag, p.Title, c.record)
			}
			run, all := w.tally.Unrendered, w.store.Totals().Unrendered
			if c.err == nil && (run != nil || all != 0) || c.err != nil && (all != 1 || run == nil || run.Count != 1 || run.Reason != "no luck") {
				t.Errorf("not rendered to their end: %+v in the run, %d in the job; want the shell if rendering fails", run, all)
			}
			if _, ok := pages["/found"]; ok != c.found {
				t.Errorf("a link that scripts made was followed: %v, want %v", ok, c.found)
			}
			// Without their scripts both shells are one page; with them they are two.
			want := page.VerdictCopy
			if c.record == "done" {
				want = page.VerdictNew
			}
			if got := pages["/b"].Verdict; got != want {
				t.Errorf("the other shell: %s, want %s", got, want)
			}
		})
	}
}
