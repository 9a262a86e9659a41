package dedup

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// Signatures are the records of what was claimed: the truth that stands behind
// the gate's tables.
type Signatures interface {
	// Signature returns what a document was claimed with. It is called from
	// many goroutines, by Claim under the gate's lock, and must not call the
	// gate. Of the last Options.Recent claims it is not asked.
	Signature(doc DocID) (Signature, error)
}

// A Gate says whether a document was met before. It knows the documents that it
// made keepers; of a copy it keeps nothing. All methods may be called from many
// goroutines.
//
// For a keeper in memory it takes 17 bytes of outline, 18 for each of two digests
// and those of Tables, with k = 3 about 105 bytes in all. NewGate has all keepers
// in memory; OpenGate has Options.Memory of them there, and the others in files.
type Gate struct {
	o    Options
	sigs Signatures

	mu      sync.RWMutex
	tables  *catalog
	recent  map[DocID]claim    // the last Options.Recent claims
	retired map[DocID]struct{} // keepers that claim no more copies; nil: none
	order   []DocID            // of recent, a ring once it is full
	oldest  int                // in order
}

// A claim is what was asked and answered.
type claim struct {
	sig     Signature
	verdict Verdict
}

// NewGate returns an empty gate.
func NewGate(o Options, sigs Signatures) (*Gate, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("dedup options: %w", err)
	}
	tables, err := newCatalog(o.catalog())
	if err != nil {
		return nil, fmt.Errorf("dedup options: %w", err)
	}
	return &Gate{o: o, sigs: sigs, tables: tables, recent: make(map[DocID]claim)}, nil
}

// Load makes doc a keeper without a question, as it is done for every keeper
// when a job is opened. Loading again changes nothing, and so does the DocID
// that names no document.
func (g *Gate) Load(doc DocID, sig Signature) {
	if g.o.Mode == ModeOff || doc == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keep(doc, sig)
}

// CheckBytes answers for a payload alone, before a parse is spent on it.
func (g *Gate) CheckBytes(d Digest) (Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.checkBytes(d)
}

// Check answers for a document and changes nothing. Levels are asked cheapest
// first, and the first that knows a copy decides.
func (g *Gate) Check(sig Signature) (Verdict, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.check(sig)
}

// Claim names the document's keeper, or makes doc the keeper and says "new", in
// one step. Claiming again changes nothing and answers the same; of a claim that
// is no longer among the last Options.Recent a copy may learn of a nearer
// keeper. After an error nothing has changed.
func (g *Gate) Claim(doc DocID, sig Signature) (Verdict, error) {
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
	v, err := g.check(sig)
	if err != nil {
		return Verdict{}, err
	}
	if v.Of == doc {
		return Verdict{}, nil
	}
	if !v.Copy() {
		g.keep(doc, sig)
	}
	g.remember(doc, claim{sig, v})
	return v, nil
}

// keep enters a keeper into every table, unless it is there.
func (g *Gate) keep(doc DocID, sig Signature) {
	if !g.tables.begin(doc) {
		return
	}
	if !sig.Bytes.IsZero() && !g.tables.addHead(bytesHeads, sig.Bytes.head(), doc) {
		return
	}
	if !sig.Body.IsZero() && !g.tables.addHead(bodyHeads, sig.Body.head(), doc) {
		return
	}
	if g.comparable(sig) {
		g.tables.addNear(doc, sig.SimHash, outlineOf(sig))
	}
}

// comparable reports whether a body is long enough for its SimHash to mean
// something.
func (g *Gate) comparable(sig Signature) bool {
	return !sig.Body.IsZero() && int(sig.Tokens) >= g.o.MinTokens
}

// remember forgets the oldest claim when there are enough.
func (g *Gate) remember(doc DocID, c claim) {
	if len(g.order) < g.o.Recent {
		g.order = append(g.order, doc)
	} else {
		delete(g.recent, g.order[g.oldest])
		g.order[g.oldest] = doc
		g.oldest = (g.oldest + 1) % len(g.order)
	}
	g.recent[doc] = c
}

// signature returns what a keeper was claimed with. The store may not have a
// recent one yet.
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

func (g *Gate) check(sig Signature) (Verdict, error) {
	v, err := g.checkBytes(sig.Bytes)
	if err != nil || v.Copy() {
		return v, err
	}
	v, err = g.checkBody(sig)
	if err != nil || v.Copy() {
		return v, err
	}
	return g.checkNear(sig)
}

func (g *Gate) checkBytes(d Digest) (Verdict, error) {
	if d.IsZero() {
		return Verdict{}, nil
	}
	doc, _, err := g.holder(bytesHeads, d, func(s Signature) Digest { return s.Bytes })
	if err != nil || doc == 0 {
		return Verdict{}, err
	}
	return Verdict{Of: doc, Level: LevelBytes, Class: FullLayout, Similarity: 1}, nil
}

func (g *Gate) checkBody(sig Signature) (Verdict, error) {
	if sig.Body.IsZero() {
		return Verdict{}, nil
	}
	doc, kept, err := g.holder(bodyHeads, sig.Body, func(s Signature) Digest { return s.Body })
	if err != nil || doc == 0 {
		return Verdict{}, err
	}
	v := Verdict{Of: doc, Level: LevelBody, Class: FullContent, Similarity: 1}
	if sameLayout(sig.Layout, kept.Layout) {
		v.Class = FullLayout
	}
	return v, nil
}

// holder returns the first document under d's head whose full digest is d.
func (g *Gate) holder(t headTable, d Digest, of func(Signature) Digest) (doc DocID, kept Signature, err error) {
	g.tables.find(t, d.head(), func(c DocID) bool {
		if g.isRetired(c) {
			return true
		}
		kept, err = g.signature(c)
		if err != nil {
			return false
		}
		if of(kept) == d {
			doc = c
			return false
		}
		return true
	})
	if err == nil {
		err = g.tables.fault()
	}
	return doc, kept, err
}

func (g *Gate) checkNear(sig Signature) (Verdict, error) {
	if !g.comparable(sig) {
		return Verdict{}, nil
	}
	// A hit that led to a keeper's former signature is put aside; there is at
	// most one for each time that a keeper was revised.
	var former []Verdict
	for {
		best := g.nearest(sig, former)
		if err := g.tables.fault(); err != nil {
			return Verdict{}, err
		}
		if !best.Copy() {
			return Verdict{}, nil
		}
		kept, err := g.signature(best.Of)
		if err != nil {
			return Verdict{}, err
		}
		if bits.OnesCount64(sig.SimHash^kept.SimHash) != best.Distance || !g.comparable(kept) {
			former = append(former, best)
			continue
		}
		best.Class = PartialContent
		if sameLayout(sig.Layout, kept.Layout) {
			best.Class = PartialLayout
		}
		return best, nil
	}
}

// nearest returns the best of the candidates, but for those put aside.
func (g *Gate) nearest(sig Signature, aside []Verdict) (best Verdict) {
	asked := outlineOf(sig)
	g.tables.near(sig.SimHash, g.o.Distance, func(doc DocID, _ uint64, d int) bool {
		if g.isRetired(doc) {
			return true
		}
		kept, _ := g.tables.outlineOf(doc)
		equal := agree(asked.sketch, kept.sketch)
		if equal < g.o.least(asked.short || kept.short) {
			return true
		}
		c := Verdict{Of: doc, Level: LevelNear, Distance: d, Similarity: resemblance(equal)}
		if (!best.Copy() || nearer(c, best)) && !slices.Contains(aside, c) {
			best = c
		}
		return true
	})
	return best
}

// nearer orders the candidates for keeper: by distance, then by resemblance,
// then by age.
func nearer(a, b Verdict) bool {
	if a.Distance != b.Distance {
		return a.Distance < b.Distance
	}
	if a.Similarity != b.Similarity {
		return a.Similarity > b.Similarity
	}
	return a.Of < b.Of
}

// layoutDistance is how many bits the layout hashes of two pages of one template
// may differ in. Of the tuning data's pages 67 to 97 in a hundred pairs of one
// part of a site are within 20 bits, and one at most of two sites.
const layoutDistance = 20

func sameLayout(a, b uint64) bool { return bits.OnesCount64(a^b) <= layoutDistance }
