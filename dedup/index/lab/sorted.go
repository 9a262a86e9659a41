package lab

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// Sorted is an Index after Manku, Jain and Das Sarma (2007), sections 3 and 4:
// each table permutes the bits so that some blocks lead, keeps the permuted
// fingerprints sorted and packed, and is asked for the rows that agree with the
// query in the leading blocks. Which blocks lead is the design; at k = 3 there
// are 4, 10, 16 or 20 tables. More tables read fewer rows and take more memory.
//
// A row is packed as its distance from the row before, in as many bits as the largest of 32
// such distances needs. A table has distinct fingerprints only; the DocIDs go with the first,
// and hits are named there.
//
// The packed rows are static. What Insert adds waits in Tables, which a query
// searches too. When half as many rows wait as are packed, all are packed again.
type Sorted struct {
	design index.Design
	k      int
	tables []sortedTable
	docs   []index.DocID // in the order of the first table's rows
	starts []int         // in docs, of each row, and the end; nil: all rows are distinct
	fresh  *index.Tables
	waits  []entry64
}

var _ index.Index = (*Sorted)(nil)

type entry64 struct {
	fp  uint64
	doc index.DocID
}

// A sortedTable is one permutation and its rows.
type sortedTable struct {
	moves   []move
	width   int    // leading bits that a row must share with the query
	lead    uint64 // those bits in a fingerprint
	n       int
	firsts  []uint64 // first row of each block
	offsets []uint32 // of each block in packed, in words, and the end
	widths  []uint8  // bits of a distance in each block
	packed  []uint64
	dir     []uint32 // for each prefix of a row the first block that may hold it
	dirBits int
}

// A move takes a run of bits to another place.
type move struct {
	mask uint64
	turn int // left
}

const (
	sortedBlock = 32   // rows
	freshMin    = 4096 // fingerprints that wait before the rows are packed again
)

func newSorted(d index.Design, k int) *Sorted {
	x := &Sorted{design: d, k: k, fresh: index.NewTables(k)}
	for _, lead := range leads(d, k) {
		x.tables = append(x.tables, newSortedTable(lead))
	}
	x.pack()
	return x
}

// A span is a run of bits: size of them from the bit at on.
type span struct{ at, size int }

// leads returns the leading blocks of each table of a design.
func leads(d index.Design, k int) (all [][]span) {
	whole := span{0, 64}
	switch d {
	case DesignSorted10:
		return choose(cut(whole, k+2), 2)
	case DesignSorted16:
		for i, b := range cut(whole, k+1) {
			// If this block is equal, one part of the rest, cut again, is equal
			// too.
			for _, part := range cutRest(cut(whole, k+1), i, k+1) {
				all = append(all, append([]span{b}, part...))
			}
		}
		return all
	case DesignSorted20:
		return choose(cut(whole, k+3), 3)
	}
	return choose(cut(whole, k+1), 1)
}

// cut divides a span into n of about the same size.
func cut(s span, n int) (parts []span) {
	for i := range n {
		from, to := s.size*i/n, s.size*(i+1)/n
		parts = append(parts, span{s.at + from, to - from})
	}
	return parts
}

// cutRest divides what is left of the blocks without the i-th into n parts,
// each of which may be in more than one block.
func cutRest(blocks []span, i, n int) (parts [][]span) {
	var rest []span
	total := 0
	for j, b := range blocks {
		if j != i {
			rest, total = append(rest, b), total+b.size
		}
	}
	for p := range n {
		from, to := total*p/n, total*(p+1)/n
		var part []span
		at := 0
		for _, b := range rest {
			lo, hi := max(from, at), min(to, at+b.size)
			if lo < hi {
				part = append(part, span{b.at + lo - at, hi - lo})
			}
			at += b.size
		}
		parts = append(parts, part)
	}
	return parts
}

// choose returns all ways to take n of the blocks.
func choose(blocks []span, n int) (all [][]span) {
	if n == 0 {
		return [][]span{nil}
	}
	for i := range len(blocks) - n + 1 {
		for _, rest := range choose(blocks[i+1:], n-1) {
			all = append(all, append([]span{blocks[i]}, rest...))
		}
	}
	return all
}

func maskOf(s span) uint64 { return (1<<s.size - 1) << s.at }

// newSortedTable lays the leading spans to the top and the gaps behind them.
func newSortedTable(lead []span) (t sortedTable) {
	for _, s := range lead {
		t.lead |= maskOf(s)
		t.width += s.size
	}
	order := slices.Clone(lead)
	for at := 0; at < 64; {
		size := 0
		for at+size < 64 && t.lead>>(at+size)&1 == 0 {
			size++
		}
		if size > 0 {
			order = append(order, span{at, size})
		}
		at += max(size, 1)
	}
	top := 64
	for _, s := range order {
		top -= s.size
		t.moves = append(t.moves, move{maskOf(s), top - s.at})
	}
	return t
}

func (t *sortedTable) permuted(fp uint64) (row uint64) {
	for _, m := range t.moves {
		row |= bits.RotateLeft64(fp&m.mask, m.turn)
	}
	return row
}

func (t *sortedTable) restored(row uint64) (fp uint64) {
	for _, m := range t.moves {
		fp |= bits.RotateLeft64(row, -m.turn) & m.mask
	}
	return fp
}

// Design returns the design that the index was made with.
func (x *Sorted) Design() index.Design { return x.design }

// Len returns the number of fingerprints.
func (x *Sorted) Len() int { return len(x.docs) + len(x.waits) }

// Bytes returns the memory that the index takes.
func (x *Sorted) Bytes() int64 {
	n := x.fresh.Bytes() + 16*int64(cap(x.waits)) + 4*int64(len(x.docs)) + 8*int64(len(x.starts))
	for i := range x.tables {
		t := &x.tables[i]
		n += int64(8*len(t.firsts) + 4*len(t.offsets) + len(t.widths) + 8*len(t.packed) + 4*len(t.dir))
	}
	return n
}

// Insert adds a fingerprint.
func (x *Sorted) Insert(fp uint64, doc index.DocID) {
	x.waits = append(x.waits, entry64{fp, doc})
	x.fresh.Insert(fp, doc)
	if len(x.waits) >= max(freshMin, len(x.docs)/8) {
		x.Pack()
	}
}

// Pack packs what waits. It is for a set that is complete.
func (x *Sorted) Pack() {
	if len(x.waits) > 0 {
		x.pack()
	}
}

func (x *Sorted) pack() {
	first := &x.tables[0]
	all := make([]entry64, 0, x.Len())
	at := 0
	first.each(func(row uint64) {
		for _, doc := range x.named(at) {
			all = append(all, entry64{row, doc})
		}
		at++
	})
	for _, w := range x.waits {
		all = append(all, entry64{first.permuted(w.fp), w.doc})
	}
	x.waits, x.fresh = nil, index.NewTables(x.k)
	slices.SortFunc(all, func(a, b entry64) int {
		if a.fp != b.fp {
			return cmpRows(a.fp, b.fp)
		}
		return int(int64(a.doc) - int64(b.doc))
	})
	rows := make([]uint64, 0, len(all))
	x.docs, x.starts = make([]index.DocID, len(all)), nil
	starts := make([]int, 0, len(all)+1)
	for i, e := range all {
		x.docs[i] = e.doc
		if i == 0 || e.fp != all[i-1].fp {
			rows, starts = append(rows, e.fp), append(starts, i)
		}
	}
	if len(rows) < len(all) {
		x.starts = append(starts, len(all))
	}
	fps := make([]uint64, len(rows))
	for i, row := range rows {
		fps[i] = first.restored(row)
	}
	first.fill(rows)
	for i := range x.tables[1:] {
		t := &x.tables[i+1]
		for j, fp := range fps {
			rows[j] = t.permuted(fp)
		}
		slices.Sort(rows)
		t.fill(rows)
	}
}

func cmpRows(a, b uint64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// named returns the documents of a row of the first table.
func (x *Sorted) named(row int) []index.DocID {
	if x.starts == nil {
		return x.docs[row : row+1]
	}
	return x.docs[x.starts[row]:x.starts[row+1]]
}

// fill packs distinct sorted rows.
func (t *sortedTable) fill(rows []uint64) {
	blocks := (len(rows) + sortedBlock - 1) / sortedBlock
	t.n = len(rows)
	t.firsts, t.widths = make([]uint64, blocks), make([]uint8, blocks)
	t.offsets = make([]uint32, blocks+1)
	words := uint32(0)
	for b := range blocks {
		block := rows[b*sortedBlock : min((b+1)*sortedBlock, len(rows))]
		widest := uint64(0)
		for i := 1; i < len(block); i++ {
			widest = max(widest, block[i]-block[i-1])
		}
		t.firsts[b], t.widths[b], t.offsets[b] = block[0], uint8(bits.Len64(widest)), words
		words += uint32(((len(block)-1)*bits.Len64(widest) + 63) / 64)
	}
	t.offsets[blocks] = words
	t.packed = make([]uint64, words)
	for i, row := range rows {
		if b := i / sortedBlock; i%sortedBlock > 0 {
			w := int(t.widths[b])
			lanes.Put(t.packed[t.offsets[b]:], (i%sortedBlock-1)*w, w, row-rows[i-1], false)
		}
	}
	t.fillDir()
}

func (t *sortedTable) fillDir() {
	t.dirBits = max(1, bits.Len(uint(len(t.firsts))))
	t.dir = make([]uint32, 1<<t.dirBits+1)
	p := 0
	for b, first := range t.firsts {
		for ; p <= int(first>>(64-t.dirBits)); p++ {
			t.dir[p] = uint32(b)
		}
	}
	for ; p < len(t.dir); p++ {
		t.dir[p] = uint32(len(t.firsts))
	}
}

// unpack writes the rows of a block and returns them.
func (t *sortedTable) unpack(b int, into *[sortedBlock]uint64) []uint64 {
	n := min(sortedBlock, t.n-b*sortedBlock)
	w, row := int(t.widths[b]), t.firsts[b]
	into[0] = row
	packed := t.packed[t.offsets[b]:t.offsets[b+1]]
	for i, bit := 1, 0; i < n; i, bit = i+1, bit+w {
		at, off := bit/64, bit%64
		v := packed[at] >> off
		if off+w > 64 {
			v |= packed[at+1] << (64 - off)
		}
		row += v & (1<<w - 1)
		into[i] = row
	}
	return into[:n]
}

func (t *sortedTable) each(yield func(row uint64)) {
	var rows [sortedBlock]uint64
	for b := range t.firsts {
		for _, row := range t.unpack(b, &rows) {
			yield(row)
		}
	}
}

// block returns the last block that starts with row or below, or the first.
func (t *sortedTable) block(row uint64) int {
	p := row >> (64 - t.dirBits)
	lo, hi := int(t.dir[p]), int(t.dir[p+1])
	at, _ := slices.BinarySearch(t.firsts[lo:hi], row+1) // the first that starts above
	if row == ^uint64(0) {
		at = hi - lo
	}
	return max(lo+at-1, 0)
}

// A window reads rows in rising order and keeps the block that it is in.
type window struct {
	t    *sortedTable
	b    int // unpacked in rows; -1: none
	room [sortedBlock]uint64
	rows []uint64
}

// between calls yield for the rows from lo to hi, with their numbers.
func (w *window) between(lo, hi uint64, yield func(at int, row uint64) bool) bool {
	for b := w.t.block(lo); b < len(w.t.firsts) && w.t.firsts[b] <= hi; b++ {
		if b != w.b {
			w.b, w.rows = b, w.t.unpack(b, &w.room)
		}
		for i, row := range w.rows {
			if row > hi {
				break
			}
			if row >= lo && !yield(b*sortedBlock+i, row) {
				return false
			}
		}
	}
	return true
}

// ends returns the first and the last row that shares the leading bits.
func (t *sortedTable) ends(row uint64) (lo, hi uint64) {
	rest := ^uint64(0) >> t.width
	return row &^ rest, row | rest
}

// Near calls yield for every fingerprint within k bits of fp. A k above the one
// that the index was made for is answered by a scan.
func (x *Sorted) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	more := true
	x.fresh.Near(fp, k, func(doc index.DocID, fp uint64, d int) bool { more = yield(doc, fp, d); return more })
	if !more || k < 0 {
		return
	}
	if k > x.k {
		x.scan(fp, k, yield)
		return
	}
	names := window{t: &x.tables[0], b: -1}
	for i := range x.tables {
		w := window{t: &x.tables[i], b: -1}
		if !x.near(i, &w, &names, fp, k, yield) {
			return
		}
	}
}

// near reports what the i-th table finds and no earlier table has found.
func (x *Sorted) near(i int, w, names *window, fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) bool {
	row := w.t.permuted(fp)
	lo, hi := w.t.ends(row)
	return w.between(lo, hi, func(at int, got uint64) bool {
		d := bits.OnesCount64(got ^ row)
		if d > k {
			return true
		}
		found := w.t.restored(got)
		for j := range i {
			if (found^fp)&x.tables[j].lead == 0 {
				return true
			}
		}
		return x.name(i, at, names, found, func(doc index.DocID) bool { return yield(doc, found, d) })
	})
}

// name calls yield for the documents of a fingerprint, which is in row at of the i-th
// table.
func (x *Sorted) name(i, at int, names *window, fp uint64, yield func(doc index.DocID) bool) bool {
	all := func(at int, _ uint64) bool {
		for _, doc := range x.named(at) {
			if !yield(doc) {
				return false
			}
		}
		return true
	}
	if i == 0 {
		return all(at, 0)
	}
	row := names.t.permuted(fp)
	return names.between(row, row, all)
}

func (x *Sorted) scan(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	w := window{t: &x.tables[0], b: -1}
	w.between(0, ^uint64(0), func(at int, row uint64) bool {
		got := w.t.restored(row)
		d := bits.OnesCount64(got ^ fp)
		return d > k || x.name(0, at, nil, got, func(doc index.DocID) bool { return yield(doc, got, d) })
	})
}

// NearBatch answers many queries in one pass over each table: they are sorted
// as its rows are, so that blocks are unpacked once and in order.
func (x *Sorted) NearBatch(fps []uint64, k int, yield func(query int, doc index.DocID, fp uint64, d int) bool) {
	if k > x.k || len(x.docs) == 0 {
		index.NearBatch(x, fps, k, yield)
		return
	}
	if len(x.waits) > 0 {
		for q, fp := range fps {
			more := true
			x.fresh.Near(fp, k, func(doc index.DocID, fp uint64, d int) bool { more = yield(q, doc, fp, d); return more })
			if !more {
				return
			}
		}
	}
	rows := make([][12]byte, len(fps)) // the permuted query, big-endian, and its number
	names := window{t: &x.tables[0], b: -1}
	for i := range x.tables {
		w := window{t: &x.tables[i], b: -1}
		for q, fp := range fps {
			binary.BigEndian.PutUint64(rows[q][:], w.t.permuted(fp))
			binary.BigEndian.PutUint32(rows[q][8:], uint32(q))
		}
		slices.SortFunc(rows, func(a, b [12]byte) int {
			return cmpRows(binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:]))
		})
		for _, r := range rows {
			q := int(binary.BigEndian.Uint32(r[8:]))
			if !x.near(i, &w, &names, fps[q], k, func(doc index.DocID, fp uint64, d int) bool { return yield(q, doc, fp, d) }) {
				return
			}
		}
	}
}
