package purify

// A Block is a run of text between block-level tags, with what became of it.
type Block struct {
	Text     string  // white space collapsed
	Tag      string  // name of the element around it, "" for one without a rule of its own
	From, To int     // bytes of the decoded page, from its first text to its last; tags may stand between
	Links    float64 // share of its bytes that are inside links
	Score    float64 // probability that it is of the body, 0 to 1
	Kept     bool    // it is in DocView.Body
}

// Explain returns the blocks of a page in their order, and the page as UTF-8,
// which their offsets refer to. The kept ones are the lines of Purify's Body. A
// page without mark-up is one kept block.
func Explain(page []byte, contentType string) (blocks []Block, text []byte) {
	text, _ = Decode(page, contentType)
	if plainText(contentType, text) {
		return []Block{{Text: string(text), To: len(text), Score: 1, Kept: true}}, text
	}
	o := newOutline()
	defer o.done()
	o.read(text, isXML(contentType, text))
	m := o.head.read()
	kept := o.choose(&m)
	blocks = make([]Block, len(o.blocks))
	for i := range blocks {
		b := &o.blocks[i]
		blocks[i] = Block{
			Text: string(o.textOf(i)), Tag: b.tag.String(), From: int(b.page.from), To: int(b.page.to),
			Links: float64(b.linked) / float64(b.size()), Score: float64(o.room.sure[i]), Kept: kept[i],
		}
	}
	return blocks, text
}
