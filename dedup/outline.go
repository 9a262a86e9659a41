package dedup

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/purify"
)

// An outline is what the near level holds in memory of every kept page beyond its
// SimHash. It has the same size in all of them.
type outline struct {
	sketch [16]byte
	layout uint64
	facts  Facts
	tokens uint32
}

func outlineOf(s Signature) outline { return outline{s.Sketch, s.Layout, s.Facts, s.Tokens} }

// standsFor reports whether a kept document may stand for another. A feed does not for a page: what
// it lists is another's, and without the page there is nothing to read or to follow. A page does for
// a feed that has nothing else.
func (o outline) standsFor(other outline) bool {
	return o.layout != purify.FeedLayout || other.layout == purify.FeedLayout
}

// hasBodyOf reports whether a document has the body of a kept one that may stand for it.
func (s Signature) hasBodyOf(kept Signature) bool {
	if s.Body != kept.Body {
		return false
	}
	x, y := outlineOf(s), outlineOf(kept)
	return y.standsFor(x) && x.around(y)
}

// pack writes an outline, little-endian in the order of its fields.
func (o outline) pack() (to index.Outline) {
	copy(to[:16], o.sketch[:])
	binary.LittleEndian.PutUint64(to[16:], o.layout)
	binary.LittleEndian.PutUint32(to[24:], o.facts.Title)
	binary.LittleEndian.PutUint32(to[28:], o.facts.Numbers)
	binary.LittleEndian.PutUint32(to[32:], o.tokens)
	return to
}

// unpackOutline undoes pack.
func unpackOutline(from index.Outline) outline {
	return outline{
		sketch: [16]byte(from[:16]),
		layout: binary.LittleEndian.Uint64(from[16:]),
		facts:  Facts{binary.LittleEndian.Uint32(from[24:]), binary.LittleEndian.Uint32(from[28:])},
		tokens: binary.LittleEndian.Uint32(from[32:]),
	}
}
