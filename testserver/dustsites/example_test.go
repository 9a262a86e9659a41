package dustsites_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/testserver/dustsites"
)

// A site each article of which has a second URL with print=1.
func ExampleNew() {
	site, err := dustsites.New(dustsites.Options{Seed: 1, Pages: 20, Links: 5, Patterns: []string{"print-parameter"}})
	if err != nil {
		log.Fatal(err)
	}
	one, _ := site.Document("/harbours/story-0.html")
	two, _ := site.Document("/harbours/story-0.html?print=1")
	fmt.Println(one == two)
	// Output:
	// true
}
