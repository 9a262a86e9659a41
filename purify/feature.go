package purify

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// The columns of a block: what the first forest knows of it. Sizes and counts
// are in steps of a quarter of a power of two (see step), shares in 32nds, the
// rest are small counts or 0 and 1. A model is trained for one list of columns:
// who changes it trains anew and raises Version.
const (
	colSize       = iota // bytes, and not characters: a Chinese one says as much as three Latin letters
	colWords             // how it reads
	colLinkShare         // bytes inside links
	colLinked            // the same, as a count
	colAnchors           // links
	colCommas            //
	colStops             // ends of sentences
	colDigits            // share of bytes
	colCapitals          // share of words
	colFunction          // share of words that hold sentences together
	colPersons           // I, you, we and the like
	colWordLength        // bytes a word
	colSign              // copyright signs, arrows, bullets
	colPrice             // a currency sign beside a digit
	colYear              // 19xx or 20xx
	colTime              // a time element
	colBoiler            // words of which a page's frame is made
	colEndsSentence
	colEndsColon
	colAsks
	colLower   // begins with a small letter
	colNumeral // begins with a digit
	colWide    // share of CJK
	colRepeats // blocks with the same text
	colAgain   // the same text stood before
	colInTitle // its words are in the page's title, or the other way round
	colIsTitle // it is the title
	colNamed   // words that its titles have
	colTold    // words that its description has
	colTag     // the first of tagColumns
)

const (
	colMain = colTag + tagColumns + iota // where it stands
	colArticle
	colNoMain
	colDepth
	colPlaceBlocks
	colPlaceText
	colBeforeEnd // blocks to the end of the page
	colBeforeH1  // blocks to the first h1
	colAfterH1
	colNoH1
	colAfterHeading  // blocks since the last heading
	colHeadingLevel  // of that heading
	colHeadingBoiler // its words of a page's frame
	colHeadingSize
	colHeadingLinks  // share of its bytes inside links: a teaser's leads elsewhere
	colNextHead      // blocks to the next heading
	colNextHeadLinks // share of its bytes inside links
	colH1s           // h1 headings before
	colArticles      // article elements up to here
	colBeforeLong    // blocks to the first of prose
	colAfterLong     // blocks after the last
	colToLong        // blocks since the last before it
	colRootUp        // steps up to the way between the page's root and most of its prose
	colRootHeight    // from where that way is met, down to its end
	colH1Up          // the same for the first h1
	colH1Height
	colPrevSize // its neighbours
	colPrevLinks
	colPrevHeading
	colPrevSame
	colPrev2Size
	colPrev2Links
	colNextSize
	colNextLinks
	colNextHeading
	colNextSame
	colNext2Size
	colNext2Links
	colLikes // blocks in places of the same tags and classes
	colLikesPlain
	colLikesLinks
	colLikesMean
	colAround // the first of columns for each of its containers
)

// What is known of each of the innermost containers.
const (
	aroundPlain  = iota // bytes outside links
	aroundShare         // of the page's
	aroundLinks         // share of bytes
	aroundBlocks        // blocks
	aroundNamed         // words of the titles, per kilobyte
	aroundTold          // of the page's words of the description, the share
	aroundHeads         // headings
	aroundLeads         // headings that are links
	aroundColumns
	aroundLevels = 5 // the block's own element, and four around it
)

// What is known of the page, the same for all of its blocks.
const (
	colPage = colAround + aroundLevels*aroundColumns + iota
	colPageLinks
	colPageBlocks
	colPageLong
	colPageRoot // share of prose below the root of most of it
	colPageParagraphs
	colPageHeadings
	colPageRepeats
	colPagePrices
	colPageForum
	colPageReply
	colPageShop
	colPageCard
	colPageItem
	colPageReview
	colPageComment
	colPageDocs
	colPageCode
	colPageArticle
	colPageIsArticle // what its metadata declares
	colPageIsProduct
	colPageIsForum
	colPageIsList
	colHunch                            // how sure each of Kinds is, before a body is known
	colHints     = colHunch + kinds     // of all ancestors
	colNear      = colHints + hintCount // of the three nearest alone
	blockColumns = colNear + hintCount
)

const tagColumns = 16

// tagColumn puts an element into one of a few groups.
func tagColumn(t markup.Tag) int {
	switch t {
	case markup.TagP:
		return 0
	case markup.TagLi:
		return 1
	case markup.TagH1:
		return 2
	case markup.TagH2:
		return 3
	case markup.TagH3:
		return 4
	case markup.TagH4, markup.TagH5, markup.TagH6:
		return 5
	case markup.TagTd, markup.TagTh:
		return 6
	case markup.TagDt:
		return 7
	case markup.TagDd:
		return 8
	case markup.TagPre:
		return 9
	case markup.TagBlockquote:
		return 10
	case markup.TagDiv:
		return 11
	case markup.TagSection, markup.TagArticle, markup.TagMain, markup.TagBody:
		return 12
	case markup.TagFigcaption, markup.TagFigure:
		return 13
	case markup.TagButton, markup.TagSummary:
		return 14
	}
	return 15
}

// columns fills the table with what holds for each block.
func (ch *chooser) columns(c *census, m *metadata, hunch *[kinds]int32) *table {
	t := &ch.room.table
	n := len(ch.blocks)
	t.resize(n, blockColumns+lookColumns)
	for i := range ch.blocks {
		ch.reads(t, c, i)
		ch.stands(t, c, i)
	}
	for i := len(ch.nodes) - 1; i > 0; i-- {
		p := ch.nodes[i].parent
		c.named[p] += c.named[i]
		c.told[p] += c.told[i]
	}
	for i := range ch.blocks {
		ch.belongs(t, c, i)
	}
	ch.beside(t)
	ch.ahead(t)
	ch.counts(t)
	page := ch.pagePart(c, m, hunch)
	for j, v := range page {
		col := t.column(colPage + j)
		for i := range col {
			col[i] = v
		}
	}
	return t
}

// reads sets the columns of what a block says.
func (ch *chooser) reads(t *table, c *census, i int) {
	b := &ch.blocks[i]
	text := ch.text[b.from:b.to]
	r := readBlock(text, &c.topic)
	c.named[b.node] += int32(r.named)
	c.told[b.node] += int32(r.told)
	c.spoken.words += r.words
	c.spoken.you += r.you
	c.spoken.we += r.we
	c.spoken.function += r.function
	t.set(colNamed, i, min(r.named, 20))
	t.set(colTold, i, min(r.told, 20))
	seen := min(len(text), maxRead)
	t.set(colSize, i, step(len(text)))
	t.set(colWords, i, step(r.words))
	t.set(colLinkShare, i, part(int(b.linked), b.size()))
	t.set(colLinked, i, step(int(b.linked)))
	t.set(colCommas, i, step(r.commas))
	t.set(colStops, i, step(r.stops))
	t.set(colDigits, i, part(r.digits, seen))
	t.set(colCapitals, i, part(r.capitals, r.words))
	t.set(colFunction, i, part(r.function, r.words))
	t.set(colPersons, i, part(r.persons, r.words))
	t.set(colWordLength, i, min(seen/max(r.words, 1), 60))
	t.flag(colSign, i, r.sign)
	t.flag(colPrice, i, r.price)
	t.flag(colYear, i, r.year)
	t.set(colBoiler, i, min(boilerCount(text), 15))
	t.flag(colEndsSentence, i, r.last == '.' || r.last == '!' || r.last == '。' || r.last == '！' || r.last == '”' || r.last == '"')
	t.flag(colEndsColon, i, r.last == ':' || r.last == '：')
	t.flag(colAsks, i, r.last == '?' || r.last == '？')
	t.flag(colLower, i, r.lower)
	t.flag(colNumeral, i, r.numeral)
	t.set(colWide, i, part(r.wide, seen))
	t.set(colRepeats, i, step(int(c.times[c.firsts[i]])))
	if len(text) < 4 || len(text) > maxTitleBytes {
		return
	}
	ch.scratch = markup.AppendLower(ch.scratch[:0], text)
	if c := text[len(text)-1]; c == '#' || c == "¶"[1] { // a link to itself
		ch.scratch = bytes.TrimRight(ch.scratch, " ¶#")
	}
	for k := range c.titles {
		title := c.titles[k].get()
		if k > 0 && bytes.Equal(title, c.titles[k-1].get()) {
			continue
		}
		if bytes.Equal(title, ch.scratch) {
			t.set(colIsTitle, i, 1)
		}
		if bytes.Contains(title, ch.scratch) || len(title) > 8 && bytes.Contains(ch.scratch, title) {
			t.set(colInTitle, i, 1)
		}
	}
}

// stands sets the columns of a block's place on the page.
func (ch *chooser) stands(t *table, c *census, i int) {
	b := &ch.blocks[i]
	n := len(ch.blocks)
	t.set(colTag+tagColumn(b.tag), i, 1)
	t.flag(colMain, i, c.main && b.hints&inMain == 0)
	t.flag(colArticle, i, c.article && b.hints&inArticle == 0)
	t.flag(colNoMain, i, !c.main && !c.article)
	t.set(colDepth, i, min(int(c.depth[b.node]), 127))
	t.set(colArticles, i, min(int(c.nth[b.node]), 20))
	t.set(colPlaceBlocks, i, i*32/n)
	t.set(colPlaceText, i, int(int64(b.from)*64/int64(len(ch.text))))
	t.set(colBeforeEnd, i, step(n-i))
	switch {
	case c.h1 < 0:
		t.set(colNoH1, i, 1)
	case i < c.h1:
		t.set(colBeforeH1, i, step(c.h1-i))
	default:
		t.set(colAfterH1, i, step(i-c.h1+1))
	}
	if c.h1 >= 0 {
		t.set(colH1Up, i, min(int(c.top.up[b.node]), 127))
		t.set(colH1Height, i, min(int(c.depth[c.top.end]-c.top.met[b.node]), 127))
	}
	if c.first >= 0 {
		t.set(colBeforeLong, i, step(c.first-i))
		t.set(colAfterLong, i, step(i-c.last))
	}
	t.set(colRootUp, i, min(int(c.root.up[b.node]), 127))
	t.set(colRootHeight, i, min(int(c.depth[c.root.end]-c.root.met[b.node]), 127))
}

// belongs sets the columns of the containers around a block, and of the blocks
// in places like its own.
func (ch *chooser) belongs(t *table, c *census, i int) {
	b := &ch.blocks[i]
	all := int(c.plain[0])
	g := &c.groups[c.likeness[i]]
	t.set(colLikes, i, step(int(g.blocks)))
	t.set(colLikesPlain, i, part(int(g.plain), all))
	t.set(colLikesLinks, i, part(int(g.linked), int(g.linked+g.plain)))
	t.set(colLikesMean, i, step(int((g.plain+g.linked)/g.blocks)))
	at := b.node
	near := hints(0)
	for l := range aroundLevels {
		col := colAround + l*aroundColumns
		plain, linked := int(c.plain[at]), int(c.linked[at])
		t.set(col+aroundPlain, i, step(plain))
		t.set(col+aroundShare, i, part(plain, all))
		t.set(col+aroundLinks, i, part(linked, plain+linked))
		t.set(col+aroundBlocks, i, step(int(c.blocks[at])))
		t.set(col+aroundNamed, i, min(int(c.named[at])<<10/(plain+linked+1), 63))
		t.set(col+aroundTold, i, part(int(c.told[at]), int(c.told[0])))
		t.set(col+aroundHeads, i, step(int(c.heads[at])))
		t.set(col+aroundLeads, i, step(int(c.leading[at])))
		if l < 3 {
			near |= ch.nodes[at].own
		}
		at = ch.nodes[at].parent
	}
	for h := b.hints; h != 0; h &= h - 1 {
		t.set(colHints+trailing(h), i, 1)
	}
	for h := near; h != 0; h &= h - 1 {
		t.set(colNear+trailing(h), i, 1)
	}
}

// beside sets the columns of what stands before and after each block.
func (ch *chooser) beside(t *table) {
	n := len(ch.blocks)
	size, links := t.column(colSize), t.column(colLinkShare)
	for _, s := range [...]struct{ size, links, away int }{
		{colPrevSize, colPrevLinks, -1}, {colPrev2Size, colPrev2Links, -2},
		{colNextSize, colNextLinks, 1}, {colNext2Size, colNext2Links, 2},
	} {
		toSize, toLinks := t.column(s.size), t.column(s.links)
		for i := max(0, -s.away); i < n && i+s.away < n; i++ {
			toSize[i], toLinks[i] = size[i+s.away], links[i+s.away]
		}
	}
	boilers := t.column(colBoiler)
	heading, long, h1s := -1, -1, 0
	for i := range n {
		b := &ch.blocks[i]
		t.set(colH1s, i, min(h1s, 20))
		if b.tag == markup.TagH1 {
			h1s++
		}
		if heading >= 0 {
			t.set(colAfterHeading, i, step(i-heading))
			t.set(colHeadingLevel, i, int(ch.blocks[heading].tag-markup.TagH1)+1)
			t.set(colHeadingBoiler, i, int(boilers[heading]))
			t.set(colHeadingSize, i, int(size[heading]))
			t.set(colHeadingLinks, i, int(links[heading]))
		}
		if b.tag.Heading() {
			heading = i
		}
		if long >= 0 {
			t.set(colToLong, i, step(i-long))
		}
		if b.prose() {
			long = i
		}
		if i == 0 {
			continue
		}
		a := &ch.blocks[i-1]
		t.flag(colPrevHeading, i, a.tag.Heading())
		t.flag(colNextHeading, i-1, b.tag.Heading())
		if ch.nodes[a.node].sign == ch.nodes[b.node].sign {
			t.set(colPrevSame, i, 1)
			t.set(colNextSame, i-1, 1)
		}
	}
}

// ahead sets the columns of the heading that comes next.
func (ch *chooser) ahead(t *table) {
	links := t.column(colLinkShare)
	next := -1
	for i := len(ch.blocks) - 1; i >= 0; i-- {
		if next >= 0 {
			t.set(colNextHead, i, step(next-i))
			t.set(colNextHeadLinks, i, int(links[next]))
		}
		if ch.blocks[i].tag.Heading() {
			next = i
		}
	}
}

// counts sets the columns of what the page's lists say of blocks.
func (ch *chooser) counts(t *table) {
	n := len(ch.blocks)
	anchors := t.column(colAnchors)
	for i := range ch.links {
		a := &ch.links[i]
		if int(a.block) < n && a.to > a.from && anchors[a.block] < 100 {
			anchors[a.block]++
		}
	}
	for i := range ch.times {
		if at := int(ch.times[i].block); at < n {
			t.set(colTime, at, 1)
		}
	}
	for i, first := range ch.census.firsts {
		t.flag(colAgain, i, int(first) < i)
	}
}

// pagePart returns the columns of the page.
func (ch *chooser) pagePart(c *census, m *metadata, hunch *[kinds]int32) [colHints - colPage]uint8 {
	var v [colHints - colPage]uint8
	put := func(col, value int) { v[col-colPage] = uint8(value) }
	said := func(h hints) int {
		n := 0
		for ; h != 0; h &= h - 1 {
			n += c.says[trailing(h)]
		}
		return step(n)
	}
	all := int(c.plain[0])
	put(colPage, step(all))
	put(colPageLinks, part(int(c.linked[0]), all+int(c.linked[0])))
	put(colPageBlocks, step(len(ch.blocks)))
	put(colPageLong, step(c.long))
	put(colPageRoot, c.share)
	put(colPageParagraphs, part(c.marked, all))
	put(colPageHeadings, step(c.headings))
	put(colPageRepeats, part(c.repeats, len(ch.blocks)))
	put(colPagePrices, step(c.prices))
	put(colPageForum, said(saysForum))
	put(colPageReply, said(saysReply))
	put(colPageShop, said(saysShop))
	put(colPageCard, said(saysCard))
	put(colPageItem, said(saysItem))
	put(colPageReview, said(saysReview))
	put(colPageComment, said(saysComment))
	put(colPageDocs, said(saysDocs|saysToc))
	put(colPageCode, said(saysCode|inPre))
	put(colPageArticle, said(inArticle))
	d := m.declares()
	put(colPageIsArticle, d.article)
	put(colPageIsProduct, d.product)
	put(colPageIsForum, d.forum)
	put(colPageIsList, d.list)
	for k, score := range hunch {
		put(colHunch+k, coarse(score))
	}
	return v
}
