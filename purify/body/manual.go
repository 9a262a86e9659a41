package body

import (
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A manual's pages are recognized by what their programs write into them, and not by a forest:
// all pages of a manual must be read by one rule, and its short ones say too little by
// themselves for a forest to be sure. In their main part everything counts: a signature, a list
// of parameters, a table of methods.

// isManual reports whether the page is one of a manual.
func (ch *Chooser) isManual() bool {
	b := &ch.Binding
	return b.Marks > 0 || b.Turns && b.Gathers || b.Javadoc || b.Docbook
}

const (
	rootShare = 10 // the main part has all but one in this many bytes of what was chosen
	rootFull  = 3  // and of its own one in this many was
)

// frame is what never belongs to the main part, wherever it is in it.
const frame = hint.InNav | hint.InFooter | hint.InAside | hint.InButton | hint.InHidden | hint.InSilence | hint.InNoscript |
	hint.SaysMenu | hint.SaysSide | hint.SaysFooter | hint.SaysShare | hint.SaysPager | hint.SaysCrumb | hint.SaysPopup | hint.SaysPromo | hint.SaysControl

// frameAround is frame, but where a theme calls a menu what it wraps its page in: there it is
// without what is said of all of the chosen text.
func (ch *Chooser) frameAround(kept []bool, name int) hint.Set {
	if !ch.Binding.Wrapped {
		return frame
	}
	all := frame
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; kept[i] && i != name {
			all &= b.Hints
		}
	}
	return frame &^ all
}

// fill makes a manual's main part the body: all of the container that holds what was chosen and
// the heading that names the page, and nothing outside it. Of a frame inside it, only what was
// chosen stays.
func (ch *Chooser) fill(kept []bool, name int) {
	if !ch.isManual() {
		return
	}
	if name < 0 && ch.Binding.Javadoc {
		name = ch.firstHeading()
	}
	n := len(ch.Nodes)
	frame := ch.frameAround(kept, name)
	r := &ch.buf
	r.chosen, r.named = reuse.Slice(r.chosen, n), reuse.Slice(r.named, n)
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; kept[i] && i != name && b.Hints&frame == 0 {
			r.chosen[b.Node] += int32(b.Size())
		}
	}
	if name >= 0 {
		r.named[ch.Blocks[name].Node] = true
	}
	for i := n - 1; i > 0; i-- {
		p := ch.Nodes[i].Parent
		r.chosen[p] += r.chosen[i]
		r.named[p] = r.named[p] || r.named[i]
	}
	root := int32(0)
	for i := 1; i < n; i++ { // those that hold most are in each other, so that the last is the innermost
		if r.chosen[i]*rootShare >= r.chosen[0]*(rootShare-1) && (name < 0 || r.named[i]) {
			root = int32(i)
		}
	}
	if ch.census.blocks[root] == 1 { // the element of one paragraph is not a part of a page
		root = ch.Nodes[root].Parent
	}
	for root > 0 && ofList(ch.Nodes[root].Tag) { // nor is what is said of a term without the term
		root = ch.Nodes[root].Parent
	}
	if root == 0 || r.chosen[0] == 0 {
		return
	}
	r.below, r.inside = reuse.Slice(r.below, n), reuse.Slice(r.inside, n)
	r.below[root], r.inside[root] = true, true
	for i := int(root) + 1; i < n; i++ {
		p := ch.Nodes[i].Parent
		r.below[i] = r.below[p]
		r.inside[i] = r.inside[p] && ch.Nodes[i].Own&frame == 0
	}
	all := int32(0)
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; r.inside[b.Node] {
			all += int32(b.Size())
		}
	}
	if r.chosen[root]*rootFull < all {
		return
	}
	for i := range ch.Blocks {
		at := ch.Blocks[i].Node
		kept[i] = r.inside[at] || kept[i] && r.below[at]
	}
}

// firstHeading returns the first heading that stands in no frame, or -1. Javadoc calls a class
// by its kind there, and by its name and that of the library in the title.
func (ch *Chooser) firstHeading() int {
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Tag.Heading() && b.Hints&frame == 0 {
			return i
		}
	}
	return -1
}

// ofList reports whether an element is a list of terms or a part of one.
func ofList(t markup.Tag) bool {
	return t == markup.TagDl || t == markup.TagDt || t == markup.TagDd
}
