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
	Cutter
	Bits        int     `option:"bits" range:"64,65536" about:"bits of a filter, a multiple of 64"`
	Hashes      int     `option:"hashes" range:"1,16" about:"bits of a chunk"`
	Share       float64 `option:"threshold" range:"0.01,1" about:"share of bits in both"`
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

func (Bloom) needs() need { return needNothing }

func (m Bloom) check() error {
	if m.Bits%64 != 0 {
		return fmt.Errorf("bits=%d: want a multiple of 64", m.Bits)
	}
	return m.Cutter.check()
}

// Sign returns the filter of each document.
func (m Bloom) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the filter, and behind it the hashes of the chunks: the filters of two documents
// without a common chunk are not compared if there are many documents.
func (m Bloom) Scheme(*Collection) Scheme {
	words := m.Bits / 64
	return Scheme{
		Sketch: func(d Document) []uint64 {
			filter := make([]uint64, words)
			var chunks []uint64
			for chunk := range m.cut(textOf(d.Body)) {
				h := xxhash.Sum64(chunk)
				chunks = append(chunks, h)
				for k := range m.Hashes {
					bit := splitmix.Mix(h+uint64(k)) % uint64(m.Bits)
					filter[bit/64] |= 1 << (bit % 64)
				}
			}
			if len(chunks) == 0 {
				return nil
			}
			return append(filter, set(chunks)...)
		},
		Keys:  func(s []uint64, _ float64, _ func(uint64) int) []uint64 { return s[words:] },
		Score: func(a, b []uint64) float64 { return m.score(a[:words], b[:words]) },
		Bytes: func([]uint64) int { return m.Bits / 8 },
		// Every filter is compared with every other, as in the paper.
		pairs: func(sketches [][]uint64, least float64) iter.Seq[Pair] {
			return scored(everyOf(sketches), least, func(a, b int) float64 {
				return m.score(sketches[a][:words], sketches[b][:words])
			})
		},
	}
}

func (m Bloom) score(a, b []uint64) float64 {
	inA, inB, both := 0, 0, 0
	for i, w := range a {
		inA += bits.OnesCount64(w)
		inB += bits.OnesCount64(b[i])
		both += bits.OnesCount64(w & b[i])
	}
	all := max(inA, inB)
	if m.Containment {
		all = min(inA, inB)
	}
	return float64(both) / float64(all)
}
