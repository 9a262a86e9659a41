package dedup

import "errors"

// Revise gives a keeper another signature, because its body is read another way
// now. It stays the keeper of the copies that it has, and what is met from now
// on is compared with the new one alone. Of the payload nothing changes, so
// both signatures have the same Bytes. Revising again changes nothing.
//
// The gate's tables still lead to the keeper from its old signature. Such a hit
// is no answer: every hit is held against the keeper's own signature.
func (g *Gate) Revise(doc DocID, sig Signature) error {
	if g.o.Mode == ModeOff {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	old, err := g.signature(doc)
	switch {
	case err != nil:
		return err
	case old.Bytes != sig.Bytes:
		return errors.New("revise: the payload is another one")
	case old == sig:
		return nil
	}
	g.read.forget(doc)
	g.revise(doc, sig)
	if _, ok := g.recent[doc]; ok {
		g.recent[doc] = claim{sig: sig}
		return nil
	}
	g.remember(doc, claim{sig: sig})
	return nil
}

// LoadRevised enters the signature of a keeper that was revised before the gate
// was opened. The files have the one with which it was claimed: what was revised
// is held in memory.
func (g *Gate) LoadRevised(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revise(doc, sig)
}

func (g *Gate) revise(doc DocID, sig Signature) {
	m := g.tables.revised
	if g.o.comparable(sig) && m.heads[bodyHeads].add(sig.Body.head(), doc) {
		m.near.Insert(sig.SimHash, doc)
		m.bands.add(sig.Bands, g.o.Bands, doc)
	}
	m.known.set(doc, outlineOf(sig))
}
