package dedup

import (
	"errors"
)

// Revise gives a kept page another signature, because its body is read differently now. It
// stays the kept page of the copies that it has, and what comes from now on is compared with
// the new one only. The payload does not change, so both signatures have the same Bytes.
// Revising again changes nothing.
//
// The gate's tables still lead to the kept page from its old signature. Such a hit does not
// count: every hit is compared with the kept page's own signature.
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

// LoadRevised enters the signature of a kept page that was revised before the gate was opened.
// The files have the one with which it was claimed: revised ones are held in memory.
func (g *Gate) LoadRevised(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revise(doc, sig)
}

// ForgetTexts makes the gate read the texts of kept documents again whose Text.Host is one of
// these, because their template has changed.
func (g *Gate) ForgetTexts(of func(host string) bool) { g.read.forgetHosts(of) }

func (g *Gate) revise(doc DocID, sig Signature) {
	body := uint64(0)
	if g.o.comparable(sig) {
		body = sig.Body.head()
	}
	g.tables.Revise(doc, body, sig.SimHash, sig.Bands, outlineOf(sig).pack())
}
