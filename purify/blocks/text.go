package blocks

import (
	"bytes"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// lineBreak makes a space of one br and a new block of two.
func (o *Outline) lineBreak() {
	o.failed = false
	o.space = true
	if o.breaks++; o.breaks == 2 {
		o.flush()
	}
}

// takeFailure reports whether a text goes on with a message of PHP, which a server with html_errors writes into a page as
// "<b>Fatal error</b>:  ... in <b>file</b> on line <b>12</b>", with two spaces (main.c, php_error_cb). It takes the words
// before it out of the block: the message is no part of the page, and all pages with one fault have the same.
func (o *Outline) takeFailure(raw []byte) bool {
	if len(raw) < 3 || raw[0] != ':' || raw[1] != ' ' || raw[2] != ' ' || !bytes.HasSuffix(bytes.TrimRight(raw, " \t\r\n"), []byte(" in")) {
		return false
	}
	for _, said := range failures {
		if text := o.Text[o.at:]; bytes.HasSuffix(text, said) && (len(text) == len(said) || text[len(text)-len(said)-1] == ' ') {
			o.Text = o.Text[:o.at+len(bytes.TrimRight(text[:len(text)-len(said)], " "))]
			if n := len(o.Runs); o.KeepRuns && n > 0 {
				o.Runs = o.Runs[:n-1]
			}
			return true
		}
	}
	return false
}

// failures are what PHP calls its errors, the longer ones first.
var failures = [][]byte{
	[]byte("Recoverable fatal error"), []byte("Catchable fatal error"), []byte("Fatal error"), []byte("Parse error"),
	[]byte("Strict Standards"), []byte("Deprecated"), []byte("Warning"), []byte("Notice"),
}

// write adds text to the block: it decodes entities, collapses white space, and leaves out control
// and zero-width characters.
func (o *Outline) write(raw []byte) {
	if bytes.IndexByte(raw, '&') >= 0 {
		o.scratch = markup.Unescape(o.scratch[:0], raw)
		raw = o.scratch
	}
	o.writeText(raw)
}

// writeText is write for text that has no character references.
func (o *Outline) writeText(raw []byte) {
	before := len(o.Text)
	for i := 0; i < len(raw); {
		if n := plainRun(raw[i:]); n > 0 {
			o.put(raw[i : i+n])
			i += n
			continue
		}
		c := raw[i]
		if c < utf8.RuneSelf {
			o.space = o.space || c == ' ' || c >= '\t' && c <= '\r'
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		switch {
		case blank(r):
			o.space = true
		case unseen(r):
		default:
			o.put(raw[i : i+n])
		}
		i += n
	}
	if len(o.Text) > before {
		o.breaks = 0
		if o.anchor >= 0 {
			o.linked += len(o.Text) - before
		}
	}
}

// plainRun returns the length of the longest prefix that can be copied unchanged: words with one
// space between them, of visible ASCII characters and of characters from U+3001 on with three
// bytes.
func plainRun(text []byte) int {
	i := 0
	for i < len(text) {
		c := text[i]
		switch {
		case c > ' ' && c < 0x7f:
			i++
		case c == ' ' && i > 0 && i+1 < len(text) && text[i+1] > ' ' && text[i+1] < 0x7f:
			i += 2
		case c >= 0xe3 && c <= 0xef && i+2 < len(text) && text[i+1]&0xc0 == 0x80 && text[i+2]&0xc0 == 0x80:
			if c == 0xe3 && text[i+1] == 0x80 && text[i+2] == 0x80 || c == 0xef && text[i+1] == 0xbb && text[i+2] == 0xbf {
				return i // an ideographic space, a byte order mark
			}
			i += 3
		default:
			return i
		}
	}
	return i
}

func (o *Outline) put(words []byte) {
	if n := len(o.Text); n > o.at && (o.space || inWord(o.Text[n-1]) && inWord(words[0]) && o.divided(words)) {
		o.Text = append(o.Text, ' ')
	}
	o.space, o.closed, o.seam, o.tagged, o.joined = false, false, false, false, false
	o.Text = append(o.Text, words...)
}

// divided reports whether the tags between two letters separate two words. In preformatted text,
// where the author writes all spaces, tags only colour parts of a word: IPv<i>4</i>Address.
func (o *Outline) divided(words []byte) bool {
	if o.depth[markup.TagPre] > 0 {
		return false
	}
	return o.seam || o.tagged && !o.joined && apart(o.Text[o.at:], words)
}

// inWord reports whether a byte belongs to a word, in a script that has spaces between words.
func inWord(c byte) bool { return markup.LetterOrDigit(c) || c == '_' }

// apart reports whether the texts on both sides of a tag are two words and not one, judged by their
// characters: <span>Acme</span><span>Boots</span>, as opposed to the large first letter of a
// chapter. On the labelled pages nearly all texts with a capital or a digit after the tag are two
// words, as people wrote them down, and most with a small letter are one.
func apart(left, right []byte) bool {
	a, b := left[len(left)-1], right[0]
	two := len(left) > 1 && inWord(left[len(left)-2])
	switch {
	case markup.Digit(b):
		return markup.Digit(a) || two
	case capital(b):
		return markup.Digit(a) || two && (!capital(a) || len(right) > 1 && inWord(right[1]))
	}
	return false
}

func capital(c byte) bool { return c >= 'A' && c <= 'Z' }

func blank(r rune) bool {
	return r == 0xa0 || r == 0x3000 || r >= 0x2000 && r <= 0x200a || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x85 || r == 0x1680
}

func unseen(r rune) bool {
	return r < 0xa0 || r == 0xad || r == 0x200b || r == 0x200e || r == 0x200f || r == 0x2060 || r == 0xfeff
}

// flush ends the block that is being read.
func (o *Outline) flush() {
	if len(o.Blocks) == maxBlocks-1 {
		o.space, o.breaks = true, 0
		return
	}
	o.endText()
}

// endText ends the page's last block.
func (o *Outline) endText() {
	o.failed = false
	o.space, o.breaks, o.closed, o.seam, o.tagged, o.joined = false, 0, false, false, false, false
	if len(o.Text) == o.at {
		return
	}
	e := o.top()
	if o.Nodes[e.node].Tag.Heading() {
		o.cutAfterHeading()
	}
	o.Blocks = append(o.Blocks, Block{
		From: int32(o.at), To: int32(len(o.Text)), page: o.page,
		Linked: int32(min(o.linked, len(o.Text)-o.at)),
		Node:   e.node, Tag: o.Nodes[e.node].Tag, mark: o.mark, Hints: e.hints,
	})
	o.Text = append(o.Text, '\n')
	o.at, o.linked = len(o.Text), 0
}

// cutAfterHeading takes links in brackets off the end of a heading: wikis have those to an editor there, in the language of the site. One with a
// number may be what the heading says, such as a version.
func (o *Outline) cutAfterHeading() {
	text := o.Text[o.at:]
	open := bytes.LastIndexByte(text, '[')
	if open <= 0 || o.linked == 0 || o.anchor >= 0 || text[len(text)-1] != ']' || bytes.ContainsAny(text[open:], "0123456789") {
		return
	}
	from, linked, words := int32(o.at+open), 0, 0
	first := len(o.Links)
	for first > 0 && o.Links[first-1].From > from {
		first--
		linked += int(o.Links[first].To - o.Links[first].From)
	}
	for _, w := range bytes.FieldsFunc(text[open:], func(r rune) bool { return r == '[' || r == ']' || r == '|' || r == ' ' }) {
		words += len(w)
	}
	if n := len(o.Authors); words == 0 || linked < words || n > 0 && o.Authors[n-1].To > from {
		return
	}
	o.Text = o.Text[:o.at+len(bytes.TrimRight(text[:open], " "))]
	o.linked = max(0, o.linked-linked)
	for i := first; i < len(o.Links); i++ {
		o.Links[i].From, o.Links[i].To = int32(len(o.Text)), int32(len(o.Text))
	}
}

// ReadText reads a text without markup: each paragraph is a block.
func (o *Outline) ReadText(text []byte) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			o.flush()
			continue
		}
		o.space = true
		o.writeText(line)
	}
	o.endText()
}
