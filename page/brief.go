package page

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gatecrawl.example/gatecrawl/purify"
)

// bulky are the parts of a packed DocView that UnpackBrief passes over: two thirds of it.
var bulky = map[string]bool{"links": true, "lines": true, "marks": true, "prints": true, "leads": true}

// UnpackBrief undoes PackView but for Links, Blocks and Targets, in less than half of the
// time of UnpackView.
func UnpackBrief(b []byte) (*purify.DocView, error) {
	j, err := UnpackBody(b)
	if err != nil {
		return nil, err
	}
	brief, err := withoutBulk(j)
	if err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	v := new(purify.DocView)
	if err := json.Unmarshal(brief, v); err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	return v, nil
}

// withoutBulk returns a JSON object without some of its members. It works within j.
func withoutBulk(j []byte) ([]byte, error) {
	short := fmt.Errorf("it is no object of JSON, or cut short")
	if len(j) < 2 || j[0] != '{' {
		return nil, short
	}
	to := j[:1]
	for i := 1; i < len(j) && j[i] == '"'; {
		from := i
		if i = afterValue(j, i); i < 0 || i >= len(j) || j[i] != ':' {
			return nil, short
		}
		name := j[from+1 : i-1]
		if i = afterValue(j, i+1); i < 0 || i >= len(j) {
			return nil, short
		}
		if !bulky[string(name)] {
			if len(to) > 1 {
				to = append(to, ',')
			}
			to = append(to, j[from:i]...)
		}
		if j[i] == ',' {
			i++
		}
	}
	return append(to, '}'), nil
}

// afterValue returns the place behind the value of JSON at i, which has no white space
// between its parts; -1: it does not end.
func afterValue(j []byte, i int) int {
	for depth := 0; i < len(j); {
		switch j[i] {
		case '"':
			if i = afterString(j, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':':
			if depth == 0 {
				return i
			}
			i++
			continue
		default: // a number, true, false, null
			for i < len(j) && bytes.IndexByte([]byte(`,:]}`), j[i]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return -1
}

// afterString returns the place behind the string of JSON at i.
func afterString(j []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(j[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for j[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}
