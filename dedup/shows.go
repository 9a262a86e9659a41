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
// its headline as a link, above what both say. site is what the host repeats. By their types, a list and an article, it is
// enough that the list has the headline as a link: what both say may be below a headline that a list of the latest posts
// has on all pages.
//
// A list of the posts under one tag also links to the other tags of a post. Such a tag is no post: in
// its list the headline of the post is below the name of the tag, and in the other list above it; or
// the list has its own name again, as a link.
func Shows(list, article *purify.DocView, site *purify.Template) bool {
	title := folded(article.Title)
	if title == "" || !linksTo(list, article) {
		return false
	}
	if isListing(list) && article.Type == "article" {
		if names := headlines(article); slices.ContainsFunc(list.Blocks, func(b purify.Block) bool { return b.Linked && slices.Contains(names, folded(b.Text)) }) {
			return true
		}
	}
	if title == folded(list.Title) {
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
	return slices.ContainsFunc(outer[at+1:], said)
}

// headlines returns the title of an article, and its lines of wordsOfOne words and more that the title has with others around them: the
// title may say where in the site the article is. A list may even have the title of its first article.
func headlines(article *purify.DocView) []string {
	names := []string{folded(article.Title)}
	for i := range article.Blocks {
		if b := &article.Blocks[i]; !b.Linked && !b.Prose {
			if name := folded(b.Text); strings.Contains(names[0], name) && len(strings.Fields(name)) >= wordsOfOne {
				names = append(names, name)
			}
		}
	}
	return names
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

// linksTo reports whether a page links to another page of its host, by its URL, or by its name on another host: see isAt.
func linksTo(v, other *purify.DocView) bool {
	to, err := weburl.Parse(other.URL)
	if err != nil {
		return false
	}
	base, err := weburl.Parse(v.URL)
	if err != nil || base.Host() != to.Host() {
		return false
	}
	base = baseOf(v, base)
	end := endOf(to)
	return slices.ContainsFunc(v.Links, func(l purify.Link) bool {
		u, err := base.Parse(l.URL)
		return err == nil && (isAt(u, to) || isBelow(u, to) || strings.Count(end, "-") >= wordsOfOne-1 && endOf(u) == end)
	})
}

// wordsOfOne is how many words the end of a URL must have to name one post of a site, in whatever folder a link has it: those of a site that
// was copied to files may lead nowhere.
const wordsOfOne = 3

// isBelow reports whether a link leads to the path of a post, with its month or day, below another folder: those of a copied site may be
// relative to another page than the one that they are on.
func isBelow(link, page weburl.URL) bool {
	here := weburl.WithoutIndex(page.Path())
	folders := strings.Split(strings.TrimSuffix(here, "/"), "/")
	return len(folders) > wordsOfOne && isDay(folders[len(folders)-2]) && link.Query() == page.Query() && strings.HasSuffix(weburl.WithoutIndex(link.Path()), here)
}

func endOf(u weburl.URL) string {
	path := strings.TrimSuffix(weburl.WithoutIndex(u.Path()), "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

func baseOf(v *purify.DocView, url weburl.URL) weburl.URL {
	if v.Base != "" {
		if b, err := url.Parse(v.Base); err == nil {
			return b
		}
	}
	return url
}

// isAt reports whether a link of a site leads to a page of it. A site that is served under another name than its own, or in another folder, has
// links to that: their paths end in the page's.
func isAt(link, page weburl.URL) bool {
	here, there := weburl.WithoutIndex(page.Path()), weburl.WithoutIndex(link.Path())
	if link.Query() != page.Query() {
		return false
	}
	return here == there && (link.Host() == page.Host() || here != "/") || link.Host() != page.Host() && here != "/" && strings.HasSuffix(there, here)
}

// IsCanonical reports whether a page of one host names another one of it as the canonical one, which names no third:
// the page for telephones names the article, and one with a session or a page to print the plain one.
func IsCanonical(original, v *purify.DocView) bool {
	at, err := weburl.Parse(original.URL)
	if err != nil || v.Canonical == "" {
		return false
	}
	from, err := weburl.Parse(v.URL)
	if err != nil || from.Host() != at.Host() {
		return false
	}
	named, err := baseOf(v, from).Parse(v.Canonical)
	if err != nil || !isAt(named, at) || isAt(named, from) {
		return false
	}
	if original.Canonical == "" {
		return true
	}
	own, err := baseOf(original, at).Parse(original.Canonical)
	return err == nil && isAt(own, at)
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
