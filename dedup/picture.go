package dedup

import (
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/purify"
)

// picturedApart reports whether two pages of one host with different names in their URLs each show
// pictures or films that the other lacks. Pages that say little but formulas may have one name. It
// depends on the pages how many count:
//
// Pages of two subjects need one each: two colours of a product under one description, two evenings
// of a tour. Two stories need a film each, since a story may have another picture under each of its
// headlines. Two lists of different items need one picture for each leastOfLists that both show.
//
// Pages of one subject are told apart only if they say little for what they show: two galleries under one
// title need leastShown pictures each, one for each saidOfShown tokens, and more than half as many as both
// show; pages that consist of links to the same pages need one each.
//
// Whatever they say, two pages of one folder are two albums if each shows leastAlbum pictures, none of which is on both, and has a heading
// of its own: above a list of all albums.
func picturedApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host == "" || x.Host != y.Host || len(x.pictures) == 0 || len(y.pictures) == 0 {
		return false
	}
	if max(x.plain, y.plain) < leastSaid && formulasApart(x, y) {
		return true
	}
	if sameName(x, y) {
		return false
	}
	mine, both, theirs := inTwo(x, y, math.MaxUint32)
	own := min(mine, theirs)
	switch {
	case own == 0:
		return false
	case own >= leastAlbum && both == 0 && x.folder == y.folder && x.headsBeyond(y) && y.headsBeyond(x):
		return true
	}
	switch alike := x.listsLike(y); {
	case sameSubject(a, b):
		says := max(x.plain, y.plain)
		return says < min(ownText, saidOfShown*own) && own >= leastShown && 2*own > both || says < fewSaid && alike
	case x.listing && y.listing && !alike:
		return leastOfLists*own > both
	case x.isStory() && y.isStory():
		mine, _, theirs = inTwo(x, y, purify.FirstPicture-1) // films
		return mine > 0 && theirs > 0
	}
	return true
}

// formulasApart reports whether each of two pages shows formulas that the other lacks, and more than
// half as many as both show. They are the text of a page, unlike other pictures.
func formulasApart(x, y *Text) bool {
	mine, both, theirs := inTwo(x, y, math.MaxUint32)
	m, b, th := inTwo(x, y, purify.FirstFormula-1)
	own := min(mine-m, theirs-th)
	return own > 0 && 2*own > both-b
}

// A gallery shows leastShown pictures at least, and says less than saidOfShown tokens for each.
const (
	leastShown  = 2
	saidOfShown = leastSaid / leastShown
)

// leastAlbum is how many pictures each of two albums shows at least.
const leastAlbum = 3

// leastOfLists is how many pictures that two lists both show there may be for each picture that
// only one shows.
const leastOfLists = 4

// inTwo returns how many pictures and films with hashes up to last only the first page shows, both
// show, and only the second shows. A page that shows more than are kept is known only up to its
// largest hash, so larger ones are not counted.
func inTwo(x, y *Text, last uint32) (mine, both, theirs int) {
	last = min(last, x.shownTo, y.shownTo)
	a, b := upTo(x.pictures, last), upTo(y.pictures, last)
	both = hashset.Common(a, b)
	return len(a) - both, both, len(b) - both
}

// show sets the pictures of a page that its site does not repeat.
func (t *Text) show(pictures []uint32) {
	t.shownTo = math.MaxUint32
	if len(pictures) == purify.MaxPictures {
		t.shownTo = pictures[len(pictures)-1]
	}
	t.pictures = slices.DeleteFunc(slices.Clone(pictures), func(p uint32) bool {
		return slices.ContainsFunc(t.site, func(site *purify.Template) bool { return site.HasPicture(p) })
	})
}
