package index

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// Halves are an Index of two tables, one keyed by the upper and one by the lower 32 bits. If two
// fingerprints are within k bits, at least one half differs in at most k/2 bits, so a query looks
// up the few keys around its own halves: with k = 3 the half itself and its 32 neighbours.
//
// A table is an array of lines of 64 bytes, one cache line each. Keys that differ only in their
// lowest six bits share a line, so those neighbours cost nothing; the other 26 are loads that do
// not wait for each other. The table of the upper halves has the documents; a hit in the other one
// is looked up there.
//
// All methods may be called from many goroutines. Readers take no lock and write nothing: a writer
// writes an entry after those that readers see and then raises the count, and a part of a table
// that grows is replaced as a whole. A reader may miss an Insert that has not returned. Writers
// share 256 locks a table.
type Halves struct {
	upper, lower side
	n            atomic.Int64
}

var _ Index = (*Halves)(nil)

// NewHalves returns an empty index, for any distance.
func NewHalves() *Halves { return new(Halves) }

// Design returns DesignHalves.
func (h *Halves) Design() Design { return DesignHalves }

// Len returns the number of fingerprints.
func (h *Halves) Len() int { return int(h.n.Load()) }

// Bytes returns the memory that the index takes.
func (h *Halves) Bytes() int64 { return h.upper.bytes() + h.lower.bytes() }

// KeyBytes returns the memory that the index takes without the DocIDs.
func (h *Halves) KeyBytes() (n int64) {
	for i := range 2 * lanes.Segments {
		if s := h.segment(i); s != nil {
			n += s.bytes() - 8*int64(len(s.docs))
		}
	}
	return n
}

// Insert adds a fingerprint.
func (h *Halves) Insert(fp uint64, doc DocID) {
	up, low := uint32(fp>>32), uint32(fp)
	h.upper.insert(lanes.Mixed(up), low, doc, false) // first the upper half: hits of the lower one are looked up there
	h.lower.insert(lanes.Mixed(low), up, 0, true)
	h.n.Add(1)
}

// InsertAll adds the fingerprints of docs. It is the fast way to add millions.
func (h *Halves) InsertAll(fps []uint64, docs []DocID) {
	h.InsertMany(len(fps), func(i int) (uint64, DocID) { return fps[i], docs[i] })
}

// InsertMany adds n fingerprints; at(i) returns the i-th. It calls at five times for each (more
// often above 250 million), from as many goroutines as there are processors; at must return the
// same each time. Segments are filled in copies that have room for all and are then published, so
// that it takes, in addition to the new index, the memory that the index took before and 6 bytes a
// fingerprint (at least 100 MB, at most 1.6 GB). Other writers wait.
func (h *Halves) InsertMany(n int, at func(i int) (fp uint64, doc DocID)) {
	b := lanes.NewBulk(n, at)
	for _, t := range []*side{&h.upper, &h.lower} {
		for i := range t.locks {
			t.locks[i].Lock()
			defer t.locks[i].Unlock()
		}
	}
	var grown [2 * lanes.Segments]*segment
	b.Each(func(i int, es []lanes.Entry) {
		width := b.DocBits
		if i >= lanes.Segments {
			width = 0
		}
		if s := h.unreadSegment(i); s != nil { // a segment of a run, which may be unread, is not added to
			es, width = s.entries(slices.Clone(es)), max(width, s.docBits)
		}
		if len(es) > 0 {
			grown[i] = filled(es, width, packed, i >= lanes.Segments)
		}
	})
	for i, g := range grown { // first the upper halves: hits of the lower ones are looked up there
		if g != nil {
			h.setSegment(i, g)
		}
	}
	h.n.Add(int64(n))
}

// Near calls yield for every fingerprint within k bits of fp. A k above
// MaxDistance is answered by a scan.
func (h *Halves) Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	if k > MaxDistance {
		h.scan(fp, k, yield)
		return
	}
	if k < 0 {
		return
	}
	ru, rl := lanes.Radii(k)
	up, low := uint32(fp>>32), uint32(fp)
	var s, t search
	s.side, s.key, s.other, s.k, s.radius = &h.upper, up, low, k, ru
	s.found = func(doc DocID, up, low uint32, d int) bool { return yield(doc, uint64(up)<<32|uint64(low), d) }
	t.side, t.key, t.other, t.k, t.radius = &h.lower, low, up, k, rl
	t.found = func(_ DocID, low, other uint32, d int) bool {
		if bits.OnesCount32(other^up) <= ru {
			return true // the upper halves have reported it already
		}
		return h.named(other, low, func(doc DocID) bool { return yield(doc, uint64(other)<<32|uint64(low), d) })
	}
	// Prefetch the lines of both tables before the first is read.
	if !s.gather() || rl >= 0 && !t.gather() {
		return
	}
	if s.flush() && rl >= 0 {
		t.flush()
	}
}

// named calls yield for every document with exactly these two halves.
func (h *Halves) named(up, low uint32, yield func(doc DocID) bool) bool {
	m := lanes.Mixed(up)
	s := h.upper.seg(m >> lanes.KeyBits)
	return s == nil || s.find(m&lanes.KeyMask, low, yield)
}

// NearBatch answers many queries; see Index.
func (h *Halves) NearBatch(fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool) {
	NearBatch(h, fps, k, yield)
}

func (h *Halves) scan(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	for i := range lanes.Segments {
		s := h.upper.seg(uint32(i))
		if s == nil {
			continue
		}
		more := s.all(func(x, other uint32, doc DocID) bool {
			got := uint64(lanes.Unmixed(uint32(i)<<lanes.KeyBits|x))<<32 | uint64(other)
			d := bits.OnesCount64(got ^ fp)
			return d > k || yield(doc, got, d)
		})
		if !more {
			return
		}
	}
}

// A side is the table that is keyed by one half and stores the other.
type side struct {
	segs  [lanes.Segments]atomic.Pointer[segment]
	locks [lanes.Segments]sync.Mutex // held by the writer of a segment
}

// insert adds an entry; with once set only if there is no equal one.
func (t *side) insert(m, other uint32, doc DocID, once bool) {
	i, x := m>>lanes.KeyBits, m&lanes.KeyMask
	t.locks[i].Lock()
	defer t.locks[i].Unlock()
	s := t.segs[i].Load()
	if s != nil && once && s.has(x, other) {
		return
	}
	width := bits.Len32(uint32(doc))
	switch {
	case s == nil:
		s = newSegment(1, width, emptiest)
		t.segs[i].Store(s)
	case s.len() >= s.limit || width > s.docBits:
		s = s.regrown(max(width, s.docBits))
		t.segs[i].Store(s)
	}
	s.insert(x, other, doc, true)
}

func (t *side) bytes() (n int64) {
	for i := range t.segs {
		if s := t.segs[i].Load(); s != nil {
			n += s.bytes()
		}
	}
	return n
}

// A search looks through one table: gather prefetches the lines that it needs, and flush reads
// them.
type search struct {
	side       *side
	key, other uint32 // of the query
	k, radius  int    // distance of the fingerprints, and of the keys
	found      func(doc DocID, key, other uint32, d int) bool

	n      int
	probes [lanes.ProbesAtOnce]probe
	lines  [lanes.ProbesAtOnce * (1 + maxReach)]*lanes.Line // of the probes, then those after them
	masks  [lanes.ProbesAtOnce * (1 + maxReach)]uint16
}

// A probe is a home line to be read.
type probe struct {
	seg  *segment
	line uint32
	m    uint32 // the mixed key
	far  uint32 // the upper 26 bits of the key
	used uint8  // bits that were flipped in far

	after uint32 // number of lines after the home line that have entries of it
	spilt bool   // and whether the spill has some
}

// gather collects the lines that may have entries within the radius. If there are more than
// lanes.ProbesAtOnce, the first are read; it reports whether to go on.
func (s *search) gather() bool {
	if !s.flip(lanes.Mixed(s.key), s.key>>lanes.NearBits, 0, 0) {
		return false
	}
	lanes.FetchLines(&s.lines[0], s.n)
	return true
}

// flip adds the probes for all keys that differ from the key in at most radius of the far bits, and
// not in those below from.
func (s *search) flip(m, far uint32, from, used int) bool {
	if !s.add(m, far, used) {
		return false
	}
	if used == s.radius {
		return true
	}
	for i := from; i < lanes.FarBits; i++ {
		if !s.flip(m^lanes.Flipped[lanes.NearBits+i], far^1<<i, i+1, used+1) {
			return false
		}
	}
	return true
}

// add adds the home lines of the mixed key m, and of those next to it if the radius allows more
// flips.
func (s *search) add(m, far uint32, used int) bool {
	seg := s.side.seg(m >> lanes.KeyBits)
	if seg == nil {
		return true
	}
	x := m & lanes.KeyMask
	if used == s.radius {
		return s.addLine(seg, seg.home(x), m, far, used)
	}
	last := seg.home(x | (1<<lanes.NearBits - 1))
	for l := seg.home(x &^ (1<<lanes.NearBits - 1)); l <= last; l++ {
		if !s.addLine(seg, l, m, far, used) {
			return false
		}
	}
	return true
}

func (s *search) addLine(seg *segment, l, m, far uint32, used int) bool {
	if s.n == len(s.probes) && !s.flush() {
		return false
	}
	s.probes[s.n] = probe{seg: seg, line: l, m: m, far: far, used: uint8(used)}
	s.lines[s.n] = seg.line(l)
	s.n++
	return true
}

// flush reads the lines of the probes, then the lines that these go on in.
func (s *search) flush() bool {
	n := s.n
	s.n = 0
	if n == 0 {
		return true
	}
	lanes.MatchLines(&s.lines[0], n, s.other, uint32(s.k), &s.masks[0])
	total := n
	for i := range s.probes[:n] {
		p := &s.probes[i]
		p.after, p.spilt = p.seg.beyond(atomic.LoadUint64(&s.lines[i][0]))
		for j := range p.after {
			s.lines[total] = p.seg.line(p.line + 1 + j)
			total++
		}
	}
	lanes.FetchLines(&s.lines[n], total-n)
	for i := range s.probes[:n] {
		if s.masks[i] != 0 && !s.read(&s.probes[i], s.probes[i].line, s.masks[i]) {
			return false
		}
	}
	lanes.MatchLines(&s.lines[n], total-n, s.other, uint32(s.k), &s.masks[n])
	return s.readOn(n)
}

// readOn reads the lines after the home lines of n probes, and the spill.
func (s *search) readOn(n int) bool {
	at := n
	for i := range s.probes[:n] {
		p := &s.probes[i]
		for j := range p.after {
			if s.masks[at] != 0 && !s.read(p, p.line+1+j, s.masks[at]) {
				return false
			}
			at++
		}
		if p.spilt && !s.readSpill(p) {
			return false
		}
	}
	return true
}

func (s *search) readSpill(p *probe) bool {
	w := walk{p.m & lanes.KeyMask, lanes.KeyMask &^ (1<<lanes.NearBits - 1), s.other, s.k - int(p.used)}
	if int(p.used) == s.radius {
		w.exact = lanes.KeyMask
	}
	return p.seg.spill.near(p.line, w, func(e lanes.Entry) bool {
		return s.check(p, e.X, e.Other, func() DocID { return e.Doc })
	})
}

// read reports the entries of a line whose lanes are in the mask.
func (s *search) read(p *probe, l uint32, mask uint16) bool {
	seg := p.seg
	line := seg.line(l)
	count := int(atomic.LoadUint64(&line[0]) & countMask)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros16(mask)
		slot := lane - (2*lanes.LineWords - seg.slots)
		if slot < 0 || slot >= count {
			continue // a lane that has tags, or an entry that is still being written
		}
		other := uint32(atomic.LoadUint64(&line[lane/2]) >> (lane % 2 * 32))
		if !s.check(p, seg.key(l, line, slot), other, func() DocID { return seg.doc(l, slot) }) {
			return false
		}
	}
	return true
}

// check reports an entry if it is within the distance and belongs to the probe's home line.
func (s *search) check(p *probe, x, other uint32, doc func() DocID) bool {
	at := p.m & lanes.KeyMask
	if x>>lanes.NearBits != at>>lanes.NearBits || p.seg.home(x) != p.line {
		return true
	}
	moved := bits.OnesCount32(x ^ at)
	d := int(p.used) + moved + bits.OnesCount32(other^s.other)
	if int(p.used)+moved > s.radius || d > s.k {
		return true
	}
	return s.found(doc(), p.far<<lanes.NearBits|x&(1<<lanes.NearBits-1), other, d)
}

// segment returns the i-th segment of both sides, the upper one's first.
func (h *Halves) segment(i int) *segment {
	if i < lanes.Segments {
		return h.upper.seg(uint32(i))
	}
	return h.lower.seg(uint32(i - lanes.Segments))
}

// unreadSegment is segment without a check of one that is in a run.
func (h *Halves) unreadSegment(i int) *segment {
	if i < lanes.Segments {
		return h.upper.segs[i].Load()
	}
	return h.lower.segs[i-lanes.Segments].Load()
}

// setSegment sets a segment of a run.
func (h *Halves) setSegment(i int, s *segment) {
	if i < lanes.Segments {
		h.upper.segs[i].Store(s)
		return
	}
	h.lower.segs[i-lanes.Segments].Store(s)
}

// seg returns a segment; nil if it is empty. A segment of a run is checked when it is first used; a
// damaged one counts as empty.
func (t *side) seg(i uint32) *segment {
	s := t.segs[i].Load()
	if s != nil && s.unread.Load() != nil {
		return t.readSegment(i)
	}
	return s
}

func (t *side) readSegment(i uint32) *segment {
	t.locks[i].Lock()
	defer t.locks[i].Unlock()
	s := t.segs[i].Load()
	if s == nil {
		return nil
	}
	u := s.unread.Load()
	if u == nil {
		return s
	}
	if !u.intact() {
		t.segs[i].Store(nil)
		return nil
	}
	for e := u.spilt; len(e) > 0; e = e[spiltBytes:] {
		key := Native.Uint64(e)
		x := uint32(key >> 32)
		s.spill.insert(s.home(x), lanes.Entry{X: x, Other: uint32(key), Doc: DocID(Native.Uint64(e[8:]))}, s.docBits > 0)
	}
	s.unread.Store(nil)
	return s
}
