// Package sketch has the values by which texts are found and compared without their words: SimHash,
// and min-wise sketches with their bands.
package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/splitmix"
)

// Values is the number of values in a sketch, one bit each.
const Values = 128

// Minima are 128 min-wise values of a set of shingles. The expected share of values that two sets
// have in common is their resemblance.
type Minima [Values]uint64

// MinimaOf returns the minima of a set of at least one shingle; repeated ones count once.
//
// It is the fast similarity sketch of Dahlgaard, Knudsen and Thorup (2017): in each round every
// shingle falls into one of 128 bins, a bin keeps the smallest value of the first round that
// reaches it, and the rounds end when no bin is empty. A long body takes one round. Values agree as
// often as with 128 hashes for each shingle.
func MinimaOf(shingles []uint64) (least Minima) {
	for i := range least {
		least[i] = emptyBin
	}
	for _, h := range shingles {
		bin := h / binWidth
		least[bin] = min(least[bin], h)
	}
	for round := uint64(1); slices.Contains(least[:], emptyBin); round++ {
		fill(&least, shingles, round)
	}
	return least
}

// Sketch keeps one bit of each value (Li and König 2010): above a resemblance of
// one half that estimates better than 64 values of two bits in the same 16 bytes.
func (m *Minima) Sketch() (sketch [16]byte) {
	for i, h := range m {
		sketch[i/8] |= byte(h&1) << (i % 8)
	}
	return sketch
}

const (
	binWidth = 1 << 57 // of a hash's range, for each of 128 bins
	emptyBin = ^uint64(0)
)

// fill runs one more round for the bins that are empty. From the 128th on, a round fills one bin
// whatever the hashes are, so the rounds end.
func fill(least *Minima, shingles []uint64, round uint64) {
	before := *least
	for _, s := range shingles {
		h := splitmix.Mix(s ^ round<<32)
		bin := h / binWidth
		if round >= Values {
			bin = round % Values
		}
		if before[bin] == emptyBin {
			least[bin] = min(least[bin], h)
		}
	}
}

// Agree returns how many of the 128 values of two sketches are equal.
func Agree(a, b [16]byte) int {
	return Values - differ(a[:8], b[:8]) - differ(a[8:], b[8:])
}

func differ(a, b []byte) int {
	return bits.OnesCount64(binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b))
}

// Resemblance estimates the Jaccard coefficient of two shingle sets from the
// number of equal sketch values: one-bit values of unrelated minima agree in
// half of all cases (Li and König 2010, section 3).
func Resemblance(equal int) float64 {
	const chance = 0.5
	return max(0, (float64(equal)/Values-chance)/(1-chance))
}

// bandRows is how many minima make a band.
const bandRows = 4

// Bands makes band keys of the first minima.
func (m *Minima) Bands() (b index.Bands) {
	for i := range b {
		b[i] = uint32(token.Chain(m[i*bandRows:][:bandRows]) >> 32)
	}
	return b
}
