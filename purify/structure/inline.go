package structure

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// A setting is the context of inline text, if it is not a paragraph.
type setting uint8

const (
	inHeading setting = iota + 1 // one line, without emphasis
	inTable                      // one line, without |
)

// inline returns the text of a leaf.
func (w *writer) inline(n *node, where setting) string {
	if w.d.nodes[n.parent].kind == kindListing { // a listing of one line in a cell
		text := strings.Join(strings.Fields(n.text), " ")
		if w.plain || text == "" {
			return text
		}
		return codeSpan(text, where)
	}
	runs := w.d.runs[n.from:n.to]
	if w.plain || len(runs) == 0 {
		return w.unstyled(n.text, runs, where)
	}
	if len(runs) == 1 && runs[0].style == 0 && runs[0].url == "" {
		return w.unstyled(n.text, nil, where)
	}
	i := inliner{where: where}
	at := int32(0)
	for k := range runs {
		r := &runs[k]
		text := n.text[at:r.end]
		at = r.end
		if r.style&styleMark != 0 {
			continue
		}
		if r.style&styleBreak != 0 {
			text = strings.TrimLeft(text, " ")
			i.lineBreak()
		}
		s := r.style &^ styleBreak
		if where == inHeading {
			s &^= styleStrong | styleEm
		}
		i.add(text, s, r.url)
	}
	return i.finish()
}

// unstyled returns the text of a leaf without styles.
func (w *writer) unstyled(text string, runs []run, where setting) string {
	if len(runs) == 0 {
		if w.plain {
			return text
		}
		if text = escaped(text, where, false); where == 0 {
			text = guardLines(text)
		}
		return text
	}
	var b strings.Builder
	at := int32(0)
	for k := range runs {
		r := &runs[k]
		part := text[at:r.end]
		at = r.end
		if r.style&styleMark != 0 {
			continue
		}
		if r.style&styleBreak != 0 {
			part = strings.TrimLeft(part, " ")
			if where == 0 {
				b.WriteByte('\n')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(part)
	}
	return strings.TrimSpace(b.String())
}

// A segment is text of one style and one link.
type segment struct {
	text  string
	style style
	url   string
	line  bool // a line ends before it
}

// An inliner joins runs as Markdown.
type inliner struct {
	where    setting
	segments []segment
	line     bool
	out      []byte
}

func (i *inliner) lineBreak() { i.line = true }

// add adds a run. White space at the ends of styled text is moved outside of it.
func (i *inliner) add(text string, s style, url string) {
	words := strings.Trim(text, " ")
	if words == "" {
		i.plain(text)
		return
	}
	lead, tail := text[:strings.Index(text, words)], text[strings.Index(text, words)+len(words):]
	last := len(i.segments) - 1
	if last >= 0 && !i.line && i.segments[last].style == s && i.segments[last].url == url {
		i.segments[last].text += lead + words
	} else if last >= 0 && !i.line && lead == "" && s&i.segments[last].style&styleCode != 0 && i.segments[last].url == url {
		i.segments[last].text += words // two spans of code without a space would be none: `a``b`
	} else if last > 0 && !i.line && lead == "" && strings.Trim(i.segments[last].text, " ") == "" && !i.segments[last].line &&
		s|styleCode != styleCode && i.segments[last-1].style == s && i.segments[last-1].url == url { // "<b>a</b> <b>b</b>" is one
		i.segments[last-1].text += i.segments[last].text + words
		i.segments = i.segments[:last]
	} else {
		i.plain(lead)
		i.segments = append(i.segments, segment{words, s, url, i.line})
		i.line = false
	}
	i.plain(tail)
}

// plain appends white space.
func (i *inliner) plain(text string) {
	if text == "" {
		return
	}
	if last := len(i.segments) - 1; last >= 0 && !i.line && i.segments[last].style == 0 && i.segments[last].url == "" {
		i.segments[last].text += text
		return
	}
	i.segments = append(i.segments, segment{text: text, line: i.line})
	i.line = false
}

func (i *inliner) finish() string {
	for k := 0; k < len(i.segments); {
		s := &i.segments[k]
		if s.line {
			i.breakLine()
		}
		if s.url == "" {
			i.styled(k)
			k++
			continue
		}
		i.out = append(i.out, '[') // what one link has may be several segments
		end := k
		for ; end == k || i.goesOn(end, s.url); end++ {
			i.styled(end)
		}
		i.out = append(append(append(i.out, "]("...), destination(s.url)...), ')')
		k = end
	}
	text := strings.Trim(string(i.out), " ")
	if i.where == 0 {
		text = guardLines(text)
	}
	return text
}

// goesOn reports whether a segment belongs to the link before it. White space does if the segment
// after it does.
func (i *inliner) goesOn(at int, url string) bool {
	for at < len(i.segments) && i.segments[at].url == "" && strings.Trim(i.segments[at].text, " ") == "" && !i.segments[at].line {
		at++
	}
	return at < len(i.segments) && i.segments[at].url == url && !i.segments[at].line
}

// breakLine writes a line break.
func (i *inliner) breakLine() {
	i.out = bytes.TrimRight(i.out, " ")
	switch {
	case len(i.out) == 0:
	case i.where == inTable:
		i.out = append(i.out, "<br>"...)
	case i.where == inHeading:
		i.out = append(i.out, ' ')
	default:
		i.out = append(i.out, "\\\n"...)
	}
}

// styled writes one segment.
func (i *inliner) styled(at int) {
	s := &i.segments[at]
	if s.style&styleCode != 0 {
		i.out = append(i.out, codeSpan(s.text, i.where)...)
		return
	}
	text := escaped(s.text, i.where, s.url != "")
	if strings.HasSuffix(text, "!") && at+1 < len(i.segments) && i.segments[at+1].url != "" {
		text = text[:len(text)-1] + "\\!" // no picture
	}
	sign := i.sign(at)
	i.out = append(append(append(i.out, sign...), text...), sign...)
}

// sign returns the sign of a segment's emphasis; "" if Markdown would not read it as one.
func (i *inliner) sign(at int) string {
	s := &i.segments[at]
	sign := "*"
	switch {
	case s.style&styleStrong != 0:
		sign = "**"
	case s.style&styleEm == 0:
		return ""
	}
	before, after := ' ', ' '
	if len(i.out) > 0 {
		before, _ = utf8.DecodeLastRune(i.out)
	}
	if at+1 < len(i.segments) && !i.segments[at+1].line {
		next := &i.segments[at+1]
		switch {
		case next.url != s.url:
			after = '['
		case next.style&styleCode != 0:
			after = '`'
		case next.style != 0:
			return "" // two signs would be one
		default:
			after, _ = utf8.DecodeRuneInString(next.text)
		}
	}
	if before == '*' || !mayOpen(before, s.text) || !mayClose(s.text, after) {
		return ""
	}
	return sign
}

// mayOpen reports whether a sign of emphasis between a character and a text opens emphasis
// (CommonMark, left-flanking).
func mayOpen(before rune, text string) bool {
	next, _ := utf8.DecodeRuneInString(text)
	return !isPunct(next) || before == ' ' || unicode.IsSpace(before) || isPunct(before)
}

// mayClose is mayOpen for the end of an emphasis.
func mayClose(text string, after rune) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return !isPunct(last) || unicode.IsSpace(after) || isPunct(after)
}

func isPunct(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// codeSpan returns text as code.
func codeSpan(text string, where setting) string {
	n := 0
	for i := 0; i < len(text); i++ {
		run := 0
		for i < len(text) && text[i] == '`' {
			i, run = i+1, run+1
		}
		n = max(n, run)
	}
	fence := strings.Repeat("`", n+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	if where == inTable {
		text = strings.ReplaceAll(text, "|", "\\|")
	}
	return fence + text + fence
}

// destination returns a URL as the target of a link.
func destination(url string) string {
	if strings.ContainsAny(url, " ()<>\\\n\t") {
		return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", "\n", "", "\t", "").Replace(url) + ">"
	}
	return url
}

// escaped returns text with a backslash before characters that Markdown would read as signs
// anywhere; guardLines handles the starts of lines.
func escaped(text string, where setting, inLink bool) string {
	if !strings.ContainsAny(text, "\\`*_[]<&~|#") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	strikes := strings.Count(text, "~") > 1
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '~' && strikes || c == '|' && where == inTable || c == ']' && inLink ||
			c == '#' && where == inHeading && i+1 == len(text) || isSign(text, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// isSign reports whether Markdown would read a character of a text as a sign.
func isSign(text string, i int) bool {
	switch text[i] {
	case '\\', '`', '*', '[':
		return true
	case '_':
		return i == 0 || i+1 == len(text) || !isWordByte(text[i-1]) || !isWordByte(text[i+1])
	case '<':
		return i+1 < len(text) && (markup.Letter(text[i+1]) || strings.IndexByte("/!?", text[i+1]) >= 0)
	case '&':
		return i+1 < len(text) && (markup.Letter(text[i+1]) || text[i+1] == '#') && strings.IndexByte(text[i:min(len(text), i+40)], ';') > 0
	}
	return false
}

func isWordByte(c byte) bool { return markup.LetterOrDigit(c) || c >= utf8.RuneSelf }

// guardLines adds a backslash where the start of a line would make it another part: a heading, an
// item, a quotation, a rule.
func guardLines(text string) string {
	if !strings.Contains(text, "\n") {
		return guardLine(text)
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = guardLine(lines[i])
	}
	return strings.Join(lines, "\n")
}

func guardLine(line string) string {
	if line == "" {
		return line
	}
	switch line[0] {
	case '#', '>', '+', '-', '=', '|', ':':
		return "\\" + line
	}
	n := 0
	for n < len(line) && n < 10 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')') && (n+1 == len(line) || line[n+1] == ' ') {
		return line[:n] + "\\" + line[n:]
	}
	return line
}
