package body

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// keepAroundCode completes a body that is nearly all source code: the text around the code, and what stands at the same place of the
// page, are the page's too. A long listing in a post of a thread is nearly all text of the page, and the forests choose it
// alone, without the sentences above it and the replies below.
func (ch *Chooser) keepAroundCode(kept []bool) {
	code, other, at := 0, 0, -1
	for i, k := range kept {
		switch b := &ch.Blocks[i]; {
		case !k:
		case b.Hints&hint.InPre == 0:
			other += b.Size()
		default:
			code += b.Size()
			if at < 0 {
				at = i
			}
		}
	}
	if at < 0 || code < codePart*other {
		return
	}
	place := ch.textAround(at)
	if place == 0 {
		return
	}
	ch.buf.within = reuse.Slice(ch.buf.within, len(ch.Nodes))
	around := ch.buf.within // by node: it is at that place
	for n := 1; n < len(ch.Nodes); n++ {
		around[n] = ch.Nodes[n].Path == ch.Nodes[place].Path
	}
	ch.markWithin(around, 0)
	for i := range kept {
		b := &ch.Blocks[i]
		kept[i] = kept[i] || around[b.Node] && b.Hints&(frame|hint.SaysRelated|hint.SaysMeta) == 0 && !b.MostlyLinks()
	}
}

// codePart is how much more of a body is source code, at least, if it is nearly all code.
const codePart = 4

// textAround returns the innermost element around a block of source code that has a sentence of its own besides the code, 0 if only the whole
// page has.
func (ch *Chooser) textAround(block int) int32 {
	place := ch.Blocks[block].Node
	for place > 0 && ch.Nodes[place].Tag != markup.TagPre {
		place = ch.Nodes[place].Parent
	}
	first, last := block, block
	for place = ch.Nodes[place].Parent; place > 0 && ch.Nodes[place].Tag != markup.TagBody && ch.Nodes[place].Tag != markup.TagHtml; place = ch.Nodes[place].Parent {
		for first > 0 && ch.IsIn(ch.Blocks[first-1].Node, place) {
			first--
		}
		for last+1 < len(ch.Blocks) && ch.IsIn(ch.Blocks[last+1].Node, place) {
			last++
		}
		if slices.ContainsFunc(ch.Blocks[first:last+1], func(b blocks.Block) bool {
			return b.Hints&(hint.InPre|NotOwn) == 0 && !b.Tag.Heading() && !b.MostlyLinks() && b.Size() >= leastSentence
		}) {
			return place
		}
	}
	return 0
}

// leastSentence is how many bytes a text has that may be a sentence.
const leastSentence = 40

// keepInPlain completes the body of a short page without any element of a frame: headings and lines between its first heading, or the
// first block of the body, and the last block are the page's too, also a label with a link ("Father: Ann Berg"). Documentation
// has tables of contents there, a thread its labels; and a line that is only a day is that of an article.
func (ch *Chooser) keepInPlain(kept []bool, kind string) {
	if kind == "documentation" || kind == "forum" || len(ch.Text) >= plainPage || slices.ContainsFunc(ch.Blocks, func(b blocks.Block) bool { return b.Hints&frame != 0 }) {
		return
	}
	first, last, linked := -1, -1, 0
	for i, k := range kept {
		b := &ch.Blocks[i]
		linked += int(b.Linked)
		if first < 0 && (k || b.Tag.Heading() && b.Linked == 0) {
			first = i
		}
		if k {
			last = i
		}
	}
	if last < 0 || 2*linked > len(ch.Text) {
		return
	}
	name := ch.nameBlock()
	for i := first; i <= last; i++ {
		b := &ch.Blocks[i]
		kept[i] = kept[i] || i != name && b.Size()-int(b.Linked) >= leastLabel && !(b.Size() <= longestDay && !b.Tag.Heading() && metadata.NamesDay(ch.BlockText(i), ""))
	}
}

const (
	leastLabel = 4  // bytes of a line with a link that stand outside the link if that has a label
	longestDay = 24 // bytes of a line that is a day
)

// leaveHidden replaces a body that is hidden from readers by the text of the page that is not, if it has any outside of its frame.
// Programs leave what only editors of the site may see in tables that are not displayed. The text of an article or of a product
// may be hidden until a script shows it.
func (ch *Chooser) leaveHidden(kept []bool, kind string) {
	if kind == Types[typeArticle] || kind == Types[typeProduct] {
		return
	}
	seen, hidden, shown := 0, 0, 0
	around := frame // without what the names around the whole page say
	for i, k := range kept {
		switch b := &ch.Blocks[i]; {
		case k && b.Hints&hint.InHidden != 0:
			hidden += b.Size()
			around &^= b.Hints
		case k:
			seen += b.Size()
		}
	}
	if hidden == 0 || seen*hiddenPart > hidden {
		return
	}
	around |= hint.InHidden
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Hints&around == 0 {
			shown += b.Size()
		}
	}
	if shown < leastShown {
		return
	}
	for i := range kept {
		kept[i] = ch.Blocks[i].Hints&around == 0
	}
}

const (
	hiddenPart = 20  // a body is hidden if no more than one part in so many is not
	leastShown = 200 // bytes
)
