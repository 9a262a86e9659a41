package exam_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// An exam counts the pairs that a method finds, and of them the copies.
func Example() {
	docs := []methods.Document{
		{URL: "a", Body: "The committee met on Tuesday and heard three reports about the harbour and its depth."},
		{URL: "b", Body: "The committee met on Tuesday and heard three reports about the harbour and its width."},
		{URL: "c", Body: "Trains leave each hour, and the journey takes eleven minutes less than the road."},
	}
	test := exam.Test{Docs: docs, Copies: []methods.Pair{{A: 0, B: 1, Score: 1}}}
	r := exam.NewExam(test).Run(methods.Jaccard{Words: 3, Least: 0.6})
	all := r.Scores[0]
	fmt.Printf("%s: %d of %d copies, %d of %d found are right\n", r.Method, all.Right, all.Copies, all.Right, all.Found)
	// Output: jaccard: 1 of 1 copies, 1 of 1 found are right
}
