package body

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/splitmix"
)

// The forests judge each block alone, and the few words of a heading or of a table's cells say
// little. The two rules below use the blocks around them. By cross-validation neither worsens the
// F1 of words by .0001, and with each of them more runs of four tokens are right
// (docs/measurements-purify.md).

// KeepSections completes a body: it adds the headings of sections whose text is in the body, tables
// between its blocks, items of lists, the lead of an article and what documentation has between its blocks, and removes references to other
// articles. The page's type, one of Types, is determined before, by what the forests chose.
func (ch *Chooser) KeepSections(kept []bool, m *metadata.Declared, kind string) {
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
	ch.leaveHidden(kept, kind)
	ch.keepTabs(kept)
	ch.keepList(kept, kind)
	ch.keepPosts(kept, kind)
	ch.keepAroundCode(kept)
	ch.keepInPlain(kept, kind)
	ch.keepLead(kept, m.Description)
	ch.leaveReferences(kept)
	ch.keepTables(kept)
	name := ch.nameBlock()
	ch.keepDeclaration(kept, name)
	if kind == "documentation" {
		ch.keepBetween(kept, name)
	}
	ch.keepContents(kept, name)
	ch.keepHeadings(kept, name)
	ch.keepBelowHeading(kept)
	ch.leaveFooter(kept)
	ch.dropStamp(kept)
	ch.keepRecord(kept)
	ch.keepItems(kept, name, kind)
	ch.leaveNeighbours(kept, kind)
}

// keepBelowHeading completes a body that is an h1 alone, as that of a tag with one post: what follows
// in the main element is the page's own.
func (ch *Chooser) keepBelowHeading(kept []bool) {
	last := -1
	for i, k := range kept {
		switch b := &ch.Blocks[i]; {
		case k && (b.Tag != markup.TagH1 || b.Hints&hint.InMain == 0):
			return
		case k:
			last = i
		}
	}
	if last < 0 {
		ch.keepInMain(kept)
		return
	}
	for i := last + 1; i < len(kept); i++ {
		kept[i] = ch.Blocks[i].Hints&(hint.InMain|NotOwn) == hint.InMain
	}
}

// keepInMain makes what stands in the page's main or article elements its body, if there is a sentence and the forests found no body: on a page of
// some 40 words next to a menu of hundreds of links no block is likely.
func (ch *Chooser) keepInMain(kept []bool) {
	own := func(b *blocks.Block) bool {
		return b.Hints&(hint.InMain|hint.InArticle) != 0 && b.Hints&(NotOwn|hint.InForm) == 0 && !b.MostlyLinks()
	}
	if !slices.ContainsFunc(ch.Blocks, func(b blocks.Block) bool {
		return own(&b) && !b.Tag.Heading() && b.Size()-int(b.Linked) >= leastSentence
	}) {
		return
	}
	for i := range kept {
		kept[i] = own(&ch.Blocks[i])
	}
}

// Trim removes from a body what it already has, and what is around a product. The page's type and layout are determined before.
func (ch *Chooser) Trim(kept []bool) {
	if len(kept) > 0 {
		ch.dropDoubtful(kept)
		ch.dropLoneLinks(kept)
		ch.dropAround(kept)
		ch.dropAgain(kept)
	}
}

// dropAgain removes what the body already has, if the copy stands at another place or in a quotation: pages show the
// same cards in a carousel and in a list, have one text for telephones and one for large screens, and answers quote what they
// answer. What one place repeats stays, such as the chorus of a song, and so do short texts, cells of tables, source code,
// headings that a table of contents has, and a single item of a list, which may be a step that is done again. Places are told
// apart by elements and classes, those of a text that is not prose by elements alone: the posts of a list have classes of their
// own, and one byline. The main part of a manual stays whole.
func (ch *Chooser) dropAgain(kept []bool) {
	if ch.IsManual() {
		return
	}
	ch.buf.bare = reuse.Slice(ch.buf.bare, len(ch.Nodes))
	bare := ch.buf.bare
	for i := 1; i < len(ch.Nodes); i++ {
		bare[i] = splitmix.Mix(bare[ch.Nodes[i].Parent] ^ uint64(ch.Nodes[i].Tag))
	}
	ch.buf.again = reuse.Slice(ch.buf.again, len(kept))
	again := ch.buf.again
	shown := ch.buf.shown
	if shown == nil {
		shown = map[shownKey]bool{}
		ch.buf.shown = shown
	}
	clear(shown)
	for i, k := range kept {
		b := &ch.Blocks[i]
		if !k || b.Size() < leastAgain || b.Hints&hint.InPre != 0 || b.Tag == markup.TagTd || b.Tag == markup.TagTh {
			continue
		}
		first := ch.census.firsts[i]
		if ch.census.times[first] == 1 {
			continue // as most texts are: there is no other place
		}
		place := ch.buf.voting.way[b.Node]
		if b.Size() < minProse {
			place = bare[b.Node]
		}
		anywhere, here := shownKey{first, 0}, shownKey{first, place}
		again[i] = shown[anywhere] && (!shown[here] || b.Hints&hint.InQuote != 0) && !(b.Tag.Heading() && !ch.Blocks[first].Tag.Heading())
		shown[anywhere], shown[here] = true, true
	}
	before := false // the block of the body before this one is there again
	for i, k := range kept {
		if !k {
			continue
		}
		if again[i] && (before || ch.Nodes[ch.Blocks[i].Node].Tag != markup.TagLi || ch.Blocks[i].Hints&hint.InQuote != 0 || nextOf(kept, again, i)) {
			kept[i] = false
		}
		before = again[i]
	}
}

// nextOf reports whether the block of the body after one is there again.
func nextOf(kept, again []bool, block int) bool {
	for i := block + 1; i < len(kept); i++ {
		if kept[i] {
			return again[i]
		}
	}
	return false
}

// Sizes of a text in bytes.
const (
	leastAgain = 20
	minProse   = 80
)

// A shownKey is a text, by the first block that has it, and the path of one of its places; 0 stands for any.
type shownKey struct {
	text  int32
	place uint64
}

// NotOwn has the hints of what is not the page's own in its main element.
const NotOwn = frame | hint.SaysComment | hint.SaysRelated | hint.SaysReview

// NotInherited has those of what is not, either, in a page that says what others say. What is hidden until a reader
// opens it may be.
const NotInherited = NotOwn &^ (hint.InHidden | hint.InSilence)

// isPlain reports whether a page is short and has no link and no element of a frame, such as notes
// that someone has written by hand: then all of its tables and listings are content. Long pages are
// judged better by the forests.
func (ch *Chooser) isPlain() bool {
	return len(ch.Links) == 0 && len(ch.Text) < plainPage && !slices.ContainsFunc(ch.Blocks, func(b blocks.Block) bool { return b.Hints&frame != 0 })
}

const plainPage = 4 << 10 // bytes of text

const ranks = 6 // h1 to h6

// A section has the sizes of the text below a heading, in bytes: of all of it, and of that in the
// body.
type section struct{ all, kept int }

// keepHeadings adds a heading to the body if all text below it is in the body, down to the next
// heading of its rank or above. Headings in a frame, and those that are mostly links, are left out.
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

// isWhole reports whether the section is in the body. One byte in a hundred may be missing, such as
// "[edit]".
func (s section) isWhole() bool { return s.kept > 0 && s.kept*100 >= s.all*99 }

// keepBetween adds to the body of documentation the text between its first block, or the page's heading, and its last one that is in no frame:
// paragraphs, source code, items, terms, definitions and cells. A long manual in one element has sections of short
// definitions or of source code, and the forests lose whole ones.
func (ch *Chooser) keepBetween(kept []bool, name int) {
	first, last := -1, -1
	ch.buf.within = reuse.Slice(ch.buf.within, len(ch.Nodes))
	inside := ch.buf.within
	place := int32(0) // the innermost element that has all chosen blocks so far
	for i, k := range kept {
		switch {
		case !k || i == name:
			continue
		case first < 0:
			first, place = i, ch.Blocks[i].Node
			inside[place] = true
		}
		last = i
		for n := ch.Blocks[i].Node; !inside[n]; { // what is marked is not walked again
			if n < place {
				place = ch.Nodes[place].Parent
				inside[place] = true
				continue
			}
			inside[n] = true
			n = ch.Nodes[n].Parent
		}
	}
	ch.markWithin(inside, place)
	if name > first { // what is above it is a frame
		first = name
	}
	for i := max(first, 0); i <= last; i++ {
		b := &ch.Blocks[i]
		kept[i] = kept[i] || i != name && b.Hints&NotOwn == 0 && !b.MostlyLinks() && inside[b.Node] && (b.IsProse() || b.Hints&hint.InPre != 0 || ofText(b.Tag))
	}
}

// keepContents makes what a program names the contents of a page its body: tables of members, each a few words or a link. What a reader sees only once
// they open it is not in it.
func (ch *Chooser) keepContents(kept []bool, name int) {
	holds := ch.Binding.Holds
	if holds == 0 {
		return
	}
	for i := range kept {
		switch b := &ch.Blocks[i]; {
		case i == name || !ch.IsIn(b.Node, holds):
		case b.Hints&(hint.SaysPopup|hint.SaysRelated) != 0:
			kept[i] = false
		case b.Hints&NotOwn == 0:
			kept[i] = true
		}
	}
}

// markWithin marks all nodes in marked ones, of which the first is given.
func (ch *Chooser) markWithin(marked []bool, first int32) {
	for n := int(first) + 1; n < len(ch.Nodes); n++ {
		marked[n] = marked[n] || marked[ch.Nodes[n].Parent]
	}
}

// ofText reports whether an element has text, and does not arrange others.
func ofText(t markup.Tag) bool {
	switch t {
	case markup.TagP, markup.TagLi, markup.TagDt, markup.TagDd, markup.TagTd, markup.TagTh,
		markup.TagUl, markup.TagOl, markup.TagDl, markup.TagTr, markup.TagTable: // of items and cells without end tags
		return true
	}
	return false
}

// keepTables adds a whole table to the body if it is between two of its blocks in the same
// container. A table with a frame in it, or with mostly links, stays as it is.
func (ch *Chooser) keepTables(kept []bool) {
	for from := 0; from < len(kept); {
		table := ch.tableOf(from)
		if table == 0 {
			from++
			continue
		}
		to, all, linked, framed := from, 0, 0, false
		for ; to < len(kept) && ch.IsIn(ch.Blocks[to].Node, table); to++ {
			b := &ch.Blocks[to]
			all += b.Size()
			linked += int(b.Linked)
			framed = framed || b.Hints&frame != 0
		}
		around := ch.Nodes[table].Parent
		between := from > 0 && to < len(kept) && kept[from-1] && kept[to] && ch.IsIn(ch.Blocks[from-1].Node, around) && ch.IsIn(ch.Blocks[to].Node, around)
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
