package seeds

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

// A Seed is a URL from a user.
type Seed struct {
	URL      weburl.URL
	Text     string  // the URL as the user wrote it
	Line     int     // its line in the list; the first line is 1
	Label    string  // the user's label, at most MaxLabel bytes; "": none
	Priority float32 // added to the score of the seed, from -priority.MaxSeed to priority.MaxSeed
}

// MaxLabel is how long a seed's label may be, in bytes.
const MaxLabel = 64

// A LineError is a line of a list that is not a URL. Reading continues after it.
type LineError struct {
	Name string // the list's name
	Line int    // the first line is 1
	Text string // the line, or of CSV its URL, cut to 200 bytes
	Err  error  // usually a *URLError
}

// Error names the list and the line, and says what is wrong with it.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// A ListError ends a list: it is cut short or damaged, and cannot be read further, or it is not
// a list of URLs. What follows is unknown, so the list is not complete without it.
type ListError struct {
	Name string // the list's name; "": Err has it
	Line int    // where it ends; 0: Err has it, or the list has no lines
	Err  error
}

// Error names the list and, where it is known, the line, and says what is wrong.
func (e *ListError) Error() string {
	switch {
	case e.Name == "":
		return e.Err.Error()
	case e.Line == 0:
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err)
}

// Unwrap returns what is wrong with the list.
func (e *ListError) Unwrap() error { return e.Err }

// Read reads a list of URLs, one a line, or a CSV file, a sitemap or a feed, plain or
// gzipped. Errors name the list by name and give the number of the line.
//
// In a list blank lines are ignored, and comments, which start with a # at the start of a
// line or after a space. Lines may end in CR LF, and the list may start with a byte order
// mark, and be in UTF-16. Parse says how a URL may be written. The URL may be followed by label=WORD and
// priority=NUMBER, each after a tab.
//
// A CSV file has a header that names a column url (or uri, link, domain and some
// more), and perhaps label, priority and rank. Without a header the URL comes first, if the
// name ends in .csv or what follows has spaces or quotes; or a rank comes first and then
// the URL, as in 1,example.org. The priority of a rank is below 0 and above -1, the first
// rank having the highest. The separator is a comma or a semicolon, with a
// header also a tab.
//
// A line that is not a URL yields a *LineError, and reading continues. A *ListError is
// yielded last: the list cannot be read further, or is not a list of URLs (a zero
// byte in the first 4 KiB). An empty list yields nothing. Memory is bounded for any
// list.
func Read(r io.Reader, name string) iter.Seq2[Seed, error] { return ReadColumn(r, name, "") }

// ReadColumn is Read where the user says in which column of a CSV file the URLs are: by its
// number, from 1, or by its name in the first line. For "" it is Read.
func ReadColumn(r io.Reader, name, column string) iter.Seq2[Seed, error] {
	return func(yield func(Seed, error) bool) {
		text, err := feed.Open(r)
		if err != nil {
			yield(Seed{}, &ListError{Name: name, Err: err})
			return
		}
		head, _ := text.Peek(4 << 10)
		if feed.KindOf(head) != "" {
			listed(text, name, yield)
			return
		}
		if column != "" {
			l, err := columned(head, column)
			if err != nil {
				yield(Seed{}, &ListError{Name: name, Err: err})
				return
			}
			tabled(text, name, l, yield)
			return
		}
		if l, ok := layoutOf(head, name); ok {
			tabled(text, name, l, yield)
			return
		}
		for n := 1; ; n++ {
			line, err := feed.NextLine(text)
			if err == io.EOF && len(line) == 0 {
				return
			}
			if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
				yield(Seed{}, &ListError{name, n, err})
				return
			}
			s, failed := readSeed(string(line), err == bufio.ErrBufferFull)
			if failed != nil {
				failed = &LineError{name, n, weburl.Shorten(string(line)), failed}
			}
			s.Line = n
			if (failed != nil || !s.URL.IsZero()) && !yield(s, failed) {
				return
			}
		}
	}
}

// listed yields the URLs of a sitemap or feed.
func listed(text *bufio.Reader, name string, yield func(Seed, error) bool) {
	for item, err := range feed.Items(text, "", 0) {
		if err != nil {
			yield(Seed{}, &ListError{Name: name, Err: err})
			return
		}
		u, err := Parse(item.Ref)
		if err != nil {
			err = &LineError{name, item.Line, weburl.Shorten(item.Ref), err}
		}
		if !yield(Seed{URL: u, Text: item.Ref, Line: item.Line}, err) {
			return
		}
	}
}

// readSeed returns the seed of a line, or the zero Seed if it has none.
func readSeed(line string, tooLong bool) (s Seed, err error) {
	if text := withoutComment(line); text != line {
		line, tooLong = strings.TrimSpace(text), false
	}
	if line == "" {
		return Seed{}, nil
	}
	if tooLong {
		return Seed{}, &weburl.ParseError{Text: line, Err: weburl.ErrTooLong}
	}
	address, rest, more := strings.Cut(line, "\t")
	if strings.Contains(address, " label=") || strings.Contains(address, " priority=") {
		return Seed{}, fmt.Errorf("%q has a space; want a tab before label= and priority=", weburl.Shorten(address))
	}
	if s.URL, err = Parse(address); err != nil {
		return Seed{}, err
	}
	s.Text = address
	for more {
		var field string
		field, rest, more = strings.Cut(rest, "\t")
		if err := s.set(strings.TrimSpace(field)); err != nil {
			return Seed{}, err
		}
	}
	return s, nil
}

// withoutComment removes a comment: a # at the start of the line or after a space, and what
// follows.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// set reads one field that follows the URL in a list.
func (s *Seed) set(field string) error {
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "":
		return nil
	case "label":
		if !utf8.ValidString(value) || len(value) > MaxLabel {
			return fmt.Errorf("label %q is not UTF-8 of at most %d bytes", weburl.Shorten(value), MaxLabel)
		}
		s.Label = value
		return nil
	case "priority":
		p, err := strconv.ParseFloat(value, 32)
		if err != nil || !(-priority.MaxSeed <= p && p <= priority.MaxSeed) {
			return fmt.Errorf("priority %q is not a number from %d to %d", weburl.Shorten(value), -priority.MaxSeed, priority.MaxSeed)
		}
		s.Priority = float32(p)
		return nil
	}
	return fmt.Errorf("%q follows a tab and is neither label=WORD nor priority=NUMBER", weburl.Shorten(field))
}

// Parse reads a URL as users write it: as weburl.Parse does, or without its scheme, such as
// example.com/docs: a host with a dot in it, an IPv6 address in brackets or localhost, with or
// without port and path. It gets https://, or http:// if the host is this machine, for which
// there are no certificates.
func Parse(text string) (weburl.URL, error) {
	address := strings.TrimPrefix(weburl.TrimSpace(text), "//")
	if !startsWithHost(address) {
		return weburl.Parse(text)
	}
	u, err := weburl.Parse("https://" + address)
	if err == nil && u.Loopback() {
		return weburl.Parse("http://" + address)
	}
	return u, err
}

// startsWithHost reports whether a text looks like a URL without a scheme: the part before
// the path is a host, perhaps with a port.
func startsWithHost(text string) bool {
	host := text
	if i := strings.IndexAny(text, `/?#`); i >= 0 {
		host = text[:i]
	}
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		port := host[i+1:]
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return false
		}
		host = host[:i]
	}
	if host == "" || strings.ContainsAny(host, " @") {
		return false
	}
	return host == "localhost" || host[0] == '[' || strings.Contains(host[1:], ".")
}
