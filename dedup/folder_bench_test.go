package dedup

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/indextest"
)

// What a crawl pays for tables that survive it: every row of a kept page, a Commit
// each 1,000, then the opening, a look-up of each kind, and their bytes.
func BenchmarkFolder(b *testing.B) {
	for _, n := range indextest.Sizes(b) {
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
			start := cputime.Used()
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
			b.ReportMetric(float64(n)*float64(b.N)/(cputime.Used()-start).Seconds(), "inserts/cpu-s")
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
				if strings.HasSuffix(e.Name(), ".run") {
					runs++
				}
			}
			b.ReportMetric(float64(size)/float64(n), "disk-B/page")
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
		r := rand.New(rand.NewPCG(7, 7))
		queries := make([]uint64, 1<<16) // half within three bits of a kept page, half random
		for i := range queries {
			queries[i] = r.Uint64()
			if i%2 == 0 {
				queries[i] = indextest.Even(r.IntN(n)) ^ 1<<r.IntN(64) ^ 1<<r.IntN(64) ^ 1<<r.IntN(64)
			}
		}
		b.Run(fmt.Sprintf("near/n=%d", n), func(b *testing.B) {
			i, start := 0, cputime.Used()
			for b.Loop() {
				g.tables.Near(queries[i%len(queries)], 3, func(DocID, uint64, int) bool { return true })
				i++
			}
			b.ReportMetric(float64(i)/(cputime.Used()-start).Seconds(), "queries/cpu-s")
		})
		b.Run(fmt.Sprintf("bytes/n=%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				g.tables.Find(index.BytesHeads, evenSignature(i*7919%(2*n)).Bytes.head(), func(DocID) bool { return true })
				i++
			}
		})
		b.Run(fmt.Sprintf("claim/n=%d", n), func(b *testing.B) {
			var took []time.Duration
			i := n
			for b.Loop() {
				sig := evenSignature(i)
				start := time.Now()
				if _, err := g.Claim(DocID(i+1), sig, nil); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				if i++; i%64 == 0 {
					if err := g.Commit(); err != nil {
						b.Fatal(err)
					}
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "ns-p99")
		})
		if err := g.tables.Fault(); err != nil {
			b.Error(err)
		}
		g.Close()
	}
}

func evenSignature(i int) Signature {
	s := Signature{SimHash: indextest.Even(i), Tokens: 200}
	s.Bytes, s.Body, s.Sketch = digestOfNumber(uint64(i)), digestOfNumber(uint64(i)+1<<40), digestOfNumber(uint64(i)+1<<41)
	for b := range s.Bands {
		s.Bands[b] = uint32(indextest.Even(i) >> (4 * b))
	}
	return s
}
