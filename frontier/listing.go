package frontier

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
)

// A Listing is a kind of XML document that lists addresses.
type Listing string

// The listings. A sitemap index lists sitemaps, the others list pages.
const (
	ListingSitemap Listing = "sitemap"       // sitemaps.org 0.9, urlset
	ListingIndex   Listing = "sitemap-index" // sitemaps.org 0.9, sitemapindex
	ListingRSS     Listing = "rss"           // RSS 0.9x and 2.0, and RSS 1.0 as RDF
	ListingAtom    Listing = "atom"          // RFC 4287
)

// What the sitemap protocol allows a sitemap: bytes when unzipped, and addresses.
const (
	MaxListingBytes = 50 << 20
	MaxListingItems = 50_000
)

// An Item is an address that a listing names, as it is written there: on the
// web it may be relative to the listing's own address.
type Item struct {
	Ref      string
	Line     int       // the first line is 1
	Modified time.Time // by a sitemap's lastmod; of a day its end; zero: not said
}

// ListingOf says what listing a document is by its first element, which has to
// be within head; "" is none. head may be gzipped.
func ListingOf(head []byte) Listing {
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		text, err := plainText(bytes.NewReader(head))
		if err != nil {
			return ""
		}
		head, _ = text.Peek(4 << 10)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(head) == 0 || head[0] != '<' || beginsPage(head) {
		return ""
	}
	d := tokens(bytes.NewReader(head[:min(len(head), 4<<10)]))
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		if first, ok := t.(xml.StartElement); ok {
			return listings[strings.ToLower(first.Name.Local)]
		}
	}
}

// beginsPage spares most pages the reader of XML.
func beginsPage(head []byte) bool {
	for _, start := range []string{"<!doctype html", "<html"} {
		if len(head) >= len(start) && strings.EqualFold(string(head[:len(start)]), start) {
			return true
		}
	}
	return false
}

// listings are the names of first elements.
var listings = map[string]Listing{
	"urlset": ListingSitemap, "sitemapindex": ListingIndex,
	"rss": ListingRSS, "rdf": ListingRSS, "feed": ListingAtom,
}

// tokens returns a lenient reader of XML: closing tags may be missing, and
// entities of HTML are known.
func tokens(r io.Reader) *xml.Decoder {
	d := xml.NewDecoder(r)
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = charset.NewReaderLabel
	return d
}

// Items reads the addresses of a listing, plain or gzipped, in their order:
// loc of a sitemap's url and of an index's sitemap, link of an RSS item (or its
// guid, where that is a permanent link and no link is given), and the alternate
// link of an Atom entry. Addresses of images, videos and translations are left
// out. An error is the last thing that is yielded: the document breaks there, or
// it is longer than limit bytes when unzipped; a limit of 0 is none. Memory is
// bounded by the longest text between two tags.
func Items(r io.Reader, limit int64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		text, err := plainText(r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		plain := io.Reader(text)
		if limit > 0 {
			plain = &capped{text, limit, limit}
		}
		l := lister{d: tokens(plain)}
		for {
			t, err := l.d.RawToken()
			if err != nil {
				if item, ok := l.release(); ok && !yield(item, nil) {
					return
				}
				if err != io.EOF {
					yield(Item{}, l.broken(err))
				}
				return
			}
			if item, ok := l.take(t); ok && !yield(item, nil) {
				return
			}
		}
	}
}

// A capped reader fails after so many bytes, where a limited one would end.
type capped struct {
	r     io.Reader
	left  int64
	limit int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, fmt.Errorf("longer than %d bytes", c.limit)
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// A lister follows a listing's elements.
type lister struct {
	d     *xml.Decoder
	path  []string // names of the open elements, without prefix; the prefixed have a colon in front
	text  []byte   // of the innermost element, where it is wanted
	want  bool
	guid  bool // the text is a guid that is a permanent link
	mod   bool // the text is a lastmod
	found bool // the item has had its link
	later Item // the item's guid
	held  Item // of a sitemap: what may have a lastmod still
}

// maxOpen bounds path: no listing nests deeper than a few.
const maxOpen = 64

// broken says where the document cannot be read further.
func (l *lister) broken(err error) error {
	line, _ := l.d.InputPos()
	var fault *xml.SyntaxError
	if errors.As(err, &fault) {
		return fmt.Errorf("line %d: the XML breaks: %s", line, fault.Msg)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

func (l *lister) take(t xml.Token) (Item, bool) {
	switch t := t.(type) {
	case xml.StartElement:
		return l.open(t)
	case xml.CharData:
		if l.want && len(l.text) < maxURLBytes {
			l.text = append(l.text, t...)
		}
	case xml.EndElement:
		return l.close(nameOf(t.Name))
	}
	return Item{}, false
}

// nameOf marks names with a prefix: image:loc is no loc. Sitemaps that give
// every element of their own a prefix are not in use.
func nameOf(n xml.Name) string {
	name := strings.ToLower(n.Local)
	if n.Space != "" && name != "rdf" {
		return ":" + name
	}
	return name
}

func (l *lister) open(e xml.StartElement) (Item, bool) {
	parent, name := "", nameOf(e.Name)
	if len(l.path) > 0 {
		parent = l.path[len(l.path)-1]
	}
	if len(l.path) < maxOpen {
		l.path = append(l.path, name)
	}
	l.want, l.guid, l.mod, l.text = false, false, false, l.text[:0]
	switch {
	case name == "item":
		l.found, l.later = false, Item{}
	case name == "url" || name == "sitemap":
		return l.release()
	case name == "loc" && (parent == "url" || parent == "sitemap"),
		name == "link" && parent == "item":
		l.want = true
	case name == "lastmod" && (parent == "url" || parent == "sitemap"):
		l.want, l.mod = true, true
	case name == "guid" && parent == "item":
		l.guid = strings.ToLower(attribute(e, "ispermalink")) != "false"
		l.want = l.guid
	case name == "link" && parent == "entry":
		if rel := attribute(e, "rel"); rel == "" || strings.EqualFold(rel, "alternate") {
			return l.item(attribute(e, "href"))
		}
	}
	return Item{}, false
}

func (l *lister) close(name string) (Item, bool) {
	text, want, guid, mod := string(l.text), l.want, l.guid, l.mod
	l.want, l.guid, l.mod = false, false, false
	for i := len(l.path) - 1; i >= 0; i-- { // a closing tag that opens nothing closes nothing
		if l.path[i] == name {
			l.path = l.path[:i]
			break
		}
	}
	switch {
	case guid:
		if item, ok := l.item(text); ok && strings.HasPrefix(item.Ref, "http") {
			l.later = item
		}
		return Item{}, false
	case mod:
		l.held.Modified = modified(strings.TrimSpace(text))
		return Item{}, false
	case name == "loc" && want:
		before, had := l.release()
		l.held, _ = l.item(text)
		return before, had
	case name == "url" || name == "sitemap":
		return l.release()
	case want:
		item, ok := l.item(text)
		l.found = l.found || ok
		return item, ok
	case name == "item" && !l.found && l.later.Ref != "":
		return l.later, true
	}
	return Item{}, false
}

// release gives away the item that is held.
func (l *lister) release() (Item, bool) {
	item := l.held
	l.held = Item{}
	return item, item.Ref != ""
}

// modified reads a date as sitemaps have it, the W3C's profile of ISO 8601. Of a day
// it returns the end; a month or a year say nothing.
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

func (l *lister) item(ref string) (Item, bool) {
	ref = strings.TrimSpace(ref)
	line, _ := l.d.InputPos()
	return Item{Ref: ref, Line: line}, ref != ""
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}
