package index

// heads is a set of pairs of a digest's head and a DocID. Two documents with one head are two
// pairs: the caller compares the full digests, which are in the signatures.
//
// It is a hash table with open addressing, in 256 shards by the head's first byte, so that a shard
// that grows does not block callers for long. A slot takes 12 bytes; a shard doubles when it is
// three quarters full.
type heads struct {
	shards [256]shard
	n      int
}

type shard struct {
	slots []slot // a power of two of them
	n     int
}

// A slot is empty while doc is zero.
type slot struct {
	hi, lo uint32
	doc    DocID
}

// add inserts a pair and reports whether it was new.
func (t *heads) add(head uint64, doc DocID) bool {
	s := &t.shards[head>>56]
	if 4*(s.n+1) > 3*len(s.slots) {
		s.grow()
	}
	if !s.put(slot{uint32(head >> 32), uint32(head), doc}) {
		return false
	}
	s.n++
	t.n++
	return true
}

// put stores p in its slot and reports whether it was new. There must be an empty slot.
func (s *shard) put(p slot) bool {
	for i := s.home(p.lo); ; i = (i + 1) & (len(s.slots) - 1) {
		switch s.slots[i] {
		case p:
			return false
		case slot{}:
			s.slots[i] = p
			return true
		}
	}
}

// home is where the search for a head starts. Digests are evenly distributed, so their low bits are
// good enough.
func (s *shard) home(lo uint32) int { return int(lo) & (len(s.slots) - 1) }

func (s *shard) grow() {
	old := s.slots
	s.slots = make([]slot, max(8, 2*len(old)))
	for _, p := range old {
		if p.doc != 0 {
			s.put(p)
		}
	}
}

// find calls yield for every document with that head until it returns false.
func (t *heads) find(head uint64, yield func(doc DocID) bool) {
	s := &t.shards[head>>56]
	if s.n == 0 {
		return
	}
	hi, lo := uint32(head>>32), uint32(head)
	for i := s.home(lo); s.slots[i].doc != 0; i = (i + 1) & (len(s.slots) - 1) {
		p := s.slots[i]
		if p.hi == hi && p.lo == lo && !yield(p.doc) {
			return
		}
	}
}
