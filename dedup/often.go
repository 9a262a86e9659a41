package dedup

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const (
	oftenNamed = 3  // times that a text has a word of its title, at least, to be about what it names
	timesOther = 10 // as often as another text, which may name it in passing
)

// oftenNamedApart reports whether each of two texts has a word of its own title again and again, which
// the other hardly has: two acts of parliament that have the same sections for two towns. Numbers and
// editions do not count, since two versions of a manual name their own.
func oftenNamedApart(a, b *reading) bool {
	ofA, ofB := a.ownTitle(b), b.ownTitle(a)
	if len(ofA) == 0 || len(ofB) == 0 {
		return false
	}
	both := slices.Concat(ofA, ofB)
	inA, inB := a.countsOf(both), b.countsOf(both)
	often := func(words []uint64, own, other map[uint64]int) bool {
		return slices.ContainsFunc(words, func(w uint64) bool { return own[w] >= oftenNamed && own[w] >= timesOther*other[w] })
	}
	return often(ofA, inA, inB) && often(ofB, inB, inA)
}

// ownTitle returns the features of the words of a page's title that are neither numbers nor editions
// and that the other page's title lacks.
func (r *reading) ownTitle(other *reading) []uint64 {
	w := signers.Get().(*signer)
	defer w.release()
	own := w.tokens.FeaturesOf(strings.Join(slices.DeleteFunc(strings.Fields(r.text.Title), weburl.IsEdition), " "))
	return slices.DeleteFunc(hashset.Of(own), func(f uint64) bool {
		return hashset.Has(other.title, f) || hashset.Has(r.titleNumbers, f)
	})
}

// countsOf returns how often a text has each of some features.
func (r *reading) countsOf(features []uint64) map[uint64]int {
	w := signers.Get().(*signer)
	defer w.release()
	r.text.readBody(&w.tokens)
	n := make(map[uint64]int, len(features))
	for _, f := range token.Features(nil, &w.tokens, 0, len(w.tokens.Hashes)) {
		if slices.Contains(features, f) {
			n[f]++
		}
	}
	return n
}
