package corpus

import (
	"strings"

	"gatecrawl.example/gatecrawl/splitmix"
)

// An RNG is a SplitMix64 sequence (Steele, Lea and Flood 2014). It is implemented here so that a
// seed gives the same numbers under every Go release.
type RNG uint64

// Uint64 returns the next number.
func (d *RNG) Uint64() uint64 {
	*d += splitmix.Gamma
	return splitmix.Finish(uint64(*d))
}

// IntN returns a number from 0 to n-1; n must be positive.
func (d *RNG) IntN(n int) int { return int(d.Uint64() % uint64(n)) }

// Mix returns the i-th number of the sequence that starts with seed, without computing the
// numbers before it.
func Mix(seed, i uint64) uint64 {
	return splitmix.Finish(seed + (i+1)*splitmix.Gamma)
}

// Pick returns the element of a list that h selects.
func Pick[T any](from []T, h uint64) T { return from[h%uint64(len(from))] }

// Word returns an invented word.
func (d *RNG) Word() string {
	const syllables = "ba ce di fo gu ha ki lo mu na pe ri so ta vu wa xe yo zi ther ing ment ous"
	s := strings.Fields(syllables)
	var b strings.Builder
	for range 2 + d.IntN(3) {
		b.WriteString(s[d.IntN(len(s))])
	}
	return b.String()
}
