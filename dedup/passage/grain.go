// Package passage compares two texts by their words: it finds what they share and what only one of
// them has, by paragraphs, sentences and runs of words (CompareByGrain), and the longest passages
// of either (Differ, Shared).
package passage

import (
	"strings"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

// A Grain is the size of the parts by which two texts are compared.
type Grain int

// The grains, from coarse to fine.
const (
	Paragraphs Grain = iota // lines of a body
	Sentences
	RunsOfWords
)

func (g Grain) String() string { return [...]string{"paragraph", "sentence", "words"}[g] }

// A Span is a part of a text that another text lacks, in bytes from its start. Its grain is the
// coarsest at which nothing of it is shared: a whole paragraph, a sentence of a paragraph of which
// other sentences are shared, or words of a sentence.
type Span struct {
	From, To int
	Grain    Grain
}

// A Side is one of two texts that were compared.
type Side struct {
	Words  int    // of the text; characters in scripts without spaces
	Shared int    // of these
	Only   []Span // what the other text lacks, in the order of the text

	// Compared is how many paragraphs, sentences and runs of words were looked up in the other
	// text. Only parts that were not found at a coarser grain are looked up at a finer one.
	Compared [3]int
}

// A Comparison is what two texts share and what only one of them has.
type Comparison struct{ Here, There Side }

// Shared is the share of the words of both texts that are in a part that both have, 0 to 1; for two
// empty texts 1.
func (c Comparison) Shared() float64 {
	if c.Here.Words+c.There.Words == 0 {
		return 1
	}
	return float64(c.Here.Shared+c.There.Shared) / float64(c.Here.Words+c.There.Words)
}

// CompareByGrain compares two texts by paragraphs first; then those that the other text lacks by
// sentences; and the rest by words, which are shared if they are in a run of three that is in the
// rest of the other text too (the dynamic grain of Zhang Junlin's survey, 2006). A paragraph or
// sentence is shared wherever it is. It is compared by its words, without their case and the
// punctuation between them.
func CompareByGrain(here, there string) Comparison {
	a, b := token.CutPieces(here), token.CutPieces(there)
	x, y := comparePieces(a, b)
	return Comparison{x.side(), y.side()}
}

// endingBits is how many bits of a word in a text of GrainsOf say what ends before it.
const endingBits = 2

// GrainsOf returns a text in the form that SharedByGrain compares: 62 bits of each word's hash, and
// in the lowest two whether a sentence or a paragraph ends before the word.
func GrainsOf(text string) []uint64 {
	p := token.CutPieces(text)
	words := make([]uint64, len(p.Hashes))
	for i, end := range endings(p) {
		words[i] = p.Hashes[i]&^(1<<endingBits-1) | uint64(end)
	}
	return words
}

// SharedByGrain compares two texts of GrainsOf as CompareByGrain does, and returns which share
// of the words of each is shared; for a text without words 0.
func SharedByGrain(here, there []uint64) (ofHere, ofThere float64) {
	a, b := grainedOf(here), grainedOf(there)
	compareByGrain(a, b)
	return a.share(), b.share()
}

func grainedOf(words []uint64) *grained {
	p, ends := &token.Pieces{Hashes: make([]uint64, len(words))}, make([]ending, len(words))
	for i, w := range words {
		p.Hashes[i], ends[i] = w>>endingBits, ending(w&(1<<endingBits-1))
	}
	return newGrained(p, ends)
}

// GrainKeys calls visit with every key that a text of GrainsOf can share, and its range of words:
// each run of three words, and each paragraph or sentence that is shorter. A word that
// SharedByGrain finds to be shared is in one that both texts have.
func GrainKeys(words []uint64, visit func(key uint64, from, to int)) {
	g := grainedOf(words)
	for i := 0; i+token.RunPieces <= len(g.Hashes); i++ {
		visit(token.Chain(g.Hashes[i:i+token.RunPieces]), i, i+token.RunPieces)
	}
	for _, by := range []Grain{Paragraphs, Sentences} {
		for _, p := range g.parts(by) {
			if p[1]-p[0] < token.RunPieces {
				visit(token.Chain(g.Hashes[p[0]:p[1]]), p[0], p[1])
			}
		}
	}
}

// share is the share of a text's words that are shared.
func (g *grained) share() float64 {
	if len(g.shared) == 0 {
		return 0
	}
	return float64(g.countShared()) / float64(len(g.shared))
}

func (g *grained) countShared() (n int) {
	for _, shared := range g.shared {
		if shared {
			n++
		}
	}
	return n
}

// An ending is what ends before a word.
type ending uint8

const (
	nothingEnds ending = iota
	sentenceEnds
	paragraphEnds
)

// endings returns what ends before each piece of a text.
func endings(p *token.Pieces) []ending {
	ends := make([]ending, len(p.At))
	for i := 1; i < len(ends); i++ {
		switch between := p.Text[p.At[i-1][1]:p.At[i][0]]; {
		case between == "", between == " ":
		case strings.Contains(between, "\n"):
			ends[i] = paragraphEnds
		case strings.ContainsAny(between, "。！？；"), strings.Contains(between, ". "),
			strings.Contains(between, "! "), strings.Contains(between, "? "):
			ends[i] = sentenceEnds
		}
	}
	return ends
}

// grained is a text that is being compared: it has the ranges of pieces that the other text lacks,
// according to the last grain.
type grained struct {
	*token.Pieces
	ends     []ending // by piece: what ends before it
	left     [][2]int
	shared   []bool  // for each piece
	grain    []Grain // for each piece that is not shared
	compared [3]int
}

// comparePieces compares two texts by all grains.
func comparePieces(p, other *token.Pieces) (here, there *grained) {
	here, there = newGrained(p, endings(p)), newGrained(other, endings(other))
	compareByGrain(here, there)
	return here, there
}

func compareByGrain(here, there *grained) {
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
}

func newGrained(p *token.Pieces, ends []ending) *grained {
	n := len(p.Hashes)
	g := &grained{Pieces: p, ends: ends, shared: make([]bool, n)}
	if n > 0 {
		g.left = [][2]int{{0, n}}
	}
	return g
}

// parts cuts the rest into paragraphs or sentences.
func (g *grained) parts(by Grain) (list [][2]int) {
	for _, l := range g.left {
		from := l[0]
		for i := l[0] + 1; i < l[1]; i++ {
			if g.isEnd(i, by) {
				list = append(list, [2]int{from, i})
				from = i
			}
		}
		list = append(list, [2]int{from, l[1]})
	}
	g.compared[by] = len(list)
	return list
}

// isEnd reports whether a paragraph, or a sentence, ends before a piece.
func (g *grained) isEnd(i int, by Grain) bool {
	return g.ends[i] == paragraphEnds || by == Sentences && g.ends[i] == sentenceEnds
}

// hashesOf returns the hashes of parts, sorted.
func (g *grained) hashesOf(parts [][2]int) []uint64 {
	list := make([]uint64, len(parts))
	for i, p := range parts {
		list[i] = token.Chain(g.Hashes[p[0]:p[1]])
	}
	return hashset.Of(list)
}

// keepLeft keeps the parts that are not among those of the other text. Adjacent ones become one
// range.
func (g *grained) keepLeft(parts [][2]int, theirs []uint64) {
	g.left = g.left[:0:0]
	for _, p := range parts {
		if hashset.Has(theirs, token.Chain(g.Hashes[p[0]:p[1]])) {
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

// context extends a range by the adjacent pieces that a run that overlaps it may have.
func (g *grained) context(l [2]int) (from, to int) {
	return max(0, l[0]-token.RunPieces+1), min(len(g.Hashes), l[1]+token.RunPieces-1)
}

// runsLeft returns the hashes of the runs of words of the rest, sorted.
func (g *grained) runsLeft() (list []uint64) {
	for _, l := range g.left {
		from, to := g.context(l)
		n := min(token.RunPieces, to-from)
		for i := from; i+n <= to; i++ {
			list = append(list, token.Chain(g.Hashes[i:i+n]))
		}
	}
	g.compared[RunsOfWords] = len(list)
	return hashset.Of(list)
}

// A sieve is a Bloom filter that says of most hashes that they are not in a set, without a search.
type sieve [512]uint64

func sieveOf(hashes []uint64) *sieve {
	s := new(sieve)
	for _, h := range hashes {
		s[h>>6%uint64(len(s))] |= 1 << (h & 63)
	}
	return s
}

func (s *sieve) mayHave(h uint64) bool { return s[h>>6%uint64(len(s))]&(1<<(h&63)) != 0 }

// shareRuns marks the words of runs that are in the rest of the other text too as shared.
func (g *grained) shareRuns(theirs []uint64) {
	some := sieveOf(theirs) // most runs of two texts that are not copies are not shared
	for _, l := range g.left {
		from, to := g.context(l)
		n := min(token.RunPieces, to-from)
		for i := from; i+n <= to; i++ {
			if h := token.Chain(g.Hashes[i : i+n]); !some.mayHave(h) || !hashset.Has(theirs, h) {
				continue
			}
			for j := max(i, l[0]); j < min(i+n, l[1]); j++ {
				g.shared[j] = true
			}
		}
	}
}

// refine sets the grain at which unshared pieces differ: sentences of a paragraph of which
// something is shared, words of such a sentence.
func (g *grained) refine() {
	g.grain = make([]Grain, len(g.At))
	for _, by := range []Grain{Paragraphs, Sentences} {
		for from := 0; from < len(g.At); {
			to, some := from+1, g.shared[from]
			for ; to < len(g.At) && !g.isEnd(to, by); to++ {
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

// side sums up a text. Adjacent ranges of different grains are separate spans.
func (g *grained) side() Side {
	g.refine()
	s := Side{Words: len(g.At), Shared: g.countShared(), Compared: g.compared}
	for _, p := range g.spans() {
		for from := p[0]; from < p[1]; {
			to := from + 1
			for to < p[1] && g.grain[to] == g.grain[from] {
				to++
			}
			s.Only = append(s.Only, Span{int(g.At[from][0]), int(g.At[to-1][1]), g.grain[from]})
			from = to
		}
	}
	return s
}
