package main

import (
	"fmt"
	"io"

	"gatecrawl/purify"
)

// figures are what is counted of a group of pages.
type figures struct {
	pages, kind    int
	titled, title  int // known titles, and those found exactly
	dated, date    int
	signed, author int
}

func (g *figures) add(s *sample) {
	known := func(all, right *int, want, got string) {
		if want != "" {
			*all++
			if want == got {
				*right++
			}
		}
	}
	g.pages++
	if s.kind == s.Type {
		g.kind++
	}
	known(&g.titled, &g.title, s.Title, s.view.Title)
	known(&g.dated, &g.date, s.Date, s.view.Date)
	known(&g.signed, &g.author, s.Author, s.view.Author)
}

// report prints the figures of the folds by type, what is taken for what, and
// how hubs are told from topics.
func (t *trainer) report(w io.Writer) {
	groups := map[string]*figures{"all": {}}
	taken := map[[2]string]int{}
	for _, name := range purify.Kinds {
		groups[name] = &figures{}
	}
	for _, s := range t.samples {
		groups["all"].add(s)
		groups[s.Type].add(s)
		taken[[2]string{s.Type, s.kind}]++
	}
	fmt.Fprintf(w, "%-14s %5s %6s %6s %6s %6s   taken for, in the same order\n", "type", "pages", "typed", "title", "date", "author")
	for _, name := range append(purify.Kinds[:], "all") {
		g := groups[name]
		fmt.Fprintf(w, "%-14s %5d %6.3f %6.3f %6.3f %6.3f  ", name, g.pages, share(g.kind, g.pages), share(g.title, g.titled), share(g.date, g.dated), share(g.author, g.signed))
		for _, as := range purify.Kinds {
			if name != "all" {
				fmt.Fprintf(w, " %4d", taken[[2]string{name, as}])
			}
		}
		fmt.Fprintln(w)
	}
	hub := func(kind string) bool { return kind == "listing" || kind == "collection" }
	right, said, are := 0, 0, 0
	for pair, n := range taken {
		if hub(pair[0]) {
			are += n
		}
		if hub(pair[1]) {
			said += n
		}
		if hub(pair[0]) && hub(pair[1]) {
			right += n
		}
	}
	fmt.Fprintf(w, "hubs, which are collections and listings: precision %.3f, recall %.3f, F1 %.3f\n", share(right, said), share(right, are), share(2*right, said+are))
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
