package skin

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// article writes the main content of a page in the markup of a layout. Of the original's markup it
// keeps only what belongs to the text itself, without attributes: links, images, emphasis, tables,
// listings and line breaks. It drops hidden elements and divisions, so that two pages with the same
// article share no element of a template.
type article struct {
	marks  *corpus.Markup
	out    bytes.Buffer
	open   []string // open elements that contain text directly, innermost last
	unseen string   // tag of the element that is being skipped; "": none
	silent int      // open elements of that tag
	anchor bool     // a link is open
	loose  bool     // a paragraph is open that is not in the original
	titled bool     // the first h1 has been written
}

// rewrite returns the main content of a page in another markup.
func rewrite(main []byte, marks *corpus.Markup) []byte {
	a := &article{marks: marks}
	z := html.NewTokenizer(bytes.NewReader(main))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			a.part()
			if len(a.open) > 0 {
				a.close(a.open[0])
			}
			return a.out.Bytes()
		case html.TextToken:
			if a.silent == 0 {
				a.text(z.Raw())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := string(name)
			attr := map[string]string{}
			for more {
				var k, v []byte
				k, v, more = z.TagAttr()
				attr[string(k)] = string(v)
			}
			a.start(tag, attr, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			a.end(string(name))
		}
	}
}

// leftOut reports whether an element is dropped with its text.
func leftOut(tag string) bool {
	switch tag {
	case "script", "style", "noscript", "svg", "iframe", "template", "object", "video", "audio", "canvas", "math":
		return true
	}
	return false
}

// hidden reports whether an element's attributes hide it.
func hidden(attr map[string]string) bool {
	_, is := attr["hidden"]
	return is || strings.Contains(strings.ReplaceAll(attr["style"], " ", ""), "display:none")
}

// void reports whether an element has no end tag.
func void(tag string) bool {
	switch tag {
	case "br", "hr", "img", "input", "wbr", "link", "meta", "col", "area", "base", "embed", "source", "track", "param":
		return true
	}
	return false
}

// inline reports whether an element is part of a line of text.
func inline(tag string) bool {
	switch tag {
	case "b", "strong", "i", "em", "u", "s", "code", "kbd", "samp", "var", "sub", "sup", "q", "cite", "small", "mark", "del", "ins":
		return true
	}
	return false
}

// bare reports whether an element structures the text, and stays without attributes.
func bare(tag string) bool {
	switch tag {
	case "blockquote", "pre", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th", "nav", "aside", "footer", "form", "label", "button", "select", "option", "textarea":
		return true
	}
	return false
}

// holds reports whether an element contains text directly.
func holds(tag string) bool {
	switch tag {
	case "p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dt", "dd", "caption", "td", "th", "label", "button", "option", "textarea":
		return true
	}
	return false
}

// mark returns the layout's markup for an element.
func (a *article) mark(tag string) ([2]string, bool) {
	switch tag {
	case "h1":
		if !a.titled {
			return a.marks.Title, true
		}
		return a.marks.Heading, true
	case "h2", "h3", "h4", "h5", "h6":
		return a.marks.Heading, true
	case "p":
		return a.marks.Para, true
	case "ul", "ol":
		return a.marks.List, true
	case "li":
		return a.marks.Item, true
	}
	return [2]string{"<" + tag + ">", "</" + tag + ">\n"}, bare(tag)
}

func (a *article) text(raw []byte) {
	if len(bytes.TrimSpace(raw)) > 0 {
		a.openParagraph()
	}
	a.out.Write(raw)
}

// openParagraph opens a paragraph if text would be in none.
func (a *article) openParagraph() {
	if a.loose || len(a.open) > 0 && holds(a.open[len(a.open)-1]) {
		return
	}
	a.out.WriteString(a.marks.Para[0])
	a.loose = true
}

// part ends a run of text.
func (a *article) part() {
	if a.anchor && a.loose {
		a.out.WriteByte('\n')
		return
	}
	if a.loose {
		a.out.WriteString(a.marks.Para[1])
		a.loose = false
	}
	a.out.WriteByte('\n')
}

func (a *article) start(tag string, attr map[string]string, closed bool) {
	switch {
	case a.silent > 0:
		if tag == a.unseen && !closed {
			a.silent++
		}
		return
	case leftOut(tag) || hidden(attr):
		if !closed && !void(tag) {
			a.unseen, a.silent = tag, 1
		}
		return
	}
	switch around, written := a.mark(tag); {
	case tag == "a":
		a.openParagraph()
		a.out.WriteString("<a")
		if href, ok := attr["href"]; ok {
			a.out.WriteString(" href=\"" + html.EscapeString(href) + "\"")
		}
		a.out.WriteByte('>')
		a.anchor = true
	case tag == "img":
		a.openParagraph()
		a.out.WriteString("<img src=\"" + html.EscapeString(attr["src"]) + "\" alt=\"" + html.EscapeString(attr["alt"]) + "\">")
	case tag == "br" || tag == "hr":
		a.out.WriteString("<" + tag + ">")
	case tag == "input":
		a.out.WriteString("<input>")
	case tag == "wbr" || tag == "span" || tag == "font":
	case inline(tag):
		a.openParagraph()
		a.out.WriteString("<" + tag + ">")
	case written:
		a.implyEnd(tag)
		a.part()
		a.out.WriteString(around[0])
		a.open = append(a.open, tag)
	default:
		a.part()
	}
}

// implyEnd closes the elements that the start of another one ends.
func (a *article) implyEnd(tag string) {
	if len(a.open) == 0 {
		return
	}
	switch last := a.open[len(a.open)-1]; {
	case last == "p",
		last == tag && (tag == "li" || tag == "tr"),
		(last == "dt" || last == "dd") && (tag == "dt" || tag == "dd"),
		(last == "td" || last == "th") && (tag == "td" || tag == "th"):
		a.close(last)
	case (last == "td" || last == "th") && tag == "tr":
		a.close("tr")
	}
}

func (a *article) end(tag string) {
	if a.silent > 0 {
		if tag == a.unseen {
			a.silent--
		}
		return
	}
	switch {
	case tag == "a":
		a.out.WriteString("</a>")
		a.anchor = false
	case inline(tag):
		a.out.WriteString("</" + tag + ">")
	case tag == "span" || tag == "font" || void(tag):
	default:
		a.close(tag)
	}
}

// close ends an element, and open elements inside it.
func (a *article) close(tag string) {
	at := len(a.open) - 1
	for at >= 0 && a.open[at] != tag {
		at--
	}
	a.part()
	if at < 0 {
		return
	}
	for i := len(a.open) - 1; i >= at; i-- {
		around, _ := a.mark(a.open[i])
		a.out.WriteString(around[1])
		a.titled = a.titled || a.open[i] == "h1"
	}
	a.open = a.open[:at]
}
