package blocks

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/markup"
)

const maxHead = 64 << 10 // bytes of metadata that are looked at

// A Head collects the markup of a page's metadata, wherever it is on the page, so that a tree has
// to be built only of these few elements.
type Head struct {
	Markup   []byte
	NoScript bool       // some of it counts only where no scripts run
	brief    bool       // collect only the metadata that Links needs
	within   markup.Tag // the title or script that is open, or TagOther
	titled   bool
}

// take is called with every token of the page.
func (h *Head) take(l *markup.Lexer, kind markup.Token) {
	switch kind {
	case markup.TokenStart:
		if !h.wants(l) {
			return
		}
		if !h.keep(l.Raw()) {
			return
		}
		if l.Tag == markup.TagTitle || l.Tag == markup.TagScript {
			h.within = l.Tag
			h.titled = h.titled || l.Tag == markup.TagTitle
		}
	case markup.TokenText:
		if h.within != markup.TagOther {
			h.keep(l.Raw())
		}
	case markup.TokenClose:
		if h.within != markup.TagOther && l.Tag == h.within {
			h.Markup = append(h.Markup, endTags[h.within]...)
			h.within = markup.TagOther
		}
	}
}

var endTags = map[markup.Tag]string{markup.TagTitle: "</title>", markup.TagScript: "</script>"}

// keep adds markup if there is room for it.
func (h *Head) keep(html []byte) bool {
	if len(h.Markup)+len(html) > maxHead {
		return false
	}
	h.Markup = append(h.Markup, html...)
	return true
}

// wants reports whether an element is metadata that is used.
func (h *Head) wants(l *markup.Lexer) bool {
	switch l.Tag {
	case markup.TagBase:
		return true
	case markup.TagLink:
		rel, _ := l.Attr("rel")
		return bytes.EqualFold(bytes.TrimSpace(rel), []byte("canonical"))
	case markup.TagMeta:
		if !h.brief {
			return true
		}
		name, _ := l.Attr("name")
		equiv, _ := l.Attr("http-equiv")
		return bytes.EqualFold(name, []byte("robots")) || bytes.EqualFold(equiv, []byte("refresh"))
	case markup.TagHtml:
		return !h.brief && len(h.Markup) == 0
	case markup.TagTitle:
		return !h.brief && !h.titled
	case markup.TagScript:
		kind, _ := l.Attr("type")
		return !h.brief && bytes.Contains(kind, []byte("ld+json"))
	}
	return false
}
