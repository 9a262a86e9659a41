package purify

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
)

const (
	maxFeedItems = 1_000    // items of one feed that are read
	maxFeedText  = 64 << 10 // bytes of one text
)

// Feed returns the view of an RSS or Atom feed: its title, the titles and texts
// of its items as the body, and a link for each item with the item's title as
// its words; the base is that of its first element (xml:base), and what its items have
// for bases of their own is not read. What is broken ends the feed where it breaks.
func Feed(page []byte, contentType string) *DocView {
	text, name := Decode(page, contentType)
	d := xml.NewDecoder(bytes.NewReader(bytes.Map(legible, text)))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // text is UTF-8 already
	f := feed{}
	for f.items <= maxFeedItems {
		t, err := d.RawToken()
		if err != nil {
			break
		}
		f.take(t)
	}
	f.endItem()
	view := plainView([]byte(f.body.String()), name)
	view.Type, view.Role, view.Title, view.Links = "listing", "hub", f.title, f.links
	view.Base = f.base
	return view
}

// legible returns a space for control characters that XML does not have (XML 1.0, section
// 2.2): at one of them its reader ends.
func legible(r rune) rune {
	if r >= ' ' && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r' {
		return r
	}
	return ' '
}

// A feed follows the elements of a feed.
type feed struct {
	open  string // the element whose text is read, "" for none
	depth int    // elements open within it, itself too
	text  strings.Builder

	begun bool // there was a first element
	base  string
	title string
	items int
	links []Link
	body  strings.Builder

	within                          bool // an item
	name, summary, content, ref, id string
}

// feedTexts are the elements whose text is read.
var feedTexts = map[string]bool{
	"title": true, "description": true, "summary": true, "encoded": true, "content": true, "link": true, "guid": true,
}

func (f *feed) take(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		if !f.begun {
			f.begun, f.base = true, baseOf(t.Attr)
		}
		name := strings.ToLower(t.Name.Local)
		switch {
		case name == "item" || name == "entry":
			f.endItem()
			f.within = true
			f.items++
		case f.open != "":
			f.depth++
			f.text.WriteByte(' ')
		case feedTexts[name] && t.Name.Space != "media":
			f.open, f.depth = name, 1
			f.link(name, t.Attr)
		}
	case xml.CharData:
		if f.open != "" && f.text.Len() < maxFeedText {
			f.text.Write(t)
		}
	case xml.EndElement:
		switch name := strings.ToLower(t.Name.Local); {
		case name == "item" || name == "entry":
			f.endItem()
		case f.open != "":
			if f.depth--; f.depth == 0 || name == f.open {
				f.close()
			}
		}
	}
}

// baseOf returns the xml:base among attributes, or nothing.
func baseOf(attrs []xml.Attr) string {
	for _, a := range attrs {
		if a.Name.Space == "xml" && a.Name.Local == "base" {
			return a.Value
		}
	}
	return ""
}

// link takes the address of an Atom link.
func (f *feed) link(name string, attrs []xml.Attr) {
	href, rel := "", "alternate"
	for _, a := range attrs {
		switch strings.ToLower(a.Name.Local) {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if name == "link" && f.within && strings.EqualFold(rel, "alternate") {
		first(&f.ref, href)
	}
}

// close takes the text that was read.
func (f *feed) close() {
	text, name := strings.TrimSpace(f.text.String()), f.open
	f.text.Reset()
	f.open, f.depth = "", 0
	switch {
	case name == "title" && !f.within:
		first(&f.title, bare(text))
	case !f.within:
	case name == "title":
		first(&f.name, bare(text))
	case name == "link":
		first(&f.ref, text)
	case name == "guid" && strings.HasPrefix(text, "http"):
		first(&f.id, text)
	case name == "description" || name == "summary":
		first(&f.summary, bare(text))
	case name == "encoded" || name == "content":
		first(&f.content, bare(text))
	}
}

// endItem adds an item to the view.
func (f *feed) endItem() {
	if f.open != "" {
		f.close() // its end tag is missing
	}
	if !f.within {
		return
	}
	if f.ref == "" {
		f.ref = f.id
	}
	if f.ref != "" {
		f.links = append(f.links, Link{URL: f.ref, Text: clip(f.name, maxWords), Body: true})
	}
	text := f.content
	if text == "" {
		text = f.summary
	}
	for _, part := range []string{f.name, text} {
		if part != "" {
			f.body.WriteString(part + "\n\n")
		}
	}
	f.within, f.name, f.summary, f.content, f.ref, f.id = false, "", "", "", "", ""
}

// bare returns the text of an item, which may be HTML, without its mark-up.
func bare(markup string) string {
	if !strings.ContainsAny(markup, "<&") {
		return markup
	}
	var out []byte
	l := newLexer([]byte(markup), false)
	raw := false
	for kind := l.next(); kind != tokenEnd; kind = l.next() {
		switch kind {
		case tokenText:
			if !raw {
				out = unescape(out, l.text)
			}
		case tokenStart:
			raw = l.tag == tagScript || l.tag == tagStyle
			out = append(out, ' ')
		case tokenClose:
			raw = false
			out = append(out, ' ')
		}
	}
	return strings.TrimSpace(string(out))
}

// clip shortens s to at most n bytes, at a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
