package theme

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// Options are the settings of themed sites.
type Options struct {
	// Seed determines every byte. Any value is valid.
	Seed uint64
	// Posts is the number of posts of a blog, and of chapters or classes of a
	// version of a manual, from 12 to 2,000. Lists come on top, so that a blog has
	// some three pages for each post.
	Posts int
	// Banner makes half of the sites show a notice on every page after half of their
	// pages were requested.
	Banner bool
}

// A Site is like those of common generators: the frame around a page is long, has sentences, and is
// nearly the same on every page, while a page's own text may be one line. That text is known; its
// markup is what the generators use.
//
// A site has no host name: Handler serves it on any host. Its links are paths from the root.
type Site struct {
	Name  string // the theme and the language, such as column.zh
	Lang  string // en or zh
	Blog  bool   // not a manual
	Pages []Page

	theme  *theme
	corpus *corpus.Corpus
	words  *words
	title  string
	about  string // its description, in sentences
	notice string // above the comments
	legal  string // footer of sentences
	banner string // shown after half of the pages were requested; "": never
	tags   []*term
	cats   []*term
	months []*term
	latest []*post
	posts  []*post
	toc    []block // of a manual: links to its parts, relative to a version
	byPath map[string]*Page
	asked  atomic.Int64
}

// A Page is one document of a themed site.
type Page struct {
	Path  string
	Class string // post, note, tag, category, archive, author, home, terms, about, search, missing, api, use, package, chapter, release, index
	Title string // as in its head

	// Text is the page's own text: title, headings, paragraphs and list items, a
	// block a line. For a list it is the heading, if the theme shows one, and the
	// entries. The site's frame, comments, dates next to the title and links to
	// neighbours are not part of it.
	Text string

	// Links are the paths in a list.
	Links []string

	// Subject distinguishes pages about different things whose words may be the same,
	// such as the notes of two releases. "": the text decides.
	Subject string

	own     []block
	post    *post
	version string // of a manual
	place   int
}

// A block is a block of a page's own text. Kinds: 1 and 2 headings, p, li, and
// e for an entry of a list, whose date is part of the text.
type block struct {
	kind       string
	text, href string
	date       string
	rest       string // an entry's excerpt
}

func (o block) line() string {
	return strings.TrimSpace(strings.Join(strings.Fields(o.date+" "+o.text+" "+o.rest), " "))
}

// A term is a tag, a category, an author or a month, with its posts.
type term struct {
	name, path string
	posts      []*post
}

// A post is a post of a blog.
type post struct {
	text     *corpus.Text
	title    string
	path     string
	day      int
	tags     []*term
	cat      *term
	author   string
	comments int
}

// New makes a site of every theme, and two sites, in English and Chinese, of most.
func New(o Options) ([]*Site, error) {
	if o.Posts < 12 || o.Posts > 2000 {
		return nil, errors.New("themed sites: posts is " + fmt.Sprint(o.Posts) + ": want 12 to 2000")
	}
	corpora := map[string]*corpus.Corpus{"en": corpus.English(o.Seed), "zh": corpus.Chinese(o.Seed + 1)}
	var sites []*Site
	for i := range themes {
		t := &themes[i]
		for _, lang := range t.langs {
			s := &Site{Name: t.name + "." + lang, Lang: lang, Blog: t.plan == nil, theme: t, corpus: corpora[lang], words: wordsOf[lang], byPath: make(map[string]*Page)}
			p := builder{Site: s, rng: corpus.RNG(corpus.Mix(o.Seed, uint64(len(sites)+100))), n: o.Posts}
			p.addFrame()
			if t.plan != nil {
				t.plan(&p)
			} else {
				p.blog()
			}
			if o.Banner && len(sites)%2 == 0 {
				s.banner = p.sentences(2)
			}
			for k := range s.Pages {
				s.byPath[s.Pages[k].Path] = &s.Pages[k]
			}
			sites = append(sites, s)
		}
	}
	return sites, nil
}

// A builder plans one site.
type builder struct {
	*Site
	rng corpus.RNG
	n   int
}

// addFrame plans the parts that every page of the site repeats.
func (p *builder) addFrame() {
	v := p.corpus
	p.title = corpus.Capital(corpus.Pick(v.Words, p.rng.Uint64())) + " " + corpus.Pick(v.Papers, p.rng.Uint64())
	p.about = p.sentences(3)
	p.notice = p.words.notice + " " + p.sentences(4)
	p.legal = fmt.Sprintf(p.words.legal, p.title) + " " + p.sentences(2)
}

// sentences returns prose of the site's language.
func (p *builder) sentences(n int) string {
	f := p.corpus.Facts(p.rng.Uint64())
	pool := corpus.Pick(p.corpus.Sentences, p.rng.Uint64())
	var out []byte
	for range n {
		h := p.rng.Uint64()
		out = pool[h%corpus.PoolSize].Append(out, &f, h, nil)
		if !p.corpus.Chinese {
			out = append(out, ' ')
		}
	}
	return strings.TrimSpace(string(out))
}

// name returns a word of the language, for tags and so on.
func (p *builder) name() string {
	return corpus.Pick(p.corpus.Words, p.rng.Uint64())
}

func (p *builder) add(q Page) {
	if slices.ContainsFunc(p.Pages, func(o Page) bool { return o.Path == q.Path }) {
		return
	}
	var lines []string
	for _, b := range q.own {
		lines = append(lines, b.line())
		if b.kind == "e" || b.kind == "li" && b.href != "" {
			q.Links = append(q.Links, b.href)
		}
	}
	q.Text = strings.Join(lines, "\n")
	q.place = len(p.Pages)
	p.Pages = append(p.Pages, q)
}

// write makes a new text of length sentences.
func (p *builder) write(length int) *corpus.Text {
	t := &corpus.Text{Corpus: p.corpus, Topic: p.rng.IntN(len(p.corpus.Sentences)), Seed: p.rng.Uint64(), Frame: p.rng.Uint64(), Length: length, Day: 15_000 + p.rng.IntN(3000)}
	f := p.corpus.Facts(t.Seed)
	h := p.rng.Uint64()
	t.Title = string(p.corpus.Titles[t.Topic][h%corpus.SmallPoolSize].Append(nil, &f, h, nil))
	t.Origin = t
	return t
}

// blocksOf returns a text as blocks.
func blocksOf(t *corpus.Text) []block {
	m := corpus.Markup{Title: [2]string{"1", "\n"}, Lead: [2]string{"p", "\n"}, Heading: [2]string{"2", "\n"}, Para: [2]string{"p", "\n"},
		Quote: [2]string{"p", "\n"}, Item: [2]string{"l", "\n"}}
	var blocks []block
	for line := range strings.Lines(string(t.Append(nil, &m, nil))) {
		kind := line[:1]
		if kind == "l" {
			kind = "li"
		}
		blocks = append(blocks, block{kind: kind, text: strings.TrimSpace(line[1:])})
	}
	return blocks
}

// Handler serves the site. Unknown paths answer 404 in the site's frame.
func (s *Site) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow:\n")
			return
		}
		p := s.byPath[(&url.URL{Path: r.URL.Path}).EscapedPath()]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if p == nil {
			w.WriteHeader(http.StatusNotFound)
			p = &Page{Path: r.URL.Path, Class: "missing", Title: s.words.missing, own: []block{{kind: "1", text: s.words.missing}}}
		}
		banner := ""
		if n := s.asked.Add(1); s.banner != "" && n > int64(len(s.Pages)/2) {
			banner = s.banner
		}
		fmt.Fprint(w, s.html(p, banner))
	})
}

// html writes a page.
func (s *Site) html(p *Page, banner string) string {
	var b strings.Builder
	title := p.Title + " | " + s.title
	og := p.Title
	if p.post == nil && s.Blog {
		og = s.title // as most themes do on lists
	}
	if p.Path == "/" {
		title = s.title
	}
	kind := "website"
	if p.post != nil {
		kind = "article"
	}
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", s.words.code, html.EscapeString(title))
	fmt.Fprintf(&b, "<meta name=\"description\" content=\"%s\">\n<meta property=\"og:type\" content=\"%s\">\n<meta property=\"og:title\" content=\"%s\">\n<meta property=\"og:site_name\" content=\"%s\">\n",
		html.EscapeString(s.about), kind, html.EscapeString(og), html.EscapeString(s.title))
	b.WriteString("<link rel=\"stylesheet\" href=\"/css/style.css\">\n</head>\n")
	s.theme.page(&b, s, p, banner)
	b.WriteString("</html>\n")
	return b.String()
}
