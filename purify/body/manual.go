package body

import (
	"bytes"
	"unicode"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// Pages of a manual, and of a genealogy, are recognized by what programs write into them, not by a forest: all pages of
// a manual have to be read by one rule, and the short ones have too little text for a forest to be
// sure. All of their main part is the body: a signature, a list of parameters, a table of methods, children.

// IsManual reports whether the page is one of a manual by what a program wrote into it.
func (ch *Chooser) IsManual() bool {
	b := &ch.Binding
	return b.Marks > 0 || b.Turns && b.Gathers || b.Javadoc || b.Docbook || b.API || b.Odoc || b.Gramps
}

const (
	rootShare = 10 // the main part has all but one in this many bytes of the chosen blocks
	rootFull  = 3  // and one in this many of its own bytes was chosen
)

// frame has the hints of elements that never belong to the main part.
const frame = hint.InNav | hint.InFooter | hint.InAside | hint.InButton | hint.InHidden | hint.InSilence | hint.InNoscript |
	hint.SaysMenu | hint.SaysSide | hint.SaysFooter | hint.SaysShare | hint.SaysPager | hint.SaysCrumb | hint.SaysPopup | hint.SaysPromo | hint.SaysControl

// frameAround is frame without the hints that all of the chosen text has, for themes that call the
// element around the page a menu.
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

// fill makes a manual's main part the body: the container that has the chosen blocks and the
// heading with the page's title, with all its text, and nothing outside it. Of a frame inside it,
// only the blocks that were chosen stay.
func (ch *Chooser) fill(kept []bool, name int) {
	if !ch.IsManual() {
		return
	}
	if name < 0 {
		name = ch.headingOfManual()
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
	least := r.chosen[0]
	if !ch.Binding.API { // the description of a module stands outside the list of its functions
		least = (r.chosen[0]*(rootShare-1) + rootShare - 1) / rootShare
	}
	for i := 1; i < n; i++ { // those with most of the chosen bytes are nested, so that the last is the innermost
		if r.chosen[i] >= least && (name < 0 || r.named[i]) {
			root = int32(i)
		}
	}
	for root > 0 && ch.census.blocks[root] == 1 { // the element of one paragraph is not the main part
		if root = ch.Nodes[root].Parent; !ch.Binding.Odoc { // which has the heading in a header of its own
			break
		}
	}
	for root > 0 && ofList(ch.Nodes[root].Tag) { // nor is the definition of a term without the term
		root = ch.Nodes[root].Parent
	}
	if ch.Binding.API { // a page that documents a class may have its members next to what it says of it
		for i := root; i > 0; i = ch.Nodes[i].Parent {
			if t := ch.Nodes[i].Tag; t == markup.TagArticle || t == markup.TagMain {
				root = i
			}
		}
	}
	if root == 0 && (n == 1 || ch.Nodes[1].Tag == markup.TagHtml || ch.Nodes[1].Tag == markup.TagBody) || r.chosen[0] == 0 && !ch.Binding.Odoc {
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
			all += int32(b.Size()) - b.Linked
		}
	}
	if r.chosen[root]*rootFull < all && !ch.Binding.Odoc && !ch.Binding.Gramps { // there it is a module, of which the forests may choose one comment, or a person
		return
	}
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		inside := r.inside[b.Node] || ch.Binding.API && r.below[b.Node] && b.Tag == markup.TagPre && b.Hints&(frame&^hint.SaysControl) == 0 // a class that names its language is no choice of languages
		kept[i] = inside && !ch.numbersLines(i) || kept[i] && r.below[b.Node]
	}
}

// fillScala makes the main part of a page of scaladoc the body: all that does not stand in a list of packages or in controls.
// Each member names the classes that define it, which readers see only once they open it; these lines are left out, and so
// are the letter of what it is, c for a class, and glyphs.
func (ch *Chooser) fillScala(kept []bool) {
	if !ch.Binding.Defines {
		return
	}
	defines := false
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		switch {
		case b.Tag == markup.TagDt:
			defines = string(ch.BlockText(i)) == "Definition Classes"
		case b.Tag != markup.TagDd:
			defines = false
		}
		kept[i] = !defines && b.Hints&scalaFrame == 0 && b.Size() > 1 && bytes.ContainsFunc(ch.BlockText(i), func(r rune) bool { return r > ' ' && !unicode.Is(unicode.Co, r) })
	}
}

// scalaFrame has the hints of the parts that scaladoc's ids name.
const scalaFrame = hint.SaysControl | hint.SaysSide | hint.SaysPopup | hint.SaysFooter

// headingOfManual returns the heading of a page whose title has other words, or -1. In javadoc it names a class with its kind, while the
// title has its name and that of the library; it is the first heading that is in no frame. Other programs make it an h1, which
// some of them put into a header.
func (ch *Chooser) headingOfManual() int {
	if !ch.Binding.Javadoc {
		h1 := ch.census.h1
		if h1 >= 0 && ch.Blocks[h1].Hints&frame == 0 && (ch.Blocks[h1].Hints&hint.InHeader == 0 || ch.Binding.API || ch.Binding.Odoc) {
			return h1
		}
		return -1
	}
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Tag.Heading() && b.Hints&frame == 0 {
			return i
		}
	}
	return -1
}

// numbersLines reports whether a block is the numbers of the lines of a listing.
func (ch *Chooser) numbersLines(i int) bool {
	return ch.Blocks[i].Hints&hint.InPre != 0 && bytes.HasPrefix(ch.BlockText(i), []byte("1 2 3 ")) && len(bytes.Trim(ch.BlockText(i), "0123456789 ")) == 0
}

// ofList reports whether an element is a list of terms or a part of one.
func ofList(t markup.Tag) bool {
	return t == markup.TagDl || t == markup.TagDt || t == markup.TagDd
}
