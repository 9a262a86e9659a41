package frontier

import (
	"context"
	"errors"
	"time"

	"gatecrawl/priority"
)

// A Candidate is a URL that asks to be queued: a seed, or a link that a visit
// found and Scope allowed or refused.
type Candidate struct {
	URL     URL
	From    Key              // the page that it was found on; zero for a seed
	Anchor  string           // the link's words, cut to 80 bytes
	Label   string           // that of the seed which the links led here from; "" is none
	Signals priority.Signals // what its score is made of
	Trap    Trail            // what the trap guards carry from link to link
	Refused Refusal          // zero: queue it; else remember that it was refused, and why

	Modified time.Time // when it changed last, as the list says that it was found on; zero: not said
}

// A Refusal names the rule that keeps a URL out, and what about the URL the
// rule disliked. The zero Refusal refuses nothing.
type Refusal struct {
	Rule   string `json:"rule"`   // such as "scope:host", "depth", "exclude", "robots", "trap:calendar"
	Detail string `json:"detail"` // in a user's words: the pattern, the limit, the robots.txt line
}

// IsZero reports whether nothing was refused.
func (r Refusal) IsZero() bool { return r.Rule == "" }

// A Lease lends one URL to one worker. Its host takes no other request beyond
// its connection limit until the lease is settled or released, or expires.
type Lease struct {
	Token   uint64 // names this lending; a later lending of the same URL has another
	URL     URL
	From    Key
	Anchor  string
	Label   string
	Signals priority.Signals
	Trap    Trail
	Score   float32
	Attempt int       // 0 at the first try
	Again   bool      // the URL has a record: it was settled before
	Probe   bool      // the host was never asked, or did not answer the last time
	Addr    string    // set by the worker before Settle and Release, if it knows: where the host answered, host:port
	Expires time.Time // then the URL is lent again, and a late Settle is refused
}

var (
	// ErrEmpty says that nothing is queued, waiting for a retry, or lent out.
	ErrEmpty = errors.New("frontier is empty")
	// ErrLeaseLost says that a lease expired, or was settled before.
	ErrLeaseLost = errors.New("lease is no longer held")
)

// A Backlog is the durable queue. All methods may be called from many
// goroutines. What Add returned for is durable.
type Backlog interface {
	// Add queues candidates that were never seen and returns how many those
	// were. Adding again changes nothing.
	Add(ctx context.Context, cs []Candidate) (added int, err error)

	// Next lends the best URL of a host whose turn it is. It waits while every
	// host rests or is at its connection limit, and returns ErrEmpty when there
	// is nothing left to wait for.
	Next(ctx context.Context) (Lease, error)

	// Release hands a URL back unvisited and lets its host rest for the given
	// time from now. It is not a failed attempt.
	Release(l Lease, rest time.Duration) error
}
