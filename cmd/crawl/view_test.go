package main

import (
	"bytes"
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// BenchmarkViewLines1000Pages reports what crawl view --jsonl does in a second.
func BenchmarkViewLines1000Pages(b *testing.B) {
	var in bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&in, "{\"url\":\"http://example.org/%d\",\"html\":\"<html><body><article><h1>Title</h1><p>%s</p></article></body></html>\"}\n", i, words(uint64(i), 500))
	}
	b.SetBytes(int64(in.Len()))
	for b.Loop() {
		err := viewAll(bytes.NewReader(in.Bytes()), purify.Reader{}, nil, func(_ int, _ []byte, err error) error { return err })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
