package gatecrawl

import (
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// An asking knows which leased pages have been requested, and since when. A leased page may wait
// for its request near a limit of the run, because the pages under way may reach that limit.
type asking struct {
	mu     sync.Mutex
	leases map[weburl.Key]leased
}

type leased struct {
	host  string
	since time.Time // zero: it has not been requested yet
}

// wait notes a lease whose page has not been requested yet.
func (a *asking) wait(l frontier.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leases == nil {
		a.leases = make(map[weburl.Key]leased)
	}
	a.leases[l.URL.Key()] = leased{host: l.URL.Host()}
}

// start notes that the page is requested now.
func (a *asking) start(l frontier.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leases[l.URL.Key()] = leased{l.URL.Host(), time.Now()}
}

// end forgets a lease.
func (a *asking) end(l frontier.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.leases, l.URL.Key())
}

// of counts the leases of a host and those that have been requested, and returns when the first of
// these was.
func (a *asking) of(host string) (all, asked int, since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.leases {
		if l.host != host {
			continue
		}
		if all++; l.since.IsZero() {
			continue
		}
		if asked++; since.IsZero() || l.since.Before(since) {
			since = l.since
		}
	}
	return all, asked, since
}

// TellAsked corrects the store's view of the hosts that have leases. The store takes the lease for
// the start of the request, but near a limit of the run a worker waits between the two.
func (c *Crawler) TellAsked(hosts []HostState) {
	for i := range hosts {
		h := &hosts[i]
		if h.InHand == 0 {
			continue
		}
		switch all, asked, since := c.asking.of(h.Name); {
		case all < h.InHand: // some are of tasks that no limit counts
		case asked == 0:
			h.AtLimit, h.Since = true, nil
		default:
			since = since.Round(0).UTC()
			h.Since = &since
		}
	}
}
