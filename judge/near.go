package judge

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/splitmix"
)

// minima is how many minima are kept of each page: 84 as in Broder and others, which
// estimates the resemblance of two pages with an error of some .05.
const minima = 84

// window is how many pages with the same minimum a page is compared with.
const window = 16

// near finds for each kept page the earlier one that it has most in common with. It is independent
// of the gate: it uses none of its fingerprints, bands or thresholds.
type near struct {
	urls   []string
	minima []uint32 // 84 of each page, one page after another
}

// batchSize is how many pages are read at a time, on all processors.
const batchSize = 256

// A batch is pages that are waiting to be read.
type batch struct {
	urls  []string
	views [][]byte // packed
}

func (b *batch) take(url string, view []byte) {
	b.urls, b.views = append(b.urls, url), append(b.views, bytes.Clone(view))
}

func (b *batch) full() bool { return len(b.urls) == batchSize }

// addTo adds the pages that have words, in their order, and returns how many have none.
func (b *batch) addTo(n *near) (bare int, err error) {
	found := make([][]uint32, len(b.urls)) // minima of each page
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for from := range workers {
		g.Go(func() error {
			var shingles []uint64
			for i := from; i < len(b.urls); i += workers {
				view, err := page.UnpackBrief(b.views[i])
				if err != nil {
					return fmt.Errorf("%s: %w", b.urls[i], err)
				}
				found[i], shingles = minimaOf(view.Body, shingles)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for i, least := range found {
		if least == nil {
			bare++
			continue
		}
		n.urls, n.minima = append(n.urls, b.urls[i]), append(n.minima, least...)
	}
	b.urls, b.views = b.urls[:0], b.views[:0]
	return bare, nil
}

// minimaOf returns the minima of a body, nil if it has no word, and the buffer for the next call.
func minimaOf(body string, shingles []uint64) ([]uint32, []uint64) {
	const words = 3
	shingles = shingles[:0]
	var last [words]uint64
	count := 0
	shingle := func() { shingles = append(shingles, splitmix.Mix(last[0]*31*31+last[1]*31+last[2])) }
	for w := range dedup.Words(body) {
		copy(last[:], last[1:])
		last[words-1] = xxhash.Sum64(w)
		if count++; count >= words {
			shingle()
		}
	}
	switch {
	case count == 0:
		return nil, shingles
	case count < words:
		shingle()
	}
	slices.Sort(shingles)
	shingles = slices.Compact(shingles)
	found := make([]uint32, minima)
	for i := range found {
		least := uint32(math.MaxUint32)
		factor, shift := splitmix.Mix(2*uint64(i)+1)|1, splitmix.Mix(2*uint64(i)+2)
		for _, s := range shingles {
			least = min(least, uint32((s*factor+shift)>>32))
		}
		found[i] = least
	}
	return found, shingles
}

// A neighbour is a page, by its number, and the share of equal minima.
type neighbour struct {
	of    int
	alike float64
}

// nearest returns for each page the most similar earlier one; alike is 0 if none has a minimum in
// common with it.
func (n *near) nearest() []neighbour {
	pages := len(n.urls)
	best := make([]neighbour, pages)
	order := make([]int, pages)
	for i := range minima {
		for p := range order {
			order[p] = p
		}
		key := func(p int) uint32 { return n.minima[p*minima+i] }
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b)) })
		for from := 0; from < pages; {
			to := from + 1
			for to < pages && key(order[to]) == key(order[from]) {
				to++
			}
			for j := from + 1; j < to; j++ {
				for k := max(from, j-window); k < j; k++ {
					if alike := n.alike(order[j], order[k]); alike > best[order[j]].alike {
						best[order[j]] = neighbour{order[k], alike}
					}
				}
			}
			from = to
		}
	}
	return best
}

// alike estimates the resemblance of two pages.
func (n *near) alike(a, b int) float64 {
	x, y, same := n.minima[a*minima:][:minima], n.minima[b*minima:][:minima], 0
	for i := range x {
		if x[i] == y[i] {
			same++
		}
	}
	return float64(same) / minima
}
