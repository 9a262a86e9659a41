package dedup

import (
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// asked is what a gate has found out about a text. What Check has compared and looked up, Claim need
// not compare and look up again.
type asked struct {
	compared []compared
	lookup   lookup
}

// A lookup is what the tables of a gate said of a document that was new. A later question needs only
// the kept pages that have been entered since.
type lookup struct {
	gate    *Gate // nil: there was no such question
	sig     Signature
	after   index.DocID // the last document that was entered then
	changes uint64      // Gate.changes then

	looked [2]int       // by holder, in the two tables of digests
	near   []candidate  // of the near level
	within [2]int       // see maxWithin, in sixteenths: near the document's SimHash, and near that of its edge
	met    [2]index.Met // of the document's bands, and of those of its edge
	edge   *edge        // nil: it has none
}

// lookup returns what is known from an earlier question, and an empty one otherwise.
func (g *Gate) lookup(sig Signature, text *Text) lookup {
	if text != nil && text.asked != nil {
		if l := text.asked.lookup; l.gate == g && l.changes == g.changes.Load() && l.sig == sig {
			l.near = slices.Clone(l.near)
			return l
		}
	}
	return lookup{}
}

// keepLookup keeps for later questions what was found out about a new document. Only a gate in files
// has its documents in rising order.
func (g *Gate) keepLookup(l lookup, changes uint64, sig Signature, text *Text) {
	if text == nil || g.tables.Last == 0 {
		return
	}
	l.gate, l.sig, l.after, l.changes = g, sig, g.tables.Last, changes
	text.memory().lookup = l
}

// memory returns what was found out about the text.
func (t *Text) memory() *asked {
	if t.asked == nil {
		t.asked = new(asked)
	}
	return t.asked
}
