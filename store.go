package gatecrawl

import (
	"context"
	"time"

	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/purify"
)

// A Visit is all that one page's way brought to light. Settle makes it durable
// as a whole or not at all.
type Visit struct {
	Lease    frontier.Lease
	Page     Page                 // without Seq; without the gate's answer where Sign is set
	Sign     *dedup.Signature     // set: the gate decides between new and copy
	Text     *dedup.Text          // what the gate compares word by word; nil: the signature decides alone
	Checked  dedup.Verdict        // what the gate said of it before: a copy stays one
	View     []byte               // packed DocView, kept for a new page (see Pack)
	Body     []byte               // packed bytes, kept for a new page
	Prints   []purify.Print       // what a new page tells of its host's template
	Template int                  // generation of the template that it was read with
	Links    []frontier.Candidate // what the page links to, refused ones too
	Roots    []string             // what the visit adds to the roots of the crawl's scope
	Finished time.Time            // when the host's last byte came; zero: the host was not asked
	Rest     time.Duration        // how long the host rests from then
	Down     string               // why the host gave no answer, or said that it is too busy; "" where it did, or was not asked
	Retry    time.Duration        // above 0: the try failed, and another may help after this time

	answer *fetch.Response // what the server said; nil: nothing
	read   func()          // ends the reading of the page; nil: it has ended
}

// Totals count what is in a job. The counts by name have only names that occurred.
type Totals struct {
	Queued int64 `json:"queued"` // URLs that wait for their turn
	Later  int64 `json:"later"`  // URLs that wait for another try
	Leased int64 `json:"leased"` // URLs that are being visited
	Held   int64 `json:"held"`   // URLs of hosts that have used up max-pages-per-host or max-new-per-host
	Parked int64 `json:"parked"` // URLs of hosts that are parked because they do not answer or are too busy
	Hosts  int64 `json:"hosts"`  //

	ParkedHosts int64 `json:"parked_hosts"` // hosts that are parked

	Seen     int64            `json:"seen"`       // distinct URLs met, refused ones too
	Pages    int64            `json:"pages"`      // records
	Fetched  int64            `json:"fetched"`    // records with an HTTP status
	New      int64            `json:"new"`        //
	Copies   int64            `json:"copies"`     //
	Refused  int64            `json:"refused"`    // records refused; links refused are under Rules too
	Failed   int64            `json:"failed"`     //
	Retries  int64            `json:"retries"`    // failed tries that were not the last
	Revisits int64            `json:"revisits"`   // visits that left a document's record as it was
	Bytes    int64            `json:"bytes"`      // of bodies, decompressed
	Wire     int64            `json:"wire_bytes"` //
	Votes    int64            `json:"votes"`      // copies that count for a kept page
	Levels   map[string]int64 `json:"levels"`     // copies by the level that decided
	Classes  map[string]int64 `json:"classes"`    // copies by class
	Rules    map[string]int64 `json:"rules"`      // URLs refused, by rule
	Reasons  map[string]int64 `json:"reasons"`    // URLs failed, by reason
	Statuses map[string]int64 `json:"statuses"`   // records by HTTP status
	Mirrors  map[string]int64 `json:"mirrors"`    // found; deferred, explored, wrong, reopened URLs; given-up

	Avoided  map[string]int64 `json:"avoided"`  // URLs left out as copies, by the kind of the rule
	Explored int64            `json:"explored"` // documents fetched to see whether a rule still holds
	Wrong    int64            `json:"wrong"`    // of them, those that were another document
	Reopened int64            `json:"reopened"` // URLs left out that were queued again
}

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
}

// A Store is a backlog in which visits become durable. All methods may be
// called from many goroutines.
type Store interface {
	frontier.Backlog

	// Settle makes a visit durable in one step: its URL leaves the queue, its
	// links enter it, its page record, signature and vote are kept, and the
	// gate's answer is written into the record that Settle returns. A visit with
	// Retry set goes back into the queue instead. When Settle returns nil a crash
	// changes nothing of it. A visit whose lease is lost changes nothing, and
	// the error is frontier.ErrLeaseLost; any other error means that the store
	// has failed and the crawl must stop.
	Settle(ctx context.Context, v *Visit) (Page, error)

	// Requeue puts settled URLs back into the queue, those first of which a visit is
	// worth most: that are likely to have changed, and to stay as they are then.
	// Copies are answered for by their kept pages. Records stay: when such a URL is
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
	Validators(u frontier.URL) (fetch.Validators, error)

	// CheckBytes and Check ask the gate without acting. A copy stays a copy; a
	// new document may have become a copy by the time it is settled.
	CheckBytes(d dedup.Digest) (dedup.Verdict, error)
	Check(sig dedup.Signature, text *dedup.Text) (dedup.Verdict, error)

	// Text returns the title and body of a kept page, false where none are kept.
	Text(doc dedup.DocID) (dedup.Text, bool, error)

	// Template returns what the host's pages repeat, nil while that is not
	// known. A page that Settle finds new counts for it.
	Template(h frontier.HostKey) (*purify.Template, error)

	// Twin returns where the document at a URL is asked for instead, since the
	// URL's site was found to be a copy of another; ok is false where it is not.
	// Defer takes such a URL out of the queue, refused by the rule mirror, and puts
	// its twin in, in one step. It reports false where the twin is known to have
	// no document; then the lease goes on. When the twin is settled without a
	// document, or the site is no longer taken for a copy, the URL is queued again.
	// Audit tries some of what was put off when nothing else is left.
	Twin(u frontier.URL) (twin frontier.URL, ok bool)
	Defer(ctx context.Context, l frontier.Lease, twin frontier.Candidate) (deferred bool, err error)

	// Earlier lends a page that is to be purified again since its host's
	// template is known, nil if there is none. Revise replaces what is kept of
	// it, in one step: the visit has its record, with Seq, its view and its
	// signature. A page that was lent and not revised is lent again when the job
	// is opened again; revising twice changes nothing.
	Earlier() (*Earlier, error)
	Revise(ctx context.Context, v *Visit) error

	// Robots returns what is kept of an origin's robots.txt, PutRobots keeps it.
	Robots(origin string) (fetch.RobotsFile, bool, error)
	PutRobots(ctx context.Context, f fetch.RobotsFile) error

	// Roots returns the roots of the crawl's scope, AddRoots adds to them.
	Roots() ([]string, error)
	AddRoots(ctx context.Context, roots []string) error

	// Aside settles a lease without a visit where learned rules say that its page
	// was fetched under another address, and puts one off that likely was; it
	// reports whether it did either. Audit is called when nothing is left: it
	// queues again some of what rules and mirrors left out that are not tried
	// enough, and reports whether something waits now.
	Aside(ctx context.Context, l frontier.Lease) (bool, error)
	Audit(ctx context.Context) (bool, error)

	Totals() Totals
}
