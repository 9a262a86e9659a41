package runs

import (
	"bytes"
	"sync"
)

// A Reader reads a snapshot from one goroutine. It remembers its position in each file and
// slab: keys that are asked for in rising order share the blocks that they are in, which makes
// them several times as cheap as others.
type Reader struct {
	s    *Snapshot
	mem  []int // in each slab, the first entry whose key is not below the last one asked for
	runs []runSource
	busy bool // in Range
}

// readers are kept for their buffers: 8 KB for each file.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// Reader returns a reader, which holds the snapshot until it is closed.
func (s *Snapshot) Reader() *Reader {
	s.refs.Add(1)
	r := readers.Get().(*Reader)
	r.s = s
	r.mem = append(r.mem[:0], make([]int, len(s.mem))...)
	for len(r.runs) < len(s.runs) {
		r.runs = append(r.runs, runSource{})
	}
	for i, file := range s.runs {
		r.runs[i].reset(file)
	}
	return r
}

// Close lets go of the snapshot. Nothing may be called after it.
func (r *Reader) Close() {
	r.s.Release()
	for i := range r.runs {
		r.runs[i].reset(nil)
	}
	r.s = nil
	readers.Put(r)
}

// Get returns a copy of a key's value; ok is false if there is none.
func (s *Snapshot) Get(key []byte) (value []byte, ok bool, err error) {
	r := s.Reader()
	defer r.Close()
	return r.Get(key)
}

// Range calls fn for the entries whose keys start with prefix, from the first whose key is not
// below from, until fn returns false. Key and value are valid until fn returns.
func (s *Snapshot) Range(prefix, from []byte, fn func(key, value []byte) (more bool)) error {
	r := s.Reader()
	defer r.Close()
	return r.Range(prefix, from, fn)
}

// Get is Snapshot.Get.
func (r *Reader) Get(key []byte) (value []byte, ok bool, err error) {
	if r.busy {
		return r.s.Get(key)
	}
	for i := len(r.s.mem) - 1; i >= 0; i-- {
		m := r.s.mem[i]
		if at := r.find(i, key); at < m.Len() && bytes.Equal(m.key(at), key) {
			e := m.entry(at)
			return bytes.Clone(e.value), !e.gone, nil
		}
	}
	hash, hashed := r.s.hash(key)
	for i := len(r.s.runs) - 1; i >= 0; i-- {
		src := &r.runs[i]
		if has, err := src.seek(key, key, hash, hashed); err != nil {
			return nil, false, err
		} else if !has {
			continue
		}
		if e := src.current(); e != nil && bytes.Equal(e.key, key) {
			return append([]byte{}, e.value...), !e.gone, nil
		}
	}
	return nil, false, nil
}

// find returns the place of the first entry of a slab whose key is not below key.
func (r *Reader) find(slab int, key []byte) int {
	r.mem[slab] = r.s.mem[slab].findFrom(r.mem[slab], key)
	return r.mem[slab]
}

// Range is Snapshot.Range. Fn may use the reader.
func (r *Reader) Range(prefix, from []byte, fn func(key, value []byte) (more bool)) error {
	if r.busy {
		return r.s.Range(prefix, from, fn)
	}
	r.busy = true
	defer func() { r.busy = false }()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	var sources []source
	hash, hashed := r.s.hash(prefix)
	for i := range r.s.runs {
		src := &r.runs[i]
		has, err := src.seek(from, prefix, hash, hashed)
		if err != nil {
			return err
		}
		if e := src.current(); has && e != nil && bytes.HasPrefix(e.key, prefix) {
			defer src.settle()
			sources = append(sources, src)
		}
	}
	for i, m := range r.s.mem {
		src := m.source(r.find(i, from))
		if e := src.current(); e != nil && bytes.HasPrefix(e.key, prefix) {
			sources = append(sources, src)
		}
	}
	m := newMerge(sources)
	for e := m.current(); e != nil && bytes.HasPrefix(e.key, prefix); e = m.current() {
		if !e.gone && !fn(e.key, e.value) {
			return nil
		}
		if err := m.next(); err != nil {
			return err
		}
	}
	return nil
}
