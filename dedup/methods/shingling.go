package methods

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// A Sample says which shingles of a document are kept.
type Sample uint8

// The four ways of Broder (1997) and of those before him.
const (
	Whole    Sample = iota // all
	ModP                   // those whose hash is 0 modulo p
	EveryNth               // every n-th of the text
	Smallest               // the s smallest hashes
)

// Shingling compares sets of shingles, whole or sampled.
//
// Of the samples EveryNth is the weak one: a word put in moves every sample
// after it. It is here because it is simple and was used.
type Shingling struct {
	Words  int // tokens of a shingle, 4 to 10
	Sample Sample
	Every  int     // p, n or s of the sample, 1 or more; of Whole nothing
	Least  float64 // resemblance of copies, above 0 to 1
}

func (m Shingling) Name() string {
	return []string{"shingling", "shingling-mod", "shingling-nth", "shingling-min"}[m.Sample]
}

func (m Shingling) Source() string {
	kept := []string{"all", "those 0 modulo %d", "every %d-th", "the %d smallest"}[m.Sample]
	if m.Sample != Whole {
		kept = fmt.Sprintf(kept, m.Every)
	}
	return fmt.Sprintf("Broder 1997; %d words, %s", m.Words, kept)
}

func (m Shingling) Threshold() float64 { return m.Least }

// commonShingle is the number of documents above which a shingle of theirs is left
// out: it is a notice or a frame, and a posting list that costs (Broder 1997 drew
// the line there in 30 million documents).
const commonShingle = 1000

// withoutCommon leaves the common shingles out. A document that has no others
// keeps them.
func withoutCommon(sets [][]uint64) {
	if len(sets) <= commonShingle {
		return
	}
	holders := make(map[uint64]int)
	for _, list := range sets {
		for _, s := range list {
			holders[s]++
		}
	}
	common := func(s uint64) bool { return holders[s] > commonShingle }
	for i, list := range sets {
		if rare := slices.DeleteFunc(slices.Clone(list), common); len(rare) > 0 {
			sets[i] = rare
		}
	}
}

// Sign keeps the sample of each document.
func (m Shingling) Sign(docs []Document) Signatures {
	sets := make([][]uint64, len(docs))
	for i, d := range docs {
		sets[i] = m.sample(shinglesOf(tokensOf(d.Body), m.Words))
	}
	withoutCommon(sets)
	if m.Sample == Smallest {
		return smallest{m.Every, sets}
	}
	return shingleSets(sets)
}

// sample keeps one shingle at least, so that a short document has a signature.
func (m Shingling) sample(shingles []uint64) []uint64 {
	var kept []uint64
	switch m.Sample {
	case Whole:
		return set(shingles)
	case ModP:
		for _, s := range shingles {
			if s%uint64(m.Every) == 0 {
				kept = append(kept, s)
			}
		}
	case EveryNth:
		for i := 0; i < len(shingles); i += m.Every {
			kept = append(kept, shingles[i])
		}
	case Smallest:
		kept = set(shingles)
		kept = slices.Clone(kept[:min(m.Every, len(kept))])
	}
	if len(kept) == 0 && len(shingles) > 0 {
		kept = append(kept, slices.Min(shingles))
	}
	return set(kept)
}

// smallest are the s smallest shingles of each document. The s smallest of two
// documents' union are a sample of it, and of each it is known whether it is
// in both (Broder 1997).
type smallest struct {
	s    int
	sets [][]uint64
}

func (m smallest) Size() int { return stored(m.sets, 8) }

func (m smallest) Score(i, j int) float64 {
	a, b := m.sets[i], m.sets[j]
	both, n := 0, 0
	for ; n < m.s && len(a)+len(b) > 0; n++ {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(n)
}

// Pairs asks of candidates only one common shingle: the samples of two documents
// of different length may both be full and yet of different reach.
func (m smallest) Pairs(least float64) iter.Seq[Pair] {
	return scored(sharing(m.sets), least, m.Score)
}

// Containment compares sets of shingles by how much of the smaller document is
// in the larger one: it finds a quoted article, a page of a printed whole.
type Containment struct {
	Words int
	Least float64 // share of the smaller document, above 0 to 1
}

func (Containment) Name() string         { return "containment" }
func (m Containment) Source() string     { return fmt.Sprintf("Broder 1997; %d words, all", m.Words) }
func (m Containment) Threshold() float64 { return m.Least }

// Sign returns the set of shingles of each document.
func (m Containment) Sign(docs []Document) Signatures {
	return contained(Jaccard{Words: m.Words}.Sign(docs).(shingleSets))
}

type contained [][]uint64

func (s contained) Size() int { return stored(s, 8) }

func (s contained) Score(a, b int) float64 {
	both := common(s[a], s[b])
	if both == 0 {
		return 0
	}
	return float64(both) / float64(min(len(s[a]), len(s[b])))
}

// Pairs indexes all keys of a document and asks for the rarest of another: of
// the smaller document of a pair all but a share of least may be missing.
func (s contained) Pairs(least float64) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		posts := make(map[uint64][]int)
		for i, list := range s {
			for _, k := range list {
				posts[k] = append(posts[k], i)
			}
		}
		met := make([]int, len(s))
		for a, rarest := range rarestFirst(s) {
			need := int(math.Ceil(least*float64(len(rarest)) - ulps))
			for _, k := range rarest[:min(len(rarest), len(rarest)-need+1)] {
				for _, b := range posts[k] {
					// Of two sets of one size the earlier document asks.
					if met[b] == a+1 || a == b || len(s[b]) < len(s[a]) || len(s[b]) == len(s[a]) && b < a {
						continue
					}
					met[b] = a + 1
					if score := s.Score(a, b); score >= least && !yield(Pair{min(a, b), max(a, b), score}) {
						return
					}
				}
			}
		}
	}
}
