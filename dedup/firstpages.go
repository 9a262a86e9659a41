package dedup

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/purify"
)

// firstApart reports whether two pages of one host that were read without a template each show a picture, link to manyItems pages or have a
// heading that the other does not: what they say may be the site's frame alone. If such pages were copies, the site's template would not learn
// the frame from them, and all pages with nothing but pictures would be copies of the first. The pages are compared again as soon as
// the site has a template.
func firstApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.bare() && y.bare() && x.Host == y.Host && x.Name != y.Name && !sameName(x, y) && slices.Equal(a.title, b.title) && x.showsBeyond(y) && y.showsBeyond(x)
}

// showsBeyond reports whether a page shows a picture or has a heading that another page lacks, or links to manyItems pages to which the
// other does not.
func (t *Text) showsBeyond(other *Text) bool {
	if own, _, _ := inTwo(t, other, math.MaxUint32); own > 0 || t.headsBeyond(other) {
		return true
	}
	mine, theirs := t.whereTo().pages, other.whereTo().pages
	return len(mine)-hashset.Common(mine, theirs) >= manyItems
}

// headsBeyond reports whether a page has a heading that its site is not known to repeat, and that is no heading of another page, with other
// numbers either. One that is the other page's title does not count.
func (t *Text) headsBeyond(other *Text) bool {
	theirs := make(map[string]bool)
	for i := range other.blocks {
		if b := &other.blocks[i]; b.Heads && !b.Linked {
			theirs[withoutNumbers(b.Text)] = true
		}
	}
	return slices.ContainsFunc(t.blocks, func(b purify.Block) bool {
		return b.Heads && !b.Linked && !theirs[withoutNumbers(b.Text)] && strings.ContainsFunc(b.Text, unicode.IsLetter) && !strings.EqualFold(b.Text, other.Title) && !repeated(&b, t.site)
	})
}
