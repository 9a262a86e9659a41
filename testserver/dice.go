package testserver

// A dice is a SplitMix64 sequence (Steele, Lea and Flood 2014). It is ours so
// that a seed means the same web under every Go release.
type dice uint64

func (d *dice) roll() uint64 {
	*d += 0x9e3779b97f4a7c15
	return scramble(uint64(*d))
}

// below returns a number from 0 to n-1; n must be positive.
func (d *dice) below(n int) int { return int(d.roll() % uint64(n)) }

// mix answers for position i of the sequence that seed starts, without the
// positions before it.
func mix(seed, i uint64) uint64 {
	return scramble(seed + (i+1)*0x9e3779b97f4a7c15)
}

func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func pick[T any](from []T, h uint64) T { return from[h%uint64(len(from))] }
