package dedup

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// leastRun is how many consecutive links two pages must have in common for these to count as a
// menu: as many as purify.WithoutMenus takes.
const leastRun = 5

// alikeWithoutMenus reports whether two pages of one site and one subject that say little outside
// links still resemble each other without the runs of links that both have. The products of two
// sizes in a shop have the same list of all sizes, colours and kinds; while such pages count as
// copies of each other, the site's template never learns that list. Two lists of two subjects are
// compared by their items instead, see listsApart: what they have in common may be posts with both
// tags.
func (o Options) alikeWithoutMenus(a, b *Text) bool {
	if !a.Thin || !b.Thin || a.Host == "" || a.Host != b.Host || a.Links == b.Links || !sameSubject(a.reading(), b.reading()) {
		return true
	}
	x, y := a.withoutRuns(b), b.withoutRuns(a)
	if x == nil && y == nil {
		return true
	}
	x, y = cmp.Or(x, a), cmp.Or(y, b)
	if !x.linksElsewhere(y) && !y.linksElsewhere(x) {
		return true
	}
	return x.Body == "" || y.Body == "" || x.reading().resemblance(y.reading()) >= o.Resemblance
}

// belowMenu returns a page that is compared with its links without those above its first line outside links; nil if it has none there, or nothing
// else. Generators of manuals put the menu of a part above its pages, such as all letters of an index, and another version has another one. What
// a page lists is below its heading.
func (t *Text) belowMenu() *Text {
	first, above := -1, false
	for i := range t.blocks {
		if t.isExcluded(i) {
			continue
		}
		if !t.blocks[i].Linked {
			first = i
			break
		}
		above = true
	}
	if first < 0 || !above || !t.Thin {
		return nil
	}
	i := -1
	return t.of(func(*purify.Block) bool { i++; return i >= first }, true)
}

// isBelowOtherMenu reports whether two pages have no link in common above their first lines outside links: they stand among other things. below
// and other are what is below these links.
func (t *Text) isBelowOtherMenu(o, below, other *Text) bool {
	theirs := make(map[string]bool)
	for i := range o.blocks[:len(o.blocks)-len(other.blocks)] {
		theirs[o.blocks[i].Text] = !o.isExcluded(i)
	}
	for i := range t.blocks[:len(t.blocks)-len(below.blocks)] {
		if !t.isExcluded(i) && theirs[t.blocks[i].Text] {
			return false
		}
	}
	return true
}

// haveLikeBodies reports whether two versions of a page have whole bodies that resemble each other, with links and what the site repeats:
// the runs of links that both have are what they list.
func (p *pair) haveLikeBodies() bool {
	return ofTwoVersions(p.a, p.b) && p.a.entire().resemblance(p.b.entire()) >= p.o.Resemblance
}

// withoutRuns returns a text without the runs of links that the other text has too; nil if there
// are none.
func (t *Text) withoutRuns(other *Text) *Text {
	if len(t.blocks) == 0 || len(other.blocks) == 0 {
		return nil
	}
	theirs := make(map[uint64]bool)
	other.eachRun(func(_ int, sum uint64) { theirs[sum] = true })
	in := make([]bool, len(t.blocks))
	found := false
	t.eachRun(func(last int, sum uint64) {
		if !theirs[sum] {
			return
		}
		found = true
		for i, n := last, 0; n < leastRun; i-- {
			if !t.isExcluded(i) {
				in[i] = true
				n++
			}
		}
	})
	if !found {
		return nil
	}
	w := *t
	w.made, w.asked, w.Head, w.Subject, w.Thin, w.fixed, w.blocks, w.cut = nil, nil, "", "", true, true, nil, nil
	for i := range t.blocks {
		if !in[i] {
			w.blocks = append(w.blocks, t.blocks[i])
		}
	}
	w.blocks = slices.Clip(w.blocks)
	w.joinCompared()
	return &w
}

// eachRun calls f for each run of leastRun links, with its last block and its hash.
func (t *Text) eachRun(f func(last int, sum uint64)) {
	var run [leastRun]uint64
	n := 0
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case t.isExcluded(i):
		case !b.Linked:
			n = 0
		default:
			copy(run[:], run[1:])
			run[leastRun-1] = xxhash.Sum64String(b.Text)
			if n++; n >= leastRun {
				f(i, token.Chain(run[:]))
			}
		}
	}
}

// linksElsewhere reports whether a text has a link that the other lacks, compared by its words.
// Numbers do not count, since they may be those of a version.
func (t *Text) linksElsewhere(other *Text) bool {
	theirs := make(map[string]bool, len(other.blocks))
	for i := range other.blocks {
		theirs[unnumbered(other.blocks[i].Text)] = true
	}
	return slices.ContainsFunc(t.blocks, func(b purify.Block) bool { return b.Linked && !theirs[unnumbered(b.Text)] })
}

// unnumbered returns only the letters of a text.
func unnumbered(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}
