package index

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLowerBoundFindsWhatAScanFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		s := make([]uint32, r.IntN(60))
		for i := range s {
			s[i] = r.Uint32() >> r.IntN(32)
		}
		slices.Sort(s)
		x := r.Uint32() >> r.IntN(32)
		if len(s) > 0 && r.IntN(2) == 0 {
			x = s[r.IntN(len(s))]
		}
		want := 0
		for want < len(s) && s[want] < x {
			want++
		}
		if got := lowerBound(s, x); got != want {
			t.Fatalf("lowerBound(%v, %d) = %d, want %d", s, x, got, want)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte("gcgatel1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		mem := &memory{near: NewTables(3)}
		p := readLog(strings.NewReader(string(b)), 0, 1000, func(rows []byte) bool { return mem.enter(rows, 0, 6) })
		if p.complete > 1000 || p.end > int64(len(b)) {
			t.Fatalf("readLog = %+v of %d bytes", p, len(b))
		}
	})
}

// Rows may be anything once a checksum was right by chance.
func FuzzRows(f *testing.F) {
	f.Add(appendHeadRow(appendDocRow(nil, 7), BodyHeads, 9, 7))
	f.Add(appendNearRow(appendDocRow(nil, 7), 7, 0, Outline{}, make([]uint32, 2)))
	f.Fuzz(func(t *testing.T, b []byte) {
		mem := &memory{near: NewTables(0)}
		mem.enter(b, 0, 2)
	})
}
