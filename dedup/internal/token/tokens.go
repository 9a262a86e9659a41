// Package token cuts texts into words and, where a script has no spaces, characters: a List for
// signatures, and Pieces, with the offsets of the words, to show what two texts share.
package token

import (
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"gatecrawl.example/gatecrawl/splitmix"
)

// A List is a body cut into words and, where a script has no spaces, characters. Read resets it, so
// that it can be used again.
//
// A word is a run of letters, marks, digits and underscores, by those rules of Unicode's Standard
// Annex 29 that matter for prose: an apostrophe between letters and a dot or comma between digits
// do not end it. Case and width are folded; apostrophes and invisible characters are left out. A
// character of Han, kana, Hangul, Thai and similar scripts is one token.
type List struct {
	Text   []byte   // the tokens, with a space between two words
	Hashes []uint64 // one a token
	Sorts  []Sort   // one a token
	Lines  []int    // at each line feed, how many tokens come before it
}

// A Sort is what a token is made of.
type Sort uint8

// The sorts.
const (
	Word      Sort = iota
	Number         // digits, with commas or without
	Version        // digits with a dot in them
	Character      // of a script without spaces
)

// Read cuts body into t, and reports whether the body was already composed (Unicode's form NFC).
func (t *List) Read(body string) bool {
	if t.cut(body, false) {
		return true
	}
	t.cut(norm.NFC.String(width.Fold.String(body)), true)
	return false
}

// cut is Read for a composed body. At the first character that must be composed with its neighbours
// (a combining mark, a half-width kana, a Hangul letter) it stops and returns false.
func (t *List) cut(body string, composed bool) bool {
	// Folding a letter's case makes three bytes of two at worst.
	room := len(body) + len(body)/2 + utf8.UTFMax
	if cap(t.Text) < room {
		t.Text = make([]byte, room)
	}
	text := t.Text[:room]
	t.Hashes, t.Sorts, t.Lines = t.Hashes[:0], t.Sorts[:0], t.Lines[:0]

	n, start := 0, 0 // text[start:n] is the current word
	for i := 0; i < len(body); {
		for i < len(body) { // the common case: ASCII letters and digits
			c := fold[body[i]]
			if c == 0 {
				break
			}
			text[n] = c
			n++
			i++
		}
		if i == len(body) {
			break
		}
		if body[i] == ' ' {
			start, n = t.end(text, start, n)
			i++
			continue
		}
		if c := twoBytes(body[i:]); c != 0 {
			if low := lowerTwo[c]; low[0] != 0 {
				text[n], text[n+1] = low[0], low[1]
				n += 2
				i += 2
				continue
			}
		}

		r, size := rune(body[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = threeBytes(body[i:]), 3; r == 0 {
				r, size = utf8.DecodeRuneInString(body[i:])
			}
			if r >= 0x4E00 && r <= 0x9FFF { // Han, the most frequent unspaced script
				_, n = t.end(text, start, n)
				n += copy(text[n:], body[i:i+size])
				start = n
				t.Hashes = append(t.Hashes, splitmix.Mix(uint64(r)))
				t.Sorts = append(t.Sorts, Character)
				i += size
				continue
			}
		}
		switch kindOf(r) {
		case letter:
			n += utf8.EncodeRune(text[n:], unicode.ToLower(r))
		case wide:
			// Full-width ASCII: the narrow character takes its place.
			if c := fold[r-wideASCII]; c != 0 {
				text[n] = c
				n++
			} else {
				start, n = t.end(text, start, n)
			}
		case apostrophe, point:
			if !joins(r, text[start:n], body[i+size:]) {
				start, n = t.end(text, start, n)
			} else if r < utf8.RuneSelf && r != '\'' {
				text[n] = byte(r)
				n++
			}
		case invisible:
		case unspaced:
			_, n = t.end(text, start, n)
			n += utf8.EncodeRune(text[n:], r)
			start = n
			t.Hashes = append(t.Hashes, splitmix.Mix(uint64(r)))
			t.Sorts = append(t.Sorts, Character)
		case loose:
			if !composed {
				return false
			}
			n += utf8.EncodeRune(text[n:], r)
		default:
			start, n = t.end(text, start, n)
			if r == '\n' {
				t.Lines = append(t.Lines, len(t.Hashes))
			}
		}
		i += size
	}
	_, n = t.end(text, start, n)
	t.Text = text[:n]
	return true
}

// twoBytes decodes a character of two bytes, U+0080 to U+07FF; 0: the text starts with another character.
func twoBytes(s string) rune {
	if len(s) < 2 || s[0] < 0xC2 || s[0] > 0xDF || s[1]&0xC0 != 0x80 {
		return 0
	}
	return rune(s[0]&0x1F)<<6 | rune(s[1]&0x3F)
}

// threeBytes decodes a character of three bytes from U+1000 to U+CFFF, most of which are Chinese,
// Japanese or Korean; 0: the text starts with another character.
func threeBytes(s string) rune {
	if len(s) < 3 || s[0] < 0xE1 || s[0] > 0xEC || s[1]&0xC0 != 0x80 || s[2]&0xC0 != 0x80 {
		return 0
	}
	return rune(s[0]&0xF)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}

// end closes the current word, if there is one, and returns where the next one starts.
func (t *List) end(text []byte, start, n int) (int, int) {
	if n == start {
		return start, n
	}
	t.Hashes = append(t.Hashes, xxhash.Sum64(text[start:n]))
	t.Sorts = append(t.Sorts, sortOf(text[start:n]))
	text[n] = ' '
	return n + 1, n + 1
}

// sortOf returns the sort of a word.
func sortOf(w []byte) Sort {
	is := Number
	for _, c := range w {
		switch {
		case c == '.':
			is = Version
		case c != ',' && !IsDigit(rune(c)):
			return Word
		}
	}
	return is
}

// joins reports whether a mark between a word and what follows belongs to the
// word.
func joins(mark rune, word []byte, rest string) bool {
	if len(word) == 0 || rest == "" {
		return false
	}
	before, _ := utf8.DecodeLastRune(word)
	after, _ := utf8.DecodeRuneInString(rest)
	if kindOf(mark) == point {
		return IsDigit(before) && IsDigit(after)
	}
	return unicode.IsLetter(before) && unicode.IsLetter(after)
}

// IsDigit reports whether r is an ASCII digit.
func IsDigit(r rune) bool { return '0' <= r && r <= '9' }

// A kind is what a character does to the current word.
type kind uint8

const (
	separator  kind = iota // ends it
	letter                 // continues it
	wide                   // does what its ASCII form does
	apostrophe             // may stand inside a word
	point                  // may stand inside a number
	invisible              // is passed over
	unspaced               // is a token of its own
	loose                  // is to be composed with its neighbours
)

// wideASCII is the distance of full-width forms (U+FF01 to U+FF5E) from ASCII.
const wideASCII = 0xFEE0

// kindOf returns what r does to a word. It does not know ASCII letters and digits, which fold has.
func kindOf(r rune) kind {
	switch {
	case r < 0x80:
		switch r {
		case '\'':
			return apostrophe
		case '.', ',':
			return point
		}
		return separator
	case r == 0x2019:
		return apostrophe
	case r == 0xAD, 0x200B <= r && r <= 0x200D, r == 0x2060, r == 0xFEFF:
		return invisible
	case 0x300 <= r && r <= 0x36F, 0x1100 <= r && r <= 0x11FF, r == 0x3099, r == 0x309A, 0xFF66 <= r && r <= 0xFFDC:
		return loose
	case 0xFF01 <= r && r <= 0xFF5E:
		return wide
	case r >= 0x0E00 && isUnspaced(r):
		return unspaced
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
		return letter
	}
	return separator
}

// IsCharacter reports whether r is a token of its own.
func IsCharacter(r rune) bool { return kindOf(r) == unspaced }

// isUnspaced reports whether r belongs to a script that is written without
// spaces, or, as Hangul, with spaces that writers set as they like.
func isUnspaced(r rune) bool {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, // Han
		0xAC00 <= r && r <= 0xD7A3,                             // Hangul
		0x3041 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA, // kana
		0x30FC <= r && r <= 0x30FF, 0x31F0 <= r && r <= 0x31FF, // kana, with its marks of length
		0x3105 <= r && r <= 0x312F,   // Bopomofo
		0x3005 <= r && r <= 0x3007,   // Han: iteration, closing and zero
		0xF900 <= r && r <= 0xFAFF,   // Han, compatibility
		0x20000 <= r && r <= 0x3FFFF: // Han, extensions
		return true
	case 0x0E00 <= r && r <= 0x0EFF, 0x1000 <= r && r <= 0x109F, 0x1780 <= r && r <= 0x17FF: // Thai and Lao, Burmese, Khmer
		return unicode.IsLetter(r) || unicode.IsMark(r)
	}
	return false
}

// fold maps an ASCII letter, digit or underscore to its lower case and all else
// to zero.
var fold = func() (t [256]byte) {
	for c := '0'; c <= '9'; c++ {
		t[c] = byte(c)
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = byte(c), byte(c)
	}
	t['_'] = '_'
	return t
}()

// lowerTwo maps a letter of two bytes (Latin with accents, Greek, Cyrillic, Hebrew, Arabic and others) to
// its lower case, if that has two bytes too, and all else to zero.
var lowerTwo = func() (t [0x800][2]byte) {
	for r := rune(0x80); r < 0x800; r++ {
		if low := unicode.ToLower(r); kindOf(r) == letter && utf8.RuneLen(low) == 2 {
			utf8.EncodeRune(t[r][:], low)
		}
	}
	return t
}()
