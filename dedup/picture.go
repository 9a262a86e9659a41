package dedup

import (
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/purify"
)

// picturedApart reports whether each of two pages of one host shows pictures or films that the other one lacks, and
// they are of two subjects: two colours of a product under one description, two evenings of a tour. A story may have
// another picture under each of its headlines, but not another film, and two lists of other things some other pictures.
// Two galleries whose pages have one title and next to nothing else each show several, and hardly the same; of pages
// that have nothing else than links to the same one is enough.
func picturedApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host == "" || x.Host != y.Host || len(x.pictures) == 0 || len(y.pictures) == 0 || sameName(x, y) {
		return false
	}
	mine, both, theirs := inTwo(x, y, math.MaxUint32)
	own := min(mine, theirs)
	if own == 0 {
		return false
	}
	switch alike := x.listsLike(y); {
	case sameSubject(a, b):
		says := max(x.plain, y.plain)
		return says < leastSaid && own >= leastShown && 2*own > both || says < fewSaid && alike
	case x.listing && y.listing && !alike:
		return leastOfLists*own > both
	case x.isStory() && y.isStory():
		mine, _, theirs = inTwo(x, y, purify.FirstPicture-1) // films
		return mine > 0 && theirs > 0
	}
	return true
}

// leastShown is how many pictures a gallery shows at least.
const leastShown = 2

// leastOfLists is of how many pictures that two lists both show each shows one of its own.
const leastOfLists = 4

// inTwo returns of two pages how many pictures and films with hashes up to last the one shows, both show, and the other
// shows. Of a page that shows more than are kept it is not known whether it shows one with a larger hash.
func inTwo(x, y *Text, last uint32) (mine, both, theirs int) {
	last = min(last, x.shownTo, y.shownTo)
	a, b := upTo(x.pictures, last), upTo(y.pictures, last)
	both = hashset.Common(a, b)
	return len(a) - both, both, len(b) - both
}

// show takes in what a page shows and its site does not repeat.
func (t *Text) show(pictures []uint32) {
	t.shownTo = math.MaxUint32
	if len(pictures) == purify.MaxPictures {
		t.shownTo = pictures[len(pictures)-1]
	}
	t.pictures = slices.DeleteFunc(slices.Clone(pictures), func(p uint32) bool {
		return slices.ContainsFunc(t.site, func(site *purify.Template) bool { return site.HasPicture(p) })
	})
}
