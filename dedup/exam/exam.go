package exam

import (
	"iter"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/methods"
)

// A Test is a collection and what is known of its pairs. Pairs have the smaller
// number first and occur once.
type Test struct {
	Docs   []methods.Document
	Copies []methods.Pair // the pairs that are copies, and how alike they are
	Asked  [][2]int       // the pairs that were judged; nil: every pair of Docs
}

// A Result is how a method did in a test.
type Result struct {
	Method      string  `json:"method"`
	Source      string  `json:"source"`
	Threshold   float64 `json:"threshold"`
	Scores      []Score `json:"scores"`           // the first is that of all pairs
	Best        Point   `json:"best"`             // the point of Curve with the best F1
	Grouped     Grouped `json:"grouped"`          // after union-find
	Crawled     Crawled `json:"crawled"`          // page by page; zero if only some pairs were judged
	DocsPerSec  float64 `json:"docs_per_second"`  // documents signed in a second of the process's processor time
	FindPerSec  float64 `json:"found_per_second"` // documents whose copies were looked for in such a second; 0 if only some pairs were judged
	BytesPerDoc float64 `json:"bytes_per_doc"`    // bytes of the signature
	Curve       []Point `json:"curve"`            // by falling threshold
}

// A Score counts the pairs of a split at the method's threshold.
type Score struct {
	Split     string   `json:"split"`
	Copies    int      `json:"copies"` // pairs that are copies
	Found     int      `json:"found"`
	Right     int      `json:"right"`     // copies among the pairs found
	Precision Interval `json:"precision"` // 0 if nothing was found
	Recall    Interval `json:"recall"`    // 0 if there are no copies
	F1        Interval `json:"f1"`
}

// A Point of a curve is the result for one threshold.
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Grouped is the precision and recall if copies of copies count as copies of each other.
type Grouped struct {
	Groups    int     `json:"groups"` // of two or more documents
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// Crawled is what a gate that uses the method decides for the documents, one after the other, when
// it compares each with those that it kept.
type Crawled struct {
	Discarded int `json:"discarded"`
	Wrong     int `json:"wrong"`  // of those, documents that are copies of no earlier one
	Alike     int `json:"alike"`  // documents with a kept earlier one that they resemble by 0.9 or more
	Missed    int `json:"missed"` // of those, documents that were not discarded
}

// alikeFrom is the resemblance from which a missed copy is counted.
const alikeFrom = 0.9

// splitNames are the kinds of pairs that are scored separately. In a Chinese pair both documents
// are Chinese; in a short pair at least one is short.
var splitNames = []string{"all", "same site", "other site", "chinese", "short"}

// An Exam is a test prepared for many methods.
type Exam struct {
	test   Test
	copies map[[2]int]bool
	traits []methods.Trait
}

// NewExam returns the exam of a test.
func NewExam(t Test) *Exam {
	e := &Exam{test: t, copies: make(map[[2]int]bool, len(t.Copies)), traits: make([]methods.Trait, len(t.Docs))}
	for _, p := range t.Copies {
		e.copies[[2]int{p.A, p.B}] = true
	}
	for i, d := range t.Docs {
		e.traits[i] = methods.TraitOf(d)
	}
	return e
}

// Run scores a method.
func (e *Exam) Run(m methods.Method) Result {
	r := Result{Method: m.Name(), Source: m.Source(), Threshold: m.Threshold()}
	n := float64(len(e.test.Docs))

	start := cputime.Used()
	sigs := m.Sign(e.test.Docs)
	r.DocsPerSec = perSecond(n, cputime.Used()-start)
	r.BytesPerDoc = float64(sigs.Size()) / max(1, n)
	if e.test.Asked == nil {
		start = cputime.Used()
		for range sigs.Pairs(m.Threshold()) {
		}
		r.FindPerSec = perSecond(n, cputime.Used()-start)
	}

	var sweep sweep
	var found []methods.Pair
	for p := range e.pairs(sigs, methods.SweepFrom(m.Threshold())) {
		sweep.add(p.Score, e.copies[[2]int{p.A, p.B}])
		if p.Score >= m.Threshold() {
			found = append(found, p)
		}
	}
	r.Curve = sweep.curve(len(e.test.Copies))
	for _, p := range r.Curve {
		if p.F1 > r.Best.F1 {
			r.Best = p
		}
	}
	r.Scores = e.scores(found)
	r.Grouped = e.grouped(found)
	if e.test.Asked == nil {
		r.Crawled = e.crawled(found)
	}
	return r
}

// perSecond returns a rate, or 0 if no processor time was measured: its clock may stand still for a
// short while, and JSON can't write an infinite rate.
func perSecond(n float64, took time.Duration) float64 {
	return n / max(took, time.Microsecond).Seconds()
}

// pairs yields the judged pairs that have a score of least or more.
func (e *Exam) pairs(sigs methods.Signatures, least float64) iter.Seq[methods.Pair] {
	if e.test.Asked == nil {
		return sigs.Pairs(least)
	}
	return func(yield func(methods.Pair) bool) {
		for _, p := range e.test.Asked {
			if s := sigs.Score(p[0], p[1]); s >= least && !yield(methods.Pair{A: p[0], B: p[1], Score: s}) {
				return
			}
		}
	}
}

// scores returns the scores of the pairs that were found, by split.
func (e *Exam) scores(found []methods.Pair) []Score {
	units := len(e.test.Docs)
	unitsOf := func(p [2]int) [2]int { return p }
	if e.test.Asked != nil {
		units = len(e.test.Asked)
		at := make(map[[2]int]int, units)
		for i, p := range e.test.Asked {
			at[p] = i
		}
		unitsOf = func(p [2]int) [2]int { return [2]int{at[p], -1} }
	}
	var list []judged
	met := make(map[[2]int]bool, len(e.copies))
	for _, p := range found {
		pair := [2]int{p.A, p.B}
		met[pair] = e.copies[pair]
		list = append(list, judged{unitsOf(pair), e.copies[pair], true, e.splits(pair)})
	}
	for _, p := range e.test.Copies {
		if pair := [2]int{p.A, p.B}; !met[pair] {
			list = append(list, judged{unitsOf(pair), true, false, e.splits(pair)})
		}
	}
	return scoresOf(list, units)
}

// splits returns the kinds that a pair belongs to, as bits in the order of splitNames.
func (e *Exam) splits(p [2]int) uint8 {
	a, b := e.traits[p[0]], e.traits[p[1]]
	bits := uint8(1)
	switch site, other := e.test.Docs[p[0]].Site, e.test.Docs[p[1]].Site; {
	case site == "" || other == "":
	case site == other:
		bits |= 1 << 1
	default:
		bits |= 1 << 2
	}
	if a.Chinese && b.Chinese {
		bits |= 1 << 3
	}
	if a.Short || b.Short {
		bits |= 1 << 4
	}
	return bits
}

// grouped scores the groups that the pairs make.
func (e *Exam) grouped(found []methods.Pair) Grouped {
	first := methods.Groups(len(e.test.Docs), func(yield func(methods.Pair) bool) {
		for _, p := range found {
			if !yield(p) {
				return
			}
		}
	})
	members := make(map[int]int)
	for _, f := range first {
		members[f]++
	}
	var g Grouped
	var c counts
	for _, n := range members {
		if n > 1 {
			g.Groups++
			c.found += float64(n) * float64(n-1) / 2
		}
	}
	if e.test.Asked != nil {
		c.found = 0
		for _, p := range e.test.Asked {
			if first[p[0]] == first[p[1]] {
				c.found++
			}
		}
	}
	for _, p := range e.test.Copies {
		c.copies++
		if first[p.A] == first[p.B] {
			c.right++
		}
	}
	g.Precision, g.Recall = c.precision().Value, c.recall().Value
	return g
}

// crawled plays a gate.
func (e *Exam) crawled(found []methods.Pair) Crawled {
	// The earlier documents of each, as found and as known.
	n := len(e.test.Docs)
	before, known := make([][]int, n), make([][]methods.Pair, n)
	for _, p := range found {
		before[p.B] = append(before[p.B], p.A)
	}
	for _, p := range e.test.Copies {
		known[p.B] = append(known[p.B], p)
	}
	var c Crawled
	kept := make([]bool, n)
	for i := range n {
		kept[i] = !slices.ContainsFunc(before[i], func(a int) bool { return kept[a] })
		if !kept[i] {
			c.Discarded++
			if len(known[i]) == 0 {
				c.Wrong++
			}
		}
		if slices.ContainsFunc(known[i], func(p methods.Pair) bool { return p.Score >= alikeFrom && kept[p.A] }) {
			c.Alike++
			if kept[i] {
				c.Missed++
			}
		}
	}
	return c
}
