package lanes

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// An Entry is a segment's part of a mixed key, the other half, and the document.
type Entry struct {
	X, Other uint32
	Doc      DocID
}

// leastBulk and mostBulk limit how many entries InsertMany holds in addition to the index. Between
// them it holds half as many as there are fingerprints: each has two entries, and is asked for five
// times.
const (
	leastBulk  = 1 << 23
	mostBulk   = 1 << 27
	EntryBytes = 12
)

// BulkOf returns how many entries are held at once for n fingerprints.
func BulkOf(n int) int { return min(2*n, mostBulk, max(leastBulk, n/2)) }

// A Bulk is a list of fingerprints that are to be added to tables. at(i) returns the i-th; it is
// called more than once and from several goroutines, and must always return the same.
type Bulk struct {
	n  int
	at func(i int) (fp uint64, doc DocID)

	counts  [][2 * Segments]int // of entries by segment, of each worker's share
	DocBits int
}

// NewBulk counts the entries. The goroutines end before it returns.
func NewBulk(n int, at func(i int) (fp uint64, doc DocID)) *Bulk {
	b := &Bulk{n: n, at: at, counts: make([][2 * Segments]int, runtime.GOMAXPROCS(0))}
	widths := make([]DocID, len(b.counts))
	b.share(func(w, from, to int) {
		var counts [2 * Segments]int
		docs := DocID(0)
		for i := from; i < to; i++ {
			fp, doc := at(i)
			counts[Mixed(uint32(fp>>32))>>KeyBits]++
			counts[Segments+Mixed(uint32(fp))>>KeyBits]++
			docs |= doc
		}
		b.counts[w], widths[w] = counts, docs
	})
	for _, docs := range widths {
		b.DocBits = max(b.DocBits, bits.Len32(uint32(docs)))
	}
	return b
}

// share splits the fingerprints among the workers, and returns when all are done.
func (b *Bulk) share(do func(w, from, to int)) {
	var wg sync.WaitGroup
	for w := range b.counts {
		wg.Go(func() { do(w, b.n*w/len(b.counts), b.n*(w+1)/len(b.counts)) })
	}
	wg.Wait()
}

// Count returns how many entries a segment gets.
func (b *Bulk) Count(i int) (n int) {
	for w := range b.counts {
		n += b.counts[w][i]
	}
	return n
}

// Each calls fill with the entries of each segment, in no order; segments are numbered as by
// Halves.segment. It calls fill from as many goroutines as there are processors, and these end
// before it returns.
func (b *Bulk) Each(fill func(i int, es []Entry)) {
	var es []Entry
	for from := 0; from < 2*Segments; {
		to, n := from, 0
		for to < 2*Segments && (to == from || n+b.Count(to) <= BulkOf(b.n)) {
			n += b.Count(to)
			to++
		}
		if room := n + thrown*len(b.counts); len(es) < room {
			es = make([]Entry, room)
			AdviseHuge(es)
		}
		b.part(es, from, to, n)
		var next atomic.Int64
		next.Store(int64(from))
		ends := b.ends(from, to)
		var wg sync.WaitGroup
		for range b.counts {
			wg.Go(func() {
				for i := int(next.Add(1) - 1); i < to; i = int(next.Add(1) - 1) {
					fill(i, es[ends[i-from]:ends[i-from+1]])
				}
			})
		}
		wg.Wait()
		from = to
	}
}

// ends returns where each of some segments starts in their list, and where the last one ends.
func (b *Bulk) ends(from, to int) []int {
	ends := make([]int, 1, to-from+1)
	for i := from; i < to; i++ {
		ends = append(ends, ends[i-from]+b.Count(i))
	}
	return ends
}

// thrown is the distance, in entries, of the places where workers write unwanted entries: more than
// a cache line.
const thrown = 8

// part writes the n entries of some segments into es, one segment after the other. It writes
// entries of other segments to a place of the worker's own, after all others: an unneeded store
// costs less than a mispredicted branch.
func (b *Bulk) part(es []Entry, from, to, n int) {
	starts := b.ends(from, to)
	b.share(func(w, first, end int) {
		var next, step [2 * Segments]int
		for i := range next {
			next[i] = n + thrown*w
			if from <= i && i < to {
				next[i], step[i] = starts[i-from], 1
				for before := range w {
					next[i] += b.counts[before][i]
				}
			}
		}
		for i := first; i < end; i++ {
			fp, doc := b.at(i)
			up, low := uint32(fp>>32), uint32(fp)
			m := Mixed(up)
			to := m >> KeyBits
			es[next[to]] = Entry{m & KeyMask, low, doc}
			next[to] += step[to]
			m = Mixed(low)
			to = Segments + m>>KeyBits
			es[next[to]] = Entry{m & KeyMask, up, 0}
			next[to] += step[to]
		}
	})
}

// A Sorter sorts the entries of a segment by their home lines.
type Sorter struct {
	es   []Entry
	ends []uint32
}

var Sorters = sync.Pool{New: func() any { return new(Sorter) }}

// Grouped returns the entries in the order of their groups, as group numbers them, and where each
// group ends. Both are valid until the next call.
func (w *Sorter) Grouped(es []Entry, groups int, group func(x uint32) uint32) ([]Entry, []uint32) {
	w.es = slices.Grow(w.es[:0], len(es))[:len(es)]
	w.ends = slices.Grow(w.ends[:0], groups+1)[:groups+1]
	clear(w.ends)
	for i := range es {
		w.ends[group(es[i].X)+1]++
	}
	for i := range groups {
		w.ends[i+1] += w.ends[i]
	}
	for i := range es {
		g := group(es[i].X)
		w.es[w.ends[g]] = es[i]
		w.ends[g]++ // while entries are written, the place of the group's next one
	}
	return w.es, w.ends[:groups]
}
