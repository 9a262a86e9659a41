// Package slug finds the words of a title that the end of a URL spells in ASCII: moenchengladbach
// is Mönchengladbach, and moskva is Москва. Where a URL translates a title, tokyo for 東京, it finds what the
// title has that another lacks.
package slug

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
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
	if len(text) > mostSaid || !BeyondASCII(text) || BeyondASCII(name) {
		return nil
	}
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !isWord(r) || r == '_' })
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		if BeyondASCII(word) && isSpelled(word, parts) {
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

// BeyondASCII reports whether a text has other characters than those of ASCII.
func BeyondASCII(s string) bool {
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

// Own returns the names that only the first of two titles has, in letters that the end of a URL in ASCII can't have: 東京 of
// 東京支社, where the other is 大阪支社. Where a script has no spaces, a name is a run of characters that the other
// lacks, and a word elsewhere. Neither counts if the other has one of the same sound: simplified and traditional
// characters have, as have most systems of spelling. Numerals of Han do not count, and there are no names if the titles are
// the same except for a part behind a sign such as a bar, which may be the name of the site.
func Own(title, other string) (names []string) {
	if max(len(title), len(other)) > mostSaid || !BeyondASCII(title) || haveSameParts(title, other) {
		return nil
	}
	theirs := make(map[string]bool)
	for unit := range units(other) {
		theirs[sound(unit)] = true
	}
	joined := false // the last unit was a character of the last name
	for unit := range units(title) {
		first, _ := utf8.DecodeRuneInString(unit)
		isName := unicode.IsLetter(first) && !unicode.Is(unicode.Latin, first) && !strings.ContainsRune(numerals, first) && !theirs[sound(unit)]
		switch isCharacter := token.IsCharacter(first); {
		case isName && joined && isCharacter:
			names[len(names)-1] += unit
		case isName:
			names, joined = append(names, unit), isCharacter
		default:
			joined = false
		}
	}
	return names
}

// numerals are those of Han, with which pages of a list may be counted.
const numerals = "〇零一二三四五六七八九十百千两兩"

// units yields the words of a text and, where a script has no spaces, its characters. Between two words it yields "".
func units(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			r, size := utf8.DecodeRuneInString(text)
			if isWord(r) && !token.IsCharacter(r) {
				if end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) || token.IsCharacter(r) }); end >= 0 {
					size = end
				} else {
					size = len(text)
				}
			}
			unit := text[:size]
			if text = text[size:]; !isWord(r) {
				unit = ""
			}
			if !yield(unit) {
				return
			}
		}
	}
}

// sound returns how a word or a character is spelled in ASCII, or the word itself if nothing is left.
func sound(word string) string {
	word = strings.ToLower(word)
	return cmp.Or(sounds.Replace(letters(unidecode.Unidecode(word))), word)
}

// haveSameParts reports whether all parts of one of two titles are in the other.
func haveSameParts(title, other string) bool {
	x, y := parts(title), parts(other)
	if len(x) > len(y) {
		x, y = y, x
	}
	return !slices.ContainsFunc(x, func(part string) bool { return !slices.Contains(y, part) })
}

// parts cuts a title at the signs behind which sites write their names.
func parts(title string) []string {
	list := strings.FieldsFunc(strings.ReplaceAll(title, " - ", "|"), func(r rune) bool { return strings.ContainsRune("|_–—·•»«｜", r) })
	for i, part := range list {
		list[i] = strings.TrimSpace(part)
	}
	return list
}
