package dedup

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// sureDeviations is how many standard deviations the sketches' estimate must be below the threshold
// for two bodies to count as different without reading their texts. At three this is wrong for one
// in a thousand of the pairs that are exactly at the threshold; for all other pairs the texts
// decide.
const sureDeviations = 3

// shortBody is the number of tokens below which one changed word lowers the resemblance of two
// bodies by more than a tenth. Without their texts, at most half as many sketch values of such
// bodies may differ: of the pairs of the tuning data's manual that a sketch alone confirmed
// wrongly, three in four were shorter.
const shortBody = 80

// expected returns how many sketch values agree for two bodies that resemble each other by exactly
// Options.Resemblance: the mean and the standard deviation.
func (o Options) expected() (mean, deviation float64) {
	p := (1 + o.Resemblance) / 2
	return sketch.Values * p, math.Sqrt(sketch.Values * p * (1 - p))
}

// doubtFrom is the number of equal values from which two bodies may be one document.
func (o Options) doubtFrom() int {
	mean, deviation := o.expected()
	return int(math.Ceil(mean - sureDeviations*deviation))
}

// least is the number of equal values from which two bodies are one document if there is no text.
func (o Options) least(short bool) int {
	mean, _ := o.expected()
	n := int(math.Round(mean))
	if short {
		return sketch.Values - (sketch.Values-n)/2
	}
	return n
}

// compareReadings compares two pages by their readings, and returns the resemblance and the first rule that
// tells them apart. Some pages that resemble each other by less than Options.Resemblance are raised
// to it, because most of what differs does not matter: lists of the same items, pages that say
// almost nothing and agree in that, the same lines in another order, the same lines but for the versions
// in them, two versions of a reference, and two versions of a page whose whole bodies resemble each other.
func (o Options) compareReadings(x, y outline, a, b *reading) judgement {
	if a.text.Thin != b.text.Thin {
		a, b = a.linked(), b.linked()
	}
	j := a.resemblance(b)
	if j < o.Resemblance && (j >= listed && a.text.listsLike(b.text) && a.saysLike(b) || j >= doubtful && (a.saysAndLists(b) || a.text.linesOf(b.text) || a.saysExceptVersions(b)) ||
		j >= listed && oneReference(a, b) && a.linked().resemblance(b.linked()) >= o.Resemblance ||
		ofTwoVersions(a, b) && (j >= doubtful || a.text.isWithin(b.text) && b.text.isWithin(a.text)) && a.entire().resemblance(b.entire()) >= o.Resemblance) {
		j = o.Resemblance
	}
	p := pair{o: o, x: x, y: y, a: a, b: b, j: j}
	return judgement{j: j, apart: p.first(conditions)}
}

// compareTexts is compareReadings for pages whose blocks are known. If the pages are not one document as
// they are, it compares them without what either site repeats, without the margin that only one of two mirrors has, and then by
// their bodies alone.
// There, bodies of two subjects have to be nearly equal, and pages in two languages are not
// compared: an untranslated post may stand on a page whose title, summary and menus are translated.
// The judgement also says whether the pages have the same content.
func (o Options) compareTexts(x, y outline, a, b *Text) judgement {
	v := o.likest(x, y, a, b)
	if v.same() && o.versionsApart(a, b) {
		return judgement{j: v.j, apart: VersionsDiffer}
	}
	v.full = v.full || v.same() && sameBodies(a, b)
	return v
}

// likest is compareTexts without VersionsDiffer.
func (o Options) likest(x, y outline, a, b *Text) judgement {
	best := o.compareReadings(x, y, a.reading(), b.reading())
	if best.same() {
		if best.full = sameContent(a, b); best.j == 1 {
			return best
		}
	}
	if c, d := a.framedBy(b), b.framedBy(a); c != nil || d != nil {
		a, b = cmp.Or(c, a), cmp.Or(d, b)
		best = best.or(o.compareReadings(x, y, a.reading(), b.reading()), a, b)
	}
	if !best.same() && areEditions(a, b) {
		if c, d := a.belowMenu(), b.belowMenu(); (c != nil || d != nil) && !(c != nil && d != nil && a.isBelowOtherMenu(b, c, d)) {
			c, d = cmp.Or(c, a), cmp.Or(d, b)
			best = best.or(o.compareReadings(x, y, c.reading(), d.reading()), c, d)
		}
	}
	if !best.same() && slices.Equal(a.reading().title, b.reading().title) {
		if c, d := a.withoutMargin(b), b.withoutMargin(a); c != nil || d != nil {
			c, d = cmp.Or(c, a), cmp.Or(d, b)
			best = best.or(o.compareReadings(x, y, c.reading(), d.reading()), c, d)
		}
		if c, d := withoutForms(a, b); c != nil {
			if best = best.or(o.compareReadings(x, y, c.reading(), d.reading()), c, d); best.same() {
				return best
			}
		}
	}
	if best.j == 1 || !sameLanguage(a.reading(), b.reading()) {
		return best
	}
	alike := slices.Equal(a.reading().title, b.reading().title)
	if (best.same() || !alike) && best.j < doubtful || (&pair{o, x, y, a.reading(), b.reading(), best.j}).differBesideBodies() {
		return best
	}
	if !best.same() && alike && best.j >= doubtful && !listedApart(a, b, best.j) && haveOneBody(a, b) {
		if whole := o.compareReadings(x, y, a.reading().entire(), b.reading().entire()); whole.same() {
			whole.full = true
			return whole
		}
	}
	c, d := a.reading().chosen(), b.reading().chosen()
	switch {
	case c == nil || d == nil:
	case !best.same() && alike && !areEditions(a, b) && (onePost(a, b, c, d) || samePath(a, b) && (sameExceptNotice(c, d) || best.j >= listed && saySame(a, b))):
		return judgement{j: 1, full: true}
	case best.j >= doubtful && !listedApart(a, b, best.j) && c.isMostOf(a) && d.isMostOf(b):
		body := o.compareReadings(x, y, c.reading(), d.reading())
		if body.same() && !codedApart(a, b) && (best.same() || body.j >= allButNamed || sameSubject(a.reading(), b.reading())) {
			return best.or(body, c, d)
		}
	}
	return best
}

// haveOneBody reports whether what the models took for the bodies of two pages is equal, links and what their sites repeat included, and
// says enough: a post at two URLs, of which one has more comments, or was read without the site's template.
func haveOneBody(a, b *Text) bool {
	if len(a.blocks) == 0 || len(b.blocks) == 0 || a.listing || b.listing || a.Bare && b.Bare || len(a.reading().title) < leastTitle {
		return false
	}
	x, y := a.reading().entire().text, b.reading().entire().text
	return x.Body == y.Body && x.plain >= leastWhole
}

// leastWhole is how many tokens outside links equal bodies have at least that make two pages under one title one.
const leastWhole = 50

// differBesideBodies reports whether a pair of pages are two documents by what is outside their bodies: their
// names, their numbers and headings, and what they list and show.
func (p *pair) differBesideBodies() bool {
	a, b := p.a.text, p.b.text
	return p.first(besideBodies) != "" || headedApart(a, b) || pathsApart(p.a, p.b) || a.leadsElsewhere(b) || a.listsBelow(b, p.j)
}

// A judgement is the result of comparing the texts of two pages.
type judgement struct {
	j     float64 // resemblance of the texts, 0 to 1
	apart Rule    // the rule that tells the pages apart; "": they are one document
	full  bool    // they are one document and have the same content
}

// same reports whether the pages are one document.
func (v judgement) same() bool { return v.apart == "" }

// or returns the judgement of another comparison of the same two pages, unless v finds them one
// document and the other does not, or only with a lower resemblance. a and b are the texts of the
// other comparison.
func (v judgement) or(other judgement, a, b *Text) judgement {
	if v.same() && (!other.same() || other.j < v.j) {
		return v
	}
	other.full = v.full || other.same() && sameContent(a, b)
	return other
}

// headedApart reports whether two brief pages of one host with different names in their URLs each have a word in
// the heading that the other page lacks: two events in the life of a person, above the same sources.
func headedApart(a, b *Text) bool {
	if a.Host != b.Host || !a.IsBrief() || !b.IsBrief() || sameName(a, b) {
		return false
	}
	x, y := a.reading(), b.reading()
	return x.heads(y) && y.heads(x)
}

// listedApart reports whether two pages of one host that say little but links, and whose URLs have
// different names, share less than mostlyListed of their text and links: what a shop lists below
// one description.
func listedApart(a, b *Text, j float64) bool {
	return a.Thin && b.Thin && a.Host == b.Host && !sameName(a, b) && j < mostlyListed
}

const mostlyListed = 0.75

// listsBelow reports whether two pages of one host are lists, or one is, and they share less than mostlyListed of their text and links.
// Their bodies may be what stands above the items, or the one item that has more than a title.
func (t *Text) listsBelow(other *Text, j float64) bool {
	return (t.listing || other.listing) && t.Host == other.Host && j < mostlyListed
}

// codedApart reports whether two pages of one host have source code outside their bodies that is
// hardly the same: two functions below one description.
func codedApart(a, b *Text) bool {
	if a.Host != b.Host {
		return false
	}
	beside := func(b *purify.Block) bool { return !b.Chosen && !b.Linked && isSource(b.Text) }
	x, y := a.of(beside, false), b.of(beside, false)
	return min(x.plain, y.plain) >= fewSaid && hashset.Jaccard(x.reading().words, y.reading().words) < saidAlike
}

// isSource reports whether a text is source code: it has a semicolon or an opening brace, and one
// in bytesPerMark of its bytes is a bracket, a semicolon or an equals sign.
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

// heads reports whether a's first heading has a word that b does not have anywhere.
func (a *reading) heads(b *reading) bool {
	return slices.ContainsFunc(a.subject, func(w uint64) bool { return !b.has(w) })
}

// leadsElsewhere reports whether two lists each have many links outside their bodies, and hardly
// the same: what a shop sells, under one description.
func (t *Text) leadsElsewhere(other *Text) bool {
	if !t.listing || !other.listing {
		return false
	}
	x, y := t.aroundBody().reading(), other.aroundBody().reading()
	return min(len(x.words), len(y.words)) >= leastSaid && hashset.Jaccard(x.words, y.words) < saidAlike
}

// onePost reports whether two pages under one title have the same few sentences for their bodies: a
// short post under two URLs, each with comments that are longer than the post. If the models took
// nothing of one page for its body, or took its comments, it is enough that the page has the lines
// of the other's body. Two pages of an index, whose body is one sentence above different links, are
// not one post.
func onePost(a, b, body, other *Text) bool {
	if !titleIsOwn(a, b) || len(a.reading().title) < leastTitle {
		return false
	}
	switch {
	case body.Body == "", samePath(a, b) && body.saidBy(other).Body == "" && a.saidBy(other).Body == other.Body:
		body = a.saidBy(other)
	case other.Body == "", samePath(a, b) && other.saidBy(body).Body == "":
		other = b.saidBy(body)
	}
	return body.prose >= leastPost && body.Body == other.Body && body.listed == other.listed
}

// saySame reports whether two pages that say little have the same text outside links, with a
// sentence in it: a post of one line, of which the models took nothing for the body, next to links
// to other posts.
func saySame(a, b *Text) bool {
	if !a.Thin || !b.Thin || min(a.plain, b.plain) < leastPost || membersApart(a.reading(), b.reading()) {
		return false
	}
	x, y := a.other(), b.other()
	return x.Body == y.Body && x.hasSentence()
}

// titleIsOwn reports whether the title of two pages names the page and not the site: they are of
// two hosts, a line of both says it, or their URLs end in the same name. Otherwise their bodies may
// be a sentence of the site's frame.
func titleIsOwn(a, b *Text) bool { return a.Host != b.Host || a.named && b.named || sameName(a, b) }

// saidBy returns the lines of a page's own text that another body has too.
func (t *Text) saidBy(body *Text) *Text {
	return t.of(body.hasLine(), body.Thin)
}

// hasLine returns a function that reports whether a block is a line of the text.
func (t *Text) hasLine() func(*purify.Block) bool {
	lines := sortedLines(t.Body)
	return func(b *purify.Block) bool {
		_, has := slices.BinarySearch(lines, b.Text)
		return has
	}
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

// samePath reports whether two pages of one host show their titles and have URLs that end in the
// same name, apart from a query.
func samePath(a, b *Text) bool {
	return a.named && b.named && a.Host == b.Host && pageName(a.Name) == pageName(b.Name)
}

// pageName returns the name at the end of a URL's path, without .html. Programs that save a site
// replace the query of a folder's page by four hexadecimal digits: index1e54.html.
func pageName(name string) string {
	stem, _, page := strings.Cut(name, ".htm")
	if query, ok := strings.CutPrefix(stem, "index"); page && ok && len(query) == 4 && strings.Trim(query, "0123456789abcdef") == "" {
		return "index"
	}
	return stem
}

// sameExceptNotice reports whether two bodies are the same short lines except for one sentence that
// each may have alone and that is not longer than the rest: on a page of a shop, what was just put
// into the cart. If both have one, the two sentences must be in the same place: of two lists of
// posts one may have a teaser at its head and the other one at its end. They must also start or end
// with the same words around what they name: of two pages that are translated in part, each has a
// paragraph in its own language. The pages are known to have one title, which a line of both says.
func sameExceptNotice(a, b *Text) bool {
	if min(a.plain, b.plain) < leastNoticed || len(a.reading().title) < leastTitle {
		return false
	}
	x, y := sortedLines(a.Body), sortedLines(b.Body)
	both, alone := 0, [2][]string{} // length of the common lines in bytes; lines that only one side has
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
	if len(alone[0]) == 1 && a.isEntry(alone[0][0], b) || len(alone[1]) == 1 && b.isEntry(alone[1][0], a) {
		return false
	}
	return len(alone[0]) == 0 || len(alone[1]) == 0 || placeOf(alone[0][0], a.Body) == placeOf(alone[1][0], b.Body) && edgesAlike(alone[0][0], alone[1][0]) >= leastEdges
}

// isEntry reports whether a line is below a line of links that the other text lacks: an entry of a list, and what is said of it.
func (t *Text) isEntry(line string, other *Text) bool {
	i := slices.IndexFunc(t.blocks, func(b purify.Block) bool { return b.Text == line })
	return i > 0 && t.blocks[i-1].Linked && !slices.ContainsFunc(other.blocks, func(b purify.Block) bool { return b.Text == t.blocks[i-1].Text })
}

// edgesAlike returns how many bytes two lines have in common at their starts and ends.
func edgesAlike(a, b string) int {
	n := min(len(a), len(b))
	start, end := 0, 0
	for start < n && a[start] == b[start] {
		start++
	}
	for start+end < n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start + end
}

// placeOf returns how many lines of a text precede a line.
func placeOf(line, text string) int { return slices.Index(strings.Split(text, "\n"), line) }

const (
	leastNoticed = 20 // tokens of a body that may have a notice next to it
	leastNotice  = 80 // bytes of a sentence; numbers and names that differ are shorter
	leastEdges   = 20 // bytes that two notices have in common at their starts and ends: "was added to your cart"
)

// The least that two pages must share to be one short post.
const (
	leastTitle = 3  // features of the title
	leastPost  = 12 // tokens of prose in the body

	leastSentence = 30 // bytes of a line that ends as a sentence
)

// doubtful is the resemblance from which two pages are compared by their bodies alone, and from
// which two long pages under one title are compared at all.
const doubtful = 0.4

// listed is the resemblance from which two lists are compared by their items: the name of a tag and
// that of a category can be a quarter of a short list.
const listed = 0.6

const (
	leastSaid = 40  // tokens that a text says at least to be known by them
	fewSaid   = 10  // tokens below which it says almost nothing
	saidAlike = 0.5 // share of their words that two short texts have in common at least to say the same
)

// proseApart reports whether two pages under two titles each have prose of their own, next to a
// much longer text that both have: what customers wrote about a firm, below each of its services.
// It takes ownText tokens of such prose, or one sentence if each text has the name in its title and
// not the other's. Pages of lists are left out: each may have one item that the other lacks. In the folders of two languages
// any other title does: a chapter of which only a part is translated.
func proseApart(a, b *reading) bool {
	if a.text.paged || b.text.paged {
		return false
	}
	if !titledApart(a, b) {
		return !slices.Equal(a.title, b.title) && inTwoLanguages(a.text, b.text) && a.text.sayOtherSentences(b.text, ownText)
	}
	return a.text.sayOtherSentences(b.text, ownText) || namedApart(a, b) && a.text.sayOtherSentences(b.text, leastPost)
}

// sayOtherSentences reports whether two pages each have sentences of at least least tokens that the
// other lacks, and in other words. A section of a law may say two lines itself, next to a list of
// all sections and chapters of the law.
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

// oneShowsMore reports whether one of two pages under two titles shows a text that the other lacks.
func oneShowsMore(a, b *reading) bool {
	return titledApart(a, b) && (a.text.showsMore(b.text) || b.text.showsMore(a.text) || a.text.saysMoreThan(b.text) || b.text.saysMoreThan(a.text))
}

// saysMoreThan reports whether leastSaid of a page's tokens outside links are nowhere on another page, whose URL ends in another
// name: an article and, below it, the names and telephone numbers of those who wrote it. A post says more than the list that
// shows it below its headline, since it has the comments.
func (t *Text) saysMoreThan(other *Text) bool {
	if t.Body == other.Body || len(t.blocks) == 0 || len(other.blocks) == 0 || sameName(t, other) || other.hasHeadline(t.Title) {
		return false
	}
	v, w := signers.Get().(*signer), signers.Get().(*signer)
	defer v.release()
	defer w.release()
	own, theirs := linesOf(t, &v.tokens), linesAnywhere(other, &w.tokens)
	own.without(&theirs)
	more := 0
	for i := range own.list {
		if !own.link(i) {
			more += len(own.list[i].lacks)
		}
	}
	return more >= leastSaid
}

// hasHeadline reports whether a block of the page is a title.
func (t *Text) hasHeadline(title string) bool {
	return title != "" && slices.ContainsFunc(t.blocks, func(b purify.Block) bool { return strings.EqualFold(strings.TrimSpace(b.Text), title) })
}

// showsMore reports whether a page has a text in its body that the other page does not have
// anywhere, and that its site repeats on a part of its pages only: a post that a dozen lists of a
// small blog show whole, but not the list of the other page. Of two lists the first lines of a post are enough, below a title
// that the other lacks, too: a notice on some pages has none.
func (t *Text) showsMore(other *Text) bool {
	more := t.shown()
	if len(more) == 0 {
		return false
	}
	theirs := other.blockTexts()
	more = slices.DeleteFunc(more, func(at int) bool { return theirs[t.blocks[at].Text] })
	if t.textsHave(more, ownText) {
		return true
	}
	if !t.listing || !other.listing {
		return false
	}
	more = slices.DeleteFunc(more, func(at int) bool { return !t.isBelowOwnTitle(at, theirs) })
	return t.textsHave(more, leastSaid)
}

// blockTexts returns the texts of all blocks of the page.
func (t *Text) blockTexts() map[string]bool {
	texts := make(map[string]bool, len(t.blocks))
	for i := range t.blocks {
		texts[t.blocks[i].Text] = true
	}
	return texts
}

// shown returns the blocks of prose in the body of a page that its site repeats on a part of its pages.
func (t *Text) shown() (blocks []int) {
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Chosen && b.Prose && t.isOnSomePages(b) {
			blocks = append(blocks, i)
		}
	}
	return blocks
}

// isBelowOwnTitle reports whether a line between a block of prose and the prose above it, other than the page's own heading, is
// long enough to be the title of a post and is not among some texts.
func (t *Text) isBelowOwnTitle(at int, texts map[string]bool) bool {
	for at--; at >= 0 && !t.blocks[at].Prose; at-- {
		if line := t.blocks[at].Text; len(line) >= leastPostTitle && line != t.Subject && line != t.Head && !texts[line] && strings.ContainsFunc(line, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// leastPostTitle is how many bytes a line has at least that may be a post's title, and not its date or category.
const leastPostTitle = 30

// textsHave reports whether the texts of blocks have so many tokens.
func (t *Text) textsHave(blocks []int, tokens int) bool {
	w := signers.Get().(*signer)
	defer w.release()
	n := 0
	for _, at := range blocks {
		w.tokens.Read(t.blocks[at].Text)
		n += len(w.tokens.Hashes)
	}
	return n > 0 && n >= tokens
}

// isOnSomePages reports whether a block is repeated on some pages of its site, but on less than
// leastFrameShare of them.
func (t *Text) isOnSomePages(b *purify.Block) bool {
	share := 0.0
	for _, site := range t.site {
		share = max(share, site.Share(b))
	}
	return 0 < share && share < leastFrameShare
}

// leastFrameShare is the share of a site's pages from which a repeated block counts as frame, and not as
// a post that lists show.
const leastFrameShare = 0.25

// feedApart reports whether one of two documents is a feed with items and the other is a page that
// the feed does not link to: a shop may describe all of its products in the same words.
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

// leadsTo reports whether a page that says little but links links to the other page.
func (t *Text) leadsTo(other *Text) bool {
	return slices.ContainsFunc(other.ends, func(end uint32) bool { return hashset.Has(t.Lists, end) })
}

// listAlike reports whether two pages still resemble each other when the links in their bodies are
// compared too, if both have many there.
func (o Options) listAlike(a, b *Text) bool {
	x, y := a.withBodyLinks(), b.withBodyLinks()
	return x == nil || y == nil || x.reading().resemblance(y.reading()) >= o.Resemblance
}

// Two lists have the same items if at least leastListed links are in both, and these are sameListed
// of all of theirs.
const (
	leastListed = 3
	sameListed  = 0.9
)

// listsLike reports whether two lists have the same items.
func (t *Text) listsLike(other *Text) bool {
	both := hashset.Common(t.Lists, other.Lists)
	return both >= leastListed && float64(both) >= sameListed*float64(len(t.Lists)+len(other.Lists)-both)
}

// manyItems is how many items a list must have that another lacks to be another list, if the two have different names. Nine in
// ten links may be the same because both have a long menu.
const manyItems = 5

// listsMany reports whether a list has at least manyItems that another lacks.
func (t *Text) listsMany(other *Text) bool {
	return len(t.Lists)-hashset.Common(t.Lists, other.Lists) >= manyItems
}

// saysLike reports whether two lists have one subject, or say the same outside links except for
// their names: two tags of the same posts. Two classes may link to the same base classes, and yet
// have members of their own.
func (a *reading) saysLike(b *reading) bool {
	var names []uint64
	switch {
	case areEditions(a.text, b.text): // of one name, which is no difference
	case sameSubject(a, b):
		return true
	default:
		names = hashset.Of(slices.Concat(a.title, a.segment, b.title, b.segment))
	}
	said := func(r *reading) []uint64 {
		return slices.DeleteFunc(r.text.other().reading().words, func(w uint64) bool { return hashset.Has(names, w) })
	}
	return hashset.Jaccard(said(a), said(b)) >= sameListed
}

// listOther reports whether the whole bodies of two lists of one host and two subjects, with their links and what the site repeats, have
// little in common. What else they share is a long menu of a part of the site, of which the site's template does not know yet.
func listOther(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != y.Host || !x.listing || !y.listing || x.Bare || y.Bare || sameSubject(a, b) || x.Name == y.Name {
		return false
	}
	c, d := a.entire(), b.entire()
	return min(len(c.shingles), len(d.shingles)) >= leastEntire && c.resemblance(d) < doubtful
}

// listsApart reports whether two pages of two subjects list items of which less than half are the
// same: two months of a blog next to a menu that only the blog's lists have. The site's template
// learns that menu only once some of the lists are kept, since copies add little to it.
//
// For two pages of paged lists the subject does not matter. If they resemble each other by
// Options.Siblings and one has all items of the other, they are not told apart: the models may take
// the titles for the body at one URL of a page of posts, and not at the other.
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

// entriesApart reports whether two pages of one host and folder, and under one title, whose URLs differ only in digits or behind the
// question mark, each have lines of their own outside links in their bodies, and link to a page to which the other does not: two lists of one
// form. Most of what they have in common may be a menu that only this form has.
func entriesApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && x.folder == y.folder && x.Thin && y.Thin && slices.Equal(a.title, b.title) && len(a.title) > 0 &&
		naming.WithoutDigits(x.Name) == naming.WithoutDigits(y.Name) && len(x.ends) > 0 && len(y.ends) > 0 && x.ends[0] != y.ends[0] &&
		x.listsMore(y) && y.listsMore(x) && x.saysMore(y) && y.saysMore(x)
}

// partsApart reports whether two lists of one folder and under one title, at least one of which is one of several pages of a list, have one file
// but for digits, and each has someItems lines of links, or in its body, that the other lacks: pages 3 and 7 of a list of tags next to a box of
// all tags, or a page with two lists, of which one is turned.
func partsApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != y.Host || x.folder != y.folder || !x.listing || !y.listing || !x.paged && !y.paged || !slices.Equal(a.title, b.title) ||
		fileOf(x.Name) != fileOf(y.Name) || len(x.ends) == 0 || len(y.ends) == 0 || x.ends[0] == y.ends[0] {
		return false
	}
	isEntry := func(b *purify.Block) bool { return b.Chosen || b.Linked }
	return min(x.linesBeyond(y, someItems, isEntry), y.linesBeyond(x, someItems, isEntry)) == someItems
}

// fileOf returns the name at the end of a URL without digits, and without the query that programs which save a site write into it.
func fileOf(name string) string {
	name, _, _ = strings.Cut(name, "?")
	return naming.WithoutDigits(name)
}

// listsBelowFrame reports whether one of two pages of one host has many links that the other lacks, or each has some, and the title of
// both is the site's, and no line says it. What they have in common may be the long frame of a part of the site, and the links are what
// the page lists.
func listsBelowFrame(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != y.Host || !slices.Equal(a.title, b.title) || titleIsOwn(x, y) || !x.sharesTitle() || !y.sharesTitle() ||
		pageName(x.Name) == pageName(y.Name) && !(x.paged && y.paged && x.folder != y.folder) {
		return false
	}
	mine, theirs := x.itemsBeyond(y), y.itemsBeyond(x)
	return max(mine, theirs) >= manyItems || min(mine, theirs) >= someItems
}

// listsOthers reports whether one of two pages of one host is a list and the other a post, and the list does not link to the post: what it
// shows is a post with nearly the same words.
func listsOthers(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && !sameSubject(a, b) && (x.listsNot(y) || y.listsNot(x))
}

// listsNot reports whether the page is a list without a link to another page that is in a folder of a month or day, as posts are.
func (t *Text) listsNot(post *Text) bool {
	_, day := cutLast(post.folder)
	if !t.listing || post.listing || !isDay(day) || !strings.ContainsFunc(post.Name, unicode.IsLetter) {
		return false
	}
	to := t.whereTo()
	return len(to.pages) > 0 && len(post.ends) > 0 && !slices.ContainsFunc(post.ends, func(end uint32) bool { return hashset.Has(to.pages, end) }) &&
		!hashset.Has(to.destinations, destinationHash(destination(post.Name, "", "")))
}

// isDay reports whether a folder is that of a month or day.
func isDay(folder string) bool {
	return len(folder) == len("31") && strings.Trim(folder, "0123456789") == ""
}

// sharesTitle reports whether the title of a page is one that its site repeats.
func (t *Text) sharesTitle() bool {
	return slices.ContainsFunc(t.site, func(site *purify.Template) bool { return site.HasTitle(t.Title) })
}

// someItems is how many items each of two lists must have that the other lacks; see manyItems.
const someItems = 2

// itemsBeyond returns how many lines of links a page has that the other lacks, and lacks with other numbers, too; up to manyItems.
func (t *Text) itemsBeyond(other *Text) int {
	return t.linesBeyond(other, manyItems, func(b *purify.Block) bool { return b.Linked })
}

// linesBeyond returns how many of some lines that are compared a page has that the other lacks, and lacks with other numbers, too; up to most.
func (t *Text) linesBeyond(other *Text, most int, some func(*purify.Block) bool) int {
	theirs := other.unnumberedLines()
	own := 0
	for i := range t.blocks {
		b := &t.blocks[i]
		if !some(b) || t.isExcluded(i) {
			continue
		}
		if line := withoutNumbers(b.Text); !theirs[line] && strings.ContainsFunc(line, unicode.IsLetter) {
			theirs[line] = true
			if own++; own == most {
				break
			}
		}
	}
	return own
}

// unnumberedLines returns the lines of a page without the words that have a digit.
func (t *Text) unnumberedLines() map[string]bool {
	lines := make(map[string]bool)
	for i := range t.blocks {
		lines[withoutNumbers(t.blocks[i].Text)] = true
	}
	return lines
}

// saysMore reports whether the body of a page has at least leastEntry lines outside links that another page lacks, and lacks with
// other numbers, too; one line if the two are later pages of one list, whose entries may be long below a long menu.
func (t *Text) saysMore(other *Text) bool {
	least := leastEntry
	if pagesOfOneList(t, other) {
		least = 1
	}
	return t.linesBeyond(other, least, func(b *purify.Block) bool { return b.Chosen && !b.Linked }) == least
}

// leastEntry is how many lines of its own an entry of a list has at least, with its name or that of the list. A page for phones may
// differ in one.
const leastEntry = 2

// repeatedItemsApart reports whether two pages of one host are a later page of a list and another page of a list, and
// list other items that the site repeats: the second page of a small shop by price, and by name. The few products of
// such a shop are in most of its lists and so in its template, and the lists are compared without them.
//
// The items are the lines of links in what the models took for the bodies. Which of these are items that both lists have,
// and not a menu of both, is told by where they stand: between two that only one list has.
func repeatedItemsApart(a, b *reading) bool {
	x, y := a.text, b.text
	lists := (x.listing || x.isLaterPage()) && (y.listing || y.isLaterPage())
	if x.Host != y.Host || !lists || !x.isLaterPage() && !y.isLaterPage() || x.Bare || y.Bare {
		return false
	}
	mine, both := x.repeatedItems(y)
	others, too := y.repeatedItems(x)
	return (min(mine, others) > 0 || max(mine, others) >= manyItems) && max(both, too) < mine+others
}

// repeatedItems returns how many lines of links in its body a list has that the site repeats and another list lacks, and how
// many lines of links stand between these that both lists have. Lines that a list has more than once are labels.
func (t *Text) repeatedItems(other *Text) (own, both int) {
	theirs, times := other.blockTexts(), make(map[string]int)
	for i := range t.blocks {
		times[t.blocks[i].Text]++
	}
	between := 0
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case !b.Chosen || !b.Linked || times[b.Text] > 1 || !strings.ContainsFunc(b.Text, unicode.IsLetter):
		case theirs[b.Text]:
			between++
		case t.isExcluded(i):
			if own++; own > 1 {
				both += between
			}
			between = 0
		}
	}
	return own, both
}

// hasParagraph returns a function that reports whether a block is one of the page's blocks of prose that are compared.
func (t *Text) hasParagraph() func(*purify.Block) bool {
	texts := make(map[string]bool)
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Prose && !t.isExcluded(i) {
			texts[b.Text] = true
		}
	}
	return func(b *purify.Block) bool { return texts[b.Text] }
}

// saysAndLists reports whether two pages under one title say almost nothing, in the same words, and
// have the same links in their bodies. What differs are links outside their bodies, such as the one
// to the manual's first page, which is different in each layout.
func (a *reading) saysAndLists(b *reading) bool {
	x, y := a.text, b.text
	return x.Thin && y.Thin && len(x.blocks) > 0 && len(y.blocks) > 0 &&
		x.Links == y.Links && x.Links != 0 && len(a.title) > 0 && slices.Equal(a.title, b.title) &&
		slices.Equal(x.other().reading().words, y.other().reading().words)
}

// linesOf reports whether two texts are the same lines in another order: two versions of a brief
// page whose layouts have the links to the next and the previous page before its body and after it.
func (t *Text) linesOf(other *Text) bool {
	return len(t.Body) == len(other.Body) && slices.Equal(sortedLines(t.Body), sortedLines(other.Body))
}

// saysExceptVersions reports whether two pages of one host with one title and one name say the same but for versions: short
// pages of two versions of a manual, each below a line that says which version it is of, and which is the latest.
func (a *reading) saysExceptVersions(b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && sameName(x, y) && len(a.title) > 0 && slices.Equal(a.title, b.title) && slices.Equal(x.unversioned(), y.unversioned())
}

// fewVersions is how many other tokens a text has for each version if these only say which version it is of: a list of all
// versions says nothing else.
const fewVersions = 5

// unversioned returns the tokens of a text without versions, or with them if they are many.
func (t *Text) unversioned() []uint64 {
	w := signers.Get().(*signer)
	defer w.release()
	t.readBody(&w.tokens)
	list := make([]uint64, 0, len(w.tokens.Hashes))
	for i, hash := range w.tokens.Hashes {
		if w.tokens.Sorts[i] != token.Version {
			list = append(list, hash)
		}
	}
	if versions := len(w.tokens.Hashes) - len(list); versions*fewVersions > len(list) {
		return append(list[:0], w.tokens.Hashes...)
	}
	return list
}

func sortedLines(s string) []string { return slices.Sorted(strings.SplitSeq(s, "\n")) }

// listsTheSame reports whether two pages have the same words, some of them in links. Lists of posts
// that each page of their site links to have no links left of their own, so that their links can't
// be compared.
func (a *reading) listsTheSame(b *reading) bool {
	return a.text.Thin && b.text.Thin && slices.Equal(a.words, b.words) && a.text.comparesLinks() && b.text.comparesLinks()
}

// comparesLinks reports whether a line of links is among those that are compared.
func (t *Text) comparesLinks() bool {
	has := t.hasLine()
	return slices.ContainsFunc(t.blocks, func(b purify.Block) bool { return b.Linked && has(&b) })
}

// sayAlike reports whether two pages that are compared with their links resemble each other without
// these too, if they say enough to tell.
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

// saysElse reports whether two pages of one host and two subjects each have sentences that the
// other lacks.
func (t *Text) saysElse(other *Text) bool {
	return t.Host == other.Host && !sameSubject(t.reading(), other.reading()) && t.sayOtherSentences(other, fewSaid)
}

// mayShareMenu reports whether what two pages that say little have in common may be a menu: they are
// of one host and have different names in their URLs, or they have two subjects and either one links
// to the other or they link to different pages.
func (t *Text) mayShareMenu(other *Text) bool {
	if t.Host == other.Host && !sameName(t, other) {
		return true
	}
	return !sameSubject(t.reading(), other.reading()) && (t.Links != other.Links || t.leadsTo(other) || other.leadsTo(t))
}

// oneBody reports whether two pages with one body are one document by the rules that tell equal texts apart.
func (o Options) oneBody(x, y outline, a, b *reading) bool {
	p := pair{o: o, x: x, y: y, a: a, b: b, j: 1}
	return p.first(conditions) == ""
}

// surroundingsAgree reports whether titles, languages and links support that two bodies that resemble each
// other are one document. It is for pages whose common text may be a part of their site's frame.
// The first case that applies decides; see the comments there. Two pages of one site share its
// frame until the site's template is learned; its first pages are compared again then.
func (o outline) surroundingsAgree(other outline, a, b *reading) bool {
	x, y := a.text, b.text
	oneHost, least := x.Host == y.Host, min(o.tokens, other.tokens)
	subject := o.around(other) || sameSubject(a, b)
	bare, links := x.bare() && y.bare(), x.Links == y.Links || x.hasLinksOf(y)
	some := links && (x.Links != 0 || y.Links != 0)
	same := links && a.listsTheSame(b)
	lists := x.listing && y.listing
	switch {
	// What they share says nothing of what their titles name, and is no list: two tags of the same posts are one.
	case oneHost && !(lists && same) && titledApart(a, b) && (a.silent && b.isAbout(a) || b.silent && a.isAbout(b)):
		return false
	// The frame of a part of their site may be in their texts, and their names differ.
	case oneHost && (x.isEarly() || y.isEarly()) && namesAnother(a, b):
		return false
	// The same for prose that is on all pages that the site's template was learned from.
	case oneHost && (x.isFirst() || y.isFirst()) && titledApart(a, b) && !sameName(x, y):
		return false
	// Without a template both texts have the frame of the site. They need one subject and the same
	// links, or either of these if both have much prose.
	case bare && oneHost:
		named, prose := x.Title == y.Title || sameSubject(a, b), min(x.prose, y.prose) >= ownText
		return sameLanguage(a, b) && (named && links || prose && (named || links))
	// At least one text has a frame, and the texts are short. If that supports one document, the cases below decide.
	case (x.bare() || y.bare()) && least < ownText && !(subject && sameLanguage(a, b) && (links || !bare)):
		return false
	// Brief bodies need one language, and one subject or, if no line of the pages says their titles, the same list: two tags of the
	// same posts differ only in their title. So do two examples below one sentence, so that what is no list by its view says almost
	// nothing outside it.
	case least < briefBody:
		return (subject || (some || same) && (lists || max(x.plain, y.plain) < fewSaid) && !x.named && !y.named) && (sameLanguage(a, b) || writtenAlike(a, b) || sayOneSentence(a, b))
	// What they share may be the frame of a part of their site.
	case !some && !(lists && same) && !sameSubject(a, b) && !sameName(x, y) && !sayAllAlike(a, b) && x.frameAlike(y):
		return false
	}
	return subject
}

// hasLinksOf reports whether two thin pages that say the same, in links and outside, link to the same
// pages: each links to all pages to which the other links from its body, be it from its own body or not.
// What is a page's body depends on the template that it was read with, and two tags of one post may have
// been read with two.
func (t *Text) hasLinksOf(other *Text) bool {
	return t.Thin && other.Thin && !t.Bare && !other.Bare && t.Body == other.Body && t.leadsToAll(other.Lists) && other.leadsToAll(t.Lists)
}

func (t *Text) leadsToAll(pages []uint32) bool {
	own := t.whereTo().pages
	return !slices.ContainsFunc(pages, func(to uint32) bool { return !hashset.Has(own, to) })
}

// sayAllAlike reports whether two pages, one of which has no title, say exactly the same outside
// links, and more than a frame does: a program's source under two URLs.
func sayAllAlike(a, b *reading) bool {
	return (len(a.title) == 0 || len(b.title) == 0) && min(a.text.plain, b.text.plain) >= ownText && slices.Equal(a.shingles, b.shingles)
}

// oneReference reports whether two reference pages of one host are of one thing by their titles and
// the ends of their URLs: a class in two versions of a manual. One version may have the names of
// the class's members within their descriptions, and the other each name as a link of its own,
// which is not compared.
func oneReference(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && sameName(x, y) && (x.isReference() || y.isReference()) &&
		slices.ContainsFunc(a.segment, func(w uint64) bool { return hashset.Has(a.title, w) && hashset.Has(b.title, w) })
}

// ofTwoVersions reports whether two pages are of one thing by their titles and the ends of their URLs, and say enough for their whole
// bodies to be compared: a page in two versions of a manual. Pages of a list are not.
func ofTwoVersions(a, b *reading) bool {
	return sameName(a.text, b.text) && sameSubject(a, b) && !a.text.paged && !b.text.paged &&
		min(len(a.entire().shingles), len(b.entire().shingles)) >= leastEntire
}

// isWithin reports whether nearly all lines that are compared of a page are blocks of another one, which may have them from its site.
func (t *Text) isWithin(other *Text) bool {
	texts, within, all := other.blockTexts(), 0, 0
	for line := range strings.SplitSeq(t.Body, "\n") {
		if all += len(line); texts[line] {
			within += len(line)
		}
	}
	return all > 0 && float64(within) >= mostWithin*float64(all)
}

// mostWithin is the share of a text, by its bytes, that is nearly all of it.
const mostWithin = 0.8

// leastEntire is how many runs of words a whole body has at least that is compared with that of another version. A comment
// or the time of the last change is half of a shorter one.
const leastEntire = 30

// sameArticle is the resemblance from which two bodies are one article, whatever is next to them.
const sameArticle = 0.9

// mostlyWritten is the resemblance of whole bodies below which two versions of a page that is no reference are two, whatever is left of them
// without what the site repeats: what each of many functions takes stands on the pages of all, so that nothing of it is compared.
const mostlyWritten = 0.75

// versionsApart reports whether two versions of a page differ in what is not compared otherwise, such as the links in their bodies: neither
// their whole bodies nor their own texts with all links resemble each other. They may have one article next to links that change, of
// which one page may have the site's footer in its body, or a notice of what was put into a shop's cart. If their bodies have little in
// common, the models took two parts of one page.
func (o Options) versionsApart(a, b *Text) bool {
	r, s := a.reading(), b.reading()
	if a.Bare || b.Bare || len(a.blocks) == 0 || len(b.blocks) == 0 || !ofTwoVersions(r, s) {
		return false
	}
	bodies := r.entire().resemblance(s.entire())
	if bodies < doubtful || bodies >= o.Resemblance {
		return false
	}
	if areEditions(a, b) && bodies < mostlyWritten && !a.isReference() && !b.isReference() {
		return true
	}
	if r.linked().resemblance(s.linked()) >= o.Resemblance {
		return false
	}
	x, y := r.chosen(), s.chosen()
	article := min(x.prose, y.prose) >= ownText && !a.isReference() && !b.isReference() && x.reading().resemblance(y.reading()) >= sameArticle
	if article || x.Body != y.Body && sameExceptNotice(x, y) {
		return false
	}
	c, d := cmp.Or(a.framedBy(b), a), cmp.Or(b.framedBy(a), b)
	if a.Host != b.Host && areShort(a, b) {
		c, d = c.withoutForms(), d.withoutForms()
	}
	return c == a && d == b || c.reading().linked().resemblance(d.reading().linked()) < o.Resemblance
}

// sameName reports whether the URLs of two pages end in the same name, as those of two versions of
// a page do. A folder's index has no name.
func sameName(a, b *Text) bool {
	name := pageName(a.Name)
	return name == pageName(b.Name) && name != "" && name != "index"
}

// frameAlike reports whether what two pages of one site have in common may be the frame of a part
// of it that the site's template does not have: one of them says less than ownText in prose, and if
// both have little but links, their lists are not nearly the same, or not known since a page is bare.
func (t *Text) frameAlike(other *Text) bool {
	if t.Host == "" || t.Host != other.Host || len(t.blocks) == 0 || len(other.blocks) == 0 || min(t.prose, other.prose) >= ownText {
		return false
	}
	if !t.Thin || !other.Thin || t.fixed || other.fixed || t.Bare || other.Bare {
		return true
	}
	if len(t.Lists) == 0 || len(other.Lists) == 0 {
		return min(t.plain+t.listed, other.plain+other.listed) < leastSaid // most of the rest is outside their bodies
	}
	both := hashset.Common(t.Lists, other.Lists)
	return float64(both) < sameListed*float64(len(t.Lists)+len(other.Lists)-both)
}

// decides reports whether an equal body is enough for two pages to be one document. For a page of a
// site it is if the body has no frame in it, has ownText tokens of prose and shows no pictures, the page shows no posts that its
// site repeats, as lists do, and it is not called by the name of something in a program, or by signs: others may inherit all that it says.
func (t *Text) decides() bool {
	if t.stub != nil {
		return t.stub.decides
	}
	switch {
	case t.bare() || t.isLaterPage() || t.listing && t.textsHave(t.shown(), leastSaid):
		return false
	case t.Host == "" || len(t.blocks) == 0:
		return true
	}
	return len(t.pictures) == 0 && t.prose >= ownText && t.titledName() == "" && naming.SignOf(t.Title) == "" && naming.NetName(t.Name, t.Title) == "" &&
		!t.isEarly() && !t.isFirst() && !(t.mayBeSilent() && t.reading().silent)
}

// IsBrief reports whether a page says so little outside links that all of it may be a frame.
func (t *Text) IsBrief() bool { return t.plain < mostNamed }

// isEarly reports whether a brief page was read with a template of fewer than fewPages pages, so
// that the frame of a part of its site may still be in its text.
func (t *Text) isEarly() bool {
	return t.IsBrief() && !t.Bare && len(t.site) > 0 && !slices.ContainsFunc(t.site, func(s *purify.Template) bool { return s.Pages() >= fewPages })
}

// WasEarly reports whether a page was compared when too little was known of what its site repeats for
// a brief text to be trusted, and enough is known now.
func WasEarly(view *purify.DocView, site *purify.Template) bool {
	return purify.PagesOf(view.Template) < fewPages && site.Pages() >= fewPages
}

// isFirst reports whether a page was read with a template of fewer than firstPages pages, which may
// still lack prose that all pages of the site have.
func (t *Text) isFirst() bool {
	return !t.Bare && len(t.site) > 0 && !slices.ContainsFunc(t.site, func(s *purify.Template) bool { return s.Pages() >= firstPages })
}

// firstPages is how many pages of a host make its third template.
const firstPages = 8

// fewPages is how many pages of a host make its template reliable: it has a frame that one page in
// five has by then.
const fewPages = 22

// bare reports whether a page of a site was read without a template, so that a frame may be in its
// text.
func (t *Text) bare() bool { return t.Bare && t.Host != "" }

// sameLanguage reports whether two pages declare one language, or one of them declares none.
func sameLanguage(a, b *reading) bool { return a.lang == "" || b.lang == "" || a.lang == b.lang }

// writtenAlike reports whether the lines of two pages are recognised as one language.
func writtenAlike(a, b *reading) bool {
	in := a.writtenIn()
	return in != "" && in == b.writtenIn()
}

// sayOneSentence reports whether two pages say the same, and a sentence: it is in one language, whatever is recognised or declared. A
// banner on one of two mirrors may be longer than a page below it.
func sayOneSentence(a, b *reading) bool {
	return slices.Equal(a.shingles, b.shingles) && a.text.hasSentence()
}

// compareSketches is compareReadings for pages whose texts are not known. equal is how many values of their
// sketches agree.
func (o Options) compareSketches(a, b outline, equal int) judgement {
	found := judgement{j: sketch.Resemblance(equal)}
	switch {
	case equal < o.least(min(a.tokens, b.tokens) < shortBody):
		found.apart = TextsDiffer
	case !a.around(b):
		found.apart = ContextDiffers
	case a.facts.apart(b.facts):
		found.apart = TitlesNameTwo
	}
	return found
}
