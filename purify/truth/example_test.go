package truth_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// A body lacks a word of the true one, and has a word of the menu.
func ExampleScore() {
	precision, recall, f1 := truth.Score(truth.Words("Home swifts fly to Africa"), truth.Words("swifts fly to Africa today"))
	fmt.Printf("%.2f %.2f %.2f\n", precision, recall, f1)
	// Output:
	// 0.80 0.80 0.80
}
