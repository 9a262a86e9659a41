package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCompareAnswersLikeAGateOfOneDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	copies := 0
	for round := range 60 {
		words := strings.Fields(text(r, 1+r.IntN(300)))
		a := SignText(strings.Join(words, " "))
		for range r.IntN(6) {
			words[r.IntN(len(words))] = "other"
		}
		b := SignText(strings.Join(words, " "))
		a.Layout, b.Layout = 1, uint64(round%2)*^uint64(1)+1
		if round%7 == 0 {
			a.Bytes = DigestOf([]byte("page"))
			b.Bytes = a.Bytes
		}
		o := DefaultOptions()
		o.Mode = Mode(round % 3)
		g, err := NewGate(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Claim(1, a); err != nil {
			t.Fatal(err)
		}
		want, err := g.Check(b)
		if err != nil {
			t.Fatal(err)
		}
		if want.Copy() {
			copies++
		}
		if got := o.Compare(a, b); got != want {
			t.Errorf("round %d: Compare = %+v, the gate says %+v", round, got, want)
		}
	}
	if copies < 10 || copies > 50 {
		t.Errorf("%d of 60 pairs are copies; the test wants both kinds", copies)
	}
}
