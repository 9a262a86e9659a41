package markup

import (
	"bytes"
	"html"
	"strings"
)

// Digit reports whether a byte is an ASCII digit.
func Digit(c byte) bool { return c >= '0' && c <= '9' }

// AppendLower appends a text with its ASCII letters in lower case.
func AppendLower(to, text []byte) []byte {
	from := len(to)
	to = append(to, text...)
	Lower(to[from:])
	return to
}

// ContainsFold reports whether b has the lower-case word s in any case. It searches for the
// letter of the word that is rarest on pages.
func ContainsFold(b []byte, s string) bool {
	at := 0
	for i := range len(s) {
		if strings.IndexByte(commonLetters, s[i]) < strings.IndexByte(commonLetters, s[at]) {
			at = i
		}
	}
	last := len(b) - len(s) + at // last place where the letter can be
	for _, c := range []byte{s[at], s[at] &^ 0x20} {
		for from := at; from <= last; from++ {
			i := bytes.IndexByte(b[from:last+1], c)
			if i < 0 {
				break
			}
			if from += i; equalFold(b[from-at:from-at+len(s)], s) {
				return true
			}
		}
	}
	return false
}

// commonLetters are the letters of markup and of English text, the rarest first. Other characters
// count as rarer still.
const commonLetters = "zqjxkvwbyfgumpohdrcnlaiste"

// Unescape appends raw with its character references decoded.
func Unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		n := 1
		for n < len(raw) && n < 40 && (LetterOrDigit(raw[n]) || raw[n] == '#' && n == 1) {
			n++
		}
		if n < len(raw) && raw[n] == ';' {
			n++
		}
		switch string(raw[:n]) {
		case "&":
			dst = append(dst, '&')
		case "&nbsp;":
			dst = append(dst, "\u00a0"...)
		case "&amp;":
			dst = append(dst, '&')
		case "&quot;":
			dst = append(dst, '"')
		case "&#39;", "&#039;", "&apos;":
			dst = append(dst, '\'')
		case "&lt;":
			dst = append(dst, '<')
		case "&gt;":
			dst = append(dst, '>')
		default:
			dst = append(dst, html.UnescapeString(string(raw[:n]))...)
		}
		raw = raw[n:]
	}
}

// IsPlainText reports whether a Content-Type is that of text without mark-up.
func IsPlainText(contentType string) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	return kind != "" && strings.HasPrefix(kind, "text/") && kind != "text/html" && kind != "text/xml"
}

// IsXML reports whether a page is XML, in which self-closing tags close, by its
// Content-Type or by how it starts.
func IsXML(contentType string, page []byte) bool {
	kind := strings.ToLower(contentType)
	return strings.Contains(kind, "xhtml") || strings.Contains(kind, "/xml") || bytes.HasPrefix(bytes.TrimLeft(page[:min(len(page), 256)], "\ufeff \t\r\n"), []byte("<?xml"))
}
