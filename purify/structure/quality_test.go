package structure_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
			var sum score
			every := 2 * set.every
			if os.Getenv("GATECRAWL_SLOW") != "" {
				every = set.every
			}
			eachSample(t, set.name+".tar.gz", every, func(p *realPage) { sum.add(t, p) })
			sum.want(t, 1)
		})
	}
}

// TestThePartsOfManualsAreKept asks the same of folders of pages, such as manuals that
// bench/debiandocs.sh fetches, where they have 200 of a kind, and tells which pages lose most.
func TestThePartsOfManualsAreKept(t *testing.T) {
	root := os.Getenv("GATECRAWL_DEBIANDOCS")
	if root == "" {
		t.Skip("GATECRAWL_DEBIANDOCS names no folder with folders of pages")
	}
	folders, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			var sum score
			err := filepath.WalkDir(filepath.Join(root, folder.Name()), func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".html" {
					return err
				}
				page, err := os.ReadFile(path)
				if err == nil {
					sum.add(t, &realPage{name: path, html: page})
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			sum.want(t, 200)
		})
	}
}

// A score counts parts of pages: by kind, those that there are and those that are kept.
type score struct {
	pages     int
	all, kept map[string]int
	lost      []lostParts
}

// lostParts are the parts that a page lost, and a few of them.
type lostParts struct {
	page  string
	n     int
	shown []string
}

// add counts the parts of a page whose first text is in its body.
func (s *score) add(t *testing.T, p *realPage) {
	s.count(p, func(body string, add func(kind, text string)) {
		for kind, texts := range partsOfPage(p.tree(t), body) {
			for _, text := range texts {
				add(kind, text)
			}
		}
	})
}

// count counts the parts of a page, which each hands to add, and those that its Markdown has.
func (s *score) count(p *realPage, each func(body string, add func(kind, text string))) {
	if s.all == nil {
		s.all, s.kept = map[string]int{}, map[string]int{}
	}
	s.pages++
	got := maps.Clone(p.markdown())
	lost := lostParts{page: p.name}
	each(p.body(), func(kind, want string) {
		s.all[kind]++
		// A cell of a column of code is a line of a listing.
		if take(got, kind, want) || kind == "cell" && take(got, "line of code", want) {
			s.kept[kind]++
		} else if lost.n++; lost.n <= 3 {
			lost.shown = append(lost.shown, fmt.Sprintf("%s %.80q", kind, want))
		}
	})
	if lost.n > 0 {
		s.lost = append(s.lost, lost)
	}
}

// want fails the test where less is kept of a kind than has to be, if there are so many, and
// tells of the worst pages.
func (s *score) want(t *testing.T, many int) {
	slices.SortStableFunc(s.lost, func(a, b lostParts) int { return b.n - a.n })
	for _, l := range s.lost[:min(len(s.lost), 5)] {
		t.Logf("%s: %d lost: %s", l.page, l.n, strings.Join(l.shown, ", "))
	}
	for kind, least := range wanted {
		share := float64(s.kept[kind]) / float64(max(s.all[kind], 1))
		t.Logf("%s of %d pages: %d of %d kept, %.2f%%", kind, s.pages, s.kept[kind], s.all[kind], 100*share)
		if s.all[kind] >= many && share < least {
			t.Errorf("%.2f%% of each %s is kept, want %.0f%%", 100*share, kind, 100*least)
		}
	}
}

// TestMarkdownSaysWhatTheBodyDoes reads the Markdown of real pages by goldmark: it has the lines of
// the body, in their order, whatever signs of Markdown they have. What is between them (the heads of
// tables, rest of rows, and lists that the body lacks) is little.
func TestMarkdownSaysWhatTheBodyDoes(t *testing.T) {
	for _, set := range []struct {
		name  string
		every int
	}{{"manual", 24}, {"project", 8}, {"guide-zh", 2}} {
		t.Run(set.name, func(t *testing.T) {
			same, pages, added, all := 0, 0, 0, 0
			eachSample(t, set.name+".tar.gz", set.every, func(p *realPage) {
				doc := structure.Read(structure.Page{Bytes: p.html, ContentType: "text/html", Body: p.body(),
					Resolve: func(url string) string { return url }})
				md := []byte(doc.Markdown())
				got := fold(strings.ReplaceAll(words(markdown.Parser().Parse(text.NewReader(md)), md), "<br>", ""))
				pages, all = pages+1, all+len(got)
				for line := range strings.Lines(p.body()) {
					want := fold(strings.ReplaceAll(line, "¶", ""))
					before, behind, ok := strings.Cut(got, want)
					if !ok {
						t.Logf("%s: %.60q is not there; the rest is %.60q", p.name, want, got)
						return
					}
					added += len(before)
					got = behind
				}
				added += len(got)
				same++
			})
			t.Logf("%d bytes of %d are not of the body", added, all)
			if same*100 < pages*98 || added*100 > all*2 {
				t.Errorf("the Markdown of %d of %d bodies says what they say, with %d bytes of %d between, want 98%% and at most 2%%", same, pages, added, all)
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

// eachSample hands a test one in so many pages of an archive. Three tests have the same samples, which
// are unpacked, purified and parsed once.
func eachSample(t *testing.T, name string, every int, do func(p *realPage)) {
	t.Helper()
	if every == 1 {
		eachPage(t, name, func(name string, html []byte) { do(&realPage{name: name, html: html}) }) // all are too many to hold
		return
	}
	of := sample{name, every}
	if samples[of] == nil {
		n := 0
		eachPage(t, name, func(name string, html []byte) {
			if n++; n%every == 0 {
				samples[of] = append(samples[of], &realPage{name: name, html: html})
			}
		})
	}
	for _, p := range samples[of] {
		do(p)
	}
}

type sample struct {
	archive string
	every   int
}

// A realPage is a page and what was asked of it so far.
type realPage struct {
	name string
	html []byte
	view *purify.DocView
	kept parts
	root *html.Node
}

func (p *realPage) purified() *purify.DocView {
	if p.view == nil {
		p.view = purify.Purify(p.html, "text/html")
	}
	return p.view
}

func (p *realPage) body() string { return p.purified().Body }

// markdown returns the parts of the page's Markdown.
func (p *realPage) markdown() parts {
	if p.kept == nil {
		view := p.purified()
		doc := structure.Read(structure.Page{Bytes: p.html, ContentType: "text/html", Body: view.Body, Title: view.Title})
		p.kept = partsOfMarkdown([]byte(doc.Markdown()))
	}
	return p.kept
}

// tree returns the page as golang.org/x/net/html reads it.
func (p *realPage) tree(t *testing.T) *html.Node {
	if p.root == nil {
		var err error
		if p.root, err = html.Parse(bytes.NewReader(p.html)); err != nil {
			t.Fatal(err)
		}
	}
	return p.root
}

// samples are those that tests of this package, which run one after the other, have read.
var samples = make(map[sample][]*realPage)

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
// heading, what an item or a cell starts with, and a listing of several lines. A text that
// the page has more often than its body does is left out: which one is body is not told.
func partsOfPage(root *html.Node, body string) parts {
	inBody := map[string]int{} // lines of the body
	for line := range strings.Lines(body) {
		inBody[fold(line)]++
	}
	whole := fold(body)
	type part struct{ kind, text, marked string }
	var all []part
	found, often := parts{}, map[string]int{}
	isData := map[*html.Node]bool{} // by table
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		kind, own := "", ""
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			kind, own = "heading", starts(n)
		case atom.Li:
			kind, own = "item", starts(n)
		case atom.Td, atom.Th:
			table := tableOf(n)
			if _, ok := isData[table]; !ok {
				isData[table] = table != nil && holdsData(table)
			}
			if isData[table] {
				kind, own = "cell", firstLine(n)
			}
		case atom.Pre:
			if code := lines(content(n)); strings.Contains(code, "\n") && strings.Contains(whole, fold(code)) && !numbersLines(code) {
				found["listing"] = append(found["listing"], code)
			}
			return
		case atom.Div:
			if code, onPage := fragment(n); strings.Contains(code, "\n") && strings.Contains(whole, fold(onPage)) {
				found["listing"] = append(found["listing"], code)
				return
			}
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
	return n.DataAtom == atom.A && slices.Contains([]string{"¶", "#", "\uf0c1", "◆"}, strings.TrimSpace(content(n))) // the last is Doxygen's
}

// fragment is a listing of Doxygen, a div a line: its code, and that with the numbers of lines.
func fragment(n *html.Node) (code, onPage string) {
	is := func(n *html.Node, class string) bool {
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "class" && slices.Contains(strings.Fields(a.Val), class) })
	}
	if !is(n, "fragment") {
		return "", ""
	}
	var numbered, bare []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !is(c, "line") {
			continue
		}
		text, number := content(c), ""
		for s := c.FirstChild; s != nil; s = s.NextSibling {
			if is(s, "lineno") {
				number = content(s)
			}
		}
		numbered, bare = append(numbered, text), append(bare, strings.Replace(text, number, "", 1))
	}
	return lines(strings.Join(bare, "\n")), strings.Join(numbered, "\n")
}

// numbersLines reports whether a listing is the numbers of another one's lines.
func numbersLines(code string) bool {
	for i, line := range strings.Split(code, "\n") {
		if line != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}

// mark returns the sign of a heading, "" if it has none.
func mark(n *html.Node) string {
	for c := range n.Descendants() {
		if isMark(c) {
			return content(c)
		}
	}
	return ""
}

// tableOf returns the table that a cell is of, or nil.
func tableOf(cell *html.Node) *html.Node {
	table := cell
	for table != nil && table.DataAtom != atom.Table {
		table = table.Parent
	}
	return table
}

// holdsData reports whether a table holds no other parts of a page, is not a note (one or
// two rows with text in one column), nor lists below their heads (two rows).
func holdsData(table *html.Node) bool {
	cells, rows, lists := 0, 0, false
	columns := map[int]bool{} // with text
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			return false
		case atom.Pre:
			if strings.Contains(strings.TrimSpace(content(n)), "\n") {
				return false
			}
		case atom.Li:
			lists = true
		case atom.Tr:
			rows++
		case atom.Td, atom.Th:
			if cells++; rows <= 2 && strings.TrimSpace(content(n)) != "" {
				columns[columnOf(n)] = true
			}
		}
	}
	return cells > 1 && (rows > 2 || len(columns) > 1 && !lists)
}

// columnOf counts the cells before one in its row, each with what it spans; and one that
// reaches there from the row above.
func columnOf(cell *html.Node) int {
	before := func(cell *html.Node) (n int) {
		for c := cell.PrevSibling; c != nil; c = c.PrevSibling {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				n += max(1, attribute(c, "colspan"))
			}
		}
		return n
	}
	n := before(cell)
	above := cell.Parent.PrevSibling
	for above != nil && above.DataAtom != atom.Tr {
		above = above.PrevSibling
	}
	if above != nil {
		for c := above.FirstChild; c != nil; c = c.NextSibling {
			if attribute(c, "rowspan") > 1 && before(c) <= n {
				n++
			}
		}
	}
	return n
}

func attribute(n *html.Node, key string) int {
	for _, a := range n.Attr {
		if a.Key == key {
			v, _ := strconv.Atoi(a.Val)
			return v
		}
	}
	return 0
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

// firstLine is starts up to the first line break.
func firstLine(cell *html.Node) string {
	line, _, _ := strings.Cut(strings.TrimSpace(starts(cell)), lineEnd)
	return line
}

// lineEnd stands for a br element.
const lineEnd = "\x1e"

// starts returns the text of an element up to the first end or start of a block that has
// text before it, without marks.
func starts(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node) (more bool)
	walk = func(n *html.Node) bool {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			return true
		}
		if n.DataAtom == atom.Br {
			b.WriteString(lineEnd)
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
			// A cell's parts are parted by a line break, and an item has a sign before it.
			for i, line := range strings.Split(words(n, source), "<br>") {
				text := itemSign.ReplaceAllString(line, "")
				if i == 0 {
					add("cell", fold(text))
				}
				if text != line {
					add("item", fold(text))
				}
				if text != line && i == 0 {
					add("cell", fold(line)) // or the sign is the cell's own
				}
			}
		case *ast.FencedCodeBlock:
			code := lines(string(n.Lines().Value(source)))
			add("listing", code)
			for line := range strings.Lines(code) {
				add("line of code", fold(line))
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// itemSign is what an item starts with in a cell.
var itemSign = regexp.MustCompile(`^(-|[0-9]+\.) `)

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
