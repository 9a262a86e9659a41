package markup

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestAStampIsWhatTwoExpressionsSay compares IsStamp with regular expressions on drawn lines.
func TestAStampIsWhatTwoExpressionsSay(t *testing.T) {
	clock, year := regexp.MustCompile(`\d:[0-5]\d:[0-5]\d`), regexp.MustCompile(`\b(19|20)\d\d\b`)
	pieces := []string{"19", "20", "2", "9", "05", "59", "61", "7:05:59", "7:05", ":", "::", " ", "_", "x", "Z", "é", "\xff", "1999", "2024", "/2031-", "a b"}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	stamps := 0
	for range 200_000 {
		line := ""
		for range 1 + r.IntN(8) {
			line += pieces[r.IntN(len(pieces))]
		}
		want := clock.MatchString(line) && year.MatchString(line)
		if got := IsStamp(line); got != want || IsStamp([]byte(line)) != want {
			t.Fatalf("seed %d: IsStamp(%q) = %v, want %v", seed, line, got, want)
		}
		if want {
			stamps++
		}
	}
	if stamps < 1000 {
		t.Errorf("%d of the lines are stamps, so this tests little", stamps)
	}
}
