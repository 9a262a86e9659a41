package index

import (
	"math/bits"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// A spill has the entries of a segment for which its lines have no room, by their home lines. It is
// a hash table of bins with open addressing. A bin's entries are adjacent and are compared sixteen
// at a time, as those of a line are. Where there are very many they are divided by a trie over the
// 56 bits of other half and key, four bits a step; a search within e bits takes only branches that
// differ in at most e bits. So it can hold any number of equal keys.
//
// It may have one writer and any number of readers.
type spill struct {
	bins  atomic.Pointer[[]bin]
	taken int // bins; the writer's
	n     int // entries; the writer's
	size  atomic.Int64
}

// A bin has the entries of one home line.
type bin struct {
	home atomic.Uint32 // plus one; 0: there is none
	root node
}

// A node is empty or a branch, which is a leaf or a fork.
type node = atomic.Pointer[branch]

type branch struct {
	fork *[16]node

	n     atomic.Int32
	words []uint64 // others, two a word
	xs    []uint32
	docs  []DocID // nil: none has one
}

const (
	leafMin, leafMax = 4, 256
	topShift         = lanes.KeyBits + 32 - 4
	binBytes         = 16
	forkBytes        = 16 * 8
	branchBytes      = 96
	spiltBytes       = 16 // of an entry in a run
)

// insert adds an entry of a home line. If entries have no documents (named is false), the entry's
// document is zero.
func (t *spill) insert(home uint32, e lanes.Entry, named bool) {
	t.n++
	root := t.bin(home)
	if root == nil {
		root = t.addBin(home)
	}
	t.put(root, topShift, e, named)
}

// bin returns the root of a home line's entries; nil if it has none.
func (t *spill) bin(home uint32) *node {
	bins := t.bins.Load()
	if bins == nil {
		return nil
	}
	for i := binHash(home, len(*bins)); ; i = (i + 1) & (len(*bins) - 1) {
		b := &(*bins)[i]
		switch b.home.Load() {
		case home + 1:
			return &b.root
		case 0:
			return nil
		}
	}
}

func binHash(home uint32, bins int) int { return int(home*0x9E3779B1>>8) & (bins - 1) }

// addBin adds an empty bin.
func (t *spill) addBin(home uint32) *node {
	old := t.bins.Load()
	if old == nil || 4*(t.taken+1) > 3*len(*old) {
		size := leafMin
		if old != nil {
			size = 2 * len(*old)
		}
		more := make([]bin, size)
		t.size.Add(binBytes * int64(size))
		if old != nil {
			t.size.Add(-binBytes * int64(len(*old)))
			for i := range *old {
				if b := &(*old)[i]; b.home.Load() != 0 {
					place(more, b.home.Load()-1, b.root.Load())
				}
			}
		}
		t.bins.Store(&more)
	}
	t.taken++
	return place(*t.bins.Load(), home, nil)
}

// place writes a bin where there is room for it.
func place(bins []bin, home uint32, root *branch) *node {
	i := binHash(home, len(bins))
	for bins[i].home.Load() != 0 {
		i = (i + 1) & (len(bins) - 1)
	}
	bins[i].root.Store(root)
	bins[i].home.Store(home + 1)
	return &bins[i].root
}

// spiltKey returns the key of the trie: the other half, then the key.
func spiltKey(x, other uint32) uint64 { return uint64(other)<<lanes.KeyBits | uint64(x) }

func (t *spill) put(at *node, shift int, e lanes.Entry, named bool) {
	b := at.Load()
	for b != nil && b.fork != nil {
		at = &b.fork[spiltKey(e.X, e.Other)>>shift&15]
		shift -= 4
		b = at.Load()
	}
	if b == nil {
		b = t.newLeaf(leafMin, named)
		b.add(e)
		at.Store(b)
		return
	}
	n := int(b.n.Load())
	if n < len(b.xs) {
		b.add(e)
		return
	}
	t.size.Add(-b.size())
	if n < leafMax || shift < 0 {
		g := t.newLeaf(roomFor(n+1), named)
		copy(g.words, b.words)
		copy(g.xs, b.xs)
		copy(g.docs, b.docs)
		g.n.Store(int32(n))
		g.add(e)
		at.Store(g)
		return
	}
	f := &branch{fork: new([16]node)}
	t.size.Add(f.size())
	for i := range n {
		old := b.entry(i)
		t.put(&f.fork[spiltKey(old.X, old.Other)>>shift&15], shift-4, old, named)
	}
	t.put(&f.fork[spiltKey(e.X, e.Other)>>shift&15], shift-4, e, named)
	at.Store(f)
}

// roomFor returns the capacity of a leaf that has to hold n entries: twice as many up to 16, then
// whole lines, and at least a quarter more if there are very many.
func roomFor(n int) int {
	if n <= 2*lanes.LineWords {
		return 1 << bits.Len(uint(n-1))
	}
	if n > leafMax {
		n += n / 4
	}
	return (n + 2*lanes.LineWords - 1) &^ (2*lanes.LineWords - 1)
}

func (t *spill) newLeaf(n int, named bool) *branch {
	b := &branch{words: make([]uint64, n/2), xs: make([]uint32, n)}
	if named {
		b.docs = make([]DocID, n)
	}
	t.size.Add(b.size())
	return b
}

func (b *branch) size() int64 {
	n := branchBytes + 8*len(b.words) + 4*len(b.xs) + 4*len(b.docs)
	if b.fork != nil {
		n += forkBytes
	}
	return int64(n)
}

// add writes an entry and then raises the count.
func (b *branch) add(e lanes.Entry) {
	n := int(b.n.Load())
	lanes.Put(b.words, 32*n, 32, uint64(e.Other), true)
	b.xs[n] = e.X
	if b.docs != nil {
		b.docs[n] = e.Doc
	}
	b.n.Store(int32(n + 1))
}

func (b *branch) entry(i int) lanes.Entry {
	e := lanes.Entry{X: b.xs[i], Other: uint32(atomic.LoadUint64(&b.words[i/2]) >> (i % 2 * 32))}
	if b.docs != nil {
		e.Doc = b.docs[i]
	}
	return e
}

// A walk looks for the entries of a home line whose keys equal x in the bits of
// exact and whose other halves differ in k bits or fewer.
type walk struct {
	x, exact uint32
	other    uint32
	k        int
}

// near calls yield until it returns false, and returns false if it did. It may also yield entries
// that differ too much in both halves together.
func (t *spill) near(home uint32, w walk, yield func(lanes.Entry) bool) bool {
	root := t.bin(home)
	if root == nil {
		return true
	}
	return w.down(root.Load(), topShift, w.k, yield)
}

func (w *walk) down(b *branch, shift, budget int, yield func(lanes.Entry) bool) bool {
	if b == nil {
		return true
	}
	if b.fork == nil {
		return w.leaf(b, yield)
	}
	want := spiltKey(w.x, w.other) >> shift & 15
	fixed := uint64(w.exact) >> shift & 15 // the bits of the other half are not fixed
	if shift >= lanes.KeyBits {
		fixed = 0
	}
	for i := range b.fork {
		x := uint64(i) ^ want
		d := bits.OnesCount64(x)
		if x&fixed != 0 || d > budget {
			continue
		}
		if !w.down(b.fork[i].Load(), shift-4, budget-d, yield) {
			return false
		}
	}
	return true
}

// leaf compares whole lines of others at once, and the rest one by one.
func (w *walk) leaf(b *branch, yield func(lanes.Entry) bool) bool {
	n := int(b.n.Load())
	var lines [leafMax / lanes.PerLine]*lanes.Line
	var masks [len(lines)]uint16
	at := 0
	for at+lanes.PerLine <= len(b.xs) && at < n {
		some := min(len(lines), (len(b.xs)-at)/lanes.PerLine, (n-at+lanes.PerLine-1)/lanes.PerLine)
		for i := range some {
			lines[i] = (*lanes.Line)(b.words[(at+i*lanes.PerLine)/2:])
		}
		lanes.MatchLines(&lines[0], some, w.other, uint32(w.k), &masks[0])
		for i, mask := range masks[:some] {
			for ; mask != 0; mask &= mask - 1 {
				if !w.meet(b, at+i*lanes.PerLine+bits.TrailingZeros16(mask), n, yield) {
					return false
				}
			}
		}
		at += some * lanes.PerLine
	}
	for ; at < n; at++ {
		other := uint32(atomic.LoadUint64(&b.words[at/2]) >> (at % 2 * 32))
		if bits.OnesCount32(other^w.other) <= w.k && !w.meet(b, at, n, yield) {
			return false
		}
	}
	return true
}

// meet yields the i-th entry of a leaf if it is one of the first n, and its key matches.
func (w *walk) meet(b *branch, i, n int, yield func(lanes.Entry) bool) bool {
	return i >= n || (b.xs[i]^w.x)&w.exact != 0 || yield(b.entry(i))
}

// all calls yield for every entry until yield returns false. It returns false if yield did.
func (t *spill) all(yield func(lanes.Entry) bool) bool {
	bins := t.bins.Load()
	if bins == nil {
		return true
	}
	for i := range *bins {
		if !(*bins)[i].root.Load().all(yield) {
			return false
		}
	}
	return true
}

func (b *branch) all(yield func(lanes.Entry) bool) bool {
	if b == nil {
		return true
	}
	for i := range int(b.n.Load()) {
		if !yield(b.entry(i)) {
			return false
		}
	}
	if b.fork == nil {
		return true
	}
	for i := range b.fork {
		if !b.fork[i].Load().all(yield) {
			return false
		}
	}
	return true
}
