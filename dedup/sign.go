package dedup

import (
	"encoding/binary"
	"sync"

	"gatecrawl/purify"
)

// Sign returns the signature of a page. A nil view is a page without a body.
func Sign(payload []byte, view *purify.DocView) Signature {
	return SignView(DigestOf(payload), view)
}

// SignView is Sign for a payload whose digest is known.
func SignView(payload Digest, view *purify.DocView) Signature {
	if view == nil {
		return Signature{Bytes: payload}
	}
	text := TextOf(view)
	s := text.Sign()
	if view.NoScript && s.Tokens < briefBody {
		s = Signature{} // "enable scripts to run this": of two such pages nothing is known
	}
	s.Bytes, s.Layout = payload, view.Layout
	return s
}

// TextOf returns what of a page is compared word by word. A page without mark-up
// has no title: what its view calls so is the first line of its body.
func TextOf(view *purify.DocView) Text {
	switch {
	case view == nil:
		return Text{}
	case view.Layout == 0:
		return Text{Body: view.Body}
	}
	return Text{Title: view.Title, Body: view.Body}
}

// SignText returns the part of a signature that a body decides.
func SignText(body string) Signature {
	t := Text{Body: body}
	return t.Sign()
}

// Sign returns the part of a signature that a text decides.
func (t *Text) Sign() Signature {
	w := workbenches.Get().(*workbench)
	defer w.putAway()
	return w.sign(t)
}

// A workbench is the scratch of one SignText, kept for the next.
type workbench struct {
	tokens   tokens
	tally    tally
	shingles []uint64
}

var workbenches = sync.Pool{New: func() any { return new(workbench) }}

// maxBench is the most text, in bytes, for which a workbench is kept: one large
// page must not hold its memory for ever.
const maxBench = 1 << 18

func (w *workbench) putAway() {
	if cap(w.tokens.text) <= maxBench {
		workbenches.Put(w)
	}
}

func (w *workbench) sign(text *Text) Signature {
	w.tokens.read(text.Title)
	facts := Facts{Title: titleFact(&w.tokens)}
	w.tokens.read(text.Body)
	t := w.tokens.hashes
	if len(t) == 0 {
		return Signature{}
	}
	facts.Numbers = numbersFact(&w.tokens)
	w.tally.reset(len(t))
	for _, h := range t {
		w.tally.add(h)
	}
	w.shingles = shingles(w.shingles[:0], &w.tokens)
	least := minimaOf(w.shingles)
	return Signature{
		Body:    w.bodyDigest(facts),
		SimHash: w.tally.simHash(),
		Sketch:  least.sketch(),
		Bands:   least.bands(),
		Facts:   facts,
		Tokens:  uint32(len(t)),
	}
}

func (w *workbench) bodyDigest(f Facts) Digest {
	text := w.tokens.text
	if len(w.tokens.hashes) < briefBody && f.Title != 0 {
		text = binary.BigEndian.AppendUint32(append(text, titleMark), f.Title)
	}
	return DigestOf(text)
}

// titleMark stands between a brief body and its title; no token has it.
const titleMark = 0
