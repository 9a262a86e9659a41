// Package suite is the contract of gatecrawl.Store as tests: every backend
// passes it.
package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
)

// A Backend is what the suite tests: a store that can also be inspected.
type Backend interface {
	gatecrawl.Store
	gatecrawl.Inspector
	Requeue(context.Context, gatecrawl.Again) (gatecrawl.Requeued, error)
	Roots() ([]weburl.URL, error)
}

// Options are the settings of a backend that the suite varies.
type Options struct {
	PerHost    int           // requests at once to one host
	Delay      time.Duration // from one request to a host to the next
	HostBudget int64         // pages of one host; 0: no limit
	NewBudget  int64         // new documents of one host; 0: no limit
	Lease      time.Duration // how long a URL is leased
}

// Verify checks the invariants of a job, also at the end of a test, and reports each breach.
func Verify(t testing.TB, job interface {
	Verify(context.Context, func(gatecrawl.Breach) error) (gatecrawl.Verified, error)
}) gatecrawl.Verified {
	t.Helper()
	n, err := job.Verify(context.WithoutCancel(t.Context()), func(b gatecrawl.Breach) error {
		t.Errorf("breach: %s: %s", b.Invariant, b.Detail)
		return nil
	})
	if err != nil {
		t.Errorf("Verify after %+v: %v", n, err)
	}
	return n
}

// An Opener opens the job of a test, and again after Close. What it returns is
// verified and closed when the test ends.
type Opener func(t *testing.T, o Options) (b Backend, reopen func() Backend)

// InMadeTime are the tests that run on the clock of testing/synctest, where nothing may wait
// for another process.
var InMadeTime = []string{"AHostRestsAfterARequest", "AnExpiredLeaseIsLentAgainAndItsSettleRefused", "ARetryComesBackLaterAndCountsItsAttempt"}

// Run runs the suite, except for tests that are named. Each test opens its own job.
func Run(t *testing.T, open Opener, but ...string) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Opener)
	}{
		{"AddingAgainChangesNothing", addingAgain},
		{"TheBestURLOfAHostComesFirst", bestFirst},
		{"TiesComeInTheOrderOfDiscovery", ties},
		{"AHostRestsAfterARequest", hostRests},
		{"AHostTakesPerHostRequestsAtOnce", perHost},
		{"AnEmptyBacklogSaysSo", empty},
		{"NextEndsWithItsContext", nextEnds},
		{"NextThatEndsWithItsContextLendsNothing", endsWithoutLease},
		{"AReleasedURLIsLentAgain", released},
		{"AnExpiredLeaseIsLentAgainAndItsSettleRefused", expired},
		{"AVisitIsSettledOnce", settledOnce},
		{"ARetryComesBackLaterAndCountsItsAttempt", retry},
		{"LeasesAreGivenBackByAReopen", leasesReopen},
		{"SettledVisitsSurviveAReopen", settledReopen},
		{"ACopyNamesTheKeptPage", copyNames},
		{"TheGateRemembersAfterAReopen", gateReopen},
		{"AVoteOfAnotherHostRaisesWaitingOutlinks", voteRaises},
		{"TheVoteOfACopyThatItsKeeperLinksToLeavesItSettled", voteForLinker},
		{"CopiesOfOneHostAreOneVote", oneHostOneVote},
		{"TheBytesOfACopyAreKnown", bytesOfACopy},
		{"ATextDecidesWhereTheSignatureLeavesADoubt", textDecides},
		{"PagesWithBlocksAreComparedByThoseOfTheirOwn", blocksDecide},
		{"LinksOfACopyAreDeferred", copyDeferred},
		{"ARefusedLinkIsRememberedWithItsRule", refusedLink},
		{"RefusedListsLinksAndPagesWhereverItGoesOn", refusedListed},
		{"ARefusedLinkThatIsFoundAllowedIsQueued", refusedThenAllowed},
		{"ABetterLinkRaisesAWaitingURL", betterLink},
		{"ASeedsLabelIsLentAndKept", labels},
		{"AHostStopsAtItsBudget", budget},
		{"CopiesDoNotUseUpTheBudgetOfNewDocuments", newBudget},
		{"RobotsFilesAndRootsAreKept", robotsAndRoots},
		{"OnlySeedsAndWhatTheyRedirectToAreLentAsSeeds", lentAsSeeds},
		{"ListingsGoInCrawlOrder", listings},
		{"OfALongGroupSoManyCopiesAreListed", longGroup},
		{"WhatIsNearIsNamedAtQuestionTime", nearPages},
		{"TheNewPagesOfAHostMakeItsTemplate", newPagesTeach},
		{"CopiesMakeNoTemplate", copiesTeachNothing},
		{"TheFirstPagesArePurifiedAgain", firstPagesAgain},
		{"APageThatWasReadWithAnOldTemplateIsPurifiedAgain", oldTemplatesAgain},
		{"WhatIsRequeuedKeepsItsRecord", requeued},
		{"OneOwnersHostsAreOneVoice", oneOwner},
		{"AChangedKeeperClaimsNothingNew", changedKeptPage},
		{"AVisitWithoutBytesComesBackWhenItsKeeperChanged", keptPageGoneMeanwhile},
		{"TheFirstCopyOfAGonePageTakesItsPlace", copyOfAGonePage},
	} {
		if slices.Contains(but, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // most of their time goes to waiting for the disk
			c.test(t, open)
		})
	}
}

func options() Options { return Options{PerHost: 1, Lease: 10 * time.Minute} }

func url(t *testing.T, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// seed adds URLs as seeds with the given priority.
func seed(t *testing.T, b Backend, prio float32, urls ...string) int {
	t.Helper()
	var cs []frontier.Candidate
	for _, s := range urls {
		cs = append(cs, frontier.Candidate{URL: url(t, s), Signals: priority.Signals{Seed: prio}})
	}
	n, err := b.Add(t.Context(), cs)
	if err != nil {
		t.Fatalf("Add(%v): %v", urls, err)
	}
	return n
}

// nextTask leases the next task. It answers for every site that it has no robots.txt.
func nextTask(ctx context.Context, b Backend) (frontier.Lease, error) {
	for {
		l, err := b.Next(ctx)
		if err != nil || l.Task != frontier.Robots {
			return l, err
		}
		v := page.Visit{Lease: l, Robots: &robots.File{Origin: l.URL.Origin(), Status: 404, Fetched: time.Now()}}
		if _, err := b.Settle(ctx, &v); err != nil {
			return l, err
		}
	}
}

func next(t *testing.T, b Backend) frontier.Lease {
	t.Helper()
	for {
		l, err := nextTask(t.Context(), b)
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if l.Task == frontier.Page {
			return l
		}
		e, err := b.Known(l)
		if err != nil {
			t.Fatalf("Known of %s: %v", l.URL, err)
		}
		reread(t, b, &e)
	}
}

// wantEmpty asks for a URL and expects that there is none.
func wantEmpty(t *testing.T, b Backend) {
	t.Helper()
	if l, err := nextTask(t.Context(), b); !errors.Is(err, frontier.ErrEmpty) {
		t.Fatalf("Next = %v, %v; want ErrEmpty", l.URL, err)
	}
}

// wantNone asks for a URL while others are leased, and expects to wait.
func wantNone(t *testing.T, b Backend) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if l, err := nextTask(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Next = %v, %v; want it to wait", l.URL, err)
	}
}

// visit makes the visit of a document whose bytes and body are text.
func visit(l frontier.Lease, text string, links ...frontier.Candidate) *page.Visit {
	sig := dedup.SignText(text)
	sig.Bytes = dedup.DigestOf([]byte(text))
	for i := range links {
		links[i].From = l.URL.Key()
		links[i].Signals.Depth = l.Signals.Depth + 1
	}
	return &page.Visit{
		Lease: l, Sign: &sig, Links: links, Finished: time.Now(),
		Body: []byte(text),
		Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Depth: int(l.Signals.Depth), BodyTokens: int(sig.Tokens)},
	}
}

// failed makes the visit of a URL that brought nothing.
func failed(l frontier.Lease) *page.Visit {
	return &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
		URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
	}}
}

func settle(t *testing.T, b Backend, v *page.Visit) page.Record {
	t.Helper()
	p, err := b.Settle(t.Context(), v)
	if err != nil {
		t.Fatalf("Settle(%s): %v", v.Page.URL, err)
	}
	return p
}

// visitTogether visits n pages as a crawl's workers do, many at a time, so that they share
// commits. The i-th that is started has text(i).
func visitTogether(t *testing.T, b Backend, n int, text func(i int) string) {
	t.Helper()
	var started atomic.Int64
	visitNext := func() bool {
		i := int(started.Add(1)) - 1
		if i >= n {
			return false
		}
		l, err := nextTask(t.Context(), b)
		if err == nil {
			_, err = b.Settle(t.Context(), visit(l, text(i)))
		}
		if err != nil {
			t.Errorf("visit %d: %v", i, err)
		}
		return err == nil
	}
	var workers sync.WaitGroup
	for range 32 {
		workers.Go(func() {
			for visitNext() {
			}
		})
	}
	workers.Wait()
}

func link(t *testing.T, s string) frontier.Candidate {
	return frontier.Candidate{URL: url(t, s)}
}

func why(t *testing.T, b Backend, s string) gatecrawl.Why {
	t.Helper()
	w, err := b.Why(t.Context(), s)
	if err != nil {
		t.Fatalf("Why(%s): %v", s, err)
	}
	return w
}

// findings compares Find, with an outline and without, with all records.
func findings(t *testing.T, b Backend) {
	t.Helper()
	outline, err := b.Outline(t.Context())
	if err != nil {
		t.Fatalf("Outline: %v", err)
	}
	whole := gatecrawl.Find{Kind: page.Kind{Verdict: page.VerdictNew}, From: 1, Limit: 5000, Look: 5000, Whole: true}
	if found, err := b.Find(t.Context(), whole); err != nil || len(found.Records) == 0 || found.Records[0].Degree != 1 {
		t.Errorf("Find of whole records: %d of them, %v, want the first one with a copy on another domain", len(found.Records), err)
	}
	for _, k := range []page.Kind{{}, {Verdict: page.VerdictCopy}, {Level: 3}, {Host: "h1150.test"}, {Status: 404}, {Verdict: page.VerdictFailed}} {
		var want []uint64
		err := b.Pages(t.Context(), 1, func(p page.Record) error {
			if k.Is(&p) {
				want = append(want, p.Seq)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*page.Outline{nil, outline} {
			var got []uint64
			for f := (gatecrawl.Find{Kind: k, From: 1, Limit: 70, Look: 500, Outline: o}); ; {
				found, err := b.Find(t.Context(), f)
				if err != nil || len(found.Records) > f.Limit || found.Looked > f.Look {
					t.Fatalf("Find(%+v) = %d records of %d, %v", f, len(found.Records), found.Looked, err)
				}
				for _, p := range found.Records {
					got = append(got, p.Seq)
					if p.Verdict == page.VerdictCopy && p.Of == "" {
						t.Errorf("Find(%+v): the record of %s does not name the kept page", f, p.URL)
					}
				}
				if f.From = found.Next; f.From == 0 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, outline %v: Find has %d records, and %d are of the kind", k.String(), o != nil, len(got), len(want))
			}
		}
	}
}

// essay is a text long enough for the near level; n varies all of it.
func essay(n int) string {
	var s strings.Builder
	for i := range 120 {
		fmt.Fprintf(&s, "word%dof%d ", (i*7919+n*104729)%100_003, n)
	}
	return s.String()
}

func addingAgain(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	if n := seed(t, b, 0, "http://a.test/1", "http://a.test/2", "http://a.test/1"); n != 2 {
		t.Errorf("Add of 3 URLs, 2 of them different = %d, want 2", n)
	}
	if n := seed(t, b, 0, "http://a.test/2"); n != 0 {
		t.Errorf("Add of a known URL = %d, want 0", n)
	}
	b = reopen()
	if n := seed(t, b, 0, "http://a.test/1", "http://a.test/3"); n != 1 {
		t.Errorf("Add after a reopen = %d, want 1", n)
	}
	if got := b.Totals().Queued; got != 3 {
		t.Errorf("Totals().Queued = %d, want 3", got)
	}
}

func bestFirst(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 1, "http://a.test/low")
	seed(t, b, 5, "http://a.test/high", "http://b.test/high")
	seed(t, b, 3, "http://a.test/middle")
	var got []string
	for range 4 {
		l := next(t, b)
		got = append(got, l.URL.String())
		settle(t, b, failed(l))
	}
	want := []string{"http://a.test/high", "http://b.test/high", "http://a.test/middle", "http://a.test/low"}
	slices.Sort(got[:2]) // equally good, on two hosts
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func ties(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprintf("http://a.test/%d", (i*7)%20))
	}
	seed(t, b, 0, want...)
	b = reopen()
	for _, w := range want {
		l := next(t, b)
		if l.URL.String() != w {
			t.Fatalf("Next = %s, want %s", l.URL, w)
		}
		settle(t, b, failed(l))
	}
}

func hostRests(t *testing.T, open Opener) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Delay = 2 * time.Second
		b, _ := open(t, o)
		seed(t, b, 0, "http://a.test/1", "http://a.test/2", "http://b.test/1")
		var starts []time.Time
		start := time.Now()
		for range 3 {
			l := next(t, b)
			if l.URL.Host() == "a.test" {
				starts = append(starts, time.Now())
			}
			time.Sleep(300 * time.Millisecond) // the request
			v := failed(l)
			v.Rest = o.Delay
			settle(t, b, v)
		}
		if got, want := starts[1].Sub(starts[0]), 2300*time.Millisecond; got < want || got > want+time.Second {
			t.Errorf("second request to the host %v after the first, want %v", got, want)
		}
		if got := time.Since(start); got > 6*time.Second {
			t.Errorf("3 requests to 2 hosts, and one each for its robots.txt, took %v: the other host had to wait", got)
		}
	})
}

func perHost(t *testing.T, open Opener) {
	o := options()
	o.PerHost = 2
	b, _ := open(t, o)
	seed(t, b, 0, "http://a.test/1", "http://a.test/2", "http://a.test/3")
	l := next(t, b)
	if m := next(t, b); m.URL == l.URL {
		t.Errorf("%s was leased twice", l.URL)
	}
	wantNone(t, b)
	settle(t, b, failed(l))
	next(t, b)
}

func empty(t *testing.T, open Opener) {
	b, _ := open(t, options())
	wantEmpty(t, b)
	seed(t, b, 0, "http://a.test/1")
	l := next(t, b)
	wantNone(t, b) // what is leased may still bring links
	settle(t, b, failed(l))
	wantEmpty(t, b)
}

func nextEnds(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	l := next(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := nextTask(ctx, b)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Next after cancel: %v", err)
	}
	settle(t, b, failed(l))
}

// An endingContext ends when it was looked at so many times.
type endingContext struct {
	context.Context
	looks atomic.Int32
}

func (c *endingContext) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

func endsWithoutLease(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	for try := int32(0); ; try++ {
		ctx := &endingContext{Context: t.Context()}
		ctx.looks.Store(try / 3) // a try may prefetch what the next one leases
		l, err := b.Next(ctx)
		if err == nil {
			if err := b.Release(l, 0); err != nil {
				t.Error(err)
			}
			if try < 3 {
				t.Error("Next with a context that has ended leases a URL")
			}
			return
		}
		if n := b.Totals().Leased; !errors.Is(err, context.Canceled) || n != 0 {
			t.Fatalf("Next with a context that ends after %d looks = %v, and %d URLs are leased", try/3, err, n)
		}
	}
}

func released(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	l := next(t, b)
	if err := b.Release(l, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Release(l, 0); !errors.Is(err, frontier.ErrLeaseLost) {
		t.Errorf("second Release = %v, want ErrLeaseLost", err)
	}
	again := next(t, b)
	if again.URL != l.URL || again.Token == l.Token || again.Attempt != 0 {
		t.Errorf("leased again as %+v; want the same URL, another token, no attempt counted", again)
	}
	settle(t, b, failed(again))
}

func expired(t *testing.T, open Opener) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Lease = time.Minute
		b, _ := open(t, o)
		seed(t, b, 0, "http://a.test/1")
		l := next(t, b)
		again := next(t, b) // waits until the lease has run out
		if got := time.Until(l.Expires); got > 0 || again.URL != l.URL {
			t.Errorf("%s was leased again %v before its lease ended", again.URL, got)
		}
		if _, err := b.Settle(t.Context(), failed(l)); !errors.Is(err, frontier.ErrLeaseLost) {
			t.Errorf("Settle of an expired lease = %v, want ErrLeaseLost", err)
		}
		settle(t, b, failed(again))
		if got := b.Totals().Pages; got != 1 {
			t.Errorf("Totals().Pages = %d, want 1", got)
		}
	})
}

func settledOnce(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	l := next(t, b)
	settle(t, b, visit(l, essay(1), link(t, "http://a.test/2")))
	if _, err := b.Settle(t.Context(), visit(l, essay(1))); !errors.Is(err, frontier.ErrLeaseLost) {
		t.Errorf("second Settle = %v, want ErrLeaseLost", err)
	}
	got := b.Totals()
	if got.Pages != 1 || got.New != 1 || got.Queued != 1 || got.Seen != 2 {
		t.Errorf("Totals = %+v; want 1 page, 1 new, 1 queued, 2 seen", got)
	}
}

func retry(t *testing.T, open Opener) {
	synctest.Test(t, func(t *testing.T) {
		b, reopen := open(t, options())
		seed(t, b, 0, "http://a.test/1")
		v := failed(next(t, b))
		v.Retry = 30 * time.Second
		settle(t, b, v)
		if got := b.Totals(); got.Later != 1 || got.Pages != 0 || got.Queued != 0 {
			t.Errorf("Totals = %+v; want 1 later and nothing else", got)
		}
		for _, by := range []frontier.HostOrder{frontier.HostsRetried, frontier.HostsByFetched, frontier.HostsByQueue} {
			hs, err := b.Hosts(t.Context(), gatecrawl.HostQuery{By: by, Limit: 5})
			if by == frontier.HostsByQueue {
				if err != nil || len(hs) != 0 {
					t.Errorf("Hosts by %s: %+v, %v; want none", by, hs, err)
				}
				continue
			}
			if err != nil || len(hs) != 1 || hs[0].Later != 1 || hs[0].Again == nil || time.Until(*hs[0].Again).Round(time.Second) != 30*time.Second {
				t.Errorf("Hosts by %s: %+v, %v; want a.test with one URL that is tried again in 30 s", by, hs, err)
			}
		}
		b = reopen()
		start := time.Now()
		l := next(t, b)
		if got := time.Since(start); got < 29*time.Second || got > 40*time.Second {
			t.Errorf("came back after %v, want 30 s", got)
		}
		if l.Attempt != 1 {
			t.Errorf("Attempt = %d, want 1", l.Attempt)
		}
		settle(t, b, failed(l))
		wantEmpty(t, b)
	})
}

func leasesReopen(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	l := next(t, b)
	b = reopen()
	if again := next(t, b); again.URL != l.URL {
		t.Errorf("leased %s, want %s", again.URL, l.URL)
	}
}

func settledReopen(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	want := settle(t, b, visit(next(t, b), essay(1), link(t, "http://b.test/2")))
	totals := b.Totals()
	b = reopen()
	if got := b.Totals(); got.Pages != totals.Pages || got.Seen != totals.Seen || got.Hosts != totals.Hosts {
		t.Errorf("Totals after a reopen = %+v, want %+v", got, totals)
	}
	err := b.Pages(t.Context(), 1, func(p page.Record) error {
		if !reflect.DeepEqual(p, want) {
			t.Errorf("record after a reopen\n%+v\nwant\n%+v", p, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if l := next(t, b); l.URL.String() != "http://b.test/2" || l.From != url(t, "http://a.test/1").Key() {
		t.Errorf("Next = %s from %s", l.URL, l.From)
	}
}

func copyNames(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/1")
	kept := settle(t, b, visit(next(t, b), essay(1)))
	got := settle(t, b, visit(next(t, b), essay(1)))
	if got.Verdict != page.VerdictCopy || got.Of != kept.URL || got.Level != 3 || got.Class != "full-layout" || got.Similarity != 1 {
		t.Errorf("record of an exact copy: %+v; want copy of %s, level 3, full-layout", got, kept.URL)
	}
}

// bytesOfACopy: a page with the bytes of a copy has its verdict before a parse,
// after a reopen too.
func bytesOfACopy(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/1", "http://c.test/1")
	kept := settle(t, b, visit(next(t, b), essay(1)))
	v := visit(next(t, b), essay(1))
	v.Sign.Bytes = dedup.DigestOf([]byte("the same body in another template"))
	v.Page.Digest = v.Sign.Bytes.String()
	copied := settle(t, b, v)
	b = reopen()
	known, err := b.CheckBytes(v.Sign.Bytes)
	if err != nil || uint64(known.Of) != kept.Seq || int(known.Level) != copied.Level {
		t.Fatalf("CheckBytes of a copy's bytes = %+v, %v; want its verdict, of page %d at level %d", known, err, kept.Seq, copied.Level)
	}
	again := visit(next(t, b), essay(1))
	again.Sign, again.Checked, again.Page.Digest = &dedup.Signature{Bytes: v.Sign.Bytes}, known, v.Page.Digest
	if got := settle(t, b, again); got.Of != kept.URL || got.Class != copied.Class {
		t.Errorf("record of a copy's copy: %+v; want one of %s, %s", got, kept.URL, copied.Class)
	}
}

// textDecides: what is kept of a page is read where the signatures can't tell,
// before its commit and after.
func textDecides(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/1", "http://c.test/1", "http://d.test/1")
	edited := func(words int) string {
		return strings.Repeat("changed ", words) + strings.Join(strings.Fields(essay(1))[words:], " ")
	}
	kept := settle(t, b, readable(t, next(t, b), essay(1)))
	if got := settle(t, b, readable(t, next(t, b), edited(17))); got.Of != kept.URL {
		t.Errorf("with 17 of 120 words changed: %s of %q, want a copy of %s", got.Verdict, got.Of, kept.URL)
	}
	b = reopen()
	if got := settle(t, b, readable(t, next(t, b), edited(18))); got.Of != kept.URL {
		t.Errorf("with 18 of 120 words changed: %s of %q, want a copy of %s", got.Verdict, got.Of, kept.URL)
	}
	if got := settle(t, b, readable(t, next(t, b), edited(22))); got.Verdict != page.VerdictNew {
		t.Errorf("with 22 of 120 words changed: %s of %q, want new", got.Verdict, got.Of)
	}
}

// blocksDecide: pages of hosts with templates are compared by their blocks without what their host
// repeats, in whichever partition and process the other one is.
func blocksDecide(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	hosts := []string{"a.test", "b.test", "c.test"}
	whole := func(host string, n int, html []byte) page.Record {
		t.Helper()
		u := fmt.Sprintf("http://%s/%d", host, n)
		seed(t, b, 1, u)
		l, with := next(t, b), templateOf(t, b, host)
		if l.URL.String() != u {
			t.Fatalf("%s is leased, want %s", l.URL, u)
		}
		v := read(t, l, html, with)
		view, _ := purify.PurifyOn(with, u, html, "text/html")
		view.URL = u
		text := dedup.TextOf(view, with)
		sig := dedup.SignPage(dedup.DigestOf(html), view, &text)
		v.Sign, v.Text, v.View = &sig, &text, page.PackView(view)
		v.Page.SimHash, v.Page.BodyTokens = fmt.Sprintf("%016x", sig.SimHash), int(sig.Tokens)
		return settle(t, b, v)
	}
	for i, host := range hosts {
		for n := range 6 {
			if got := whole(host, n, story(100*i+n)); got.Verdict != page.VerdictNew {
				t.Errorf("story %d of %s: %s of %s, want new", n, host, got.Verdict, got.Of)
			}
		}
		if templateOf(t, b, host).Blocks() == 0 {
			t.Fatalf("%s has no template", host)
		}
	}
	b = reopen()
	for i, host := range hosts {
		if got := whole(host, 51, story(1000+i)); got.Verdict != page.VerdictNew {
			t.Errorf("a new story of %s: %s of %s, want new", host, got.Verdict, got.Of)
		}
		other := i - 1 // a near copy on an earlier seed's host would be the one that is kept
		if other < 0 {
			continue
		}
		words := strings.Fields(essay(2 * (100*other + 5)))
		edited := bytes.Replace(story(100*other+5), []byte(strings.Join(words[:9], " ")), []byte("Nine words at its beginning were changed by another"), 1)
		want := fmt.Sprintf("http://%s/5", hosts[other])
		if got := whole(host, 50, edited); got.Verdict != page.VerdictCopy || got.Of != want || got.Level != int(dedup.LevelNear) {
			t.Errorf("an edited story of %s on %s: %s of %q by level %d, want a near copy of %s", hosts[other], host, got.Verdict, got.Of, got.Level, want)
		}
	}
}

// readable makes the visit of a document whose text can be compared.
func readable(t *testing.T, l frontier.Lease, text string) *page.Visit {
	t.Helper()
	v := visit(l, text)
	view := purify.DocView{Body: text}
	packed := page.PackView(&view)
	whole := dedup.TextOf(&view)
	v.View, v.Text = packed, &whole
	return v
}

func gateReopen(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/1", "http://c.test/1")
	kept := settle(t, b, visit(next(t, b), essay(1)))
	b = reopen()
	for range 2 {
		if got := settle(t, b, visit(next(t, b), essay(1))); got.Of != kept.URL {
			t.Errorf("after a reopen %s is %s of %q, want a copy of %s", got.URL, got.Verdict, got.Of, kept.URL)
		}
	}
}

func voteRaises(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 5, "http://a.test/kept")
	seed(t, b, 4, "http://b.test/copy")
	settle(t, b, visit(next(t, b), essay(1), link(t, "http://z.test/waiting")))
	before := why(t, b, "http://z.test/waiting").Score
	settle(t, b, visit(next(t, b), essay(1)))
	w := why(t, b, "http://z.test/waiting")
	if w.Score <= before {
		t.Errorf("score of a waiting outlink after a vote %v, before %v; want more", w.Score, before)
	}
	b = reopen()
	if kept := why(t, b, "http://a.test/kept"); kept.Degree != 1 || len(kept.Copies) != 1 {
		t.Errorf("kept page: degree %d, %d copies", kept.Degree, len(kept.Copies))
	}
	if l := next(t, b); l.Score != w.Score {
		t.Errorf("leased with score %v, want %v", l.Score, w.Score)
	}
}

// The kept page links to its copy, as a page with a rel=canonical does to the
// original: the vote of the copy must not put the copy back into the queue.
func voteForLinker(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 5, "http://a.test/kept")
	seed(t, b, 4, "http://b.test/copy")
	settle(t, b, visit(next(t, b), essay(1), link(t, "http://b.test/copy")))
	settle(t, b, visit(next(t, b), essay(1)))
	wantEmpty(t, b)
}

func oneHostOneVote(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 5, "http://a.test/kept")
	seed(t, b, 4, "http://b.test/1", "http://b.test/2", "http://a.test/own")
	for range 4 {
		settle(t, b, visit(next(t, b), essay(1)))
	}
	if kept := why(t, b, "http://a.test/kept"); kept.Degree != 1 || len(kept.Copies) != 3 {
		t.Errorf("degree %d of %d copies, want 1 of 3", kept.Degree, len(kept.Copies))
	}
}

func copyDeferred(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 5, "http://a.test/kept")
	seed(t, b, 4, "http://b.test/copy")
	settle(t, b, visit(next(t, b), essay(1), link(t, "http://a.test/x")))
	settle(t, b, visit(next(t, b), essay(1), link(t, "http://b.test/x")))
	if a, b := why(t, b, "http://a.test/x"), why(t, b, "http://b.test/x"); b.Score >= a.Score {
		t.Errorf("link of a copy scores %v, link of the kept page %v; want less", b.Score, a.Score)
	}
}

func refusedLink(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1")
	no := link(t, "http://b.test/far")
	no.Refused = frontier.Refusal{Rule: "scope:host", Detail: "no seed has b.test"}
	settle(t, b, visit(next(t, b), essay(1), no))
	if w := why(t, b, "http://b.test/far"); w.State != "refused" || w.Rule != "scope:host" || w.From != "http://a.test/1" {
		t.Errorf("Why = %+v; want refused by scope:host", w)
	}
	if got := b.Totals().Rules["scope:host"]; got != 1 {
		t.Errorf("Totals().Rules[scope:host] = %d, want 1", got)
	}
	want := []gatecrawl.RefusedURL{{URL: "http://b.test/far", Rule: "scope:host", Detail: "no seed has b.test", From: "http://a.test/1"}}
	if got := refused(t, b, "scope:host", 1, 1); !slices.Equal(got, want) {
		t.Errorf("Refused = %+v, want %+v", got, want)
	}
	wantEmpty(t, b)
}

// refused returns what Refused has of a rule, so many URLs at once.
func refused(t *testing.T, b Backend, rule string, limit, look int) (all []gatecrawl.RefusedURL) {
	t.Helper()
	want := gatecrawl.RefusedQuery{Rule: rule, Limit: limit, Look: look}
	for range 1000 {
		found, err := b.Refused(t.Context(), want)
		if err != nil || len(found.URLs) > limit || found.Looked > look {
			t.Fatalf("Refused(%+v) = %+v, %v", want, found, err)
		}
		all = append(all, found.URLs...)
		if want.From = found.Next; want.From == "" {
			return all
		}
	}
	t.Fatalf("Refused(%+v) has no end", want)
	return nil
}

// Refused lists links and pages alike, as Totals counts them, wherever it goes on.
func refusedListed(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 9, "http://h0.test/")
	for i := range 12 {
		seed(t, b, 5, fmt.Sprintf("http://h%d.test/page", i))
	}
	var links []frontier.Candidate
	for i := range 30 {
		no := link(t, fmt.Sprintf("http://h%d.test/%d", i%12, i))
		no.Refused = frontier.Refusal{Rule: []string{"exclude", "depth", "robots"}[i%3], Detail: "for a reason"}
		links = append(links, no)
	}
	settle(t, b, visit(next(t, b), essay(1), links...))
	for i := range 12 {
		v := visit(next(t, b), essay(2+i))
		if i%2 == 0 {
			v.Page.Verdict, v.Page.Rule, v.Page.Reason = page.VerdictRefused, "robots", "line 3"
			v.Sign, v.Body = nil, nil
		}
		settle(t, b, v)
	}
	for _, rule := range []string{"exclude", "depth", "robots", "none", ""} {
		n := 0
		for name, urls := range b.Totals().Rules {
			if rule == "" || rule == name {
				n += int(urls)
			}
		}
		whole := refused(t, b, rule, 1000, 1000)
		if len(whole) != n {
			t.Errorf("%d URLs of rule %q are listed, want %d", len(whole), rule, n)
		}
		pages := 0
		for _, u := range whole {
			w := why(t, b, u.URL)
			if u.Page != 0 {
				w.Rule, w.Detail = w.Page.Rule, w.Page.Reason
				pages++
			}
			if u.Rule != w.Rule || u.Detail != w.Detail || u.From != w.From || rule != "" && u.Rule != rule {
				t.Errorf("rule %q: %+v is listed, and Why has rule %q, detail %q, from %q", rule, u, w.Rule, w.Detail, w.From)
			}
		}
		if rule == "robots" && (pages != 6 || len(whole) != 16) {
			t.Errorf("of %d URLs refused by robots %d are pages, want 6 of 16", len(whole), pages)
		}
		for _, size := range [][2]int{{1, 1000}, {1000, 1}, {3, 7}} {
			if got := refused(t, b, rule, size[0], size[1]); !slices.Equal(got, whole) {
				t.Errorf("rule %q, %v at once: %+v, want %+v", rule, size, got, whole)
			}
		}
	}
	for _, from := range []string{"x", "99:", "0:x", "-1:00", strings.Repeat("00", 40)} {
		if found, err := b.Refused(t.Context(), gatecrawl.RefusedQuery{From: from, Limit: 1, Look: 1}); !errors.Is(err, gatecrawl.ErrNoPlace) {
			t.Errorf("Refused from %q = %+v, %v, want ErrNoPlace", from, found, err)
		}
	}
}

func refusedThenAllowed(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://a.test/2")
	no := link(t, "http://a.test/deep")
	no.Refused = frontier.Refusal{Rule: "depth", Detail: "9 links from a seed"}
	settle(t, b, visit(next(t, b), essay(1), no))
	settle(t, b, visit(next(t, b), essay(2), link(t, "http://a.test/deep"), link(t, "http://a.test/deep")))
	if l := next(t, b); l.URL.String() != "http://a.test/deep" || l.From != url(t, "http://a.test/2").Key() {
		t.Errorf("Next = %s", l.URL)
	}
	if got := b.Totals(); got.Rules["depth"] != 0 || got.Seen != 3 {
		t.Errorf("Totals = %+v; want nothing refused and 3 seen", got)
	}
}

func betterLink(t *testing.T, open Opener) {
	b, _ := open(t, options())
	seed(t, b, 5, "http://a.test/1", "http://a.test/2")
	weak, strong := link(t, "http://a.test/x"), link(t, "http://a.test/x")
	strong.Signals.Relevance = 0.9
	settle(t, b, visit(next(t, b), essay(1), weak))
	before := why(t, b, "http://a.test/x")
	settle(t, b, visit(next(t, b), essay(2), strong))
	after := why(t, b, "http://a.test/x")
	if after.Score <= before.Score || after.State != "queued" {
		t.Errorf("score %v, before %v; want more", after.Score, before.Score)
	}
}

func labels(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/")
	if _, err := b.Add(t.Context(), []frontier.Candidate{{URL: url(t, "http://a.test/"), Label: "news"}}); err != nil {
		t.Fatal(err)
	}
	l := next(t, b)
	if l.Label != "news" {
		t.Errorf("the seed that was given again with a label is leased with %q", l.Label)
	}
	found := link(t, "http://b.test/")
	found.Label = l.Label
	v := visit(l, essay(1), found)
	v.Page.Label = l.Label
	settle(t, b, v)
	b = reopen()
	if l := next(t, b); l.Label != "news" {
		t.Errorf("the link is leased with the label %q", l.Label)
	}
	for _, s := range []string{"http://a.test/", "http://b.test/"} {
		if y := why(t, b, s); y.Label != "news" {
			t.Errorf("%s is said to have the label %q", s, y.Label)
		}
	}
}

func budget(t *testing.T, open Opener) {
	o := options()
	o.HostBudget = 2
	b, reopen := open(t, o)
	seed(t, b, 0, "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1")
	for range 3 {
		settle(t, b, failed(next(t, b)))
	}
	wantEmpty(t, b)
	b = reopen()
	wantEmpty(t, b)
	if got := b.Totals(); got.Held != 1 || got.Queued != 1 {
		t.Errorf("Totals = %+v; want 1 queued and held", got)
	}
	if n, err := b.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); n.Asked != 3 || err != nil {
		t.Errorf("Requeue of 3 settled URLs = %d, %v", n.Asked, err)
	}
	for range 3 {
		l := next(t, b)
		if !l.Again {
			t.Errorf("%s is leased, whose host has had as many pages as it may", l.URL)
		}
		settle(t, b, failed(l))
	}
	wantEmpty(t, b)
	seed(t, b, 0, "http://b.test/2", "http://b.test/3")
	b = reopen()
	if l := next(t, b); l.Again || l.URL.Host() != "b.test" {
		t.Errorf("%s is leased, want the second page of b.test", l.URL)
	} else {
		settle(t, b, failed(l))
	}
	wantEmpty(t, b)
}

func newBudget(t *testing.T, open Opener) {
	o := options()
	o.NewBudget = 2
	b, reopen := open(t, o)
	seed(t, b, 0, "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4", "http://a.test/5")
	settle(t, b, visit(next(t, b), essay(1)))
	settle(t, b, failed(next(t, b)))
	settle(t, b, visit(next(t, b), essay(1)))
	b = reopen()
	settle(t, b, visit(next(t, b), essay(2)))
	wantEmpty(t, b)
	b = reopen()
	wantEmpty(t, b)
	if got := b.Totals(); got.New != 2 || got.Held != 1 {
		t.Errorf("Totals = %+v; want 2 new and 1 held", got)
	}
}

func robotsAndRoots(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	var cs []frontier.Candidate
	for _, root := range []string{"http://b.test/", "http://a.test/", "http://b.test/"} {
		cs = append(cs, frontier.Candidate{URL: url(t, root), Root: root})
	}
	if _, err := b.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	l, err := b.Next(t.Context())
	if err != nil || l.Task != frontier.Robots {
		t.Fatalf("Next = %+v, %v; want to ask for a robots.txt", l, err)
	}
	if other, err := b.Next(t.Context()); err != nil || other.Task != frontier.Robots || other.URL.Origin() == l.URL.Origin() {
		t.Errorf("Next = %+v, %v; want to ask for that of the other site", other, err)
	} else if err := b.Release(other, 0); err != nil {
		t.Error(err)
	}
	found := frontier.Candidate{URL: url(t, l.URL.Origin()+"/sitemap.xml")}
	f := robots.File{Origin: l.URL.Origin(), Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n"), Fetched: time.Now()}
	if _, err := b.Settle(t.Context(), &page.Visit{Lease: l, Robots: &f, Links: []frontier.Candidate{found}}); err != nil {
		t.Fatal(err)
	}
	if n := b.Totals(); n.Seen != 3 || n.Pages != 0 {
		t.Errorf("totals %+v; want what the file leads to, and no page", n)
	}
	b = reopen()
	known, err := b.Known(l)
	if err != nil || string(known.Robots.Body) != string(f.Body) || known.Robots.Status != 200 {
		t.Errorf("Known = %+v, %v", known.Robots, err)
	}
	roots, err := b.Roots()
	if want := []weburl.URL{url(t, "http://a.test/"), url(t, "http://b.test/")}; err != nil || !slices.Equal(roots, want) {
		t.Errorf("Roots = %v, %v, want %v", roots, err, want)
	}
}

func lentAsSeeds(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed := url(t, "http://seed.test/")
	from := seed.Key()
	if _, err := b.Add(t.Context(), []frontier.Candidate{{URL: seed, Root: "http://seed.test/"}, {URL: url(t, "http://second.test/")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(t.Context(), []frontier.Candidate{
		{URL: url(t, "http://entry.test/"), From: from},
		{URL: url(t, "http://both.test/"), From: from},
		{URL: url(t, "http://given.test/"), From: from},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(t.Context(), []frontier.Candidate{
		{URL: url(t, "http://target.test/"), From: from, Root: "http://target.test/"},
		{URL: url(t, "http://both.test/"), From: from, Root: "http://both.test/"},
		{URL: url(t, "http://given.test/")},
	}); err != nil {
		t.Fatal(err)
	}
	b = reopen()
	for range 6 {
		l := next(t, b)
		if want := l.URL.Host() != "entry.test"; l.Seed != want {
			t.Errorf("%s is lent as a seed: %v, want %v", l.URL, l.Seed, want)
		}
	}
}

func listings(t *testing.T, open Opener) {
	b, _ := open(t, options())
	const n = 1200 // more than a listing reads at once
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
	}
	seed(t, b, 0, urls...)
	visitTogether(t, b, n, func(i int) string { return essay(i / 2) })
	listed, last := 0, uint64(0)
	err := b.Pages(t.Context(), 1, func(p page.Record) error {
		if p.Seq <= last {
			return fmt.Errorf("place %d after %d", p.Seq, last)
		}
		listed++
		last = p.Seq
		return nil
	})
	if err != nil || listed != n {
		t.Errorf("Pages: %d records, %v; want %d", listed, err, n)
	}
	findings(t, b)
	groups := 0
	err = b.Groups(t.Context(), gatecrawl.GroupQuery{}, func(g gatecrawl.Group) error {
		groups++
		if len(g.Copies) != 1 || g.Degree != 1 {
			return fmt.Errorf("group %+v, want one copy", g)
		}
		return nil
	})
	if err != nil || groups != n/2 {
		t.Errorf("Groups: %d, %v; want %d", groups, err, n/2)
	}
	somewhere := 0
	for from, pages := uint64(1), 0; from > 0; pages++ { // page by page, as a reader turns them
		want := gatecrawl.GroupQuery{From: from, Limit: 71}
		from = 0
		err = b.Groups(t.Context(), want, func(g gatecrawl.Group) error {
			if g.Seq < want.From {
				return fmt.Errorf("place %d, want one from %d on", g.Seq, want.From)
			}
			somewhere, from = somewhere+1, g.Seq+1
			return nil
		})
		if err != nil || somewhere > (pages+1)*want.Limit {
			t.Fatalf("Groups(%+v): %d with those before, %v", want, somewhere, err)
		}
	}
	if somewhere != n/2 {
		t.Errorf("Groups, page by page: %d, want %d", somewhere, n/2)
	}
	whole, err := b.Hosts(t.Context(), gatecrawl.HostQuery{By: frontier.HostsByFetched})
	if err != nil || len(whole) != n {
		t.Fatalf("Hosts: %d, %v; want %d", len(whole), err, n)
	}
	for _, c := range []struct{ skip, limit, want int }{{0, 10, 10}, {500, 100, 100}, {n - 3, 10, 3}, {n, 10, 0}, {n + 5, 0, 0}, {n - 7, 0, 7}} {
		some, err := b.Hosts(t.Context(), gatecrawl.HostQuery{By: frontier.HostsByFetched, Skip: c.skip, Limit: c.limit})
		if err != nil || len(some) != c.want || c.want > 0 && some[0].Name != whole[c.skip].Name {
			t.Errorf("Hosts from %d on, at most %d: %d, %v; want %d as in the whole list", c.skip, c.limit, len(some), err, c.want)
		}
	}
	pairs, err := b.Pairs(t.Context())
	if err != nil || len(pairs) == 0 || pairs[0].Shared != 1 || pairs[0].Overlap != 1 {
		t.Errorf("Pairs = %d of them, %v", len(pairs), err)
	}
}

// longGroup has a page with more copies than are wanted of it.
func longGroup(t *testing.T, open Opener) {
	b, _ := open(t, options())
	const n = 130
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://h%d.test/", i))
	}
	seed(t, b, 0, urls...)
	visitTogether(t, b, n, func(int) string { return essay(1) })
	for _, c := range []struct{ copies, want, more int }{{0, n - 1, 0}, {7, 7, n - 8}, {n - 1, n - 1, 0}, {n, n - 1, 0}} {
		groups := 0
		err := b.Groups(t.Context(), gatecrawl.GroupQuery{Copies: c.copies}, func(g gatecrawl.Group) error {
			if groups++; len(g.Copies) != c.want || g.More != c.more || g.Degree != n-1 {
				return fmt.Errorf("%d copies and %d more, degree %d; want %d and %d, %d", len(g.Copies), g.More, g.Degree, c.want, c.more, n-1)
			}
			return nil
		})
		if err != nil || groups != 1 {
			t.Errorf("Groups with %d copies: %d groups, %v", c.copies, groups, err)
		}
	}
	err := b.Groups(t.Context(), gatecrawl.GroupQuery{Copies: 1}, func(g gatecrawl.Group) error {
		if kept := why(t, b, g.URL); len(kept.Copies)+kept.More != n-1 || kept.More == 0 || kept.Degree != n-1 {
			t.Errorf("why shows %d copies and counts %d more, degree %d; want %d in all", len(kept.Copies), kept.More, kept.Degree, n-1)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
