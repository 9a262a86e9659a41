package dedup

import "math/bits"

// briefBody is the number of tokens below which two bodies say little by
// themselves: what is left of two pages without their template may be a line that
// both have. So there the title counts as a part of the body, and bodies that are
// near each other need the same title besides.
const briefBody = 44

// untitledLayout is how many bits the layouts of two pages may differ in whose
// brief bodies are near each other and that both have no title.
const untitledLayout = 3

// around reports whether what is around two bodies does not speak against their
// being one.
func (o outline) around(other outline) bool {
	switch {
	case min(o.tokens, other.tokens) >= briefBody:
		return true
	case o.facts.Title != other.facts.Title:
		return false
	}
	return o.facts.Title != 0 || bits.OnesCount64(o.layout^other.layout) <= untitledLayout
}
