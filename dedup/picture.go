package dedup

import (
	"math"
	"slices"

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
	mine, both, theirs := inTwo(x.pictures, y.pictures)
	own, alike := min(mine, theirs), x.listsLike(y)
	switch {
	case sameSubject(a, b):
		says := max(x.plain, y.plain)
		return says < leastSaid && own >= leastShown && 2*own > both || says < fewSaid && own > 0 && alike
	case x.listing && y.listing && !alike:
		return leastOfLists*own > both
	case x.isStory() && y.isStory():
		mine, _, theirs = inTwo(films(x.pictures), films(y.pictures))
		own = min(mine, theirs)
	}
	return own > 0
}

// leastShown is how many pictures a gallery shows at least.
const leastShown = 2

// leastOfLists is of how many pictures that two lists both show each shows one of its own.
const leastOfLists = 4

// films returns those of some sorted pictures and films that are films.
func films(of []uint32) []uint32 {
	i, _ := slices.BinarySearch(of, purify.FirstPicture)
	return of[:i:i]
}

// inTwo returns of two pages how many pictures the one shows, both show, and the other shows. Of a page that shows more
// than are kept it is not known whether it shows one with a larger hash.
func inTwo(a, b []uint32) (mine, both, theirs int) {
	known := min(knownOf(a), knownOf(b))
	beyond := func(p uint32) bool { return p > known }
	for _, p := range a {
		if _, ok := slices.BinarySearch(b, p); ok && !beyond(p) {
			both++
		}
	}
	number := func(of []uint32) int {
		if i := slices.IndexFunc(of, beyond); i >= 0 {
			return i
		}
		return len(of)
	}
	return number(a) - both, both, number(b) - both
}

// knownOf returns up to which hash all pictures of a page are kept.
func knownOf(pictures []uint32) uint32 {
	if len(pictures) < purify.MaxPictures {
		return math.MaxUint32
	}
	return pictures[len(pictures)-1]
}
