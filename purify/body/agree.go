package body

import (
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
)

// A body is of one piece more often than the forests know: they ask of each
// block alone, and leave holes in a story and islands around it. So blocks, and
// the containers around them, agree with the container that they stand in, or
// pay for it. The cheapest answer of the whole page is exact, since containers
// are a tree: each tells the one around it what it would rather be, and is told
// in turn (min-sum messages on a Potts model; Pearl 1988).

// What a block or container pays that is not what the one around it is, in
// units of 1/Logit: more where the page is an article, of which bodies are
// seldom in pieces. By the folds .4 to 1.3 logits on articles serve nearly as
// well (docs/measurements-purify.md).
const (
	dissent        = forest.Logit / 10
	articleDissent = forest.Logit * 8 / 10
)

// A agreement is the agreement's work space, kept from page to page.
type agreement struct {
	up    []int32 // by node, what all below it would rather be
	whole []int32 // by node, what the page would rather have it be
	score []int32 // by block
}

// agree returns the scores, positive or zero where the block is body, given the
// score from which one is body alone.
func (ch *Chooser) agree(score []int32, from int32, hunch *[typeCount]int32) []int32 {
	price := dissentOf(hunch)
	c := &ch.buf.agreement
	c.up, c.whole = reuse.Slice(c.up, len(ch.Nodes)), reuse.Slice(c.whole, len(ch.Nodes))
	c.score = reuse.Slice(c.score, len(score))
	for i, s := range score {
		c.up[ch.Blocks[i].Node] += within(s-from, price)
	}
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		c.up[ch.Nodes[i].Parent] += within(c.up[i], price)
	}
	c.whole[0] = c.up[0]
	for i := 1; i < len(ch.Nodes); i++ {
		c.whole[i] = c.up[i] + c.told(ch.Nodes[i].Parent, c.up[i], price)
	}
	for i, s := range score {
		c.score[i] = s - from + c.told(ch.Blocks[i].Node, s-from, price)
	}
	return c.score
}

// told is what a container tells one of those in it, of what the page would
// rather be without what that one said itself.
func (c *agreement) told(node, said, price int32) int32 {
	return within(c.whole[node]-within(said, price), price)
}

func within(v, bound int32) int32 { return min(max(v, -bound), bound) }

// dissentOf returns what it costs on a page not to agree, between the two
// prices by how likely the page is an article.
func dissentOf(hunch *[typeCount]int32) int32 {
	return dissent + int32(float32((articleDissent-dissent)*certainty(hunch, typeArticle)))
}

// certainty returns a type's share in the chances of all.
func certainty(hunch *[typeCount]int32, kind int) float32 {
	var all float32
	for _, score := range hunch {
		all += chance(score)
	}
	return chance(hunch[kind]) / all
}
