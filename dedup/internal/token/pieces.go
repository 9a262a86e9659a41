package token

import (
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// RunPieces is how many consecutive words must be the same in two texts to count as shared.
const RunPieces = 3

// Pieces are the words of a text, and the characters in scripts without spaces, with their
// offsets.
type Pieces struct {
	Text   string
	At     [][2]int32 // start and end of each in Text, in bytes
	Hashes []uint64   // of the words in lower case
}

// CutPieces cuts a text as it is. Unlike List.Read it does not compose characters first.
func CutPieces(text string) *Pieces {
	n := len(text)/6 + 8 // words of five letters, and room for the growth of others
	p := &Pieces{Text: text, At: make([][2]int32, 0, n), Hashes: make([]uint64, 0, n)}
	start := -1
	end := func(i int) {
		if start >= 0 {
			word := withoutMarks(text[start:i])
			p.add(start, len(word), hashLower(word))
		}
		start = -1
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf { // most characters are
			switch {
			case fold[c] != 0:
				if start < 0 {
					start = i
				}
				for i++; i < len(text) && fold[text[i]] != 0; i++ {
				}
				continue
			case c != '\'' && c != '.' && c != ',': // apostrophe and dot are handled below
				end(i)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch k := kindOf(r); {
		case k == unspaced:
			end(i)
			p.add(i, size, xxhash.Sum64String(text[i:i+size])) // it has no case
		case k == letter:
			if start < 0 {
				start = i
			}
		case k == apostrophe || k == point || k == invisible:
		default:
			end(i)
		}
		i += size
	}
	end(len(text))
	return p
}

func (p *Pieces) add(at, length int, hash uint64) {
	p.At = append(p.At, [2]int32{int32(at), int32(at + length)})
	p.Hashes = append(p.Hashes, hash)
}

// withoutMarks returns a word without the marks at its end, which do not belong to it.
func withoutMarks(word string) string {
	for {
		switch last := len(word) - 1; {
		case word[last] == '.', word[last] == ',', word[last] == '\'':
			word = word[:last]
		case word[last] == "’"[2] && strings.HasSuffix(word, "’"):
			word = word[:len(word)-len("’")]
		default:
			return word
		}
	}
}

// hashLower hashes a word in lower case.
func hashLower(word string) uint64 {
	for i := range len(word) {
		if c := word[i]; fold[c] != c { // a capital, or not an ASCII letter, digit or underscore
			return hashFolded(word)
		}
	}
	return xxhash.Sum64String(word)
}

// hashFolded is hashLower for a word that may have to be changed.
func hashFolded(word string) uint64 {
	var low [32]byte
	if len(word) > len(low) {
		return xxhash.Sum64String(strings.ToLower(word))
	}
	for i := range len(word) {
		if low[i] = fold[word[i]]; low[i] == 0 {
			return xxhash.Sum64String(strings.ToLower(word))
		}
	}
	return xxhash.Sum64(low[:len(word)])
}

// TakeRuns returns the hash of each run of pieces. It uses the memory of Hashes for them.
func (p *Pieces) TakeRuns() []uint64 {
	list := p.Hashes
	p.Hashes = nil
	n := max(0, len(list)-RunPieces+1)
	for i := range n {
		list[i] = chainOfThree(list[i], list[i+1], list[i+2])
	}
	return list[:n]
}
