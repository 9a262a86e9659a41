package search

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/splitmix"
)

// MaxGroup is how many documents that have a key in common are all compared with each
// other. Of more each is compared with the first and the last MaxGroup/2 before it.
const MaxGroup = 256

// bufferRows is how many rows a sorter holds in memory, 16 bytes each.
const bufferRows = 1 << 21

// A Pair of copies. Equal says that their sketches are, and that A is the first document
// with its sketch.
type Pair struct {
	methods.Pair
	Equal bool
}

// A Finder finds the copies among documents that are added one by one. It is used from
// one goroutine.
type Finder struct {
	scheme   methods.Scheme
	least    float64
	sketches *sketches
	same     *sorter  // hash of a sketch, document
	counts   *counts  // of parts; nil: no part is counted
	first    []uint32 // of each document, the first with its sketch
	part, of uint64   // compared are documents that meet by keys that are part modulo of

	LeftOut int64 // pairs with a key in common that were not compared
	Scored  int64 // pairs that were
}

// New returns a Finder of the pairs with a score of least or more. Close it.
func New(scheme methods.Scheme, least float64) (*Finder, error) {
	return newFinder(scheme, least, bufferRows)
}

func newFinder(scheme methods.Scheme, least float64, rows int) (*Finder, error) {
	s, err := newSketches()
	if err != nil {
		return nil, err
	}
	f := &Finder{scheme: scheme, least: least, sketches: s, same: newSorter(rows), of: 1}
	if scheme.Parts != nil {
		f.counts = new(counts)
	}
	return f, nil
}

// Only has Pairs find only what meets by the part-th of a number of parts of the keys, from 1, so
// that several machines with the same sketches share the work: the bipartite graph of documents
// and keys is cut by its keys (Forman, Eshghi and Chiocchetti 2005). What all parts find
// together is what one Finder finds; a pair with many keys in common is found by several.
func (f *Finder) Only(part, of int) { f.part, f.of = uint64(part-1), uint64(of) }

// mine reports whether a key is of the part that is compared.
func (f *Finder) mine(key uint64) bool { return f.of == 1 || splitmix.Mix(key)%f.of == f.part }

// Close removes what a Finder has on disk.
func (f *Finder) Close() error { return errors.Join(f.sketches.close(), f.same.close()) }

// Add adds the sketch of the next document, as the scheme's Sketch returned it; nil: the
// document is like no other.
func (f *Finder) Add(sketch []uint64) error {
	if f.sketches.len() >= math.MaxUint32 {
		return errors.New("more than 4,294,967,295 documents")
	}
	if sketch != nil && f.scheme.Arrive != nil {
		sketch = f.scheme.Arrive(sketch)
	}
	doc := uint64(f.sketches.len())
	if err := f.sketches.add(sketch); err != nil || sketch == nil {
		return err
	}
	if f.counts != nil {
		for _, p := range f.scheme.Parts(sketch) {
			f.counts.add(p)
		}
	}
	return f.same.add(row{hashOf(sketch), doc})
}

func hashOf(sketch []uint64) uint64 {
	var h xxhash.Digest
	h.Reset()
	var b [8]byte
	for _, x := range sketch {
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	return h.Sum64()
}

// held is about how many documents have a part: never fewer.
func (f *Finder) held(part uint64) int { return f.counts.of(part) }

// Pairs calls visit with each pair of copies, by their later documents and for each of these by
// the earlier ones. Of documents with equal sketches the first represents all: it is paired
// with each of them, and they with no other. It is called once.
func (f *Finder) Pairs(visit func(Pair) error) error {
	if err := f.sketches.w.Flush(); err != nil {
		return temporary(err)
	}
	if err := f.findFirsts(); err != nil {
		return err
	}
	candidates, err := f.candidates()
	if err != nil {
		return err
	}
	err = f.score(candidates, visit)
	return errors.Join(err, candidates.close())
}

// findFirsts finds the first document of each sketch.
func (f *Finder) findFirsts() error {
	f.first = make([]uint32, f.sketches.len())
	for i := range f.first {
		f.first[i] = uint32(i)
	}
	var hash uint64
	var firsts []uint32 // with one hash and different sketches: rarely two
	return f.same.all(func(r row) error {
		if r.key != hash {
			hash, firsts = r.key, firsts[:0]
		}
		doc := uint32(r.value)
		mine, err := f.sketches.get(doc)
		if err != nil {
			return err
		}
		for _, before := range firsts {
			other, err := f.sketches.get(before)
			if err != nil {
				return err
			}
			if slices.Equal(mine, other) {
				f.first[doc] = before
				return nil
			}
		}
		firsts = append(firsts, doc)
		return nil
	})
}

// candidates returns the pairs that have a key in common, the later document first.
func (f *Finder) candidates() (*sorter, error) {
	keys, found := newSorter(f.same.most), newSorter(f.same.most)
	err := f.sketches.each(func(doc uint32, sketch []uint64) error {
		if sketch == nil || f.first[doc] != doc {
			return nil
		}
		for _, k := range f.scheme.Keys(f.trimmed(sketch), f.least, f.held) {
			if !f.mine(k) {
				continue
			}
			if err := keys.add(row{k, uint64(doc)}); err != nil {
				return err
			}
		}
		return nil
	})
	var group []uint32
	var key uint64
	flush := func() error {
		if len(group) < 2 {
			return nil
		}
		return f.meet(group, found)
	}
	if err == nil {
		err = keys.all(func(r row) error {
			if r.key != key {
				if err := flush(); err != nil {
					return err
				}
				key, group = r.key, group[:0]
			}
			group = append(group, uint32(r.value))
			return nil
		})
	}
	if err == nil {
		err = flush()
	}
	if err = errors.Join(err, keys.close()); err != nil {
		return nil, errors.Join(err, found.close())
	}
	return found, nil
}

// meet adds the pairs of documents with one key.
func (f *Finder) meet(group []uint32, found *sorter) error {
	for j, b := range group {
		for i := 0; i < j; i++ {
			if len(group) > MaxGroup && i == MaxGroup/2 && j > MaxGroup {
				f.LeftOut += int64(j - MaxGroup)
				i = j - MaxGroup/2
			}
			if err := found.add(row{uint64(b), uint64(group[i])}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Finder) trimmed(sketch []uint64) []uint64 {
	if f.scheme.Trim == nil {
		return sketch
	}
	return f.scheme.Trim(sketch, f.held)
}

// score scores the candidates, and yields those that are copies, among the documents whose
// sketch another one had before.
func (f *Finder) score(candidates *sorter, visit func(Pair) error) error {
	next := uint32(0)
	until := func(doc uint32) error { // the equal sketches of documents before doc
		for ; next < doc; next++ {
			if err := f.equal(next, visit); err != nil {
				return err
			}
		}
		return nil
	}
	var b []uint64
	at := uint32(math.MaxUint32)
	err := candidates.all(func(r row) error {
		doc := uint32(r.key)
		if doc != at {
			if err := until(doc); err != nil {
				return err
			}
			sketch, err := f.sketches.get(doc)
			if err != nil {
				return err
			}
			at, b = doc, f.trimmed(sketch)
		}
		a, err := f.sketches.get(uint32(r.value))
		if err != nil {
			return err
		}
		f.Scored++
		if s := f.scheme.Score(f.trimmed(a), b); s >= f.least {
			return visit(Pair{Pair: methods.Pair{A: int(r.value), B: int(doc), Score: s}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return until(uint32(f.sketches.len()))
}

// equal yields a document whose sketch another one had before.
func (f *Finder) equal(doc uint32, visit func(Pair) error) error {
	first := f.first[doc]
	if first == doc {
		return nil
	}
	sketch, err := f.sketches.get(doc)
	if err != nil {
		return err
	}
	if !f.mine(hashOf(sketch)) {
		return nil
	}
	if s := f.scheme.Score(sketch, sketch); s >= f.least {
		return visit(Pair{methods.Pair{A: int(first), B: int(doc), Score: s}, true})
	}
	return nil
}
