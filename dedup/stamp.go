package dedup

import (
	"regexp"
	"slices"

	"gatecrawl.example/gatecrawl/purify"
)

// maxStamp is how many bytes a line has at most that says when its page was made.
const maxStamp = 200

var (
	clock = regexp.MustCompile(`\d:[0-5]\d:[0-5]\d`)
	year  = regexp.MustCompile(`\b(19|20)\d\d\b`)
)

// isStamp reports whether a line says when its page was made: it has a time of day to the second and a year, as in "Generated
// on Sun Feb 4 20:29:34 2024 by yard". It is another line on each page, so that no template has it.
func isStamp(line string) bool {
	return len(line) <= maxStamp && clock.MatchString(line) && year.MatchString(line)
}

// withoutStamps returns the blocks of a page, by their numbers, without lines below its body that say when it was made.
func withoutStamps(blocks []purify.Block, own []int32) []int32 {
	below := len(own)
	for below > 0 && !blocks[own[below-1]].Chosen {
		below--
	}
	if below == 0 {
		return own // it has no body that is compared, and may say nothing else
	}
	rest := slices.DeleteFunc(own[below:], func(i int32) bool { return !blocks[i].Linked && isStamp(blocks[i].Text) })
	return own[:below+len(rest)]
}
