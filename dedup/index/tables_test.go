package index_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/indextest"
)

func TestTablesFindWhatAScanFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, kind := range indextest.Kinds {
		for k := range index.MaxDistance + 1 {
			t.Run(fmt.Sprintf("%s/k=%d", kind.Name, k), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, uint64(k)))
				tables, all := index.NewTables(k), new(indextest.Scan)
				for i := range 800 {
					fp := kind.Next(r, i)
					tables.Insert(fp, index.DocID(i+1))
					all.Insert(fp, index.DocID(i+1))
				}
				if tables.Len() != all.Len() {
					t.Fatalf("Len() = %d, want %d", tables.Len(), all.Len())
				}
				for i := range 100 {
					query := indextest.Flip(r, all.FPs[r.IntN(all.Len())], r.IntN(k+2))
					if i%10 == 0 {
						query = kind.Next(r, i)
					}
					for at := -1; at <= k+1; at++ {
						if got, want := indextest.Near(tables, query, at), indextest.Near(all, query, at); !slices.Equal(got, want) {
							t.Fatalf("Near(%#x, %d) = %v, want %v", query, at, got, want)
						}
					}
				}
			})
		}
	}
}

func TestNearStopsWhenTold(t *testing.T) {
	for _, k := range []int{3, 5} { // from the tables, and by a scan
		tables := index.NewTables(3)
		for i := range 10 {
			tables.Insert(0, index.DocID(i+1))
		}
		calls := 0
		tables.Near(0, k, func(index.DocID, uint64, int) bool { calls++; return calls < 4 })
		if calls != 4 {
			t.Errorf("Near(0, %d) called %d times, want 4", k, calls)
		}
	}
}

func BenchmarkTables(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("insert/n=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			var size uint64
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				t := index.NewTables(3)
				for i := range n {
					t.Insert(r.Uint64(), index.DocID(i+1))
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				size = after.HeapAlloc - before.HeapAlloc
				runtime.KeepAlive(t)
			}
			b.ReportMetric(float64(size)/float64(n), "B/fingerprint")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(b.N), "ns/insert")
		})
	}
}

func benchmarkNear(b *testing.B, x index.Index, n int) {
	r := rand.New(rand.NewPCG(1, 1))
	queries := make([]uint64, 1<<12)
	for i := range n {
		fp := r.Uint64()
		x.Insert(fp, index.DocID(i+1))
		if i < len(queries) {
			queries[i] = fp
			if i%2 == 0 { // half of the queries have a neighbour
				queries[i] = indextest.Flip(r, fp, r.IntN(4))
			}
		}
	}
	found, i := 0, 0
	for b.Loop() {
		x.Near(queries[i%len(queries)], 3, func(index.DocID, uint64, int) bool { found++; return true })
		i++
	}
	if found == 0 {
		b.Error("nothing found")
	}
}

func BenchmarkNear1000000(b *testing.B) {
	b.Run("tables", func(b *testing.B) { benchmarkNear(b, index.NewTables(3), 1_000_000) })
	b.Run("maps", func(b *testing.B) { benchmarkNear(b, new(indextest.Maps), 1_000_000) })
	b.Run("scan", func(b *testing.B) { benchmarkNear(b, new(indextest.Scan), 1_000_000) })
}

func BenchmarkNear10000000(b *testing.B) {
	b.Run("tables", func(b *testing.B) { benchmarkNear(b, index.NewTables(3), 10_000_000) })
	b.Run("scan", func(b *testing.B) { benchmarkNear(b, new(indextest.Scan), 10_000_000) })
}
