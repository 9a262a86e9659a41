package dedup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// A Passage is words of one text that another has not, with some words on
// either side that both have.
type Passage struct {
	Before string `json:"before,omitempty"`
	Text   string `json:"text"`
	After  string `json:"after,omitempty"`
}

// A Difference is what two texts do not share: the longest passages of each, in
// their order.
type Difference struct {
	Here  []Passage `json:"here,omitempty"`  // in the copy only
	There []Passage `json:"there,omitempty"` // in the kept page only
}

// IsZero reports whether there is no difference.
func (d Difference) IsZero() bool { return len(d.Here) == 0 && len(d.There) == 0 }

const (
	maxPassages   = 3   // of each text
	maxPassage    = 160 // bytes
	contextPieces = 4   // on either side
	runPieces     = 3   // that two texts must share in a row to share them
)

// Differ returns what a copy and its kept page do not share, as CompareByGrain finds it.
func Differ(here, there Text) Difference {
	a, b := cutPieces(here.Body).comparedTo(cutPieces(there.Body))
	return Difference{Here: a.longest(), There: b.longest()}
}

// pieces are the words of a text, and the characters in scripts without spaces,
// with where they stand.
type pieces struct {
	text   string
	at     [][2]int
	hashes []uint64
}

func cutPieces(text string) *pieces {
	n := len(text)/6 + 8 // words of five letters, and room for the growth of others
	p := &pieces{text: text, at: make([][2]int, 0, n), hashes: make([]uint64, 0, n)}
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			word := text[begin:i]
			if fold[word[len(word)-1]] == 0 {
				word = strings.TrimRight(word, ".,'’") // a mark at the end is not the word's
			}
			p.at = append(p.at, [2]int{begin, begin + len(word)})
			p.hashes = append(p.hashes, hashLower(word))
		}
		begin = -1
	}
	for i, r := range text {
		if r < utf8.RuneSelf && fold[r] != 0 {
			if begin < 0 {
				begin = i
			}
			continue
		}
		switch k := kindOf(r); {
		case k == unspaced:
			end(i)
			begin = i
			end(i + utf8.RuneLen(r))
		case k == letter:
			if begin < 0 {
				begin = i
			}
		case k == apostrophe || k == point || k == invisible:
		default:
			end(i)
		}
	}
	end(len(text))
	return p
}

// hashLower hashes a word in lower case.
func hashLower(word string) uint64 {
	var low [32]byte
	if len(word) > len(low) {
		return xxhash.Sum64String(strings.ToLower(word))
	}
	for i := range len(word) {
		if low[i] = fold[word[i]]; low[i] == 0 { // no letter, digit or underscore of ASCII
			return xxhash.Sum64String(strings.ToLower(word))
		}
	}
	return xxhash.Sum64(low[:len(word)])
}

// longest returns the longest passages that are not shared, in their order.
func (g *grained) longest() []Passage {
	spans := g.spans()
	slices.SortStableFunc(spans, func(a, b [2]int) int { return cmp.Compare(g.size(b), g.size(a)) })
	spans = spans[:min(len(spans), maxPassages)]
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var list []Passage
	for _, s := range spans {
		list = append(list, g.passage(s))
	}
	return list
}

// size is the length in bytes of a span of pieces.
func (p *pieces) size(span [2]int) int { return p.at[span[1]-1][1] - p.at[span[0]][0] }

func (p *pieces) passage(span [2]int) Passage {
	var before, after string
	if first := max(0, span[0]-contextPieces); first < span[0] {
		before = p.text[p.at[first][0]:p.at[span[0]][0]]
	}
	if last := min(len(p.at), span[1]+contextPieces); last > span[1] {
		after = p.text[p.at[span[1]-1][1]:p.at[last-1][1]]
	}
	return Passage{oneLine(before), oneLine(p.text[p.at[span[0]][0]:p.at[span[1]-1][1]]), oneLine(after)}
}

// oneLine makes one line of a passage and cuts it where it is too long.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxPassage {
		return s
	}
	n := maxPassage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
