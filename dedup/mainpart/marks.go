package mainpart

import (
	"strings"

	"golang.org/x/net/html"
)

// A mark is a way in which pages mark their main part. The first mark that a page has is used; all
// elements with it are the part.
type mark struct {
	name string
	is   func(tag, id string, classes []string, a map[string]string) bool
}

// marks are ordered from what the HTML standard defines as the main part to what generators call
// it.
var marks = []mark{
	{"itemprop=articleBody", func(_, _ string, _ []string, a map[string]string) bool { return a["itemprop"] == "articleBody" }},
	{"main", func(tag, _ string, _ []string, a map[string]string) bool { return tag == "main" || a["role"] == "main" }},
	{"container of an API manual", func(tag, _ string, c []string, _ map[string]string) bool {
		return tag == "div" && has(c, "contentContainer", "classUseContainer", "serializedFormContainer", "constantValuesContainer", "indexContainer") ||
			tag == "h1" && has(c, "bar")
	}},
	{"article", func(tag, _ string, _ []string, a map[string]string) bool {
		return tag == "article" || a["role"] == "article"
	}},
	{"id", func(_, id string, _ []string, _ map[string]string) bool {
		return has([]string{strings.ToLower(id)}, "main-content", "maincontent", "main_content", "bodycontent", "mw-content-text", "page-content",
			"content-main", "docs-content", "content", "main", "primary", "docs", "fancy")
	}},
	{"class", func(_, _ string, c []string, _ map[string]string) bool {
		return has(c, "post-content", "entry-content", "article-content", "post-body", "article-body", "article-entry", "markdown-body", "entry",
			"body", "column-main", "col-main", "blog-main", "main-content", "page-content", "manual-text")
	}},
	{"wide class", func(_, _ string, c []string, _ map[string]string) bool {
		return has(c, "document", "post", "posts", "main", "content")
	}},
}

func marksOf(tag string, a map[string]string) uint32 {
	if tag == "html" || tag == "body" || tag == "head" {
		return 0
	}
	var bits uint32
	classes := strings.Fields(a["class"])
	for i, m := range marks {
		if m.is(tag, a["id"], classes, a) {
			bits |= 1 << i
		}
	}
	return bits
}

func has(words []string, any ...string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a {
				return true
			}
		}
	}
	return false
}

// unread are elements whose content is not text for readers.
var unread = map[string]bool{
	"head": false, "title": true, "script": true, "style": true, "noscript": true, "template": true, "svg": true, "math": false,
	"select": true, "button": true, "textarea": true, "iframe": true, "object": true, "option": true,
}

// inline are elements that do not divide a text.
var inline = map[string]bool{
	"a": true, "abbr": true, "acronym": true, "b": true, "bdi": true, "bdo": true, "big": true, "cite": true, "code": true, "del": true, "dfn": true,
	"em": true, "font": true, "i": true, "ins": true, "kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true, "small": true,
	"span": true, "strike": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "wbr": true, "img": true,
}

func hidden(a map[string]string) bool {
	_, hide := a["hidden"]
	style := strings.ReplaceAll(strings.ToLower(a["style"]), " ", "")
	return hide || a["aria-hidden"] == "true" || strings.Contains(style, "display:none")
}

// asideNames are classes and ids of what is next to, above or below the main part, also where a
// theme puts it inside; asideWords are the words that names of such elements are made of, as in
// post-copyright.
var (
	asideNames = nameSet(`widget card-widget menu pager page-nav pagenav sphinxsidebar localtoc disqus_thread gitalk valine utterances respond
		topnav subnav bottomnav navlist skipnav headerlink viewcode-link viewcode-back edit-link linenos gutter
		search search-box searchbox rst-footer-buttons rst-versions back-to-top`)
	asideWords = nameSet(`aside sidebar nav navbar navigation breadcrumb breadcrumbs pagination paginator toc
		related recommend recommended comment comments disqus copyright license licensing share sharing social footer cookie newsletter`)
)

func nameSet(list string) map[string]bool {
	set := make(map[string]bool)
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// namedAside reports whether an element's id or a class says that it is not part of the main
// text.
func namedAside(a map[string]string) bool {
	for name := range strings.FieldsSeq(strings.ToLower(a["id"] + " " + a["class"])) {
		if asideNames[name] {
			return true
		}
		words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
		if has(words, "has", "with", "no", "without", "is") {
			continue // has-sidebar says that there is one next to the element
		}
		for _, w := range words {
			if asideWords[w] {
				return true
			}
		}
	}
	return false
}

// isAside reports whether an element is never part of the main part, wherever it is.
// own are its own marks, marked these and its ancestors'.
func isAside(n *html.Node, a map[string]string, own, marked uint32) bool {
	switch n.Data {
	case "nav", "aside", "footer":
		return true
	case "header":
		// Such an element belongs to the site, not to an article.
		if marked == 0 {
			return true
		}
	}
	switch a["role"] {
	case "navigation", "complementary", "search", "contentinfo", "banner":
		return true
	}
	// Themes also use these names for the whole page, the main part or the frame around it, to say
	// what is next to it: id="main" class="fix-sidebar".
	return own == 0 && n.Data != "body" && n.Data != "html" && namedAside(a) && !holdsMain(n)
}

// holdsMain reports whether an element is a main part, or has one in it.
func holdsMain(n *html.Node) bool {
	is := func(n *html.Node) bool {
		return n.Type == html.ElementNode && (n.Data == "main" || n.Data == "article" || attributeOf(n, "role") == "main")
	}
	if is(n) {
		return true
	}
	for d := range n.Descendants() {
		if is(d) {
			return true
		}
	}
	return false
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
