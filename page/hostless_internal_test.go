package page

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestContains compares contains with bytes.Contains on short texts of few letters, in which names start anew within themselves and
// end with the text.
func TestContains(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(most int) []byte {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = "ejx\xe4"[random.IntN(4)]
		}
		return b
	}
	found := 0
	for range 20_000 {
		body, name := text(30), append(text(4), 'x')
		got, want := contains(body, name), bytes.Contains(body, name)
		if got != want {
			t.Fatalf("contains(%q, %q) = %v, want %v", body, name, got, want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d names of 20,000 were found: the test says too little", found)
	}
}
