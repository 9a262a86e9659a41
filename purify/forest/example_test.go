package forest_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/forest"
)

// A tree of one question: 100 where the first column is 5 or more, -100 where it is less.
func ExampleForest_Score() {
	f := forest.Forest{Depth: 1, Splits: []forest.Split{{Column: 0, From: 5}}, Leaves: []int16{-100, 100}}
	fmt.Println(f.Score([]uint8{4}), f.Score([]uint8{5}))
	// Output:
	// -100 100
}
