package body

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/forest"
)

// asArticle and asShop are hunches of a page that is surely one or the other.
var (
	asArticle = [typeCount]int32{0: 8 * forest.Logit, 1: -8 * forest.Logit, 2: -8 * forest.Logit, 3: -8 * forest.Logit, 4: -8 * forest.Logit, 5: -8 * forest.Logit, 6: -8 * forest.Logit}
	asShop    = [typeCount]int32{0: -8 * forest.Logit, 1: -8 * forest.Logit, 2: -8 * forest.Logit, 3: -8 * forest.Logit, 4: -8 * forest.Logit, 5: 8 * forest.Logit, 6: -8 * forest.Logit}
)

// bodyOf returns which texts of a page are body when blocks have agreed.
func bodyOf(page string, scores map[string]int32, hunch *[typeCount]int32) map[string]bool {
	o, before := scored(page, scores)
	body := map[string]bool{}
	for i, s := range o.agree(before, 0, hunch) {
		body[string(o.BlockText(i))] = s >= 0
	}
	return body
}

func TestBlocksAgreeWithWhatIsAroundThem(t *testing.T) {
	const page = `<div class=story><p>one</p><p>two</p><p>hole</p><p>three</p></div>
		<div class=foot><p>law</p><p>island</p><p>home</p></div>`
	doubt := map[string]int32{"one": 3 * forest.Logit, "two": 3 * forest.Logit, "hole": -forest.Logit / 2, "three": 3 * forest.Logit, "law": -3 * forest.Logit, "island": forest.Logit / 2, "home": -3 * forest.Logit}
	sure := map[string]int32{"one": 3 * forest.Logit, "two": 3 * forest.Logit, "hole": -2 * forest.Logit, "three": 3 * forest.Logit, "law": -3 * forest.Logit, "island": 2 * forest.Logit, "home": -3 * forest.Logit}
	for _, c := range []struct {
		name         string
		scores       map[string]int32
		hunch        *[typeCount]int32
		hole, island bool
	}{
		{"an article in doubt", doubt, &asArticle, true, false},
		{"an article that is sure", sure, &asArticle, false, true},
		{"a shop in doubt", doubt, &asShop, false, true},
	} {
		got := bodyOf(page, c.scores, c.hunch)
		if !got["one"] || !got["two"] || !got["three"] || got["law"] || got["home"] {
			t.Errorf("%s: body is %v, want one, two and three in it, law and home not", c.name, got)
		}
		if got["hole"] != c.hole || got["island"] != c.island {
			t.Errorf("%s: hole is body: %v, island: %v; want %v and %v", c.name, got["hole"], got["island"], c.hole, c.island)
		}
	}
}

// The cheapest answer of all is found: no other choice for blocks and containers
// has less doubt and dissent.
func TestNoAnswerIsCheaperThanTheOneAgreedOn(t *testing.T) {
	const page = `<div><p>a</p><div><p>b</p><p>c</p></div></div><div><p>d</p><ul><li>e</li></ul></div>`
	o, score := scored(page, map[string]int32{"a": 700, "b": -900, "c": 300, "d": -200, "e": 1500})
	price := dissentOf(&asArticle)
	// cost is what a choice of blocks costs, with the best choice of containers.
	cost := func(chosen uint) int32 {
		best := int32(1 << 30)
		for nodes := range uint(1) << len(o.Nodes) {
			var sum int32
			for i, s := range score {
				is := chosen>>i&1 == 1
				if is != (s >= 0) {
					sum += max(s, -s)
				}
				if is != (nodes>>o.Blocks[i].Node&1 == 1) {
					sum += price
				}
			}
			for i := 1; i < len(o.Nodes); i++ {
				if nodes>>i&1 != nodes>>o.Nodes[i].Parent&1 {
					sum += price
				}
			}
			best = min(best, sum)
		}
		return best
	}
	var agreed uint
	for i, s := range o.agree(score, 0, &asArticle) {
		if s >= 0 {
			agreed |= 1 << i
		}
	}
	for other := range uint(1) << len(score) {
		if a, b := cost(agreed), cost(other); b < a {
			t.Errorf("the choice %b costs %d, and %b costs %d", agreed, a, other, b)
		}
	}
}

func TestAScoreIsFoundForEveryProbability(t *testing.T) {
	for _, p := range []float32{0.0001, 0.1, 0.25, 0.5, 0.77, 0.9999, 1} {
		from := scoreOf(p)
		if from < 8*forest.Logit && chance(from) < p {
			t.Errorf("scoreOf(%v) is %d, which stands for %v", p, from, chance(from))
		}
		if from > -8*forest.Logit && chance(from-1) >= p {
			t.Errorf("scoreOf(%v) is %d, and %d stands for %v too", p, from, from-1, chance(from-1))
		}
	}
}
