package feed

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// A Kind is a kind of document that lists URLs.
type Kind string

// The kinds. A sitemap index lists sitemaps, the others list pages.
const (
	Sitemap Kind = "sitemap"       // sitemaps.org 0.9, urlset
	Index   Kind = "sitemap-index" // sitemaps.org 0.9, sitemapindex
	Text    Kind = "sitemap-text"  // sitemaps.org 0.9: a URL a line and nothing else
	RSS     Kind = "rss"           // RSS 0.9x and 2.0, and RSS 1.0 as RDF
	Atom    Kind = "atom"          // RFC 4287
	OPML    Kind = "opml"          // OPML 1.0 and 2.0: the subscriptions of a reader of feeds
)

// What the sitemap protocol allows a sitemap: bytes when unzipped, and URLs.
const (
	MaxBytes = 50 << 20
	MaxItems = 50_000
)

// kinds are the names of first elements.
var kinds = map[string]Kind{"urlset": Sitemap, "sitemapindex": Index, "rss": RSS, "rdf": RSS, "feed": Atom, "opml": OPML}

// headBytes is how much of a document tells its kind, unzipped.
const headBytes = 4 << 10

// KindOf says what a document in XML is by its first element, "" for none of the kinds: no
// page starts like one. doc is all of it or its start, plain or gzipped, in UTF-8 or UTF-16.
func KindOf(doc []byte) Kind {
	head := startOf(doc)
	if _, wide := isUTF16(head); wide || isGzip(head) {
		text, err := Open(bytes.NewReader(head))
		if err != nil {
			return ""
		}
		head, _ = text.Peek(headBytes)
	}
	head = trimStart(head)
	if len(head) == 0 || head[0] != '<' || startsPage(head) {
		return ""
	}
	d := decoder(bytes.NewReader(head[:min(len(head), headBytes)]), head, "")
	for {
		t, err := d.RawToken()
		if err != nil {
			return ""
		}
		if first, ok := t.(xml.StartElement); ok {
			return kinds[strings.ToLower(first.Name.Local)]
		}
	}
}

// SitemapOf says what sitemap a document is: one in XML, as KindOf, or a text of nothing
// but whole URLs, one a line. "" is none.
func SitemapOf(doc []byte) Kind {
	switch kind := KindOf(doc); {
	case kind == Sitemap || kind == Index:
		return kind
	case kind == "" && isTextSitemap(startOf(doc)):
		return Text
	}
	return ""
}

// startOf is as much of a document, zipped or not, as tells its kind.
func startOf(doc []byte) []byte { return doc[:min(len(doc), 64<<10)] }

// trimStart returns a document without byte order mark and space in front.
func trimStart(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
}

// startsPage spares most pages the XML decoder.
func startsPage(head []byte) bool {
	for _, start := range []string{"<!doctype html", "<html"} {
		if len(head) >= len(start) && strings.EqualFold(string(head[:len(start)]), start) {
			return true
		}
	}
	return false
}

// isTextSitemap reports whether a text that starts with head, plain or gzipped, has nothing
// but http and https URLs.
func isTextSitemap(head []byte) bool {
	if _, wide := isUTF16(head); !wide && !bytes.HasPrefix(trimStart(head), []byte("http")) && !isGzip(head) {
		return false // as most pages
	}
	text, err := Open(bytes.NewReader(head))
	if err != nil {
		return false
	}
	head, _ = text.Peek(headBytes)
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
