package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Draft is a record to be written.
type Draft struct {
	Type    Type
	URL     string    // WARC-Target-URI; "" for a record without a URL
	Date    time.Time // when the content was fetched or made
	ID      string    // WARC-Record-ID; "": the Writer makes one
	Kind    string    // Content-Type of the content; "": none
	Fields  Fields    // other fields
	Content []byte
}

// InfoDraft returns the first record of a file, which describes the file: software,
// format, operator and so on (ISO 28500, section 6.2).
func InfoDraft(at time.Time, about Fields) Draft {
	var b bytes.Buffer
	for _, f := range about {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	return Draft{Type: Info, Date: at, Kind: "application/warc-fields", Content: b.Bytes()}
}

// ResponseDraft returns the record of a response with its decoded body. Header fields
// about the encoding and the length on the wire would be wrong for that body; they are
// stored with the prefix X-Archive-Orig-, as other crawlers do.
func ResponseDraft(url string, at time.Time, status int, header http.Header, body []byte) Draft {
	return Draft{
		Type: Response, URL: url, Date: at, Kind: KindResponse,
		Content: append(AppendResponseHead(nil, status, header, len(body)), body...),
	}
}

// KindResponse is the Content-Type of a record with an HTTP response.
const KindResponse = "application/http; msgtype=response"

// AppendResponseHead appends the head of a response whose decoded body has length bytes,
// as ResponseDraft has it.
func AppendResponseHead(b []byte, status int, header http.Header, length int) []byte {
	b = slices.Grow(b, 512)
	b = fmt.Appendf(b, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		written := name
		switch name {
		case "Content-Encoding", "Transfer-Encoding", "Content-Length":
			written = "X-Archive-Orig-" + name
		}
		for _, v := range header[name] {
			b = append(append(append(b, written...), ": "...), oneLine(v)...)
			b = append(b, "\r\n"...)
		}
	}
	return fmt.Appendf(b, "Content-Length: %d\r\n\r\n", length)
}

// RevisitDraft returns the record of a response with the payload of an earlier record. It
// has only the header of the response. digest is the payload's.
func RevisitDraft(response Draft, digest, earlierURL string, earlier time.Time) Draft {
	d := response
	d.Type = Revisit
	d.Content = d.Content[:headEnd(d.Content)]
	d.Fields = append(slices.Clone(d.Fields),
		Field{"WARC-Profile", ProfileIdentical},
		Field{"WARC-Refers-To-Target-URI", earlierURL},
		Field{"WARC-Refers-To-Date", stamp(earlier)},
		Field{"WARC-Payload-Digest", digest})
	return d
}

// NotModifiedDraft returns the record of a response 304: the document at the URL has not
// changed.
func NotModifiedDraft(response Draft) Draft {
	d := response
	d.Type = Revisit
	d.Fields = append(slices.Clone(d.Fields),
		Field{"WARC-Profile", ProfileNotModified},
		Field{"WARC-Refers-To-Target-URI", d.URL})
	return d
}

// oneLine replaces line ends in a value by spaces.
func oneLine(v string) string { return lineEnds.Replace(v) }

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// stamp writes a date in the form of both versions of the format.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// headEnd returns where the body of an HTTP message starts, or the message's length if it
// has none.
func headEnd(message []byte) int {
	if i := bytes.Index(message, []byte("\r\n\r\n")); i >= 0 {
		return i + 4
	}
	return len(message)
}

// A Writer writes records of version 1.1 with their digests. It must not be used by
// several goroutines at once.
type Writer struct {
	w      io.Writer
	gz     *gzip.Writer  // nil: not gzip
	zs     *zstd.Encoder // nil: not zstd
	packed bytes.Buffer  // the record that is being written
	offset int64
	err    error
}

// NewWriter returns a writer to w. Each record is a gzip member or a zstd frame of its own; of
// the compression "" it is plain. To append to a file, give its length as offset.
func NewWriter(w io.Writer, by Compression, offset int64) *Writer {
	z := &Writer{w: w, offset: offset}
	switch by {
	case Gzip:
		z.gz = gzip.NewWriter(nil)
	case Zstd:
		var err error
		z.zs, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
		if err != nil {
			panic("zstd options are constant: " + err.Error())
		}
	}
	return z
}

// Write writes a record in one call of the underlying Write, and returns its offset and
// its length in the file, for an index. After an error of the underlying Write the file
// may end in a part of a record, and every further Write fails.
func (w *Writer) Write(d Draft) (at, length int64, err error) {
	if w.err != nil {
		return 0, 0, w.err
	}
	head, err := d.head()
	if err != nil {
		return 0, 0, fmt.Errorf("warc record %s: %w", d.URL, err)
	}
	b := &w.packed
	if b.Reset(); b.Cap() > maxPacked {
		*b = bytes.Buffer{}
	}
	if err := w.pack(b, head, d.Content, []byte("\r\n\r\n")); err != nil {
		return 0, 0, fmt.Errorf("warc record %s: %w", d.URL, err)
	}
	if _, err := w.w.Write(b.Bytes()); err != nil {
		w.err = fmt.Errorf("write warc: %w", err)
		return 0, 0, w.err
	}
	at, length = w.offset, int64(b.Len())
	w.offset += length
	return at, length, nil
}

// maxPacked bounds the bytes of work space that a Writer keeps for the next record.
const maxPacked = 4 << 20

// pack writes the parts of a record to memory, compressed.
func (w *Writer) pack(b *bytes.Buffer, parts ...[]byte) error {
	if w.zs != nil {
		b.Write(w.zs.EncodeAll(bytes.Join(parts, nil), nil)) // the frame has its length: readers allocate that much memory
		return nil
	}
	if w.gz == nil {
		b.Write(bytes.Join(parts, nil))
		return nil
	}
	w.gz.Reset(b)
	for _, p := range parts {
		w.gz.Write(p) // to memory
	}
	return w.gz.Close()
}

// head writes the named fields.
func (d *Draft) head() ([]byte, error) {
	payload := ""
	if b, ok := d.payload(); ok && d.Fields.Get("WARC-Payload-Digest") == "" {
		payload = DigestOf(b)
	}
	return d.AppendHead(nil, DigestOf(d.Content), payload, len(d.Content))
}

// AppendHead appends the version and the named fields of a record, with the blank line that ends
// them, for a content of length bytes that is not in Content. block and payload are its digests; an
// empty digest is left out.
func (d *Draft) AppendHead(b []byte, block, payload string, length int) ([]byte, error) {
	if d.Type == "" {
		return nil, errors.New("no type")
	}
	if d.Date.IsZero() {
		return nil, errors.New("no date")
	}
	b = append(b, "WARC/1.1\r\n"...)
	var fault error
	add := func(name, value string) {
		if value == "" {
			return
		}
		if f := (Field{name, value}); !validField(f) {
			fault = fmt.Errorf("field %q: %q cannot be written", f.Name, f.Value)
		}
		b = append(b, name...)
		b = append(b, ": "...)
		b = append(b, value...)
		b = append(b, "\r\n"...)
	}
	id := d.ID
	if id == "" {
		id = NewID()
	}
	add("WARC-Type", string(d.Type))
	add("WARC-Record-ID", id)
	add("WARC-Date", stamp(d.Date))
	add("WARC-Target-URI", d.URL)
	for _, f := range d.Fields {
		add(f.Name, f.Value)
	}
	add("WARC-Block-Digest", block)
	add("WARC-Payload-Digest", payload)
	add("Content-Type", d.Kind)
	add("Content-Length", strconv.Itoa(length))
	return append(b, "\r\n"...), fault
}

// CaptureOf returns the index entry of a response or of a resource, without its position. Its
// Digest is that of the payload.
func CaptureOf(d Draft) Capture {
	c := Capture{URL: d.URL, Time: d.Date, MIME: d.Kind, Digest: d.Fields.Get("WARC-Payload-Digest")}
	if r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(d.Content)), nil); err == nil && d.Type != Resource {
		c.Status, c.MIME = r.StatusCode, r.Header.Get("Content-Type")
	}
	c.MIME, _, _ = strings.Cut(strings.ToLower(c.MIME), ";")
	if c.MIME = strings.TrimSpace(c.MIME); d.Type == Revisit {
		c.MIME = revisitMIME
	}
	if b, ok := d.payload(); ok && c.Digest == "" {
		c.Digest = DigestOf(b)
	}
	return c
}

// DraftOf returns a record of an uncompressed file as a Draft: with its ID, and without the fields
// that a Writer creates. Its content is a part of record, not a copy.
func DraftOf(record []byte) (Draft, error) {
	r, err := newReader(bytes.NewReader(record), "record", DefaultOptions(), recordBuffer)
	if err != nil {
		return Draft{}, err
	}
	defer r.Close()
	rec, err := r.Next()
	if err != nil {
		return Draft{}, err
	}
	d := Draft{Type: rec.Type, URL: rec.URL(), Date: rec.Date(), ID: rec.ID(), Kind: rec.Fields.Get("Content-Type")}
	for _, f := range rec.Fields {
		if !slices.ContainsFunc(ownFields, func(own string) bool { return strings.EqualFold(own, f.Name) }) {
			d.Fields = append(d.Fields, f)
		}
	}
	if end := rec.start + rec.Length; r.members.codec == codecNone && end >= rec.start && end <= int64(len(record)) {
		d.Content = record[rec.start:end:end]
		return d, nil
	}
	_, err = io.Copy(io.Discard, rec) // which tells what is missing
	return d, cmp.Or(err, io.ErrUnexpectedEOF)
}

// recordBuffer is how many bytes of a record are read at once: its head, often.
const recordBuffer = 2 << 10

// ownFields are the fields that have a field of their own in Draft, or that are computed from the
// content.
var ownFields = []string{
	"WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "Content-Type", "Content-Length", "WARC-Block-Digest",
}

// payload returns the payload of a record whose content is a payload with a header.
func (d *Draft) payload() ([]byte, bool) {
	if d.Type != Response || !strings.HasPrefix(d.Kind, "application/http") {
		return nil, false
	}
	return d.Content[headEnd(d.Content):], true
}

// validField reports whether a field would be read back unchanged.
func validField(f Field) bool {
	if f.Name == "" || strings.ContainsAny(f.Value, "\r\n") {
		return false
	}
	for _, c := range []byte(f.Name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return true
}

// NewID returns an ID that no other record has: a random UUID (RFC 9562).
func NewID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
