package methods

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"gatecrawl.example/gatecrawl/splitmix"
)

// SimHash is the sign of 64 sums over a document's tokens: each adds its weight
// where its hash has a one and takes it where it has a zero (Charikar 2002).
// Documents within Distance bits are copies (Manku, Jain and Das Sarma 2007).
// In Chinese a token is a character: pairs of them spread the weight over so
// many features that one edit moves the sums too far.
type SimHash struct {
	Distance int  // k; 3 of 64 bits in the paper
	Plain    bool // tf for a weight, as most libraries have it; else log tf x idf
	Links    bool // the scores that links give must be near too
}

func (m SimHash) Name() string {
	switch {
	case m.Links:
		return "simhash-links"
	case m.Plain:
		return "simhash-tf"
	}
	return "simhash"
}

func (m SimHash) Source() string {
	switch {
	case m.Links:
		return fmt.Sprintf("projection and link score 2003; k = %d, factor %g", m.Distance, linkFactor)
	case m.Plain:
		return fmt.Sprintf("Charikar 2002; tf, k = %d", m.Distance)
	}
	return fmt.Sprintf("Manku, Jain, Das Sarma 2007; log tf x idf, k = %d", m.Distance)
}

func (m SimHash) Threshold() float64 { return nearness(m.Distance) }

// nearness is the score of a distance in bits.
func nearness(d int) float64 { return 1 - float64(d)/64 }

// Sign returns the 64 bits of each document, and with Links its score.
func (m SimHash) Sign(docs []Document) Signatures {
	tallies := make([][]tally, len(docs))
	for i, d := range docs {
		tokens := tokensOf(d.Body)
		hashes := make([]uint64, len(tokens))
		for j, t := range tokens {
			hashes[j] = t.hash
		}
		tallies[i] = tallied(hashes)
	}
	df := frequencies(tallies)
	s := &simHashes{hashes: make([]uint64, len(docs)), empty: make([]bool, len(docs))}
	for i, d := range tallies {
		s.empty[i] = len(d) == 0
		s.hashes[i] = simHash(d, func(t tally) float64 {
			if m.Plain {
				return float64(t.n)
			}
			return (1 + math.Log(float64(t.n))) * math.Log1p(float64(len(docs))/float64(df[t.term]))
		})
	}
	if m.Links {
		s.ranks = linkScores(docs)
	}
	return s
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

type simHashes struct {
	hashes []uint64
	empty  []bool    // documents without a token are like no other
	ranks  []float64 // nil without links
}

// Size counts eight bytes, and four for a rank.
func (s *simHashes) Size() int { return 8*len(s.hashes) + 4*len(s.ranks) }

func (s *simHashes) Score(a, b int) float64 {
	if s.empty[a] || s.empty[b] || s.ranks != nil && !rankedAlike(s.ranks[a], s.ranks[b]) {
		return 0
	}
	return nearness(bits.OnesCount64(s.hashes[a] ^ s.hashes[b]))
}

// Pairs is a scan: at the distances that a sweep wants, tables save nothing in
// a collection of this size.
func (s *simHashes) Pairs(least float64) iter.Seq[Pair] {
	return scored(every(len(s.hashes)), least, s.Score)
}
