package dedup

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// cuts are the blocks of a page cut into tokens. They are made once and used for the page's own
// text, signature and reading, and for texts that have other choices of its blocks.
type cuts struct {
	hashes []uint64
	sorts  []token.Sort
	text   []byte
	lines  []int
	blocks []blockCut // one for each block; the zero one is not cut yet
	fresh  bool       // only one text has these cuts so far
	lent   bool       // the tokens stay in the signer's memory, as for a text that is cut and read at once
}

// A blockCut has the ranges of a block's tokens in cuts.
type blockCut struct {
	hashes, text, lines [2]int32
	cut                 bool
	composed            bool // as token.List.Read reports; otherwise its joined tokens must be read again
}

// mostCut is the longest page, in bytes of text, whose tokens are kept; they take twice as much
// memory again. A longer page is cut each time.
const mostCut = 1 << 20

// newCuts returns the cuts of some blocks, none of which is cut yet; nil if they are too long.
func newCuts(blocks []purify.Block) *cuts {
	size := 0
	for i := range blocks {
		size += len(blocks[i].Text)
	}
	if size > mostCut {
		return nil
	}
	return &cuts{blocks: make([]blockCut, len(blocks)), fresh: true}
}

// more returns a copy to which blocks can be added, until cutBlocks returns, while other goroutines
// read the original.
func (c *cuts) more() *cuts {
	more := c.without()
	more.blocks, more.fresh = slices.Clone(c.blocks), true
	return more
}

// without returns cuts with the same tokens but no blocks.
func (c *cuts) without() *cuts {
	return &cuts{hashes: slices.Clip(c.hashes), sorts: slices.Clip(c.sorts), text: slices.Clip(c.text), lines: slices.Clip(c.lines)}
}

// add adds the tokens of a block.
func (c *cuts) add(block int32, t *token.List, composed bool) {
	b := &c.blocks[block]
	b.cut, b.composed = true, composed
	b.hashes[0], b.text[0], b.lines[0] = int32(len(c.hashes)), int32(len(c.text)), int32(len(c.lines))
	c.hashes, c.sorts = append(c.hashes, t.Hashes...), append(c.sorts, t.Sorts...)
	c.text, c.lines = append(c.text, t.Text...), append(c.lines, t.Lines...)
	b.hashes[1], b.text[1], b.lines[1] = int32(len(c.hashes)), int32(len(c.text)), int32(len(c.lines))
}

// join writes the tokens of the given blocks into t, as if their lines were one text.
func (c *cuts) join(t *token.List, blocks []int32) {
	t.Text, t.Hashes, t.Sorts, t.Lines = t.Text[:0], t.Hashes[:0], t.Sorts[:0], t.Lines[:0]
	for i, at := range blocks {
		if i > 0 {
			t.Lines = append(t.Lines, len(t.Hashes))
		}
		b := &c.blocks[at]
		for _, l := range c.lines[b.lines[0]:b.lines[1]] {
			t.Lines = append(t.Lines, len(t.Hashes)+l)
		}
		t.Hashes = append(t.Hashes, c.hashes[b.hashes[0]:b.hashes[1]]...)
		t.Sorts = append(t.Sorts, c.sorts[b.hashes[0]:b.hashes[1]]...)
		t.Text = append(t.Text, c.text[b.text[0]:b.text[1]]...)
	}
}

// cutBlocks cuts those of the given blocks that are not cut yet.
func (t *Text) cutBlocks(w *signer, blocks []int32) {
	if t.cut == nil {
		return
	}
	added := false
	for _, at := range blocks {
		if t.cut.blocks[at].cut {
			continue
		}
		if !t.cut.fresh {
			t.cut = t.cut.more()
		}
		if !added {
			added = true
			t.cut.growOn(&w.cut)
		}
		composed := w.tokens.Read(t.blocks[at].Text)
		t.cut.add(at, &w.tokens, composed)
	}
	if added {
		t.cut.leave(&w.cut)
	}
	if t.cut.fresh { // others may read those that are not
		t.cut.fresh = false
	}
}

// growOn moves the tokens into memory that is used again and has grown before, since it is not
// known how many more there will be.
func (c *cuts) growOn(room *cuts) {
	c.hashes, c.sorts = append(room.hashes[:0], c.hashes...), append(room.sorts[:0], c.sorts...)
	c.text, c.lines = append(room.text[:0], c.text...), append(room.lines[:0], c.lines...)
}

// leave undoes growOn: it copies the tokens into memory of their own, of the exact size, unless it is lent.
func (c *cuts) leave(room *cuts) {
	room.hashes, room.sorts, room.text, room.lines = c.hashes, c.sorts, c.text, c.lines
	if c.lent {
		return
	}
	c.hashes, c.sorts, c.text, c.lines = slices.Clone(c.hashes), slices.Clone(c.sorts), slices.Clone(c.text), slices.Clone(c.lines)
}

// tokensOf returns the tokens of a block; they are valid until room is used again.
func (t *Text) tokensOf(room *token.List, block int32) ([]uint64, []token.Sort) {
	if t.cut == nil {
		room.Read(t.blocks[block].Text)
		return room.Hashes, room.Sorts
	}
	at := t.cut.blocks[block].hashes
	return t.cut.hashes[at[0]:at[1]], t.cut.sorts[at[0]:at[1]]
}

// join makes the given blocks the lines of the body.
func (t *Text) join(blocks []int32) {
	lines := make([]string, len(blocks))
	composed := t.cut != nil
	for i, at := range blocks {
		lines[i] = t.blocks[at].Text
		composed = composed && t.cut.blocks[at].composed
	}
	t.Body = strings.Join(lines, "\n")
	if t.joined, t.joinedBody = nil, t.Body; composed {
		t.joined = blocks
	}
}

// readBody cuts the body into tokens as token.List.Read does, using the tokens of its blocks if it
// can.
func (t *Text) readBody(to *token.List) (composed bool) {
	if t.joined == nil || t.Body != t.joinedBody {
		return to.Read(t.Body)
	}
	t.cut.join(to, t.joined)
	return true
}
