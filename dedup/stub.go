package dedup

import (
	"encoding/binary"
	"errors"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// ErrTextNeeded says that a question cannot be answered by the stub of a text.
var ErrTextNeeded = errors.New("the text is needed")

// A Stub is what a gate has to know of a text, in addition to the signature, to find the kept
// pages that the text would be compared with. Most new pages have none: for these a gate in
// another process needs no text.
type Stub struct {
	decides bool  // see Text.decides
	edge    *edge // of a text that may have been signed the other way; nil: another
}

// An edge is what a text is found by as it is on the other side of ownText.
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

// edge returns how else a text may have been signed, nil if it cannot.
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

// Text returns a placeholder for the text that the stub was made of. Check and Claim answer
// with it as they do with that one, and so do Neighbours and Nearest, or return ErrTextNeeded,
// after which nothing has changed.
func (s Stub) Text() *Text { return &Text{stub: &s} }

// AppendBinary appends a byte, and the edge if there is one. The error is always nil.
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
