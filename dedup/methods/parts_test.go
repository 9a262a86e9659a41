package methods

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestGroupsAreNamedByTheirFirst(t *testing.T) {
	pairs := []Pair{{A: 3, B: 5}, {A: 1, B: 4}, {A: 4, B: 5}}
	for range 3 {
		if got, want := Groups(7, slices.Values(pairs)), []int{0, 1, 2, 1, 1, 1, 6}; !slices.Equal(got, want) {
			t.Errorf("Groups of %v = %v, want %v", pairs, got, want)
		}
		pairs = append(pairs[1:], pairs[0])
	}
}

func TestThinDoesNotDependOnOrder(t *testing.T) {
	docs := mixture()
	some := Thin(docs, 20)
	slices.Reverse(docs)
	again := Thin(docs, 20)
	slices.Reverse(again)
	for i := range some {
		if some[i].URL != again[i].URL {
			t.Fatalf("document %d is %s, in another order %s", i, some[i].URL, again[i].URL)
		}
	}
	if len(some) != 20 || len(Thin(docs, 1000)) != len(docs) {
		t.Errorf("%d and %d documents", len(some), len(Thin(docs, 1000)))
	}
}

func TestDistinctKeepsTheFirstOfEqualBodies(t *testing.T) {
	docs := []Document{{URL: "1", Body: "One, two."}, {URL: "2", Body: "one two"}, {URL: "3", Body: "two one"}}
	if got := Distinct(docs); len(got) != 2 || got[0].URL != "1" || got[1].URL != "3" {
		t.Errorf("Distinct = %+v, want 1 and 3", got)
	}
}

func FuzzChunksAreTheText(f *testing.F) {
	f.Add([]byte(strings.Repeat("a text of some length ", 100)))
	f.Add(bytes.Repeat([]byte{0}, 2000))
	f.Fuzz(func(t *testing.T, text []byte) {
		var all []byte
		last := 0
		for c := range eighth.cut(text) {
			if last > 0 && last < eighth.Min {
				t.Errorf("a chunk of %d bytes, and another after it", last)
			}
			if len(c) == 0 || len(c) > eighth.Max {
				t.Errorf("a chunk of %d bytes", len(c))
			}
			last = len(c)
			all = append(all, c...)
		}
		if !bytes.Equal(all, text) {
			t.Error("the chunks together are not the text")
		}
	})
}

func TestAnInsertionMovesChunksOnlyNearby(t *testing.T) {
	text := textOf(invented(1, 100, false)[0].Body)
	other := slices.Concat(text[:1000], []byte("something put in "), text[1000:])
	before := slices.Collect(eighth.cut(text))
	kept := 0
	for c := range eighth.cut(other) {
		if slices.ContainsFunc(before, func(b []byte) bool { return bytes.Equal(b, c) }) {
			kept++
		}
	}
	if kept < len(before)-4 {
		t.Errorf("%d of %d chunks are left", kept, len(before))
	}
}

func TestSpotsFollowArticlesAndPassOverStopWords(t *testing.T) {
	spots := func(chain int, s string) []uint64 { return set(SpotSigs{Chain: chain}.spots(tokensOf(s))) }
	for _, c := range []struct {
		chain int
		body  string
		want  int
	}{
		{2, "at the market of old towns", 1},
		{2, "links home imprint contact", 0},
		{2, "the end", 0}, // a chain that the text ends in
		{3, "the market towns", 0},
		{2, "老人的早点铺子", 1},
	} {
		if got := spots(c.chain, c.body); len(got) != c.want {
			t.Errorf("%q has %d spots, want %d", c.body, len(got), c.want)
		}
	}
	if a, b := spots(2, "the market of old"), spots(2, "the market old"); !slices.Equal(a, b) {
		t.Errorf("a stop word inside a chain changes the spot: %x, %x", a, b)
	}
}

func BenchmarkSign1000Docs500Words(b *testing.B) {
	docs := invented(1000, 50, false)
	for _, m := range All(0.8) {
		b.Run(m.Name(), func(b *testing.B) {
			size := 0
			for b.Loop() {
				size = m.Sign(docs).Size()
			}
			b.ReportMetric(float64(len(docs))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
			b.ReportMetric(float64(size)/float64(len(docs)), "B/doc")
		})
	}
}
