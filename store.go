package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// An Again says which pages of a job a re-crawl queues.
type Again struct {
	// Before is a time: pages whose last visit was earlier are queued. The zero time queues
	// nothing.
	Before time.Time

	// Copies is the share of the copies of each page that are queued with it, 0 to 1. Different
	// ones are drawn each time, so that after 1/Copies re-crawls all were. At 0 a mirror that
	// starts to differ is noticed only when the kept page changes.
	Copies float64

	// Pages is how many pages are queued at most, not counting copies: those whose visit is worth
	// most. 0 means no limit.
	Pages int

	// Ahead has the pages asked for before all URLs that were never visited, so that they are leased with
	// frontier.LeaseAgain: for a job that has as many pages as it may.
	Ahead bool

	// Requisites has the files asked for again too that pages need to be seen. One that was
	// as before is asked for in every second re-crawl, then in every fourth, eighth, sixteenth.
	Requisites bool
}

// DefaultCopies is the default of Again.Copies.
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

// Requeued counts what Requeue queued and left out.
type Requeued struct {
	Asked  int // URLs that are in the queue again
	Spared int // copies that were left out because their kept pages are queued
	Put    int // pages that were left to a later re-crawl: see Again.Pages
	Rested int // redirects and missing pages that have not changed and are not due yet
	Files  int // requisites of pages, in addition to the pages
}

// Add adds what another did.
func (r *Requeued) Add(o Requeued) {
	r.Asked += o.Asked
	r.Spared += o.Spared
	r.Put += o.Put
	r.Rested += o.Rested
	r.Files += o.Files
}

// A Store is a backlog in which visits become durable. All methods may be called from many
// goroutines.
type Store interface {
	frontier.Backlog

	// Next leases the next task. If a learned rule or a mirrored site covers a URL, Next settles
	// it, or queues its twin instead, without leasing it. When the queue is empty, Next leases some
	// of the URLs that rules and mirrors left out; the error is frontier.ErrEmpty only if there are
	// none to try either. If the robots.txt of a URL's origin is not known or too old, the URL is
	// leased as a frontier.Robots task. Kept pages that are to be read again come first, even if
	// ctx is done; one that is not settled is leased again when the job is next opened.

	// Settle makes a visit durable in one step: its URL leaves the queue, its links enter it, and
	// its page record, signature and vote are stored. The record that it returns has the gate's
	// verdict, and its Replaces says what became of the document that was known. A visit with Retry
	// set goes back into the queue instead. The visit of a frontier.Robots stores the file, queues
	// the links and releases the URL; without a file it is settled like a page. A frontier.Reread
	// replaces the view and the signature of the kept page. Once Settle has returned nil, a crash
	// undoes none of it. A visit whose lease is lost changes nothing, and the error is
	// frontier.ErrLeaseLost; any other error means that the store has failed and the crawl must
	// stop. A cancelled ctx ends only the wait for other processes: a store in one process commits
	// in any case.
	Settle(ctx context.Context, v *page.Visit) (page.Record, error)

	// CheckBytes and Check ask the gate without changing anything. A copy stays a copy; a new
	// document may have become a copy by the time it is settled. If Check finds a near copy,
	// text.Compared has the title and body of the kept page, if they are stored.
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// Reserve gives the lease's host one more request, of which the queue knows nothing, and returns when it
	// may be sent: not before from, and in turn with the host's other requests.
	Reserve(l frontier.Lease, from time.Time) time.Time

	// Known returns what the job has stored for the task of a lease: page.ErrNoBytes where that is to read a page again whose
	// bytes are not here.
	Known(l frontier.Lease) (page.Known, error)

	// AskAgain queues settled URLs once more, before all that were never visited, so that they are leased with
	// frontier.LeaseAgain, and returns how many it queued.
	AskAgain(ctx context.Context, urls []weburl.URL) (int, error)

	// Rerate gives the kept pages of a focused crawl, and their copies, the relevance that rate returns, and counts the
	// harvest by it. It calls rate with one page after the other, and stores in steps what changes; by names what is rated by: if
	// the last call that came to its end had the same, only pages since then are rated. With keep a kept page that is off the
	// topic by that is marked (page.Record.OffTopic), else none is. If ctx ends first, the error is nil, and the next call
	// rates all pages.
	Rerate(ctx context.Context, by uint64, keep bool, rate func(url string, view *purify.DocView) float32) error

	// SetLeasable says which URLs Next leases from now on. If these are not all, Next returns ErrEmpty when
	// the only ones left wait for another try. With LeaseAgain a URL that is queued for another visit
	// meanwhile is one of them.
	SetLeasable(which frontier.Leasable)

	// Pace returns the politeness settings of the store, which is the only place where they are
	// set.
	Pace() Pace

	Totals() page.Totals
}

// A Pace says how often hosts are asked that set no delay themselves.
type Pace struct {
	Delay   time.Duration // how long a host rests after a page
	Backoff time.Duration // how long a URL waits before its first retry; each further try waits twice as long
	MaxRest time.Duration // the longest rest, even if a Crawl-delay or a Retry-After asks for more
}

// RuleMirror is the rule that refuses URLs because another site has the same pages.
const RuleMirror = mirror.RefusalRule

// RuleDust is the rule that refuses URLs because they lead to a page that was fetched under another
// URL (DUST: different URLs with similar text).
const RuleDust = dust.RefusalRule
