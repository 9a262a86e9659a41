package css

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxElements is how many elements of a page are kept, and how many attributes. Further ones are
// left out, and Tree.Cut says so. Of 1,628 real pages the largest had 6,378 elements that end a
// block of text. A full tree takes some 30 MB.
const MaxElements = 1 << 16

// A Tree has the elements and the text of a page, as far as it was read.
type Tree struct {
	doc, root  *html.Node // root is the html element
	head, body *html.Node // nil if there is none yet
	open       []*html.Node
	implied    map[*html.Node]bool // elements that no tag of the page started
	elements   int
	attrs      int
	texts      int
	cut        bool

	number map[*html.Node]int32 // of a text: the number that the reader has given it
}

// NewTree returns the tree of an empty page.
func NewTree() *Tree {
	t := &Tree{
		doc:  &html.Node{Type: html.DocumentNode},
		root: element("html"), implied: make(map[*html.Node]bool), number: make(map[*html.Node]int32),
	}
	t.doc.AppendChild(t.root)
	t.open = []*html.Node{t.root}
	return t
}

func element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

// Cut reports whether the page has more than the tree holds.
func (t *Tree) Cut() bool { return t.cut }

// Document returns the page as a goquery document. It is valid until the tree grows.
func (t *Tree) Document() *goquery.Document { return goquery.NewDocumentFromNode(t.doc) }

// Start adds an element inside the innermost open one. The element itself is not opened: Open does
// that.
func (t *Tree) Start(name string, attrs []html.Attribute) *html.Node {
	if t.elements++; t.elements > MaxElements {
		t.cut = true
		return t.top()
	}
	if t.attrs += len(attrs); t.attrs > MaxElements {
		attrs, t.cut = nil, true
	}
	switch name {
	case "html":
		t.merge(t.root, attrs)
		return t.root
	case "head":
		if t.head == nil {
			t.head = t.child(t.root, name)
		}
		t.merge(t.head, attrs)
		return t.head
	case "body":
		t.merge(t.inBody(), attrs)
		return t.body
	}
	e := element(name)
	e.Attr = attrs
	t.around(name).AppendChild(e)
	return e
}

// Open opens an element that Start has returned. Elements are closed in the reverse order.
func (t *Tree) Open(e *html.Node) { t.open = append(t.open, e) }

// Close closes all elements except the n outermost open ones.
func (t *Tree) Close(n int) { t.open = t.open[:n+1] }

// Text adds a text of the page, with its character references decoded. Tree.Within refers to it by
// number.
func (t *Tree) Text(text string, number int32) {
	if t.elements > MaxElements || t.texts >= 2*MaxElements {
		t.cut = true
		return
	}
	blank := strings.TrimSpace(text) == ""
	at := t.top()
	switch {
	case blank && (at == t.root || at == t.head):
		return
	case at == t.root, at == t.head:
		at = t.inBody()
	}
	t.texts++
	n := &html.Node{Type: html.TextNode, Data: text}
	at.AppendChild(n)
	if !blank {
		t.number[n] = number
	}
}

func (t *Tree) top() *html.Node { return t.open[len(t.open)-1] }

func (t *Tree) child(of *html.Node, name string) *html.Node {
	e := element(name)
	of.AppendChild(e)
	return e
}

func (t *Tree) inBody() *html.Node {
	if t.body == nil {
		t.body = t.child(t.root, "body")
	}
	return t.body
}

// merge adds the attributes to an element that it lacks.
func (t *Tree) merge(e *html.Node, attrs []html.Attribute) {
next:
	for _, a := range attrs {
		for _, has := range e.Attr {
			if has.Key == a.Key {
				continue next
			}
		}
		e.Attr = append(e.Attr, a)
	}
}

// around returns the element that will contain an element with this name: the innermost open one,
// or one that HTML implies in it.
func (t *Tree) around(name string) *html.Node {
	at := t.top()
	if at == t.root || at == t.head {
		switch {
		case t.body == nil && ofHead(name):
			if t.head == nil {
				t.head = t.child(t.root, "head")
			}
			return t.head
		default:
			return t.inBody()
		}
	}
	if at.Data == "noscript" && at.Parent == t.head && !ofHead(name) {
		return t.inBody()
	}
	if name == "tr" && at.Data == "table" {
		return t.imply(at, "tbody")
	}
	if name == "td" || name == "th" {
		if at.Data == "table" {
			at = t.imply(at, "tbody")
		}
		if at.Data == "tbody" || at.Data == "thead" || at.Data == "tfoot" {
			at = t.imply(at, "tr")
		}
	}
	return at
}

// imply returns the last child of an element if it was implied there, or else a new one.
func (t *Tree) imply(in *html.Node, name string) *html.Node {
	for last := in.LastChild; last != nil; last = last.PrevSibling {
		if last.Type == html.ElementNode {
			if last.Data == name && t.implied[last] {
				return last
			}
			break
		}
	}
	e := t.child(in, name)
	t.implied[e] = true
	return e
}

func ofHead(name string) bool {
	switch name {
	case "title", "meta", "link", "script", "style", "base", "noscript", "template":
		return true
	}
	return false
}

// Within calls f with the number of each text inside one of the elements.
func (t *Tree) Within(elements []*html.Node, f func(number int32)) {
	if len(elements) == 0 {
		return
	}
	chosen := make(map[*html.Node]bool, len(elements))
	for _, e := range elements {
		chosen[e] = true
	}
	var walk func(n *html.Node, inside bool)
	walk = func(n *html.Node, inside bool) {
		inside = inside || chosen[n]
		if number, ok := t.number[n]; ok && inside {
			f(number)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inside)
		}
	}
	walk(t.doc, false)
}
