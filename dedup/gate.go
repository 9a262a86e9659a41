package dedup

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// Signatures are the stored signatures of claimed documents, from which the gate's tables can be
// rebuilt.
type Signatures interface {
	// Signature returns the signature that a document was claimed with. It is called from many
	// goroutines, by Claim under the gate's lock, and must not call the gate. It is not called for
	// the last Options.Recent claims.
	Signature(doc DocID) (Signature, error)
}

// A Gate decides whether a document is a copy of a kept one. It knows the documents that it made
// kept pages, and keeps nothing of a copy. All methods may be called from many goroutines.
//
// For a kept page in memory it takes 36 bytes of outline, 18 for each of two digests, some 12 for a
// band and those of Tables, with k = 3 and 6 bands about 200 bytes in all. NewGate has all kept
// pages in memory; OpenGate has Options.Memory of them there, and the others in files.
type Gate struct {
	o     Options
	sigs  Signatures
	texts Texts // nil: the signatures alone decide
	read  readings

	changes atomic.Uint64 // how often the signature or the text of a kept page became another one

	mu      sync.RWMutex
	tables  *index.Catalog
	recent  map[DocID]claim    // the last Options.Recent claims
	retired map[DocID]struct{} // kept pages that no new page becomes a copy of; nil: none
	order   []DocID            // the keys of recent, a ring once it is full
	oldest  int                // index into order
}

// A claim is a question to the gate and its answer.
type claim struct {
	sig     Signature
	verdict Verdict
}

// NewGate returns an empty gate. If sigs is a Texts too, the gate reads texts from it.
func NewGate(o Options, sigs Signatures) (*Gate, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("dedup options: %w", err)
	}
	tables, err := index.New(o.catalog())
	if err != nil {
		return nil, fmt.Errorf("dedup options: %w", err)
	}
	texts, _ := sigs.(Texts)
	return &Gate{o: o, sigs: sigs, texts: texts, tables: tables, recent: make(map[DocID]claim)}, nil
}

// Load makes doc a kept page without a check, as a store does for every kept page when a job is
// opened. Loading a document again, or document 0, changes nothing.
func (g *Gate) Load(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff || doc == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keep(doc, sig)
}

// CheckBytes answers for the bytes of a document alone, before it is parsed.
func (g *Gate) CheckBytes(d Digest) (Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.checkBytes(d, new(lookup))
}

// Check answers for a document and changes nothing. It tries the levels from the cheapest on, and
// the first that finds a copy decides. If the signatures leave a doubt about a near copy, the
// document's text decides; if text is nil, the signatures decide alone.
func (g *Gate) Check(sig Signature, text *Text) (Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.check(sig, text)
}

// Claim names the kept page that the document is a copy of, or makes doc a kept page and returns
// "new", in one step. Claiming a document again changes nothing and returns the same verdict; for a
// claim that is no longer among the last Options.Recent, a copy may be assigned to a nearer kept
// page. After an error nothing has changed. The text is used as in Check.
func (g *Gate) Claim(doc DocID, sig Signature, text *Text) (Verdict, error) {
	if g.o.Mode == ModeOff {
		return Verdict{}, nil
	}
	if doc == 0 {
		return Verdict{}, errors.New("claim of document 0, which names none")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.recent[doc]; ok {
		if c.sig != sig {
			return Verdict{}, fmt.Errorf("document %d is claimed with two signatures", doc)
		}
		return c.verdict, nil
	}
	v, err := g.claim(doc, sig, text)
	if err != nil {
		return Verdict{}, err
	}
	if v.Of == Ref(doc) {
		return Verdict{}, nil
	}
	g.remember(doc, claim{sig, v})
	return v, nil
}

// Keep makes a document a kept page that was just claimed as a copy, because it represents both better.
// The caller retires the page that it was a copy of. No other document may have been claimed since.
func (g *Gate) Keep(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keep(doc, sig)
	g.remember(doc, claim{sig: sig})
}

// claim checks a document and makes it a kept page if it is new.
func (g *Gate) claim(doc index.DocID, sig Signature, text *Text) (Verdict, error) {
	v, err := g.check(sig, text)
	if err == nil && !v.Copy() {
		g.keep(doc, sig)
	}
	return v, err
}

// keep enters a kept page into every table, unless it is there already.
func (g *Gate) keep(doc DocID, sig Signature) {
	if !g.tables.Enter(doc) {
		return
	}
	if !sig.Bytes.IsZero() && !g.tables.AddHead(index.BytesHeads, sig.Bytes.head(), doc) {
		return
	}
	if g.o.hasDigest(sig) && g.tables.AddHead(index.BodyHeads, sig.Body.head(), doc) && g.o.comparable(sig) {
		g.tables.AddNear(doc, sig.SimHash, sig.Bands, outlineOf(sig).pack())
	}
}

// remember sets the claim of a document, and forgets the oldest if it is one more than Options.Recent.
func (g *Gate) remember(doc DocID, c claim) {
	if _, ok := g.recent[doc]; ok {
		g.recent[doc] = c
		return
	}
	if len(g.order) < g.o.Recent {
		g.order = append(g.order, doc)
	} else {
		delete(g.recent, g.order[g.oldest])
		g.order[g.oldest] = doc
		g.oldest = (g.oldest + 1) % len(g.order)
	}
	g.recent[doc] = c
}

// signature returns the signature that a kept page was claimed with. The store may not have that of
// a recent claim yet.
func (g *Gate) signature(doc DocID) (Signature, error) {
	if c, ok := g.recent[doc]; ok {
		return c.sig, nil
	}
	s, err := g.sigs.Signature(doc)
	if err != nil {
		return Signature{}, fmt.Errorf("signature of document %d: %w", doc, err)
	}
	return s, nil
}

func (g *Gate) check(sig Signature, text *Text) (Verdict, error) {
	changes := g.changes.Load()
	l := g.lookup(sig, text)
	v, err := g.checkBytes(sig.Bytes, &l)
	if err != nil || v.Copy() {
		return v, err
	}
	v, err = g.checkBody(sig, text, &l)
	if err != nil || v.Copy() {
		return v, err
	}
	v, err = g.checkNear(sig, text, &l)
	if err == nil && !v.Copy() {
		g.keepLookup(l, changes, sig, text)
	}
	return v, err
}

func (g *Gate) checkBytes(d Digest, l *lookup) (Verdict, error) {
	if d.IsZero() {
		return Verdict{}, nil
	}
	doc, _, err := g.holder(index.BytesHeads, d, l, func(_ DocID, s Signature) bool { return s.Bytes == d })
	if err != nil || doc == 0 {
		return Verdict{}, err
	}
	return Verdict{Of: Ref(doc), Level: LevelBytes, Class: FullLayout, Similarity: 1}, nil
}

func (g *Gate) checkBody(sig Signature, text *Text, l *lookup) (Verdict, error) {
	if !g.o.hasDigest(sig) {
		return Verdict{}, nil
	}
	var fault error
	doc, kept, err := g.holder(index.BodyHeads, sig.Body, l, func(doc DocID, s Signature) bool {
		is, err := g.hasBody(sig, text, doc, s)
		fault = errors.Join(fault, err)
		return is
	})
	err = errors.Join(err, fault)
	if err != nil || doc == 0 {
		return Verdict{}, err
	}
	return Verdict{Of: Ref(doc), Level: LevelBody, Class: classOf(true, sameLayout(sig.Layout, kept.Layout)), Similarity: 1}, nil
}

// hasBody reports whether a document has the body of a kept one, and titles, languages, links and
// pictures do not show that they are two. The error is ErrTextNeeded if only the document's text
// can tell.
func (g *Gate) hasBody(sig Signature, text *Text, doc DocID, kept Signature) (bool, error) {
	switch {
	case !sig.hasBodyOf(kept):
		return false, nil
	case text == nil || g.texts == nil || text.decides():
		return true, nil
	case text.stub != nil:
		return true, ErrTextNeeded
	}
	r, err := g.reading(doc)
	if err != nil || r == nil {
		return err == nil, err
	}
	if sig.Tokens == 0 && text.reading().series.Apart(r.series) { // its title, which names a release, is all that it says
		return false, nil
	}
	return g.o.oneBody(outlineOf(sig), outlineOf(kept), text.reading(), r), nil
}

// maxHolders is how many documents with one head are looked at. Every page of a site may have the
// same brief body under another title; this bounds what such a body costs.
const maxHolders = 16

// holder returns the first document with the digest d among those with d's head.
func (g *Gate) holder(t index.HeadTable, d Digest, l *lookup, is func(DocID, Signature) bool) (doc DocID, kept Signature, err error) {
	looked := &l.looked[t]
	if *looked == maxHolders {
		return 0, Signature{}, g.tables.Fault()
	}
	g.tables.Later(l.after).Find(t, d.head(), func(c DocID) bool {
		if g.isRetired(c) {
			return true
		}
		kept, err = g.signature(c)
		if err != nil {
			return false
		}
		if is(c, kept) {
			doc = c
			return false
		}
		*looked++
		return *looked < maxHolders
	})
	if err == nil {
		err = g.tables.Fault()
	}
	return doc, kept, err
}

// layoutDistance is how many bits the layout hashes of two pages of one template may differ in. On
// ten published sites 98.5% of the pairs of pages of one site are within 17 bits, hardly any of two
// sites, and no article with its own markup in another site's frame (go test ./purify -run
// LayoutsOfSites -v).
const layoutDistance = 17

func sameLayout(a, b uint64) bool { return bits.OnesCount64(a^b) <= layoutDistance }

// Retire makes a kept page claim no more copies, for example because the page has changed:
// documents that were found to be copies of it stay copies, and new documents are compared with the
// other kept pages. Nothing is removed from the tables; a retired kept page costs some 40 bytes
// more.
func (g *Gate) Retire(doc DocID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired == nil {
		g.retired = make(map[DocID]struct{})
	}
	g.retired[doc] = struct{}{}
}

// Retired returns how many kept pages are retired.
func (g *Gate) Retired() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.retired)
}

// IsRetired reports whether a kept page is retired.
func (g *Gate) IsRetired(doc DocID) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.isRetired(doc)
}

// isRetired is IsRetired for a caller that holds the lock.
func (g *Gate) isRetired(doc DocID) bool {
	_, ok := g.retired[doc]
	return ok
}
