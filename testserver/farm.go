package testserver

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// FarmOptions says what farm to make.
type FarmOptions struct {
	// Seed decides every byte. Any value will do.
	Seed uint64
	// Families is the number of original sites, from 1 to 1,000; each brings the
	// sites of Relatives with it.
	Families int
	// Pages is the number of documents of an original, from 20 to 10,000.
	Pages int
}

// A Farm is a set of small sites that are copies of each other, whole, in part,
// moved, renamed or outdated, and of sites that only look as if they were. It
// is what mirror detection is tried on. Sites have no addresses of their own:
// Handler serves one.
type Farm struct {
	Sites []*FarmSite
	Kin   []Kin
}

// A FarmSite is one site.
type FarmSite struct {
	Name  string // a host name, such as www.f3.example
	Pages []FarmPage

	kind   string
	banner string
	skin   uint64
	shut   []string // paths that its robots.txt closes
	byPath map[string]*FarmPage
}

// A FarmPage is one document of a site.
type FarmPage struct {
	Path      string
	Title     string
	Text      string // one paragraph a line, the site's banner included
	Content   uint64 // names the text without the banner
	Canonical string // rel=canonical: the name of the site that it says it comes from
	Redirect  string // a redirect to the same path on the site of this name; then it has no text
}

// Kin is what two sites of a family are to each other.
type Kin struct {
	A, B string // A is the original where one of them is
	Kind string // of B: see Relatives; "siblings" where neither is the original

	// Mirror says that one may be asked in place of the other, for what they
	// share; Clear that nothing about it is a matter of thresholds.
	Mirror, Clear bool

	// Moved maps the paths of A's documents that B has to where B has them.
	Moved map[string]string

	// Canonical is the site to be asked, where that is told by more than the
	// names: "" otherwise.
	Canonical string
}

// Relatives are the kinds of sites that come with an original. The first group
// are copies; the second are none, and some share every path.
func Relatives() (copies, others []string) {
	return []string{"exact", "dropped", "prefix", "renamed", "drifted", "banner", "www", "redirecting", "canonical", "subtree"},
		[]string{"translation", "far-version", "near-version", "stranger"}
}

// NewFarm makes a farm.
func NewFarm(o FarmOptions) (*Farm, error) {
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
	copies, others := Relatives()
	for i := range o.Families {
		g := breeder{farm: f, dice: dice(mix(o.Seed, uint64(i))), number: i, pages: o.Pages}
		g.original()
		// Three copies and two others of each family, in turn, so that a dozen
		// families have every kind in every company.
		for k := range 3 {
			g.relative(copies[(i*3+k)%len(copies)])
		}
		for k := range 2 {
			g.relative(others[(i*2+k)%len(others)])
		}
		g.introduce()
	}
	for _, s := range f.Sites {
		s.byPath = make(map[string]*FarmPage, len(s.Pages))
		for k := range s.Pages {
			s.byPath[s.Pages[k].Path] = &s.Pages[k]
		}
	}
	return f, nil
}

// A breeder makes one family.
type breeder struct {
	farm   *Farm
	dice   dice
	number int
	pages  int
	family []*FarmSite
	moved  []map[string]string // of each but the original: from its paths
	words  []string
}

// original makes the site that the others are made from.
func (g *breeder) original() {
	t := &english.topics[g.dice.below(len(english.topics))]
	g.words = strings.Fields(t.nouns + " " + t.verbs + " " + t.adjs + " " + english.words + " " + english.extra)
	for range 400 {
		g.words = append(g.words, g.invent())
	}
	s := g.found("original", fmt.Sprintf("f%d.example", g.number))
	s.Pages = append(s.Pages, g.page("/", ""))
	for i := 1; i < g.pages; i++ {
		s.Pages = append(s.Pages, g.page(g.path(i), ""))
	}
	// What every family has at one path, and one text of it.
	licence := FarmPage{Path: "/license.html", Title: "Licence", Content: 1, Text: strings.Repeat("permission is hereby granted free of charge to any person obtaining a copy of this work ", 6)}
	s.Pages = append(s.Pages, licence, g.page("/genindex.html", ""), g.page("/search.html", ""))
}

func (g *breeder) found(kind, name string) *FarmSite {
	s := &FarmSite{Name: name, kind: kind, skin: g.dice.roll(), shut: []string{"/private/"}}
	g.farm.Sites = append(g.farm.Sites, s)
	g.family = append(g.family, s)
	return s
}

// path is that of the document with the given number: a fifth lies in each of
// five folders, some a folder deeper, some a folder itself.
func (g *breeder) path(i int) string {
	dir := "/" + strings.ToLower(g.words[i%5*7]) + "/"
	if i%4 == 0 {
		dir += g.words[50+i%3] + "/"
	}
	name := g.words[g.dice.below(len(g.words))] + "-" + strconv.Itoa(i)
	switch {
	case i%11 == 0:
		return dir + name + "/"
	case i%13 == 0:
		return dir + "view.php?id=" + strconv.Itoa(i)
	}
	return dir + name + ".html"
}

func (g *breeder) invent() string {
	const syllables = "ba ce di fo gu ha ki lo mu na pe ri so ta vu wa xe yo zi ther ing ment ous"
	s := strings.Fields(syllables)
	var b strings.Builder
	for range 2 + g.dice.below(3) {
		b.WriteString(s[g.dice.below(len(s))])
	}
	return b.String()
}

// page writes a document. Words are drawn as prose draws them: few are frequent.
func (g *breeder) page(path, salt string) FarmPage {
	n := 60 + g.dice.below(160)
	var b strings.Builder
	for i := range n {
		at := g.dice.below(len(g.words))
		at = g.dice.below(at + 1)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.words[at] + salt)
		if i%12 == 11 {
			b.WriteString(".\n")
		}
	}
	return FarmPage{Path: path, Title: g.words[g.dice.below(len(g.words))] + " " + path, Text: b.String(), Content: g.dice.roll()}
}

// relative makes one more site of the family.
func (g *breeder) relative(kind string) {
	from := g.family[0]
	name := fmt.Sprintf("%s-%d.test", kind, g.number)
	if kind == "www" || kind == "redirecting" {
		name = "www." + from.Name
	}
	if slices.ContainsFunc(g.family, func(s *FarmSite) bool { return s.Name == name }) {
		kind, name = "exact", fmt.Sprintf("exact-%d.test", g.number)
	}
	s := g.found(kind, name)
	moved := make(map[string]string)
	deep := fmt.Sprintf("/pub/mirrors/%s", g.words[60])
	tree := strings.SplitAfter(from.Pages[2].Path, "/")[1] // a folder with a fifth of the documents
	for _, p := range from.Pages {
		at := p.Path
		switch kind {
		case "dropped":
			if g.dice.below(100) < 8 {
				continue
			}
		case "prefix":
			at = deep + p.Path
		case "renamed":
			if stem, ok := strings.CutSuffix(at, ".html"); ok {
				at = stem + ".htm"
			}
		case "drifted":
			if g.dice.below(100) < 4 {
				p.Text, p.Content = g.page("", "").Text, g.dice.roll()
			}
		case "redirecting":
			p.Redirect, p.Text = from.Name, ""
		case "canonical":
			p.Canonical = from.Name
		case "subtree":
			if !strings.HasPrefix(p.Path, "/"+tree) {
				continue
			}
			at = "/mirror" + p.Path
		case "translation":
			p = g.other(p, "o")
		case "far-version":
			if g.dice.below(100) >= 8 {
				p = g.other(p, "")
			}
		case "near-version":
			if g.dice.below(100) < 16 {
				p = g.other(p, "")
			}
		case "stranger":
			if p.Content != 1 {
				p = g.other(p, "")
				if p.Path != "/genindex.html" && p.Path != "/search.html" && p.Path != "/" {
					at = "/own" + strings.ReplaceAll(p.Path, "-", "-s")
				}
			}
		}
		moved[p.Path] = at
		p.Path = at
		s.Pages = append(s.Pages, p)
	}
	if kind == "subtree" {
		for i := range g.pages / 2 {
			s.Pages = append(s.Pages, g.page(fmt.Sprintf("/own/%s-%d.html", g.words[g.dice.below(len(g.words))], i), ""))
		}
		s.Pages = append(s.Pages, g.page("/", ""))
	}
	if kind == "banner" {
		s.banner = "mirror hosted with kind support by " + g.invent()
	}
	for i := range s.Pages {
		if s.banner != "" && s.Pages[i].Redirect == "" {
			s.Pages[i].Text += "\n" + s.banner
		}
	}
	g.moved = append(g.moved, moved)
}

// other is a page at the same path with another text.
func (g *breeder) other(p FarmPage, salt string) FarmPage {
	q := g.page(p.Path, salt)
	return q
}

// introduce tells what the members of the family are to each other.
func (g *breeder) introduce() {
	_, others := Relatives()
	isOther := func(s *FarmSite) bool { return slices.Contains(others, s.kind) }
	from := g.family[0]
	for i, s := range g.family[1:] {
		k := Kin{A: from.Name, B: s.Name, Kind: s.kind, Mirror: !isOther(s), Clear: s.kind != "near-version", Moved: g.moved[i]}
		switch s.kind {
		case "canonical", "redirecting", "dropped", "prefix", "www", "subtree":
			k.Canonical = from.Name
		}
		g.farm.Kin = append(g.farm.Kin, k)
		for j, t := range g.family[1:] {
			if j >= i {
				break
			}
			sibling := Kin{A: t.Name, B: s.Name, Kind: "siblings", Clear: true, Moved: map[string]string{}}
			sibling.Mirror = !isOther(s) && !isOther(t)
			for _, x := range []*FarmSite{s, t} {
				if x.kind == "near-version" || x.kind == "redirecting" || x.kind == "subtree" {
					sibling.Clear = false
				}
			}
			for path, at := range g.moved[j] {
				if to, ok := g.moved[i][path]; ok {
					sibling.Moved[at] = to
				}
			}
			g.farm.Kin = append(g.farm.Kin, sibling)
		}
	}
}

// Page returns the page at a path, with its query; nil where there is none.
func (s *FarmSite) Page(path string) *FarmPage { return s.byPath[path] }

// Links returns where a page leads: the root to all that the site has, others to
// the root and the next ten.
func (s *FarmSite) Links(p *FarmPage) []string {
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

// Handler serves one site over HTTP; base turns the name of a site into its
// origin, such as http://127.0.0.2:8080.
func (s *FarmSite) Handler(base func(name string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprintf(w, "User-agent: *\nDisallow: %s\n", strings.Join(s.shut, "\nDisallow: "))
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

func (s *FarmSite) html(p *FarmPage, base func(name string) string) string {
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
