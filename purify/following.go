package purify

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// Some news sites show more articles below the one that a page is about, each as on its own page.
// They do not belong to the body: the pages of those articles would have the same text in another
// order.

// The date of an article is looked for within this many blocks after its headline, in a block of at
// most this many bytes.
const (
	maxToDate = 8
	maxDate   = 64
)

// ownTitled is the share of an article's headline that must be in the page's title if the page is
// about it. The first post of a list may have the name of the site, which is in the titles of all
// pages.
const ownTitled = 0.75

// leaveFollowing removes other articles below the page's own from the body. The posts of a forum
// thread stay.
func (w *workspace) leaveFollowing(kept []bool, m *metadata.Declared, kind string) {
	w.end = len(w.Blocks)
	for from := 0; !w.pinned && kind != "forum"; {
		own, next := w.following(m, from)
		if next == len(w.Blocks) {
			return
		}
		// In a menu of the newest articles the page's own has no text, and its headline follows.
		if !w.repeats(own, next) && (slices.Contains(kept[own:next], true) || w.keepLike(kept, own, next)) {
			w.end = next
			clear(kept[next:])
			return
		}
		from = next
	}
}

// following returns the first block from one on that is the headline of the page, and the block with
// which other articles start below it, len(w.Blocks) if there are none.
// There are other articles if the page's title has the first of several headings with the same path
// and none of the others, and after each heading there is a date, these with one path too.
func (w *workspace) following(m *metadata.Declared, from int) (own, next int) {
	end := len(w.Blocks)
	own, next = -1, end
	var path, date uint32 // of the page's own headline and its date
	for i := from; i < end; i++ {
		b := &w.Blocks[i]
		at := w.Nodes[b.Node].Path
		if !b.Tag.Heading() || own >= 0 && at != path {
			continue
		}
		day := w.dateBehind(i, m.Lang)
		if own < 0 {
			if day != 0 && isHeadlineOf(string(w.BlockText(i)), m) {
				own, path, date = i, at, day
			}
			continue
		}
		if day != date || namesPage(string(w.BlockText(i)), m.Title) {
			return own, end
		}
		next = min(next, i)
	}
	return own, next
}

// isHeadlineOf reports whether a headline is that of the page: the title has it, or it is the one headline in the page's JSON-LD,
// since titles for search engines and headlines may be written apart. A list may have a headline there for each article.
func isHeadlineOf(headline string, m *metadata.Declared) bool {
	return titled(headline, m.Title) >= ownTitled ||
		!m.MoreHeadlines && titled(headline, m.Headline) >= ownTitled && titled(m.Headline, headline) >= ownTitled
}

// keepLike adds to a body the blocks between the page's headline and the next one that are in such elements as the blocks of the
// body are, and reports whether there are any: next to a picture, an article may say so little that the models
// take one below it for the body.
func (w *workspace) keepLike(kept []bool, own, next int) (any bool) {
	like := make(map[uint32]bool)
	for i := next; i < len(kept); i++ {
		if b := &w.Blocks[i]; kept[i] && !b.Tag.Heading() && !b.MostlyLinks() {
			like[w.Nodes[b.Node].Path] = true
		}
	}
	for i := own + 1; i < next; i++ {
		if b := &w.Blocks[i]; !b.Tag.Heading() && !b.MostlyLinks() && like[w.Nodes[b.Node].Path] {
			kept[i], any = true, true
		}
	}
	return any
}

// repeats reports whether a heading from a block on has most of a headline's words. Links to the article from those below it
// do not count, unless the headline is a link.
func (w *workspace) repeats(headline, from int) bool {
	own, linked := words.Set(string(w.BlockText(headline))), w.Blocks[headline].MostlyLinks()
	for i := from; i < len(w.Blocks); i++ {
		if w.Blocks[i].Tag.Heading() && (linked || !w.Blocks[i].MostlyLinks()) && float64(words.Common(own, words.Set(string(w.BlockText(i))))) >= ownTitled*float64(own.Len()) {
			return true
		}
	}
	return false
}

// dateBehind returns the path of the first date after a heading, 0 if there is none before the next
// heading.
func (w *workspace) dateBehind(heading int, lang string) uint32 {
	last := min(heading+maxToDate, len(w.Blocks)-1)
	for i := heading + 1; i <= last && !w.Blocks[i].Tag.Heading(); i++ {
		b := &w.Blocks[i]
		if b.Size() <= maxDate && metadata.NamesDay(w.BlockText(i), lang) {
			return w.Nodes[b.Node].Path
		}
	}
	return 0
}
