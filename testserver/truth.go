package testserver

import (
	"maps"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// Truth returns the truth about the web. It is computed by the first call after Start;
// before Start its URLs have the sites' names in place of IP addresses. For 32,000 pages
// that takes about a second.
func (w *Web) Truth() score.Truth {
	w.mu.Lock()
	started := w.started
	w.mu.Unlock()
	if !started {
		return w.makeTruth()
	}
	w.truthOnce.Do(func() { w.truth = w.makeTruth() })
	return w.truth
}

// pagesOf returns the pages of a generated site that can be reached.
func (w *Web) pagesOf(s *site) []*page {
	pages := slices.Clone(s.pages)
	if s.calendar {
		for step := -score.TrapSteps; step <= score.TrapSteps; step++ {
			n := calendarYear*12 + calendarMonth - 1 + step
			pages = append(pages, s.calendarPage(calendarPath(n/12, n%12+1)))
		}
	}
	return pages
}

// documents is the number of documents of a generated site.
func (w *Web) documents(s *site) int {
	n := 0
	for _, p := range w.pagesOf(s) {
		if p.document() {
			n++
		}
	}
	return n
}

// A numbering gives equal numbers to equal things.
type numbering struct {
	groups, bytes, texts, layouts map[any]int
	first                         map[int]score.Page // the original of each group
	variants                      map[int][]*corpus.Text
}

func numberOf(in map[any]int, key any) int {
	n, ok := in[key]
	if !ok {
		n = len(in) + 1
		in[key] = n
	}
	return n
}

func (w *Web) makeTruth() score.Truth {
	c := &numbering{groups: map[any]int{}, bytes: map[any]int{}, texts: map[any]int{}, layouts: map[any]int{}, first: map[int]score.Page{}, variants: map[int][]*corpus.Text{}}
	var t score.Truth
	for _, s := range w.sites {
		from := len(t.Pages)
		if s.folder != nil {
			t.Pages = append(t.Pages, w.folderPages(s, c)...)
		} else {
			for _, p := range w.pagesOf(s) {
				t.Pages = append(t.Pages, w.describe(s, p, c))
			}
		}
		slices.SortFunc(t.Pages[from:], func(a, b score.Page) int { return strings.Compare(a.URL, b.URL) })
	}
	resemblance := w.pairs(c, &t)
	for i := range t.Pages {
		p := &t.Pages[i]
		first, ok := c.first[p.Group]
		if !ok || p.Group == 0 {
			continue
		}
		p.Jaccard = resemblance(p.Text, first.Text)
		if p.URL != first.URL {
			p.Class = score.ClassOf(p, &first)
		}
	}
	t.Mirrors = w.mirrors()
	return t
}

// describe returns the truth about one page of a generated site.
func (w *Web) describe(s *site, p *page, c *numbering) score.Page {
	d := score.Page{URL: s.url(p.path), Site: s.name, Kind: p.kind, Status: p.status, Lang: s.corpus.Lang}
	m := p.original()
	if d.Kind == score.KindPage && m.kind == score.KindSlow {
		d.Kind = score.KindSlow
	}
	if p.kind == score.KindRedirect {
		if d.Target = w.location(p); !p.external {
			d.Target = s.url(p.target)
		}
	}
	if !p.document() {
		return d
	}
	var group, same, words any = m, m, m
	switch {
	case p.kind == score.KindTrap: // each site has its own; a mirror has the same
		group, same, words = p.seed, p.seed, p.seed
	case p.kind == score.KindHub:
		d.Lang = m.site.corpus.Lang
		if m.section != nil && m.section.corpus != nil {
			d.Lang = m.section.corpus.Lang
		}
	default:
		d.Lang = p.text.Corpus.Lang
		group, words = p.text.Origin, p.text
	}
	d.Group, d.Bytes, d.Text, d.Layout = numberOf(c.groups, group), numberOf(c.bytes, same), numberOf(c.texts, words), numberOf(c.layouts, m.skin().ID)
	switch {
	case p.kind == score.KindHub || p.kind == score.KindTrap:
		if _, ok := c.first[d.Group]; !ok {
			c.first[d.Group] = d
		}
	case m == p && w.home[p.text.Origin] == p && s.mirrorOf == nil:
		c.first[d.Group] = d
	}
	if _, ok := words.(*corpus.Text); ok && !slices.Contains(c.variants[d.Group], p.text) {
		c.variants[d.Group] = append(c.variants[d.Group], p.text)
	}
	return d
}

// pairs computes the resemblance of all texts within each group, and returns a function to
// look it up.
func (w *Web) pairs(c *numbering, t *score.Truth) func(a, b int) float64 {
	known := map[[2]int]float64{}
	for _, group := range slices.Sorted(maps.Keys(c.variants)) {
		texts := c.variants[group]
		if len(texts) < 2 {
			continue
		}
		sets := make([]map[uint64]struct{}, len(texts))
		for i, x := range texts {
			sets[i] = corpus.Shingles(string(x.Append(nil, &corpus.PlainMarkup, nil)))
			for j := range i {
				a, b := c.texts[texts[j]], c.texts[x]
				pair := score.Pair{A: min(a, b), B: max(a, b), Jaccard: corpus.Jaccard(sets[i], sets[j])}
				t.Pairs = append(t.Pairs, pair)
				known[[2]int{pair.A, pair.B}] = pair.Jaccard
			}
		}
	}
	return func(a, b int) float64 {
		if a == b {
			return 1
		}
		return known[[2]int{min(a, b), max(a, b)}]
	}
}

// mirrors lists the mirrors, and the mirrors of mirrors.
func (w *Web) mirrors() []score.Mirror {
	var list []score.Mirror
	same := func(s *site) []*site { // s and its whole mirrors
		all := []*site{s}
		for _, o := range w.sites {
			if o.mirrorOf == s {
				all = append(all, o)
			}
		}
		return all
	}
	for _, s := range w.sites {
		if s.folder != nil {
			continue
		}
		n := w.documents(s)
		all := same(s)
		for i, of := range all {
			for _, by := range all[i+1:] {
				list = append(list, score.Mirror{Of: of.name, By: by.name, Whole: true, Subtree: "/", Prefix: "/", Exact: true, Pages: n})
			}
		}
	}
	for _, way := range w.partials {
		for _, of := range same(way.from) {
			for _, by := range same(way.by) {
				list = append(list, score.Mirror{Of: of.name, By: by.name, Subtree: "/" + way.section.path, Prefix: way.prefix() + "/" + way.section.path,
					Exact: true, Pages: len(way.section.items) + len(way.section.listings)})
			}
		}
	}
	return append(list, w.folderMirrors()...)
}

// Text returns the main text of a document as UTF-8, one block a line, and whether the URL
// is a generated document. Bylines, teasers, related links and comments are not part of
// it.
func (w *Web) Text(url string) (string, bool) {
	for _, s := range w.sites {
		path, ok := strings.CutPrefix(url, strings.TrimSuffix(s.url("/"), "/"))
		if !ok || s.folder != nil || !strings.HasPrefix(path, "/") {
			continue
		}
		if p := s.find(path); p != nil && p.document() {
			return string(w.mainText(p)), true
		}
	}
	return "", false
}

// Score judges a crawl by the records of the pages that it fetched, in crawl order, and by
// the server's own count of requests since Start or Reset.
func (w *Web) Score(records []score.Record) score.Report {
	t := w.Truth()
	r := t.Score(records)
	sites := make(map[string]*site, len(w.sites))
	for _, s := range w.sites {
		sites[s.name] = s
	}
	counts := make(map[string]int, len(t.Pages))
	for i := range t.Pages {
		p := &t.Pages[i]
		s := sites[p.Site]
		counts[p.URL] = s.traffic.count(strings.TrimPrefix(p.URL, strings.TrimSuffix(s.url("/"), "/")))
	}
	t.CountFetches(&r, func(url string) int { return counts[url] })
	return r
}
