package seeds_test

import (
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// Read reads lists of URLs in many forms. A faulty line is an error, and reading goes on.
func ExampleRead() {
	list := "example.org\tlabel\n# a comment\nhttps://example.net/a\tlabel=news\tpriority=5\n"
	for s, err := range seeds.Read(strings.NewReader(list), "list.txt") {
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(s.URL, s.Label, s.Priority)
	}
	// Output:
	// https://example.org/  0
	// https://example.net/a news 5
}
