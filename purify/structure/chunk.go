package structure

import (
	"strings"
	"unicode/utf8"
)

// A Chunk is a piece of a written document.
type Chunk struct {
	Offset int      // of its first byte in the whole text
	Text   string   // as it stands there
	Trail  []string // the headings above it, from the page's on; its own are not among them, except one with which it starts
	Words  int      // see Words
}

// Chunks cuts the document, as Markdown or plain text, into pieces of about this many words. A
// piece starts at a heading or, if it would have more words, at a paragraph, an item, a row or a
// listing; none of these is cut. A piece has at least a quarter of the words, if the document has
// as many: if a heading would start a smaller one, the piece goes on.
func (d *Document) Chunks(words int, plain bool) []Chunk {
	text, marks := d.write(plain, true)
	if text == "" {
		return nil
	}
	if len(marks) == 0 || marks[0].Offset > 0 {
		marks = append([]Mark{{}}, marks...)
	}
	var chunks []Chunk
	var trail, atStart []Mark // headings open now, and where the piece started
	from, size := 0, 0
	cut := func(to int) {
		piece := strings.TrimRight(text[from:to], "\n ")
		if strings.TrimSpace(piece) != "" {
			c := Chunk{Offset: from, Text: piece, Words: Words(piece)}
			for _, m := range atStart {
				c.Trail = append(c.Trail, m.Heading)
			}
			chunks = append(chunks, c)
		}
		from, size = to, 0
	}
	headed := false // the part before is a heading
	for i, m := range marks {
		to := len(text)
		if i+1 < len(marks) {
			to = min(marks[i+1].Offset, to)
		}
		n := Words(text[min(m.Offset, to):to])
		isHeading := m.Level > 0
		if size > 0 && (isHeading && !headed && size*4 >= words || size+n > words && !headed) {
			cut(m.Offset)
		}
		if isHeading {
			for len(trail) > 0 && trail[len(trail)-1].Level >= m.Level {
				trail = trail[:len(trail)-1]
			}
			trail = append(trail[:len(trail):len(trail)], m)
		}
		if size == 0 {
			atStart = trail
		}
		size += n
		headed = isHeading
	}
	cut(len(text))
	return chunks
}

// Words counts the words of a text: runs of non-space characters that have a letter, a digit or
// anything beyond ASCII, and each Chinese or Japanese character.
func Words(text string) int {
	n := 0
	word := false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch {
			case c <= ' ':
				word = false
			case !word && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'):
				word = true
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case blank(r):
			word = false
		case r >= 0x3040 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff:
			n++
			word = false
		case r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r <= 0xff0f: // their signs
			word = false
		case !word:
			word = true
			n++
		}
		i += size
	}
	return n
}
