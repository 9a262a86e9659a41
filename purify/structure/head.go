package structure

import (
	"strings"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// heads has the blocks in the heads of tables that are not in the body, by table. What a site
// repeats is not in a body, and single words often are not, so a body may have the rows of a table
// without "Name" and "Description" above them, which a reader needs.
type heads map[int32][]int32 // by the page's table

// find finds heads: the first row of a table, if all its cells are heads, there are at least two,
// and the body has text in two columns below them. A single column can be read without its head.
func (h *heads) find(w *walker, found []int32) {
	clear(*h)
	first := map[int32]int32{} // by table: its first row
	cells := map[int32]int{}   // by row: how many cells it has; -1: some are no heads
	for i := range w.nodes {
		n := &w.nodes[i]
		if n.tag != markup.TagTd && n.tag != markup.TagTh {
			continue
		}
		_, row, table := w.cellOf(int32(i))
		if table == 0 {
			continue
		}
		if _, ok := first[table]; !ok {
			first[table] = row
		}
		switch {
		case !n.head:
			cells[row] = -1
		case cells[row] >= 0:
			cells[row]++
		}
	}
	if len(first) == 0 {
		return
	}
	inBody := make(map[int32]bool, len(found))
	column, columns := map[int32]int32{}, map[int32]int{} // by table, of its text in the body: the first column, and 2 if there is another
	for _, at := range found {
		if at < 0 {
			continue
		}
		inBody[at] = true
		cell, row, table := w.cellOf(w.blocks[at].node)
		if table == 0 || first[table] == row {
			continue
		}
		switch here := w.nodes[cell].column; {
		case columns[table] == 0:
			column[table], columns[table] = here, 1
		case column[table] != here:
			columns[table] = 2
		}
	}
	for i := range w.blocks {
		_, row, table := w.cellOf(w.blocks[i].node)
		if table == 0 || first[table] != row || cells[row] < 2 || columns[table] < 2 || inBody[int32(i)] {
			continue
		}
		if *h == nil {
			*h = make(heads)
		}
		(*h)[table] = append((*h)[table], int32(i))
	}
}

// cellOf returns the cell that a node is in or is, its row and its table; a table of 0 means that
// it is in none.
func (w *walker) cellOf(at int32) (cell, row, table int32) {
	for ; at != 0; at = w.nodes[at].parent {
		switch w.nodes[at].tag {
		case markup.TagTd, markup.TagTh:
			if cell == 0 {
				cell = at
			}
		case markup.TagTr:
			row = at
		case markup.TagTable:
			if cell == 0 || row == 0 {
				return 0, 0, 0
			}
			return cell, row, at
		}
	}
	return 0, 0, 0
}

// addHead adds the head of the table that a block of the page is in, before the first cell of the
// table that is in the body.
func (d *Document) addHead(r *Reader, of int32) {
	if len(r.heads) == 0 {
		return
	}
	_, _, table := r.cellOf(of)
	blocks := r.heads[table]
	delete(r.heads, table)
	for _, at := range blocks {
		b := &r.blocks[at]
		text := strings.Join(strings.FieldsFunc(string(r.raw[b.raw:b.rawEnd]), isUnseen), " ")
		parent := d.place(r, b.node)
		if d.nodes[parent].kind == kindListing {
			continue
		}
		leaf := node{kind: kindParagraph, text: text, from: int32(len(d.runs))}
		d.runs = appendRuns(d.runs, text, r.pieces[b.piece:b.pieceEnd], r.urls)
		leaf.to = int32(len(d.runs))
		d.add(parent, leaf)
	}
}
