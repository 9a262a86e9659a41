package dedup

import (
	"errors"
)

// Revise changes the signature of a kept page, because its body is read differently now. It stays
// the kept page of its copies, and later documents are compared with the new signature only. The
// bytes do not change, so both signatures have the same Bytes. Revising a page again with the same
// signature changes nothing.
//
// The gate's tables still find the kept page by its old signature. That does no harm: whatever the
// tables find is compared with the page's current signature.
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
	g.remember(doc, claim{sig: sig})
	return nil
}

// LoadRevised sets the signature of a kept page that was revised before the gate was opened. The
// files have the signature that it was claimed with; revised ones are held in memory.
func (g *Gate) LoadRevised(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revise(doc, sig)
}

// ForgetTexts makes the gate read the texts of kept documents again whose Text.Host satisfies of,
// because the template of the host has changed.
func (g *Gate) ForgetTexts(of func(host string) bool) {
	g.changes.Add(1)
	g.read.forgetHosts(of)
}

func (g *Gate) revise(doc DocID, sig Signature) {
	g.changes.Add(1)
	body := uint64(0)
	if g.o.hasDigest(sig) {
		body = sig.Body.head()
	}
	g.tables.Revise(doc, body, sig.SimHash, sig.Bands, outlineOf(sig).pack())
}
