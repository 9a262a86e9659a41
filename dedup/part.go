package dedup

import (
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// sampleBits is how many bits of a shingle are zero that is in a sample: one in eight is.
const sampleBits = 3

// maxSample bounds a sample: it represents some 16,000 words.
const maxSample = 2048

// SaysLittle reports whether a page says little but links: such a page is never a part of
// another.
func (t *Text) SaysLittle() bool { return t.Thin && t.plain < ownText }

// Sample returns 32 bits of each shingle of the body whose hash is 0 modulo 8, sorted (Broder
// 1997, Mod_m): the share of a sample that another one has estimates how much of the one text
// is in the other. It is nil of a page that says little but links.
func (t *Text) Sample() []uint32 {
	if t.SaysLittle() {
		return nil
	}
	if t.sampled != nil && t.sampledBody == t.Body {
		return sorted(slices.Clone(t.sampled))
	}
	if t.made != nil {
		return sorted(drawn(nil, t.made.shingles))
	}
	w := signers.Get().(*signer)
	defer w.release()
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
