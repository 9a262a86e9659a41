package duplicates

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/fold"
)

// unmarshalResult is json.Unmarshal for a result. Objects as most programs write them are read by
// plainResult, in a third of the time.
func unmarshalResult(line []byte, r *fold.Result) error {
	if plainResult(line, r) {
		return nil
	}
	*r = fold.Result{}
	return json.Unmarshal(line, r)
}

// plainResult reads an object of nothing but the known names, strings without escapes, and numbers
// without exponents. It reports whether the line is one; if not, r is of no use.
func plainResult(line []byte, r *fold.Result) bool {
	in := plainJSON{rest: line}
	if !in.take('{') {
		return false
	}
	for {
		name, ok := in.text()
		if !ok || !in.take(':') {
			return false
		}
		switch string(name) {
		case "url":
			ok = in.string(&r.URL)
		case "title":
			ok = in.string(&r.Title)
		case "snippet":
			ok = in.string(&r.Snippet)
		case "of":
			ok = in.string(&r.Of)
		case "score":
			r.Score, ok = in.number()
		default:
			return false
		}
		switch {
		case !ok:
			return false
		case in.take(','):
		default:
			return in.take('}') && len(in.rest) == 0
		}
	}
}

// plainJSON reads the simplest of JSON's values. White space behind a value is skipped.
type plainJSON struct{ rest []byte }

func (in *plainJSON) skip(n int) { in.rest = bytes.TrimLeft(in.rest[n:], " \t\r\n") }

// take skips a sign if it is the next.
func (in *plainJSON) take(sign byte) bool {
	ok := len(in.rest) > 0 && in.rest[0] == sign
	if ok {
		in.skip(1)
	}
	return ok
}

// text reads a string without escapes.
func (in *plainJSON) text() (text []byte, ok bool) {
	if len(in.rest) == 0 || in.rest[0] != '"' {
		return nil, false
	}
	end := bytes.IndexByte(in.rest[1:], '"')
	if end < 0 {
		return nil, false
	}
	text = in.rest[1 : 1+end]
	for _, c := range text {
		if c == '\\' || c < ' ' {
			return nil, false
		}
	}
	in.skip(1 + end + 1)
	return text, utf8.Valid(text)
}

func (in *plainJSON) string(s *string) bool {
	text, ok := in.text()
	*s = string(text)
	return ok
}

// number reads a number without an exponent.
func (in *plainJSON) number() (x float64, ok bool) {
	digits := func(from int) int {
		n := 0
		for from+n < len(in.rest) && '0' <= in.rest[from+n] && in.rest[from+n] <= '9' {
			n++
		}
		return n
	}
	start := 0
	if len(in.rest) > 0 && in.rest[0] == '-' {
		start = 1
	}
	whole := digits(start)
	if whole == 0 || whole > 1 && in.rest[start] == '0' {
		return 0, false
	}
	end := start + whole
	if end < len(in.rest) && in.rest[end] == '.' {
		fraction := digits(end + 1)
		if fraction == 0 {
			return 0, false
		}
		end += 1 + fraction
	}
	x, err := strconv.ParseFloat(string(in.rest[:end]), 64)
	in.skip(end)
	return x, err == nil // an e behind it is refused by the caller
}
