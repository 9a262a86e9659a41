// Command train-purify trains the models by which purify chooses a body and a page type, measures
// them on pages of other hosts, and writes them as Go source.
//
//	go run ./cmd/train-purify -out purify/forest/model.go [-held FILE] CORPUS...
//
// A corpus is a file of JSON lines, which may be compressed with zstd: id, url, host, html and body
// of a page, and its type, title, date and author if they are known. The same corpora in the same
// order give the same file. Pages whose type is not in body.Types train the body only.
//
// The report's figures come from a five-fold cross-validation by host: a page is judged by models
// that saw no page of its host. With -held the bodies that these models choose are written, one
// JSON object a line: corpus, id and body. Titles, dates and authors are found by rules, without
// training.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"gatecrawl.example/gatecrawl/purify/truth"
)

func main() {
	out := flag.String("out", "", "write the models to this file")
	held := flag.String("held", "", "write the bodies of the folds to this file")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: train-purify [-out purify/forest/model.go] [-held FILE] CORPUS...")
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Args(), *out, *held); err != nil {
		fmt.Fprintln(os.Stderr, "train-purify:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, corpora []string, out, held string) error {
	t := &trainer{}
	for _, name := range corpora {
		if err := truth.EachPage(name, func(p *truth.Page) { t.add(name, p) }); err != nil {
			return err
		}
	}
	if len(t.typed()) == 0 || len(t.blocks.label) == 0 {
		return fmt.Errorf("no page of a known type and body in %q", corpora)
	}
	m := t.train(out != "")
	for _, name := range corpora {
		t.report(w, name)
	}
	if held != "" {
		if err := os.WriteFile(held, t.held(), 0o644); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, m.source(), 0o644)
}
