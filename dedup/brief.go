package dedup

import "math/bits"

// briefBody is the number of tokens below which an equal body says little: what
// is left of two pages without their template may be a line that both have. So
// there the title counts as a part of the body, and the layout must be the same
// too. Of the tuning data's equal bodies of 32 to 43 words 6 in 10 are of one
// page where both are, and 5 in 10 otherwise; of longer ones 98 in 100.
const briefBody = 44

// briefLayout is how many bits the layouts of two pages may differ in that have
// the same brief body.
const briefLayout = 3

// around reports whether what is around two bodies does not speak against their
// being one: of brief bodies the layouts must be the same.
func (o outline) around(other outline) bool {
	return min(o.tokens, other.tokens) >= briefBody || bits.OnesCount64(o.layout^other.layout) <= briefLayout
}
