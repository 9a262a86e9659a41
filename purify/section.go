package purify

import (
	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A site may write its articles by putting the names of towns or products into one text. Then many pages have the
// paragraphs, and each page has headings of its own. A listing shows the first lines of a post below its title, and other
// listings show them too. A class has the methods of all classes. What a page says is incomplete without them.

// An elementSum is how much text is right in an element, in bytes.
type elementSum struct {
	own     int32 // the page's own paragraphs
	between int32 // shared prose between blocks of the page's own
	after   int32 // shared prose after the last of them
	started bool  // it has a block of the page's own
}

// giveBack takes from shared what stands in the midst of a page's own text, and returns how many blocks that is. Links stay
// the site's, and so does everything in a forum, where posts have signatures.
func (w *workspace) giveBack(kept, shared []bool, title, kind string) (back int) {
	if kind == "forum" {
		return 0
	}
	if kind != "listing" { // there may be advertisements between its items
		back = w.giveToElements(kept, shared)
	}
	return back + w.giveToHeadings(kept, shared, title) + w.giveToManual(kept, shared, title, kind) + w.giveToLists(kept, shared) + w.giveToTerms(kept, shared)
}

// giveToManual is giveBack for the terms and definitions of a manual below its headline, and for all of an item or a row that
// has something of the page's own, but for numbers of lines: many modules declare the same functions. What a site repeats around its pages is in no list of terms.
func (w *workspace) giveToManual(kept, shared []bool, title, kind string) (back int) {
	manual := w.body.IsManual()
	if !manual && kind != "documentation" {
		return 0
	}
	first := max(0, w.headline(title))
	w.site.holds = reuse.Slice(w.site.holds, len(w.Nodes))
	holds := w.site.holds // by node: the item or row has something of the page's own
	for i := first; i < len(kept); i++ {
		if n := w.itemOf(i); manual && n > 0 && kept[i] && !shared[i] {
			holds[n] = true
		}
	}
	for i := first; i < len(kept); i++ {
		b := &w.Blocks[i]
		if !kept[i] || !shared[i] || i >= w.end || b.Hints&body.NotOwn != 0 {
			continue
		}
		if n := w.itemOf(i); n > 0 && holds[n] && hasLetters(w.BlockText(i)) || int(b.Linked) < b.Size() && w.isIn(i, markup.TagDt, markup.TagDd) {
			shared[i] = false
			back++
		}
	}
	return back
}

// itemOf returns the innermost item of a list or row of a table around a block, 0 if there is none.
func (w *workspace) itemOf(block int) int32 {
	for n := w.Blocks[block].Node; n > 0; n = w.Nodes[n].Parent {
		if t := w.Nodes[n].Tag; t == markup.TagLi || t == markup.TagTr {
			return n
		}
	}
	return 0
}

// isIn reports whether a block is in an element of one of two kinds.
func (w *workspace) isIn(block int, a, b markup.Tag) bool {
	for n := w.Blocks[block].Node; n > 0; n = w.Nodes[n].Parent {
		if t := w.Nodes[n].Tag; t == a || t == b {
			return true
		}
	}
	return false
}

// A listedKind is the place of blocks in a list.
type listedKind struct {
	list  int32
	place uint64
}

// giveToLists is giveBack for the blocks at one place in the items of a list or the rows of a table: if most of them are
// the page's own, all are. Many members of a parliament have cast the same votes.
func (w *workspace) giveToLists(kept, shared []bool) (back int) {
	var balance map[listedKind]int // own blocks less shared ones
	for i, k := range kept {
		if k && shared[i] && i < w.end {
			if kind, ok := w.listed(i); ok {
				if balance == nil {
					balance = map[listedKind]int{}
				}
				balance[kind]--
			}
		}
	}
	if balance == nil {
		return 0
	}
	for i, k := range kept {
		if k && !shared[i] {
			if kind, ok := w.listed(i); ok {
				if n, is := balance[kind]; is {
					balance[kind] = n + 1
				}
			}
		}
	}
	for i, k := range kept {
		if k && shared[i] && i < w.end {
			if kind, ok := w.listed(i); ok && balance[kind] > 0 {
				shared[i] = false
				back++
			}
		}
	}
	return back
}

// listed returns the place of a block in the innermost item of a list around it, whatever classes the item has, or in the innermost list
// or table.
func (w *workspace) listed(block int) (kind listedKind, ok bool) {
	at := w.Blocks[block].Node
	if item, spot := w.body.ItemAround(block); item > 0 && w.Nodes[item].Tag == markup.TagLi {
		return listedKind{w.Nodes[item].Parent, spot}, true
	}
	for n := at; n > 0; n = w.Nodes[n].Parent {
		switch w.Nodes[n].Tag {
		case markup.TagUl, markup.TagOl, markup.TagTable:
			return listedKind{n, uint64(w.Nodes[at].Path)}, true
		}
	}
	return kind, false
}

// leastItems is how many links at one place a list has.
const leastItems = 4

// A placed is what is known of the blocks with links at one place of a body.
type placed struct {
	own, taken int
	around     int32 // the innermost element that has those that were taken
}

// giveList takes from shared the only list of a collection, and returns how many blocks and bytes that is: a small shop has each of its
// products in many lists. In the body of another list there may be a menu of its part of the site. What is on most pages of the site is a menu.
func (w *workspace) giveList(kept, shared []bool, kind string) (back, bytes int) {
	if kind != "collection" {
		return 0, 0
	}
	around := body.NotOwn // what the names around the whole body say
	for i, k := range kept {
		if k {
			around &= w.Blocks[i].Hints
		}
	}
	frame := (body.NotOwn | hint.InForm) &^ around
	places := map[uint32]*placed{}
	var most *placed
	for i, k := range kept {
		b := &w.Blocks[i]
		if !k || b.Linked == 0 || i >= w.end || b.Hints&frame != 0 {
			continue
		}
		p := places[w.Nodes[b.Node].Path]
		if p == nil {
			p = &placed{around: -1}
			places[w.Nodes[b.Node].Path] = p
		}
		switch {
		case !shared[i]:
			if p.own++; p.own == leastItems {
				return 0, 0 // it has another list
			}
		case !w.askedMost(i):
			if p.around < 0 {
				p.around = b.Node
			}
			p.around = w.Around(p.around, b.Node)
			if p.taken++; most == nil || p.taken > most.taken {
				most = p
			}
		}
	}
	if most == nil || most.taken < leastItems || most.around <= 0 {
		return 0, 0
	}
	for i, k := range kept {
		if b := &w.Blocks[i]; k && shared[i] && i < w.end && b.Hints&frame == 0 && !w.askedMost(i) && w.IsIn(b.Node, most.around) {
			shared[i] = false
			back, bytes = back+1, bytes+b.Size()
		}
	}
	return back, bytes
}

// isTaken reports whether the template takes a block out of a body that is no link.
func (w *workspace) isTaken(i int, kept, shared []bool) bool {
	return kept[i] && shared[i] && !w.site.menu[i] && i < w.end && !w.Blocks[i].MostlyLinks()
}

// giveToElements is giveBack for elements: of one that has more shared prose between blocks of the page's own than paragraphs
// of its own, all is the page's.
func (w *workspace) giveToElements(kept, shared []bool) (back int) {
	w.site.sums = reuse.Slice(w.site.sums, len(w.Nodes))
	sums, any := w.site.sums, false
	for i, k := range kept {
		b := &w.Blocks[i]
		s := &sums[w.Nodes[b.Node].Parent]
		switch {
		case !k:
		case !shared[i]:
			s.started = true
			s.between, s.after = s.between+s.after, 0
			any = any || s.between > 0
			if !b.MostlyLinks() && (!b.Tag.Heading() || b.IsProse()) {
				s.own += int32(b.Size())
			}
		case s.started && b.IsProse() && w.isTaken(i, kept, shared):
			s.after += int32(b.Size())
		}
	}
	for i := 0; any && i < len(kept); i++ {
		if !w.isTaken(i, kept, shared) {
			continue
		}
		for n := w.Nodes[w.Blocks[i].Node].Parent; n > 0; n = w.Nodes[n].Parent {
			if s := &sums[n]; s.between > 0 && s.between >= s.own {
				shared[i] = false
				back++
				break
			}
		}
	}
	return back
}

// giveToHeadings is giveBack for the text between two headings of the page that have nothing else between them, if these stand at
// one place in their elements or the text is in the element of the first one: below the last heading of an article there may be
// buttons to share it by, and then a heading with the name of its author.
func (w *workspace) giveToHeadings(kept, shared []bool, title string) (back int) {
	head, prose := -1, false // the last heading, if no own text was below it so far; whether shared prose was
	for i, k := range kept {
		b := &w.Blocks[i]
		switch {
		case !k:
		case shared[i]:
			prose = prose || b.IsProse() && w.isTaken(i, kept, shared)
		case !b.Tag.Heading() || b.IsProse():
			head = -1
		default:
			if head >= 0 && prose && (w.Nodes[w.Blocks[head].Node].Path == w.Nodes[b.Node].Path || w.isAllIn(head+1, i, w.Nodes[w.Blocks[head].Node].Parent)) {
				back += w.giveRange(head+1, i, kept, shared)
			}
			head, prose = i, false
			if namesPage(string(w.BlockText(i)), title) {
				head = -1
			}
		}
	}
	return back
}

// isAllIn reports whether a range of blocks is in an element that is not the whole page.
func (w *workspace) isAllIn(from, to int, node int32) bool {
	for i := from; i < to; i++ {
		if node == 0 || !w.IsIn(w.Blocks[i].Node, node) {
			return false
		}
	}
	return true
}

// giveToTerms is giveBack for terms and their definitions: the page has both or none.
func (w *workspace) giveToTerms(kept, shared []bool) (back int) {
	for i := len(kept) - 1; i >= 0; i-- { // those within a definition come before it
		if !kept[i] || w.Blocks[i].Tag != markup.TagDt {
			continue
		}
		list := w.Nodes[w.Blocks[i].Node].Parent
		end, defined := i+1, false
		for ; end < len(kept) && w.IsIn(w.Blocks[end].Node, list); end++ {
			if b := &w.Blocks[end]; b.Tag == markup.TagDt && w.Nodes[b.Node].Parent == list {
				break
			}
			defined = defined || kept[end] && !shared[end]
		}
		if shared[i] == defined {
			back += w.giveRange(i, end, kept, shared)
		}
	}
	return back
}

// giveRange takes from shared what isTaken in a range, and returns how many blocks that is.
func (w *workspace) giveRange(from, to int, kept, shared []bool) (back int) {
	for i := from; i < to; i++ {
		if w.isTaken(i, kept, shared) {
			shared[i] = false
			back++
		}
	}
	return back
}

// keepAmongLists adds to a body of which mostly items of lists are left, and not half of what was chosen, the paragraphs and headings
// that stand among these lists in one element: nothing tells an item from the text that it belongs to, and the models have
// taken the frame for the body.
func (w *workspace) keepAmongLists(kept []bool) {
	place, items, all, hints := int32(-1), 0, 0, body.NotOwn
	for i, k := range kept {
		b := &w.Blocks[i]
		if !k {
			continue
		}
		all += b.Size()
		hints &^= b.Hints
		if b.Tag != markup.TagLi || b.MostlyLinks() {
			continue
		}
		items += b.Size()
		list := w.Nodes[w.itemOf(i)].Parent
		switch around := w.Nodes[list].Parent; {
		case place < 0:
			place = around
		case place != around:
			return
		}
	}
	if place <= 0 || w.Nodes[place].Tag == markup.TagBody || items < minLeft || 2*items < all {
		return
	}
	for i := range kept {
		if b := &w.Blocks[i]; !kept[i] && w.Nodes[b.Node].Parent == place && (b.IsProse() || b.Tag.Heading()) && b.Hints&hints == 0 && !b.MostlyLinks() && i < w.end && !w.asked(i) {
			kept[i] = true
		}
	}
}
