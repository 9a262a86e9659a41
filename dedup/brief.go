package dedup

import (
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
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

// named reports whether two pages are brought together by their title, equal being the equal values of their sketches.
// Short ones with the same numbers are. Long ones are unless the sketches say that the two resemble each other by less than
// doubtful: comments and teasers around the same body are signed with it.
func (o outline) named(other outline, equal int) bool {
	if o.facts.Title == 0 || o.facts.Title != other.facts.Title {
		return false
	}
	if max(o.tokens, other.tokens) >= mostNamed {
		return equal >= doubtfulFrom
	}
	return o.facts.Numbers == other.facts.Numbers
}

// mostNamesakes is how many kept pages a title alone brings together with a short page whose numbers they do not have: those whose
// sketches agree most. A crawl of many sites has more pages with the title "Contact" each day, and would read the texts of sixteen for
// each new one. But teasers, counters and neighbours have other numbers on each page, and of a short page they may be most.
const mostNamesakes = 4

// isNamesake reports whether two pages are short and have one title, but other numbers.
func (o outline) isNamesake(other outline) bool {
	return o.facts.Title != 0 && o.facts.Title == other.facts.Title && o.facts.Numbers != other.facts.Numbers && max(o.tokens, other.tokens) < mostNamed
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
// one thing under its short name and its long one, but not the first page of a list and its second. A page in two versions of a manual is
// of one subject too: see ofOnePage.
func sameSubject(a, b *reading) bool {
	if ofOnePage(a, b) {
		return true
	}
	if len(a.title) > len(b.title) {
		a, b = b, a
	}
	within := !slices.ContainsFunc(a.title, func(w uint64) bool { return !hashset.Has(b.title, w) })
	return within && len(a.title) > 0 && slices.Equal(a.titleNumbers, b.titleNumbers) && naming.SignOf(a.text.Title) == naming.SignOf(b.text.Title)
}

// ofOnePage reports whether two pages are one in two versions of a manual by their URLs, and their titles share half of their words: the project
// or a folder may have another name in one of them.
func ofOnePage(a, b *reading) bool {
	return areEditions(a.text, b.text) && len(a.title) > 0 && len(b.title) > 0 && !titledApart(a, b)
}
