package seeds

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A layout says in which columns of a CSV file the fields of a seed are: from 0, and -1
// for a missing field.
type layout struct {
	sep                        byte // , ; or a tab
	url, label, priority, rank int
	header                     bool // the first line names the columns
}

// columnNames are the names of columns, without case, spaces, _ and -. The first column
// with one of the names counts.
var columnNames = struct{ url, label, priority, rank []string }{
	url:      []string{"url", "urls", "uri", "link", "href", "loc", "address", "page", "website", "homepage", "site", "domain", "hostname", "host"},
	label:    []string{"label", "tag"},
	priority: []string{"priority"},
	rank:     []string{"rank", "globalrank", "position"},
}

// layoutOf reports whether a list that starts with head is a CSV file, and its layout.
// It is one if its first line is a header with a column for URLs, if that line is a number
// and a URL (a ranking), or if a URL is followed by a separator and the file's name ends
// in .csv or what follows has a space or quotes. A URL may have commas, and a list of such
// URLs is not a CSV file.
func layoutOf(head []byte, name string) (layout, bool) {
	line := firstLine(head)
	for _, sep := range []byte(",;\t") {
		if l, ok := headed(line, sep); ok {
			return l, true
		}
	}
	for _, sep := range []byte(",;") {
		fields, _ := splitFields(line, sep)
		if len(fields) < 2 {
			continue
		}
		l := layout{sep: sep, url: 0, label: -1, priority: -1, rank: -1}
		if _, err := rankOf(fields[0]); err == nil && isSeed(fields[1]) {
			l.rank, l.url = 0, 1
			return l, true
		}
		_, rest, _ := strings.Cut(line, string(sep))
		if isSeed(fields[0]) && (isCSVName(name) || strings.ContainsAny(rest, " \"")) {
			return l, true
		}
	}
	return layout{}, false
}

// columned is the layout of a CSV file whose URLs are in a column that the user named: by its
// number, from 1, or by its name in the first line.
func columned(head []byte, column string) (l layout, err error) {
	line := firstLine(head)
	sep, fields := byte(','), []string(nil)
	for _, s := range []byte(",;\t") {
		if f, _ := splitFields(line, s); len(f) > len(fields) {
			sep, fields = s, f
		}
	}
	l, _ = headed(line, sep)
	l.sep, l.header = sep, true
	if n, err := strconv.Atoi(column); err == nil {
		if n < 1 || n > len(fields) {
			return l, fmt.Errorf("column %d: the first line has %d", n, len(fields))
		}
		l.url = n - 1
		if l.header = !isSeed(fields[l.url]); !l.header {
			l.label, l.priority, l.rank = -1, -1, -1
		}
		return l, nil
	}
	l.url = slices.IndexFunc(fields, func(f string) bool { return strings.EqualFold(strings.TrimSpace(f), column) })
	if l.url < 0 {
		return l, fmt.Errorf("there is no column %q; the first line has %s", column, weburl.Shorten(strings.Join(fields, ", ")))
	}
	return l, nil
}

// firstLine returns the first line that is neither blank nor a comment.
func firstLine(head []byte) string {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return string(line)
		}
	}
	return ""
}

// headed reads a line as a header.
func headed(line string, sep byte) (layout, bool) {
	fields, _ := splitFields(line, sep)
	for i, f := range fields {
		fields[i] = strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(f))
	}
	place := func(names []string) int {
		for _, n := range names {
			if i := slices.Index(fields, n); i >= 0 {
				return i
			}
		}
		return -1
	}
	l := layout{
		sep: sep, url: place(columnNames.url), label: place(columnNames.label),
		priority: place(columnNames.priority), rank: place(columnNames.rank), header: true,
	}
	return l, l.url >= 0 && (len(fields) > 1 || sep == ',')
}

func isCSVName(name string) bool {
	return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) == ".csv"
}

// isSeed reports whether a text is a URL; a single word is not.
func isSeed(text string) bool {
	_, err := Parse(text)
	return err == nil
}

// rankOf reads a rank, from 1.
func rankOf(text string) (float64, error) {
	n, err := strconv.ParseUint(text, 10, 40)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("rank %q is not a number from 1", weburl.Shorten(text))
	}
	return float64(n), nil
}

// byRank returns the priority of a seed by its rank: the first comes first, and the last
// has less by at most one link of depth. So a rank orders the seeds, and the links of the
// best seeds need not wait for the last seed.
func byRank(rank float64) float32 { return float32(-rank / (rank + 1e6)) }

// maxOpenLines is how many lines a field in quotes may have.
const maxOpenLines = 100

// errOpenQuote says that a field in quotes is not closed.
var errOpenQuote = errors.New(`a field starts with " and is not closed; a " within a field is written twice`)

// tabled yields the seeds of a CSV file.
func tabled(text *bufio.Reader, name string, l layout, yield func(Seed, error) bool) {
	skip := l.header
	for n := 1; ; n++ {
		line, read, err := nextRecord(text, l.sep)
		if err == io.EOF && line == "" {
			return
		}
		if err != nil && err != io.EOF && err != errOpenQuote {
			yield(Seed{}, &ListError{name, n, err})
			return
		}
		at := n
		n += read - 1
		if line == "" || line[0] == '#' {
			continue
		}
		if skip {
			skip = false
			continue
		}
		s, failed := Seed{}, error(errOpenQuote)
		if err != errOpenQuote {
			s, failed = l.seed(line)
		}
		if failed != nil {
			s, failed = Seed{}, &LineError{name, at, weburl.Shorten(cmp.Or(s.Text, line)), failed}
		}
		s.Line = at
		if !yield(s, failed) {
			return
		}
	}
}

// nextRecord returns a line, with the lines that continue a field in quotes, and how many
// lines were read. It is cut to twice the length of the longest URL.
func nextRecord(text *bufio.Reader, sep byte) (record string, read int, err error) {
	for {
		line, err := feed.NextLine(text)
		read++
		if len(record) < 2*weburl.MaxBytes {
			if read > 1 {
				record += "\n"
			}
			record += string(line)
		}
		if err == bufio.ErrBufferFull {
			return record, read, nil
		}
		if _, open := splitFields(record, sep); !open || err != nil {
			if err == io.EOF && open {
				return record, read, errOpenQuote
			}
			return record, read, err
		}
		if read == maxOpenLines {
			return record, read, errOpenQuote
		}
	}
}

// seed reads a line.
func (l layout) seed(line string) (s Seed, err error) {
	fields, _ := splitFields(line, l.sep)
	field := func(i int) string {
		if i < 0 || i >= len(fields) {
			return ""
		}
		return fields[i]
	}
	address := field(l.url)
	if address == "" {
		return s, fmt.Errorf("no URL in column %d", l.url+1)
	}
	if s.URL, err = Parse(address); err != nil {
		return Seed{Text: address}, fmt.Errorf("column %d: %w", l.url+1, err)
	}
	s.Text = address
	if text := field(l.rank); text != "" {
		rank, err := rankOf(text)
		if err != nil {
			return Seed{}, err
		}
		s.Priority = byRank(min(rank, math.MaxUint32))
	}
	for name, i := range map[string]int{"label": l.label, "priority": l.priority} {
		if text := field(i); text != "" {
			if err := s.set(name + "=" + text); err != nil {
				return Seed{}, err
			}
		}
	}
	return s, nil
}

// splitFields splits a line of a CSV file (RFC 4180). open says that the quotes of its
// last field are not closed.
func splitFields(line string, sep byte) (fields []string, open bool) {
	for {
		line = strings.TrimLeft(line, " ")
		if !strings.HasPrefix(line, `"`) {
			field, rest, more := strings.Cut(line, string(sep))
			fields = append(fields, strings.TrimSpace(field))
			if !more {
				return fields, false
			}
			line = rest
			continue
		}
		field, rest, closed := unquote(line[1:])
		fields = append(fields, strings.TrimSpace(field))
		if !closed {
			return fields, true
		}
		_, next, more := strings.Cut(rest, string(sep)) // text after the closing quote is ignored
		if !more {
			return fields, false
		}
		line = next
	}
}

// unquote returns a text up to its closing quote, and what follows.
func unquote(text string) (field, rest string, closed bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, `"`)
		b.WriteString(before)
		switch {
		case !found:
			return b.String(), "", false
		case !strings.HasPrefix(after, `"`):
			return b.String(), after, true
		}
		b.WriteByte('"')
		text = after[1:]
	}
}
