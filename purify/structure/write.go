package structure

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Mark is a place at which a written document may be cut: the start of a heading, a paragraph, an
// item, a row or a listing.
type Mark struct {
	Offset  int    // in bytes, at the start of a line
	Level   int    // of a heading, 1 to 6; 0: not a heading
	Heading string // its words
}

// Markdown returns the document as Markdown: CommonMark, with the tables of GFM. A term is a list
// item that contains its definitions.
func (d *Document) Markdown() string {
	text, _ := d.write(false, false)
	return text
}

// Text returns the document as plain text: each line of the page is a line, items start with a dash
// or their number, cells are separated by tabs, and parts by an empty line.
func (d *Document) Text() string {
	text, _ := d.write(true, false)
	return text
}

// written has buffers for documents that are being written.
var written = sync.Pool{New: func() any { return new([]byte) }}

// write returns the document as plain text or Markdown and, if marked is set, where it may be cut.
func (d *Document) write(plain, marked bool) (string, []Mark) {
	room := written.Get().(*[]byte)
	w := writer{d: d, plain: plain, marked: marked, out: (*room)[:0]}
	defer func() {
		if cap(w.out) <= maxKept {
			*room = w.out
			written.Put(room)
		}
	}()
	if !plain && d.wantsTitle() {
		w.mark(1, d.title)
		w.startPart()
		w.out = append(append(w.out, "# "...), escaped(d.title, inHeading, false)...)
		w.newLine()
		w.due = true
	}
	w.children(0)
	return string(bytes.TrimRight(w.out, "\n")), w.marks
}

// wantsTitle reports whether the title is written as the first heading: it has text, and the
// document has no heading of the first level and no heading with the words of the title.
func (d *Document) wantsTitle() bool {
	if d.title == "" || len(d.nodes) == 1 {
		return false
	}
	title := string(appendFold(nil, d.title))
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.kind == kindHeading && (n.level == 1 || n.first != 0 && string(appendFold(nil, d.nodes[n.first].text)) == title) {
			return false
		}
	}
	return true
}

// A writer writes a document.
type writer struct {
	d      *Document
	plain  bool
	marked bool
	out    []byte
	marks  []Mark // with marked
	rest   []byte // the start of each line
	first  []byte // the start of the next line, in place of rest; nil: rest
	due    bool   // an empty line is due before the next part
	tight  int    // open lists that have no empty lines between their parts
}

// startPart starts a part, with an empty line before it if one is due.
func (w *writer) startPart() {
	if w.due && w.first == nil {
		w.out = append(append(w.out, bytes.TrimRight(w.rest, " ")...), '\n')
	}
	w.due = false
	w.line()
}

// line starts a line.
func (w *writer) line() {
	if w.first != nil {
		w.out = append(w.out, w.first...)
		w.first = nil
		return
	}
	w.out = append(w.out, w.rest...)
}

// newLine ends a line. White space at its end is removed, since it has a meaning in Markdown.
func (w *writer) newLine() { w.out = append(bytes.TrimRight(w.out, " "), '\n') }

// mark notes the place of the next part.
func (w *writer) mark(level int, heading string) {
	if !w.marked {
		return
	}
	at := len(w.out)
	if w.due && w.first == nil {
		at += len(bytes.TrimRight(w.rest, " ")) + 1
	}
	w.marks = append(w.marks, Mark{at, level, heading})
}

// end ends a part.
func (w *writer) end() { w.due = w.tight == 0 }

func (w *writer) children(at int32) {
	before := int32(0)
	for c := w.d.nodes[at].first; c != 0; c = w.d.nodes[c].next {
		w.node(c, before)
		before = c
	}
}

// node writes a node after a sibling; before is 0 for the first.
func (w *writer) node(at, before int32) {
	n := &w.d.nodes[at]
	switch n.kind {
	case kindParagraph:
		w.paragraph(n)
	case kindHeading:
		w.heading(at)
	case kindListing:
		w.listing(n)
	case kindQuote:
		w.quote(at)
	case kindList:
		w.list(at, before)
	case kindTerms:
		w.terms(at)
	case kindTable:
		w.table(at)
	default:
		w.children(at)
	}
}

func (w *writer) paragraph(n *node) {
	text := w.inline(n, 0)
	if text == "" {
		return
	}
	w.mark(0, "")
	w.startPart()
	w.lines(text)
	w.end()
}

// lines writes the lines of a text, each after the start of a line. The first line has been
// started.
func (w *writer) lines(text string) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		w.out = append(w.out, line...)
		w.newLine()
		if !more {
			return
		}
		text = rest
		w.line()
	}
}

func (w *writer) heading(at int32) {
	n := &w.d.nodes[at]
	text := w.joined(at, " ", inHeading)
	if text == "" {
		return
	}
	plainText := text
	if w.marked && !w.plain {
		p := writer{d: w.d, plain: true}
		plainText = p.joined(at, " ", inHeading)
	}
	w.mark(int(n.level), plainText)
	w.startPart()
	if !w.plain {
		w.out = append(append(w.out, "######"[:n.level]...), ' ')
	}
	w.out = append(w.out, text...)
	w.newLine()
	w.due = true
}

// joined returns the text of all leaves below a node.
func (w *writer) joined(at int32, by string, where setting) string {
	var all []string
	w.eachLeaf(at, func(leaf *node) {
		if t := w.inline(leaf, where); t != "" {
			all = append(all, t)
		}
	})
	return strings.Join(all, by)
}

func (w *writer) eachLeaf(at int32, do func(leaf *node)) {
	for c := w.d.nodes[at].first; c != 0; c = w.d.nodes[c].next {
		if n := &w.d.nodes[c]; n.kind == kindParagraph {
			do(n)
		} else {
			w.eachLeaf(c, do)
		}
	}
}

// listing writes code, its lines and their indentation as they are.
func (w *writer) listing(n *node) {
	for c := n.first; c != 0; c = w.d.nodes[c].next {
		text := withoutNumbers(trimListing(w.d.nodes[c].text))
		if text == "" || isLineNumbers(text) && w.inCell(n) {
			continue
		}
		w.code(text, n.lang)
	}
}

// code writes the lines of a listing.
func (w *writer) code(text, lang string) {
	w.mark(0, "")
	w.startPart()
	fence := ""
	if !w.plain {
		fence = fenceFor(text)
		w.out = append(append(append(w.out, fence...), lang...), '\n')
		w.line()
	}
	for {
		line, rest, more := strings.Cut(text, "\n")
		if line == "" {
			w.out = bytes.TrimRight(w.out, " ")
		}
		w.out = append(append(w.out, strings.TrimSuffix(line, "\r")...), '\n')
		if !more {
			break
		}
		text = rest
		w.line()
	}
	if !w.plain {
		w.line()
		w.out = append(append(w.out, fence...), '\n')
	}
	w.end()
}

// trimListing removes the empty lines at both ends, and the white space of the last line.
func trimListing(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			break
		}
		text = rest
	}
	return strings.TrimRight(text, " \t\r\n")
}

// leastNumbered is the least number of lines from which line numbers are recognized.
const leastNumbered = 2

// withoutNumbers removes line numbers from a listing in which each is on a line before its own,
// because number and line are separate elements of the page: 1, a line, 2, a line, 3, 4, a line.
func withoutNumbers(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t"), "1\n") && !strings.HasPrefix(strings.TrimLeft(text, " \t"), "1\r\n") {
		return text
	}
	var kept []string
	next, open := 1, false // the number that is due, and whether the line of the last one is to come
	for line := range strings.SplitSeq(text, "\n") {
		switch bare := strings.TrimSpace(line); {
		case bare == strconv.Itoa(next):
			kept, next, open = append(kept, ""), next+1, true
		case bare == "":
		case !open:
			return text
		default:
			kept[len(kept)-1], open = line, false
		}
	}
	if next <= leastNumbered {
		return text
	}
	return trimListing(strings.Join(kept, "\n"))
}

// isLineNumbers reports whether a listing consists of the line numbers of another one.
func isLineNumbers(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && c != '\n' && c != ' ' && c != '\r' {
			return false
		}
	}
	return true
}

// inCell reports whether a listing is in a table's cell.
func (w *writer) inCell(n *node) bool {
	for at := n.parent; at != 0; at = w.d.nodes[at].parent {
		if w.d.nodes[at].kind == kindCell {
			return true
		}
	}
	return false
}

// fenceFor returns a fence that does not occur in a text.
func fenceFor(text string) string {
	n := 3
	for i := 0; i < len(text); {
		run := 0
		for i < len(text) && text[i] == '`' {
			i, run = i+1, run+1
		}
		n = max(n, run+1)
		i++
	}
	return strings.Repeat("`", n)
}

// quote writes a quotation.
func (w *writer) quote(at int32) {
	rest, first := w.rest, w.first
	if w.first != nil {
		w.first = append(bytes.Clone(first), "> "...)
	} else if w.due {
		w.out = append(append(w.out, bytes.TrimRight(rest, " ")...), '\n')
		w.due = false
	}
	w.rest = append(bytes.Clone(rest), "> "...)
	tight := w.tight
	w.tight = 0
	w.children(at)
	w.rest, w.due, w.tight = rest, true, tight
}

// inside writes a node's children after a marker, and below it.
func (w *writer) inside(at int32, marker []byte) {
	rest, first := w.rest, w.first
	if w.first != nil { // a list is the first of an item
		w.first = append(bytes.Clone(first), marker...)
	} else {
		if w.due {
			w.out = append(append(w.out, bytes.TrimRight(rest, " ")...), '\n')
			w.due = false
		}
		w.first = append(bytes.Clone(rest), marker...)
	}
	size := len(w.out)
	w.rest = append(bytes.Clone(rest), bytes.Repeat([]byte(" "), len(marker))...)
	w.children(at)
	w.rest = rest
	if len(w.out) == size { // nothing was there to write
		w.first = first
		return
	}
	w.end()
}

// list writes a list. If it follows a list of its kind it has another sign, since Markdown would
// join the two.
func (w *writer) list(at, before int32) {
	n := &w.d.nodes[at]
	sign, dot := n.sign, "."
	if sign == '*' {
		dot = ")"
	}
	isTight := w.isTight(at)
	if isTight {
		w.tight++
	} else if before != 0 {
		w.due = w.due || w.tight > 0
	}
	tight := w.tight
	if !isTight {
		w.tight = 0
	}
	for c := n.first; c != 0; c = w.d.nodes[c].next {
		item := &w.d.nodes[c]
		if item.kind != kindItem {
			w.node(c, 0)
			continue
		}
		marker := string(sign) + " "
		if n.ordered {
			number := item.number
			if number < 0 || number > 999_999_999 {
				number = 1
			}
			marker = strconv.Itoa(number) + dot + " "
		}
		w.inside(c, []byte(marker))
	}
	w.tight = tight
	if isTight {
		w.tight--
	}
	w.end()
}

// isTight reports whether each item of a list is at most a paragraph, and lists.
func (w *writer) isTight(at int32) bool {
	for item := w.d.nodes[at].first; item != 0; item = w.d.nodes[item].next {
		if w.d.nodes[item].kind != kindItem {
			return false
		}
		for c := w.d.nodes[item].first; c != 0; c = w.d.nodes[c].next {
			n := &w.d.nodes[c]
			switch {
			case n.kind == kindParagraph && c == w.d.nodes[item].first:
			case n.kind == kindList && !(n.ordered && w.firstNumber(c) != 1) && w.isTight(c):
			default:
				return false
			}
		}
	}
	return true
}

// firstNumber returns the number of a list's first item.
func (w *writer) firstNumber(list int32) int {
	return w.d.nodes[w.d.nodes[list].first].number
}

// terms writes a list of terms and definitions: each term is an item, which contains what follows
// up to the next term.
func (w *writer) terms(at int32) {
	marker := []byte{w.d.nodes[at].sign, ' '}
	tight := w.tight
	w.tight = 0
	open := false
	for c := w.d.nodes[at].first; c != 0; c = w.d.nodes[c].next {
		size := len(w.out)
		switch kind := w.d.nodes[c].kind; {
		case kind == kindTerm && w.plain:
			w.children(c)
			w.due = w.due && w.d.nodes[c].next != 0 && w.d.nodes[w.d.nodes[c].next].kind != kindDefinition
			open = true
		case kind != kindTerm && kind != kindDefinition && !open: // before the first term
			w.node(c, 0)
		case kind == kindTerm || !open:
			w.inside(c, marker)
			open = len(w.out) > size
		default:
			w.below(c, marker)
		}
	}
	w.tight, w.due = tight, true
}

// below writes the parts that follow a term.
func (w *writer) below(at int32, marker []byte) {
	rest := w.rest
	if w.plain {
		marker = []byte("    ")
	}
	w.rest = append(bytes.Clone(rest), bytes.Repeat([]byte(" "), len(marker))...)
	if w.d.nodes[at].kind == kindDefinition {
		w.children(at)
	} else {
		w.node(at, 0)
	}
	w.rest, w.due = rest, true
}

// table writes a data table, or the content of a layout table.
func (w *writer) table(at int32) {
	n := &w.d.nodes[at]
	if n.layout {
		w.children(at)
		return
	}
	var rows []int32
	columns := 1 // a row may have text and no cell
	for c := n.first; c != 0; c = w.d.nodes[c].next {
		if w.d.nodes[c].kind != kindRow {
			w.node(c, 0) // its caption
			continue
		}
		rows = append(rows, c)
		for cell := w.d.nodes[c].first; cell != 0; cell = w.d.nodes[cell].next {
			k := &w.d.nodes[cell]
			columns = max(columns, min(int(k.column+k.span), maxColumns))
		}
	}
	if len(rows) == 0 {
		return
	}
	cells := make([][]string, len(rows))
	for i, row := range rows {
		cells[i] = w.cells(row, columns)
	}
	columns = withoutEmpty(cells, columns)
	if columns == 1 && !w.plain {
		if code, ok := w.codeIn(rows); ok {
			w.code(code, "")
			return
		}
	}
	for i, row := range rows {
		if i == 0 && !w.plain && !w.isHead(row) {
			w.startPart()
			w.bar(columns, " ")
			w.line()
			w.bar(columns, " --- ")
		}
		w.mark(0, "")
		if i == 0 {
			w.startPart()
		} else {
			w.line()
		}
		w.row(cells[i])
		if i == 0 && !w.plain && w.isHead(row) {
			w.line()
			w.bar(columns, " --- ")
		}
	}
	w.due = true
}

// withoutEmpty removes the columns that are empty in all rows, which only separate others. It
// returns how many are left: at least one.
func withoutEmpty(rows [][]string, columns int) int {
	left := 0
	for c := range columns {
		if !slices.ContainsFunc(rows, func(cells []string) bool { return cells[c] != "" }) {
			continue
		}
		for _, cells := range rows {
			cells[left] = cells[c]
		}
		left++
	}
	left = max(left, 1)
	for i := range rows {
		rows[i] = rows[i][:left]
	}
	return left
}

// codeIn returns the lines of rows that consist only of code; ok is false for other rows.
func (w *writer) codeIn(rows []int32) (text string, ok bool) {
	var lines []string
	ok = true
	for _, row := range rows {
		w.eachLeaf(row, func(leaf *node) {
			if w.d.nodes[leaf.parent].kind == kindListing {
				lines = append(lines, trimListing(leaf.text))
				return
			}
			runs := w.d.runs[leaf.from:leaf.to]
			ok = ok && len(runs) > 0 && !slices.ContainsFunc(runs, func(r run) bool { return r.style&(styleCode|styleMark) == 0 })
			lines = append(lines, w.unstyled(leaf.text, runs, 0))
		})
	}
	return strings.Join(lines, "\n"), ok
}

// cell appends the lines of a data cell below a node, the first of them after a marker. An item is
// a line that starts with the sign of its list or its number, since GFM has no lists in cells.
func (w *writer) cell(at int32, marker string, lines []string) []string {
	for c := w.d.nodes[at].first; c != 0; c = w.d.nodes[c].next {
		n := &w.d.nodes[c]
		switch n.kind {
		case kindParagraph:
			if t := w.inline(n, inTable); t != "" {
				lines = append(lines, marker+t)
				marker = ""
			}
		case kindItem:
			sign := "- "
			if list := &w.d.nodes[n.parent]; list.ordered {
				sign = strconv.Itoa(n.number) + ". "
			}
			lines = w.cell(c, sign, lines)
		default:
			before := len(lines)
			lines = w.cell(c, marker, lines)
			if len(lines) > before {
				marker = ""
			}
		}
	}
	return lines
}

// isHead reports whether all cells of a row are heads.
func (w *writer) isHead(row int32) bool {
	for c := w.d.nodes[row].first; c != 0; c = w.d.nodes[c].next {
		if w.d.nodes[c].kind == kindCell && !w.d.nodes[c].head {
			return false
		}
	}
	return true
}

// bar writes a row whose cells are all the same.
func (w *writer) bar(columns int, cell string) {
	for range columns {
		w.out = append(append(w.out, '|'), cell...)
	}
	w.out = append(w.out, '|', '\n')
}

// cells returns the texts of a row's cells.
func (w *writer) cells(at int32, columns int) []string {
	texts := make([][]string, columns)
	by := "<br>"
	if w.plain {
		by = " "
	}
	for c := w.d.nodes[at].first; c != 0; c = w.d.nodes[c].next {
		n := &w.d.nodes[c]
		text, column := strings.Join(w.cell(c, "", nil), by), min(int(n.column), columns-1)
		if n.kind == kindParagraph { // in the row, and in no cell
			text, column = w.inline(n, inTable), 0
		}
		if text != "" {
			texts[column] = append(texts[column], text)
		}
	}
	cells := make([]string, columns)
	for i, of := range texts {
		cells[i] = strings.Join(of, by) // all cells beyond maxColumns are in the last one
	}
	return cells
}

func (w *writer) row(cells []string) {
	if w.plain {
		w.out = append(w.out, strings.TrimRight(strings.Join(cells, "\t"), "\t")...)
		w.newLine()
		return
	}
	for _, c := range cells {
		w.out = append(append(append(w.out, "| "...), c...), ' ')
	}
	w.out = append(w.out, '|', '\n')
}
