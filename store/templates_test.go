package store

import (
	"errors"
	"fmt"
	"path"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/suite"
)

// queued makes a job with so many URLs of one host in its queue, which has no delay.
func queued(t *testing.T, pages int) *Store {
	t.Helper()
	o := testOptions()
	o.Delay, o.PerHost = 0, 16
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var cs []frontier.Candidate
	for n := range pages {
		u, err := weburl.Parse(fmt.Sprintf("http://a.test/%d", n))
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	return s
}

// The pages of a host that came before its template are purified again one at a time while others are
// left to be fetched, and at once when none is.
func TestTheLastTasksArePagesToPurifyAgainAtOnce(t *testing.T) {
	const pages = 7
	s := queued(t, pages)
	for n := range pages {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		own := fmt.Sprintf("number%d stands alone with words%d that are no other's%d text%d", n, n, n, n)
		body := fmt.Appendf(nil, "<html><title>Page %d</title><p>%s %s<p>What this site repeats on all of its pages is here.</html>", n, own, own)
		view, prints := purify.PurifyOn(nil, l.URL.String(), body, "text/html")
		sig := dedup.SignView(dedup.DigestOf(body), view)
		v := &page.Visit{
			Lease: l, Finished: time.Now(), Sign: &sig, Body: body, View: page.PackView(view), Prints: prints,
			Page: page.Record{URL: l.URL.String(), Status: 200, Type: "text/html", Digest: sig.Bytes.String()},
		}
		if n == pages-1 {
			first, err := s.Next(t.Context())
			if err != nil || first.Task != frontier.Reread {
				t.Fatalf("Next while a page is lent = %v %v, %v; want a page to purify again", first.Task, first.URL, err)
			}
			if _, ok, err := s.templates.Next(1); ok || err != nil {
				t.Errorf("while a page is lent another one is to be purified again at once; %v", err)
			}
			if err := s.Release(first, 0); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	again, first := 0, ""
	for {
		l, err := s.Next(t.Context())
		if errors.Is(err, frontier.ErrEmpty) {
			break
		}
		if err != nil || l.Task != frontier.Reread {
			t.Fatalf("Next = %v %v, %v; want a page to purify again", l.Task, l.URL, err)
		}
		if l.URL.String() == first {
			t.Fatalf("%s is to be purified again, although Reread has made of it what the new template does", first)
		}
		if again++; again > 1 {
			continue
		}
		first = l.URL.String() // its host gets another template while it is purified
		e, err := s.Known(l)
		if err != nil {
			t.Fatal(err)
		}
		view, _ := purify.PurifyOn(nil, first, e.Body, "text/html")
		sig := dedup.SignView(dedup.DigestOf(e.Body), view)
		v := &page.Visit{Lease: l, Page: e.Page, Sign: &sig, Body: e.Body, View: page.PackView(view)}
		v.Reread = func(now *purify.Template) { v.Template = now.Generation() }
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	if again < 3 {
		t.Errorf("%d pages are to be purified again at once, want 3 or more", again)
	}
}

// A page is read again with a new template of its host, and its URL is visited and has changed before that is settled.
func TestWhatWasReadAgainOfAReplacedPageIsNotStored(t *testing.T) {
	const pages = 7
	s := queued(t, pages)
	visit := func(l frontier.Lease, edition string) *page.Visit {
		n := path.Base(l.URL.Path())
		own := fmt.Sprintf("number%s stands alone with words%s that are no other's%s text%s of the %s edition", n, n, n, n, edition)
		body := fmt.Appendf(nil, "<html><title>Page %s</title><p>%s %s<p>What this site repeats on all of its pages is here.</html>", n, own, own)
		view, prints := purify.PurifyOn(nil, l.URL.String(), body, "text/html")
		sig := dedup.SignView(dedup.DigestOf(body), view)
		return &page.Visit{
			Lease: l, Finished: time.Now(), Sign: &sig, Body: body, View: page.PackView(view), Prints: prints,
			Page: page.Record{URL: l.URL.String(), Status: 200, Type: "text/html", Digest: sig.Bytes.String(), Fetched: time.Now()},
		}
	}
	for range pages {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(t.Context(), visit(l, "first")); err != nil {
			t.Fatal(err)
		}
	}
	again, err := s.Next(t.Context())
	if err != nil || again.Task != frontier.Reread {
		t.Fatalf("Next = %v %v, %v; want a page to read again", again.Task, again.URL, err)
	}
	e, err := s.Known(again)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Requeue(t.Context(), gatecrawl.Again{Before: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	for replaced := false; !replaced; {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatalf("%s was not visited again: %v", again.URL, err)
		}
		if _, err := s.Settle(t.Context(), visit(l, "second")); err != nil {
			t.Fatal(err)
		}
		replaced = l.URL == again.URL
	}
	view, _ := purify.PurifyOn(nil, again.URL.String(), e.Body, "text/html")
	sig := dedup.SignView(dedup.DigestOf(e.Body), view)
	v := &page.Visit{Lease: again, Page: e.Page, Sign: &sig, Body: e.Body, View: page.PackView(view), Template: e.Template.Generation()}
	if _, err := s.Settle(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	suite.Verify(t, s)
}
