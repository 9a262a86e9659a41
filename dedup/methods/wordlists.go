package methods

import (
	"fmt"

	"gatecrawl.example/gatecrawl/splitmix"
)

// WordLists hashes each word to one of n lists and each list to one value: an
// edited word changes one value and leaves the others (Pugh and Henzinger,
// patent US 6658423, 2003). One equal value is enough, and copies of copies are
// joined by Groups. A list of few words says little and has no value.
type WordLists struct {
	Lists int
}

// wordListFloor is the least number of words for which a list has a value.
const wordListFloor = 4

func (WordLists) Name() string { return "wordlists" }
func (m WordLists) Source() string {
	return fmt.Sprintf("Pugh, Henzinger 2003 (patent); 1 of %d lists", m.Lists)
}
func (m WordLists) Threshold() float64 { return 1 / float64(m.Lists) }

// Sign returns the values of each document.
func (m WordLists) Sign(docs []Document) Signatures {
	values := make([][]uint64, len(docs))
	for i, d := range talliesOf(docs) {
		hashes, words := make([]uint64, m.Lists), make([]int, m.Lists)
		for _, t := range d { // sorted by term
			list := splitmix.Mix(t.term) % uint64(m.Lists)
			hashes[list] = chain(hashes[list], t.term)
			words[list]++
		}
		values[i] = make([]uint64, m.Lists)
		for list, n := range words {
			if n >= wordListFloor {
				values[i][list] = splitmix.Mix(hashes[list]) | 1 // not zero, which is no value
			}
		}
	}
	return equals{values: values, n: m.Lists, width: 8}
}
