package css

import (
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// A Selector is a compiled CSS selector of level 3, with those of level 4 and of jQuery that
// package cascadia knows, such as :has(p) and :contains(word). It is immutable, and implements
// goquery.Matcher.
type Selector struct {
	text   string
	group  cascadia.SelectorGroup
	chains []chain
}

// A chain is one selector of a list, cut into compounds: ul.menu > li a has three.
type chain []link

// A link is a compound, and its combinator with the compound before it.
type link struct {
	combinator byte // ' ', '>', '+' or '~'; 0 for the first
	compound   cascadia.Sel
}

// maxCompounds bounds the compounds of one selector: the walk over a tree has a bit for each of
// them.
const maxCompounds = 64

// maxSelector is the longest selector, in bytes.
const maxSelector = 4 << 10

// Parse compiles a selector. The error quotes it.
func Parse(text string) (*Selector, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, errors.New("the selector is empty")
	case len(text) > maxSelector:
		return nil, fmt.Errorf("the selector has %d bytes: want at most %d", len(text), maxSelector)
	}
	group, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("selector %q: %w", text, err)
	}
	s := &Selector{text: text, group: group}
	for _, one := range split(text, ",") {
		c, err := chainOf(one.text)
		if err != nil {
			return nil, fmt.Errorf("selector %q: %w", text, err)
		}
		s.chains = append(s.chains, c)
	}
	return s, nil
}

// parse compiles a whole list of selectors, to find faults. It recovers from panics of package
// cascadia, since the text comes from users.
func parse(text string) (group cascadia.SelectorGroup, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not a selector: %v", r)
		}
	}()
	group, err = cascadia.ParseGroup(text)
	if err == nil && !balanced(text) {
		err = errors.New("a bracket or quote is not closed")
	}
	return group, err
}

// chainOf compiles one selector of a list compound by compound.
func chainOf(text string) (chain, error) {
	var c chain
	for _, p := range split(text, " >+~") {
		if p.text == "" {
			continue
		}
		compound, err := cascadia.Parse(p.text)
		if err != nil {
			return nil, err
		}
		l := link{p.before, compound}
		switch {
		case len(c) == 0:
			l.combinator = 0
		case l.combinator == 0:
			l.combinator = ' '
		}
		c = append(c, l)
	}
	switch {
	case len(c) == 0:
		return nil, errors.New("there is a comma too many")
	case len(c) > maxCompounds:
		return nil, fmt.Errorf("%d compounds: want at most %d", len(c), maxCompounds)
	}
	return c, nil
}

// A piece is text between separators, and the separator before it. If there are several, as in "ul
// > li", it is the one that is not a space.
type piece struct {
	before byte
	text   string
}

// split cuts a selector at separators that are outside brackets, quotes and comments.
func split(s, separators string) []piece {
	var list []piece
	var before byte
	from := 0
	add := func(to int, sep byte) {
		if text := strings.TrimSpace(s[from:to]); text != "" {
			list = append(list, piece{before, text})
			before = sep
		} else if sep != ' ' || before == 0 {
			before = sep
		}
	}
	scan(s, func(i, depth, size int) bool {
		c := s[i]
		if size > 1 && s[i] == '/' || isSpace(c) {
			c = ' '
		}
		if depth == 0 && strings.IndexByte(separators, c) >= 0 {
			add(i, c)
			from = i + size
		}
		return true
	})
	add(len(s), 0)
	return list
}

// scan calls f for each byte of a selector, with the number of brackets around it and the number of
// bytes that belong together: an escape, a string or a comment. It ends when f returns false. It
// returns the number of brackets that are open then.
func scan(s string, f func(i, depth, size int) bool) (open int) {
	for i := 0; i < len(s); {
		size := 1
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			size = 2
		case c == '"' || c == '\'':
			size = quoted(s[i:])
		case strings.HasPrefix(s[i:], "/*"):
			if size = strings.Index(s[i+2:], "*/") + 4; size == 3 {
				size = len(s) - i
			}
		case c == ')' || c == ']':
			open--
		}
		if !f(i, open, size) {
			return open
		}
		if c := s[i]; size == 1 && (c == '(' || c == '[') {
			open++
		}
		i += size
	}
	return open
}

// quoted returns the length of the string that s starts with.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

func balanced(s string) bool { return scan(s, func(int, int, int) bool { return true }) == 0 }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// CutOutside is strings.Cut at the first c that is outside a selector's brackets, quotes and
// escapes.
func CutOutside(s string, c byte) (before, after string, found bool) {
	at := -1
	scan(s, func(i, depth, size int) bool {
		if depth == 0 && size == 1 && s[i] == c {
			at = i
		}
		return at < 0
	})
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}

// String returns the selector as it was given.
func (s *Selector) String() string { return s.text }

// Match reports whether the selector matches an element.
func (s *Selector) Match(n *html.Node) bool { return s.group.Match(n) }

// Filter returns the elements that the selector matches.
func (s *Selector) Filter(list []*html.Node) []*html.Node { return cascadia.Filter(list, s.group) }

// MatchAll returns all elements of a tree that the selector matches, in the order of the document.
// Elements around root do not count.
func (s *Selector) MatchAll(root *html.Node) []*html.Node {
	w := walk{s: s, known: make([]facts, len(s.chains))}
	w.element(root, w.known, make([]facts, len(s.chains)))
	return w.found
}

// A walk goes through a tree from its root. When it comes to an element, it knows all that
// combinators ask of the elements around and before it.
type walk struct {
	s     *Selector
	known []facts // facts about the elements around the root: none
	found []*html.Node
}

// facts say which compounds of a chain an element matches, including all compounds before.
type facts struct{ above, parent, before, previous uint64 }

// element visits an element and the elements in it. around has for each chain the facts about the
// elements around it, and siblings those about its preceding siblings.
func (w *walk) element(n *html.Node, around, siblings []facts) {
	inside := make([]facts, len(around))
	matched := false
	for i, c := range w.s.chains {
		is := c.match(n, facts{around[i].above, around[i].parent, siblings[i].before, siblings[i].previous})
		matched = matched || is>>(len(c)-1)&1 != 0
		inside[i] = facts{above: around[i].above | is, parent: is}
		siblings[i] = facts{before: siblings[i].before | is, previous: is}
	}
	if matched {
		w.found = append(w.found, n)
	}
	var children []facts
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if children == nil {
			children = make([]facts, len(around))
		}
		w.element(c, inside, children)
	}
}

// match returns a bit for each compound of a chain that an element matches, including all compounds
// before.
func (c chain) match(n *html.Node, f facts) uint64 {
	var is uint64
	for i, l := range c {
		var from uint64 = 1
		switch l.combinator {
		case ' ':
			from = f.above >> (i - 1)
		case '>':
			from = f.parent >> (i - 1)
		case '+':
			from = f.previous >> (i - 1)
		case '~':
			from = f.before >> (i - 1)
		}
		if from&1 != 0 && l.compound.Match(n) {
			is |= 1 << i
		}
	}
	return is
}
