package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
)

// An archive is a job to which a test tells what is at URLs.
type archive struct {
	*Store
	t *testing.T
}

func newArchive(t *testing.T, o Options) archive {
	t.Helper()
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.Verify(t.Context(), func(b gatecrawl.Breach) error {
			t.Errorf("breach: %s: %s", b.Invariant, b.Detail)
			return nil
		}); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return archive{s, t}
}

func (l archive) parse(address string) weburl.URL {
	l.t.Helper()
	u, err := weburl.Parse(address)
	if err != nil {
		l.t.Fatal(err)
	}
	return u
}

// has tells the job that a document is at a URL.
func (l archive) has(document int, address string) {
	l.t.Helper()
	l.brings(document, l.lease(address))
}

// lease adds a URL and borrows it.
func (l archive) lease(address string) frontier.Lease {
	l.t.Helper()
	if _, err := l.Add(l.t.Context(), []frontier.Candidate{{URL: l.parse(address)}}); err != nil {
		l.t.Fatal(err)
	}
	lease, err := l.lend(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return lease
}

// brings settles a lease with a document.
func (l archive) brings(document int, lease frontier.Lease) {
	l.t.Helper()
	text := strings.Repeat(fmt.Sprintf("words%d of%d document%d %d ", document, document*7, document, document), 30)
	sig := dedup.SignText(text)
	sig.Bytes = dedup.DigestOf([]byte(text))
	v := &page.Visit{
		Lease: lease, Finished: time.Now(), Sign: &sig, Body: page.PackBody([]byte(text)),
		Page: page.Record{URL: lease.URL.String(), Status: 200, Digest: sig.Bytes.String(), BodyTokens: int(sig.Tokens), Fetched: time.Now()},
	}
	if _, err := l.Settle(l.t.Context(), v); err != nil {
		l.t.Fatal(err)
	}
}

func skipping() Options {
	o := testOptions()
	o.Rules.Learn = dust.LearnSkip
	return o
}

// kindsOfAddresses are two URLs of page N, for each kind of rule.
var kindsOfAddresses = []struct {
	kind dust.Kind
	a, b string
}{
	{dust.Param, "http://a.test/n/N?tok=xN", "http://a.test/n/N"},
	{dust.Value, "http://a.test/n/N?part=1", "http://a.test/n/N"},
	{dust.Order, "http://a.test/n?a=N&b=1", "http://a.test/n?b=1&a=N"},
	{dust.Index, "http://a.test/n/pN/index.html", "http://a.test/n/pN/"},
	{dust.Slash, "http://a.test/n/pN/", "http://a.test/n/pN"},
	{dust.Case, "http://a.test/n/PageN", "http://a.test/n/pageN"},
	{dust.Extension, "http://a.test/n/pN.htm", "http://a.test/n/pN.html"},
	{dust.Segment, "http://a.test/s0123456789abcN/pN", "http://a.test/sfedcba987654N/pN"},
	{dust.Segment, "http://a.test/s0123456789abcN/pN", "http://a.test/pN"},
	{dust.Prefix, "http://a.test/~ann/pN", "http://a.test/people/ann/pN"},
	{dust.Prefix, "http://a.test/docs/pN", "http://a.test/pN"},
	{dust.View, "http://a.test/print/n/pN", "http://a.test/n/pN"},
	{dust.Scheme, "http://a.test/n/pN", "https://a.test/n/pN"},
	{dust.WWW, "http://www.a.test/n/pN", "http://a.test/n/pN"},
}

func TestEveryKindOfRuleIsLearnedAndTakenBack(t *testing.T) {
	for _, c := range kindsOfAddresses {
		t.Run(fmt.Sprintf("%s of %s", c.kind, c.b), func(t *testing.T) {
			l := newArchive(t, skipping())
			at := func(form string, n int) string { return strings.ReplaceAll(form, "N", fmt.Sprint(n+10)) }
			pages := 17
			if c.kind == dust.Value {
				pages = 80 // of a parameter that matters otherwise more have to agree
			}
			for n := range pages {
				l.has(n, at(c.b, n))
				l.has(n, at(c.a, n))
				if c.kind == dust.Value {
					l.has(1000+n, at(c.b, n)+"?part=2")
				}
			}
			l.has(pages, at(c.b, pages))
			told, err := l.Explain(t.Context(), l.parse(at(c.a, pages)))
			if err != nil {
				t.Fatal(err)
			}
			if told.Decision != "skip" && told.Decision != "explore" || told.Same != at(c.b, pages) || len(told.Rules) == 0 || told.Rules[0].Kind != c.kind {
				t.Fatalf("after %d pages %s is %+v, want it taken for %s by a rule of kind %s", pages, told.URL, told, at(c.b, pages), c.kind)
			}
			l.has(5000, at(c.a, pages)) // another document
			told, err = l.Explain(t.Context(), l.parse(at(c.a, pages)))
			if err != nil {
				t.Fatal(err)
			}
			if told.Decision == "skip" || told.Decision == "explore" {
				t.Errorf("after a miss %s is left out still: %+v", told.URL, told)
			}
		})
	}
}

// Of 60 pages, each at four more URLs, the audit tries one URL of each that was
// not tried before, until so many agreed as are asked for.
func TestTrialsOfARuleAreSpreadOverPages(t *testing.T) {
	const pages = 60
	o := skipping()
	l := newArchive(t, o)
	plain := func(n int) string { return fmt.Sprintf("http://a.test/n/%d", n) }
	tried := make(map[int]int)
	for n := range pages {
		l.has(n, plain(n))
	}
	for way := range 4 {
		for n := range pages {
			lease := l.lease(fmt.Sprintf("%s?tok=x%d", plain(n), way))
			aside, err := l.aside(lease)
			if err != nil {
				t.Fatal(err)
			}
			if aside { // put off, or left out
				if lease, err = l.lend(t.Context()); err != nil {
					continue
				}
			}
			tried[n]++
			l.brings(n, lease)
		}
	}
	left := l.Totals().Rules[gatecrawl.RuleDust]
	before := len(tried)
	for {
		if more, err := l.audit(t.Context()); err != nil {
			t.Fatal(err)
		} else if !more {
			break
		}
		for l.Totals().Queued > 0 {
			lease, err := l.lend(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var n, way int
			if _, err := fmt.Sscanf(lease.URL.String(), "http://a.test/n/%d?tok=x%d", &n, &way); err != nil {
				t.Fatal(err)
			}
			if tried[n]++; tried[n] > 1 {
				t.Errorf("page %d was tried before, and is again", n)
			}
			l.brings(n, lease)
		}
	}
	if want := o.Rules.Wanted(pages); before >= want || len(tried) != want {
		t.Errorf("%d pages were tried, and %d after the audit; want %d of %d", before, len(tried), want, pages)
	}
	if now := l.Totals().Rules[gatecrawl.RuleDust]; now != left-int64(len(tried)-before) || now == 0 {
		t.Errorf("%d addresses were left out, and %d after %d trials", left, now, len(tried)-before)
	}
}

func TestWhatIsKnownOfAddressesIsBounded(t *testing.T) {
	o := skipping()
	o.Rules.MaxRules = 40
	l := newArchive(t, o)
	for n := range 60 { // each page has a parameter and a template of its own
		l.has(n, fmt.Sprintf("http://a.test/f%d/p", n))
		l.has(n, fmt.Sprintf("http://a.test/f%d/p?v%d=1", n, n))
	}
	if n := l.rules.book.Len(); n != o.Rules.MaxRules {
		t.Errorf("%d rules are in memory, want the %d that are allowed", n, o.Rules.MaxRules)
	}
	for n := range uint64(maxTraps + 10) {
		l.rules.setTrap(n, true)
	}
	if n := len(l.rules.traps); n != maxTraps {
		t.Errorf("%d traps are in memory, want %d", n, maxTraps)
	}
	err := l.look(func(in snapshot) error {
		return each(in, tableForms, func(_, v []byte) error {
			if n := len(v); n > 1+4*(maxExact+maxDropped) {
				t.Errorf("a form names pages in %d bytes, want %d at most", n, 1+4*(maxExact+maxDropped))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
