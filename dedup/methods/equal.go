package methods

import (
	"iter"

	"gatecrawl.example/gatecrawl/splitmix"
)

// equals are n values a document, and two documents are as alike as many of
// them are equal. A zero is a value that a document does not have, and equals
// nothing.
type equals struct {
	values [][]uint64 // n a document, or none
	n      int
	width  int // bytes of a value where it is stored
}

func (e equals) Size() int {
	size := 0
	for _, v := range e.values {
		for _, x := range v {
			if x != 0 {
				size += e.width
			}
		}
	}
	return size
}

func (e equals) Score(a, b int) float64 {
	n := 0
	va, vb := e.values[a], e.values[b]
	for i := range min(len(va), len(vb)) {
		if va[i] != 0 && va[i] == vb[i] {
			n++
		}
	}
	return float64(n) / float64(e.n)
}

// Pairs finds the documents that have a value in one place in common.
func (e equals) Pairs(least float64) iter.Seq[Pair] {
	keys := make([][]uint64, len(e.values))
	for i, v := range e.values {
		for place, x := range v {
			if x != 0 {
				keys[i] = append(keys[i], splitmix.Mix(chain(uint64(place), x)))
			}
		}
	}
	return scored(sharing(keys), least, e.Score)
}
