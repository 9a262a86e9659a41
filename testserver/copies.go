package testserver

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A quota is what one site repeats of itself and of others.
type quota struct {
	alias int // byte copies under other URLs of the site
	near  int // the same or an edited text
	share int // byte copies of library documents
}

// quotas divides the planted copies among the sites, so that with all mirrors
// Options.Exact and Options.Copies come out of the whole web. What a mirror
// repeats is an exact copy, even of a near one.
func (p *plan) quotas() map[*site]quota {
	total, mirrored, weight := 0.0, 0.0, 0.0
	for _, s := range p.own {
		total += float64(p.sizes[s])
		if !s.crawlDelay {
			weight += float64(p.sizes[s])
		}
	}
	for i := range p.o.Mirrors {
		mirrored += float64(p.sizes[p.mirrorSource(i)])
	}
	total += mirrored
	exact := max(0, p.o.Exact*total-mirrored-float64(len(p.ways)*p.carried()))
	near := (p.o.Copies - p.o.Exact) * total
	quotas := map[*site]quota{}
	exactLeft, nearLeft := 0.0, 0.0 // what rounding left over
	for _, s := range p.own {
		if s.crawlDelay {
			continue
		}
		part := float64(p.sizes[s]) / weight
		exactLeft += exact * part
		nearLeft += near * part
		q := quota{near: int(math.Round(nearLeft)), alias: int(math.Round(exactLeft))}
		exactLeft -= float64(q.alias)
		nearLeft -= float64(q.near)
		if len(p.speakers[s.voice]) > 2 {
			q.share = q.alias / 2
			q.alias -= q.share
		}
		quotas[s] = q
	}
	return quotas
}

func (p *plan) mirrorSource(i int) *site { return p.own[(2+i)%len(p.own)] }

// planLibraries returns how many library documents each site carries. Each
// document stands on two or three sites of one language, one of which counts as
// its original, and never on all of them: their listings would be copies.
func (p *plan) planLibraries(quotas map[*site]quota) map[*site]int {
	carries := map[*site]int{}
	p.eachDocument(quotas, func(_ *voice, on []*site) {
		for _, s := range on {
			carries[s]++
		}
	})
	return carries
}

func (p *plan) eachDocument(quotas map[*site]quota, f func(v *voice, on []*site)) {
	for _, v := range p.voices {
		var on []*site
		copies := 0
		for _, s := range p.own {
			if quotas[s].share > 0 && s.voice == v {
				on = append(on, s)
				copies += quotas[s].share
			}
		}
		if len(on) < 2 {
			continue
		}
		each := min(max(len(on)/2, 2), 3)
		for j := range copies / (each - 1) {
			var at []*site
			for k := range each {
				at = append(at, on[(j+k)%len(on)])
			}
			f(v, at)
		}
	}
}

// stockLibraries writes the library documents.
func (p *plan) stockLibraries(quotas map[*site]quota) {
	bareSkins := map[*voice]*skin{}
	p.eachDocument(quotas, func(v *voice, on []*site) {
		if bareSkins[v] == nil {
			p.names++
			bareSkins[v] = wear(&bare, p.names, 1, "", utf8Charset, v, nil, nil, 0)
		}
		seed := p.dice.roll()
		t := p.newText(v, int(seed>>9%uint64(len(v.topics))), seed, p.o.PageBytes/100)
		name := slug(t.title, 4)
		if v.chinese {
			name = "wenku"
		}
		p.documents++
		file := name + "-" + strconv.Itoa(p.documents) + ".html"
		var first *page
		for _, s := range on {
			c := s.librarySection()
			q := &page{path: "/" + c.path + file, kind: KindPage, section: c, text: t, bare: bareSkins[v], depth: 1, same: first}
			if first == nil {
				first, t.home = q, q
			}
			c.items = append(c.items, s.add(q))
		}
	})
}

func (s *site) librarySection() *section {
	for _, c := range s.sections {
		if c.library {
			return c
		}
	}
	c := &section{path: "library/", label: s.voice.labels.library, library: true}
	s.sections = append(s.sections, c)
	return c
}

// repeat adds the site's aliases and near copies.
func (p *plan) repeat(s *site, q quota) {
	for range q.near {
		p.addNear(s)
	}
	if q.alias == 0 {
		return
	}
	var from []*page
	for _, c := range s.sections {
		if !c.reserved {
			from = append(from, c.items...)
		}
	}
	archive := &section{path: "archive/", label: s.voice.labels.archive}
	s.sections = append(s.sections, archive)
	for i := 0; len(archive.items) < q.alias && i < 20*q.alias; i++ {
		of := pick(from, p.dice.roll())
		alias := &page{path: "/archive/" + path.Base(of.path), kind: KindPage, same: of, text: of.text, depth: 1}
		if i%2 == 0 {
			alias.path = of.path + "?ref=archive"
		}
		if s.byPath[alias.path] == nil {
			archive.items = append(archive.items, s.add(alias))
		}
	}
}

// addNear adds one near copy. They rotate through the classes, and every other
// edit is a heavy one:
//
//   - full-layout: the same text on the same site, other teasers around it
//   - full-content: the same text in another layout
//   - partial-layout: an edited text of the same site
//   - partial-content: an edited text in another layout
//
// Another layout is that of another site of the language; where there is none,
// the site's own second layout.
func (p *plan) addNear(s *site) {
	class, heavy := p.near%4, p.near/4%2 == 1
	p.near++
	elsewhere := class%2 == 1
	of, foreign := p.source(s, elsewhere)
	if of == nil {
		return
	}
	t := of.text
	if class >= 2 {
		t = p.edited(t, heavy)
	}
	q := p.article(s, pick(s.openSections(), p.dice.roll()), t)
	q.print = elsewhere && !foreign
}

// source finds an original: of the site itself, or of another one of its
// language in another family, where a few tries find such a site.
func (p *plan) source(s *site, elsewhere bool) (of *page, foreign bool) {
	const tries = 20
	from := s
	for try := 0; elsewhere && !foreign && try < tries; try++ {
		if o := pick(p.speakers[s.voice], p.dice.roll()); o != s && o.family != s.family {
			from, foreign = o, true
		}
	}
	originals := p.originals(from)
	if len(originals) == 0 {
		return nil, false
	}
	return pick(originals, p.dice.roll()), foreign
}

// originals returns the site's articles that may be copied: no siblings, in
// the site's main language.
func (p *plan) originals(s *site) []*page {
	if p.sources[s] == nil {
		for _, c := range s.sections {
			for _, q := range c.items {
				if q.text.home == q && q.text.origin == q.text && q.text.shared == 0 && q.text.voice == s.voice {
					p.sources[s] = append(p.sources[s], q)
				}
			}
		}
	}
	return p.sources[s]
}

// edited returns an edited form of an original: 1 to 3% of its words are
// changed by a light edit, 5 to 7.5% by a heavy one, which keeps the Jaccard
// of 3-shingles above NearAt. Half of the edits also change the date.
func (p *plan) edited(of *text, heavy bool) *text {
	t := *of
	t.home = nil
	size := 0
	for at := range of.length {
		size += of.sizeAt(at)
	}
	low, span := .01, .02
	if heavy {
		low, span = .05, .025
	}
	left := max(1, int(float64(size)*(low+span*float64(p.dice.below(1000))/1000)))
	if p.dice.below(2) == 0 {
		t.day += 1 + p.dice.below(300)
	}
	used := map[int]bool{}
	for tries := 0; left > 0 && tries < 200 && len(used) < of.length; tries++ {
		at := p.dice.below(of.length)
		if used[at] {
			continue
		}
		e := edit{at: at, how: change(p.dice.below(3)), seed: p.dice.roll()}
		cost := of.sizeAt(at)
		if cost > left {
			if heavy {
				continue
			}
			e.how, cost = reworded, 2
		}
		used[at] = true
		left -= cost
		t.edits = append(t.edits, e)
	}
	slices.SortFunc(t.edits, func(a, b edit) int { return a.at - b.at })
	return &t
}

// sizeAt is the number of tokens of a sentence; a list item's counts as a
// sentence's, which is a little more.
func (t *text) sizeAt(at int) int {
	return t.voice.sentences[t.topic][mix(t.seedAt(at), uint64(at))%poolSentences].size
}

// carry puts a section of one site on another, under /mirror/ and its name.
func (p *plan) carry(way sharing) {
	prefix := way.prefix()
	index := &section{path: prefix[1:] + "/", label: way.by.voice.labels.mirror}
	way.by.sections = append(way.by.sections, index)
	var pages []*page
	pages = append(pages, way.section.listings...)
	pages = append(pages, way.section.items...)
	for _, of := range pages {
		q := &page{path: prefix + of.path, href: prefix[1:] + "/" + of.href, kind: of.kind, same: of.master(), text: of.text, title: of.title, depth: 3}
		way.by.add(q)
		if of == way.section.listings[0] {
			index.items = append(index.items, q)
		}
	}
	index.listings = append(index.listings, way.by.add(&page{path: prefix + "/", kind: KindHub, section: index, depth: 2, title: index.label + ": " + way.from.name}))
}

func (way sharing) prefix() string { return "/mirror/" + way.from.name }

// leaveDead adds the dead links of a partial mirror: its pages' menus lead to
// parts of the original that the mirror does not have.
func (way sharing) leaveDead() {
	for _, l := range append(append([]link(nil), way.from.menu...), way.from.foot...) {
		to := way.prefix() + "/" + escapePath(l.path)
		if l.path != "" && l.path != way.section.path && way.by.byPath[to] == nil {
			way.by.add(&page{path: to, kind: KindDead, title: strings.TrimPrefix(to, "/"), status: 404})
		}
	}
}

// mirrorWhole adds the sites that repeat another one.
func (p *plan) mirrorWhole() {
	for i := range p.o.Mirrors {
		of := p.mirrorSource(i)
		p.sites = append(p.sites, &site{
			name: "mirror-of-" + of.name, title: of.title, seed: of.seed, voice: of.voice, chinese: of.chinese, charset: of.charset,
			skin: of.skin, alt: of.alt, sections: of.sections, pages: of.pages, byPath: of.byPath, calendar: of.calendar, of: of,
		})
	}
}
