package queue

import (
	"math"
	"time"

	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
)

// mostCompared is how many hosts are considered for a choice.
const mostCompared = 1024

// A choice decides which host is asked next in a focused crawl. In any other crawl it is the host
// with the best URL among those that may be asked now.
type choice struct {
	explore  float64
	patience time.Duration

	again  bool    // the last turn to explore was given once more
	turns  float64 // leases since the last one for exploration, times explore; at 1 the next one is due
	next   *host   // the host to explore next; nil: none
	waits  moment  // until when to wait for a better URL; 0: not waiting
	rated  float64 // rated answers of all hosts
	gained float64 // sum of their relevance
}

// leased records a lease.
func (c *choice) leased(h *host) (explores bool) {
	c.waits = 0
	c.turns += c.explore
	if c.turns >= 1 && (h == c.next || c.next == nil) {
		c.turns -= math.Floor(c.turns)
		explores = true
	}
	c.next = nil
	return explores
}

// explored records what an exploring lease of a host brought. A redirect says nothing of the host, so that it has another turn at
// once, if it may be asked; but not for a second redirect in a row, since a host may have nothing else.
func (c *choice) explored(h *host, redirect bool) {
	if c.again = redirect && !c.again; c.again {
		c.turns++
		c.next = h
	}
}

// rate records rated answers of a host.
func (s *scheduler) rate(h *host, n int64, relevance float32) {
	h.rated = atMost(int64(h.rated) + n)
	h.relevance += relevance
	s.choice.rated += float64(n)
	s.choice.gained += float64(relevance)
}

// choose returns the host to ask now; nil if there is none, or if it is better to wait for another
// host.
func (s *scheduler) choose(now moment) *host {
	c := &s.choice
	c.waits = 0
	if c.explore > 0 && c.turns+c.explore >= 1 {
		if c.next == nil || c.next.place != ready && c.next.place != fresh {
			c.next = s.promising()
		}
		if c.next != nil {
			return c.next
		}
	}
	h := s.best()
	if c.patience <= 0 || h == nil {
		return h
	}
	if due, better := s.worthWaiting(h, now); better {
		c.waits = due
		return nil
	}
	return h
}

// promising returns the host, among those that may be asked, whose next answer has the highest
// upper bound of relevance: the mean relevance of its answers, shrunk towards that of all hosts,
// plus the uncertainty about it (UCB1, Auer, Cesa-Bianchi and Fischer 2002). Of hosts of which equally little is known
// one comes first that has answered, as to a request for its robots.txt. Otherwise all of them would be asked for theirs
// before one of them is asked for a page.
func (s *scheduler) promising() (best *host) {
	c := &s.choice
	mean := 0.
	if c.rated > 0 {
		mean = c.gained / c.rated
	}
	lnAll := math.Log(1 + c.rated)
	most := math.Inf(-1)
	for _, p := range []*turns.Heap{&s.ready, &s.fresh} {
		if p == &s.fresh && !s.mayProbe() {
			continue
		}
		for _, t := range p.Some(mostCompared) {
			h := s.hosts.at(t.ID)
			n := float64(h.rated) + float64(h.flying)
			bound := (float64(h.relevance)+mean/2)/(n+.5) + math.Sqrt(.5*lnAll/(n+1))
			if bound > most || bound == most && h.place == best.place && h.served < best.served {
				best, most = h, bound
			}
		}
	}
	return best
}

// worthWaiting reports whether a host that may soon be asked has a better URL than h, and until
// when to wait for it: a host that rests for no longer than patience, or one whose request has been
// under way for no longer than that.
func (s *scheduler) worthWaiting(h *host, now moment) (due moment, better bool) {
	than := s.turnOf(h).Score
	for _, t := range s.resting.Some(mostCompared) {
		r := s.hosts.at(t.ID)
		if s.turnOf(r).Score < than && moment(t.Time) <= now+s.choice.patience {
			than, due, better = s.turnOf(r).Score, moment(t.Time), true
		}
	}
	n := 0
	for e := s.terms.Front(); e != nil && n < mostCompared; e = e.Next() {
		n++
		l := e.Value.(*Held)
		till := s.moment(l.started) + s.choice.patience
		if r := l.host; l.slot && r.place == idle && r.more && !s.overBudget(r) && till > now && s.turnOf(r).Score < than {
			than, due, better = s.turnOf(r).Score, till, true
		}
	}
	return due, better
}
