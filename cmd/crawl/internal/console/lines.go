package console

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// OneLine quotes a text that would not stay on one line, such as a name with a line break.
func OneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// EncodeLine writes a line of JSON.
func EncodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
