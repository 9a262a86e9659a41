package testserver

// A site is one host: its template, its sections and its pages.
type site struct {
	name    string // unique in the web, in ASCII
	title   string // as its masthead says it
	addr    string // host:port, after Start
	seed    uint64
	voice   *voice // of the template
	chinese float64
	charset string

	family   int
	skin     *skin
	alt      *skin // for texts that the site repeats in another layout
	sections []*section
	pages    []*page // in the order they were planned
	byPath   map[string]*page
	menu     []link
	foot     []link

	calendar   bool
	crawlDelay bool
	of         *site       // what it mirrors whole; it shares sections, pages and byPath
	folder     *folderSite // serves files instead of pages

	traffic traffic
}

// A section is a part of a site with listings of its own.
type section struct {
	path     string // below the root, with its final slash
	label    string
	voice    *voice
	topic    int
	items    []*page // documents, in the order of the listings
	listings []*page
	library  bool
	reserved bool // has exactly what a partial mirror carries
	closed   bool // takes no near copies
}

// A page is one URL of a site.
type page struct {
	path    string // from the root, percent-encoded, with query
	href    string // as links write it: below the root, perhaps not encoded
	kind    Kind
	site    *site    // whose template it stands in
	section *section // whose pages it links to
	text    *text    // nil for listings, redirects and dead links
	title   string   // of a page that is more than its text, such as a listing
	bare    *skin    // of a library document
	print   bool     // in the site's other layout
	same    *page    // the page whose bytes it repeats
	seed    uint64   // of its teasers, comments and dates
	place   int      // in the section's items, or the number of the listing
	depth   int
	status  int
	target  string // of a redirect, as its Location says: a path, or the name of a site
	far     bool   // target is the name of a site
}

// master is the page that the bytes of p are made from.
func (p *page) master() *page {
	if p.same != nil {
		return p.same
	}
	return p
}

func (p *page) heading() string {
	if p.title != "" {
		return p.title
	}
	return p.text.title
}

func (p *page) document() bool {
	switch p.kind {
	case KindPage, KindHub, KindSlow, KindTrap:
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
	p.seed = mix(s.seed^0x9a6e, uint64(len(s.pages)))
	s.pages = append(s.pages, p)
	s.byPath[p.path] = p
	return p
}

// worn is the skin that a page is rendered in.
func (p *page) worn() *skin {
	if p.bare != nil {
		return p.bare
	}
	if p.print {
		return p.site.alt
	}
	return p.site.skin
}
