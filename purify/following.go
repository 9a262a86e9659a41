package purify

import "gatecrawl.example/gatecrawl/purify/metadata"

// Some sites of news show more articles below the one that a page is about, each as it stands on
// its own page. They are not the page's: the pages of these articles would have the same text in
// another order.

// Where the date of an article is looked for: within so many blocks behind its headline, in one
// of at most so many bytes.
const (
	maxToDate = 8
	maxDate   = 64
)

// ownTitled is the share of an article's headline that the page's title has at least if the page is about
// it. The first post of a list may be about the site whose name is in the titles of all pages.
const ownTitled = 0.75

// leaveFollowing takes other articles out of the body that stand below the page's own. A thread
// of a forum keeps its posts.
func (w *workspace) leaveFollowing(kept []bool, m *metadata.Declared, kind string) {
	if !w.pinned && kind != "forum" {
		w.end = w.following(m)
		clear(kept[w.end:])
	}
}

// following returns at which block other articles start, len(w.Blocks) if there are none. There are
// where the page's title names the first of several headings with one path and none of the others, and
// behind each of them is a date, these with one path too.
func (w *workspace) following(m *metadata.Declared) int {
	end := len(w.Blocks)
	own, next := -1, end
	var path, date uint32 // of the page's own headline and date
	for i := range w.Blocks {
		b := &w.Blocks[i]
		at := w.Nodes[b.Node].Path
		if !b.Tag.Heading() || own >= 0 && at != path {
			continue
		}
		day := w.dateBehind(i, m.Lang)
		if own < 0 {
			if day != 0 && titled(string(w.BlockText(i)), m.Title) >= ownTitled {
				own, path, date = i, at, day
			}
			continue
		}
		if day != date || namesPage(string(w.BlockText(i)), m.Title) {
			return end
		}
		next = min(next, i)
	}
	return next
}

// dateBehind returns the path of the first date behind a heading, 0 if there is none before the
// next one.
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
