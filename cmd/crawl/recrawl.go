package main

import (
	"fmt"
	"strings"

	"gatecrawl"
)

// tellRequeued says what a re-crawl asks for.
func (j *job) tellRequeued(n gatecrawl.Requeued) {
	switch {
	case n.Spared > 0:
		fmt.Fprintf(j.screen, "asking again for %s; for %s more their kept pages are asked\n",
			many(n.Asked, "page", "pages"), many(n.Spared, "copy", "copies"))
	case n.Asked > 0:
		fmt.Fprintf(j.screen, "asking again for %s\n", many(n.Asked, "page", "pages"))
	}
}

// whyChanges says how often a page changes.
func whyChanges(b *strings.Builder, r *gatecrawl.ChangeRate) {
	if r == nil {
		return
	}
	fmt.Fprintf(b, "again: visited %s more, changed %s", many(int(r.Visits), "time", "times"), many(int(r.Changes), "time", "times"))
	if r.Changes > 0 && r.PerDay > 0 {
		fmt.Fprintf(b, ", about %.2g changes a day", r.PerDay)
	}
	fmt.Fprintln(b)
}
