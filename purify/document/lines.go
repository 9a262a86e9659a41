package document

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lines puts characters that stand somewhere on pages into lines. A page says where its
// characters stand, and often has no spaces: a gap of more than a sixth of their height is one.
type lines struct {
	out   strings.Builder
	begun bool
	endX  float64 // of the last character
	endY  float64
	held  string // a hyphen at the end of a line: the word goes on in the next
}

// place writes characters that stand from x, y to endX, endY.
func (l *lines) place(s string, x, y, endX, endY, height float64) {
	height = max(height, .1)
	switch dx, dy := x-l.endX, y-l.endY; {
	case !l.begun:
	case math.Abs(dy) > height/2 || dx < -20*height:
		if l.held == "" {
			l.out.WriteByte('\n')
		}
		l.held = ""
	case dx > height/6:
		l.out.WriteString(l.held + " ")
		l.held = ""
	}
	l.out.WriteString(l.held)
	l.held = ""
	for _, hyphen := range []string{"-", "\u00ad", "\u2010"} {
		if rest, ok := strings.CutSuffix(s, hyphen); ok && endsInLetter(rest) {
			s, l.held = rest, hyphen
		}
	}
	l.out.WriteString(s)
	l.begun, l.endX, l.endY = true, endX, endY
}

func endsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

// endPage ends a paragraph, and a page.
func (l *lines) endPage() {
	l.out.WriteString("\n\n")
	l.begun, l.held = false, ""
}
