package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

func byAll(a, b hit) int {
	if a.doc != b.doc {
		return int(a.doc) - int(b.doc)
	}
	return a.d - b.d
}

func TestEveryDesignFindsWhatAScanFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const n, asked = 1500, 40
	for _, design := range Designs() {
		for _, kind := range kinds {
			for k := range MaxDistance + 1 {
				t.Run(fmt.Sprintf("%s/%s/k=%d", design, kind.name, k), func(t *testing.T) {
					r := rand.New(rand.NewPCG(seed, uint64(k)))
					x, err := NewIndex(design, k)
					if err != nil {
						t.Fatal(err)
					}
					all := new(scan)
					for i := range n {
						fp := kind.next(r, i)
						x.Insert(fp, DocID(i+1))
						all.Insert(fp, DocID(i+1))
					}
					if x.Len() != n {
						t.Fatalf("Len() = %d, want %d", x.Len(), n)
					}
					queries := make([]uint64, asked)
					for i := range queries {
						queries[i] = flip(r, all.fps[r.IntN(n)], r.IntN(k+2))
					}
					for _, at := range []int{-1, 0, k / 2, k, k + 1} {
						batch := make([][]hit, asked)
						x.NearBatch(queries, at, func(q int, doc DocID, fp uint64, d int) bool {
							batch[q] = append(batch[q], hit{doc, fp, d})
							return true
						})
						for i, q := range queries {
							want := near(all, q, at)
							slices.SortFunc(batch[i], byAll)
							if got := near(x, q, at); !slices.Equal(got, want) {
								t.Fatalf("Near(%#x, %d) = %d hits, want %d", q, at, len(got), len(want))
							}
							if !slices.Equal(batch[i], want) {
								t.Fatalf("NearBatch(%#x, %d) = %d hits, want %d", q, at, len(batch[i]), len(want))
							}
						}
					}
				})
			}
		}
	}
}

// Sizes at which each layout of a line is met, and lines are full.
func TestHalvesStayExactAsTheyGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rand.New(rand.NewPCG(2, 2))
	x := NewHalves()
	var fps []uint64
	for _, n := range []int{1000, 30_000, 400_000, 1_500_000} {
		for len(fps) < n {
			fp := r.Uint64()
			if len(fps)%3 == 0 && len(fps) > 0 {
				fp = flip(r, fps[r.IntN(len(fps))], r.IntN(5))
			}
			fps = append(fps, fp)
			if n < 400_000 {
				x.Insert(fp, DocID(len(fps)))
			}
		}
		if begin := x.Len(); begin < n { // the larger half in bulk
			docs := make([]DocID, n-begin)
			for i := range docs {
				docs[i] = DocID(begin + i + 1)
			}
			x.InsertAll(fps[begin:], docs)
		}
		all := &scan{fps: fps, docs: make([]DocID, len(fps))}
		for i := range all.docs {
			all.docs[i] = DocID(i + 1)
		}
		for k := range MaxDistance + 1 {
			for range 10 {
				q := flip(r, fps[r.IntN(n)], r.IntN(k+1))
				if got, want := near(x, q, k), near(all, q, k); !slices.Equal(got, want) {
					t.Fatalf("of %d Near(%#x, %d) = %v, want %v", n, q, k, got, want)
				}
			}
		}
	}
}

func TestSegmentsStayExactInEveryLayout(t *testing.T) {
	for _, m := range []int{1, 100, 1000, 20_000, 60_000, 400_000} {
		s := newSegment(m, 20, fullest)
		t.Run(fmt.Sprintf("slots=%d", s.slots), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(m)))
			var want, got []entry
			for i := range m {
				e := entry{r.Uint32() >> 8, r.Uint32(), DocID(i + 1)}
				if i%7 == 0 {
					e.x = 1<<keyBits - 1
				}
				s.insert(e.x, e.other, e.doc, false)
				want = append(want, e)
			}
			s.all(func(x, other uint32, doc DocID) bool { got = append(got, entry{x, other, doc}); return true })
			slices.SortFunc(got, func(a, b entry) int { return int(a.doc) - int(b.doc) })
			if !slices.Equal(got, want) {
				t.Fatalf("a segment of %d lines gives back other entries than it was given", s.m)
			}
			t.Logf("%d of %d spilt", s.spill.n, m)
		})
	}
}

func TestMixedKeysCanBeUnmixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		k, f := r.Uint32(), r.IntN(32)
		if got := unmixed(mixed(k)); got != k {
			t.Fatalf("unmixed(mixed(%#x)) = %#x", k, got)
		}
		if got, want := mixed(k)^flipped[f], mixed(k^1<<f); got != want {
			t.Fatalf("mixed(%#x)^flipped[%d] = %#x, want %#x", k, f, got, want)
		}
	}
}

// What was inserted before a query began is found whatever others insert
// meanwhile.
func TestHalvesBearReadersBesideWriters(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			x := NewHalves()
			const writers, each = 2, 4000
			var wg sync.WaitGroup
			for w := range writers {
				r := rand.New(rand.NewPCG(uint64(w), 1))
				wg.Go(func() {
					for i := range each {
						fp, doc := kind.next(r, i), DocID(1+w*each+i)
						x.Insert(fp, doc)
						if i%8 != 0 {
							continue
						}
						found := false
						x.Near(flip(r, fp, i/8%4), 3, func(got DocID, _ uint64, _ int) bool {
							found = found || got == doc
							return !found
						})
						if !found {
							t.Errorf("document %d is not found after its Insert", doc)
							return
						}
					}
				})
			}
			wg.Wait()
			if x.Len() != writers*each {
				t.Errorf("Len() = %d, want %d", x.Len(), writers*each)
			}
		})
	}
}
