package main

import (
	"fmt"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/duplicates"
	"gatecrawl.example/gatecrawl/earlier"
)

// tellKnown says which earlier crawl is read, and what it has.
func (j *job) tellKnown(s earlier.Source, done bool) {
	if done {
		fmt.Fprintln(j.screen, duplicates.KnownLine(s))
	}
}
