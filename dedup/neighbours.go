package dedup

import (
	"cmp"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// maxNeighbourReads is maxReads for Neighbours: a caller that asks for all can wait longer.
const maxNeighbourReads = 256

// Neighbours returns a verdict for every kept page that a document would be a copy of, were
// that the only one: the nearest first, by level, resemblance, distance and age. If there are
// more than limit, the first in that order are returned; 0 means no limit. The document itself is
// among them if it is a kept page. It decides as Check does, and nothing is changed. Either of the
// two can be the kept one, so that a feed and a page are no neighbours.
func (g *Gate) Neighbours(sig Signature, text *Text, limit int) ([]Verdict, error) {
	return g.neighbours(sig, text, limit, maxNeighbourReads)
}

// Nearest is Neighbours for a caller that waits for it at each page: as many texts are read as Check
// reads, the likeliest.
func (g *Gate) Nearest(sig Signature, text *Text, limit int) ([]Verdict, error) {
	return g.neighbours(sig, text, limit, maxReads)
}

func (g *Gate) neighbours(sig Signature, text *Text, limit, reads int) ([]Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var found []Verdict
	known := make(map[Ref]bool)
	add := func(v Verdict) {
		if v.Copy() && !known[v.Of] {
			known[v.Of] = true
			found = append(found, v)
		}
	}
	if err := g.equals(sig, add); err != nil {
		return nil, err
	}
	if g.o.comparable(sig) {
		q := query{sig, outlineOf(sig), text, reads}
		for _, c := range g.candidates(&q) {
			if known[Ref(c.doc)] || !q.outline.standsFor(g.outline(c.doc)) {
				continue
			}
			if text != nil && text.stub != nil && g.texts != nil {
				return nil, ErrTextNeeded
			}
			v, err := g.confirm(&q, c)
			if err != nil {
				return nil, err
			}
			add(v)
		}
	}
	if err := g.tables.Fault(); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.Similarity, a.Similarity),
			cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Of, b.Of))
	})
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return found, nil
}

// equals calls add with a verdict for each kept page that has the bytes of a
// document, then for each that has its body.
func (g *Gate) equals(sig Signature, add func(Verdict)) (err error) {
	look := func(doc DocID) bool {
		if g.isRetired(doc) {
			return true
		}
		kept, fault := g.signature(doc)
		if fault != nil {
			err = fault
			return false
		}
		if v := g.o.equal(kept, sig); v.Copy() && (v.Level == LevelBytes || outlineOf(sig).standsFor(outlineOf(kept))) {
			v.Of = Ref(doc)
			add(v)
		}
		return true
	}
	if !sig.Bytes.IsZero() {
		g.tables.Find(index.BytesHeads, sig.Bytes.head(), look)
	}
	if err == nil && g.o.comparable(sig) {
		g.tables.Find(index.BodyHeads, sig.Body.head(), look)
	}
	return err
}

// Reason says a verdict in words; "" for "new".
func (v Verdict) Reason() string {
	switch {
	case !v.Copy():
		return ""
	case v.Level == LevelBytes:
		return "same bytes as the kept page"
	case v.Level == LevelBody:
		return "same body as the kept page"
	case v.Level == LevelNear:
		return fmt.Sprintf("near the kept page: %d of 64 bits differ, about %.0f%% of the text is the same", v.Distance, 100*v.Similarity)
	}
	return "copy of the kept page"
}
