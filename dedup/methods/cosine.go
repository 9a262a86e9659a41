package methods

import (
	"fmt"
	"iter"
)

// Cosine compares documents as vectors of their keywords (Salton's vector
// space): the smaller the angle, the more alike. It sees the subject and not
// the wording: two texts of one story are near, and so are two that differ
// in a number.
type Cosine struct {
	Terms int     // keywords of a document
	Least float64 // cosine of copies
}

func (Cosine) Name() string         { return "cosine" }
func (m Cosine) Source() string     { return fmt.Sprintf("vector space, tf-idf; %d keywords", m.Terms) }
func (m Cosine) Threshold() float64 { return m.Least }

// Sign returns the vector of each document, weighted by the collection.
func (m Cosine) Sign(docs []Document) Signatures { return vectors(vectorsOf(docs, m.Terms)) }

type vectors [][]weighted

// Size counts eight bytes for a term and four for its weight.
func (v vectors) Size() int { return stored(termSets(v), 12) }

func (v vectors) Score(a, b int) float64 { return cosine(v[a], v[b]) }

// Pairs indexes the rarest terms of each document, as many as matter.
func (v vectors) Pairs(least float64) iter.Seq[Pair] {
	return scored(sharing(v.heads(least)), least, v.Score)
}

// heads returns the rarest terms of each document, without those at the end
// whose weights together stay below least: a pair that has only such terms in
// common has a smaller cosine, since the other vector is no longer than 1
// (Bayardo, Ma and Srikant 2007).
func (v vectors) heads(least float64) [][]uint64 {
	heads := rarestFirst(termSets(v))
	for i, rarest := range heads {
		weight := make(map[uint64]float64, len(rarest))
		for _, t := range v[i] {
			weight[t.term] = t.weight
		}
		n, rest := len(rarest), 0.0
		for n > 0 {
			w := weight[rarest[n-1]]
			rest += w * w
			if rest >= least*least-ulps {
				break
			}
			n--
		}
		heads[i] = rarest[:n]
	}
	return heads
}
