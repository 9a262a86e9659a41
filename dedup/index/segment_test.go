package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
)

func TestSegmentsStayExactInEveryLayout(t *testing.T) {
	for _, m := range []int{1, 100, 1000, 20_000, 60_000, 400_000} {
		s := newSegment(m, 20, fullest)
		t.Run(fmt.Sprintf("slots=%d", s.slots), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(m)))
			var want, got []lanes.Entry
			for i := range m {
				e := lanes.Entry{X: r.Uint32() >> 8, Other: r.Uint32(), Doc: DocID(i + 1)}
				if i%7 == 0 {
					e.X = 1<<lanes.KeyBits - 1
				}
				s.insert(e.X, e.Other, e.Doc, false)
				want = append(want, e)
			}
			s.all(func(x, other uint32, doc DocID) bool {
				got = append(got, lanes.Entry{X: x, Other: other, Doc: doc})
				return true
			})
			slices.SortFunc(got, func(a, b lanes.Entry) int { return int(a.Doc) - int(b.Doc) })
			if !slices.Equal(got, want) {
				t.Fatalf("a segment of %d lines gives back other entries than it was given", s.m)
			}
			t.Logf("%d of %d spilt", s.spill.n, m)
		})
	}
}
