package dedup

import (
	"cmp"
	"fmt"
	"slices"
)

// Neighbours returns a verdict for every keeper that a document would be a copy
// of, were that the only one: the nearest first, by level, resemblance, distance
// and age. Where there are more than limit, the first in that order are
// returned; 0 is no limit. The document itself is among them if it is a keeper.
// The signatures decide alone, and nothing is changed.
func (g *Gate) Neighbours(sig Signature, limit int) ([]Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	docs := make(map[DocID]bool)
	if !sig.Bytes.IsZero() {
		g.tables.find(bytesHeads, sig.Bytes.head(), func(doc DocID) bool { docs[doc] = true; return true })
	}
	if g.comparable(sig) {
		g.tables.find(bodyHeads, sig.Body.head(), func(doc DocID) bool { docs[doc] = true; return true })
		g.tables.near(sig.SimHash, g.o.Distance, func(doc DocID, _ uint64, _ int) bool { docs[doc] = true; return true })
		g.tables.meet(sig.Bands, func(doc DocID) { docs[doc] = true })
	}
	if err := g.tables.fault(); err != nil {
		return nil, err
	}
	var found []Verdict
	for doc := range docs {
		if g.isRetired(doc) {
			continue
		}
		kept, err := g.signature(doc)
		if err != nil {
			return nil, err
		}
		if v := g.o.Compare(kept, sig); v.Copy() {
			v.Of = doc
			found = append(found, v)
		}
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
