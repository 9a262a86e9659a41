package purify

import (
	"bytes"
	"strings"

	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// Purify reduces a page, given as its bytes and its Content-Type header, to
// its DocView. It never fails: of a broken page it returns what there is. ID
// and URL are the caller's to set.
func Purify(page []byte, contentType string) *DocView {
	return PurifyAt("", page, contentType)
}

// PurifyAt is Purify for a page whose absolute URL is known. The URL
// helps with the page's type, tells the site's name in its title from the rest,
// and names the category of a page that names none.
func PurifyAt(url string, page []byte, contentType string) *DocView {
	view, _ := PurifyOn(nil, url, page, contentType)
	return view
}

// PurifyOn is PurifyAt for a page of a site with a known template, or with none
// for nil. It also returns what a Site may learn from the page: nothing, if it is
// no HTML.
func PurifyOn(t *Template, url string, page []byte, contentType string) (*DocView, []Print) {
	return Reader{}.PurifyOn(t, url, page, contentType)
}

// A Reader reads pages as the functions of its methods' names do, with another limit.
type Reader struct {
	// MaxLinks is how many links of a page are read; 0 is the constant's.
	MaxLinks int

	// Selectors name body text and fields. Default nil: none. With them the
	// page's elements are kept while it is read, at some 40 bytes for each of the page.
	Selectors *Selectors
}

func (r Reader) links() int {
	if r.MaxLinks == 0 {
		return MaxLinks
	}
	return r.MaxLinks
}

// PurifyOn is the function PurifyOn.
func (r Reader) PurifyOn(t *Template, url string, page []byte, contentType string) (*DocView, []Print) {
	text, html := charset.Decode(page, contentType)
	if plainText(contentType, text) {
		view := plainView(text, html)
		view.Template = t.Generation()
		return view, nil
	}
	o := newOutline()
	defer o.done()
	o.set.limit = r.links()
	fields, cut := o.readWith(r.Selectors, url, text, isXML(contentType, text))
	m := o.head.read()
	kept := o.choose(&m)
	// The type is learned from single pages, so it is told by what one shows.
	kind := o.typeOf(&m, url, kept)
	role := o.roleOf(kind, kept)
	o.belongTo(t)
	title := o.titleOf(&m, kind, url)
	blocks := o.blocksOf(kept)
	dropped := o.dropShared(kept, title)
	view := &DocView{
		Type:      kind,
		Role:      role,
		Category:  o.categoryOf(&m, url, title),
		Title:     title,
		Body:      o.join(kept),
		Links:     o.linkList(kept),
		MoreLinks: o.more,
		Date:      o.dateOf(&m, url),
		Author:    o.authorOf(&m, url),
		Lang:      m.lang,
		Canonical: m.canonical,
		Base:      m.base,
		Refresh:   m.refresh,
		Robots:    m.robots,
		Charset:   html,
		Layout:    o.shape.layout(),
		Template:  t.Generation(),
		NoScript:  o.allNoscript(kept),
		Dropped:   dropped,
		Fields:    fields,
		FieldsCut: cut,
		Blocks:    blocks,
	}
	view.Targets = targetsOf(view.Links)
	view.describe(&o.digest)
	return view, o.lesson()
}

// describe fills in what is derived from the body.
func (v *DocView) describe(d *digest) {
	v.Keywords = d.keywords(v.Body, nil)
	v.Abstract = d.abstract(v.Body, v.Keywords)
	v.Lang = spoken(v.Lang, v.Body)
}

// Links is the quick way for a page whose text is known already: it returns a
// view with Links, Base, Refresh, Canonical, Robots and Charset alone. The
// links are Purify's in URL, order and NoFollow, without words, and Body
// is true for all.
func Links(page []byte, contentType string) *DocView { return Reader{}.Links(page, contentType) }

// Links is the function Links.
func (r Reader) Links(page []byte, contentType string) *DocView {
	text, html := charset.Decode(page, contentType)
	view := &DocView{Charset: html}
	if plainText(contentType, text) {
		return view
	}
	xml := isXML(contentType, text)
	o := newOutline()
	defer o.done()
	o.set.limit = r.links()
	l := markup.NewLexer(o.copyOf(text), xml)
	h := &o.head
	h.brief = true
	set := &o.set
	set.reset()
	templates, found := 0, 0
	for kind := l.Next(); kind != markup.TokenEnd; kind = l.Next() {
		if kind == markup.TokenText {
			continue
		}
		if kind == markup.TokenStart {
			h.take(l, kind)
			switch l.Tag {
			case markup.TagA, markup.TagArea, markup.TagFrame, markup.TagIframe:
				url, ok := address(l)
				if !ok || templates > 0 {
					break
				}
				if found++; found <= set.limit {
					if cut := set.add(url, nofollow(l)); cut != nil {
						cut.body = true
					}
				}
			}
		}
		templates = inert(templates, l, kind, xml)
	}
	m := h.read()
	view.Links, view.MoreLinks = set.links(), max(0, found-set.limit)
	view.Base, view.Refresh, view.Canonical, view.Robots = m.base, m.refresh, m.canonical, m.robots
	return view
}

// plainText reports whether a page is text without mark-up.
func plainText(contentType string, page []byte) bool {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	return kind != "" && strings.HasPrefix(kind, "text/") && kind != "text/html" && kind != "text/xml"
}

// isXML reports whether self-closing tags close.
func isXML(contentType string, page []byte) bool {
	kind := strings.ToLower(contentType)
	return strings.Contains(kind, "xhtml") || strings.Contains(kind, "/xml") || bytes.HasPrefix(bytes.TrimLeft(page[:min(len(page), 256)], "\ufeff \t\r\n"), []byte("<?xml"))
}

// plainView is the view of a text without mark-up: all of it is body, a
// paragraph a line.
func plainView(text []byte, html string) *DocView {
	o := newOutline()
	defer o.done()
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			o.flush()
			continue
		}
		o.space = true
		o.writeText(line)
	}
	o.endText()
	kept := make([]bool, len(o.blocks))
	for i := range kept {
		kept[i] = true
	}
	view := &DocView{Type: "other", Role: "topic", Body: o.join(kept), Charset: html}
	if view.Body == "" {
		view.Role = "other"
	}
	if len(o.blocks) > 0 && o.blocks[0].size() <= maxWords {
		view.Title = strings.Trim(string(o.text[:o.blocks[0].to]), "#=-~*_ ") // Markdown's too
	}
	view.describe(&o.digest)
	return view
}
