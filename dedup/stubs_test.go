package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// unwritten is a page of a manual that is not written yet, in as many sentences as are given, below the headings of what it will be about.
func unwritten(title, part string, sentences int) string {
	var says strings.Builder
	for i := range sentences {
		fmt.Fprintf(&says, "<p>This part%[1]d of the manual is new, and it will be changed%[1]d if there are faults%[1]d or wishes%[1]d of those who read it before the feast%[1]d.</p>\n", i)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><h1>%[1]s</h1>%[2]s<h2>%[3]s</h2></main></body></html>`, title, says.String(), part)
}

// Two pages of a manual that say in one box that they are not written yet are two, if their titles, headings and URLs have no word in common.
// A page in two versions is one, and so are a longer text under two headlines and one whose URLs do not say its headlines.
func TestPagesThatAreNotWrittenYetAreOfWhatTheirTitlesSay(t *testing.T) {
	html := map[string]string{
		"3.1/tools/profiles/index.html":    unwritten("Profiles", "Profiles", 9),
		"3.2/tools/profiles/index.html":    unwritten("Profiles", "Profiles of fliers", 9),
		"3.1/tools/textparsing/index.html": unwritten("Text Parsing", "Parsing of texts", 9),
		"3.1/tools/p-17.html":              unwritten("Sails", "Parsing of texts", 9),
		"posts/moving.html":                unwritten("Moving", "Of the move", 30),
		"posts/relocation.html":            unwritten("Relocation", "Of the move away", 30),
	}
	pages := siteAmong(t, 90, html, slices.Sorted(maps.Keys(html)))
	areOneByRule(t, pages, []twoPages{
		{"3.1/tools/profiles/index.html", "3.1/tools/textparsing/index.html", false},
		{"3.2/tools/profiles/index.html", "3.1/tools/textparsing/index.html", false},
		{"3.1/tools/profiles/index.html", "3.2/tools/profiles/index.html", true},
		{"3.1/tools/profiles/index.html", "3.1/tools/p-17.html", true},
		{"posts/moving.html", "posts/relocation.html", true},
	})
}
