package body

import (
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The page of a forum's board is a list of topics: a title that is a link, who wrote it, when, and how many answered. To the forests
// most of that looks like a frame, since it is links, names and numbers.

const (
	leastTopics = 4 // of a list
	shortTopic  = 8 // bytes of a title, at least, on average: a calendar has numbers
	topicLinks  = 4 // one byte in this many of a list, at least, is in the links of its topics
	mostExcerpt = 3 // one byte in this many, at most, is prose: else it is a thread, or shows what its items say
)

// A topicList is what is known of blocks at one place of the page that have links: how many blocks there are, how many of them in the body,
// how many with texts of their own, and the element around all.
type topicList struct {
	place                 int32
	blocks, chosen, texts int32
	size, linked          int32
}

// keepList completes the body of a list or of a forum's page that is mostly one list of links to topics: all of that list is the body,
// whatever its share of links.
func (ch *Chooser) keepList(kept []bool, kind string) {
	if kind != Types[typeForum] && kind != "listing" {
		return
	}
	c := &ch.census
	ch.buf.topics = reuse.Slice(ch.buf.topics, len(c.groups))
	lists, all := ch.buf.topics, 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if b.Hints&NotOwn != 0 {
			continue
		}
		all += b.Size()
		if b.Linked == 0 {
			continue
		}
		l := &lists[c.likeness[i]]
		if l.blocks == 0 {
			l.place = b.Node
		}
		l.place = ch.Around(l.place, b.Node)
		l.blocks++
		l.size += int32(b.Size())
		l.linked += b.Linked
		if kept[i] {
			l.chosen++
		}
		if c.times[i] == 1 { // its text stands on the page once
			l.texts++
		}
	}
	best := -1
	for k := range lists {
		l := &lists[k]
		if l.blocks >= leastTopics && 4*l.texts >= 3*l.blocks && l.linked >= shortTopic*l.blocks && 2*l.linked >= l.size && (best < 0 || l.linked > lists[best].linked) {
			best = k
		}
	}
	if best < 0 || lists[best].chosen == lists[best].blocks {
		return
	}
	place, size, prose := lists[best].place, 0, 0
	if t := ch.Nodes[place].Tag; place == 0 || t == markup.TagBody || t == markup.TagHtml { // the frame is in it too
		return
	}
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Hints&NotOwn == 0 && ch.IsIn(b.Node, place) {
			size += b.Size()
			if b.IsProse() {
				prose += b.Size()
			}
		}
	}
	if 2*size < all || topicLinks*int(lists[best].linked) < size || mostExcerpt*prose > size {
		return
	}
	for i := range kept {
		b := &ch.Blocks[i]
		kept[i] = kept[i] || b.Hints&(NotOwn|hint.InForm) == 0 && ch.IsIn(b.Node, place)
	}
}
