package indextest

import (
	"os"
	"strconv"
	"testing"

	"gatecrawl.example/gatecrawl/splitmix"
)

// Sizes returns how many fingerprints a benchmark takes: 1 and 10 million, or what
// DEDUP_BENCH_SIZE says.
func Sizes(b *testing.B) []int {
	b.Helper()
	s := os.Getenv("DEDUP_BENCH_SIZE")
	if s == "" {
		return []int{1_000_000, 10_000_000}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		b.Fatalf("DEDUP_BENCH_SIZE: %v", err)
	}
	return []int{n}
}

// Even returns the i-th of evenly spread fingerprints, which is cheap to compute.
func Even(i int) uint64 { return splitmix.Mix(uint64(i) + 1<<40) }
