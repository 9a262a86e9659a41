package metadata

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

func TestHasYearFindsANumberOfFourDigitsAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	want := regexp.MustCompile(`(^|\D)\d{4}(\D|$)`)
	for range 20_000 {
		text := make([]byte, r.IntN(24))
		for i := range text {
			text[i] = "0123a-"[r.IntN(6)]
		}
		if hasYear(text) != want.Match(text) {
			t.Fatalf("hasYear(%q) = %v", text, hasYear(text))
		}
	}
}
