package mainpart

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// A Pair is two parts, by their indexes with A below B, and their resemblance.
type Pair struct {
	A, B        int
	Resemblance float64
}

// Resemblance returns how alike two parts are, 0 to 1: the Jaccard coefficient of their sets of
// runs of three words, where a character of a script without spaces is a word and four of them
// are a run. If both are lists it is the mean of that and of the coefficient of what they link
// to: two lists of the same short titles may lead to other pages, and the same links may come
// in another order. On the ten sites of TestAgreementWithSites, before their frames were cut as
// now, of the pairs that were called copies at .8 the mean had .975 right, runs .973 and links
// .943; it found .969 of those at .9, runs .964, links .972.
func Resemblance(a, b Part) float64 {
	x, y := setsOf(a), setsOf(b)
	return x.resemblance(y)
}

// Key returns a key that equal parts share: of their words, and for lists also of what they
// link to.
func (p Part) Key() string {
	words, _ := wordsOf(p.Text)
	return strings.Join(words, " ") + "\n" + strings.Join(p.Links, "\n")
}

// A sets has the two sets of hashes that a part is compared by.
type sets struct {
	runs, links []uint64
}

func setsOf(p Part) sets { return sets{runs: runsOf(p.Text), links: hashes(p.Links)} }

func (s sets) resemblance(o sets) float64 {
	if len(s.links) > 0 && len(o.links) > 0 {
		return (jaccard(s.links, o.links) + jaccard(s.runs, o.runs)) / 2
	}
	return jaccard(s.runs, o.runs)
}

// Copies returns the pairs of parts without doubt whose resemblance is least or
// more, by place. All are found.
func Copies(parts []Part, least float64) []Pair {
	all := make([]sets, len(parts))
	for i, p := range parts {
		if p.Doubt == "" {
			all[i] = setsOf(p)
		}
	}
	found := make(map[[2]int]bool)
	for _, of := range []func(sets) []uint64{func(s sets) []uint64 { return s.runs }, func(s sets) []uint64 { return s.links }} {
		for pair := range sharing(all, of, least) {
			found[pair] = true
		}
	}
	var pairs []Pair
	for p := range found {
		if j := all[p[0]].resemblance(all[p[1]]); j >= least {
			pairs = append(pairs, Pair{p[0], p[1], j})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return pairs
}

// sharing returns the pairs that may have a Jaccard coefficient of least or more. Two such sets
// share one of their rarest keys: of n keys, all but least * n, and one more (Chaudhuri, Ganti,
// Kaushik 2006, "prefix filter").
func sharing(all []sets, of func(sets) []uint64, least float64) map[[2]int]bool {
	count := make(map[uint64]int)
	for _, s := range all {
		for _, k := range of(s) {
			count[k]++
		}
	}
	with := make(map[uint64][]int)
	pairs := make(map[[2]int]bool)
	for i, s := range all {
		keys := slices.Clone(of(s))
		slices.SortFunc(keys, func(a, b uint64) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
		n := len(keys)
		needed := int(least * float64(n))
		for _, k := range keys[:max(0, min(n, n-needed+1))] {
			for _, j := range with[k] {
				if m := len(of(all[j])); float64(min(n, m)) >= least*float64(max(n, m)) {
					pairs[[2]int{j, i}] = true
				}
			}
			with[k] = append(with[k], i)
		}
	}
	return pairs
}

func jaccard(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// runsOf returns the sorted hashes of a text's runs. A text shorter than a run is
// one.
func runsOf(text string) []uint64 {
	words, single := wordsOf(text)
	length := 3
	if 2*single > len(words) {
		length = 4
	}
	var keys []uint64
	if len(words) > 0 && len(words) < length {
		length = len(words)
	}
	for i := 0; i+length <= len(words) && length > 0; i++ {
		keys = append(keys, xxhash.Sum64String(strings.Join(words[i:i+length], " ")))
	}
	return set(keys)
}

// Units returns how many words a text has; a character of a script without
// spaces is one.
func Units(text string) int {
	words, _ := wordsOf(text)
	return len(words)
}

// wordsOf splits a text into words in lower case and characters of scripts
// without spaces, and counts these.
func wordsOf(text string) (words []string, single int) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			end()
			words = append(words, string(r))
			single++
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			word.WriteRune(unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	return words, single
}

func hashes(list []string) []uint64 {
	keys := make([]uint64, len(list))
	for i, s := range list {
		keys[i] = xxhash.Sum64String(s)
	}
	return set(keys)
}

// set sorts keys and drops repeated ones.
func set(keys []uint64) []uint64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}
