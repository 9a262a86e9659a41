package methods

import (
	"cmp"
	"fmt"
	"slices"
)

// FrequentWords keeps the N words that a document has most often: M of them
// must be equal (after Manber 1994). Words of more than a quarter of the
// collection are passed over, or all documents of a language would have the
// same ones.
type FrequentWords struct {
	N, M int
}

// commonWords is the number of documents that have a word from which on it may
// be passed over; in a small collection a quarter is no sign of being common.
const commonWords = 10

func (FrequentWords) Name() string { return "words" }
func (m FrequentWords) Source() string {
	return fmt.Sprintf("Manber 1994; %d of %d most frequent words", m.M, m.N)
}
func (m FrequentWords) Threshold() float64 { return float64(m.M) / float64(m.N) }

// Sign returns the words of each document. One of fewer than N different words
// has as many.
func (m FrequentWords) Sign(docs []Document) Signatures {
	tallies := talliesOf(docs)
	df := frequencies(tallies)
	limit := max(commonWords, len(docs)/4)
	sets := make([][]uint64, len(docs))
	for i, d := range tallies {
		d = slices.DeleteFunc(d, func(t tally) bool { return df[t.term] > limit })
		slices.SortFunc(d, func(a, b tally) int {
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.term, b.term))
		})
		for _, t := range d[:min(m.N, len(d))] {
			sets[i] = append(sets[i], t.term)
		}
		slices.Sort(sets[i])
	}
	return shares(sets)
}
