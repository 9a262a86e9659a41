package lanes

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// matchLinesPlain is MatchLines for every processor.
func matchLinesPlain(lines **Line, n int, other, k uint32, masks *uint16) {
	in, out := unsafe.Slice(lines, n), unsafe.Slice(masks, n)
	q := uint64(other)<<32 | uint64(other)
	for i, line := range in {
		mask := uint16(0)
		for w := range line {
			x := atomic.LoadUint64(&line[w]) ^ q
			if uint32(bits.OnesCount32(uint32(x))) <= k {
				mask |= 1 << (2 * w)
			}
			if uint32(bits.OnesCount32(uint32(x>>32))) <= k {
				mask |= 2 << (2 * w)
			}
		}
		out[i] = mask
	}
}
