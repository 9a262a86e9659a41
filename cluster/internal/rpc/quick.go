package rpc

import (
	"context"
	"encoding"
	"fmt"

	"gatecrawl.example/gatecrawl/store/kv/row"
)

// Form is the version of the messages between processes, and of the log that all nodes follow. Quick
// questions and answers start with it.
const Form = 13

// NewEncoder starts a quick question or answer.
func NewEncoder(size int) *row.Encoder {
	e := &row.Encoder{B: make([]byte, 0, size)}
	e.Byte(Form)
	return e
}

// NewDecoder starts to read a message that NewEncoder has started.
func NewDecoder(b []byte) (*row.Decoder, error) {
	d := &row.Decoder{B: b}
	if v := d.Byte(); d.Err == nil && v != Form {
		return nil, fmt.Errorf("a message of form %d: all nodes need the same version of the program", v)
	}
	return d, d.Err
}

// Put appends a value in its binary form, preceded by its length. AppendBinary must not fail.
func Put(e *row.Encoder, v encoding.BinaryAppender) {
	b, _ := v.AppendBinary(nil)
	e.Uint(uint64(len(b)))
	e.Bytes(b)
}

// Get reads what Put wrote.
func Get(d *row.Decoder, v encoding.BinaryUnmarshaler) {
	b := d.Bytes(d.Count())
	if d.Err == nil {
		d.Err = v.UnmarshalBinary(b)
	}
}

// EncodeNumber returns a question that is one number, which DecodeNumber reads.
func EncodeNumber(n uint64) []byte {
	e := NewEncoder(10)
	e.Uint(n)
	return e.B
}

// DecodeNumber reads what EncodeNumber wrote.
func DecodeNumber(b []byte) (uint64, error) {
	d, err := NewDecoder(b)
	if err != nil {
		return 0, err
	}
	n := d.Uint()
	return n, d.Err
}

// A Quick method answers a question with one message. Question and answer have a binary form of
// their own.
type Quick func(ctx context.Context, argument []byte, answer *row.Encoder) error

// AskQuick asks a Quick method.
func AskQuick(from Asker, method string, argument []byte) (*row.Decoder, error) {
	question := make([]byte, 0, len(method)+1+len(argument))
	question = append(append(append(question, method...), 0), argument...)
	b, err := from.send(context.Background(), question)
	if err != nil {
		return nil, err
	}
	if len(b) > 0 && b[0] == answeredUnknown {
		return nil, &unknownError{string(b[1:])}
	}
	if len(b) == 0 || b[0] != answeredAll {
		return nil, errForm(from)
	}
	return NewDecoder(b[1:])
}

func errForm(from Asker) error {
	return fmt.Errorf("%s answers in a form that is not known: all nodes need the same version of the program", from.Subject)
}

// ReadAnswer returns an error if the answer that d has read is not valid.
func ReadAnswer(from Asker, method string, d *row.Decoder) error {
	if d.Err != nil {
		return fmt.Errorf("%s, asked for %s: %w", from.Subject, method, d.Err)
	}
	return nil
}
