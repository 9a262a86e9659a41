package view

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/purify"
)

// paintFlags say how a page is written for a browser, with its blocks marked.
type paintFlags struct {
	out  string // a file, or - for standard output, or nothing
	load bool
}

// check refuses flags that contradict --html.
func (p paintFlags) check(asJSON bool, lines string) error {
	switch {
	case p.out == "" && p.load:
		return cli.Usagef("--load goes with --html OUT")
	case p.out == "":
		return nil
	case asJSON:
		return cli.Usagef("want either --json or --html")
	case lines != "":
		return cli.Usagef("--html paints one page: give it as URL or FILE, without --jsonl")
	}
	return nil
}

// write paints a page. If it cannot be painted completely, nothing is written and an older file
// stays.
func (p paintFlags) write(stdout io.Writer, page *single.Page) error {
	var painted bytes.Buffer
	options := purify.PaintOptions{URL: page.URL.String(), Base: page.Base(), Load: p.load, Selectors: page.Reader.Selectors}
	if err := purify.Paint(&painted, page.Content, page.Type, options); err != nil {
		return err
	}
	if p.out == "-" {
		_, err := console.Verbatim(stdout).Write(painted.Bytes())
		return err
	}
	if old, err := os.Stat(p.out); err == nil && page.File != nil && os.SameFile(old, page.File) {
		return cli.Usagef("--html %s is the page itself: name another file", p.out)
	}
	if err := os.WriteFile(p.out, painted.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the painted page: %w", err)
	}
	return nil
}
