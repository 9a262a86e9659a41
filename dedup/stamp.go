package dedup

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify"
)

// mostStamped is how many of the last blocks of a page without a body may be a stamp.
const mostStamped = 5

// withoutStamps returns the blocks of a page, by their numbers, without lines below its body that say when it was made.
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
	rest := slices.DeleteFunc(own[below:], isStamp)
	return own[:below+len(rest)]
}
