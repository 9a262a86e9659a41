// Command train-purify trains the model that purify tells page types with, says
// what to expect of it on pages of other hosts, and writes it as Go source.
//
//	go run ./cmd/train-purify -out purify/model.go CORPUS...
//
// A corpus is a file of JSON lines, which may be compressed with zstd: id, url,
// host, html and type of a page, and its title, date and author where they
// are known. The same corpora in the same order give the same file. Pages of a
// type that purify.Kinds does not have train nothing.
//
// The report's types are of five folds by host: a page is judged by a model that
// saw no page of its host. Titles, dates and authors are found by rules, without
// training. The bodies that a page's columns speak of are those of the compiled
// weights; how good these are on other hosts, go test ./purify -run Fit -fit says.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"gatecrawl/purify"
)

// kind was chosen by the folds' figures.
var kind = recipe{trees: 200, depth: 3, rate: 0.12, sample: 1 << 20, columns: 0.2, calm: 2}

func main() {
	out := flag.String("out", "", "write the model to this file")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: train-purify [-out purify/model.go] CORPUS...")
		os.Exit(2)
	}
	if err := run(flag.Args(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "train-purify:", err)
		os.Exit(1)
	}
}

func run(corpora []string, out string) error {
	t := &trainer{}
	for _, name := range corpora {
		if err := eachPage(name, t.add); err != nil {
			return err
		}
	}
	if len(t.samples) == 0 {
		return fmt.Errorf("no page of a known type in %q", corpora)
	}
	for k := range folds {
		forests := t.kinds(func(s *sample) bool { return s.fold != k })
		for _, s := range t.samples {
			if s.fold == k {
				s.kind = kindOf(forests, s.row)
			}
		}
	}
	t.report(os.Stdout)
	if out == "" {
		return nil
	}
	all := func(*sample) bool { return true }
	return os.WriteFile(out, source(len(t.set.columns), t.kinds(all)), 0o644)
}

// A sample is one page.
type sample struct {
	page
	row  []uint8
	fold int
	kind string // what the fold's model takes it for
	view *purify.DocView
}

// A trainer holds the pages of known type as a set.
type trainer struct {
	samples []*sample
	set     set
}

func (t *trainer) add(p *page) {
	if !slices.Contains(purify.Kinds[:], p.Type) {
		return
	}
	html := []byte(p.HTML)
	s := &sample{page: *p, fold: p.fold(), row: purify.Dissect(p.URL, html, "text/html").Row, view: purify.PurifyAt(p.URL, html, "text/html")}
	s.HTML = ""
	if s.row == nil {
		return
	}
	if t.set.columns == nil {
		t.set.columns = make([][]uint8, len(s.row))
	}
	for j, v := range s.row {
		t.set.columns[j] = append(t.set.columns[j], v)
	}
	t.set.weight = append(t.set.weight, 1)
	t.samples = append(t.samples, s)
}

// kinds trains a forest for each type against the others.
func (t *trainer) kinds(pick func(*sample) bool) []*purify.Forest {
	var rows []int32
	for n, s := range t.samples {
		if pick(s) {
			rows = append(rows, int32(n))
		}
	}
	forests := make([]*purify.Forest, len(purify.Kinds))
	t.set.label = make([]bool, len(t.samples))
	for i, name := range purify.Kinds {
		for n, s := range t.samples {
			t.set.label[n] = s.Type == name
		}
		forests[i] = kind.grow(&t.set, rows)
	}
	return forests
}

func kindOf(forests []*purify.Forest, row []uint8) string {
	best, at := int32(-1<<30), 0
	for i, f := range forests {
		if v := f.Score(row); v > best {
			best, at = v, i
		}
	}
	return purify.Kinds[at]
}
