package lab_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/lab"
)

// All designs find the same fingerprints.
func ExampleNewIndex() {
	for _, design := range lab.Designs() {
		x, err := lab.NewIndex(design, 3)
		if err != nil {
			log.Fatal(err)
		}
		x.Insert(0b1111_0000, 1)
		x.Insert(0b0000_1111, 2)
		x.Near(0b1111_0011, 3, func(doc index.DocID, _ uint64, d int) bool {
			fmt.Printf("%s: document %d differs in %d bits\n", design, doc, d)
			return true
		})
	}
	// Output:
	// halves: document 1 differs in 2 bits
	// static: document 1 differs in 2 bits
	// blocks: document 1 differs in 2 bits
	// sorted4: document 1 differs in 2 bits
	// sorted10: document 1 differs in 2 bits
	// sorted16: document 1 differs in 2 bits
	// sorted20: document 1 differs in 2 bits
}
