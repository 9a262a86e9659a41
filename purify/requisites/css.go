package requisites

import (
	"bytes"
	"strconv"
	"strings"
)

// OfStyle returns the references of a style sheet, those of url() and @import, up to a number.
func OfStyle(sheet []byte, most int) []string {
	refs := newList(most)
	refs.style(sheet)
	return refs.refs
}

// style adds the references of a style sheet or of a part of one. It reads strings, comments and
// escapes as in CSS Syntax Module Level 3, and ignores the rest of the language.
func (l *list) style(css []byte) {
	imported := false // the last word was @import
	for i := 0; i < len(css); {
		switch c := css[i]; {
		case bytes.HasPrefix(css[i:], []byte("/*")):
			end := bytes.Index(css[i+2:], []byte("*/"))
			if end < 0 {
				return
			}
			i += end + 4
		case c == '"' || c == '\'':
			text, n := quoted(css[i:])
			if i += n; imported {
				l.add(text)
			}
			imported = false
		case hasWord(css, i, "url("):
			text, n := address(css[i+4:])
			l.add(text)
			i, imported = i+4+n, false
		case hasWord(css, i, "@import"):
			i, imported = i+len("@import"), true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		default:
			i, imported = i+1, false
		}
	}
}

// hasWord reports whether a word, in any case, starts at i and not within another.
func hasWord(css []byte, i int, word string) bool {
	if len(css)-i < len(word) || !strings.EqualFold(string(css[i:i+len(word)]), word) {
		return false
	}
	return i == 0 || !isName(css[i-1])
}

func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c >= 0x80
}

// quoted reads a string with its quotes, and returns how many bytes it takes.
func quoted(css []byte) (text string, n int) {
	text, i := until(css, 1, string(css[:1])+"\n")
	switch {
	case i == len(css):
		return "", i
	case css[i] == '\n':
		return "", i // the string does not end
	}
	return text, i + 1
}

// address reads what follows "url(" up to the bracket.
func address(css []byte) (text string, n int) {
	i := len(css) - len(bytes.TrimLeft(css, " \t\n\r\f"))
	if i < len(css) && (css[i] == '"' || css[i] == '\'') {
		text, m := quoted(css[i:])
		if end := bytes.IndexByte(css[i+m:], ')'); end >= 0 {
			return text, i + m + end + 1
		}
		return text, len(css)
	}
	text, i = until(css, i, `)"'(`)
	switch {
	case i == len(css):
		return text, i
	case css[i] != ')':
		return "", i // it is not a URL
	}
	return text, i + 1
}

// until reads from i to the first of the bytes in ends, or to the end, and returns where that
// is. It replaces escapes.
func until(css []byte, i int, ends string) (text string, at int) {
	var b []byte
	for i < len(css) && strings.IndexByte(ends, css[i]) < 0 {
		if css[i] != '\\' {
			b = append(b, css[i])
			i++
			continue
		}
		var n int
		b, n = escaped(b, css[i:])
		i += n
	}
	return string(b), i
}

// escaped appends the character of an escape, and returns how many bytes it takes.
func escaped(b, css []byte) ([]byte, int) {
	i := 1
	for i < len(css) && i <= 6 && strings.IndexByte("0123456789abcdefABCDEF", css[i]) >= 0 {
		i++
	}
	if i == 1 {
		if len(css) > 1 && css[1] != '\n' {
			b = append(b, css[1])
		}
		return b, min(2, len(css))
	}
	r, _ := strconv.ParseUint(string(css[1:i]), 16, 32) // at most six digits
	if i < len(css) && (css[i] == ' ' || css[i] == '\n' || css[i] == '\t') {
		i++
	}
	return append(b, string(rune(r))...), i
}
