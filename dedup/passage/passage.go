package passage

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// A Passage is a run of words of one text that another text lacks, with some words on either side
// that both have.
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
func Differ(here, there string) Difference {
	a, b := comparePieces(token.CutPieces(here), token.CutPieces(there))
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
func size(p *token.Pieces, span [2]int) int {
	return int(p.At[span[1]-1][1] - p.At[span[0]][0])
}

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

// oneLine returns a passage on one line, cut if it is too long. It reads only what it returns.
func oneLine(s string) string {
	var line strings.Builder
	for word := range strings.FieldsSeq(s) {
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		if line.WriteString(word); line.Len() > maxPassage {
			break
		}
	}
	if s = line.String(); len(s) <= maxPassage {
		return s
	}
	n := maxPassage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// runInOne is how many consecutive words, or characters of a script without spaces, two texts have
// in common if they share more than terms and phrases.
const runInOne = 16

// A Text is a text whose words are cut when they are first needed, and once for all comparisons.
type Text struct {
	text   string
	pieces *token.Pieces // without Hashes; nil: not cut yet
	runs   []uint64      // of pieces, in their order
	set    hashset.Table // of runs; empty until another text is looked for in it
}

// Of returns a text that can be compared.
func Of(text string) *Text { return &Text{text: text} }

func (t *Text) String() string { return t.text }

func (t *Text) cut() {
	if t.pieces == nil {
		t.pieces = token.CutPieces(t.text)
		t.runs = t.pieces.TakeRuns()
	}
}

// asked returns the set of runs, which it makes once.
func (t *Text) asked() *hashset.Table {
	if t.set.IsZero() {
		t.set = hashset.TableOf(t.runs)
	}
	return &t.set
}

// Shared returns the longest passages of a text that the other text has too, in order, and the
// share of its words that are in passages of at least 16 words.
func Shared(here, there *Text) (list []Passage, inOne float64) {
	here.cut()
	there.cut()
	p, theirs := here.pieces, there.asked()
	shared := make([]bool, len(p.At))
	for i, r := range here.runs {
		if theirs.Has(r) {
			for j := i; j < min(i+token.RunPieces, len(shared)); j++ {
				shared[j] = true
			}
		}
	}
	var spans [][2]int // of pieces
	for i := 0; i < len(shared); i++ {
		from := i
		for i < len(shared) && shared[i] {
			i++
		}
		if i > from {
			spans = append(spans, [2]int{from, i})
		}
		if i-from >= runInOne {
			inOne += float64(i-from) / float64(len(shared))
		}
	}
	slices.SortStableFunc(spans, func(a, b [2]int) int { return cmp.Compare(size(p, b), size(p, a)) })
	spans = spans[:min(len(spans), maxPassages)]
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	for _, s := range spans {
		list = append(list, Passage{Text: oneLine(p.Text[p.At[s[0]][0]:p.At[s[1]-1][1]])})
	}
	return list, inOne
}
