package methods

import (
	"cmp"
	"iter"
	"slices"
)

// ulps keeps a bound that is met exactly from being missed by rounding.
const ulps = 1e-9

// sharing yields each pair of documents that have a key in common, once. keys
// are sets.
func sharing(keys [][]uint64) iter.Seq2[int, int] {
	return func(yield func(a, b int) bool) {
		posts := make(map[uint64][]int)
		met := make([]int, len(keys)) // the document before whose turn a candidate was met, plus 1
		for b, list := range keys {
			for _, k := range list {
				for _, a := range posts[k] {
					if met[a] == b+1 {
						continue
					}
					met[a] = b + 1
					if !yield(a, b) {
						return
					}
				}
				posts[k] = append(posts[k], b)
			}
		}
	}
}

// scored yields the candidates whose score is least or more.
func scored(candidates iter.Seq2[int, int], least float64, score func(a, b int) float64) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for a, b := range candidates {
			if s := score(a, b); s >= least && !yield(Pair{min(a, b), max(a, b), s}) {
				return
			}
		}
	}
}

// every yields all pairs of n documents.
func every(n int) iter.Seq2[int, int] {
	return func(yield func(a, b int) bool) {
		for b := range n {
			for a := range b {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}

// rarestFirst returns the sets in the order of how many of them have a key.
func rarestFirst(sets [][]uint64) [][]uint64 {
	df := make(map[uint64]int)
	for _, s := range sets {
		for _, k := range s {
			df[k]++
		}
	}
	type counted struct {
		key uint64
		n   int
	}
	ordered := make([][]uint64, len(sets))
	var list []counted
	for i, s := range sets {
		list = list[:0]
		for _, k := range s {
			list = append(list, counted{k, df[k]})
		}
		slices.SortFunc(list, func(a, b counted) int {
			return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.key, b.key))
		})
		ordered[i] = make([]uint64, len(list))
		for j, c := range list {
			ordered[i][j] = c.key
		}
	}
	return ordered
}
