package lab

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/indextest"
)

// benchmarkQueries are half planted at 0 to 3 flips, half random.
func benchmarkQueries(n int) []uint64 {
	r := rand.New(rand.NewPCG(7, 7))
	q := make([]uint64, 1<<16)
	for i := range q {
		q[i] = r.Uint64()
		if i%2 == 0 {
			q[i] = indextest.Flip(r, indextest.Even(r.IntN(n)), r.IntN(4))
		}
	}
	return q
}

func benchmarkIndex(b *testing.B, name string, n int, empty func() index.Index) {
	var x index.Index
	b.Run(fmt.Sprintf("%s/insert/n=%d", name, n), func(b *testing.B) {
		start := cputime.Used()
		for b.Loop() {
			x = empty()
			for i := range n {
				x.Insert(indextest.Even(i), index.DocID(i+1))
			}
			if s, ok := x.(*Sorted); ok {
				s.Pack()
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/(cputime.Used()-start).Seconds(), "inserts/cpu-s")
		b.ReportMetric(float64(x.Bytes())/float64(n), "B/fingerprint")
		if h, ok := x.(*index.Halves); ok {
			b.ReportMetric(float64(h.KeyBytes())/float64(n), "B/without-DocIDs")
		}
	})
	if x == nil {
		return
	}
	benchmarkNearOf(b, name, n, x)
}

func benchmarkNearOf(b *testing.B, name string, n int, x index.Index) {
	queries := benchmarkQueries(n)
	b.Run(fmt.Sprintf("%s/near/n=%d", name, n), func(b *testing.B) {
		i, found, start := 0, 0, cputime.Used()
		for b.Loop() {
			x.Near(queries[i%len(queries)], 3, func(index.DocID, uint64, int) bool { found++; return true })
			i++
		}
		b.ReportMetric(float64(i)/(cputime.Used()-start).Seconds(), "queries/cpu-s")
		b.ReportMetric(float64(found)/float64(i), "hits/query")
	})
	b.Run(fmt.Sprintf("%s/batch/n=%d", name, n), func(b *testing.B) {
		start := cputime.Used()
		for b.Loop() {
			x.NearBatch(queries, 3, func(int, index.DocID, uint64, int) bool { return true })
		}
		b.ReportMetric(float64(len(queries))*float64(b.N)/(cputime.Used()-start).Seconds(), "queries/cpu-s")
	})
	b.Run(fmt.Sprintf("%s/claim/n=%d", name, n), func(b *testing.B) {
		var took []time.Duration
		i := n
		for b.Loop() {
			start := time.Now()
			fp := indextest.Even(i)
			x.Near(fp, 3, func(index.DocID, uint64, int) bool { return true })
			x.Insert(fp, index.DocID(i+1))
			took = append(took, time.Since(start))
			i++
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns-p99")
	})
}

// Near and Insert one after the other are what a Claim asks of an index.
func BenchmarkIndex(b *testing.B) {
	for _, n := range indextest.Sizes(b) {
		for _, d := range Designs() {
			benchmarkIndex(b, string(d), n, func() index.Index {
				x, err := NewIndex(d, 3)
				if err != nil {
					b.Fatal(err)
				}
				return x
			})
		}
		benchmarkBulk(b, n)
		benchmarkIndex(b, "maps", n, func() index.Index { return new(indextest.Maps) })
		benchmarkScan(b, n)
	}
}

func benchmarkScan(b *testing.B, n int) {
	fps := make([]uint64, n)
	for i := range fps {
		fps[i] = indextest.Even(i)
	}
	queries := benchmarkQueries(n)
	b.Run(fmt.Sprintf("scan/near/n=%d", n), func(b *testing.B) {
		i, found, start := 0, 0, cputime.Used()
		for b.Loop() {
			for _, x := range fps {
				if bits.OnesCount64(x^queries[i%len(queries)]) <= 3 {
					found++
				}
			}
			i++
		}
		b.ReportMetric(float64(i)/(cputime.Used()-start).Seconds(), "queries/cpu-s")
		if found == 0 && i > len(queries)/16 {
			b.Error("nothing found")
		}
	})
}

// benchmarkBulk adds all at once, and asks as benchmarkIndex does.
func benchmarkBulk(b *testing.B, n int) {
	fps, docs := make([]uint64, n), make([]index.DocID, n)
	for i := range fps {
		fps[i], docs[i] = indextest.Even(i), index.DocID(i+1)
	}
	x := index.NewHalves()
	b.Run(fmt.Sprintf("halves-bulk/insert/n=%d", n), func(b *testing.B) {
		start := cputime.Used()
		for b.Loop() {
			x = index.NewHalves()
			x.InsertAll(fps, docs)
		}
		b.ReportMetric(float64(n)*float64(b.N)/(cputime.Used()-start).Seconds(), "inserts/cpu-s")
		b.ReportMetric(float64(x.Bytes())/float64(n), "B/fingerprint")
		b.ReportMetric(float64(x.KeyBytes())/float64(n), "B/without-DocIDs")
	})
	if x.Len() > 0 {
		benchmarkNearOf(b, "halves-bulk", n, x)
	}
}
