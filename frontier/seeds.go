package frontier

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"gatecrawl/priority"
)

// A Seed is a URL that a user handed in.
type Seed struct {
	URL      URL
	Line     int     // where it stood in its list; the first line is 1
	Label    string  // the user's word for it, at most MaxLabel bytes; "" is none
	Priority float32 // added to the score of the seed, from -priority.MaxSeed to priority.MaxSeed
}

// MaxLabel is how long a seed's label may be, in bytes.
const MaxLabel = 64

// A SeedError is a line of a list that is not a URL. The lines after it are
// read all the same.
type SeedError struct {
	Name string // the list's name
	Line int    // the first line is 1
	Text string // the line, cut to 200 bytes
	Err  error  // usually a *URLError
}

// Error names the list and the line, and says what is wrong with it.
func (e *SeedError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *SeedError) Unwrap() error { return e.Err }

// Seeds reads a list of URLs, one a line, or a sitemap or feed, plain or
// gzipped. Errors name the list by name and give the number of the line.
//
// Of a list blank lines do not count, nor does what stands behind a # that
// begins a line or follows a space. Lines may end in CR LF, and the list may
// begin with a byte order mark. ParseSeed says how an address may be written.
// Behind the address, each after a tab, may stand label=WORD and priority=NUMBER.
//
// A line that is no URL yields a *SeedError, and reading goes on. Any other
// error is the last thing that is yielded: the list cannot be read further, or
// it is no list of URLs (UTF-16, or a zero byte among the first 4 KiB). An
// empty list yields nothing. Memory is bounded whatever the list holds.
func Seeds(r io.Reader, name string) iter.Seq2[Seed, error] {
	return func(yield func(Seed, error) bool) {
		text, err := plainText(r)
		if err != nil {
			yield(Seed{}, fmt.Errorf("%s: %w", name, err))
			return
		}
		if head, _ := text.Peek(4 << 10); ListingOf(head) != "" {
			listed(text, name, yield)
			return
		}
		for n := 1; ; n++ {
			line, err := nextLine(text)
			if err == io.EOF && len(line) == 0 {
				return
			}
			if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
				yield(Seed{}, fmt.Errorf("%s:%d: %w", name, n, err))
				return
			}
			s, failed := readSeed(string(line), err == bufio.ErrBufferFull)
			if failed != nil {
				failed = &SeedError{name, n, cut(string(line)), failed}
			}
			s.Line = n
			if (failed != nil || !s.URL.IsZero()) && !yield(s, failed) {
				return
			}
		}
	}
}

// plainText returns a reader of the text in r, unzipped where it is zipped,
// behind its byte order mark.
func plainText(r io.Reader) (*bufio.Reader, error) {
	// A line has to fit into the buffer: an address, and as much for a comment.
	const size = 2 * maxURLBytes
	text := bufio.NewReaderSize(r, size)
	if magic, _ := text.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(text)
		if err != nil {
			return nil, unzipError(err)
		}
		text = bufio.NewReaderSize(unzipper{z}, size)
	}
	head, _ := text.Peek(4 << 10) // an error comes again when lines are read
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return nil, errors.New("is UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return nil, errors.New("looks like a binary file, not a list of URLs")
	case bytes.HasPrefix(head, []byte("\ufeff")):
		text.Discard(len("\ufeff"))
	}
	return text, nil
}

// An unzipper says of its errors that they came of unzipping.
type unzipper struct{ z *gzip.Reader }

func (u unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		err = unzipError(err)
	}
	return n, err
}

func unzipError(err error) error { return fmt.Errorf("cannot be unzipped: %w", err) }

// nextLine returns a line. One that is longer than the buffer is cut to the
// longest address and comes with bufio.ErrBufferFull.
func nextLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return bytes.TrimSpace(line), err
	}
	line = bytes.Clone(line[:maxURLBytes]) // reading on writes over it
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	return line, bufio.ErrBufferFull
}

// listed yields the addresses of a sitemap or feed.
func listed(text *bufio.Reader, name string, yield func(Seed, error) bool) {
	for item, err := range Items(text, 0) {
		if err != nil {
			yield(Seed{}, fmt.Errorf("%s: %w", name, err))
			return
		}
		u, err := ParseSeed(item.Ref)
		if err != nil {
			err = &SeedError{name, item.Line, cut(item.Ref), err}
		}
		if !yield(Seed{URL: u, Line: item.Line}, err) {
			return
		}
	}
}

// readSeed returns the seed of a line, or the zero Seed where it holds none.
func readSeed(line string, tooLong bool) (s Seed, err error) {
	if text := withoutComment(line); text != line {
		line, tooLong = strings.TrimSpace(text), false
	}
	if line == "" {
		return Seed{}, nil
	}
	if tooLong {
		return Seed{}, &URLError{line, ErrTooLong}
	}
	address, rest, more := strings.Cut(line, "\t")
	if strings.Contains(address, " label=") || strings.Contains(address, " priority=") {
		return Seed{}, fmt.Errorf("%q has a space where a tab has to be, before label= and priority=", cut(address))
	}
	if s.URL, err = ParseSeed(address); err != nil {
		return Seed{}, err
	}
	for more {
		var field string
		field, rest, more = strings.Cut(rest, "\t")
		if err := s.set(strings.TrimSpace(field)); err != nil {
			return Seed{}, err
		}
	}
	return s, nil
}

// withoutComment cuts off what stands behind a # that begins the line or follows
// a space.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// set reads one field of a list behind the address.
func (s *Seed) set(field string) error {
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "":
		return nil
	case "label":
		if !utf8.ValidString(value) || len(value) > MaxLabel {
			return fmt.Errorf("label %q is not UTF-8 of at most %d bytes", cut(value), MaxLabel)
		}
		s.Label = value
		return nil
	case "priority":
		p, err := strconv.ParseFloat(value, 32)
		if err != nil || !(-priority.MaxSeed <= p && p <= priority.MaxSeed) {
			return fmt.Errorf("priority %q is not a number from %d to %d", cut(value), -priority.MaxSeed, priority.MaxSeed)
		}
		s.Priority = float32(p)
		return nil
	}
	return fmt.Errorf("%q is neither label=WORD nor priority=NUMBER; what follows a tab is one of them", cut(field))
}

// ParseSeed reads an address as a user writes it. That is what Parse takes, and
// also an address without its scheme, such as example.com/docs: a host with a
// dot in it, an IPv6 address in brackets or localhost, with or without port and
// path. It gets https://, or http:// where the host is this machine, for which
// nobody has a certificate.
func ParseSeed(text string) (URL, error) {
	address := strings.TrimPrefix(trim(text), "//")
	if !beginsWithHost(address) {
		return Parse(text)
	}
	u, err := Parse("https://" + address)
	if err == nil && u.Loopback() {
		return Parse("http://" + address)
	}
	return u, err
}

// beginsWithHost reports whether a text looks like an address that lacks its
// scheme: what stands before the path is a host, perhaps with a port.
func beginsWithHost(text string) bool {
	host := text
	if i := strings.IndexAny(text, `/?#`); i >= 0 {
		host = text[:i]
	}
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		port := host[i+1:]
		if port == "" || digitsEnd(port, 0) != len(port) {
			return false
		}
		host = host[:i]
	}
	if host == "" || strings.ContainsAny(host, " @") {
		return false
	}
	return host == "localhost" || host[0] == '[' || strings.Contains(host[1:], ".")
}
