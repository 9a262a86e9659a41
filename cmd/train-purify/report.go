package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"path/filepath"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/truth"
)

// figures are the counts of a group of pages.
type figures struct {
	pages                 int
	f1, precision, recall float64 // of the body's words, summed over pages
	grams                 float64 // F1 of runs of four tokens, summed over pages
	near                  int     // bodies whose SimHash is within 3 bits of the known one's
	typed, kind           int
	titled, title         int // known titles, and titles found exactly
	dated, date           int
	signed, author        int
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
	got, want := truth.Words(s.body), truth.Words(s.Body)
	p, r, f := truth.Score(got, want)
	_, _, f4 := truth.Score(truth.Runs(got), truth.Runs(want))
	g.pages++
	g.precision, g.recall, g.f1, g.grams = g.precision+p, g.recall+r, g.f1+f, g.grams+f4
	if bits.OnesCount64(dedup.SignText(s.body).SimHash^dedup.SignText(s.Body).SimHash) <= 3 {
		g.near++
	}
	if s.row != nil {
		known(&g.typed, &g.kind, s.Type, s.kind)
	}
	known(&g.titled, &g.title, s.Title, s.title)
	known(&g.dated, &g.date, s.Date, s.date)
	known(&g.signed, &g.author, s.Author, s.author)
}

// report prints the figures of the folds by type, the confusion of types, and how well hubs are
// told from topics.
func (t *trainer) report(w io.Writer, corpus string) {
	groups := map[string]*figures{"all": {}}
	taken := map[[2]string]int{}
	for _, name := range body.Types {
		groups[name] = &figures{}
	}
	for _, s := range t.samples {
		if s.corpus != corpus || s.drawn != notDrawn {
			continue
		}
		groups["all"].add(s)
		if g := groups[s.Type]; g != nil {
			g.add(s)
		}
		if s.row != nil {
			taken[[2]string{s.Type, s.kind}]++
		}
	}
	fmt.Fprintf(w, "%s, held out by host\n%-14s %5s %7s %6s %6s %7s %8s %6s %6s %6s %6s   taken for, in the same order\n",
		filepath.Base(corpus), "type", "pages", "word F1", "prec", "recall", "gram F1", "<=3 bits", "typed", "title", "date", "author")
	for _, name := range append(body.Types[:], "all") {
		g := groups[name]
		if g.pages == 0 {
			continue
		}
		n := float64(g.pages)
		fmt.Fprintf(w, "%-14s %5d %7.3f %6.3f %6.3f %7.3f %8.3f %6s %6s %6s %6s  ", name, g.pages, g.f1/n, g.precision/n, g.recall/n, g.grams/n, float64(g.near)/n,
			part(g.kind, g.typed), part(g.title, g.titled), part(g.date, g.dated), part(g.author, g.signed))
		for _, as := range body.Types {
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
	fmt.Fprintf(w, "hubs, which are collections and listings: precision %s, recall %s, F1 %s\n", part(right, said), part(right, are), part(2*right, said+are))
	if g := t.ceiling(corpus); g.pages > 0 {
		n := float64(g.pages)
		fmt.Fprintf(w, "bodies of the blocks that are labelled as body, the ceiling: word F1 %.3f, gram F1 %.3f, <=3 bits %.3f\n", g.f1/n, g.grams/n, float64(g.near)/n)
	}
}

// ceiling returns the figures of the bodies that the labels themselves choose: no forest can be
// better.
func (t *trainer) ceiling(corpus string) *figures {
	g := &figures{}
	for _, s := range t.samples {
		if s.corpus != corpus || s.drawn != notDrawn {
			continue
		}
		best := &sample{Page: s.Page}
		var body strings.Builder
		for i, text := range s.specimen.Blocks() {
			if t.blocks.label[int(s.from)+i] >= 0.5 {
				body.WriteString(text)
				body.WriteByte('\n')
			}
		}
		best.body = body.String()
		g.add(best)
	}
	return g
}

// held returns the bodies that the folds chose, one JSON object a line.
func (t *trainer) held() []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	for _, s := range t.samples {
		if s.drawn != notDrawn {
			continue
		}
		line := struct {
			Corpus string `json:"corpus"`
			ID     string `json:"id"`
			Body   string `json:"body"`
		}{filepath.Base(s.corpus), s.ID, s.body}
		if err := out.Encode(line); err != nil {
			panic("a text that is not JSON: " + err.Error())
		}
	}
	return b.Bytes()
}

// part returns a share, or a dash if the whole is 0.
func part(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(of))
}
