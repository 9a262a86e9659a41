package topics

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// parts is how many subjects share the verbs and adjectives of a topic.
const parts = 3

// Options are the settings of a Web.
type Options struct {
	// Seed determines every page. Any value is valid.
	Seed uint64
	// Blogs and Manuals are the numbers of sites of the kind, from 0 to 100 each.
	// Defaults 6 and 2.
	Blogs, Manuals int
	// Pages is the number of posts of a blog, and of sections of a manual, from 10 to
	// 10,000. Default 120.
	Pages int
	// Articles is the number of articles of the encyclopaedia, from 20 to 20,000; 0: there is
	// none. Default 300.
	Articles int
	// Links is the number of links of an article to others, from 1 to 100. Default 10.
	Links int
	// Frameless leaves out the encyclopaedia's lists and the link to its front page on all of its
	// pages; articles are then found by other articles, and the front page links to two.
	Frameless bool
	// Copied is how many articles have copies on eight other hosts each, from 0 to all. Default 0.
	Copied int
	// Popular selects the articles with the most links for copies; without it they are drawn at
	// random.
	Popular bool
	// Traps adds a stuffed page and an endless calendar to each blog. Default true.
	Traps bool
	// Farm is how many links a second stuffed page of each blog has, from 0 to 10,000: in the words of
	// its subject, to pages about nothing. Default 0: there is no such page.
	Farm int
	// Port is the port of all sites; 0 takes a free one.
	Port int
}

// Defaults returns the defaults that Options documents.
func Defaults() Options {
	return Options{Seed: 1, Blogs: 6, Manuals: 2, Pages: 120, Articles: 300, Links: 10, Traps: true}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var faults []error
	within := func(name string, v, low, high int) {
		if v < low || v > high {
			faults = append(faults, fmt.Errorf("%s is %d, must be from %d to %d", name, v, low, high))
		}
	}
	within("blogs", o.Blogs, 0, 100)
	within("manuals", o.Manuals, 0, 100)
	within("port", o.Port, 0, 65_535)
	if o.Blogs+o.Manuals > 0 {
		within("pages", o.Pages, 10, 10_000)
	}
	if o.Articles != 0 {
		within("articles", o.Articles, 20, 20_000)
		within("links of an article", o.Links, 1, 100)
	}
	within("links of a farm", o.Farm, 0, 10_000)
	within("copied articles", o.Copied, 0, o.Articles)
	if o.Blogs+o.Manuals+o.Articles == 0 {
		faults = append(faults, errors.New("no sites: set blogs, manuals or articles"))
	}
	return errors.Join(faults...)
}

// A Web is a portal and the sites that it links to.
type Web struct {
	o       Options
	corpora [2]*corpus.Corpus // English, Chinese
	sites   []*site           // the portal first
	popular []*page           // articles, those with the most links by the plan first
	server  *http.Server
	serving sync.WaitGroup
	unbind  func() bool
	byHost  map[string]*site
}

// New plans a web. It serves nothing before Start.
func New(o Options) (*Web, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("web of subjects: %w", err)
	}
	w := &Web{o: o, corpora: [2]*corpus.Corpus{corpus.EnglishSubjects(o.Seed, parts), corpus.ChineseSubjects(o.Seed, parts)}}
	w.plan()
	return w, nil
}

// Start serves until ctx is done or Close is called. Each site has its own IP address or port. A
// Web starts only once.
func (w *Web) Start(ctx context.Context) error {
	if w.server != nil {
		return errors.New("web of subjects: already started")
	}
	listeners, err := testserver.Listen(len(w.sites), w.o.Port)
	if err != nil {
		return fmt.Errorf("web of subjects: %w", err)
	}
	w.byHost = make(map[string]*site, len(listeners))
	for i, l := range listeners {
		w.sites[i].addr = l.Addr().String()
		w.byHost[w.sites[i].addr] = w.sites[i]
	}
	w.server = &http.Server{Handler: w, ReadHeaderTimeout: 30 * time.Second}
	for _, l := range listeners {
		w.serving.Go(func() { _ = w.server.Serve(l) }) // until Close, which waits for it
	}
	w.unbind = context.AfterFunc(ctx, func() { _ = w.Close() })
	return nil
}

// ServeHTTP answers for the site that a request's Host names, once the web has started: also for
// requests that did not come through the site's socket.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s, ok := w.byHost[r.Host]
	if !ok {
		http.Error(rw, "no site of this web: "+r.Host, http.StatusMisdirectedRequest)
		return
	}
	s.serve(rw, r)
}

// Close stops serving, and returns when no request is served any more.
func (w *Web) Close() error {
	if w.server == nil {
		return nil
	}
	w.unbind()
	err := w.server.Close()
	w.serving.Wait()
	return err
}

// Portal returns the URL that links to all sites.
func (w *Web) Portal() string { return w.sites[0].pages[0].URL() }

// A Subject is what pages of one language are about.
type Subject struct {
	Name string   // its two words, which a user would search for
	Slug string   // the same as a file name
	Lang string   // en or zh
	URLs []string // of the pages about it, without copies
}

// Subjects returns the subjects that have pages.
func (w *Web) Subjects() (all []Subject) {
	for lang, c := range w.corpora {
		for i, name := range c.Topics {
			s := Subject{Name: name, Slug: c.Slugs[i], Lang: c.Lang}
			for _, site := range w.sites {
				for _, p := range site.pages {
					if p.about == i && p.lang == lang && p.copyOf == nil {
						s.URLs = append(s.URLs, p.URL())
					}
				}
			}
			if len(s.URLs) > 0 {
				all = append(all, s)
			}
		}
	}
	return all
}

// A Page is the truth about a page.
type Page struct {
	URL    string
	Host   string
	Name   string   // of its subject; "": it is about none
	Kind   string   // portal, front, listing, post, contents, section, article, copy, stuffed, nothing or farmed
	Lure   string   // for a stuffed page, which is next to a calendar: the name of the subject that both pretend to be about
	CopyOf string   // for a copy: the URL of its original
	Links  []string // URLs that it links to
}

// Pages returns all pages except the days of the calendars, site by site.
func (w *Web) Pages() (all []Page) {
	for _, s := range w.sites {
		for _, p := range s.pages {
			t := Page{URL: p.URL(), Host: s.addr, Kind: p.kind, Lure: p.lures}
			if p.about >= 0 {
				t.Name = w.corpora[p.lang].Topics[p.about]
			}
			if p.copyOf != nil {
				t.CopyOf = p.copyOf.URL()
			}
			for _, l := range p.all() {
				t.Links = append(t.Links, l.to.URL())
			}
			all = append(all, t)
		}
	}
	return all
}

// Articles returns the URLs of the encyclopaedia's articles, those with the most links first.
func (w *Web) Articles() (urls []string) {
	for _, p := range w.popular {
		urls = append(urls, p.URL())
	}
	return urls
}

// calendar is the folder of a blog's days.
const calendar = "/calendar/"

func (s *site) serve(rw http.ResponseWriter, r *http.Request) {
	p := s.byPath[r.URL.Path]
	if p == nil && s.calendar != nil && strings.HasPrefix(r.URL.Path, calendar) {
		p = s.day(strings.TrimPrefix(r.URL.Path, calendar))
	}
	if p == nil {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = rw.Write(p.render()) // the client may be gone
}
