package body

import (
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A template writes repeated parts with the same markup: the names of commenters, the paragraphs of
// a story, the teasers below it. If one of them is in the body all of them should be, so the blocks
// at one place vote. A place is the path from the page's root, with elements and classes.

// A voting is the memory of a vote, reused from page to page.
type voting struct {
	way     []uint64         // by node
	places  map[uint64]int32 // place in tallies, by way
	place   []int32          // the same, by block
	tallies []tally
	score   []int32 // by block
}

// A tally is the sum of the scores of a place's blocks.
type tally struct{ sum, blocks int64 }

// voteShare is the weight of the mean of its place in a block's score, in percent. In
// cross-validation, values from 30 to 80 change F1 by less than .001 and bring fingerprints nearer
// to those of known bodies (docs/measurements-purify.md).
const voteShare = 80

// vote returns the scores, each moved towards the mean of its block's place.
func (ch *Chooser) vote(score []int32) []int32 {
	p := &ch.buf.voting
	p.way = reuse.Slice(p.way, len(ch.Nodes))
	for i := 1; i < len(ch.Nodes); i++ {
		n := &ch.Nodes[i]
		p.way[i] = splitmix.Mix(p.way[n.Parent] ^ uint64(n.Path&0xffff))
	}
	p.places, p.tallies = reuse.Map(p.places), p.tallies[:0]
	p.place, p.score = reuse.Slice(p.place, len(score)), reuse.Slice(p.score, len(score))
	for i, s := range score {
		if way := p.way[ch.Blocks[i].Node]; i > 0 && way == p.way[ch.Blocks[i-1].Node] {
			p.place[i] = p.place[i-1]
		} else {
			p.place[i] = p.placeOf(way)
		}
		b := &p.tallies[p.place[i]]
		b.sum += int64(s)
		b.blocks++
	}
	for i, s := range score {
		b := &p.tallies[p.place[i]]
		p.score[i] = int32((int64(s)*(100-voteShare) + b.sum/b.blocks*voteShare) / 100)
	}
	return p.score
}

// placeOf returns the place of a path, a new one if the path is new.
func (p *voting) placeOf(way uint64) int32 {
	at, ok := p.places[way]
	if !ok {
		at = int32(len(p.tallies))
		p.places[way] = at
		p.tallies = append(p.tallies, tally{})
	}
	return at
}
