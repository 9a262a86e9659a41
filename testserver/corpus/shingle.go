package corpus

import (
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/splitmix"
)

// shingleSize is the number of tokens in a shingle.
const shingleSize = 3

// eachToken calls f with a hash of every token: a run of letters and digits in
// lower case, or one Chinese character.
func eachToken[T string | []byte](s T, f func(uint64)) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, open := uint64(offset), false
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		}
		i += size
		han := false
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			h, open = (h^uint64(r))*prime, true
			continue
		case r < utf8.RuneSelf && !('A' <= r && r <= 'Z'):
		case firstIdeograph <= r && r <= lastIdeograph || r >= utf8.RuneSelf && unicode.Is(unicode.Han, r):
			han = true
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			h, open = (h^uint64(unicode.ToLower(r)))*prime, true
			continue
		}
		if open {
			f(h)
			h, open = offset, false
		}
		if han {
			f((uint64(offset) ^ uint64(r)) * prime)
		}
	}
	if open {
		f(h)
	}
}

// Nearly all Chinese characters of texts are in the block CJK Unified Ideographs: two comparisons
// in place of a search in the table of Han.
const firstIdeograph, lastIdeograph = 0x4e00, 0x9fff

// Tokens returns the number of tokens of a text.
func Tokens[T string | []byte](s T) int {
	n := 0
	eachToken(s, func(uint64) { n++ })
	return n
}

// Shingles returns the set of 3-shingles of a text, by 64-bit hashes: two of
// a million different shingles collide with a chance of 3 in 10^8. A text of
// fewer tokens is one shingle.
func Shingles(s string) map[uint64]struct{} {
	set := make(map[uint64]struct{}, len(s)/5)
	var last [shingleSize]uint64
	n := 0
	eachToken(s, func(t uint64) {
		last[n%shingleSize] = t
		n++
		if n >= shingleSize {
			set[splitmix.Finish(splitmix.Finish(splitmix.Finish(last[n%shingleSize])+last[(n+1)%shingleSize])+last[(n+2)%shingleSize])] = struct{}{}
		}
	})
	if 0 < n && n < shingleSize {
		set[splitmix.Finish(splitmix.Finish(last[0])+last[1])] = struct{}{}
	}
	return set
}

// Jaccard returns the size of the common part over that of the union; 1 for two
// empty sets.
func Jaccard(a, b map[uint64]struct{}) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	common := 0
	for s := range a {
		if _, ok := b[s]; ok {
			common++
		}
	}
	if union := len(a) + len(b) - common; union > 0 {
		return float64(common) / float64(union)
	}
	return 1
}
