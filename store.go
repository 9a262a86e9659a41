package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
)

// An Again says what of a job is asked for again.
type Again struct {
	// Before is the time before which a page must have been visited last to be asked for again.
	// The zero time asks for nothing.
	Before time.Time

	// Copies is the share of the copies of each page that are asked for with it,
	// 0 to 1. Others are drawn each time, so that after 1/Copies times all were. At 0 a
	// mirror that goes its own way is noticed only when the kept page changes.
	Copies float64

	// Pages is how many pages are asked for at most, not counting copies: those whose visit is
	// worth most. 0 means no limit.
	Pages int

	// Ahead has the pages asked for before all URLs that were never visited, so that they are lent with
	// frontier.LendAgain: for a job that has as many pages as it may.
	Ahead bool

	// Requisites has the files asked for again too that pages need to be seen. One that was
	// as before is asked for in every second re-crawl, then in every fourth, eighth, sixteenth.
	Requisites bool
}

// DefaultCopies is the default share of the copies that a re-crawl asks for.
const DefaultCopies = 0.02

// Validate reports every fault at once.
func (a Again) Validate() error {
	var errs []error
	if !(a.Copies >= 0 && a.Copies <= 1) {
		errs = append(errs, fmt.Errorf("recrawl-copies is %v: want a share of the copies, 0 to 1", a.Copies))
	}
	if a.Pages < 0 {
		errs = append(errs, fmt.Errorf("recrawl-pages is %d: want 0 (no limit) or more", a.Pages))
	}
	return errors.Join(errs...)
}

// Requeued counts what a Requeue did.
type Requeued struct {
	Asked  int // URLs that are in the queue again
	Spared int // copies that were left out: their kept pages are asked
	Put    int // pages that were put off to another time: see Again.Pages
	Rested int // redirects and missing pages that are as they were before, and whose turn it is not
	Files  int // files that pages need to be seen, besides the pages
}

// Add adds what another did.
func (r *Requeued) Add(o Requeued) {
	r.Asked += o.Asked
	r.Spared += o.Spared
	r.Put += o.Put
	r.Rested += o.Rested
	r.Files += o.Files
}

// A Store is a backlog in which visits become durable. All methods may be
// called from many goroutines.
type Store interface {
	frontier.Backlog

	// Next leases the next task. A URL that a learned rule or a mirrored site answers for is
	// settled, or its twin is queued in its place, without being lent. When the queue is empty,
	// Next tries some of what rules and mirrors left out, and only if that brings nothing the
	// error is frontier.ErrEmpty. If the robots.txt of a URL's origin is not known or is too
	// old, the URL is lent as a frontier.Robots. Kept pages that are to be read again come
	// first, also when ctx is done; one that is not settled is lent again when the job is next
	// opened.

	// Settle makes a visit durable in one step: its URL leaves the queue, its links enter it,
	// and its page record, signature and vote are kept. The record that Settle returns has the
	// gate's answer, and Replaces says there what became of the document that was known. A
	// visit with Retry set goes back into the queue instead. A frontier.Robots keeps the file,
	// queues the links and releases the URL; without a file it is settled like a page. A
	// frontier.Reread replaces the view and the signature of the kept page. Once Settle has
	// returned nil, a crash undoes none of it. A visit whose lease is lost changes nothing, and
	// the error is frontier.ErrLeaseLost; any other error means that the store has failed and
	// the crawl must stop. The end of ctx ends the wait for other processes and nothing else: a
	// store in one process commits in any case.
	Settle(ctx context.Context, v *page.Visit) (page.Record, error)

	// CheckBytes and Check ask the gate without changing anything. A copy stays a copy; a new
	// document may have become a copy by the time it is settled. After Check has found a near
	// copy, text.Compared has the title and body of the kept page, if they are kept.
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// Known returns what the job has for the task of a lease.
	Known(l frontier.Lease) (page.Known, error)

	// SetLending says which URLs Next lends from now on. If these are not all, Next returns ErrEmpty when
	// the only ones left wait for another try. With LendAgain a URL that is queued for another visit
	// meanwhile is one of them.
	SetLending(which frontier.Lending)

	// Pace returns the politeness settings of the store. It is the one place where they are
	// set.
	Pace() Pace

	Totals() page.Totals
}

// A Pace says how hosts are spared that set no delay themselves.
type Pace struct {
	Delay   time.Duration // how long a host rests after a page
	Backoff time.Duration // how long a URL waits before its first retry; each further try waits twice as long
	MaxRest time.Duration // the longest rest, also where a Crawl-delay or a Retry-After asks for more
}

// RuleMirror is the rule of URLs that are left out because another site has what
// theirs has.
const RuleMirror = mirror.RefusalRule

// RuleDust is the rule of URLs that are left out because they lead to a page that
// was fetched under another URL (DUST: different URLs with similar text).
const RuleDust = dust.RefusalRule
