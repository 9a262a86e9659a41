package linkrot_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/mirror/linkrot"
)

// Where others of its folder went a lost page may be too.
func ExampleMoves() {
	var m linkrot.Moves
	for _, page := range []string{"install", "usage", "limits"} {
		m.Add("https://example.org/docs/"+page, "https://example.org/handbook/"+page)
	}
	for _, found := range m.Find("https://example.org/docs/faq") {
		fmt.Println(found.URL)
		fmt.Println(found.Rule)
	}
	// Output:
	// https://example.org/handbook/faq
	// /docs/* -> /handbook/*
}
