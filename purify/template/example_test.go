package template_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// Five pages of a host have a menu and a footer in common.
func ExampleLearner_Of() {
	s, err := mem.Open(slices.Concat(template.Tables(), page.Tables()))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	learner := template.New(s, template.Options{})
	ctx := context.Background()
	if err := s.View(ctx, learner.Load); err != nil {
		log.Fatal(err)
	}
	for n := range 5 {
		u, err := weburl.Parse(fmt.Sprintf("https://example.org/%d", n))
		if err != nil {
			log.Fatal(err)
		}
		blocks := []purify.Print{
			purify.PrintOf("About this site, its authors and how to reach them"),
			purify.PrintOf(fmt.Sprintf("The text of page %d, which no other page of the site has", n)),
			purify.PrintOf("All texts may be copied under the usual conditions"),
		}
		slices.Sort(blocks)
		v := &page.Visit{Lease: frontier.Lease{URL: u}, Body: []byte("<p>the page"), Prints: blocks}
		r := &page.Record{Seq: uint64(n + 1), URL: u.String(), Verdict: page.VerdictNew}
		err = s.Update(ctx, func(tx kv.Tx) error { return learner.Learn(tx, v, r, dedup.Verdict{}) })
		if err != nil {
			log.Fatal(err)
		}
	}
	t, err := learner.Of("https://example.org/5")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Blocks(), "blocks on", t.Pages(), "pages")
	// Output:
	// 2 blocks on 5 pages
}
