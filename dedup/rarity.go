package dedup

import (
	"math"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/splitmix"
)

var _ purify.Words = (*IDF)(nil)

// Rarity returns ln(all/with) of a word or a pair of characters: all is the number of the table's
// pages, with how many have the word. A word that the table lacks is as rare as one that a single
// page has; a word of several tokens is as rare as the rarest of them.
func (t *IDF) Rarity(word string) float64 {
	w := signers.Get().(*signer)
	defer w.release()
	w.tokens.Read(word)
	if h := w.tokens.Hashes; len(h) == 2 && w.tokens.Sorts[0] == token.Character && w.tokens.Sorts[1] == token.Character {
		return t.rarity(pairOf(h[0], h[1]))
	}
	most := 0.0
	for _, h := range w.tokens.Hashes {
		most = max(most, t.rarity(h))
	}
	return most
}

// rarity turns a weight, which is log2(1 + all/with), into ln(all/with).
func (t *IDF) rarity(hash uint64) float64 {
	weight, ok := t.words[hash]
	if !ok {
		weight = t.rare
	}
	return max(0, math.Log(math.Exp2(float64(weight)/256)-1))
}

// pairOf returns the hash of two adjacent characters. Keywords of scripts without spaces are such
// pairs; a SimHash uses the characters alone.
func pairOf(a, b uint64) uint64 { return splitmix.Mix(a ^ splitmix.Mix(b)) }
