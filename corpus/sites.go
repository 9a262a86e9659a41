package corpus

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

// maxSites bounds how many sites of a collection have a template, at 20 kB each.
const maxSites = 20_000

// sites learn what the sites of a collection repeat. The zero value has seen nothing.
type sites struct {
	learning  map[string]*purify.Site
	templates map[string]*purify.Template
	seen      map[uint64]struct{} // digests of pages: equal pages count once
}

// learn counts the blocks of a page for its site.
func (s *sites) learn(name string, bytes dedup.Digest, prints []purify.Print) {
	sum := binary.LittleEndian.Uint64(bytes[:])
	if _, again := s.seen[sum]; again || len(prints) == 0 {
		return
	}
	if s.seen == nil {
		s.seen, s.learning, s.templates = make(map[uint64]struct{}), make(map[string]*purify.Site), make(map[string]*purify.Template)
	}
	s.seen[sum] = struct{}{}
	site := s.learning[name]
	if site == nil {
		if len(s.learning) == maxSites {
			return
		}
		site = new(purify.Site)
		s.learning[name] = site
	}
	if !site.Wants(prints) {
		return
	}
	if made := site.Learn(prints); made != nil {
		s.templates[name] = made
	}
}

// text returns what is compared of a page of a site.
func (s *sites) text(name string, view *purify.DocView) dedup.Text {
	template := s.templates[name]
	view.Reframe(template)
	t := dedup.TextOf(view, template)
	t.Host = name
	return t
}

// like returns the site whose template has most of a page's text, by name where two have; "" if
// none has any.
func (s *sites) like(view *purify.DocView) string {
	best, most := "", 0
	for name, template := range s.templates {
		view.Reframe(template)
		shared := 0
		for i := range view.Blocks {
			if view.Blocks[i].Shared {
				shared += len(view.Blocks[i].Text)
			}
		}
		if shared > most || shared == most && shared > 0 && name < best {
			best, most = name, shared
		}
	}
	return best
}
