package corpus_test

import (
	"fmt"
	"log"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
)

// Pages that you have go through the gate of a crawl.
func Example() {
	story := "The committee met on Tuesday and heard three reports about the harbour and its depth."
	pages := fmt.Sprintf(`{"url":"https://a.example/1","text":%q}
{"url":"https://b.example/2","text":%q}
{"url":"https://c.example/3","text":"Trains leave each hour, and the journey takes eleven minutes less."}
`, story, story)
	b, err := corpus.NewBatch(corpus.Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		log.Fatal(err)
	}
	b.Judged = func(r corpus.Result) error {
		fmt.Printf("%s %s %q\n", r.Record.URL, r.Record.Verdict, r.Record.Of)
		return nil
	}
	if _, err := b.Run(&corpus.Source{Names: []string{"-"}, Stdin: strings.NewReader(pages), MaxBody: 10 << 20}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// https://a.example/1 new ""
	// https://b.example/2 copy "https://a.example/1"
	// https://c.example/3 new ""
}
