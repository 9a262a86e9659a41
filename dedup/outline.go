package dedup

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/purify"
)

// An outline is what the near level holds in memory of every kept page in addition to its SimHash.
// All outlines have the same size.
type outline struct {
	sketch [16]byte
	layout uint64
	facts  Facts
	tokens uint32
}

func outlineOf(s Signature) outline { return outline{s.Sketch, s.Layout, s.Facts, s.Tokens} }

// standsFor reports whether a kept document may stand for another one. A feed may not stand for a
// page: its items belong to other pages, and without the page there is nothing to read or to
// follow. A page may stand for a feed with the same text.
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

// pack encodes an outline: its fields in order, little-endian.
func (o outline) pack() (to index.Outline) {
	copy(to[:16], o.sketch[:])
	binary.LittleEndian.PutUint64(to[16:], o.layout)
	binary.LittleEndian.PutUint32(to[24:], o.facts.Title)
	binary.LittleEndian.PutUint32(to[28:], o.facts.Numbers)
	binary.LittleEndian.PutUint32(to[32:], o.tokens)
	return to
}

// unpackOutline decodes what pack encoded.
func unpackOutline(from index.Outline) outline {
	return outline{
		sketch: [16]byte(from[:16]),
		layout: binary.LittleEndian.Uint64(from[16:]),
		facts:  Facts{binary.LittleEndian.Uint32(from[24:]), binary.LittleEndian.Uint32(from[28:])},
		tokens: binary.LittleEndian.Uint32(from[32:]),
	}
}
