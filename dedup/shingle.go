package dedup

import (
	"gatecrawl.example/gatecrawl/splitmix"
)

// A shingle is a run of three words. Of scripts that write no spaces a word is
// about one and a half characters long, so there it is four characters; a mixed
// run ends when it weighs as much.
const (
	shingleWeight   = 12
	wordWeight      = 4
	characterWeight = 3
)

func (s tokenSort) weight() int {
	if s == sortCharacter {
		return characterWeight
	}
	return wordWeight
}

// shingles appends to dst a hash of each shingle; all tokens are one where they
// are too few for any.
func shingles(dst []uint64, t *tokens) []uint64 {
	if len(t.hashes) == 0 {
		return dst
	}
	before, end, weight := len(dst), 0, 0
	for i := range t.hashes {
		for weight < shingleWeight && end < len(t.hashes) {
			weight += t.sorts[end].weight()
			end++
		}
		if weight < shingleWeight {
			break
		}
		dst = append(dst, chain(t.hashes[i:end]))
		weight -= t.sorts[i].weight()
	}
	if len(dst) == before {
		dst = append(dst, chain(t.hashes))
	}
	return dst
}

// chain hashes a run of tokens.
func chain(run []uint64) uint64 {
	h := uint64(len(run))
	for _, t := range run {
		h = h*0x9E3779B97F4A7C15 + t // odd, so nothing of the earlier tokens is lost
	}
	return splitmix.Mix(h)
}
