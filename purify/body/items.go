package body

import (
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The forests judge each block alone. Of a list they may choose nine items of ten, and of the cards of a shop the prices without the
// names. What stands at one place of most items of a list is in the body for all of them, or for none.

const (
	leastItems      = 4   // of a list
	longestItemName = 200 // bytes of an item's name, on average
	leastItemName   = 4
)

// A childKind is what is known of those children of an element that have the tag of most of its children.
type childKind struct {
	tag    markup.Tag
	lead   int32 // by how many more there are than others
	items  int32
	blocks int32 // in them
}

// An itemPlace is a place in the items of a list.
type itemPlace struct {
	list int32
	spot uint64
}

// An itemPart is what is known of the blocks at one place in the items of a list.
type itemPart struct {
	list           int32
	item, keptItem int32    // the last one that has a block there, and one in the body
	text           int32    // the last one, by the first block with it
	items, kept    int32    // how many have one, and one in the body
	blocks, size   int32    // how many there are, and of how many bytes
	texts          int32    // those that differ from the one before
	titles         int32    // those that are headings or links
	hints          hint.Set // that all in the body have
	add            bool
}

// isKept reports whether most items have the part in the body.
func (p *itemPart) isKept() bool { return 3*p.kept >= 2*p.items }

// names reports whether the part may be the name of an item.
func (p *itemPart) names() bool {
	return 4*p.texts >= 3*p.blocks && 4*p.titles >= 3*p.blocks && p.size <= longestItemName*p.blocks && p.size >= leastItemName*p.blocks
}

// markItems notes for each node with blocks the innermost item of a list that it is in, and its place there. An item is an element with siblings
// of its tag, which are most of what is around it, and has several blocks or is an li.
func (ch *Chooser) markItems() {
	r, c := &ch.buf, &ch.census
	n := len(ch.Nodes)
	r.kinds, r.items, r.spots, r.full = reuse.Slice(r.kinds, n), reuse.Slice(r.items, n), reuse.Slice(r.spots, n), r.full[:0]
	for i := 1; i < n; i++ {
		if c.blocks[i] > 0 {
			r.full = append(r.full, int32(i))
			r.kinds[ch.Nodes[i].Parent].meet(ch.Nodes[i].Tag)
		}
	}
	for _, i := range r.full {
		if k := &r.kinds[ch.Nodes[i].Parent]; k.tag == ch.Nodes[i].Tag {
			k.items++
			k.blocks += c.blocks[i]
		}
	}
	for _, i := range r.full {
		node := &ch.Nodes[i]
		if k := &r.kinds[node.Parent]; k.tag == node.Tag && k.haveItems() {
			r.items[i] = i
			continue
		}
		r.items[i], r.spots[i] = r.items[node.Parent], (r.spots[node.Parent]^uint64(node.Path&0xffff)+1)*0x9e3779b97f4a7c15 // its own tag and classes
	}
}

// meet counts a child with a tag: what is left is that of most children, if one is (R. S. Boyer, J. S. Moore, MJRTY, 1981).
func (k *childKind) meet(tag markup.Tag) {
	switch {
	case k.lead == 0:
		k.tag, k.lead = tag, 1
	case k.tag == tag:
		k.lead++
	default:
		k.lead--
	}
}

// haveItems reports whether the children are the items of a list.
func (k *childKind) haveItems() bool {
	return k.items >= leastItems && (k.tag == markup.TagLi || k.blocks >= 2*k.items)
}

// ItemAround returns the node of the innermost item of a list around a block, and the block's place in it; 0 if there is none, or if
// KeepSections did not look for lists.
func (ch *Chooser) ItemAround(block int) (item int32, spot uint64) {
	n := ch.Blocks[block].Node
	if len(ch.buf.items) == 0 {
		return 0, 0
	}
	return ch.buf.items[n], ch.buf.spots[n]
}

// keepItems completes the lists that are in the body in part: what most items have there is added for the others. Where items have neither a
// heading nor a link there, the names of all are added. Threads and articles have the names of who wrote a comment there.
func (ch *Chooser) keepItems(kept []bool, name int, kind string) {
	ch.markItems()
	if !ch.halveLists(kept) {
		return
	}
	ch.readParts(kept)
	ch.chooseParts(kind != Types[typeForum] && kind != Types[typeArticle])
	r := &ch.buf
	for i, k := range r.partOf {
		if p := &r.parts[k]; k > 0 && p.add && i != name && ch.Blocks[i].Hints&NotOwn&^p.hints == 0 {
			kept[i] = true
		}
	}
}

// Of a list: it has blocks in the body, and others; a part of most items is in the body, and one that is their name.
const (
	listIn = 1 << iota
	listOut
	listSome
	listNamed

	listHalf = listIn | listOut
)

// halveLists notes by the nodes of lists whether they are in the body, and reports whether one is in part.
func (ch *Chooser) halveLists(kept []bool) (any bool) {
	r := &ch.buf
	r.listed = reuse.Slice(r.listed, len(ch.Nodes))
	for i, k := range kept {
		item := r.items[ch.Blocks[i].Node]
		if item == 0 {
			continue
		}
		l := &r.listed[ch.Nodes[item].Parent]
		if k {
			*l |= listIn
		} else {
			*l |= listOut
		}
		any = any || *l == listHalf
	}
	return any
}

// readParts counts the parts of the lists that are in the body in part.
func (ch *Chooser) readParts(kept []bool) {
	r := &ch.buf
	r.parts, r.partOf = append(r.parts[:0], itemPart{}), reuse.Slice(r.partOf, len(kept))
	r.partAt = reuse.Map(r.partAt)
	var before itemPlace
	last := int32(0) // the part at that place
	for i, k := range kept {
		node := ch.Blocks[i].Node
		item := r.items[node]
		if item == 0 || r.listed[ch.Nodes[item].Parent] != listHalf {
			continue
		}
		if at := (itemPlace{ch.Nodes[item].Parent, r.spots[node]}); at != before || last == 0 {
			before = at
			if last = r.partAt[at]; last == 0 {
				last = int32(len(r.parts))
				r.partAt[at] = last
				r.parts = append(r.parts, itemPart{list: at.list, text: -1, hints: NotOwn})
			}
		}
		r.partOf[i] = last
		ch.countPart(&r.parts[last], i, k)
	}
}

// chooseParts chooses the parts that are added for all items of their list, also the names of items if it is told to.
func (ch *Chooser) chooseParts(names bool) {
	r := &ch.buf
	regular := func(p *itemPart) bool { return 4*p.items >= 3*r.kinds[p.list].items && p.items >= leastItems }
	for k := range r.parts {
		p := &r.parts[k]
		if p.add = p.isKept() && p.items >= leastItems; p.add && regular(p) {
			r.listed[p.list] |= listSome
			if p.names() {
				r.listed[p.list] |= listNamed
			}
		}
	}
	for k := range r.parts {
		if p := &r.parts[k]; names && r.listed[p.list] == listHalf|listSome && p.kept == 0 && p.blocks == p.items && regular(p) && p.names() {
			p.add, p.hints = true, 0
		}
	}
}

// countPart counts a block in the part of a list that it is.
func (ch *Chooser) countPart(p *itemPart, block int, kept bool) {
	b := &ch.Blocks[block]
	item := ch.buf.items[b.Node]
	p.blocks++
	p.size += int32(b.Size())
	if p.item != item {
		p.item = item
		p.items++
	}
	if text := ch.census.firsts[block]; p.text != text {
		p.text = text
		p.texts++
	}
	if b.Tag.Heading() || b.MostlyLinks() {
		p.titles++
	}
	if !kept {
		return
	}
	p.hints &= b.Hints
	if p.keptItem != item {
		p.keptItem = item
		p.kept++
	}
}
