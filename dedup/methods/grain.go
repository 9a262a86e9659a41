package methods

import (
	"maps"
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/passage"
	"gatecrawl.example/gatecrawl/splitmix"
)

// Grain compares texts by paragraphs first, those that differ by sentences, and these by runs
// of three words (the dynamic grain of Zhang Junlin's survey, 2006, section 2.1). The survey
// gives no constants: how alike two documents are is the lesser of the shares of their words
// that the other has.
type Grain struct {
	Least float64 `option:"threshold" range:"0.01,1" about:"share of the words of each document that the other has"`
}

func (Grain) Name() string         { return "grain" }
func (Grain) Source() string       { return "dynamic grain, survey 2006; paragraphs, sentences, words" }
func (m Grain) Threshold() float64 { return m.Least }
func (Grain) needs() need          { return needNothing }

// Sign returns the words of each document with the ends of sentences and paragraphs.
func (m Grain) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps a word in 8 bytes.
func (m Grain) Scheme(*Collection) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			words := passage.GrainsOf(d.Body)
			if len(words) == 0 {
				return nil
			}
			return words
		},
		Keys: grainKeys,
		Score: func(a, b []uint64) float64 {
			ofA, ofB := passage.SharedByGrain(a, b)
			return min(ofA, ofB)
		},
		Bytes: words64,
		Parts: func(words []uint64) []uint64 { return slices.Collect(maps.Keys(placesOfKeys(words))) },
	}
}

// placesOfKeys returns what two texts may share, and the ranges of words of one that it is.
func placesOfKeys(words []uint64) map[uint64][][2]int {
	at := make(map[uint64][][2]int, len(words))
	passage.GrainKeys(words, func(key uint64, from, to int) {
		k := splitmix.Mix(key)
		at[k] = append(at[k], [2]int{from, to})
	})
	return at
}

// grainKeys returns the rarest of what a document may share, so many that the rest covers fewer
// words than a copy shares: two copies have one of theirs in common, since all that both have
// is otherwise in the rest of one of them (as in rarest).
func grainKeys(words []uint64, least float64, held func(uint64) int) []uint64 {
	at := placesOfKeys(words)
	need := int(math.Ceil(least*float64(len(words)) - ulps))
	covered, n := make([]bool, len(words)), 0
	ordered := byRarity(slices.Collect(maps.Keys(at)), held)
	for i, k := range slices.Backward(ordered) {
		for _, p := range at[k] {
			for w := p[0]; w < p[1]; w++ {
				if !covered[w] {
					covered[w] = true
					n++
				}
			}
		}
		if n >= need {
			return ordered[:i+1]
		}
	}
	return nil // all together they cover too few
}
