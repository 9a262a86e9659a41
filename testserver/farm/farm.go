package farm

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// Options are the settings of a Farm.
type Options struct {
	// Seed determines every byte. Any value is valid.
	Seed uint64
	// Families is the number of original sites, from 1 to 1,000; each has five
	// of the Variants.
	Families int
	// Pages is the number of documents of an original, from 20 to 10,000.
	Pages int
}

// A Farm is a set of small sites, some of which are copies of each other: whole, in part, moved,
// renamed or outdated. Others only look like copies. Sites have no IP addresses: use Handler to
// serve them.
type Farm struct {
	Sites     []*Site
	Relations []Relation
}

// A Site is one site.
type Site struct {
	Name  string // a host name, such as www.f3.example
	Pages []Page

	kind       string
	banner     string
	skin       uint64
	disallowed []string // paths that its robots.txt disallows
	byPath     map[string]*Page
}

// A Page is one document of a site.
type Page struct {
	Path      string
	Title     string
	Text      string // one paragraph a line, the site's banner included
	Content   uint64 // identifies the text without the banner
	Canonical string // name of the site in rel=canonical
	Redirect  string // name of the site to which the path redirects; then there is no text
}

// A Relation says how two sites of a family are related.
type Relation struct {
	A, B string // A is the original if one of them is
	Kind string // of B: see Variants; "siblings" if neither is the original

	// Mirror says that either site may be crawled in place of the other for the pages that they
	// share. Clear says that this does not depend on thresholds.
	Mirror, Clear bool

	// Moved maps paths of A's documents to their paths on B.
	Moved map[string]string

	// Canonical is the site to crawl, if more than the names says so; "" otherwise.
	Canonical string
}

// Variants returns the kinds of sites that are made from an original: copies, and sites that are
// not copies although some have all paths in common with it.
func Variants() (copies, others []string) {
	return []string{"exact", "dropped", "prefix", "renamed", "drifted", "banner", "www", "redirecting", "canonical", "subtree", "long-banner", "cut", "edited"},
		[]string{"translation", "far-version", "near-version", "stranger"}
}

// New makes a farm.
func New(o Options) (*Farm, error) {
	var faults []error
	if o.Families < 1 || o.Families > 1000 {
		faults = append(faults, fmt.Errorf("families is %d: want 1 to 1000", o.Families))
	}
	if o.Pages < 20 || o.Pages > 10_000 {
		faults = append(faults, fmt.Errorf("pages is %d: want 20 to 10000", o.Pages))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	f := &Farm{}
	copies, others := Variants()
	for i := range o.Families {
		g := builder{farm: f, rng: corpus.RNG(corpus.Mix(o.Seed, uint64(i))), number: i, pages: o.Pages}
		g.original()
		// Three copies and two others of each family, in turn, so that a dozen
		// families have all kinds in all combinations.
		for k := range 3 {
			g.addVariant(copies[(i*3+k)%len(copies)])
		}
		for k := range 2 {
			g.addVariant(others[(i*2+k)%len(others)])
		}
		g.relate()
	}
	for _, s := range f.Sites {
		s.byPath = make(map[string]*Page, len(s.Pages))
		for k := range s.Pages {
			s.byPath[s.Pages[k].Path] = &s.Pages[k]
		}
	}
	return f, nil
}

// A builder makes one family.
type builder struct {
	farm   *Farm
	rng    corpus.RNG
	number int
	pages  int
	family []*Site
	moved  []map[string]string // for each site but the original: from the original's paths
	words  []string
}

// original makes the site from which the others are made.
func (g *builder) original() {
	g.words = corpus.EnglishWords(g.rng.IntN(corpus.EnglishTopics()))
	for range 400 {
		g.words = append(g.words, g.rng.Word())
	}
	s := g.newSite("original", fmt.Sprintf("f%d.example", g.number))
	s.Pages = append(s.Pages, g.page("/", ""))
	for i := 1; i < g.pages; i++ {
		s.Pages = append(s.Pages, g.page(g.path(i), ""))
	}
	// Pages at paths that every family has, one of them with the same text.
	licence := Page{Path: "/license.html", Title: "Licence", Content: 1, Text: strings.Repeat("permission is hereby granted free of charge to any person obtaining a copy of this work ", 6)}
	s.Pages = append(s.Pages, licence, g.page("/genindex.html", ""), g.page("/search.html", ""))
}

func (g *builder) newSite(kind, name string) *Site {
	s := &Site{Name: name, kind: kind, skin: g.rng.Uint64(), disallowed: []string{"/private/"}}
	g.farm.Sites = append(g.farm.Sites, s)
	g.family = append(g.family, s)
	return s
}

// path returns the path of a document: each of five folders has a fifth of them, some in a folder
// below it, and some paths are folders themselves.
func (g *builder) path(i int) string {
	dir := "/" + strings.ToLower(g.words[i%5*7]) + "/"
	if i%4 == 0 {
		dir += g.words[50+i%3] + "/"
	}
	name := g.words[g.rng.IntN(len(g.words))] + "-" + strconv.Itoa(i)
	switch {
	case i%11 == 0:
		return dir + name + "/"
	case i%13 == 0:
		return dir + "view.php?id=" + strconv.Itoa(i)
	}
	return dir + name + ".html"
}

// page makes a document. As in prose, few words are frequent.
func (g *builder) page(path, salt string) Page {
	n := 60 + g.rng.IntN(160)
	var b strings.Builder
	for i := range n {
		at := g.rng.IntN(len(g.words))
		at = g.rng.IntN(at + 1)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.words[at] + salt)
		if i%12 == 11 {
			b.WriteString(".\n")
		}
	}
	return Page{Path: path, Title: g.words[g.rng.IntN(len(g.words))] + " " + path, Text: b.String(), Content: g.rng.Uint64()}
}

// addVariant adds a site to the family.
func (g *builder) addVariant(kind string) {
	from := g.family[0]
	name := fmt.Sprintf("%s-%d.test", kind, g.number)
	if kind == "www" || kind == "redirecting" {
		name = "www." + from.Name
	}
	if slices.ContainsFunc(g.family, func(s *Site) bool { return s.Name == name }) {
		kind, name = "exact", fmt.Sprintf("exact-%d.test", g.number)
	}
	s := g.newSite(kind, name)
	moved := make(map[string]string)
	for _, p := range from.Pages {
		p, at, has := g.vary(kind, from, p)
		if !has {
			continue
		}
		moved[p.Path] = at
		p.Path = at
		s.Pages = append(s.Pages, p)
	}
	if kind == "subtree" {
		for i := range g.pages / 2 {
			s.Pages = append(s.Pages, g.page(fmt.Sprintf("/own/%s-%d.html", g.words[g.rng.IntN(len(g.words))], i), ""))
		}
		s.Pages = append(s.Pages, g.page("/", ""))
	}
	if kind == "banner" {
		s.banner = "mirror hosted with kind support by " + g.rng.Word()
	}
	if kind == "long-banner" {
		s.banner = "this is a mirror of a site that may have moved on since it was copied here please send what is wrong with it to " + g.rng.Word()
	}
	for i := range s.Pages {
		if s.banner != "" && s.Pages[i].Redirect == "" {
			s.Pages[i].Text += "\n" + s.banner
		}
	}
	g.moved = append(g.moved, moved)
}

// vary returns what a site of a kind has of a page, and at which path; false: it does not have it.
func (g *builder) vary(kind string, from *Site, p Page) (q Page, at string, has bool) {
	at = p.Path
	switch kind {
	case "dropped":
		if g.rng.IntN(100) < 8 {
			return p, at, false
		}
	case "prefix":
		at = fmt.Sprintf("/pub/mirrors/%s", g.words[60]) + p.Path
	case "renamed":
		if stem, ok := strings.CutSuffix(at, ".html"); ok {
			at = stem + ".htm"
		}
	case "drifted":
		if g.rng.IntN(100) < 4 {
			p.Text, p.Content = g.page("", "").Text, g.rng.Uint64()
		}
	case "edited":
		if g.rng.IntN(100) < 6 {
			p.Text, p.Content = g.edit(p.Text), g.rng.Uint64()
		}
	case "cut": // a tenth of the blocks is left out
		lines := strings.Split(strings.TrimSpace(p.Text), "\n")
		lines = slices.DeleteFunc(lines, func(string) bool { return len(lines) > 3 && g.rng.IntN(100) < 10 })
		p.Text = strings.Join(lines, "\n")
	case "redirecting":
		p.Redirect, p.Text = from.Name, ""
	case "canonical":
		p.Canonical = from.Name
	case "subtree":
		tree := strings.SplitAfter(from.Pages[2].Path, "/")[1] // a folder with a fifth of the documents
		if !strings.HasPrefix(p.Path, "/"+tree) {
			return p, at, false
		}
		at = "/mirror" + p.Path
	case "translation":
		p = g.rewrite(p, "o")
	case "far-version":
		if g.rng.IntN(100) >= 8 {
			p = g.rewrite(p, "")
		}
	case "near-version":
		if g.rng.IntN(100) < 16 {
			p = g.rewrite(p, "")
		}
	case "stranger":
		if p.Content != 1 {
			p = g.rewrite(p, "")
			if p.Path != "/genindex.html" && p.Path != "/search.html" && p.Path != "/" {
				at = "/own" + strings.ReplaceAll(p.Path, "-", "-s")
			}
		}
	}
	return p, at, true
}

// edit replaces a third of a text's words.
func (g *builder) edit(text string) string {
	words := strings.Fields(text)
	for i := range len(words) / 3 {
		words[i] = g.words[g.rng.IntN(len(g.words))]
	}
	return strings.Join(words, " ")
}

// rewrite returns a page at the same path with another text.
func (g *builder) rewrite(p Page, salt string) Page {
	q := g.page(p.Path, salt)
	return q
}

// relate adds the relations of the family's members.
func (g *builder) relate() {
	_, others := Variants()
	isOther := func(s *Site) bool { return slices.Contains(others, s.kind) }
	from := g.family[0]
	for i, s := range g.family[1:] {
		k := Relation{A: from.Name, B: s.Name, Kind: s.kind, Mirror: !isOther(s), Clear: s.kind != "near-version" && s.kind != "edited", Moved: g.moved[i]}
		switch s.kind {
		case "canonical", "redirecting", "dropped", "prefix", "www", "subtree":
			k.Canonical = from.Name
		}
		g.farm.Relations = append(g.farm.Relations, k)
		for j, t := range g.family[1:] {
			if j >= i {
				break
			}
			sibling := Relation{A: t.Name, B: s.Name, Kind: "siblings", Clear: true, Moved: map[string]string{}}
			sibling.Mirror = !isOther(s) && !isOther(t) && s.kind != "subtree" && t.kind != "subtree"
			for _, x := range []*Site{s, t} {
				if x.kind == "near-version" || x.kind == "edited" || x.kind == "redirecting" || x.kind == "subtree" {
					sibling.Clear = false
				}
			}
			for path, at := range g.moved[j] {
				if to, ok := g.moved[i][path]; ok {
					sibling.Moved[at] = to
				}
			}
			g.farm.Relations = append(g.farm.Relations, sibling)
		}
	}
}

// Page returns the page at a path with its query, or nil.
func (s *Site) Page(path string) *Page { return s.byPath[path] }

// Links returns the links of a page: from the root to all pages, from others to the root and
// the next ten.
func (s *Site) Links(p *Page) []string {
	var to []string
	at := 0
	for i := range s.Pages {
		if &s.Pages[i] == p {
			at = i
		}
		if p.Path == "/" {
			to = append(to, s.Pages[i].Path)
		}
	}
	if p.Path == "/" {
		return to
	}
	to = append(to, "/")
	for i := range 10 {
		to = append(to, s.Pages[(at+1+i)%len(s.Pages)].Path)
	}
	return to
}

// Handler serves one site over HTTP; base returns the origin of a site, such as
// http://127.0.0.2:8080, by its name.
func (s *Site) Handler(base func(name string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprintf(w, "User-agent: *\nDisallow: %s\n", strings.Join(s.disallowed, "\nDisallow: "))
			return
		}
		p := s.Page(r.URL.RequestURI())
		switch {
		case p == nil:
			http.NotFound(w, r)
		case p.Redirect != "":
			http.Redirect(w, r, base(p.Redirect)+p.Path, http.StatusMovedPermanently)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, s.html(p, base))
		}
	})
}

func (s *Site) html(p *Page, base func(name string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><head><title>%s</title>", html.EscapeString(p.Title))
	if p.Canonical != "" {
		fmt.Fprintf(&b, "<link rel=canonical href=%q>", base(p.Canonical)+p.Path)
	}
	fmt.Fprintf(&b, "</head><body><div class=\"top%d\">%s</div><main><h1>%s</h1>\n", s.skin%97, s.Name, html.EscapeString(p.Title))
	for _, line := range strings.Split(p.Text, "\n") {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(line))
	}
	b.WriteString("</main><nav><ul>")
	for _, to := range s.Links(p) {
		fmt.Fprintf(&b, "<li><a href=%q>%s</a>", to, html.EscapeString(to))
	}
	b.WriteString("</ul></nav></body></html>\n")
	return b.String()
}
