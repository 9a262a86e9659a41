package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// repeated is what the pages of a made site have in common.
const repeated = "This site is kept by its readers, who give ten crowns a month and get it by post."

// story is the n-th page of a site: text of its own around what is repeated.
func story(n int) []byte {
	return fmt.Appendf(nil, `<html><head><title>Story %d</title></head><body><div><h1>Story %d</h1><p>%s</p><p>%s</p><p>%s</p></div></body></html>`,
		n, n, essay(2*n), repeated, essay(2*n+1))
}

// read makes the visit of a page that is read with a template.
func read(t *testing.T, l frontier.Lease, html []byte, with *purify.Template) *page.Visit {
	t.Helper()
	view, prints := purify.PurifyOn(with, l.URL.String(), html, "text/html")
	v := &page.Visit{Lease: l, Prints: prints, Template: view.Template, Body: html}
	v.Page = page.Record{URL: l.URL.String(), Status: 200, Type: "text/html"}
	fill(t, v, dedup.DigestOf(html), view)
	return v
}

// fill puts a view into a visit, with all that is made of it.
func fill(t *testing.T, v *page.Visit, digest dedup.Digest, view *purify.DocView) {
	t.Helper()
	sig := dedup.SignView(digest, view)
	v.View = page.PackView(view)
	v.Sign = &sig
	v.Page.Digest, v.Page.SimHash, v.Page.BodyTokens = digest.String(), fmt.Sprintf("%016x", sig.SimHash), int(sig.Tokens)
}

// visitStories settles stories of a host as pages of it, read with the template
// that the host has.
func visitStories(t *testing.T, b Backend, host string, numbers ...int) []page.Record {
	t.Helper()
	var ps []page.Record
	for i, n := range numbers {
		seed(t, b, 1, fmt.Sprintf("http://%s/%d/%d", host, i, n))
		l := next(t, b)
		ps = append(ps, settle(t, b, read(t, l, story(n), templateOf(t, b, host))))
	}
	return ps
}

func templateOf(t *testing.T, b Backend, host string) *purify.Template {
	t.Helper()
	known, err := b.Known(frontier.Lease{URL: url(t, "http://"+host+"/")})
	if err != nil {
		t.Fatalf("Known of %s: %v", host, err)
	}
	return known.Template
}

// earlier asks for a page to purify again; nil: there is none.
func earlier(t *testing.T, b Backend) *page.Known {
	t.Helper()
	l, err := nextTask(t.Context(), b)
	if errors.Is(err, frontier.ErrEmpty) {
		return nil
	}
	if err != nil {
		t.Fatalf("Next: %v", err)
	}
	if l.Task != frontier.Reread {
		if err := b.Release(l, 0); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	e, err := b.Known(l)
	if err != nil {
		t.Fatalf("Known of %s: %v", l.URL, err)
	}
	return &e
}

// reread purifies an earlier page as a crawl does.
func reread(t *testing.T, b Backend, e *page.Known) {
	t.Helper()
	v := &page.Visit{Lease: frontier.Lease{Task: frontier.Reread, Token: e.Page.Seq, URL: url(t, e.Page.URL)}, Page: e.Page}
	view, _ := purify.PurifyOn(e.Template, e.Page.URL, e.Body, e.Page.Type)
	fill(t, v, e.Digest, view)
	v.Template = view.Template
	for range 2 { // again changes nothing
		if _, err := b.Settle(t.Context(), v); err != nil {
			t.Fatalf("Settle(%s): %v", e.Page.URL, err)
		}
	}
}

func body(t *testing.T, b Backend, address string) string {
	t.Helper()
	v, err := b.View(t.Context(), address)
	if err != nil {
		t.Fatalf("View(%s): %v", address, err)
	}
	return v.Body
}

func newPagesTeach(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	visitStories(t, b, "a.test", 1, 2, 3)
	b = reopen()
	visitStories(t, b, "b.test", 11)
	if templateOf(t, b, "a.test") != nil {
		t.Error("a template after three pages")
	}
	visitStories(t, b, "a.test", 4, 5)
	for range 2 {
		if templateOf(t, b, "a.test").Blocks() == 0 {
			t.Error("no template after five pages")
		}
		if templateOf(t, b, "b.test") != nil {
			t.Error("a template of a host with one page")
		}
		b = reopen()
	}
	p := visitStories(t, b, "a.test", 6)[0]
	if got := body(t, b, p.URL); strings.Contains(got, repeated) {
		t.Errorf("body of a page after the template: %.200q", got)
	}
	if f := why(t, b, p.URL).Frame; f == nil || f.Template != 1 || f.Blocks != 1 {
		t.Errorf("Why of it: frame %+v, want one block by template 1", f)
	}
}

func copiesTeachNothing(t *testing.T, open Opener) {
	b, _ := open(t, options())
	for i, p := range visitStories(t, b, "a.test", 1, 1, 1, 1, 1, 1, 2, 2, 3, 4) {
		if want := i == 0 || i == 6 || i > 7; (p.Verdict == page.VerdictNew) != want {
			t.Fatalf("page %d is %s", i, p.Verdict)
		}
	}
	if templateOf(t, b, "a.test") != nil {
		t.Error("a template of four documents and their copies")
	}
	visitStories(t, b, "a.test", 5)
	if templateOf(t, b, "a.test") == nil {
		t.Error("no template of five documents")
	}
}

func firstPagesAgain(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	first := visitStories(t, b, "a.test", 1, 2, 3)
	voter := visitStories(t, b, "b.test", 2)[0]
	if voter.Of != first[1].URL {
		t.Fatalf("the test wants a copy of %s, got %+v", first[1].URL, voter)
	}
	if e := earlier(t, b); e != nil {
		t.Fatalf("Earlier = %s before there is a template", e.Page.URL)
	}
	first = append(first, visitStories(t, b, "a.test", 4, 5)...)
	reread(t, b, earlier(t, b))
	if e := earlier(t, b); e == nil || e.Page.URL != first[1].URL {
		t.Errorf("Earlier = %v, want the second page", e)
	}
	b = reopen() // the second was leased, and is leased again
	for _, p := range first[1:] {
		e := earlier(t, b)
		if e == nil || e.Page.URL != p.URL {
			t.Fatalf("Earlier = %v, want %s", e, p.URL)
		}
		reread(t, b, e)
	}
	for range 2 {
		if e := earlier(t, b); e != nil {
			t.Errorf("Earlier = %s when all were purified again", e.Page.URL)
		}
		for i, p := range first {
			if got := body(t, b, p.URL); strings.Contains(got, repeated) || !strings.Contains(got, strings.TrimSpace(essay(2*(i+1)))) {
				t.Errorf("%s: body %.200q", p.URL, got)
			}
		}
		if w := why(t, b, first[1].URL); w.Degree != 1 || w.Page.Verdict != page.VerdictNew {
			t.Errorf("the kept page has degree %d and is %s; want its vote, and kept", w.Degree, w.Page.Verdict)
		}
		b = reopen()
	}
	// The gate knows the first pages by their bodies without the template.
	bare := dedup.SignText(body(t, b, first[2].URL))
	if v, err := b.Check(bare, nil); err != nil || v.Level != dedup.LevelBody || uint64(v.Of) != first[2].Seq {
		t.Errorf("Check of the third page's body = %+v, %v", v, err)
	}
}

func oldTemplatesAgain(t *testing.T, open Opener) {
	b, _ := open(t, options())
	visitStories(t, b, "a.test", 1, 2, 3, 4, 5)
	for e := earlier(t, b); e != nil; e = earlier(t, b) {
		reread(t, b, e)
	}
	seed(t, b, 1, "http://a.test/late")
	p := settle(t, b, read(t, next(t, b), story(9), nil)) // read before the fifth was settled
	e := earlier(t, b)
	if e == nil || e.Page.Seq != p.Seq {
		t.Fatalf("Earlier = %v, want the late page", e)
	}
	reread(t, b, e)
	if got := body(t, b, p.URL); strings.Contains(got, repeated) {
		t.Errorf("body %.200q", got)
	}
}
