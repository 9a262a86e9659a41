package dedup

import (
	"math/rand/v2"
	"strings"
)

// text returns n different words, evenly drawn.
func text(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		for range 2 + r.IntN(8) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		b.WriteByte(" ,\n"[r.IntN(3)])
	}
	return b.String()
}
