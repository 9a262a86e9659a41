package runs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
)

// An entry is a change of one key: its new value, or that it is gone.
type entry struct {
	key, value []byte
	gone       bool
}

// appendTo appends the entry's written form: the length of the key, the length of
// the value plus one, or 0 for a key that is gone, then key and value.
func (e entry) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(e.key)))
	n := uint64(len(e.value)) + 1
	if e.gone {
		n = 0
	}
	b = binary.AppendUvarint(b, n)
	b = append(b, e.key...)
	return append(b, e.value...)
}

// cutEntry reads the entry at the start of b and returns its length. It points
// into b.
func cutEntry(b []byte) (e entry, size int, ok bool) {
	k, n := binary.Uvarint(b)
	if n <= 0 {
		return e, 0, false
	}
	v, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return e, 0, false
	}
	e.gone = v == 0
	if v > 0 {
		v--
	}
	rest := b[n+m:]
	if k > uint64(len(rest)) || v > uint64(len(rest))-k {
		return e, 0, false
	}
	e.key, e.value = rest[:k:k], rest[k:k+v:k+v]
	return e, n + m + int(k+v), true
}

// headOf returns the first bytes of a key as a number that sorts as they do.
func headOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var head [8]byte
	copy(head[:], key)
	return binary.BigEndian.Uint64(head[:])
}

// A Slab is a sorted list of changes in memory. It does not change.
type Slab struct {
	data  []byte
	at    []uint32 // where each entry starts
	heads []uint64 // of each entry's key: they are adjacent, the keys are not
}

// NewSlab returns an empty slab for n changes, whose keys and values have so many bytes
// together. Those are added in the order of their keys.
func NewSlab(size, n int) *Slab { return newSlab(size+5*n, n) }

// Add adds a change of a key, which is id and rest one behind the other and above all keys
// before it: a new value, or that it is gone. All is copied.
func (s *Slab) Add(id byte, rest, value []byte, gone bool) {
	s.at = append(s.at, uint32(len(s.data)))
	var head [8]byte
	head[0] = id
	copy(head[1:], rest)
	s.heads = append(s.heads, binary.BigEndian.Uint64(head[:]))
	n := uint64(len(value)) + 1
	if gone {
		n = 0
	}
	s.data = binary.AppendUvarint(s.data, uint64(len(rest))+1)
	s.data = binary.AppendUvarint(s.data, n)
	s.data = append(append(append(s.data, id), rest...), value...)
}

func newSlab(size, n int) *Slab {
	return &Slab{make([]byte, 0, size), make([]uint32, 0, n), make([]uint64, 0, n)}
}

// append adds an entry in its written form.
func (s *Slab) append(head uint64, written []byte) {
	s.at = append(s.at, uint32(len(s.data)))
	s.heads = append(s.heads, head)
	s.data = append(s.data, written...)
}

// Len returns the number of changes.
func (s *Slab) Len() int { return len(s.at) }

// Keys yields the keys that the slab changes, in order.
func (s *Slab) Keys() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range s.Len() {
			if !yield(s.key(i)) {
				return
			}
		}
	}
}

// Bytes returns the slab's written form, for a log. It must not be changed.
func (s *Slab) Bytes() []byte { return s.data }

// size is what the slab takes in memory.
func (s *Slab) size() int { return len(s.data) + (4+8)*len(s.at) }

var errSlab = errors.New("log entry is damaged")

// ParseSlab reads a slab's written form, which it copies.
func ParseSlab(b []byte) (*Slab, error) {
	s := &Slab{data: bytes.Clone(b)}
	var last []byte
	for at := 0; at < len(b); {
		e, n, ok := cutEntry(s.data[at:])
		if !ok || at > 0 && bytes.Compare(e.key, last) <= 0 {
			return nil, errSlab
		}
		s.at, s.heads = append(s.at, uint32(at)), append(s.heads, headOf(e.key))
		last = e.key
		at += n
	}
	return s, nil
}

func (s *Slab) entry(i int) entry {
	e, _, _ := cutEntry(s.data[s.at[i]:]) // entries are whole: ParseSlab and Batch see to it
	return e
}

// key returns the key of an entry.
func (s *Slab) key(i int) []byte {
	b := s.data[s.at[i]:]
	n, size := uint64(b[0]), 1
	if n >= 0x80 {
		n, size = binary.Uvarint(b)
	}
	for b[size] >= 0x80 {
		size++
	}
	return b[size+1:][:n:n]
}

// findFrom returns the place of the first entry whose key is not below key. It is quickest if
// that is a few entries behind hint; 0 is not a hint.
func (s *Slab) findFrom(hint int, key []byte) int {
	head := headOf(key)
	below := func(i int) bool {
		if s.heads[i] != head {
			return s.heads[i] < head
		}
		return bytes.Compare(s.key(i), key) < 0
	}
	low, high := 0, len(s.at) // entries before low are below key, those from high on are not
	for step := 1; 0 < hint && hint < high && step < 64; step *= 2 {
		if !below(hint) {
			high = hint
			break
		}
		low = hint + 1
		hint += step
	}
	for low < high {
		if middle := int(uint(low+high) / 2); below(middle) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// merged returns the changes of both; where they differ, those of newer.
func (s *Slab) merged(newer *Slab) *Slab {
	m := newSlab(len(s.data)+len(newer.data), len(s.at)+len(newer.at))
	take := func(from *Slab, i int) {
		end := len(from.data)
		if i+1 < len(from.at) {
			end = int(from.at[i+1])
		}
		m.append(from.heads[i], from.data[from.at[i]:end])
	}
	i, j := 0, 0
	for i < len(s.at) && j < len(newer.at) {
		key := newer.key(j)
		for ; i < len(s.at); i++ {
			if c := bytes.Compare(s.key(i), key); c == 0 {
				i++
				break
			} else if c > 0 {
				break
			}
			take(s, i)
		}
		take(newer, j)
		j++
	}
	for ; i < len(s.at); i++ {
		take(s, i)
	}
	for ; j < len(newer.at); j++ {
		take(newer, j)
	}
	return m
}

// A slabSource reads a slab in order.
type slabSource struct {
	slab *Slab
	i    int
	e    entry
}

// source returns the slab's entries from one on.
func (s *Slab) source(first int) *slabSource {
	src := &slabSource{slab: s, i: first - 1}
	src.next()
	return src
}

func (s *slabSource) current() *entry {
	if s.i >= len(s.slab.at) {
		return nil
	}
	return &s.e
}

func (s *slabSource) next() error {
	if s.i++; s.i < len(s.slab.at) {
		s.e = s.slab.entry(s.i)
	}
	return nil
}
