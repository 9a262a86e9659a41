package main

import (
	"cmp"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// gramLength is the number of tokens in the runs by which a block is found in the known body.
// Shorter blocks are looked for as a whole line.
const gramLength = 3

// maxPlaces is how many places of a run are tried: a run that occurs more often identifies nothing.
const maxPlaces = 12

// An original is a page's known body, indexed to find blocks in it.
type original struct {
	words   []string
	grams   map[string][]int32 // starts of each run of gramLength tokens
	lines   map[string][]int32 // starts of each short line
	claimed []bool             // tokens that a block has already been found to contain
}

func newOriginal(body string) *original {
	t := &original{grams: map[string][]int32{}, lines: map[string][]int32{}}
	for line := range strings.Lines(body) {
		w := truth.Words(line)
		if len(w) > 0 && len(w) < gramLength {
			key := strings.Join(w, " ")
			t.lines[key] = append(t.lines[key], int32(len(t.words)))
		}
		t.words = append(t.words, w...)
	}
	for i := 0; i+gramLength <= len(t.words); i++ {
		key := strings.Join(t.words[i:i+gramLength], " ")
		t.grams[key] = append(t.grams[key], int32(i))
	}
	t.claimed = make([]bool, len(t.words))
	return t
}

// A match is a place in the known body where a block may be.
type match struct {
	block    int
	from, to int32 // in the body's tokens
	held     int   // tokens of the block that were found there
}

// matches returns the best few places of a block.
func (t *original) matches(block int, words []string) []match {
	if len(words) < gramLength {
		var all []match
		for _, at := range t.lines[strings.Join(words, " ")] {
			all = append(all, match{block, at, at + int32(len(words)), len(words)})
		}
		return all[:min(len(all), maxPlaces)]
	}
	votes, exact := map[int32]int{}, map[int32]int{} // votes by the place where the block would start, rounded and exact
	const rough = 8
	for i := 0; i+gramLength <= len(words); i++ {
		places := t.grams[strings.Join(words[i:i+gramLength], " ")]
		if len(places) > maxPlaces {
			continue
		}
		for _, at := range places {
			votes[(at-int32(i)+1<<20)/rough]++
			exact[at-int32(i)]++
		}
	}
	type place struct {
		at    int32
		votes int
	}
	var best []place
	for at, n := range votes {
		best = append(best, place{at, n + votes[at+1]})
	}
	slices.SortFunc(best, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(a.at, b.at))
	})
	var all []match
	for _, p := range best[:min(len(best), 4)] {
		from := p.at*rough - 1<<20
		start := from
		for at := from; at < from+2*rough; at++ {
			if exact[at] > exact[start] {
				start = at
			}
		}
		m := t.held(words, start)
		m.block = block
		if m.held*3 >= len(words) {
			all = append(all, m)
		}
	}
	return all
}

// held counts the tokens of a block that are in the body, in runs, near the place where the block
// would start. If a run is in several places, the one nearest to the end of the run before is
// taken; a place far from there does not count. So a heading whose words occur again in the text
// below it ends before that text.
func (t *original) held(words []string, start int32) match {
	m := match{from: int32(len(t.words))}
	covered := make([]bool, len(words))
	far := int32(2 + len(words)/8)
	for i := 0; i+gramLength <= len(words); i++ {
		off := far + 1 // distance from the expected place
		for _, at := range t.grams[strings.Join(words[i:i+gramLength], " ")] {
			if d := at - int32(i) - start; max(d, -d) < max(off, -off) {
				off = d
			}
		}
		if off > far {
			continue
		}
		start += off
		at := start + int32(i)
		m.from, m.to = min(m.from, at), max(m.to, at+gramLength)
		for k := range gramLength {
			covered[i+k] = true
		}
	}
	for _, c := range covered {
		if c {
			m.held++
		}
	}
	return m
}

// label returns for each block, given as its tokens, the share that belongs to the known body. On
// nearly every page the blocks are in the body's order, so the longest chain of blocks in order is
// taken first: a headline that is also in a menu counts once, in its own place. The rest of the
// body may then be matched by blocks out of order. Blocks of a word or two are found as a line of
// the body, or right next to another block.
func label(blocks [][]string, body string) []float32 {
	t := newOriginal(body)
	share := make([]float32, len(blocks))
	var all []match
	for b, words := range blocks {
		if len(words) > 0 {
			all = append(all, t.matches(b, words)...)
		}
	}
	chain := t.chain(all)
	for _, m := range chain {
		t.take(m, blocks[m.block], share)
	}
	t.fill(chain, blocks, share)
	slices.SortStableFunc(all, func(a, b match) int { return b.held - a.held })
	for _, m := range all {
		if share[m.block] > 0 || len(blocks[m.block]) < gramLength {
			continue
		}
		free := 0
		for _, c := range t.claimed[m.from:m.to] {
			if !c {
				free++
			}
		}
		if free*3 >= 2*m.held {
			t.take(m, blocks[m.block], share)
		}
	}
	return share
}

func (t *original) take(m match, words []string, share []float32) {
	for i := m.from; i < m.to; i++ {
		t.claimed[i] = true
	}
	share[m.block] = float32(m.held) / float32(len(words))
}

// fill adds blocks between two of a chain, also those of a word or two, if they are in the body
// right after the first or right before the second. Before the first of the chain and after the
// last only adjacent blocks are added.
func (t *original) fill(chain []match, blocks [][]string, share []float32) {
	if len(chain) == 0 {
		return
	}
	for i := range len(chain) + 1 {
		first, last := 0, len(blocks)
		from, to := int32(0), int32(len(t.words))
		if i > 0 {
			first, from = chain[i-1].block+1, chain[i-1].to
		}
		if i < len(chain) {
			last, to = chain[i].block, chain[i].from
		}
		if i > 0 {
			for b := first; b < last; b++ {
				if n := int32(len(blocks[b])); n > 0 && n <= to-from && slices.Equal(blocks[b], t.words[from:from+n]) {
					t.take(match{b, from, from + n, int(n)}, blocks[b], share)
					first, from = b+1, from+n
				}
			}
		}
		if i < len(chain) {
			for b := last - 1; b >= first; b-- {
				if n := int32(len(blocks[b])); n > 0 && n <= to-from && slices.Equal(blocks[b], t.words[to-n:to]) {
					t.take(match{b, to - n, to, int(n)}, blocks[b], share)
					to -= n
				}
			}
		}
	}
}

// chain returns the matches with the most tokens whose blocks and places are both in order.
func (t *original) chain(all []match) []match {
	type link struct{ held, last int }
	best := make([]link, len(t.words)+2) // a Fenwick tree of maxima, by the end of a match
	for i := range best {
		best[i].last = -1
	}
	sum := make([]link, len(all))
	ask := func(end int32) link {
		top := link{0, -1}
		for i := int(end) + 1; i > 0; i &= i - 1 {
			if best[i].held > top.held {
				top = best[i]
			}
		}
		return top
	}
	put := func(end int32, l link) {
		for i := int(end) + 1; i < len(best); i += i & -i {
			if l.held > best[i].held {
				best[i] = l
			}
		}
	}
	top := link{0, -1}
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].block == all[i].block {
			before := ask(all[j].from + 1) // neighbours may share a token
			sum[j] = link{before.held + all[j].held, before.last}
			j++
		}
		for ; i < j; i++ {
			put(all[i].to, link{sum[i].held, i})
			if sum[i].held > top.held {
				top = link{sum[i].held, i}
			}
		}
	}
	var chain []match
	for i := top.last; i >= 0; i = sum[i].last {
		chain = append(chain, all[i])
	}
	slices.Reverse(chain)
	return chain
}
