package queue

import (
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Options are the settings of a queue: politeness, budgets and leases.
type Options struct {
	// PerHost is how many concurrent requests a host may get. Default 1. More than a few annoy
	// small sites.
	PerHost int

	// Delay is the least time from one request to a host to the next: from the
	// end of a request with PerHost 1, from its start above that. Default 1 s.
	// At 0 a host is asked as fast as it answers. A host's Crawl-delay raises it.
	Delay time.Duration

	// PerIP is how many concurrent requests all hosts at one IP address may get; the address of a
	// host is known once it has answered. Default 16: one server often serves thousands of hosts,
	// and an address of a large network even more. 0 means no limit.
	PerIP int

	// QueueBy says whether PerHost and Delay apply to a host, a registrable domain, or an IP
	// address. Default frontier.ByHost.
	QueueBy frontier.QueueBy

	// Backoff is how long a host rests after a request that it did not answer; every second
	// consecutive failure doubles it, up to MaxRest. Default 1 s. A URL waits for as long before
	// its first retry.
	Backoff time.Duration

	// MaxRest is the longest rest after failures, the longest wait for a retry, and the most that a
	// Crawl-delay or a Retry-After may ask for. Default 5 min; a value below Delay has no effect. A
	// host that asks for more is asked more often than it wants, but does not hold up the crawl for
	// a day.
	MaxRest time.Duration

	// ParkAfter is after how many consecutive requests without an answer (or with one that says
	// that the host is too busy, see page.Visit.Down) a host is parked: no request is sent to it
	// for ParkFor, and a crawl that has nothing else to do ends. Its URLs stay in the queue;
	// opening the job again tries it once more. Default 6; 0 never parks. With 1 a single lost
	// packet parks a host. A host that has answered before gets four times as many tries while no
	// other host answers either, since our own connection may be down.
	ParkAfter int

	// ParkFor is how long a host stays parked. Default 30 min.
	ParkFor time.Duration

	// MaxProbes is how many URLs may be leased at once of hosts that did not answer the last
	// request or were never asked. Default 0: no limit. If it is not less than the number of
	// workers, such hosts can keep all workers waiting for time-outs.
	MaxProbes int

	// HostBudget is how many pages of one host may be fetched, not counting further visits; URLs
	// beyond it stay in the queue, except those that Tx.Again queues. Default 0: no limit.
	HostBudget int64

	// NewBudget is how many new documents of one host may be kept; copies and errors do not count.
	// URLs beyond it stay in the queue. Default 0: no limit.
	NewBudget int64

	// Explore is the share of the leases of a focused crawl that go to the most promising host
	// (judged by the relevance of its answers and by how little is known of it) instead of the best
	// URL. Default 0. At 0 a crawl of several sites stays where it first found something; at 1 the
	// best URL plays no part in the choice of the host.
	Explore float64

	// Patience is how long a focused crawl waits for a better URL whose host rests or has a request
	// under way, although another host could be asked. Default 0: not at all. Then a crawl of few
	// hosts gives each an equal share, whatever it has.
	Patience time.Duration

	// Hosts has the limits of hosts that differ from the common ones, by their keys. Default none.
	// With a QueueBy other than host their PerHost has no effect.
	Hosts map[weburl.HostKey]frontier.HostLimits

	// Lease is how long a lease lasts; then the URL is leased again. Default 10 min. It must be
	// longer than a fetch may take, or slow pages are fetched again and again.
	Lease time.Duration

	// Spread is the average distance of the sequence numbers of pages that pay cash. Default 1. In
	// a queue of a partition it is more.
	Spread uint64

	// Notify, if it is not nil, is called when a URL may be leased that could not be before, and
	// when the queue has failed. It is for callers of Try. It must neither block nor call the
	// queue.
	Notify func()
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{
		PerHost:   1,
		Delay:     time.Second,
		PerIP:     16,
		QueueBy:   frontier.ByHost,
		Backoff:   time.Second,
		MaxRest:   5 * time.Minute,
		ParkAfter: 6,
		ParkFor:   30 * time.Minute,
		Lease:     10 * time.Minute,
	}
}

// maxPerHost fits into a host's counter of requests, and is far more than any host can stand.
const maxPerHost = 10_000

// Validate reports every fault at once.
func (o Options) Validate() error {
	var errs []error
	if o.PerHost < 1 {
		errs = append(errs, fmt.Errorf("per-host is %d: want at least 1 request at once", o.PerHost))
	}
	if o.PerHost > maxPerHost {
		errs = append(errs, fmt.Errorf("per-host is %d: want at most %d requests at once", o.PerHost, maxPerHost))
	}
	if o.Delay < 0 {
		errs = append(errs, fmt.Errorf("delay is %v: want 0 or more", o.Delay))
	}
	if o.NewBudget < 0 {
		errs = append(errs, fmt.Errorf("max-new-per-host is %d: want 0 (no limit) or more", o.NewBudget))
	}
	if !(o.Explore >= 0 && o.Explore <= 1) {
		errs = append(errs, fmt.Errorf("explore is %v: want a share of the requests, 0 to 1", o.Explore))
	}
	if o.Patience < 0 {
		errs = append(errs, fmt.Errorf("focus-patience is %v: want 0 or more", o.Patience))
	}
	if o.HostBudget < 0 {
		errs = append(errs, fmt.Errorf("max-pages-per-host is %d: want 0 (no limit) or more", o.HostBudget))
	}
	if o.Lease <= 0 {
		errs = append(errs, fmt.Errorf("lease is %v: want more than 0", o.Lease))
	}
	if o.PerIP < 0 {
		errs = append(errs, fmt.Errorf("per-ip is %d: want 0 (no limit) or more", o.PerIP))
	}
	if err := new(frontier.QueueBy).UnmarshalText([]byte(o.QueueBy)); err != nil {
		errs = append(errs, err)
	}
	if o.ParkAfter < 0 {
		errs = append(errs, fmt.Errorf("park-after is %d: want 0 (never) or more", o.ParkAfter))
	}
	if o.ParkFor <= 0 {
		errs = append(errs, fmt.Errorf("park-for is %v: want more than 0", o.ParkFor))
	}
	if o.Backoff < 0 {
		errs = append(errs, fmt.Errorf("backoff is %v: want 0 or more", o.Backoff))
	}
	if o.MaxRest <= 0 {
		errs = append(errs, fmt.Errorf("longest rest is %v: want more than 0", o.MaxRest))
	}
	if o.MaxProbes < 0 {
		errs = append(errs, fmt.Errorf("hosts that are probed at once are %d: want 0 (no limit) or more", o.MaxProbes))
	}
	return errors.Join(errs...)
}
