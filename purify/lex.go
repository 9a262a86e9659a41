package purify

import (
	"bytes"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/html"
)

const maxAttrs = 64 // attributes kept of one tag; the rest is passed over

// A lexer reads a page tag by tag and run by run.
//
// It stands on tdewolff's, which is quick because it works inside its input.
// Four habits of that one are kept away from pages: it lowers names in place,
// so it is given a copy; it reads an svg, math or xml element as one token up
// to its end tag, which a self-closing tag or a stray quote puts at the end of
// the page and a NUL byte turns into an error; it takes a slash for a part of
// the name in <img/src=x>; and it reads on as raw text after a self-closed
// XHTML script. The copy is shielded from the last three.
type lexer struct {
	src   []byte
	in    *parse.Input
	lex   *html.Lexer
	attrs []attr

	name []byte // of the tag, lower case
	tag  tag
	text []byte // entities not yet decoded
	from int    // offset of the token in src
	to   int    // offset after it
	self bool   // the tag ended in />
}

type attr struct {
	key, val []byte // key in lower case, val without quotes, entities not yet decoded
}

type token uint8

const (
	tokenEnd token = iota
	tokenText
	tokenStart
	tokenClose
)

// newLexer reads src, which it changes: it must be a copy of the page.
func newLexer(src []byte, xml bool) *lexer {
	shield(src, xml)
	in := parse.NewInputBytes(src)
	return &lexer{src: src, in: in, lex: html.NewLexer(in), attrs: make([]attr, 0, 16)}
}

// shield changes a page so that the lexer underneath reads it as HTML means
// it. No byte changes its place.
func shield(src []byte, xml bool) {
	for i := 0; ; {
		j := bytes.IndexByte(src[i:], '<')
		if j < 0 {
			return
		}
		i += j + 1
		name := src[i:]
		if len(name) > 0 && name[0] == '/' {
			name = name[1:]
		}
		n := 0
		for n < len(name) && letterOrDigit(name[n]) {
			n++
		}
		if n < len(name) && n > 0 && name[n] == '/' && (n+1 == len(name) || name[n+1] != '>') {
			name[n] = ' '
		}
		switch {
		case n == 3 && (fold(name[:3], "svg") || fold(name[:3], "xml")):
			name[2] = '-'
		case n == 4 && fold(name[:4], "math"):
			name[3] = '-'
		case xml && n > 0 && name[0]|0x20 >= 'i' && name[0]|0x20 <= 't' && selfClosed(name[n:]) && rawTag(name[:n]):
			name[n-1] = '-'
		}
	}
}

func letterOrDigit(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// fold reports whether b is the lower-case word s in any case.
func fold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if b[i]|0x20 != s[i] {
			return false
		}
	}
	return true
}

func rawTag(name []byte) bool {
	return fold(name, "script") || fold(name, "style") || fold(name, "title") || fold(name, "iframe") || fold(name, "textarea")
}

// selfClosed reports whether the tag whose attributes begin here ends in />.
// It looks 4 KiB far, so that a page of open tags costs no more than a page.
func selfClosed(rest []byte) bool {
	rest = rest[:min(len(rest), 4<<10)]
	var quote byte
	for i, c := range rest {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i > 0 && rest[i-1] == '/'
		}
	}
	return false
}

// next returns the next token. Comments and declarations are passed over.
func (l *lexer) next() token {
	for {
		l.from = l.in.Offset()
		kind, data := l.lex.Next()
		switch kind {
		case html.ErrorToken:
			return tokenEnd
		case html.TextToken:
			l.text, l.to = data, l.in.Offset()
			if t := l.lex.Text(); len(t) < len(data) {
				l.text = t // CDATA: without its brackets
			}
			return tokenText
		case html.StartTagToken:
			l.name = l.lex.Text()
			l.tag = tagOf(l.name)
			l.readAttrs()
			l.to = l.in.Offset()
			return tokenStart
		case html.EndTagToken:
			l.name = l.lex.Text()
			for i, c := range l.name {
				if c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '/' {
					l.name = l.name[:i]
					break
				}
			}
			l.tag = tagOf(l.name)
			l.to = l.in.Offset()
			return tokenClose
		}
	}
}

func (l *lexer) readAttrs() {
	l.attrs, l.self = l.attrs[:0], false
	for {
		switch kind, _ := l.lex.Next(); kind {
		case html.AttributeToken:
			if len(l.attrs) < maxAttrs {
				l.attrs = append(l.attrs, attr{l.lex.AttrKey(), unquote(l.lex.AttrVal())})
			}
		case html.StartTagVoidToken:
			l.self = true
			return
		default:
			return
		}
	}
}

func unquote(val []byte) []byte {
	if len(val) == 0 || val[0] != '"' && val[0] != '\'' {
		return val
	}
	quote := val[0]
	val = val[1:]
	if len(val) > 0 && val[len(val)-1] == quote {
		val = val[:len(val)-1]
	}
	return val
}

// attr returns an attribute's value; the first counts.
func (l *lexer) attr(key string) ([]byte, bool) {
	for i := range l.attrs {
		if string(l.attrs[i].key) == key {
			return l.attrs[i].val, true
		}
	}
	return nil, false
}

// raw returns the source of the token.
func (l *lexer) raw() []byte { return l.src[l.from:l.to] }
