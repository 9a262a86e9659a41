package store

import (
	"container/heap"
	"fmt"
	"math"
	"time"

	"gatecrawl/frontier"
)

// A host is one queue: its name, what is durable of it, and whose turn it is.
// The scheduler's mutex guards all but key and name.
type host struct {
	key  frontier.HostKey
	name string

	// durable, written with every commit that changes them
	queued  int64 // entries in the queue bucket
	fetched int64 // requests for pages that were answered or failed

	// in memory
	lent   int       // leases whose request may be under way
	flying int       // leases that are not yet durable; at least lent
	more   bool      // the queue may hold an entry that is not lent
	head   float32   // score of the best such entry; +Inf: not looked up yet
	heads  []waiting // the first such entries, if they were looked up
	beyond bool      // there may be more behind heads
	from   position  // no such entry stands before
	next   time.Time // no request before this time
	served uint64    // when it last had its turn
	place  place     // which heap it is in
	index  int       // and where
}

type place byte

const (
	idle    place = iota // in no heap: nothing to lend, or at its limit
	ready                // its turn may come now
	resting              // its turn comes at next
)

func (h *host) encode() []byte {
	e := encoder{make([]byte, 0, 24+len(h.name))}
	e.byte(hostForm)
	e.string(h.name)
	e.int(h.queued)
	e.int(h.fetched)
	return e.b
}

func decodeHost(k, b []byte) (*host, error) {
	d := decoder{b: b}
	if f := d.byte(); f != hostForm {
		return nil, fmt.Errorf("host record of form %d; this version reads %d", f, hostForm)
	}
	h := &host{name: d.string(), queued: d.int(), fetched: d.int()}
	copy(h.key[:], k)
	h.more, h.beyond, h.head = h.queued > 0, true, float32(math.Inf(1))
	if d.err != nil {
		return nil, fmt.Errorf("host record: %w", d.err)
	}
	return h, nil
}

// readyHosts is a heap: the host with the best head first; at equal heads the
// one that waited longest, then by key.
type readyHosts []*host

func (hs readyHosts) Len() int { return len(hs) }
func (hs readyHosts) Less(i, j int) bool {
	a, b := hs[i], hs[j]
	if a.head != b.head {
		return a.head > b.head
	}
	if a.served != b.served {
		return a.served < b.served
	}
	return string(a.key[:]) < string(b.key[:])
}
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
func (hs restingHosts) Less(i, j int) bool { return hs[i].next.Before(hs[j].next) }
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

// place puts h into the heap where it belongs, after any change of it.
func (s *scheduler) place(h *host, now time.Time) {
	var want place
	switch {
	case !h.more || h.lent >= s.perHost || s.overBudget(h):
		want = idle
	case h.next.After(now):
		want = resting
	default:
		want = ready
	}
	if h.place == want {
		switch want {
		case ready:
			heap.Fix(&s.ready, h.index)
		case resting:
			heap.Fix(&s.resting, h.index)
		}
		return
	}
	switch h.place {
	case ready:
		heap.Remove(&s.ready, h.index)
	case resting:
		heap.Remove(&s.resting, h.index)
	}
	h.place = want
	switch want {
	case ready:
		heap.Push(&s.ready, h)
	case resting:
		heap.Push(&s.resting, h)
	}
}

// overBudget reports whether the host has had all the pages that it may have,
// those under way counted in.
func (s *scheduler) overBudget(h *host) bool {
	return s.budget > 0 && h.fetched+int64(h.flying) >= s.budget
}
