package body

import (
	"math/bits"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A census has the counts of the whole page that the models use.
type census struct {
	plain    []int32 // bytes outside links, by node, with all nodes below
	linked   []int32 // bytes inside links
	prose    []int32 // bytes of blocks of prose, each counted up to maxProse
	blocks   []int32
	depth    []int32
	heads    []int32 // headings, by node, with all nodes below
	leading  []int32 // headings that are links
	nth      []int32 // article elements up to the node
	root     chain   // down to the innermost container of most of the prose
	top      chain   // down to the first h1
	h1       int     // the first h1 block, or -1
	main     bool    // there is text in main
	article  bool    // there is text in article
	long     int     // blocks of prose
	first    int     // the first of them, or -1
	last     int
	marked   int // bytes outside links in p elements
	headings int
	share    int // of prose below the root, in 32nds
	prices   int // blocks that have a price
	years    int
	asks     int
	dates    int // blocks that have a date
	phrases  [phraseCount]int
	leads    int // headings that are links
	spoken   wordCounts
	crowds   int              // groups of at least crowd blocks
	repeats  int              // blocks whose text occurs more than once
	sums     []uint64         // hashes of the blocks' texts
	seen     []int32          // the first block with each, from 1, at the place that its lowest bits say or behind it; 0: there is none
	firsts   []int32          // by block: the first one with the same text
	spots    []int32          // by block: the place in repeated of its text, from 1, once it was read; 0: it occurs once
	repeated []repeatedText   // texts that occur more than once
	times    []int32          // by block: how often its text occurs, if it is the first with it
	likes    map[uint32]int32 // place in groups, by sign
	likeness []int32          // place in groups, by block
	groups   []group
	sign     uint32 // that of the block before, and its group
	group    int32
	largest  group                // of the groups, the one with the most blocks
	says     [hint.Count]int      // by hint: containers whose own class or id gives it
	elements [markup.TagCount]int // containers by element
	titles   [maxTitles]title     // what the metadata calls the page
	topic    topic
	named    []int32 // keys of the titles, by node, with all nodes below
	told     []int32 // by node: words of the description
}

// A group is the blocks in places of the same tags and classes.
type group struct{ blocks, plain, linked int32 }

// A chain is the path from a page's root down to a node.
type chain struct {
	end int32
	up  []int32 // by node: how many steps up to the chain
	met []int32 // by node: depth at which the chain is met
}

func (h *chain) follow(nodes []blocks.Node, depth []int32, end int32) {
	h.end = end
	h.up, h.met = reuse.Slice(h.up, len(nodes)), reuse.Slice(h.met, len(nodes))
	for n := end; n > 0; n = nodes[n].Parent {
		h.met[n] = -1
	}
	for i := 1; i < len(nodes); i++ {
		if h.met[i] == -1 {
			h.met[i] = depth[i]
			continue
		}
		p := nodes[i].Parent
		h.up[i], h.met[i] = h.up[p]+1, h.met[p]
	}
}

// wordCounts counts the words of a page: all that were read, and those that address the reader,
// those with which authors speak of themselves (we, our), and function words.
type wordCounts struct{ words, you, we, function int }

// crowd is the number of blocks from which a group is a list of items.
const crowd = 8

// maxProse is how many bytes of a block at most count as prose of its containers.
const maxProse = 1000

// count takes the census of a page.
func (ch *Chooser) count(m *metadata.Declared) *census {
	c := &ch.census
	n := len(ch.Nodes)
	*c = census{
		plain: reuse.Slice(c.plain, n), linked: reuse.Slice(c.linked, n), prose: reuse.Slice(c.prose, n), blocks: reuse.Slice(c.blocks, n), depth: reuse.Slice(c.depth, n),
		heads: reuse.Slice(c.heads, n), leading: reuse.Slice(c.leading, n), nth: reuse.Slice(c.nth, n),
		root: c.root, top: c.top, h1: -1, first: -1,
		named: reuse.Slice(c.named, n), told: reuse.Slice(c.told, n),
		sums: reuse.Slice(c.sums, len(ch.Blocks)), seen: reuse.Slice(c.seen, 2<<bits.Len(uint(len(ch.Blocks)))), likes: reuse.Map(c.likes), groups: c.groups[:0],
		firsts: reuse.Slice(c.firsts, len(ch.Blocks)), times: reuse.Slice(c.times, len(ch.Blocks)), spots: reuse.Slice(c.spots, len(ch.Blocks)), repeated: c.repeated[:0], likeness: reuse.Slice(c.likeness, len(ch.Blocks)),
	}
	ch.countBlocks(c)
	ch.countNodes(c)
	for i, s := range [...]string{m.Title, m.OGTitle, m.Headline} {
		c.titles[i].set(s)
		c.topic.named.take(s)
	}
	c.topic.told.take(m.Description)
	return c
}

func (ch *Chooser) countBlocks(c *census) {
	inMainBytes, inArticleBytes, all := 0, 0, 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		plain := int32(b.Size()) - b.Linked
		c.plain[b.Node] += plain
		c.linked[b.Node] += b.Linked
		c.blocks[b.Node]++
		if b.Tag == markup.TagH1 && c.h1 < 0 {
			c.h1 = i
		}
		if b.Tag.Heading() {
			c.headings++
			c.heads[b.Node]++
			if int(b.Linked)*5 > b.Size()*4 {
				c.leads++
				c.leading[b.Node]++
			}
		}
		all += int(plain)
		if b.Hints&hint.InMain != 0 {
			inMainBytes += int(plain)
		}
		if b.Hints&hint.InArticle != 0 {
			inArticleBytes += int(plain)
		}
		if b.Tag == markup.TagP {
			c.marked += int(plain)
		}
		if b.IsProse() {
			c.prose[b.Node] += min(plain, maxProse)
			c.long++
			c.last = i
			if c.first < 0 {
				c.first = i
			}
		}
		text := ch.Text[b.From:b.To]
		c.sums[i] = xxhash.Sum64(text)
		first := c.firstWith(i)
		c.firsts[i] = first
		c.times[first]++
		c.likeness[i] = c.join(ch.Nodes[b.Node].Path, b)
	}
	for i := range ch.Blocks {
		if times := int(c.times[i]); times > 0 { // the first of its text
			c.read(ch.Text[ch.Blocks[i].From:ch.Blocks[i].To], times)
			if times > 1 {
				c.repeats += times
			}
		}
	}
	for _, g := range c.groups {
		if g.blocks > c.largest.blocks {
			c.largest = g
		}
		if g.blocks >= crowd {
			c.crowds++
		}
	}
	c.main = inMainBytes > 200 && inMainBytes*10 > all
	c.article = inArticleBytes > 200 && inArticleBytes*10 > all
}

// firstWith returns the first block with the hash of a block's text, of those up to it.
func (c *census) firstWith(block int) int32 {
	mask := uint64(len(c.seen) - 1)
	for at := c.sums[block] & mask; ; at = (at + 1) & mask {
		switch met := c.seen[at]; {
		case met == 0:
			c.seen[at] = int32(block) + 1
			return int32(block)
		case c.sums[met-1] == c.sums[block]:
			return met - 1
		}
	}
}

func (ch *Chooser) countNodes(c *census) {
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		p := ch.Nodes[i].Parent
		c.plain[p] += c.plain[i]
		c.linked[p] += c.linked[i]
		c.prose[p] += c.prose[i]
		c.blocks[p] += c.blocks[i]
		c.heads[p] += c.heads[i]
		c.leading[p] += c.leading[i]
	}
	root := int32(0)
	for i := 1; i < len(ch.Nodes); i++ {
		n := &ch.Nodes[i]
		c.depth[i] = c.depth[n.Parent] + 1
		c.nth[i] = c.nth[i-1]
		if n.Tag == markup.TagArticle {
			c.nth[i]++
		}
		if c.prose[0] > 0 && c.prose[i]*5 > c.prose[0]*3 {
			root = int32(i) // parents come first, so that the last is the innermost
		}
		c.elements[n.Tag]++
		for h := n.Own & hint.Models; h != 0; h &= h - 1 {
			c.says[hint.Lowest(h)]++
		}
	}
	c.share = part(int(c.prose[root]), int(c.prose[0]))
	c.root.follow(ch.Nodes, c.depth, root)
	if c.h1 >= 0 {
		c.top.follow(ch.Nodes, c.depth, ch.Blocks[c.h1].Node)
	}
}

// join counts a block in the group of its place, and returns the group.
func (c *census) join(sign uint32, b *blocks.Block) int32 {
	if sign != c.sign || len(c.groups) == 0 {
		g, ok := c.likes[sign]
		if !ok {
			g = int32(len(c.groups))
			c.likes[sign] = g
			c.groups = append(c.groups, group{})
		}
		c.sign, c.group = sign, g
	}
	g := c.group
	c.groups[g].blocks++
	c.groups[g].plain += int32(b.Size()) - b.Linked
	c.groups[g].linked += b.Linked
	return g
}

// read counts the blocks with a text, if it has a price, a year or a question.
func (c *census) read(text []byte, blocks int) {
	if last := text[len(text)-1]; last == '?' {
		c.asks += blocks
	} else if r, _ := utf8.DecodeLastRune(text); r == '？' {
		c.asks += blocks
	}
	c.readPhrase(text, blocks)
	price, year, run := false, false, 0
	text = text[:min(len(text), 200)] // prices and dates are at the start
	for i := 0; i < len(text); i++ {
		if run == 0 {
			for i < len(text) && !tells[text[i]] {
				i++
			}
			if i == len(text) {
				break
			}
		}
		ch := text[i]
		if markup.Digit(ch) {
			run++
			continue
		}
		year = year || run == 4 && century(text[i-4:])
		run = 0
		switch {
		case ch == '$':
			price = price || i+1 < len(text) && markup.Digit(text[i+1])
		case ch >= utf8.RuneSelf:
			switch r, _ := utf8.DecodeRune(text[i:]); r {
			case '€', '£', '¥', '￥', '₹':
				price = true
			}
		}
	}
	if year || run == 4 && century(text[len(text)-4:]) {
		c.years += blocks
	}
	if price {
		c.prices += blocks
	}
}

// tells are the bytes that start a number or the sign of a currency.
var tells = func() (set [256]bool) {
	for _, sign := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "$", "€", "£", "¥", "￥", "₹"} {
		set[sign[0]] = true
	}
	return set
}()

func century(text []byte) bool {
	return text[0] == '1' && text[1] == '9' || text[0] == '2' && text[1] == '0'
}

const (
	maxTitles     = 3
	maxTitleBytes = 300
)

// A title is a name of the page in lower case.
type title struct {
	text  [maxTitleBytes]byte
	bytes int
}

func (t *title) set(s string) {
	t.bytes = len(markup.AppendLower(t.text[:0], []byte(words.Cut(s, maxTitleBytes))))
}

func (t *title) get() []byte { return t.text[:t.bytes] }
