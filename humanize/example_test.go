package humanize_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/humanize"
)

func ExampleMany() {
	fmt.Println(humanize.Many(1, "page", "pages"), "of", humanize.Count(12345), "are new:", humanize.Percent(1.0/12345))
	// Output: 1 page of 12,345 are new: 0.0%
}
