package queue

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const (
	// headsAtOnce is how many entries of a host are looked up together.
	headsAtOnce = 16

	// aheadOf is for how many hosts the entries after the first are kept in memory, 400 bytes each.
	aheadOf = 10_000

	// turnsAtOnce is for how many of the next hosts the first entry and its record are looked up
	// together. In the order of their keys, adjacent ones share blocks of the table's files, so
	// that a look-up costs a tenth of a single one.
	turnsAtOnce = 64

	// warmUpBatch is how many hosts, of those that have not been looked up since the job was
	// opened, are looked up with each turn.
	warmUpBatch = 128

	// maxPrefetched is how many prefetched records may wait for their turn, 300 bytes each. When
	// there are as many, all are dropped: they are of hosts that lost their turn to better ones.
	maxPrefetched = 16 * turnsAtOnce
)

// A reader calls fn with a snapshot of the tables.
type reader interface {
	peek(fn func(snapshot) error) error
}

// A snapshot is the tables at one moment. Looking up hosts in the order of their keys is fast.
type snapshot interface {
	// heads reads a host's queue from a position on: at most limit entries for which skip is false,
	// and whether there are more.
	heads(h weburl.HostKey, from position, limit int, skip func(weburl.Key) bool) (es []entry, more bool, err error)

	// url reads a record; ok is false if the URL is not known.
	url(k weburl.Key) (rec Record, ok bool, err error)
}

// A prefetch looks up the first entry and its record for the hosts whose turn comes next and that
// lack one of them. It reads while other hosts have their turns; what it finds of a host that has
// changed meanwhile is dropped.
type prefetch struct {
	q  reader // its snapshots are taken after the prefetch started, so they have everything that was committed by then
	at []headLookup
}

// A headLookup is the result of a prefetch for one host.
type headLookup struct {
	host  *host
	key   weburl.HostKey
	first entry // see scheduler.head
	known bool

	raised bool // first is a raised URL,
	gone   bool // which no longer waits

	read bool    // es and more are set
	es   []entry // the first entries
	more bool
	next head // the head for the first of them, if there is one
}

// A head is the first entry of a host and its record.
type head struct {
	rec Record
	url weburl.URL
}

// lookAhead starts a prefetch if none is under way and there is something to look up. The caller
// calls read and then install.
func (s *scheduler) lookAhead(q reader) *prefetch {
	if s.looking != nil {
		return nil
	}
	if len(s.prefetched) >= maxPrefetched {
		clear(s.prefetched)
	}
	hs := s.upNext()
	if len(hs) == 0 {
		return nil
	}
	slices.SortFunc(hs, func(a, b *host) int { return bytes.Compare(a.key[:], b.key[:]) })
	l := &prefetch{q: q, at: make([]headLookup, len(hs))}
	s.looking = make(map[weburl.HostKey]bool, len(hs))
	for i, h := range hs {
		l.at[i] = headLookup{host: h, key: h.key}
		l.at[i].first, l.at[i].known, l.at[i].raised = s.head(h)
		s.looking[h.key] = true
	}
	s.lentSince = 0
	return l
}

// read looks the entries up. The caller need not hold the lock if taken acquires it.
func (l *prefetch) read(taken func(weburl.Key) bool) error {
	return l.q.peek(func(in snapshot) error {
		for i := range l.at {
			if v := &l.at[i]; !v.known {
				if err := v.find(in, taken); err != nil {
					return err
				}
			}
		}
		for i := range l.at {
			if err := l.at[i].draw(in, taken); err != nil {
				return err
			}
		}
		return nil
	})
}

// find reads the first entries of a host's queue.
func (v *headLookup) find(in snapshot, taken func(weburl.Key) bool) (err error) {
	v.es, v.more, err = in.heads(v.key, v.first.at, headsAtOnce, taken)
	if v.read, v.known = true, len(v.es) > 0; v.known {
		v.first = v.es[0]
	}
	return err
}

// draw reads the record of a host's first entry. If the entry is not where the record says, a
// commit has moved it that is visible already but not reported yet: then the first entry is looked
// up again.
func (v *headLookup) draw(in snapshot, taken func(weburl.Key) bool) error {
	var rec Record
	var ok bool
	var err error
	for range 2 {
		if !v.known {
			return nil
		}
		if rec, ok, err = in.url(v.first.key(v.key)); err != nil {
			return err
		}
		if v.gone = v.raised && !(ok && rec.State == Queued); v.gone {
			return nil
		}
		if ok && rec.State == Queued && (v.raised || positionOf(rec.Score, rec.Order) == v.first.at) {
			u, err := weburl.Parse(rec.URL)
			if err != nil {
				return fmt.Errorf("queued url: %w", err)
			}
			v.next = head{rec, u}
			return nil
		}
		v.first.at = position{}
		if err := v.find(in, taken); err != nil {
			return err
		}
	}
	switch {
	case !v.known:
		return nil
	case !ok:
		return fmt.Errorf("url %s: in the queue, but there is no such url: run crawl check", v.first.key(v.key))
	case rec.State != Queued:
		return fmt.Errorf("url %s: in the queue, but %v: run crawl check", rec.URL, rec.State)
	}
	return fmt.Errorf("url %s: not where its record says that it is in the queue: run crawl check", rec.URL)
}

// fetch runs a prefetch. Its caller has the lock, which is released while tables are read.
func (s *scheduler) fetch(l *prefetch) error {
	s.mu.Unlock()
	err := l.read(s.takenNow)
	s.mu.Lock()
	err = s.install(l, err, s.moment(time.Now()))
	s.wakeOne()
	return err
}

// install ends a prefetch: it keeps what was found of hosts that have not changed. If reading
// failed, the store fails.
func (s *scheduler) install(l *prefetch, err error, now moment) error {
	unchanged := s.looking
	s.looking, s.missed = nil, len(unchanged) < len(l.at)
	if err != nil {
		s.fail(err)
		return err
	}
	for i := range l.at {
		v := &l.at[i]
		if !unchanged[v.key] {
			continue
		}
		if v.read {
			s.found(v.host, v.es, v.more)
		}
		if v.gone {
			s.lower(v.first.key(v.key))
		} else if v.known {
			s.prefetched[v.first.key(v.key)] = v.next
		}
		s.place(v.host, now)
	}
	return nil
}

// see looks up the first entries of hosts that were loaded, and how good the next ones are, some at
// a time. Doing it for a million hosts at once would make opening slow; doing it only at each
// host's turn would give every host a turn before the best is known.
func (s *scheduler) see(now moment, q reader) error {
	if len(s.unseen) == 0 {
		return nil
	}
	n := min(len(s.unseen), warmUpBatch)
	err := q.peek(func(in snapshot) error {
		for _, id := range s.unseen[:n] {
			h := s.hosts.at(id)
			if h.more && !h.known {
				es, _, err := in.heads(h.key, h.first.at, 2, s.taken)
				if err != nil {
					return err
				}
				s.found(h, es[:min(len(es), 1)], false)
				if len(es) > 1 {
					s.goesOn(h, es[1].at)
				}
			}
			s.place(h, now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if s.unseen = s.unseen[n:]; len(s.unseen) == 0 {
		s.unseen = nil
	}
	return nil
}

// upNext returns the next hosts that need a look-up, as many as are looked up together.
func (s *scheduler) upNext() []*host {
	var hs []*host
	if h := s.choice.next; h != nil && (h.place == ready || h.place == fresh) {
		if !s.atHand(h) {
			hs = append(hs, h)
		}
	}
	for _, p := range []*turns.Heap{&s.ready, &s.fresh} {
		if p == &s.fresh && !s.mayProbe() {
			continue
		}
		for id := range p.First(turnsAtOnce) {
			h := s.hosts.at(id)
			if h != s.choice.next && !s.atHand(h) {
				hs = append(hs, h)
			}
		}
	}
	return hs
}

// atHand reports whether the first URL of a host and its record are in memory.
func (s *scheduler) atHand(h *host) bool {
	e, known, _ := s.head(h)
	_, ok := s.prefetched[e.key(h.key)]
	return known && ok
}

// found records the first entries of a host's queue, and whether there are more. Entries that were
// removed from a long queue leave tombstones in the table until its files are merged; the position
// of first keeps searches from reading them each time.
func (s *scheduler) found(h *host, es []entry, more bool) {
	h.more, h.known, h.beyond = len(es) > 0, len(es) > 0, false
	if h.known {
		h.first = es[0]
	}
	if more {
		s.goesOn(h, es[len(es)-1].at)
	}
	if len(es) < 2 {
		delete(s.ahead, h.id)
		return
	}
	s.keepAhead(h, es[1:])
}

// keepAhead sets the entries after the first that are kept in memory.
func (s *scheduler) keepAhead(h *host, es []entry) {
	if _, listed := s.ahead[h.id]; !listed {
		if len(s.looked) == aheadOf {
			s.forget(s.hosts.at(s.looked[0]))
			s.looked = s.looked[1:]
		}
		s.looked = append(s.looked, h.id)
	}
	s.ahead[h.id] = es
}

// goesOn records that there may be entries besides those in memory, and that none of these precedes a position.
func (s *scheduler) goesOn(h *host, at position) {
	if !h.beyond || at.before(h.bound) {
		h.bound = at
	}
	h.beyond = true
}

// forgetEntries drops a host's entries from memory, but keeps the position that no entry precedes.
func (s *scheduler) forgetEntries(h *host) {
	delete(s.looking, h.key)
	s.forget(h)
	h.known, h.beyond = false, true
}

// forget drops the entries after the first from memory.
func (s *scheduler) forget(h *host) {
	if es := s.ahead[h.id]; len(es) > 0 {
		s.goesOn(h, es[0].at)
	}
	delete(s.ahead, h.id)
}

// advance moves on to the next entry of a host. If that is not in memory, the host's place among
// the hosts is that of the best entry that it may have, so that it is looked up when its turn comes
// and not at once.
func (s *scheduler) advance(h *host) {
	delete(s.looking, h.key)
	if es := s.ahead[h.id]; len(es) > 0 {
		h.first, s.ahead[h.id] = es[0], es[1:]
		return
	}
	h.known, h.more = false, h.beyond
	if h.beyond && h.first.at.before(h.bound) {
		h.first.at = h.bound
	}
}

// entered records an entry that was added, or whose lease has ended, since the first ones were
// looked up.
func (s *scheduler) entered(h *host, e entry) {
	delete(s.looking, h.key)
	if s.taken(e.key(h.key)) {
		return
	}
	switch {
	case !h.more:
		h.first, h.known, h.beyond = e, true, false
		delete(s.ahead, h.id)
	case !h.known && e.at.before(h.first.at):
		// It is the only entry before that position. To read it again would be to step over what was removed between.
		h.beyond = false
		s.goesOn(h, h.first.at)
		s.keepAhead(h, nil)
		h.first, h.known = e, true
	case !h.known, e.at == h.first.at:
	case e.at.before(h.first.at):
		s.behind(h, h.first)
		h.first = e
	default:
		s.behind(h, e)
	}
	h.more = true
}

// behind records an entry after the first.
func (s *scheduler) behind(h *host, e entry) {
	es, ok := s.ahead[h.id]
	at, there := slices.BinarySearchFunc(es, e, func(a, b entry) int { return bytes.Compare(a.at[:], b.at[:]) })
	switch {
	case there:
	case !ok, at == len(es) && h.beyond && !e.at.before(h.bound):
		s.goesOn(h, e.at)
	default:
		es = slices.Insert(es, at, e)
		if len(es) >= headsAtOnce {
			s.goesOn(h, es[headsAtOnce-1].at)
			es = es[:headsAtOnce-1]
		}
		s.ahead[h.id] = es
	}
}
