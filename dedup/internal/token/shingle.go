package token

import (
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A shingle is a run of three words. In scripts without spaces a word is about one and a half
// characters long, so there a shingle is four characters; a mixed run ends when it weighs as much.
const (
	shingleWeight   = 12
	WordWeight      = 4
	characterWeight = 3
)

// Weight is what a token of this sort counts in a shingle.
func (s Sort) Weight() int {
	if s == Character {
		return characterWeight
	}
	return WordWeight
}

// Shingles appends to dst a hash of each shingle. If there are too few tokens for one, all tokens
// are one shingle.
func Shingles(dst []uint64, t *List) []uint64 {
	if len(t.Hashes) == 0 {
		return dst
	}
	before, end, weight := len(dst), 0, 0
	from := 0
	if !slices.Contains(t.Sorts, Character) { // each is of three
		for h := t.Hashes; len(h) >= 3; h = h[1:] {
			dst = append(dst, chainOfThree(h[0], h[1], h[2]))
		}
		from = len(t.Hashes)
	}
	for i := from; i < len(t.Hashes); i++ {
		for weight < shingleWeight && end < len(t.Hashes) {
			weight += t.Sorts[end].Weight()
			end++
		}
		if weight < shingleWeight {
			break
		}
		if run := t.Hashes[i:end]; len(run) == 3 {
			dst = append(dst, chainOfThree(run[0], run[1], run[2]))
		} else {
			dst = append(dst, Chain(run))
		}
		weight -= t.Sorts[i].Weight()
	}
	if len(dst) == before {
		dst = append(dst, Chain(t.Hashes))
	}
	return dst
}

// Chain hashes a run of tokens.
func Chain(run []uint64) uint64 {
	h := uint64(len(run))
	for _, t := range run {
		h = h*chained + t
	}
	return splitmix.Mix(h)
}

// chainOfThree is Chain for three tokens.
func chainOfThree(a, b, c uint64) uint64 {
	h := uint64(3)
	return splitmix.Mix(((h*chained+a)*chained+b)*chained + c)
}

// chained is odd, so that multiplying by it loses nothing of the earlier tokens.
const chained = 0x9E3779B97F4A7C15

// Features appends to dst the features of a text, which represent its words regardless of order:
// words, numbers, and pairs of adjacent characters. The text is the tokens with numbers from up to
// to.
func Features(dst []uint64, t *List, from, to int) []uint64 {
	for i := from; i < to; i++ {
		switch {
		case t.Sorts[i] == Version:
		case t.Sorts[i] != Character:
			dst = append(dst, t.Hashes[i])
		case i+1 < to && t.Sorts[i+1] == Character:
			dst = append(dst, Chain(t.Hashes[i:i+2]))
		}
	}
	return dst
}

// FeaturesOf reads a text into t, and returns its features in their order.
func (t *List) FeaturesOf(text string) []uint64 {
	t.Read(text)
	return Features(nil, t, 0, len(t.Hashes))
}

// Numbers returns the set of the numbers, without versions.
func (t *List) Numbers() (list []uint64) {
	for i, s := range t.Sorts {
		if s == Number {
			list = append(list, t.Hashes[i])
		}
	}
	return hashset.Of(list)
}
