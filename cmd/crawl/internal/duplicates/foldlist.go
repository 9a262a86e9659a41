package duplicates

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

// readResults reads a list of search results: a URL or an object a line, or a CSV file. Bad lines are left out, and
// told to faults in their order. The error is of a file that is no such list, or that can't be read to its end.
func readResults(in io.Reader, name string, faults *cli.Faults) (results []fold.Result, err error) {
	text := bufio.NewReaderSize(in, 1<<16)
	head, _ := text.Peek(1 << 16) // a fault is met again by the first read
	if columns, sep := headerOf(head); columns != nil {
		return readTable(text, name, columns, sep, faults)
	}
	var all []*someResults
	var reading sync.WaitGroup
	some := new(someResults)
	read := func() {
		these := some
		all, some = append(all, these), new(someResults)
		reading.Go(func() { these.read(name) })
	}
	for l, lineErr := range corpus.Lines(text) {
		if lineErr == nil && l.N == 1 {
			lineErr = corpus.NotLines(l.Text)
		}
		switch {
		case errors.Is(lineErr, corpus.ErrLongLine):
			some.lines = append(some.lines, corpus.Line{N: l.N})
		case lineErr != nil:
			err = fmt.Errorf("%s: %w", name, lineErr)
		case l.Text[0] != '#':
			some.lines = append(some.lines, l)
		}
		if err != nil {
			break
		}
		if len(some.lines) < atOnce {
			continue
		}
		if read(); len(all) > 1 {
			continue
		}
		if reading.Wait(); len(all[0].results) == 0 {
			return nil, all[0].faults[0] // it is another kind of file
		}
	}
	read()
	reading.Wait()
	for _, some := range all {
		results = append(results, some.results...)
		for _, fault := range some.faults {
			faults.Tell(fault)
		}
	}
	return results, err
}

// atOnce is how many lines one goroutine reads: JSON takes half of a millisecond.
const atOnce = 128

// someResults are lines, and what they contain.
type someResults struct {
	lines   []corpus.Line // without Text: it is too long
	results []fold.Result
	faults  []error // of bad lines
}

func (s *someResults) read(name string) {
	s.results = make([]fold.Result, 0, len(s.lines))
	for _, l := range s.lines {
		r, err := fold.Result{}, corpus.ErrLongLine
		if l.Text != nil {
			r, err = resultOf(l.Text)
		}
		if err != nil {
			s.faults = append(s.faults, fmt.Errorf("%s:%d: %w", name, l.N, err))
			continue
		}
		s.results = append(s.results, r)
	}
	s.lines = nil
}

// resultOf reads a line with a URL or an object.
func resultOf(line []byte) (r fold.Result, err error) {
	if line[0] == '{' {
		if err := unmarshalResult(line, &r); err != nil {
			return r, fmt.Errorf("not a result with url, title, snippet and score: %w", corpus.ExplainJSON(err))
		}
		return r, cmp.Or(checkURL(r.URL), r.Validate())
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
func readTable(in io.Reader, name string, columns []int, sep rune, faults *cli.Faults) (results []fold.Result, err error) {
	rows := csv.NewReader(in)
	rows.Comma, rows.Comment, rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.LazyQuotes = sep, '#', -1, true, true
	for header := true; ; header = false {
		fields, err := rows.Read()
		switch {
		case err == io.EOF:
			return results, nil
		case errors.As(err, new(*csv.ParseError)):
			faults.Tell(fmt.Errorf("%s: %w", name, err))
			continue
		case err != nil:
			return results, fmt.Errorf("%s: %w", name, err)
		case header:
			continue
		}
		n, _ := rows.FieldPos(0)
		r, err := resultOfRow(fields, columns)
		if err != nil {
			faults.Tell(fmt.Errorf("%s:%d: %w", name, n, err))
			continue
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
	return r, r.Validate()
}
