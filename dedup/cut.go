package dedup

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// cuts are the blocks of a page cut into tokens, once for all that is made of them: its
// own text, signature and reading, and the texts that are other choices of its blocks.
type cuts struct {
	hashes []uint64
	sorts  []token.Sort
	text   []byte
	lines  []int
	blocks []blockCut // one a block; the zero one is not cut yet
	fresh  bool       // they are of one text, and no other text has that yet
}

// A blockCut says where the tokens of a block end and start in cuts.
type blockCut struct {
	hashes, text, lines [2]int32
	cut                 bool
	composed            bool // as tokens.read says: if not, its joined tokens must be read again
}

// mostCut is how much text of a page, in bytes, is kept cut: its tokens take twice as much
// memory again. A longer page is cut each time.
const mostCut = 1 << 20

// newCuts returns cuts of some blocks, none of which is cut yet; nil: they are too long.
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

// more returns cuts to which blocks can be added, until cutBlocks returns, while others
// read these.
func (c *cuts) more() *cuts {
	more := c.without()
	more.blocks, more.fresh = slices.Clone(c.blocks), true
	return more
}

// without returns the tokens alone, of no blocks.
func (c *cuts) without() *cuts {
	return &cuts{hashes: slices.Clip(c.hashes), sorts: slices.Clip(c.sorts), text: slices.Clip(c.text), lines: slices.Clip(c.lines)}
}

// add takes the tokens of a block.
func (c *cuts) add(block int32, t *token.List, composed bool) {
	b := &c.blocks[block]
	b.cut, b.composed = true, composed
	b.hashes[0], b.text[0], b.lines[0] = int32(len(c.hashes)), int32(len(c.text)), int32(len(c.lines))
	c.hashes, c.sorts = append(c.hashes, t.Hashes...), append(c.sorts, t.Sorts...)
	c.text, c.lines = append(c.text, t.Text...), append(c.lines, t.Lines...)
	b.hashes[1], b.text[1], b.lines[1] = int32(len(c.hashes)), int32(len(c.text)), int32(len(c.lines))
}

// join writes the tokens of the given blocks into t, as those of their lines together.
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

// growOn moves tokens into room that is used again and has grown: how many will come is not
// known.
func (c *cuts) growOn(room *cuts) {
	c.hashes, c.sorts = append(room.hashes[:0], c.hashes...), append(room.sorts[:0], c.sorts...)
	c.text, c.lines = append(room.text[:0], c.text...), append(room.lines[:0], c.lines...)
}

// leave undoes growOn: the tokens get memory of their own, as much as they take.
func (c *cuts) leave(room *cuts) {
	room.hashes, room.sorts, room.text, room.lines = c.hashes, c.sorts, c.text, c.lines
	c.hashes, c.sorts, c.text, c.lines = slices.Clone(c.hashes), slices.Clone(c.sorts), slices.Clone(c.text), slices.Clone(c.lines)
}

// tokensOf returns the tokens of a block, until room is used again.
func (t *Text) tokensOf(room *token.List, block int32) ([]uint64, []token.Sort) {
	if t.cut == nil {
		room.Read(t.blocks[block].Text)
		return room.Hashes, room.Sorts
	}
	at := t.cut.blocks[block].hashes
	return t.cut.hashes[at[0]:at[1]], t.cut.sorts[at[0]:at[1]]
}

// join makes blocks the lines of the body.
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

// readBody cuts the body into tokens as tokens.read does, from what its blocks were cut into.
func (t *Text) readBody(to *token.List) (composed bool) {
	if t.joined == nil || t.Body != t.joinedBody {
		return to.Read(t.Body)
	}
	t.cut.join(to, t.joined)
	return true
}
