package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

// maxLine bounds a line of input: a page of 10 MiB with every byte escaped.
const maxLine = 64 << 20

// openLines opens a file, or standard input for -, and decompresses it by its
// first bytes. It returns the name for messages.
func openLines(name string, stdin io.Reader) (io.ReadCloser, string, error) {
	if name == "-" {
		r, err := decompressed(stdin)
		return io.NopCloser(r), "standard input", err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, err
	}
	r, err := decompressed(f)
	if err != nil {
		f.Close()
		return nil, name, fmt.Errorf("%s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, name, nil
}

func decompressed(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, _ := b.Peek(4) // a short file has a short head
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// Long windows, up to 128 MiB, are common for archives of pages.
		return zstd.NewReader(b, zstd.WithDecoderMaxWindow(128<<20))
	}
	return b, nil
}

var byteOrderMark = []byte("\ufeff")

// A line of input with its number, from 1.
type line struct {
	n    int
	text []byte
}

// numbered yields the lines of r that are not empty, without the space around
// them. A line that is too long ends the input.
func numbered(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for l, err := range wholeLines(r) {
			l.text = bytes.Clone(bytes.TrimSpace(l.text))
			if (err != nil || len(l.text) > 0) && !yield(l, err) {
				return
			}
		}
	}
}

// wholeLines yields every line of r without its end, and without the mark that some
// editors begin a file with; its text is good until the next one. A line that is
// too long ends the input.
func wholeLines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		sc := bufio.NewScanner(r)
		sc.Buffer(make([]byte, 1<<16), maxLine)
		n := 1
		for ; sc.Scan(); n++ {
			text := sc.Bytes()
			if n == 1 {
				text = bytes.TrimPrefix(text, byteOrderMark)
			}
			if !yield(line{n, text}, nil) {
				return
			}
		}
		if err := sc.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(line{n: n}, fmt.Errorf("line %d is longer than %d MiB; the rest is not read", n, maxLine>>20))
		} else if err != nil {
			yield(line{n: n}, fmt.Errorf("line %d: %w", n, err))
		}
	}
}

// inOrder works on lines with all processors and hands the results to emit in
// the order of the lines. It returns what lines or emit failed with.
func inOrder(lines iter.Seq2[line, error], work func([]byte) ([]byte, error), emit func(n int, out []byte, err error) error) error {
	type result struct {
		n   int
		out []byte
		err error
	}
	return inTurn(lines, runtime.GOMAXPROCS(0), func(l line) result {
		out, err := work(l.text)
		return result{l.n, out, err}
	}, func(r result) error { return emit(r.n, r.out, r.err) })
}
