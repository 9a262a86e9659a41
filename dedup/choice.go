package dedup

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/purify"
)

// What decides which blocks of its page a text has, the first byte of a choice.
const (
	chosenAll        = iota // it has no blocks: no template is asked
	chosenBare              // no template is known
	chosenByTemplate        // eight bytes follow for each block, but for links in a text that is compared without them
)

// The bits of a block in a choice; the block's print is above them.
const (
	choiceOwn = 1 << iota // the template leaves it
	choiceChosen
	choiceLinked
	choiceCloud
	choiceProse
	choicePinned
	choiceFlags  = iota
	choiceLength = 8 // bits of the length of its text, which counts up to the longest
)

// AppendChoice appends which blocks of its page the text has, and what that depends on, for HasChoice. It returns nil if
// that is not known, as it is for a text of another process.
func (t *Text) AppendChoice(dst []byte) []byte {
	switch {
	case len(t.blocks) == 0:
		return append(dst, chosenAll)
	case t.Bare:
		return append(dst, chosenBare)
	case len(t.own) == 0 || t.whole:
		return nil
	}
	dst = append(dst, chosenByTemplate)
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.Linked && !t.Thin {
			continue
		}
		v := uint64(b.Print)<<choiceLength | uint64(min(len(b.Text), 1<<choiceLength-1))
		v <<= choiceFlags
		for at, is := range [...]bool{t.own[i/64]>>(i%64)&1 != 0, b.Chosen, b.Linked, b.Cloud, b.Prose, b.Pinned} {
			if is {
				v |= 1 << at
			}
		}
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	return dst
}

// HasChoice reports whether the text of AppendChoice has the same blocks of its page when it is read with a template,
// that of the page's site now.
func HasChoice(choice []byte, site *purify.Template) bool {
	switch choice[0] {
	case chosenAll:
		return true
	case chosenBare:
		return !isKnown(site)
	}
	if !isKnown(site) {
		return false
	}
	w := signers.Get().(*signer)
	defer w.release()
	blocks, own := w.blocks[:0], w.own[:0]
	left := 0 // blocks that the text has
	for list := choice[1:]; len(list) > 0; list = list[8:] {
		v := binary.LittleEndian.Uint64(list)
		blocks = append(blocks, purify.Block{
			Print: purify.Print(v >> (choiceFlags + choiceLength)), Text: anyText[:v>>choiceFlags&(1<<choiceLength-1)],
			Chosen: v&choiceChosen != 0, Linked: v&choiceLinked != 0, Cloud: v&choiceCloud != 0,
			Prose: v&choiceProse != 0, Pinned: v&choicePinned != 0,
		})
		if v&choiceOwn != 0 {
			left++
		}
		if !site.Has(&blocks[len(blocks)-1]) {
			own = append(own, int32(len(blocks)-1))
		}
	}
	if len(blocks) <= maxKeptBlocks {
		w.blocks, w.own = blocks, own
	}
	if len(own) < left {
		return false
	}
	own = purify.WithoutMenus(blocks, own, []*purify.Template{site})
	for _, i := range own {
		if choice[1+8*i]&choiceOwn == 0 {
			return false
		}
	}
	return len(own) == left
}

// maxKeptBlocks is up to how many blocks of a page, of some 64 bytes each, the memory is used again.
const maxKeptBlocks = 1 << 12

// anyText has the length of a block that counts; what a text says is not asked.
var anyText = string(make([]byte, 1<<choiceLength))

// noteOwn notes which blocks the text has, but for stamps and what only repeats the title, which follow from these.
func (t *Text) noteOwn(own []int32) {
	t.own = make([]uint64, (len(t.blocks)+63)/64)
	for _, i := range own {
		t.own[i/64] |= 1 << (i % 64)
	}
}
