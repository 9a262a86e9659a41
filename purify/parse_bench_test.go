//go:build unix

package purify

import (
	"bytes"
	"runtime"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/purify/truth"
)

// BenchmarkRealPages purifies and parses the same real pages in turn, and reports
// purify's CPU time as a multiple of the parse's: both with the garbage that they
// make, and of each the round that took least, since a busy machine only adds.
func BenchmarkRealPages(b *testing.B) {
	const every = 5
	var news, mixed [][]byte
	n := 0
	eachPage(b, "web-content.jsonl.zst", func(p *truth.Page) {
		if n++; n%every != 0 {
			return
		}
		mixed = append(mixed, []byte(p.HTML))
		if p.Type == "article" {
			news = append(news, []byte(p.HTML))
		}
	})
	b.Run("news", func(b *testing.B) { besideParse(b, news) })
	b.Run("mixed", func(b *testing.B) { besideParse(b, mixed) })
}

func besideParse(b *testing.B, pages [][]byte) {
	var purify, parse float64 // CPU seconds of the quickest round
	for first := true; b.Loop(); first = false {
		a := cpuSeconds(func() {
			for _, page := range pages {
				Purify(page, "text/html")
			}
		})
		c := cpuSeconds(func() {
			for _, page := range pages {
				if _, err := html.Parse(bytes.NewReader(page)); err != nil {
					b.Fatal(err)
				}
			}
		})
		if first {
			purify, parse = a, c
		}
		purify, parse = min(purify, a), min(parse, c)
	}
	size := 0
	for _, page := range pages {
		size += len(page)
	}
	b.ReportMetric(purify/parse, "x-parse")
	b.ReportMetric(float64(size)/1e6/purify, "MB/s")
	b.ReportMetric(float64(len(pages)), "pages")
	b.ReportMetric(0, "ns/op")
}

// cpuSeconds is what the process uses while do runs and its garbage is collected.
func cpuSeconds(do func()) float64 {
	runtime.GC()
	before := cputime.Used()
	do()
	runtime.GC()
	return (cputime.Used() - before).Seconds()
}
