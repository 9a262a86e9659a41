package methods

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/splitmix"
)

// A Scheme is a method ready to sign the documents of a collection, one at a time and in
// any number: a sketch is words of 64 bits, and copies are found by the keys that their
// sketches have in common. Its functions may be called from many goroutines, but Arrive.
type Scheme struct {
	// Sketch returns what is kept of a document. nil: it is like no other.
	Sketch func(d Document) []uint64

	// Keys returns keys of a sketch. Two sketches with a score of least or more have one in
	// common. held tells how many documents have one of the sketch's Parts; it is nil for a
	// scheme that has none.
	Keys func(sketch []uint64, least float64, held func(part uint64) int) []uint64

	// Score is how alike two documents are, 0 to 1, whatever their order.
	Score func(a, b []uint64) float64

	// Bytes is the size of a sketch in bytes if it is stored packed.
	Bytes func(sketch []uint64) int

	// Parts returns the parts of a sketch that are counted over all documents; nil: none are.
	Parts func(sketch []uint64) []uint64

	// Trim returns a sketch without what too many documents have; nil: all of it counts.
	Trim func(sketch []uint64, held func(part uint64) int) []uint64

	// Arrive is called with each sketch in the order of the documents, and returns the
	// one that is kept; nil: they do not depend on an order.
	Arrive func(sketch []uint64) []uint64

	// pairs is a search in memory that is published with the method; nil: by keys.
	pairs func(sketches [][]uint64, least float64) iter.Seq[Pair]
}

// Scalable is a method that signs a document at a time, so that the size of a collection
// is bounded by the disk alone. The gate is not one: a crawl has it.
type Scalable interface {
	Method

	// Scheme returns the method with what was learned of a collection.
	Scheme(c *Collection) Scheme

	// needs is what the method learns.
	needs() need
}

// signed are the sketches of a collection in memory.
type signed struct {
	Scheme
	sketches [][]uint64
	held     func(part uint64) int
}

// sign signs a collection in memory.
func sign(m Scalable, docs []Document) Signatures {
	c := NewCollection(m, nil)
	for pass := range c.Passes() {
		for _, d := range docs {
			c.Learn(pass, c.Lesson(pass, d))
		}
	}
	s := &signed{Scheme: m.Scheme(c), sketches: make([][]uint64, len(docs))}
	for i, d := range docs {
		s.sketches[i] = s.Sketch(d)
		if s.Arrive != nil && s.sketches[i] != nil {
			s.sketches[i] = s.Arrive(s.sketches[i])
		}
	}
	s.count()
	if s.Trim != nil {
		for i, sketch := range s.sketches {
			if sketch != nil {
				s.sketches[i] = s.Trim(sketch, s.held)
			}
		}
		s.count()
	}
	return s
}

// count counts the parts of all sketches.
func (s *signed) count() {
	if s.Parts == nil {
		return
	}
	held := make(map[uint64]int)
	for _, sketch := range s.sketches {
		if sketch == nil {
			continue
		}
		for _, p := range s.Parts(sketch) {
			held[p]++
		}
	}
	s.held = func(part uint64) int { return held[part] }
}

func (s *signed) Size() int {
	n := 0
	for _, sketch := range s.sketches {
		if sketch != nil {
			n += s.Bytes(sketch)
		}
	}
	return n
}

func (s *signed) Score(a, b int) float64 {
	if s.sketches[a] == nil || s.sketches[b] == nil {
		return 0
	}
	return s.Scheme.Score(s.sketches[a], s.sketches[b])
}

func (s *signed) Pairs(least float64) iter.Seq[Pair] {
	if s.pairs != nil {
		return s.pairs(s.sketches, least)
	}
	return func(yield func(Pair) bool) {
		keys := make([][]uint64, len(s.sketches))
		for i, sketch := range s.sketches {
			if sketch != nil {
				keys[i] = set(s.Keys(sketch, least, s.held))
			}
		}
		scored(sharing(keys), least, s.Score)(yield)
	}
}

// words64 is the size of a sketch whose words are stored as they are.
func words64(sketch []uint64) int { return 8 * len(sketch) }

// whole is a sketch that is its own parts.
func whole(sketch []uint64) []uint64 { return sketch }

// setScheme compares sorted sets by a score that is least or more only where their
// resemblance is the one that atLeast returns, or more.
func setScheme(sketch func(d Document) []uint64, atLeast func(least float64) float64, score func(a, b []uint64) float64) Scheme {
	return Scheme{
		Sketch: sketch, Score: score, Bytes: words64, Parts: whole,
		Keys: func(s []uint64, least float64, held func(uint64) int) []uint64 {
			return rarest(s, atLeast(least), held)
		},
	}
}

// jaccardScheme compares sorted sets by their resemblance.
func jaccardScheme(sketch func(d Document) []uint64) Scheme {
	return setScheme(sketch, func(least float64) float64 { return least }, hashset.Jaccard[uint64])
}

// sharesScheme compares sorted sets by the share of the larger that is in both: a share
// of x is at the least a resemblance of x / (2 - x).
func sharesScheme(sketch func(d Document) []uint64) Scheme {
	return setScheme(sketch, func(least float64) float64 { return least / (2 - least) }, func(a, b []uint64) float64 {
		return float64(hashset.Common(a, b)) / float64(max(len(a), len(b)))
	})
}

// rarest returns those keys of a set that the fewest hold, all but as many as two sets of
// a resemblance of least must share, and one more. Two such sets have one of these in
// common (Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007).
func rarest(set []uint64, least float64, held func(uint64) int) []uint64 {
	ordered := byRarity(set, held)
	return ordered[:len(ordered)-int(math.Ceil(least*float64(len(ordered))-ulps))+min(1, len(ordered))]
}

// byRarity returns keys in the order of how many hold them.
func byRarity(keys []uint64, held func(uint64) int) []uint64 {
	type counted struct {
		key uint64
		n   int
	}
	list := make([]counted, len(keys))
	for i, k := range keys {
		list[i] = counted{k, held(k)}
	}
	slices.SortFunc(list, func(a, b counted) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.key, b.key)) })
	ordered := make([]uint64, len(keys))
	for i, c := range list {
		ordered[i] = c.key
	}
	return ordered
}

// equalScheme compares n values of 8 bytes a document by how many are equal. A zero is a value that
// a document does not have, and equals nothing.
func equalScheme(n int, values func(d Document) []uint64) Scheme {
	return Scheme{
		Sketch: func(d Document) []uint64 {
			v := values(d)
			if !slices.ContainsFunc(v, func(x uint64) bool { return x != 0 }) {
				return nil
			}
			return v
		},
		Keys: func(v []uint64, least float64, _ func(uint64) int) []uint64 { return placeKeys(v, least) },
		Score: func(a, b []uint64) float64 {
			equal := 0
			for i, x := range a {
				if x != 0 && x == b[i] {
					equal++
				}
			}
			return float64(equal) / float64(n)
		},
		Bytes: func(v []uint64) int {
			size := 0
			for _, x := range v {
				if x != 0 {
					size += 8
				}
			}
			return size
		},
	}
}

// placeKeys names values with their places. Where two of a few must be equal each pair of
// values is a key, and one look-up finds what a count would; where many must, the first
// ones suffice, since not all of them can differ.
func placeKeys(v []uint64, least float64) []uint64 {
	n := len(v)
	need := max(1, int(math.Ceil(least*float64(n)-ulps)))
	var keys []uint64
	if need == 2 && n <= 8 {
		for b, y := range v {
			for a, x := range v[:b] {
				if x != 0 && y != 0 {
					keys = append(keys, splitmix.Mix(chain(chain(uint64(a*n+b), x), y)))
				}
			}
		}
		return keys
	}
	for place, x := range v[:n-need+1] {
		if x != 0 {
			keys = append(keys, splitmix.Mix(chain(uint64(place), x)))
		}
	}
	return keys
}

// A multiset as a sketch: terms, sorted, each with its number behind it.

// multiset returns the sketch of tallies.
func multiset(list []tally) []uint64 {
	var s []uint64
	for _, t := range list {
		s = append(s, t.term, uint64(t.n))
	}
	return s
}

// termsIn returns the terms of a multiset.
func termsIn(s []uint64) []uint64 {
	terms := make([]uint64, len(s)/2)
	for i := range terms {
		terms[i] = s[2*i]
	}
	return terms
}

// overlap returns the resemblance of two multisets: the smaller numbers of what both have
// over the larger ones.
func overlap(a, b []uint64) float64 {
	all := sizeOf(a) + sizeOf(b)
	both := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[2:]
		case a[0] > b[0]:
			b = b[2:]
		default:
			both += int(min(a[1], b[1]))
			a, b = a[2:], b[2:]
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(all-both)
}

// sizeOf is the number of elements of a multiset, with repetitions.
func sizeOf(s []uint64) int {
	n := 0
	for i := 1; i < len(s); i += 2 {
		n += int(s[i])
	}
	return n
}

// rarestOf is rarest for multisets.
func rarestOf(s []uint64, least float64, held func(uint64) int) []uint64 {
	numbers := make(map[uint64]int, len(s)/2)
	for i := 0; i < len(s); i += 2 {
		numbers[s[i]] = int(s[i+1])
	}
	size := sizeOf(s)
	ordered := byRarity(termsIn(s), held)
	missed := 0
	for i, t := range ordered {
		if float64(size-missed) < least*float64(size)-ulps {
			return ordered[:i]
		}
		missed += numbers[t]
	}
	return ordered
}

// multisetScheme compares multisets.
func multisetScheme(sketch func(d Document) []uint64, bytes int) Scheme {
	return Scheme{
		Sketch: sketch, Score: overlap, Parts: termsIn, Keys: rarestOf,
		Bytes: func(s []uint64) int { return bytes * len(s) / 2 },
	}
}
