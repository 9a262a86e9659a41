package methods

import (
	"fmt"
	"iter"

	"gatecrawl.example/gatecrawl/dedup"
)

// Gate is this product's own: equal bodies, or bodies that its tables bring
// together and whose texts resemble each other enough, with the default options
// but for k and Resemblance. Its score is the resemblance, so a sweep shows what
// another threshold would do.
//
// A pair that is asked about is compared at once: that tables would have to bring
// it together concerns collections, and Pairs.
type Gate struct {
	Distance int     `option:"distance" range:"0,6" about:"k, bits of SimHash that may differ"`
	Least    float64 `option:"threshold" range:"0.01,1" about:"resemblance of copies"`
}

func (m Gate) Name() string {
	if m.Distance == dedup.DefaultOptions().Distance {
		return "gate"
	}
	return fmt.Sprintf("gate-%d", m.Distance)
}

func (m Gate) Source() string {
	o := dedup.DefaultOptions()
	return fmt.Sprintf("SimHash with k = %d or %d bands of a sketch, confirmed by the texts", m.Distance, o.Bands)
}

func (m Gate) Threshold() float64 { return m.Least }

// Sign returns the signature of each document.
func (m Gate) Sign(docs []Document) Signatures {
	o := dedup.DefaultOptions()
	o.Distance, o.Resemblance = m.Distance, SweepFrom(m.Least)
	texts := make([]dedup.Text, len(docs))
	for i, d := range docs {
		texts[i] = dedup.Text{Title: d.Title, Body: d.Body}
	}
	return &gated{dedup.NewComparer(o, texts), len(docs)}
}

type gated struct {
	*dedup.Comparer
	docs int
}

// Size counts what the gate's tables hold of a document and its body's digest:
// digest, SimHash, outline and bands.
func (g *gated) Size() int { return g.docs * (16 + 8 + 36 + 4*dedup.DefaultOptions().Bands) }

func (g *gated) Score(a, b int) float64 { return g.Compare(a, b).Similarity }

// Pairs is a scan: what the gate does at the size of a crawl is measured with
// the gate itself.
func (g *gated) Pairs(least float64) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for a, b := range every(g.docs) {
			if !g.Meet(a, b) {
				continue
			}
			if s := g.Score(a, b); s >= least && !yield(Pair{a, b, s}) {
				return
			}
		}
	}
}

// SweepFrom returns the lowest threshold at which a method is tried: three times as far
// from 1 as the method's own, but not below half of it. With k = 3 that is
// k = 9.
func SweepFrom(threshold float64) float64 {
	return max(3*threshold-2, threshold/2)
}
