package dedup

import (
	"cmp"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// sampleBits is how many bits of a shingle are zero that is in a sample: one in eight is.
const sampleBits = 3

// maxSample bounds a sample: what it stands for has some 16,000 words.
const maxSample = 2048

// Sample returns 32 bits of each shingle of the body whose hash is 0 modulo 8, sorted (Broder
// 1997, Mod_m): the share of a sample that another one has estimates how much of the one text
// is in the other. It is nil of a page that is compared by its links.
func (t *Text) Sample() []uint32 {
	if t.Thin {
		return nil
	}
	if t.sampled != nil && t.sampledBody == t.Body {
		return sorted(slices.Clone(t.sampled))
	}
	if t.made != nil {
		return sorted(drawn(nil, t.made.shingles))
	}
	w := workbenches.Get().(*workbench)
	defer w.putAway()
	t.readBody(&w.tokens)
	w.shingles = token.Shingles(w.shingles[:0], &w.tokens)
	return sorted(drawn(nil, w.shingles))
}

// draw keeps what Sample will want, while the shingles of the body are at hand.
func (t *Text) draw(shingles []uint64) {
	if t.sampled == nil || t.sampledBody != t.Body {
		t.sampled, t.sampledBody = drawn(make([]uint32, 0, len(shingles)>>sampleBits*5/4+8), shingles), t.Body
	}
}

// drawn appends the values of the shingles that are in a sample.
func drawn(sample []uint32, shingles []uint64) []uint32 {
	for _, s := range shingles {
		if s&(1<<sampleBits-1) == 0 {
			sample = append(sample, uint32(s>>32))
		}
	}
	return sample
}

// sorted makes a sample of values that were drawn.
func sorted(sample []uint32) []uint32 {
	slices.Sort(sample)
	sample = slices.Compact(sample)
	return sample[:min(len(sample), maxSample)]
}

// Containment returns the share of each body's shingles that the other has, and how many both
// have (Broder 1997).
func Containment(a, b *Text) (ofA, ofB float64, both int) {
	x, y := a.reading().shingles, b.reading().shingles
	if both = hashset.Common(x, y); both == 0 {
		return 0, 0, 0
	}
	return float64(both) / float64(len(x)), float64(both) / float64(len(y)), both
}

// runInOne is how many words, or characters of a script without spaces, two texts have in a
// row where they share more than terms and phrases.
const runInOne = 16

// Shared returns the longest passages of a text that another has too, in their order, and the
// share of its words that stand in passages of at least 16.
func Shared(here, there *Text) (list []Passage, inOne float64) {
	p := token.CutPieces(here.Body)
	theirs := hashset.Of(token.CutPieces(there.Body).Runs())
	shared := make([]bool, len(p.At))
	for i, r := range p.Runs() {
		if hashset.Has(theirs, r) {
			for j := i; j < min(i+token.RunPieces, len(shared)); j++ {
				shared[j] = true
			}
		}
	}
	var spans [][2]int // of pieces
	for i := 0; i < len(shared); i++ {
		from := i
		for i < len(shared) && shared[i] {
			i++
		}
		if i > from {
			spans = append(spans, [2]int{from, i})
		}
		if i-from >= runInOne {
			inOne += float64(i-from) / float64(len(shared))
		}
	}
	slices.SortStableFunc(spans, func(a, b [2]int) int { return cmp.Compare(size(p, b), size(p, a)) })
	spans = spans[:min(len(spans), maxPassages)]
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	for _, s := range spans {
		list = append(list, Passage{Text: oneLine(p.Text[p.At[s[0]][0]:p.At[s[1]-1][1]])})
	}
	return list, inOne
}
