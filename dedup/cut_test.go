package dedup

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
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
			var got, want token.List
			composed := want.Read(t1.Body)
			if t1.readBody(&got) != composed || !slices.Equal(got.Hashes, want.Hashes) || !slices.Equal(got.Sorts, want.Sorts) ||
				!slices.Equal(got.Lines, want.Lines) || string(got.Text) != string(want.Text) {
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
				whole.joinCompared()
				var want token.List
				want.Read(whole.Body)
				if got := whole.Sign(); got.Tokens != uint32(len(want.Hashes)) {
					t.Errorf("%d tokens, want %d", got.Tokens, len(want.Hashes))
				}
			}
		})
	}
	others.Wait()
}
