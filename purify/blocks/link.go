package blocks

import (
	"bytes"
	"iter"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// address returns the raw URL in a tag, and whether a crawler can follow it: it is http, https or
// relative, and not only a fragment.
func address(l *markup.Lexer) ([]byte, bool) {
	key := "href"
	if l.Tag == markup.TagFrame || l.Tag == markup.TagIframe {
		key = "src"
	}
	url, _ := l.Attr(key)
	url = bytes.Trim(url, " \t\r\n\f")
	if len(url) == 0 || len(url) > MaxURL || url[0] == '#' {
		return nil, false
	}
	switch Scheme(url) {
	case "", "http", "https":
		return url, true
	}
	return nil, false
}

// Scheme returns the scheme of a URL in lower case, "" if it has none. Browsers skip tabs and
// newlines inside it, and some pages hide javascript: with them.
func Scheme(url []byte) string {
	var word [16]byte
	n := 0
	if bytes.IndexByte(url[:min(len(url), 32)], '&') >= 0 {
		url = markup.Unescape(nil, url[:min(len(url), 128)])
	}
	for i, c := range url {
		switch {
		case c == '\t' || c == '\n' || c == '\r' || c < ' ' && n == 0:
		case c == ':':
			if n == 0 {
				return ""
			}
			return string(word[:n])
		case markup.Letter(c) || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
			if n == len(word) {
				return ""
			}
			word[n] = c | 0x20
			n++
		default:
			return ""
		}
	}
	return ""
}

func nofollow(l *markup.Lexer) bool {
	rel, ok := l.Attr("rel")
	if !ok {
		return false
	}
	for word := range bytes.FieldsSeq(rel) {
		if bytes.EqualFold(word, []byte("nofollow")) || bytes.EqualFold(word, []byte("ugc")) || bytes.EqualFold(word, []byte("sponsored")) {
			return true
		}
	}
	return false
}

// EachLink yields the URLs of a page as they are written, and whether a crawler is asked not to
// follow them. It is faster than Read, and collects only the metadata that concerns URLs.
func (o *Outline) EachLink(page []byte, xml bool) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		l := markup.NewLexer(o.Copy(page), xml)
		o.Head.brief = true
		templates := 0
		for kind := l.Next(); kind != markup.TokenEnd; kind = l.Next() {
			if kind == markup.TokenText {
				continue
			}
			if kind == markup.TokenStart {
				o.Head.take(l, kind)
				switch l.Tag {
				case markup.TagA, markup.TagArea, markup.TagFrame, markup.TagIframe:
					if url, ok := address(l); ok && templates == 0 && !yield(url, nofollow(l)) {
						return
					}
				}
			}
			templates = inert(templates, l, kind, xml)
		}
	}
}
