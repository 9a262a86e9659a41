package dedup_test

import (
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

const harbour = `The committee met on Tuesday and heard three reports about the harbour and its
depth. Members agreed that work on the northern pier may begin in spring, provided that the
weather allows it. A second vote on the budget was put off until the autumn meeting.`

const railway = `A new line will join the two valleys from next year. Trains leave each hour, and
the journey through the long tunnel takes eleven minutes less than the road does.`

// A gate over texts in memory.
func Example() {
	s := dedup.NewSet(dedup.DefaultOptions())
	s.Add("harbour", harbour)
	m := s.Add("again", harbour+" Tickets are free.")

	fmt.Println(m.Copy(), m.Of, m.Level == dedup.LevelNear)
	fmt.Printf("%.2f of the text is the same\n", m.Similarity)
	fmt.Println(s.Add("railway", railway).Copy(), s.Len())
	// Output:
	// true harbour true
	// 0.94 of the text is the same
	// false 2
}

// Check asks without keeping the text.
func ExampleSet_Check() {
	s := dedup.NewSet(dedup.DefaultOptions())
	s.Add("harbour", harbour)
	fmt.Println(s.Check(strings.ToUpper(harbour)).Level == dedup.LevelBody)
	fmt.Println(s.Check(railway).Copy(), s.Len())
	// Output:
	// true
	// false 1
}

// Of a page the template is taken out first. TextOf has its title and language too.
func ExampleSet_AddText() {
	page := func(menu, text string) dedup.Text {
		html := "<title>Harbour</title><nav><ul><li><a href=/>" + menu + "</a><li><a href=/all>All</a></ul></nav><article><p>" + text + "</article>"
		return dedup.TextOf(purify.Purify([]byte(html), "text/html"))
	}
	s := dedup.NewSet(dedup.DefaultOptions())
	s.AddText("a.example", page("The Gazette", harbour))
	fmt.Println(s.AddText("b.example", page("The Tribune", harbour)).Of)
	// Output:
	// a.example
}

// signatures keeps what a gate's documents were claimed with, as a store does.
type signatures map[dedup.DocID]dedup.Signature

func (s signatures) Signature(doc dedup.DocID) (dedup.Signature, error) { return s[doc], nil }

// A Gate leaves it to its caller where signatures are kept: a crawl has them in its store.
func ExampleGate() {
	kept := make(signatures)
	g, err := dedup.NewGate(dedup.DefaultOptions(), kept)
	if err != nil {
		panic(err)
	}
	for doc, text := range []string{harbour, railway, strings.ToLower(harbour)} {
		doc, sig := dedup.DocID(doc+1), dedup.SignText(text)
		v, err := g.Claim(doc, sig, nil)
		if err != nil {
			panic(err)
		}
		if v.Copy() {
			fmt.Println(doc, "is a copy of", v.Of, v.Class)
			continue
		}
		kept[doc] = sig
	}
	// Output:
	// 3 is a copy of 1 full-layout
}

// Differ says which passages of two texts are not in the other.
func ExampleDiffer() {
	d := dedup.Differ(dedup.Text{Body: harbour + " Tickets are free."}, dedup.Text{Body: harbour})
	fmt.Printf("%d here, %d there: %q\n", len(d.Here), len(d.There), d.Here[0].Text)
	// Output:
	// 1 here, 0 there: "Tickets are free"
}
