package testserver

import (
	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// A site is one host: its template, its sections and its pages.
type site struct {
	name    string // unique in the web, in ASCII
	title   string // as in its masthead
	addr    string // host:port, after Start
	seed    uint64
	corpus  *corpus.Corpus // of the template
	chinese float64
	charset string

	layout   int
	skin     *skin.Skin
	altSkin  *skin.Skin // for texts that the site has in another layout too
	sections []*section
	pages    []*page // in the order they were planned
	byPath   map[string]*page
	menu     []skin.Link
	foot     []skin.Link

	calendar   bool
	crawlDelay bool
	mirrorOf   *site       // the site of which it is a whole mirror; it shares sections, pages and byPath
	folder     *folderSite // serves files instead of pages

	traffic traffic
}

// A section is a part of a site with listings of its own.
type section struct {
	path     string // below the root, with its final slash
	label    string
	corpus   *corpus.Corpus
	topic    int
	items    []*page // documents, in the order of the listings
	listings []*page
	library  bool
	reserved bool // has exactly the pages of a partial mirror
	closed   bool // takes no near copies
}

// A page is one URL of a site.
type page struct {
	path      string // from the root, percent-encoded, with query
	href      string // as in links: relative to the root, perhaps not encoded
	kind      score.Kind
	site      *site        // whose template it has
	section   *section     // whose pages it links to
	text      *corpus.Text // nil for listings, redirects and dead links
	title     string       // of a page without a text, such as a listing
	bareSkin  *skin.Skin   // of a library document
	altLayout bool         // in the site's other layout
	copyOf    *page        // the page with the same bytes
	seed      uint64       // of its teasers, comments and dates
	place     int          // index in the section's items, or number of the listing
	depth     int
	status    int
	target    string // of a redirect: a path, or the name of a site
	external  bool   // target is the name of a site
}

// original returns the page from which the bytes of p are made.
func (p *page) original() *page {
	if p.copyOf != nil {
		return p.copyOf
	}
	return p
}

func (p *page) heading() string {
	if p.title != "" {
		return p.title
	}
	return p.text.Title
}

func (p *page) document() bool {
	switch p.kind {
	case score.KindPage, score.KindHub, score.KindSlow, score.KindTrap:
		return true
	}
	return false
}

func (s *site) add(p *page) *page {
	if p.site == nil {
		p.site = s
	}
	if p.href == "" {
		p.href = p.path[1:]
	}
	if p.status == 0 {
		p.status = 200
	}
	p.seed = corpus.Mix(s.seed^0x9a6e, uint64(len(s.pages)))
	s.pages = append(s.pages, p)
	s.byPath[p.path] = p
	return p
}

// skin returns the skin in which a page is rendered.
func (p *page) skin() *skin.Skin {
	if p.bareSkin != nil {
		return p.bareSkin
	}
	if p.altLayout {
		return p.site.altSkin
	}
	return p.site.skin
}
