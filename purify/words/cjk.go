package words

import "unicode"

// IsCJK reports whether a rune is of a script that writes without spaces.
func IsCJK(r rune) bool {
	return r >= 0x2e80 && (r >= 0x4e00 && r <= 0x9fff || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7a3 ||
		!IsCJKPunctuation(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// IsIdeograph reports whether a rune is one of the commonest that cjk is true for.
func IsIdeograph(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }
