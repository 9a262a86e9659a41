package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A painting is where and how a page is written for a browser.
type painting struct {
	out  string // a file, or - for standard output, or nothing
	load bool
}

// check refuses flags that say what else to print, or of what.
func (p painting) check(asJSON bool, lines string) error {
	switch {
	case p.out == "" && p.load:
		return usagef("--load goes with --html OUT")
	case p.out == "":
		return nil
	case asJSON:
		return usagef("want either --json or --html")
	case lines != "":
		return usagef("--html paints one page: give it as URL or FILE, without --jsonl")
	}
	return nil
}

// write paints a page. Nothing is written, and no older file lost, unless all
// of it can be painted.
func (p painting) write(stdout io.Writer, page *rawPage) error {
	var painted bytes.Buffer
	options := purify.PaintOptions{URL: page.url.String(), Base: page.base(), Load: p.load, Selectors: page.reader.Selectors}
	if err := purify.Paint(&painted, page.content, page.contentType, options); err != nil {
		return err
	}
	if p.out == "-" {
		_, err := verbatim(stdout).Write(painted.Bytes())
		return err
	}
	if old, err := os.Stat(p.out); err == nil && page.file != nil && os.SameFile(old, page.file) {
		return usagef("--html %s is the page itself: name another file", p.out)
	}
	if err := os.WriteFile(p.out, painted.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the painted page: %w", err)
	}
	return nil
}

// base returns the URL that the page's links are relative to: its own or
// that of its base element, else the one that it calls canonical, else nothing.
func (p *rawPage) base() string {
	v := purify.Links(p.content, p.contentType)
	if p.url != (weburl.URL{}) {
		return page.Base(p.url, v).String()
	}
	for _, address := range []string{v.Base, v.Canonical} {
		if u, err := weburl.Parse(address); err == nil {
			return u.String()
		}
	}
	return ""
}
