package testserver

import (
	"maps"
	"slices"
	"strings"
)

// A Kind says what a URL of the test web is.
type Kind string

// The kinds. Page, Hub, Slow and Trap are documents: their text counts.
const (
	KindPage      Kind = "page"      // an article, or another document of its own
	KindHub       Kind = "hub"       // a front page or a listing
	KindSlow      Kind = "slow"      // a page that answers after Options.SlowDelay
	KindTrap      Kind = "trap"      // a page of the calendar, at most TrapSteps from where sites link to it
	KindRedirect  Kind = "redirect"  // answers 301 or 302
	KindDead      Kind = "dead"      // answers 404 or 410
	KindForbidden Kind = "forbidden" // linked, but robots.txt forbids it
)

// TrapSteps is how far the truth follows the calendar, in steps from the month
// that the site's pages link to. What lies beyond is neither asked for nor held
// against a crawler.
const TrapSteps = 24

// A Class says what a copy shares with another page (Shivakumar and
// Garcia-Molina 1999).
type Class string

// The classes.
const (
	FullLayout     Class = "full-layout"     // same text, same layout
	FullContent    Class = "full-content"    // same text, another layout
	PartialLayout  Class = "partial-layout"  // edited text, same layout
	PartialContent Class = "partial-content" // edited text, another layout
)

// Truth is what is so of a Web. It does not change after Start.
type Truth struct {
	Pages   []Page   `json:"pages"` // every URL that can be reached, by site, then by path
	Pairs   []Pair   `json:"pairs"` // resemblance of different texts of one group
	Mirrors []Mirror `json:"mirrors"`
}

// A Page is one URL that the seeds lead to through pages that robots.txt
// allows. Group, Bytes, Text and Layout are numbers from 1 that only compare;
// 0 means that the page is no document.
type Page struct {
	URL    string `json:"url"`
	Site   string `json:"site"` // the Site's name
	Kind   Kind   `json:"kind"`
	Status int    `json:"status"`           // what a GET is answered with
	Lang   string `json:"lang,omitempty"`   // en or zh; empty on a folder's pages
	Target string `json:"target,omitempty"` // absolute URL a redirect leads to

	Group  int `json:"group,omitempty"`  // equal for pages with the same main text, edited or not
	Bytes  int `json:"bytes,omitempty"`  // equal for pages with the same payload
	Text   int `json:"text,omitempty"`   // equal for pages with the same main text
	Layout int `json:"layout,omitempty"` // equal for pages in the same template

	// Class and Jaccard compare the page with its group's original; the
	// original itself has no class. Jaccard is the resemblance of the two sets
	// of 3-shingles, computed exactly: words by lower case, Chinese by character,
	// over title, headings, paragraphs and list items.
	Class   Class   `json:"class,omitempty"`
	Jaccard float64 `json:"jaccard,omitempty"`

	// Optional pages may be met or not: other names of a folder's pages, which
	// its pages may or may not link to.
	Optional bool `json:"optional,omitempty"`
	// Folder pages come from disk. Whether two files of different bytes are near
	// copies is not known here.
	Folder bool `json:"folder,omitempty"`
}

// A Pair is the exact resemblance of two texts of one group, A < B.
type Pair struct {
	A       int     `json:"a"`
	B       int     `json:"b"`
	Jaccard float64 `json:"jaccard"`
}

// A Mirror says that the site By carries pages of the site Of.
type Mirror struct {
	Of      string `json:"of"`      // the Site's name
	By      string `json:"by"`      // the Site's name
	Whole   bool   `json:"whole"`   // every page of Of is there
	Subtree string `json:"subtree"` // the part of Of that is mirrored, "/" for all
	Prefix  string `json:"prefix"`  // where By has it, "/" for the same paths
	Exact   bool   `json:"exact"`   // byte for byte; otherwise the same text in another layout
	Pages   int    `json:"pages"`   // mirrored documents
}

// Truth returns what is so of the web. It is worked out once, when first asked
// for after Start; before Start its URLs have the sites' names for addresses.
// For 32,000 pages that takes about a second.
func (w *Web) Truth() Truth {
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
		for step := -TrapSteps; step <= TrapSteps; step++ {
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

// A census gives numbers to what is the same.
type census struct {
	groups, bytes, texts, layouts map[any]int
	first                         map[int]Page // of each group: the original
	variants                      map[int][]*text
}

func number(in map[any]int, key any) int {
	n, ok := in[key]
	if !ok {
		n = len(in) + 1
		in[key] = n
	}
	return n
}

func (w *Web) makeTruth() Truth {
	c := &census{groups: map[any]int{}, bytes: map[any]int{}, texts: map[any]int{}, layouts: map[any]int{}, first: map[int]Page{}, variants: map[int][]*text{}}
	var t Truth
	for _, s := range w.sites {
		from := len(t.Pages)
		if s.folder != nil {
			t.Pages = append(t.Pages, w.folderPages(s, c)...)
		} else {
			for _, p := range w.pagesOf(s) {
				t.Pages = append(t.Pages, w.describe(s, p, c))
			}
		}
		slices.SortFunc(t.Pages[from:], func(a, b Page) int { return strings.Compare(a.URL, b.URL) })
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
			p.Class = classOf(p, &first)
		}
	}
	t.Mirrors = w.mirrors()
	return t
}

// classOf says what two pages of one group share.
func classOf(a, b *Page) Class {
	switch {
	case a.Text == b.Text && a.Layout == b.Layout:
		return FullLayout
	case a.Text == b.Text:
		return FullContent
	case a.Layout == b.Layout:
		return PartialLayout
	}
	return PartialContent
}

// describe tells of one page of a generated site.
func (w *Web) describe(s *site, p *page, c *census) Page {
	d := Page{URL: s.url(p.path), Site: s.name, Kind: p.kind, Status: p.status, Lang: s.voice.lang}
	m := p.master()
	if d.Kind == KindPage && m.kind == KindSlow {
		d.Kind = KindSlow
	}
	if p.kind == KindRedirect {
		if d.Target = w.location(s, p); !p.far {
			d.Target = s.url(p.target)
		}
	}
	if !p.document() {
		return d
	}
	var group, same, words any = m, m, m
	switch {
	case p.kind == KindTrap: // made anew for each site, the same on a mirror
		group, same, words = p.seed, p.seed, p.seed
	case p.kind == KindHub:
		d.Lang = m.site.voice.lang
		if m.section != nil && m.section.voice != nil {
			d.Lang = m.section.voice.lang
		}
	default:
		d.Lang = p.text.voice.lang
		group, words = p.text.origin, p.text
	}
	d.Group, d.Bytes, d.Text, d.Layout = number(c.groups, group), number(c.bytes, same), number(c.texts, words), number(c.layouts, m.worn().id)
	switch {
	case p.kind == KindHub || p.kind == KindTrap:
		if _, ok := c.first[d.Group]; !ok {
			c.first[d.Group] = d
		}
	case m == p && p.text.origin.home == p && s.of == nil:
		c.first[d.Group] = d
	}
	if _, ok := words.(*text); ok && !slices.Contains(c.variants[d.Group], p.text) {
		c.variants[d.Group] = append(c.variants[d.Group], p.text)
	}
	return d
}

// pairs computes the resemblance of all texts within each group, and returns
// how to look it up.
func (w *Web) pairs(c *census, t *Truth) func(a, b int) float64 {
	known := map[[2]int]float64{}
	for _, group := range slices.Sorted(maps.Keys(c.variants)) {
		texts := c.variants[group]
		if len(texts) < 2 {
			continue
		}
		sets := make([]map[uint64]struct{}, len(texts))
		for i, x := range texts {
			sets[i] = shingles(string(x.compose(nil, &plain, nil)))
			for j := range i {
				a, b := c.texts[texts[j]], c.texts[x]
				pair := Pair{A: min(a, b), B: max(a, b), Jaccard: jaccard(sets[i], sets[j])}
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

// mirrors lists who carries what, through mirrors of mirrors too.
func (w *Web) mirrors() []Mirror {
	var list []Mirror
	same := func(s *site) []*site { // s and its whole mirrors
		all := []*site{s}
		for _, o := range w.sites {
			if o.of == s {
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
				list = append(list, Mirror{Of: of.name, By: by.name, Whole: true, Subtree: "/", Prefix: "/", Exact: true, Pages: n})
			}
		}
	}
	for _, way := range w.ways {
		for _, of := range same(way.from) {
			for _, by := range same(way.by) {
				list = append(list, Mirror{Of: of.name, By: by.name, Subtree: "/" + way.section.path, Prefix: way.prefix() + "/" + way.section.path,
					Exact: true, Pages: len(way.section.items) + len(way.section.listings)})
			}
		}
	}
	return append(list, w.folderMirrors()...)
}

// Text returns the main text of a document as UTF-8, one block a line, and
// whether the URL is a generated document. Bylines, teasers, related links and
// comments are no part of it.
func (w *Web) Text(address string) (string, bool) {
	for _, s := range w.sites {
		path, ok := strings.CutPrefix(address, strings.TrimSuffix(s.url("/"), "/"))
		if !ok || s.folder != nil || !strings.HasPrefix(path, "/") {
			continue
		}
		if p := s.find(path); p != nil && p.document() {
			return string(w.mainText(p)), true
		}
	}
	return "", false
}
