package methods

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
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
// Of the samples EveryNth is the weak one: a word put in moves every sample after it. It is
// here because it is simple and was used.
type Shingling struct {
	Words  int     `option:"words" range:"1,32" about:"tokens of a shingle"`
	Sample Sample  // which shingles are kept
	Every  int     `option:"sample" range:"0,4096" about:"p, n or s of the sample; 0: all"`
	Rabin  int     `option:"rabin" range:"0,61" about:"bits of a Rabin fingerprint, 8 or more; 0: 64 bits of another hash"`
	Least  float64 `option:"threshold" range:"0.01,1" about:"resemblance of copies"`
}

func (m Shingling) Name() string {
	if m.Rabin > 0 {
		return "shingling-rabin"
	}
	return []string{"shingling", "shingling-mod", "shingling-nth", "shingling-min"}[m.Sample]
}

func (m Shingling) Source() string {
	kept := []string{"all", "those 0 modulo %d", "every %d-th", "the %d smallest"}[m.Sample]
	if m.Sample != Whole {
		kept = fmt.Sprintf(kept, m.Every)
	}
	if m.Rabin > 0 {
		return fmt.Sprintf("Broder 1997; %d words, Rabin fingerprints of %d bits, %s", m.Words, m.Rabin, kept)
	}
	return fmt.Sprintf("Broder 1997; %d words, %s", m.Words, kept)
}

func (m Shingling) Threshold() float64 { return m.Least }
func (Shingling) needs() need          { return needNothing }

func (m Shingling) check() error {
	switch {
	case m.Sample == Whole && m.Every > 0:
		return fmt.Errorf("sample=%d: all shingles are kept; shingling-mod, shingling-nth and shingling-min take a sample", m.Every)
	case m.Sample != Whole && m.Every == 0:
		return errors.New("sample=0: want p, n or s of the sample, 1 or more; shingling keeps all")
	case m.Rabin > 0 && m.Rabin < 8:
		return fmt.Errorf("rabin=%d: want 8 bits or more, or 0", m.Rabin)
	}
	return nil
}

// commonShingle is the number of documents above which a shingle of theirs is left
// out: it is a notice or a frame, and a posting list that costs (Broder 1997 drew
// the line there in 30 million documents).
const commonShingle = 1000

// withoutCommon leaves the common shingles out. A document that has no others keeps them.
func withoutCommon(shingles []uint64, held func(uint64) int) []uint64 {
	isCommon := func(s uint64) bool { return held(s) > commonShingle }
	if !slices.ContainsFunc(shingles, isCommon) {
		return shingles
	}
	if rare := slices.DeleteFunc(slices.Clone(shingles), isCommon); len(rare) > 0 {
		return rare
	}
	return shingles
}

// Sign keeps the sample of each document.
func (m Shingling) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the sample.
func (m Shingling) Scheme(*Collection) Scheme {
	shingles := func(d Document) []uint64 { return shinglesOf(tokensOf(d.Body), m.Words) }
	if m.Rabin > 0 {
		r := newRabin(m.Rabin, m.Words)
		shingles = func(d Document) []uint64 { return r.shingles(d.Body) }
	}
	s := jaccardScheme(func(d Document) []uint64 { return m.sample(shingles(d)) })
	s.Trim = withoutCommon
	if m.Rabin > 0 {
		s.Bytes = func(sketch []uint64) int { return (len(sketch)*m.Rabin + 7) / 8 }
	}
	if m.Sample == Smallest {
		s.Score = func(a, b []uint64) float64 { return ofSmallest(a, b, m.Every) }
		// The samples of two documents of different length may both be full and yet of
		// different reach: of candidates one common shingle is asked.
		s.Keys = func(sketch []uint64, _ float64, _ func(uint64) int) []uint64 { return sketch }
	}
	return s
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

// ofSmallest estimates the resemblance by the n smallest shingles of each document. The n
// smallest of two documents' union are a sample of it, and of each it is known whether it
// is in both (Broder 1997).
func ofSmallest(a, b []uint64, most int) float64 {
	both, n := 0, 0
	for ; n < most && len(a)+len(b) > 0; n++ {
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

// Containment compares sets of shingles by how much of the smaller document is
// in the larger one: it finds a quoted article, a page of a printed whole.
type Containment struct {
	Words int     `option:"words" range:"1,32" about:"tokens of a shingle"`
	Least float64 `option:"threshold" range:"0.01,1" about:"share of the smaller document"`
}

func (Containment) Name() string         { return "containment" }
func (m Containment) Source() string     { return fmt.Sprintf("Broder 1997; %d words, all", m.Words) }
func (m Containment) Threshold() float64 { return m.Least }

func (Containment) needs() need { return needNothing }

// Sign returns the set of shingles of each document.
func (m Containment) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the set of shingles. All of them are keys: of the smaller document all but
// a share of the threshold may be missing, and no document knows whether it is the smaller.
func (m Containment) Scheme(*Collection) Scheme {
	s := jaccardScheme(func(d Document) []uint64 { return set(shinglesOf(tokensOf(d.Body), m.Words)) })
	s.Keys = func(sketch []uint64, _ float64, _ func(uint64) int) []uint64 { return sketch }
	s.Score = func(a, b []uint64) float64 { return float64(hashset.Common(a, b)) / float64(min(len(a), len(b))) }
	s.pairs = func(sketches [][]uint64, least float64) iter.Seq[Pair] { return containing(sketches, least, s.Score) }
	return s
}

// containing indexes all keys of a document and asks for the rarest of another: of
// the smaller document of a pair all but a share of least may be missing.
func containing(s [][]uint64, least float64, score func(a, b []uint64) float64) iter.Seq[Pair] {
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
					if score := score(s[a], s[b]); score >= least && !yield(Pair{min(a, b), max(a, b), score}) {
						return
					}
				}
			}
		}
	}
}
