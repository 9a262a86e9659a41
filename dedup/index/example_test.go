package index_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// Tables find the fingerprints within k bits of another one without looking at all.
func ExampleNewIndex() {
	t, err := index.NewIndex(index.DesignBlocks, 3)
	if err != nil {
		panic(err)
	}
	t.Insert(0b0000_1111, 1)
	t.Insert(0xFFFF_0000_FFFF_0000, 2)
	t.Near(0b0000_1010, 3, func(doc index.DocID, fingerprint uint64, distance int) bool {
		fmt.Printf("document %d, %d bits away\n", doc, distance)
		return true
	})
	// Output:
	// document 1, 2 bits away
}
