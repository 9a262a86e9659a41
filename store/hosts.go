package store

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"gatecrawl/frontier"
)

// A host is one queue: its name, what is durable of it, and whose turn it is.
// The scheduler's mutex guards all but key and name.
type host struct {
	key  frontier.HostKey
	name string

	// durable, written with every commit that changes them
	queued  int64         // entries in the queue bucket
	fetched int64         // requests for pages that were answered or failed
	found   int64         // documents that were new when they were settled
	owed    time.Duration // the rest after its last request where that is more than Options.Delay, else 0

	// in memory
	lent   int       // leases whose request may be under way
	flying int       // leases that are not yet durable; at least lent
	more   bool      // the queue may hold an entry that is not lent
	head   float32   // score of the best such entry; +Inf: not looked up yet
	heads  []waiting // the first such entries, if they were looked up
	looked bool      // it is in scheduler.looked
	beyond bool      // there may be more behind heads
	from   position  // no such entry stands before
	next   time.Time // no request before this time
	due    time.Time // as next, groups and parking considered; set while resting
	served uint64    // when it last had its turn
	place  place     // which heap it is in
	index  int       // and where

	proven bool         // it answered the last time
	asleep bool         // it rests because it is parked
	listed [groups]bool // it is in groups[i].blocked
	groups [groups]*group

	trouble *trouble // durable; nil: none
}

type place byte

const (
	idle    place = iota // in no heap: nothing to lend, or at its limit
	ready                // its turn may come now
	fresh                // so may this one's, of which it is not known that it answers
	resting              // its turn comes at due
	blocked              // its turn comes when a request to its group ends
)

func (h *host) encode() []byte {
	e := encoder{make([]byte, 0, 24+len(h.name))}
	e.byte(hostForm)
	e.string(h.name)
	e.int(h.queued)
	e.int(h.fetched)
	e.tail(tailAddress, h.address())
	if h.found > 0 {
		e.tail(tailFound, string(binary.AppendUvarint(nil, uint64(h.found))))
	}
	if h.owed > 0 {
		e.tail(tailOwed, string(binary.AppendUvarint(nil, uint64(h.owed/time.Millisecond))))
	}
	if t := h.trouble; t != nil {
		var in encoder
		in.uint(uint64(t.fails))
		in.string(t.why)
		in.time(t.parked)
		e.tail(tailTrouble, string(in.b))
	}
	return e.b
}

// Fields at the end of a host record.
const (
	tailAddress = 20 // the IP address at which it answered last
	tailTrouble = 21 // failures in a row, why, and until when it is parked
	tailFound   = 22 // documents that were new, a varint
	tailOwed    = 23 // the rest after the last request, where it is longer than most, in milliseconds, a varint
)

// longestOwed bounds what is read of tailOwed. The longest rest of a job is a setting
// and is far below.
const longestOwed = 24 * time.Hour

// decodeHost reads a record, and the address at which the host answered last.
func decodeHost(k, b []byte) (h *host, address string, err error) {
	d := decoder{b: b}
	if f := d.byte(); f != hostForm {
		return nil, "", fmt.Errorf("host record of form %d; this version reads %d", f, hostForm)
	}
	h = &host{name: d.string(), queued: d.int(), fetched: d.int()}
	d.tails(func(tag byte, v string) {
		switch tag {
		case tailAddress:
			address = v
		case tailFound:
			in := decoder{b: []byte(v)}
			h.found = int64(in.uint())
			d.err = in.err
		case tailOwed:
			in := decoder{b: []byte(v)}
			h.owed = time.Duration(min(in.uint(), uint64(longestOwed/time.Millisecond))) * time.Millisecond
			d.err = in.err
		case tailTrouble:
			in := decoder{b: []byte(v)}
			h.trouble = &trouble{fails: int(in.uint()), why: in.string(), parked: in.time()}
			d.err = in.err
		}
	})
	copy(h.key[:], k)
	h.more, h.beyond, h.head = h.queued > 0, true, float32(math.Inf(1))
	h.proven = h.fetched > 0 && h.trouble == nil
	if d.err != nil {
		return nil, "", fmt.Errorf("host record: %w", d.err)
	}
	return h, address, nil
}

// address returns at which IP address the host answered last, "" if that is not
// known or of no interest.
func (h *host) address() string {
	for _, g := range h.groups {
		if g != nil && g.address {
			return g.name
		}
	}
	return ""
}

// before says which of two hosts has its turn first: the one with the best head; at
// equal heads the one that waited longest, then by key.
func (h *host) before(o *host) bool {
	if h.head != o.head {
		return h.head > o.head
	}
	if h.served != o.served {
		return h.served < o.served
	}
	return string(h.key[:]) < string(o.key[:])
}

// readyHosts is a heap of hosts by whose turn it is.
type readyHosts []*host

func (hs readyHosts) Len() int           { return len(hs) }
func (hs readyHosts) Less(i, j int) bool { return hs[i].before(hs[j]) }
func (hs readyHosts) Swap(i, j int) {
	hs[i], hs[j] = hs[j], hs[i]
	hs[i].index, hs[j].index = i, j
}
func (hs *readyHosts) Push(x any) {
	h := x.(*host)
	h.index = len(*hs)
	*hs = append(*hs, h)
}
func (hs *readyHosts) Pop() any {
	n := len(*hs) - 1
	h := (*hs)[n]
	(*hs)[n] = nil
	*hs = (*hs)[:n]
	return h
}

// restingHosts is a heap: the host whose rest ends first.
type restingHosts []*host

func (hs restingHosts) Len() int           { return len(hs) }
func (hs restingHosts) Less(i, j int) bool { return hs[i].due.Before(hs[j].due) }
func (hs restingHosts) Swap(i, j int) {
	hs[i], hs[j] = hs[j], hs[i]
	hs[i].index, hs[j].index = i, j
}
func (hs *restingHosts) Push(x any) {
	h := x.(*host)
	h.index = len(*hs)
	*hs = append(*hs, h)
}
func (hs *restingHosts) Pop() any {
	n := len(*hs) - 1
	h := (*hs)[n]
	(*hs)[n] = nil
	*hs = (*hs)[:n]
	return h
}

// place puts h where it belongs, after any change of it.
func (s *scheduler) place(h *host, now time.Time) {
	want, was := s.placeOf(h, now), h.place
	switch {
	case want == resting:
		s.leave(h)
		h.due = h.dueAt()
		h.asleep = h.parked()
		if h.asleep {
			s.asleep++
		}
		h.place = resting
		heap.Push(&s.resting, h)
	case want == was:
		switch want {
		case ready:
			heap.Fix(&s.ready, h.index)
		case fresh:
			heap.Fix(&s.fresh, h.index)
		case blocked:
			h.block(h.blockedBy())
		}
	default:
		s.leave(h)
		h.place = want
		switch want {
		case ready:
			heap.Push(&s.ready, h)
		case fresh:
			heap.Push(&s.fresh, h)
		case blocked:
			h.block(h.blockedBy())
		}
	}
	if (was == ready || was == fresh) && h.place != ready && h.place != fresh {
		for _, g := range h.groups {
			if g != nil {
				s.unblock(g, now) // it may have kept others waiting
			}
		}
	}
}

// placeOf returns where a host belongs.
func (s *scheduler) placeOf(h *host, now time.Time) place {
	switch {
	case !h.more || h.lent >= s.perHost || s.overBudget(h):
		return idle
	case h.parked() && !h.trouble.parked.After(now):
		s.unpark(h)
	}
	switch {
	case h.dueAt().After(now):
		return resting
	case h.blockedBy() >= 0:
		return blocked
	case h.proven:
		return ready
	}
	return fresh
}

// leave takes a host out of where it is.
func (s *scheduler) leave(h *host) {
	switch h.place {
	case ready:
		heap.Remove(&s.ready, h.index)
	case fresh:
		heap.Remove(&s.fresh, h.index)
	case resting:
		heap.Remove(&s.resting, h.index)
		if h.asleep {
			h.asleep = false
			s.asleep--
		}
	}
	h.place = idle
}

// spent reports whether the host has had all that it may have.
func (s *scheduler) spent(h *host) bool {
	return s.budget > 0 && h.fetched >= s.budget || s.newBudget > 0 && h.found >= s.newBudget
}

// overBudget reports whether the host has had all the pages that it may have,
// those under way counted in.
func (s *scheduler) overBudget(h *host) bool {
	return s.budget > 0 && h.fetched+int64(h.flying) >= s.budget ||
		s.newBudget > 0 && h.found+int64(h.flying) >= s.newBudget
}

// hostsOf returns the hosts of a registrable domain.
func (s *scheduler) hostsOf(domain string) []frontier.HostKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hs []frontier.HostKey
	for k, h := range s.hosts {
		if !strings.Contains(h.name, domain) {
			continue
		}
		if u, err := frontier.Parse("http://" + h.name + "/"); err == nil && u.Domain() == domain {
			hs = append(hs, k)
		}
	}
	return hs
}
