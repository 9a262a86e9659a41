package queue

import (
	"time"

	"gatecrawl.example/gatecrawl/frontier"
)

// Try is Next for a caller with several queues: it does not wait. If no URL may be leased now, ok
// is false, and wait is how long it takes until that may change by itself, 0: for ever.
// Options.Notify reports every other change.
func (q *Queue) Try(promote func()) (l frontier.Lease, ok bool, wait time.Duration, err error) {
	s, asked := q.sched, false
	for {
		s.mu.Lock()
		leased, ahead, wait, err := s.turn(time.Now(), q)
		if ahead != nil {
			err = s.fetch(ahead)
		}
		due := s.due() && !asked
		if due {
			s.promoting = true
		}
		s.mu.Unlock()
		if due {
			promote()
			asked = true
		}
		switch {
		case leased != nil:
			return *leased, true, 0, nil
		case err != nil:
			return l, false, 0, err
		case ahead == nil && !due:
			return l, false, wait, nil
		}
	}
}

// Rank returns the rank of the URL that Try would lease, as far as it is known without reading the
// tables: the higher its score, the lower its rank. ok is false if no host may be asked now.
func (q *Queue) Rank() (rank uint32, ok bool) {
	s := q.sched
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.expire(now)
	at := s.moment(now)
	if err := s.see(at, q); err != nil {
		s.fail(err)
		return 0, false
	}
	for due, ok := s.soonest(); ok && due <= at; due, ok = s.soonest() {
		s.place(s.firstOf(&s.resting), at)
	}
	for h := s.best(); h != nil; h = s.best() {
		was := h.place
		if s.place(h, at); h.place == was {
			return s.turnOf(h).Score, true
		}
	}
	return 0, len(s.unseen) > 0
}
