package index

import (
	"fmt"
	"runtime"
	"sync"
)

// A Design is a way to build an Index.
type Design string

// The designs for gates; package lab has others, for comparison.
const (
	DesignHalves Design = "halves" // type Halves: any distance, less than half the memory
	DesignBlocks Design = "blocks" // type Tables: k+1 blocks, faster up to some million fingerprints
)

// Designs returns the designs for gates.
func Designs() []Design { return []Design{DesignHalves, DesignBlocks} }

// NewIndex returns an empty index of a design, for distances up to k.
func NewIndex(d Design, k int) (Index, error) {
	if k < 0 || k > MaxDistance {
		return nil, fmt.Errorf("index: want a distance of 0 to %d bits, got %d", MaxDistance, k)
	}
	switch d {
	case DesignHalves:
		return NewHalves(), nil
	case DesignBlocks:
		return NewTables(k), nil
	}
	return nil, fmt.Errorf("index design %q: want one of %v", d, Designs())
}

// batchPart is how many queries a goroutine takes at a time.
const batchPart = 4096

// NearBatch answers queries one by one on all processors and calls yield in their order.
// The goroutines end before it returns.
func NearBatch(x Index, fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool) {
	type found struct {
		query int
		fp    uint64
		doc   DocID
		d     int
	}
	parts := make([][]found, runtime.GOMAXPROCS(0))
	for at := 0; at < len(fps); {
		var wg sync.WaitGroup
		for p := range parts {
			start := min(at+p*batchPart, len(fps))
			end := min(start+batchPart, len(fps))
			wg.Go(func() {
				part := parts[p][:0]
				for i := start; i < end; i++ {
					x.Near(fps[i], k, func(doc DocID, fp uint64, d int) bool {
						part = append(part, found{i, fp, doc, d})
						return true
					})
				}
				parts[p] = part
			})
		}
		wg.Wait()
		for _, part := range parts {
			for _, f := range part {
				if !yield(f.query, f.doc, f.fp, f.d) {
					return
				}
			}
		}
		at += len(parts) * batchPart
	}
}
