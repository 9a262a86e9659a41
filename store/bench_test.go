package store_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store"
)

// BenchmarkAdd1000000URLs10000Hosts loads a seed list in the order that is
// worst for the queue, every URL of another host than the one before, and then
// opens the job again.
func BenchmarkAdd1000000URLs10000Hosts(b *testing.B) { benchmarkAdd(b, 1_000_000, 10_000) }

// BenchmarkAdd100000URLs1000Hosts is the same at a tenth of the size.
func BenchmarkAdd100000URLs1000Hosts(b *testing.B) { benchmarkAdd(b, 100_000, 1_000) }

func benchmarkAdd(b *testing.B, urls, hosts int) {
	for b.Loop() {
		dir := b.TempDir()
		o := store.DefaultOptions()
		s, err := store.Open(dir, o)
		if err != nil {
			b.Fatal(err)
		}
		const batch = 50_000
		start := time.Now()
		var peak uint64
		cs := make([]frontier.Candidate, 0, batch)
		for i := range urls {
			u, err := weburl.Parse(fmt.Sprintf("https://host%d.example/section/%d/page-%d.html", i%hosts, i/hosts%7, i))
			if err != nil {
				b.Fatal(err)
			}
			cs = append(cs, frontier.Candidate{URL: u})
			if len(cs) < batch && i < urls-1 {
				continue
			}
			if n, err := s.Add(b.Context(), cs); err != nil || n != len(cs) {
				b.Fatalf("Add of %d new URLs = %d, %v", len(cs), n, err)
			}
			cs = cs[:0]
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
		b.ReportMetric(float64(urls)/time.Since(start).Seconds(), "urls/s")
		b.ReportMetric(float64(peak)/1e6, "heap-MB")
		st, err := s.Status(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(st.DiskBytes)/float64(urls), "disk-B/url")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		if s, err = store.Open(dir, o); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "open-s")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
