package dedup

import (
	"math/bits"
	"slices"
)

// briefBody is the number of tokens below which two bodies say little by
// themselves: what is left of two pages without their template may be a line that
// both have. So there the title counts as a part of the body, and bodies that are
// near each other need the same title besides, or one that adds words to it.
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

// mayAgree is around before the words of two titles are known.
func (o outline) mayAgree(other outline) bool {
	return o.around(other) || o.facts.Title != 0 && other.facts.Title != 0
}

// sameSubject reports whether one of two titles has all words of the other and the
// same numbers: a thing under its short name and its long one, and not the first
// page of a list and its second.
func sameSubject(a, b *reading) bool {
	if len(a.title) > len(b.title) {
		a, b = b, a
	}
	within := !slices.ContainsFunc(a.title, func(w uint64) bool { return !has(b.title, w) })
	return within && len(a.title) > 0 && slices.Equal(a.titleNumbers, b.titleNumbers)
}
