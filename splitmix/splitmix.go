// Package splitmix mixes the bits of numbers as SplitMix64 does (Steele, Lea and Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014). Its hashes and random numbers do not
// depend on the release of Go, and may be stored in files.
package splitmix

// Gamma is the step of SplitMix64: 2^64 divided by the golden ratio, made odd.
const Gamma = 0x9e3779b97f4a7c15

// Mix returns the first number of the sequence with the seed x.
func Mix(x uint64) uint64 { return Finish(x + Gamma) }

// Finish is the last step of SplitMix64, a bijection that maps 0 to itself.
func Finish(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
