package blocks

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A Binding is what the markup of a page says about being a page of a manual.
type Binding struct {
	Marks   int   // headings with a URL of their own
	Turns   bool  // it names a next or previous page
	Gathers bool  // it names a table of contents, an index or the page above it
	Javadoc bool  // written by javadoc, which does not mark headings
	Doxygen bool  // written by Doxygen, which may not name itself
	API     bool  // written by TypeDoc, Dokka, scaladoc, Haddock, Jazzy, rustdoc or Sandcastle, which write nothing but references
	Gramps  bool  // written by Gramps, a program for genealogies, which writes tables of what is known of a person
	Odoc    bool  // written by odoc, which gives each module a folder of its own
	Scala   bool  // written by scaladoc: ids are names of members and of a few parts of the page
	Defines bool  // and it documents something, so is not one of the index
	Help    bool  // a reference by its data for a reader of help files
	Docbook bool  // written by the style sheets of DocBook: ids are names of chapters and never those of a frame
	Holds   int32 // by Doxygen's class contents or Dokka's pageids: the node of all that is not around the page; 0: none
	Wrapped bool  // the theme of Read the Docs, which wraps the page in an element with the class wy-nav-content
}

// takeMeta recognizes DocBook, which names itself before the page's text, and Sandcastle, which says there what the page is for a
// reader of help files. The frame of DocBook's pages is marked by classes; ids are words of the author, so an id such as SQL-SELECT is
// not that of a control.
func (b *Binding) takeMeta(l *markup.Lexer) {
	name, _ := l.Attr("name")
	const docbook, help = "docbook", "Help.ContentType"
	switch content, _ := l.Attr("content"); {
	case bytes.EqualFold(name, []byte("generator")):
		b.Docbook = b.Docbook || len(content) >= len(docbook) && bytes.EqualFold(content[:len(docbook)], []byte(docbook))
	case bytes.HasSuffix(name, []byte(help)):
		b.API = b.API || string(content) == "Reference"
	}
}

// takeHelp recognizes the data that Sandcastle and its like write for the reader of help files of the time before: <MSHelp:Attr Name="TopicType" Value="apiref"/>.
func (b *Binding) takeHelp(l *markup.Lexer) {
	if string(l.Name) != "mshelp:attr" {
		return
	}
	value, _ := l.Attr("value")
	b.Help = b.Help || string(value) == "apiref"
}

// takeBody recognizes the theme of Read the Docs, which Sphinx and MkDocs use.
func (b *Binding) takeBody(l *markup.Lexer) {
	class, _ := l.Attr("class")
	b.Wrapped = b.Wrapped || bytes.Contains(class, []byte("wy-body-for-nav"))
}

// takeLink notes the link relations of a book.
func (b *Binding) takeLink(l *markup.Lexer) {
	rel, ok := l.Attr("rel")
	if !ok {
		return
	}
	for word := range bytes.FieldsSeq(rel) {
		switch string(markup.AppendLower(nil, word[:min(len(word), 16)])) {
		case "next", "prev", "previous":
			b.Turns = true
		case "up", "contents", "toc", "start", "index", "home":
			b.Gathers = true
		case "stylesheet": // javadoc that does not name itself
			title, _ := l.Attr("title")
			href, _ := l.Attr("href")
			b.Javadoc = b.Javadoc || string(title) == "Style" && bytes.HasSuffix(href, []byte("stylesheet.css"))
			b.Doxygen = b.Doxygen || bytes.HasSuffix(href, []byte("doxygen.css"))
			b.Scala = b.Scala || bytes.HasSuffix(href, []byte("lib/template.css"))
			b.Odoc = b.Odoc || bytes.HasSuffix(href, []byte("odoc.css"))
			b.API = b.API || b.Scala || haddockStyles[string(title)] || bytes.HasSuffix(href, []byte("jazzy.css"))
		}
	}
}

// haddockStyles are the titles of Haddock's style sheets.
var haddockStyles = map[string]bool{"Ocean": true, "NewOcean": true, "Linuwial": true}

// scalaParts are the ids of the parts of a page of scaladoc that are not about what the page documents. The ids of others are
// words of the author, and the description of a class is in an element with the id comment.
var scalaParts = map[string]hint.Set{
	"search": hint.SaysControl, "search-results": hint.SaysControl, "mbrsel": hint.SaysControl,
	"subpackage-spacer": hint.SaysSide, "packages": hint.SaysSide, "tooltip": hint.SaysPopup, "footer": hint.SaysFooter,
}

// takeScala notes an id of a page of scaladoc, and returns the hints that it gives.
func (b *Binding) takeScala(id []byte) hint.Set {
	b.Defines = b.Defines || string(id) == "definition"
	return scalaParts[string(id)]
}

// takeDoxygen notes a class of a page of Doxygen. The rows of members that a class inherits are closed, and so are the boxes that a reader sees
// who points at a name in source code. It returns the hints that these have, and whether the class is that of the element around all else.
func (b *Binding) takeDoxygen(t markup.Tag, class []byte) (h hint.Set, holds bool) {
	switch {
	case t == markup.TagTr && bytes.Contains(class, []byte(" inherit ")):
		return hint.SaysRelated, false
	case t != markup.TagDiv:
		return 0, false
	case string(class) == "ttc":
		return hint.SaysPopup, false
	}
	return 0, b.Holds == 0 && string(class) == "contents"
}

// typedoc is how all classes of TypeDoc start.
const typedoc = "tsd-"

// permalink notes a link of a heading or a term to itself. The target of such a link is a part of
// the text, so its id is a word of the text: a function called sort is not a control.
func (o *Outline) permalink(l *markup.Lexer) {
	heading := o.depth[markup.TagH1]+o.depth[markup.TagH2]+o.depth[markup.TagH3] > 0
	if !heading && o.depth[markup.TagDt] == 0 {
		return
	}
	url, ok := l.Attr("href")
	if !ok || len(url) < 2 || url[0] != '#' {
		return
	}
	if heading {
		o.Binding.Marks++
	}
	for i := len(o.stack) - 1; i > max(0, len(o.stack)-maxAnchor); i-- {
		if bytes.Equal(o.stack[i].id, url[1:]) {
			o.unnameBy(i)
			return
		}
	}
}

// maxAnchor is how many elements around a permalink are searched for its target.
const maxAnchor = 8

// unnameBy removes the hints that the id of an open element has given, from that element and from
// all elements open within it.
func (o *Outline) unnameBy(i int) {
	e := &o.stack[i]
	e.own &^= e.byID
	if n := &o.Nodes[e.node]; e.node != o.stack[i-1].node {
		n.Own &^= e.byID
	}
	e.byID = 0
	for ; i < len(o.stack); i++ {
		o.stack[i].hints = o.stack[i-1].hints | o.stack[i].own
	}
}
