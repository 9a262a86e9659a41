package runs

import (
	"bytes"
	"cmp"
	"slices"
)

// A Batch collects changes. Of several changes of one key the last counts.
type Batch struct {
	data []byte // entries, in the order they came
	at   []int  // where each starts
}

// Put sets a key to a value. Both are copied.
func (b *Batch) Put(key, value []byte) { b.add(entry{key: key, value: value}) }

// Delete takes a key out. It need not be there.
func (b *Batch) Delete(key []byte) { b.add(entry{key: key, gone: true}) }

func (b *Batch) add(e entry) {
	b.at = append(b.at, len(b.data))
	b.data = e.appendTo(b.data)
}

// Slab returns the changes in the order of their keys.
func (b *Batch) Slab() *Slab {
	type place struct {
		head  uint64 // of the key: mostly it tells two apart
		key   []byte
		start int
		end   int
	}
	order := make([]place, len(b.at))
	for i, at := range b.at {
		e, n, _ := cutEntry(b.data[at:])
		order[i] = place{headOf(e.key), e.key, at, at + n}
	}
	slices.SortFunc(order, func(x, y place) int {
		if x.head != y.head {
			return cmp.Compare(x.head, y.head)
		}
		if c := bytes.Compare(x.key, y.key); c != 0 {
			return c
		}
		return y.start - x.start // the last first
	})
	s := newSlab(len(b.data), len(b.at))
	for i, p := range order {
		if i == 0 || !bytes.Equal(p.key, order[i-1].key) {
			s.append(p.head, b.data[p.start:p.end])
		}
	}
	return s
}
