package methods

import (
	"fmt"
	"iter"
	"sort"

	"gatecrawl/dedup"
)

// Gate is this product's own: equal bodies, or a SimHash within k bits that the
// sketch confirms, with the default options but for k. Its score is the strictest
// MinSketch, as a share of all sketch values, under which the pair is still a
// pair of copies; so a sweep shows what another MinSketch would do.
type Gate struct {
	Distance int // k, 0 to dedup.MaxDistance
}

// sketchValues is the largest MinSketch, and looseSketch the smallest that is
// more than chance.
const (
	sketchValues = 128
	looseSketch  = sketchValues/2 + 1
)

func (m Gate) Name() string {
	if m.Distance == dedup.DefaultOptions().Distance {
		return "gate"
	}
	return fmt.Sprintf("gate-%d", m.Distance)
}

func (m Gate) Source() string {
	return fmt.Sprintf("SimHash with k = %d, confirmed by a sketch", m.Distance)
}

func (Gate) Threshold() float64 {
	return float64(dedup.DefaultOptions().MinSketch) / sketchValues
}

// Sign returns the signature of each document.
func (m Gate) Sign(docs []Document) Signatures {
	g := &gated{o: dedup.DefaultOptions(), sigs: make([]dedup.Signature, len(docs))}
	g.o.Distance = m.Distance
	for i, d := range docs {
		g.sigs[i] = dedup.SignText(d.Body)
	}
	return g
}

type gated struct {
	o    dedup.Options
	sigs []dedup.Signature
}

// Size counts what the gate's outline, its tables and the digest of the body
// hold of a document: digest, SimHash, sketch and the number of tokens.
func (g *gated) Size() int { return len(g.sigs) * (16 + 8 + 16 + 4) }

func (g *gated) Score(a, b int) float64 {
	copies := func(least int) bool {
		o := g.o
		o.MinSketch = least
		return o.Compare(g.sigs[a], g.sigs[b]).Copy()
	}
	// The first least from which on the pair is none.
	n := sort.Search(sketchValues-looseSketch+1, func(i int) bool { return !copies(looseSketch + i) })
	if n == 0 {
		return 0
	}
	return float64(looseSketch+n-1) / sketchValues
}

// Pairs is a scan: what the gate does at the size of a crawl is measured with
// the gate itself.
func (g *gated) Pairs(least float64) iter.Seq[Pair] {
	o := g.o
	o.MinSketch = looseSketch
	return func(yield func(Pair) bool) {
		for a, b := range every(len(g.sigs)) {
			if !o.Compare(g.sigs[a], g.sigs[b]).Copy() {
				continue
			}
			if s := g.Score(a, b); s >= least && !yield(Pair{a, b, s}) {
				return
			}
		}
	}
}
