package body

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// A page may say of its product no more than a name and a price, or of an article no more than a day and a picture, above a
// list of its neighbours: other products, other articles. That list is most of the page's text, and the forests choose it.

const (
	leastNeighbours = 3   // items of a list
	leastRelated    = 2   // items of one whose class says so
	longestItem     = 200 // bytes of text outside links in an item, on average
	mostBehind      = 24  // bytes of a day or a price in the block of an item's link
	longestPrice    = 60  // bytes of a block that is a price
	briefOwn        = 200 // bytes of a product's body without its name up to which the price is added
	mostToPrice     = 12  // blocks from a name to its price
)

// outsideNames has the hints of places where a heading is not that of the page.
const outsideNames = hint.InNav | hint.InFooter | hint.InAside | hint.InDialog | hint.SaysMenu | hint.SaysFooter | hint.SaysCrumb | hint.SaysPopup | hint.SaysSide

// leaveNeighbours replaces a body that is a list of neighbours by what the page says between its headline and that list, and
// leaves them out of the body of a product that has other text. A product's body of a few words gets its name and price.
func (ch *Chooser) leaveNeighbours(kept []bool, kind string) {
	product := kind == Types[typeProduct]
	if ch.IsManual() || ch.buf.thread || !product && kind != Types[typeArticle] {
		return
	}
	head := ch.ownHeadline()
	if head < 0 {
		return
	}
	near := ch.neighbours(head)
	first, own, lists := -1, 0, 0 // the first neighbour in the body, and bytes of the body
	for i, k := range kept {
		switch b := &ch.Blocks[i]; {
		case !k || i == head:
		case near != nil && near[i]:
			lists += b.Size()
			if first < 0 {
				first = i
			}
		case !b.Tag.Heading() && !b.MostlyLinks():
			own += b.Size()
		}
	}
	switch {
	case lists > 0 && own == 0:
		ch.keepAbove(kept, near, head, first)
	case lists > 0 && product:
		ch.dropLists(kept, near, head)
	}
	if product && own > 0 && own < briefOwn {
		ch.keepPrice(kept, near, head)
	}
}

// keepAbove makes what stands between a headline and a list of neighbours the body, if the page says there that it is about
// one thing.
func (ch *Chooser) keepAbove(kept, near []bool, head, first int) {
	for near[first-1] {
		first--
	}
	end := first
	if ch.headsList(first-1, head) {
		end--
	}
	if !ch.isOfOne(head, end) {
		return
	}
	clear(kept)
	for i := head; i < end; i++ {
		b := &ch.Blocks[i]
		kept[i] = i == head || b.Hints&(NotOwn|hint.InForm)&^ch.Blocks[head].Hints == 0 && !b.MostlyLinks()
	}
}

// dropLists removes lists of neighbours and their headings from a body.
func (ch *Chooser) dropLists(kept, near []bool, head int) {
	for i, is := range near {
		if is {
			kept[i] = false
			if i > 0 && !near[i-1] && ch.headsList(i-1, head) {
				kept[i-1] = false
			}
		}
	}
}

// headsList reports whether a block below a headline may be the heading of a list of neighbours.
func (ch *Chooser) headsList(i, head int) bool {
	b := &ch.Blocks[i]
	says := (hint.SaysRelated | hint.SaysTitle) &^ ch.Blocks[head].Hints
	return i > head && (b.Tag.Heading() || b.Hints&says != 0) && b.Linked == 0 && !b.IsProse()
}

// isOfOne reports whether the blocks between a headline and an end say that the page is about one thing: a price or a form to order
// it by, or a day.
func (ch *Chooser) isOfOne(head, end int) bool {
	for i := head + 1; i < end; i++ {
		if b := &ch.Blocks[i]; ch.IsPrice(i) || b.Hints&hint.InButton != 0 || b.Size() <= longestPrice && metadata.NamesDay(ch.BlockText(i), "") {
			return true
		}
	}
	return false
}

// keepPrice adds the name of a product and the first price below it to the body.
func (ch *Chooser) keepPrice(kept, near []bool, head int) {
	for i := head + 1; i < min(len(kept), head+mostToPrice) && (near == nil || !near[i]); i++ {
		if b := &ch.Blocks[i]; ch.IsPrice(i) && b.Hints&NotOwn&^ch.Blocks[head].Hints == 0 {
			kept[head], kept[i] = true, true
			return
		}
	}
}

// IsPrice reports whether a block is a price.
func (ch *Chooser) IsPrice(i int) bool {
	b := &ch.Blocks[i]
	return b.Size() <= longestPrice && b.Linked == 0 && ch.buf.table.Column(colPrice)[i] != 0
}

// ownHeadline returns the heading that names the page, -1 if there is none.
func (ch *Chooser) ownHeadline() int {
	if name := ch.nameBlock(); name >= 0 {
		return name
	}
	named := ch.buf.table.Column(colInTitle)
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; (b.Tag == markup.TagH1 || b.Tag == markup.TagH2) && b.Hints&outsideNames == 0 && b.Linked == 0 && named[i] != 0 {
			return i
		}
	}
	return -1
}

// LeaveNeighbours removes lists of neighbours, with their headings, from a body that is all text that the page of a product or an
// article has of its own, whatever the forests chose. A price has no letters, so that it is added.
func (ch *Chooser) LeaveNeighbours(kept []bool, kind string) {
	if ch.IsManual() || kind != Types[typeProduct] && kind != Types[typeArticle] {
		return
	}
	head := ch.ownHeadline()
	if head < 0 {
		return
	}
	near := ch.neighbours(head)
	ch.dropLists(kept, near, head)
	if kind == Types[typeProduct] {
		ch.keepPrice(kept, near, head)
	}
}

// A neighbourList is what is known of a list of neighbours.
type neighbourList struct {
	place int32 // the element around all items
	last  int32 // the node of the last one
	items int32
	first int32 // the block of the first link
}

// isHeaded reports whether a list says that it is of other pages: by its class, or by a heading of its own above it. One whose
// heading has the page's name is what the page is about: "Latest comments by Ann".
func (ch *Chooser) isHeaded(l *neighbourList, head int) bool {
	from := int(l.first)
	related := ch.Blocks[from].Hints&^ch.Blocks[head].Hints&hint.SaysRelated != 0
	for from > head+1 && ch.IsIn(ch.Blocks[from-1].Node, l.place) {
		from--
	}
	for label := from - 1; label <= int(l.first); label++ { // it may be in the list
		if label > head && ch.Blocks[label].Tag.Heading() && bytes.Contains(ch.BlockText(label), ch.BlockText(head)) {
			return false
		}
	}
	return related || l.items >= leastNeighbours && ch.headsList(from-1, head) && ch.isOfOne(head, from-1)
}

// neighbours reports for each block whether it is in a list of neighbours below a headline; nil if there is no such list. That is
// an element with several items, each with a link that is a block of its own at one place in them. Tables are none.
func (ch *Chooser) neighbours(head int) (near []bool) {
	c := &ch.census
	ch.buf.lists = reuse.Slice(ch.buf.lists, len(c.groups))
	lists := ch.buf.lists
	for i := head + 1; i < len(ch.Blocks); i++ {
		b := &ch.Blocks[i]
		if !b.MostlyLinks() || b.Size()-int(b.Linked) > mostBehind || b.Hints&(hint.InNav|hint.InFooter|hint.SaysMenu|hint.SaysFooter) != 0 || b.Tag == markup.TagTd || b.Tag == markup.TagTh {
			continue
		}
		switch l := &lists[c.likeness[i]]; {
		case l.items == 0:
			*l = neighbourList{b.Node, b.Node, 1, int32(i)}
		case b.Node != l.last:
			*l = neighbourList{ch.Around(l.place, b.Node), b.Node, l.items + 1, l.first}
		}
	}
	var listed []bool // by node: it is in a list of neighbours
	outer := int32(0)
	for k := range lists {
		l := &lists[k]
		if l.items < leastRelated || ch.IsIn(ch.Blocks[head].Node, l.place) || c.plain[l.place] > longestItem*l.items || !ch.isHeaded(l, head) {
			continue
		}
		if listed == nil {
			ch.buf.within = reuse.Slice(ch.buf.within, len(ch.Nodes))
			listed, outer = ch.buf.within, l.place
		}
		listed[l.place], outer = true, min(outer, l.place)
	}
	if listed == nil {
		return nil
	}
	ch.markWithin(listed, outer)
	ch.buf.near = reuse.Slice(ch.buf.near, len(ch.Blocks))
	near = ch.buf.near
	for i := head + 1; i < len(near); i++ {
		near[i] = listed[ch.Blocks[i].Node]
	}
	return near
}
