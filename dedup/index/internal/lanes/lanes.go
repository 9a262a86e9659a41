package lanes

import "sync/atomic"

// A DocID identifies a kept document within one job: its place in crawl order, counted from 1. Zero
// is no document.
type DocID uint32

// A cache line has LineWords words of 64 bits, and PerLine lanes of 32 bits.
const (
	LineWords = 8
	PerLine   = 2 * LineWords
)

const (
	Segments = 256 // of a table, by the first eight bits of the mixed key
	KeyBits  = 24  // the rest of it
	NearBits = 6   // lowest bits of a key, in which neighbours share a line
	FarBits  = 32 - NearBits
	KeyMask  = 1<<KeyBits - 1
	farMask  = 1<<FarBits - 1
)

// ProbesAtOnce is enough for the 27 lines of a table at k = 3, and for a few more if neighbours of
// the key are in the next line.
const ProbesAtOnce = 32

// Radii returns how far the halves may differ for two fingerprints within k bits: if neither half
// is within its radius, the fingerprints differ in more than k bits. If a radius is negative, that
// table need not be searched.
func Radii(k int) (upper, lower int) { return k / 2, (k+1)/2 - 1 }

// Mixed spreads the upper 26 bits of a key over the table and keeps the others: fingerprints are
// not evenly distributed, so that unmixed keys would crowd some lines. It is linear over exclusive
// or: flipping a bit of the key always flips the same bits of the mixed key.
func Mixed(key uint32) uint32 {
	p := key >> NearBits
	p ^= p << 13 & farMask
	p ^= p >> 9
	p ^= p << 7 & farMask
	p ^= p >> 15
	p ^= p << 11 & farMask
	p ^= p >> 5
	return p<<NearBits | key&(1<<NearBits-1)
}

// Unmixed is the inverse of Mixed.
func Unmixed(m uint32) uint32 {
	left := func(y uint32, n uint) uint32 { return undo(y, func(x uint32) uint32 { return x << n & farMask }) }
	right := func(y uint32, n uint) uint32 { return undo(y, func(x uint32) uint32 { return x >> n }) }
	p := left(right(left(right(left(right(m>>NearBits, 5), 11), 15), 7), 9), 13)
	return p<<NearBits | m&(1<<NearBits-1)
}

// undo solves x ^ shift(x) = y, where shift moves one bit at least.
func undo(y uint32, shift func(uint32) uint32) uint32 {
	x := y
	for range FarBits {
		x = y ^ shift(x)
	}
	return x
}

// Flipped has, for each bit of a key, the bits of the mixed key that flip with it.
var Flipped = func() (f [32]uint32) {
	for i := range f {
		f[i] = Mixed(1 << i)
	}
	return f
}()

// A Line is one cache line of a table; see segment.
type Line = [LineWords]uint64

// Put stores the width low bits of v at a bit of w that was zero.
func Put(w []uint64, bit, width int, v uint64, shared bool) {
	i, off := uint(bit)/64, uint(bit)%64
	if !shared {
		w[i] |= v << off
		if off+uint(width) > 64 {
			w[i+1] |= v >> (64 - off)
		}
		return
	}
	atomic.StoreUint64(&w[i], w[i]|v<<off)
	if off+uint(width) > 64 {
		atomic.StoreUint64(&w[i+1], w[i+1]|v>>(64-off))
	}
}

// Store is atomic only where it must be: an atomic store waits for those before.
func Store(w *uint64, v uint64, shared bool) {
	if shared {
		atomic.StoreUint64(w, v)
		return
	}
	*w = v
}

func Get(w []uint64, bit, width int) uint64 {
	i, off := bit/64, bit%64
	v := atomic.LoadUint64(&w[i]) >> off
	if off+width > 64 {
		v |= atomic.LoadUint64(&w[i+1]) << (64 - off)
	}
	return v & (1<<width - 1)
}
