package duplicates

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// readResults reads a list of search results: a URL or an object a line, or a CSV file.
func readResults(in io.Reader, name string) (results []fold.Result, err error) {
	text := bufio.NewReaderSize(in, 1<<16)
	head, _ := text.Peek(1 << 16) // a fault is met again by the first read
	if columns, sep := headerOf(head); columns != nil {
		return readTable(text, name, columns, sep)
	}
	var all []*someResults
	var reading sync.WaitGroup
	var failed atomic.Bool
	some := new(someResults)
	read := func() {
		these := some
		all, some = append(all, these), new(someResults)
		reading.Go(func() {
			if !these.read(name) {
				failed.Store(true)
			}
		})
	}
	for l, err := range corpus.Lines(text) {
		if err == nil && l.N == 1 {
			err = corpus.NotLines(l.Text)
		}
		if err != nil {
			some.err = fmt.Errorf("%s: %w", name, err)
			break
		}
		if l.Text[0] == '#' {
			continue
		}
		if some.lines = append(some.lines, l); len(some.lines) == atOnce {
			read()
		}
		if failed.Load() {
			break
		}
	}
	read()
	reading.Wait()
	for _, some := range all {
		if some.err != nil {
			return nil, some.err
		}
		results = append(results, some.results...)
	}
	return results, nil
}

// atOnce is how many lines one goroutine reads: JSON takes half of a millisecond.
const atOnce = 128

// someResults are lines, and the results that they contain up to the first bad line.
type someResults struct {
	lines   []corpus.Line
	results []fold.Result
	err     error // of the line that is wrong, or of what follows the lines
}

func (s *someResults) read(name string) bool {
	s.results = make([]fold.Result, len(s.lines))
	for i, l := range s.lines {
		var err error
		if s.results[i], err = resultOf(l.Text); err != nil {
			s.err = fmt.Errorf("%s:%d: %w", name, l.N, err)
			return false
		}
	}
	s.lines = nil
	return s.err == nil
}

// resultOf reads a line with a URL or an object.
func resultOf(line []byte) (r fold.Result, err error) {
	if line[0] == '{' {
		if err := unmarshalResult(line, &r); err != nil {
			return r, fmt.Errorf("not a result with url, title, snippet and score: %w", corpus.ExplainJSON(err))
		}
		return r, checkURL(r.URL)
	}
	r.URL = string(line)
	if err := checkURL(r.URL); err != nil {
		return r, err
	}
	if _, err := seeds.Parse(r.URL); err != nil {
		return r, fmt.Errorf("%.80q: %w: %s", r.URL, err, wantResults)
	}
	return r, nil
}

// unmarshalResult is json.Unmarshal for a result. Objects with only the known names are decoded in
// a quarter of the time, with the future encoding/json/v2.
func unmarshalResult(line []byte, r *fold.Result) error {
	if jsonv2.Unmarshal(line, r, jsonv2.RejectUnknownMembers(true)) == nil {
		return nil
	}
	*r = fold.Result{}
	return json.Unmarshal(line, r)
}

const wantResults = "want a list of results: URLs or JSON objects, one a line, or CSV with a column url"

func checkURL(url string) error {
	switch {
	case url == "":
		return errors.New("a result without a url")
	case !utf8.ValidString(url) || strings.ContainsFunc(url, notInURL):
		return errors.New("neither a URL nor a JSON object: " + wantResults)
	}
	return nil
}

func notInURL(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// columnNames are the possible names of a table's columns, in lower case, by the constants below.
var columnNames = [...][]string{
	{"url", "uri", "link", "href"},
	{"title"},
	{"snippet", "description", "abstract"},
	{"score"},
	{"of"},
	{"degree"},
}

// Places in columnNames.
const (
	columnURL = iota
	columnTitle
	columnSnippet
	columnScore
	columnOf
	columnDegree
)

// headerOf looks for the header of a CSV file in the first line that is not a comment, and returns
// the column of each of columnNames, -1 for none; nil if the line is not a header.
func headerOf(head []byte) (columns []int, sep rune) {
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\ufeff"))) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		for _, sep := range ",;\t" {
			var fields []string
			for f := range strings.SplitSeq(strings.ToLower(string(line)), string(sep)) {
				fields = append(fields, strings.Trim(f, "\" "))
			}
			columns := make([]int, len(columnNames))
			for i, names := range columnNames {
				columns[i] = slices.IndexFunc(fields, func(f string) bool { return slices.Contains(names, f) })
			}
			switch {
			case columns[columnURL] < 0:
			case len(fields) == 1:
				return columns, '\t' // a URL may have commas
			default:
				return columns, sep
			}
		}
		return nil, 0
	}
	return nil, 0
}

// readTable reads a CSV file with a header.
func readTable(in io.Reader, name string, columns []int, sep rune) (results []fold.Result, err error) {
	rows := csv.NewReader(in)
	rows.Comma, rows.Comment, rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.LazyQuotes = sep, '#', -1, true, true
	for header := true; ; header = false {
		fields, err := rows.Read()
		switch {
		case err == io.EOF:
			return results, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case header:
			continue
		}
		n, _ := rows.FieldPos(0)
		r, err := resultOfRow(fields, columns)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		results = append(results, r)
	}
}

func resultOfRow(fields []string, columns []int) (r fold.Result, err error) {
	field := func(column int) string {
		if i := columns[column]; i >= 0 && i < len(fields) {
			return strings.TrimSpace(fields[i])
		}
		return ""
	}
	r = fold.Result{URL: field(columnURL), Title: field(columnTitle), Snippet: field(columnSnippet), Of: field(columnOf)}
	if err := checkURL(r.URL); err != nil {
		return r, err
	}
	if s := field(columnScore); s != "" {
		if r.Score, err = strconv.ParseFloat(s, 64); err != nil {
			return r, fmt.Errorf("score %.40q: want a number", s)
		}
	}
	if s := field(columnDegree); s != "" {
		if r.Degree, err = strconv.Atoi(s); err != nil {
			return r, fmt.Errorf("degree %.40q: want a whole number", s)
		}
	}
	return r, nil
}
