package methods

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/splitmix"
)

// Bloom keeps of a document a Bloom filter of its chunks, and compares the bits
// set in both filters with those of the fuller one (Jain, Dahlin and Tewari
// 2005). With Containment it compares with the emptier one: a document that is
// part of another has all of its bits there.
//
// A filter has one size for every document, so that one instruction compares
// 64 of its bits. Beyond some hundred kilobytes of text it is full and resembles
// every other that is.
type Bloom struct {
	Bits        int     // of a filter, a multiple of 64
	Hashes      int     // bits a chunk
	Share       float64 // of bits in both
	Containment bool
}

func (m Bloom) Name() string {
	if m.Containment {
		return "bloom-containment"
	}
	return "bloom"
}

func (m Bloom) Source() string {
	return fmt.Sprintf("Jain, Dahlin, Tewari 2005; %d bits, %d hashes", m.Bits, m.Hashes)
}

func (m Bloom) Threshold() float64 { return m.Share }

// Sign returns the filter of each document.
func (m Bloom) Sign(docs []Document) Signatures {
	f := &filters{method: m, words: make([][]uint64, len(docs)), ones: make([]int, len(docs))}
	for i, d := range docs {
		f.words[i] = make([]uint64, m.Bits/64)
		for chunk := range cut(textOf(d.Body)) {
			h := xxhash.Sum64(chunk)
			for k := range m.Hashes {
				bit := splitmix.Mix(h+uint64(k)) % uint64(m.Bits)
				f.words[i][bit/64] |= 1 << (bit % 64)
			}
		}
		for _, w := range f.words[i] {
			f.ones[i] += bits.OnesCount64(w)
		}
	}
	return f
}

type filters struct {
	method Bloom
	words  [][]uint64
	ones   []int
}

func (f *filters) Size() int { return len(f.words) * f.method.Bits / 8 }

func (f *filters) Score(a, b int) float64 {
	all := max(f.ones[a], f.ones[b])
	if f.method.Containment {
		all = min(f.ones[a], f.ones[b])
	}
	if all == 0 {
		return 0
	}
	both := 0
	for i, w := range f.words[a] {
		both += bits.OnesCount64(w & f.words[b][i])
	}
	return float64(both) / float64(all)
}

// Pairs compares every filter with every other, as the paper does, but for those
// that have too few ones for it.
func (f *filters) Pairs(least float64) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for a, b := range every(len(f.words)) {
			if !f.method.Containment && float64(min(f.ones[a], f.ones[b])) < least*float64(max(f.ones[a], f.ones[b])) {
				continue
			}
			if s := f.Score(a, b); s >= least && !yield(Pair{a, b, s}) {
				return
			}
		}
	}
}
