package body

import (
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
)

// Most bodies are contiguous. The forests do not know that: they judge each block alone, and leave
// gaps in an article and single blocks outside it. So a block or a container whose label differs
// from that of the container around it has a cost, and the labels with the lowest cost of the whole
// page are chosen. The minimum is exact, since containers are a tree (min-sum messages on a Potts
// model; Pearl 1988).

// The cost of a block or container whose label differs from that of the container around it,
// in units of 1/Logit. It is higher for articles, whose bodies are rarely in pieces. In
// cross-validation .4 to 1.3 logits on articles do nearly as well
// (docs/measurements-purify.md).
const (
	dissent        = forest.Logit / 10
	articleDissent = forest.Logit * 8 / 10
)

// An agreement is the memory in which labels are computed, reused from page to page.
type agreement struct {
	up    []int32 // by node: sum of the messages from below
	whole []int32 // by node: its score in the whole page
	score []int32 // by block
}

// agree returns the scores after the costs are taken into account: a block is in the body if its
// score is zero or more. from is the score from which a block alone would be in the body.
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

// told is the message of a container to one of its children: the score of the rest of the page
// without the child's own message.
func (c *agreement) told(node, said, price int32) int32 {
	return within(c.whole[node]-within(said, price), price)
}

func within(v, bound int32) int32 { return min(max(v, -bound), bound) }

// dissentOf returns the cost of a different label on this page. It is between the two costs above,
// depending on the probability that the page is an article.
func dissentOf(hunch *[typeCount]int32) int32 {
	return dissent + int32(float32((articleDissent-dissent)*certainty(hunch, typeArticle)))
}

// certainty returns the probability of one type among all types.
func certainty(hunch *[typeCount]int32, kind int) float32 {
	var all float32
	for _, score := range hunch {
		all += chance(score)
	}
	return chance(hunch[kind]) / all
}
