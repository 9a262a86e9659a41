package dedup

import (
	"cmp"
	"fmt"
	"math/bits"
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

// checkNear asks the near level: candidates are keepers whose SimHash is within
// Options.Distance bits, or which share a band. The sketch refuses what is surely
// another body, and the texts decide about the rest.
func (g *Gate) checkNear(sig Signature, text *Text) (Verdict, error) {
	if !g.comparable(sig) {
		return Verdict{}, nil
	}
	asked := outlineOf(sig)
	var own *reading // of text, once it is needed
	reads := 0
	list := g.candidates(sig, asked)
	if err := g.tables.fault(); err != nil {
		return Verdict{}, err
	}
	for _, c := range list {
		kept, _ := g.tables.outlineOf(c.doc)
		similarity, same := resemblance(c.equal), false
		if text != nil && g.texts != nil && reads < maxReads {
			other, err := g.reading(c.doc)
			if err != nil {
				return Verdict{}, err
			}
			if other != nil {
				reads++
				if own == nil {
					own = read(*text)
				}
				if similarity, same = g.o.confirm(own, other); !same {
					continue
				}
			}
		}
		if same || g.o.confirmBySketch(asked, kept, c.equal) {
			return g.nearVerdict(sig, c.doc, similarity)
		}
	}
	return Verdict{}, nil
}

// candidates returns the keepers that may be it, likeliest first: those with the
// same title, then by the sketch, then by age.
func (g *Gate) candidates(sig Signature, asked outline) []candidate {
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
		if equal := agree(asked.sketch, kept.sketch); equal >= least && asked.around(kept) {
			list = append(list, candidate{doc, equal, asked.facts.Title == kept.facts.Title})
		}
	}
	g.tables.near(sig.SimHash, g.o.Distance, func(doc DocID, _ uint64, _ int) bool {
		consider(doc)
		return true
	})
	g.tables.meet(sig.Bands, consider)
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
	r := read(t)
	g.read.put(doc, r)
	return r, nil
}

// nearVerdict names a keeper and the class of the copy.
func (g *Gate) nearVerdict(sig Signature, doc DocID, similarity float64) (Verdict, error) {
	kept, err := g.signature(doc)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{
		Of: doc, Level: LevelNear, Class: PartialContent,
		Distance: bits.OnesCount64(sig.SimHash ^ kept.SimHash), Similarity: similarity,
	}
	if sameLayout(sig.Layout, kept.Layout) {
		v.Class = PartialLayout
	}
	return v, nil
}
