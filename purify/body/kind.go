package body

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// Types are the types of a page that the model knows, in the order of its
// forests. A page that shows too little for any of them is "other".
var Types = [typeCount]string{"article", "collection", "documentation", "forum", "listing", "product", "service"}

const (
	typeCount   = 7
	typeArticle = 0 // its place in Kinds
)

// The columns of a page. Sizes and counts are in steps of a quarter of a power
// of two (see step), shares in 32nds, the rest are counts or 0 and 1. A model is trained for
// one list of columns: if you change the list, train again and raise purify.Version.
const (
	pageRest       = 0                           // see restOf
	pageSays       = pageRest + restCount        // containers by hint
	pageElements   = pageSays + hint.Count       // containers by element
	pageSchema     = pageElements + elementCount // @type of JSON-LD
	pageOG         = pageSchema + schemaCount    // og:type
	pageMade       = pageOG + ogCount            // generator
	pageHostWords  = pageMade + madeCount        // groups of words in the URL's host
	pagePathWords  = pageHostWords + topicCount  // in its path
	pageLastWords  = pagePathWords + topicCount  // in its last segment
	pageTitleWords = pageLastWords + topicCount  // in the title
	pageHeadWords  = pageTitleWords + topicCount // in the first h1
	pageURL        = pageHeadWords + topicCount  // see readURL
	pageKept       = pageURL + urlCount          // see keptOf
	pageKeptHints  = pageKept + keptCount        // shares of the body by hint
	pageKeptTags   = pageKeptHints + hint.Count  // and by element
	pageColumns    = pageKeptTags + tagColumns
)

// The numbers of columns have to be those that the model was trained for. After a change of
// columns, put PageColumns and BlockColumns in forest/model.go right by hand, so that the
// program compiles, then train.
var (
	_ = [1]struct{}{}[pageColumns-forest.PageColumns]
	_ = [1]struct{}{}[blockColumns+lookColumns-forest.BlockColumns]
)

var elementColumns = [...]markup.Tag{markup.TagP, markup.TagLi, markup.TagTd, markup.TagH1, markup.TagH2, markup.TagH3, markup.TagH4, markup.TagPre, markup.TagForm, markup.TagFigure, markup.TagArticle, markup.TagDetails, markup.TagDl, markup.TagDt, markup.TagTable, markup.TagNav, markup.TagSection, markup.TagButton, markup.TagBlockquote, markup.TagAside}

const elementCount = len(elementColumns)

var schemaColumn = map[string]int{
	"Article": 0, "NewsArticle": 1, "BlogPosting": 2, "TechArticle": 3, "APIReference": 3, "ScholarlyArticle": 1, "ReportageNewsArticle": 1,
	"DiscussionForumPosting": 4, "QAPage": 5, "Question": 6, "FAQPage": 7, "Product": 8, "ProductGroup": 9, "IndividualProduct": 8, "Offer": 10, "AggregateOffer": 10,
	"CollectionPage": 11, "ItemList": 12, "OfferCatalog": 12, "SearchResultsPage": 12, "Service": 13, "ProfessionalService": 13, "LocalBusiness": 14, "SoftwareApplication": 15, "WebApplication": 15,
	"WebPage": 16, "WebSite": 17, "Organization": 18, "Person": 19, "BreadcrumbList": 20, "ListItem": 21, "Recipe": 22, "Review": 23, "AggregateRating": 24, "Comment": 25, "ImageObject": 26, "VideoObject": 27, "HowTo": 22, "Blog": 28, "Course": 29, "Event": 30, "JobPosting": 31, "ContactPage": 32, "AboutPage": 32,
}

const schemaCount = 33

var ogColumn = map[string]int{"article": 0, "product": 1, "product.item": 1, "og:product": 1, "product.group": 2, "website": 3, "blog": 4, "object": 5, "profile": 6, "video.other": 7}

const ogCount = 8

// made has parts of the names of programs that generate pages.
var made = []struct {
	name   string
	column int
}{
	{"sphinx", 0}, {"mkdocs", 0}, {"docusaurus", 0}, {"gitbook", 0}, {"vitepress", 0}, {"vuepress", 0}, {"doxygen", 0}, {"javadoc", 0}, {"docbook", 0}, {"asciidoctor", 0}, {"mdbook", 0}, {"starlight", 0}, {"docutils", 0}, {"hugo-book", 0}, {"mediawiki", 0}, {"antora", 0},
	{"vbulletin", 1}, {"phpbb", 1}, {"discourse", 1}, {"xenforo", 1}, {"discuz", 1}, {"smf", 1}, {"mybb", 1}, {"flarum", 1}, {"nodebb", 1}, {"invision", 1},
	{"shopify", 2}, {"woocommerce", 2}, {"magento", 2}, {"prestashop", 2}, {"opencart", 2},
	{"wordpress", 3}, {"ghost", 3}, {"hugo", 4}, {"jekyll", 4}, {"webflow", 5}, {"wix", 5}, {"framer", 5}, {"squarespace", 5}, {"drupal", 6}, {"next", 6},
}

const madeCount = 7

// madeTypes are the types of page that the first columns of made mean.
var madeTypes = [...]string{"documentation", "forum"}

// topicOf are the words of URLs and titles that tell types apart, in
// groups.
var topicOf = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, group := range topics {
		for word := range strings.FieldsSeq(group) {
			m[word] = i
		}
	}
	return m
})

var topics = [...]string{
	"product products p dp item itm pd sku produkt produkte producto productos produit produits prodotto prodotti produto artikel",
	"shop store buy",
	"collection collections category categories cat c browse catalog catalogue plp kategorie kategorien categoria categorias categorie katalog catalogo",
	"tag tags topic topics archive archives author page search section",
	"blog blogs post posts news article articles story stories insights magazine journal press nachrichten noticias noticia actualites actualite notizie xinwen",
	"docs doc documentation manual reference api guide guides tutorial tutorials learn handbook dev developer developers howto help support kb wiki readme latest stable en v1 v2",
	"forum forums community communities thread threads t viewtopic showthread discussion discussions board boards topic comments r foro foros bbs tieba viewthread",
	"question questions answers ask qa stackexchange stackoverflow",
	"service services solutions solution consulting agency platform features leistungen dienstleistungen servicios servizi",
	"about contact company team careers pricing plans home",
	"best top vs review reviews compare comparison",
	"how why what",
	"men mens women womens kids sale new",
	"hire software development design marketing management company cleaning repair",
	"recipe recipes",
	"jobs job events event listing listings directory locations",
	"html htm php aspx",
	"reddit quora discourse",
	"clothing shoes dress dresses furniture bags jewelry accessories",
	"price free shipping online",
	"introduction overview installation install getting started quickstart configuration",
	"index list lists all ranking rankings winners deals coupons library resources",
	"calculator calculators tool tools converter generator checker",
	"course courses program programs degree degrees certificate certification training class classes lesson lessons tuition admissions",
	"insurance loan loans mortgage retirement tax law lawyer attorney legal clinic dental care therapy",
	"department departments government office center",
}

const topicCount = len(topics)

// topicTypes are the types of page that the first of topics mean.
var topicTypes = [...]string{"product", "collection", "collection", "listing", "article", "documentation", "forum", "forum", "service"}

const (
	urlDepth = iota
	urlLast  // length of the last segment
	urlHyphens
	urlDigits
	urlQuery
	urlYear
	urlNumber // a segment of digits
	urlSlash  // ends in one
	urlNone
	urlCount
)

const (
	restPlain = iota // bytes of the page outside links
	restLinked
	restBlocks
	restLong
	restRoot
	restParagraphs
	restHeadings
	restBody // of what was kept
	restBodyShare
	restBodyLinks
	restBodyBlocks
	restBodyLong
	restBodyMean
	restPrices
	restYears
	restAsks
	restRepeats
	restLikes // of the largest group of places that look alike
	restLikesPlain
	restLinks
	restHasDate
	restHasAuthor
	restHasTime
	restHasCrumbs
	restTitleLength
	restIsArticle // what the metadata declares
	restIsProduct
	restIsForum
	restIsList
	restDates
	restTimes
	restLeads // headings that are links, and their share
	restLeadShare
	restCrowds
	restLikesMean // of the blocks of the largest group
	restLikesLinks
	restImages
	restFields
	restCalls
	restYou // of the words that were read, in 256ths
	restWe
	restFunction // in 32nds
	restPhrases  // the first of phraseCount
	restCount    = restPhrases + phraseCount
)

// What the columns say of the blocks that were kept.
const (
	keptHeadings   = iota // headings
	keptLeads             // those that are links
	keptLeadShare         // and their share
	keptProse             // share of its bytes
	keptLinks             // links
	keptBelow             // share of these that lead to a path below the page's
	keptAlike             // blocks of its largest group of places that look alike
	keptAlikeShare        // their share of its bytes
	keptAlikeLinks        // and of these the share inside links
	keptAlikeMean         // bytes
	keptGroups            // such groups of crowd blocks and more
	keptPrices
	keptYears
	keptTimes
	keptNumbers // blocks that start with a digit
	keptSpread  // of the bytes between its first block and its last, the share
	keptCount
)

// pageRow returns a page's columns. It needs the census.
func (ch *Chooser) pageRow(m *metadata.Declared, url string, kept []bool) []uint8 {
	ch.buf.page = reuse.Slice(ch.buf.page, pageColumns)
	row := ch.buf.page
	c := &ch.census
	ch.restOf(row[pageRest:], c, m, kept)
	ch.keptOf(row, c, url, kept)
	for i, n := range c.says {
		row[pageSays+i] = uint8(step(n))
	}
	for i, t := range elementColumns {
		row[pageElements+i] = uint8(step(c.elements[t]))
	}
	for _, s := range m.SchemaTypes {
		if i, ok := schemaColumn[s]; ok && row[pageSchema+i] < 100 {
			row[pageSchema+i]++
		}
	}
	if i, ok := ogColumn[m.OGType]; ok {
		row[pageOG+i] = 1
	}
	for _, g := range made {
		if m.Generator != "" && strings.Contains(m.Generator, g.name) {
			row[pageMade+g.column] = 1
		}
	}
	for _, known := range [...]string{m.Canonical, m.OGURL} {
		if url == "" && strings.Contains(known, "//") {
			url = known
		}
	}
	readURL(row, strings.ToLower(url))
	markTopics(row[pageTitleWords:pageHeadWords], strings.ToLower(m.Title))
	if c.h1 >= 0 {
		markTopics(row[pageHeadWords:pageURL], strings.ToLower(string(ch.BlockText(c.h1))))
	}
	return row
}

func (ch *Chooser) restOf(row []uint8, c *census, m *metadata.Declared, kept []bool) {
	body, linked, blocks, long := 0, 0, 0, 0
	for i, k := range kept {
		if b := &ch.Blocks[i]; k {
			body += b.Size()
			linked += int(b.Linked)
			blocks++
			if b.IsProse() {
				long++
			}
		}
	}
	put := func(column, value int) { row[column] = uint8(value) }
	plain, linkedAll := int(c.plain[0]), int(c.linked[0])
	put(restPlain, step(plain))
	put(restLinked, part(linkedAll, plain+linkedAll))
	put(restBlocks, step(len(ch.Blocks)))
	put(restLong, step(c.long))
	put(restRoot, c.share)
	put(restParagraphs, part(c.marked, plain))
	put(restHeadings, step(c.headings))
	put(restBody, step(body))
	put(restBodyShare, part(body, plain+linkedAll))
	put(restBodyLinks, part(linked, body))
	put(restBodyBlocks, step(blocks))
	put(restBodyLong, step(long))
	put(restBodyMean, step(body/max(blocks, 1)))
	put(restPrices, step(c.prices))
	put(restYears, step(c.years))
	put(restAsks, step(c.asks))
	put(restRepeats, part(c.repeats, len(ch.Blocks)))
	put(restLikes, step(int(c.largest.blocks)))
	put(restLikesPlain, part(int(c.largest.plain), plain))
	put(restLinks, step(len(ch.Links)))
	for i, has := range [...]bool{m.Date != "", m.Author != "", len(ch.Times) > 0, len(m.Breadcrumb) > 0} {
		if has {
			row[restHasDate+i] = 1
		}
	}
	put(restTitleLength, step(len(m.Title)))
	d := declares(m)
	put(restIsArticle, d.article)
	put(restIsProduct, d.product)
	put(restIsForum, d.forum)
	put(restIsList, d.list)
	put(restDates, step(c.dates))
	put(restTimes, step(len(ch.Times)))
	put(restLeads, step(c.leads))
	put(restLeadShare, part(c.leads, c.headings))
	put(restCrowds, step(c.crowds))
	put(restLikesMean, step(int(c.largest.plain+c.largest.linked)/max(int(c.largest.blocks), 1)))
	put(restLikesLinks, part(int(c.largest.linked), int(c.largest.linked+c.largest.plain)))
	put(restImages, step(ch.Images))
	put(restFields, step(ch.Inputs))
	put(restCalls, step(ch.Contacts))
	put(restYou, min(c.spoken.you*256/max(c.spoken.words, 1), 63))
	put(restWe, min(c.spoken.we*256/max(c.spoken.words, 1), 63))
	put(restFunction, part(c.spoken.function, c.spoken.words))
	for i, n := range c.phrases {
		put(restPhrases+i, step(n))
	}
}

// keptOf sets the columns of the body: of which elements and containers its text is, and
// how much of it is a list.
func (ch *Chooser) keptOf(row []uint8, c *census, url string, kept []bool) {
	if len(kept) == 0 {
		return
	}
	var hints [hint.Count]int
	var tags [tagColumns]int
	r := &ch.buf
	r.alike = reuse.Slice(r.alike, len(c.groups))
	all, prose, headings, leads, prices, years, numbers, first, last := 0, 0, 0, 0, 0, 0, 0, -1, 0
	for i, k := range kept {
		if !k {
			continue
		}
		b := &ch.Blocks[i]
		n := b.Size()
		all += n
		for h := b.Hints & hint.Models; h != 0; h &= h - 1 {
			hints[hint.Lowest(h)] += n
		}
		tags[tagColumn(b.Tag)] += n
		if b.IsProse() {
			prose += n
		}
		if b.Tag.Heading() {
			headings++
			if int(b.Linked)*5 > n*4 {
				leads++
			}
		}
		g := &r.alike[c.likeness[i]]
		g.blocks++
		g.plain += int32(n) - b.Linked
		g.linked += b.Linked
		t := &r.table
		prices += int(t.Column(colPrice)[i])
		years += int(t.Column(colYear)[i])
		numbers += int(t.Column(colNumeral)[i])
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 {
		return
	}
	for i, n := range hints {
		row[pageKeptHints+i] = uint8(part(n, all))
	}
	for i, n := range tags {
		row[pageKeptTags+i] = uint8(part(n, all))
	}
	largest, groups := largestOf(r.alike)
	links, below := ch.linksIn(kept, pathOf(url))
	times := 0
	for i := range ch.Times {
		if at := int(ch.Times[i].Block); at < len(kept) && kept[at] {
			times++
		}
	}
	span := int(ch.Blocks[last].To - ch.Blocks[first].From)
	put := func(column, value int) { row[pageKept+column] = uint8(value) }
	put(keptHeadings, step(headings))
	put(keptLeads, step(leads))
	put(keptLeadShare, part(leads, headings))
	put(keptProse, part(prose, all))
	put(keptLinks, step(links))
	put(keptBelow, part(below, links))
	put(keptAlike, step(int(largest.blocks)))
	put(keptAlikeShare, part(int(largest.plain+largest.linked), all))
	put(keptAlikeLinks, part(int(largest.linked), int(largest.plain+largest.linked)))
	put(keptAlikeMean, step(int(largest.plain+largest.linked)/int(largest.blocks)))
	put(keptGroups, step(groups))
	put(keptPrices, step(prices))
	put(keptYears, step(years))
	put(keptTimes, step(times))
	put(keptNumbers, step(numbers))
	put(keptSpread, part(all, span))
}

// largestOf returns the group with the most blocks, and how many groups are lists of items.
func largestOf(all []group) (largest group, lists int) {
	for _, g := range all {
		if g.blocks > largest.blocks {
			largest = g
		}
		if g.blocks >= crowd {
			lists++
		}
	}
	return largest, lists
}

// linksIn counts the links in the blocks of the body, and those of them that lead below a path.
func (ch *Chooser) linksIn(kept []bool, path string) (links, below int) {
	for i := range ch.Links {
		a := &ch.Links[i]
		if int(a.Block) >= len(kept) || !kept[a.Block] {
			continue
		}
		links++
		if len(path) <= 1 || !bytes.Contains(a.URL, []byte(path)) {
			continue
		}
		if p := pathOf(string(a.URL)); len(p) > len(path) && strings.HasPrefix(p, path) {
			below++
		}
	}
	return links, below
}

// pathOf returns the path of a URL.
func pathOf(url string) string {
	if _, rest, ok := strings.Cut(url, "//"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return ""
		}
		url = rest[i:]
	}
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return strings.TrimSuffix(url, "/")
}

// markTopics sets the columns of the groups that words in lower case belong to.
func markTopics(columns []uint8, text string) {
	words := strings.FieldsFuncSeq(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	groups := topicOf()
	for word := range words {
		if i, ok := groups[word]; ok {
			columns[i] = 1
		}
	}
}

// readURL sets the columns of a URL in lower case.
func readURL(row []uint8, url string) {
	u := row[pageURL:]
	_, rest, ok := strings.Cut(url, "//")
	if !ok {
		u[urlNone] = 1
		return
	}
	host, path, _ := strings.Cut(rest, "/")
	markTopics(row[pageHostWords:], host)
	path, _, _ = strings.Cut(path, "#")
	path, query, asked := strings.Cut(path, "?")
	if asked && query != "" {
		u[urlQuery] = 1
	}
	if strings.HasSuffix(path, "/") {
		u[urlSlash] = 1
	}
	path = strings.Trim(path, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	markTopics(row[pagePathWords:], path[:len(path)-len(last)])
	markTopics(row[pageLastWords:], last)
	if path != "" {
		u[urlDepth] = uint8(min(strings.Count(path, "/")+1, 20))
	}
	u[urlLast] = uint8(min(len(last), 200))
	u[urlHyphens] = uint8(min(strings.Count(last, "-"), 50))
	digits := 0
	for segment := range strings.SplitSeq(path, "/") {
		n := 0
		for i := range len(segment) {
			if segment[i] >= '0' && segment[i] <= '9' {
				n++
			}
		}
		digits += n
		if n == 4 && len(segment) == 4 && (segment[:2] == "20" || segment[:2] == "19") {
			u[urlYear] = 1
		} else if n > 0 && n == len(segment) {
			u[urlNumber] = 1
		}
	}
	u[urlDigits] = uint8(min(digits, 60))
}

// surestType says what type of page this is: the one whose forest is surest.
func (ch *Chooser) surestType(row []uint8) string {
	var score [typeCount]int32
	for i := range score {
		score[i] = forest.Types[i].Score(row)
	}
	return Types[surest(&score)]
}

// surest returns the place in Kinds of the highest score, the first of equals.
func surest(score *[typeCount]int32) int {
	best := 0
	for i, s := range score {
		if s > score[best] {
			best = i
		}
	}
	return best
}

// declared are counts, at most 2, of what a page's metadata says it is.
type declared struct{ article, product, forum, list int }

func declares(m *metadata.Declared) declared {
	var d declared
	up := func(n *int) { *n = min(*n+1, 2) }
	for _, s := range m.SchemaTypes {
		switch s {
		case "Article", "NewsArticle", "BlogPosting", "TechArticle", "ScholarlyArticle", "Recipe":
			up(&d.article)
		case "Product", "ProductGroup", "IndividualProduct":
			up(&d.product)
		case "DiscussionForumPosting", "QAPage", "Question":
			up(&d.forum)
		case "CollectionPage", "ItemList", "OfferCatalog":
			up(&d.list)
		}
	}
	switch {
	case m.OGType == "article":
		up(&d.article)
	case strings.HasPrefix(m.OGType, "product"):
		up(&d.product)
	}
	return d
}

// Role returns whether a page has a topic, is a hub, which is mostly links, or has almost no text.
func (ch *Chooser) Role(kind string, kept []bool) string {
	plain, linked, body := 0, 0, 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		linked += int(b.Linked)
		plain += b.Size() - int(b.Linked)
		if kept[i] {
			body += b.Size() - int(b.Linked)
		}
	}
	switch {
	case body == 0 && linked < 40:
		return "other"
	case kind == "listing" || kind == "collection":
		return "hub"
	case linked > plain && body*4 < linked+plain:
		return "hub"
	}
	return "topic"
}

// Type returns the type of a page. If the page has little text, for example because scripts fill
// it, the type is taken from its metadata and its URL, and is "other" if these do not tell. Pages
// that javadoc, Doxygen or the like has written are documentation, unless they are lists by their text and may be by their URL.
func (ch *Chooser) Type(m *metadata.Declared, url string, kept []bool) string {
	plain, linked := 0, 0
	for i := range ch.Blocks {
		linked += int(ch.Blocks[i].Linked)
		plain += ch.Blocks[i].Size() - int(ch.Blocks[i].Linked)
	}
	b := &ch.Binding
	if b.Marks > 0 && b.Gathers && (b.Turns || plain+linked < briefText) {
		return "documentation"
	}
	if len(ch.Blocks) == 0 {
		ch.count(m)
	}
	row := ch.pageRow(m, url, kept)
	little := plain+linked < littleText && linked <= plain
	reference := b.Javadoc || b.Docbook || b.Doxygen || b.API || b.Help || b.Odoc || b.Gramps || strings.HasPrefix(m.Generator, "doxygen") || strings.HasPrefix(m.Generator, "exdoc") // such a program writes nothing else
	address := cmp.Or(url, m.Canonical, m.OGURL)
	switch kind := ch.surestType(row); {
	case reference && (little || kind != "listing" || b.Odoc || !mayList(address)):
		return "documentation"
	case little:
		return cmp.Or(typeSaid(row, m), "other")
	case kind == "forum" && !saysForum(row) && isPostOfBlog(url):
		return "article" // with comments
	case kind == "forum" && !saysForum(row) && isListsURL(address):
		return "listing" // of posts that count their comments
	case (kind == "article" || kind == "forum" && !saysForum(row) || kind == "documentation" && isListsURL(address)) && ch.listsPosts(m, kind, url, kept):
		return "listing"
	case (kind == "listing" || kind == "collection") && ch.declaresItself():
		return "documentation"
	default:
		return kind
	}
}

// mayList reports whether a page of a reference may be a list by its URL: a page without one, the first of a folder, and
// those that have the names that the programs give to their lists. All others document one thing, however many links they have.
func mayList(url string) bool {
	path := pathOf(url)
	folders := strings.Split(path, "/")
	last := folders[len(folders)-1]
	folders = folders[:len(folders)-1]
	if end := strings.LastIndexByte(last, '.'); end > 0 {
		last = last[:end]
	} else if last != "" { // a folder
		folders, last = append(folders, last), "index"
	}
	folder := ""
	if len(folders) > 0 {
		folder = folders[len(folders)-1]
	}
	switch {
	case last == "" || last == "index":
		return folder == "" || folder[0] != '-' // Dokka has the page of a class Bee in -bee/
	case listFolders[folder]:
		return true
	}
	start, _, cut := strings.Cut(last, "-")
	from, _, _ := strings.Cut(last, "_")
	return listNames[last] || cut && listNames[start+"-"] || listNames[from+"_"] || strings.HasSuffix(last, "-members")
}

// listNames are the names that javadoc, Doxygen, ExDoc, Haddock, rustdoc, scaladoc and Gramps give to their lists, or the first
// part of these with the sign after it; listFolders are the folders in which they have nothing else.
var (
	listNames = map[string]bool{
		"all": true, "allclasses": true, "allclasses-": true, "allpackages-": true, "constant-values": true, "deprecated-": true, "index-": true, "overview-": true, "package-": true, "serialized-form": true,
		"annotated": true, "annotated_": true, "bug": true, "classes": true, "concepts": true, "deprecated": true, "dir_": true, "examples": true, "files": true, "functions": true, "functions_": true,
		"globals": true, "globals_": true, "hierarchy": true, "inherits": true, "modules": true, "namespacemembers": true, "namespacemembers_": true, "namespaces": true, "pages": true, "test": true, "todo": true, "topics": true,
		"individuals": true, "surnames": true, "surnames_": true, "families": true, "events": true, "places": true, "repositories": true, "sources": true, "thumbnails": true,
		"api-reference": true, "doc-": true, "frames": true, "mini_": true, "search": true,
	}
	listFolders = map[string]bool{"class-use": true, "index": true, "index-files": true, "modules": true}
)

// saysForum reports whether a page declares to be a thread, or to be written by a forum's program.
func saysForum(row []uint8) bool { return row[pageRest+restIsForum] > 0 || row[pageMade+1] > 0 }

// isPostOfBlog reports whether a URL has a year and a month and after them a name, and perhaps a day before it, as blogs
// write it: /2007/10/colcannon/. Archives of mailing lists have numbers there, such as msg0123.html.
func isPostOfBlog(url string) bool {
	path := pathOf(url)
	last := path[strings.LastIndexByte(path, '/')+1:]
	if end := strings.IndexByte(last, '.'); end > 0 {
		last = last[:end]
	}
	folders := strings.Split(path[:strings.LastIndexByte(path, '/')+1], "/")
	for i := 0; i+1 < len(folders); i++ {
		if metadata.IsYear(folders[i]) && len(folders[i+1]) <= 2 && isNumber(folders[i+1]) {
			digits := 0
			for _, c := range []byte(last) {
				if c >= '0' && c <= '9' {
					digits++
				}
			}
			return last != "" && 2*digits < len(last)
		}
	}
	return false
}

// isNumber reports whether a text is digits and nothing else.
func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Sizes of text in bytes. Of 1,497 pages 12 have little text, all of them filled by scripts; 11
// have every sign of a page of a manual, and all of these are documentation.
const (
	littleText = 300  // a page with less has too little text to tell its type, unless it is mostly links
	briefText  = 2000 // a page with less can be one of a manual even if it does not link to the next or previous one
)

// typeSaid returns the type that follows from a page's columns without its text, or "": from its
// declared metadata, from the program that has written the page, and from words in its URL.
func typeSaid(row []uint8, m *metadata.Declared) string {
	switch d := declares(m); {
	case d.article > 0:
		return "article"
	case d.product > 0:
		return "product"
	case d.forum > 0:
		return "forum"
	case d.list > 0:
		return "listing"
	}
	for i, kind := range madeTypes {
		if row[pageMade+i] > 0 {
			return kind
		}
	}
	for _, words := range [...]int{pagePathWords, pageLastWords, pageHostWords} {
		for i, kind := range topicTypes {
			if row[words+i] > 0 {
				return kind
			}
		}
	}
	return ""
}
