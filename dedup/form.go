package dedup

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify"
)

// leastBesideForms is how many tokens outside links two pages say at least besides what has the form of their sites' frames. If both say
// exactly the same, leastLine are enough, and fewSaid with those of their title, which no other page of their sites has.
const (
	leastBesideForms = 30
	leastLine        = 5
)

// withoutForms returns two pages of one title on two hosts without the blocks that have the form of their sites' frames: teasers of
// other pages, lists of the pages around this one, and lines with a number of visitors. Their words are others on each page, so that
// no template has them, and of a brief page they may be most. It returns nil if that leaves out nothing or hardly anything is
// left, for lists, and for a title that many pages of a site have: what is at one place of all pages may be what they list.
func withoutForms(a, b *Text) (c, d *Text) {
	if a.Host == "" || b.Host == "" || a.Host == b.Host || areEditions(a, b) || a.Title == "" || a.listing || b.listing || a.Bare || b.Bare || a.sharesTitle() || b.sharesTitle() || !areShort(a, b) {
		return nil, nil
	}
	c, d = a.withoutForms(), b.withoutForms()
	if c == a && d == b || min(c.plain, d.plain) < leastBesideForms && (c.Body != d.Body || c.plain < leastLine || c.plain+len(a.reading().title) < fewSaid) {
		return nil, nil
	}
	return c, d
}

// areShort reports whether one of two pages says so little that what has the form of a frame may be most of it. Longer ones are found
// with it, and what many pages of a manual have at one place may be what tells two versions apart.
func areShort(a, b *Text) bool { return min(a.plain, b.plain) < ownText }

// withoutForms returns a page without the blocks that have a form of its site's frame; the page itself if it has none.
func (t *Text) withoutForms() *Text {
	for i := range t.blocks {
		if t.framesForm(&t.blocks[i]) && !t.isExcluded(i) {
			w := t.of(func(b *purify.Block) bool { return !t.framesForm(b) }, true)
			w.made, w.fixed = nil, t.fixed
			w.joinCompared()
			return w
		}
	}
	return t
}

// framesForm reports whether a block has a form of the frame of the page's site.
func (t *Text) framesForm(b *purify.Block) bool {
	return slices.ContainsFunc(t.site, func(site *purify.Template) bool { return site.FramesForm(b) })
}
