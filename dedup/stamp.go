package dedup

import (
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/purify"
)

// mostStamped is how many of the last blocks of a page without a body may be a stamp.
const mostStamped = 5

// withoutStamps returns the blocks of a page, by their numbers, without lines below its body that say when it was made, or since when
// someone has rights in it: of two editions that say little, the year at the foot may be all that differs.
func withoutStamps(blocks []purify.Block, own []int32) []int32 {
	below := len(own)
	for below > 0 && !blocks[own[below-1]].Chosen {
		below--
	}
	isStamp := func(i int32) bool { return !blocks[i].Linked && purify.IsStamp(blocks[i].Text) }
	if below == 0 { // it has no body that is compared: several stamps may be a list of what happened
		if at := slices.IndexFunc(own, isStamp); at < 0 || at < len(own)-mostStamped || slices.ContainsFunc(own[at+1:], isStamp) {
			return own
		}
	}
	rest := slices.DeleteFunc(own[below:], func(i int32) bool { return isStamp(i) || below > 0 && isCopyright(blocks[i].Text) })
	return own[:below+len(rest)]
}

// isCopyright reports whether a line names the holder of rights, with a year: "Copyright © 2019. All rights reserved."
func isCopyright(line string) bool {
	return len(line) <= longestName && strings.ContainsFunc(line, unicode.IsDigit) && (strings.Contains(line, "©") || strings.Contains(strings.ToLower(line), "copyright"))
}
