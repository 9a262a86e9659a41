package dedup

import "gatecrawl.example/gatecrawl/dedup/passage"

// A Passage is a run of words of one text that another text lacks, with some words on either side
// that both have.
type Passage = passage.Passage

// A Difference is what two texts do not share: the longest passages of each, in their order.
type Difference = passage.Difference

// Differ returns what a copy and its kept page do not share, as passage.CompareByGrain finds it.
func Differ(here, there Text) Difference { return passage.Differ(here.Body, there.Body) }
