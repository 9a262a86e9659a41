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
	return kindOf(head)
}

// kindOf is KindOf for a document that starts with a tag.
func kindOf(head []byte) Kind {
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

// startsPage reports whether a document has, behind comments and instructions such as <?xml?>, the doctype of a page or an
// element that no kind has. It spares pages the XML decoder, which takes longer than all else that is done to a short page.
func startsPage(head []byte) bool {
	const doctype = "<!doctype html"
	for {
		after, end := 0, ""
		switch {
		case bytes.HasPrefix(head, []byte("<?")):
			after, end = 2, "?>"
		case bytes.HasPrefix(head, []byte("<!--")):
			after, end = 4, "-->"
		case len(head) >= len(doctype) && strings.EqualFold(string(head[:len(doctype)]), doctype):
			return true
		default:
			name, ok := elementOf(head)
			return ok && kinds[strings.ToLower(name)] == ""
		}
		at := bytes.Index(head[after:], []byte(end))
		if at < 0 {
			return false
		}
		head = bytes.TrimLeft(head[after+at+len(end):], " \t\r\n")
	}
}

// elementOf returns the name of the element that a document starts with, if it is in ASCII letters.
func elementOf(head []byte) (name string, ok bool) {
	if len(head) == 0 || head[0] != '<' {
		return "", false
	}
	end := 1
	for end < len(head) && head[end]|0x20 >= 'a' && head[end]|0x20 <= 'z' {
		end++
	}
	return string(head[1:end]), end > 1 && end < len(head) && strings.IndexByte(" \t\r\n>", head[end]) >= 0
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
