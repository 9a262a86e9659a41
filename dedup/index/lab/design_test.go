package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/indextest"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

func TestEveryDesignFindsWhatAScanFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	n, asked := 500, 15
	if slow.Wanted() {
		n, asked = 1500, 40
	}
	for _, design := range Designs() {
		for _, kind := range indextest.Kinds {
			for k := range index.MaxDistance + 1 {
				t.Run(fmt.Sprintf("%s/%s/k=%d", design, kind.Name, k), func(t *testing.T) {
					r := rand.New(rand.NewPCG(seed, uint64(k)))
					x, err := NewIndex(design, k)
					if err != nil {
						t.Fatal(err)
					}
					all := new(indextest.Scan)
					for i := range n {
						fp := kind.Next(r, i)
						x.Insert(fp, index.DocID(i+1))
						all.Insert(fp, index.DocID(i+1))
					}
					if x.Len() != n {
						t.Fatalf("Len() = %d, want %d", x.Len(), n)
					}
					queries := make([]uint64, asked)
					for i := range queries {
						queries[i] = indextest.Flip(r, all.FPs[r.IntN(n)], r.IntN(k+2))
					}
					for _, at := range []int{-1, 0, k / 2, k, k + 1} {
						batch := make([][]indextest.Hit, asked)
						x.NearBatch(queries, at, func(q int, doc index.DocID, fp uint64, d int) bool {
							batch[q] = append(batch[q], indextest.Hit{Doc: doc, FP: fp, D: d})
							return true
						})
						for i, q := range queries {
							want := indextest.Near(all, q, at)
							slices.SortFunc(batch[i], indextest.ByAll)
							if got := indextest.Near(x, q, at); !slices.Equal(got, want) {
								t.Fatalf("Near(%#x, %d) = %d hits, want %d", q, at, len(got), len(want))
							}
							if !slices.Equal(batch[i], want) {
								t.Fatalf("index.NearBatch(%#x, %d) = %d hits, want %d", q, at, len(batch[i]), len(want))
							}
						}
					}
				})
			}
		}
	}
}
