package turns

import "gatecrawl.example/gatecrawl/frontier/weburl"

// A Move is the score that a waiting URL is to have when its turn is near.
type Move struct {
	Score float32
	Key   weburl.Key
}

// Moves are those of one host's URLs, a heap with the highest score on top.
type Moves []Move

// Push adds a move.
func (p *Moves) Push(x Move) {
	h := append(*p, x)
	at := len(h) - 1
	for at > 0 && h[(at-1)/2].Score < x.Score {
		h[at] = h[(at-1)/2]
		at = (at - 1) / 2
	}
	h[at] = x
	*p = h
}

// Pop takes out the move with the highest score. There must be one.
func (p *Moves) Pop() Move {
	h := *p
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	at := 0
	for {
		child := 2*at + 1
		if child+1 < len(h) && h[child+1].Score > h[child].Score {
			child++
		}
		if child >= len(h) || h[child].Score <= x.Score {
			break
		}
		h[at] = h[child]
		at = child
	}
	if len(h) > 0 {
		h[at] = x
	}
	*p = h
	return top
}
