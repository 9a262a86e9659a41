package queue

import (
	"container/list"
	"context"
	"math"
	"net"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

// A scheduler decides whose turn it is. It holds every host, the first entry of each host's queue
// and every lease in memory. Entries stay on disk until their visit is settled, so that after a
// crash every lease is back in the queue.
type scheduler struct {
	perHost int // concurrent requests to a host
	perIP   int // concurrent requests to an IP address; 0: no limit
	queueBy frontier.QueueBy

	parkAfter int           // consecutive failures
	parkFor   time.Duration // since the last of them
	backoff   time.Duration // rest after the first failure
	maxRest   time.Duration // longest rest after failures, and longest wait for a retry
	maxProbes int           // leases of hosts that did not answer last time; 0: no limit

	delay  time.Duration // least time from the start of a request to the next
	budget int64         // pages of one host; 0: no limit

	newBudget int64 // new documents of one host; 0: no limit
	own       map[weburl.HostKey]frontier.HostLimits
	choice    choice        // between hosts in a focused crawl
	term      time.Duration // duration of a lease

	last   position // no entry after it is leased; the mutex guards it
	notify func()

	epoch     time.Time        // start of the moments
	wallClock func() time.Time // the clock for retries, which may be set during a crawl
	priority  priority.Options // what the hosts' terms are computed by

	mu       sync.Mutex
	hosts    hosts
	troubles map[int32]*Failures // by host.id; for hosts that did not answer last time
	ready    turns.Heap
	fresh    turns.Heap
	resting  turns.Heap
	asleep   int // parked hosts in resting
	probes   int // leases of hosts that did not answer last time

	parkedHosts map[int32]bool      // by host.id
	aside       map[int32]time.Time // by host.id: parked by a user until then
	answers     int64               // of all hosts, since the job was opened
	groups      []*hostGroup        // by number; 0 is none
	freeGroups  []int32             // indexes of groups that are no longer used
	domains     map[string]int32
	addresses   map[string]int32

	unseen     []int32             // loaded hosts whose queues have not been read
	ahead      map[int32][]entry   // by host.id: the entries after host.first
	looked     []int32             // hosts in ahead, and some that no longer are
	raised     raised              // URLs with a better place than their entries
	prefetched map[weburl.Key]head // first entries that no commit has changed since

	looking   map[weburl.HostKey]bool // hosts of the prefetch under way whose queues have not changed since it started; nil: none is under way
	missed    bool                    // the last prefetch had results for hosts that had changed meanwhile
	lentSince int                     // leases since the last prefetch started

	leases map[uint64]*Held
	byKey  map[weburl.Key]*Held
	terms  *list.List // leases by the time they expire, soonest first
	token  uint64
	tick   uint64

	waiting   int64 // entries in TableLater
	waitTill  int64 // when the first of them is due, unix nanoseconds
	promoting bool  // the writer has been asked to promote what is due

	waiters []chan struct{}
	timerAt time.Time // the earliest timer among the waiters; zero: none
	err     error     // the store has failed or is closed: Next returns it
}

// A Held is a lease until its visit is durable. Other packages see it only while the visit is being
// written: see Queue.Hold.
type Held struct {
	Key weburl.Key // of its URL

	token    uint64
	at       position // place of its entry when it was leased
	rec      Record
	stale    bool // rec has changed since
	raised   bool // it was raised when it was leased:
	raise    raise
	host     *host
	started  time.Time
	expires  time.Time
	next     moment             // before which the host is not asked again, because of this lease alone
	explores bool               // it was the turn of a host to explore
	slot     bool               // it is counted in host.leased
	probe    bool               // it is counted in scheduler.probes
	groups   [groups]*hostGroup // groups that count it in leased
	settling bool               // the visit is being written; the lease can't expire
	term     *list.Element      // in terms; nil while settling
}

func newScheduler(o Options) *scheduler {
	s := &scheduler{
		perHost: o.PerHost, perIP: o.PerIP, queueBy: o.QueueBy,
		parkAfter: o.ParkAfter, parkFor: o.ParkFor, backoff: o.Backoff, maxRest: o.MaxRest, maxProbes: o.MaxProbes,
		delay:  o.Delay,
		last:   endOfQueue,
		budget: o.HostBudget, newBudget: o.NewBudget, own: o.Hosts,
		choice: choice{explore: o.Explore, patience: o.Patience},
		term:   o.Lease,
		notify: o.Notify,

		epoch:       time.Now(),
		wallClock:   time.Now,
		tick:        firstTick,
		hosts:       hosts{ids: make(map[weburl.HostKey]int32)},
		troubles:    make(map[int32]*Failures),
		parkedHosts: make(map[int32]bool),
		aside:       make(map[int32]time.Time),
		groups:      make([]*hostGroup, 1),
		domains:     make(map[string]int32),
		addresses:   make(map[string]int32),

		ahead:      make(map[int32][]entry),
		raised:     raised{at: make(map[weburl.Key]raise), of: make(map[int32]*raisedQueue)},
		prefetched: make(map[weburl.Key]head),
		leases:     make(map[uint64]*Held),
		byKey:      make(map[weburl.Key]*Held),
		terms:      list.New(),
	}
	s.ready, s.fresh, s.resting = turns.New(&s.hosts.places), turns.New(&s.hosts.places), turns.New(&s.hosts.places)
	return s
}

// moment converts a time to the scheduler's clock.
func (s *scheduler) moment(t time.Time) moment { return t.Sub(s.epoch) }

// next leases a URL. When entries of TableLater are due it calls ask, and not again before they are
// promoted.
func (s *scheduler) next(ctx context.Context, q reader, ask func()) (frontier.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return frontier.Lease{}, err
		}
		s.mu.Lock()
		now := time.Now()
		l, ahead, wait, err := s.turn(now, q)
		if err != nil || l != nil {
			s.wakeOne()
		}
		if ahead != nil {
			err = s.fetch(ahead)
		}
		if err != nil || l != nil || ahead != nil {
			s.mu.Unlock()
			switch {
			case l != nil:
				return *l, nil
			case err != nil:
				return frontier.Lease{}, err
			}
			continue
		}
		due := s.due()
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

// turn leases the best URL of the best host. If none may be leased now it returns how long to wait
// until one may, 0 for ever. It may also return a prefetch for the caller to run.
func (s *scheduler) turn(now time.Time, q reader) (*frontier.Lease, *prefetch, time.Duration, error) {
	if s.err != nil {
		return nil, nil, 0, s.err
	}
	s.expire(now)
	at := s.moment(now)
	if err := s.see(at, q); err != nil {
		s.fail(err)
		return nil, nil, 0, err
	}
	for due, ok := s.soonest(); ok && due <= at; due, ok = s.soonest() {
		s.place(s.firstOf(&s.resting), at)
	}
	for h := s.choose(at); h != nil; h = s.choose(at) {
		was := h.place
		if s.place(h, at); h.place != was {
			continue // another host of its group has been asked since
		}
		e, known, _ := s.head(h)
		d, ok := s.prefetched[e.key(h.key)]
		if !known || !ok {
			ahead := s.lookAhead(q)
			if ahead == nil || !s.missed {
				return nil, ahead, s.quiet(now), nil
			}
			// What is missed may be missed again and again if commits are faster than reads.
			if err := s.install(ahead, ahead.read(s.taken), at); err != nil {
				return nil, nil, 0, err
			}
			continue // another host may have its turn now
		}
		l := s.leaseFirst(h, d, now)
		if s.lentSince++; s.lentSince >= turnsAtOnce/2 {
			return l, s.lookAhead(q), 0, nil // before others have to wait for it
		}
		return l, nil, 0, nil
	}
	if len(s.unseen) > 0 {
		return nil, nil, time.Microsecond, nil
	}
	if s.resting.Len() == s.asleep && len(s.leases) == 0 && (s.waiting == 0 || s.last != endOfQueue) {
		return nil, nil, 0, frontier.ErrEmpty
	}
	return nil, nil, s.quiet(now), nil
}

// soonest returns when the next resting host may be asked.
func (s *scheduler) soonest() (due moment, ok bool) {
	if s.resting.Len() == 0 {
		return 0, false
	}
	return moment(s.resting.Some(1)[0].Time), true
}

// quiet returns how long it takes until a host has rested, a lease expires, or a retry is due.
func (s *scheduler) quiet(now time.Time) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if due, ok := s.soonest(); ok {
		wait = min(wait, due-s.moment(now))
	}
	if s.choice.waits > 0 {
		wait = min(wait, s.choice.waits-s.moment(now))
	}
	if e := s.terms.Front(); e != nil {
		wait = min(wait, e.Value.(*Held).expires.Sub(now))
	}
	if s.waiting > 0 && !s.promoting {
		wait = min(wait, time.Duration(s.waitTill-s.wallClock().UnixNano()), s.maxRest)
	}
	if wait == math.MaxInt64 {
		return 0
	}
	return max(wait, time.Microsecond)
}

// leaseFirst leases the first URL of a ready host.
func (s *scheduler) leaseFirst(h *host, d head, now time.Time) *frontier.Lease {
	rec := &d.rec
	s.token++
	s.tick++
	first, _, outOfTurn := s.head(h)
	l := &Held{token: s.token, Key: first.key(h.key), at: positionOf(rec.Score, rec.Order), rec: d.rec, host: h, started: now, expires: now.Add(s.term), slot: true}
	l.raise, l.raised = s.lower(l.Key)
	l.term = s.terms.PushBack(l)
	s.leases[l.token], s.byKey[l.Key] = l, l
	delete(s.prefetched, l.Key)
	h.leased++
	h.flying++
	h.served = s.tick
	l.explores = s.choice.leased(h)
	s.take(l)
	l.next = s.moment(now) + s.between(h)
	s.rest(h, l.next)
	if outOfTurn {
		s.skip(h, l.at)
	} else {
		s.advance(h)
	}
	s.place(h, s.moment(now))
	task := frontier.Page
	if rec.Flags&Requisite != 0 {
		task = frontier.Requisite
	}
	return &frontier.Lease{
		Task: task, Token: l.token, URL: d.url, From: rec.From, Anchor: rec.Anchor, Label: rec.Label, Signals: rec.Signals,
		Trap: rec.Trail, Score: rec.Score, Attempt: rec.Attempt, Again: rec.Page != 0 || rec.Flags&Renewal != 0, Seed: rec.Seed(), Probe: l.probe, Expires: l.expires,
	}
}

func (s *scheduler) taken(k weburl.Key) bool { return s.byKey[k] != nil }

// takenNow is taken for callers that do not hold the lock.
func (s *scheduler) takenNow(k weburl.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken(k)
}

// expire ends the leases whose time is over.
func (s *scheduler) expire(now time.Time) {
	for e := s.terms.Front(); e != nil; e = s.terms.Front() {
		l := e.Value.(*Held)
		if l.expires.After(now) {
			return
		}
		s.giveBack(l, now)
	}
}

// giveBack ends a lease without a visit.
func (s *scheduler) giveBack(l *Held, now time.Time) {
	at := s.moment(now)
	s.freeSlot(l, at)
	s.drop(l)
	if l.stale { // its place may have changed
		s.forgetEntries(l.host)
		l.host.first = entry{}
	}
	s.entered(l.host, entry{l.at, [10]byte(l.Key[6:])})
	if l.raised && !l.stale {
		s.raise(l.raise)
	}
	s.place(l.host, at)
}

// take counts a lease in its groups and, if its host is not known to answer, as a probe.
func (s *scheduler) take(l *Held) {
	for kind := range groups {
		if l.groups[kind] = s.groupOf(l.host, kind); l.groups[kind] != nil {
			l.groups[kind].leased++
		}
	}
	if !l.host.proven {
		l.probe = true
		s.probes++
	}
}

// freeSlot lets the host and its groups take another request in the lease's place.
func (s *scheduler) freeSlot(l *Held, now moment) {
	if !l.slot {
		return
	}
	l.slot = false
	l.host.leased--
	if l.probe {
		s.probes--
	}
	for _, g := range l.groups {
		if g != nil {
			g.leased--
			s.unblock(g, now)
		}
	}
}

// drop forgets a lease.
func (s *scheduler) drop(l *Held) {
	if l.term != nil {
		s.terms.Remove(l.term)
		l.term = nil
	}
	delete(s.leases, l.token)
	delete(s.byKey, l.Key)
	delete(s.looking, l.host.key)
	l.host.flying--
}

// release ends a lease without a visit. It reports whether the record of its host must be written,
// because the host is to rest for longer than its record says.
func (s *scheduler) release(token uint64, rest time.Duration, addr string) (l *Held, owed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l = s.leases[token]
	if l == nil || l.settling {
		return nil, false, frontier.ErrLeaseLost
	}
	now := time.Now()
	if addr != "" {
		l.host.proven = true
		s.setIP(l.host, addr)
	}
	s.rest(l.host, s.moment(now.Add(rest)))
	before := l.host.owed
	s.owe(l.host, rest)
	s.giveBack(l, now)
	s.wakeOne()
	return l, l.host.owed != before, nil
}

// reserve gives the host of a lease one more request, and returns when it may be sent.
func (s *scheduler) reserve(token uint64, from time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.leases[token]
	if l == nil {
		return from
	}
	if s.limits(l.host).PerHost > 1 { // otherwise the host has no other request, and its rest is from
		from = s.epoch.Add(max(s.moment(from), l.host.next))
	}
	s.rest(l.host, s.moment(from)+s.between(l.host))
	s.place(l.host, s.moment(time.Now()))
	return from
}

// between returns how long a host rests between two requests at least: what its last answer has asked for, a
// Crawl-delay, is between any two.
func (s *scheduler) between(h *host) time.Duration {
	return max(s.delay, time.Duration(h.owed)*time.Millisecond)
}

// settling makes a lease unable to expire and frees its slot: the host may be asked again after it
// has rested from the end of the request. A host that was not asked need not rest.
func (s *scheduler) settling(token uint64, a Answer) (*Held, error) {
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
	if !a.Finished.IsZero() {
		h.owed = 0
		s.owe(h, a.Rest)
	}
	switch {
	case a.Finished.IsZero():
		// The delay was added when the URL was leased, for a request that was not sent. If no other
		// request of the host is under way, nothing else has been added to it.
		if h.leased == 1 && h.next == l.next {
			h.next = s.moment(l.started)
			if g := l.groups[zone]; g != nil && g.leased == 1 {
				g.next = h.next
			}
		}
	case s.limits(h).PerHost == 1 || a.Rest > s.delay:
		s.rest(h, s.moment(a.Finished.Add(a.Rest)))
	}
	s.recordAnswer(h, a, now)
	s.setIP(h, a.Addr)
	s.freeSlot(l, s.moment(now))
	s.place(h, s.moment(now))
	s.wakeOne()
	return l, nil
}

// rest keeps a host, and the group that it takes turns with, from being asked before the given
// time.
func (s *scheduler) rest(h *host, till moment) {
	h.next = max(h.next, till)
	if g := s.groupOf(h, zone); g != nil {
		g.next = max(g.next, till)
	}
}

// owe records a rest that is longer than Options.Delay, for the next time that the job is opened.
func (s *scheduler) owe(h *host, rest time.Duration) {
	if rest > s.delay {
		h.owed = max(h.owed, atMost(rest.Milliseconds()))
	}
}

// A change has the changes of one commit to a host's queue.
type change struct {
	name      string
	host      *host   // nil: it is new
	queued    int64   // entries added less entries taken out
	fetched   int64   // requests made
	again     int64   // of these for URLs that had a page
	found     int64   // new documents
	rated     int64   // answers in a focused crawl
	relevance float32 // sum of their relevance
	moves     []move  // in their order
}

// A move is an entry that was added to a queue or, if gone is set, one that was taken out to be added again at another
// place.
type move struct {
	entry entry
	gone  bool
}

// encode calls put with the records of hosts as they are after a commit, and returns how many hosts
// there are then.
func (s *scheduler) encode(changes map[weburl.HostKey]*change, put func(h weburl.HostKey, record []byte)) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.hosts.len()
	for k, c := range changes {
		r := HostRecord{Name: c.name}
		if c.host = s.hosts.find(k); c.host != nil {
			r = s.record(c.host, c.name)
		} else {
			n++
		}
		r.Queued += c.queued
		r.Fetched += c.fetched
		r.Again += c.again
		r.New += c.found
		r.Rated += c.rated
		r.Sum += c.relevance
		put(k, r.Encode())
	}
	return n
}

// committed updates the hosts in memory after a commit and ends the leases that it settled. written
// has the URLs whose records it changed, raised those with a better place.
func (s *scheduler) committed(changes map[weburl.HostKey]*change, written map[weburl.Key]*Record, settled []*Held, raised []raise, waiting, waitTill int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.moment(time.Now())
	for _, l := range settled {
		s.drop(l)
		if rec := written[l.Key]; l.explores && rec != nil && rec.State == Done {
			s.choice.explored(l.host, rec.Rated == Unrated)
		}
	}
	for k := range written {
		delete(s.prefetched, k)
		delete(s.looking, k.Host())
		if l := s.byKey[k]; l != nil {
			l.stale = true
		}
		if _, was := s.lower(k); was {
			s.place(s.hosts.find(k.Host()), now)
		}
	}
	for k, c := range changes {
		h := c.host
		if h == nil {
			h = s.hosts.add(k)
			s.join(h, c.name)
		}
		h.queued = atMost(int64(h.queued) + c.queued)
		h.fetched = atMost(int64(h.fetched) + c.fetched)
		h.again = atMost(int64(h.again) + c.again)
		h.found = atMost(int64(h.found) + c.found)
		s.rate(h, c.rated, c.relevance)
		for _, m := range c.moves {
			if m.gone {
				s.skip(h, m.entry.at)
			} else {
				s.entered(h, m.entry)
			}
		}
		s.place(h, now)
	}
	for _, l := range settled {
		s.place(l.host, now)
	}
	higher := make(map[*host]bool)
	for _, r := range raised {
		higher[s.raise(r)] = true
	}
	for h := range higher {
		if h != nil {
			s.place(h, now)
		}
	}
	s.waiting, s.waitTill, s.promoting = waiting, waitTill, false
	s.wakeOne()
}

// due reports whether the writer should be asked to promote retries.
func (s *scheduler) due() bool {
	return s.waiting > 0 && !s.promoting && s.isDue(s.waitTill, s.wallClock())
}

// isDue reports whether a retry is due, or is stranded.
func (s *scheduler) isDue(at int64, now time.Time) bool {
	return at <= now.UnixNano() || s.stranded(at, now)
}

// stranded reports whether a retry was scheduled before the machine's clock was set back: no retry
// waits for longer than maxRest.
func (s *scheduler) stranded(at int64, now time.Time) bool {
	return at > now.Add(s.maxRest).UnixNano()
}

// fail makes every Next return err from now on.
func (s *scheduler) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	if s.notify != nil {
		s.notify()
	}
	for _, w := range s.waiters {
		close(w)
	}
	s.waiters = nil
}

// wakeOne wakes one waiter. A waiter that finds a lease wakes the next one, so that a change costs
// one wake-up and not one for every worker.
func (s *scheduler) wakeOne() {
	if s.notify != nil {
		s.notify()
	}
	if n := len(s.waiters); n > 0 {
		close(s.waiters[0])
		s.waiters[0] = nil
		s.waiters = s.waiters[1:]
	}
}

// timer returns a timer for a waiter, unless another waiter's timer ends as early.
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

// sleep waits for w, the timer or the context, and removes the waiter from the list.
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
		s.wakeOne() // the waiter that takes over sets a timer of its own
	}
}

// working returns how many leases may still be settled, without those that are being settled.
func (s *scheduler) working() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.terms.Len()
}

// setLeasable makes the scheduler lease only some of the URLs, or all again.
func (s *scheduler) setLeasable(which frontier.Leasable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := endOfQueue
	switch which {
	case frontier.LeaseAgain:
		last = lastAhead
	case frontier.LeaseRequisites:
		last = lastRequisite
	case frontier.LeaseNone:
		last = position{}
	}
	if s.last == last {
		return
	}
	s.last = last
	now := s.moment(time.Now())
	s.hosts.all(func(h *host) { s.place(h, now) })
	s.wakeOne()
}

// expect allocates memory for the hosts that are about to be loaded.
func (s *scheduler) expect(n int64) {
	const most = 1 << 24 // the number may be damaged
	n = max(0, min(n, most))
	s.hosts.ids = make(map[weburl.HostKey]int32, n)
	s.hosts.places = make(turns.Places, 0, n)
}

// load adds a host as it was on disk. It first rests as long as after its last request: it is not
// known when that was, and the machine's clock may be wrong by hours. Parked hosts are tried again.
// The host gets its turn after see has looked it up.
func (s *scheduler) load(k weburl.HostKey, r *HostRecord, now time.Time, unpark bool) {
	h := s.hosts.add(k)
	h.queued, h.fetched, h.again, h.found = atMost(r.Queued), atMost(r.Fetched), atMost(r.Again), atMost(r.New)
	s.rate(h, r.Rated, r.Sum)
	h.more, h.beyond = r.Queued > 0, true
	h.proven = r.Fetched > 0 && r.Failures == nil
	s.join(h, r.Name)
	if r.Address != "" {
		s.setIP(h, net.JoinHostPort(r.Address, "0"))
	}
	if r.Failures != nil {
		s.troubles[h.id], h.failing = r.Failures, true
	}
	if !r.Aside.IsZero() {
		s.aside[h.id] = r.Aside
	}
	if s.parked(h) {
		s.parkedHosts[h.id] = true
	}
	if unpark {
		s.unpark(h)
	}
	h.owed = atMost(r.Owed.Milliseconds())
	s.rest(h, s.moment(now.Add(max(s.delay, min(r.Owed, s.maxRest)))))
	if h.more {
		s.unseen = append(s.unseen, h.id)
	}
}

// counts returns the totals that only the scheduler knows.
func (s *scheduler) counts() (n Totals) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = Totals{Hosts: int64(s.hosts.len()), Leased: int64(len(s.leases)), Waiting: s.waiting, ParkedHosts: int64(len(s.parkedHosts))}
	for id := range s.parkedHosts {
		h := s.hosts.at(id)
		n.Parked += int64(h.queued)
		if !s.aside[id].IsZero() {
			n.AsideHosts++
			n.Aside += int64(h.queued)
		}
	}
	if s.budget > 0 || s.newBudget > 0 || len(s.own) > 0 {
		s.hosts.all(func(h *host) {
			if s.spent(h) {
				n.Held += int64(h.queued)
			}
		})
	}
	return n
}
