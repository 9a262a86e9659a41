// Package slug finds the words of a title that the end of a URL spells in ASCII: moenchengladbach
// is Mönchengladbach, and moskva is Москва.
package slug

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"
)

// german spells the letters for which German does not just drop the dots.
var german = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// sounds removes the differences between systems of romanization: khoroshij, horoshiy and xoroshii
// become the same.
var sounds = strings.NewReplacer("shch", "s", "sch", "s", "sh", "s", "ch", "c", "kh", "h", "zh", "z", "ts", "c", "tz", "c",
	"yu", "iu", "ju", "iu", "ya", "ia", "ja", "ia", "x", "h", "y", "i", "j", "i", "w", "v", "'", "", `"`, "")

// mostSaid is the longest text that is looked at, in bytes. A longer title is not spelled in a URL.
const mostSaid = 1 << 10

// Words returns the words of text with letters beyond ASCII that name, the end of a URL's path, spells in
// ASCII, or text as a whole if name spells that without its spaces: beijingtianqi is 北京天气. A word is a run
// of letters, marks and digits.
func Words(name, text string) []string {
	if len(text) > mostSaid || !beyondASCII(text) || beyondASCII(name) {
		return nil
	}
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !isWord(r) || r == '_' })
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		if beyondASCII(word) && isSpelled(word, parts) {
			words = append(words, word)
		}
	}
	if len(words) > 0 {
		return words
	}
	if whole := letters(unidecode.Unidecode(text)); whole != "" && whole == letters(name) {
		return []string{text}
	}
	return nil
}

func beyondASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// isSpelled reports whether one of parts spells a word. A word of which nothing is left is not
// spelled.
func isSpelled(word string, parts []string) bool {
	word = strings.ToLower(word)
	plain, umlauts := letters(unidecode.Unidecode(word)), letters(unidecode.Unidecode(german.Replace(word)))
	if plain == "" {
		return false
	}
	alphabet := strings.IndexFunc(word, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) >= 0
	return slices.ContainsFunc(parts, func(part string) bool {
		return part == plain || part == umlauts || alphabet && sounds.Replace(part) == sounds.Replace(plain)
	})
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
