package dedup

import (
	"cmp"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// maxNeighbourReads is maxReads for Neighbours: a caller who asks for all neighbours can wait
// longer.
const maxNeighbourReads = 256

// Neighbours returns a verdict for every kept page that a document would be a copy of if that were
// the only kept page. They are sorted by level, resemblance, distance and age, the nearest first;
// if there are more than limit, the first ones are returned; 0 means no limit. The document itself
// is among them if it is a kept page. Neighbours decides as Check does, and changes nothing. Unlike
// in Check, either document may be the kept one, so a feed and a page are never neighbours.
func (g *Gate) Neighbours(sig Signature, text *Text, limit int) ([]Verdict, error) {
	copies, _, err := g.neighbours(sig, text, maxNeighbourReads, false)
	return atMost(limit, copies), err
}

// Nearest is Neighbours for a caller that calls it for each page: it reads only as many texts as
// Check does, the likeliest.
func (g *Gate) Nearest(sig Signature, text *Text, limit int) ([]Verdict, error) {
	copies, _, err := g.neighbours(sig, text, maxReads, false)
	return atMost(limit, copies), err
}

// A Neighbour is a kept page that a document would be a copy of, or one that resembles it and is
// another document.
type Neighbour struct {
	Verdict
	Apart Rule // the rule that tells the two apart; "": the document would be its copy
}

// Resembling returns what Neighbours returns, followed by the kept pages that resemble a document
// and are other documents, each with the rule that tells it apart: at most limit of these too, the
// most similar first. Of the pages that Options.Distance and Options.Bands bring together, those
// that have half of their texts in common count.
func (g *Gate) Resembling(sig Signature, text *Text, limit int) ([]Neighbour, error) {
	copies, others, err := g.neighbours(sig, text, maxNeighbourReads, true)
	if err != nil {
		return nil, err
	}
	var found []Neighbour
	for _, v := range atMost(limit, copies) {
		found = append(found, Neighbour{Verdict: v})
	}
	slices.SortFunc(others, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Of, b.Of))
	})
	return append(found, atMost(limit, others)...), nil
}

// Resembles is the share of their texts that two documents must have in common to resemble each
// other.
const Resembles = 0.5

func atMost[T any](limit int, found []T) []T {
	if limit > 0 && len(found) > limit {
		return found[:limit]
	}
	return found
}

// neighbours is Neighbours without a limit. With wantOthers it also returns the kept pages that
// resemble the document and are other documents, in no order.
func (g *Gate) neighbours(sig Signature, text *Text, reads int, wantOthers bool) (copies []Verdict, others []Neighbour, err error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	known := make(map[Ref]bool)
	add := func(v Verdict) {
		if !known[v.Of] {
			known[v.Of] = true
			copies = append(copies, v)
		}
	}
	if err := g.equals(sig, text, add); err != nil {
		return nil, nil, err
	}
	if g.o.comparable(sig) {
		q := query{sig, outlineOf(sig), text, reads}
		for _, c := range g.candidates(&q, new(lookup)) {
			either := q.outline.standsFor(g.outline(c.doc))
			if known[Ref(c.doc)] || !either && !wantOthers {
				continue
			}
			if text != nil && text.stub != nil && g.texts != nil {
				return nil, nil, ErrTextNeeded
			}
			of, err := g.judge(&q, c)
			if err != nil {
				return nil, nil, err
			}
			if of.same() && !either || !of.same() && (!wantOthers || of.j < Resembles) {
				continue
			}
			v, err := g.nearVerdict(sig, c.doc, of)
			if err != nil {
				return nil, nil, err
			}
			if of.same() {
				add(v)
			} else {
				others = append(others, Neighbour{v, of.apart})
			}
		}
	}
	if err := g.tables.Fault(); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(copies, func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.Similarity, a.Similarity),
			cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Of, b.Of))
	})
	return copies, others, nil
}

// equals calls add with a verdict for each kept page that has the bytes of a document, then for
// each that has its body.
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
	if err == nil && g.o.hasDigest(sig) {
		g.tables.Find(index.BodyHeads, sig.Body.head(), look)
	}
	return err
}

// Reason returns the verdict in words; "" for "new".
func (v Verdict) Reason() string {
	switch {
	case !v.Copy():
		return ""
	case v.Level == LevelBytes:
		return "same bytes as the kept page"
	case v.Level == LevelBody:
		return "same body as the kept page"
	case v.Level == LevelNear:
		return fmt.Sprintf("near the kept page: %d of 64 bits differ, %s", v.Distance, v.sameShare())
	}
	return "copy of the kept page"
}

// sameShare is SameShare for a verdict.
func (v Verdict) sameShare() string { return SameShare(v.Similarity) }

// SameShare says in words how much of the compared text is the same. The compared text is not all
// of two pages: it leaves out what their sites repeat, and where the bodies decide it is only what
// purify chose. So all of it may be the same although bits of the SimHashes differ.
func SameShare(similarity float64) string {
	const compared = "of the compared text is the same"
	switch {
	case similarity >= 1:
		return "all " + compared
	case similarity > .99:
		return "more than 99% " + compared
	}
	return fmt.Sprintf("about %.0f%% %s", 100*similarity, compared)
}

// HasCandidates reports whether there may be another kept page that a kept page is near: whether the
// gate's tables have one that Check would compare it with.
func (g *Gate) HasCandidates(doc DocID, sig Signature) (bool, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if !g.o.comparable(sig) {
		return false, nil
	}
	q := query{sig, outlineOf(sig), new(Text), maxReads}
	for _, c := range g.candidates(&q, &lookup{gate: g}) { // without the sketch of its edge, which needs its text
		if c.doc != doc {
			return true, g.tables.Fault()
		}
	}
	return false, g.tables.Fault()
}
