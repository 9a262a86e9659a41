package structure

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/markup"
)

// Bounds of one page, those of package purify.
const (
	maxDepth  = 512
	maxNodes  = 1 << 17
	maxBlocks = 1 << 15
	maxSpan   = 100 // columns and rows that one cell may take
)

// A style is how a run of text is set.
type style uint8

const (
	styleCode style = 1 << iota
	styleStrong
	styleEm
	styleMark  // a link of a heading to itself
	styleHere  // a link within the page: a mark if it has nothing but a sign
	styleBreak // a line ends before the run
	styleOdd   // of a mark: every second one has it, so that two next to each other are told apart
)

// A piece is text of one style. It is size bytes long without white space.
type piece struct {
	size  int32
	style style
	url   int32 // in walker.urls, from 1; 0: no link
}

// A pageBlock is a run of text between block-level tags.
type pageBlock struct {
	fold, foldEnd   int32 // in walker.fold
	piece, pieceEnd int32 // in walker.pieces
	raw, rawEnd     int32 // in walker.raw
	node            int32
	linked          int32  // bytes of its fold that are a link
	frame           bool   // it is in a menu, a footer, an aside or a form
	sum             uint64 // of its fold
}

// A pageNode is an element that gives a text structure. Its parent comes before it.
type pageNode struct {
	parent int32
	tag    markup.Tag
	head   bool  // a cell: it is in a thead, or a th
	layout bool  // a table: it says that it is for the layout
	column int32 // a cell: from 0
	span   int32 // a cell: columns that it takes
	number int   // an ol: that of its next item; an item of it: its own
	lang   string
}

type openTag struct {
	tag    markup.Tag
	name   []byte // where tag is TagOther: of the page
	silent bool
	block  bool // a custom element that starts and ends a block
	link   bool
	style  style
	url    int32
	node   int32
	class  []byte
	lines  bool // it has the lines of a listing, a block each
	line   bool // it is such a line
	number bool // it has the number of one, which is not of the code
}

// A grid is where the next cell of an open table goes.
type grid struct {
	node   int32
	column int32
	taken  []int32 // by column: how many more rows a cell from above takes
}

// A walker reads a page into blocks. Its silence, implied ends and blocks are those of
// purify's outline, whose lines are looked for.
type walker struct {
	fold   []byte // text of all blocks without white space
	raw    []byte // text as it stands: see keepsRaw
	blocks []pageBlock
	nodes  []pageNode
	pieces []piece
	urls   []string
	grids  []grid

	unescaped []byte // the text that is being added, its character references decoded

	stack  []openTag
	depth  [markup.TagCount]int
	over   int
	silent int
	coded  int // how many lines of listings are open
	marks  int // how many links are marks, or look like it
	breaks int
	broken bool  // a line ends before the next text
	linked int32 // bytes of the block that are a link
	at     int   // start of the block in fold
	first  int   // its first piece
	rawAt  int   // its start in raw
	links  bool
}

func (w *walker) top() *openTag { return &w.stack[len(w.stack)-1] }

// reset empties the walker for the next page.
func (w *walker) reset(links bool) {
	w.fold, w.raw, w.blocks, w.pieces, w.urls, w.grids = w.fold[:0], w.raw[:0], w.blocks[:0], w.pieces[:0], w.urls[:0], w.grids[:0]
	w.nodes = append(w.nodes[:0], pageNode{})
	w.stack = append(w.stack[:0], openTag{})
	w.depth, w.over, w.silent, w.coded, w.marks, w.breaks, w.broken = [markup.TagCount]int{}, 0, 0, 0, 0, 0, false
	w.at, w.first, w.rawAt, w.linked, w.links = 0, 0, 0, 0, links
}

// read reads a page, and changes src.
func (w *walker) read(src []byte, xml bool) {
	l := markup.NewLexer(src, xml)
	for {
		switch l.Next() {
		case markup.TokenEnd:
			w.endBlock()
			return
		case markup.TokenText:
			if w.silent == 0 {
				w.write(l.Text)
			}
		case markup.TokenStart:
			w.startPart(l, xml)
		case markup.TokenClose:
			w.end(l.Tag, l.Name)
		}
	}
}

func (w *walker) startPart(l *markup.Lexer, xml bool) {
	t := l.Tag
	if t.Is(markup.IsBlock) {
		w.flush() // before an element ends that the text is in
	}
	if t.Is(markup.EndsP) && w.depth[markup.TagP] > 0 {
		w.end(markup.TagP, nil)
	}
	w.implyEnds(t)
	switch {
	case t.Heading() && w.top().tag.Heading():
		w.popTo(len(w.stack) - 1) // <h2>One<h2>Two: HTML, 13.2.6.4.7
	case t == markup.TagBr:
		w.lineBreak()
	case t == markup.TagA || t == markup.TagButton:
		w.end(t, nil)
	case t.Is(markup.SpansPage) && w.depth[t] > 0:
		return
	}
	if t.Is(markup.IsVoid) || l.Self && (xml || t == markup.TagSvg) {
		return
	}
	if len(w.stack) >= maxDepth {
		w.over++
		return
	}
	w.push(l)
}

func (w *walker) implyEnds(t markup.Tag) {
	switch t {
	case markup.TagLi:
		w.endWithin(markup.TagLi, markup.TagUl, markup.TagOl)
	case markup.TagDd, markup.TagDt:
		w.endWithin(markup.TagDd, markup.TagDl, markup.TagDl)
		w.endWithin(markup.TagDt, markup.TagDl, markup.TagDl)
	case markup.TagTd, markup.TagTh:
		w.endWithin(markup.TagTd, markup.TagTr, markup.TagTable)
		w.endWithin(markup.TagTh, markup.TagTr, markup.TagTable)
		w.implyRow()
	case markup.TagTr:
		w.endWithin(markup.TagTr, markup.TagTable, markup.TagTable)
	case markup.TagTbody, markup.TagTfoot, markup.TagThead:
		w.endWithin(markup.TagTbody, markup.TagTable, markup.TagTable)
		w.endWithin(markup.TagThead, markup.TagTable, markup.TagTable)
	case markup.TagOption:
		w.endWithin(markup.TagOption, markup.TagSelect, markup.TagDatalist)
	case markup.TagBody:
		w.endWithin(markup.TagHead, markup.TagHtml, markup.TagHtml)
	}
}

// implyRow opens a row for a cell that stands in a table and in none (HTML, 13.2.6.4.13).
func (w *walker) implyRow() {
	for i := len(w.stack) - 1; i > 0 && w.stack[i].tag != markup.TagTr; i-- {
		if w.stack[i].tag == markup.TagTable {
			if len(w.stack) < maxDepth && len(w.nodes) < maxNodes {
				row := *w.top()
				row.tag, row.name, row.silent, row.class = markup.TagTr, nil, false, nil
				w.nextRow()
				w.nodes = append(w.nodes, pageNode{parent: row.node, tag: markup.TagTr, span: 1})
				row.node = int32(len(w.nodes) - 1)
				w.depth[markup.TagTr]++
				w.stack = append(w.stack, row)
			}
			return
		}
	}
}

// endWithin closes the innermost t unless one of two containers is nearer.
func (w *walker) endWithin(t, container, other markup.Tag) {
	if w.depth[t] == 0 || w.over > 0 {
		return
	}
	for i := len(w.stack) - 1; i > 0; i-- {
		switch w.stack[i].tag {
		case t:
			w.popTo(i)
			return
		case container, other:
			return
		}
	}
}

func (w *walker) end(t markup.Tag, name []byte) {
	if t.Is(markup.IsBlock) {
		w.flush()
	}
	if t.Is(markup.SpansPage) {
		return
	}
	if w.over > 0 && t != markup.TagP && t != markup.TagA {
		w.over--
		return
	}
	if t.Heading() {
		t = t.OpenHeading(len(w.stack), func(i int) markup.Tag { return w.stack[i].tag })
	}
	if w.depth[t] == 0 {
		return
	}
	for i := len(w.stack) - 1; i > 0; i-- {
		e := &w.stack[i]
		if e.tag == t && (t != markup.TagOther || bytes.Equal(e.name, name)) {
			if t == markup.TagA && slices.ContainsFunc(w.stack[i+1:], func(e openTag) bool { return e.tag.Is(markup.IsBlock) }) {
				w.forget(i)
				return
			}
			if e.block {
				w.flush()
			}
			w.popTo(i)
			return
		}
		if e.tag.Bars(t) {
			return
		}
		if t == markup.TagOther && e.tag.Is(markup.IsBlock) {
			return
		}
	}
}

// forget ends a link around blocks that are open, and leaves the blocks as they are (HTML
// standard, 13.2.6.4.7, the adoption agency algorithm).
func (w *walker) forget(i int) {
	e := &w.stack[i]
	w.depth[e.tag]--
	e.tag, e.name = markup.TagOther, nil
	w.depth[e.tag]++
	for k := i; k < len(w.stack); k++ {
		w.stack[k].link, w.stack[k].url = false, 0
	}
}

func (w *walker) popTo(i int) {
	for _, e := range w.stack[i:] {
		w.depth[e.tag]--
		if e.silent {
			w.silent--
		}
		if e.line {
			w.coded--
		}
		if e.tag == markup.TagTable && len(w.grids) > 0 {
			w.grids = w.grids[:len(w.grids)-1]
		}
	}
	w.stack = w.stack[:i]
}

func (w *walker) lineBreak() {
	w.broken = true
	if w.keepsRaw() && w.silent == 0 {
		w.raw = append(w.raw, '\n')
	}
	if w.breaks++; w.breaks == 2 {
		w.flush()
	}
}

// styleOf returns the style that an element gives its text by its name.
func styleOf(name []byte) style {
	switch string(name) {
	case "code", "tt", "kbd", "samp":
		return styleCode
	case "b", "strong":
		return styleStrong
	case "em", "i":
		return styleEm
	}
	return 0
}

// push opens an element.
func (w *walker) push(l *markup.Lexer) {
	t, parent := l.Tag, w.top()
	e := openTag{tag: t, link: parent.link, style: parent.style, url: parent.url, node: parent.node, number: parent.number}
	hidden := false
	var href []byte
	for i := range l.Attrs {
		switch a := &l.Attrs[i]; string(a.Key) {
		case "class":
			e.class = a.Val
		case "href":
			href = a.Val
		case "hidden":
			hidden = true
		case "aria-hidden":
			hidden = hidden || string(a.Val) == "true"
		case "style":
			hidden = hidden || hides(a.Val)
		}
	}
	if t == markup.TagBody || t == markup.TagHtml || t == markup.TagMain || t == markup.TagArticle {
		hidden = false
	}
	e.silent = l.IsSilent() || hidden && !t.Shows()
	e.block = len(w.fold) == w.at && l.MayStartBlock(parent.tag, parent.block, len(w.stack) == 1)
	switch {
	case t == markup.TagOther:
		s := styleOf(l.Name)
		e.name = l.Name
		e.style |= s
		if s == styleCode && w.depth[markup.TagPre] > 0 {
			w.language(parent.node, e.class)
		}
	case t == markup.TagA && href != nil:
		e.link = true
		w.link(&e, href)
	case gives(t):
		e.node = w.addNode(l, &e)
	case t == markup.TagDiv:
		w.codeLine(parent, &e)
	}
	e.number = e.number || w.coded > 0 && hasClass(e.class, "lineno")
	if e.silent {
		w.silent++
	}
	w.depth[t]++
	w.stack = append(w.stack, e)
}

// codeLine looks whether a div is a line of a listing without pre, as Doxygen writes them, and
// makes its parent a listing then. What else stands in that is not of the listing.
func (w *walker) codeLine(parent, e *openTag) {
	switch {
	case parent.tag == markup.TagDiv && hasClass(e.class, "line") && hasClass(parent.class, "fragment"):
		if !parent.lines && len(w.nodes) < maxNodes {
			w.nodes = append(w.nodes, pageNode{parent: parent.node, tag: markup.TagPre, span: 1})
			parent.lines, parent.node, w.rawAt = true, int32(len(w.nodes)-1), len(w.raw)
		}
		if parent.lines {
			e.line, e.node = true, parent.node
			w.raw = append(w.raw, '\n')
			w.coded++
		}
	case parent.lines:
		e.node = w.nodes[parent.node].parent
	}
}

// hasClass reports whether a class attribute has a word.
func hasClass(class []byte, word string) bool {
	if !bytes.Contains(class, []byte(word)) {
		return false
	}
	for w := range bytes.FieldsSeq(class) {
		if string(w) == word {
			return true
		}
	}
	return false
}

// hides reports whether a style attribute hides its element.
func hides(val []byte) bool {
	_, rest, ok := bytes.Cut(val, []byte("display"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " :"), []byte("none"))
}

// link makes an element a link, or a mark if it leads to the heading or term that it is in.
func (w *walker) link(e *openTag, href []byte) {
	inHeading := w.depth[markup.TagH1]+w.depth[markup.TagH2]+w.depth[markup.TagH3]+w.depth[markup.TagH4]+w.depth[markup.TagH5]+w.depth[markup.TagH6] > 0
	switch {
	case bytes.Contains(e.class, []byte("headerlink")), bytes.Contains(e.class, []byte("anchorjs-link")),
		bytes.Contains(e.class, []byte("header-anchor")), bytes.Contains(e.class, []byte("hash-link")):
		w.mark(e)
	case len(href) > 0 && href[0] == '#' && (inHeading || w.depth[markup.TagDt] > 0 || bytes.Contains(e.class, []byte("permalink"))):
		w.mark(e) // taken back if it has more than a sign: see endBlock
	default:
		if len(href) > 0 && href[0] == '#' {
			e.style |= styleHere
		}
		if w.links {
			w.urls = append(w.urls, string(bytes.TrimSpace(markup.Unescape(nil, href))))
			e.url = int32(len(w.urls))
		}
	}
}

// mark makes an element a mark.
func (w *walker) mark(e *openTag) {
	w.marks++
	e.style = e.style&^styleOdd | styleMark
	if w.marks%2 == 1 {
		e.style |= styleOdd
	}
}

// gives reports whether an element gives a text structure.
func gives(t markup.Tag) bool {
	switch t {
	case markup.TagBlockquote, markup.TagUl, markup.TagOl, markup.TagMenu, markup.TagLi, markup.TagDl, markup.TagDt, markup.TagDd,
		markup.TagTable, markup.TagThead, markup.TagTr, markup.TagTd, markup.TagTh, markup.TagPre:
		return true
	}
	return t.Heading()
}

func (w *walker) addNode(l *markup.Lexer, e *openTag) int32 {
	if len(w.nodes) >= maxNodes {
		return e.node
	}
	n := pageNode{parent: e.node, tag: l.Tag, span: 1}
	switch l.Tag {
	case markup.TagOl:
		n.number = number(l, "start", 1)
	case markup.TagLi:
		list := &w.nodes[e.node]
		n.number = number(l, "value", list.number)
		list.number = n.number + 1
	case markup.TagTable:
		role, _ := l.Attr("role")
		n.layout = string(role) == "presentation" || string(role) == "none"
		w.grids = append(w.grids, grid{node: int32(len(w.nodes))})
	case markup.TagTr:
		w.nextRow()
	case markup.TagTd, markup.TagTh:
		n.head = l.Tag == markup.TagTh || w.depth[markup.TagThead] > 0
		n.span = int32(min(max(number(l, "colspan", 1), 1), maxSpan))
		n.column = w.nextCell(n.span, int32(min(max(number(l, "rowspan", 1), 1), maxSpan)))
	}
	w.nodes = append(w.nodes, n)
	at := int32(len(w.nodes) - 1)
	if l.Tag == markup.TagPre {
		w.rawAt = len(w.raw)
		w.language(at, e.class)
		for i := len(w.stack) - 1; i > 0 && i > len(w.stack)-4 && w.nodes[at].lang == ""; i-- {
			w.language(at, w.stack[i].class)
		}
	}
	return at
}

// nextRow makes room for the cells of a row.
func (w *walker) nextRow() {
	if len(w.grids) == 0 {
		return
	}
	g := &w.grids[len(w.grids)-1]
	g.column = 0
	for i := range g.taken {
		g.taken[i] = max(g.taken[i]-1, 0)
	}
}

// nextCell returns the column of the next cell.
func (w *walker) nextCell(columns, rows int32) int32 {
	if len(w.grids) == 0 {
		return 0
	}
	g := &w.grids[len(w.grids)-1]
	for int(g.column) < len(g.taken) && g.taken[g.column] > 0 {
		g.column++
	}
	at := g.column
	g.column += columns
	for len(g.taken) < int(g.column) && len(g.taken) < maxColumns {
		g.taken = append(g.taken, 0)
	}
	for i := at; i < g.column && int(i) < len(g.taken); i++ {
		g.taken[i] = rows
	}
	return at
}

// maxColumns bounds what a row of a table is written with.
const maxColumns = 256

// number reads an attribute that is a number, or returns its default.
func number(l *markup.Lexer, key string, other int) int {
	v, ok := l.Attr(key)
	if !ok || len(v) > 9 {
		return other
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(v)))
	if err != nil {
		return other
	}
	return n
}

// language notes what a class says of a listing's language: language-go, lang-go,
// highlight-go (Sphinx), brush: go, and "sourceCode go" (pandoc).
func (w *walker) language(node int32, class []byte) {
	n := &w.nodes[node]
	if n.tag != markup.TagPre || n.lang != "" || len(class) == 0 {
		return
	}
	words := strings.Fields(string(class))
	for i, word := range words {
		lang := ""
		switch {
		case strings.HasPrefix(word, "language-"), strings.HasPrefix(word, "lang-"), strings.HasPrefix(word, "highlight-"):
			_, lang, _ = strings.Cut(word, "-")
		case (word == "brush:" || word == "sourceCode") && i+1 < len(words):
			lang = strings.TrimRight(words[i+1], ";")
		case strings.HasPrefix(word, "brush:"):
			lang = strings.TrimRight(word[len("brush:"):], ";")
		}
		if namesLanguage(lang) {
			n.lang = strings.ToLower(lang)
			return
		}
	}
}

func namesLanguage(s string) bool {
	switch strings.ToLower(s) {
	case "", "none", "text", "plain", "plaintext", "default", "source", "highlight", "notranslate", "nohighlight", "prettyprint":
		return false
	}
	for _, c := range []byte(s) {
		if !markup.LetterOrDigit(c) && strings.IndexByte("+-#._", c) < 0 {
			return false
		}
	}
	return len(s) <= 20
}

// keepsRaw reports whether text is kept with its white space: that of listings, and of lists and
// tables, which may be written without a line of the body.
func (w *walker) keepsRaw() bool {
	return w.depth[markup.TagPre]+w.depth[markup.TagLi]+w.depth[markup.TagDl]+w.depth[markup.TagTable]+w.coded > 0
}

// write adds text to the block.
func (w *walker) write(text []byte) {
	if bytes.IndexByte(text, '&') >= 0 {
		w.unescaped = markup.Unescape(w.unescaped[:0], text)
		text = w.unescaped
	}
	if w.keepsRaw() && !(w.top().number && isLineNumbers(string(text))) {
		w.raw = append(w.raw, text...)
	}
	before := len(w.fold)
	w.fold = appendFold(w.fold, text)
	n := len(w.fold) - before
	if n == 0 {
		return
	}
	e := w.top()
	if e.link {
		w.linked += int32(n)
	}
	p := piece{size: int32(n), style: e.style, url: e.url}
	if w.broken && before > w.at {
		p.style |= styleBreak
	}
	w.broken, w.breaks = false, 0
	if last := len(w.pieces) - 1; last >= w.first && w.pieces[last].style&^styleBreak == p.style && w.pieces[last].url == p.url {
		w.pieces[last].size += p.size
		return
	}
	w.pieces = append(w.pieces, p)
}

// appendFold appends a text without white space and without what is not seen: two texts
// with one fold are one but for spaces.
func appendFold[T string | []byte](to []byte, text T) []byte {
	n := len(to)
	to = slices.Grow(to, len(text))[:n+len(text)]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			to[n] = c // the next one overwrites what is not seen
			n += int(seen[c])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		if !blank(r) {
			n += copy(to[n:], text[i:i+size])
		}
		i += size
	}
	return to[:n]
}

// seen is 1 for each character of ASCII that is neither a space nor a control character.
var seen = func() (t [utf8.RuneSelf]uint8) {
	for c := ' ' + 1; c < 0x7f; c++ {
		t[c] = 1
	}
	return t
}()

// blank reports whether a character is white space, or not seen: those beyond ASCII that
// purify makes spaces of, or leaves out.
func blank(r rune) bool {
	switch {
	case r <= 0xa0, r == 0xad, r == 0x1680, r >= 0x2000 && r <= 0x200b, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029,
		r == 0x202f, r == 0x205f, r == 0x2060, r == 0x3000, r == 0xfeff:
		return true
	}
	return false
}

// flush ends the block that is being read, but for the last of very many.
func (w *walker) flush() {
	if len(w.blocks) == maxBlocks-1 {
		w.breaks = 0
		return
	}
	w.endBlock()
}

// endBlock ends a block.
func (w *walker) endBlock() {
	w.broken, w.breaks = false, 0
	if len(w.fold) == w.at {
		w.first = len(w.pieces)
		return
	}
	w.settleMarks()
	at := w.top()
	node := at.node
	if at.lines {
		node = w.nodes[node].parent // text between the lines of a listing
	}
	w.blocks = append(w.blocks, pageBlock{
		fold: int32(w.at), foldEnd: int32(len(w.fold)),
		piece: int32(w.first), pieceEnd: int32(len(w.pieces)),
		raw: int32(min(w.rawAt, len(w.raw))), rawEnd: int32(len(w.raw)), node: node,
		linked: w.linked, frame: w.depth[markup.TagNav]+w.depth[markup.TagFooter]+w.depth[markup.TagAside]+w.depth[markup.TagForm] > 0,
	})
	w.linked = 0
	w.at, w.first, w.rawAt = len(w.fold), len(w.pieces), len(w.raw)
}

// maxMark is the longest sign of a link of a heading to itself, in bytes: "¶", "#", "§",
// "[link]".
const maxMark = 6

// settleMarks takes a mark back that is a heading's own words, as where a whole heading
// leads to itself.
func (w *walker) settleMarks() {
	at := w.at
	for i := w.first; i < len(w.pieces); {
		p := &w.pieces[i]
		if p.style&styleMark != 0 {
			i, at = w.settleMark(i, at)
			continue
		}
		if p.style&styleHere != 0 {
			p.style &^= styleHere
			if pointsHere(w.fold[at:at+int(p.size)]) && int(p.size) < len(w.fold)-w.at {
				p.style |= styleMark
			}
		}
		i, at = i+1, at+int(p.size)
	}
}

// settleMark settles the pieces of one mark, from piece i, whose text is at at in w.fold, and
// returns where the next piece is. Of a mark with words nothing but a sign is one: a heading may
// end with code.
func (w *walker) settleMark(i, at int) (next, end int) {
	odd := w.pieces[i].style & styleOdd
	next, end = i, at
	for ; next < len(w.pieces) && w.pieces[next].style&(styleMark|styleOdd) == styleMark|odd; next++ {
		end += int(w.pieces[next].size)
	}
	text := w.fold[at:end]
	words := len(text) > maxMark || len(text) == len(w.fold)-w.at || hasWord(text)
	for k, from := i, at; k < next; k++ {
		p := &w.pieces[k]
		p.style &^= styleOdd
		if words && (next == i+1 || p.style&styleCode != 0 || !pointsHere(w.fold[from:from+int(p.size)])) {
			p.style &^= styleMark
		}
		from += int(p.size)
	}
	return next, end
}

// pointsHere reports whether a text is what generators show for a link to its own place.
func pointsHere(text []byte) bool {
	switch string(text) {
	case "¶", "#", "§", "\uf0c1", "🔗":
		return true
	}
	return false
}

// hasWord reports whether a text has two letters or digits of ASCII in a row.
func hasWord(text []byte) bool {
	for i := 1; i < len(text); i++ {
		if markup.LetterOrDigit(text[i]) && markup.LetterOrDigit(text[i-1]) {
			return true
		}
	}
	return false
}
