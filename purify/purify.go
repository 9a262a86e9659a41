package purify

import (
	"bytes"
	"strings"
)

// Purify reduces a page, given as its bytes and its Content-Type header, to
// its DocView. It never fails: of a broken page it returns what there is. ID
// and URL are the caller's to set.
func Purify(page []byte, contentType string) *DocView {
	return PurifyAt("", page, contentType)
}

// PurifyAt is Purify for a page whose absolute address is known. The address
// helps with the page's type, tells the site's name in its title from the rest,
// and names the category of a page that names none.
func PurifyAt(url string, page []byte, contentType string) *DocView {
	view, _ := PurifyOn(nil, url, page, contentType)
	return view
}

// PurifyOn is PurifyAt for a page of a site with a known template, or with none
// for nil. It also returns what a Site may learn from the page: nothing, if it
// is a hub, whose teasers are other pages' texts, or no HTML.
func PurifyOn(t *Template, url string, page []byte, contentType string) (*DocView, []Print) {
	text, charset := Decode(page, contentType)
	if plainText(contentType, text) {
		view := plainView(text, charset)
		view.Template = t.Generation()
		return view, nil
	}
	o := newOutline()
	defer o.done()
	o.read(text, isXML(contentType, text))
	m := o.head.read()
	kept := o.choose(&m)
	// The type is learned from single pages, so it is told by what one shows.
	kind := o.typeOf(&m, url, kept)
	role := o.roleOf(kind, kept)
	title := o.titleOf(&m, kind, url)
	o.belongTo(t)
	dropped := o.dropShared(kept, title)
	view := &DocView{
		Type:      kind,
		Role:      role,
		Category:  o.categoryOf(&m, url, title),
		Title:     title,
		Body:      o.join(kept),
		Links:     o.linkList(kept),
		Date:      o.dateOf(&m, url),
		Author:    o.authorOf(&m, url),
		Lang:      m.lang,
		Canonical: m.canonical,
		Base:      m.base,
		Refresh:   m.refresh,
		Robots:    m.robots,
		Charset:   charset,
		Layout:    o.shape.layout(),
		Template:  t.Generation(),
		NoScript:  o.allNoscript(kept),
		Dropped:   dropped,
	}
	view.describe(&o.digest)
	if role != "topic" {
		return view, nil
	}
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
// links are Purify's in address, order and NoFollow, without words, and Body
// is true for all.
func Links(page []byte, contentType string) *DocView {
	text, charset := Decode(page, contentType)
	view := &DocView{Charset: charset}
	if plainText(contentType, text) {
		return view
	}
	xml := isXML(contentType, text)
	o := newOutline()
	defer o.done()
	l := newLexer(o.copyOf(text), xml)
	h := &o.head
	h.brief = true
	set := &o.set
	set.reset()
	templates, found := 0, 0
	for kind := l.next(); kind != tokenEnd; kind = l.next() {
		if kind == tokenText {
			continue
		}
		if kind == tokenStart {
			h.take(l, kind)
			switch l.tag {
			case tagA, tagArea, tagFrame, tagIframe:
				if url, ok := address(l); ok && templates == 0 && found < MaxLinks {
					found++
					if cut := set.add(url, nofollow(l)); cut != nil {
						cut.body = true
					}
				}
			}
		}
		templates = inert(templates, l, kind, xml)
	}
	m := h.read()
	view.Links = set.links()
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
func plainView(text []byte, charset string) *DocView {
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
	view := &DocView{Type: "other", Role: "topic", Body: o.join(kept), Charset: charset}
	if view.Body == "" {
		view.Role = "other"
	}
	if len(o.blocks) > 0 && o.blocks[0].size() <= maxWords {
		view.Title = strings.Trim(string(o.text[:o.blocks[0].to]), "#=-~*_ ") // Markdown's too
	}
	view.describe(&o.digest)
	return view
}
