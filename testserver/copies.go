package testserver

import (
	"math"
	"path"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// A quota is the number of copies on one site.
type quota struct {
	alias int // byte copies under other URLs of the site
	near  int // the same or an edited text
	share int // byte copies of library documents
}

// quotas distributes the copies to the sites, so that the whole web with all mirrors has the
// shares Options.Exact and Options.Copies. A page on a mirror is an exact copy, even of a
// near copy.
func (p *plan) quotas() map[*site]quota {
	total, mirrored, weight := 0.0, 0.0, 0.0
	for _, s := range p.distinct {
		total += float64(p.sizes[s])
		if !s.crawlDelay {
			weight += float64(p.sizes[s])
		}
	}
	for i := range p.o.Mirrors {
		mirrored += float64(p.sizes[p.mirrorSource(i)])
	}
	total += mirrored
	exact := max(0, p.o.Exact*total-mirrored-float64(len(p.partials)*p.partialMirrorSize()))
	near := (p.o.Copies - p.o.Exact) * total
	quotas := map[*site]quota{}
	exactLeft, nearLeft := 0.0, 0.0 // the remainder of rounding
	for _, s := range p.distinct {
		if s.crawlDelay {
			continue
		}
		part := float64(p.sizes[s]) / weight
		exactLeft += exact * part
		nearLeft += near * part
		q := quota{near: int(math.Round(nearLeft)), alias: int(math.Round(exactLeft))}
		exactLeft -= float64(q.alias)
		nearLeft -= float64(q.near)
		if len(p.byCorpus[s.corpus]) > 2 {
			q.share = q.alias / 2
			q.alias -= q.share
		}
		quotas[s] = q
	}
	return quotas
}

func (p *plan) mirrorSource(i int) *site { return p.distinct[(2+i)%len(p.distinct)] }

// planLibraries returns how many library documents each site has. Each document is on two or three
// sites of one language, one of which counts as its original, and never on all sites: otherwise
// their listings would be copies.
func (p *plan) planLibraries(quotas map[*site]quota) map[*site]int {
	carries := map[*site]int{}
	p.eachDocument(quotas, func(_ *corpus.Corpus, on []*site) {
		for _, s := range on {
			carries[s]++
		}
	})
	return carries
}

func (p *plan) eachDocument(quotas map[*site]quota, f func(v *corpus.Corpus, on []*site)) {
	for _, v := range p.corpora {
		var on []*site
		copies := 0
		for _, s := range p.distinct {
			if quotas[s].share > 0 && s.corpus == v {
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

// addLibraries makes the library documents.
func (p *plan) addLibraries(quotas map[*site]quota) {
	bareSkins := map[*corpus.Corpus]*skin.Skin{}
	p.eachDocument(quotas, func(v *corpus.Corpus, on []*site) {
		if bareSkins[v] == nil {
			p.names++
			bareSkins[v] = skin.New(&skin.Bare, p.names, 1, "", skin.UTF8, v, nil, nil, 0)
		}
		seed := p.rng.Uint64()
		t := p.newText(v, int(seed>>9%uint64(len(v.Topics))), seed, p.o.PageBytes/100)
		name := slug(t.Title, 4)
		if v.Chinese {
			name = "wenku"
		}
		p.documents++
		file := name + "-" + strconv.Itoa(p.documents) + ".html"
		var first *page
		for _, s := range on {
			c := s.librarySection()
			q := &page{path: "/" + c.path + file, kind: score.KindPage, section: c, text: t, bareSkin: bareSkins[v], depth: 1, copyOf: first}
			if first == nil {
				first, p.home[t] = q, q
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
	c := &section{path: "library/", label: s.corpus.Labels.Library, library: true}
	s.sections = append(s.sections, c)
	return c
}

// addCopies adds the site's aliases and near copies.
func (p *plan) addCopies(s *site, q quota) {
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
	archive := &section{path: "archive/", label: s.corpus.Labels.Archive}
	s.sections = append(s.sections, archive)
	for i := 0; len(archive.items) < q.alias && i < 20*q.alias; i++ {
		of := corpus.Pick(from, p.rng.Uint64())
		alias := &page{path: "/archive/" + path.Base(of.path), kind: score.KindPage, copyOf: of, text: of.text, depth: 1}
		if i%2 == 0 {
			alias.path = of.path + "?ref=archive"
		}
		if s.byPath[alias.path] == nil {
			archive.items = append(archive.items, s.add(alias))
		}
	}
}

// addNear adds one near copy. They rotate through the classes, and every other edit is a heavy one:
//
//   - full-layout: the same text on the same site, other teasers around it
//   - full-content: the same text in another layout
//   - partial-layout: an edited text of the same site
//   - partial-content: an edited text in another layout
//
// Another layout is that of another site of the language, or, if there is none, the site's own
// second layout.
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
		t = t.Edited(&p.rng, heavy)
	}
	q := p.article(s, corpus.Pick(s.openSections(), p.rng.Uint64()), t)
	q.altLayout = elsewhere && !foreign
}

// source finds an original: of the site itself, or of a site of its language with another
// layout, if a few tries find such a site.
func (p *plan) source(s *site, elsewhere bool) (of *page, foreign bool) {
	const tries = 20
	from := s
	for try := 0; elsewhere && !foreign && try < tries; try++ {
		if o := corpus.Pick(p.byCorpus[s.corpus], p.rng.Uint64()); o != s && o.layout != s.layout {
			from, foreign = o, true
		}
	}
	originals := p.originals(from)
	if len(originals) == 0 {
		return nil, false
	}
	return corpus.Pick(originals, p.rng.Uint64()), foreign
}

// originals returns the site's articles that may be copied: those in the site's main
// language that are not siblings.
func (p *plan) originals(s *site) []*page {
	if p.sources[s] == nil {
		for _, c := range s.sections {
			for _, q := range c.items {
				if p.home[q.text] == q && q.text.Origin == q.text && q.text.Shared == 0 && q.text.Corpus == s.corpus {
					p.sources[s] = append(p.sources[s], q)
				}
			}
		}
	}
	return p.sources[s]
}

// addPartialMirror copies a section of one site to another, under /mirror/ and its name.
func (p *plan) addPartialMirror(way partialMirror) {
	prefix := way.prefix()
	index := &section{path: prefix[1:] + "/", label: way.by.corpus.Labels.Mirror}
	way.by.sections = append(way.by.sections, index)
	var pages []*page
	pages = append(pages, way.section.listings...)
	pages = append(pages, way.section.items...)
	for _, of := range pages {
		q := &page{path: prefix + of.path, href: prefix[1:] + "/" + of.href, kind: of.kind, copyOf: of.original(), text: of.text, title: of.title, depth: 3}
		way.by.add(q)
		if of == way.section.listings[0] {
			index.items = append(index.items, q)
		}
	}
	index.listings = append(index.listings, way.by.add(&page{path: prefix + "/", kind: score.KindHub, section: index, depth: 2, title: index.label + ": " + way.from.name}))
}

func (way partialMirror) prefix() string { return "/mirror/" + way.from.name }

// addDeadLinks adds the dead links of a partial mirror: its pages' menus lead to
// parts of the original that the mirror does not have.
func (way partialMirror) addDeadLinks() {
	for _, l := range append(append([]skin.Link(nil), way.from.menu...), way.from.foot...) {
		to := way.prefix() + "/" + escapePath(l.Path)
		if l.Path != "" && l.Path != way.section.path && way.by.byPath[to] == nil {
			way.by.add(&page{path: to, kind: score.KindDead, title: strings.TrimPrefix(to, "/"), status: 404})
		}
	}
}

// addMirrors adds the sites that are whole mirrors.
func (p *plan) addMirrors() {
	for i := range p.o.Mirrors {
		of := p.mirrorSource(i)
		p.sites = append(p.sites, &site{
			name: "mirror-of-" + of.name, title: of.title, seed: of.seed, corpus: of.corpus, chinese: of.chinese, charset: of.charset,
			skin: of.skin, altSkin: of.altSkin, sections: of.sections, pages: of.pages, byPath: of.byPath, calendar: of.calendar, mirrorOf: of,
		})
	}
}
