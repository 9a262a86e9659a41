package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Payload is the document in a record, decoded.
type Payload struct {
	Status      int         // of the HTTP response; 0 if the record has none
	Header      http.Header // of the HTTP response
	ContentType string      // of the response, or else of the record, with parameters
	Body        []byte
	Truncated   bool // Body is not whole: it was cut at the limit, by the writer of the record, or by damage
}

const (
	// maxHTTPHead bounds the header of an HTTP message, as browsers do.
	maxHTTPHead = 1 << 20

	// maxCodings bounds the nested encodings of a body.
	maxCodings = 3
)

// Payload reads the content of a record as a document: the body of an HTTP message
// without chunks and encodings (gzip, deflate, br, zstd), or else the content unchanged.
// An encoding that the header names but the body does not have, as in archives that store
// bodies decoded, is ignored. At most limit bytes of the body are read.
//
// With an error, Payload returns what could be read before it. The error is a
// *RecordError if the file is damaged, or else says what is wrong with the HTTP message.
func (rec *Record) Payload(limit int64) (Payload, error) {
	p := Payload{ContentType: rec.Fields.Get("Content-Type"), Truncated: rec.Truncated() != ""}
	in := bufio.NewReaderSize(rec, 16<<10)
	var body io.Reader = in
	if head, _ := in.Peek(5); string(head) == "HTTP/" && (rec.Type == Response || rec.Type == Revisit) {
		if err := p.readHead(in); err != nil {
			p.Truncated = true
			return p, rec.wrap(err)
		}
		var done func()
		var err error
		body, done, err = p.decoded(in)
		if err != nil {
			p.Truncated = true
			return p, rec.wrap(err)
		}
		defer done()
	}
	err := p.readBody(body, limit)
	if err != nil {
		p.Truncated = true
		err = rec.wrap(err)
	}
	return p, err
}

// ErrEncoding is wrapped by errors of an HTTP message that is whole in its file, and cannot be decoded: it was
// stored cut short or damaged, or not encoded as its header says.
var ErrEncoding = errors.New("its HTTP message cannot be decoded")

// wrap adds the record's place to an error that does not have it.
func (rec *Record) wrap(err error) error {
	var damage *RecordError
	if errors.As(err, &damage) {
		return damage
	}
	if rec.err != nil {
		return rec.err
	}
	return fmt.Errorf("%s: %v: %w: %w", rec.reader.name, rec.Place, ErrEncoding, err)
}

// readBody reads at most limit bytes.
func (p *Payload) readBody(r io.Reader, limit int64) error {
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(r, limit+1))
	p.Body = b.Bytes()
	if int64(len(p.Body)) > limit {
		p.Body, p.Truncated = p.Body[:limit], true
		return nil
	}
	return err
}

// readHead reads the status line and the header. Lines that are not fields are skipped:
// servers send such lines, and archives store them.
func (p *Payload) readHead(in *bufio.Reader) error {
	left := maxHTTPHead
	status, err := httpLine(in, &left)
	if err != nil {
		return err
	}
	p.Status = statusOf(status)
	p.Header = make(http.Header)
	last := ""
	for {
		line, err := httpLine(in, &left)
		if err == io.EOF || err == nil && line == "" {
			break // the empty line may be missing if the response has no body
		}
		if err != nil {
			return err
		}
		name, value, ok := strings.Cut(line, ":")
		switch {
		case line[0] == ' ' || line[0] == '\t':
			if v := p.Header[last]; len(v) > 0 {
				v[len(v)-1] += " " + strings.TrimSpace(line)
			}
		case ok:
			last = http.CanonicalHeaderKey(strings.TrimSpace(name))
			p.Header[last] = append(p.Header[last], strings.TrimSpace(value))
		}
	}
	p.ContentType = p.Header.Get("Content-Type")
	return nil
}

// statusOf reads the number in "HTTP/1.1 200 OK", or returns 0 if there is none.
func statusOf(line string) int {
	f := strings.Fields(line)
	if len(f) < 2 || len(f[1]) != 3 {
		return 0
	}
	n, err := strconv.ParseUint(f[1], 10, 16)
	if err != nil {
		return 0
	}
	return int(n)
}

func httpLine(in *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", errors.New("http head: longer than 1 MiB")
		}
		line = append(line, part...)
		if err == io.EOF && len(line) > 0 {
			err = nil
		}
		if err != bufio.ErrBufferFull {
			return string(bytes.TrimRight(line, "\r\n")), err
		}
	}
}

// decoded returns a reader of the body without chunks and encodings, and a function to
// call when it was read.
func (p *Payload) decoded(in *bufio.Reader) (io.Reader, func(), error) {
	body := in
	if strings.Contains(strings.ToLower(strings.Join(p.Header["Transfer-Encoding"], ",")), "chunked") && isChunkSize(in) {
		body = bufio.NewReader(httputil.NewChunkedReader(in))
	}
	done := func() {}
	names := codings(p.Header)
	if len(names) > maxCodings {
		return nil, nil, fmt.Errorf("the body has %d nested encodings", len(names))
	}
	for _, name := range names {
		d, closed, err := decoder(name, body)
		if err != nil {
			done()
			return nil, nil, fmt.Errorf("%s: %w", name, unexpected(err))
		}
		if d == nil {
			continue
		}
		body = bufio.NewReader(d)
		before := done
		done = func() { closed(); before() }
	}
	return body, done, nil
}

// isChunkSize reports whether the next line is the size of a chunk: hexadecimal digits, and
// perhaps an extension.
func isChunkSize(in *bufio.Reader) bool {
	b, _ := in.Peek(64)
	line, _, ok := bytes.Cut(b, []byte("\n"))
	if !ok && len(b) == 64 && bytes.IndexByte(b, ';') < 0 {
		return false
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	size = bytes.TrimSpace(size)
	if len(size) == 0 || len(size) > 16 {
		return false
	}
	for _, c := range size {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// codings returns the encodings of a body in the order in which to decode them.
func codings(h http.Header) []string {
	var names []string
	for name := range strings.SplitSeq(strings.Join(h["Content-Encoding"], ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "gzip", "x-gzip", "br", "zstd", "deflate":
			names = append([]string{name}, names...)
		}
	}
	return names
}

// decoder returns a reader that decodes one encoding, or nil if the body does not have
// it.
func decoder(name string, in *bufio.Reader) (io.Reader, func(), error) {
	head, err := in.Peek(4)
	if len(head) == 0 {
		if err == io.EOF {
			err = nil
		}
		return nil, nil, err
	}
	nothing := func() {}
	switch name {
	case "gzip", "x-gzip":
		if !bytes.HasPrefix(head, magicGzip[:2]) {
			return nil, nil, nil
		}
		z, err := gzip.NewReader(in)
		return z, nothing, err
	case "zstd":
		if !bytes.Equal(head, magicZstd) && !skippable(head) {
			return nil, nil, nil
		}
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	case "br":
		if !isEncoded(in, func(r io.Reader) io.Reader { return brotli.NewReader(r) }) {
			return nil, nil, nil
		}
		return brotli.NewReader(in), nothing, nil
	}
	// The name deflate means zlib (RFC 9110, section 8.4.1.2); some servers send
	// raw deflate.
	if head[0]&0x0f == 8 && len(head) > 1 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		in.Discard(2)
	} else if !isEncoded(in, func(r io.Reader) io.Reader { return flate.NewReader(r) }) {
		return nil, nil, nil
	}
	return flate.NewReader(in), nothing, nil
}

// isEncoded tries a decoder without a magic number on the first bytes. If they look like
// markup or cannot be decoded, the body is not encoded.
func isEncoded(in *bufio.Reader, open func(io.Reader) io.Reader) bool {
	head, _ := in.Peek(in.Size())
	if text := bytes.TrimLeft(head, " \t\r\n\ufeff"); len(text) > 1 && text[0] == '<' && (text[1] == '!' || text[1] == '?' || 'A' <= text[1]&^0x20 && text[1]&^0x20 <= 'Z') {
		return false
	}
	var first [64]byte
	n, err := io.ReadFull(open(bytes.NewReader(head)), first[:])
	return n > 0 || err == io.EOF
}
