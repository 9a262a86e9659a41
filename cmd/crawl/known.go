package main

import (
	"fmt"

	"gatecrawl.example/gatecrawl/earlier"
	"gatecrawl.example/gatecrawl/humanize"
)

// tellKnown says which earlier crawl is read, and what it has.
func (j *job) tellKnown(s earlier.Source, done bool) {
	if !done {
		return
	}
	fmt.Fprintf(j.screen, "known: %s of %s", humanize.Many(s.Documents, "document", "documents"), s.Name)
	if s.Skipped > 0 {
		fmt.Fprintf(j.screen, "; %s could not be used", humanize.Many(s.Skipped, "line or record", "lines and records"))
	}
	fmt.Fprintln(j.screen)
}
