package dedup

import (
	"math/bits"
	"sync/atomic"
)

// A spill holds the entries of a segment for which its lines have no room: a
// trie over the 56 bits of key and other half, four bits a step, whose leaves
// burst when they are full. Its cost does not depend on how entries are spread:
// a walk within e bits takes a branch only while no more than e bits differ.
//
// It has one writer and any number of readers.
type spill struct {
	root node
	n    int // the writer's
	size atomic.Int64
}

// A spiltEntry is an entry: 24 bits of the key, then the other half.
type spiltEntry struct {
	key uint64
	doc DocID
}

// A node is nothing yet, a leaf or a fork.
type node = atomic.Pointer[branch]

type branch struct {
	fork *[16]node
	leaf []spiltEntry // n of them are there
	n    atomic.Int32
}

const (
	leafMin, leafMax = 4, 32
	topShift         = keyBits + 32 - 4
	spiltBytes       = 16
	branchBytes      = 40
)

func (t *spill) insert(key uint64, doc DocID) {
	t.n++
	t.put(&t.root, topShift, spiltEntry{key, doc})
}

func (t *spill) put(at *node, shift int, e spiltEntry) {
	b := at.Load()
	for b != nil && b.fork != nil {
		at = &b.fork[e.key>>shift&15]
		shift -= 4
		b = at.Load()
	}
	if b == nil {
		b = t.newLeaf(leafMin)
		b.add(e)
		at.Store(b)
		return
	}
	n := int(b.n.Load())
	if n < len(b.leaf) {
		b.add(e)
		return
	}
	if n >= leafMax && shift >= 0 {
		f := &branch{fork: new([16]node)}
		t.size.Add(branchBytes + 16*8 - int64(len(b.leaf))*spiltBytes - branchBytes)
		for _, old := range b.leaf {
			t.put(&f.fork[old.key>>shift&15], shift-4, old)
		}
		t.put(&f.fork[e.key>>shift&15], shift-4, e)
		at.Store(f)
		return
	}
	g := t.newLeaf(2 * n)
	t.size.Add(-int64(n)*spiltBytes - branchBytes)
	copy(g.leaf, b.leaf)
	g.n.Store(int32(n))
	g.add(e)
	at.Store(g)
}

func (t *spill) newLeaf(n int) *branch {
	t.size.Add(int64(n)*spiltBytes + branchBytes)
	return &branch{leaf: make([]spiltEntry, n)}
}

// add writes an entry and then counts it.
func (b *branch) add(e spiltEntry) {
	n := b.n.Load()
	b.leaf[n] = e
	b.n.Store(n + 1)
}

// A walk looks for the keys that equal key in the bits of exact and differ in
// no more than budget of the others.
type walk struct {
	key, exact uint64
	budget     int
}

// near calls yield until it returns false, and reports whether it never did.
func (t *spill) near(w walk, yield func(spiltEntry) bool) bool {
	return w.down(t.root.Load(), topShift, yield)
}

func (w walk) down(b *branch, shift int, yield func(spiltEntry) bool) bool {
	if b == nil {
		return true
	}
	if b.fork == nil {
		return w.leaf(b, yield)
	}
	want, fixed := w.key>>shift&15, w.exact>>shift&15
	for i := range b.fork {
		x := uint64(i) ^ want
		d := bits.OnesCount64(x)
		if x&fixed != 0 || d > w.budget {
			continue
		}
		next := walk{w.key, w.exact, w.budget - d}
		if !next.down(b.fork[i].Load(), shift-4, yield) {
			return false
		}
	}
	return true
}

// leaf compares whole keys, against what is left of the budget only where the
// path has not paid; the caller of near checks the distance.
func (w walk) leaf(b *branch, yield func(spiltEntry) bool) bool {
	for _, e := range b.leaf[:b.n.Load()] {
		x := (e.key ^ w.key) & (1<<(topShift+4) - 1)
		if x&w.exact == 0 && !yield(e) {
			return false
		}
	}
	return true
}
