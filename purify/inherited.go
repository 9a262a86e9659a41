package purify

import (
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A class that only inherits, a post with a demo's text and an untranslated page say what many other pages of
// their site say. That is not the site's frame if it stands below a headline of the page's own.

const (
	fewOwn      = 60 // bytes of own text besides the headline up to which a page has hardly any
	frameShare  = 9  // a block on this many of ten pages is the frame's
	apartShare  = 5  // and one in a place without the headline on this many
	sharedPlace = 2  // the place around the headline has one in this many of its bytes in the body
)

// keepInherited gives a body back what dropShared took out below the page's own headline, if hardly anything else
// is left. The links there stay the site's: they lead to the same pages from each page that has them.
func (w *workspace) keepInherited(kept []bool, title string) {
	headline := w.headline(title)
	if !w.site.emptied || headline < 0 || w.asked(headline) {
		return
	}
	w.site.frame = body.NotInherited
	for i := headline + 1; i < len(kept); i++ {
		if w.site.shared[i] && !w.site.menu[i] { // what the names around both say is said of the whole page
			w.site.frame &^= w.Blocks[headline].Hints & w.Blocks[i].Hints &^ (hint.InNav | hint.InFooter | hint.InAside)
			break
		}
	}
	if w.Blocks[headline].Hints&w.site.frame != 0 {
		return
	}
	own := 0
	for i, k := range kept {
		if k && i != headline && w.Blocks[i].Hints&w.site.frame == 0 && !namesPage(string(w.BlockText(i)), title) {
			own += w.Blocks[i].Size()
		}
	}
	if own > fewOwn {
		return
	}
	w.site.counted = true
	share := frameShare
	place := w.placeOf(headline, true, share)
	if place < 0 { // the headline is in a banner
		share = apartShare
		place = w.placeOf(headline, false, share)
	}
	for i := headline + 1; i < len(kept) && place >= 0; i++ {
		kept[i] = kept[i] || w.isInherited(i, share) && w.IsIn(w.Blocks[i].Node, place)
	}
}

// isInherited reports whether a block that dropShared took out may be the page's own, since it is on less than a share
// of the site's pages, in tenths.
func (w *workspace) isInherited(i, share int) bool {
	t := w.site.template
	return w.site.shared[i] && !w.site.menu[i] && w.Blocks[i].Hints&w.site.frame == 0 && 10*int(w.site.pages[i]) < share*t.fed
}

// placeOf returns the innermost element that has a headline and most of what dropShared took out below it or, if with
// is false, one that has nearly all of that, which must be minLeft bytes; -1 if most of what the element has was not in
// the body, as in one around the whole page.
func (w *workspace) placeOf(headline int, with bool, share int) int32 {
	n := len(w.Nodes)
	taken, all, has := make([]int, n), make([]int, n), make([]bool, n)
	has[w.Blocks[headline].Node] = true
	for i := range w.Blocks {
		b := &w.Blocks[i]
		if i != headline {
			all[b.Node] += b.Size()
		}
		if i > headline && w.isInherited(i, share) {
			taken[b.Node] += b.Size()
		}
	}
	for i := n - 1; i > 0; i-- {
		p := w.Nodes[i].Parent
		taken[p] += taken[i]
		all[p] += all[i]
		has[p] = has[p] || has[i]
	}
	place := 0
	for i := 1; i < n; i++ { // those with so much of it are nested, so that the last is the innermost
		if with && has[i] && 2*taken[i] >= taken[0] || !with && 5*taken[i] >= 4*taken[0] {
			place = i
		}
	}
	if taken[place] == 0 || sharedPlace*taken[place] < all[place] || !with && taken[place] < minLeft {
		return -1
	}
	return int32(place)
}

// A page of a manual may be one paragraph above what it lists: the members of a class, the modules of a package. The
// models take the paragraph for the body.

// mostAbove is how many bytes of a body may stand above such a list.
const mostAbove = 1000

// keepListed adds to the body of a page of a manual what stands below it in the innermost element that has more than
// the body, if hardly anything else is in that. The gate compares the body
// without it: two classes have the same members, and say what they are in the paragraph. It reports whether anything was added.
func (w *workspace) keepListed(kept []bool, kind string) bool {
	if w.pinned || kind != "documentation" && !w.Binding.Doxygen {
		return false
	}
	first, own := -1, 0
	hints := body.NotOwn // of what is not the body's own
	place := int32(0)
	for i, k := range kept {
		if !k {
			continue
		}
		if first < 0 {
			first, place = i, w.Blocks[i].Node
			hints &^= w.Blocks[i].Hints // they say nothing: the main element may have the class hide-when-search
		}
		own += w.Blocks[i].Size()
		place = w.Around(place, w.Blocks[i].Node)
	}
	if first < 0 || own > mostAbove {
		return false
	}
	listed := func(i int) bool {
		return w.Blocks[i].Hints&hints == 0 && hasLetters(w.BlockText(i)) && !w.asked(i) && !w.site.menu[i]
	}
	below, other := make([]int, len(w.Nodes)), make([]int, len(w.Nodes)) // bytes, by node with all nodes below
	for i := range kept {
		switch b := &w.Blocks[i]; {
		case kept[i]:
		case i > first && listed(i):
			below[b.Node] += b.Size()
		default:
			other[b.Node] += b.Size()
		}
	}
	for i := len(w.Nodes) - 1; i > 0; i-- {
		p := w.Nodes[i].Parent
		below[p] += below[i]
		other[p] += other[i]
	}
	for ; place > 0 && w.Nodes[place].Tag != markup.TagBody; place = w.Nodes[place].Parent {
		below, other := below[place], other[place]
		if 4*(below+other) < own {
			continue
		}
		if 4*below < own || other > own/2+below/4 {
			return false
		}
		for i := first + 1; i < len(kept); i++ {
			kept[i] = kept[i] || w.IsIn(w.Blocks[i].Node, place) && listed(i)
		}
		return true
	}
	return false
}
