// Package turns orders the hosts of a queue by when their turn comes.
package turns

import (
	"iter"
	"slices"
	"sort"
)

// A Turn is a host's place in the order of a Heap: by score, then by time.
type Turn struct {
	Time  uint64
	Score uint32 // 0 is the best
	ID    int32  // the host's number
}

// Before reports whether a turn comes before another.
func (t Turn) Before(o Turn) bool {
	if t.Score != o.Score {
		return t.Score < o.Score
	}
	return t.Time < o.Time
}

// Places has by their numbers where hosts are in the Heap that they are in. Heaps share it when
// no host is in two of them.
type Places []int32

// A Heap is a heap of hosts. Four turns below one share a line of the cache: of a
// million hosts, the first is taken out with some ten misses.
type Heap struct {
	places *Places
	turns  []Turn
}

const fanOut = 4

// New returns an empty heap. The places have to be as many as the highest number that is pushed.
func New(places *Places) Heap { return Heap{places: places} }

// Len returns how many hosts are in the heap.
func (p *Heap) Len() int { return len(p.turns) }

// Some returns the first turn and at most n-1 others that come soon, in no order. They are the
// heap's own, until it changes.
func (p *Heap) Some(n int) []Turn { return p.turns[:min(len(p.turns), n)] }

// Push gives a host a turn that is not in the heap.
func (p *Heap) Push(t Turn) {
	p.turns = append(p.turns, t)
	p.up(len(p.turns)-1, t)
}

// Remove takes a host of the heap out.
func (p *Heap) Remove(id int32) {
	last := len(p.turns) - 1
	at, moved := (*p.places)[id], p.turns[last]
	p.turns = p.turns[:last]
	if moved.ID != id {
		p.sift(int(at), moved)
	}
}

// Fix gives a host of the heap another turn.
func (p *Heap) Fix(t Turn) { p.sift(int((*p.places)[t.ID]), t) }

func (p *Heap) set(at int, t Turn) { p.turns[at], (*p.places)[t.ID] = t, int32(at) }

// sift moves a turn from a place to where it belongs.
func (p *Heap) sift(at int, t Turn) {
	if at > 0 && t.Before(p.turns[(at-1)/fanOut]) {
		p.up(at, t)
		return
	}
	p.down(at, t)
}

func (p *Heap) up(at int, t Turn) {
	for at > 0 {
		above := p.turns[(at-1)/fanOut]
		if !t.Before(above) {
			break
		}
		p.set(at, above)
		at = (at - 1) / fanOut
	}
	p.set(at, t)
}

func (p *Heap) down(at int, t Turn) {
	for {
		below := p.below(at)
		if len(below) == 0 {
			break
		}
		least := 0
		for i := range below {
			if below[i].Before(below[least]) {
				least = i
			}
		}
		if !below[least].Before(t) {
			break
		}
		p.set(at, below[least])
		at = at*fanOut + 1 + least
	}
	p.set(at, t)
}

// below returns the turns right below one.
func (p *Heap) below(at int) []Turn {
	from := min(at*fanOut+1, len(p.turns))
	return p.turns[from:min(from+fanOut, len(p.turns))]
}

// First returns the numbers of the first n hosts in their order.
func (p *Heap) First(n int) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		// Places of which all above have been handed out, in their order.
		next := make([]int, 0, n*fanOut)
		enter := func(at int) {
			i := sort.Search(len(next), func(i int) bool { return p.turns[at].Before(p.turns[next[i]]) })
			next = slices.Insert(next, i, at)
		}
		if len(p.turns) > 0 {
			enter(0)
		}
		for range n {
			if len(next) == 0 {
				return
			}
			at := next[0]
			next = next[1:]
			for i := range p.below(at) {
				enter(at*fanOut + 1 + i)
			}
			if !yield(p.turns[at].ID) {
				return
			}
		}
	}
}
