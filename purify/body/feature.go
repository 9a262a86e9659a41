package body

import (
	"bytes"
	"math/bits"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// The columns of a block are the input of the first forest. Sizes and counts are in steps
// of a quarter of a power of two (see step), shares are in 32nds, the rest are small counts
// or 0 and 1. A model is trained for one list of columns: if you change the list, train again
// and raise purify.Version.
const (
	colSize       = iota // bytes, not characters: one Chinese character says as much as three Latin letters
	colWords             // from here on: its text
	colLinkShare         // bytes inside links
	colLinked            // the same, as a count
	colAnchors           // links
	colCommas            //
	colStops             // ends of sentences
	colDigits            // share of bytes
	colCapitals          // share of words
	colFunction          // share of function words
	colPersons           // I, you, we and the like
	colWordLength        // mean length of a word
	colSign              // copyright signs, arrows, bullets
	colPrice             // a currency sign next to a digit
	colYear              // 19xx or 20xx
	colTime              // a time element
	colBoiler            // words that are typical of page frames
	colEndsSentence
	colEndsColon
	colAsks
	colLower   // starts with a small letter
	colNumeral // starts with a digit
	colWide    // share of CJK
	colRepeats // blocks with the same text
	colAgain   // the same text occurred before
	colInTitle // its words are in the page's title, or the other way round
	colIsTitle // it is the title
	colNamed   // words that are also in the page's titles
	colTold    // words that are also in the page's description
	colTag     // the first of tagColumns
)

const (
	colMain = colTag + tagColumns + iota // its place
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
	colHeadingBoiler // words in it that are typical of page frames
	colHeadingSize
	colHeadingLinks  // share of its bytes inside links: the heading of a teaser is a link
	colNextHead      // blocks to the next heading
	colNextHeadLinks // share of its bytes inside links
	colH1s           // h1 headings before
	colArticles      // article elements up to here
	colBeforeLong    // blocks up to the first one of prose on the page
	colAfterLong     // blocks since the last one of prose on the page
	colToLong        // blocks since the nearest one of prose before this
	colRootUp        // steps up to the path from the page's root to most of its prose
	colRootHeight    // steps from where that path is met to its end
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
	colLikes // blocks at places with the same tags and classes
	colLikesPlain
	colLikesLinks
	colLikesMean
	colAround // the first of columns for each of its containers
)

// What the columns say of each of the innermost containers.
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

// What the columns say of the page, the same for all of its blocks.
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
	colHunch                             // score of each type, before the body is known
	colHints     = colHunch + typeCount  // of all ancestors
	colNear      = colHints + hint.Count // of the three nearest only
	blockColumns = colNear + hint.Count
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

// columns computes the columns of each block.
func (ch *Chooser) columns(c *census, m *metadata.Declared, hunch *[typeCount]int32) *forest.Table {
	t := &ch.buf.table
	n := len(ch.Blocks)
	t.Resize(n, blockColumns+lookColumns)
	for i := range ch.Blocks {
		ch.reads(t, c, i)
		ch.stands(t, c, i)
	}
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		p := ch.Nodes[i].Parent
		c.named[p] += c.named[i]
		c.told[p] += c.told[i]
	}
	for i := range ch.Blocks {
		ch.belongs(t, c, i)
	}
	ch.beside(t)
	ch.ahead(t)
	ch.counts(t)
	page := ch.pagePart(c, m, hunch)
	for j, v := range page {
		fill(t.Column(colPage+j), v)
	}
	return t
}

// fill sets all values of a column that has only zeros.
func fill(col []uint8, v uint8) {
	if v == 0 || len(col) == 0 {
		return
	}
	col[0] = v
	for n := 1; n < len(col); n *= 2 {
		copy(col[n:], col[:n])
	}
}

// A repeatedText is what was read of a text that more than one block has.
type repeatedText struct {
	reading reading
	columns [colTag]uint8 // those of its first block
}

// reads sets the columns of a block's text. A text is read once.
func (ch *Chooser) reads(t *forest.Table, c *census, i int) {
	b := &ch.Blocks[i]
	first := int(c.firsts[i])
	if first < i {
		k := &c.repeated[c.spots[first]-1]
		for col, v := range k.columns {
			t.Set(col, i, int(v))
		}
		c.count(b, &k.reading)
	} else {
		r := readBlock(ch.Text[b.From:b.To], &c.topic)
		ch.describe(t, c, i, &r)
		c.count(b, &r)
		if c.times[i] > 1 {
			c.repeated = append(c.repeated, repeatedText{reading: r})
			c.spots[i] = int32(len(c.repeated))
			to := &c.repeated[len(c.repeated)-1].columns
			for col := range to {
				to[col] = t.Column(col)[i]
			}
		}
	}
	t.Set(colLinkShare, i, part(int(b.Linked), b.Size()))
	t.Set(colLinked, i, step(int(b.Linked)))
}

// count counts the words of a block.
func (c *census) count(b *blocks.Block, r *reading) {
	c.named[b.Node] += int32(r.named)
	c.told[b.Node] += int32(r.told)
	c.spoken.words += r.words
	c.spoken.you += r.you
	c.spoken.we += r.we
	c.spoken.function += r.function
}

// describe sets the columns that only the text of a block decides.
func (ch *Chooser) describe(t *forest.Table, c *census, i int, r *reading) {
	text := ch.Text[ch.Blocks[i].From:ch.Blocks[i].To]
	t.Set(colNamed, i, min(r.named, 20))
	t.Set(colTold, i, min(r.told, 20))
	seen := min(len(text), maxRead)
	t.Set(colSize, i, step(len(text)))
	t.Set(colWords, i, step(r.words))
	t.Set(colCommas, i, step(r.commas))
	t.Set(colStops, i, step(r.stops))
	t.Set(colDigits, i, part(r.digits, seen))
	t.Set(colCapitals, i, part(r.capitals, r.words))
	t.Set(colFunction, i, part(r.function, r.words))
	t.Set(colPersons, i, part(r.persons, r.words))
	t.Set(colWordLength, i, min(seen/max(r.words, 1), 60))
	t.Flag(colSign, i, r.sign)
	t.Flag(colPrice, i, r.price)
	t.Flag(colYear, i, r.year)
	t.Set(colBoiler, i, min(r.boiler, 15))
	t.Flag(colEndsSentence, i, r.last == '.' || r.last == '!' || r.last == '。' || r.last == '！' || r.last == '”' || r.last == '"')
	t.Flag(colEndsColon, i, r.last == ':' || r.last == '：')
	t.Flag(colAsks, i, r.last == '?' || r.last == '？')
	t.Flag(colLower, i, r.lower)
	t.Flag(colNumeral, i, r.numeral)
	t.Set(colWide, i, part(r.wide, seen))
	t.Set(colRepeats, i, step(int(c.times[c.firsts[i]])))
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
			t.Set(colIsTitle, i, 1)
		}
		if bytes.Contains(title, ch.scratch) || len(title) > 8 && bytes.Contains(ch.scratch, title) {
			t.Set(colInTitle, i, 1)
		}
	}
}

// stands sets the columns of a block's place on the page.
func (ch *Chooser) stands(t *forest.Table, c *census, i int) {
	b := &ch.Blocks[i]
	n := len(ch.Blocks)
	t.Set(colTag+tagColumn(b.Tag), i, 1)
	t.Flag(colMain, i, c.main && b.Hints&hint.InMain == 0)
	t.Flag(colArticle, i, c.article && b.Hints&hint.InArticle == 0)
	t.Flag(colNoMain, i, !c.main && !c.article)
	t.Set(colDepth, i, min(int(c.depth[b.Node]), 127))
	t.Set(colArticles, i, min(int(c.nth[b.Node]), 20))
	t.Set(colPlaceBlocks, i, i*32/n)
	t.Set(colPlaceText, i, int(int64(b.From)*64/int64(len(ch.Text))))
	t.Set(colBeforeEnd, i, step(n-i))
	switch {
	case c.h1 < 0:
		t.Set(colNoH1, i, 1)
	case i < c.h1:
		t.Set(colBeforeH1, i, step(c.h1-i))
	default:
		t.Set(colAfterH1, i, step(i-c.h1+1))
	}
	if c.h1 >= 0 {
		t.Set(colH1Up, i, min(int(c.top.up[b.Node]), 127))
		t.Set(colH1Height, i, min(int(c.depth[c.top.end]-c.top.met[b.Node]), 127))
	}
	if c.first >= 0 {
		t.Set(colBeforeLong, i, step(c.first-i))
		t.Set(colAfterLong, i, step(i-c.last))
	}
	t.Set(colRootUp, i, min(int(c.root.up[b.Node]), 127))
	t.Set(colRootHeight, i, min(int(c.depth[c.root.end]-c.root.met[b.Node]), 127))
}

// belongs sets the columns of the containers around a block, and of the blocks
// in places like its own.
func (ch *Chooser) belongs(t *forest.Table, c *census, i int) {
	b := &ch.Blocks[i]
	all := int(c.plain[0])
	g := &c.groups[c.likeness[i]]
	t.Set(colLikes, i, step(int(g.blocks)))
	t.Set(colLikesPlain, i, part(int(g.plain), all))
	t.Set(colLikesLinks, i, part(int(g.linked), int(g.linked+g.plain)))
	t.Set(colLikesMean, i, step(int((g.plain+g.linked)/g.blocks)))
	at := b.Node
	near := hint.Set(0)
	for l := range aroundLevels {
		col := colAround + l*aroundColumns
		plain, linked := int(c.plain[at]), int(c.linked[at])
		t.Set(col+aroundPlain, i, step(plain))
		t.Set(col+aroundShare, i, part(plain, all))
		t.Set(col+aroundLinks, i, part(linked, plain+linked))
		t.Set(col+aroundBlocks, i, step(int(c.blocks[at])))
		t.Set(col+aroundNamed, i, min(int(c.named[at])<<10/(plain+linked+1), 63))
		t.Set(col+aroundTold, i, part(int(c.told[at]), int(c.told[0])))
		t.Set(col+aroundHeads, i, step(int(c.heads[at])))
		t.Set(col+aroundLeads, i, step(int(c.leading[at])))
		if l < 3 {
			near |= ch.Nodes[at].Own
		}
		at = ch.Nodes[at].Parent
	}
	for h := b.Hints & hint.Models; h != 0; h &= h - 1 {
		t.Set(colHints+hint.Lowest(h), i, 1)
	}
	for h := near & hint.Models; h != 0; h &= h - 1 {
		t.Set(colNear+hint.Lowest(h), i, 1)
	}
}

// beside sets the columns of the blocks before and after each block.
func (ch *Chooser) beside(t *forest.Table) {
	n := len(ch.Blocks)
	size, links := t.Column(colSize), t.Column(colLinkShare)
	for _, s := range [...]struct{ size, links, away int }{
		{colPrevSize, colPrevLinks, -1}, {colPrev2Size, colPrev2Links, -2},
		{colNextSize, colNextLinks, 1}, {colNext2Size, colNext2Links, 2},
	} {
		toSize, toLinks := t.Column(s.size), t.Column(s.links)
		for i := max(0, -s.away); i < n && i+s.away < n; i++ {
			toSize[i], toLinks[i] = size[i+s.away], links[i+s.away]
		}
	}
	boilers := t.Column(colBoiler)
	heading, long, h1s := -1, -1, 0
	for i := range n {
		b := &ch.Blocks[i]
		t.Set(colH1s, i, min(h1s, 20))
		if b.Tag == markup.TagH1 {
			h1s++
		}
		if heading >= 0 {
			t.Set(colAfterHeading, i, step(i-heading))
			t.Set(colHeadingLevel, i, int(ch.Blocks[heading].Tag-markup.TagH1)+1)
			t.Set(colHeadingBoiler, i, int(boilers[heading]))
			t.Set(colHeadingSize, i, int(size[heading]))
			t.Set(colHeadingLinks, i, int(links[heading]))
		}
		if b.Tag.Heading() {
			heading = i
		}
		if long >= 0 {
			t.Set(colToLong, i, step(i-long))
		}
		if b.IsProse() {
			long = i
		}
		if i == 0 {
			continue
		}
		a := &ch.Blocks[i-1]
		t.Flag(colPrevHeading, i, a.Tag.Heading())
		t.Flag(colNextHeading, i-1, b.Tag.Heading())
		if ch.Nodes[a.Node].Path == ch.Nodes[b.Node].Path {
			t.Set(colPrevSame, i, 1)
			t.Set(colNextSame, i-1, 1)
		}
	}
}

// ahead sets the columns of the heading that comes next.
func (ch *Chooser) ahead(t *forest.Table) {
	links := t.Column(colLinkShare)
	next := -1
	for i := len(ch.Blocks) - 1; i >= 0; i-- {
		if next >= 0 {
			t.Set(colNextHead, i, step(next-i))
			t.Set(colNextHeadLinks, i, int(links[next]))
		}
		if ch.Blocks[i].Tag.Heading() {
			next = i
		}
	}
}

// counts sets the columns of links, of times and of repeated texts.
func (ch *Chooser) counts(t *forest.Table) {
	n := len(ch.Blocks)
	anchors := t.Column(colAnchors)
	for i := range ch.Links {
		a := &ch.Links[i]
		if int(a.Block) < n && a.To > a.From && anchors[a.Block] < 100 {
			anchors[a.Block]++
		}
	}
	for i := range ch.Times {
		if at := int(ch.Times[i].Block); at < n {
			t.Set(colTime, at, 1)
		}
	}
	for i, first := range ch.census.firsts {
		t.Flag(colAgain, i, int(first) < i)
	}
}

// pagePart returns the columns of the page.
func (ch *Chooser) pagePart(c *census, m *metadata.Declared, hunch *[typeCount]int32) [colHints - colPage]uint8 {
	var v [colHints - colPage]uint8
	put := func(col, value int) { v[col-colPage] = uint8(value) }
	said := func(h hint.Set) int {
		n := 0
		for ; h != 0; h &= h - 1 {
			n += c.says[hint.Lowest(h)]
		}
		return step(n)
	}
	all := int(c.plain[0])
	put(colPage, step(all))
	put(colPageLinks, part(int(c.linked[0]), all+int(c.linked[0])))
	put(colPageBlocks, step(len(ch.Blocks)))
	put(colPageLong, step(c.long))
	put(colPageRoot, c.share)
	put(colPageParagraphs, part(c.marked, all))
	put(colPageHeadings, step(c.headings))
	put(colPageRepeats, part(c.repeats, len(ch.Blocks)))
	put(colPagePrices, step(c.prices))
	put(colPageForum, said(hint.SaysForum))
	put(colPageReply, said(hint.SaysReply))
	put(colPageShop, said(hint.SaysShop))
	put(colPageCard, said(hint.SaysCard))
	put(colPageItem, said(hint.SaysItem))
	put(colPageReview, said(hint.SaysReview))
	put(colPageComment, said(hint.SaysComment))
	put(colPageDocs, said(hint.SaysDocs|hint.SaysToc))
	put(colPageCode, said(hint.SaysCode|hint.InPre))
	put(colPageArticle, said(hint.InArticle))
	d := declares(m)
	put(colPageIsArticle, d.article)
	put(colPageIsProduct, d.product)
	put(colPageIsForum, d.forum)
	put(colPageIsList, d.list)
	for k, score := range hunch {
		put(colHunch+k, coarse(score))
	}
	return v
}

// step puts a count into quarters of a power of two, from 0 to 127.
func step(n int) int {
	if n <= 0 {
		return 0
	}
	l := bits.Len32(uint32(n))
	if l < 3 {
		return 4*l + n<<(3-l)&3
	}
	return 4*l + n>>(l-3)&3
}

// part converts a share to 32nds, rounded up: 0 is none.
func part(n, all int) int {
	if n <= 0 || all <= 0 {
		return 0
	}
	return min((n*32+all-1)/all, 32)
}
