package lanes

import (
	"math/rand/v2"
	"testing"
)

func TestMixedKeysCanBeUnmixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		k, f := r.Uint32(), r.IntN(32)
		if got := Unmixed(Mixed(k)); got != k {
			t.Fatalf("unmixed(mixed(%#x)) = %#x", k, got)
		}
		if got, want := Mixed(k)^Flipped[f], Mixed(k^1<<f); got != want {
			t.Fatalf("mixed(%#x)^flipped[%d] = %#x, want %#x", k, f, got, want)
		}
	}
}
