package body

import "math/bits"

// step puts a count into quarters of a power of two, from 0 to 127.
func step(n int) int {
	if n <= 0 {
		return 0
	}
	l := bits.Len32(uint32(n))
	if l < 3 {
		return 4*l + n<<(3-l)&3
	}
	return 4*l + n>>(l-3)&3
}

// part converts a share to 32nds, rounded up: 0 is none.
func part(n, all int) int {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min((n*32+all-1)/all, 32)
}
