package lanes

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestLinesAreMatchedLaneByLane(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	other := r.Uint32()
	var words [5]Line
	var lines [5]*Line
	for i := range words {
		lines[i] = &words[i]
	}
	for round := range 2000 {
		for i := range words {
			for w := range words[i] {
				words[i][w] = uint64(flip32(r, other))<<32 | uint64(flip32(r, other))
			}
		}
		n, k := round%(len(lines)+1), uint32(round%8)
		var want, plain, fast [5]uint16
		for i := range n {
			for lane := range 16 {
				if bits.OnesCount32(uint32(words[i][lane/2]>>(lane%2*32))^other) <= int(k) {
					want[i] |= 1 << lane
				}
			}
		}
		matchLinesPlain(&lines[0], n, other, k, &plain[0])
		FetchLines(&lines[0], n)
		MatchLines(&lines[0], n, other, k, &fast[0])
		if plain != want || fast != want {
			t.Fatalf("of %d lines at k = %d: plain %x, matchLines %x, want %x", n, k, plain, fast, want)
		}
	}
}

// flip32 flips up to 10 bits.
func flip32(r *rand.Rand, x uint32) uint32 {
	for range r.IntN(11) {
		x ^= 1 << r.IntN(32)
	}
	return x
}
