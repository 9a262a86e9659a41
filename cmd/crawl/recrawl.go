package main

import (
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/humanize"
)

// tellRequeued says what a re-crawl asks for.
func (j *job) tellRequeued(n gatecrawl.Requeued) {
	if n.Asked+n.Files+n.Spared+n.Put == 0 {
		return
	}
	fmt.Fprintf(j.screen, "asking again for %s", humanize.Many(n.Asked, "page", "pages"))
	if n.Files > 0 {
		fmt.Fprintf(j.screen, " and %s that pages need", humanize.Many(n.Files, "file", "files"))
	}
	if n.Spared > 0 {
		fmt.Fprintf(j.screen, "; for %s the kept pages are requested instead", humanize.Many(n.Spared, "further copy", "further copies"))
	}
	if n.Rested > 0 {
		fmt.Fprintf(j.screen, "; %s left for a later re-crawl", humanize.Many(n.Rested, "redirect or missing page is", "redirects and missing pages are"))
	}
	if n.Put > 0 {
		fmt.Fprintf(j.screen, "; %s can wait (recrawl-pages)", humanize.Many(n.Put, "further page", "further pages"))
	}
	fmt.Fprintln(j.screen)
}
