package fold_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/fold"
)

// A list of results without its repeats, the best of each group first.
func ExampleList() {
	groups, err := fold.List([]fold.Result{
		{URL: "https://a.example/harbour", Title: "The harbour", Snippet: "The committee heard three reports about the harbour and its depth on Tuesday.", Score: 3},
		{URL: "https://b.example/trains", Title: "Trains", Snippet: "Trains leave each hour, and the journey takes eleven minutes less than the road.", Score: 2.5},
		{URL: "https://c.example/copied", Title: "The harbour", Snippet: "The committee heard three reports about the harbour and its width on Tuesday.", Score: 2},
		{URL: "http://www.a.example/harbour/index.html", Title: "Harbour", Score: 1},
	}, fold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range groups {
		fmt.Println(g.URL)
		for _, f := range g.Folded {
			fmt.Printf("  %s (%s, %.2f)\n", f.URL, f.How, f.Similarity)
		}
	}
	// Output:
	// https://a.example/harbour
	//   https://c.example/copied (description, 0.73)
	//   http://www.a.example/harbour/index.html (url, 1.00)
	// https://b.example/trains
}
