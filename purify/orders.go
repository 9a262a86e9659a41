package purify

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
)

const (
	maxOrdersHead = 128 << 10 // bytes of a page in which its head is looked for
	maxAlternates = 100       // translations that are taken of one page
)

// Orders are what the head of a page says to crawlers and about its
// translations.
type Orders struct {
	Robots     []string // contents of the meta elements for all crawlers and for those that were named
	Alternates []string // URLs of <link rel=alternate hreflang>, as written
}

// ReadOrders reads the head of a page, up to its body: the meta elements named
// "robots" or as one of the agents, in whatever case, and the translations that
// it names.
func ReadOrders(page []byte, contentType string, agents ...string) Orders {
	var o Orders
	head := page[:min(len(page), maxOrdersHead)]
	if !utf8.Valid(head) && !mayOrder(head, agents) {
		return o // guessing a charset costs more than the rest
	}
	text, _ := charset.Decode(head, contentType)
	if markup.IsPlainText(contentType) {
		return o
	}
	w := newWorkspace()
	defer w.done()
	l := markup.NewLexer(w.Copy(text), markup.IsXML(contentType, text))
	for kind := l.Next(); kind != markup.TokenEnd && l.Tag != markup.TagBody; kind = l.Next() {
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
			if len(lang) > 0 && hasWord(rel, "alternate") && len(href) > 0 && len(o.Alternates) < maxAlternates {
				o.Alternates = append(o.Alternates, strings.TrimSpace(string(markup.Unescape(nil, href))))
			}
		}
	}
	return o
}

// mayOrder reports whether a head has a word that matters. In two-byte encodings the
// words are not found like this.
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

// hasWord reports whether a list of words has one, in whatever case.
func hasWord(list []byte, word string) bool {
	for w := range bytes.FieldsSeq(list) {
		if bytes.EqualFold(w, []byte(word)) {
			return true
		}
	}
	return false
}
