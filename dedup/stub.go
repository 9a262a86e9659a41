package dedup

import (
	"encoding/binary"
	"errors"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// ErrTextNeeded says that a question can't be answered with the stub of a text.
var ErrTextNeeded = errors.New("the text is needed")

// A Stub is what a gate must know of a text, in addition to the signature, to find the kept pages
// that the text would be compared with. Most new pages have no such candidates, so that a gate in
// another process does not need their texts.
type Stub struct {
	decides bool  // see Text.decides
	edge    *edge // of a text that may have been signed with the other choice of links; nil: another text
}

// An edge is the part of a signature that finds candidates, for a text with the other choice of
// links: see Text.onEdge.
type edge struct {
	simHash uint64
	sketch  [16]byte
	bands   index.Bands
}

// Stub returns the stub of a text.
func (t *Text) Stub() Stub {
	if t.stub != nil {
		return *t.stub
	}
	return Stub{t.decides(), t.edge()}
}

// edge returns the other signature that a text may have been given; nil if it can have only one.
func (t *Text) edge() *edge {
	if t.stub != nil {
		return t.stub.edge
	}
	if !t.onEdge() {
		return nil
	}
	s := t.other().Sign()
	return &edge{s.SimHash, s.Sketch, s.Bands}
}

// Text returns a placeholder for the text that the stub was made of. Check, Claim, Neighbours and
// Nearest give the same answer with it as with the text, or return ErrTextNeeded, in which case
// nothing has changed.
func (s Stub) Text() *Text { return &Text{stub: &s} }

// AppendBinary appends a byte of flags, and the edge if there is one. The error is always nil.
func (s Stub) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, bit(s.decides, 1)|bit(s.edge != nil, 2))
	if s.edge != nil {
		b = binary.BigEndian.AppendUint64(b, s.edge.simHash)
		b = append(b, s.edge.sketch[:]...)
		for _, k := range s.edge.bands {
			b = binary.BigEndian.AppendUint32(b, k)
		}
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (s *Stub) UnmarshalBinary(b []byte) error {
	r := formReader{b: b}
	flags := r.byte()
	*s = Stub{decides: flags&1 != 0}
	if flags&2 != 0 {
		s.edge = &edge{simHash: r.uint64()}
		copy(s.edge.sketch[:], r.take(len(s.edge.sketch)))
		for i := range s.edge.bands {
			s.edge.bands[i] = r.uint32()
		}
	}
	return r.end()
}
