package inspect

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

// whySides shows a copy and its kept page side by side: what is equal, what is
// not, and the passages that only one of them has.
func whySides(b *strings.Builder, p, kept page.Record) {
	fmt.Fprintln(b, "sides: of this page and of the kept one")
	read := p.Title != "" || p.SimHash != "" || p.BodyTokens > 0
	switch {
	case read:
	case p.Digest == kept.Digest:
		fmt.Fprintln(b, "       this page was not read: it has the bytes of the kept one")
	default:
		fmt.Fprintln(b, "       this page was not read: a copy that came before it has the same bytes")
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	side := func(name, here, there string) {
		if here == "" && there == "" {
			return
		}
		if here == there {
			here, there = "the same", here
		}
		fmt.Fprintf(t, "       %s\t%s\t%s\n", name, orDash(here), orDash(there))
	}
	text := side // of what is known only if the page was read
	if !read {
		text = func(string, string, string) {}
	}
	text("title", p.Title, kept.Title)
	fmt.Fprintf(t, "       layout\t%s\t\n", layoutOf(p.Class))
	text("words", humanize.Count(p.BodyTokens), humanize.Count(kept.BodyTokens))
	side("bytes", humanize.Count(p.Bytes), humanize.Count(kept.Bytes))
	text("language", p.Lang, kept.Lang)
	side("type", p.Type, kept.Type)
	side("digest", p.Digest, kept.Digest)
	text("simhash", p.SimHash, kept.SimHash)
	side("fetched", humanize.Moment(p.Fetched), humanize.Moment(kept.Fetched))
	t.Flush() // into memory
	if differOutside(&p) {
		fmt.Fprintln(b, "       in the rest of the pages, which did not count:")
	}
	showDiffers(b, "       ", p.Differs)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// layoutOf says of a class what it says of the layouts.
func layoutOf(class string) string {
	switch class {
	case dedup.FullLayout.String(), dedup.PartialLayout.String():
		return "alike"
	case "":
		return "not known"
	}
	return "another"
}

// showDiffers lists passages, marked by brackets between the words that both
// pages have.
func showDiffers(b *strings.Builder, indent string, d *dedup.Difference) {
	if d == nil {
		return
	}
	for _, side := range []struct {
		name     string
		passages []dedup.Passage
	}{{"only here", d.Here}, {"only kept", d.There}} {
		for _, p := range side.passages {
			words := strings.TrimSpace(p.Before + " [" + p.Text + "] " + p.After)
			fmt.Fprintf(b, "%s%s: %s\n", indent, side.name, words)
		}
	}
}
