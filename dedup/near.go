package dedup

import (
	"cmp"
	"fmt"
	"slices"
)

// A candidate is a keeper that may have the body that is asked about.
type candidate struct {
	doc   DocID
	equal int  // of the sketch's values
	title bool // its title is the same
}

// maxReads is how many candidates' texts are read for one question, those that
// are likeliest to be it first. Beyond it the signatures decide.
const maxReads = 8

// An inquiry is a document that the near level is asked about.
type inquiry struct {
	sig     Signature
	outline outline
	text    *Text // nil: the signatures decide
	reads   int   // of candidates' texts that are left
}

// checkNear asks the near level: candidates are keepers whose SimHash is within
// Options.Distance bits, or which share a band. The sketch refuses what is surely
// another body, and the texts decide about the rest.
func (g *Gate) checkNear(sig Signature, text *Text) (Verdict, error) {
	if !g.o.comparable(sig) {
		return Verdict{}, nil
	}
	q := inquiry{sig, outlineOf(sig), text, maxReads}
	list := g.candidates(&q)
	if err := g.tables.fault(); err != nil {
		return Verdict{}, err
	}
	for _, c := range list {
		if v, err := g.confirm(&q, c); err != nil || v.Copy() {
			return v, err
		}
	}
	return Verdict{}, nil
}

// confirm answers for one candidate.
func (g *Gate) confirm(q *inquiry, c candidate) (Verdict, error) {
	if q.text != nil && g.texts != nil && q.reads > 0 {
		kept, err := g.reading(c.doc)
		if err != nil {
			return Verdict{}, err
		}
		if kept != nil {
			q.reads--
			j, same := g.o.confirm(q.text.reading(), kept)
			if !same {
				return Verdict{}, nil
			}
			return g.nearVerdict(q.sig, c.doc, j)
		}
	}
	if kept, _ := g.tables.outlineOf(c.doc); !g.o.confirmBySketch(q.outline, kept, c.equal) {
		return Verdict{}, nil
	}
	return g.nearVerdict(q.sig, c.doc, resemblance(c.equal))
}

// candidates returns the keepers that may be it, likeliest first: those with the
// same title, then by the sketch, then by age.
func (g *Gate) candidates(q *inquiry) []candidate {
	var list []candidate
	least := g.o.doubtFrom()
	consider := func(doc DocID) {
		if g.isRetired(doc) {
			return
		}
		kept, _ := g.tables.outlineOf(doc)
		if int(kept.tokens) < g.o.MinTokens {
			return // its body is another now
		}
		if equal := agree(q.outline.sketch, kept.sketch); equal >= least && q.outline.around(kept) {
			list = append(list, candidate{doc, equal, q.outline.facts.Title == kept.facts.Title})
		}
	}
	g.tables.near(q.sig.SimHash, g.o.Distance, func(doc DocID, _ uint64, _ int) bool {
		consider(doc)
		return true
	})
	g.tables.meet(q.sig.Bands, consider)
	slices.SortFunc(list, func(a, b candidate) int {
		if a.title != b.title {
			if a.title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.equal, a.equal), cmp.Compare(a.doc, b.doc))
	})
	return slices.Compact(list)
}

// reading returns what a keeper's text says, nil where it is not kept.
func (g *Gate) reading(doc DocID) (*reading, error) {
	if r := g.read.get(doc); r != nil {
		return r, nil
	}
	t, ok, err := g.texts.Text(doc)
	if err != nil {
		return nil, fmt.Errorf("text of document %d: %w", doc, err)
	}
	if !ok {
		return nil, nil
	}
	r := t.reading()
	g.read.put(doc, r)
	return r, nil
}

// nearVerdict names a keeper and the class of the copy.
func (g *Gate) nearVerdict(sig Signature, doc DocID, similarity float64) (Verdict, error) {
	kept, err := g.signature(doc)
	if err != nil {
		return Verdict{}, err
	}
	return nearVerdict(doc, kept, sig, similarity), nil
}
