package methods

import (
	"cmp"
	"math"
	"slices"
)

// Weights name what a word of a document weighs.
type Weights string

// The weights.
const (
	LogWeights   Weights = "log"   // (1 + log tf) x log (1 + N/df), which is better on pages that were tried
	PlainWeights Weights = "plain" // tf x 1/df, as published with DocView
)

// vector returns the n terms of a document that weigh most, sorted by term, each with its
// weight behind it; the vector has a length of 1.
func (w Weights) vector(c *Collection, d Document, n int) []uint64 {
	type weighted struct {
		term   uint64
		weight float64
	}
	var list []weighted
	for _, t := range c.tallies(d.Body) {
		weight := float64(t.n) / c.frequency(t.term)
		if w != PlainWeights {
			weight = (1 + math.Log(float64(t.n))) * c.idf(t.term)
		}
		list = append(list, weighted{t.term, weight})
	}
	slices.SortFunc(list, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	})
	list = list[:min(n, len(list))]
	slices.SortFunc(list, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	sum := 0.0
	for _, t := range list {
		sum += t.weight * t.weight
	}
	var v []uint64
	for _, t := range list {
		v = append(v, t.term, math.Float64bits(t.weight/math.Sqrt(sum)))
	}
	return v
}

// cosine returns the cosine of two vectors of length 1, 0 to 1.
func cosine(a, b []uint64) float64 {
	sum := 0.0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[2:]
		case a[0] > b[0]:
			b = b[2:]
		default:
			sum += math.Float64frombits(a[1]) * math.Float64frombits(b[1])
			a, b = a[2:], b[2:]
		}
	}
	return min(1, sum)
}

// heads returns the rarest terms of a vector, without those at the end
// whose weights together stay below least: a pair that has only such terms in
// common has a smaller cosine, since the other vector is no longer than 1
// (Bayardo, Ma and Srikant 2007).
func heads(v []uint64, least float64, held func(uint64) int) []uint64 {
	weight := make(map[uint64]float64, len(v)/2)
	for i := 0; i < len(v); i += 2 {
		weight[v[i]] = math.Float64frombits(v[i+1])
	}
	ordered := byRarity(termsIn(v), held)
	n, rest := len(ordered), 0.0
	for n > 0 {
		w := weight[ordered[n-1]]
		rest += w * w
		if rest >= least*least-ulps {
			break
		}
		n--
	}
	return ordered[:max(n, min(1, len(ordered)))]
}
