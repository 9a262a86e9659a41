package dedup

import (
	"fmt"
	"runtime"
	"sync"
)

// A Design is a way to build an Index.
type Design string

// The designs. Those of Manku, Jain and Das Sarma (2007) are called by their
// number of tables at k = 3.
const (
	DesignHalves   Design = "halves"   // Halves: dynamic, for any distance
	DesignStatic   Design = "static"   // Static: packed, for any distance
	DesignBlocks   Design = "blocks"   // Tables: dynamic, k+1 blocks
	DesignSorted4  Design = "sorted4"  // Sorted: k+1 blocks, one of them equal
	DesignSorted10 Design = "sorted10" // Sorted: k+2 blocks, two of them equal
	DesignSorted16 Design = "sorted16" // Sorted: k+1 blocks, the rest cut into k+1 again
	DesignSorted20 Design = "sorted20" // Sorted: k+3 blocks, three of them equal
)

// Designs returns all designs.
func Designs() []Design {
	return []Design{DesignHalves, DesignStatic, DesignBlocks, DesignSorted4, DesignSorted10, DesignSorted16, DesignSorted20}
}

// NewIndex returns an empty index of a design, for distances up to k.
func NewIndex(d Design, k int) (Index, error) {
	if k < 0 || k > MaxDistance {
		return nil, fmt.Errorf("index: want a distance of 0 to %d bits, got %d", MaxDistance, k)
	}
	switch d {
	case DesignHalves:
		return NewHalves(), nil
	case DesignStatic:
		return NewStatic(), nil
	case DesignBlocks:
		return NewTables(k), nil
	case DesignSorted4, DesignSorted10, DesignSorted16, DesignSorted20:
		return newSorted(d, k), nil
	}
	return nil, fmt.Errorf("index design %q: want one of %v", d, Designs())
}

// batchPart is the number of queries that one goroutine answers at a time.
const batchPart = 4096

// nearBatch answers queries one by one on all processors and calls yield in
// their order. The goroutines end before it returns.
func nearBatch(x Index, fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool) {
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
			begin := min(at+p*batchPart, len(fps))
			end := min(begin+batchPart, len(fps))
			wg.Go(func() {
				part := parts[p][:0]
				for i := begin; i < end; i++ {
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
