package main

import (
	"fmt"
	"hash/fnv"
	"html"
	"regexp"
	"strings"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// A drawn page is made from a page of the corpora to train the models on kinds of pages of which
// the corpora have too few. It is in its source's fold, and is not counted in any figure.
type drawn int

const (
	notDrawn   drawn = iota // a page of the corpora
	asNameless              // all its class names and ids are meaningless
	asPlain                 // only the first lines of its text; it trains nothing but the type of a page with a known body
)

// weight returns the weight of such a page.
func (d drawn) weight() float32 { return [...]float32{1, 0.5, 0.4}[d] }

// draw adds the pages that are made from one.
func (t *trainer) draw(corpus string, p *truth.Page) {
	q := *p
	q.HTML = nameless(p.HTML)
	t.addAs(corpus, &q, asNameless)
	if p.Type == "article" || p.Type == "documentation" {
		if short, ok := plain(p); ok {
			t.addAs(corpus, &short, asPlain)
		}
	}
}

var (
	names    = regexp.MustCompile(`(?i)\s(class|id|role|itemprop)\s*=\s*("[^"]*"|'[^']*')`)
	nameWord = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9-]*`)
)

// nameless returns a page in which each word in classes, ids, roles and itemprops is replaced by a
// meaningless one: the programs that make many sites generate such names. Equal words stay equal,
// so the page keeps its structure.
func nameless(page string) string {
	return names.ReplaceAllStringFunc(page, func(attribute string) string {
		at := strings.IndexAny(attribute, `"'`) + 1
		end := len(attribute) - 1
		return attribute[:at] + nameWord.ReplaceAllStringFunc(attribute[at:end], meaningless) + attribute[end:]
	})
}

// meaningless returns a word of five consonants in place of another.
func meaningless(word string) string {
	const consonants = "bdfghjkqvwxz"
	n := hash(word)
	var b [5]byte
	for i := range b {
		b[i] = consonants[n%uint32(len(consonants))]
		n /= uint32(len(consonants))
	}
	return string(b[:])
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// The frames of plain pages: what is above and below the text, and the element around it.
var (
	plainAbove = []string{
		"",
		`<nav><a href="/">Home</a> <a href="/a">About</a></nav>`,
		`<ul><li><a href="/">Home</a></li><li><a href="/b">Archive</a></li><li><a href="/c">Contact</a></li></ul>`,
		`<div><a href="/">Home</a></div>`,
	}
	plainAround = []string{"main", "article", "div", ""}
	plainBelow  = []string{
		"",
		"<footer>Copyright 2024</footer>",
		`<p><a href="/1">Previous</a> <a href="/2">Next</a></p>`,
		`<div><a href="/x">More</a></div><footer><a href="/p">Privacy</a></footer>`,
	}
)

const (
	plainParagraphs = 6  // at most
	plainLine       = 80 // least bytes of a line of a body that counts as a paragraph
)

// plain returns a page with a title, the first paragraphs of a text, and hardly any markup. Without
// such pages the models took short texts for forum pages, since the shortest pages of the corpora
// are threads that a script fills. It reports false if the body has no paragraph.
func plain(p *truth.Page) (truth.Page, bool) {
	var body []string
	for line := range strings.Lines(p.Body) {
		if line = strings.TrimSpace(line); len(line) > plainLine {
			body = append(body, line)
		}
	}
	if len(body) == 0 {
		return truth.Page{}, false
	}
	draw := hash(p.URL + p.ID)
	oneOf := func(n int) int {
		k := draw % uint32(n)
		draw /= uint32(n)
		return int(k)
	}
	body = body[:min(1+oneOf(plainParagraphs), len(body))]
	title := p.Title
	if title == "" {
		words := truth.Words(body[0])
		title = strings.Join(words[:min(5, len(words))], " ")
	}
	title = html.EscapeString(title)
	open, shut := "", ""
	above, around, below := plainAbove[oneOf(len(plainAbove))], plainAround[oneOf(len(plainAround))], plainBelow[oneOf(len(plainBelow))]
	if around != "" {
		open, shut = "<"+around+">", "</"+around+">"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body>%s%s<h1>%s</h1>", title, above, open, title)
	for _, paragraph := range body {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(paragraph))
	}
	fmt.Fprintf(&b, "%s%s</body></html>", shut, below)
	q := *p
	q.HTML, q.Body = b.String(), strings.Join(body, "\n")
	return q, true
}
