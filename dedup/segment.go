package dedup

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// A segment is the part of a table whose mixed keys begin alike. The rest of
// the key, 24 bits, is at home in a line: the lines divide the keys evenly and
// in order. A home line that is full leaves its entries to the next one to
// three lines, and what these have no room for to the spill, which bears any
// number of like keys.
//
// A line is eight words: in the last lanes of 32 bits the other halves, one a
// slot; before them from bit 7 on the tags; in the first seven bits how many
// slots are taken (4), how far the line's entries reach (2) and whether it spills
// (1). A narrow head has no room for the last: it takes six bits, and says 3 for
// "two lines, and the spill". A tag is as many low bits of the key as tell it from
// all others that may be in the line. So there are 12 slots in a line where keys
// are dense, and 8 where they are sparse.
//
// Entries that come in the order of their home lines leave hardly any to the
// spill, in any order they leave more: so whatever is filled at once is sorted.
//
// DocIDs are packed in an array beside, which is read for a hit only.
type segment struct {
	lines    []uint64
	m        uint64 // home lines
	slots    int    // in a line
	tagBits  int
	reach    int // lines behind its home in which an entry may be
	narrow   bool
	headBits int
	docBits  int // 0: no DocIDs
	docs     []uint64
	n        int // entries in lines; the writer's
	limit    int // entries from which on it must grow
	spill    spill
	unread   atomic.Pointer[unread] // of a run: not checked yet
}

const (
	lineWords  = 8
	countMask  = 1<<4 - 1
	reachShift = 4
	reachMask  = 3 << reachShift
	spillMask  = 1 << 6
	maxReach   = 3
)

// A segment is made with emptiest of its slots taken, or where many are filled in
// at once with packed of them, and grows when fullest are. Filled in order, a query
// reads half as many lines again as there are home lines at 0.89, and nearly as
// many again at 0.94.
const (
	emptiest = 0.82
	packed   = 0.89
	fullest  = 0.92
)

// layouts are slots and bits of a tag: headBits + slots·tag + slots·32 <= 512.
var layouts = [...]struct{ slots, tagBits int }{{12, 10}, {11, 13}, {11, 14}, {10, 18}, {8, 31}}

func newSegment(n, docBits int, load float64) *segment {
	s := &segment{docBits: docBits}
	for _, l := range layouts {
		s.slots, s.tagBits = l.slots, l.tagBits
		s.m = min(max(1, uint64(float64(n)/(float64(s.slots)*load))+1), 1<<keyBits)
		s.setHead()
		most := maxReach
		if s.narrow {
			most--
		}
		keys := (1<<keyBits + s.m - 1) / s.m // of one line
		if s.reach = int(min(uint64(most)+1, 1<<s.tagBits/(keys+1))) - 1; s.reach >= 2 {
			break
		}
	}
	s.limit = int(fullest * float64(s.slots) * float64(s.m))
	s.lines = make([]uint64, s.lineCount()*lineWords)
	s.docs = make([]uint64, s.docWords())
	adviseHuge(s.lines)
	adviseHuge(s.docs)
	return s
}

// setHead sets what follows from slots and tags.
func (s *segment) setHead() {
	s.headBits = 7
	if s.narrow = s.headBits+s.slots*(s.tagBits+32) > 64*lineWords; s.narrow {
		s.headBits--
	}
}

// beyond returns how many lines behind its home line, and whether in the spill, a
// line's entries may be.
func (s *segment) beyond(head uint64) (reach uint32, spilt bool) {
	reach = uint32(head & reachMask >> reachShift)
	if s.narrow {
		return min(reach, maxReach-1), reach == maxReach
	}
	return reach, head&spillMask != 0
}

// reaching returns the head of a line of whose entries one is so many lines behind.
func (s *segment) reaching(head uint64, lines int) uint64 {
	if uint64(lines)<<reachShift > head&reachMask {
		return head&^reachMask | uint64(lines)<<reachShift
	}
	return head
}

// spilling returns the head of a line of whose entries one is in the spill.
func (s *segment) spilling(head uint64) uint64 {
	if s.narrow {
		return head | reachMask
	}
	return head | spillMask
}

// filled returns a segment of entries, of which with once those that are alike
// are one.
func filled(es []entry, docBits int, load float64, once bool) *segment {
	s := newSegment(len(es), docBits, load)
	w := sorters.Get().(*sorter)
	defer sorters.Put(w)
	free := uint32(0) // no line before it has a free slot
	for _, e := range w.sorted(s, es, once) {
		home := s.home(e.x)
		free = max(free, home)
		if free <= home+uint32(s.reach) && s.lines[free*lineWords]&countMask == uint64(s.slots) {
			free++
		}
		if free > home+uint32(s.reach) {
			s.addSpilt(home, e.x, e.other, e.doc, false)
			continue
		}
		s.put(home, int(free-home), e.x, e.other, e.doc, false)
	}
	return s
}

// entries appends all entries to es.
func (s *segment) entries(es []entry) []entry {
	es = slices.Grow(es, s.len())
	s.all(func(x, other uint32, doc DocID) bool { es = append(es, entry{x, other, doc}); return true })
	return es
}

func (s *segment) lineCount() int { return int(s.m) + s.reach }

func (s *segment) docWords() int { return (s.lineCount()*s.slots*s.docBits + 63) / 64 }

func (s *segment) len() int { return s.n + s.spill.n }

func (s *segment) bytes() int64 { return int64(8*len(s.lines)+8*len(s.docs)) + s.spill.size.Load() }

// regrown returns a copy with room for n entries.
func (s *segment) regrown(docBits int) *segment {
	return filled(s.entries(nil), docBits, emptiest, false)
}

func (s *segment) home(x uint32) uint32 { return uint32(uint64(x) * s.m >> keyBits) }

func (s *segment) line(l uint32) *line { return (*line)(s.lines[l*lineWords:]) }

// start returns the first key at home in a line.
func (s *segment) start(l uint32) uint32 { return uint32((uint64(l)<<keyBits + s.m - 1) / s.m) }

// insert adds an entry. In a segment that has readers each word is stored whole
// and the count last, so that they find an entry whole or not at all.
func (s *segment) insert(x, other uint32, doc DocID, shared bool) {
	home := s.home(x)
	for i := range s.reach + 1 {
		if int(s.lines[(int(home)+i)*lineWords]&countMask) < s.slots {
			s.put(home, i, x, other, doc, shared)
			return
		}
	}
	s.addSpilt(home, x, other, doc, shared)
}

// put adds an entry to the line that is so many behind its home.
func (s *segment) put(home uint32, after int, x, other uint32, doc DocID, shared bool) {
	l := int(home) + after
	line := (*[lineWords]uint64)(s.lines[l*lineWords:])
	slot := int(line[0] & countMask)
	lane := 2*lineWords - s.slots + slot
	put(line[:], lane*32, 32, uint64(other), shared)
	put(line[:], s.headBits+slot*s.tagBits, s.tagBits, uint64(x)&(1<<s.tagBits-1), shared)
	if s.docBits > 0 {
		put(s.docs, (l*s.slots+slot)*s.docBits, s.docBits, uint64(doc), shared)
	}
	store(&line[0], line[0]+1, shared)
	if after > 0 {
		head := &s.lines[home*lineWords]
		store(head, s.reaching(*head, after), shared)
	}
	s.n++
}

// addSpilt adds an entry to the spill.
func (s *segment) addSpilt(home, x, other uint32, doc DocID, shared bool) {
	s.spill.insert(home, entry{x, other, doc}, s.docBits > 0)
	head := &s.lines[home*lineWords]
	store(head, s.spilling(*head), shared)
}

// put stores the width low bits of v at a bit of w that was zero.
func put(w []uint64, bit, width int, v uint64, shared bool) {
	i, off := uint(bit)/64, uint(bit)%64
	if !shared {
		w[i] |= v << off
		if off+uint(width) > 64 {
			w[i+1] |= v >> (64 - off)
		}
		return
	}
	atomic.StoreUint64(&w[i], w[i]|v<<off)
	if off+uint(width) > 64 {
		atomic.StoreUint64(&w[i+1], w[i+1]|v>>(64-off))
	}
}

// store is atomic only where it must be: an atomic store waits for those before.
func store(w *uint64, v uint64, shared bool) {
	if shared {
		atomic.StoreUint64(w, v)
		return
	}
	*w = v
}

func get(w []uint64, bit, width int) uint64 {
	i, off := bit/64, bit%64
	v := atomic.LoadUint64(&w[i]) >> off
	if off+width > 64 {
		v |= atomic.LoadUint64(&w[i+1]) << (64 - off)
	}
	return v & (1<<width - 1)
}

// key returns the key of a slot.
func (s *segment) key(l uint32, line *[lineWords]uint64, slot int) uint32 {
	base := s.start(l - min(l, uint32(s.reach)))
	tag := uint32(get(line[:], s.headBits+slot*s.tagBits, s.tagBits))
	return base + (tag-base)&(1<<s.tagBits-1)
}

func (s *segment) doc(l uint32, slot int) DocID {
	if s.docBits == 0 {
		return 0
	}
	return DocID(get(s.docs, (int(l)*s.slots+slot)*s.docBits, s.docBits))
}

// find calls yield for the documents of the entries that are like these until it
// returns false, and reports whether it never did.
func (s *segment) find(x, other uint32, yield func(doc DocID) bool) bool {
	home := s.home(x)
	reach, spilt := s.beyond(atomic.LoadUint64(&s.lines[home*lineWords]))
	for l := home; l <= home+reach; l++ {
		line, mask := s.line(l), uint16(0)
		matchLines(&line, 1, other, 0, &mask)
		count := int(atomic.LoadUint64(&line[0]) & countMask)
		for ; mask != 0; mask &= mask - 1 {
			slot := bits.TrailingZeros16(mask) - (2*lineWords - s.slots)
			if slot >= 0 && slot < count && s.key(l, line, slot) == x && !yield(s.doc(l, slot)) {
				return false
			}
		}
	}
	return !spilt || s.spill.near(home, walk{x, keyMask, other, 0}, func(e entry) bool { return yield(e.doc) })
}

// has reports whether there is such an entry.
func (s *segment) has(x, other uint32) bool {
	return !s.find(x, other, func(DocID) bool { return false })
}

// all calls yield for every entry until it returns false, and reports whether
// it never did.
func (s *segment) all(yield func(x, other uint32, doc DocID) bool) bool {
	for l := range uint32(s.lineCount()) {
		line := (*[lineWords]uint64)(s.lines[l*lineWords:])
		for slot := range int(atomic.LoadUint64(&line[0]) & countMask) {
			lane := 2*lineWords - s.slots + slot
			other := uint32(atomic.LoadUint64(&line[lane/2]) >> (lane % 2 * 32))
			if !yield(s.key(l, line, slot), other, s.doc(l, slot)) {
				return false
			}
		}
	}
	return s.spill.all(func(e entry) bool { return yield(e.x, e.other, e.doc) })
}
