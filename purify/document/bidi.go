package document

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// Programs that print to PDF draw the letters of Arabic and Hebrew from left to right like all others, each in the form that
// it has within its word. logical returns such a line as it is read.

// isRTL reports whether a character is a letter of a script that is written from right to left.
func isRTL(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// isLTR reports whether a character is read from left to right within a line that is not: a letter or a digit.
func isLTR(r rune) bool { return !isRTL(r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// logical turns a line in the order of the eye into one in the order of reading.
func logical(s string) string {
	right, left := 0, 0
	for _, r := range s {
		switch {
		case isRTL(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	if right == 0 {
		return s
	}
	rs := []rune(s)
	if right > left {
		turn(rs)
	} else {
		eachRun(rs, isRTL, func(i, j int) { turn(rs[i:j]) })
	}
	var b strings.Builder
	for _, r := range rs {
		if 0xfb1d <= r && r <= 0xfdff || 0xfe70 <= r && r <= 0xfefc {
			b.WriteString(norm.NFKC.String(string(r))) // the letter, or the two of a ligature
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// turn reverses text that is read from right to left, but for the words and numbers in it that are not. Brackets are drawn
// as their mirror images.
func turn(rs []rune) {
	slices.Reverse(rs)
	for i := range rs { // a vowel sign stays behind its letter
		for j := i; j > 0 && !unicode.Is(unicode.Mn, rs[j]) && unicode.Is(unicode.Mn, rs[j-1]); j-- {
			rs[j], rs[j-1] = rs[j-1], rs[j]
		}
	}
	from := 0
	mirror := func(part []rune) {
		for i, r := range part {
			if image, ok := images[r]; ok {
				part[i] = image
			}
		}
	}
	eachRun(rs, isLTR, func(i, j int) {
		mirror(rs[from:i])
		slices.Reverse(rs[i:j])
		from = j
	})
	mirror(rs[from:])
}

// images are the mirror images of brackets and quotation marks.
var images = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»', '»': '«', '‹': '›', '›': '‹'}

// eachRun calls fn for the parts of a line, from i to before j, that start and end with such a character and have no letters of
// other kinds.
func eachRun(rs []rune, is func(rune) bool, fn func(i, j int)) {
	for i := 0; i < len(rs); i++ {
		if !is(rs[i]) {
			continue
		}
		end := i + 1
		for j := end; j < len(rs) && (is(rs[j]) || !isRTL(rs[j]) && !unicode.IsLetter(rs[j])); j++ {
			if is(rs[j]) {
				end = j + 1
			}
		}
		fn(i, end)
		i = end
	}
}
