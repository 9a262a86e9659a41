package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// A body is chosen block by block, so it may have the name of a row without its value, or the
// paragraphs around a list without the list. fill adds to it the other cells of a row that has text
// in the body, lists and tables between two neighbours in the body, and listings between these and
// directly before the first. They are written in the order of the page. The body itself, and what
// is compared, do not change.

// maxCellText is the length in bytes of the longest cell that has only links and is added to its
// row.
const maxCellText = 80

// leastItem is the length in bytes that the longest item or definition of an added list must have:
// shorter lists say, for example, who wrote a post and when.
const leastItem = 30

// maxCellBlocks is how many blocks a cell may have so that cells are added to its row. Cells of a
// layout have more.
const maxCellBlocks = 8

// fill adds lines for blocks that the body lacks between its own.
func (r *Reader) fill() {
	r.filled = 0
	if len(r.lines) == 0 {
		return
	}
	rows := r.dataRows()
	lines, found := r.wideLines[:0], r.wideFound[:0]
	add := func(at int32) {
		b := &r.blocks[at]
		text := strings.Join(strings.FieldsFunc(string(r.raw[b.raw:b.rawEnd]), isUnseen), " ")
		if text == "" {
			return
		}
		lines, found = append(lines, foldedLine{text: text}), append(found, at)
		r.filled++
	}
	a := int32(-1)
	for i := range r.lines {
		b := r.found[i]
		if b >= 0 && (i == 0 || a >= 0) {
			r.gap(rows, a, b, add)
		}
		lines, found = append(lines, r.lines[i]), append(found, b)
		a = b
	}
	if a >= 0 {
		r.gap(rows, a, -1, add)
	}
	r.wideLines, r.wideFound = r.lines, r.found
	r.lines, r.found = lines, found
}

// gap calls add with the blocks between two of the body that belong to it; b is -1 at the end of
// the page.
func (r *Reader) gap(rows []int32, a, b int32, add func(at int32)) {
	from, to := a+1, b
	if b < 0 {
		to = int32(len(r.blocks))
	}
	if from >= to {
		return
	}
	end := to
	if a >= 0 {
		for row := rows[a]; row != 0 && from < to && rows[from] == row && r.isCell(from); from++ {
			add(from)
		}
	}
	if b >= 0 {
		for row := rows[b]; row != 0 && to > from && rows[to-1] == row && r.isCell(to-1); {
			to--
		}
	}
	all := a >= 0 && b >= 0 && r.isEnclosed(a, b, from, to)
	if a < 0 { // of what precedes the body, a listing right before it
		for from = to; from > 0 && r.isListing(from-1); from-- {
		}
	}
	for at := from; at < to; at++ {
		if all || b >= 0 && r.isListing(at) {
			add(at)
		}
	}
	for at := to; at < end; at++ {
		add(at)
	}
}

// isCell reports whether a block may be added to the row that it is in. A long block that is a link
// may not.
func (r *Reader) isCell(at int32) bool {
	b := &r.blocks[at]
	size := b.foldEnd - b.fold
	return !b.frame && (size <= maxCellText || 2*b.linked < size)
}

// isListing reports whether a block belongs to a listing of several lines that are not line
// numbers: only content is written so.
func (r *Reader) isListing(at int32) bool {
	b := &r.blocks[at]
	if b.frame || r.nodes[b.node].tag != markup.TagPre {
		return false
	}
	if at > 0 && r.blocks[at-1].node == b.node || int(at)+1 < len(r.blocks) && r.blocks[at+1].node == b.node {
		return true
	}
	text := strings.TrimSpace(string(r.raw[b.raw:b.rawEnd]))
	return strings.Contains(text, "\n") && !isLineNumbers(text)
}

// isEnclosed reports whether the blocks between two of the body are lists, tables and listings: not
// in a menu, without headings, and with words outside links.
func (r *Reader) isEnclosed(a, b, from, to int32) bool {
	if from == to || r.nodes[r.blocks[a].node].tag == markup.TagH1 {
		return false
	}
	size, linked, isLong := int32(0), int32(0), false
	for at := from; at < to; at++ {
		block := &r.blocks[at]
		switch r.nodes[block.node].tag {
		case markup.TagLi, markup.TagDt, markup.TagDd:
			isLong = isLong || block.foldEnd-block.fold >= leastItem
		case markup.TagTd, markup.TagTh, markup.TagPre:
			isLong = true
		default:
			return false
		}
		if block.frame || r.isAround(block.node, r.blocks[a].node) || r.isAround(block.node, r.blocks[b].node) {
			return false
		}
		size, linked = size+block.foldEnd-block.fold, linked+block.linked
	}
	return isLong && 3*linked < 2*size
}

// isAround reports whether a node is the other one, or contains it.
func (r *Reader) isAround(node, other int32) bool {
	for other > node { // a node comes before those in it
		other = r.nodes[other].parent
	}
	return other == node
}

// dataRows returns for each block the row that it is in; 0 if that is not a data row. Tables with
// headings, listings or other tables, and those with cells of many blocks, are for layout.
func (r *Reader) dataRows() []int32 {
	r.rows = slices.Grow(r.rows[:0], len(r.blocks))[:len(r.blocks)]
	clear(r.rows)
	if !slices.ContainsFunc(r.nodes, func(n pageNode) bool { return n.tag == markup.TagTr }) {
		return r.rows
	}
	tables := make(map[int32]bool) // true: for the layout
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.tag.Heading() || n.tag == markup.TagPre || n.tag == markup.TagTable || n.tag == markup.TagBlockquote {
			for at := n.parent; at != 0; at = r.nodes[at].parent {
				if r.nodes[at].tag == markup.TagTable {
					tables[at] = true
				}
			}
		}
		if n.tag == markup.TagTable && n.layout {
			tables[int32(i)] = true
		}
	}
	last, blocks := int32(0), 0 // the cell, and how many blocks it has
	for i := range r.blocks {
		cell, row, table := r.cellOf(r.blocks[i].node)
		if cell != last {
			last, blocks = cell, 0
		}
		if blocks++; blocks > maxCellBlocks && table != 0 {
			tables[table] = true
		}
		r.rows[i] = row
		if table == 0 {
			r.rows[i] = 0
		}
	}
	for i, row := range r.rows {
		if row == 0 {
			continue
		}
		if _, _, table := r.cellOf(r.blocks[i].node); tables[table] {
			r.rows[i] = 0
		}
	}
	return r.rows
}

// isUnseen reports whether a character is white space or invisible.
func isUnseen(c rune) bool {
	if c < utf8.RuneSelf {
		return seen[c] == 0
	}
	return blank(c)
}
