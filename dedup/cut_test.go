package dedup

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// drawnBlocks returns blocks of drawn words, marks and characters, some of which must be composed.
func drawnBlocks(r *rand.Rand, loose bool) []purify.Block {
	parts := []string{"word", "Don't", "rock ’n", "’", "3.11", "1,200.", ",", "价格", "。", "ａｂ", "x\ny", "\n", "_", "'tis", "Ⱥ", "\u00ad"}
	if loose {
		parts = append(parts, "e\u0301", "ｶﾞ")
	}
	blocks := make([]purify.Block, 1+r.IntN(12))
	for i := range blocks {
		var text strings.Builder
		for range r.IntN(9) {
			text.WriteString(parts[r.IntN(len(parts))])
			if r.IntN(3) > 0 {
				text.WriteByte(' ')
			}
		}
		blocks[i] = purify.Block{Text: text.String(), Print: purify.Print(i), Chosen: r.IntN(3) > 0, Linked: r.IntN(3) == 0, Prose: r.IntN(2) == 0}
	}
	return blocks
}

// What blocks were cut into one by one is what their text is cut into.
func TestABodyIsCutAsItsBlocksWere(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for round := range 3000 {
		text := TextOf(&purify.DocView{Title: "A word", Layout: 1, Template: 1, Blocks: drawnBlocks(r, round%5 == 0)})
		for _, t1 := range []*Text{&text, text.chosen(), text.other()} {
			if t1 == nil {
				continue
			}
			var got, want tokens
			composed := want.read(t1.Body)
			if t1.readBody(&got) != composed || !slices.Equal(got.hashes, want.hashes) || !slices.Equal(got.sorts, want.sorts) ||
				!slices.Equal(got.lines, want.lines) || string(got.text) != string(want.text) {
				t.Fatalf("%q: cut by its blocks %+v\nwant %+v", t1.Body, got, want)
			}
		}
	}
}

// A kept page's text is asked by many at once for other choices of its blocks.
func TestATextIsAskedByManyForOtherChoicesOfItsBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	kept := TextOf(&purify.DocView{URL: "https://a.example/1", Layout: 1, Blocks: drawnBlocks(r, false)})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 50 {
				kept.other()
				whole := kept
				whole.Bare = false
				whole.own()
				var want tokens
				want.read(whole.Body)
				if got := whole.Sign(); got.Tokens != uint32(len(want.hashes)) {
					t.Errorf("%d tokens, want %d", got.Tokens, len(want.hashes))
				}
			}
		})
	}
	others.Wait()
}

func TestHashesAreSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, n := range []int{0, 1, 127, 128, 1000, 5000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 0xff << 56, 0xf << 60, 0} {
			got := make([]uint64, n)
			for i := range got {
				got[i] = r.Uint64() & mask
			}
			want := slices.Clone(got)
			slices.Sort(want)
			if sortHashes(got); !slices.Equal(got, want) {
				t.Errorf("%d hashes of the bits %x are not sorted", n, mask)
			}
		}
	}
}

func BenchmarkSort1000Hashes(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 9))
	from := make([]uint64, 1000)
	for i := range from {
		from[i] = r.Uint64()
	}
	room := make([]uint64, len(from))
	for _, by := range []struct {
		name string
		sort func([]uint64)
	}{{"FirstBits", sortHashes}, {"Compared", slices.Sort[[]uint64]}} {
		b.Run(by.name, func(b *testing.B) {
			for b.Loop() {
				copy(room, from)
				by.sort(room)
			}
		})
	}
}
