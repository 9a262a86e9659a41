package index

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// A segment is the part of a table whose mixed keys start alike. The rest of the key, 24 bits,
// has its home in a line: the lines divide the keys evenly and in order. A home line that is
// full passes its entries to the next one to three lines, and what these have no room for goes
// to the spill, which takes any number of like keys.
//
// A line is eight words: in the last lanes of 32 bits the other halves, one a
// slot; before them from bit 7 on the tags; in the first seven bits how many
// slots are taken (4), how far the line's entries reach (2) and whether it spills
// (1). A narrow head has no room for the last: it takes six bits, and says 3 for
// "two lines, and the spill". A tag is as many low bits of the key as tell it from
// all others that may be in the line. So there are 12 slots in a line where keys
// are dense, and 8 where they are sparse.
//
// Entries that come in the order of their home lines leave hardly any to the spill, in any
// other order they leave more: so a bulk fill is sorted.
//
// DocIDs are packed in an array of their own, which is read for a hit only.
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
	countMask  = 1<<4 - 1
	reachShift = 4
	reachMask  = 3 << reachShift
	spillMask  = 1 << 6
	maxReach   = 3
)

// A segment is made with emptiest of its slots taken, or with packed of them if many entries are
// added at once, and grows when fullest are. Filled in order, a query reads half as many lines
// again as there are home lines at 0.89, and almost twice as many at 0.94.
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
		s.m = min(max(1, uint64(float64(n)/(float64(s.slots)*load))+1), 1<<lanes.KeyBits)
		s.setHead()
		most := maxReach
		if s.narrow {
			most--
		}
		keys := (1<<lanes.KeyBits + s.m - 1) / s.m // of one line
		if s.reach = int(min(uint64(most)+1, 1<<s.tagBits/(keys+1))) - 1; s.reach >= 2 {
			break
		}
	}
	s.limit = int(fullest * float64(s.slots) * float64(s.m))
	s.lines = make([]uint64, s.lineCount()*lanes.LineWords)
	s.docs = make([]uint64, s.docWords())
	lanes.AdviseHuge(s.lines)
	lanes.AdviseHuge(s.docs)
	return s
}

// setHead sets what follows from slots and tags.
func (s *segment) setHead() {
	s.headBits = 7
	if s.narrow = s.headBits+s.slots*(s.tagBits+32) > 64*lanes.LineWords; s.narrow {
		s.headBits--
	}
}

// beyond returns in how many lines after its home line the entries of a line may be, and whether
// some are in the spill.
func (s *segment) beyond(head uint64) (reach uint32, spilt bool) {
	reach = uint32(head & reachMask >> reachShift)
	if s.narrow {
		return min(reach, maxReach-1), reach == maxReach
	}
	return reach, head&spillMask != 0
}

// reaching returns the head of a line after one of its entries was put so many lines after it.
func (s *segment) reaching(head uint64, lines int) uint64 {
	if uint64(lines)<<reachShift > head&reachMask {
		return head&^reachMask | uint64(lines)<<reachShift
	}
	return head
}

// spilling returns the head of a line after one of its entries was put into the spill.
func (s *segment) spilling(head uint64) uint64 {
	if s.narrow {
		return head | reachMask
	}
	return head | spillMask
}

// filled returns a segment with the given entries; with once, equal entries count as one.
func filled(es []lanes.Entry, docBits int, load float64, once bool) *segment {
	s := newSegment(len(es), docBits, load)
	w := lanes.Sorters.Get().(*lanes.Sorter)
	defer lanes.Sorters.Put(w)
	free := uint32(0) // no line before this one has a free slot
	for _, e := range sorted(w, s, es, once) {
		home := s.home(e.X)
		free = max(free, home)
		if free <= home+uint32(s.reach) && s.lines[free*lanes.LineWords]&countMask == uint64(s.slots) {
			free++
		}
		if free > home+uint32(s.reach) {
			s.addSpilt(home, e.X, e.Other, e.Doc, false)
			continue
		}
		s.put(home, int(free-home), e.X, e.Other, e.Doc, false)
	}
	return s
}

// entries appends all entries to es.
func (s *segment) entries(es []lanes.Entry) []lanes.Entry {
	es = slices.Grow(es, s.len())
	s.all(func(x, other uint32, doc DocID) bool {
		es = append(es, lanes.Entry{X: x, Other: other, Doc: doc})
		return true
	})
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

func (s *segment) home(x uint32) uint32 { return uint32(uint64(x) * s.m >> lanes.KeyBits) }

func (s *segment) line(l uint32) *lanes.Line { return (*lanes.Line)(s.lines[l*lanes.LineWords:]) }

// start returns the first key whose home is a line.
func (s *segment) start(l uint32) uint32 { return uint32((uint64(l)<<lanes.KeyBits + s.m - 1) / s.m) }

// insert adds an entry. In a segment that has readers each word is stored atomically and the count
// last, so that readers see an entry completely or not at all.
func (s *segment) insert(x, other uint32, doc DocID, shared bool) {
	home := s.home(x)
	for i := range s.reach + 1 {
		if int(s.lines[(int(home)+i)*lanes.LineWords]&countMask) < s.slots {
			s.put(home, i, x, other, doc, shared)
			return
		}
	}
	s.addSpilt(home, x, other, doc, shared)
}

// put adds an entry to the line that is after lines behind its home.
func (s *segment) put(home uint32, after int, x, other uint32, doc DocID, shared bool) {
	l := int(home) + after
	line := (*[lanes.LineWords]uint64)(s.lines[l*lanes.LineWords:])
	slot := int(line[0] & countMask)
	lane := 2*lanes.LineWords - s.slots + slot
	lanes.Put(line[:], lane*32, 32, uint64(other), shared)
	lanes.Put(line[:], s.headBits+slot*s.tagBits, s.tagBits, uint64(x)&(1<<s.tagBits-1), shared)
	if s.docBits > 0 {
		lanes.Put(s.docs, (l*s.slots+slot)*s.docBits, s.docBits, uint64(doc), shared)
	}
	lanes.Store(&line[0], line[0]+1, shared)
	if after > 0 {
		head := &s.lines[home*lanes.LineWords]
		lanes.Store(head, s.reaching(*head, after), shared)
	}
	s.n++
}

// addSpilt adds an entry to the spill.
func (s *segment) addSpilt(home, x, other uint32, doc DocID, shared bool) {
	s.spill.insert(home, lanes.Entry{X: x, Other: other, Doc: doc}, s.docBits > 0)
	head := &s.lines[home*lanes.LineWords]
	lanes.Store(head, s.spilling(*head), shared)
}

// key returns the key of a slot.
func (s *segment) key(l uint32, line *[lanes.LineWords]uint64, slot int) uint32 {
	base := s.start(l - min(l, uint32(s.reach)))
	tag := uint32(lanes.Get(line[:], s.headBits+slot*s.tagBits, s.tagBits))
	return base + (tag-base)&(1<<s.tagBits-1)
}

func (s *segment) doc(l uint32, slot int) DocID {
	if s.docBits == 0 {
		return 0
	}
	return DocID(lanes.Get(s.docs, (int(l)*s.slots+slot)*s.docBits, s.docBits))
}

// find calls yield for the documents of the entries that equal x and other, until yield returns
// false. It returns false if yield did.
func (s *segment) find(x, other uint32, yield func(doc DocID) bool) bool {
	home := s.home(x)
	reach, spilt := s.beyond(atomic.LoadUint64(&s.lines[home*lanes.LineWords]))
	for l := home; l <= home+reach; l++ {
		line, mask := s.line(l), uint16(0)
		lanes.MatchLines(&line, 1, other, 0, &mask)
		count := int(atomic.LoadUint64(&line[0]) & countMask)
		for ; mask != 0; mask &= mask - 1 {
			slot := bits.TrailingZeros16(mask) - (2*lanes.LineWords - s.slots)
			if slot >= 0 && slot < count && s.key(l, line, slot) == x && !yield(s.doc(l, slot)) {
				return false
			}
		}
	}
	return !spilt || s.spill.near(home, walk{x, lanes.KeyMask, other, 0}, func(e lanes.Entry) bool { return yield(e.Doc) })
}

// has reports whether there is such an entry.
func (s *segment) has(x, other uint32) bool {
	return !s.find(x, other, func(DocID) bool { return false })
}

// all calls yield for every entry until yield returns false. It returns false if yield did.
func (s *segment) all(yield func(x, other uint32, doc DocID) bool) bool {
	for l := range uint32(s.lineCount()) {
		line := (*[lanes.LineWords]uint64)(s.lines[l*lanes.LineWords:])
		for slot := range int(atomic.LoadUint64(&line[0]) & countMask) {
			lane := 2*lanes.LineWords - s.slots + slot
			other := uint32(atomic.LoadUint64(&line[lane/2]) >> (lane % 2 * 32))
			if !yield(s.key(l, line, slot), other, s.doc(l, slot)) {
				return false
			}
		}
	}
	return s.spill.all(func(e lanes.Entry) bool { return yield(e.X, e.Other, e.Doc) })
}

// sorted returns the entries in the order of their home lines; with once, equal ones count as one.
// They are valid until the sorter is used again.
func sorted(w *lanes.Sorter, s *segment, es []lanes.Entry, once bool) []lanes.Entry {
	es, ends := w.Grouped(es, int(s.m), s.home)
	if !once {
		return es
	}
	left, start := es[:0], uint32(0)
	for _, end := range ends {
		left = append(left, distinct(es[start:end])...)
		start = end
	}
	return left
}

// distinct sorts the entries of a line and drops repeated ones.
func distinct(es []lanes.Entry) []lanes.Entry {
	slices.SortFunc(es, func(a, b lanes.Entry) int {
		return cmp.Compare(uint64(a.X)<<32|uint64(a.Other), uint64(b.X)<<32|uint64(b.Other))
	})
	return slices.Compact(es)
}
