package main

import (
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl"
)

// tellRequeued says what a re-crawl asks for.
func (j *job) tellRequeued(n gatecrawl.Requeued) {
	if n.Asked+n.Spared+n.Put == 0 {
		return
	}
	fmt.Fprintf(j.screen, "asking again for %s", many(n.Asked, "page", "pages"))
	if n.Spared > 0 {
		fmt.Fprintf(j.screen, "; for %s the kept pages are asked", many(n.Spared, "further copy", "further copies"))
	}
	if n.Rested > 0 {
		fmt.Fprintf(j.screen, "; %s asked another time", many(n.Rested, "redirect or missing page is", "redirects and missing pages are"))
	}
	if n.Put > 0 {
		fmt.Fprintf(j.screen, "; %s can wait (recrawl-pages)", many(n.Put, "further page", "further pages"))
	}
	fmt.Fprintln(j.screen)
}

// whyChanges says how often a page changes.
func whyChanges(b *strings.Builder, r *gatecrawl.ChangeRate) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "again: %s; with %s it has changed since\n", changes(r), percent(r.Stale))
}

// changes says how often what was found changed.
func changes(r *gatecrawl.ChangeRate) string {
	said := fmt.Sprintf("visited %s, changed %s", many(r.Visits, "more time", "more times"), many(r.Changes, "time", "times"))
	if r.Changes > 0 && r.PerDay > 0 {
		said += fmt.Sprintf(", about %.2g changes a day", r.PerDay)
	}
	return said
}
