package purify

import (
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// A feature is one yes-or-no statement about a block. The statements that hold
// for a block are what its score is summed from.
type feature uint16

const (
	lengths   = 8 // bytes of a block in steps: see lengthStep
	densities = 4 // share of a block inside links: see linkStep
	grids     = lengths * densities
	stands    = 7 // groups of elements: see stand
	guesses   = 5 // kinds of page: see guess
)

const (
	isAny       feature = iota
	isParagraph         // what element the block stands in
	isItem
	isH1
	isH2
	isH3
	isH4
	isCell
	isTerm
	isDefinition
	isPre
	isQuote
	isDiv
	isSectioning
	isCaption
	isButton
	isSummary
	isElse
	endsSentence // how it reads
	endsColon
	asks
	manyDigits
	capitalised
	signs
	boilerWord
	boilerWords
	oneComma
	someCommas
	manyCommas
	longWords
	repeated
	afterHeading // what stands beside it
	beforeHeading
	sameParentAsPrev
	sameParentAsNext
	outsideMain // where it stands
	outsideArticle
	noMainOrArticle
	noH1
	beforeH1
	justAfterH1
	afterH1
	farAfterH1
	pageTiny // on what page
	pageSmall
	pageLarge
	pageLinked
	pageHalfLinked
	isLongest
	featureGrid     // length step and link step of the block
	featurePrev     = featureGrid + grids
	featureNext     = featurePrev + grids + 1
	featurePlace    = featureNext + grids + 1 // tenth of the page's text
	featureShare    = featurePlace + 10       // of the page's plain text in the parent: none to all
	featureAround   = featureShare + 5        // share of links in the parent
	featureAbove    = featureAround + 4       // the same for the grandparent
	featureUncle    = featureAbove + 5
	featureStand    = featureUncle + 4                  // element and grid together
	featureKind     = featureStand + stands*grids       // kind of page and element
	featureKindSize = featureKind + guesses*stands      // kind of page and length
	featureHints    = featureKindSize + guesses*lengths // hints of all ancestors
	featureNear     = featureHints + hintCount
	featureCount    = featureNear + hintCount
)

// lengthStep puts a number of bytes into one of eight steps. Bytes and not
// characters: a Chinese character says as much as three Latin letters.
func lengthStep(n int) int {
	switch {
	case n < 12:
		return 0
	case n < 25:
		return 1
	case n < 50:
		return 2
	case n < 100:
		return 3
	case n < 180:
		return 4
	case n < 350:
		return 5
	case n < 700:
		return 6
	}
	return 7
}

// linkStep puts the share of linked bytes into one of four steps.
func linkStep(linked, all int) int {
	switch {
	case linked == 0:
		return 0
	case linked*4 < all:
		return 1
	case linked*5 < all*4:
		return 2
	}
	return 3
}

// shareStep puts a share into one of five steps.
func shareStep(part, all int) int {
	switch {
	case part*20 < all:
		return 0
	case part*5 < all:
		return 1
	case part*5 < all*2:
		return 2
	case part*10 < all*7:
		return 3
	}
	return 4
}

func (b *block) size() int { return int(b.to - b.from) }

func (b *block) grid() int {
	return lengthStep(b.size())*densities + linkStep(int(b.linked), b.size())
}

// A census is what the features need to know of the whole page.
type census struct {
	plain   []int32          // bytes outside links, by node, with all nodes below
	linked  []int32          // bytes inside links, by node, with all nodes below
	h1      int              // the first h1 block, or -1
	main    bool             // there is text in main
	article bool             // there is text in article
	longest int32            // bytes of the longest block that is not linked
	guess   int              // what kind of page its containers speak of
	sums    []uint64         // hashes of the blocks' texts
	seen    map[uint64]int32 // how often each occurs
}

func (o *outline) count() *census {
	c := &o.census
	c.seen = emptied(c.seen)
	*c = census{plain: zeroed(c.plain, len(o.nodes)), linked: zeroed(c.linked, len(o.nodes)), h1: -1, sums: zeroed(c.sums, len(o.blocks)), seen: c.seen}
	inMainBytes, inArticleBytes, all := 0, 0, 0
	for i := range o.blocks {
		b := &o.blocks[i]
		plain := int32(b.size()) - b.linked
		c.plain[b.node] += plain
		c.linked[b.node] += b.linked
		if b.tag == tagH1 && c.h1 < 0 {
			c.h1 = i
		}
		all += int(plain)
		if b.hints&inMain != 0 {
			inMainBytes += int(plain)
		}
		if b.hints&inArticle != 0 {
			inArticleBytes += int(plain)
		}
		c.longest = max(c.longest, plain)
		c.sums[i] = xxhash.Sum64(o.text[b.from:b.to])
		c.seen[c.sums[i]]++
	}
	for i := len(o.nodes) - 1; i > 0; i-- {
		c.plain[o.nodes[i].parent] += c.plain[i]
		c.linked[o.nodes[i].parent] += c.linked[i]
	}
	c.main = inMainBytes > 200 && inMainBytes*10 > all
	c.article = inArticleBytes > 200 && inArticleBytes*10 > all
	c.guess = o.guess()
	return c
}

// zeroed returns a slice of n zeros, in the memory of another if that is enough.
func zeroed[T any](room []T, n int) []T {
	if cap(room) < n {
		return make([]T, n)
	}
	room = room[:n]
	clear(room)
	return room
}

// guess puts a page into one of a few kinds by the words of its containers.
func (o *outline) guess() int {
	forum, shop, cards := o.says(saysForum|saysReply), o.says(saysShop), o.says(saysCard)
	switch {
	case forum > 25 && forum*2 > shop:
		return 1
	case shop > 40:
		return 2
	case cards > 20:
		return 3
	case o.says(saysDocs|saysToc|saysCode) > 12:
		return 4
	}
	return 0
}

// stand puts an element into one of a few groups.
func (t tag) stand() int {
	switch {
	case t == tagP:
		return 0
	case t == tagLi:
		return 1
	case t.heading():
		return 2
	case t == tagTd || t == tagTh || t == tagDt || t == tagDd:
		return 3
	case t == tagDiv:
		return 4
	case t == tagPre || t == tagBlockquote:
		return 5
	}
	return 6
}

// boiler are words of which a page's frame is made.
var boiler = newWordTrie(map[string]hints{
	"cookie": 1, "subscribe": 1, "newsletter": 1, "sign.": 1, "log.": 1, "login": 1, "register": 1,
	"share.": 1, "facebook": 1, "twitter": 1, "linkedin": 1, "instagram": 1, "youtube": 1, "pinterest": 1, "whatsapp": 1, "privacy": 1,
	"terms.": 1, "copyright": 1, "reserved": 1, "menu.": 1, "skip.": 1, "search.": 1, "advertisement": 1,
	"related.": 1, "previous.": 1, "next.": 1, "comments.": 1, "reply.": 1, "cart.": 1, "checkout": 1, "wishlist": 1,
	"javascript": 1, "browser.": 1, "read.": 1, "load.": 1, "view.": 1, "see.": 1, "learn.": 1, "shop.": 1, "buy.": 1,
	"click.": 1, "download": 1, "print.": 1, "email.": 1, "contact.": 1, "home.": 1, "toggle.": 1, "close.": 1,
	"loading": 1, "password": 1, "account.": 1, "min.": 1, "shipping": 1, "returns.": 1, "add.": 1, "quantity": 1,
	"posted.": 1, "published.": 1, "updated.": 1, "author.": 1, "tags.": 1, "category.": 1, "categories.": 1, "views.": 1, "likes.": 1,
})

// A reading is what a block's characters say of it.
type reading struct {
	commas, digits, words, capitals int
	sign                            bool
	last                            rune
}

// readBlock looks at no more than the first 2,000 bytes of a block.
func readBlock(text []byte) reading {
	var r reading
	r.last, _ = utf8.DecodeLastRune(text)
	text = text[:min(len(text), 2000)]
	starts := true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == ' ':
				starts = true
				continue
			case c == ',' || c == ';':
				r.commas++
			case c >= '0' && c <= '9':
				r.digits++
			case c == '|':
				r.sign = true
			}
			if starts {
				r.words++
				if c >= 'A' && c <= 'Z' {
					r.capitals++
				}
			}
			starts = false
			continue
		}
		ru, n := utf8.DecodeRune(text[i:])
		i += n
		switch ru {
		case '，', '、', '；', '。':
			r.commas++
		case '©', '»', '«', '›', '·', '•', '→', '®', '™', '▼', '▾', '×':
			r.sign = true
		}
		if starts {
			r.words++
			if unicode.IsUpper(ru) {
				r.capitals++
			}
		}
		starts = false
	}
	return r
}

// boilerCount counts the words of boiler in a block of no more than 200 bytes.
func boilerCount(text []byte) int {
	if len(text) > 200 {
		return 0
	}
	n := 0
	starts := true
	for i, c := range text {
		if starts && letter(c) && boiler.starts(text[i:]) {
			n++
		}
		starts = c == ' '
	}
	return n
}

var tagFeature = [tagCount]feature{
	tagP: isParagraph, tagLi: isItem, tagH1: isH1, tagH2: isH2, tagH3: isH3, tagH4: isH4, tagH5: isH4, tagH6: isH4,
	tagTd: isCell, tagTh: isCell, tagDt: isTerm, tagDd: isDefinition, tagPre: isPre, tagBlockquote: isQuote,
	tagDiv: isDiv, tagSection: isSectioning, tagArticle: isSectioning, tagMain: isSectioning, tagBody: isSectioning,
	tagFigcaption: isCaption, tagFigure: isCaption, tagButton: isButton, tagSummary: isSummary,
}

// features appends what holds for the i-th block.
func (o *outline) features(to []feature, c *census, i int) []feature {
	b := &o.blocks[i]
	set := func(f feature, when bool) {
		if when {
			to = append(to, f)
		}
	}
	to = append(to, isAny)
	if f := tagFeature[b.tag]; f != 0 {
		to = append(to, f)
	} else {
		to = append(to, isElse)
	}
	text := o.text[b.from:b.to]
	r := readBlock(text)
	set(endsSentence, r.last == '.' || r.last == '!' || r.last == '。' || r.last == '！' || r.last == '”' || r.last == '"')
	set(endsColon, r.last == ':' || r.last == '：')
	set(asks, r.last == '?' || r.last == '？')
	set(manyDigits, r.digits*4 > len(text))
	set(capitalised, r.words > 1 && r.capitals*3 > r.words*2)
	set(signs, r.sign)
	boilers := boilerCount(text)
	set(boilerWord, boilers == 1)
	set(boilerWords, boilers > 1)
	set(oneComma, r.commas == 1)
	set(someCommas, r.commas > 1 && r.commas < 5)
	set(manyCommas, r.commas >= 5)
	set(longWords, r.words > 0 && len(text)/r.words > 8)
	set(repeated, c.seen[c.sums[i]] > 1)

	to = append(to, featureGrid+feature(b.grid()),
		featureStand+feature(b.tag.stand()*grids+b.grid()),
		featureKind+feature(c.guess*stands+b.tag.stand()),
		featureKindSize+feature(c.guess*lengths+lengthStep(b.size())))
	prev, next := feature(grids), feature(grids)
	if i > 0 {
		p := &o.blocks[i-1]
		prev = feature(p.grid())
		set(afterHeading, p.tag.heading())
		set(sameParentAsPrev, o.nodes[p.node].parent == o.nodes[b.node].parent)
	}
	if i+1 < len(o.blocks) {
		n := &o.blocks[i+1]
		next = feature(n.grid())
		set(beforeHeading, n.tag.heading())
		set(sameParentAsNext, o.nodes[n.node].parent == o.nodes[b.node].parent)
	}
	to = append(to, featurePrev+prev, featureNext+next)
	to = append(to, featurePlace+feature(min(9, int(b.from)*10/len(o.text))))

	set(outsideMain, c.main && b.hints&inMain == 0)
	set(outsideArticle, c.article && b.hints&inArticle == 0)
	set(noMainOrArticle, !c.main && !c.article)
	switch {
	case c.h1 < 0:
		to = append(to, noH1)
	case i < c.h1:
		to = append(to, beforeH1)
	case i < c.h1+4:
		to = append(to, justAfterH1)
	case i < c.h1+60:
		to = append(to, afterH1)
	default:
		to = append(to, farAfterH1)
	}
	all, linked := int(c.plain[0]), int(c.linked[0])
	set(pageTiny, all < 1000)
	set(pageSmall, all >= 1000 && all < 4000)
	set(pageLarge, all > 15000)
	set(pageHalfLinked, linked > all/2 && linked <= all)
	set(pageLinked, linked > all)
	set(isLongest, int32(b.size())-b.linked == c.longest)

	parent := o.nodes[b.node].parent
	grand := o.nodes[parent].parent
	to = append(to,
		featureShare+feature(shareStep(int(c.plain[parent]), all)),
		featureAround+feature(linkStep(int(c.linked[parent]), int(c.plain[parent]+c.linked[parent]))),
		featureAbove+feature(shareStep(int(c.plain[grand]), all)),
		featureUncle+feature(linkStep(int(c.linked[grand]), int(c.plain[grand]+c.linked[grand]))))
	near := o.nodes[b.node].own | o.nodes[parent].own | o.nodes[grand].own
	to = appendHints(to, featureHints, b.hints)
	return appendHints(to, featureNear, near)
}

func appendHints(to []feature, base feature, h hints) []feature {
	for h != 0 {
		bit := trailing(h)
		to = append(to, base+feature(bit))
		h &= h - 1
	}
	return to
}
