package dedup

import "math/bits"

// Compare says what a gate that keeps only the document a would answer for b,
// with 1 for a's DocID. It serves whoever scores the gate on pairs: a gate
// itself asks its tables.
func (o Options) Compare(a, b Signature) Verdict {
	v := Verdict{Of: 1, Similarity: 1, Class: FullContent}
	same := sameLayout(a.Layout, b.Layout)
	switch {
	case o.Mode == ModeOff:
		return Verdict{}
	case !a.Bytes.IsZero() && a.Bytes == b.Bytes:
		v.Level, v.Class = LevelBytes, FullLayout
		return v
	case a.Body.IsZero() || b.Body.IsZero():
		return Verdict{}
	case a.Body == b.Body:
		v.Level = LevelBody
		if same {
			v.Class = FullLayout
		}
		return v
	}
	short := min(a.Tokens, b.Tokens)
	equal := agree(a.Sketch, b.Sketch)
	v.Distance = bits.OnesCount64(a.SimHash ^ b.SimHash)
	if int(short) < o.MinTokens || v.Distance > o.Distance || equal < o.least(short < shortBody) {
		return Verdict{}
	}
	v.Level, v.Class, v.Similarity = LevelNear, PartialContent, resemblance(equal)
	if same {
		v.Class = PartialLayout
	}
	return v
}
