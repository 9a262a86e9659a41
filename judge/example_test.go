package judge_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/judge"
)

// Nine of ten judged copies are copies; the stratum has a hundred.
func Example() {
	e := judge.Estimated([]judge.Tally{{Stratum: judge.Stratum{Name: "near copies", Copy: true, Pages: 100}, Same: 9, Not: 1}}, 0)
	fmt.Printf("precision %.2f, between %.2f and %.2f\n", e.Precision.Value, e.Precision.Low, e.Precision.High)
	// Output: precision 0.90, between 0.60 and 0.98
}
