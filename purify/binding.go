package purify

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/markup"
)

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
		switch string(markup.AppendLower(nil, word[:min(len(word), 16)])) {
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
