package body

import (
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// Two rules about the frame of a page. They come last, as what Trim removes does (docs/measurements-purify.md).

// markDoubtful notes which of the chosen blocks are in a frame and not likely enough for that. The threshold of a page is low
// where its body is unclear, so that doubtful text is in the body rather than missing. That is right in the middle of a page,
// and wrong in an element that says that it is around the page. Forms do not count in a thread, since forums have posts in them.
func (ch *Chooser) markDoubtful(agreed []int32, p []float32) {
	r := &ch.buf
	r.doubtful, r.weak = reuse.Slice(r.doubtful, len(p)), reuse.Slice(r.weak, len(p))
	for i, s := range agreed {
		r.doubtful[i] = s >= 0 && p[i] < ch.leastOf(i)
		r.weak[i] = p[i] < leastInFrame
	}
}

// leastOf returns the probability that a block must have.
func (ch *Chooser) leastOf(block int) float32 {
	b := &ch.Blocks[block]
	n := &ch.Nodes[b.Node]
	near := n.Own | ch.Nodes[n.Parent].Own
	switch {
	case near&hint.InForm != 0 && !b.IsProse() && !ch.buf.thread, b.Hints&hint.InAside != 0 && ch.buf.thread:
		return leastApart
	case b.Hints&(hint.InNav|hint.InHeader|hint.InFooter) != 0 && b.Hints&(hint.InMain|hint.InArticle) == 0, // else they may be of a part of it
		near&hint.InButton != 0,
		near&(hint.SaysAction|hint.SaysPromo|hint.SaysControl|hint.SaysMeta) != 0 && !b.Tag.Heading() && ch.buf.article:
		return leastInFrame
	case b.Hints&hint.SaysPopup != 0 && (ch.buf.article || ch.buf.thread):
		return leastInPopup
	}
	return 0
}

const (
	leastApart   = 0.8 // in a form, or in an aside of a thread, which shows what another page says
	leastInFrame = 0.6
	leastInPopup = 0.5
)

// dropDoubtful removes the doubtful text of frames. A body that is nothing else says nothing.
func (ch *Chooser) dropDoubtful(kept []bool) {
	for i, k := range kept {
		kept[i] = k && !ch.buf.doubtful[i]
	}
}

// dropLoneLinks removes links that stand alone from an article or a thread: "Read more", a video, a tag, a button. They are
// blocks that are mostly links in no list, heading or table. A paragraph of an article is one only if it is doubtful and has hardly
// any other text; in a thread it may be an answer. A body that has much of them is a list.
func (ch *Chooser) dropLoneLinks(kept []bool) {
	if !ch.buf.article && !ch.buf.thread {
		return
	}
	all, links := 0, 0
	for i, k := range kept {
		if k {
			all += ch.Blocks[i].Size()
			if ch.isLoneLink(i) {
				links += ch.Blocks[i].Size()
			}
		}
	}
	if manyLoneLinks*links >= all {
		return
	}
	for i, k := range kept {
		kept[i] = k && !ch.isLoneLink(i)
	}
}

const manyLoneLinks = 10 // one part in so many of a body

func (ch *Chooser) isLoneLink(block int) bool {
	switch b := &ch.Blocks[block]; b.Tag {
	case markup.TagDiv, markup.TagSection, markup.TagArticle, markup.TagMain, markup.TagA, markup.TagButton:
		return b.MostlyLinks()
	case markup.TagP:
		return b.MostlyLinks() && b.Size()-int(b.Linked) <= mostAround && ch.buf.weak[block] && ch.buf.article
	}
	return false
}

const mostAround = 40 // bytes of text around the link of a paragraph
