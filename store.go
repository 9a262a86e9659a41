package gatecrawl

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/template"
)

// An Again says what of a job is asked for again.
type Again struct {
	// Before is the time of their last visit before which pages are asked for
	// again. The zero time asks for nothing.
	Before time.Time

	// Copies is the share of the copies of each page that are asked for with it,
	// 0 to 1. Others are drawn each time, so that after 1/Copies times all were.
	Copies float64

	// Pages is how many pages are asked for at most, copies not counted: those
	// that a visit is worth most of. 0 is no limit.
	Pages int
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

	// Settle makes a visit durable in one step: its URL leaves the queue, its
	// links enter it, its page record, signature and vote are kept, and the
	// gate's answer is written into the record that Settle returns, and Replaces
	// says there what became of the document that was known. A visit with Retry set goes back into the queue instead. When Settle returns nil a crash
	// changes nothing of it. A visit whose lease is lost changes nothing, and
	// the error is frontier.ErrLeaseLost; any other error means that the store
	// has failed and the crawl must stop.
	Settle(ctx context.Context, v *page.Visit) (page.Record, error)

	// Requeue puts settled URLs back into the queue, those first of which a visit is
	// worth most: that are likely to have changed, and to stay as they are then.
	// Copies are answered for by their kept pages. Of redirects and URLs without a
	// page one in eight is asked for, and of those that were as before one in sixteen,
	// then one in 32, others each time. Records stay: when such a URL is
	// settled again and its page is what it was, the record stays and says so; when
	// it changed, it gets a record of its own, the old one names it, and the vote of
	// an old copy is taken back. When a kept page with copies changed or is gone,
	// its copies are queued one by one until one shows what became of the group:
	// one that stayed becomes the kept page of the others. Asking again for the
	// same time queues nothing twice. A Requeue that was cut short is brought to its
	// end by the next one, whatever that asks for.
	Requeue(ctx context.Context, a Again) (Requeued, error)

	// Finished reports whether the last run ended because nothing was left, and
	// nothing came since.
	Finished() bool

	// Validators returns by what the server named the version of a URL's page
	// that the job knows; zero: nothing.
	Validators(u weburl.URL) (fetch.Validators, error)

	// CheckBytes and Check ask the gate without acting. A copy stays a copy; a
	// new document may have become a copy by the time it is settled.
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// Text returns the title and body of a kept page, false where none are kept.
	Text(doc dedup.DocID) (dedup.Text, bool, error)

	// Template returns what the host's pages repeat, nil while that is not
	// known. A page that Settle finds new counts for it.
	Template(h weburl.HostKey) (*purify.Template, error)

	// Twin returns where the document at a URL is asked for instead, since the
	// URL's site was found to be a copy of another; ok is false where it is not.
	// Defer takes such a URL out of the queue, refused by the rule mirror, and puts
	// its twin in, in one step. It reports false where the twin is known to have
	// no document; then the lease goes on. When the twin is settled without a
	// document, or the site is no longer taken for a copy, the URL is queued again.
	// Audit tries some of what was put off when nothing else is left.
	Twin(u weburl.URL) (twin weburl.URL, ok bool)
	Defer(ctx context.Context, l frontier.Lease, twin frontier.Candidate) (deferred bool, err error)

	// Earlier lends a page that is to be purified again since its host's
	// template is known, nil if there is none. Revise replaces what is kept of
	// it, in one step: the visit has its record, with Seq, its view and its
	// signature. A page that was lent and not revised is lent again when the job
	// is opened again; revising twice changes nothing.
	Earlier() (*template.Earlier, error)
	Revise(ctx context.Context, v *page.Visit) error

	// Robots returns what is kept of an origin's robots.txt, PutRobots keeps it.
	Robots(origin string) (robots.File, bool, error)
	PutRobots(ctx context.Context, f robots.File) error

	// Roots returns the roots of the crawl's scope, AddRoots adds to them.
	Roots() ([]string, error)
	AddRoots(ctx context.Context, roots []string) error

	// Aside settles a lease without a visit where learned rules say that its page
	// was fetched under another URL, and puts one off that likely was; it
	// reports whether it did either. Audit is called when nothing is left: it
	// queues again some of what rules and mirrors left out that are not tried
	// enough, and reports whether something waits now.
	Aside(ctx context.Context, l frontier.Lease) (bool, error)
	Audit(ctx context.Context) (bool, error)

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
