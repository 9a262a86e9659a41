package purify

import (
	"math/bits"
	"unicode/utf8"
)

// A portrait is what a page's type is guessed from, besides its metadata and
// its address.
type portrait struct {
	plain, linked int // bytes outside and inside links
	long          int // blocks of prose
	share         int // of the prose below the innermost container of most of it, in 32nds
	marked        int // bytes outside links in paragraphs
	headings      int
	prices        int // blocks that name a price, a year, that ask
	years         int
	asks          int
	repeats       int            // blocks whose text occurs more than once
	says          [hintCount]int // containers whose own names give a hint
	elements      [elementCount]int
	largest       group // of the groups, the one with the most blocks
	prose         []int32
	groups        []group
	likes         map[uint32]int32 // place in groups
}

// A group is the blocks in places of the same tags and classes.
type group struct{ blocks, plain, linked int32 }

// step puts a count into quarters of a power of two, from 0 to 127.
func step(n int) int {
	if n <= 0 {
		return 0
	}
	l := bits.Len32(uint32(n))
	if l < 3 {
		return 4*l + n<<(3-l)&3
	}
	return 4*l + n>>(l-3)&3
}

// part puts a share into 32nds, rounded up: 0 is none.
func part(n, all int) int {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min((n*32+all-1)/all, 32)
}

const (
	minProse = 80   // bytes outside links from which a block is prose
	maxProse = 1000 // bytes of a block that count for the prose of its containers
)

// prose reports whether a block is long and not made of links.
func (b *block) prose() bool {
	return b.size()-int(b.linked) >= minProse && int(b.linked)*3 < b.size()
}

// portray looks at the whole page. It needs the census.
func (o *outline) portray() *portrait {
	p := &o.portrait
	*p = portrait{prose: zeroed(p.prose, len(o.nodes)), groups: p.groups[:0], likes: emptied(p.likes)}
	for i := range o.blocks {
		b := &o.blocks[i]
		plain := b.size() - int(b.linked)
		p.plain += plain
		p.linked += int(b.linked)
		if b.tag.heading() {
			p.headings++
		}
		if b.tag == tagP {
			p.marked += plain
		}
		if b.prose() {
			p.prose[b.node] += int32(min(plain, maxProse))
			p.long++
		}
		if o.census.seen[o.census.sums[i]] > 1 {
			p.repeats++
		}
		p.read(o.text[b.from:b.to])
		p.join(o.nodes[b.node].sign, b)
	}
	for _, g := range p.groups {
		if g.blocks > p.largest.blocks {
			p.largest = g
		}
	}
	var all [tagCount]int
	for i := len(o.nodes) - 1; i > 0; i-- {
		n := &o.nodes[i]
		p.prose[n.parent] += p.prose[i]
		all[n.tag]++
		for h := n.own; h != 0; h &= h - 1 {
			p.says[trailing(h)]++
		}
	}
	for i, t := range elementColumns {
		p.elements[i] = all[t]
	}
	root := 0
	for i := range o.nodes {
		if p.prose[i]*5 > p.prose[0]*3 {
			root = i // parents come first, so that the last is the innermost
		}
	}
	p.share = part(int(p.prose[root]), int(p.prose[0]))
	return p
}

// read notes prices, years and questions of a block.
func (p *portrait) read(text []byte) {
	if last := text[len(text)-1]; last == '?' {
		p.asks++
	} else if r, _ := utf8.DecodeLastRune(text); r == '？' {
		p.asks++
	}
	price, year, run := false, false, 0
	text = text[:min(len(text), 200)] // a price or a date stands at the start
	for i, c := range text {
		if digit(c) {
			run++
			continue
		}
		year = year || run == 4 && century(text[i-4:])
		run = 0
		switch {
		case c == '$':
			price = price || i+1 < len(text) && digit(text[i+1])
		case c >= utf8.RuneSelf:
			switch r, _ := utf8.DecodeRune(text[i:]); r {
			case '€', '£', '¥', '￥', '₹':
				price = true
			}
		}
	}
	if year || run == 4 && century(text[len(text)-4:]) {
		p.years++
	}
	if price {
		p.prices++
	}
}

func century(text []byte) bool {
	return text[0] == '1' && text[1] == '9' || text[0] == '2' && text[1] == '0'
}

// join counts a block in the group of its place.
func (p *portrait) join(sign uint32, b *block) {
	g, ok := p.likes[sign]
	if !ok {
		g = int32(len(p.groups))
		p.likes[sign] = g
		p.groups = append(p.groups, group{})
	}
	p.groups[g].blocks++
	p.groups[g].plain += int32(b.size()) - b.linked
	p.groups[g].linked += b.linked
}
