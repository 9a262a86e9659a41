package warc

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Type is what a record is (ISO 28500, section 6).
type Type string

// The types. A file may have others, which are read like these.
const (
	Info         Type = "warcinfo"     // about the file
	Response     Type = "response"     // an answer with its protocol's head
	Resource     Type = "resource"     // a payload without one
	Request      Type = "request"      // what was asked
	Metadata     Type = "metadata"     // about another record
	Revisit      Type = "revisit"      // an answer that equals an earlier one, without its body
	Conversion   Type = "conversion"   // another form of a record, such as its text
	Continuation Type = "continuation" // a further part of a record that was split
)

// The profiles of a revisit (ISO 28500:2017, section 6.7).
const (
	ProfileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// A Field is one named field of a record.
type Field struct{ Name, Value string }

// Fields are named fields in the order of the file. A name may occur twice, as
// WARC-Concurrent-To does; it counts in any case.
type Fields []Field

// Get returns the first value under a name, or "".
func (f Fields) Get(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.Name, name) {
			return field.Value
		}
	}
	return ""
}

// A Place is where a record stands in its file.
type Place struct {
	Offset int64 // of the record or, in a compressed file, of the member in which it begins
	Inside int64 // bytes of that member's text before the record; 0 in a plain file
}

// String is the place in words.
func (p Place) String() string {
	if p.Inside == 0 {
		return fmt.Sprintf("offset %d", p.Offset)
	}
	return fmt.Sprintf("offset %d and %d bytes into the member there", p.Offset, p.Inside)
}

// A Record is one record. It reads its content, until the Reader is asked for
// the next.
type Record struct {
	Version string // "1.1"
	Type    Type   // in lower case
	Fields  Fields
	Place   Place
	Length  int64 // of the content, in bytes, as the record says

	reader *Reader
	left   int64
	begin  int64 // of the content, in the open member's text
	err    error // the content cannot be read further, and the caller knows
}

// URL returns the address that the record is about, or "".
func (rec *Record) URL() string {
	u := rec.Fields.Get("WARC-Target-URI")
	if len(u) > 2 && u[0] == '<' && u[len(u)-1] == '>' {
		u = u[1 : len(u)-1] // as the grammar of version 1.0 has it
	}
	return u
}

// ID returns the record's name for itself, with its angle brackets, or "".
func (rec *Record) ID() string { return rec.Fields.Get("WARC-Record-ID") }

// Date returns when the content was fetched or made; the zero time where the
// record does not say.
func (rec *Record) Date() time.Time {
	t, err := time.Parse(time.RFC3339, rec.Fields.Get("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Truncated returns why whoever made the record cut its content short: length,
// time, disconnect or unspecified; "" for a whole one.
func (rec *Record) Truncated() string { return rec.Fields.Get("WARC-Truncated") }

// Read reads the content. Where the file does not hold all of it the error is a
// *RecordError.
func (rec *Record) Read(p []byte) (int, error) {
	switch {
	case rec.err != nil:
		return 0, rec.err
	case rec.left == 0:
		return 0, io.EOF
	case rec.reader.rec != rec:
		return 0, fmt.Errorf("%s: %v: read after the record that follows it", rec.reader.name, rec.Place)
	}
	n, err := rec.reader.read(rec, p[:min(int64(len(p)), rec.left)])
	rec.left -= int64(n)
	rec.err = err
	return n, err
}

// A RecordError is damage in a file. A Reader goes on behind it.
type RecordError struct {
	Name  string // of the file
	Place Place
	Err   error
}

// Error names file and place.
func (e *RecordError) Error() string { return fmt.Sprintf("%s: %v: %v", e.Name, e.Place, e.Err) }

// Unwrap returns what is wrong.
func (e *RecordError) Unwrap() error { return e.Err }
