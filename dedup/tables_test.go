package dedup

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// A scan is an Index that looks at every fingerprint.
type scan struct {
	fps  []uint64
	docs []DocID
}

func (s *scan) Insert(fp uint64, doc DocID) { s.fps, s.docs = append(s.fps, fp), append(s.docs, doc) }

func (s *scan) Len() int { return len(s.fps) }

func (s *scan) Bytes() int64 { return int64(8*cap(s.fps) + 4*cap(s.docs)) }

func (s *scan) Design() Design { return "scan" }

func (s *scan) NearBatch(fps []uint64, k int, yield func(int, DocID, uint64, int) bool) {
	nearBatch(s, fps, k, yield)
}

func (s *scan) Near(fp uint64, k int, yield func(DocID, uint64, int) bool) {
	for i, x := range s.fps {
		if d := bits.OnesCount64(x ^ fp); d <= k && !yield(s.docs[i], x, d) {
			return
		}
	}
}

// maps are four tables of 16 bits as they are mostly written.
type maps [4]map[uint16][]row

type row struct {
	fp  uint64
	doc DocID
}

func (m *maps) Insert(fp uint64, doc DocID) {
	for i := range m {
		if m[i] == nil {
			m[i] = map[uint16][]row{}
		}
		key := uint16(fp >> (16 * i))
		m[i][key] = append(m[i][key], row{fp, doc})
	}
}

func (m *maps) Len() int { return 0 }

func (m *maps) Bytes() int64 { return 0 }

func (m *maps) Design() Design { return "maps" }

func (m *maps) NearBatch(fps []uint64, k int, yield func(int, DocID, uint64, int) bool) {
	nearBatch(m, fps, k, yield)
}

func (m *maps) Near(fp uint64, k int, yield func(DocID, uint64, int) bool) {
	seen := map[DocID]bool{}
	for i := range m {
		for _, r := range m[i][uint16(fp>>(16*i))] {
			if d := bits.OnesCount64(r.fp ^ fp); d <= k && !seen[r.doc] {
				seen[r.doc] = true
				if !yield(r.doc, r.fp, d) {
					return
				}
			}
		}
	}
}

// kinds of fingerprints: what an honest web, a lopsided one and an enemy send.
var kinds = []struct {
	name string
	next func(r *rand.Rand, i int) uint64
}{
	{"uniform", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
	{"skewed", func(r *rand.Rand, _ int) uint64 { return r.Uint64() & r.Uint64() & r.Uint64() }},
	{"clustered", func(r *rand.Rand, _ int) uint64 { return flip(r, mix(uint64(r.IntN(20))), r.IntN(9)) }},
	{"one bucket", func(r *rand.Rand, _ int) uint64 { return r.Uint64() & 0xFFFF }},
	{"all equal", func(*rand.Rand, int) uint64 { return 0 }},
	{"counting", func(_ *rand.Rand, i int) uint64 { return uint64(i) }},
	{"all ones", func(r *rand.Rand, _ int) uint64 { return ^(uint64(1) << r.IntN(64)) }},
}

func flip(r *rand.Rand, fp uint64, n int) uint64 {
	for range n {
		fp ^= 1 << r.IntN(64)
	}
	return fp
}

type hit struct {
	doc DocID
	fp  uint64
	d   int
}

func near(x Index, fp uint64, k int) (hits []hit) {
	x.Near(fp, k, func(doc DocID, fp uint64, d int) bool {
		hits = append(hits, hit{doc, fp, d})
		return true
	})
	slices.SortFunc(hits, func(a, b hit) int { return int(a.doc) - int(b.doc) })
	return hits
}

func TestTablesFindWhatAScanFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, kind := range kinds {
		for k := range MaxDistance + 1 {
			t.Run(fmt.Sprintf("%s/k=%d", kind.name, k), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, uint64(k)))
				tables, all := NewTables(k), new(scan)
				for i := range 1500 {
					fp := kind.next(r, i)
					tables.Insert(fp, DocID(i+1))
					all.Insert(fp, DocID(i+1))
				}
				if tables.Len() != all.Len() {
					t.Fatalf("Len() = %d, want %d", tables.Len(), all.Len())
				}
				for i := range 200 {
					query := flip(r, all.fps[r.IntN(all.Len())], r.IntN(k+2))
					if i%10 == 0 {
						query = kind.next(r, i)
					}
					for at := -1; at <= k+1; at++ {
						if got, want := near(tables, query, at), near(all, query, at); !slices.Equal(got, want) {
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
		tables := NewTables(3)
		for i := range 10 {
			tables.Insert(0, DocID(i+1))
		}
		calls := 0
		tables.Near(0, k, func(DocID, uint64, int) bool { calls++; return calls < 4 })
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
				t := NewTables(3)
				for i := range n {
					t.Insert(r.Uint64(), DocID(i+1))
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

func benchmarkNear(b *testing.B, x Index, n int) {
	r := rand.New(rand.NewPCG(1, 1))
	queries := make([]uint64, 1<<12)
	for i := range n {
		fp := r.Uint64()
		x.Insert(fp, DocID(i+1))
		if i < len(queries) {
			queries[i] = fp
			if i%2 == 0 { // half of the queries have a neighbour
				queries[i] = flip(r, fp, r.IntN(4))
			}
		}
	}
	found, i := 0, 0
	for b.Loop() {
		x.Near(queries[i%len(queries)], 3, func(DocID, uint64, int) bool { found++; return true })
		i++
	}
	if found == 0 {
		b.Error("nothing found")
	}
}

func BenchmarkNear1000000(b *testing.B) {
	b.Run("tables", func(b *testing.B) { benchmarkNear(b, NewTables(3), 1_000_000) })
	b.Run("maps", func(b *testing.B) { benchmarkNear(b, new(maps), 1_000_000) })
	b.Run("scan", func(b *testing.B) { benchmarkNear(b, new(scan), 1_000_000) })
}

func BenchmarkNear10000000(b *testing.B) {
	b.Run("tables", func(b *testing.B) { benchmarkNear(b, NewTables(3), 10_000_000) })
	b.Run("scan", func(b *testing.B) { benchmarkNear(b, new(scan), 10_000_000) })
}
