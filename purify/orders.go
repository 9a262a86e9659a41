package purify

import (
	"bytes"
	"strings"

	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

const (
	maxOrdersHead = 128 << 10 // bytes of a page that are searched for its head
	maxAlternates = 100       // translations of a page that are returned
	maxFeeds      = 10        // feeds of a page that are returned
)

// Orders are what the head of a page asks of crawlers, and the translations and feeds that it
// names.
type Orders struct {
	Robots     []string // contents of the meta elements for all crawlers and for the agents
	Alternates []string // URLs of <link rel=alternate hreflang>, as written
	Feeds      []string // URLs of <link rel=alternate> to RSS and Atom, as written; for a page that is not in UTF-8 only if its head may have orders too
}

// Refresh reads the header Refresh of an answer, which is written like the content of a meta refresh:
// its target as written, "" if there is none, and whether it is followed within a second.
func Refresh(header string) (target string, atOnce bool) { return metadata.Refresh(header) }

// ReadOrders reads the head of a page, up to its body: the meta elements named "robots" or as
// one of the agents, in any case, and the translations and feeds that it names.
func ReadOrders(page []byte, contentType string, agents ...string) Orders {
	if markup.IsPlainText(contentType) {
		return Orders{}
	}
	head := page[:min(len(page), maxOrdersHead)]
	o, until := ordersIn(head, contentType, agents)
	if o.isEmpty() && until > 0 && !mayBeOtherText(head[:until]) {
		return o // without a look at the rest, which may be in any charset
	}
	text, ok := charset.DecodeValid(head)
	switch {
	case ok && len(text) == len(head) && len(text) > 0 && &text[0] == &head[0]:
		return o // it is the text that was read
	case ok:
	case !mayOrder(head, agents):
		return Orders{} // finding the charset costs more than all else
	default:
		text, _ = charset.Decode(head, contentType)
	}
	o, _ = ordersIn(text, contentType, agents)
	return o
}

func (o *Orders) isEmpty() bool { return len(o.Robots)+len(o.Alternates)+len(o.Feeds) == 0 }

// mayBeOtherText reports whether markup may be other markup than its bytes are in ASCII: by the NULs of UTF-16, by the escapes of
// ISO-2022-JP, and by a section of CDATA. In other charsets the second byte of a character may be a letter or the bracket that ends such a
// section, but no sign of a tag.
func mayBeOtherText(head []byte) bool {
	return bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, 0x1b) >= 0 || bytes.Contains(head, []byte("<![CDATA["))
}

// ordersIn reads the orders in a text, and returns where its body is; 0: it has none.
func ordersIn(text []byte, contentType string, agents []string) (o Orders, body int) {
	w := newWorkspace()
	defer w.done()
	l := markup.NewLexer(w.Copy(text), markup.IsXML(contentType, text))
	for kind := l.Next(); kind != markup.TokenEnd; kind = l.Next() {
		if l.Tag == markup.TagBody {
			return o, l.From
		}
		if kind != markup.TokenStart {
			continue
		}
		switch l.Tag {
		case markup.TagMeta:
			name, _ := l.Attr("name")
			if content, ok := l.Attr("content"); ok && isAgent(name, agents) {
				o.Robots = append(o.Robots, string(markup.Unescape(nil, content)))
			}
		case markup.TagLink:
			rel, _ := l.Attr("rel")
			lang, _ := l.Attr("hreflang")
			href, _ := l.Attr("href")
			if !hasWord(rel, "alternate") || len(href) == 0 {
				continue
			}
			kind, _ := l.Attr("type")
			to := strings.TrimSpace(string(markup.Unescape(nil, href)))
			switch {
			case len(lang) > 0 && len(o.Alternates) < maxAlternates:
				o.Alternates = append(o.Alternates, to)
			case len(lang) == 0 && isFeedType(kind) && len(o.Feeds) < maxFeeds:
				o.Feeds = append(o.Feeds, to)
			}
		}
	}
	return o, 0
}

// isFeedType reports whether a type is that of RSS or Atom.
func isFeedType(kind []byte) bool {
	kind, _, _ = bytes.Cut(bytes.ToLower(kind), []byte(";"))
	switch string(bytes.TrimSpace(kind)) {
	case "application/rss+xml", "application/atom+xml":
		return true
	}
	return false
}

// A Head is what the head of a page tells search engines about the page.
type Head struct {
	Description string      // of the meta element, at most 1,000 bytes
	Canonical   string      // URL of rel=canonical, as written
	Base        string      // URL of <base href>, as written
	Alternates  []Alternate // its translations, at most 100; mostly including the page itself
}

// An Alternate is a translation that a page names.
type Alternate struct {
	Lang string // BCP 47, or x-default, as written
	URL  string // as written
}

// maxDescription is the longest Head.Description, in bytes.
const maxDescription = 1000

// ReadHead reads the head of a page, up to its body.
func ReadHead(page []byte, contentType string) Head {
	var h Head
	text, _ := charset.Decode(page[:min(len(page), maxOrdersHead)], contentType)
	if markup.IsPlainText(contentType) {
		return h
	}
	w := newWorkspace()
	defer w.done()
	l := markup.NewLexer(w.Copy(text), markup.IsXML(contentType, text))
	value := func(name string) string {
		v, _ := l.Attr(name)
		return strings.TrimSpace(string(markup.Unescape(nil, v)))
	}
	for kind := l.Next(); kind != markup.TokenEnd && l.Tag != markup.TagBody; kind = l.Next() {
		if kind != markup.TokenStart {
			continue
		}
		switch l.Tag {
		case markup.TagMeta:
			if h.Description == "" && strings.EqualFold(value("name"), "description") {
				h.Description = words.Cut(strings.Join(strings.Fields(value("content")), " "), maxDescription)
			}
		case markup.TagBase:
			if h.Base == "" {
				h.Base = value("href")
			}
		case markup.TagLink:
			rel, _ := l.Attr("rel")
			href, lang := value("href"), value("hreflang")
			switch {
			case href == "":
			case hasWord(rel, "canonical") && h.Canonical == "":
				h.Canonical = href
			case lang != "" && hasWord(rel, "alternate") && len(h.Alternates) < maxAlternates:
				h.Alternates = append(h.Alternates, Alternate{lang, href})
			}
		}
	}
	return h
}

// mayOrder reports whether a head has one of the words that matter. It does not find them in
// two-byte encodings.
func mayOrder(head []byte, agents []string) bool {
	if bytes.IndexByte(head[:min(len(head), 64)], 0) >= 0 {
		return true
	}
	for _, word := range append([]string{"robots", "hreflang"}, agents...) {
		if markup.ContainsFold(head, word) {
			return true
		}
	}
	return false
}

func isAgent(name []byte, agents []string) bool {
	name = bytes.TrimSpace(name)
	if bytes.EqualFold(name, []byte("robots")) {
		return true
	}
	for _, a := range agents {
		if bytes.EqualFold(name, []byte(a)) {
			return true
		}
	}
	return false
}

// hasWord reports whether a list of words has one, in any case.
func hasWord(list []byte, word string) bool {
	for w := range bytes.FieldsSeq(list) {
		if bytes.EqualFold(w, []byte(word)) {
			return true
		}
	}
	return false
}
