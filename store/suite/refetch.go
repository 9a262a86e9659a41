package suite

import (
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// again queues everything again and leases the URL that is wanted; the others are settled
// unchanged.
func again(t *testing.T, b Backend, want string) *page.Visit {
	t.Helper()
	if _, err := b.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); err != nil {
		t.Fatal(err)
	}
	for {
		l := next(t, b)
		if !l.Again {
			t.Errorf("%s has a record, and its lease does not say so", l.URL)
		}
		if l.URL.String() == want {
			return visit(l, "")
		}
		settle(t, b, failed(l)) // a document stays what it was
	}
}

func requeued(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/2")
	for n := range 2 {
		l := next(t, b)
		if l.Again {
			t.Errorf("%s was never settled, and its lease says so", l.URL)
		}
		v := visit(l, essay(n+1))
		v.Page.ETag, v.Page.LastModified = `"1"`, "Fri, 20 Nov 2026 10:00:00 GMT"
		settle(t, b, v)
	}
	if n, err := b.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); n.Asked != 2 || err != nil {
		t.Errorf("Requeue of 2 settled URLs = %d, %v", n.Asked, err)
	}
	b = reopen()
	if n, err := b.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); n.Asked != 0 || err != nil {
		t.Errorf("Requeue of 2 URLs that wait = %d, %v, want 0", n.Asked, err)
	}
	if w := why(t, b, "http://a.test/1"); w.State != "queued" || w.Page == nil {
		t.Errorf("a page that waits to be asked for again: state %s, record %v", w.State, w.Page)
	}
	var urls []string
	for range 2 {
		l := next(t, b)
		urls = append(urls, l.URL.String())
		known, err := b.Known(l)
		if err != nil || !l.Again || known.ETag != `"1"` || known.LastModified != "Fri, 20 Nov 2026 10:00:00 GMT" {
			t.Errorf("%s: again %v, known %+v, %v; want the version that was settled", l.URL, l.Again, known, err)
		}
		settle(t, b, failed(l))
	}
	slices.Sort(urls)
	if !slices.Equal(urls, []string{"http://a.test/1", "http://b.test/2"}) {
		t.Errorf("asked for again: %v", urls)
	}
	wantEmpty(t, b)
	if n := b.Totals(); n.Pages != 2 || n.New == 0 || n.Failed != 0 || n.Revisits != 2 {
		t.Errorf("totals %+v: want two documents as they were", n)
	}
}

func changedKeptPage(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/kept")
	settle(t, b, visit(next(t, b), essay(1)))
	seed(t, b, 0, "http://b.test/copy")
	if p := settle(t, b, visit(next(t, b), essay(1))); p.Of != "http://a.test/kept" {
		t.Errorf("copy of %q", p.Of)
	}
	old := again(t, b, "http://a.test/kept")
	v := visit(old.Lease, essay(2))
	if p := settle(t, b, v); p.Verdict != page.VerdictNew {
		t.Errorf("a page that changed is %s", p.Verdict)
	}
	b = reopen()
	for l, err := nextTask(t.Context(), b); err == nil; l, err = nextTask(t.Context(), b) {
		settle(t, b, failed(l))
	}
	for n, c := range []struct {
		text string
		want page.Verdict
	}{
		{essay(1), page.VerdictNew}, // what it was; it is that no longer
		{essay(2), page.VerdictCopy},
	} {
		seed(t, b, 0, "http://c.test/"+string(rune('a'+n)))
		if p := settle(t, b, visit(next(t, b), c.text)); p.Verdict != c.want {
			t.Errorf("page %d found after the change: %s of %q, want %s", n, p.Verdict, p.Of, c.want)
		}
	}
	if w := why(t, b, "http://b.test/copy"); w.Page.Of != "http://a.test/kept" {
		t.Errorf("the copy found before the change is a copy of %q", w.Page.Of)
	}
}

// A visit that brought no bytes, because its page was a copy when it was asked,
// must not become a kept page without bytes.
func keptPageGoneMeanwhile(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/kept")
	settle(t, b, visit(next(t, b), essay(1)))
	seed(t, b, 0, "http://b.test/copy")
	copied := visit(next(t, b), essay(1))
	copied.Body = nil
	old := again(t, b, "http://a.test/kept")
	settle(t, b, visit(old.Lease, essay(2)))
	settle(t, b, copied)
	l := next(t, b)
	if l.URL.String() != "http://b.test/copy" {
		t.Fatalf("Next = %s, want the page whose bytes are missing", l.URL)
	}
	if p := settle(t, b, visit(l, essay(1))); p.Verdict != page.VerdictNew {
		t.Errorf("with its bytes it is %s, want new", p.Verdict)
	}
}

// A page that had no copies was gone when its first copy was found, as if it had moved: the copy takes its place.
func copyOfAGonePage(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/old")
	settle(t, b, visit(next(t, b), essay(1)))
	gone := failed(again(t, b, "http://a.test/old").Lease)
	gone.Page.Fetched = time.Now()
	settle(t, b, gone)
	seed(t, b, 0, "http://b.test/moved")
	if p := settle(t, b, visit(next(t, b), essay(1))); p.Of != "http://a.test/old" {
		t.Errorf("copy of %q", p.Of)
	}
	l := next(t, b)
	if l.URL.String() != "http://b.test/moved" {
		t.Fatalf("Next = %s, want the copy of the page that is gone", l.URL)
	}
	if p := settle(t, b, visit(l, essay(1))); p.Verdict != page.VerdictNew {
		t.Errorf("asked once more it is %s, want new", p.Verdict)
	}
	wantEmpty(t, b)
	seed(t, b, 0, "http://c.test/other")
	if p := settle(t, b, visit(next(t, b), essay(1))); p.Of != "http://b.test/moved" {
		t.Errorf("a later copy is one of %q", p.Of)
	}
}
