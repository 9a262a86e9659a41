package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A Comparer says of a pair what a gate says that has kept one of the two and
// reads its text.
func TestAComparerAnswersLikeAGateOfOneDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	copies := 0
	for round := range 60 {
		words := strings.Fields(text(r, 1+r.IntN(300)))
		a := Text{Title: "One title", Body: strings.Join(words, " ")}
		for range r.IntN(20) {
			words[r.IntN(len(words))] = "other"
		}
		b := Text{Title: "One title", Body: strings.Join(words, " ")}
		if round%4 == 0 {
			b.Title = "Another title"
		}
		o := DefaultOptions()
		o.Mode = Mode(round % 3)
		store := &library{texts: map[DocID]Text{1: a}}
		g, err := NewGate(o, store)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Claim(1, a.Sign(), &a); err != nil {
			t.Fatal(err)
		}
		want, err := g.Check(b.Sign(), &b)
		if err != nil {
			t.Fatal(err)
		}
		if want.Copy() {
			copies++
		}
		c := NewComparer(o, []Text{a, b})
		if !c.Meet(0, 1) {
			continue
		}
		if got := c.Compare(0, 1); got != want {
			t.Errorf("round %d: Compare = %+v, the gate says %+v", round, got, want)
		}
	}
	if copies < 10 || copies > 50 {
		t.Errorf("%d of 60 pairs are copies; the test wants both kinds", copies)
	}
}
