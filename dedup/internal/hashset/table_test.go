package hashset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestATableHasTheHashesOfASet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 2, 3, 100, 3000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 0xff << 56, 0} { // some collide in their first or last bits
			draw := func() (list []uint64) {
				for range n {
					list = append(list, r.Uint64()&mask)
				}
				return list
			}
			a, b := draw(), draw()
			copy(b[:n/2], a) // half of them are shared
			x, y := TableOf(a), TableOf(b)
			setA, setB := Of(slices.Clone(a)), Of(slices.Clone(b))
			if x.Len() != len(setA) || y.Len() != len(setB) {
				t.Errorf("tables of %d hashes of the bits %x have %d and %d, want %d and %d", n, mask, x.Len(), y.Len(), len(setA), len(setB))
			}
			if got, want := x.Shared(&y), Common(setA, setB); got != want || y.Shared(&x) != want {
				t.Errorf("tables of %d hashes of the bits %x share %d and %d, want %d", n, mask, got, y.Shared(&x), want)
			}
			for range 100 {
				if h := r.Uint64() & mask; x.Has(h) != Has(setA, h) {
					t.Errorf("a table of %d hashes of the bits %x: Has(%x) = %v", n, mask, h, x.Has(h))
				}
			}
			if slices.ContainsFunc(a, func(h uint64) bool { return !x.Has(h) }) {
				t.Errorf("a table of %d hashes of the bits %x lacks some of them", n, mask)
			}
		}
	}
}
