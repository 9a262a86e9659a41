package css

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/words"
)

// The bounds of what is extracted from one page. Longer values and lists are cut, and the Value
// says so.
const (
	MaxFields = 64        // fields of a crawl
	MaxValue  = 16 << 10  // bytes of one text
	MaxList   = 1000      // texts of a list
	MaxPage   = 256 << 10 // bytes of all fields of a page
)

// A Field says what to extract from pages: NAME=SELECTOR is the text of the first element that the
// selector matches, NAME=SELECTOR@ATTR the attribute of the first such element that has it, and
// NAME[]=... a list of all of them.
type Field struct {
	Name     string // without []: see List
	List     bool
	Attr     string // lower case; "" is the text
	selector *Selector
}

// ParseField reads a field. The error quotes what is wrong.
func ParseField(text string) (Field, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return Field{}, fmt.Errorf("%q has no =: want NAME=SELECTOR or NAME=SELECTOR@ATTR, such as price=.price or links[]=main a@href", text)
	}
	var f Field
	f.Name, f.List = strings.CutSuffix(strings.TrimSpace(name), "[]")
	if err := checkName(f.Name); err != nil {
		return Field{}, fmt.Errorf("%q: %w", text, err)
	}
	where, attr, ok := CutOutside(rest, '@')
	if ok {
		f.Attr = strings.ToLower(strings.TrimSpace(attr))
		if f.Attr == "" || strings.ContainsAny(f.Attr, " \t\"'<>=/@,[]()") {
			return Field{}, fmt.Errorf("%q: %q is not an attribute name", text, strings.TrimSpace(attr))
		}
	}
	var err error
	if f.selector, err = Parse(where); err != nil {
		return Field{}, fmt.Errorf("field %s: %w", f.Name, err)
	}
	return f, nil
}

const maxName = 64 // bytes of a field's name

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the field has no name: want NAME=SELECTOR")
	case len(name) > maxName:
		return fmt.Errorf("the name has %d bytes: want at most %d", len(name), maxName)
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' {
			return fmt.Errorf("%q is not the name of a field: want letters, digits, \".\", \"_\" and \"-\" alone", name)
		}
	}
	return nil
}

// A Value is the value of a field on one page.
type Value struct {
	Texts []string // one, or any number for a list
	URL   bool     // the texts are URLs, as they are written on the page
	Cut   bool     // the page has more than is kept
}

// A Budget is how many bytes the values of one page may still take; it starts at MaxPage.
type Budget int

// Extract reads a field from a page. It reports false if nothing matches.
func (f *Field) Extract(doc *goquery.Document, left *Budget) (Value, bool) {
	v := Value{URL: isURL(f.Attr)}
	for _, s := range doc.FindMatcher(f.selector).EachIter() {
		text, ok := f.of(s)
		if !ok {
			continue
		}
		if len(v.Texts) == MaxList {
			v.Cut = true
			break
		}
		short := words.Cut(text, min(MaxValue, int(*left)))
		v.Cut = v.Cut || len(short) < len(text)
		if len(short) == 0 && len(text) > 0 {
			break // no room
		}
		*left -= Budget(len(short))
		v.Texts = append(v.Texts, short)
		if !f.List {
			break
		}
	}
	return v, len(v.Texts) > 0 || v.Cut
}

// of returns the text or attribute of one element.
func (f *Field) of(s *goquery.Selection) (string, bool) {
	if f.Attr == "" {
		return textOf(s.Get(0), MaxValue), true
	}
	text, ok := s.Attr(f.Attr)
	return strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")), ok
}

// isURL reports whether an attribute with this name has a URL in HTML.
func isURL(attr string) bool {
	switch attr {
	case "href", "src", "action", "formaction", "poster", "cite":
		return true
	}
	return false
}

// textOf returns the text of an element in one line, as a reader sees it: white space is collapsed,
// words of different blocks are separated, and scripts and styles are left out, unless the element
// itself is one. Of a long text it returns the first `most` bytes and a few more.
func textOf(n *html.Node, most int) string {
	var w line
	var walk func(n *html.Node, top bool)
	walk = func(n *html.Node, top bool) {
		switch {
		case len(w.b) > most:
			return
		case n.Type == html.TextNode:
			w.add(n.Data, most)
			return
		case n.Type != html.ElementNode || !top && isUnread(n.Data):
			return
		}
		w.space = w.space || isApart(n.Data)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, false)
		}
		w.space = w.space || isApart(n.Data)
	}
	walk(n, true)
	return string(w.b)
}

// A line is text with white space collapsed.
type line struct {
	b     []byte
	space bool // a space is due before the next word
}

func (w *line) add(text string, most int) {
	for i, r := range text {
		if unicode.IsSpace(r) {
			w.space = true
			continue
		}
		if w.space && len(w.b) > 0 {
			w.b = append(w.b, ' ')
		}
		w.space = false
		if r == utf8.RuneError {
			w.b = append(w.b, "\ufffd"...)
		} else {
			w.b = append(w.b, text[i:i+utf8.RuneLen(r)]...)
		}
		if len(w.b) > most {
			return
		}
	}
}

func isUnread(name string) bool {
	return name == "script" || name == "style" || name == "template" || name == "noscript"
}

// isApart reports whether the content of an element is separate from the text next to it.
func isApart(name string) bool {
	switch name {
	case "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
		"kbd", "label", "mark", "output", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
		"time", "tt", "u", "var", "wbr":
		return false
	}
	return true
}
