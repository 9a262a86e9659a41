package methods

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A token is a word, or a character of a script without spaces.
type token struct {
	hash   uint64
	named  uint64 // its hash in a table of package dedup
	single bool   // a character
	first  bool   // the line starts with it
}

func tokensOf(body string) []token {
	tokens := make([]token, 0, len(body)/5)
	for line := range strings.Lines(body) {
		first := true
		for w, single := range dedup.Words(line) {
			tokens = append(tokens, token{xxhash.Sum64(w), named(w, single), single, first})
			first = false
		}
	}
	return tokens
}

// shinglesOf returns the hashes of every run of w tokens, in their order; all tokens are one
// shingle if there are fewer.
func shinglesOf(tokens []token, w int) []uint64 {
	if len(tokens) == 0 {
		return nil
	}
	w = min(w, len(tokens))
	list := make([]uint64, 0, len(tokens)-w+1)
	for ; len(tokens) >= w; tokens = tokens[1:] {
		h := uint64(w)
		for _, t := range tokens[:w] {
			h = chain(h, t.hash)
		}
		list = append(list, splitmix.Mix(h))
	}
	return list
}

// termsOf returns what represents words where order does not matter: words, and pairs of
// neighbouring characters in a line, or a character that is alone. A pair has the name of a
// table of package dedup if that is asked for.
func termsOf(tokens []token, ofTable bool) []uint64 {
	pair := func(a, b uint64) uint64 { return splitmix.Mix(chain(a, b)) }
	if ofTable {
		pair = namedPair
	}
	terms := make([]uint64, 0, len(tokens))
	for i, t := range tokens {
		switch {
		case !t.single:
			terms = append(terms, t.hash)
		case i+1 < len(tokens) && tokens[i+1].follows():
			terms = append(terms, pair(t.hash, tokens[i+1].hash))
		case !t.follows() || !tokens[i-1].single:
			terms = append(terms, t.hash)
		}
	}
	return terms
}

// follows reports whether a character has another token before it in its line.
func (t token) follows() bool { return t.single && !t.first }

// A tally is a term and how often a document has it.
type tally struct {
	term uint64
	n    int
}

// tallied counts terms and sorts them.
func tallied(terms []uint64) []tally {
	sorted := slices.Sorted(slices.Values(terms))
	var list []tally
	for _, t := range sorted {
		if len(list) == 0 || list[len(list)-1].term != t {
			list = append(list, tally{term: t})
		}
		list[len(list)-1].n++
	}
	return list
}

// set sorts keys in place and drops repeated ones.
func set(keys []uint64) []uint64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// chain combines a hash with what came before it. The factor is odd, so that nothing is lost.
func chain(before, h uint64) uint64 { return before*0x9E3779B97F4A7C15 + h }
