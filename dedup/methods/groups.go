package methods

import "iter"

// Groups joins n documents by the pairs of copies: a copy of a copy is of the
// same group (union-find). It returns for each document the first one of its
// group.
func Groups(n int, pairs iter.Seq[Pair]) []int {
	first := make([]int, n)
	for i := range first {
		first[i] = i
	}
	find := func(i int) int {
		for first[i] != i {
			first[i] = first[first[i]]
			i = first[i]
		}
		return i
	}
	for p := range pairs {
		// The smaller number is the root, so that the first document names the
		// group whatever the order of the pairs.
		a, b := find(p.A), find(p.B)
		first[max(a, b)] = min(a, b)
	}
	for i := range first {
		first[i] = find(i)
	}
	return first
}
