package dedup

import "math/bits"

// Compare says what a gate that keeps only the document a would answer for b by
// the signatures alone, whether or not its tables bring them together, with 1
// for a's DocID.
func (o Options) Compare(a, b Signature) Verdict {
	v := Verdict{Of: 1, Similarity: 1, Class: FullContent}
	same := sameLayout(a.Layout, b.Layout)
	x, y := outlineOf(a), outlineOf(b)
	equal := agree(a.Sketch, b.Sketch)
	switch {
	case o.Mode == ModeOff:
		return Verdict{}
	case !a.Bytes.IsZero() && a.Bytes == b.Bytes:
		v.Level, v.Class = LevelBytes, FullLayout
		return v
	case a.Body.IsZero() || b.Body.IsZero() || int(min(a.Tokens, b.Tokens)) < o.MinTokens || !x.around(y):
		return Verdict{}
	case a.Body == b.Body:
		v.Level = LevelBody
		if same {
			v.Class = FullLayout
		}
		return v
	case !o.confirmBySketch(x, y, equal):
		return Verdict{}
	}
	v.Level, v.Class, v.Similarity = LevelNear, PartialContent, resemblance(equal)
	v.Distance = bits.OnesCount64(a.SimHash ^ b.SimHash)
	if same {
		v.Class = PartialLayout
	}
	return v
}

// A Comparer answers for any two documents of a collection what a gate would
// that has kept one of them. It serves whoever scores the gate on pairs: a gate
// itself asks its tables. It may be used from one goroutine.
type Comparer struct {
	o        Options
	texts    []Text
	sigs     []Signature
	readings []*reading // nil: not asked for yet
}

// NewComparer signs the documents of a collection.
func NewComparer(o Options, texts []Text) *Comparer {
	c := &Comparer{o: o, texts: texts, sigs: make([]Signature, len(texts)), readings: make([]*reading, len(texts))}
	for i, t := range texts {
		c.sigs[i] = t.Sign()
	}
	return c
}

// Meet reports whether the tables of a gate bring two documents together.
func (c *Comparer) Meet(a, b int) bool {
	x, y := &c.sigs[a], &c.sigs[b]
	return x.Body == y.Body || bits.OnesCount64(x.SimHash^y.SimHash) <= c.o.Distance || x.Bands.shares(&y.Bands, c.o.Bands)
}

// Compare answers for b by a, whether or not they meet, with 1 for a's DocID.
// The similarity is exact.
func (c *Comparer) Compare(a, b int) Verdict {
	x, y := &c.sigs[a], &c.sigs[b]
	switch {
	case c.o.Mode == ModeOff || x.Body.IsZero() || y.Body.IsZero():
		return Verdict{}
	case int(min(x.Tokens, y.Tokens)) < c.o.MinTokens:
		return Verdict{}
	case x.Body == y.Body:
		return Verdict{Of: 1, Level: LevelBody, Class: FullContent, Similarity: 1}
	case agree(x.Sketch, y.Sketch) < c.o.doubtFrom():
		return Verdict{}
	}
	j, same := c.o.confirm(c.reading(a), c.reading(b))
	if !same {
		return Verdict{}
	}
	return Verdict{
		Of: 1, Level: LevelNear, Class: PartialContent,
		Distance: bits.OnesCount64(x.SimHash ^ y.SimHash), Similarity: j,
	}
}

func (c *Comparer) reading(i int) *reading {
	if c.readings[i] == nil {
		c.readings[i] = read(c.texts[i])
	}
	return c.readings[i]
}
