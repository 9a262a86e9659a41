package purify

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// A manual's pages are told by what their programs write into them, and not by
// a forest: all pages of a manual must be read by one rule, and its short ones
// say too little of themselves for a forest to be sure of. In their main part
// everything counts: a signature, a list of parameters, a table of methods.

// A binding is what a page's markup says of its being bound into a manual.
type binding struct {
	marks   int  // headings with a URL of their own
	turns   bool // it names a next or previous page
	gathers bool // it names a table of contents, an index or the page above it
	javadoc bool // javadoc wrote it, which marks no headings
}

// takeLink notes the relations that are for readers of a book.
func (b *binding) takeLink(l *markup.Lexer) {
	rel, ok := l.Attr("rel")
	if !ok {
		return
	}
	for word := range bytes.FieldsSeq(rel) {
		switch string(lowered(nil, word[:min(len(word), 16)])) {
		case "next", "prev", "previous":
			b.turns = true
		case "up", "contents", "toc", "start", "index", "home":
			b.gathers = true
		case "stylesheet": // of a javadoc that does not name itself
			title, _ := l.Attr("title")
			href, _ := l.Attr("href")
			b.javadoc = b.javadoc || string(title) == "Style" && bytes.HasSuffix(href, []byte("stylesheet.css"))
		}
	}
}

// isManual reports whether the page is one of a manual.
func (o *outline) isManual() bool {
	b := &o.binding
	return b.marks > 0 || b.turns && b.gathers || b.javadoc
}

// permalink notes a link that a heading or a term has to itself. Where such a
// link leads is a piece of the text, so that its id is a word of the text: a
// function that is called sort is no control.
func (o *outline) permalink(l *markup.Lexer) {
	heading := o.depth[markup.TagH1]+o.depth[markup.TagH2]+o.depth[markup.TagH3] > 0
	if !heading && o.depth[markup.TagDt] == 0 {
		return
	}
	url, ok := l.Attr("href")
	if !ok || len(url) < 2 || url[0] != '#' {
		return
	}
	if heading {
		o.binding.marks++
	}
	for i := len(o.stack) - 1; i > max(0, len(o.stack)-maxAnchor); i-- {
		if bytes.Equal(o.stack[i].id, url[1:]) {
			o.unnameBy(i)
			return
		}
	}
}

// maxAnchor is how many elements around a permalink are looked at for the one that it
// leads to.
const maxAnchor = 8

// unnameBy takes what the id of an open element says off it and off all that is open in it.
func (o *outline) unnameBy(i int) {
	e := &o.stack[i]
	e.own &^= e.byID
	if n := &o.nodes[e.node]; e.node != o.stack[i-1].node {
		n.own &^= e.byID
	}
	e.byID = 0
	for ; i < len(o.stack); i++ {
		o.stack[i].hints = o.stack[i-1].hints | o.stack[i].own
	}
}

const (
	rootShare = 10 // the main part has all but one in this many bytes of what was chosen
	rootFull  = 3  // and of its own one in this many was
)

// frame is what is not the main part's, wherever it stands in it.
const frame = inNav | inFooter | inAside | inButton | inHidden | inSilence | inNoscript |
	saysMenu | saysSide | saysFooter | saysShare | saysPager | saysCrumb | saysPopup | saysPromo | saysControl

// fill makes a manual's main part the body: all of the container that holds what
// was chosen and the heading that names the page, and nothing beside it. Of a
// frame inside it stays what was chosen.
func (o *outline) fill(kept []bool, name int) {
	if !o.isManual() {
		return
	}
	n := len(o.nodes)
	r := &o.room
	r.chosen, r.named = zeroed(r.chosen, n), zeroed(r.named, n)
	for i := range o.blocks {
		if b := &o.blocks[i]; kept[i] && i != name && b.hints&frame == 0 {
			r.chosen[b.node] += int32(b.size())
		}
	}
	if name >= 0 {
		r.named[o.blocks[name].node] = true
	}
	for i := n - 1; i > 0; i-- {
		p := o.nodes[i].parent
		r.chosen[p] += r.chosen[i]
		r.named[p] = r.named[p] || r.named[i]
	}
	root := int32(0)
	for i := 1; i < n; i++ { // those that hold most are in each other, so that the last is the innermost
		if r.chosen[i]*rootShare >= r.chosen[0]*(rootShare-1) && (name < 0 || r.named[i]) {
			root = int32(i)
		}
	}
	if root == 0 || r.chosen[0] == 0 {
		return
	}
	r.below, r.inside = zeroed(r.below, n), zeroed(r.inside, n)
	r.below[root], r.inside[root] = true, true
	for i := int(root) + 1; i < n; i++ {
		p := o.nodes[i].parent
		r.below[i] = r.below[p]
		r.inside[i] = r.inside[p] && o.nodes[i].own&frame == 0
	}
	all := int32(0)
	for i := range o.blocks {
		if b := &o.blocks[i]; r.inside[b.node] {
			all += int32(b.size())
		}
	}
	if r.chosen[root]*rootFull < all {
		return
	}
	for i := range o.blocks {
		at := o.blocks[i].node
		kept[i] = r.inside[at] || kept[i] && r.below[at]
	}
}
