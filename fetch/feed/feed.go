package feed

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// An Item is a URL that a document lists, as it is written there: on the web it may be
// relative to the document's own URL.
type Item struct {
	Ref      string
	Line     int       // the first line is 1
	Modified time.Time // by a sitemap's lastmod; of a day its end; zero: not said
}

// Items reads the URLs of a document in XML, plain or gzipped, in their order: loc of a
// sitemap's url and of an index's sitemap, link of an RSS item (or its guid, if that is a
// permanent link and no link is given), the alternate links of an Atom entry, and of an outline of
// OPML the feed or else the page. URLs of
// images, videos and translations are left out. If an xml:base (RFC 4287, section 2) is a whole
// URL they are resolved against it. An error is yielded last: the document breaks there, or it
// is longer than limit bytes when unzipped; a limit of 0 is none. A URL in which the document ends is
// left out. charset is that of the header Content-Type, or "": it counts for a document that neither
// declares one nor is UTF-8. Memory is bounded by the longest text between two tags.
func Items(r io.Reader, charset string, limit int64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		text, err := Open(r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		head, _ := text.Peek(1 << 10)
		plain := io.Reader(text)
		if limit > 0 {
			plain = &cappedReader{text, limit, limit}
		}
		f := reader{d: decoder(plain, head, charset)}
		more := true
		f.settled = func(a *article) bool {
			for _, item := range a.items() {
				more = more && yield(item, nil)
			}
			return more
		}
		if err := f.run(); err != nil && more {
			yield(Item{}, err)
		}
	}
}

// Lines reads the URLs of a text sitemap, plain or gzipped. Its errors are as those of
// Items.
func Lines(r io.Reader, limit int64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		text, err := Open(r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if limit > 0 {
			text = bufio.NewReaderSize(&cappedReader{text, limit, limit}, text.Size())
		}
		for n := 1; ; n++ {
			line, err := NextLine(text)
			if len(line) > 0 && !yield(Item{Ref: string(line), Line: n}, nil) {
				return
			}
			if err != nil && err != bufio.ErrBufferFull {
				if err != io.EOF {
					yield(Item{}, fmt.Errorf("line %d: %w", n, err))
				}
				return
			}
		}
	}
}

// A Feed is what an RSS or Atom feed says.
type Feed struct {
	Title    string
	Base     string // xml:base of its first element; "" for none
	Articles []Article
}

// An Article is an item or entry of a feed.
type Article struct {
	Ref   string // as Item.Ref; "" for none
	Title string // may have mark-up
	Text  string // its content, or else its summary; may have mark-up
}

// Parse reads a feed in UTF-8, whatever encoding it declares, and at most so many articles. A
// broken feed ends where it breaks.
func Parse(text []byte, articles int) Feed {
	var feed Feed
	f := reader{d: decoder(bytes.NewReader(text), nil, ""), texts: true}
	f.settled = func(a *article) bool {
		one := Article{Title: a.title, Text: a.content}
		if one.Text == "" {
			one.Text = a.summary
		}
		if items := a.items(); len(items) > 0 {
			one.Ref = items[0].Ref
		}
		feed.Articles = append(feed.Articles, one)
		return len(feed.Articles) < articles
	}
	_ = f.run() // what came before an error counts
	feed.Title, feed.Base = f.title, f.base
	return feed
}

// A reader follows the elements of a document.
type reader struct {
	d       *xml.Decoder
	texts   bool                  // titles and texts are wanted too
	settled func(a *article) bool // takes each article, and keeps nothing of it; false ends the reading

	kind  Kind
	own   string // the prefix of the first element, which means no more than none
	path  []element
	title string
	base  string

	within bool // an article
	article

	capture string // the element whose text is read, "" for none
	depth   int    // elements open within it, itself too
	text    []byte
}

// An article is what is known of an item, an entry, or the url or sitemap of a sitemap.
type article struct {
	refs                    []Item
	guid                    Item // if it is a permanent link
	modified                time.Time
	title, summary, content string
}

// items are the URLs of an article.
func (a *article) items() []Item {
	if len(a.refs) == 0 && a.guid.Ref != "" {
		return []Item{a.guid}
	}
	for i := range a.refs {
		a.refs[i].Modified = a.modified
	}
	return a.refs
}

// An element is open.
type element struct {
	name string     // without prefix; one with a prefix has a colon in front
	base weburl.URL // what URLs within it are relative to; zero: to the document's
}

// Bounds of a hostile document.
const (
	maxOpen = 64       // elements within each other: none nests deeper than a few
	maxRefs = 64       // URLs of one article that wait for its end
	maxText = 64 << 10 // bytes of one text
)

// run reads the document to its end. The error says where it cannot be read further.
func (f *reader) run() error {
	for {
		t, err := f.d.RawToken()
		more := true
		if err != nil {
			cut := f.dropURL()
			switch {
			case !f.endCapture() || !f.endArticle():
				return nil
			case err != io.EOF:
				return f.broken(err)
			case cut:
				return f.broken(errEnds)
			}
			return nil
		}
		switch t := t.(type) {
		case xml.StartElement:
			more = f.start(t)
		case xml.CharData:
			if f.capture != "" && len(f.text) < f.mostText() {
				f.text = append(f.text, t...)
			}
		case xml.EndElement:
			more = f.end(f.nameOf(t.Name))
		}
		if !more {
			return nil
		}
	}
}

// errEnds is the error of a document that ends within a URL.
var errEnds = errors.New("the document ends within a URL")

// dropURL forgets the URL that is read, of which the document has only the start: that is another URL.
func (f *reader) dropURL() bool {
	switch f.capture {
	case "loc", "link", "guid":
		f.capture, f.depth, f.text = "", 0, f.text[:0]
		return true
	}
	return false
}

// broken says where the document cannot be read further.
func (f *reader) broken(err error) error {
	line, _ := f.d.InputPos()
	var fault *xml.SyntaxError
	if errors.As(err, &fault) {
		return fmt.Errorf("line %d: invalid XML: %s", line, fault.Msg)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// mostText bounds the text of the element that is read.
func (f *reader) mostText() int {
	switch f.capture {
	case "loc", "link", "guid", "lastmod":
		return weburl.MaxBytes
	}
	return maxText
}

// nameOf marks names with another prefix than the document's own: image:loc is not a loc.
func (f *reader) nameOf(n xml.Name) string {
	name := strings.ToLower(n.Local)
	if n.Space != "" && n.Space != f.own {
		return ":" + name
	}
	return name
}

// isArticle reports whether an element is an article of this kind of document.
func (f *reader) isArticle(name string) bool {
	switch f.kind {
	case RSS, Atom:
		return name == "item" || name == "entry"
	}
	return name == "url" || name == "sitemap"
}

// start enters an element.
func (f *reader) start(e xml.StartElement) bool {
	var above element
	if len(f.path) > 0 {
		above = f.path[len(f.path)-1]
	}
	if f.kind == "" {
		f.own, f.base = e.Name.Space, xmlBase(e)
		if f.kind = kinds[strings.ToLower(e.Name.Local)]; f.kind == "" {
			return false
		}
	}
	name := f.nameOf(e.Name)
	if f.isArticle(name) { // the end of the one before is missing, or there is none
		if !f.endCapture() || !f.endArticle() {
			return false
		}
		f.within = true
	}
	if len(f.path) < maxOpen {
		f.path = append(f.path, element{name, baseOf(e, above.base)})
	}
	switch {
	case f.isArticle(name):
	case f.capture != "":
		f.depth++
		f.text = append(f.text, ' ')
	case f.kind == OPML && name == "outline":
		return f.outline(e)
	case name == "link" && above.name == "entry":
		if rel := attribute(e, "rel"); rel == "" || strings.EqualFold(rel, "alternate") {
			return f.add(attribute(e, "href"))
		}
	case f.isWanted(e, name, above.name):
		f.capture, f.depth, f.text = strings.TrimPrefix(name, ":"), 1, f.text[:0]
	}
	return true
}

// outline hands over the URL of an outline: the feed that it subscribes to, or else the page that it is about.
func (f *reader) outline(e xml.StartElement) bool {
	item := f.item(cmp.Or(attribute(e, "xmlurl"), attribute(e, "htmlurl"), attribute(e, "url")))
	return item.Ref == "" || f.settled(&article{refs: []Item{item}})
}

// isWanted reports whether the text of an element is read.
func (f *reader) isWanted(e xml.StartElement, name, parent string) bool {
	switch name {
	case "loc", "lastmod":
		return parent == "url" || parent == "sitemap"
	case "link":
		return parent == "item"
	case "guid":
		return parent == "item" && !strings.EqualFold(attribute(e, "ispermalink"), "false")
	}
	if !f.texts || e.Name.Space == "media" {
		return false
	}
	switch strings.TrimPrefix(name, ":") {
	case "title", "description", "summary", "encoded", "content":
		return true
	}
	return false
}

// end leaves an element. A closing tag that opens nothing closes nothing.
func (f *reader) end(name string) bool {
	for i := len(f.path) - 1; i >= 0; i-- {
		if f.path[i].name == name {
			defer func() { f.path = f.path[:i] }() // its base is needed still
			break
		}
	}
	switch {
	case f.isArticle(name):
		return f.endCapture() && f.endArticle()
	case f.capture == "":
		return true
	}
	if f.depth--; f.depth > 0 && strings.TrimPrefix(name, ":") != f.capture {
		return true
	}
	return f.endCapture()
}

// endCapture takes the text that was read.
func (f *reader) endCapture() bool {
	name, text := f.capture, strings.TrimSpace(string(f.text))
	f.capture, f.depth, f.text = "", 0, f.text[:0]
	switch name {
	case "loc", "link":
		return f.add(text)
	case "guid":
		if strings.HasPrefix(text, "http") {
			f.guid = f.item(text)
		}
	case "lastmod":
		f.modified = modified(text)
	case "title":
		if f.within {
			first(&f.article.title, text)
		} else {
			first(&f.title, text)
		}
	case "description", "summary":
		if f.within {
			first(&f.summary, text)
		}
	case "encoded", "content":
		if f.within {
			first(&f.content, text)
		}
	}
	return true
}

// first sets a text that is not there yet.
func first(to *string, text string) {
	if *to == "" {
		*to = text
	}
}

// endArticle hands over the article that was read, if there is one.
func (f *reader) endArticle() bool {
	if !f.within {
		return true
	}
	more := f.settled(&f.article)
	f.within, f.article = false, article{refs: f.refs[:0]}
	return more
}

// add notes a URL of the article that is read. Too many are handed over before its end.
func (f *reader) add(ref string) bool {
	item := f.item(ref)
	if !f.within || item.Ref == "" {
		return true
	}
	if f.refs = append(f.refs, item); len(f.refs) < maxRefs || f.texts {
		f.refs = f.refs[:min(len(f.refs), maxRefs)]
		return true
	}
	more := f.settled(&f.article)
	f.refs = f.refs[:0]
	return more
}

// item is a URL at this place of the document, resolved against the bases around it.
func (f *reader) item(ref string) Item {
	ref = strings.TrimSpace(ref)
	if len(f.path) > 0 && ref != "" {
		if base := f.path[len(f.path)-1].base; !base.IsZero() {
			if u, err := base.Parse(ref); err == nil {
				ref = u.String()
			}
		}
	}
	line, _ := f.d.InputPos()
	return Item{Ref: ref, Line: line}
}

// modified reads a date as sitemaps have it, the W3C's profile of ISO 8601. For a day it
// returns the end; a month or a year say nothing.
func modified(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return day.AddDate(0, 0, 1)
}

// baseOf returns what URLs within e are relative to, where those around it are relative to
// base.
func baseOf(e xml.StartElement, base weburl.URL) weburl.URL {
	text := xmlBase(e)
	if text == "" {
		return base
	}
	own, err := base.Parse(text)
	if err != nil {
		return base // it is not a URL, or relative to an unknown one
	}
	return own
}

func xmlBase(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Space == "xml" && a.Name.Local == "base" {
			return a.Value
		}
	}
	return ""
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}
