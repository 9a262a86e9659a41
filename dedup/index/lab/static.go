package lab

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// Static is an Index of two tables like Halves, packed without slack: nothing can be
// added to the packed tables. A table is cut into buckets by the first bits of the mixed
// keys, with some 12 to 24 entries each, and has the other halves behind one
// another, sixteen a cache line. Next to those of the upper table are the bits of
// the key that the bucket does not say, and the DocIDs, both packed. The lower
// table has neither: a hit in it gives an upper half, and the upper table gives the rest.
// That takes 9.3 to 10.1 bytes a fingerprint between 10 million and
// a billion, and the DocIDs.
//
// What Insert adds waits in Halves, which a query searches too. When half as many rows wait
// as are packed, all are packed again.
type Static struct {
	upper, lower flat
	rests        []uint64 // of the upper table's keys, packed
	docs         []uint64 // packed; docBits 0: there are none
	docBits      int
	fresh        *index.Halves
}

var _ index.Index = (*Static)(nil)

// A flat is a table of a Static.
type flat struct {
	width int          // bits of a mixed key that say the bucket
	ends  []lanes.Line // where each bucket starts, and the end: sixteen numbers a line
	lines []lanes.Line // the other halves, sixteen a line
	end   []uint32     // is ends
	other []uint32     // is lines
}

const (
	segmentBits = 32 - lanes.KeyBits // of a mixed key that say the segment
)

// NewStatic returns an empty index for any distance.
func NewStatic() *Static {
	x := &Static{fresh: index.NewHalves()}
	x.pack(0, nil)
	return x
}

// Design returns DesignStatic.
func (x *Static) Design() index.Design { return DesignStatic }

// packedLen returns how many fingerprints are packed.
func (x *Static) packedLen() int { return int(x.upper.end[1<<x.upper.width]) }

// Len returns the number of fingerprints.
func (x *Static) Len() int { return x.packedLen() + x.fresh.Len() }

// Bytes returns the memory that the index takes.
func (x *Static) Bytes() int64 {
	return x.KeyBytes() + 8*int64(len(x.docs)) + x.fresh.Bytes() - x.fresh.KeyBytes()
}

// KeyBytes returns the memory that the index takes without the DocIDs.
func (x *Static) KeyBytes() int64 {
	return x.upper.bytes() + x.lower.bytes() + 8*int64(len(x.rests)) + x.fresh.KeyBytes()
}

func (t *flat) bytes() int64 { return 8 * lanes.LineWords * int64(len(t.ends)+len(t.lines)) }

// Insert adds a fingerprint.
func (x *Static) Insert(fp uint64, doc index.DocID) {
	x.fresh.Insert(fp, doc)
	if n := x.fresh.Len(); n >= freshMin && n > x.packedLen()/2 {
		x.InsertMany(0, nil)
	}
}

// InsertMany adds n fingerprints, the i-th of which is at(i), and packs all: see
// Halves.InsertMany. If there were others it takes 12 bytes more for each.
func (x *Static) InsertMany(n int, at func(i int) (fp uint64, doc index.DocID)) {
	before := x.Len()
	if before == 0 {
		x.pack(n, at)
		return
	}
	fps, docs := make([]uint64, 0, before), make([]index.DocID, 0, before)
	x.scan(0, 64, func(doc index.DocID, fp uint64, _ int) bool {
		fps, docs = append(fps, fp), append(docs, doc)
		return true
	})
	x.fresh = index.NewHalves()
	x.pack(before+n, func(i int) (uint64, index.DocID) {
		if i < before {
			return fps[i], docs[i]
		}
		return at(i - before)
	})
}

// pack makes the tables of n fingerprints.
func (x *Static) pack(n int, at func(i int) (fp uint64, doc index.DocID)) {
	b := lanes.NewBulk(n, at)
	width := min(max(segmentBits, bits.Len(uint(n/12))-1), lanes.FarBits)
	x.upper, x.lower, x.docBits = newFlat(n, width), newFlat(n, width), b.DocBits
	x.rests = make([]uint64, (n*(32-width)+63)/64)
	x.docs = make([]uint64, (n*b.DocBits+63)/64)
	var starts [2 * lanes.Segments]int
	for i := range starts {
		if i%lanes.Segments > 0 {
			starts[i] = starts[i-1] + b.Count(i-1)
		}
	}
	var words sync.Mutex // of rests and docs: two segments may share one
	b.Each(func(i int, es []lanes.Entry) {
		w := lanes.Sorters.Get().(*lanes.Sorter)
		defer lanes.Sorters.Put(w)
		if i >= lanes.Segments {
			x.lower.fill(w, i-lanes.Segments, es, starts[i], func(a, b lanes.Entry) int { return cmp.Compare(a.Other, b.Other) })
			return
		}
		es = x.upper.fill(w, i, es, starts[i], byKey)
		words.Lock()
		defer words.Unlock()
		x.fillRests(es, starts[i])
	})
	x.upper.end[1<<width], x.lower.end[1<<width] = uint32(n), uint32(n)
}

func newFlat(n, width int) flat {
	t := flat{width: width, ends: make([]lanes.Line, 1<<width/lanes.PerLine+1), lines: make([]lanes.Line, n/lanes.PerLine+1)}
	lanes.AdviseHuge(t.ends)
	lanes.AdviseHuge(t.lines)
	t.end = unsafe.Slice((*uint32)(unsafe.Pointer(&t.ends[0])), lanes.PerLine*len(t.ends))
	t.other = unsafe.Slice((*uint32)(unsafe.Pointer(&t.lines[0])), lanes.PerLine*len(t.lines))
	return t
}

// fill sorts the entries of a segment by their buckets, and within these by compare, and writes
// where the buckets start, and the other halves.
func (t *flat) fill(w *lanes.Sorter, i int, es []lanes.Entry, start int, compare func(a, b lanes.Entry) int) []lanes.Entry {
	buckets, shift := t.width-segmentBits, 32-t.width
	es, ends := w.Grouped(es, 1<<buckets, func(x uint32) uint32 { return x >> shift })
	from := uint32(0)
	for b, to := range ends {
		t.end[i<<buckets+b] = uint32(start) + from
		slices.SortFunc(es[from:to], compare)
		from = to
	}
	for j, e := range es {
		t.other[start+j] = e.Other
	}
	return es
}

// byKey sorts by the key and then, for namesakes to be found, by the other half as
// the lower table mixes it.
func byKey(a, b lanes.Entry) int {
	if a.X != b.X {
		return cmp.Compare(a.X, b.X)
	}
	return cmp.Compare(lanes.Mixed(a.Other), lanes.Mixed(b.Other))
}

// fillRests writes what the upper table has besides the other halves.
func (x *Static) fillRests(es []lanes.Entry, start int) {
	rest := x.restBits()
	for j, e := range es {
		lanes.Put(x.rests, (start+j)*rest, rest, uint64(e.X)&(1<<rest-1), false)
		if x.docBits > 0 {
			lanes.Put(x.docs, (start+j)*x.docBits, x.docBits, uint64(e.Doc), false)
		}
	}
}

// restBits is how many bits of a mixed key its bucket does not say.
func (x *Static) restBits() int { return 32 - x.upper.width }

// mixedKey returns the mixed key of an entry of the upper table.
func (x *Static) mixedKey(bucket uint32, at int) uint32 {
	rest := x.restBits()
	return bucket<<rest | uint32(lanes.Get(x.rests, at*rest, rest))
}

func (x *Static) doc(at int) index.DocID {
	if x.docBits == 0 {
		return 0
	}
	return index.DocID(lanes.Get(x.docs, at*x.docBits, x.docBits))
}

// bucket returns the range of entries of a bucket.
func (t *flat) bucket(b uint32) (from, to int) { return int(t.end[b]), int(t.end[b+1]) }

// Near calls yield for every fingerprint within k bits of fp. A k above MaxDistance
// is answered by a scan.
func (x *Static) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	if k < 0 {
		return
	}
	more := true
	each := func(doc index.DocID, fp uint64, d int) bool { more = yield(doc, fp, d); return more }
	if k > index.MaxDistance {
		x.scan(fp, k, each)
		return
	}
	if x.fresh.Near(fp, k, each); !more || x.packedLen() == 0 {
		return
	}
	ru, rl := lanes.Radii(k)
	up, low := uint32(fp>>32), uint32(fp)
	s := flatSearch{table: &x.upper, key: up, other: low, k: k, radius: ru}
	s.found = func(p *flatProbe, at int, other uint32) bool {
		m := x.mixedKey(p.bucket, at)
		if d, ok := s.within(p, m, other); ok {
			return each(x.doc(at), uint64(lanes.Unmixed(m))<<32|uint64(other), d)
		}
		return true
	}
	if !s.flip(lanes.Mixed(up), 0, 0) || !s.flush() || rl < 0 {
		return
	}
	s = flatSearch{table: &x.lower, key: low, other: up, k: k, radius: rl}
	s.found = func(p *flatProbe, at int, upper uint32) bool {
		if bits.OnesCount32(upper^up) <= ru || at > int(x.lower.end[p.bucket]) && x.lower.other[at-1] == upper {
			return true // the upper halves have reported it, or it was here just now
		}
		return x.named(upper, p.bucket, func(doc index.DocID, lower uint32) bool {
			if d, ok := s.within(p, lanes.Mixed(lower), upper); ok {
				return each(doc, uint64(upper)<<32|uint64(lower), d)
			}
			return true
		})
	}
	if s.flip(lanes.Mixed(low), 0, 0) {
		s.flush()
	}
}

// named calls yield for the fingerprints that have an upper half, and a lower one
// in a bucket.
func (x *Static) named(upper, lowers uint32, yield func(doc index.DocID, lower uint32) bool) bool {
	m := lanes.Mixed(upper)
	b := m >> x.restBits()
	from, to := x.upper.bucket(b)
	shift := 32 - x.lower.width
	at := from + sort.Search(to-from, func(i int) bool {
		if key := x.mixedKey(b, from+i); key != m {
			return key > m
		}
		return lanes.Mixed(x.upper.other[from+i])>>shift >= lowers
	})
	for ; at < to && x.mixedKey(b, at) == m; at++ {
		lower := x.upper.other[at]
		if lanes.Mixed(lower)>>shift != lowers {
			break
		}
		if !yield(x.doc(at), lower) {
			return false
		}
	}
	return true
}

// NearBatch answers many queries; see Index.
func (x *Static) NearBatch(fps []uint64, k int, yield func(query int, doc index.DocID, fp uint64, d int) bool) {
	index.NearBatch(x, fps, k, yield)
}

func (x *Static) scan(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	for b := range uint32(1) << x.upper.width {
		from, to := x.upper.bucket(b)
		for at := from; at < to; at++ {
			got := uint64(lanes.Unmixed(x.mixedKey(b, at)))<<32 | uint64(x.upper.other[at])
			if d := bits.OnesCount64(got ^ fp); d <= k && !yield(x.doc(at), got, d) {
				return
			}
		}
	}
	x.fresh.Near(fp, k, yield)
}

// A flatSearch looks through one table of a Static, in three rounds: it asks the
// memory for the starts of all buckets, then for their first lines, and then reads them.
type flatSearch struct {
	table      *flat
	key, other uint32 // of the query
	k, radius  int    // in all, and in the key
	found      func(p *flatProbe, at int, other uint32) bool

	n      int
	probes [lanes.ProbesAtOnce]flatProbe
	lines  [2 * lanes.ProbesAtOnce]*lanes.Line
}

// A flatProbe is one bucket to be read.
type flatProbe struct {
	m        uint32 // the mixed key for which it is
	used     int    // bits flipped in that, of the upper 26
	bucket   uint32
	from, to int
}

// flip adds the probes for the keys that differ in no more than the radius from
// the key in far bits, of which those below from stay.
func (s *flatSearch) flip(m uint32, from, used int) bool {
	if s.n == len(s.probes) && !s.flush() {
		return false
	}
	s.probes[s.n] = flatProbe{m: m, used: used, bucket: m >> (32 - s.table.width)}
	s.n++
	if used == s.radius {
		return true
	}
	for i := from; i < lanes.FarBits; i++ {
		if !s.flip(m^lanes.Flipped[lanes.NearBits+i], i+1, used+1) {
			return false
		}
	}
	return true
}

// flush reads the buckets of the probes.
func (s *flatSearch) flush() bool {
	probes, t := s.probes[:s.n], s.table
	s.n = 0
	for i := range probes {
		s.lines[i] = &t.ends[probes[i].bucket/lanes.PerLine]
	}
	lanes.FetchLines(&s.lines[0], len(probes))
	n := 0
	for i := range probes {
		p := &probes[i]
		if p.from, p.to = t.bucket(p.bucket); p.from == p.to {
			continue
		}
		s.lines[n] = &t.lines[p.from/lanes.PerLine]
		n++
		if last := (p.to - 1) / lanes.PerLine; last > p.from/lanes.PerLine {
			s.lines[n] = &t.lines[p.from/lanes.PerLine+1]
			n++
		}
	}
	lanes.FetchLines(&s.lines[0], n)
	for i := range probes {
		if !s.read(&probes[i]) {
			return false
		}
	}
	return true
}

// read compares what is in a bucket, a few lines at a time.
func (s *flatSearch) read(p *flatProbe) bool {
	var lines [4]*lanes.Line
	var masks [len(lines)]uint16
	for first := p.from / lanes.PerLine; first*lanes.PerLine < p.to; first += len(lines) {
		n := min(len(lines), (p.to-1)/lanes.PerLine+1-first)
		for i := range n {
			lines[i] = &s.table.lines[first+i]
		}
		lanes.MatchLines(&lines[0], n, s.other, uint32(s.k), &masks[0])
		for i, mask := range masks[:n] {
			for ; mask != 0; mask &= mask - 1 {
				at := (first+i)*lanes.PerLine + bits.TrailingZeros16(mask)
				if p.from <= at && at < p.to && !s.found(p, at, s.table.other[at]) {
					return false
				}
			}
		}
	}
	return true
}

// within returns the distance of an entry of a probe's bucket, and whether it is
// one that the probe is for.
func (s *flatSearch) within(p *flatProbe, m, other uint32) (d int, ok bool) {
	moved := m ^ p.m
	inKey := p.used + bits.OnesCount32(moved)
	d = inKey + bits.OnesCount32(other^s.other)
	return d, moved>>lanes.NearBits == 0 && inKey <= s.radius && d <= s.k
}
