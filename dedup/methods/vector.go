package methods

import (
	"cmp"
	"math"
	"slices"
)

// A weighted term of a document.
type weighted struct {
	term   uint64
	weight float64
}

// vectorsOf returns the n terms of each document that weigh most, sorted by
// term, with a length of 1. A term weighs (1 + log tf) * log (1 + N/df).
func vectorsOf(docs []Document, n int) [][]weighted {
	tallies := talliesOf(docs)
	df := frequencies(tallies)
	vectors := make([][]weighted, len(docs))
	for i, d := range tallies {
		v := make([]weighted, len(d))
		for j, t := range d {
			idf := math.Log1p(float64(len(docs)) / float64(df[t.term]))
			v[j] = weighted{t.term, (1 + math.Log(float64(t.n))) * idf}
		}
		slices.SortFunc(v, func(a, b weighted) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
		})
		v = slices.Clip(v[:min(n, len(v))])
		slices.SortFunc(v, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
		vectors[i] = unit(v)
	}
	return vectors
}

// unit scales a vector to the length of 1.
func unit(v []weighted) []weighted {
	sum := 0.0
	for _, t := range v {
		sum += t.weight * t.weight
	}
	for i := range v {
		v[i].weight /= math.Sqrt(sum)
	}
	return v
}

// cosine returns the cosine of two vectors of length 1, 0 to 1.
func cosine(a, b []weighted) float64 {
	sum := 0.0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].term < b[0].term:
			a = a[1:]
		case a[0].term > b[0].term:
			b = b[1:]
		default:
			sum += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return min(1, sum)
}

// termSets returns the terms of vectors.
func termSets(vectors [][]weighted) [][]uint64 {
	sets := make([][]uint64, len(vectors))
	for i, v := range vectors {
		for _, t := range v {
			sets[i] = append(sets[i], t.term)
		}
	}
	return sets
}
