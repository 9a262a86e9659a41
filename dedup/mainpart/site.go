package mainpart

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// A Site collects the pages of one site.
type Site struct {
	pages []page
	met   map[uint64]int // on how many pages the text of a block is
}

// NewSite returns a site without pages.
func NewSite() *Site { return &Site{met: make(map[uint64]int)} }

// Add adds a page; Parts returns its Part at the same place. The charset is that of the content
// type or the page's own, as in browsers.
func (s *Site) Add(content []byte, contentType string) {
	p := read(content, contentType)
	once := make(map[uint64]bool, len(p.blocks))
	for _, b := range p.blocks {
		if !once[b.hash] {
			once[b.hash] = true
			s.met[b.hash]++
		}
	}
	s.pages = append(s.pages, p)
}

// AddText adds a page that consists of text alone: all of it is its part.
func (s *Site) AddText(text string) {
	s.pages = append(s.pages, page{plain: text})
}

// A Part is the main part of a page.
type Part struct {
	Text  string   // a block a line
	Links []string // for a list: what it links to, each as the link's text and the end of its URL
	By    string   // what the part was found by: the mark's name, or "contrast"
	Doubt string   // why the main part is uncertain; "": it is not
}

// The bounds were set by hand before the agreement was measured, and not changed
// after it.
const (
	// fewPages is how many pages a site must have before it is clear what it repeats.
	fewPages = 8

	// mostPages is the share of a site's pages above which a repeated block is certainly frame.
	mostPages = 0.5

	// somePages is the same share for pages in which no element is marked.
	somePages = 0.2

	// ownLeast is the share of a page's own text that its main element must have for the mark to be
	// trusted, if the page has at least ownText characters of such text.
	ownLeast = 0.3
	ownText  = 400
)

// Parts returns the main part of each page, in the order of Add.
func (s *Site) Parts() []Part {
	parts := make([]Part, len(s.pages))
	for i := range s.pages {
		parts[i] = s.part(&s.pages[i])
	}
	return parts
}

func (s *Site) part(p *page) Part {
	if p.refresh {
		return Part{Doubt: "it sends its reader to another page"}
	}
	if p.plain != "" {
		return Part{Text: p.plain, By: "text"}
	}
	mark := p.mark()
	title := s.heading(p)
	if mark < 0 && len(s.pages) < fewPages {
		return Part{Doubt: "no element is marked as the main one, and the site has too few pages to tell what it repeats"}
	}
	var own, ownIn int // characters that hardly any other page has; how many of them are in the part
	var in []block
	for i, b := range p.blocks {
		if i == title && !said(b.text, p.blocks, mark) {
			in = append(in, b)
			continue
		}
		rare := s.met[b.hash] <= max(2, len(s.pages)/20)
		if rare && !b.aside {
			own += len(b.text)
		}
		if b.aside || s.frame(b, mark) || mark >= 0 && b.marks&(1<<mark) == 0 {
			continue
		}
		if rare {
			ownIn += len(b.text)
		}
		in = append(in, b)
	}
	part := Part{By: "contrast"}
	if mark >= 0 {
		part.By = marks[mark].name
	}
	var text strings.Builder
	var linked, all int
	for _, b := range in {
		text.WriteString(b.text)
		text.WriteByte('\n')
		all += len(b.text)
		linked += b.linked
		part.Links = append(part.Links, b.links...)
	}
	part.Text = text.String()
	if len(part.Links) < listLinks || 2*linked < all {
		part.Links = nil
	}
	switch {
	case all == 0:
		part.Doubt = "it has no text that is not its site's"
	case mark >= 0 && own >= ownText && float64(ownIn) < ownLeast*float64(own):
		part.Doubt = "its main element (" + part.By + ") has little of what is the page's own"
	}
	return part
}

// heading returns the index of the page's title among its blocks, or -1. Themes write it above the
// main element, in a header that otherwise belongs to the site. It is the first h1, or else h2,
// that hardly any other page has.
func (s *Site) heading(p *page) int {
	if len(s.pages) < fewPages {
		return -1
	}
	for level := 1; level <= 2; level++ {
		for i, b := range p.blocks {
			if b.heading == level && s.met[b.hash] <= max(2, len(s.pages)/20) {
				return i
			}
		}
	}
	return -1
}

// said reports whether a block of the marked elements has the words of the title.
func said(title string, blocks []block, mark int) bool {
	return slices.ContainsFunc(blocks, func(b block) bool {
		return mark >= 0 && b.marks&(1<<mark) != 0 && !b.aside && strings.Contains(strings.ToLower(b.text), strings.ToLower(title))
	})
}

// listLinks is the least number of links of a list.
const listLinks = 3

// frame reports whether a block belongs to the site and not to the page.
func (s *Site) frame(b block, mark int) bool {
	n := s.met[b.hash]
	switch {
	case len(s.pages) < fewPages || n < 3:
		return false
	case mark >= 0:
		return float64(n) >= mostPages*float64(len(s.pages))
	}
	return float64(n) >= somePages*float64(len(s.pages))
}

// A page is its blocks in order.
type page struct {
	blocks  []block
	plain   string // the text of a page without mark-up, which has no blocks
	refresh bool
}

// mark returns the best mark of the page, or -1.
func (p *page) mark() int {
	var with uint32
	for _, b := range p.blocks {
		if !b.aside {
			with |= b.marks
		}
	}
	for i := range marks {
		if with&(1<<i) != 0 {
			return i
		}
	}
	return -1
}

// A block is a run of text that no block element divides.
type block struct {
	text    string // white space collapsed
	hash    uint64
	marks   uint32   // bit i: an ancestor has the mark i
	heading int      // of an h1 or h2 that is in no navigation, aside or footer: 1 or 2
	aside   bool     // an ancestor is navigation, an aside, a footer or the like
	linked  int      // bytes in links
	links   []string // see Part.Links
}

// read parses a page.
func read(content []byte, contentType string) page {
	enc, _, _ := charset.DetermineEncoding(content, contentType)
	root, err := html.Parse(enc.NewDecoder().Reader(bytes.NewReader(content)))
	if err != nil && err != io.EOF {
		return page{} // of bytes in memory any are a page; the decoder replaces what it does not know
	}
	r := reader{}
	r.walk(root, state{})
	r.end()
	return r.page
}

// A reader walks a tree.
type reader struct {
	page page
	now  block
	text strings.Builder
	link strings.Builder // text of the link at hand
}

// A state is what is known of a node from its ancestors.
type state struct {
	marks   uint32
	heading int
	aside   bool
	beside  bool   // it is in navigation, an aside or a footer
	link    string // the URL of the link that the node is in
}

func (r *reader) walk(n *html.Node, st state) {
	switch n.Type {
	case html.TextNode:
		r.add(n.Data, st)
		return
	case html.ElementNode:
		if unread[n.Data] {
			return
		}
		a := attributesOf(n)
		if n.Data == "meta" && strings.EqualFold(a["http-equiv"], "refresh") && strings.Contains(strings.ToLower(a["content"]), "url") {
			r.page.refresh = true
		}
		if hidden(a) {
			return
		}
		m := marksOf(n.Data, a)
		if !st.beside && isAside(n, a, m, st.marks|m) {
			st.aside = true
			st.beside = st.beside || n.Data != "header"
		}
		st.marks |= m
		switch {
		case st.beside:
		case n.Data == "h1":
			st.heading = 1
		case n.Data == "h2":
			st.heading = 2
		}
		if n.Data == "a" && a["href"] != "" {
			st.link = a["href"]
			r.link.Reset()
		}
		if !inline[n.Data] {
			r.end()
		}
		r.now.marks, r.now.aside, r.now.heading = st.marks, st.aside, st.heading
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, st)
		if c.Type == html.ElementNode {
			r.now.marks, r.now.aside, r.now.heading = st.marks, st.aside, st.heading
		}
	}
	if n.Type == html.ElementNode {
		if n.Data == "a" && st.link != "" {
			r.now.links = append(r.now.links, linkOf(r.link.String(), st.link))
		}
		if !inline[n.Data] {
			r.end()
		}
	}
}

// add takes text.
func (r *reader) add(text string, st state) {
	r.now.marks, r.now.aside, r.now.heading = st.marks, st.aside, st.heading
	r.text.WriteString(text)
	if st.link != "" {
		r.link.WriteString(text)
		r.now.linked += len(strings.Join(strings.Fields(text), " "))
	}
}

// end closes a block.
func (r *reader) end() {
	text := strings.Join(strings.Fields(r.text.String()), " ")
	if text != "" {
		r.now.text, r.now.hash = text, xxhash.Sum64String(text)
		r.page.blocks = append(r.page.blocks, r.now)
	}
	r.text.Reset()
	r.now = block{}
}

// linkOf writes a link by its text and the last name in its URL, which stay the same if a site
// is served at another place.
func linkOf(text, address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	address = strings.TrimSuffix(strings.TrimSuffix(address, "index.html"), "/")
	return strings.Join(strings.Fields(strings.ToLower(text)), " ") + "\t" + address[strings.LastIndexByte(address, '/')+1:]
}

func attributesOf(n *html.Node) map[string]string {
	a := make(map[string]string, len(n.Attr))
	for _, attr := range n.Attr {
		a[attr.Key] = attr.Val
	}
	return a
}
