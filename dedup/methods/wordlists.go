package methods

import (
	"fmt"

	"gatecrawl.example/gatecrawl/splitmix"
)

// WordLists hashes each word to one of n lists and each list to one value: an
// edited word changes one value and leaves the others (Pugh and Henzinger,
// patent US 6658423, 2003). One equal value is enough, and copies of copies are
// joined by Groups. A list of few words says little and has no value.
//
// With Edits the lists are kept, words in the order of the text, and two are taken for
// equal when a few words put in, left out or replaced make one of the other.
type WordLists struct {
	Lists int     `option:"lists" range:"1,64" about:"lists of a document"`
	Equal int     `option:"equal" range:"1,64" about:"lists that must be equal"`
	Edits float64 `option:"edits" range:"0,0.5" about:"edits of equal lists, as a share of the longer one; 0: none"`
}

// wordListFloor is the least number of words for which a list has a value, and
// wordListMost how many are compared.
const (
	wordListFloor = 4
	wordListMost  = 128
)

func (m WordLists) Name() string {
	if m.Edits > 0 {
		return "wordlists-edit"
	}
	return "wordlists"
}

func (m WordLists) Source() string {
	by := ""
	if m.Edits > 0 {
		by = fmt.Sprintf(", by edit distance to %.2g", m.Edits)
	}
	return fmt.Sprintf("Pugh, Henzinger 2003 (patent); %d of %d lists%s", m.Equal, m.Lists, by)
}
func (m WordLists) Threshold() float64 { return float64(m.Equal) / float64(m.Lists) }
func (WordLists) needs() need          { return needNothing }

func (m WordLists) check() error {
	if m.Equal > m.Lists {
		return fmt.Errorf("equal=%d of lists=%d: want no more than there are", m.Equal, m.Lists)
	}
	return nil
}

// Sign returns the values, or the lists, of each document.
func (m WordLists) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps a value of 8 bytes for each list, or with Edits the lists.
func (m WordLists) Scheme(*Collection) Scheme {
	if m.Edits > 0 {
		return m.edited()
	}
	return equalScheme(m.Lists, func(d Document) []uint64 {
		hashes, words := make([]uint64, m.Lists), make([]int, m.Lists)
		for _, t := range tallied(termsOf(tokensOf(d.Body), false)) { // sorted by term
			list := splitmix.Mix(t.term) % uint64(m.Lists)
			hashes[list] = chain(hashes[list], t.term)
			words[list]++
		}
		values := make([]uint64, m.Lists)
		for list, n := range words {
			if n >= wordListFloor {
				values[list] = splitmix.Mix(hashes[list]) | 1 // not zero, which means no value
			}
		}
		return values
	})
}

// edited keeps the lists: their lengths, then their words.
func (m WordLists) edited() Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			lists := make([][]uint64, m.Lists)
			met := make(map[uint64]bool)
			for _, t := range termsOf(tokensOf(d.Body), false) {
				if list := splitmix.Mix(t) % uint64(m.Lists); !met[t] && len(lists[list]) < wordListMost {
					met[t] = true
					lists[list] = append(lists[list], t)
				}
			}
			sketch := make([]uint64, m.Lists)
			for i, list := range lists {
				if len(list) >= wordListFloor {
					sketch[i] = uint64(len(list))
					sketch = append(sketch, list...)
				}
			}
			if len(sketch) == m.Lists {
				return nil
			}
			return sketch
		},
		Keys: func(s []uint64, _ float64, held func(uint64) int) []uint64 {
			var keys []uint64
			for _, list := range m.listsIn(s) {
				// Of two equal lists either has no more than so many words that the
				// other lacks.
				keys = append(keys, byRarity(list, held)[:min(len(list), m.mayDiffer(len(list))+1)]...)
			}
			return keys
		},
		Score: func(a, b []uint64) float64 {
			equal := 0
			theirs := m.listsIn(b)
			for i, list := range m.listsIn(a) {
				if n := max(len(list), len(theirs[i])); len(list) > 0 && len(theirs[i]) > 0 && within(list, theirs[i], m.mayDiffer(n)) {
					equal++
				}
			}
			return float64(equal) / float64(m.Lists)
		},
		Parts: func(s []uint64) []uint64 { return s[m.Lists:] },
		Bytes: words64,
	}
}

// mayDiffer is how many edits make an equal list of one of n words.
func (m WordLists) mayDiffer(n int) int { return int(m.Edits*float64(n) + ulps) }

// listsIn returns the lists of a sketch.
func (m WordLists) listsIn(s []uint64) [][]uint64 {
	lists := make([][]uint64, m.Lists)
	rest := s[m.Lists:]
	for i := range lists {
		lists[i], rest = rest[:s[i]], rest[s[i]:]
	}
	return lists
}

// within reports whether most edits or fewer make b of a (Levenshtein; only the diagonals
// that may matter are looked at, as Ukkonen has it).
func within(a, b []uint64, most int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most {
		return false
	}
	far := most + 1
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range before {
		before[j] = min(j, far)
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-most), min(len(b), i+most)
		row[from-1] = far
		if from == 1 {
			row[0] = min(i, far)
		}
		least := row[from-1]
		for j := from; j <= to; j++ {
			n := before[j-1]
			if a[i-1] != b[j-1] {
				n++
			}
			n = min(n, row[j-1]+1, far)
			if j < i+most { // it was looked at for the word before
				n = min(n, before[j]+1)
			}
			row[j] = n
			least = min(least, n)
		}
		if least > most {
			return false
		}
		before, row = row, before
	}
	return before[len(b)] <= most
}
