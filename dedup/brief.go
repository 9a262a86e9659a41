package dedup

import (
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
)

// briefBody is the number of tokens below which a body says little by itself: what is left of two
// pages without their template may be a line that both have. The title counts as part of such a
// body, and near copies with such bodies need the same title, or one that has all words of the
// other.
const briefBody = 44

// untitledLayout is how many bits the layouts of two untitled pages with brief bodies may differ in
// if they are near copies.
const untitledLayout = 3

// mostNamed is the number of tokens below which two pages are compared by their texts because they
// have one title, however few values of their sketches agree. Such a short page loses much of its
// text when its site's template is learned, and the page that it is compared with was signed when
// more or less of the template was known.
const mostNamed = 400

// byChance is up to how many values of the sketches of two bodies with nothing in common are equal in seven of
// eight cases: half of them are on average. A crawl of many sites has more pages with the title "Contact" each day, and
// reads their texts for each new one unless something besides the title brings them together.
const byChance = sketch.Values/2 + 6

// ofStrangers is the number of equal values of the sketches from which two pages with one title are compared although
// their templates and numbers differ and their lengths do not. (If the text of a template is left out of one page and not
// of the other, their lengths differ.) None of 2,254 such pairs of ten published sites, three real trees and made themes
// with fewer than 88 was one page; those that were one had 103 and more.
const ofStrangers = 80

// named reports whether two pages are brought together by their title, equal being the equal values of their sketches.
// Short ones are unless all else speaks against it: other numbers, and sketches that agree by chance alone, or as little
// as those of strangers. Of 18,662 pairs of ten published sites and of made ones with one title and other numbers 74 were
// one page, and their sketches agreed in 73 values or more. Long ones are unless the sketches say that the two resemble
// each other by less than doubtful: comments and teasers around the same body are signed with it.
func (o outline) named(other outline, equal int) bool {
	if o.facts.Title == 0 || o.facts.Title != other.facts.Title {
		return false
	}
	less, more := min(o.tokens, other.tokens), max(o.tokens, other.tokens)
	numbers := o.facts.Numbers == other.facts.Numbers
	switch {
	case more < mostNamed && numbers:
		return true
	case !numbers && more <= 2*less && !sameLayout(o.layout, other.layout):
		return equal >= ofStrangers
	case more < mostNamed:
		return equal > byChance
	}
	return equal >= doubtfulFrom
}

// doubtfulFrom is the number of equal sketch values from which the resemblance of two bodies may
// reach doubtful.
var doubtfulFrom = Options{Resemblance: doubtful}.doubtFrom()

// around reports whether the title, or the layout of untitled pages, allows two bodies to be one
// document. Long bodies need neither.
func (o outline) around(other outline) bool {
	switch {
	case min(o.tokens, other.tokens) >= briefBody:
		return true
	case o.facts.Title != other.facts.Title:
		return false
	}
	return o.facts.Title != 0 || bits.OnesCount64(o.layout^other.layout) <= untitledLayout
}

// mayAgree is around for a caller that does not know the words of the titles.
func (o outline) mayAgree(other outline) bool {
	return o.around(other) || o.facts.Title != 0 && other.facts.Title != 0
}

// sameSubject reports whether one of two titles has all words of the other and the same numbers and sign:
// one thing under its short name and its long one, but not the first page of a list and its second.
func sameSubject(a, b *reading) bool {
	if len(a.title) > len(b.title) {
		a, b = b, a
	}
	within := !slices.ContainsFunc(a.title, func(w uint64) bool { return !hashset.Has(b.title, w) })
	return within && len(a.title) > 0 && slices.Equal(a.titleNumbers, b.titleNumbers) && naming.SignOf(a.text.Title) == naming.SignOf(b.text.Title)
}
