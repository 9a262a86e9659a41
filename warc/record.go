package warc

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/url"
	"strings"
	"time"
)

// A Type is the type of a record (ISO 28500, section 6).
type Type string

// The types. A file may have others, which are read in the same way.
const (
	Info         Type = "warcinfo"     // about the file
	Response     Type = "response"     // a response with the header of its protocol
	Resource     Type = "resource"     // a payload without a header
	Request      Type = "request"      // a request
	Metadata     Type = "metadata"     // about another record
	Revisit      Type = "revisit"      // a response equal to an earlier one, without its body
	Conversion   Type = "conversion"   // another form of a record, such as its text
	Continuation Type = "continuation" // another part of a record that was split
)

// The profiles of a revisit (ISO 28500:2017, section 6.7).
const (
	ProfileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// A Field is one named field of a record.
type Field struct{ Name, Value string }

// Fields are named fields in the order of the file. A name may occur twice, as
// WARC-Concurrent-To does; upper and lower case are the same.
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

// A Place is the position of a record in its file.
type Place struct {
	Offset int64 // of the record or, in a compressed file, of the member in which it starts
	Inside int64 // decompressed bytes of that member before the record; 0 in a plain file
}

// String returns the place in words.
func (p Place) String() string {
	if p.Inside == 0 {
		return fmt.Sprintf("offset %d", p.Offset)
	}
	return fmt.Sprintf("offset %d and %d bytes into the member there", p.Offset, p.Inside)
}

// A Record is one record. Its content can be read until Next of the Reader is called.
type Record struct {
	Version string // "1.1"
	Type    Type   // in lower case
	Fields  Fields
	Place   Place
	Length  int64 // of the content, in bytes, as the record says

	reader *Reader
	left   int64
	start  int64     // offset of the content in the decompressed member
	err    error     // the content cannot be read further, and the caller was told
	digest string    // WARC-Block-Digest, if it can be compared
	sum    hash.Hash // of the content so far; nil if digest is empty
}

// URL returns the URL of the record, or "".
func (rec *Record) URL() string {
	u := rec.Fields.Get("WARC-Target-URI")
	if len(u) > 2 && u[0] == '<' && u[len(u)-1] == '>' {
		u = u[1 : len(u)-1] // as the grammar of version 1.0 has it
	}
	return u
}

// ID returns the record's ID with its angle brackets, or "".
func (rec *Record) ID() string { return rec.Fields.Get("WARC-Record-ID") }

// Date returns when the content was fetched or made, or the zero time if the record does
// not say.
func (rec *Record) Date() time.Time {
	t, err := time.Parse(time.RFC3339, rec.Fields.Get("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Truncated returns why the writer of the record cut its content short: length, time,
// disconnect or unspecified; "" if it is whole.
func (rec *Record) Truncated() string { return rec.Fields.Get("WARC-Truncated") }

// Read reads the content. If the file does not have all of it the error is a *RecordError.
func (rec *Record) Read(p []byte) (int, error) {
	switch {
	case rec.err != nil:
		return 0, rec.err
	case rec.left == 0:
		return 0, io.EOF
	case rec.reader.rec != rec:
		return 0, fmt.Errorf("%s: %v: the record was read after the next one was requested", rec.reader.name, rec.Place)
	}
	n, err := rec.reader.read(rec, p[:min(int64(len(p)), rec.left)])
	rec.left -= int64(n)
	if rec.sum != nil {
		rec.sum.Write(p[:n])
	}
	rec.err = err
	return n, err
}

// A RecordError is damage in a file. A Reader continues after it.
type RecordError struct {
	Name  string // of the file
	Place Place
	Err   error
}

// Error names file and place.
func (e *RecordError) Error() string { return fmt.Sprintf("%s: %v: %v", e.Name, e.Place, e.Err) }

// Unwrap returns what is wrong.
func (e *RecordError) Unwrap() error { return e.Err }

// IsRobots reports whether a URL is one of a robots.txt. Archives have it because crawlers
// ask for it; it is not a page.
func IsRobots(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Path == "/robots.txt"
}

// PayloadDigest returns the field for a payload whose SHA-256 is known.
func PayloadDigest(sum [sha256.Size]byte) Field {
	return Field{"WARC-Payload-Digest", "sha256:" + hex.EncodeToString(sum[:])}
}

// DigestOf returns the digest of b as archives write it: "sha1:" and 32
// characters of base 32.
func DigestOf(b []byte) string {
	h := sha1.Sum(b)
	return "sha1:" + base32.StdEncoding.EncodeToString(h[:])
}
