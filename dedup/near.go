package dedup

import (
	"cmp"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
)

// A candidate is a kept page that the document may be a near copy of.
type candidate struct {
	doc   DocID
	equal int  // how many values of the sketches agree
	title bool // its title is the same
}

// maxReads is how many candidates' texts are read for one question, the likeliest first; a long
// text counts as one more for each longRead shingles. Candidates beyond that count as different: if
// there is a text, no page is discarded on an estimate.
const (
	maxReads = 16
	longRead = 1 << 12
)

// maxWithin is how many kept pages within Options.Distance bits of a SimHash are looked at for one
// question; a retired page, which takes less time, counts as one sixteenth. Where one word is said so
// often that it outweighs all others, pages with nothing else in common have one SimHash. So many say
// nothing, and which of them are looked at is not defined: the bands find those that resemble the
// document.
const maxWithin = 1024

// A query is a document that the near level is asked about.
type query struct {
	sig     Signature
	outline outline
	text    *Text // nil: the signatures decide alone
	reads   int   // how many more candidates' texts may be read
}

func (q *query) edge() *edge {
	if q.text == nil {
		return nil
	}
	return q.text.edge()
}

// checkNear asks the near level. Candidates are the kept pages whose SimHash is within
// Options.Distance bits, or that share a band. Those whose sketch differs too much are dropped; the
// texts decide about the rest.
func (g *Gate) checkNear(sig Signature, text *Text, l *lookup) (Verdict, error) {
	if !g.o.comparable(sig) {
		return Verdict{}, nil
	}
	q := query{sig, outlineOf(sig), text, maxReads}
	list := g.candidates(&q, l)
	if err := g.tables.Fault(); err != nil {
		return Verdict{}, err
	}
	if len(list) > 0 && text != nil && text.stub != nil && g.texts != nil {
		return Verdict{}, ErrTextNeeded
	}
	for _, c := range list {
		if v, err := g.confirm(&q, c); err != nil || v.Copy() {
			return v, err
		}
	}
	return Verdict{}, nil
}

// confirm returns the verdict for one candidate.
func (g *Gate) confirm(q *query, c candidate) (Verdict, error) {
	found, err := g.judge(q, c)
	if err != nil || !found.same() {
		return Verdict{}, err
	}
	return g.nearVerdict(q.sig, c.doc, found)
}

// judge compares a document with one candidate.
func (g *Gate) judge(q *query, c candidate) (judgement, error) {
	kept := g.outline(c.doc)
	if !kept.standsFor(q.outline) {
		return judgement{j: sketch.Resemblance(c.equal), apart: KeptIsFeed}, nil
	}
	if q.text != nil && g.texts != nil {
		if q.reads <= 0 {
			return judgement{j: sketch.Resemblance(c.equal), apart: NotCompared}, nil
		}
		text, err := g.reading(c.doc)
		if err != nil {
			return judgement{}, err
		}
		if text != nil {
			q.reads -= 1 + len(text.shingles)/longRead
			return g.compare(q, c.doc, kept, text), nil
		}
	}
	return g.o.compareSketches(q.outline, kept, c.equal), nil
}

// compare compares a document with a kept page by their texts, and remembers the result: what Check
// has compared Claim need not compare again.
func (g *Gate) compare(q *query, doc DocID, kept outline, r *reading) judgement {
	known := q.text.memory()
	for i := range known.compared {
		if c := &known.compared[i]; c.doc == doc && c.kept == r.number && r.number != 0 && c.asked == q.outline && c.had == kept {
			return c.found
		}
	}
	found := g.o.compareTexts(q.outline, kept, q.text, r.text)
	known.compared = slices.DeleteFunc(known.compared, func(c compared) bool { return c.doc == doc })
	if len(known.compared) < maxReads {
		known.compared = append(known.compared, compared{doc, q.outline, kept, r.number, found})
	}
	if found.same() {
		q.text.near, q.text.nearDoc = r.text, Ref(doc)
	}
	return found
}

// candidates returns the kept pages that the document may be a near copy of, the likeliest first.
// First come those that the sketch allows: the ones with the same title, then by equal sketch
// values, then by age. Last come those that only the title makes candidates, among them mostNamesakes
// with other numbers. What l knows is not looked up again.
func (g *Gate) candidates(q *query, l *lookup) []candidate {
	list := slices.DeleteFunc(l.near, func(c candidate) bool { return g.isRetired(c.doc) })
	least, tables := g.o.doubtFrom(), g.tables.Later(l.after)
	if l.gate == nil {
		l.edge = q.edge()
	}
	var namesakes []candidate
	consider := func(doc DocID) (sixteenths int) {
		if g.isRetired(doc) {
			return 1
		}
		kept := g.outline(doc)
		if int(kept.tokens) < g.o.MinTokens {
			return 16 // it was revised, and has hardly any body now
		}
		equal := sketch.Agree(q.outline.sketch, kept.sketch)
		c, readable := candidate{doc, equal, q.outline.facts.Title == kept.facts.Title}, q.text != nil && g.texts != nil
		switch {
		case equal >= least && q.outline.mayAgree(kept), readable && q.outline.named(kept, equal):
			list = append(list, c)
		case readable && q.outline.isNamesake(kept):
			namesakes = append(namesakes, c)
		}
		return 16
	}
	find := func(simHash uint64, bands index.Bands, by int) {
		within := &l.within[by]
		if *within < 16*maxWithin {
			tables.Near(simHash, g.o.Distance, func(doc DocID, _ uint64, _ int) bool {
				*within += consider(doc)
				return *within < 16*maxWithin
			})
		}
		tables.Meet(bands, &l.met[by], func(doc DocID) { consider(doc) })
	}
	if other := l.edge; other != nil { // the kept page may have been signed with the other choice of links
		here := q.outline
		q.outline.sketch = other.sketch
		find(other.simHash, other.bands, 1)
		q.outline = here
	}
	find(q.sig.SimHash, q.sig.Bands, 0)
	slices.SortFunc(namesakes, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.equal, a.equal), cmp.Compare(a.doc, b.doc)) })
	list = append(list, atMost(mostNamesakes, slices.Compact(namesakes))...)
	slices.SortFunc(list, func(a, b candidate) int {
		if near := a.equal >= least; near != (b.equal >= least) { // a candidate by its title alone comes last
			if near {
				return -1
			}
			return 1
		}
		if a.title != b.title {
			if a.title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.equal, a.equal), cmp.Compare(a.doc, b.doc))
	})
	seen := make(map[DocID]bool, len(list))
	l.near = slices.DeleteFunc(list, func(c candidate) bool {
		again := seen[c.doc]
		seen[c.doc] = true
		return again
	})
	return l.near
}

// reading returns the reading of a kept page's text, nil if the text is not kept.
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

// nearVerdict returns the verdict that names a kept page and the class of the copy.
func (g *Gate) nearVerdict(sig Signature, doc DocID, found judgement) (Verdict, error) {
	kept, err := g.signature(doc)
	if err != nil {
		return Verdict{}, err
	}
	return nearVerdict(doc, kept, sig, found.j, found.full), nil
}

// outline returns the outline of a kept page from the tables.
func (g *Gate) outline(doc DocID) outline {
	o, _ := g.tables.OutlineOf(doc)
	return unpackOutline(o)
}
