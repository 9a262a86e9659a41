// Package indextest has what tests of indexes share: an index that scans, four maps, and the kinds
// of fingerprints that come from an ordinary web, a skewed one and an attacker.
package indextest

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/splitmix"
)

// ByAll orders hits by document and distance.
func ByAll(a, b Hit) int {
	if a.Doc != b.Doc {
		return int(a.Doc) - int(b.Doc)
	}
	return a.D - b.D
}

// A Scan is an Index that looks at every fingerprint.
type Scan struct {
	FPs  []uint64
	Docs []index.DocID
}

func (s *Scan) Insert(fp uint64, doc index.DocID) {
	s.FPs, s.Docs = append(s.FPs, fp), append(s.Docs, doc)
}

func (s *Scan) Len() int { return len(s.FPs) }

func (s *Scan) Bytes() int64 { return int64(8*cap(s.FPs) + 4*cap(s.Docs)) }

func (s *Scan) Design() index.Design { return "scan" }

func (s *Scan) NearBatch(fps []uint64, k int, yield func(int, index.DocID, uint64, int) bool) {
	index.NearBatch(s, fps, k, yield)
}

func (s *Scan) Near(fp uint64, k int, yield func(index.DocID, uint64, int) bool) {
	for i, x := range s.FPs {
		if d := bits.OnesCount64(x ^ fp); d <= k && !yield(s.Docs[i], x, d) {
			return
		}
	}
}

// Maps are four tables of 16 bits as they are mostly written.
type Maps [4]map[uint16][]row

type row struct {
	fp  uint64
	doc index.DocID
}

func (m *Maps) Insert(fp uint64, doc index.DocID) {
	for i := range m {
		if m[i] == nil {
			m[i] = map[uint16][]row{}
		}
		key := uint16(fp >> (16 * i))
		m[i][key] = append(m[i][key], row{fp, doc})
	}
}

func (m *Maps) Len() int { return 0 }

func (m *Maps) Bytes() int64 { return 0 }

func (m *Maps) Design() index.Design { return "maps" }

func (m *Maps) NearBatch(fps []uint64, k int, yield func(int, index.DocID, uint64, int) bool) {
	index.NearBatch(m, fps, k, yield)
}

func (m *Maps) Near(fp uint64, k int, yield func(index.DocID, uint64, int) bool) {
	seen := map[index.DocID]bool{}
	for i := range m {
		for _, r := range m[i][uint16(fp>>(16*i))] {
			if d := bits.OnesCount64(r.fp ^ fp); d <= k && !seen[r.doc] {
				seen[r.doc] = true
				if !yield(r.doc, r.fp, d) {
					return
				}
			}
		}
	}
}

// Kinds are the kinds of fingerprints: those of an ordinary web, a skewed one and an attacker.
var Kinds = []struct {
	Name string
	Next func(r *rand.Rand, i int) uint64
}{
	{"uniform", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
	{"skewed", func(r *rand.Rand, _ int) uint64 { return r.Uint64() & r.Uint64() & r.Uint64() }},
	{"clustered", func(r *rand.Rand, _ int) uint64 { return Flip(r, splitmix.Mix(uint64(r.IntN(20))), r.IntN(9)) }},
	{"one bucket", func(r *rand.Rand, _ int) uint64 { return r.Uint64() & 0xFFFF }},
	{"all equal", func(*rand.Rand, int) uint64 { return 0 }},
	{"counting", func(_ *rand.Rand, i int) uint64 { return uint64(i) }},
	{"all ones", func(r *rand.Rand, _ int) uint64 { return ^(uint64(1) << r.IntN(64)) }},
}

// Flip flips n bits, perhaps one more than once.
func Flip(r *rand.Rand, fp uint64, n int) uint64 {
	for range n {
		fp ^= 1 << r.IntN(64)
	}
	return fp
}

// A Hit is what an index reports.
type Hit struct {
	Doc index.DocID
	FP  uint64
	D   int
}

// Near returns what an index reports, by document.
func Near(x index.Index, fp uint64, k int) (hits []Hit) {
	x.Near(fp, k, func(doc index.DocID, fp uint64, d int) bool {
		hits = append(hits, Hit{doc, fp, d})
		return true
	})
	slices.SortFunc(hits, func(a, b Hit) int { return int(a.Doc) - int(b.Doc) })
	return hits
}
