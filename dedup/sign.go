package dedup

import (
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
	s := SignText(view.Body)
	s.Bytes, s.Layout = payload, view.Layout
	return s
}

// SignText returns the part of a signature that a body decides.
func SignText(body string) Signature {
	w := workbenches.Get().(*workbench)
	defer w.putAway()
	return w.sign(body)
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

func (w *workbench) sign(body string) Signature {
	w.tokens.read(body)
	t := w.tokens.hashes
	if len(t) == 0 {
		return Signature{}
	}
	w.tally.reset(len(t))
	for _, h := range t {
		w.tally.add(h)
	}
	w.shingles = shingles(w.shingles[:0], t)
	return Signature{
		Body:    DigestOf(w.tokens.text),
		SimHash: w.tally.simHash(),
		Sketch:  sketchOf(w.shingles),
		Tokens:  uint32(len(t)),
	}
}
