package export

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/export/sheet"
)

// jsonLines writes one object a line. A missing value is null.
type jsonLines struct {
	w      *counter
	fields []field
	line   []byte
}

func (j *jsonLines) write(r *row) (int64, error) {
	j.line = append(j.line[:0], '{')
	for i := range j.fields {
		f := &j.fields[i]
		v, err := f.of(r)
		if err != nil {
			return 0, err
		}
		if i > 0 {
			j.line = append(j.line, ',')
		}
		j.line = append(append(append(j.line, '"'), f.name...), '"', ':')
		j.line = appendJSON(j.line, f.kind, &v)
	}
	j.line = append(j.line, '}', '\n')
	_, err := j.w.Write(j.line)
	return 1, err
}

func (j *jsonLines) close() error { return nil }

func appendJSON(b []byte, k kind, v *value) []byte {
	if v.null {
		return append(b, "null"...)
	}
	switch k {
	case kindInt:
		return strconv.AppendInt(b, v.int, 10)
	case kindFloat:
		return appendFloat(b, v.float)
	case kindBool:
		return strconv.AppendBool(b, v.yes)
	case kindTime:
		b = append(b, '"')
		return append(v.time.UTC().AppendFormat(b, time.RFC3339Nano), '"')
	case kindList:
		b = append(b, '[')
		for i, s := range v.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, s)
		}
		return append(b, ']')
	}
	return appendString(b, v.text)
}

// appendFloat writes a number with a decimal point: readers that guess types take 0 for an integer.
func appendFloat(b []byte, f float64) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	if !strings.ContainsAny(string(b[from:]), ".eE") {
		b = append(b, ".0"...)
	}
	return b
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string; invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			b = append(append(b, s[from:i]...), `\ufffd`...)
		} else {
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\t':
				b = append(b, '\\', 't')
			case '\r':
				b = append(b, '\\', 'r')
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// A table writes CSV.
type table struct {
	w      *csv.Writer
	fields []field
	line   []string
}

func newTable(w *counter, fields []field) (*table, error) {
	t := &table{w: csv.NewWriter(w), fields: fields, line: make([]string, len(fields))}
	for i := range fields {
		t.line[i] = fields[i].name
	}
	return t, t.w.Write(t.line)
}

func (t *table) write(r *row) (int64, error) {
	for i := range t.fields {
		f := &t.fields[i]
		v, err := f.of(r)
		if err != nil {
			return 0, err
		}
		t.line[i] = cell(f.kind, &v)
	}
	return 1, t.w.Write(t.line)
}

func (t *table) close() error {
	t.w.Flush()
	return t.w.Error()
}

// cell returns a value as a cell: empty for a missing one, JSON for a list.
func cell(k kind, v *value) string {
	switch {
	case v.null || k == kindList && len(v.list) == 0:
		return ""
	case k == kindText:
		return sheet.Text(v.text)
	case k == kindList:
		b, _ := json.Marshal(v.list) // strings cannot fail
		return string(b)
	case k == kindTime:
		return v.time.UTC().Format(time.RFC3339Nano)
	}
	return string(appendJSON(nil, k, v))
}

// edges writes the links of pages.
type edges struct{ w *csv.Writer }

func newEdges(w *counter) (*edges, error) {
	e := &edges{csv.NewWriter(w)}
	return e, e.w.Write([]string{"source", "target", "text", "nofollow", "body"})
}

func (e *edges) write(r *row) (int64, error) {
	links := r.from.Links
	for i := range links {
		l := &links[i]
		if err := e.w.Write([]string{sheet.Text(l.From), sheet.Text(l.To), sheet.Text(l.Text), strconv.FormatBool(l.NoFollow), strconv.FormatBool(l.Body)}); err != nil {
			return 0, err
		}
	}
	return int64(len(links)), nil
}

func (e *edges) close() error {
	e.w.Flush()
	return e.w.Error()
}
