// Package splitmix spreads the bits of numbers as SplitMix64 does (Steele, Lea and Flood,
// Fast splittable pseudorandom number generators, OOPSLA 2014). What is drawn and hashed by
// it is the same under every release of Go, and stands in files.
package splitmix

// Gamma is what SplitMix64 adds for each number: the golden ratio times 2^64, odd.
const Gamma = 0x9e3779b97f4a7c15

// Mix returns the first number of the sequence that starts with x.
func Mix(x uint64) uint64 { return Finish(x + Gamma) }

// Finish is the last step of SplitMix64, a bijection that maps 0 to itself.
func Finish(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
