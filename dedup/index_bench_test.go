package dedup

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// benchSizes are 1 and 10 million fingerprints, or what DEDUP_BENCH_SIZE says.
func benchSizes(b *testing.B) []int {
	s := os.Getenv("DEDUP_BENCH_SIZE")
	if s == "" {
		return []int{1_000_000, 10_000_000}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		b.Fatalf("DEDUP_BENCH_SIZE: %v", err)
	}
	return []int{n}
}

// evenly are n fingerprints, a function of i and cheap to make.
func evenly(i int) uint64 { return mix(uint64(i) + 1<<40) }

// benchmarkQueries are half planted at 0 to 3 flips, half random.
func benchmarkQueries(n int) []uint64 {
	r := rand.New(rand.NewPCG(7, 7))
	q := make([]uint64, 1<<16)
	for i := range q {
		q[i] = r.Uint64()
		if i%2 == 0 {
			q[i] = flip(r, evenly(r.IntN(n)), r.IntN(4))
		}
	}
	return q
}

func benchmarkIndex(b *testing.B, name string, n int, empty func() Index) {
	var x Index
	b.Run(fmt.Sprintf("%s/insert/n=%d", name, n), func(b *testing.B) {
		begun := cpuTime()
		for b.Loop() {
			x = empty()
			for i := range n {
				x.Insert(evenly(i), DocID(i+1))
			}
			if s, ok := x.(*Sorted); ok {
				s.Pack()
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/(cpuTime()-begun).Seconds(), "inserts/cpu-s")
		b.ReportMetric(float64(x.Bytes())/float64(n), "B/fingerprint")
		if h, ok := x.(*Halves); ok {
			b.ReportMetric(float64(h.KeyBytes())/float64(n), "B/without-DocIDs")
		}
	})
	if x == nil {
		return
	}
	benchmarkNearOf(b, name, n, x)
}

func benchmarkNearOf(b *testing.B, name string, n int, x Index) {
	queries := benchmarkQueries(n)
	b.Run(fmt.Sprintf("%s/near/n=%d", name, n), func(b *testing.B) {
		i, found, begun := 0, 0, cpuTime()
		for b.Loop() {
			x.Near(queries[i%len(queries)], 3, func(DocID, uint64, int) bool { found++; return true })
			i++
		}
		b.ReportMetric(float64(i)/(cpuTime()-begun).Seconds(), "queries/cpu-s")
		b.ReportMetric(float64(found)/float64(i), "hits/query")
	})
	b.Run(fmt.Sprintf("%s/batch/n=%d", name, n), func(b *testing.B) {
		begun := cpuTime()
		for b.Loop() {
			x.NearBatch(queries, 3, func(int, DocID, uint64, int) bool { return true })
		}
		b.ReportMetric(float64(len(queries))*float64(b.N)/(cpuTime()-begun).Seconds(), "queries/cpu-s")
	})
	b.Run(fmt.Sprintf("%s/claim/n=%d", name, n), func(b *testing.B) {
		var took []time.Duration
		i := n
		for b.Loop() {
			begun := time.Now()
			fp := evenly(i)
			x.Near(fp, 3, func(DocID, uint64, int) bool { return true })
			x.Insert(fp, DocID(i+1))
			took = append(took, time.Since(begun))
			i++
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns-p99")
	})
}

// Near and Insert one after the other are what a Claim asks of an index.
func BenchmarkIndex(b *testing.B) {
	for _, n := range benchSizes(b) {
		for _, d := range Designs() {
			benchmarkIndex(b, string(d), n, func() Index {
				x, err := NewIndex(d, 3)
				if err != nil {
					b.Fatal(err)
				}
				return x
			})
		}
		benchmarkBulk(b, n)
		benchmarkIndex(b, "maps", n, func() Index { return new(maps) })
		benchmarkScan(b, n)
	}
}

func benchmarkScan(b *testing.B, n int) {
	fps := make([]uint64, n)
	for i := range fps {
		fps[i] = evenly(i)
	}
	queries := benchmarkQueries(n)
	b.Run(fmt.Sprintf("scan/near/n=%d", n), func(b *testing.B) {
		i, found, begun := 0, 0, cpuTime()
		for b.Loop() {
			for _, x := range fps {
				if bits.OnesCount64(x^queries[i%len(queries)]) <= 3 {
					found++
				}
			}
			i++
		}
		b.ReportMetric(float64(i)/(cpuTime()-begun).Seconds(), "queries/cpu-s")
		if found == 0 && i > len(queries)/16 {
			b.Error("nothing found")
		}
	})
}

// benchmarkBulk adds all at once, and asks as benchmarkIndex does.
func benchmarkBulk(b *testing.B, n int) {
	fps, docs := make([]uint64, n), make([]DocID, n)
	for i := range fps {
		fps[i], docs[i] = evenly(i), DocID(i+1)
	}
	x := NewHalves()
	b.Run(fmt.Sprintf("halves-bulk/insert/n=%d", n), func(b *testing.B) {
		begun := cpuTime()
		for b.Loop() {
			x = NewHalves()
			x.InsertAll(fps, docs)
		}
		b.ReportMetric(float64(n)*float64(b.N)/(cpuTime()-begun).Seconds(), "inserts/cpu-s")
		b.ReportMetric(float64(x.Bytes())/float64(n), "B/fingerprint")
		b.ReportMetric(float64(x.KeyBytes())/float64(n), "B/without-DocIDs")
	})
	if x.Len() > 0 {
		benchmarkNearOf(b, "halves-bulk", n, x)
	}
}

// What a crawl pays for tables that survive it: every row of a keeper, a Commit
// each 1,000, then the opening, a look-up of each kind, and their bytes.
func BenchmarkFolder(b *testing.B) {
	for _, n := range benchSizes(b) {
		parent, dir, round := b.TempDir(), "", 0
		o := DefaultOptions()
		o.Recent = 1
		var g *Gate
		open := func(b *testing.B, last, want DocID) *Gate {
			g, complete, err := OpenGate(Folder{Dir: dir, Last: last}, o, nil)
			if err != nil || complete != want {
				b.Fatalf("OpenGate = %d, %v, want %d", complete, err, want)
			}
			return g
		}
		b.Run(fmt.Sprintf("insert/n=%d", n), func(b *testing.B) {
			begun := cpuTime()
			for b.Loop() {
				dir = filepath.Join(parent, strconv.Itoa(round))
				round++
				g = open(b, 0, 0)
				for i := range n {
					g.Load(DocID(i+1), evenSignature(i))
					if i%1000 == 999 || i == n-1 {
						if err := g.Commit(); err != nil {
							b.Fatal(err)
						}
					}
				}
				if err := g.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "inserts/s")
			b.ReportMetric(float64(n)*float64(b.N)/(cpuTime()-begun).Seconds(), "inserts/cpu-s")
			size, runs := int64(0), 0
			entries, err := os.ReadDir(dir)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range entries {
				info, err := e.Info()
				if err != nil {
					b.Fatal(err)
				}
				size += info.Size()
				if _, ok := parseRunName(e.Name()); ok {
					runs++
				}
			}
			b.ReportMetric(float64(size)/float64(n), "disk-B/keeper")
			b.ReportMetric(float64(runs), "runs")
		})
		b.Run(fmt.Sprintf("open/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := open(b, DocID(n), DocID(n)).Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
		g = open(b, DocID(n), DocID(n))
		queries := benchmarkQueries(n)
		b.Run(fmt.Sprintf("near/n=%d", n), func(b *testing.B) {
			i, begun := 0, cpuTime()
			for b.Loop() {
				g.tables.near(queries[i%len(queries)], 3, func(DocID, uint64, int) bool { return true })
				i++
			}
			b.ReportMetric(float64(i)/(cpuTime()-begun).Seconds(), "queries/cpu-s")
		})
		b.Run(fmt.Sprintf("bytes/n=%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				g.tables.find(bytesHeads, evenSignature(i*7919%(2*n)).Bytes.head(), func(DocID) bool { return true })
				i++
			}
		})
		b.Run(fmt.Sprintf("claim/n=%d", n), func(b *testing.B) {
			var took []time.Duration
			i := n
			for b.Loop() {
				sig := evenSignature(i)
				begun := time.Now()
				if _, err := g.Claim(DocID(i+1), sig, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
				if i++; i%64 == 0 {
					if err := g.Commit(); err != nil {
						b.Fatal(err)
					}
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns-p99")
		})
		if err := g.tables.fault(); err != nil {
			b.Error(err)
		}
		g.Close()
	}
}

func evenSignature(i int) Signature {
	s := Signature{SimHash: evenly(i), Tokens: 200}
	s.Bytes, s.Body, s.Sketch = digestOfNumber(uint64(i)), digestOfNumber(uint64(i)+1<<40), digestOfNumber(uint64(i)+1<<41)
	for b := range s.Bands {
		s.Bands[b] = uint32(evenly(i) >> (4 * b))
	}
	return s
}
