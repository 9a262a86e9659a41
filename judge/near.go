package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// minima is how many are kept of each page: the 84 of Broder and others, which estimate the
// resemblance of two pages to .05 or so.
const minima = 84

// window is how many pages with the same minimum a page is compared with.
const window = 16

// near finds for kept pages the one before with which each has most in common. It is not
// the gate's way: no fingerprint, band or threshold of the gate has a part in it.
type near struct {
	urls     []string
	minima   []uint32 // of each page 84, one after the other
	shingles []uint64 // of one page
}

// add adds a page, and reports whether it has a word.
func (n *near) add(url, body string) bool {
	const words = 3
	n.shingles = n.shingles[:0]
	var last [words]uint64
	count := 0
	for w := range dedup.Words(body) {
		copy(last[:], last[1:])
		last[words-1] = xxhash.Sum64(w)
		if count++; count >= words {
			n.shingles = append(n.shingles, splitmix.Mix(last[0]*31*31+last[1]*31+last[2]))
		}
	}
	if count == 0 {
		return false
	}
	if count < words {
		n.shingles = append(n.shingles, splitmix.Mix(last[0]*31*31+last[1]*31+last[2]))
	}
	slices.Sort(n.shingles)
	n.shingles = slices.Compact(n.shingles)
	n.urls = append(n.urls, url)
	for i := range uint64(minima) {
		least := uint32(math.MaxUint32)
		factor, shift := splitmix.Mix(2*i+1)|1, splitmix.Mix(2*i+2)
		for _, s := range n.shingles {
			least = min(least, uint32((s*factor+shift)>>32))
		}
		n.minima = append(n.minima, least)
	}
	return true
}

// A neighbour is a page by its number, and which share of the minima is equal.
type neighbour struct {
	of    int
	alike float64
}

// nearest returns for each page the one before it that is most like it; alike is 0 where
// none has a minimum in common with it.
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
