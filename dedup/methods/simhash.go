package methods

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"gatecrawl.example/gatecrawl/splitmix"
)

// SimHash is the sign of 64 sums over a document's tokens: each adds its weight where its hash
// has a one and subtracts it where it has a zero (Charikar 2002). Documents within Distance
// bits are copies (Manku, Jain and Das Sarma 2007). In Chinese a token is a character: pairs of
// them spread the weight over so many features that one edit moves the sums too far.
type SimHash struct {
	Distance int  `option:"distance" range:"0,12" about:"k, bits that may differ"`
	Plain    bool // tf for a weight, as most libraries have it; else log tf x idf
}

func (m SimHash) Name() string {
	if m.Plain {
		return "simhash-tf"
	}
	return "simhash"
}

func (m SimHash) Source() string {
	if m.Plain {
		return fmt.Sprintf("Charikar 2002; tf, k = %d", m.Distance)
	}
	return fmt.Sprintf("Manku, Jain, Das Sarma 2007; log tf x idf, k = %d", m.Distance)
}

func (m SimHash) Threshold() float64 { return nearness(m.Distance) }

// nearness is the score of a distance in bits, and distance the bits of a score.
func nearness(d int) float64 { return 1 - float64(d)/64 }
func distance(s float64) int { return int(64*(1-s) + ulps) }

func (m SimHash) needs() need {
	if m.Plain {
		return needNothing
	}
	return needWords
}

// Sign returns the 64 bits of each document.
func (m SimHash) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the 64 bits.
func (m SimHash) Scheme(c *Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			tallies := c.tallies(d.Body)
			if len(tallies) == 0 {
				return nil // documents without a token are like no other
			}
			return []uint64{simHash(tallies, func(t tally) float64 {
				if m.Plain {
					return float64(t.n)
				}
				return (1 + math.Log(float64(t.n))) * c.idf(t.term)
			})}
		},
		Keys:  func(s []uint64, least float64, _ func(uint64) int) []uint64 { return blockKeys(s[0], distance(least)) },
		Score: func(a, b []uint64) float64 { return nearness(bits.OnesCount64(a[0] ^ b[0])) },
		Bytes: words64,
		// A scan: at the distances that a sweep needs, tables save nothing in a collection of
		// its size.
		pairs: func(sketches [][]uint64, least float64) iter.Seq[Pair] {
			return scored(everyOf(sketches), least, func(a, b int) float64 {
				return nearness(bits.OnesCount64(sketches[a][0] ^ sketches[b][0]))
			})
		},
	}
}

// blockKeys are the leading bits of permuted tables: 64 bits are cut into k + 2 blocks, of
// which two at least are equal where k bits differ, so that each choice of two is a table
// (Manku, Jain and Das Sarma 2007: 10 tables of some 25 leading bits for k = 3).
func blockKeys(h uint64, k int) []uint64 {
	n := k + 2
	block := func(i int) uint64 {
		from, to := 64*i/n, 64*(i+1)/n
		return h >> from & (1<<(to-from) - 1)
	}
	var keys []uint64
	for b := range n {
		for a := range b {
			keys = append(keys, splitmix.Mix(chain(chain(uint64(a*n+b), block(a)), block(b))))
		}
	}
	return keys
}

func simHash(terms []tally, weight func(tally) float64) (h uint64) {
	var sums [64]float64
	for _, t := range terms {
		w, x := weight(t), splitmix.Mix(t.term)
		for i := range sums {
			if x>>i&1 == 1 {
				sums[i] += w
			} else {
				sums[i] -= w
			}
		}
	}
	for i, sum := range sums {
		if sum > 0 {
			h |= 1 << i
		}
	}
	return h
}

// everyOf yields all pairs of sketches that are there.
func everyOf(sketches [][]uint64) iter.Seq2[int, int] {
	return func(yield func(a, b int) bool) {
		for a, b := range every(len(sketches)) {
			if sketches[a] != nil && sketches[b] != nil && !yield(a, b) {
				return
			}
		}
	}
}
