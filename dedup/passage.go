package dedup

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
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
)

// Differ returns what a copy and its kept page do not share, as CompareByGrain finds it.
func Differ(here, there Text) Difference {
	a, b := comparePieces(token.CutPieces(here.Body), token.CutPieces(there.Body))
	return Difference{Here: a.longest(), There: b.longest()}
}

// longest returns the longest passages that are not shared, in their order.
func (g *grained) longest() []Passage {
	spans := g.spans()
	slices.SortStableFunc(spans, func(a, b [2]int) int { return cmp.Compare(size(g.Pieces, b), size(g.Pieces, a)) })
	spans = spans[:min(len(spans), maxPassages)]
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var list []Passage
	for _, s := range spans {
		list = append(list, passage(g.Pieces, s))
	}
	return list
}

// size is the length in bytes of a span of pieces.
func size(p *token.Pieces, span [2]int) int { return p.At[span[1]-1][1] - p.At[span[0]][0] }

func passage(p *token.Pieces, span [2]int) Passage {
	var before, after string
	if first := max(0, span[0]-contextPieces); first < span[0] {
		before = p.Text[p.At[first][0]:p.At[span[0]][0]]
	}
	if last := min(len(p.At), span[1]+contextPieces); last > span[1] {
		after = p.Text[p.At[span[1]-1][1]:p.At[last-1][1]]
	}
	return Passage{oneLine(before), oneLine(p.Text[p.At[span[0]][0]:p.At[span[1]-1][1]]), oneLine(after)}
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
