package hashset

import "math/bits"

// A Table is a set of hashes in which one can be looked up at once. It has three slots for two hashes.
type Table struct {
	slots []uint64 // 0: free
	n     int      // hashes in slots
	zero  bool     // the set has the hash 0
}

// TableOf returns the set of some hashes, which may be repeated.
func TableOf(hashes []uint64) Table {
	t := Table{slots: make([]uint64, len(hashes)+len(hashes)/2+2)}
	for _, h := range hashes {
		if h == 0 {
			t.zero = true
			continue
		}
		if i := t.find(h); t.slots[i] == 0 {
			t.slots[i] = h
			t.n++
		}
	}
	return t
}

// find returns the slot of a hash, or the free slot where it would be. Hashes are evenly distributed.
func (t *Table) find(h uint64) int {
	at, _ := bits.Mul64(h, uint64(len(t.slots)))
	i := int(at)
	for t.slots[i] != 0 && t.slots[i] != h {
		if i++; i == len(t.slots) {
			i = 0
		}
	}
	return i
}

// IsZero reports whether t was not made by TableOf.
func (t *Table) IsZero() bool { return t.slots == nil }

// Has reports whether the set has a hash.
func (t *Table) Has(h uint64) bool {
	if h == 0 {
		return t.zero
	}
	return t.slots[t.find(h)] == h
}

// Len returns how many hashes the set has.
func (t *Table) Len() int {
	if t.zero {
		return t.n + 1
	}
	return t.n
}

// Shared returns how many hashes both sets have.
func (t *Table) Shared(with *Table) (both int) {
	few, many := t, with
	if len(few.slots) > len(many.slots) {
		few, many = many, few
	}
	for _, h := range few.slots {
		if h != 0 && many.slots[many.find(h)] == h {
			both++
		}
	}
	if few.zero && many.zero {
		both++
	}
	return both
}
