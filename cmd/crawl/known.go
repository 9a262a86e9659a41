package main

import (
	"fmt"

	"gatecrawl.example/gatecrawl/earlier"
)

// tellKnown says which earlier crawl is read, and what it has.
func (j *job) tellKnown(s earlier.Source, done bool) {
	if !done {
		return
	}
	fmt.Fprintf(j.screen, "known: %s of %s", many(s.Documents, "document", "documents"), s.Name)
	if s.Skipped > 0 {
		fmt.Fprintf(j.screen, "; %s could not be used", many(s.Skipped, "line or record", "lines and records"))
	}
	fmt.Fprintln(j.screen)
}
