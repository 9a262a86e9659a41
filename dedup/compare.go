package dedup

import (
	"math/bits"

	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
)

// Compare returns what a gate that has kept only the document a would answer for b by the
// signatures alone. It does not ask whether the gate's tables would bring the two together. In the
// verdict a has the DocID 1.
func (o Options) Compare(a, b Signature) Verdict {
	if v := o.equal(a, b); v.Copy() || !o.comparable(a) || !o.comparable(b) {
		return v
	}
	x, y := outlineOf(a), outlineOf(b)
	equal := sketch.Agree(a.Sketch, b.Sketch)
	if o.Mode == ModeOff || !x.standsFor(y) {
		return Verdict{}
	}
	found := o.compareSketches(x, y, equal)
	if !found.same() {
		return Verdict{}
	}
	return nearVerdict(1, a, b, found.j, false)
}

// equal is Compare for the levels of equal bytes and equal bodies.
func (o Options) equal(a, b Signature) Verdict {
	switch {
	case o.Mode == ModeOff:
	case !a.Bytes.IsZero() && a.Bytes == b.Bytes:
		return Verdict{Of: 1, Level: LevelBytes, Class: FullLayout, Similarity: 1}
	case o.hasDigest(a) && b.hasBodyOf(a):
		return Verdict{Of: 1, Level: LevelBody, Class: classOf(true, sameLayout(a.Layout, b.Layout)), Similarity: 1}
	}
	return Verdict{}
}

// comparable reports whether a body is long enough to be compared.
func (o Options) comparable(s Signature) bool {
	return !s.Body.IsZero() && int(s.Tokens) >= o.MinTokens
}

// hasDigest reports whether a body is compared by its digest: it is long enough, or the digest has its place in a manual too.
func (o Options) hasDigest(s Signature) bool {
	return o.comparable(s) || !s.Body.IsZero() && s.Tokens == 0
}

// nearVerdict returns the verdict that a document is a near copy of a kept one. full says that it
// has the same content, and not only parts of it.
func nearVerdict(doc DocID, kept, sig Signature, similarity float64, full bool) Verdict {
	return Verdict{
		Of: Ref(doc), Level: LevelNear, Class: classOf(full, sameLayout(sig.Layout, kept.Layout)),
		Distance: bits.OnesCount64(sig.SimHash ^ kept.SimHash), Similarity: similarity,
	}
}

// A Comparer answers for any two documents of a collection as a gate would that has kept one of
// them. It is for measuring the gate's decisions on pairs; a gate itself finds candidates in its
// tables. It may be used from one goroutine at a time.
type Comparer struct {
	o     Options
	texts []Text
	sigs  []Signature
}

// NewComparer signs the documents of a collection.
func NewComparer(o Options, texts []Text) *Comparer {
	c := &Comparer{o: o, texts: texts, sigs: make([]Signature, len(texts))}
	for i := range texts {
		c.sigs[i] = texts[i].Sign()
		texts[i].cut, texts[i].joined = nil, nil
	}
	return c
}

// Meet reports whether the tables of a gate would bring two documents together.
func (c *Comparer) Meet(a, b int) bool {
	x, y := &c.sigs[a], &c.sigs[b]
	return x.Body == y.Body || bits.OnesCount64(x.SimHash^y.SimHash) <= c.o.Distance || x.Bands.Shares(&y.Bands, c.o.Bands)
}

// Compare answers for b with a as the kept page, whether or not they meet. In the verdict a has the
// DocID 1. The similarity is exact.
func (c *Comparer) Compare(a, b int) Verdict {
	x, y := c.sigs[a], c.sigs[b]
	v := c.o.equal(x, y)
	if a, b := &c.texts[a], &c.texts[b]; v.Level == LevelBody && !b.decides() && !c.o.oneBody(outlineOf(y), outlineOf(x), b.reading(), a.reading()) {
		v = Verdict{}
	}
	switch {
	case v.Copy() || c.o.Mode == ModeOff || !c.o.comparable(x) || !c.o.comparable(y):
		return v
	case sketch.Agree(x.Sketch, y.Sketch) < c.o.doubtFrom(), !outlineOf(x).standsFor(outlineOf(y)):
		return Verdict{}
	}
	found := c.o.compareReadings(outlineOf(x), outlineOf(y), c.texts[a].reading(), c.texts[b].reading())
	if !found.same() {
		return Verdict{}
	}
	return nearVerdict(1, x, y, found.j, sameContent(&c.texts[a], &c.texts[b]))
}
