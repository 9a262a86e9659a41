package body

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A record is a page that says in a table what it is about: a person, an event, an entry of a catalogue, a method. The
// sections below the table are often longer, such as a list of sources or a remark, and the forests choose one of these alone.

// aroundRecord has the hints of what is no part of a record.
const aroundRecord = NotOwn | inTop

const (
	inTop    = hint.InHeader | hint.SaysHeader
	inBottom = hint.InFooter | hint.SaysFooter
)

// Limits of records and of footers, in bytes.
const (
	longestName   = 40
	recordPart    = 4   // a record has all but one in this many bytes of the page's own text
	lostPart      = 4   // and the body lacks one in this many bytes of its facts
	strayText     = 300 // longer text of the body elsewhere is the page's own as well
	longestFooter = 400
	leastOfPage   = 8 // a footer is left for as much text
)

// keepRecord makes the whole record the body if the body lacks its facts: the element that starts with a heading and facts, and
// has nearly all text of the page that is in no frame.
func (ch *Chooser) keepRecord(kept []bool) {
	if ch.IsManual() || ch.buf.thread {
		return
	}
	head, last := ch.factsOfPage()
	if head < 0 {
		return
	}
	said, lost := 0, 0
	for i := head + 1; i <= last; i++ {
		if b := &ch.Blocks[i]; b.Hints&aroundRecord == 0 {
			said += b.Size()
			if !kept[i] {
				lost += b.Size()
			}
		}
	}
	if lostPart*lost < said {
		return
	}
	place, name := ch.recordAround(head, last), ch.nameBlock()
	for i, k := range kept {
		if b := &ch.Blocks[i]; k && i != name && !ch.IsIn(b.Node, place) && (b.Size() > strayText || b.IsProse() && b.Hints&inBottom == 0) {
			return
		}
	}
	for i := range kept {
		switch b := &ch.Blocks[i]; {
		case !ch.IsIn(b.Node, place):
			kept[i] = kept[i] && b.Hints&inBottom == 0
		case i != name:
			kept[i] = kept[i] || b.Hints&aroundRecord == 0
		}
	}
}

// recordAround returns the innermost element around two blocks that has nearly all text of the page that is in no frame.
func (ch *Chooser) recordAround(first, last int) int32 {
	r := &ch.buf
	r.own = reuse.Slice(r.own, len(ch.Nodes))
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Hints&aroundRecord == 0 {
			r.own[b.Node] += int32(b.Size())
		}
	}
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		r.own[ch.Nodes[i].Parent] += r.own[i]
	}
	place := ch.Around(ch.Blocks[first].Node, ch.Blocks[last].Node)
	for place > 0 && r.own[place]*recordPart < r.own[0]*(recordPart-1) {
		place = ch.Nodes[place].Parent
	}
	return place
}

// factsOfPage returns the first heading that is followed by facts, and the last block of these; -1 if there is none, or prose
// above it.
func (ch *Chooser) factsOfPage() (head, last int) {
	for i := range ch.Blocks {
		switch b := &ch.Blocks[i]; {
		case b.Hints&aroundRecord != 0:
		case b.IsProse():
			return -1, -1
		case b.Tag.Heading():
			if last := ch.facts(i + 1); last > 0 {
				return i, last
			}
		}
	}
	return -1, -1
}

// facts returns the last of the facts among the blocks from one on, down to the next heading; 0 if most of the text there that is in
// no table is not facts. A single fact may not be prose, nor what stands between facts.
func (ch *Chooser) facts(from int) (last int) {
	rows, size, other, prose := 0, 0, 0, false
	for i := from; i < len(ch.Blocks) && !ch.Blocks[i].Tag.Heading(); {
		b := &ch.Blocks[i]
		end := 0
		if b.Hints&aroundRecord == 0 {
			end = ch.fact(i)
		}
		switch {
		case end > 0:
			rows, last = rows+1, end-1
			for ; i < end; i++ {
				size += ch.Blocks[i].Size()
				prose = prose || ch.Blocks[i].IsProse()
			}
			continue
		case b.Hints&aroundRecord != 0:
		case b.IsProse():
			return 0
		case b.Tag != markup.TagTd && b.Tag != markup.TagTh:
			other += b.Size()
		}
		i++
	}
	if size < other || rows == 1 && prose {
		return 0
	}
	return last
}

// fact returns the end of the fact that starts with a block, 0 if there is none: a row of a table with a label and a value, or two
// labels and a value, or a term of a list with its definition.
func (ch *Chooser) fact(i int) (end int) {
	b := &ch.Blocks[i]
	row, term := ch.Nodes[b.Node].Parent, b.Tag == markup.TagDt
	if row == 0 || !ch.isLabel(i) || !term && i > 0 && ch.IsIn(ch.Blocks[i-1].Node, row) {
		return 0
	}
	end = i + 1
	for cells := 1; ; cells++ {
		cell := ch.cellOf(end, row)
		switch {
		case cell == 0 || term && (cells == 2 || ch.Nodes[cell].Tag == markup.TagDt):
			if cells == 1 {
				return 0
			}
			return end
		case cells == 3 || cells == 2 && !ch.isLabel(end-1):
			return 0
		}
		for end < len(ch.Blocks) && ch.IsIn(ch.Blocks[end].Node, cell) {
			end++
		}
	}
}

// isLabel reports whether a block is a short cell or term without a link.
func (ch *Chooser) isLabel(i int) bool {
	switch b := &ch.Blocks[i]; b.Tag {
	case markup.TagTd, markup.TagTh, markup.TagDt:
		return b.Size() > 1 && b.Size() <= longestName && b.Linked == 0
	}
	return false
}

// cellOf returns the element right below a row that has a block, 0 if none has.
func (ch *Chooser) cellOf(block int, row int32) int32 {
	if block >= len(ch.Blocks) {
		return 0
	}
	at := ch.Blocks[block].Node
	if at == row || !ch.IsIn(at, row) {
		return 0
	}
	for ch.Nodes[at].Parent != row {
		at = ch.Nodes[at].Parent
	}
	return at
}

// leaveFooter replaces a body that has nothing but headings and the footer of the site by all text that is in no frame. A
// footer with a day or an hour of its own looks to the forests like a text next to a page of names.
func (ch *Chooser) leaveFooter(kept []bool) {
	const (
		mostHeads  = 2
		mostFooter = 3 // blocks
	)
	heads, footers, size, own, dated := 0, 0, 0, 0, false
	for i := range ch.Blocks {
		switch b := &ch.Blocks[i]; {
		case kept[i] && b.Tag.Heading():
			heads++
		case kept[i] && b.Hints&inBottom != 0 && b.Hints&(hint.InMain|hint.InArticle) == 0:
			footers++
			size += b.Size()
			dated = dated || bytes.ContainsAny(ch.BlockText(i), "0123456789")
		case kept[i]:
			return
		case b.Hints&(aroundRecord|hint.SaysUnseen) == 0 && !b.Tag.Heading():
			own += b.Size()
		}
	}
	if !dated || footers > mostFooter || size > longestFooter || heads > mostHeads || own < leastOfPage {
		return
	}
	name := ch.nameBlock()
	for i := range kept {
		kept[i] = ch.Blocks[i].Hints&aroundRecord == 0 || i == name && kept[i]
	}
}
