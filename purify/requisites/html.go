package requisites

import (
	"bytes"
	"html"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// A list collects references up to a number.
type list struct {
	refs []string
	most int
	seen map[string]bool
}

func newList(most int) *list { return &list{most: most, seen: make(map[string]bool)} }

// add adds a reference, unless it is empty or is there already.
func (l *list) add(ref string) {
	ref = strings.TrimSpace(ref)
	scheme, _, ok := strings.Cut(ref, ":")
	if ok && slices.Contains([]string{"data", "blob", "javascript", "about", "mailto"}, strings.ToLower(scheme)) {
		return
	}
	if ref, _, _ = strings.Cut(ref, "#"); ref == "" || l.seen[ref] || len(l.refs) >= l.most {
		return
	}
	l.seen[ref] = true
	l.refs = append(l.refs, ref)
}

// Of returns the references of an HTML page, up to a number.
func Of(page []byte, most int) []string {
	in := markup.NewLexer(bytes.Clone(page), false)
	refs := newList(most)
	style := false // within the element
	for {
		switch in.Next() {
		case markup.TokenEnd:
			return refs.refs
		case markup.TokenText:
			if style {
				refs.style(in.Text)
			}
		case markup.TokenClose:
			style = style && string(in.Name) != "style"
		case markup.TokenStart:
			style = string(in.Name) == "style" && !in.Self
			refs.tag(in)
		}
	}
}

// tag adds the references of a start tag.
func (l *list) tag(in *markup.Lexer) {
	attr := func(key string) string {
		v, _ := in.Attr(key)
		return html.UnescapeString(string(v))
	}
	switch string(in.Name) {
	case "link":
		if isRequisite(attr("rel"), attr("as")) {
			l.add(attr("href"))
			l.set(attr("imagesrcset"))
		}
	case "img", "source":
		if strings.HasPrefix(attr("type"), "video/") || strings.HasPrefix(attr("type"), "audio/") {
			break
		}
		l.add(attr("src"))
		l.set(attr("srcset"))
	case "script":
		l.add(attr("src"))
	case "input":
		if strings.EqualFold(attr("type"), "image") {
			l.add(attr("src"))
		}
	case "video":
		l.add(attr("poster"))
	case "image", "use", "feimage":
		l.add(attr("href"))
		l.add(attr("xlink:href"))
	case "body", "table", "td", "th":
		l.add(attr("background"))
	}
	if s := attr("style"); s != "" {
		l.style([]byte(s))
	}
}

// isRequisite reports whether the target of a link element is needed to show the page.
func isRequisite(rel, as string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(rel)) {
		switch word {
		case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "modulepreload":
			return true
		case "preload":
			return slices.Contains([]string{"style", "script", "image", "font"}, strings.ToLower(as))
		}
	}
	return false
}

// set adds the candidates of a srcset attribute (HTML standard, "parse a srcset attribute"): URLs,
// each with a description up to the next comma.
func (l *list) set(text string) {
	const space = " \t\n\r\f"
	for {
		text = strings.TrimLeft(text, space+",")
		if text == "" {
			return
		}
		end := strings.IndexAny(text, space)
		if end < 0 {
			end = len(text)
		}
		ref := text[:end]
		text = text[end:]
		if bare := strings.TrimRight(ref, ","); bare != ref {
			l.add(bare) // there is no description
			continue
		}
		l.add(ref)
		depth := 0
		for i, c := range text {
			if c == '(' {
				depth++
			} else if c == ')' && depth > 0 {
				depth--
			} else if c == ',' && depth == 0 {
				text = text[i:]
				break
			}
			if i+1 >= len(text) {
				return
			}
		}
		if text == "" {
			return
		}
	}
}
