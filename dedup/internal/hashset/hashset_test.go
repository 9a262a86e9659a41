package hashset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHashesAreSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, 31, 32, 100, 1000, 20000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 0xff << 56, 0xff << 24, 0xf << 60, 0} {
			got, short := make([]uint64, n), make([]uint32, n)
			for i := range got {
				got[i] = r.Uint64() & mask
				short[i] = r.Uint32() & uint32(mask)
			}
			want, wantShort := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(short))
			if Sort(got); !slices.Equal(got, want) {
				t.Errorf("%d hashes of the bits %x are not sorted", n, mask)
			}
			if Sort(short); !slices.Equal(short, wantShort) {
				t.Errorf("%d hashes of the bits %x are not sorted", n, uint32(mask))
			}
		}
	}
}

// BenchmarkSort sorts other hashes each time: a processor remembers how the same ones compare.
func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	from := make([]uint64, 1<<20)
	for i := range from {
		from[i] = r.Uint64()
	}
	for _, n := range []int{100, 1000} {
		room := make([]uint64, n)
		for _, by := range []struct {
			name string
			sort func([]uint64)
		}{{"FirstBits", Sort[uint64]}, {"Compared", slices.Sort[[]uint64]}} {
			b.Run(fmt.Sprintf("%dHashes%s", n, by.name), func(b *testing.B) {
				for at := 0; b.Loop(); at = (at + n) % (len(from) - n) {
					copy(room, from[at:])
					by.sort(room)
				}
			})
		}
	}
}
