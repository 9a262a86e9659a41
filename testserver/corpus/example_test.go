package corpus_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// An article and an edited version of it.
func ExampleText_Edited() {
	english := corpus.English(1)
	text := &corpus.Text{Corpus: english, Title: "A title", Seed: 7, Length: 40}
	text.Origin = text
	rng := corpus.RNG(2)
	edited := text.Edited(&rng, false)

	shingles := func(t *corpus.Text) map[uint64]struct{} {
		return corpus.Shingles(string(t.Append(nil, &corpus.PlainMarkup, nil)))
	}
	fmt.Printf("%.2f\n", corpus.Jaccard(shingles(text), shingles(edited)))
	// Output:
	// 0.93
}
