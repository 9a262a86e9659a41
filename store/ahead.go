package store

import (
	"bytes"
	"fmt"
	"slices"

	"gatecrawl/frontier"
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

	// seenAtOnce is of how many hosts the first entry is looked up with each turn, as
	// long as there are hosts of which none ever was.
	seenAtOnce = 128

	// drawnAtMost bounds the records that were looked up and wait for their turn, 300
	// bytes each. When there are as many, all are forgotten: they are of hosts that lost
	// their turn to better ones.
	drawnAtMost = 16 * turnsAtOnce
)

// A queueReader opens the table for a look at many hosts at one moment.
type queueReader interface{ peek() queuePeek }

// A queuePeek is the table at one moment. It is quick where hosts are asked for in
// the order of their keys.
type queuePeek interface {
	// heads reads a host's queue from a position on: at most limit entries that skip does
	// not name, and whether there are more.
	heads(h frontier.HostKey, from position, limit int, skip func(frontier.Key) bool) (es []waiting, more bool, err error)

	// url reads a record; ok is false where the URL was never met.
	url(k frontier.Key) (rec urlRecord, ok bool, err error)

	release()
}

// lookUp brings the first entry and its record to hand, for the hosts whose turn comes
// next and that lack one of them.
func (s *scheduler) lookUp(now moment, q queueReader) error {
	if len(s.drawn) >= drawnAtMost {
		clear(s.drawn)
	}
	hs := s.upNext()
	slices.SortFunc(hs, func(a, b *host) int { return bytes.Compare(a.key[:], b.key[:]) })
	in := q.peek()
	defer in.release()
	for _, h := range hs {
		if h.known {
			continue
		}
		if err := s.lookAhead(h, in, headsAtOnce); err != nil {
			return err
		}
	}
	for _, h := range hs {
		if err := s.draw(h, in); err != nil {
			return err
		}
	}
	for _, h := range hs {
		s.place(h, now)
	}
	return nil
}

// see finds the first entries of hosts that were loaded, some at a time: to do it for
// a million hosts at once would make opening slow, and to wait for each host's turn
// would mean to give one to each before the best is known.
func (s *scheduler) see(now moment, q queueReader) error {
	if len(s.unseen) == 0 {
		return nil
	}
	n := min(len(s.unseen), seenAtOnce)
	in := q.peek()
	defer in.release()
	for _, id := range s.unseen[:n] {
		h := s.hosts.at(id)
		if h.more && !h.known {
			if err := s.lookAhead(h, in, 1); err != nil {
				return err
			}
		}
		s.place(h, now)
	}
	if s.unseen = s.unseen[n:]; len(s.unseen) == 0 {
		s.unseen = nil
	}
	return nil
}

// upNext returns the hosts whose turn comes next, as many as are looked up at once,
// but for those of which all is at hand.
func (s *scheduler) upNext() []*host {
	var hs []*host
	for _, p := range []*hostHeap{&s.ready, &s.fresh} {
		if p == &s.fresh && !s.mayProbe() {
			continue
		}
		for h := range p.first(turnsAtOnce) {
			if _, ok := s.drawn[h.first.key(h.key)]; !h.known || !ok {
				hs = append(hs, h)
			}
		}
	}
	return hs
}

// draw brings the record of a host's first entry to hand. Where it does not stand where
// its record says, a commit moved it that can be seen already and will be told in a
// moment: then the first is looked for anew.
func (s *scheduler) draw(h *host, in queuePeek) error {
	var rec urlRecord
	var ok bool
	var err error
	for range 2 {
		if !h.known {
			return nil
		}
		k := h.first.key(h.key)
		if rec, ok, err = in.url(k); err != nil {
			return err
		}
		if ok && rec.state == queued && positionOf(rec.score, rec.order) == h.first.at {
			s.drawn[k] = rec
			return nil
		}
		s.unlook(h)
		h.first.at = position{}
		if err := s.lookAhead(h, in, headsAtOnce); err != nil {
			return err
		}
	}
	switch {
	case !h.known:
		return nil
	case !ok:
		return fmt.Errorf("url %s: in the queue, but there is no such url: run crawl check", h.first.key(h.key))
	case rec.state != queued:
		return fmt.Errorf("url %s: in the queue, but %v: run crawl check", rec.url, rec.state)
	}
	return fmt.Errorf("url %s: not where its record says that it is in the queue: run crawl check", rec.url)
}

// lookAhead finds the first entries of a host's queue, as many as limit says. Entries that were taken out of
// a long queue leave marks in the table until their files are merged: the position of
// first keeps the search from passing over them each time.
func (s *scheduler) lookAhead(h *host, in queuePeek, limit int) error {
	es, more, err := in.heads(h.key, h.first.at, limit, s.taken)
	if err != nil {
		return err
	}
	h.more, h.known, h.beyond = len(es) > 0, len(es) > 0, more
	if h.known {
		h.first = es[0]
	}
	if len(es) < 2 {
		delete(s.ahead, h.id)
		return nil
	}
	if _, listed := s.ahead[h.id]; !listed {
		if len(s.looked) == aheadOf {
			s.forget(s.hosts.at(s.looked[0]))
			s.looked = s.looked[1:]
		}
		s.looked = append(s.looked, h.id)
	}
	s.ahead[h.id] = es[1:]
	return nil
}

// unlook says that nothing is known of a host's entries but where none stand.
func (s *scheduler) unlook(h *host) {
	s.forget(h)
	h.known, h.beyond = false, true
}

// forget drops the entries behind the first.
func (s *scheduler) forget(h *host) {
	if es, ok := s.ahead[h.id]; ok {
		h.beyond = h.beyond || len(es) > 0
		delete(s.ahead, h.id)
	}
}

// advance passes over the first entry.
func (s *scheduler) advance(h *host) {
	if es := s.ahead[h.id]; len(es) > 0 {
		h.first, s.ahead[h.id] = es[0], es[1:]
		return
	}
	h.known, h.more = false, h.beyond
}

// entered says that there is an entry which was not there, or was lent, when the first
// were looked up.
func (s *scheduler) entered(h *host, e waiting) {
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

// behind takes note of an entry behind the first.
func (s *scheduler) behind(h *host, e waiting) {
	es, ok := s.ahead[h.id]
	at, there := slices.BinarySearchFunc(es, e, func(a, b waiting) int { return bytes.Compare(a.at[:], b.at[:]) })
	switch {
	case there:
	case !ok, at == len(es) && h.beyond:
		h.beyond = true
	default:
		es = slices.Insert(es, at, e)
		if len(es) >= headsAtOnce {
			es, h.beyond = es[:headsAtOnce-1], true
		}
		s.ahead[h.id] = es
	}
}
