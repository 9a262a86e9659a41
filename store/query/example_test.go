package query_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/store/query"
)

// Two partitions have each named the pages near a given one.
func ExampleNearest() {
	found := []dedup.Neighbour{{Verdict: dedup.Verdict{Level: dedup.LevelNear, Of: 3, Similarity: .9}}}
	more := []dedup.Neighbour{
		{Verdict: dedup.Verdict{Level: dedup.LevelNear, Of: 8, Similarity: .95}},
		{Verdict: dedup.Verdict{Level: dedup.LevelNear, Of: 3, Similarity: .8}},
	}
	for _, v := range query.Nearest(found, more, 10) {
		fmt.Println("page", v.Of, v.Similarity)
	}
	// Output:
	// page 8 0.95
	// page 3 0.9
}
