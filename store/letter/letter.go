// Package letter has the messages between the partitions of a job and its gate, and their form on
// disk. Package mail carries them.
package letter

import (
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The kinds of letters. The number of a kind is never used for another one.
const (
	Links   = 1 // candidates of a visit that belong to the receiver
	Size    = 2 // the sender's counts of the copies of a page that the receiver has kept
	Grant   = 3 // what waiting URLs of the receiver are paid because a page that links to them has more copies
	Retired = 4 // a page does not represent its copies any more; the number of the page that replaces it, 0 if it is gone
	Claim   = 5 // to the gate: a page that was settled as new
	Revised = 6 // to the gate: the new signature of a page that was read again, and the stub of its text
	Alias   = 7 // to the gate: the digest of the bytes of a copy
	Copy    = 8 // from the gate: a page that was settled as new is a copy
	Join    = 9 // from the gate: a kept page that was read again is a copy of an older one
)

// withStub is the kind on disk of a Revised with a stub. Earlier versions wrote none.
const withStub = 10

// A Letter is the content of a message. Which fields are set depends on its kind.
type Letter struct {
	Kind    byte
	Page    uint64 // its number
	Other   uint64
	Links   []*frontier.Candidate
	Keys    []weburl.Key
	Share   float32
	Degree  uint16
	Size    group.Size
	Sign    dedup.Signature
	Stub    *dedup.Stub // of Revised; nil: an earlier version has written it
	Digest  dedup.Digest
	Verdict dedup.Verdict
}

// Encode returns the body of a message.
func (l *Letter) Encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 128)}
	if l.Stub != nil {
		e.Byte(withStub)
		e.Uint(l.Page)
		sign := page.EncodeSignature(&l.Sign)
		e.Uint(uint64(len(sign)))
		e.Bytes(sign)
		e.B, _ = l.Stub.AppendBinary(e.B) // its error is always nil
		return e.B
	}
	e.Byte(l.Kind)
	switch l.Kind {
	case Links:
		e.Uint(uint64(len(l.Links)))
		for _, c := range l.Links {
			encodeCandidate(&e, c)
		}
	case Size:
		e.Uint(l.Page)
		e.Uint(l.Size.Degree)
		e.Uint(l.Size.Copies)
	case Grant:
		e.Float32(l.Share)
		e.Uint(uint64(l.Degree))
		e.Uint(uint64(len(l.Keys)))
		for _, k := range l.Keys {
			e.Bytes(k[:])
		}
	case Retired:
		e.Uint(l.Page)
		e.Uint(l.Other)
	case Claim, Revised:
		e.Uint(l.Page)
		e.Bytes(page.EncodeSignature(&l.Sign))
	case Alias:
		e.Bytes(l.Digest[:])
		EncodeVerdict(&e, l.Verdict)
	case Copy, Join:
		e.Uint(l.Page)
		EncodeVerdict(&e, l.Verdict)
	}
	return e.B
}

// Decode reads the body of a message.
func Decode(b []byte) (l *Letter, err error) {
	d := row.Decoder{B: b}
	l = &Letter{Kind: d.Byte()}
	switch l.Kind {
	case Links:
		for n := d.Uint(); n > 0 && d.Err == nil; n-- {
			c := new(frontier.Candidate)
			if err := decodeCandidate(&d, c); err != nil {
				return nil, err
			}
			l.Links = append(l.Links, c)
		}
	case Size:
		l.Page = d.Uint()
		l.Size = group.Size{Degree: d.Uint(), Copies: d.Uint()}
	case Grant:
		l.Share, l.Degree = d.Float32(), uint16(d.Uint())
		for n := d.Uint(); n > 0 && d.Err == nil; n-- {
			var k weburl.Key
			copy(k[:], d.Bytes(len(k)))
			l.Keys = append(l.Keys, k)
		}
	case Retired:
		l.Page, l.Other = d.Uint(), d.Uint()
	case Claim, Revised:
		l.Page = d.Uint()
		if d.Err == nil {
			l.Sign, err = page.DecodeSignature(d.B)
		}
	case withStub:
		l.Kind, l.Page, l.Stub = Revised, d.Uint(), new(dedup.Stub)
		if sign := d.Bytes(d.Count()); d.Err == nil {
			if l.Sign, err = page.DecodeSignature(sign); err == nil {
				err = l.Stub.UnmarshalBinary(d.B)
			}
		}
	case Alias:
		copy(l.Digest[:], d.Bytes(len(l.Digest)))
		l.Verdict = DecodeVerdict(&d)
	case Copy, Join:
		l.Page = d.Uint()
		l.Verdict = DecodeVerdict(&d)
	default:
		err = fmt.Errorf("its kind %d is not known: it was written by a newer program", l.Kind)
	}
	if err == nil {
		err = d.Err
	}
	return l, err
}

// EncodeVerdict appends a verdict.
func EncodeVerdict(e *row.Encoder, v dedup.Verdict) {
	e.Uint(uint64(v.Of))
	e.Byte(byte(v.Level))
	e.Byte(byte(v.Class))
	e.Uint(uint64(v.Distance))
	e.Float64(v.Similarity)
}

// DecodeVerdict reads what EncodeVerdict appended.
func DecodeVerdict(d *row.Decoder) dedup.Verdict {
	return dedup.Verdict{
		Of: dedup.Ref(d.Uint()), Level: dedup.Level(d.Byte()), Class: dedup.Class(d.Byte()),
		Distance: int(d.Uint()), Similarity: d.Float64(),
	}
}

// encodeCandidate appends a candidate.
func encodeCandidate(e *row.Encoder, c *frontier.Candidate) {
	e.Text(c.URL.String())
	e.Bytes(c.From[:])
	e.Text(c.Anchor)
	e.Text(c.Label)
	s := &c.Signals
	for _, f := range []float32{s.Seed, s.Sum, s.Relevance, s.Anchor, s.Siblings, s.Cash} {
		e.Float32(f)
	}
	for _, n := range []uint16{s.Depth, s.Links, s.Degree, s.Inlinks} {
		e.Uint(uint64(n))
	}
	e.Bool(s.Copy)
	e.Byte(c.Trap.Calendar)
	e.Byte(c.Trap.Redirects)
	e.Text(c.Refused.Rule)
	e.Text(c.Refused.Detail)
	e.Byte(byte(c.Kind))
	e.Text(c.Root)
	e.Time(c.Modified)
}

func decodeCandidate(d *row.Decoder, c *frontier.Candidate) (err error) {
	url := d.Text()
	copy(c.From[:], d.Bytes(len(c.From)))
	c.Anchor, c.Label = d.Text(), d.Text()
	s := &c.Signals
	*s = priority.Signals{
		Seed: d.Float32(), Sum: d.Float32(), Relevance: d.Float32(), Anchor: d.Float32(), Siblings: d.Float32(), Cash: d.Float32(),
		Depth: uint16(d.Uint()), Links: uint16(d.Uint()), Degree: uint16(d.Uint()), Inlinks: uint16(d.Uint()),
		Copy: d.Bool(),
	}
	c.Trap = frontier.Trail{Calendar: d.Byte(), Redirects: d.Byte()}
	c.Refused = frontier.Refusal{Rule: d.Text(), Detail: d.Text()}
	c.Kind, c.Root = frontier.LinkKind(d.Byte()), d.Text()
	c.Modified = d.Time()
	if d.Err != nil {
		return d.Err
	}
	c.URL, err = weburl.Parse(url)
	return err
}
