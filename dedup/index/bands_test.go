package index

import (
	"math/rand/v2"
	"testing"
)

// meet calls yield for the documents that share one of the first n keys.
func meet(t *bandTable, keys Bands, n int, yield func(doc DocID)) {
	for i, k := range keys[:n] {
		t.find(bandOf(k, i), func(doc DocID) bool { yield(doc); return true })
	}
}

// However many pages have a key in common, a question meets no more than some of
// them, and entering a page again changes nothing.
func TestABandLeadsToSomePagesOnly(t *testing.T) {
	var table bandTable
	keys := Bands{1, 2, 3, 4, 5, 6, 7, 8}
	for range 2 {
		for doc := range DocID(1000) {
			table.add(keys, 2, doc+1)
		}
	}
	var met []DocID
	meet(&table, keys, 2, func(doc DocID) { met = append(met, doc) })
	if len(met) != 2*MaxMeet || met[0] != 1 || met[MaxMeet-1] != MaxMeet {
		t.Errorf("two bands lead to %v, want each to the first %d", met, MaxMeet)
	}
}

// The table is a map from key to documents.
func TestBandsAreFoundLikeInAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var table bandTable
	want := make(map[[2]uint32][]DocID)
	for doc := DocID(1); doc <= 20_000; doc++ {
		var keys Bands
		for i := range keys {
			keys[i] = r.Uint32N(3000) * 0x9E3779B1
			if at := [2]uint32{uint32(i), keys[i]}; i < 6 && len(want[at]) < MaxMeet {
				want[at] = append(want[at], doc)
			}
		}
		table.add(keys, 6, doc)
	}
	for at, docs := range want {
		found := make(map[DocID]bool)
		var keys Bands
		for i := range keys {
			keys[i] = r.Uint32() // some other key
		}
		keys[at[0]] = at[1]
		meet(&table, keys, 6, func(doc DocID) { found[doc] = true })
		for _, doc := range docs {
			if !found[doc] {
				t.Fatalf("band %d, key %#x: document %d is not found", at[0], at[1], doc)
			}
		}
	}
}
