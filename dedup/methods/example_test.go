package methods_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/methods"
)

// A method scores pairs of documents; from its threshold on they are copies.
func Example() {
	docs := []methods.Document{
		{Body: "The committee met on Tuesday and heard three reports about the harbour and its depth."},
		{Body: "The committee met on Tuesday and heard three reports about the harbour and its width."},
		{Body: "Trains leave each hour, and the journey takes eleven minutes less than the road."},
	}
	list, err := methods.Named("jaccard,simhash", 0.6)
	if err != nil {
		panic(err)
	}
	for _, m := range list {
		s := m.Sign(docs)
		fmt.Println(m.Name(), s.Score(0, 1) >= m.Threshold(), s.Score(0, 2) >= m.Threshold())
	}
	// Output:
	// jaccard true false
	// simhash false false
}
