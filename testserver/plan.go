package testserver

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A plan lays out the generated sites: who is who, how many pages of each sort,
// and where copies go. It only lives while New runs.
type plan struct {
	*Web
	dice      dice
	voices    [2]*voice // English, Chinese
	own       []*site   // sites that are no whole mirrors
	raw       *site     // whose paths are Chinese words: the first Chinese site in UTF-8
	sizes     map[*site]int
	near      int               // near copies made, which rotate through the classes
	names     int               // layouts made
	documents int               // library documents made
	sources   map[*site][]*page // what originals found
	texts     map[*voice][]*text
	speakers  map[*voice][]*site // sites by main language, without the one with a Crawl-delay
}

// A sharing is a partial mirror to be.
type sharing struct {
	from, by *site
	section  *section
}

// delayedPages is the size of the site that asks for a Crawl-delay.
const delayedPages = 10

func (w *Web) layOut() {
	if w.o.Hosts == 0 {
		return
	}
	p := &plan{Web: w, dice: dice(w.o.Seed), sizes: map[*site]int{}, texts: map[*voice][]*text{}, sources: map[*site][]*page{}, speakers: map[*voice][]*site{}}
	p.voices = [2]*voice{newVoice("en", &english, p.dice.roll()), newVoice("zh", &chinese, p.dice.roll())}
	p.found()
	p.choosePartial()
	for _, s := range p.own {
		p.openSections(s)
	}
	quota := p.quotas()
	libraries := p.planLibraries(quota)
	for _, s := range p.own {
		p.write(s, quota[s], libraries[s])
	}
	for _, s := range p.own {
		p.repeat(s, quota[s])
	}
	p.stockLibraries(quota)
	for _, s := range p.own {
		p.finish(s)
	}
	for _, way := range p.ways {
		p.carry(way)
	}
	for _, s := range p.own {
		p.dress(s)
	}
	for _, way := range p.ways {
		way.leaveDead()
	}
	p.mirrorWhole()
}

// siblingShare is the percent of its sentences that a template sibling has in
// common with the others; their facts differ, so that the Jaccard of their
// 3-shingles stays between .3 and .6.
const siblingShare = 85

// found makes the sites that are no mirrors.
func (p *plan) found() {
	n := p.o.Hosts - p.o.Mirrors
	// Chinese sites stand evenly among the others, and site 0 writes what is
	// left over.
	spread := p.o.Chinese * float64(n)
	whole := int(math.Round(spread))
	speaks := map[int]bool{}
	for k := range whole {
		speaks[(2*k+1)*n/(2*whole)] = true
	}
	var gbk, western bool
	for i := range n {
		s := &site{seed: p.dice.roll(), voice: p.voices[0], charset: utf8Charset, byPath: map[string]*page{}, family: (i + int(p.o.Seed%5)) % len(families)}
		p.sizes[s] = p.o.Pages
		if speaks[i] {
			s.voice, s.chinese = p.voices[1], 1
		} else if i == 0 {
			s.chinese = max(0, spread-float64(whole))
		}
		if p.o.Charsets && s.voice.chinese && !gbk {
			s.charset, gbk = gbkCharset, true
		}
		if p.raw == nil && s.voice.chinese && s.charset == utf8Charset {
			p.raw = s
		}
		if p.o.Charsets && s.chinese == 0 && !western {
			s.charset, western = windowsCharset, true
		}
		s.calendar = p.o.Traps && i == 0
		if p.o.CrawlDelay > 0 && n > 3 && i == n-1 {
			s.crawlDelay = true
			p.sizes[s] = min(p.o.Pages, delayedPages)
		} else {
			p.speakers[s.voice] = append(p.speakers[s.voice], s)
		}
		p.christen(s, i)
		p.own = append(p.own, s)
		p.sites = append(p.sites, s)
	}
}

// christen gives the site a name in ASCII and a title in its language.
func (p *plan) christen(s *site, i int) {
	h := p.dice.roll()
	place, paper := pick(s.voice.places, h), pick(s.voice.papers, h>>20)
	if s.voice.chinese {
		s.title = place + paper
		s.name = "wang-" + strconv.Itoa(i)
		return
	}
	s.title = place + " " + paper
	s.name = slug(s.title, 4) + "-" + strconv.Itoa(i)
}

// choosePartial pairs carriers, from the last site down, with the sites whose
// section they carry. Carriers answer in UTF-8, since they list foreign titles.
func (p *plan) choosePartial() {
	var can []*site
	for _, s := range p.own {
		if !s.crawlDelay {
			can = append(can, s)
		}
	}
	for i := len(can) - 1; i >= 0 && len(p.ways) < p.o.Partial && len(can) > 1; i-- {
		if can[i].charset == utf8Charset {
			p.ways = append(p.ways, sharing{from: can[(i+len(can)/2)%len(can)], by: can[i]})
		}
	}
}

// openSections opens the site's sections, empty as yet.
func (p *plan) openSections(s *site) {
	n := min(max(p.sizes[s]/40, 2), 6)
	if s.crawlDelay {
		n = 1
	}
	at := p.dice.below(100)
	for i := range n {
		v := s.voice
		if s.chinese < 1 && float64(i) < math.Round(s.chinese*float64(n)) {
			v = p.voices[1]
		}
		topic := (at + i*3) % len(v.topics)
		c := &section{path: v.slugs[topic] + "/", label: v.topics[topic], voice: v, topic: topic}
		if p.raw == s {
			c.path = v.topics[topic] + "/"
		}
		if taken(s, c.path) {
			c.path = v.slugs[topic] + "-" + strconv.Itoa(i) + "/"
		}
		s.sections = append(s.sections, c)
	}
	for i := range p.ways {
		if p.ways[i].from != s {
			continue
		}
		if p.ways[i].section = s.reservedSection(); p.ways[i].section == nil {
			c := &section{path: "reports/", label: s.voice.topics[at%len(s.voice.topics)], voice: s.voice, topic: at % len(s.voice.topics), reserved: true, closed: true}
			s.sections = append(s.sections, c)
			p.ways[i].section = c
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

// reservedSize is the number of articles in a section that others carry.
func (p *plan) reservedSize() int { return max(4, p.o.Pages/10) }

// carried is the number of documents that a partial mirror repeats.
func (p *plan) carried() int { return p.reservedSize() + p.listingsOf(p.reservedSize()) }

// write fills the sections with originals and siblings, and makes the pages that
// every site has.
func (p *plan) write(s *site, q quota, library int) {
	s.add(&page{path: "/", kind: KindHub, title: s.title})
	seed := p.dice.roll()
	s.add(&page{path: "/elsewhere.html", kind: KindHub, title: s.voice.labels.elsewhere, text: p.newText(s.voice, int(seed%8), seed, 3)})
	siblings := 0
	if s == p.own[0] || !s.crawlDelay && s.seed%3 == 0 {
		siblings = p.sizes[s] / 20
	}
	open := s.openSections()
	for i := range p.articles(s, len(open), q, library, siblings) - q.near {
		c := open[i%len(open)]
		p.article(s, c, p.newText(c.voice, c.topic, p.dice.roll(), 0))
	}
	if c := s.reservedSection(); c != nil {
		for range p.reservedSize() {
			p.article(s, c, p.newText(c.voice, c.topic, p.dice.roll(), 0))
		}
	}
	if siblings > 0 {
		p.addSiblings(s, siblings)
	}
	l := s.voice.labels
	s.foot = []link{{"private/", l.private}, {"private/open/notice.html", l.open}, {"elsewhere.html", l.elsewhere}}
	s.add(&page{path: "/private/", kind: KindForbidden, depth: 1, text: p.newText(s.voice, 0, p.dice.roll(), 12)})
	s.add(&page{path: "/private/open/notice.html", kind: KindPage, depth: 2, text: p.newText(s.voice, 2, p.dice.roll(), 0)})
}

// articles returns how many articles, near copies included, fill the site's open
// sections so that it comes out at its size with all that it has besides.
func (p *plan) articles(s *site, open int, q quota, library, siblings int) int {
	total := 3 // the front page, the page of old addresses, and the notice
	for _, items := range []int{siblings, q.alias, library} {
		total += items + p.listingsOf(items)
	}
	if s.reservedSection() != nil {
		total += p.carried()
	}
	for _, way := range p.ways {
		if way.by == s {
			total += p.carried() + 1
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

// openSections returns the sections that take any article; while a site is
// written there are no others than those of articles.
func (s *site) openSections() []*section {
	var open []*section
	for _, c := range s.sections {
		if !c.closed {
			open = append(open, c)
		}
	}
	return open
}

// addSiblings adds vacancies: pages of one mould that are no copies of each
// other.
func (p *plan) addSiblings(s *site, n int) {
	c := &section{path: "vacancies/", label: s.voice.labels.jobs, voice: s.voice, topic: p.dice.below(len(s.voice.topics)), closed: true}
	s.sections = append(s.sections, c)
	frame := p.dice.roll()
	for range n {
		t := p.newText(c.voice, c.topic, p.dice.roll(), 0)
		t.frame, t.shared = frame, siblingShare
		p.article(s, c, t)
	}
}

// newText makes an original of about a quarter of a page, or of so many
// sentences.
func (p *plan) newText(v *voice, topic int, seed uint64, length int) *text {
	const sentenceBytes = 60
	if length == 0 {
		length = p.o.PageBytes / 4 / sentenceBytes * (75 + int(seed>>33%50)) / 100
	}
	t := &text{voice: v, topic: topic, seed: seed, frame: seed, length: length, day: 18_000 + int(mix(seed, 7)%2400)}
	t.origin = t
	f := v.facts(seed)
	made := v.titles[topic][mix(seed, 8)%poolOthers].tell(nil, &f, seed, nil)
	made[0] = upper(made[0])
	t.title = string(made)
	// One in a hundred has the title of another one.
	if others := p.texts[v]; len(others) > 0 && mix(seed, 10)%100 == 0 {
		t.title = others[mix(seed, 11)%uint64(len(others))].title
	}
	p.texts[v] = append(p.texts[v], t)
	return t
}

// article adds the text to a section.
func (p *plan) article(s *site, c *section, t *text) *page {
	name := slug(t.title, 5)
	if t.voice.chinese {
		name = "wen"
	}
	dir := "/" + c.path
	if p.raw == s {
		runes := []rune(strings.Map(letters, t.title))
		name = string(runes[:min(len(runes), 6)])
	}
	raw := dir + name + "-" + strconv.Itoa(len(s.pages)) + ".html"
	q := &page{path: escapePath(raw), kind: KindPage, section: c, text: t, depth: 1}
	if len(s.pages)%2 == 0 {
		q.href = raw[1:]
	}
	if t.home == nil {
		t.home = q
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

// finish shuffles the sections, makes their listings, and adds the faults.
func (p *plan) finish(s *site) {
	for _, c := range s.sections {
		for i := len(c.items) - 1; i > 0; i-- {
			j := p.dice.below(i + 1)
			c.items[i], c.items[j] = c.items[j], c.items[i]
		}
		for i, q := range c.items {
			if q.section == c && q.same == nil {
				q.place = i
			}
		}
		dir := "/" + c.path
		for i := range max(1, p.listingsOf(len(c.items))) {
			q := &page{kind: KindHub, section: c, place: i, depth: strings.Count(c.path, "/"), title: c.label + " – " + s.title}
			raw := dir
			if i > 0 {
				q.title = c.label + ", " + s.voice.labels.page + strconv.Itoa(i+1) + " – " + s.title
				raw += "page-" + strconv.Itoa(i+1) + ".html"
			}
			q.path, q.href = escapePath(raw), raw[1:]
			c.listings = append(c.listings, s.add(q))
		}
	}
	var articles []*page
	for _, c := range s.sections {
		for _, q := range c.items {
			if q.same == nil {
				articles = append(articles, q)
			}
		}
	}
	for range 2 {
		if q := pick(articles, p.dice.roll()); s.byPath[q.path+"?print=1"] == nil {
			s.add(&page{path: q.path + "?print=1", kind: KindForbidden, same: q, text: q.text})
		}
	}
	if !p.o.Faults {
		return
	}
	s.addFaults(&p.dice)
	to := p.own[(slices.Index(p.own, s)+1)%len(p.own)]
	s.add(&page{path: "/go/" + to.name, kind: KindRedirect, title: "go/" + to.name, status: 302, target: to.name, far: true})
}

// dress makes the site's skins, with as much style in them as brings its
// articles to their size.
func (p *plan) dress(s *site) {
	s.menu = []link{{"", s.voice.labels.home}}
	for _, c := range s.sections {
		s.menu = append(s.menu, link{c.path, c.label})
	}
	if s.calendar {
		s.menu = append(s.menu, link{calendarPath(calendarYear, calendarMonth)[1:], s.voice.labels.calendar})
	}
	second := false
	var sample []*page
	for _, q := range s.pages {
		second = second || q.print
		if q.kind == KindPage && q.same == nil && q.bare == nil && !q.print && len(sample) < 8 {
			sample = append(sample, q)
		}
	}
	p.names += 2
	s.skin = p.sew(s, s.family, p.names, s.seed, 0)
	size := 0
	for _, q := range sample {
		size += len(p.render(nil, q))
	}
	filler := p.o.PageBytes - size/len(sample)
	s.skin = p.sew(s, s.family, p.names, s.seed, filler)
	if second {
		s.alt = p.sew(s, (s.family+2)%len(families), p.names+1, s.seed^1, filler)
	}
}

func (p *plan) sew(s *site, kind, id int, seed uint64, filler int) *skin {
	return wear(&families[kind], id, seed, s.title, s.charset, s.voice, s.menu, s.foot, filler)
}
