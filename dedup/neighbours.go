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

// A Neighbour is a kept page that a document would be a copy of, or that resembles it and is another one.
type Neighbour struct {
	Verdict
	Apart Rule // why it is another one; "": the document would be its copy
}

// Resembling is Neighbours, and then the kept pages that resemble a document and are other ones, with the
// rule that says so: at most limit of these too, the most similar first. Of those that Options.Distance and
// Options.Bands bring together it returns the ones that have half of their texts in common.
func (g *Gate) Resembling(sig Signature, text *Text, limit int) ([]Neighbour, error) {
	copies, err := g.Neighbours(sig, text, limit)
	if err != nil {
		return nil, err
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	found := make([]Neighbour, 0, len(copies))
	for _, v := range copies {
		found = append(found, Neighbour{Verdict: v})
	}
	others, err := g.others(sig, text)
	slices.SortFunc(others, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Of, b.Of))
	})
	if limit > 0 && len(others) > limit {
		others = others[:limit]
	}
	return append(found, others...), err
}

// resembles is the share of two texts that two documents have in common at least that resemble each other.
const resembles = 0.5

// others returns the kept pages that resemble a document and are other ones, in no order.
func (g *Gate) others(sig Signature, text *Text) (found []Neighbour, err error) {
	if !g.o.comparable(sig) {
		return nil, nil
	}
	q := query{sig, outlineOf(sig), text, maxNeighbourReads}
	for _, c := range g.candidates(&q) {
		of, err := g.judge(&q, c)
		if err != nil {
			return nil, err
		}
		if of.same() || of.j < resembles {
			continue
		}
		v, err := g.nearVerdict(sig, c.doc, of)
		if err != nil {
			return nil, err
		}
		found = append(found, Neighbour{v, of.apart})
	}
	return found, g.tables.Fault()
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
	if err := g.equals(sig, text, add); err != nil {
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
func (g *Gate) equals(sig Signature, text *Text, add func(Verdict)) (err error) {
	look := func(doc DocID) bool {
		if g.isRetired(doc) {
			return true
		}
		kept, fault := g.signature(doc)
		if fault != nil {
			err = fault
			return false
		}
		v := g.o.equal(kept, sig)
		is := v.Level == LevelBytes
		if v.Level == LevelBody && outlineOf(sig).standsFor(outlineOf(kept)) {
			is, err = g.hasBody(sig, text, doc, kept)
		}
		if is {
			v.Of = Ref(doc)
			add(v)
		}
		return err == nil
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
