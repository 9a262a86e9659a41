package search_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
)

// Sketches wait on disk, and the copies among them are found at the end.
func Example() {
	texts := []string{
		"The committee met on Tuesday and heard three reports about the harbour and its depth.",
		"Trains leave each hour, and the journey takes eleven minutes less than the road.",
		"The committee met on Tuesday and heard three reports about the harbour and its width.",
	}
	m := methods.Jaccard{Words: 3, Least: 0.6}
	scheme := m.Scheme(methods.NewCollection(m, nil))
	f, err := search.New(scheme, m.Threshold())
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, text := range texts {
		if err := f.Add(scheme.Sketch(methods.Document{Body: text})); err != nil {
			log.Fatal(err)
		}
	}
	err = f.Pairs(func(p search.Pair) error {
		fmt.Printf("%d and %d: %.2f\n", p.A, p.B, p.Score)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 and 2: 0.86
}
