package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"gatecrawl.example/gatecrawl/purify/charset"
)

// MaxLine bounds a line of input, in bytes: a page of 10 MiB with every byte escaped.
const MaxLine = 64 << 20

// maxWindow bounds the memory of a zstd decoder. Windows of up to 128 MiB are common in archives of
// pages.
const maxWindow = 128 << 20

// Open opens a file of text, or standard input for -, and decompresses it as Decompress does. UTF-16
// with a byte order mark, as spreadsheets write tables, becomes UTF-8. Open returns the name for
// messages.
func Open(name string, stdin io.Reader) (io.ReadCloser, string, error) {
	if name == "-" {
		r, err := Decompress(stdin)
		if err != nil {
			return nil, "standard input", err
		}
		return &openFile{inUTF8(r), r, nil}, "standard input", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, name, fmt.Errorf("%s is a folder: want a file", name)
	}
	r, err := Decompress(f)
	if err != nil {
		f.Close()
		return nil, name, fmt.Errorf("%s: %w", name, err)
	}
	return &openFile{inUTF8(r), r, f}, name, nil
}

// isUTF16 reports whether a file that starts with head has the byte order mark of UTF-16.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

func inUTF8(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// An openFile is a file and what decompresses it.
type openFile struct {
	io.Reader
	unpacked io.Closer
	f        *os.File // nil: standard input, which stays open
}

func (o *openFile) Close() error {
	err := o.unpacked.Close()
	if o.f == nil {
		return err
	}
	return errors.Join(err, o.f.Close())
}

// Decompress returns the decompressed content of r. It recognizes gzip and zstd by their
// first bytes; anything else is passed through. Close it; r stays open.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, _ := b.Peek(4) // a short file has a short head
	switch {
	case isGzip(head):
		return gzip.NewReader(b)
	case isZstd(head):
		z, err := zstd.NewReader(b, zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(b), nil
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

func isZstd(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

var byteOrderMark = []byte("\ufeff")

// A Line of input.
type Line struct {
	N    int // its number, 1 is the first
	Text []byte
}

// ErrLongLine is the error of a line that is longer than MaxLine. The lines after it can be read.
var ErrLongLine = fmt.Errorf("it is longer than %d MiB", MaxLine>>20)

// Lines yields the lines of r that are not empty, in UTF-8, without the space around them. A line
// in another charset is decoded: JSON is UTF-8, but not all programs keep to it. The errors are
// those of WholeLines.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for l, err := range WholeLines(r) {
			l.Text = bytes.Clone(bytes.TrimSpace(l.Text))
			if !utf8.Valid(l.Text) {
				l.Text, _ = charset.Decode(l.Text, "")
			}
			if (err != nil || len(l.Text) > 0) && !yield(l, err) {
				return
			}
		}
	}
}

// WholeLines yields every line of r without its end, and without the byte order mark that
// some editors start a file with. The text of a line is good until the next one. A line that is
// longer than MaxLine comes with ErrLongLine and without its text; any other error is the last.
func WholeLines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		var text []byte
		for n := 1; ; n++ {
			var err error
			text, err = wholeLine(in, text[:0])
			if n == 1 {
				text = bytes.TrimPrefix(text, byteOrderMark)
			}
			switch {
			case errors.Is(err, ErrLongLine):
				if !yield(Line{N: n}, fmt.Errorf("line %d: %w", n, err)) {
					return
				}
				continue
			case err == nil || len(text) > 0: // the last line need not have an end
				if !yield(Line{n, text}, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				if len(text) > 0 {
					n++ // what was read of the line before was yielded
				}
				yield(Line{N: n}, fmt.Errorf("line %d: %w", n, err))
				return
			}
		}
	}
}

// wholeLine appends a line to text, without its end. Of a line that is too long it reads all and keeps
// nothing.
func wholeLine(in *bufio.Reader, text []byte) ([]byte, error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > MaxLine; !long {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case long && (err == nil || err == io.EOF):
			return nil, ErrLongLine
		case long:
			return nil, err
		default:
			return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")), err
		}
	}
}

// NotLines returns an error that says what a file is, if its first line is not a JSON object
// although the file should have one object a line; otherwise nil.
func NotLines(first []byte) error {
	switch {
	case len(first) == 0:
		return nil
	case first[0] == '[':
		return errors.New("a list of JSON: want an object a line, which jq -c '.[]' makes of it")
	case string(first) == "{":
		return errors.New("an object of JSON over several lines: want one a line, which jq -c . makes of it")
	}
	return nil
}
