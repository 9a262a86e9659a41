package body

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

// scored reads a page whose blocks have the scores that their texts have in a
// table.
func scored(page string, scores map[string]int32) (*Chooser, []int32) {
	o := &Chooser{Outline: new(blocks.Outline)}
	o.Reset()
	o.Read([]byte(page), false)
	of := make([]int32, len(o.Blocks))
	for i := range of {
		of[i] = scores[string(o.BlockText(i))]
	}
	return o, of
}

// votes returns the scores of a page's texts after the vote.
func votes(page string, scores map[string]int32) map[string]int32 {
	o, before := scored(page, scores)
	after := map[string]int32{}
	for i, s := range o.vote(before) {
		after[string(o.BlockText(i))] = s
	}
	return after
}

func TestBlocksOfOnePlaceAreDrawnToTheirMean(t *testing.T) {
	const page = `<div class=post-1><p class=who>Ann</p><p>one</p></div>
		<div class=post-2><p class=who>Bob</p><p>two</p></div>
		<div class=aside><p class=who>Cid</p></div>`
	got := votes(page, map[string]int32{"Ann": 1000, "one": 500, "Bob": -1000, "two": 500, "Cid": 700})
	for text, want := range map[string]int32{
		"Ann": 1000 * (100 - voteShare) / 100,
		"Bob": -1000 * (100 - voteShare) / 100,
		"one": 500, // all of its place say the same
		"two": 500,
		"Cid": 700, // alone in its place: a class with other words than a number is another
	} {
		if got[text] != want {
			t.Errorf("%s has a score of %d, want %d", text, got[text], want)
		}
	}
}

func TestTheVoteDoesNotHangOnThePageBefore(t *testing.T) {
	const page = `<div><p>one</p><p>two</p></div>`
	scores := map[string]int32{"one": 900, "two": -300}
	first := votes(page, scores)
	votes(`<div><p>one</p><p>two</p><p>three</p></div><ul><li>four</li></ul>`, map[string]int32{"three": 5000})
	if again := votes(page, scores); again["one"] != first["one"] || again["two"] != first["two"] {
		t.Errorf("the second time the scores are %v, and were %v", again, first)
	}
}
