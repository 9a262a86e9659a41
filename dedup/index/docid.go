package index

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

// A DocID names a kept document within one job: its place in crawl order,
// counted from 1. Zero names none.
type DocID = lanes.DocID

// MaxDistance is the largest Options.Distance: with seven blocks of nine bits
// a bucket of the tables already holds N/512 fingerprints.
const MaxDistance = 6

var Native = binary.NativeEndian

// Mix spreads the bits of x evenly: the finaliser of SplitMix64 (Steele, Lea and
// Flood 2014).
func Mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
