package body

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The forests judge each block alone, and a heading's few words or a table's cells say little.
// The two rules below use what is around them. By the folds neither makes a word F1 worse by
// .0001, and with either more runs of four tokens are right (docs/measurements-purify.md).

// KeepSections adds to what was chosen the headings of sections that are kept and the tables
// between kept parts. A page's type is determined before it, by what the forests chose.
func (ch *Chooser) KeepSections(kept []bool) {
	if len(kept) == 0 {
		return
	}
	if ch.isPlain() {
		name := ch.nameBlock()
		for i := range kept {
			kept[i] = kept[i] || i != name
		}
		ch.dropByline(kept, name)
		return
	}
	ch.keepTables(kept)
	ch.keepHeadings(kept, ch.nameBlock())
}

// isPlain reports whether a page is short and has no link and no element of a frame: notes that
// someone wrote by hand, each table and listing of which the page says itself. Of long ones the
// forests judge better.
func (ch *Chooser) isPlain() bool {
	return len(ch.Links) == 0 && len(ch.Text) < plainPage && !slices.ContainsFunc(ch.Blocks, func(b blocks.Block) bool { return b.Hints&frame != 0 })
}

const plainPage = 4 << 10 // bytes of text

const ranks = 6 // h1 to h6

// A section is what stands below a heading, in bytes.
type section struct{ all, kept int }

// keepHeadings keeps a heading where all that stands below it is kept, down to the next
// heading of its rank or above. One of a frame, or that is mostly a link, stays out.
func (ch *Chooser) keepHeadings(kept []bool, name int) {
	var below [ranks]section
	for i := len(kept) - 1; i >= 0; i-- {
		b := &ch.Blocks[i]
		if !b.Tag.Heading() {
			for r := range below {
				below[r].add(b.Size(), kept[i])
			}
			continue
		}
		rank := int(b.Tag - markup.TagH1)
		if i != name && i != ch.census.h1 && b.Hints&frame == 0 && int(b.Linked)*2 < b.Size() && below[rank].isWhole() {
			kept[i] = true
		}
		clear(below[rank:])
	}
}

func (s *section) add(size int, kept bool) {
	s.all += size
	if kept {
		s.kept += size
	}
}

// isWhole leaves room for a line such as "[edit]" in a hundred.
func (s section) isWhole() bool { return s.kept > 0 && s.kept*100 >= s.all*99 }

// keepTables keeps the whole of a table that is between two kept blocks of the same container.
// One with a frame in it, or that is mostly links, stays as it was chosen.
func (ch *Chooser) keepTables(kept []bool) {
	for from := 0; from < len(kept); {
		table := ch.tableOf(from)
		if table == 0 {
			from++
			continue
		}
		to, all, linked, framed := from, 0, 0, false
		for ; to < len(kept) && ch.isIn(ch.Blocks[to].Node, table); to++ {
			b := &ch.Blocks[to]
			all += b.Size()
			linked += int(b.Linked)
			framed = framed || b.Hints&frame != 0
		}
		around := ch.Nodes[table].Parent
		between := from > 0 && to < len(kept) && kept[from-1] && kept[to] && ch.isIn(ch.Blocks[from-1].Node, around) && ch.isIn(ch.Blocks[to].Node, around)
		if between && linked*2 < all && !framed {
			for i := from; i < to; i++ {
				kept[i] = true
			}
		}
		from = to
	}
}

// tableOf returns the node of the innermost table around a block, or 0.
func (ch *Chooser) tableOf(block int) int32 {
	at := ch.Blocks[block].Node
	for at > 0 && ch.Nodes[at].Tag != markup.TagTable {
		at = ch.Nodes[at].Parent
	}
	return at
}

// isIn reports whether a node is another or in it. A node's parent has a lower number.
func (ch *Chooser) isIn(node, other int32) bool {
	for node > other {
		node = ch.Nodes[node].Parent
	}
	return node == other
}
