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
	if plainText(contentType, text) {
		return o
	}
	room := newOutline()
	defer room.done()
	l := markup.NewLexer(room.copyOf(text), isXML(contentType, text))
	for kind := l.Next(); kind != markup.TokenEnd && l.Tag != markup.TagBody; kind = l.Next() {
		if kind != markup.TokenStart {
			continue
		}
		switch l.Tag {
		case markup.TagMeta:
			name, _ := l.Attr("name")
			if content, ok := l.Attr("content"); ok && isAgent(name, agents) {
				o.Robots = append(o.Robots, string(unescape(nil, content)))
			}
		case markup.TagLink:
			rel, _ := l.Attr("rel")
			lang, _ := l.Attr("hreflang")
			href, _ := l.Attr("href")
			if len(lang) > 0 && hasWord(rel, "alternate") && len(href) > 0 && len(o.Alternates) < maxAlternates {
				o.Alternates = append(o.Alternates, strings.TrimSpace(string(unescape(nil, href))))
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
		if containsFold(head, word) {
			return true
		}
	}
	return false
}

// containsFold reports whether b has the lower-case word s in whatever case. It
// looks for the letter of the word that pages have least of.
func containsFold(b []byte, s string) bool {
	at := 0
	for i := range len(s) {
		if strings.IndexByte(commonLetters, s[i]) < strings.IndexByte(commonLetters, s[at]) {
			at = i
		}
	}
	last := len(b) - len(s) + at // where the letter can stand
	for _, c := range []byte{s[at], s[at] &^ 0x20} {
		for from := at; from <= last; from++ {
			i := bytes.IndexByte(b[from:last+1], c)
			if i < 0 {
				break
			}
			if from += i; markup.EqualFold(b[from-at:from-at+len(s)], s) {
				return true
			}
		}
	}
	return false
}

// commonLetters are the letters of markup and of English text, the rarest
// first. What is not among them counts as rarer still.
const commonLetters = "zqjxkvwbyfgumpohdrcnlaiste"

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
