package corpus

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// maxSites bounds how many sites and folders of sites of a collection have a template, at 20 kB each.
const maxSites = 20_000

// sites learn what the sites of a collection and their folders repeat. The zero value has seen nothing.
type sites struct {
	learning  map[sitePlace]*purify.Site
	templates map[sitePlace]*purify.Template
	grown     map[sitePlace]struct{} // with pages that count for no template yet
	seen      map[uint64]struct{}    // digests of pages: equal pages count once
}

// A sitePlace is what has a template: a site, or a folder of it.
type sitePlace struct{ site, folder string }

// placesOf returns the places of a page, its site first and then its folders, the widest first,
// and whether the last one is the page itself.
func placesOf(site, url string) (list []sitePlace, itself bool) {
	list = []sitePlace{{site: site}}
	folders, itself := purify.FoldersOf(url)
	for _, f := range folders {
		list = append(list, sitePlace{site, f})
	}
	return list, itself
}

// learn counts the blocks of a page for its site and its folders.
func (s *sites) learn(name, url string, bytes dedup.Digest, prints []purify.Print) {
	sum := binary.LittleEndian.Uint64(bytes[:])
	if _, again := s.seen[sum]; again || len(prints) == 0 {
		return
	}
	if s.seen == nil {
		s.seen, s.grown = make(map[uint64]struct{}), make(map[sitePlace]struct{})
		s.learning, s.templates = make(map[sitePlace]*purify.Site), make(map[sitePlace]*purify.Template)
	}
	s.seen[sum] = struct{}{}
	places, itself := placesOf(name, url)
	for i, p := range places {
		site := s.learning[p]
		if site == nil {
			if len(s.learning) == maxSites || itself && i > 0 && i == len(places)-1 {
				return
			}
			site = new(purify.Site)
			s.learning[p] = site
		}
		if site.Wants(prints) {
			if made := site.Learn(prints); made != nil {
				s.templates[p] = made
				delete(s.grown, p)
			} else {
				s.grown[p] = struct{}{}
			}
		}
		if site.Pages() < purify.FoldersFrom {
			return
		}
	}
}

// finish makes the last templates, when all pages are learned.
func (s *sites) finish() {
	for p := range s.grown {
		if made := s.learning[p].Last(); made != nil {
			s.templates[p] = made
		}
	}
	clear(s.grown)
}

// join returns the templates of a site and its folders as one, nil for none.
func (s *sites) join(places []sitePlace) *purify.Template {
	var folders []*purify.Template
	for _, p := range places[1:] {
		folders = append(folders, s.templates[p])
	}
	return s.templates[places[0]].With(folders...)
}

// text returns what is compared of a page of a site.
func (s *sites) text(name, url string, view *purify.DocView) dedup.Text {
	places, _ := placesOf(name, url)
	template := s.join(places)
	if template.Asks() {
		template = template.For(view.Names())
	}
	view.Reframe(template)
	t := dedup.TextOf(view, template)
	t.Host = name
	return t
}

// like returns the site whose template has most of a page's text, by name where two have; "" if
// none has any.
func (s *sites) like(view *purify.DocView) string {
	best, most := "", 0
	for at, template := range s.templates {
		if at.folder != "" {
			continue
		}
		view.Reframe(template)
		shared := 0
		for i := range view.Blocks {
			if view.Blocks[i].Shared {
				shared += len(view.Blocks[i].Text)
			}
		}
		if shared > most || shared == most && shared > 0 && at.site < best {
			best, most = at.site, shared
		}
	}
	return best
}
