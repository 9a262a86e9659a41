package purify

import "gatecrawl.example/gatecrawl/purify/markup"

// minProse is how many bytes outside links make a block prose.
const minProse = 80

func (b *block) size() int { return int(b.to - b.from) }

// prose reports whether a block is long and not made of links.
func (b *block) prose() bool {
	return b.size()-int(b.linked) >= minProse && int(b.linked)*3 < b.size()
}

// isLink reports whether most of a block is links.
func (b *block) isLink() bool { return int(b.linked)*2 > b.size() }

func (o *outline) textOf(i int) []byte { return o.text[o.blocks[i].from:o.blocks[i].to] }

// firstH1 returns the first h1 block, or -1.
func (o *outline) firstH1() int {
	for i := range o.blocks {
		if o.blocks[i].tag == markup.TagH1 {
			return i
		}
	}
	return -1
}
