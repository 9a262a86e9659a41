package dedup

import "strings"

// A Grain is the size of the parts by which two texts are compared.
type Grain int

// The grains, from coarse to fine.
const (
	Paragraphs Grain = iota // lines of a body
	Sentences
	RunsOfWords
)

func (g Grain) String() string { return [...]string{"paragraph", "sentence", "words"}[g] }

// A Span is a part of a text that another text has not, in bytes from its start. Its grain
// is the coarsest in which nothing of it is shared: a whole paragraph, or a sentence of a
// paragraph of which other sentences are shared, or words of a sentence.
type Span struct {
	From, To int
	Grain    Grain
}

// A Side is one of two texts that were compared.
type Side struct {
	Words  int    // of the text; characters in scripts without spaces
	Shared int    // of these
	Only   []Span // what the other text has not, in the order of the text

	// Compared is how many paragraphs, sentences and runs of words were looked up in the
	// other text: of the finer only those of parts that the coarser did not find.
	Compared [3]int
}

// A Comparison is what two texts share and what each has alone.
type Comparison struct{ Here, There Side }

// Shared is the share of the words of both texts that stand in a part which both have, 0
// to 1; of two empty texts 1.
func (c Comparison) Shared() float64 {
	if c.Here.Words+c.There.Words == 0 {
		return 1
	}
	return float64(c.Here.Shared+c.There.Shared) / float64(c.Here.Words+c.There.Words)
}

// CompareByGrain compares two texts by paragraphs first; then, of those that the other text
// has not, by sentences; and of what is left by words, which are shared where they stand in
// a run of three that is left of the other text too (the dynamic grain of Zhang Junlin's
// survey, 2006). A paragraph or sentence is shared wherever it stands, and counts by its
// words, whatever their case and the marks between them.
func CompareByGrain(here, there string) Comparison {
	a, b := cutPieces(here), cutPieces(there)
	x, y := a.comparedTo(b)
	return Comparison{x.side(), y.side()}
}

// grained is a text on the way through the grains: the ranges of pieces that the other text
// has not, as far as the last grain tells.
type grained struct {
	*pieces
	left     [][2]int
	shared   []bool  // by piece
	grain    []Grain // by piece, where it is not shared
	compared [3]int
}

// comparedTo compares two texts by all grains.
func (p *pieces) comparedTo(other *pieces) (here, there *grained) {
	here, there = newGrained(p), newGrained(other)
	for g := Paragraphs; g <= Sentences; g++ {
		a, b := here.parts(g), there.parts(g)
		if len(a) == 0 && len(b) == 0 {
			break
		}
		ofA, ofB := here.hashesOf(a), there.hashesOf(b)
		here.keepLeft(a, ofB)
		there.keepLeft(b, ofA)
	}
	a, b := here.runsLeft(), there.runsLeft()
	here.shareRuns(b)
	there.shareRuns(a)
	return here, there
}

func newGrained(p *pieces) *grained {
	g := &grained{pieces: p, shared: make([]bool, len(p.at)), grain: make([]Grain, len(p.at))}
	if len(p.at) > 0 {
		g.left = [][2]int{{0, len(p.at)}}
	}
	return g
}

// parts cuts what is left into paragraphs or sentences.
func (g *grained) parts(by Grain) (list [][2]int) {
	for _, l := range g.left {
		from := l[0]
		for i := l[0] + 1; i < l[1]; i++ {
			if g.ends(i, by) {
				list = append(list, [2]int{from, i})
				from = i
			}
		}
		list = append(list, [2]int{from, l[1]})
	}
	g.compared[by] = len(list)
	return list
}

// ends reports whether a paragraph, or a sentence, ends before a piece.
func (g *grained) ends(i int, by Grain) bool {
	between := g.text[g.at[i-1][1]:g.at[i][0]]
	if between == "" || between == " " {
		return false
	}
	if strings.Contains(between, "\n") {
		return true
	}
	return by == Sentences && (strings.ContainsAny(between, "。！？；") ||
		strings.Contains(between, ". ") || strings.Contains(between, "! ") || strings.Contains(between, "? "))
}

// hashesOf returns the hashes of parts, sorted.
func (g *grained) hashesOf(parts [][2]int) []uint64 {
	list := make([]uint64, len(parts))
	for i, p := range parts {
		list[i] = chain(g.hashes[p[0]:p[1]])
	}
	return set(list)
}

// keepLeft leaves the parts that are not among those of the other text. What is left of
// neighbours is one range.
func (g *grained) keepLeft(parts [][2]int, theirs []uint64) {
	g.left = g.left[:0:0]
	for _, p := range parts {
		if has(theirs, chain(g.hashes[p[0]:p[1]])) {
			for i := p[0]; i < p[1]; i++ {
				g.shared[i] = true
			}
			continue
		}
		if n := len(g.left); n > 0 && g.left[n-1][1] == p[0] {
			g.left[n-1][1] = p[1]
		} else {
			g.left = append(g.left, p)
		}
	}
}

// context returns a range with the pieces beside it that a run in it may begin or end with.
func (g *grained) context(l [2]int) (from, to int) {
	return max(0, l[0]-runPieces+1), min(len(g.at), l[1]+runPieces-1)
}

// runsLeft returns the hashes of the runs of words of what is left, sorted.
func (g *grained) runsLeft() (list []uint64) {
	for _, l := range g.left {
		from, to := g.context(l)
		n := min(runPieces, to-from)
		for i := from; i+n <= to; i++ {
			list = append(list, chain(g.hashes[i:i+n]))
		}
	}
	g.compared[RunsOfWords] = len(list)
	return set(list)
}

// shareRuns shares the words of runs that are left of the other text too.
func (g *grained) shareRuns(theirs []uint64) {
	for _, l := range g.left {
		from, to := g.context(l)
		n := min(runPieces, to-from)
		for i := from; i+n <= to; i++ {
			if !has(theirs, chain(g.hashes[i:i+n])) {
				continue
			}
			for j := max(i, l[0]); j < min(i+n, l[1]); j++ {
				g.shared[j] = true
			}
		}
	}
}

// refine says of pieces that are not shared in which grain they are not: of a paragraph of
// which something is shared they are sentences, of such a sentence words.
func (g *grained) refine() {
	for _, by := range []Grain{Paragraphs, Sentences} {
		for from := 0; from < len(g.at); {
			to, some := from+1, g.shared[from]
			for ; to < len(g.at) && !g.ends(to, by); to++ {
				some = some || g.shared[to]
			}
			for i := from; some && i < to; i++ {
				g.grain[i] = by + 1
			}
			from = to
		}
	}
}

// spans returns the ranges of pieces that are not shared, each of one grain.
func (g *grained) spans() (list [][2]int) {
	for i := 0; i < len(g.shared); i++ {
		if g.shared[i] {
			continue
		}
		from := i
		for i+1 < len(g.shared) && !g.shared[i+1] {
			i++
		}
		list = append(list, [2]int{from, i + 1})
	}
	return list
}

// side sums up a text. Neighbours of different grains are spans of their own.
func (g *grained) side() Side {
	g.refine()
	s := Side{Words: len(g.at), Compared: g.compared}
	for _, shared := range g.shared {
		if shared {
			s.Shared++
		}
	}
	for _, p := range g.spans() {
		for from := p[0]; from < p[1]; {
			to := from + 1
			for to < p[1] && g.grain[to] == g.grain[from] {
				to++
			}
			s.Only = append(s.Only, Span{g.at[from][0], g.at[to-1][1], g.grain[from]})
			from = to
		}
	}
	return s
}
