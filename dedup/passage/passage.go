package passage

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

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
	set    runSet        // of runs; empty until another text is looked for in it
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
func (t *Text) asked() *runSet {
	if t.set.slots == nil {
		t.set = setOf(t.runs)
	}
	return &t.set
}

// A runSet is a set of hashes with open addressing, at most half full: all runs of a
// text are looked up in it for each comparison.
type runSet struct {
	slots []uint64 // 0: free
	shift int      // of a hash to its slot
	zero  bool     // the set has the hash 0
}

func setOf(runs []uint64) runSet {
	s := runSet{shift: 63 - bits.Len(uint(len(runs)))}
	s.slots = make([]uint64, 1<<(64-s.shift))
	for _, r := range runs {
		if r == 0 {
			s.zero = true
			continue
		}
		s.slots[s.find(r)] = r
	}
	return s
}

// find returns the slot of a hash, or the free slot where it would be.
func (s *runSet) find(r uint64) int {
	i := int(r * 0x9E3779B97F4A7C15 >> s.shift)
	for s.slots[i] != 0 && s.slots[i] != r {
		i = (i + 1) & (len(s.slots) - 1)
	}
	return i
}

func (s *runSet) has(r uint64) bool {
	if r == 0 {
		return s.zero
	}
	return s.slots[s.find(r)] == r
}

// Shared returns the longest passages of a text that the other text has too, in order, and the
// share of its words that are in passages of at least 16 words.
func Shared(here, there *Text) (list []Passage, inOne float64) {
	here.cut()
	there.cut()
	p, theirs := here.pieces, there.asked()
	shared := make([]bool, len(p.At))
	for i, r := range here.runs {
		if theirs.has(r) {
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
