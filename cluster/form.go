package cluster

import (
	"encoding"

	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv/row"
	"gatecrawl.example/gatecrawl/store/letter"
)

// The questions that every page asks have forms of their own: each starts with a byte for the
// version, and the whole answer is one message. The other ones are JSON.

// put appends a value that has a form of its own, preceded by its length.
func put(e *row.Encoder, v encoding.BinaryAppender) {
	b, _ := v.AppendBinary(nil) // the forms of this package's questions have no errors
	e.Uint(uint64(len(b)))
	e.Bytes(b)
}

// get reads what put wrote.
func get(d *row.Decoder, v encoding.BinaryUnmarshaler) {
	b := d.Bytes(d.Count())
	if d.Err == nil {
		d.Err = v.UnmarshalBinary(b)
	}
}

// wireSignature is a signature on its way to another process.
type wireSignature dedup.Signature

// AppendBinary is encoding.BinaryAppender's.
func (s wireSignature) AppendBinary(b []byte) ([]byte, error) {
	return append(b, page.EncodeSignature((*dedup.Signature)(&s))...), nil
}

// UnmarshalBinary is encoding.BinaryUnmarshaler's.
func (s *wireSignature) UnmarshalBinary(b []byte) error {
	sig, err := page.DecodeSignature(b)
	*s = wireSignature(sig)
	return err
}

// A gateQuestion is about a page: by its stub, and by its text where the gate has said that it
// needs that.
type gateQuestion struct {
	sig  dedup.Signature
	text *dedup.Text // its placeholder, until it is needed; nil: the signature decides alone
	stub bool        // of text
	most int         // of a question for several pages
}

// What a question has of a text.
const (
	withNone = 0
	withStub = 1
	withText = 2
)

func (q *gateQuestion) encode() []byte {
	size := 512
	if q.text != nil && !q.stub {
		size += 3 * len(q.text.Body)
	}
	e := rpc.NewEncoder(size)
	put(e, wireSignature(q.sig))
	e.Uint(uint64(q.most))
	switch {
	case q.text == nil:
		e.Byte(withNone)
	case q.stub:
		e.Byte(withStub)
		put(e, q.text.Stub())
	default:
		e.Byte(withText)
		put(e, q.text)
	}
	return e.B
}

func decodeGateQuestion(b []byte) (q gateQuestion, err error) {
	d, err := rpc.NewDecoder(b)
	if err != nil {
		return q, err
	}
	get(d, (*wireSignature)(&q.sig))
	q.most = int(d.Uint())
	switch d.Byte() {
	case withStub:
		var s dedup.Stub
		get(d, &s)
		q.text, q.stub = s.Text(), true
	case withText:
		q.text = new(dedup.Text)
		get(d, q.text)
	}
	return q, d.Err
}

// A gateAnswer is a verdict, or that the text is needed.
type gateAnswer struct {
	verdict dedup.Verdict
	needed  bool
}

func (a gateAnswer) encode(e *row.Encoder) {
	e.Bool(a.needed)
	letter.EncodeVerdict(e, a.verdict)
}

func decodeGateAnswer(d *row.Decoder) (a gateAnswer) {
	a.needed = d.Bool()
	a.verdict = letter.DecodeVerdict(d)
	return a
}
