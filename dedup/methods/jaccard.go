package methods

import "iter"

// Jaccard is the exact resemblance of two documents, the number of shingles in
// both over the number in either: the yardstick that other methods estimate.
type Jaccard struct {
	Words int     // tokens of a shingle
	Least float64 // resemblance of copies, above 0 to 1
}

func (Jaccard) Name() string         { return "jaccard" }
func (Jaccard) Source() string       { return "exact resemblance, Broder 1997" }
func (m Jaccard) Threshold() float64 { return m.Least }

// Sign returns the set of shingles of each document.
func (m Jaccard) Sign(docs []Document) Signatures {
	sets := make(shingleSets, len(docs))
	for i, d := range docs {
		sets[i] = set(shinglesOf(tokensOf(d.Body), m.Words))
	}
	return sets
}

// shingleSets hold a sorted set of shingles a document, 8 bytes each.
type shingleSets [][]uint64

func (s shingleSets) Size() int { return stored(s, 8) }

func (s shingleSets) Score(a, b int) float64 { return jaccard(s[a], s[b]) }

func (s shingleSets) Pairs(least float64) iter.Seq[Pair] {
	return scored(alike(s, least), least, s.Score)
}
