package methods

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"

	"gatecrawl.example/gatecrawl/splitmix"
)

// SpotSigs are chains of words that follow an article or the like. Prose is full of them,
// navigation and lists of links are not, so that the signature comes from the story and not
// from the page around it. Documents without such words have no spots and no copies.
type SpotSigs struct {
	Chain int     `option:"chain" range:"1,8" about:"words of a spot"`
	Least float64 `option:"threshold" range:"0.01,1" about:"weighted resemblance of copies"`
}

func (m SpotSigs) Name() string {
	if m.Chain == 2 {
		return "spotsigs"
	}
	return fmt.Sprintf("spotsigs-%d", m.Chain)
}

func (m SpotSigs) Source() string {
	return fmt.Sprintf("Theobald, Siddharth, Paepcke 2008; chains of %d", m.Chain)
}

func (m SpotSigs) Threshold() float64 { return m.Least }
func (SpotSigs) needs() need          { return needNothing }

// Antecedents start a spot, and with the other stop words are passed over inside one. The
// English ones are the paper's; the Chinese ones are the particles that its prose is full of. A
// spot of Chinese has twice as many characters as one of English has words, since most words
// are written with two.
var (
	antecedents = stopSet("a an the is 的 了 是 在 和")
	stopWords   = stopSet("a an the is are was were be been am and or but not of in on at to for from by with as it its this that these those he she they we you i " +
		"his her their our your has have had do does did will would can could may so if then than there which who what when " +
		"的 了 是 在 和 与 及 或 也 都 就 而 着 有 不 为 对 这 那 我 你 他 她 它 们 个 之")
)

func stopSet(list string) map[uint64]bool {
	set := make(map[uint64]bool)
	for _, t := range tokensOf(list) {
		set[t.hash] = true
	}
	return set
}

// Sign returns the spots of each document with their number.
func (m SpotSigs) Sign(docs []Document) Signatures { return sign(m, docs) }

// Scheme keeps the spots with their number, nine bytes each.
func (m SpotSigs) Scheme(*Collection) Scheme {
	s := multisetScheme(func(d Document) []uint64 { return multiset(tallied(m.spots(tokensOf(d.Body)))) }, 9)
	s.pairs = func(sketches [][]uint64, least float64) iter.Seq[Pair] { return newSpots(sketches).Pairs(least) }
	return s
}

// spots returns a hash of each chain. One that the text ends in is not a spot.
func (m SpotSigs) spots(tokens []token) []uint64 {
	var list []uint64
	for i, t := range tokens {
		if !antecedents[t.hash] {
			continue
		}
		h, left := t.hash, 2*m.Chain // half words
		for _, next := range tokens[i+1:] {
			if stopWords[next.hash] {
				continue
			}
			h = chain(h, next.hash)
			left--
			if !next.single {
				left--
			}
			if left <= 0 {
				list = append(list, splitmix.Mix(h))
				break
			}
		}
	}
	return list
}

// spots are the multisets of a collection.
type spots struct {
	sketches [][]uint64
	lists    [][]tally
	lengths  []int // with repetitions
}

func newSpots(sketches [][]uint64) *spots {
	s := &spots{sketches: sketches, lists: make([][]tally, len(sketches)), lengths: make([]int, len(sketches))}
	for i, sketch := range sketches {
		for ; len(sketch) > 0; sketch = sketch[2:] {
			s.lists[i] = append(s.lists[i], tally{sketch[0], int(sketch[1])})
		}
		s.lengths[i] = sizeOf(sketches[i])
	}
	return s
}

func (s *spots) Score(i, j int) float64 { return overlap(s.sketches[i], s.sketches[j]) }

// Pairs follows the paper's search. Documents are parted by length, so that a match is in the
// same part or the next one; each part has an inverted index of lists sorted by length; the
// rarest spots of a document are asked first. The spots that found nothing are a bound on what
// can still match, and end the search early.
func (s *spots) Pairs(least float64) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		rarest := s.rarestFirst()
		parts := s.partition(least)
		met := make([]int, len(s.lists))
		for p, part := range parts {
			for _, a := range part.docs {
				met[a] = a + 1
				for _, in := range parts[p:min(p+2, len(parts))] {
					if !s.match(a, rarest[a], in, least, met, yield) {
						return
					}
				}
			}
		}
	}
}

// match yields the matches of a in a part. Of two documents of one part the one
// with the smaller number asks.
func (s *spots) match(a int, rarest []tally, in part, least float64, met []int, yield func(Pair) bool) bool {
	missed := 0 // spots of a that a document does not have if it was not met yet
	for _, t := range rarest {
		left := float64(s.lengths[a] - missed)
		if left < least*float64(s.lengths[a])-ulps {
			break
		}
		posts := in.posts[t.term]
		// A longer document has a longer union: the list ends for a where what
		// is left is too little of it.
		end := sort.Search(len(posts), func(i int) bool { return left < least*float64(s.lengths[posts[i]])-ulps })
		for _, b := range posts[:end] {
			if met[b] == a+1 || in.holds(s.lengths[a]) && b < a {
				continue
			}
			met[b] = a + 1
			if score := s.Score(a, b); score >= least && !yield(Pair{min(a, b), max(a, b), score}) {
				return false
			}
		}
		missed += t.n
	}
	return true
}

func (s *spots) rarestFirst() [][]tally {
	df := make(map[uint64]int)
	for _, l := range s.lists {
		for _, t := range l {
			df[t.term]++
		}
	}
	ordered := make([][]tally, len(s.lists))
	for i, l := range s.lists {
		ordered[i] = slices.Clone(l)
		slices.SortFunc(ordered[i], func(a, b tally) int {
			return cmp.Or(cmp.Compare(df[a.term], df[b.term]), cmp.Compare(a.term, b.term))
		})
	}
	return ordered
}

// A part has the documents of one range of lengths.
type part struct {
	from, to int // lengths, to not included
	docs     []int
	posts    map[uint64][]int // spot to documents, the shortest first
}

func (p part) holds(length int) bool { return p.from <= length && length < p.to }

// partition cuts the lengths into ranges whose ends differ by a factor of least
// or a little more, so that a document can match no further than the next one.
func (s *spots) partition(least float64) []part {
	order := make([]int, len(s.lists))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.lengths[a], s.lengths[b]), cmp.Compare(a, b))
	})
	var parts []part
	from := 1
	for len(order) > 0 {
		p := part{from: from, to: int(float64(from)/least+ulps) + 1, posts: make(map[uint64][]int)}
		for len(order) > 0 && s.lengths[order[0]] < p.to {
			doc := order[0]
			order = order[1:]
			if s.lengths[doc] == 0 {
				continue
			}
			p.docs = append(p.docs, doc)
			for _, t := range s.lists[doc] {
				p.posts[t.term] = append(p.posts[t.term], doc)
			}
		}
		parts = append(parts, p)
		from = p.to
	}
	return parts
}
