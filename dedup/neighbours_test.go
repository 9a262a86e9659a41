package dedup

import (
	"errors"
	"slices"
	"testing"
)

// claimed claims documents from 1 on, and keeps their signatures.
func claimed(t *testing.T, sigs ...Signature) (*Gate, *records) {
	t.Helper()
	g, r := newGate(t, func(o *Options) { o.Recent = 1 })
	for i, s := range sigs {
		doc := DocID(i + 1)
		r.put(doc, s)
		if _, err := g.Claim(doc, s); err != nil {
			t.Fatal(err)
		}
	}
	return g, r
}

func TestNeighboursAreAllKeepersNearestFirst(t *testing.T) {
	a, b := page(1), edited(1, 3, 10, 2)
	b.SimHash = page(1).SimHash ^ 0b111000 // 3 bits from a, whom its sketch is too far from
	b.Sketch[10] ^= 0xff
	b.Sketch[11] ^= 0xff
	g, _ := claimed(t, a, b, page(3), page(4))
	asked := edited(1, 0, 4, 9)
	asked.SimHash = a.SimHash ^ 0b1000 // 1 bit from a, 2 from b
	got, err := g.Neighbours(asked, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Of != 1 || got[0].Distance != 1 || got[0].Level != LevelNear {
		t.Fatalf("Neighbours = %+v, want page 1 in 1 bit alone: the sketch keeps page 2 apart", got)
	}
	for i, c := range []struct {
		sig   Signature
		first Verdict
	}{
		{a, Verdict{Of: 1, Level: LevelBytes, Class: FullLayout, Similarity: 1}},
		{page(4), Verdict{Of: 4, Level: LevelBytes, Class: FullLayout, Similarity: 1}},
	} {
		got, err := g.Neighbours(c.sig, 1)
		if err != nil || len(got) != 1 || got[0] != c.first {
			t.Errorf("%d: Neighbours = %+v, %v, want %+v", i, got, err, c.first)
		}
	}
	if got, err := g.Neighbours(page(99), 0); err != nil || len(got) > 0 {
		t.Errorf("Neighbours of a page of its own = %+v, %v, want none", got, err)
	}
}

// What a claim would name is the first neighbour, and asking changes nothing.
func TestTheFirstNeighbourIsWhoAClaimNames(t *testing.T) {
	g, _ := claimed(t, page(1), page(2), page(3))
	for n := range uint64(3) {
		for bits := range 4 {
			sig := edited(n+1, bits, 5, 50)
			want, err := g.Check(sig)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Neighbours(sig, 0)
			if err != nil || !slices.Contains(got, want) || got[0] != want {
				t.Errorf("page %d and %d bits: Neighbours = %+v, %v, want %+v first", n+1, bits, got, err, want)
			}
		}
	}
}

func TestNeighboursFailWithTheSignatures(t *testing.T) {
	g, r := claimed(t, page(1), page(2))
	delete(r.m, 1)
	if _, err := g.Neighbours(page(1), 0); !errors.Is(err, errNoRecord) {
		t.Errorf("Neighbours = %v, want %v", err, errNoRecord)
	}
}
