package labelled_test

import (
	"fmt"
	"log"
	"strings"

	"gatecrawl.example/gatecrawl/corpus/labelled"
)

// Pairs that people have judged: two texts and 1 for a copy, 0 for none.
func ExampleRead() {
	pairs := "the cat sat on the mat today\tthe cat sat on the mat yesterday\t1\n" +
		"the cat sat on the mat today\ta train leaves at noon\t0\n"
	set, err := labelled.Read(labelled.Options{}, []string{"-"}, strings.NewReader(pairs))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Truth, len(set.Test.Docs), "texts,", len(set.Test.Asked), "pairs,", len(set.Test.Copies), "of them copies")
	// Output:
	// judged 3 texts, 2 pairs, 1 of them copies
}
