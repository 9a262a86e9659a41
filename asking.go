package gatecrawl

import (
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// An asking knows which leased pages are asked for, and since when, and which are not yet: the
// pages under way may reach a limit of the run.
type asking struct {
	mu     sync.Mutex
	leases map[weburl.Key]leased
}

type leased struct {
	host  string
	since time.Time // zero: it is not asked for yet
}

// wait notes a lease that is to be asked for.
func (a *asking) wait(l frontier.Lease) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leases == nil {
		a.leases = make(map[weburl.Key]leased)
	}
	a.leases[l.URL.Key()] = leased{host: l.URL.Host()}
}

// start notes that it is asked for now.
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

// of counts the leases of a host, and those that are asked for, the first of them since then.
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

// TellAsked corrects what the store says of hosts in hand, which were leased before they were
// asked: near a limit of the run a worker waits between the two.
func (c *Crawler) TellAsked(hosts []HostState) {
	for i := range hosts {
		h := &hosts[i]
		if h.InHand == 0 {
			continue
		}
		switch all, asked, since := c.asking.of(h.Name); {
		case all < h.InHand: // some are of a kind that no limit counts
		case asked == 0:
			h.AtLimit, h.Since = true, nil
		default:
			since = since.Round(0).UTC()
			h.Since = &since
		}
	}
}
