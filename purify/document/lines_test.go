package document

import (
	"strings"
	"testing"
)

// A typeset is a line as a typesetter puts it: where it starts, its size and its words, whose characters
// are half as wide as high.
type typeset struct {
	x, y, size float64
	text       string
}

func TestLinesBecomeParagraphs(t *testing.T) {
	// 40 characters of 10 points reach from 0 to 200.
	const full = "The harbour of the town was rebuilt then"
	at := func(x, y float64, text string) typeset { return typeset{x, y, 10, text} }
	for _, c := range []struct {
		name string
		page []typeset
		want string
	}{
		{"a gap", []typeset{at(0, 100, full), at(0, 88, "by many"), at(0, 70, full), at(0, 58, full), at(0, 46, "by few")}, "FULL by many|FULL FULL by few"},
		{"lines that are set wide", []typeset{at(0, 100, full), at(0, 80, full), at(0, 60, full), at(0, 40, full)}, "FULL FULL FULL FULL"},
		{"text between lines of code that are set close", []typeset{at(0, 200, "a"), at(0, 190, "b"), at(0, 180, "c"), at(0, 170, "d"), at(0, 160, "e"), at(0, 146, full), at(0, 132, full), at(0, 118, full)}, "a b c d e|FULL FULL FULL"},
		{"first lines indented", []typeset{at(15, 100, full[:37]), at(0, 88, full), at(0, 76, full), at(15, 64, full[:37]), at(0, 52, full)}, full[:37] + " FULL FULL|" + full[:37] + " FULL"},
		{"a paragraph of one line before another", []typeset{at(15, 100, "It was rebuilt."), at(15, 88, full[:37]), at(0, 76, full)}, "It was rebuilt.|" + full[:37] + " FULL"},
		{"a short last line", []typeset{at(0, 100, full), at(0, 88, "by many."), at(0, 76, full), at(0, 64, full)}, "FULL by many.|FULL FULL"},
		{"short lines that end no sentence", []typeset{at(0, 100, full), at(0, 88, "make all"), at(0, 76, "make install"), at(0, 64, full)}, "FULL make all make install FULL"},
		{"a sentence that ends its line", []typeset{at(0, 100, full), at(0, 88, "The harbour of the town was rebuilt now."), at(0, 76, full)}, "FULL The harbour of the town was rebuilt now. FULL"},
		{"another size", []typeset{{0, 100, 14, "The harbour"}, at(0, 84, full), at(0, 72, full)}, "The harbour|FULL FULL"},
		{"items", []typeset{at(0, 100, full), at(0, 88, "of these:"), at(0, 76, "\u2022 "+full[:38]), at(10, 64, "by many"), at(0, 52, "\u2022 by few"), at(0, 40, "2. others")},
			"FULL of these:|\u2022 " + full[:38] + " by many|\u2022 by few|2. others"},
		{"items that hang", []typeset{at(0, 100, full), at(10, 88, full[:38]), at(0, 76, full), at(10, 64, full[:38]), at(10, 52, "and that"), at(0, 40, full)}, "FULL " + full[:38] + "|FULL " + full[:38] + " and that|FULL"},
		{"two columns", []typeset{at(0, 100, full), at(0, 88, full), at(0, 76, full), at(220, 100, full), at(220, 88, "by many.")}, "FULL FULL FULL FULL by many."},
		{"two columns that end their texts", []typeset{at(0, 100, full), at(0, 88, full), at(0, 76, "by many."), at(220, 100, full), at(220, 88, full)}, "FULL FULL by many.|FULL FULL"},
		{"the number of a footnote", []typeset{at(0, 124, full), at(0, 112, full), at(0, 100, full), {12, 84, 6, "1"}, {15, 80, 9, full}, {0, 69, 9, "is rare"}}, "FULL FULL FULL|1FULL is rare"},
		{"a word in two lines", []typeset{at(0, 100, "The harbour of the town was now rebu-"), at(0, 88, "ilt and the Debian-"), at(0, 76, "Archive too")}, "The harbour of the town was now rebuilt and the Debian-Archive too"},
		{"a hyphen at the end", []typeset{at(0, 100, full), at(0, 88, "rebu-")}, "FULL rebu-"},
	} {
		var l lines
		for _, s := range c.page {
			for i, word := range strings.Split(s.text, " ") { // as PDFs do, without spaces
				x := s.x
				if i > 0 {
					x += s.size / 2
				}
				s.x = x + s.size/2*float64(len([]rune(word)))
				l.place(word, x, s.y, s.x, s.y, s.size)
			}
		}
		l.endPage()
		got := strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(l.out.String()), "\n\n", "|"), "\n", " ")
		if want := strings.ReplaceAll(c.want, "FULL", full); got != want {
			t.Errorf("%s: the paragraphs are %q, want %q", c.name, got, want)
		}
	}
}
