package index_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/indextest"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// Sizes at which each layout of a line is met, and lines are full.
func TestHalvesStayExactAsTheyGrow(t *testing.T) {
	slow.Test(t, "takes seconds")
	r := rand.New(rand.NewPCG(2, 2))
	x := index.NewHalves()
	var fps []uint64
	for _, n := range []int{1000, 30_000, 400_000, 1_500_000} {
		for len(fps) < n {
			fp := r.Uint64()
			if len(fps)%3 == 0 && len(fps) > 0 {
				fp = indextest.Flip(r, fps[r.IntN(len(fps))], r.IntN(5))
			}
			fps = append(fps, fp)
			if n < 400_000 {
				x.Insert(fp, index.DocID(len(fps)))
			}
		}
		if start := x.Len(); start < n { // the larger half in bulk
			docs := make([]index.DocID, n-start)
			for i := range docs {
				docs[i] = index.DocID(start + i + 1)
			}
			x.InsertAll(fps[start:], docs)
		}
		all := &indextest.Scan{FPs: fps, Docs: make([]index.DocID, len(fps))}
		for i := range all.Docs {
			all.Docs[i] = index.DocID(i + 1)
		}
		for k := range index.MaxDistance + 1 {
			for range 10 {
				q := indextest.Flip(r, fps[r.IntN(n)], r.IntN(k+1))
				if got, want := indextest.Near(x, q, k), indextest.Near(all, q, k); !slices.Equal(got, want) {
					t.Fatalf("of %d Near(%#x, %d) = %v, want %v", n, q, k, got, want)
				}
			}
		}
	}
}

// What was inserted before a query started is found whatever others insert
// meanwhile.
func TestHalvesBearReadersBesideWriters(t *testing.T) {
	for _, kind := range indextest.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			x := index.NewHalves()
			const writers, each = 2, 4000
			var wg sync.WaitGroup
			for w := range writers {
				r := rand.New(rand.NewPCG(uint64(w), 1))
				wg.Go(func() {
					for i := range each {
						fp, doc := kind.Next(r, i), index.DocID(1+w*each+i)
						x.Insert(fp, doc)
						if i%8 != 0 {
							continue
						}
						found := false
						x.Near(indextest.Flip(r, fp, i/8%4), 3, func(got index.DocID, _ uint64, _ int) bool {
							found = found || got == doc
							return !found
						})
						if !found {
							t.Errorf("document %d is not found after its Insert", doc)
							return
						}
					}
				})
			}
			wg.Wait()
			if x.Len() != writers*each {
				t.Errorf("Len() = %d, want %d", x.Len(), writers*each)
			}
		})
	}
}
