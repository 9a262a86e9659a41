package dedup

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/purify"
)

// The sketch estimates the resemblance of two bodies with an error. Three deviations below the
// threshold its refusal is reliable: it is wrong for one in a thousand pairs on the very
// threshold; for all other pairs the texts decide.
const sureDeviations = 3

// shortBody is the number of tokens below which one changed word takes more than a tenth from
// the resemblance of two bodies. Without their texts such bodies have to agree in twice as much
// of what may differ: on the tuning data's manual three in four of the pairs that a sketch
// alone confirmed wrongly were shorter.
const shortBody = 80

// expected is how many sketch values of two bodies agree, on average, that just
// resemble each other enough, and deviation is that number's.
func (o Options) expected() (mean, deviation float64) {
	p := (1 + o.Resemblance) / 2
	return sketch.Values * p, math.Sqrt(sketch.Values * p * (1 - p))
}

// doubtFrom is the least number of equal values at which two bodies may be one.
func (o Options) doubtFrom() int {
	mean, deviation := o.expected()
	return int(math.Ceil(mean - sureDeviations*deviation))
}

// least is the number of equal values that suffices if there is no text.
func (o Options) least(short bool) int {
	mean, _ := o.expected()
	n := int(math.Round(mean))
	if short {
		return sketch.Values - (sketch.Values-n)/2
	}
	return n
}

// confirm decides by the texts, and returns how much they resemble each other. Those that say little by
// themselves must be of one subject besides.
func (o Options) confirm(x, y outline, a, b *reading) judgement {
	if a.text.Thin != b.text.Thin {
		a, b = a.linked(), b.linked()
	}
	j := a.resemblance(b)
	if j < o.Resemblance && (j >= listed && a.text.listsLike(b.text) && a.saysLike(b) || j >= doubtful && (a.saysAndLists(b) || a.text.linesOf(b.text)) ||
		j >= listed && oneReference(a, b) && a.linked().resemblance(b.linked()) >= o.Resemblance) {
		j = o.Resemblance
	}
	p := pair{o: o, x: x, y: y, a: a, b: b, j: j}
	return judgement{j: j, apart: p.first(rulings)}
}

// confirmAnyway is confirm for pages whose blocks are known: if they are not equal as they are,
// they may be without what the other's site repeats, or by their bodies alone. Bodies of two
// subjects have to be nearly equal then, and bodies in one language do not decide for pages in
// two: a page whose post is not yet translated has the title, the summary and the menus of its
// own language. It also says whether they have the same content.
func (o Options) confirmAnyway(x, y outline, a, b *Text) judgement {
	best := o.confirm(x, y, a.reading(), b.reading())
	if best.same() {
		if best.full = sameContent(a, b); best.j == 1 {
			return best
		}
	}
	if c, d := a.framedBy(b), b.framedBy(a); c != nil || d != nil {
		a, b = cmp.Or(c, a), cmp.Or(d, b)
		best = best.or(o.confirm(x, y, a.reading(), b.reading()), a, b)
	}
	if best.j == 1 || !sameLanguage(a.reading(), b.reading()) {
		return best
	}
	alike := slices.Equal(a.reading().title, b.reading().title)
	if (best.same() || !alike) && best.j < doubtful || besideBodies(a, b, best.j) {
		return best
	}
	c, d := a.reading().chosen(), b.reading().chosen()
	switch {
	case c == nil || d == nil:
	case !best.same() && alike && (onePost(a, b, c, d) || samePath(a, b) && (oneBesideNotice(c, d) || best.j >= listed && saySame(a, b))):
		return judgement{j: 1, full: true}
	case best.j >= doubtful && !listedApart(a, b, best.j) && c.isMostOf(a) && d.isMostOf(b) && !saidOfTwo(a.reading(), b.reading()) && !a.saysElse(b) && !areTwoPosts(a, b, c, d):
		body := o.confirm(x, y, c.reading(), d.reading())
		if body.same() && !codedApart(a, b) && (best.same() || body.j >= allButNamed || sameSubject(a.reading(), b.reading())) {
			return best.or(body, c, d)
		}
	}
	return best
}

// besideBodies reports whether two pages that resemble each other by so much are two by what is beside their
// bodies: what names them, their facts, and what they list and show.
func besideBodies(a, b *Text, j float64) bool {
	x, y := a.reading(), b.reading()
	return j < allButNamed && calledApart(x, y) || areTwo(x, y) || factsApart(a, b) || picturedApart(x, y) || a.leadsElsewhere(b) || a.listsBelow(b, j) ||
		titledApart(x, y) && (a.saysMoreBeside(b) || b.saysMoreBeside(a))
}

// saysMoreBeside reports whether a list has prose beside its body that another page of its host lacks: of a list that shows
// one post whole and says a few lines of each other, the models take that post for the body.
func (t *Text) saysMoreBeside(other *Text) bool {
	if !t.listing || t.Host != other.Host {
		return false
	}
	theirs := other.hasParagraph()
	return t.of(func(b *purify.Block) bool { return b.Prose && !b.Chosen && !theirs(b) }, false).plain >= leastSaid
}

// A judgement is what the texts of two pages say.
type judgement struct {
	j     float64 // how much they resemble each other
	apart Rule    // by which they are two; "": they are one
	full  bool    // they are one and have the same content
}

func (v judgement) same() bool { return v.apart == "" }

// or returns what other texts of the same two pages say if they are as sure of a copy, or if these say that
// the pages are two.
func (v judgement) or(other judgement, a, b *Text) judgement {
	if v.same() && (!other.same() || other.j < v.j) {
		return v
	}
	other.full = v.full || other.same() && sameContent(a, b)
	return other
}

// factsApart reports whether two brief pages of one host have URLs that end in two ways, and each has numbers of
// its own, or a heading that names what the other page does not say: two events in the life of a person, with a
// date each, above the same sources.
func factsApart(a, b *Text) bool {
	if a.Host != b.Host || !a.IsBrief() || !b.IsBrief() || a.paged && b.paged || a.listsLike(b) || sameName(a, b) {
		return false
	}
	x, y := a.reading(), b.reading()
	return countedApart(x, y) || x.heads(y) && y.heads(x)
}

// listedApart reports whether two pages of one host that say little, and whose URLs end in two ways, differ in a
// quarter with their links: what a shop lists below one description.
func listedApart(a, b *Text, j float64) bool {
	return a.Thin && b.Thin && a.Host == b.Host && !sameName(a, b) && j < mostlyListed
}

const mostlyListed = 0.75

// listsBelow reports whether two pages of one host list things, or one is a page of a list, and they differ in a quarter
// with their links: the bodies may be what stands above the items, or the one item that has more than a title.
func (t *Text) listsBelow(other *Text, j float64) bool {
	return (t.listing && other.listing || t.paged || other.paged) && t.Host == other.Host && j < mostlyListed
}

// codedApart reports whether two pages of one host have source code beside their bodies, and hardly the same: two
// functions below one description.
func codedApart(a, b *Text) bool {
	if a.Host != b.Host {
		return false
	}
	beside := func(b *purify.Block) bool { return !b.Chosen && !b.Linked && isSource(b.Text) }
	x, y := a.of(beside, false), b.of(beside, false)
	return min(x.plain, y.plain) >= fewSaid && hashset.Jaccard(x.reading().words, y.reading().words) < saidAlike
}

// isSource reports whether a text is a program's: it has a mark that ends or encloses statements, and of its
// bytes one in bytesPerMark is such a mark or a bracket.
func isSource(text string) bool {
	marks := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '}', '(', ')', '[', ']', ';', '=', '<', '>':
			marks++
		}
	}
	return marks*bytesPerMark >= len(text) && strings.ContainsAny(text, "{;")
}

const bytesPerMark = 20

// heads reports whether a's first heading has a word that b says nowhere.
func (a *reading) heads(b *reading) bool {
	return slices.ContainsFunc(a.subject, func(w uint64) bool {
		return !hashset.Has(b.words, w) && !hashset.Has(b.title, w) && !hashset.Has(b.subject, w)
	})
}

// leadsElsewhere reports whether two lists have many links of their own outside their
// bodies, and other ones: what a shop sells, under one description.
func (t *Text) leadsElsewhere(other *Text) bool {
	if !t.listing || !other.listing {
		return false
	}
	x, y := t.aroundBody().reading(), other.aroundBody().reading()
	return min(len(x.words), len(y.words)) >= leastSaid && hashset.Jaccard(x.words, y.words) < saidAlike
}

// onePost reports whether two pages of one title have the same few sentences for bodies: a short post
// under two URLs, each with comments that are longer than the post. If the models took nothing of one
// page for body, or its comments, it has those lines all the same. Two pages of an index have one sentence
// above other links, or above other names, and two posts of two days may have a sentence of their part of
// the site above them.
func onePost(a, b, body, other *Text) bool {
	if !titleIsTheirs(a, b) || len(a.reading().title) < leastTitle || body.plain < ownText && a.isOfAnotherDay(b) {
		return false
	}
	switch {
	case body.Body == "", samePath(a, b) && body.saidBy(other).Body == "" && a.saidBy(other).Body == other.Body:
		body = a.saidBy(other)
	case other.Body == "", samePath(a, b) && other.saidBy(body).Body == "":
		other = b.saidBy(body)
	}
	return body.prose >= leastPost && body.Body == other.Body && body.listed == other.listed && !nameBeside(a, b, body)
}

// saySame reports whether two pages that say little say the same outside links, a sentence among it: a post
// of one line, of which the models took nothing for body, next to links to other posts.
func saySame(a, b *Text) bool {
	if !a.Thin || !b.Thin || min(a.plain, b.plain) < leastPost || membersApart(a.reading(), b.reading()) {
		return false
	}
	x, y := a.other(), b.other()
	return x.Body == y.Body && x.hasSentence()
}

// titleIsTheirs reports whether the title of two pages is one of them and not of their site: they are of two
// hosts, a line of both says it, or their URLs end alike. Otherwise their bodies may be a sentence of the
// site's frame.
func titleIsTheirs(a, b *Text) bool { return a.Host != b.Host || a.named && b.named || sameName(a, b) }

// saidBy returns of a page's own text the lines that a body has.
func (t *Text) saidBy(body *Text) *Text {
	return t.of(body.hasLine(), body.Thin)
}

// hasLine returns what reports whether a block is a line of a text.
func (t *Text) hasLine() func(*purify.Block) bool {
	lines := sortedLines(t.Body)
	return func(b *purify.Block) bool {
		_, has := slices.BinarySearch(lines, b.Text)
		return has
	}
}

// nameBeside reports whether two pages have lines next to the body of both that are no sentences, in
// other words, and no sentence there: below the one sentence of an index stands what it names. Comments
// have sentences.
func nameBeside(a, b, body *Text) bool {
	said := body.hasLine()
	beside := func(block *purify.Block) bool { return !block.Linked && !said(block) }
	c, d := a.of(beside, false), b.of(beside, false)
	if c.hasSentence() || d.hasSentence() {
		return false
	}
	x, y := c.reading().words, d.reading().words
	return len(x) > 0 && len(y) > 0 && hashset.Jaccard(x, y) < saidAlike
}

// hasSentence reports whether a text has prose, or a line that ends as a sentence does.
func (t *Text) hasSentence() bool {
	if t.prose > 0 {
		return true
	}
	for line := range strings.SplitSeq(t.Body, "\n") {
		if last, _ := utf8.DecodeLastRuneInString(line); len(line) >= leastSentence && strings.ContainsRune(".!?…。！？", last) {
			return true
		}
	}
	return false
}

// samePath reports whether two pages of one host that say their titles in a line have URLs whose ends
// differ at most in their queries.
func samePath(a, b *Text) bool {
	return a.named && b.named && a.Host == b.Host && pageName(a.Name) == pageName(b.Name)
}

// pageName returns what the end of a URL's path names, without .html. Programs that save a site put
// four hexadecimal digits for a query behind the name of a folder's page: index1e54.html.
func pageName(name string) string {
	stem, _, page := strings.Cut(name, ".htm")
	if query, ok := strings.CutPrefix(stem, "index"); page && ok && len(query) == 4 && strings.Trim(query, "0123456789abcdef") == "" {
		return "index"
	}
	return stem
}

// oneBesideNotice reports whether two bodies under one title, which a line of both pages says, are the
// same short lines but for a sentence that each of them may have alone, and which is not longer than
// the rest: what was just put into the cart, on a page of a shop. If both have one the two stand in one
// place: of two lists of posts the one has a teaser at its head and the other another one at its end.
func oneBesideNotice(a, b *Text) bool {
	if min(a.plain, b.plain) < leastNoticed || len(a.reading().title) < leastTitle {
		return false
	}
	x, y := sortedLines(a.Body), sortedLines(b.Body)
	both, alone := 0, [2][]string{} // bytes; lines of one side
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			alone[0], x = append(alone[0], x[0]), x[1:]
		case len(x) == 0 || y[0] < x[0]:
			alone[1], y = append(alone[1], y[0]), y[1:]
		default:
			both, x, y = both+len(x[0]), x[1:], y[1:]
		}
	}
	for _, lines := range alone {
		if len(lines) > 1 || len(lines) == 1 && (len(lines[0]) < leastNotice || len(lines[0]) > both) {
			return false
		}
	}
	return len(alone[0]) == 0 || len(alone[1]) == 0 || placeOf(alone[0][0], a.Body) == placeOf(alone[1][0], b.Body)
}

// placeOf returns how many lines of a text stand before a line.
func placeOf(line, text string) int { return slices.Index(strings.Split(text, "\n"), line) }

const (
	leastNoticed = 20 // tokens of a body that may have a notice next to it
	leastNotice  = 80 // bytes of a sentence; numbers and names that differ are shorter
)

// What two URLs of one short post have in common at least.
const (
	leastTitle = 3  // features of the title
	leastPost  = 12 // tokens of prose in the body

	leastSentence = 30 // bytes of a line next to it
)

// doubtful is the resemblance from which two pages are compared by their bodies alone, and from
// which two long pages of one title are compared at all.
const doubtful = 0.4

// listed is the resemblance from which two lists are compared by what they list: the name of a
// tag and that of a category are a quarter of a short list.
const listed = 0.6

// If two thin pages have a few lines outside links, these have to resemble each other by
// saidAlike: two short posts have the teasers of the same other posts below them. Pages of two
// subjects of which one links to the other, or that do not link to the same pages, have to
// share as many words if either has only a line or two, and so have two of one host whose URLs end
// in two names: the rest may be the menu of a part of their site.
const (
	leastSaid = 40 // tokens
	fewSaid   = 10
	saidAlike = 0.5
)

// sayAlike reports whether two pages that are compared by their links too are of one
// text without these, if they have any.
func (t *Text) sayAlike(other *Text) bool {
	if !t.Thin || !other.Thin || len(t.blocks) == 0 || len(other.blocks) == 0 {
		return true
	}
	switch {
	case t.saysElse(other):
		return false
	case min(t.plain, other.plain) >= leastSaid:
		return t.other().reading().resemblance(other.other().reading()) >= saidAlike
	case max(t.plain, other.plain) >= fewSaid && t.mayShareMenu(other):
		return hashset.Jaccard(t.other().reading().words, other.other().reading().words) >= saidAlike
	}
	return true
}

// saysElse reports whether two pages of one host and of two subjects each have sentences that the other has not.
func (t *Text) saysElse(other *Text) bool {
	return t.Host == other.Host && !sameSubject(t.reading(), other.reading()) && t.sayOtherSentences(other, fewSaid)
}

// sayMuchElse reports whether two pages under two titles each have a text of their own, next to a much longer
// one that both have: what customers wrote about a firm, below each of its services. A sentence is enough where
// each text has the name that its title has, and not the other's. Two pages of lists may have one item that the
// other has not.
func sayMuchElse(a, b *reading) bool {
	return titledApart(a, b) && !a.text.paged && !b.text.paged &&
		(a.text.sayOtherSentences(b.text, ownText) || namedApart(a, b) && a.text.sayOtherSentences(b.text, leastPost))
}

// areTwoPosts reports whether two pages of one host that have the same short body are of two days, and of two
// subjects or have other sentences beside it: the body is a sentence of a part of their site, above each of its
// posts. A longer one may be an article that is printed again.
func areTwoPosts(a, b, body, other *Text) bool {
	return a.Host == b.Host && a.isOfAnotherDay(b) && body.plain < ownText && body.Body == other.Body && (!sameSubject(a.reading(), b.reading()) || a.sayOtherSentences(b, fewSaid))
}

// sayOtherSentences reports whether two pages each have sentences that the other has not, in other words and
// of so many tokens at least. Each section of a law may stand next to a list of all of its sections and
// chapters, and say two lines itself.
func (t *Text) sayOtherSentences(other *Text, least int) bool {
	if min(t.prose, other.prose) < least {
		return false
	}
	own := func(of, than *Text) *Text {
		theirs := than.hasParagraph()
		return of.of(func(b *purify.Block) bool { return b.Prose && !theirs(b) }, false)
	}
	x, y := own(t, other), own(other, t)
	return min(x.prose, y.prose) >= least && hashset.Jaccard(x.reading().words, y.reading().words) < saidAlike
}

// showAnother reports whether one of two pages under two titles shows a text that the other one does not.
func showAnother(a, b *reading) bool {
	return titledApart(a, b) && (a.text.showsMore(b.text) || b.text.showsMore(a.text))
}

// showsMore reports whether a page has a text in its body that the other page has nowhere, and that its site repeats
// on a part of its pages only: a post that is shown whole in each of a dozen lists of a small blog, and not in the
// list of the other page.
func (t *Text) showsMore(other *Text) bool {
	var more []string
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Chosen && b.Prose && t.isOfSome(b) {
			more = append(more, b.Text)
		}
	}
	if len(more) == 0 {
		return false
	}
	theirs := make(map[string]bool)
	for i := range other.blocks {
		theirs[other.blocks[i].Text] = true
	}
	more = slices.DeleteFunc(more, func(s string) bool { return theirs[s] })
	w := signers.Get().(*signer)
	defer w.release()
	w.tokens.Read(strings.Join(more, "\n"))
	return len(w.tokens.Hashes) >= ownText
}

// isOfSome reports whether a block is part of a frame, and on less than mostOfSome of the pages of each site.
func (t *Text) isOfSome(b *purify.Block) bool {
	share := 0.0
	for _, site := range t.site {
		share = max(share, site.Share(b))
	}
	return 0 < share && share < mostOfSome
}

// mostOfSome is the share of a site's pages from which what they repeat is no post in its lists.
const mostOfSome = 0.25

// mayShareMenu reports whether what two pages that say little have in common may be a menu.
func (t *Text) mayShareMenu(other *Text) bool {
	if t.Host == other.Host && !sameName(t, other) {
		return true
	}
	return !sameSubject(t.reading(), other.reading()) && (t.Links != other.Links || t.leadsTo(other) || other.leadsTo(t))
}

// feedApart reports whether one of two documents is a feed that lists items, and none of them is the other
// one, a page: a shop may describe all of its products in the same words.
func feedApart(x, y outline, a, b *Text) bool {
	if x.layout == y.layout || x.layout != purify.FeedLayout && y.layout != purify.FeedLayout {
		return false
	}
	feed, page := a, b
	if y.layout == purify.FeedLayout {
		feed, page = b, a
	}
	return len(feed.Lists) > 0 && len(page.ends) > 0 && !feed.leadsTo(page)
}

// leadsTo reports whether a page that says little has the other among what it links to.
func (t *Text) leadsTo(other *Text) bool {
	return slices.ContainsFunc(other.ends, func(end uint32) bool {
		_, ok := slices.BinarySearch(t.Lists, end)
		return ok
	})
}

// listAlike reports whether two pages resemble each other with the links in their bodies
// too, if both have many there.
func (o Options) listAlike(a, b *Text) bool {
	x, y := a.withBodyLinks(), b.withBodyLinks()
	return x == nil || y == nil || x.reading().resemblance(y.reading()) >= o.Resemblance
}

// Two lists list the same when they have leastListed links in common, and these
// are as many of all of theirs.
const (
	leastListed = 3
	sameListed  = 0.9
)

// listsLike reports whether two pages that are lists list the same.
func (t *Text) listsLike(other *Text) bool {
	both := hashset.Common(t.Lists, other.Lists)
	return both >= leastListed && float64(both) >= sameListed*float64(len(t.Lists)+len(other.Lists)-both)
}

// saysLike reports whether two lists say the same besides their links, of one subject or but for their
// names: two tags of the same posts. Two classes lead to the same classes above them, and have members
// of their own.
func (a *reading) saysLike(b *reading) bool {
	if sameSubject(a, b) {
		return true
	}
	names := hashset.Of(slices.Concat(a.title, a.segment, b.title, b.segment))
	said := func(r *reading) []uint64 {
		return slices.DeleteFunc(r.text.other().reading().words, func(w uint64) bool { return hashset.Has(names, w) })
	}
	return hashset.Jaccard(said(a), said(b)) >= sameListed
}

// listsApart reports whether two pages of two subjects list items of which less than half are
// the same: two months of a blog next to a menu that only its lists have. The menu is
// recognized as one once some of the lists are kept, since copies say little about what a site
// repeats. Of two pages of lists that are alike but for a word, one that has all items of the other is no other list: the
// models may take the titles for body at one address of a page of posts, and at the other not.
func (p *pair) listsApart() bool {
	a, b := p.a.text, p.b.text
	both := hashset.Common(a.Lists, b.Lists)
	switch {
	case len(a.Lists) == 0 || len(b.Lists) == 0 || 2*both >= len(a.Lists)+len(b.Lists)-both:
		return false
	case a.paged && b.paged && len(a.blocks) > 0 && len(b.blocks) > 0:
		return p.j < p.o.Siblings || both < min(len(a.Lists), len(b.Lists))
	}
	return a.paged && b.paged || !sameSubject(p.a, p.b)
}

// paragraphs are the blocks of prose that are compared, in the order of the page.
func (t *Text) paragraphs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range t.blocks {
			if b := &t.blocks[i]; b.Prose && !t.isExcluded(i) && !yield(b.Text) {
				return
			}
		}
	}
}

// hasParagraph returns what reports whether a block is one of the paragraphs.
func (t *Text) hasParagraph() func(*purify.Block) bool {
	texts := make(map[string]bool)
	for p := range t.paragraphs() {
		texts[p] = true
	}
	return func(b *purify.Block) bool { return texts[b.Text] }
}

// saysAndLists reports whether two pages of one title that say next to nothing say it in the
// same words and lead to the same places: what differs are links outside their bodies, such as
// the way up to the manual's first page, which is another in each layout.
func (a *reading) saysAndLists(b *reading) bool {
	x, y := a.text, b.text
	return x.Thin && y.Thin && len(x.blocks) > 0 && len(y.blocks) > 0 &&
		x.Links == y.Links && x.Links != 0 && len(a.title) > 0 && slices.Equal(a.title, b.title) &&
		slices.Equal(x.other().reading().words, y.other().reading().words)
}

// linesOf reports whether two texts are the same lines in another order: two versions of a brief
// page whose layouts have the ways to the next one and back before its body and behind it.
func (t *Text) linesOf(other *Text) bool {
	return len(t.Body) == len(other.Body) && slices.Equal(sortedLines(t.Body), sortedLines(other.Body))
}

func sortedLines(s string) []string { return slices.Sorted(strings.SplitSeq(s, "\n")) }

// listsTheSame reports whether two pages have the same words, some of them in links, as lists
// have of posts to which each page of their site links: then no link is left that is their own.
func (a *reading) listsTheSame(b *reading) bool {
	return a.text.Thin && b.text.Thin && a.text.plain < len(a.words) && slices.Equal(a.words, b.words)
}

// backs reports whether the surroundings of two bodies support that they are one. Brief bodies
// need one language, and one subject or, if no line of the page names it, the same list: two
// tags of the same posts differ only in their title. Bodies from which no frame could be taken
// out need one subject and the same links if they are short, or of one host; either is enough
// if both have much prose, unless they are of lists, which may have one text above their items.
// Two pages of one site share its frame until the site is known, and then its first pages are
// compared again.
func (o outline) backs(other outline, a, b *reading) bool {
	least := min(o.tokens, other.tokens)
	subject := o.around(other) || sameSubject(a, b)
	bare, links := a.text.bare() && b.text.bare(), a.text.Links == b.text.Links
	switch {
	case a.text.Host == b.text.Host && titledApart(a, b) && (a.silent && b.isAbout(a) || b.silent && a.isAbout(b)):
		return false
	case a.text.Host == b.text.Host && (a.text.isEarly() || b.text.isEarly()) && namesAnother(a, b):
		return false
	case a.text.Host == b.text.Host && (a.text.isFirst() || b.text.isFirst()) && titledApart(a, b) && !sameName(a.text, b.text):
		return false
	case (a.text.bare() || b.text.bare()) && a.text.Host == b.text.Host && a.text.paged && b.text.paged:
		return sameLanguage(a, b) && subject && links
	case bare && a.text.Host == b.text.Host:
		named, prose := a.text.Title == b.text.Title || sameSubject(a, b), min(a.text.prose, b.text.prose) >= ownText
		return sameLanguage(a, b) && (named && links || prose && (named || links))
	case (a.text.bare() || b.text.bare()) && least < ownText:
		return subject && sameLanguage(a, b) && (links || !bare)
	case least < briefBody:
		unnamed := !a.text.named && !b.text.named
		lists := links && (a.text.Links != 0 || a.listsTheSame(b)) || a.text.listsLike(b.text)
		return (subject || unnamed && lists) && (sameLanguage(a, b) || writtenAlike(a, b))
	case !(links && a.text.Links != 0) && !sameSubject(a, b) && !sameName(a.text, b.text) && !sayAllAlike(a, b) && a.text.frameAlike(b.text):
		return false
	}
	return subject
}

// sayAllAlike reports whether two pages, one of which has no title, say all the same outside links, and
// more than a frame does: a program's source under two URLs.
func sayAllAlike(a, b *reading) bool {
	return (len(a.title) == 0 || len(b.title) == 0) && min(a.text.plain, b.text.plain) >= ownText && slices.Equal(a.shingles, b.shingles)
}

// oneReference reports whether two references of one host are of one thing by their titles and the ends of
// their URLs: a class in two versions of a manual. One version may have the names of its members within
// their descriptions, and the other each of them as a link alone, which is not compared.
func oneReference(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && sameName(x, y) && (x.isReference() || y.isReference()) &&
		slices.ContainsFunc(a.segment, func(w uint64) bool { return hashset.Has(a.title, w) && hashset.Has(b.title, w) })
}

// sameName reports whether the URLs of two pages end alike, as those of two versions do, and name
// the page.
func sameName(a, b *Text) bool {
	name := pageName(a.Name)
	return name == pageName(b.Name) && name != "" && name != "index"
}

// frameAlike reports whether what two pages of one site have in common may be the frame of a
// part of it that its template does not know: one of them has hardly a sentence, and if both
// have little but links, their lists are not nearly the same.
func (t *Text) frameAlike(other *Text) bool {
	if t.Host == "" || t.Host != other.Host || len(t.blocks) == 0 || len(other.blocks) == 0 || min(t.prose, other.prose) >= ownText {
		return false
	}
	if !t.Thin || !other.Thin || t.fixed || other.fixed {
		return true
	}
	if len(t.Lists) == 0 || len(other.Lists) == 0 {
		return min(t.plain+t.listed, other.plain+other.listed) < leastSaid // most of the rest is outside their bodies
	}
	both := hashset.Common(t.Lists, other.Lists)
	return float64(both) < sameListed*float64(len(t.Lists)+len(other.Lists)-both)
}

// decides reports whether an equal body is enough by itself for two pages to be one: for a page
// of a site it is if no frame can be in it, or if it has whole sentences, and no pictures.
func (t *Text) decides() bool {
	if t.stub != nil {
		return t.stub.decides
	}
	return !t.bare() && (t.Host == "" || len(t.blocks) == 0 || len(t.pictures) == 0 && t.prose >= ownText && !t.isEarly() && !t.isFirst() && !(t.mayBeSilent() && t.reading().silent))
}

// IsBrief reports whether a page says so little outside links that a frame may be all of it.
func (t *Text) IsBrief() bool { return t.plain < mostNamed }

// isEarly reports whether a brief page was read with a template of few pages, so that the frame of a part of
// its site may be in its text.
func (t *Text) isEarly() bool {
	return t.IsBrief() && !t.Bare && len(t.site) > 0 && !slices.ContainsFunc(t.site, func(s *purify.Template) bool { return s.Pages() >= fewPages })
}

// isFirst reports whether a page was read with a template of so few pages that prose which is on all of them may not be
// in it.
func (t *Text) isFirst() bool {
	return !t.Bare && len(t.site) > 0 && !slices.ContainsFunc(t.site, func(s *purify.Template) bool { return s.Pages() >= firstPages })
}

// firstPages is how many pages of a host make its third template.
const firstPages = 8

// fewPages is how many pages of a host make its template a sure one: a frame that one page in five has is
// in it by then.
const fewPages = 22

// bare reports whether a frame may be in the text of a page of a site.
func (t *Text) bare() bool { return t.Bare && t.Host != "" }

// sameLanguage reports whether two pages declare one language, or one of them none.
func sameLanguage(a, b *reading) bool { return a.lang == "" || b.lang == "" || a.lang == b.lang }

// writtenAlike reports whether the lines of two pages are certainly in one language.
func writtenAlike(a, b *reading) bool {
	in := a.writtenIn()
	return in != "" && in == b.writtenIn()
}

// confirmBySketch is confirm without the texts.
func (o Options) confirmBySketch(a, b outline, equal int) judgement {
	found := judgement{j: sketch.Resemblance(equal)}
	switch {
	case equal < o.least(min(a.tokens, b.tokens) < shortBody):
		found.apart = TextsDiffer
	case !a.around(b):
		found.apart = LittleElseAgrees
	case a.facts.apart(b.facts):
		found.apart = TwoTitlesNumbered
	}
	return found
}
