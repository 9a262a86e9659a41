package search

import "math"

// A counts tells how many documents have a part by a hash of countBits, so that it may tell too many
// and never too few. Few parts take 1 kB each, all together 64 MB: a collection of some pages pays
// for its own parts alone.
type counts [1 << (countBits - blockBits)]*[1 << blockBits]uint32

const (
	countBits = 24
	blockBits = 8
)

func (c *counts) add(part uint64) {
	block, i := placeOf(part)
	if c[block] == nil {
		c[block] = new([1 << blockBits]uint32)
	}
	if n := &c[block][i]; *n < math.MaxUint32 {
		*n++
	}
}

func (c *counts) of(part uint64) int {
	block, i := placeOf(part)
	if c[block] == nil {
		return 0
	}
	return int(c[block][i])
}

func placeOf(part uint64) (block, i uint64) {
	place := part * 0x9E3779B97F4A7C15 >> (64 - countBits)
	return place >> blockBits, place & (1<<blockBits - 1)
}
