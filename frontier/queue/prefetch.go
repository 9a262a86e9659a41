package queue

import (
	"bytes"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/queue/internal/turns"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const (
	// headsAtOnce is how many entries of a host are looked up at once.
	headsAtOnce = 16

	// aheadOf is of how many hosts the entries behind the first are kept, 400 bytes
	// each.
	aheadOf = 10_000

	// turnsAtOnce is for how many of the hosts that come next the first entry and its
	// record are looked up together. In the order of their keys neighbours share blocks
	// of the table's files, so that a look-up of a host that waited long costs a tenth.
	turnsAtOnce = 64

	// warmUpBatch is the number of hosts whose first entry is looked up with each turn, as long
	// as there are hosts that have not been looked up.
	warmUpBatch = 128

	// maxPrefetched bounds the records that were looked up and wait for their turn, 300
	// bytes each. When there are as many, all are forgotten: they are of hosts that lost
	// their turn to better ones.
	maxPrefetched = 16 * turnsAtOnce
)

// A reader calls fn with the queue at one moment, for a look at many hosts.
type reader interface {
	peek(fn func(snapshot) error) error
}

// A snapshot is the table at one moment. It is quick where hosts are asked for in
// the order of their keys.
type snapshot interface {
	// heads reads a host's queue from a position on: at most limit entries that skip does
	// not name, and whether there are more.
	heads(h weburl.HostKey, from position, limit int, skip func(weburl.Key) bool) (es []entry, more bool, err error)

	// url reads a record; ok is false if the URL is not known.
	url(k weburl.Key) (rec Record, ok bool, err error)
}

// A prefetch is a search for the first entry and its record of the hosts whose turn comes
// next and that lack one of them. It reads while other hosts have their turns; what was
// found of a host that changed meanwhile does not count.
type prefetch struct {
	q  reader // asked after the look started: it has everything that was committed by then
	at []headLookup
}

// A headLookup is what a prefetch finds of one host.
type headLookup struct {
	host  *host
	key   weburl.HostKey
	first entry // see scheduler.head
	known bool

	raised bool // first is of a raised URL,
	gone   bool // which does not wait any longer

	read bool    // es and more are what was found
	es   []entry // the first entries
	more bool
	next head // of the first, if there is one
}

// A head is the first entry of a host, ready to be lent.
type head struct {
	rec Record
	url weburl.URL
}

// lookAhead starts a look if there is none under way and there is something to look for. The
// caller reads and then installs it.
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

// read looks. The caller need not hold the lock, where taken does.
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

// draw reads the record of a host's first entry. If it is not where its record says, a commit
// has moved it that is visible already and will be reported in a moment: then the first entry
// is looked up again.
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

// install ends a look: what was found of hosts that did not change is at hand now. Where
// reading failed so does the store.
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

// see finds the first entries of hosts that were loaded, and how good the next ones are,
// some at a time: to do it for a million hosts at once would make opening slow, and to
// wait for each host's turn would mean to give one to each before the best is known.
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
					s.goesOn(h, es[1])
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

// upNext returns the hosts whose turn comes next, as many as are looked up at once, without
// those that need no look-up.
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

// atHand reports whether the first URL of a host and its record are known.
func (s *scheduler) atHand(h *host) bool {
	e, known, _ := s.head(h)
	_, ok := s.prefetched[e.key(h.key)]
	return known && ok
}

// found records the first entries of a host's queue, and whether there are more. Entries that
// were taken out of a long queue leave marks in the table until their files are merged: the
// position of first keeps the search from passing over them each time.
func (s *scheduler) found(h *host, es []entry, more bool) {
	h.more, h.known, h.beyond = len(es) > 0, len(es) > 0, false
	if h.known {
		h.first = es[0]
	}
	if more {
		s.goesOn(h, es[len(es)-1])
	}
	if len(es) < 2 {
		delete(s.ahead, h.id)
		return
	}
	if _, listed := s.ahead[h.id]; !listed {
		if len(s.looked) == aheadOf {
			s.forget(s.hosts.at(s.looked[0]))
			s.looked = s.looked[1:]
		}
		s.looked = append(s.looked, h.id)
	}
	s.ahead[h.id] = es[1:]
}

// goesOn says that there are entries behind those at hand, and none of them before e.
func (s *scheduler) goesOn(h *host, e entry) {
	if !h.beyond || e.at.approximate() < h.bound {
		h.bound = e.at.approximate()
	}
	h.beyond = true
}

// forgetEntries forgets a host's entries, except for the position before which there are none.
func (s *scheduler) forgetEntries(h *host) {
	delete(s.looking, h.key)
	s.forget(h)
	h.known, h.beyond = false, true
}

// forget drops the entries behind the first.
func (s *scheduler) forget(h *host) {
	if es := s.ahead[h.id]; len(es) > 0 {
		s.goesOn(h, es[0])
	}
	delete(s.ahead, h.id)
}

// advance passes over the first entry. Where the next is not known its place in the order
// of hosts is that of the best that may be beyond, so that it is looked up when its turn
// comes and not at once.
func (s *scheduler) advance(h *host) {
	delete(s.looking, h.key)
	if es := s.ahead[h.id]; len(es) > 0 {
		h.first, s.ahead[h.id] = es[0], es[1:]
		return
	}
	h.known, h.more = false, h.beyond
	if at := h.bound.position(); h.beyond && h.first.at.before(at) {
		h.first.at = at
	}
}

// entered says that there is an entry which was not there, or was lent, when the first
// were looked up.
func (s *scheduler) entered(h *host, e entry) {
	delete(s.looking, h.key)
	if s.taken(e.key(h.key)) {
		return
	}
	switch {
	case !h.more:
		h.first, h.known, h.beyond = e, true, false
		delete(s.ahead, h.id)
	case !h.known:
		if e.at.before(h.first.at) {
			h.first.at = e.at
		}
	case e.at == h.first.at:
	case e.at.before(h.first.at):
		s.behind(h, h.first)
		h.first = e
	default:
		s.behind(h, e)
	}
	h.more = true
}

// behind records an entry behind the first.
func (s *scheduler) behind(h *host, e entry) {
	es, ok := s.ahead[h.id]
	at, there := slices.BinarySearchFunc(es, e, func(a, b entry) int { return bytes.Compare(a.at[:], b.at[:]) })
	switch {
	case there:
	case !ok, at == len(es) && h.beyond:
		s.goesOn(h, e)
	default:
		es = slices.Insert(es, at, e)
		if len(es) >= headsAtOnce {
			s.goesOn(h, es[headsAtOnce-1])
			es = es[:headsAtOnce-1]
		}
		s.ahead[h.id] = es
	}
}
