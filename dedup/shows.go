package dedup

import (
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
)

// Shows reports whether a page is a list that shows another page of its host: it links to that page, and has
// its headline as a link, above what both say. site is what the host repeats.
//
// A list of the posts under one tag also links to the other tags of a post. Such a tag is no post: in
// its list the headline of the post is below the name of the tag, and in the other list above it; or
// the list has its own name again, as a link.
func Shows(list, article *purify.DocView, site *purify.Template) bool {
	title := folded(article.Title)
	if title == "" || title == folded(list.Title) {
		return false
	}
	outer, inner := ownLines(list, site, title), ownLines(article, site, title)
	if whole := wholeHeadline(inner, title); whole != "" {
		title = whole
	}
	at, in := slices.Index(outer, ownLine{text: title, linked: true}), headlineAbove(inner, title)
	if at < 0 || in < 0 || headline(outer, folded(list.Title)) > at || !inner[in].linked && slices.Contains(inner, ownLine{text: title, linked: true}) {
		return false
	}
	above, below := inner[:in], inner[in+1:]
	for _, l := range outer[:at] {
		if l.prose && slices.Contains(inner, l) || slices.Contains(below, l) && !slices.Contains(above, l) {
			return false
		}
	}
	said := func(l ownLine) bool {
		return (l.prose || !l.linked && len(l.text) >= leastSentence) && slices.Contains(below, l)
	}
	return slices.ContainsFunc(outer[at+1:], said) && linksTo(list, article.URL)
}

// headline returns the index of the first line with a title that is not a link, or of the first that is; -1: there is none.
func headline(lines []ownLine, title string) int {
	if at := slices.Index(lines, ownLine{text: title}); at >= 0 {
		return at
	}
	return slices.Index(lines, ownLine{text: title, linked: true})
}

// headlineAbove is headline for the last such line above the first prose: a menu may have the name of the page that it is on.
func headlineAbove(lines []ownLine, title string) int {
	last := headline(lines, title)
	for i, l := range lines {
		if l.prose {
			break
		}
		if l == (ownLine{text: title}) {
			last = i
		}
	}
	return last
}

// wholeHeadline returns the first line of which a title is the first or the last part, in front of or behind a
// separator: titles leave out what looks like a site's name. It returns "" if a line is the title itself.
func wholeHeadline(lines []ownLine, title string) (whole string) {
	for _, l := range lines {
		if l.text == title {
			return ""
		}
		if whole != "" || l.linked || l.prose {
			continue
		}
		if rest, ok := strings.CutPrefix(l.text, title); ok && isSeparator(strings.Fields(rest)[0]) {
			whole = l.text
		} else if rest, ok := strings.CutSuffix(l.text, title); ok {
			if before := strings.Fields(rest); isSeparator(before[len(before)-1]) {
				whole = l.text
			}
		}
	}
	return whole
}

func isSeparator(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// linksTo reports whether a page links to a URL of its host.
func linksTo(v *purify.DocView, url string) bool {
	to, err := weburl.Parse(url)
	if err != nil {
		return false
	}
	base, err := weburl.Parse(v.URL)
	if err != nil || base.Host() != to.Host() {
		return false
	}
	if v.Base != "" {
		if b, err := base.Parse(v.Base); err == nil {
			base = b
		}
	}
	return slices.ContainsFunc(v.Links, func(l purify.Link) bool {
		u, err := base.Parse(l.URL)
		return err == nil && u.Key() == to.Key()
	})
}

// An ownLine is a line of a page that its site does not repeat; while the site's template is not known,
// a line of the body.
type ownLine struct {
	text   string // folded
	linked bool   // most of it is links
	prose  bool
}

// ownLines returns the lines of a page. A title is no prose, however long it is.
func ownLines(v *purify.DocView, site *purify.Template, title string) (lines []ownLine) {
	for i := range v.Blocks {
		if b := &v.Blocks[i]; !site.Has(b) && (isKnown(site) || b.Chosen) {
			text := folded(b.Text)
			lines = append(lines, ownLine{text, b.Linked, b.Prose && text != title})
		}
	}
	return lines
}

// folded returns a text in lower case with single spaces and with straight apostrophes, as titles have them.
func folded(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(words.Straight(s)), " "))
}
