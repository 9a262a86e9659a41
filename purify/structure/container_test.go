package structure_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// TestThePartsOfMainContainersAreKept counts what is kept of the parts of the element that a page
// itself marks as its main content: unlike TestThePartsOfBodiesAreKept it sees too what purify
// leaves out of a body.
func TestThePartsOfMainContainersAreKept(t *testing.T) {
	var all score
	for _, set := range []struct {
		name  string
		every int
	}{{"manual", 24}, {"project", 8}, {"guide-zh", 2}} {
		var sum score
		if os.Getenv("GATECRAWL_SLOW") != "" {
			set.every = 1
		}
		eachSample(t, set.name+".tar.gz", set.every, func(p *realPage) { sum.addContainer(t, p) })
		t.Logf("%s: %d pages, kept %v of %v", set.name, sum.pages, sum.kept, sum.all)
		all.join(&sum)
	}
	all.want(t, 1)
}

func (s *score) join(other *score) {
	if s.all == nil {
		s.all, s.kept = map[string]int{}, map[string]int{}
	}
	s.pages += other.pages
	s.lost = append(s.lost, other.lost...)
	for kind, n := range other.all {
		s.all[kind] += n
		s.kept[kind] += other.kept[kind]
	}
}

func (s *score) addContainer(t *testing.T, p *realPage) {
	main := container(p.tree(t))
	if main == nil {
		return
	}
	s.count(p, func(_ string, add func(kind, text string)) { eachPartOfContainer(main, add) })
}

// container returns the element that a page marks as its main content: what schema.org's words
// call the text of the page or the body of the article, else its only article element, its main
// element or the role of one, else the element by whose class Sphinx and Hexo mark it. Nil: it
// marks none, or several. An article with comments and other articles' abstracts below it is
// more than its text.
func container(root *html.Node) *html.Node {
	for _, is := range []func(n *html.Node) bool{
		func(n *html.Node) bool {
			return valueOf(n, "itemprop") == "articleBody" || valueOf(n, "itemprop") == "text"
		},
		func(n *html.Node) bool { return n.DataAtom == atom.Article },
		func(n *html.Node) bool { return n.DataAtom == atom.Main || valueOf(n, "role") == "main" },
		func(n *html.Node) bool {
			return n.DataAtom == atom.Div && slices.ContainsFunc(strings.Fields(valueOf(n, "class")), func(c string) bool { return c == "body" || c == "content" })
		},
	} {
		var found []*html.Node
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && is(n) {
				found = append(found, n)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

func valueOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// isFrame reports whether an element is no content by what HTML says of it: a menu, a page's or
// section's footer, a form, a part that is not rendered; or by its name: a sidebar, and where results of a
// search will be. Themes put these into the main element too.
func isFrame(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Form, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Button, atom.Select:
		return true
	}
	switch valueOf(n, "role") {
	case "navigation", "search", "contentinfo", "doc-toc":
		return true
	}
	classes := strings.Fields(valueOf(n, "class"))
	return slices.Contains(classes, "sidebar") || slices.Contains(classes, "search-results") // GitBook's, hidden until somebody searches
}

// eachPartOfContainer hands the headings, items, cells and listings of several lines below an element to found.
func eachPartOfContainer(main *html.Node, found func(kind, text string)) {
	isData := map[*html.Node]bool{}
	add := func(kind, text string) {
		if text != "" {
			found(kind, text)
		}
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if isFrame(n) {
			return
		}
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			add("heading", fold(starts(n)))
		case atom.Li:
			add("item", fold(starts(n)))
		case atom.Td, atom.Th:
			table := tableOf(n)
			if _, ok := isData[table]; !ok {
				isData[table] = table != nil && holdsData(table)
			}
			if isData[table] {
				add("cell", fold(firstLine(n)))
			}
		case atom.Pre:
			if code := lines(content(n)); strings.Contains(code, "\n") && !numbersLines(code) {
				add("listing", code)
			}
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(main)
}
