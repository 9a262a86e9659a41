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
		if _, err := g.Claim(doc, s, nil); err != nil {
			t.Fatal(err)
		}
	}
	return g, r
}

func TestNeighboursAreAllKeepersNearestFirst(t *testing.T) {
	// Two kept pages that are 6 bits apart, and a page between them.
	a, b := page(1), page(1)
	b.Bytes, b.Body, b.Bands = page(2).Bytes, page(2).Body, page(2).Bands
	b.SimHash ^= 0b111111
	g, _ := claimed(t, a, b, page(3))
	between := edited(1, 2, 4, 9)
	wantNeighbours(t, g, between, 0, []DocID{1})
	between.SimHash = a.SimHash ^ 0b111
	wantNeighbours(t, g, between, 0, []DocID{1, 2})
	between.SimHash = b.SimHash ^ 0b1
	wantNeighbours(t, g, between, 0, []DocID{2})
	between.SimHash = a.SimHash ^ 0b1111
	wantNeighbours(t, g, between, 0, []DocID{2})
	wantNeighbours(t, g, page(99), 0, nil)

	g.Retire(3)
	wantNeighbours(t, g, page(3), 0, nil)

	// Bytes are nearer than a body, and a body than bits.
	mixed := a
	mixed.Bytes = b.Bytes
	wantNeighbours(t, g, mixed, 0, []DocID{2, 1})
	wantNeighbours(t, g, mixed, 1, []DocID{2})
}

func wantNeighbours(t *testing.T, g *Gate, sig Signature, limit int, want []DocID) {
	t.Helper()
	found, err := g.Neighbours(sig, nil, limit)
	var got []DocID
	for _, v := range found {
		got = append(got, DocID(v.Of))
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Neighbours with limit %d = %+v, %v; want documents %v", limit, found, err, want)
	}
}

// What a claim would name is the first neighbour, and asking changes nothing.
func TestTheFirstNeighbourIsWhoAClaimNames(t *testing.T) {
	g, _ := claimed(t, page(1), page(2), page(3))
	for n := range uint64(3) {
		for bits := range 4 {
			sig := edited(n+1, bits, 5, 50)
			want, err := g.Check(sig, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Neighbours(sig, nil, 0)
			if err != nil || !slices.Contains(got, want) || got[0] != want {
				t.Errorf("page %d and %d bits: Neighbours = %+v, %v, want %+v first", n+1, bits, got, err, want)
			}
		}
	}
}

func TestNeighboursFailWithTheSignatures(t *testing.T) {
	g, r := claimed(t, page(1), page(2))
	delete(r.m, 1)
	if _, err := g.Neighbours(page(1), nil, 0); !errors.Is(err, errNoRecord) {
		t.Errorf("Neighbours = %v, want %v", err, errNoRecord)
	}
}

func TestAReasonSaysWhatWasCompared(t *testing.T) {
	for similarity, want := range map[float64]string{
		1:     "near the kept page: 7 of 64 bits differ, all of the compared text is the same",
		.9969: "near the kept page: 7 of 64 bits differ, more than 99% of the compared text is the same",
		.84:   "near the kept page: 7 of 64 bits differ, about 84% of the compared text is the same",
	} {
		got := Verdict{Of: 1, Level: LevelNear, Distance: 7, Similarity: similarity}.Reason()
		if got != want {
			t.Errorf("of %v the reason is %q, want %q", similarity, got, want)
		}
	}
}
