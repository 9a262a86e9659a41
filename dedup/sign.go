package dedup

import (
	"encoding/binary"
	"sync"

	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// Sign returns the signature of a page. With a nil view it has only the digest of the bytes.
func Sign(payload []byte, view *purify.DocView) Signature {
	return SignView(DigestOf(payload), view)
}

// SignView is Sign for a payload whose digest is known.
func SignView(payload Digest, view *purify.DocView) Signature {
	text := TextOf(view)
	return SignPage(payload, view, &text)
}

// SignPage is SignView for a page whose text is known.
func SignPage(payload Digest, view *purify.DocView, text *Text) Signature {
	if view == nil {
		return Signature{Bytes: payload}
	}
	s := text.Sign()
	if view.NoScript && s.Tokens < briefBody {
		s = Signature{} // texts such as "enable scripts to run this" say nothing of the page
	}
	s.Bytes, s.Layout = payload, view.Layout
	return s
}

// signsLike reports whether two texts of one view have the same signature.
func (t *Text) signsLike(other *Text) bool {
	return t.Body == other.Body && t.Title == other.Title && t.Lang == other.Lang && t.Links == other.Links && t.bare() == other.bare()
}

// SignText returns the part of a signature that depends on the body alone.
func SignText(body string) Signature {
	t := Text{Body: body}
	return t.Sign()
}

// Sign returns the part of a signature that depends on the text alone.
func (t *Text) Sign() Signature {
	w := signers.Get().(*signer)
	defer w.release()
	s := w.sign(t)
	if s.Tokens > 0 {
		t.draw(w.shingles)
	}
	return s
}

// A signer is the working memory for one signature, which is used again for the next.
type signer struct {
	tokens   token.List
	tally    sketch.Tally
	shingles []uint64
	cut      cuts           // room for the tokens of blocks while they are cut
	blocks   []purify.Block // room for HasChoice
	own      []int32
}

var signers = sync.Pool{New: func() any { return new(signer) }}

// maxSigner is the longest text, in bytes, whose signer is kept: the memory for one large page must
// not be held for good.
const maxSigner = 1 << 21

func (w *signer) release() {
	if cap(w.tokens.Text) <= maxSigner {
		signers.Put(w)
	}
}

func (w *signer) sign(text *Text) Signature {
	w.tokens.Read(text.Title)
	facts := Facts{Title: titleFact(&w.tokens, text.Title)}
	text.readBody(&w.tokens)
	t := w.tokens.Hashes
	switch placed := text.place != 0 && facts.Title != 0; {
	case placed && len(t) < leastSigned:
		return Signature{Body: w.bodyDigest(text, facts), Facts: facts}
	case len(t) == 0:
		return Signature{}
	}
	facts.Numbers = numbersFact(&w.tokens)
	w.tally.Tally(t)
	w.shingles = token.Shingles(w.shingles[:0], &w.tokens)
	least := sketch.MinimaOf(w.shingles)
	bands := least.Bands()
	if facts.Title != 0 {
		bands[0] = facts.Title
	}
	return Signature{
		Body:    w.bodyDigest(text, facts),
		SimHash: w.tally.SimHash(),
		Sketch:  least.Sketch(),
		Bands:   bands,
		Facts:   facts,
		Tokens:  uint32(len(t)),
	}
}

// leastSigned is how many tokens a page of a manual in versions says at least that is compared with all others. One that says less, such as a
// list of deprecated methods without any, is compared with the same page of other versions alone: its digest has its place.
const leastSigned = 4

// bodyDigest returns the digest of the body's tokens. For a body that says little by itself the
// title, the language and the links are added.
func (w *signer) bodyDigest(t *Text, f Facts) Digest {
	text, n := w.tokens.Text, len(w.tokens.Hashes)
	if n < briefBody && f.Title != 0 {
		text = binary.BigEndian.AppendUint32(append(text, titleMark), f.Title)
	}
	if n < briefBody && t.Lang != "" {
		text = append(append(text, titleMark), t.language()...)
	}
	if n < leastSigned && t.place != 0 {
		text = binary.BigEndian.AppendUint64(append(text, titleMark), t.place)
	}
	if t.bare() && n < ownText {
		text = binary.BigEndian.AppendUint32(append(text, titleMark), f.Title)
		text = binary.BigEndian.AppendUint32(text, t.Links)
	}
	return DigestOf(text)
}

// titleMark separates a brief body from what is added to it; no token contains it.
const titleMark = 0
