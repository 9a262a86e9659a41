package frontier

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// A Listing is a kind of document that lists addresses, in XML but for one.
type Listing string

// The listings. A sitemap index lists sitemaps, the others list pages.
const (
	ListingSitemap Listing = "sitemap"       // sitemaps.org 0.9, urlset
	ListingIndex   Listing = "sitemap-index" // sitemaps.org 0.9, sitemapindex
	ListingText    Listing = "sitemap-text"  // sitemaps.org 0.9: an address a line and nothing else
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

// ListingOf says what listing a document is by its first element, whatever its server
// calls it: no page begins like one. "" is none. doc is all of it or its begin, plain or
// gzipped.
func ListingOf(doc []byte) Listing {
	head := beginOf(doc)
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
	d := tokens(bytes.NewReader(head[:min(len(head), 4<<10)]), head)
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

// beginOf is as much of a document as tells what listing it is.
func beginOf(doc []byte) []byte { return doc[:min(len(doc), 64<<10)] }

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

// declared finds the encoding that an XML declaration names.
var declared = regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([^"']+)`)

// tokens returns a lenient reader of the XML in r, which begins with head: closing tags
// may be missing, entities of HTML are known, and bytes or characters that XML does not
// have end nothing.
func tokens(r io.Reader, head []byte) *xml.Decoder {
	chain := []transform.Transformer{runes.Map(legible)}
	if m := declared.FindSubmatch(head[:min(len(head), 1<<10)]); m != nil {
		// One that nobody knows is as good as none. Text with the name of UTF-16 that
		// came this far has no zero bytes, so it is not that.
		e, name := charset.Lookup(string(m[1]))
		if e != nil && !strings.HasPrefix(name, "utf-") {
			chain = append([]transform.Transformer{e.NewDecoder()}, chain...)
		}
	}
	d := xml.NewDecoder(transform.NewReader(r, transform.Chain(chain...)))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, decoded io.Reader) (io.Reader, error) { return decoded, nil }
	return d
}

// legible returns U+FFFD for what is no character of XML 1.0 (section 2.2).
func legible(r rune) rune {
	switch {
	case r >= ' ' && r != 0xfffe && r != 0xffff, r == '\t', r == '\n', r == '\r':
		return r
	}
	return utf8.RuneError
}

// Items reads the addresses of a listing, plain or gzipped, in their order:
// loc of a sitemap's url and of an index's sitemap, link of an RSS item (or its
// guid, where that is a permanent link and no link is given), and the alternate
// link of an Atom entry. Addresses of images, videos and translations are left
// out. Where an xml:base (RFC 4287, section 2) is a whole address they are resolved
// against it. An error is the last thing that is yielded: the document breaks there, or
// it is longer than limit bytes when unzipped; a limit of 0 is none. Memory is
// bounded by the longest text between two tags.
func Items(r io.Reader, limit int64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		text, err := plainText(r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		head, _ := text.Peek(1 << 10)
		plain := io.Reader(text)
		if limit > 0 {
			plain = &capped{text, limit, limit}
		}
		l := lister{d: tokens(plain, head)}
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

// SitemapOf says what sitemap a document is: one in XML, as ListingOf, or a text of
// nothing but whole addresses, one a line. "" is none.
func SitemapOf(doc []byte) Listing {
	switch kind := ListingOf(doc); {
	case kind == ListingSitemap || kind == ListingIndex:
		return kind
	case kind == "" && isTextSitemap(beginOf(doc)):
		return ListingText
	}
	return ""
}

// isTextSitemap reports whether a text that begins with head, plain or gzipped, has
// nothing but http and https addresses.
func isTextSitemap(head []byte) bool {
	begin := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if !bytes.HasPrefix(begin, []byte("http")) && !bytes.HasPrefix(begin, []byte("\x1f\x8b")) {
		return false // as most pages
	}
	text, err := plainText(bytes.NewReader(head))
	if err != nil {
		return false
	}
	head, _ = text.Peek(4 << 10)
	n := 0
	for line := range bytes.Lines(head) {
		whole := line[len(line)-1] == '\n'
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !bytes.HasPrefix(line, []byte("http://")) && !bytes.HasPrefix(line, []byte("https://")) {
			return !whole && n > 0 // head may end within a line
		}
		if bytes.ContainsAny(line, " \t<>") {
			return false
		}
		n++
	}
	return n > 0
}

// Lines reads the addresses of a text sitemap, plain or gzipped. Its errors are as those
// of Items.
func Lines(r io.Reader, limit int64) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		text, err := plainText(r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		if limit > 0 {
			text = bufio.NewReaderSize(&capped{text, limit, limit}, text.Size())
		}
		for n := 1; ; n++ {
			line, err := nextLine(text)
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
	own   string // the prefix of the first element, which means no more than none
	path  []element
	text  []byte // of the innermost element, where it is wanted
	want  bool
	guid  bool // the text is a guid that is a permanent link
	mod   bool // the text is a lastmod
	found bool // the item has had its link
	later Item // the item's guid
	held  Item // of a sitemap: what may have a lastmod still
}

// An element is open.
type element struct {
	name string // without prefix; one with a prefix has a colon in front
	base URL    // what addresses within it are relative to; zero: to the document's
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
		return l.close(l.nameOf(t.Name))
	}
	return Item{}, false
}

// nameOf marks names with another prefix than the document's own: image:loc is no loc.
func (l *lister) nameOf(n xml.Name) string {
	name := strings.ToLower(n.Local)
	if n.Space != "" && n.Space != l.own {
		return ":" + name
	}
	return name
}

func (l *lister) open(e xml.StartElement) (Item, bool) {
	var above element
	if len(l.path) > 0 {
		above = l.path[len(l.path)-1]
	} else if l.own == "" {
		l.own = e.Name.Space
	}
	parent, name := above.name, l.nameOf(e.Name)
	if len(l.path) < maxOpen {
		l.path = append(l.path, element{name, baseOf(e, above.base)})
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
		if l.path[i].name == name {
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
	if len(l.path) > 0 && ref != "" {
		if base := l.path[len(l.path)-1].base; !base.IsZero() {
			if u, err := base.Parse(ref); err == nil {
				ref = u.String()
			}
		}
	}
	line, _ := l.d.InputPos()
	return Item{Ref: ref, Line: line}, ref != ""
}

// baseOf returns what addresses within e are relative to, where those around it are
// relative to base.
func baseOf(e xml.StartElement, base URL) URL {
	text := xmlBase(e)
	if text == "" {
		return base
	}
	own, err := base.Parse(text)
	if err != nil {
		return base // it is no address, or relative to one that nobody names
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
