package cluster

import (
	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/store/kv/row"
	"gatecrawl.example/gatecrawl/store/letter"
)

// The questions that are asked for every page, and their answers, have a binary form, and each is
// one message (see rpc.Quick). All other questions are JSON.

// A gateQuestion asks the gate about a page. It has the page's signature, and of its text the stub;
// the whole text is sent only after the gate has said that it needs it.
type gateQuestion struct {
	sig  dedup.Signature
	text *dedup.Text         // nil: the signature decides alone
	stub bool                // only the stub of text is sent
	near gatecrawl.NearQuery // how many pages are asked for, where it is more than a verdict
}

// What a question has of the text.
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
	rpc.Put(e, signature(q.sig))
	e.Uint(uint64(q.near.Limit))
	e.Bool(q.near.Apart)
	switch {
	case q.text == nil:
		e.Byte(withNone)
	case q.stub:
		e.Byte(withStub)
		rpc.Put(e, q.text.Stub())
	default:
		e.Byte(withText)
		rpc.Put(e, q.text)
	}
	return e.B
}

func decodeGateQuestion(b []byte) (q gateQuestion, err error) {
	d, err := rpc.NewDecoder(b)
	if err != nil {
		return q, err
	}
	rpc.Get(d, (*signature)(&q.sig))
	q.near = gatecrawl.NearQuery{Limit: int(d.Uint()), Apart: d.Bool()}
	switch d.Byte() {
	case withStub:
		var s dedup.Stub
		rpc.Get(d, &s)
		q.text, q.stub = s.Text(), true
	case withText:
		q.text = new(dedup.Text)
		rpc.Get(d, q.text)
	}
	return q, d.Err
}

// A gateAnswer is a verdict, or says that the gate needs the text.
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
