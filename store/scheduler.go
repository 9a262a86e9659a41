package store

import (
	"container/heap"
	"container/list"
	"context"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"gatecrawl/frontier"
)

// A scheduler says whose turn it is. It holds every host and every lease in
// memory; the entries themselves stay on disk until their visit is settled, so
// a crash gives every lease back.
type scheduler struct {
	perHost int // requests at once to one host
	perIP   int // and to one address; 0: no limit
	queueBy frontier.QueueBy

	parkAfter int           // failures in a row
	parkFor   time.Duration // from the last of them
	backoff   time.Duration // after the first failure
	maxRest   time.Duration // after the last, and longest wait for a retry
	maxProbes int           // leases of hosts that did not answer last; 0: no limit

	delay  time.Duration // from the start of a request to the next, at least
	budget int64         // pages of one host; 0: no limit

	newBudget int64         // new documents of one host; 0: no limit
	term      time.Duration // of a lease

	mu      sync.Mutex
	hosts   map[frontier.HostKey]*host
	ready   readyHosts
	fresh   readyHosts
	resting restingHosts
	asleep  int // of resting: parked hosts
	probes  int // leases of hosts that did not answer last

	parkedHosts map[frontier.HostKey]*host
	answers     int64 // of all hosts, since the job was opened
	domains     map[string]*group
	addresses   map[string]*group

	leases map[uint64]*lent
	byKey  map[frontier.Key]*lent
	looked []*host    // those with heads, and some that had, each once
	terms  *list.List // leases by the time they expire, soonest first
	token  uint64
	tick   uint64

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
	at       position // of its entry, when it was lent
	rec      urlRecord
	stale    bool // rec has changed since
	host     *host
	started  time.Time
	expires  time.Time
	slot     bool           // it counts among the host's lent
	probe    bool           // and among the scheduler's probes
	groups   [groups]*group // and among these groups' lent
	settling bool           // the visit is on its way to the disk; it can't expire
	term     *list.Element  // in terms; nil while settling
}

func newScheduler(o Options) *scheduler {
	return &scheduler{
		perHost: o.PerHost, perIP: o.PerIP, queueBy: o.QueueBy,
		parkAfter: o.ParkAfter, parkFor: o.ParkFor, backoff: o.Backoff, maxRest: o.MaxRest, maxProbes: o.MaxProbes,
		delay:  o.Delay,
		budget: o.HostBudget, newBudget: o.NewBudget,
		term: o.Lease,

		parkedHosts: make(map[frontier.HostKey]*host),
		domains:     make(map[string]*group),
		addresses:   make(map[string]*group),

		hosts:  make(map[frontier.HostKey]*host),
		leases: make(map[uint64]*lent),
		byKey:  make(map[frontier.Key]*lent),
		terms:  list.New(),
	}
}

// A reader looks up the first entries of a host's queue, from a position on, that
// skip does not name, and the record of one.
type reader interface {
	heads(h frontier.HostKey, from position, limit int, skip func(frontier.Key) bool) (es []waiting, more bool, err error)
	queued(k frontier.Key) (urlRecord, error)
}

// How many entries of a host are looked up at once, and of how many hosts they are
// kept: 400 bytes a host.
const (
	headsAtOnce = 16
	headsOf     = 10_000
)

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
	for len(s.resting) > 0 && !s.resting[0].due.After(now) {
		s.place(s.resting[0], now)
	}
	for h := s.best(); h != nil; h = s.best() {
		was := h.place
		if s.place(h, now); h.place != was {
			continue // its group has had a request since
		}
		l, err := s.lend(h, now, r)
		if err != nil {
			s.fail(err)
			return nil, 0, err
		}
		if l != nil {
			return l, 0, nil
		}
	}
	if len(s.resting) == s.asleep && len(s.leases) == 0 && s.waiting == 0 {
		return nil, 0, frontier.ErrEmpty
	}
	return nil, s.quiet(now), nil
}

// quiet returns the time until a host has rested, a lease expires, or a retry
// is due.
func (s *scheduler) quiet(now time.Time) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if len(s.resting) > 0 {
		wait = min(wait, s.resting[0].due.Sub(now))
	}
	if e := s.terms.Front(); e != nil {
		wait = min(wait, e.Value.(*lent).expires.Sub(now))
	}
	if s.waiting > 0 && !s.promoting {
		wait = min(wait, time.Duration(s.waitTill-now.UnixNano()), s.maxRest)
	}
	if wait == math.MaxInt64 {
		return 0
	}
	return max(wait, time.Microsecond)
}

// lend takes the first free entry of a ready host. It returns nil where there
// is none, and then the host is no longer ready.
func (s *scheduler) lend(h *host, now time.Time, r reader) (*frontier.Lease, error) {
	if err := s.lookUp(h, r); err != nil {
		return nil, err
	}
	if len(h.heads) == 0 {
		h.more = false
		s.place(h, now)
		return nil, nil
	}
	e := h.heads[0]
	key := e.key(h.key)
	rec, err := r.queued(key)
	if err != nil {
		return nil, err
	}
	u, err := frontier.Parse(rec.url)
	if err != nil {
		return nil, fmt.Errorf("queued url: %w", err)
	}
	s.token++
	s.tick++
	l := &lent{token: s.token, key: key, at: e.at, rec: rec, host: h, started: now, expires: now.Add(s.term), slot: true}
	l.term = s.terms.PushBack(l)
	s.leases[l.token], s.byKey[l.key] = l, l
	h.lent++
	h.flying++
	h.served = s.tick
	s.take(l)
	s.rest(h, now.Add(s.delay))
	h.heads = h.heads[1:]
	if err := s.lookUp(h, r); err != nil {
		return nil, err
	}
	if h.more = len(h.heads) > 0; h.more {
		h.head = h.heads[0].at.score()
	}
	s.place(h, now)
	return &frontier.Lease{
		Token: l.token, URL: u, From: rec.from, Anchor: rec.anchor, Label: rec.label, Signals: rec.signals,
		Trap: rec.trail, Score: rec.score, Attempt: rec.attempt, Again: rec.seq != 0, Probe: l.probe, Expires: l.expires,
	}, nil
}

// lookUp sees to it that the first entries of a host's queue are at hand, if it has
// any. Entries that were taken out of a long queue leave marks in the table until
// their files are merged: from keeps the search from passing over them each time.
func (s *scheduler) lookUp(h *host, r reader) error {
	if len(h.heads) > 0 || !h.beyond {
		return nil
	}
	es, more, err := r.heads(h.key, h.from, headsAtOnce, s.taken)
	if err != nil {
		return err
	}
	h.heads, h.beyond = es, more
	if len(es) == 0 {
		return nil
	}
	h.from = es[0].at
	if h.looked {
		return nil
	}
	if len(s.looked) == headsOf {
		s.looked[0].unlook()
		s.looked[0].looked = false
		s.looked = s.looked[1:]
	}
	h.looked = true
	s.looked = append(s.looked, h)
	return nil
}

// unlook forgets the first entries of the queue.
func (h *host) unlook() {
	if len(h.heads) > 0 {
		h.heads, h.beyond = nil, true
	}
}

// entered says that there may be an entry at a position which was not there, or
// was lent, when the first were looked up.
func (h *host) entered(at position) {
	if !h.more || at.score() > h.head {
		h.head = at.score()
	}
	if at.before(h.from) {
		h.from = at
	}
	if n := len(h.heads); n > 0 && at.before(h.heads[n-1].at) {
		h.heads = nil
	}
	h.more, h.beyond = true, true
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
	s.freeSlot(l, now)
	s.drop(l)
	l.host.entered(l.at)
	s.place(l.host, now)
}

// take counts a lease where it may be one too many for the next.
func (s *scheduler) take(l *lent) {
	l.groups = l.host.groups
	for _, g := range l.groups {
		if g != nil {
			g.lent++
		}
	}
	if !l.host.proven {
		l.probe = true
		s.probes++
	}
}

// freeSlot lets the host and its groups take another request in the lease's place.
func (s *scheduler) freeSlot(l *lent, now time.Time) {
	if !l.slot {
		return
	}
	l.slot = false
	l.host.lent--
	if l.probe {
		s.probes--
	}
	for _, g := range l.groups {
		if g != nil {
			g.lent--
			s.unblock(g, now)
		}
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

// release ends a lease unvisited. It returns the host where the record of it has to
// be written, since it is to rest for longer than its record says.
func (s *scheduler) release(token uint64, rest time.Duration, addr string) (owed *host, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[token]
	if l == nil || l.settling {
		return nil, frontier.ErrLeaseLost
	}
	now := time.Now()
	if addr != "" {
		l.host.proven = true
		s.reached(l.host, addr)
	}
	s.rest(l.host, now.Add(rest))
	if before := l.host.owed; rest > before {
		if s.owe(l.host, rest); l.host.owed != before {
			owed = l.host
		}
	}
	s.giveBack(l, now)
	s.wakeOne()
	return owed, nil
}

// settling takes the lease out of the hands of the clock and lets its host go
// on, after it has rested from the end of the request. A host that was not
// asked need not rest.
func (s *scheduler) settling(token uint64, a answer) (*lent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[token]
	if l == nil || l.settling {
		return nil, frontier.ErrLeaseLost
	}
	now := time.Now()
	h := l.host
	l.settling = true
	s.terms.Remove(l.term)
	l.term = nil
	if !a.finished.IsZero() {
		h.owed = 0
		s.owe(h, a.rest)
	}
	switch {
	case a.finished.IsZero():
		// The delay was put on when the URL was lent, for a request that was
		// not made. With one request at a time nothing else put it on.
		if h.lent == 1 && s.perHost == 1 {
			h.next = l.started
			if g := l.groups[zone]; g != nil && g.lent == 1 {
				g.next = l.started
			}
		}
	case s.perHost == 1 || a.rest > s.delay:
		s.rest(h, a.finished.Add(a.rest))
	}
	s.hear(h, a, now)
	s.reached(h, a.addr)
	s.freeSlot(l, now)
	s.place(h, now)
	s.wakeOne()
	return l, nil
}

// rest keeps a host, and the group that takes turns with it, from being asked
// before the given time.
func (s *scheduler) rest(h *host, till time.Time) {
	if till.After(h.next) {
		h.next = till
	}
	if g := h.groups[zone]; g != nil && till.After(g.next) {
		g.next = till
	}
}

// owe notes a rest that is longer than most, for the next time that the job is opened.
func (s *scheduler) owe(h *host, rest time.Duration) {
	if rest > s.delay {
		h.owed = max(h.owed, rest)
	}
}

// A change is what one commit did to a host's queue.
type change struct {
	name    string
	queued  int64    // entries added less entries taken out
	fetched int64    // requests made
	found   int64    // new documents
	added   bool     // entries were added or moved
	first   position // the first of them
	moved   bool     // entries were taken away that were not lent
}

// committed brings the hosts up to date with the disk and ends the leases that
// the commit settled.
func (s *scheduler) committed(changes map[frontier.HostKey]*change, rescored []frontier.Key, settled []*lent, waiting, waitTill int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for _, k := range rescored {
		if l := s.byKey[k]; l != nil {
			l.stale = true
		}
	}
	for _, l := range settled {
		s.drop(l)
	}
	for k, c := range changes {
		h := s.hosts[k]
		if h == nil {
			h = &host{key: k, name: c.name}
			s.hosts[k] = h
			s.join(h)
		}
		h.queued += c.queued
		h.fetched += c.fetched
		h.found += c.found
		if c.moved {
			h.unlook()
		}
		if c.added {
			h.entered(c.first)
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
	return s.waiting > 0 && !s.promoting && s.isDue(s.waitTill, now)
}

// isDue reports whether a retry's time has come, or will be long in coming.
func (s *scheduler) isDue(at int64, now time.Time) bool {
	return at <= now.UnixNano() || s.stranded(at, now)
}

// stranded reports whether a retry was put aside before the machine's clock was set
// back: none waits longer than maxRest.
func (s *scheduler) stranded(at int64, now time.Time) bool {
	return at > now.Add(s.maxRest).UnixNano()
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

// load takes a host as it was on disk. It rests first, as long as after its last
// request: nobody knows when that was. What the machine's clock says of it may be
// wrong by hours. Parked hosts are tried again.
func (s *scheduler) load(h *host, address string, now time.Time, unpark bool) {
	s.hosts[h.key] = h
	s.join(h)
	if address != "" {
		s.reached(h, net.JoinHostPort(address, "0"))
	}
	if h.parked() {
		s.parkedHosts[h.key] = h
	}
	if unpark {
		s.unpark(h)
	}
	s.rest(h, now.Add(max(s.delay, min(h.owed, s.maxRest))))
	s.place(h, now)
}

// counts returns what of the totals only the scheduler knows.
func (s *scheduler) counts() (n counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = counts{hosts: int64(len(s.hosts)), leased: int64(len(s.leases)), waiting: s.waiting, parkedHosts: int64(len(s.parkedHosts))}
	for _, h := range s.parkedHosts {
		n.parked += h.queued
	}
	if s.budget > 0 || s.newBudget > 0 {
		for _, h := range s.hosts {
			if s.spent(h) {
				n.held += h.queued
			}
		}
	}
	return n
}

// counts are what of the totals only the scheduler knows.
type counts struct{ hosts, leased, held, waiting, parkedHosts, parked int64 }

var (
	_ heap.Interface = (*readyHosts)(nil)
	_ heap.Interface = (*restingHosts)(nil)
)
