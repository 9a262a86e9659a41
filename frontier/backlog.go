package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

// A Candidate is a URL to be queued: a seed, or a link that a visit found and Scope
// allowed or refused.
type Candidate struct {
	URL     weburl.URL
	From    weburl.Key       // the page that it was found on; zero for a seed
	Anchor  string           // the link's text, cut to 80 bytes
	Label   string           // label of the seed that the path to this URL started from; "": none
	Signals priority.Signals // what its score is computed from
	Trap    Trail            // state of the trap guards, passed on from link to link
	Refused Refusal          // zero: queue the URL; otherwise record that it was refused, and why

	Modified time.Time // when it last changed, by the sitemap that it was found in; zero: not known
	Kind     LinkKind  // properties of the link that led to it
	Root     string    // what it adds to the roots of the crawl's scope, by Scope.RootURL; "": nothing
}

// A LinkKind is a set of properties of the link that led to a Candidate.
type LinkKind uint8

// The properties of links. A link with none of them is a redirect, or was found in a page's
// metadata.
const (
	PageLink     LinkKind = 1 << iota // a reader of the page can follow it
	BodyLink                          // it is in the page's body, not in what the site repeats on its pages
	NoFollowLink                      // rel=nofollow
	EntryLink                         // an entry of a feed or sitemap
)

// A Refusal names the rule that excludes a URL, and what in the URL it applies to. The zero Refusal
// means that the URL is not refused.
type Refusal struct {
	Rule   string `json:"rule"`   // such as "scope:host", "depth", "exclude", "robots", "trap:calendar"
	Detail string `json:"detail"` // in a user's words: the pattern, the limit, the robots.txt line
}

// IsZero reports whether the URL is not refused.
func (r Refusal) IsZero() bool { return r.Rule == "" }

// A Lease gives one URL to one worker. It counts for its host's connection limit until it
// is settled, released or expired.
type Lease struct {
	Task    Task   // the kind of task; a Reread has only Token and URL of the fields below
	For     Task   // for Robots: what the URL waits for, Page or Requisite
	Token   uint64 // identifies the lease; a later lease of the same URL has another
	URL     weburl.URL
	From    weburl.Key
	Anchor  string
	Label   string
	Signals priority.Signals
	Trap    Trail
	Score   float32
	Attempt int       // 0 for the first try
	Again   bool      // the URL has a record: it was settled before
	Seed    bool      // a user gave the URL, or a seed redirects to it; entries of sitemaps are as deep as seeds and are none
	Probe   bool      // the host was never asked, or did not answer last time
	Addr    string    // set by the worker before Settle and Release, if known: the IP address and port that answered
	Expires time.Time // after that the URL is leased again, and a late Settle is refused
}

// A Task is what a lease is for.
type Task uint8

const (
	Page      Task = iota // fetch the URL
	Robots                // fetch the robots.txt of the URL's origin, which must be known before the URL may be fetched
	Requisite             // fetch the URL as a file that is needed to show the page From
	Reread                // read the kept page of the URL again with another template of its site; no request is sent
)

// A Leasable says which URLs a store leases.
type Leasable uint8

// The kinds of lending.
const (
	LeaseAll        Leasable = iota // all; the default
	LeaseAgain                      // URLs that were put before all that were never visited, and requisites
	LeaseRequisites                 // requisites alone
	LeaseNone                       // none: kept pages are still read again
)

var (
	// ErrEmpty says that no URL is queued, waiting for a retry, or leased.
	ErrEmpty = errors.New("frontier is empty")
	// ErrLeaseLost says that a lease has expired or was settled before.
	ErrLeaseLost = errors.New("its lease is no longer held")
)

// A Backlog is the durable queue. All methods may be called from many goroutines. When Add
// returns, its candidates are durable.
type Backlog interface {
	// Add queues the candidates that were never seen before, or were refused, and returns how many there were.
	// Adding one again changes nothing.
	Add(ctx context.Context, cs []Candidate) (added int, err error)

	// Next leases the best URL of a host that may be asked now. It waits while every host rests or
	// is at its connection limit, and returns ErrEmpty when there is nothing to wait for.
	Next(ctx context.Context) (Lease, error)

	// Release returns a URL to the queue unvisited, and makes its host rest for the given time. It
	// does not count as a failed attempt.
	Release(l Lease, rest time.Duration) error
}

// HostLimits are the limits of one host that differ from those of all others; 0: no difference.
type HostLimits struct {
	PerHost int   // concurrent requests
	Pages   int64 // pages that may be fetched
	New     int64 // new documents that may be kept
}

// A HostOrder says which hosts come first in a list.
type HostOrder string

// The orders of hosts.
const (
	HostsByQueue    HostOrder = "queue"    // those with the longest queues; the default
	HostsByFetched  HostOrder = "fetched"  // all, those with the most requests first
	HostsByFailures HostOrder = "failures" // those that failed most often in a row; no others
	HostsRetried    HostOrder = "retry"    // those with URLs waiting for a retry, the soonest first; no others
	HostsInHand     HostOrder = "hand"     // those with requests under way, the longest first; no others
	HostsParked     HostOrder = "parked"   // those that are parked, the longest first; no others
	HostsByHarvest  HostOrder = "harvest"  // those whose answers were most relevant, in a focused crawl; no others
)

// HostOrders has all orders of hosts.
var HostOrders = []HostOrder{HostsByQueue, HostsByFetched, HostsByFailures, HostsRetried, HostsInHand, HostsParked, HostsByHarvest}

// ParseHostOrder reads an order; "" is HostsByQueue.
func ParseHostOrder(s string) (HostOrder, error) {
	if s == "" {
		return HostsByQueue, nil
	}
	for _, o := range HostOrders {
		if s == string(o) {
			return o, nil
		}
	}
	return "", fmt.Errorf("%q is not an order of hosts: want one of %v", s, HostOrders)
}

// A QueueBy says which hosts share a queue, with one delay and one limit of concurrent requests.
type QueueBy string

// The kinds of queues.
const (
	ByHost   QueueBy = "host"   // one for each host
	ByDomain QueueBy = "domain" // one for all hosts of a registrable domain, by the public suffix list
	ByIP     QueueBy = "ip"     // one for all hosts at an IP address, once it is known
)

// UnmarshalText reads one of the QueueBy constants.
func (q *QueueBy) UnmarshalText(b []byte) error {
	switch v := QueueBy(b); v {
	case ByHost, ByDomain, ByIP:
		*q = v
		return nil
	}
	return fmt.Errorf("invalid queue-by %q: want host, domain or ip", b)
}

// MarshalText returns the constant.
func (q QueueBy) MarshalText() ([]byte, error) { return []byte(q), nil }

// Backoff returns how long to wait after a number of consecutive failures: first after one failure,
// twice as long after each further one, at most most.
func Backoff(first time.Duration, failures int, most time.Duration) time.Duration {
	wait := first
	for range failures - 1 {
		if wait >= most/2 {
			return most
		}
		wait *= 2
	}
	return min(wait, most)
}
