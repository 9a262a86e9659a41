package purify

import "bytes"

const maxAttrs = 64 // attributes kept of one tag; the rest is passed over

// A lexer reads a page tag by tag and run by run, as the tokenizer of the HTML
// standard does but for what a page never needs: character references stay as
// they are, and the content of svg and math is read like any other. It works
// inside its input, where it lowers names.
type lexer struct {
	src   []byte
	xml   bool // self-closed elements have no content
	pos   int
	verb  string // the element whose content is text up to its end tag, or ""
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
	return &lexer{src: src, xml: xml, attrs: make([]attr, 0, 16)}
}

// The bytes that end something in a tag.
const (
	lexSpace  = 1 << iota // white space
	lexEquals             // =
	lexClose              // >
	lexSlash              // / which ends a name where > follows
	lexLetter             // a letter or digit; ends nothing
)

var lexKind = func() (kinds [256]byte) {
	for c := range kinds {
		if letterOrDigit(byte(c)) {
			kinds[c] = lexLetter
		}
	}
	for _, c := range " \t\n\r\f" {
		kinds[c] = lexSpace
	}
	kinds['='], kinds['>'], kinds['/'] = lexEquals, lexClose, lexSlash
	return kinds
}()

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

// lower puts ASCII letters into lower case, in place.
func lower(b []byte) []byte {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// next returns the next token. Comments and declarations are passed over.
func (l *lexer) next() token {
	if l.verb != "" {
		to := l.verbatim()
		l.verb = ""
		if to > l.pos {
			return l.textTo(to)
		}
	}
	for l.pos < len(l.src) {
		if to := l.markup(l.pos); to > l.pos {
			return l.textTo(to)
		}
		l.from = l.pos
		switch c := l.src[l.pos+1]; c {
		case '/':
			if letter(l.src[l.pos+2]) {
				l.endTag()
				return tokenClose
			}
			l.pos = l.after(l.pos+2, '>')
		case '!':
			if rest := l.src[l.pos+2:]; bytes.HasPrefix(rest, []byte("--")) {
				l.pos = l.comment(l.pos + 4)
			} else if bytes.HasPrefix(rest, []byte("[CDATA[")) {
				l.cdata()
				return tokenText
			} else {
				l.pos = l.after(l.pos+2, '>')
			}
		case '?':
			l.pos = l.after(l.pos+1, '>')
		default:
			l.startTag()
			return tokenStart
		}
	}
	return tokenEnd
}

// markup returns the first place from i on where markup begins, or the end.
func (l *lexer) markup(i int) int {
	for {
		j := bytes.IndexByte(l.src[i:], '<')
		if j < 0 {
			return len(l.src)
		}
		i += j
		if i+1 == len(l.src) {
			return i + 1
		}
		switch c := l.src[i+1]; {
		case letter(c) || c == '!' || c == '?' || c == '/' && i+2 < len(l.src) && l.src[i+2] != '>':
			return i
		}
		i++
	}
}

// after returns the place behind the first c from i on, or the end.
func (l *lexer) after(i int, c byte) int {
	j := bytes.IndexByte(l.src[i:], c)
	if j < 0 {
		return len(l.src)
	}
	return i + j + 1
}

func (l *lexer) textTo(to int) token {
	l.from, l.to = l.pos, to
	l.text, l.pos = l.src[l.from:to], to
	return tokenText
}

// cdata reads a section of CDATA: its text is what is inside.
func (l *lexer) cdata() {
	from := l.pos + len("<![CDATA[")
	to := len(l.src)
	l.pos = to
	if j := bytes.Index(l.src[from:], []byte("]]>")); j >= 0 {
		to = from + j
		l.pos = to + len("]]>")
	}
	l.text, l.to = l.src[from:to], l.pos
}

// comment returns the place behind a comment whose text begins at i.
func (l *lexer) comment(i int) int {
	for {
		j := bytes.Index(l.src[i:], []byte("--"))
		if j < 0 {
			return len(l.src)
		}
		i += j + 2
		switch rest := l.src[i:]; {
		case len(rest) > 0 && rest[0] == '>':
			return i + 1
		case len(rest) > 1 && rest[0] == '!' && rest[1] == '>':
			return i + 2
		}
		i-- // the second dash may be the first of the end
	}
}

// endTag reads the end tag that begins here.
func (l *lexer) endTag() {
	from := l.pos + len("</")
	l.pos = l.after(from, '>')
	i, word := from, true
	for i < l.pos {
		kind := lexKind[l.src[i]]
		if kind&(lexSpace|lexSlash|lexClose) != 0 {
			break
		}
		if word && kind != lexLetter {
			word = false
			l.rename(from, i)
		}
		i++
	}
	if word {
		l.rename(from, i)
	}
	l.name = lower(l.src[from:i])
	l.tag = tagOf(l.name)
	l.to = l.pos
}

// startTag reads the start tag that begins here.
func (l *lexer) startTag() {
	src, from := l.src, l.pos+1
	i := from
	for i < len(src) && lexKind[src[i]] == lexLetter {
		i++
	}
	word := i
	for i < len(src) {
		kind := lexKind[src[i]]
		if kind&(lexSpace|lexClose) != 0 || kind == lexSlash && (i == word || i+1 < len(src) && src[i+1] == '>') {
			break // <img/src=x> has an attribute
		}
		i++
	}
	l.rename(from, word)
	l.name = lower(src[from:i])
	l.tag = tagOf(l.name)
	if i == word && i < len(src) && src[i] == '/' && (i+1 == len(src) || src[i+1] != '>') {
		i++
	}
	l.readAttrs(i)
	l.to = l.pos
	if l.verb = verbOf(l.name); l.verb != "" && l.xml && l.self && l.verb != "xmp" && l.verb != "plaintext" {
		// An element of another name, without content.
		l.verb, l.tag = "", tagOther
		l.name[len(l.name)-1] = '-'
	}
}

// rename puts svg and math, which HTML reads by rules of their own, under other
// names, by which the layouts of pages are known since the first version.
func (l *lexer) rename(from, to int) {
	switch name := l.src[from:to]; {
	case len(name) == 3 && (fold(name, "svg") || fold(name, "xml")):
		name[2] = '-'
	case len(name) == 4 && fold(name, "math"):
		name[3] = '-'
	}
}

// readAttrs reads a start tag from the end of its name on.
func (l *lexer) readAttrs(i int) {
	l.attrs, l.self = l.attrs[:0], false
	src := l.src
	for {
		for i < len(src) && lexKind[src[i]] == lexSpace {
			i++
		}
		switch {
		case i == len(src):
			l.pos = i
			return
		case src[i] == '>':
			l.pos = i + 1
			return
		case src[i] == '/' && i+1 < len(src) && src[i+1] == '>':
			l.pos, l.self = i+2, true
			return
		}
		from := i
		for i < len(src) {
			kind := lexKind[src[i]]
			if kind&(lexSpace|lexEquals|lexClose) != 0 || kind == lexSlash && i+1 < len(src) && src[i+1] == '>' {
				break
			}
			i++
		}
		a := attr{key: lower(src[from:i])}
		for from = i; from < len(src) && lexKind[src[from]] == lexSpace; {
			from++
		}
		if from < len(src) && src[from] == '=' {
			a.val, i = l.value(from + 1)
		}
		if len(l.attrs) < maxAttrs {
			l.attrs = append(l.attrs, a)
		}
	}
}

// value reads an attribute's value and what stands before it from i on, and
// returns the place behind it.
func (l *lexer) value(i int) ([]byte, int) {
	src := l.src
	for i < len(src) && lexKind[src[i]] == lexSpace {
		i++
	}
	if i < len(src) && (src[i] == '"' || src[i] == '\'') {
		from := i + 1
		if j := bytes.IndexByte(src[from:], src[i]); j >= 0 {
			return src[from : from+j], from + j + 1
		}
		return src[from:], len(src)
	}
	from := i
	for i < len(src) && lexKind[src[i]]&(lexSpace|lexClose) == 0 {
		i++
	}
	return src[from:i], i
}

// verbOf returns the name of an element whose content has no tags, or "".
func verbOf(name []byte) string {
	switch string(name) {
	case "script":
		return "script"
	case "style":
		return "style"
	case "title":
		return "title"
	case "textarea":
		return "textarea"
	case "iframe":
		return "iframe"
	case "xmp":
		return "xmp"
	case "plaintext":
		return "plaintext"
	}
	return ""
}

// verbatim returns the place where the content of l.verb ends, which begins here.
func (l *lexer) verbatim() int {
	if l.verb == "plaintext" {
		return len(l.src)
	}
	for i := l.pos; ; i++ {
		j := bytes.IndexByte(l.src[i:], '<')
		if j < 0 {
			return len(l.src)
		}
		i += j
		switch rest := l.src[i+1:]; {
		case len(rest) > 0 && rest[0] == '/' && fold(letters(rest[1:]), l.verb):
			return i
		case l.verb == "script" && bytes.HasPrefix(rest, []byte("!--")):
			end, ended := l.escaped(i + len("<!--"))
			if ended {
				return end
			}
			i = end - 1
		}
	}
}

// escaped reads what stands in a script behind <!--, from i on: there an end tag
// may belong to a start tag. It returns the place where that ends, and whether
// the script ends there too.
func (l *lexer) escaped(i int) (end int, ended bool) {
	nested := false
	for ; i < len(l.src); i++ {
		switch l.src[i] {
		case '-':
			if bytes.HasPrefix(l.src[i:], []byte("-->")) {
				return i + len("-->"), false
			}
		case '<':
			rest := l.src[i+1:]
			closing := len(rest) > 0 && rest[0] == '/'
			if closing {
				rest = rest[1:]
			}
			switch {
			case !fold(letters(rest), "script"):
			case closing && !nested:
				return i, true
			default:
				nested = !closing
			}
		}
	}
	return len(l.src), true
}

// letters returns the letters that a text begins with.
func letters(text []byte) []byte {
	n := 0
	for n < len(text) && letter(text[n]) {
		n++
	}
	return text[:n]
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
