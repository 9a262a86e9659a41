package markup

import "bytes"

const maxAttrs = 64 // attributes kept of one tag; the rest is passed over

// A Lexer reads a page tag by tag and text by text, like the tokenizer of the HTML standard except
// where a page never needs it: character references stay as they are, and the content of svg and
// math is read like any other. It changes its input, in which it puts names into lower case.
type Lexer struct {
	src      []byte
	xml      bool // self-closed elements have no content
	pos      int
	verb     string // the element whose content is text up to its end tag, or ""
	noscript bool   // a noscript element is open
	svg      bool   // an svg element is open, in which self-closed elements have no content
	Attrs    []Attribute

	endless bool // no section of CDATA ends from here on

	Name []byte // of the tag, lower case
	Tag  Tag
	Text []byte // entities not yet decoded
	From int    // offset of the token in src
	To   int    // offset after it
	Self bool   // the tag ended in />
}

// An Attribute is one of a start tag.
type Attribute struct {
	Key, Val []byte // key in lower case, val without quotes, entities not yet decoded
}

// A Token is what Lexer.Next has read.
type Token uint8

// The tokens of a page.
const (
	TokenEnd   Token = iota // of the page
	TokenText               // a run of text
	TokenStart              // a start tag
	TokenClose              // an end tag
)

// NewLexer reads src, which it changes: src must be a copy of the page.
func NewLexer(src []byte, xml bool) *Lexer {
	return &Lexer{src: src, xml: xml, Attrs: make([]Attribute, 0, 16)}
}

// The bytes that end a part of a tag.
const (
	lexSpace  = 1 << iota // white space
	lexEquals             // =
	lexClose              // >
	lexSlash              // / which ends a name where > follows
	lexLetter             // a letter or digit; ends nothing
)

var lexKind = func() (kinds [256]byte) {
	for c := range kinds {
		if LetterOrDigit(byte(c)) {
			kinds[c] = lexLetter
		}
	}
	for _, c := range " \t\n\r\f" {
		kinds[c] = lexSpace
	}
	kinds['='], kinds['>'], kinds['/'] = lexEquals, lexClose, lexSlash
	return kinds
}()

// Letter reports whether c is an ASCII letter.
func Letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// LetterOrDigit reports whether c is an ASCII letter or digit.
func LetterOrDigit(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// equalFold reports whether b is the lower-case word s in any case.
func equalFold(b []byte, s string) bool {
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

// Lower puts ASCII letters into lower case, in place.
func Lower(b []byte) []byte {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// Next returns the next token. Comments and declarations are passed over.
func (l *Lexer) Next() Token {
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
		l.From = l.pos
		switch c := l.src[l.pos+1]; c {
		case '/':
			if Letter(l.src[l.pos+2]) {
				l.endTag()
				return TokenClose
			}
			l.pos = l.afterTag(l.pos + 2)
		case '!':
			if rest := l.src[l.pos+2:]; bytes.HasPrefix(rest, []byte("--")) {
				l.pos = l.comment(l.pos + 4)
			} else if bytes.HasPrefix(rest, []byte("[CDATA[")) {
				if l.cdata() {
					return TokenText
				}
			} else {
				l.pos = l.afterTag(l.pos + 2)
			}
		case '?':
			l.pos = l.afterTag(l.pos + 1)
		default:
			l.startTag()
			return TokenStart
		}
	}
	return TokenEnd
}

// markup returns the first place from i on where markup starts, or the end.
func (l *Lexer) markup(i int) int {
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
		case Letter(c) || c == '!' || c == '?' || c == '/' && i+2 < len(l.src) && l.src[i+2] != '>':
			return i
		}
		i++
	}
}

// afterTag returns the place after the first > from i on, or the end.
func (l *Lexer) afterTag(i int) int {
	j := bytes.IndexByte(l.src[i:], '>')
	if j < 0 {
		return len(l.src)
	}
	return i + j + 1
}

func (l *Lexer) textTo(to int) Token {
	l.From, l.To = l.pos, to
	l.Text, l.pos = l.src[l.From:to], to
	return TokenText
}

// cdata reads a CDATA section: its text is what is inside. If the section has no end, only its
// start is skipped, and cdata returns false: a theme of forums writes such starts into HTML, where
// a browser takes them for comments, and the whole page follows.
func (l *Lexer) cdata() bool {
	from := l.pos + len("<![CDATA[")
	l.pos = from
	if l.endless {
		return false
	}
	j := bytes.Index(l.src[from:], []byte("]]>"))
	if l.endless = j < 0; l.endless {
		return false
	}
	l.pos = from + j + len("]]>")
	l.Text, l.To = l.src[from:from+j], l.pos
	return true
}

// comment returns the place after a comment whose text starts at i.
func (l *Lexer) comment(i int) int {
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

// endTag reads the end tag that starts here.
func (l *Lexer) endTag() {
	from := l.pos + len("</")
	l.pos = l.afterTag(from)
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
	l.Name = Lower(l.src[from:i])
	l.Tag = tagOf(l.Name)
	l.noscript = l.noscript && l.Tag != TagNoscript
	l.svg = l.svg && l.Tag != TagSvg
	l.To = l.pos
}

// startTag reads the start tag that starts here.
func (l *Lexer) startTag() {
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
	l.Name = Lower(src[from:i])
	l.Tag = tagOf(l.Name)
	if i == word && i < len(src) && src[i] == '/' && (i+1 == len(src) || src[i+1] != '>') {
		i++
	}
	l.readAttrs(i)
	l.To = l.pos
	l.noscript = l.noscript || l.Tag == TagNoscript && !(l.xml && l.Self)
	if l.Tag == TagSvg || l.svg && l.Tag.Is(IsBlock) { // a block does not belong there
		l.svg = l.Tag == TagSvg && !l.Self
	}
	if l.verb = verbOf(l.Name); l.verb != "" && (l.xml || l.svg) && l.Self && l.verb != "xmp" && l.verb != "plaintext" {
		// An element of another name, without content.
		l.verb, l.Tag = "", TagOther
		l.Name[len(l.Name)-1] = '-'
	}
}

// MayStartBlock reports whether the tag is that of a web component, a custom element whose name has a hyphen (HTML standard, 4.13.3), in a
// container: there it starts and ends a block, unless text is before it. starts says that the element around it is such a component, and
// outermost that there is none.
func (l *Lexer) MayStartBlock(around Tag, starts, outermost bool) bool {
	if l.Tag != TagOther || l.svg {
		return false
	}
	at := bytes.IndexByte(l.Name, '-')
	return at > 0 && at < len(l.Name)-1 && (outermost || starts || around.Holds())
}

// rename gives svg and math, for which HTML has special rules, other names, which the hashes of
// layouts have used since the first version.
func (l *Lexer) rename(from, to int) {
	switch name := l.src[from:to]; {
	case len(name) == 3 && (equalFold(name, "svg") || equalFold(name, "xml")):
		name[2] = '-'
	case len(name) == 4 && equalFold(name, "math"):
		name[3] = '-'
	}
}

// readAttrs reads a start tag from the end of its name on.
func (l *Lexer) readAttrs(i int) {
	l.Attrs, l.Self = l.Attrs[:0], false
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
			l.pos, l.Self = i+2, true
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
		a := Attribute{Key: Lower(src[from:i])}
		for from = i; from < len(src) && lexKind[src[from]] == lexSpace; {
			from++
		}
		if from < len(src) && src[from] == '=' {
			a.Val, i = l.value(from + 1)
		}
		if len(l.Attrs) < maxAttrs {
			l.Attrs = append(l.Attrs, a)
		}
	}
}

// value reads an attribute's value, and what precedes it, from i on. It returns the place after it.
func (l *Lexer) value(i int) ([]byte, int) {
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

// verbOf returns the name of an element whose content has no tags; "" for other elements.
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

// verbatim returns the end of the content of l.verb, which starts here. Inside a noscript element
// it ends where that element ends at the latest: a browser reads none of the tags in a noscript
// element, and many pages have an iframe there without an end tag.
func (l *Lexer) verbatim() int {
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
		case len(rest) > 0 && rest[0] == '/' && equalFold(letters(rest[1:]), l.verb):
			return i
		case l.noscript && len(rest) > 0 && rest[0] == '/' && equalFold(letters(rest[1:]), "noscript"):
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

// escaped reads what follows <!-- in a script, from i on: in it, an end tag may belong to a start
// tag. It returns the end of that part, and whether the script ends there too.
func (l *Lexer) escaped(i int) (end int, ended bool) {
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
			case !equalFold(letters(rest), "script"):
			case closing && !nested:
				return i, true
			default:
				nested = !closing
			}
		}
	}
	return len(l.src), true
}

// letters returns the letters at the start of a text.
func letters(text []byte) []byte {
	n := 0
	for n < len(text) && Letter(text[n]) {
		n++
	}
	return text[:n]
}

// Attr returns the value of an attribute; if a tag has several of that name, the first.
func (l *Lexer) Attr(key string) ([]byte, bool) {
	for i := range l.Attrs {
		if string(l.Attrs[i].Key) == key {
			return l.Attrs[i].Val, true
		}
	}
	return nil, false
}

// IsSilent reports whether the content of the element that the current tag opens is not text of the
// page. The content of a read-only field is text, for example the source of a wiki's page.
func (l *Lexer) IsSilent() bool {
	if l.Tag == TagTextarea {
		_, shown := l.Attr("readonly")
		return !shown
	}
	return l.Tag.Is(IsSilent)
}

// Raw returns the source of the token.
func (l *Lexer) Raw() []byte { return l.src[l.From:l.To] }
