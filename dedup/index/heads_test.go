package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHeadsHoldWhatAMapHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var got heads
	want := map[uint64][]DocID{}
	for i := range 50_000 {
		head := r.Uint64()
		switch {
		case i%5 == 0:
			head = uint64(r.IntN(300)) // one shard, and heads that several documents share
		case i%7 == 0:
			head &= 0xFF00000000000000 // one home
		}
		doc := DocID(1 + r.IntN(30_000))
		if had := slices.Contains(want[head], doc); got.add(head, doc) == had {
			t.Fatalf("add(%#x, %d) = %v, want %v", head, doc, had, !had)
		} else if !had {
			want[head] = append(want[head], doc)
		}
	}
	for head, docs := range want {
		var found []DocID
		got.find(head, func(doc DocID) bool { found = append(found, doc); return true })
		slices.Sort(found)
		slices.Sort(docs)
		if !slices.Equal(found, docs) {
			t.Fatalf("find(%#x) = %v, want %v", head, found, docs)
		}
		got.find(^head, func(doc DocID) bool {
			if !slices.Contains(want[^head], doc) {
				t.Fatalf("find(%#x) = %d, which was not added", ^head, doc)
			}
			return true
		})
	}
}
