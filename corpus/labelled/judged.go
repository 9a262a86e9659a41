package labelled

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// A judgedPair is two pages, and how alike a person found them.
type judgedPair struct {
	a, b  methods.Document
	label float64
}

// judged reads pairs of pages with a label, as JSON lines or as a table.
func (r *reader) judged(name string, stdin io.Reader) error {
	file, name, err := corpus.Open(name, stdin)
	if err != nil {
		return err
	}
	defer file.Close()
	j := judgedPairs{at: make(map[[2]string]int), asked: make(map[[2]int]bool)}
	for n, p := range r.pairsOf(bufio.NewReaderSize(file, headBytes), name) {
		if errors.Is(p.err, errLeftOut) {
			r.set.LeftOut++
			continue
		}
		if p.err == nil {
			p.err = j.add(p.a, p.b, p.label >= r.Label)
		}
		if p.err == nil {
			continue
		}
		if n == 0 {
			return fmt.Errorf("%s: %w", name, p.err)
		}
		r.Fault(fmt.Errorf("%s:%d: %w", name, n, p.err))
	}
	s := r.set
	s.Truth, s.Names, s.Test, s.Pages = Judged, []string{name}, j.test, len(j.test.Docs)
	return nil
}

// headBytes is how much of a file is read to recognize its format.
const headBytes = 4 << 10

var byteOrderMark = []byte("\ufeff")

// A readPair is a pair, or the reason why a line is not a pair.
type readPair struct {
	judgedPair
	err error
}

// pairsOf yields the pairs of a file with the numbers of their lines. The number is 0 if the file
// cannot be read any further.
func (r *reader) pairsOf(in *bufio.Reader, name string) iter.Seq2[int, readPair] {
	if head, _ := in.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) {
		in.Discard(len(head)) // it is there
	}
	head, _ := in.Peek(headBytes)
	head = bytes.TrimLeft(head, " \t\r\n")
	if bytes.HasPrefix(head, []byte("{")) {
		return r.pairsOfJSON(in)
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if base := strings.ToLower(name); strings.Contains(path.Base(base), ".csv") || !bytes.Contains(line, []byte("\t")) {
		return r.pairsOfTable(commaRows(in))
	}
	return r.pairsOfTable(tabRows(in))
}

func (r *reader) pairsOfJSON(in io.Reader) iter.Seq2[int, readPair] {
	return func(yield func(int, readPair) bool) {
		for l, err := range corpus.Lines(in) {
			if err != nil {
				yield(0, readPair{err: err})
				return
			}
			var p readPair
			if p.judgedPair, p.err = r.pairOfJSON(l.Text); !yield(l.N, p) {
				return
			}
		}
	}
}

// pairOfJSON reads a pair from an object. It uses the strings, numbers and verdicts among the
// fields, and those of objects within it, whose names follow that of their object, as in "a url".
func (r *reader) pairOfJSON(line []byte) (judgedPair, error) {
	f := make(pairFields)
	if err := f.addJSON("", line); err != nil {
		return judgedPair{}, fmt.Errorf("not an object with a, b and label: %w", err)
	}
	return r.pairOf(f)
}

// pairFields are the fields of a pair by name; see nameOf.
type pairFields map[string]string

// nameOf returns a name in the form in which it is looked up: Text_A becomes texta.
func nameOf(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(name))
}

func (f pairFields) addJSON(of string, object []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return err
	}
	for name, v := range fields {
		name = nameOf(of + name)
		switch v[0] {
		case '"':
			var text string
			if err := json.Unmarshal(v, &text); err != nil {
				return err
			}
			f[name] = text
		case '{':
			if of != "" {
				return fmt.Errorf("%q in an object in an object", name)
			}
			if err := f.addJSON(name, v); err != nil {
				return err
			}
		case '[', 'n': // a list, or null
		default:
			f[name] = string(v)
		}
	}
	return nil
}

// The names of fields that have a page of a pair, or the label.
var (
	sideNames  = [2][]string{{"a", "1", "left"}, {"b", "2", "right"}}
	labelNames = []string{"label", "score", "grade", "judgement", "judgment", "same", "duplicate", "isduplicate"}
)

// first returns the field that has the first of the names.
func (f pairFields) first(names ...string) (string, bool) {
	for _, name := range names {
		if v, ok := f[name]; ok {
			return v, true
		}
	}
	return "", false
}

// errLeftOut says that a line is not part of a test. crawl judge marks its first line so, pairs
// about which a person was unsure, and pairs without text.
var errLeftOut = errors.New("left out")

// pairOf makes a pair from its fields.
func (r *reader) pairOf(f pairFields) (p judgedPair, err error) {
	if f["leftout"] != "" {
		return p, errLeftOut
	}
	word, ok := f.first(labelNames...)
	if !ok {
		return p, errors.New(`no "label"`)
	}
	if p.label, err = labelOf(word); err != nil {
		return p, err
	}
	if p.a, err = r.sideOf(f, sideNames[0]); err == nil {
		p.b, err = r.sideOf(f, sideNames[1])
	}
	return p, err
}

// labelOf reads a label: a number, or yes or no.
func labelOf(word string) (float64, error) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "true", "yes":
		return 1, nil
	case "false", "no":
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || math.IsNaN(n) {
		return 0, fmt.Errorf("label %q: want a number, or true or false", word)
	}
	return n, nil
}

// sideOf makes a document from the fields of one side.
func (r *reader) sideOf(f pairFields, side []string) (methods.Document, error) {
	var texts, htmls, urls []string
	for _, n := range side {
		texts = append(texts, n, n+"text", "text"+n, "doc"+n, "document"+n, "id"+n)
		htmls = append(htmls, n+"html", "html"+n)
		urls = append(urls, n+"url", "url"+n)
	}
	text, isText := f.first(texts...)
	page, isHTML := f.first(htmls...)
	link, _ := f.first(urls...)
	if isText == isHTML {
		return methods.Document{}, errors.New(`want "a" and "b", each with either "html" or "text"`)
	}
	address, err := url.Parse(link)
	if err != nil {
		return methods.Document{}, err
	}
	switch {
	case isText && r.Dir != "":
		return r.named(text)
	case isHTML:
		return r.purified([]byte(page), "text/html; charset=utf-8", address), nil
	}
	return methods.Document{URL: link, Site: address.Hostname(), Body: text}, nil
}

// named returns the page in the folder's file with this name, with or without its
// extension.
func (r *reader) named(name string) (methods.Document, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return methods.Document{}, fmt.Errorf("the path %q leads out of the folder", name)
	}
	for _, ending := range []string{"", ".html", ".htm", ".txt"} {
		file := filepath.Join(r.Dir, filepath.FromSlash(name+ending))
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		page, err := readPage(file)
		if err != nil {
			return methods.Document{}, err
		}
		return r.document(page, name+ending, ""), nil
	}
	return methods.Document{}, fmt.Errorf("no page %q in %s, also not with .html, .htm or .txt", name, r.Dir)
}

// pairsOfTable yields the pairs of a table's rows. Columns are recognized by the names in the first
// row. If that has no names there have to be three columns: the two pages and the label.
func (r *reader) pairsOfTable(rows iter.Seq2[int, tableRow]) iter.Seq2[int, readPair] {
	return func(yield func(int, readPair) bool) {
		var names []string
		for n, row := range rows {
			p := readPair{err: row.err}
			switch {
			case row.err != nil:
			case names == nil && !isHeader(row.cells):
				names = []string{"a", "b", "label"}
				fallthrough
			case names != nil:
				p.judgedPair, p.err = r.pairOfRow(names, row.cells)
			default:
				for _, c := range row.cells {
					names = append(names, nameOf(c))
				}
				continue
			}
			if !yield(n, p) {
				return
			}
		}
	}
}

// isHeader reports whether a row has the name of the label.
func isHeader(cells []string) bool {
	return slices.ContainsFunc(cells, func(c string) bool { return slices.Contains(labelNames, nameOf(c)) })
}

func (r *reader) pairOfRow(names, cells []string) (judgedPair, error) {
	if len(cells) != len(names) {
		return judgedPair{}, fmt.Errorf("want %d columns, got %d: a file without a row of names has the two texts and the label", len(names), len(cells))
	}
	f := make(pairFields, len(cells))
	for i, name := range names {
		f[name] = cells[i]
	}
	return r.pairOf(f)
}

// A tableRow is a row of a table, or why the line is not one.
type tableRow struct {
	cells []string
	err   error
}

// tabRows yields the lines of a file, split at tabs. The quotes around a cell are removed.
func tabRows(in io.Reader) iter.Seq2[int, tableRow] {
	return func(yield func(int, tableRow) bool) {
		for l, err := range corpus.WholeLines(in) {
			switch {
			case err != nil:
				yield(0, tableRow{err: err})
				return
			case len(bytes.TrimSpace(l.Text)) == 0:
				continue
			}
			cells := strings.Split(string(l.Text), "\t")
			for i, c := range cells {
				if len(c) > 1 && c[0] == '"' && c[len(c)-1] == '"' {
					cells[i] = strings.ReplaceAll(c[1:len(c)-1], `""`, `"`)
				}
			}
			if !yield(l.N, tableRow{cells: cells}) {
				return
			}
		}
	}
}

// commaRows yields the rows of a file of comma-separated values (RFC 4180).
func commaRows(in io.Reader) iter.Seq2[int, tableRow] {
	return func(yield func(int, tableRow) bool) {
		rows := csv.NewReader(in)
		rows.FieldsPerRecord = -1
		for {
			cells, err := rows.Read()
			if err == io.EOF {
				return
			}
			var fault *csv.ParseError
			switch {
			case errors.As(err, &fault):
				if !yield(fault.Line, tableRow{err: fault.Err}) {
					return
				}
				continue
			case err != nil:
				yield(0, tableRow{err: err})
				return
			}
			n, _ := rows.FieldPos(0)
			if !yield(n, tableRow{cells: cells}) {
				return
			}
		}
	}
}

// judgedPairs collects the pairs of a test. A page of many pairs is one document.
type judgedPairs struct {
	test  exam.Test
	at    map[[2]string]int // URL and text to document
	asked map[[2]int]bool   // pair to verdict
}

func (j *judgedPairs) add(a, b methods.Document, same bool) error {
	x, y := j.document(a, ""), j.document(b, "")
	if x == y {
		y = j.document(b, "the other") // a pair of equal pages is a pair
	}
	pair := [2]int{min(x, y), max(x, y)}
	if before, ok := j.asked[pair]; ok {
		if before != same {
			return errors.New("the pair is there before with another verdict; the first counts")
		}
		return nil
	}
	j.asked[pair] = same
	j.test.Asked = append(j.test.Asked, pair)
	if same {
		j.test.Copies = append(j.test.Copies, methods.Pair{A: pair[0], B: pair[1], Score: 1})
	}
	return nil
}

// document returns the number of a document. `which` keeps the two sides of a pair apart if they
// are equal.
func (j *judgedPairs) document(d methods.Document, which string) int {
	key := [2]string{d.URL + "\n" + which, d.Body}
	i, ok := j.at[key]
	if !ok {
		i = len(j.test.Docs)
		j.at[key] = i
		j.test.Docs = append(j.test.Docs, d)
	}
	return i
}
