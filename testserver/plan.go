package testserver

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// A plan plans the generated sites: which there are, how many pages of each kind, and where
// copies are. It is used only by New.
type plan struct {
	*Web
	rng       corpus.RNG
	corpora   [2]*corpus.Corpus // English, Chinese
	distinct  []*site           // sites that are not whole mirrors
	rawPaths  *site             // the site whose paths are Chinese words: the first Chinese site in UTF-8
	sizes     map[*site]int
	near      int               // number of near copies so far, which rotate through the classes
	names     int               // number of layouts so far
	documents int               // number of library documents so far
	sources   map[*site][]*page // results of originals
	texts     map[*corpus.Corpus][]*corpus.Text
	byCorpus  map[*corpus.Corpus][]*site // sites by main language, without the one with a Crawl-delay
}

// A partialMirror is a site with a copy of a section of another one.
type partialMirror struct {
	from, by *site
	section  *section
}

// delayedPages is the number of documents of the site with a Crawl-delay.
const delayedPages = 10

func (w *Web) generate() {
	if w.o.Hosts == 0 {
		return
	}
	p := &plan{Web: w, rng: corpus.RNG(w.o.Seed), sizes: map[*site]int{}, texts: map[*corpus.Corpus][]*corpus.Text{}, sources: map[*site][]*page{}, byCorpus: map[*corpus.Corpus][]*site{}}
	p.corpora = [2]*corpus.Corpus{corpus.English(p.rng.Uint64()), corpus.Chinese(p.rng.Uint64())}
	p.addSites()
	p.choosePartial()
	for _, s := range p.distinct {
		p.openSections(s)
	}
	quota := p.quotas()
	libraries := p.planLibraries(quota)
	for _, s := range p.distinct {
		p.addPages(s, quota[s], libraries[s])
	}
	for _, s := range p.distinct {
		p.addCopies(s, quota[s])
	}
	p.addLibraries(quota)
	for _, s := range p.distinct {
		p.addListings(s)
	}
	for _, way := range p.partials {
		p.addPartialMirror(way)
	}
	for _, s := range p.distinct {
		p.addSkins(s)
	}
	for _, way := range p.partials {
		way.addDeadLinks()
	}
	p.addMirrors()
}

// siblingShare is the percentage of its sentences that a template sibling has in common with
// the others; their facts differ, so that the Jaccard of their 3-shingles is between .3 and
// .6.
const siblingShare = 85

// addSites makes the sites that are not mirrors.
func (p *plan) addSites() {
	n := p.o.Hosts - p.o.Mirrors
	// Chinese sites are distributed evenly, and site 0 has the remaining Chinese
	// articles.
	spread := p.o.Chinese * float64(n)
	whole := int(math.Round(spread))
	speaks := map[int]bool{}
	for k := range whole {
		speaks[(2*k+1)*n/(2*whole)] = true
	}
	var gbk, western bool
	for i := range n {
		s := &site{seed: p.rng.Uint64(), corpus: p.corpora[0], charset: skin.UTF8, byPath: map[string]*page{}, layout: (i + int(p.o.Seed%5)) % len(skin.Layouts)}
		p.sizes[s] = p.o.Pages
		if speaks[i] {
			s.corpus, s.chinese = p.corpora[1], 1
		} else if i == 0 {
			s.chinese = max(0, spread-float64(whole))
		}
		if p.o.Charsets && s.corpus.Chinese && !gbk {
			s.charset, gbk = skin.GBK, true
		}
		if p.rawPaths == nil && s.corpus.Chinese && s.charset == skin.UTF8 {
			p.rawPaths = s
		}
		if p.o.Charsets && s.chinese == 0 && !western {
			s.charset, western = skin.Windows1252, true
		}
		s.calendar = p.o.Traps && i == 0
		if p.o.CrawlDelay > 0 && n > 3 && i == n-1 {
			s.crawlDelay = true
			p.sizes[s] = min(p.o.Pages, delayedPages)
		} else {
			p.byCorpus[s.corpus] = append(p.byCorpus[s.corpus], s)
		}
		p.nameSite(s, i)
		p.distinct = append(p.distinct, s)
		p.sites = append(p.sites, s)
	}
}

// nameSite gives the site a name in ASCII and a title in its language.
func (p *plan) nameSite(s *site, i int) {
	h := p.rng.Uint64()
	place, paper := corpus.Pick(s.corpus.Places, h), corpus.Pick(s.corpus.Papers, h>>20)
	if s.corpus.Chinese {
		s.title = place + paper
		s.name = "wang-" + strconv.Itoa(i)
		return
	}
	s.title = place + " " + paper
	s.name = slug(s.title, 4) + "-" + strconv.Itoa(i)
}

// choosePartial pairs partial mirrors, from the last site down, with the sites whose section
// they copy. They answer in UTF-8, since they list foreign titles.
func (p *plan) choosePartial() {
	var can []*site
	for _, s := range p.distinct {
		if !s.crawlDelay {
			can = append(can, s)
		}
	}
	for i := len(can) - 1; i >= 0 && len(p.partials) < p.o.Partial && len(can) > 1; i-- {
		if can[i].charset == skin.UTF8 {
			p.partials = append(p.partials, partialMirror{from: can[(i+len(can)/2)%len(can)], by: can[i]})
		}
	}
}

// openSections adds the site's sections, still empty.
func (p *plan) openSections(s *site) {
	n := min(max(p.sizes[s]/40, 2), 6)
	if s.crawlDelay {
		n = 1
	}
	at := p.rng.IntN(100)
	for i := range n {
		v := s.corpus
		if s.chinese < 1 && float64(i) < math.Round(s.chinese*float64(n)) {
			v = p.corpora[1]
		}
		topic := (at + i*3) % len(v.Topics)
		c := &section{path: v.Slugs[topic] + "/", label: v.Topics[topic], corpus: v, topic: topic}
		if p.rawPaths == s {
			c.path = v.Topics[topic] + "/"
		}
		if taken(s, c.path) {
			c.path = v.Slugs[topic] + "-" + strconv.Itoa(i) + "/"
		}
		s.sections = append(s.sections, c)
	}
	for i := range p.partials {
		if p.partials[i].from != s {
			continue
		}
		if p.partials[i].section = s.reservedSection(); p.partials[i].section == nil {
			c := &section{path: "reports/", label: s.corpus.Topics[at%len(s.corpus.Topics)], corpus: s.corpus, topic: at % len(s.corpus.Topics), reserved: true, closed: true}
			s.sections = append(s.sections, c)
			p.partials[i].section = c
		}
	}
}

func taken(s *site, path string) bool {
	for _, c := range s.sections {
		if c.path == path {
			return true
		}
	}
	return false
}

func (s *site) reservedSection() *section {
	for _, c := range s.sections {
		if c.reserved {
			return c
		}
	}
	return nil
}

// perListing is the number of entries of a listing page.
func (w *Web) perListing() int {
	if w.o.Pages < 500 {
		return 10
	}
	return 25
}

func (w *Web) listingsOf(items int) int { return (items + w.perListing() - 1) / w.perListing() }

// reservedSize is the number of articles in a section that is mirrored.
func (p *plan) reservedSize() int { return max(4, p.o.Pages/10) }

// partialMirrorSize is the number of documents in a partial mirror.
func (p *plan) partialMirrorSize() int { return p.reservedSize() + p.listingsOf(p.reservedSize()) }

// addPages fills the sections with originals and siblings, and makes the pages that
// every site has.
func (p *plan) addPages(s *site, q quota, library int) {
	s.add(&page{path: "/", kind: score.KindHub, title: s.title})
	seed := p.rng.Uint64()
	s.add(&page{path: "/elsewhere.html", kind: score.KindHub, title: s.corpus.Labels.Elsewhere, text: p.newText(s.corpus, int(seed%8), seed, 3)})
	siblings := 0
	if s == p.distinct[0] || !s.crawlDelay && s.seed%3 == 0 {
		siblings = p.sizes[s] / 20
	}
	open := s.openSections()
	for i := range p.articles(s, len(open), q, library, siblings) - q.near {
		c := open[i%len(open)]
		p.article(s, c, p.newText(c.corpus, c.topic, p.rng.Uint64(), 0))
	}
	if c := s.reservedSection(); c != nil {
		for range p.reservedSize() {
			p.article(s, c, p.newText(c.corpus, c.topic, p.rng.Uint64(), 0))
		}
	}
	if siblings > 0 {
		p.addSiblings(s, siblings)
	}
	l := s.corpus.Labels
	s.foot = []skin.Link{
		{Path: "private/", Label: l.Private}, {Path: "private/open/notice.html", Label: l.Open}, {Path: "elsewhere.html", Label: l.Elsewhere},
	}
	s.add(&page{path: "/private/", kind: score.KindForbidden, depth: 1, text: p.newText(s.corpus, 0, p.rng.Uint64(), 12)})
	s.add(&page{path: "/private/open/notice.html", kind: score.KindPage, depth: 2, text: p.newText(s.corpus, 2, p.rng.Uint64(), 0)})
}

// articles returns how many articles, near copies included, the site's open sections need
// for the site to have its size together with its other pages.
func (p *plan) articles(s *site, open int, q quota, library, siblings int) int {
	total := 3 // the front page, the page of old URLs, and the notice
	for _, items := range []int{siblings, q.alias, library} {
		total += items + p.listingsOf(items)
	}
	if s.reservedSection() != nil {
		total += p.partialMirrorSize()
	}
	for _, way := range p.partials {
		if way.by == s {
			total += p.partialMirrorSize() + 1
		}
	}
	listings := func(items int) int {
		n := 0
		for i := range open {
			n += p.listingsOf((items + open - 1 - i) / open)
		}
		return n
	}
	n := p.sizes[s]
	for n > 3+q.near && total+n+listings(n) > p.sizes[s] {
		n--
	}
	return n
}

// openSections returns the sections to which any article may be added.
func (s *site) openSections() []*section {
	var open []*section
	for _, c := range s.sections {
		if !c.closed {
			open = append(open, c)
		}
	}
	return open
}

// addSiblings adds vacancies: pages from one form that are not copies of each other.
func (p *plan) addSiblings(s *site, n int) {
	c := &section{path: "vacancies/", label: s.corpus.Labels.Jobs, corpus: s.corpus, topic: p.rng.IntN(len(s.corpus.Topics)), closed: true}
	s.sections = append(s.sections, c)
	frame := p.rng.Uint64()
	for range n {
		t := p.newText(c.corpus, c.topic, p.rng.Uint64(), 0)
		t.Frame, t.Shared = frame, siblingShare
		p.article(s, c, t)
	}
}

// newText makes an original of length sentences, or of about a quarter of a page if length
// is 0.
func (p *plan) newText(v *corpus.Corpus, topic int, seed uint64, length int) *corpus.Text {
	const sentenceBytes = 60
	if length == 0 {
		length = p.o.PageBytes / 4 / sentenceBytes * (75 + int(seed>>33%50)) / 100
	}
	t := &corpus.Text{Corpus: v, Topic: topic, Seed: seed, Frame: seed, Length: length, Day: 18_000 + int(corpus.Mix(seed, 7)%2400)}
	t.Origin = t
	f := v.Facts(seed)
	made := v.Titles[topic][corpus.Mix(seed, 8)%corpus.SmallPoolSize].Append(nil, &f, seed, nil)
	made[0] = corpus.Upper(made[0])
	t.Title = string(made)
	// One text in a hundred has the title of another one.
	if others := p.texts[v]; len(others) > 0 && corpus.Mix(seed, 10)%100 == 0 {
		t.Title = others[corpus.Mix(seed, 11)%uint64(len(others))].Title
	}
	p.texts[v] = append(p.texts[v], t)
	return t
}

// article adds the text to a section.
func (p *plan) article(s *site, c *section, t *corpus.Text) *page {
	name := slug(t.Title, 5)
	if t.Corpus.Chinese {
		name = "wen"
	}
	dir := "/" + c.path
	if p.rawPaths == s {
		runes := []rune(strings.Map(letters, t.Title))
		name = string(runes[:min(len(runes), 6)])
	}
	raw := dir + name + "-" + strconv.Itoa(len(s.pages)) + ".html"
	q := &page{path: escapePath(raw), kind: score.KindPage, section: c, text: t, depth: 1}
	if len(s.pages)%2 == 0 {
		q.href = raw[1:]
	}
	if p.home[t] == nil {
		p.home[t] = q
	}
	c.items = append(c.items, q)
	return s.add(q)
}

func escapePath(raw string) string { return (&url.URL{Path: raw}).EscapedPath() }

func letters(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// slug returns the first words of a title as a file name in ASCII.
func slug(title string, words int) string {
	fields := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return r > unicode.MaxASCII || letters(r) < 0 })
	return strings.Join(fields[:min(words, len(fields))], "-")
}

// addListings shuffles the sections, makes their listings, and adds the faults.
func (p *plan) addListings(s *site) {
	for _, c := range s.sections {
		for i := len(c.items) - 1; i > 0; i-- {
			j := p.rng.IntN(i + 1)
			c.items[i], c.items[j] = c.items[j], c.items[i]
		}
		for i, q := range c.items {
			if q.section == c && q.copyOf == nil {
				q.place = i
			}
		}
		dir := "/" + c.path
		for i := range max(1, p.listingsOf(len(c.items))) {
			q := &page{kind: score.KindHub, section: c, place: i, depth: strings.Count(c.path, "/"), title: c.label + " – " + s.title}
			raw := dir
			if i > 0 {
				q.title = c.label + ", " + s.corpus.Labels.Page + strconv.Itoa(i+1) + " – " + s.title
				raw += "page-" + strconv.Itoa(i+1) + ".html"
			}
			q.path, q.href = escapePath(raw), raw[1:]
			c.listings = append(c.listings, s.add(q))
		}
	}
	var articles []*page
	for _, c := range s.sections {
		for _, q := range c.items {
			if q.copyOf == nil {
				articles = append(articles, q)
			}
		}
	}
	for range 2 {
		if q := corpus.Pick(articles, p.rng.Uint64()); s.byPath[q.path+"?print=1"] == nil {
			s.add(&page{path: q.path + "?print=1", kind: score.KindForbidden, copyOf: q, text: q.text})
		}
	}
	if !p.o.Faults {
		return
	}
	s.addFaults(&p.rng)
	to := p.distinct[(slices.Index(p.distinct, s)+1)%len(p.distinct)]
	s.add(&page{path: "/go/" + to.name, kind: score.KindRedirect, title: "go/" + to.name, status: 302, target: to.name, external: true})
}

// addSkins makes the site's skins, with a style that is large enough to give its articles
// their size.
func (p *plan) addSkins(s *site) {
	s.menu = []skin.Link{{Label: s.corpus.Labels.Home}}
	for _, c := range s.sections {
		s.menu = append(s.menu, skin.Link{Path: c.path, Label: c.label})
	}
	if s.calendar {
		s.menu = append(s.menu, skin.Link{Path: calendarPath(calendarYear, calendarMonth)[1:], Label: s.corpus.Labels.Calendar})
	}
	second := false
	var sample []*page
	for _, q := range s.pages {
		second = second || q.altLayout
		if q.kind == score.KindPage && q.copyOf == nil && q.bareSkin == nil && !q.altLayout && len(sample) < 8 {
			sample = append(sample, q)
		}
	}
	p.names += 2
	s.skin = p.newSkin(s, s.layout, p.names, s.seed, 0)
	size := 0
	for _, q := range sample {
		size += len(p.render(nil, q))
	}
	filler := p.o.PageBytes - size/len(sample)
	s.skin = p.newSkin(s, s.layout, p.names, s.seed, filler)
	if second {
		s.altSkin = p.newSkin(s, (s.layout+2)%len(skin.Layouts), p.names+1, s.seed^1, filler)
	}
}

func (p *plan) newSkin(s *site, kind, id int, seed uint64, filler int) *skin.Skin {
	return skin.New(&skin.Layouts[kind], id, seed, s.title, s.charset, s.corpus, s.menu, s.foot, filler)
}
