package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
)

// An Again says what of a job is asked for again.
type Again struct {
	// Before is the time of their last visit before which pages are asked for
	// again. The zero time asks for nothing.
	Before time.Time

	// Copies is the share of the copies of each page that are asked for with it,
	// 0 to 1. Others are drawn each time, so that after 1/Copies times all were. At 0 a
	// mirror that goes its own way is noticed only when the kept page changes.
	Copies float64

	// Pages is how many pages are asked for at most, copies not counted: those
	// that a visit is worth most of. 0 is no limit.
	Pages int

	// Requisites has the files asked for again too that pages need to be seen. One that was
	// as before is asked for in every second re-crawl, then in every fourth, eighth, sixteenth.
	Requisites bool
}

// DefaultCopies is the share of the copies that a re-crawl asks for where nobody says.
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
}

// Add adds what another did.
func (r *Requeued) Add(o Requeued) {
	r.Asked += o.Asked
	r.Spared += o.Spared
	r.Put += o.Put
	r.Rested += o.Rested
}

// A Store is a backlog in which visits become durable. All methods may be
// called from many goroutines.
type Store interface {
	frontier.Backlog

	// Next leases what is to be done next. A URL for which a learned rule or a mirrored
	// site answers is settled, or its twin queued in its place, without being lent. When
	// the queue is empty some of what rules and mirrors left out is tried, and only when
	// that brings nothing the error is frontier.ErrEmpty. Where the robots.txt of a URL's
	// origin is not known, or has grown too old, the URL is lent as a frontier.Robots. Kept pages that are to be read
	// again come first, also when ctx is done; one that is not settled is lent again
	// when the job is opened again.

	// Settle makes a visit durable in one step: its URL leaves the queue, its
	// links enter it, its page record, signature and vote are kept, and the
	// gate's answer is written into the record that Settle returns, and Replaces
	// says there what became of the document that was known. A visit with Retry set goes
	// back into the queue instead. That of a frontier.Robots keeps the file, queues the
	// links and releases the URL; without a file it is that of a page. That of a frontier.Reread replaces the view and the
	// signature of the kept page. When Settle returns nil a crash changes nothing of it. A visit whose lease is lost changes nothing, and
	// the error is frontier.ErrLeaseLost; any other error means that the store
	// has failed and the crawl must stop.
	Settle(ctx context.Context, v *page.Visit) (page.Record, error)

	// CheckBytes and Check ask the gate without acting. A copy stays a copy; a
	// new document may have become a copy by the time it is settled. Of a near copy
	// text.Compared has the title and body of the kept page afterwards, where they are kept.
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// Known returns what the job has for the task of a lease.
	Known(l frontier.Lease) (page.Known, error)

	// OnlyRequisites has Next lend nothing but files that kept pages need to be seen, or all
	// tasks again.
	OnlyRequisites(only bool)

	// Pace returns how the store spares hosts. It is the one place where that is set.
	Pace() Pace

	Totals() page.Totals
}

// A Pace is how hosts are spared that ask for nothing themselves.
type Pace struct {
	Delay   time.Duration // how long a host rests after a page
	Backoff time.Duration // how long a URL waits before its first retry; each further try waits twice as long
	MaxRest time.Duration // the longest rest, also where a Crawl-delay or a Retry-After asks for more
}
