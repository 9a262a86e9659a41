package structure

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A Page is the input of Read.
type Page struct {
	Bytes       []byte // as fetched; nil: every line of Body is a paragraph
	ContentType string // with the charset, from the server or found out before
	Body        string // as purify.DocView has it: a block a line

	// Title is written as the first heading of the Markdown if the body has no heading of the first
	// level, since purify leaves the page's own heading out of long bodies. "": no heading is
	// added.
	Title string

	// Resolve makes the URL of a link absolute, or returns "" to leave the link out. Nil: no links
	// are written.
	Resolve func(url string) string
}

// A Document is a body with its structure. It does not change.
type Document struct {
	title string
	nodes []node // the first is the root
	runs  []run
	found int // lines of the body that were found in the page
	lines int
}

// Found returns how many lines of the body were found in the page, and how many lines there are.
// The others are paragraphs.
func (d *Document) Found() (found, lines int) { return d.found, d.lines }

type kind uint8

const (
	kindRoot kind = iota
	kindQuote
	kindList
	kindItem
	kindTerms // a list of terms and definitions
	kindTerm
	kindDefinition
	kindTable
	kindRow
	kindCell
	kindListing
	kindHeading
	kindParagraph // a leaf: it has text
)

// A node is a part of a document. Its children are first, then the next of that one, and so on.
type node struct {
	kind              kind
	ordered           bool   // a list
	head              bool   // a cell
	layout            bool   // a table
	sign              byte   // a list: the sign before its items
	level             int8   // a heading: 1 to 6
	number            int    // an item of an ordered list
	column, span      int32  // a cell
	parent            int32  //
	first, last, next int32  // 0: none
	from, to          int32  // a leaf: its runs
	text              string // a leaf: its line of the body; a leaf of a listing: as it is on the page
	lang              string // a listing
}

// A run is a part of a leaf's text.
type run struct {
	end   int32 // in the leaf's text
	style style
	url   string
}

// A Reader reads page after page in the same memory. It is for one goroutine.
type Reader struct {
	walker
	doc    Document
	src    []byte
	folds  []byte
	lines  []foldedLine
	places map[uint64]place
	found  []int32 // by line: the block, or -1
	docOf  []int32 // by page node: its node in the document; 0: none yet
	heads  heads
	rows   []int32 // by block: the row of data that it is in; 0: none
	filled int     // lines that fill added

	wideLines []foldedLine // room for the lines of the body and those that fill adds
	wideFound []int32
}

type foldedLine struct {
	text     string
	from, to int32 // in Reader.folds
	sum      uint64
}

// A place is where a text is in the page and in the body.
type place struct{ block, line, blocks, lines int32 }

// maxKept bounds the bytes of memory that are reused.
const maxKept = 8 << 20

// Read finds the structure of a page's body. It never fails: lines of the body that are not found
// in the page are paragraphs.
func Read(p Page) *Document { return new(Reader).Read(p) }

// Read is the function Read. The document is valid until the next call.
func (r *Reader) Read(p Page) *Document {
	if r.size() > maxKept {
		*r = Reader{}
	}
	doc := &r.doc
	*doc = Document{title: p.Title, nodes: append(doc.nodes[:0], node{}), runs: doc.runs[:0]}
	r.reset(p.Resolve != nil)
	text, xml := decoded(p)
	if text != nil && markup.IsPlainText(p.ContentType) {
		doc.listing(string(text))
		return doc
	}
	if text != nil {
		r.src = append(r.src[:0], text...)
		r.read(r.src, xml)
	}
	r.takeBody(p.Body)
	r.align()
	r.fill()
	doc.build(r, p.Resolve)
	return doc
}

// size returns about how many bytes of memory there are.
func (r *Reader) size() int {
	return cap(r.src) + cap(r.fold) + cap(r.raw) + cap(r.folds) + 64*cap(r.nodes) + 128*cap(r.doc.nodes) + 32*cap(r.doc.runs)
}

func decoded(p Page) (text []byte, xml bool) {
	if p.Bytes == nil {
		return nil, false
	}
	text, _ = charset.Decode(p.Bytes, p.ContentType)
	return text, markup.IsXML(p.ContentType, text)
}

// listing makes the whole document one listing.
func (d *Document) listing(text string) {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\ufffd"), "\ufeff")
	if strings.TrimSpace(text) == "" {
		return
	}
	at := d.add(0, node{kind: kindListing})
	d.add(at, node{kind: kindParagraph, text: text})
	d.found, d.lines = 1, 1
}

// takeBody folds the lines of the body.
func (r *Reader) takeBody(body string) {
	r.folds, r.lines = r.folds[:0], r.lines[:0]
	for body != "" {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		from := len(r.folds)
		r.folds = appendFold(r.folds, line)
		if len(r.folds) > from {
			r.lines = append(r.lines, foldedLine{line, int32(from), int32(len(r.folds)), xxhash.Sum64(r.folds[from:])})
		}
	}
}

// align finds the block of each line. Lines and blocks are in the page's order. Texts that occur
// once in both are matched first (patience diff, Cohen). Lines between two matches are searched
// between them, forwards from the first, and lines before the first match backwards from it: what a
// menu repeats precedes the body.
func (r *Reader) align() {
	r.found = r.found[:0]
	for range r.lines {
		r.found = append(r.found, -1)
	}
	if r.places == nil || len(r.places) > 4096 {
		r.places = make(map[uint64]place, len(r.lines))
	}
	clear(r.places)
	for i := range r.lines {
		p := r.places[r.lines[i].sum]
		p.line = int32(i)
		p.lines++
		r.places[r.lines[i].sum] = p
	}
	for i := range r.blocks {
		b := &r.blocks[i]
		b.sum = xxhash.Sum64(r.fold[b.fold:b.foldEnd])
		if p, ok := r.places[b.sum]; ok {
			p.block = int32(i)
			p.blocks++
			r.places[b.sum] = p
		}
	}
	line, block := -1, -1 // the last that were found
	for i := range r.lines {
		p := r.places[r.lines[i].sum]
		if p.lines == 1 && p.blocks == 1 && int(p.block) > block {
			r.found[i] = p.block
			r.between(line, i, block, int(p.block))
			line, block = i, int(p.block)
		}
	}
	r.between(line, len(r.lines), block, len(r.blocks))
}

// between matches the lines between two matches, without both ends.
func (r *Reader) between(line, lineEnd, block, blockEnd int) {
	if line+1 == lineEnd {
		return
	}
	if line < 0 && lineEnd < len(r.lines) { // before the first
		at := blockEnd - 1
		for i := lineEnd - 1; i > line; i-- {
			for j := at; j > block; j-- {
				if r.blocks[j].sum == r.lines[i].sum {
					r.found[i], at = int32(j), j-1
					break
				}
			}
		}
		return
	}
	at := block + 1
	for i := line + 1; i < lineEnd; i++ {
		for j := at; j < blockEnd; j++ {
			if r.blocks[j].sum == r.lines[i].sum {
				r.found[i], at = int32(j), j+1
				break
			}
		}
	}
}

// add appends a node as the last child of another.
func (d *Document) add(parent int32, n node) int32 {
	at := int32(len(d.nodes))
	n.parent = parent
	d.nodes = append(d.nodes, n)
	p := &d.nodes[parent]
	if p.last == 0 {
		p.first = at
	} else {
		d.nodes[p.last].next = at
	}
	p.last = at
	return at
}

// build makes a document from the lines and the blocks that were found for them.
func (d *Document) build(r *Reader, resolve func(string) string) {
	r.docOf = append(r.docOf[:0], make([]int32, len(r.nodes))...)
	urls := r.urls
	for i := range urls {
		urls[i] = resolve(urls[i])
	}
	parent, before := int32(0), int32(-1) // of the last leaf, and its block
	d.lines, d.found = len(r.lines)-r.filled, -r.filled
	r.heads.find(&r.walker, r.found)
	d.nodes = slices.Grow(d.nodes, 2*d.lines)
	var open listing
	for i := range r.lines {
		line, at := &r.lines[i], r.found[i]
		if at < 0 {
			d.add(d.outsideText(parent), node{kind: kindParagraph, text: line.text})
			continue
		}
		d.found++
		b := &r.blocks[at]
		d.addHead(r, b.node)
		parent = d.place(r, b.node)
		leaf := node{kind: kindParagraph, text: line.text}
		if d.nodes[parent].kind == kindListing {
			leaf.text = string(r.raw[b.raw:b.rawEnd])
			if p := &d.nodes[parent]; p.last != 0 && r.oneListing(before, at) { // as it stands between two blocks of one listing
				open.take(d, p.last)
				for before++; before <= at; before++ {
					open.add(r.raw[r.blocks[before].raw:r.blocks[before].rawEnd])
				}
				before = at
				continue
			}
		} else {
			leaf.from = int32(len(d.runs))
			d.runs = appendRuns(d.runs, line.text, r.pieces[b.piece:b.pieceEnd], urls)
			leaf.to = int32(len(d.runs))
		}
		before = at
		d.add(parent, leaf)
	}
	open.end(d)
	d.findLayouts()
	d.setSigns()
}

// setSigns gives each list the sign of its items. If a list follows another one directly, it gets
// another sign, since Markdown would join the two.
func (d *Document) setSigns() {
	for i := range d.nodes {
		before := (*node)(nil)
		for c := d.nodes[i].first; c != 0; c = d.nodes[c].next {
			n := &d.nodes[c]
			if n.kind == kindList || n.kind == kindTerms {
				n.sign = '-'
				if before != nil && before.sign == '-' && before.ordered == n.ordered {
					n.sign = '*'
				}
			}
			before = n
		}
	}
}

// oneListing reports whether two blocks, and all blocks between them, belong to one listing: a line
// with only a bracket may be missing in the body.
func (r *Reader) oneListing(a, b int32) bool {
	if a < 0 || b <= a {
		return false
	}
	if b == a+1 {
		return true
	}
	node := r.blocks[b].node
	return !slices.ContainsFunc(r.blocks[a:b], func(p pageBlock) bool { return p.node != node }) && r.nodes[node].tag == markup.TagPre
}

// A listing collects the blocks of a listing, of which some have thousands: its node gets the text
// after the last block.
type listing struct {
	node int32 // 0: none
	text strings.Builder
}

// take starts or continues with the text of a node.
func (l *listing) take(d *Document, node int32) {
	if l.node == node {
		return
	}
	l.end(d)
	l.node = node
	l.text.WriteString(d.nodes[node].text)
}

// add adds a block, with a line break before it where it belongs.
func (l *listing) add(block []byte) {
	if !strings.HasSuffix(l.text.String(), "\n") && !bytes.HasPrefix(block, []byte("\n")) && !bytes.HasPrefix(block, []byte("\r\n")) {
		l.text.WriteByte('\n')
	}
	l.text.Write(block)
}

// end gives the node its text.
func (l *listing) end(d *Document) {
	if l.node != 0 {
		d.nodes[l.node].text = l.text.String()
	}
	*l = listing{}
}

// outsideText returns the innermost node, from this one outwards, that can contain a paragraph: not
// a heading or a listing.
func (d *Document) outsideText(at int32) int32 {
	for d.nodes[at].kind == kindHeading || d.nodes[at].kind == kindListing {
		at = d.nodes[at].parent
	}
	return at
}

// place returns the node of the document for a node of the page, and creates it and those around it
// if necessary.
func (d *Document) place(r *Reader, at int32) int32 {
	if at == 0 {
		return 0
	}
	if made := r.docOf[at]; made != 0 {
		return made
	}
	p := &r.nodes[at]
	parent := d.place(r, p.parent)
	made := parent
	if n, ok := nodeFor(p, &d.nodes[parent]); ok {
		if d.nodes[parent].kind == kindHeading || d.nodes[parent].kind == kindListing {
			made = parent // neither has parts
		} else {
			made = d.add(d.list(parent, &n), n)
		}
	}
	r.docOf[at] = made
	return made
}

// nodeFor returns the node for an element of the page; false if the element gets none.
func nodeFor(p *pageNode, parent *node) (node, bool) {
	n := node{column: p.column, span: p.span, head: p.head, layout: p.layout, lang: p.lang}
	switch t := p.tag; t {
	case markup.TagBlockquote:
		n.kind = kindQuote
	case markup.TagUl, markup.TagMenu:
		n.kind = kindList
	case markup.TagOl:
		n.kind, n.ordered = kindList, true
	case markup.TagLi:
		n.kind, n.number = kindItem, p.number
	case markup.TagDl:
		n.kind = kindTerms
	case markup.TagDt:
		n.kind = kindTerm
	case markup.TagDd:
		n.kind = kindDefinition
	case markup.TagTable:
		n.kind = kindTable
	case markup.TagTr:
		n.kind = kindRow
	case markup.TagTd, markup.TagTh:
		n.kind = kindCell
	case markup.TagPre:
		n.kind = kindListing
	default:
		if !t.Heading() {
			return n, false
		}
		n.kind, n.level = kindHeading, int8(t-markup.TagH1+1)
	}
	return n, n.kind != kindRow || parent.kind == kindTable
}

// list returns the node to which a new one is added. For an item outside of a list it creates a
// list, which following items share.
func (d *Document) list(parent int32, n *node) int32 {
	p := &d.nodes[parent]
	switch {
	case n.kind == kindItem && p.kind != kindList:
		if p.last != 0 && d.nodes[p.last].kind == kindList && !d.nodes[p.last].ordered {
			return p.last
		}
		return d.add(parent, node{kind: kindList})
	case (n.kind == kindTerm || n.kind == kindDefinition) && p.kind != kindTerms:
		if p.last != 0 && d.nodes[p.last].kind == kindTerms {
			return p.last
		}
		return d.add(parent, node{kind: kindTerms})
	case n.kind == kindCell && p.kind != kindRow:
		n.kind = kindRoot // a cell without a table: its content is independent
	}
	return parent
}

// appendRuns cuts a line of the body into runs, as its block is cut into pieces.
func appendRuns(runs []run, line string, pieces []piece, urls []string) []run {
	at := 0
	for i := range pieces {
		p := &pieces[i]
		for n := p.size; n > 0 && at < len(line); at++ {
			if line[at] != ' ' {
				n--
			}
		}
		if i == len(pieces)-1 {
			at = len(line)
		}
		q := run{end: int32(at), style: p.style}
		if p.url > 0 {
			q.url = urls[p.url-1]
		}
		runs = append(runs, q)
	}
	return runs
}

// maxCellParts is how many paragraphs and items a data cell has at most. The columns of an index
// are cells with hundreds of them.
const maxCellParts = 40

// findLayouts distinguishes layout tables, which have other parts of a page in their cells, from
// data tables. A table is for layout if a cell has a heading, a table, a listing of several lines
// or more than maxCellParts parts; if it has one cell; if a single row has lists (the columns of a
// short index) or two rows have lists below their heads; or if the text of one or two rows is in
// one column: a note next to its icon. A row with a listing and its line number is for layout too.
func (d *Document) findLayouts() {
	for i := len(d.nodes) - 1; i > 0; i-- {
		n := &d.nodes[i]
		switch n.kind {
		case kindTable:
			rows, widest := 0, 0
			column, columns := int32(-1), 0 // with text: the last one, and how many changes
			for row := n.first; row != 0; row = d.nodes[row].next {
				cells := 0
				for c := d.nodes[row].first; c != 0; c = d.nodes[c].next {
					cells++
					if d.nodes[c].column != column && d.leaves(c, 1) > 0 {
						column, columns = d.nodes[c].column, columns+1
					}
				}
				if d.nodes[row].kind == kindRow {
					rows, widest = rows+1, max(widest, cells)
				}
			}
			if rows == 2 && d.byColumn(int32(i)) || rows == 1 && d.numbersOneLine(n.first) {
				n.layout = true
			}
			n.layout = n.layout || rows < 2 && (widest < 2 || d.holds(int32(i), kindItem)) || rows <= 2 && columns == 1
			d.around(int32(i))
		case kindCell:
			if d.leaves(int32(i), maxCellParts+1) > maxCellParts {
				d.around(int32(i))
			}
		case kindHeading:
			d.around(int32(i))
		case kindListing:
			if strings.Contains(trimListing(d.nodes[n.first].text), "\n") || d.nodes[n.first].next != 0 {
				d.around(int32(i))
			}
		}
	}
}

// numbersOneLine reports whether a row is a listing of one line next to its number, as syntax
// highlighters write it.
func (d *Document) numbersOneLine(row int32) bool {
	number := d.nodes[row].first
	code := d.nodes[number].next
	if number == 0 || code == 0 || d.nodes[code].next != 0 {
		return false
	}
	number, code = d.nodes[number].first, d.nodes[code].first
	return d.nodes[number].kind == kindListing && d.nodes[number].next == 0 && d.nodes[code].kind == kindListing &&
		trimListing(d.nodes[d.nodes[number].first].text) == "1"
}

// byColumn moves the cells of a table's second row after the heads of the first, if the table
// consists only of lists side by side, each below its head. It reports whether it does.
func (d *Document) byColumn(table int32) bool {
	heads := d.nodes[table].first
	lists := d.nodes[heads].next
	if d.nodes[lists].kind != kindRow || d.nodes[lists].next != 0 || d.nodes[heads].first == 0 || !d.holds(lists, kindItem) {
		return false
	}
	head, list := d.nodes[heads].first, d.nodes[lists].first
	for head != 0 && list != 0 && d.nodes[head].head && !d.nodes[list].head && d.nodes[head].column == d.nodes[list].column {
		head, list = d.nodes[head].next, d.nodes[list].next
	}
	if head != 0 || list != 0 {
		return false
	}
	head, list = d.nodes[heads].first, d.nodes[lists].first
	for head != 0 {
		nextHead, nextList := d.nodes[head].next, d.nodes[list].next
		d.nodes[head].next, d.nodes[list].next = list, nextHead
		d.nodes[list].parent, d.nodes[heads].last = heads, list
		head, list = nextHead, nextList
	}
	d.nodes[lists].first, d.nodes[lists].last = 0, 0
	return true
}

// leaves counts the leaves below a node, up to a limit.
func (d *Document) leaves(at int32, limit int) int {
	n := 0
	for c := d.nodes[at].first; c != 0 && n < limit; c = d.nodes[c].next {
		if d.nodes[c].kind == kindParagraph {
			n++
		} else {
			n += d.leaves(c, limit-n)
		}
	}
	return n
}

// holds reports whether a node of this kind is below another one.
func (d *Document) holds(at int32, k kind) bool {
	for c := d.nodes[at].first; c != 0; c = d.nodes[c].next {
		if d.nodes[c].kind == k || d.holds(c, k) {
			return true
		}
	}
	return false
}

// around makes all tables around a node layout tables.
func (d *Document) around(at int32) {
	for at = d.nodes[at].parent; at != 0; at = d.nodes[at].parent {
		if d.nodes[at].kind == kindTable {
			d.nodes[at].layout = true
		}
	}
}
