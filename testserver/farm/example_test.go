package farm_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/testserver/farm"
)

// A site and five others whose relation to it is known.
func ExampleNew() {
	f, err := farm.New(farm.Options{Seed: 1, Families: 1, Pages: 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range f.Relations {
		if r.Kind != "siblings" {
			fmt.Println(r.A, r.B, r.Kind, r.Mirror)
		}
	}
	// Output:
	// f0.example exact-0.test exact true
	// f0.example dropped-0.test dropped true
	// f0.example prefix-0.test prefix true
	// f0.example translation-0.test translation false
	// f0.example far-version-0.test far-version false
}
