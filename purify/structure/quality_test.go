package structure_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/structure"
)

// parts are the parts of a page: by name, each with its text. White space is folded, but
// in listings.
type parts map[string][]string

// The shares of the parts of a body that must be kept.
var wanted = map[string]float64{"heading": .95, "item": .95, "cell": .95, "listing": .90}

// TestThePartsOfBodiesAreKept reads real pages by golang.org/x/net/html, and what is made
// of their bodies by goldmark, and compares headings, items, cells and listings.
func TestThePartsOfBodiesAreKept(t *testing.T) {
	for _, set := range []struct {
		name  string
		every int
	}{{"manual", 12}, {"project", 4}, {"guide-zh", 1}} {
		t.Run(set.name, func(t *testing.T) {
			all, kept := map[string]int{}, map[string]int{}
			shown := map[string]int{}
			pages, n := 0, 0
			eachPage(t, set.name+".tar.gz", func(name string, page []byte) {
				if n++; n%set.every != 0 {
					return
				}
				pages++
				view := purify.Purify(page, "text/html")
				doc := structure.Read(structure.Page{Bytes: page, ContentType: "text/html", Body: view.Body, Title: view.Title})
				md := doc.Markdown()
				got := partsOfMarkdown([]byte(md))
				for kind, texts := range partsOfPage(t, page, view.Body) {
					for _, want := range texts {
						all[kind]++
						if take(got, kind, want) {
							kept[kind]++
						} else if shown[kind]++; shown[kind] <= 3 && testing.Verbose() {
							t.Logf("%s: no %s %.200q", name, kind, want)
						}
					}
				}
			})
			for kind, least := range wanted {
				share := float64(kept[kind]) / float64(max(all[kind], 1))
				t.Logf("%s of %d pages: %d of %d kept, %.2f%%", kind, pages, kept[kind], all[kind], 100*share)
				if all[kind] > 0 && share < least {
					t.Errorf("%.2f%% of each %s is kept, want %.0f%%", 100*share, kind, 100*least)
				}
			}
		})
	}
}

// TestMarkdownSaysWhatTheBodyDoes reads the Markdown of real pages by goldmark: its words
// are those of the body, in their order, whatever signs of Markdown they have.
func TestMarkdownSaysWhatTheBodyDoes(t *testing.T) {
	for _, set := range []struct {
		name  string
		every int
	}{{"manual", 24}, {"project", 8}, {"guide-zh", 2}} {
		t.Run(set.name, func(t *testing.T) {
			same, pages, n := 0, 0, 0
			eachPage(t, set.name+".tar.gz", func(name string, page []byte) {
				if n++; n%set.every != 0 {
					return
				}
				view := purify.Purify(page, "text/html")
				doc := structure.Read(structure.Page{Bytes: page, ContentType: "text/html", Body: view.Body,
					Resolve: func(url string) string { return url }})
				md := []byte(doc.Markdown())
				got := fold(strings.ReplaceAll(words(markdown.Parser().Parse(text.NewReader(md)), md), "<br>", ""))
				want := fold(strings.ReplaceAll(view.Body, "¶", ""))
				pages++
				if got == want {
					same++
					return
				}
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Logf("%s: behind %q: got %.60q, want %.60q", name, want[max(0, at-40):at], got[at:], want[at:])
			})
			if same*100 < pages*98 {
				t.Errorf("the Markdown of %d of %d bodies says what they say, want 98%%", same, pages)
			}
		})
	}
}

// take takes a text out of the parts of a kind.
func take(all parts, kind, want string) bool {
	for i, got := range all[kind] {
		if got == want {
			all[kind] = append(all[kind][:i:i], all[kind][i+1:]...)
			return true
		}
	}
	return false
}

// eachPage calls do with the pages of an archive of the data folder. The test is skipped
// where there is none.
func eachPage(t *testing.T, name string, do func(name string, page []byte)) {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "pages", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there: real pages live outside the repository", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".html") {
			continue
		}
		page, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		do(h.Name, page)
	}
}

// fold leaves out white space, and what is not seen.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == 0xad || r >= 0x200b && r <= 0x200f || r == 0x2060 || r == 0xfeff {
			return -1
		}
		return r
	}, s)
}

// lines takes the empty lines off both ends of a listing, and white space off each line's.
func lines(s string) string {
	all := strings.Split(s, "\n")
	for i := range all {
		all[i] = strings.TrimRightFunc(all[i], unicode.IsSpace)
	}
	return strings.Trim(strings.Join(all, "\n"), "\n")
}

// partsOfPage returns the parts of a page whose first text is a block of the body: a whole
// heading, what an item or a cell begins with, and a listing of several lines. A text that
// the page has more often than its body does is left out: which one is body is not told.
func partsOfPage(t *testing.T, page []byte, body string) parts {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	inBody := map[string]int{} // lines of the body
	for line := range strings.Lines(body) {
		inBody[fold(line)]++
	}
	whole := fold(body)
	type part struct{ kind, text, marked string }
	var all []part
	found, often := parts{}, map[string]int{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		kind, own := "", ""
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			kind, own = "heading", begins(n)
		case atom.Li:
			kind, own = "item", begins(n)
		case atom.Td, atom.Th:
			if isData(n) {
				kind, own = "cell", begins(n)
			}
		case atom.Pre:
			if code := lines(content(n)); strings.Contains(code, "\n") && strings.Contains(whole, fold(code)) {
				found["listing"] = append(found["listing"], code)
			}
			return
		}
		if bare := fold(own); kind != "" && bare != "" {
			all = append(all, part{kind, bare, fold(own + mark(n))})
			often[bare]++
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	for _, p := range all {
		if often[p.text] <= max(inBody[p.text], inBody[p.marked]) {
			found[p.kind] = append(found[p.kind], p.text)
		}
	}
	return found
}

// isMark reports whether an element is the sign of a heading's link to itself.
func isMark(n *html.Node) bool {
	return n.DataAtom == atom.A && content(n) == "¶"
}

// mark returns the sign of a heading, "" if it has none.
func mark(n *html.Node) string {
	for c := range n.Descendants() {
		if isMark(c) {
			return "¶"
		}
	}
	return ""
}

// isData reports whether a cell is of a table that holds no other parts of a page.
func isData(cell *html.Node) bool {
	table := cell
	for table != nil && table.DataAtom != atom.Table {
		table = table.Parent
	}
	if table == nil {
		return false
	}
	cells := 0
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			return false
		case atom.Pre:
			if strings.Contains(strings.TrimSpace(content(n)), "\n") {
				return false
			}
		case atom.Td, atom.Th:
			cells++
		}
	}
	return cells > 1
}

// content returns all text of an element.
func content(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	if n.DataAtom == atom.Br {
		return "\n"
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(content(c))
	}
	return b.String()
}

// begins returns the text of an element up to the first end or begin of a block that has
// text before it, without marks.
func begins(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node) (more bool)
	walk = func(n *html.Node) bool {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			return true
		}
		if n.Type != html.ElementNode || isMark(n) || n.DataAtom == atom.Script || n.DataAtom == atom.Style {
			return true
		}
		block := isBlock[n.DataAtom]
		if block && strings.TrimSpace(b.String()) != "" {
			return false
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !walk(c) {
				return false
			}
		}
		return !block || strings.TrimSpace(b.String()) == ""
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !walk(c) {
			break
		}
	}
	return b.String()
}

var isBlock = func() map[atom.Atom]bool {
	m := map[atom.Atom]bool{}
	for _, a := range []atom.Atom{
		atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Div, atom.Dl, atom.Dt, atom.Dd, atom.Fieldset, atom.Figure, atom.Figcaption,
		atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Li, atom.Main, atom.Nav, atom.Ol,
		atom.P, atom.Pre, atom.Section, atom.Table, atom.Tbody, atom.Thead, atom.Tr, atom.Td, atom.Th, atom.Ul, atom.Button, atom.Details, atom.Summary,
	} {
		m[a] = true
	}
	return m
}()

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// partsOfMarkdown returns the parts of a text of Markdown.
func partsOfMarkdown(source []byte) parts {
	found := parts{}
	add := func(kind, text string) {
		if text != "" {
			found[kind] = append(found[kind], text)
		}
	}
	root := markdown.Parser().Parse(text.NewReader(source))
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			add("heading", fold(words(n, source)))
		case *ast.ListItem:
			if first := n.FirstChild(); first != nil && first.Type() == ast.TypeBlock {
				add("item", fold(words(first, source)))
			}
		case *east.TableCell:
			// A cell's parts are parted by a line break.
			text, _, _ := strings.Cut(words(n, source), "<br>")
			add("cell", fold(text))
		case *ast.FencedCodeBlock:
			add("listing", lines(string(n.Lines().Value(source))))
		}
		return ast.WalkContinue, nil
	})
	return found
}

// words returns the text of a part without the blocks in it.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		case *ast.Text:
			b.Write(unescaped(n, source))
		case *ast.RawHTML:
			b.Write(n.Segments.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// unescaped returns a text without the backslashes of Markdown; code has none.
func unescaped(n *ast.Text, source []byte) []byte {
	text := n.Segment.Value(source)
	if n.Parent().Kind() == ast.KindCodeSpan {
		return text
	}
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i+1]) >= 0 {
			i++
		}
		b = append(b, text[i])
	}
	return b
}
