package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Open returns a reader of the text of a list in r as UTF-8, unzipped if it is zipped, and without
// its byte order mark. UTF-16 is recognized by its mark, or by its first
// characters: spreadsheets and editors on Windows save it. Lines may all end in a carriage return
// alone, as some spreadsheets on the Mac save them. A binary file is an error.
func Open(r io.Reader) (*bufio.Reader, error) {
	// A line has to fit into the buffer: a URL, and as much for a comment.
	const size = 2 * weburl.MaxBytes
	text := bufio.NewReaderSize(r, size)
	if magic, _ := text.Peek(2); isGzip(magic) {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, unzipError(err)
		}
		text = bufio.NewReaderSize(unzipper{z}, size)
	}
	head, _ := text.Peek(headBytes) // an error comes again when lines are read
	if order, ok := isUTF16(head); ok {
		wide := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
		text = bufio.NewReaderSize(transform.NewReader(text, wide), size)
		head, _ = text.Peek(headBytes)
	}
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return nil, errors.New("looks like a binary file, not a list of URLs")
	case bytes.HasPrefix(head, []byte("\ufeff")):
		text.Discard(len("\ufeff"))
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		text = bufio.NewReaderSize(returned{text}, size)
	}
	return text, nil
}

// A returned text has line feeds for its carriage returns.
type returned struct{ r io.Reader }

func (t returned) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// isUTF16 reports whether a list that starts with head is in UTF-16, and in which byte order: it has a
// byte order mark, or starts like an XML document or a URL in UTF-16 (XML 1.0, appendix F).
func isUTF16(head []byte) (order unicode.Endianness, ok bool) {
	if len(head) < 4 {
		return unicode.BigEndian, false
	}
	starts := func(b byte) bool { return b == '<' || b == 'h' }
	switch {
	case head[0] == 0xff && head[1] == 0xfe,
		starts(head[0]) && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return unicode.LittleEndian, true
	case head[0] == 0xfe && head[1] == 0xff,
		head[0] == 0 && starts(head[1]) && head[2] == 0 && head[3] != 0:
		return unicode.BigEndian, true
	}
	return unicode.BigEndian, false
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte("\x1f\x8b")) }

// An unzipper says of its errors that they are those of unzipping.
type unzipper struct{ z *gzip.Reader }

func (u unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		err = unzipError(err)
	}
	return n, err
}

func unzipError(err error) error { return fmt.Errorf("cannot be unzipped: %w", err) }

// NextLine returns a line of what Open returned, without the space around it. One that is
// longer than the buffer is cut to the longest URL and comes with bufio.ErrBufferFull.
func NextLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return bytes.TrimSpace(line), err
	}
	line = bytes.Clone(line[:weburl.MaxBytes]) // reading on writes over it
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	return line, bufio.ErrBufferFull
}

// A cappedReader fails after so many bytes, where a limited one would end.
type cappedReader struct {
	r     io.Reader
	left  int64
	limit int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("longer than %d bytes", c.limit)
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// declared finds the encoding that an XML declaration names.
var declared = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([^"']+)`) })

// decoder returns a lenient decoder of the XML in r, which starts with head. label is the charset
// that its server names, which counts for a document that declares none and is not UTF-8: many
// servers send one charset with all their files.
func decoder(r io.Reader, head []byte, label string) *xml.Decoder {
	head = head[:min(len(head), 1<<10)]
	if m := declared().FindSubmatch(head); m != nil {
		label = string(m[1])
	} else if isUTF8(head) {
		label = ""
	}
	// An unknown one is ignored. Text labelled as UTF-16 that came this far is UTF-8 by now.
	if e, name := charset.Lookup(label); e != nil && !strings.HasPrefix(name, "utf-") {
		return lenient(transform.NewReader(r, transform.Chain(e.NewDecoder(), runes.Map(legible))))
	}
	return lenient(transform.NewReader(r, runes.Map(legible)))
}

// isUTF8 reports whether the start of a text is UTF-8, up to a character that is cut.
func isUTF8(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(head)
		}
		head = head[n:]
	}
	return true
}

func lenient(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, decoded io.Reader) (io.Reader, error) { return decoded, nil }
	return d
}

// legible returns a space for control characters that XML does not have (XML 1.0, section
// 2.2): at one of them its decoder ends. Other characters that it does not have are U+FFFD.
func legible(r rune) rune {
	switch {
	case r == 0xfffe || r == 0xffff:
		return utf8.RuneError
	case r >= ' ', r == '\t', r == '\n', r == '\r':
		return r
	}
	return ' '
}
