package store

import (
	"container/heap"
	"container/list"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"gatecrawl/frontier"
)

// A scheduler says whose turn it is. It holds every host and every lease in
// memory; the entries themselves stay on disk until their visit is settled, so
// a crash gives every lease back.
type scheduler struct {
	perHost int           // requests at once to one host
	delay   time.Duration // from the start of a request to the next, at least
	budget  int64         // pages of one host; 0: no limit
	term    time.Duration // of a lease

	mu      sync.Mutex
	hosts   map[frontier.HostKey]*host
	ready   readyHosts
	resting restingHosts
	leases  map[uint64]*lent
	byKey   map[frontier.Key]*lent
	terms   *list.List // leases by the time they expire, soonest first
	token   uint64
	tick    uint64

	waiting   int64 // entries in later
	waitTill  int64 // when the first of them is due, unix nanoseconds
	promoting bool  // the writer has been asked to bring back what is due

	waiters []chan struct{}
	timerAt time.Time // the earliest timer among the waiters; zero: none
	err     error     // the store has failed or is closed: Next returns it
}

// A lent is a lease from lending until its visit is durable.
type lent struct {
	token    uint64
	key      frontier.Key
	host     *host
	started  time.Time
	expires  time.Time
	slot     bool          // it counts among the host's lent
	settling bool          // the visit is on its way to the disk; it can't expire
	term     *list.Element // in terms; nil while settling
}

func newScheduler(o Options) *scheduler {
	return &scheduler{
		perHost: o.PerHost,
		delay:   o.Delay,
		budget:  o.HostBudget,
		term:    o.Lease,
		hosts:   make(map[frontier.HostKey]*host),
		leases:  make(map[uint64]*lent),
		byKey:   make(map[frontier.Key]*lent),
		terms:   list.New(),
	}
}

// A reader looks up the first entry of a host's queue that skip does not name,
// and the score of the one behind it.
type reader interface {
	first(h frontier.HostKey, skip func(frontier.Key) bool) (e entry, behind float32, more bool, err error)
}

// An entry is a URL at the head of its host's queue.
type entry struct {
	key frontier.Key
	rec urlRecord
}

// next lends a URL; ask is called, at most once until the answer is in, when
// entries of later are due.
func (s *scheduler) next(ctx context.Context, r reader, ask func()) (frontier.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return frontier.Lease{}, err
		}
		s.mu.Lock()
		now := time.Now()
		l, wait, err := s.turn(now, r)
		if err != nil || l != nil {
			s.wakeOne()
			s.mu.Unlock()
			if err != nil {
				return frontier.Lease{}, err
			}
			return *l, nil
		}
		due := s.due(now)
		if due {
			s.promoting = true
		}
		w := make(chan struct{})
		s.waiters = append(s.waiters, w)
		timer, at := s.timer(now, wait)
		s.mu.Unlock()

		if due {
			ask()
		}
		s.sleep(ctx, w, timer, at)
	}
}

// turn lends the best URL of the best host. Where none may be lent now it
// returns how long it takes until that may change, 0 for ever.
func (s *scheduler) turn(now time.Time, r reader) (*frontier.Lease, time.Duration, error) {
	if s.err != nil {
		return nil, 0, s.err
	}
	s.expire(now)
	for len(s.resting) > 0 && !s.resting[0].next.After(now) {
		s.place(s.resting[0], now)
	}
	for len(s.ready) > 0 {
		l, err := s.lend(s.ready[0], now, r)
		if err != nil {
			s.fail(err)
			return nil, 0, err
		}
		if l != nil {
			return l, 0, nil
		}
	}
	if len(s.resting) == 0 && len(s.leases) == 0 && s.waiting == 0 {
		return nil, 0, frontier.ErrEmpty
	}
	return nil, s.quiet(now), nil
}

// quiet returns the time until a host has rested, a lease expires, or a retry
// is due.
func (s *scheduler) quiet(now time.Time) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if len(s.resting) > 0 {
		wait = min(wait, s.resting[0].next.Sub(now))
	}
	if e := s.terms.Front(); e != nil {
		wait = min(wait, e.Value.(*lent).expires.Sub(now))
	}
	if s.waiting > 0 && !s.promoting {
		wait = min(wait, time.Unix(0, s.waitTill).Sub(now))
	}
	if wait == math.MaxInt64 {
		return 0
	}
	return max(wait, time.Microsecond)
}

// lend takes the first free entry of a ready host. It returns nil where there
// is none, and then the host is no longer ready.
func (s *scheduler) lend(h *host, now time.Time, r reader) (*frontier.Lease, error) {
	e, behind, more, err := r.first(h.key, s.taken)
	if err != nil {
		return nil, err
	}
	if e.rec.url == "" {
		h.more = false
		s.place(h, now)
		return nil, nil
	}
	u, err := frontier.Parse(e.rec.url)
	if err != nil {
		return nil, fmt.Errorf("queued url: %w", err)
	}
	s.token++
	s.tick++
	l := &lent{token: s.token, key: e.key, host: h, started: now, expires: now.Add(s.term), slot: true}
	l.term = s.terms.PushBack(l)
	s.leases[l.token], s.byKey[l.key] = l, l
	h.lent++
	h.flying++
	h.served = s.tick
	h.next = now.Add(s.delay)
	h.more, h.head = more, behind
	s.place(h, now)
	return &frontier.Lease{
		Token: l.token, URL: u, From: e.rec.from, Anchor: e.rec.anchor, Label: e.rec.label, Signals: e.rec.signals,
		Trap: e.rec.trail, Score: e.rec.score, Attempt: e.rec.attempt, Again: e.rec.seq != 0, Expires: l.expires,
	}, nil
}

func (s *scheduler) taken(k frontier.Key) bool { return s.byKey[k] != nil }

// expire gives back the leases whose time has run out.
func (s *scheduler) expire(now time.Time) {
	for e := s.terms.Front(); e != nil; e = s.terms.Front() {
		l := e.Value.(*lent)
		if l.expires.After(now) {
			return
		}
		s.giveBack(l, now)
	}
}

// giveBack ends a lease unvisited.
func (s *scheduler) giveBack(l *lent, now time.Time) {
	s.freeSlot(l)
	s.drop(l)
	l.host.more, l.host.head = true, float32(math.Inf(1))
	s.place(l.host, now)
}

// freeSlot lets the host take another request in the lease's place.
func (s *scheduler) freeSlot(l *lent) {
	if l.slot {
		l.slot = false
		l.host.lent--
	}
}

// drop forgets a lease.
func (s *scheduler) drop(l *lent) {
	if l.term != nil {
		s.terms.Remove(l.term)
		l.term = nil
	}
	delete(s.leases, l.token)
	delete(s.byKey, l.key)
	l.host.flying--
}

// release is Backlog.Release.
func (s *scheduler) release(token uint64, rest time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[token]
	if l == nil || l.settling {
		return frontier.ErrLeaseLost
	}
	now := time.Now()
	s.rest(l.host, now.Add(rest))
	s.giveBack(l, now)
	s.wakeOne()
	return nil
}

// settling takes the lease out of the hands of the clock and lets its host go
// on, after it has rested from the end of the request. A host that was not
// asked (finished is zero) need not rest.
func (s *scheduler) settling(token uint64, finished time.Time, rest time.Duration) (*lent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[token]
	if l == nil || l.settling {
		return nil, frontier.ErrLeaseLost
	}
	l.settling = true
	s.terms.Remove(l.term)
	l.term = nil
	s.freeSlot(l)
	switch {
	case finished.IsZero():
		// The delay was put on when the URL was lent, for a request that was
		// not made. With one request at a time nothing else put it on.
		if l.host.lent == 0 && s.perHost == 1 {
			l.host.next = l.started
		}
	case s.perHost == 1 || rest > s.delay:
		s.rest(l.host, finished.Add(rest))
	}
	s.place(l.host, time.Now())
	s.wakeOne()
	return l, nil
}

// rest keeps a host from being asked before the given time.
func (s *scheduler) rest(h *host, till time.Time) {
	if till.After(h.next) {
		h.next = till
	}
}

// A change is what one commit did to a host's queue.
type change struct {
	name    string
	queued  int64   // entries added less entries taken out
	fetched int64   // requests made
	best    float32 // score of the best entry added or moved up
	added   bool    // best is set
}

// committed brings the hosts up to date with the disk and ends the leases that
// the commit settled.
func (s *scheduler) committed(changes map[frontier.HostKey]*change, settled []*lent, waiting, waitTill int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, l := range settled {
		s.drop(l)
	}
	for k, c := range changes {
		h := s.hosts[k]
		if h == nil {
			h = &host{key: k, name: c.name}
			s.hosts[k] = h
		}
		h.queued += c.queued
		h.fetched += c.fetched
		if c.added {
			if !h.more || c.best > h.head {
				h.head = c.best
			}
			h.more = true
		}
		s.place(h, now)
	}
	for _, l := range settled {
		s.place(l.host, now)
	}
	s.waiting, s.waitTill, s.promoting = waiting, waitTill, false
	s.wakeOne()
}

// due reports whether the writer should be asked to bring back retries.
func (s *scheduler) due(now time.Time) bool {
	return s.waiting > 0 && !s.promoting && s.waitTill <= now.UnixNano()
}

// fail makes every Next return err from now on.
func (s *scheduler) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	for _, w := range s.waiters {
		close(w)
	}
	s.waiters = nil
}

// wakeOne lets one waiter look again. Who finds a lease wakes the next, so a
// change of state costs one wake-up and not one for every worker.
func (s *scheduler) wakeOne() {
	if n := len(s.waiters); n > 0 {
		close(s.waiters[0])
		s.waiters[0] = nil
		s.waiters = s.waiters[1:]
	}
}

// timer returns a timer for a waiter if none of the others wakes as early.
func (s *scheduler) timer(now time.Time, wait time.Duration) (*time.Timer, time.Time) {
	if wait == 0 {
		return nil, time.Time{}
	}
	at := now.Add(wait)
	if !s.timerAt.IsZero() && !at.Before(s.timerAt) {
		return nil, time.Time{}
	}
	s.timerAt = at
	return time.NewTimer(wait), at
}

// sleep waits for w, the timer or the context, and leaves the list of waiters.
func (s *scheduler) sleep(ctx context.Context, w chan struct{}, timer *time.Timer, at time.Time) {
	var tick <-chan time.Time
	if timer != nil {
		tick = timer.C
		defer timer.Stop()
	}
	woken := false
	select {
	case <-w:
		woken = true
	case <-tick:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if timer != nil && s.timerAt.Equal(at) {
		s.timerAt = time.Time{}
	}
	if !woken {
		for i, x := range s.waiters {
			if x == w {
				s.waiters = append(s.waiters[:i], s.waiters[i+1:]...)
				break
			}
		}
	}
	if ctx.Err() != nil {
		s.wakeOne() // whoever takes over the watch sets a timer of its own
	}
}

// working returns how many leases may still be settled: those that are not
// being settled yet.
func (s *scheduler) working() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms.Len()
}

// load takes a host as it was on disk.
func (s *scheduler) load(h *host, now time.Time) {
	s.hosts[h.key] = h
	s.place(h, now)
}

// counts returns what of the totals only the scheduler knows.
func (s *scheduler) counts() (hosts, leased, held, waiting int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.budget > 0 {
		for _, h := range s.hosts {
			if h.fetched >= s.budget {
				held += h.queued
			}
		}
	}
	return int64(len(s.hosts)), int64(len(s.leases)), held, s.waiting
}

var (
	_ heap.Interface = (*readyHosts)(nil)
	_ heap.Interface = (*restingHosts)(nil)
)
