package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// TestPagesSayTheSameInAnotherOrderOfLines compares pages whose lines a server writes in another order, or of which a layout takes one for
// the title, and pages of which one word is another.
func TestPagesSayTheSameInAnotherOrderOfLines(t *testing.T) {
	site := templateOf(40)
	view := func(title string, lines ...string) *purify.DocView {
		v := &purify.DocView{URL: "http://a.example/p", Title: title, Template: site.Generation(), Layout: 1}
		for _, s := range lines {
			text, links := strings.CutPrefix(s, "> ")
			v.Blocks = append(v.Blocks, purify.Block{Text: text, Print: purify.PrintOf(text), Linked: links, Prose: len(text) > 60, Chosen: true})
		}
		return v
	}
	const title = "Ferry timetable"
	page := []string{
		"The ferry leaves the northern pier each morning and comes back at dusk, but for two weeks in March",
		"Dogs travel free of charge, and so do bicycles that can be folded and children below the age of six",
		"Monday", "yes", "Sunday", "no", "> Deutsch English Suomi Svenska Norsk",
	}
	with := func(change func(lines []string)) []string {
		lines := append([]string(nil), page...)
		change(lines)
		return lines
	}
	for name, c := range map[string]struct {
		title string
		lines []string
		same  bool
	}{
		"the same page":                            {title, page, true},
		"two lines in another order":               {title, with(func(l []string) { l[0], l[1] = l[1], l[0] }), true},
		"links in another order":                   {title, with(func(l []string) { l[6] = "> Norsk Suomi English Deutsch Svenska" }), true},
		"another link":                             {title, with(func(l []string) { l[6] = "> Norsk Suomi English Deutsch Dansk" }), false},
		"another word":                             {title, with(func(l []string) { l[1] = strings.Replace(l[1], "free", "not", 1) }), false},
		"two words exchanged":                      {title, with(func(l []string) { l[0] = strings.Replace(l[0], "ferry leaves", "leaves ferry", 1) }), false},
		"a line that stands elsewhere on the page": {title, with(func(l []string) { l[5] = "yes" }), false},
		"a line more":                              {title, append(with(func([]string) {}), "There is no ferry on Fridays in winter"), false},
		"a line less":                              {title, page[1:], false},
	} {
		a, b := TextOf(view(title, page...), site), TextOf(view(c.title, c.lines...), site)
		if SayTheSame(&a, &b) != c.same || SayTheSame(&b, &a) != c.same {
			t.Errorf("%s: say the same %v, want %v", name, !c.same, c.same)
		}
		if same := a.Lines() == b.Lines(); same != c.same {
			t.Errorf("%s: the digests of lines are equal: %v, want %v", name, same, c.same)
		}
	}
	// A layout may have a heading that says more than the title which it makes of it.
	heading := "Ferry timetable - all piers and seasons"
	a := TextOf(view(heading, append([]string{heading}, page...)...), site)
	b := TextOf(view("Harbour: "+title, append([]string{heading}, page...)...), site)
	if a.Body == b.Body || !SayTheSame(&a, &b) {
		t.Error("pages one of which has its heading as title do not say the same", fmt.Sprintf("\n%q\n%q", a.Body, b.Body))
	}
}

// Outside their bodies two pages may have what the other lacks: teasers, the day on which it was made. If a line of one may be one of the
// other altered, or if they are many, the pages are two, and so they are if a line of a body differs.
func TestPagesSayTheSameWithTeasersOnOneOfThem(t *testing.T) {
	site := templateOf(40)
	const body = "The ferry leaves the northern pier each morning and comes back at dusk, but for two weeks in March. " +
		"Dogs travel free of charge, and so do bicycles that can be folded and children below the age of six"
	page := func(chosen string, beside ...string) Text {
		v := &purify.DocView{URL: "http://a.example/p", Title: "Ferry timetable", Template: site.Generation(), Layout: 1}
		for i, s := range append([]string{chosen}, beside...) {
			v.Blocks = append(v.Blocks, purify.Block{Text: s, Print: purify.PrintOf(s), Prose: len(s) > 60, Chosen: i == 0})
		}
		return TextOf(v, site)
	}
	for name, c := range map[string]struct {
		a, b Text
		same bool
	}{
		"teasers on one page":    {page(body), page(body, "Lighthouses of the coast", "Walks"), true},
		"a word of the body":     {page(body), page(strings.Replace(body, "free", "not free", 1), "Walks"), false},
		"a line that is altered": {page(body, "Walks for children"), page(body, "Walks for dogs"), false},
		"much beside one body":   {page(body), page(body, body[:90]+" in winter"), false},
		"two layouts":            {page(body, "Last modified March 7, 2023: fix links (c99a)"), page(body, "Posted on May 3, 2019 by Jo Quill", "3 min read"), true},
		"a number is altered":    {page(body, "Fare: 12 crowns"), page(body, "Fare: 15 crowns"), false},
		"a date is altered":      {page(body, "March 7, 2023"), page(body, "8.9.2023"), false},
	} {
		if SayTheSame(&c.a, &c.b) != c.same || SayTheSame(&c.b, &c.a) != c.same {
			t.Errorf("%s: say the same %v, want %v", name, !c.same, c.same)
		}
	}
}

// One layout has links to other pages on lines of their own, in the body as it is read, and another one has them in a bar together with the title, or has
// others; and a page may end with its day and what was changed then. What a brief page says is compared without them, as that of a longer one is, but not a
// list of links without theirs.
func TestPagesSayTheSameWithOtherLinksAndADay(t *testing.T) {
	site := templateOf(40)
	const (
		text    = "The ferry leaves the northern pier each morning and comes back at dusk, but for two weeks in March. "
		fares   = "Dogs travel free of charge, and so do bicycles that can be folded and children below the age of six. Tickets are sold on board, and there is no need to book."
		changed = "Last modified March 7, 2023: fix links (c99a)"
		brief   = "Dogs travel free of charge, and so do children below the age of six"
	)
	page := func(lines ...string) Text {
		v := &purify.DocView{URL: "http://a.example/p", Title: "Ferry timetable", Template: site.Generation(), Layout: 1}
		for _, s := range lines {
			line, outside := strings.CutPrefix(s, "| ")
			line, linked := strings.CutPrefix(line, "> ")
			v.Blocks = append(v.Blocks, purify.Block{Text: line, Print: purify.PrintOf(line), Prose: len(line) > 80, Linked: linked, Chosen: !outside})
		}
		return TextOf(v, site)
	}
	for name, c := range map[string]struct {
		a, b []string
		same bool
	}{
		"other links":                    {[]string{text, fares, "> Lighthouses of the coast", "> 3.2 Harbour walks"}, []string{text, fares, "> 3.4 Tides", "> Fishing on the island"}, true},
		"links on lines, and in a bar":   {[]string{text, fares, "> Lighthouses of the coast", "> Harbour walks"}, []string{text, fares, "| Ferry timetable Home | Lighthouses of the coast | Harbour walks | Index"}, true},
		"a word, with other links":       {[]string{text, fares, "> Harbour walks"}, []string{text, strings.Replace(fares, "sold", "not sold", 1), "> Fishing"}, false},
		"a bar of which a link is other": {[]string{text, fares, "> Deutsch English Suomi Svenska Norsk"}, []string{text, fares, "> Deutsch English Suomi Svenska Dansk"}, false},
		"another link of a list": {
			[]string{"Boats:", "> Albatross", "> Bounty", "> Calypso", "> Dolphin", "> Endeavour"},
			[]string{"Boats:", "> Albatross", "> Bounty", "> Calypso", "> Dolphin", "> Fram"}, false,
		},
		"a brief page, next to teasers":         {[]string{brief}, []string{brief, "| > Lighthouses of the coast", "| > Harbour walks with a view of the northern pier", "| > Tides"}, true},
		"a word of a brief page, with teasers":  {[]string{brief}, []string{strings.Replace(brief, "free", "half", 1), "| > Harbour walks with a view of the northern pier"}, false},
		"a brief list, next to other links":     {[]string{"Boats:", "> Albatross", "> Bounty"}, []string{"Boats:", "> Albatross", "> Bounty", "| > Harbour walks with a view", "| > Tides"}, false},
		"two days of one month in two layouts":  {[]string{text, fares, "| Last modified March 7, 2023. Mail comments to the keeper of this copy."}, []string{text, fares, "| This page was last edited on 9 March 2022, at 09:03."}, true},
		"two days of one month in one sentence": {[]string{text, fares, "| The harbour is closed on March 7, 2023"}, []string{text, fares, "| The harbour is closed on March 9, 2023"}, false},
		"the day of a change":                   {[]string{text, fares, changed}, []string{text, fares}, true},
		"one day in two layouts":                {[]string{text, fares, "Updated March 7, 2023"}, []string{text, fares, "| Last changed on 2023-03-07 by the harbour office"}, true},
		"two days":                              {[]string{text, fares, "Updated March 7, 2023"}, []string{text, fares, "| Updated March 8, 2023"}, false},
		"a price behind a day":                  {[]string{text, fares, "On March 7, 2023 it was 12 crowns"}, []string{text, fares, "On March 7, 2023 it was 15 crowns"}, false},
		"a line of the body less":               {[]string{text, fares, "> Harbour walks"}, []string{text, "> Fishing"}, false},
		"a line that names a day, in midst":     {[]string{text, "There was no ferry on March 7, 2023", fares}, []string{text, fares}, false},
	} {
		a, b := page(c.a...), page(c.b...)
		if SayTheSame(&a, &b) != c.same || SayTheSame(&b, &a) != c.same {
			t.Errorf("%s: say the same %v and %v, want %v\n%q\n%q", name, SayTheSame(&a, &b), SayTheSame(&b, &a), c.same, a.Body, b.Body)
		}
	}
}

// Sites are compared in the transaction of a visit, so that one pair of long pages must not stop the others.
func BenchmarkSayTheSame10000OtherLines(b *testing.B) {
	site := templateOf(40)
	page := func(k int, chosen bool) Text {
		v := &purify.DocView{URL: fmt.Sprintf("http://a.example/p%d", k), Title: "Ferry timetable", Template: site.Generation(), Layout: 1}
		for i := range 10_000 {
			line := fmt.Sprintf("Ferry%dx%d leaves%d the%d pier at %d:%d today%d", k, i, i*k, i, i%24, k, i+k)
			v.Blocks = append(v.Blocks, purify.Block{Text: line, Print: purify.PrintOf(line), Chosen: chosen})
		}
		return TextOf(v, site)
	}
	x, y := page(1, false), page(2, true)
	for b.Loop() {
		if SayTheSame(&x, &y) {
			b.Fatal("pages with other lines say the same")
		}
	}
}
