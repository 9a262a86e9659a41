package index

// BandKeys is how many bands a document may have.
const BandKeys = 8

// Bands are keys of four min-wise values each: two bodies with a resemblance of J share one of b
// keys with a probability of 1-(1-J^4)^b (Indyk and Motwani 1998); at 0.8, eight keys find 98 of
// 100. The first key of a page of few words is its title.
type Bands [BandKeys]uint32

// Shares reports whether one of the first n keys is the same in both.
func (b *Bands) Shares(other *Bands, n int) bool {
	for i := range n {
		if b[i] == other[i] {
			return true
		}
	}
	return false
}

// bandTable finds the documents that share a band key. It is a hash table with open addressing, in
// 256 shards by the key's first byte; a slot takes 8 bytes, and a shard doubles when it is three
// quarters full.
type bandTable struct {
	shards [256]bandShard
}

type bandShard struct {
	slots []bandSlot // a power of two of them
	n     int
}

// A bandSlot is empty while doc is zero.
type bandSlot struct {
	key uint32
	doc DocID
}

// MaxMeet is how many documents one band key leads to: the first that had it. It bounds the cost of
// a key that comes from a template and is in every page; later pages are found by their other keys.
const MaxMeet = 64

// add enters a document under its first n keys; entering it again changes nothing.
func (t *bandTable) add(keys Bands, n int, doc DocID) {
	for i, k := range keys[:n] {
		k = bandOf(k, i)
		s := &t.shards[k>>24]
		if 4*(s.n+1) > 3*len(s.slots) {
			s.grow()
		}
		if s.put(bandSlot{k, doc}) {
			s.n++
		}
	}
}

// bandOf makes a key of one band differ from those of the others.
func bandOf(key uint32, band int) uint32 { return key ^ uint32(band)*0x9E3779B1 }

// put stores p and reports whether it did. There must be an empty slot.
func (s *bandShard) put(p bandSlot) bool {
	met := 0
	for i := s.home(p.key); ; i = (i + 1) & (len(s.slots) - 1) {
		switch at := s.slots[i]; {
		case at.doc == 0:
			s.slots[i] = p
			return true
		case at.key == p.key:
			if met++; at.doc == p.doc || met == MaxMeet {
				return false
			}
		}
	}
}

func (s *bandShard) home(key uint32) int { return int(key) & (len(s.slots) - 1) }

func (s *bandShard) grow() {
	old := s.slots
	s.slots = make([]bandSlot, max(8, 2*len(old)))
	// Start after an empty slot, so that the documents of a key stay in order.
	start := 0
	for start < len(old) && old[start].doc != 0 {
		start++
	}
	for i := range old {
		if p := old[(start+i)&(len(old)-1)]; p.doc != 0 {
			s.put(p)
		}
	}
}

// find calls yield for the documents with a key from bandOf, in the order in which they were added,
// until yield returns false.
func (t *bandTable) find(k uint32, yield func(doc DocID) bool) {
	s := &t.shards[k>>24]
	if s.n == 0 {
		return
	}
	for i := s.home(k); s.slots[i].doc != 0; i = (i + 1) & (len(s.slots) - 1) {
		if s.slots[i].key == k && !yield(s.slots[i].doc) {
			return
		}
	}
}
