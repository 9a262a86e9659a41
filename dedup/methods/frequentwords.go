package methods

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// FrequentWords keeps the N words that a document has most often: M of them
// must be equal (after Manber 1994). Words of more than a quarter of the
// collection are passed over, or all documents of a language would have the
// same ones.
type FrequentWords struct {
	N int `option:"n" range:"1,1000" about:"words of a document"`
	M int `option:"m" range:"1,1000" about:"words that must be equal"`
}

// commonWords is the number of documents with a word from which it may be passed over; in a
// small collection a quarter of them does not make a word common.
const commonWords = 10

func (FrequentWords) Name() string { return "words" }
func (m FrequentWords) Source() string {
	return fmt.Sprintf("Manber 1994; %d of %d most frequent words", m.M, m.N)
}
func (m FrequentWords) Threshold() float64 { return float64(m.M) / float64(m.N) }

func (FrequentWords) needs() need { return needTerms }

func (m FrequentWords) check() error {
	if m.M > m.N {
		return fmt.Errorf("m=%d of n=%d: want no more than there are", m.M, m.N)
	}
	return nil
}

// Sign returns the words of each document.
func (m FrequentWords) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the words. A document of fewer than N different words has as many.
func (m FrequentWords) Scheme(c *Collection) Scheme {
	limit := max(commonWords, math.Floor(c.size()/4))
	return sharesScheme(func(d Document) []uint64 {
		list := slices.DeleteFunc(c.tallies(d.Body), func(t tally) bool { return c.frequency(t.term) > limit })
		slices.SortFunc(list, func(a, b tally) int {
			return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.term, b.term))
		})
		var words []uint64
		for _, t := range list[:min(m.N, len(list))] {
			words = append(words, t.term)
		}
		slices.Sort(words)
		return words
	})
}
