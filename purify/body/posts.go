package body

import (
	"bytes"
	"slices"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The posts of a thread are the page. Each has a line that says who wrote it when, and below it a text. The forests judge the text alone, and
// lose posts of a few words, and those that look like comments below an article.

const (
	leastPosts   = 2
	longestDated = 160 // bytes of a line with the day of a post
	mostQuoted   = 2   // times that a page has the text of a post: another one may quote it
)

// A postPlace is a place of elements that may have the texts of posts.
type postPlace struct {
	posts int32 // how many posts have an element there
	post  int32 // the last of them, from 1
	bytes int32 // that the page has once and are no links, in the first element of each post
	first int32 // the first such element
}

// keepPosts adds to the body of a thread the texts of its posts of which it has less than half: the elements at one place of the page, one after
// each line with a day. The body must have one of these lines or texts, or they are
// half of the page.
func (ch *Chooser) keepPosts(kept []bool, kind string) {
	if kind != Types[typeForum] {
		return
	}
	dated := ch.datedLines()
	if len(dated) < leastPosts {
		return
	}
	post := ch.nodesByPost(dated)
	if place, ok := textPlace(ch.postPlaces(post), len(dated)); ok {
		ch.keepTexts(kept, dated, post, place)
	}
}

// postPlaces returns the places, by Path, that have elements which may be the texts of posts.
func (ch *Chooser) postPlaces(post []int32) map[uint32]*postPlace {
	own := make([]int32, len(ch.Nodes)) // bytes that the page has once and are no links
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; ch.census.times[ch.FirstAlike(i)] == 1 {
			for n := b.Node; n > 0 && post[n] > 0; n = ch.Nodes[n].Parent {
				own[n] += int32(b.Size()) - b.Linked
			}
		}
	}
	places := map[uint32]*postPlace{}
	for n := 1; n < len(ch.Nodes); n++ {
		k, tag := post[n], ch.Nodes[n].Tag
		if k == 0 || ofText(tag) && tag != markup.TagTd && tag != markup.TagDd || tag.Heading() {
			continue
		}
		p := places[ch.Nodes[n].Path]
		if p == nil {
			p = &postPlace{first: int32(n)}
			places[ch.Nodes[n].Path] = p
		}
		if p.post != k {
			p.post = k
			p.posts++
			p.bytes += own[n]
		}
	}
	return places
}

// textPlace returns the innermost place that three quarters of so many posts have, with nearly all of the text that such places have.
func textPlace(places map[uint32]*postPlace, posts int) (place uint32, ok bool) {
	most, at := int32(0), int32(-1)
	fits := func(p *postPlace) bool { return 4*int(p.posts) >= 3*posts && p.posts >= leastPosts }
	for _, p := range places {
		if fits(p) {
			most = max(most, p.bytes)
		}
	}
	for path, p := range places {
		if fits(p) && p.bytes > 0 && 5*p.bytes >= 4*most && p.first > at {
			place, at = path, p.first
		}
	}
	return place, at >= 0
}

// datedLines returns the blocks of the largest group of short ones with a day at one place of the page.
func (ch *Chooser) datedLines() []int32 {
	r := &ch.buf
	r.within = reuse.Slice(r.within, len(ch.Blocks)) // by block: a time element is in it
	for i := range ch.Times {
		if at := int(ch.Times[i].Block); at < len(r.within) {
			r.within[at] = true
		}
	}
	groups := map[uint32][]int32{}
	var best []int32
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if b.Size() > longestDated || b.Hints&(NotOwn&^hint.SaysComment) != 0 || !r.within[i] && !hasYear(ch.BlockText(i)) {
			continue
		}
		path := ch.Nodes[b.Node].Path
		groups[path] = append(groups[path], int32(i))
		if g := groups[path]; len(g) > len(best) {
			best = g
		}
	}
	return best
}

// nodesByPost returns by node the post that it belongs to, from 1: it starts after a line and ends before the next one. The first post may have
// its line elsewhere, so what is above the first line counts as one. 0 is a node that has a line, or no text.
func (ch *Chooser) nodesByPost(dated []int32) []int32 {
	const has = -1
	post, k := make([]int32, len(ch.Nodes)), 0
	for i := range ch.Blocks {
		line := k < len(dated) && int32(i) == dated[k]
		if line {
			k++
		}
		for n := ch.Blocks[i].Node; n > 0 && post[n] != has; n = ch.Nodes[n].Parent {
			if line {
				post[n] = has
			} else if post[n] == 0 {
				post[n] = int32(k) + 1
			}
		}
	}
	for n := range post {
		post[n] = max(post[n], 0)
	}
	return post
}

// A postText is the text of a post.
type postText struct {
	node     int32
	all, has int // bytes, and those in the body
}

// keepTexts adds the texts at a place that most posts have one at.
func (ch *Chooser) keepTexts(kept []bool, dated, post []int32, place uint32) {
	texts := make([]postText, len(dated)+2) // by post
	for n := 1; n < len(ch.Nodes); n++ {
		if t := &texts[post[n]]; post[n] > 0 && t.node == 0 && ch.Nodes[n].Path == place {
			t.node = int32(n)
		}
	}
	of := func(i int) int32 { // the post that a block is the text of, 0 for none
		n := ch.Blocks[i].Node
		if k := post[n]; k > 0 && texts[k].node > 0 && ch.IsIn(n, texts[k].node) {
			return k
		}
		return 0
	}
	for i, k := range kept {
		if p := of(i); p > 0 {
			texts[p].all += ch.Blocks[i].Size()
			if k {
				texts[p].has += ch.Blocks[i].Size()
			}
		}
	}
	if !ch.showsPosts(kept, dated, place) && !ch.areMost(dated, func(i int) bool { return of(i) > 0 }) {
		return
	}
	signed := int32(0) // the post whose signature has started
	for i := range kept {
		p := of(i)
		if p == 0 || 2*texts[p].has >= texts[p].all {
			continue
		}
		if bytes.HasPrefix(ch.BlockText(i), []byte("____")) {
			signed = p
		}
		kept[i] = kept[i] || signed != p && ch.isOfPost(i)
	}
}

// showsPosts reports whether the body has the line of a post, or something at the place of their texts; the first post may stand elsewhere, in
// elements of the same kind.
func (ch *Chooser) showsPosts(kept []bool, dated []int32, place uint32) bool {
	if slices.ContainsFunc(dated, func(i int32) bool { return kept[i] }) {
		return true
	}
	for i, k := range kept {
		for n := ch.Blocks[i].Node; k && n > 0; n = ch.Nodes[n].Parent {
			if uint16(ch.Nodes[n].Path) == uint16(place) {
				return true
			}
		}
	}
	return false
}

// areMost reports whether the posts, lines and texts, are half of what the page has outside its frame.
func (ch *Chooser) areMost(dated []int32, ofText func(block int) bool) bool {
	posts, all := 0, 0
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Hints&(NotOwn&^hint.SaysComment) == 0 {
			all += b.Size()
			if ofText(i) {
				posts += b.Size()
			}
		}
	}
	for _, i := range dated {
		posts += ch.Blocks[i].Size()
	}
	return 2*posts >= all
}

// isOfPost reports whether a block in the text of a post is neither around it nor repeated, as a signature is.
func (ch *Chooser) isOfPost(block int) bool {
	b, first := &ch.Blocks[block], ch.FirstAlike(block)
	if b.Hints&(NotOwn&^hint.SaysComment) != 0 {
		return false
	}
	times := ch.census.times[first]
	return b.Size() < leastAgain || times == 1 || !b.MostlyLinks() && (first == block || times <= mostQuoted)
}

// hasYear reports whether a text has a number of four digits that may be a year.
func hasYear(text []byte) bool {
	run := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && markup.Digit(text[i]) {
			run++
			continue
		}
		if run == 4 && century(text[i-4:]) {
			return true
		}
		run = 0
	}
	return false
}
