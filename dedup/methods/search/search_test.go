package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/methods"
)

// edited returns documents of words that nobody wrote, each with copies that have ever more
// edits, and some that say nothing.
func edited(n int) []methods.Document {
	r := rand.New(rand.NewPCG(11, 4))
	sentence := func() string {
		words := []string{"the"}
		for range 9 {
			words = append(words, fmt.Sprintf("w%d", r.IntN(700)))
		}
		return strings.Join(append(words, "is", "a", fmt.Sprint("v", r.IntN(700)), "on", "that."), " ")
	}
	var docs []methods.Document
	for i := range n {
		lines := make([]string, 6+r.IntN(20))
		for j := range lines {
			lines[j] = sentence()
		}
		for copied := range 4 {
			for range copied / 2 { // the first two are equal
				lines[r.IntN(len(lines))] = sentence()
			}
			docs = append(docs, methods.Document{URL: fmt.Sprintf("http://h%d.example/story-%d", copied, i), Body: strings.Join(lines, "\n")})
		}
	}
	for i := range docs {
		docs[i].Links = []string{docs[r.IntN(len(docs))].URL, docs[r.IntN(len(docs))].URL}
	}
	docs = append(docs, methods.Document{URL: "empty"}, methods.Document{URL: "none", Body: "..."})
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// find finds the pairs of documents, with buffers of so many rows.
func find(t *testing.T, m methods.Scalable, docs []methods.Document, rows int) (*Finder, []methods.Pair) {
	t.Helper()
	c := methods.NewCollection(m, nil)
	for pass := range c.Passes() {
		for _, d := range docs {
			c.Learn(pass, c.Lesson(pass, d))
		}
	}
	s := m.Scheme(c)
	f, err := newFinder(s, m.Threshold(), rows)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, d := range docs {
		if err := f.Add(s.Sketch(d)); err != nil {
			t.Fatal(err)
		}
	}
	var pairs []methods.Pair
	if err := f.Pairs(func(p Pair) error { pairs = append(pairs, p.Pair); return nil }); err != nil {
		t.Fatal(err)
	}
	return f, pairs
}

// TestPairsOnDiskAreThoseInMemory compares each method with its search in memory.
func TestPairsOnDiskAreThoseInMemory(t *testing.T) {
	docs := edited(12)
	for _, m := range methods.All(0.8) {
		m, ok := m.(methods.Scalable)
		if !ok {
			continue // the gate has an index of its own
		}
		t.Run(m.Name(), func(t *testing.T) {
			f, pairs := find(t, m, docs, 100)
			if !slices.IsSortedFunc(pairs, func(a, b methods.Pair) int { return a.B - b.B }) {
				t.Error("the pairs are not in the order of their later documents")
			}
			// Of equal sketches the first stands for all.
			firsts := func(p methods.Pair) methods.Pair {
				a, b := int(f.first[p.A]), int(f.first[p.B])
				return methods.Pair{A: min(a, b), B: max(a, b), Score: p.Score}
			}
			want := make(map[methods.Pair]bool)
			for p := range m.Sign(docs).Pairs(m.Threshold()) {
				if f.first[p.A] == f.first[p.B] {
					p = methods.Pair{A: int(f.first[p.B]), B: p.B, Score: p.Score}
					want[p] = p.A != p.B
				} else {
					want[firsts(p)] = true
				}
			}
			for _, p := range pairs {
				if !want[p] {
					t.Errorf("finds %v, which is none in memory, or finds it twice", p)
				}
				delete(want, p)
			}
			for p, is := range want {
				if is {
					t.Errorf("misses %v", p)
				}
			}
			if f.LeftOut > 0 {
				t.Errorf("%d pairs were left out", f.LeftOut)
			}
		})
	}
}

func TestBuffersDoNotMatter(t *testing.T) {
	docs := edited(30)
	m, err := methods.Parse("shingling", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	_, want := find(t, m.(methods.Scalable), docs, 1<<20)
	if len(want) == 0 {
		t.Fatal("no pairs")
	}
	for _, rows := range []int{50, 333} {
		if _, got := find(t, m.(methods.Scalable), docs, rows); !slices.Equal(got, want) {
			t.Errorf("with %d rows in memory: %d pairs, want %d", rows, len(got), len(want))
		}
	}
}

func TestAKeyOfManyIsNotAllPairs(t *testing.T) {
	const n = 3 * MaxGroup
	// One key for all, and every document is a copy of its neighbours alone.
	s := methods.Scheme{
		Keys:  func([]uint64, float64, func(uint64) int) []uint64 { return []uint64{7} },
		Score: func(a, b []uint64) float64 { return max(0, 1-float64(max(a[0], b[0])-min(a[0], b[0]))/2) },
	}
	f, err := newFinder(s, 0.5, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range n {
		if err := f.Add([]uint64{uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	if err := f.Pairs(func(Pair) error { found++; return nil }); err != nil {
		t.Fatal(err)
	}
	if found != n-1 {
		t.Errorf("%d pairs of neighbours, want %d", found, n-1)
	}
	if all := int64(n * (n - 1) / 2); f.Scored+f.LeftOut != all || f.Scored > n*MaxGroup {
		t.Errorf("%d pairs scored and %d left out of %d", f.Scored, f.LeftOut, all)
	}
}
