package letter_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/store/letter"
)

// A partition tells another how many copies it has of a page that the other has kept.
func ExampleDecode() {
	l := letter.Letter{Kind: letter.Size, Page: 7, Size: group.Size{Degree: 1, Copies: 4}}
	got, err := letter.Decode(l.Encode())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Kind == letter.Size, got.Page, got.Size.Copies)
	// Output:
	// true 7 4
}
