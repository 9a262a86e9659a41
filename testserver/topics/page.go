package topics

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// A site is one host.
type site struct {
	name     string
	addr     string // host:port, after Start
	lang     int    // 0 English, 1 Chinese
	pages    []*page
	byPath   map[string]*page
	menu     []link // on all pages
	calendar *page  // the first day; nil: there is none
}

// A page is one URL.
type page struct {
	site   *site
	path   string
	kind   string
	title  string
	lang   int
	about  int // the subject; -1: none
	seed   uint64
	size   int // sentences
	body   []link
	copyOf *page
	corpus *corpus.Corpus
	words  string // words that are repeated over and over
	lures  string // the subject that a trap names
}

type link struct {
	to   *page
	text string
}

// add makes a page of a site.
func (s *site) add(p page) *page {
	p.site = s
	q := &p
	s.pages = append(s.pages, q)
	s.byPath[p.path] = q
	return q
}

// URL returns the page's URL: before Start with the site's name.
func (p *page) URL() string {
	host := p.site.addr
	if host == "" {
		host = p.site.name
	}
	return "http://" + host + p.path
}

// all returns the links of a page.
func (p *page) all() []link {
	if p.copyOf != nil {
		return p.copyOf.all()
	}
	return append(append([]link(nil), p.site.menu...), p.body...)
}

// render writes a page. A copy is its original with absolute links.
func (p *page) render() []byte {
	of := p
	if p.copyOf != nil {
		of = p.copyOf
	}
	var b []byte
	b = fmt.Appendf(b, "<!DOCTYPE html>\n<html lang=%s><head><meta charset=utf-8><title>%s</title></head>\n<body><nav><ul>", []string{"en", "zh"}[of.lang], html.EscapeString(of.title))
	for _, l := range of.site.menu {
		b = l.append(b, "<li>", "</li>")
	}
	b = fmt.Appendf(b, "</ul></nav>\n<main><h1>%s</h1>\n", html.EscapeString(of.title))
	if of.words != "" {
		b = fmt.Appendf(b, "<p>%s</p>\n", strings.Repeat(of.words+" ", 200))
	}
	next := of.body
	for at := 0; at < of.size; at += 4 {
		b = append(b, "<p>"...)
		for i := at; i < min(at+4, of.size); i++ {
			b = append(of.sentence(b, i), ' ')
		}
		if n := (of.size + 3) / 4; len(of.body) <= 2*n { // links that are in the text, if there are few
			for range min(2, len(next)) {
				b = next[0].append(b, "(", ") ")
				next = next[1:]
			}
		}
		b = append(b, "</p>\n"...)
	}
	if len(next) > 0 {
		b = append(b, "<ul>"...)
		for _, l := range next {
			b = l.append(b, "<li>", "</li>\n")
		}
		b = append(b, "</ul>"...)
	}
	return append(b, "</main></body></html>\n"...)
}

func (l link) append(b []byte, before, after string) []byte {
	return fmt.Appendf(b, `%s<a href="%s">%s</a>%s`, before, l.to.URL(), html.EscapeString(l.text), after)
}

// sentence appends a sentence of the page: of four, two are about its subject, one is about another
// subject that shares its verbs and adjectives, and one is about any subject. A page about nothing
// has sentences about all.
func (p *page) sentence(b []byte, i int) []byte {
	h := corpus.Mix(p.seed, uint64(i))
	subjects := len(p.corpus.Topics)
	about := int(h>>8) % subjects
	if p.about >= 0 {
		switch h % 4 {
		case 0, 1:
			about = p.about
		case 2:
			about = p.about - p.about%parts + int(h>>8)%parts
		}
	}
	f := p.corpus.Facts(p.seed)
	pool := p.corpus.Sentences[about]
	return pool[int(h>>24)%len(pool)].Append(b, &f, h, nil)
}

// day returns a day of the calendar, which links to the previous and the next day; nil if there is
// no such day.
func (s *site) day(name string) *page {
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || strconv.Itoa(n) != name {
		return nil
	}
	c := s.calendar
	p := &page{site: s, path: calendar + name, kind: "nothing", title: fmt.Sprintf("%s: %d", c.title, n), lang: c.lang, about: -1, seed: corpus.Mix(c.seed, uint64(n)), size: 3, corpus: c.corpus}
	p.body = []link{{&page{site: s, path: calendar + strconv.Itoa(n+1)}, c.title + " >"}}
	if n > 0 {
		p.body = append(p.body, link{&page{site: s, path: calendar + strconv.Itoa(n-1)}, "< " + c.title})
	}
	return p
}
