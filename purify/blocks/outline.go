package blocks

import (
	"bytes"
	"slices"

	"gatecrawl.example/gatecrawl/purify/css"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The bounds of one page. Of 1,628 real pages the largest had 395 open elements, 6,378 containers,
// 2,641 blocks and 1,625 links.
const (
	maxDepth  = 512     // open elements; deeper ones share the context of the last
	maxNodes  = 1 << 17 // containers
	maxBlocks = 1 << 15 // blocks of text; further text is added to the last one
	MaxURL    = 4 << 10 // bytes of a URL; longer ones are not taken for URLs
)

// MaxLinks is how many links of a page are read, unless a Reader has another limit. Further links
// are only counted.
const MaxLinks = 10_000

// An Outline is a page as its blocks, in the order of the document.
type Outline struct {
	MaxLinks  int // links that are read
	MoreLinks int // links beyond the limit

	Text      []byte // of all blocks, white space collapsed, a newline after each
	Blocks    []Block
	Nodes     []Node
	Links     []Anchor
	Head      Head
	Times     []Stamp             // of time elements with a datetime
	Published []Stamp             // of other elements that are marked as the date of publication
	Authors   []Span              // the text of elements that name an author; up to -1 while one is open
	Named     []string            // authors in the content of elements that have no text
	seen      map[uint32]struct{} // used by Layout
	below     []nodeText          // used by Layout, by node
	KeepRuns  bool                // keep runs
	Runs      []Run               // where the text came from; only if KeepRuns is set

	stack    []open
	depth    [markup.TagCount]int // open elements by tag
	over     int                  // open elements beyond maxDepth
	silent   int                  // open elements without text
	inert    int                  // open template elements, whose links do not count
	at       int                  // start of the block that is being read
	linked   int                  // its bytes inside links
	page     Span                 // its place in the page
	anchor   int                  // the open link, or -1
	breaks   int                  // br in a row
	space    bool                 // white space is due before the next text
	closed   bool                 // an element of emphasis ended just before
	seam     bool                 // another element started right after that: the texts in both are separate words
	tagged   bool                 // a tag stands between the last text and the next
	joined   bool                 // and one that stands within words
	hintOf   map[string]hint.Set  // of classes, also those of earlier pages
	met      *[64]metHint         // by their length and some of their letters
	scratch  []byte
	src      []byte // the lexer's copy of the page
	Binding  Binding
	shown    []picture
	Images   int  // img elements
	Inputs   int  // input elements
	Contacts int  // links to telephone numbers and mail addresses
	frames   int  // frame elements
	failed   bool // what is read is a message of PHP, up to the next line

	tokens int       // of text, read so far
	tree   *css.Tree // nil if there are no selectors
	marks  []mark    // what selectors say of each token of text; nil without selectors
	mark   mark      // what they say of the current block
}

// A Block is a run of text between block-level tags.
type Block struct {
	From, To int32 // in outline.text
	page     Span  // in the decoded page, from its first text to its last
	Linked   int32 // bytes of it inside links
	Node     int32 // the container around it
	Tag      markup.Tag
	mark     mark
	Hints    hint.Set
}

type Span struct{ From, To int32 }

// Place returns where in the decoded page the block's first text starts, which may start with white space.
func (b *Block) Place() int32 { return b.page.From }

// A Run is a part of the page's text that is in a block.
type Run struct {
	From  int32 // in the decoded page
	Block int32 // -1 if the block was dropped
}

// A Node is a block-level element. Its parent comes before it.
type Node struct {
	Parent int32
	Tag    markup.Tag
	Own    hint.Set // of the element alone
	Path   uint32   // see place
	tags   uint32
	full   uint32
	id     uint32
	look   uint32
}

// Place returns a hash of where the element is: of its tag and classes, those of the two around it, and the tags of all around it.
func (n *Node) Place() uint32 { return n.full }

// An Anchor is a URL in a page, and the place of its words.
type Anchor struct {
	URL      []byte // raw
	Alt      []byte // raw, of an image inside
	From, To int32  // words, in outline.text
	Block    int32
	NoFollow bool
}

type open struct {
	tag    markup.Tag
	silent bool
	block  bool   // a custom element that starts and ends a block
	signed uint8  // its place in outline.signed, from 1
	name   uint32 // hash of the name when the tag is TagOther
	node   int32
	hints  hint.Set // of all that is open down to this
	own    hint.Set // of this element
	byID   hint.Set // those that its id alone gave
	id     []byte
}

// Reset empties the outline, and keeps its memory. What was in it before has no effect on the next
// page.
func (o *Outline) Reset() {
	o.MaxLinks, o.MoreLinks = MaxLinks, 0
	o.Text, o.Blocks, o.Links = o.Text[:0], o.Blocks[:0], o.Links[:0]
	o.Nodes = append(o.Nodes[:0], Node{})
	o.stack = append(o.stack[:0], open{})
	o.Head = Head{Markup: o.Head.Markup[:0]}
	o.Authors = o.Authors[:0]
	o.Named = o.Named[:0]
	o.Published = o.Published[:0]
	o.Times, o.depth, o.over, o.silent, o.inert = o.Times[:0], [markup.TagCount]int{}, 0, 0, 0
	o.at, o.linked, o.anchor, o.breaks, o.space, o.closed, o.seam = 0, 0, -1, 0, false, false, false
	o.failed = false
	o.tagged, o.joined = false, false
	if o.hintOf == nil || len(o.hintOf) == maxHints {
		o.hintOf = make(map[string]hint.Set, 128)
	}
	if o.met == nil {
		o.met = new([64]metHint)
	}
	o.KeepRuns, o.Runs = false, nil
	o.Binding = Binding{}
	o.Images, o.Inputs, o.Contacts, o.frames, o.shown = 0, 0, 0, 0, o.shown[:0]
	o.tokens, o.tree, o.marks, o.mark = 0, nil, nil, unmarked
}

// Release drops the page, and reports whether the outline's memory is small enough to be reused for
// the next page.
func (o *Outline) Release() bool {
	clear(o.Links) // they refer to the page
	o.tree, o.marks = nil, nil
	return cap(o.src) <= 4*maxKept && cap(o.Text) <= maxKept && cap(o.Nodes) <= maxKept/16 && cap(o.Blocks) <= maxKept/16
}

// Shed frees the memory that is needed only while a page is read, for an outline that is kept.
func (o *Outline) Shed() { o.hintOf, o.met, o.Head.Markup, o.src = nil, nil, nil, nil }

// maxKept is the size of a text, in bytes, above which the memory of its outline is not reused.
const maxKept = 1 << 20

// Copy copies a page for the lexer, which changes what it reads.
func (o *Outline) Copy(page []byte) []byte {
	o.src = append(o.src[:0], page...)
	return o.src
}

// Read reads a whole page.
func (o *Outline) Read(page []byte, xml bool) {
	l := markup.NewLexer(o.Copy(page), xml)
	for {
		switch l.Next() {
		case markup.TokenEnd:
			o.endText()
			o.settleNoscript()
			o.settleFrames()
			return
		case markup.TokenText:
			if o.tree != nil {
				o.tree.Text(o.tokenText(l), int32(o.tokens))
			}
			o.failed = o.failed || o.takeFailure(l.Text)
			if !o.failed && (o.marks == nil && o.silent == 0 || o.marks != nil && o.admits(l)) {
				before := len(o.Text)
				o.write(l.Text)
				if len(o.Text) > before {
					if before == o.at {
						o.page.From = int32(l.From)
					}
					o.page.To = int32(l.To)
					if o.KeepRuns {
						o.Runs = append(o.Runs, Run{int32(l.From), int32(len(o.Blocks))})
					}
				}
			}
			o.tokens++
			o.Head.take(l, markup.TokenText)
		case markup.TokenStart:
			o.start(l, xml)
		case markup.TokenClose:
			o.Head.take(l, markup.TokenClose)
			o.inert = inert(o.inert, l, markup.TokenClose, xml)
			o.end(l.Tag, nameHash(l))
			o.closed = o.closed || l.Tag == markup.TagOther && emphasis(l)
			o.tagged, o.joined = true, o.joined || joins(l)
		}
	}
}

// inert returns the number of open templates after a tag, given the number before it. It needs
// nothing else of the page, so that Links, which has no stack, gets the same result.
func inert(n int, l *markup.Lexer, kind markup.Token, xml bool) int {
	switch {
	case l.Tag != markup.TagTemplate:
		return n
	case kind == markup.TokenStart && !(l.Self && xml):
		return n + 1
	case kind == markup.TokenClose:
		return max(n-1, 0)
	}
	return n
}

func (o *Outline) top() *open { return &o.stack[len(o.stack)-1] }

// nameHash returns a hash of the name of an element that is TagOther.
func nameHash(l *markup.Lexer) uint32 {
	if l.Tag != markup.TagOther {
		return 0
	}
	return fnv32(l.Name)
}

// fnv32 returns the FNV-1a hash of b.
func fnv32(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

func (o *Outline) start(l *markup.Lexer, xml bool) {
	t := l.Tag
	o.seam = o.seam || o.closed && !emphasis(l)
	o.tagged, o.joined = true, o.joined || joins(l)
	if o.depth[markup.TagSvg] > 0 && breaksOut(l.Name) {
		o.endSvg()
	}
	if t.Is(markup.EndsP) && o.depth[markup.TagP] > 0 {
		o.end(markup.TagP, 0)
	}
	o.implyEnds(t)
	if t.Is(markup.IsBlock) {
		o.flush()
	}
	if t.Heading() && o.top().tag.Heading() {
		o.popTo(len(o.stack) - 1) // <h2>One<h2>Two: HTML, 13.2.6.4.7
	}
	switch t {
	case markup.TagBr:
		o.lineBreak()
	case markup.TagA, markup.TagArea, markup.TagFrame, markup.TagIframe:
		if t == markup.TagFrame {
			o.frames++
		}
		o.link(l)
		o.permalink(l)
		if t == markup.TagIframe {
			o.picture(l)
		}
	case markup.TagAudio, markup.TagEmbed, markup.TagObject, markup.TagSource, markup.TagVideo:
		o.picture(l)
	case markup.TagLink:
		o.Binding.takeLink(l)
	case markup.TagMeta:
		o.Binding.takeMeta(l)
		o.Head.NoScript = o.Head.NoScript || o.depth[markup.TagNoscript] > 0
	case markup.TagBody:
		o.Binding.takeBody(l)
	case markup.TagOther:
		o.Binding.takeHelp(l)
	case markup.TagInput:
		o.Inputs++
	case markup.TagImg:
		o.picture(l)
		o.Images++
		if o.anchor >= 0 && o.Links[o.anchor].Alt == nil {
			o.Links[o.anchor].Alt, _ = l.Attr("alt")
		}
	case markup.TagTime:
		if at, ok := l.Attr("datetime"); ok {
			o.Times = o.stamp(o.Times, at)
		}
	}
	if t != markup.TagTitle || o.depth[markup.TagSvg] == 0 {
		o.Head.take(l, markup.TokenStart)
	}
	o.inert = inert(o.inert, l, markup.TokenStart, xml)
	if t.Is(markup.SpansPage) && o.depth[t] > 0 {
		if o.tree != nil {
			o.tree.Start(elementOf(l)) // adds the attributes
		}
		return
	}
	isEmpty := t.Is(markup.IsVoid) || l.Self && (xml || t == markup.TagSvg)
	if o.tree != nil {
		o.addToTree(l, isEmpty)
		return
	}
	if !isEmpty {
		o.push(l)
	}
}

// breaksOut reports whether the start of an element ends the drawing around it (HTML
// standard, 13.2.6.5: rules for parsing tokens in foreign content).
func breaksOut(name []byte) bool {
	switch string(name) {
	case "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr",
		"i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var":
		return true
	}
	return false
}

// endSvg closes the open drawing, unless HTML is open in it.
func (o *Outline) endSvg() {
	for i := len(o.stack) - 1; i > 0; i-- {
		switch e := &o.stack[i]; {
		case e.tag == markup.TagSvg:
			o.popTo(i)
			return
		case e.name == foreignObject || e.name == desc:
			return
		}
	}
}

// The elements of a drawing that may contain HTML.
var foreignObject, desc = fnv32([]byte("foreignobject")), fnv32([]byte("desc"))

// implyEnds closes the elements that the start of this one ends.
func (o *Outline) implyEnds(t markup.Tag) {
	switch t {
	case markup.TagLi:
		o.endWithin(markup.TagLi, markup.TagUl, markup.TagOl)
	case markup.TagDd, markup.TagDt:
		o.endWithin(markup.TagDd, markup.TagDl, markup.TagDl)
		o.endWithin(markup.TagDt, markup.TagDl, markup.TagDl)
	case markup.TagTd, markup.TagTh:
		o.endWithin(markup.TagTd, markup.TagTr, markup.TagTable)
		o.endWithin(markup.TagTh, markup.TagTr, markup.TagTable)
	case markup.TagTr:
		o.endWithin(markup.TagTr, markup.TagTable, markup.TagTable)
	case markup.TagTbody, markup.TagTfoot, markup.TagThead:
		o.endWithin(markup.TagTbody, markup.TagTable, markup.TagTable)
		o.endWithin(markup.TagThead, markup.TagTable, markup.TagTable)
	case markup.TagOption:
		o.endWithin(markup.TagOption, markup.TagSelect, markup.TagDatalist)
	case markup.TagBody:
		o.endWithin(markup.TagHead, markup.TagHtml, markup.TagHtml)
	case markup.TagA, markup.TagButton:
		o.end(t, 0)
	}
}

// emphasis reports whether an element separates a term from the text after it:
// "<b>size</b><span>integer</span>" is shown as two words by a style sheet.
func emphasis(l *markup.Lexer) bool {
	switch string(l.Name) {
	case "strong", "b", "code", "em", "i":
		return true
	}
	return false
}

// joins reports whether an element may be within a word: the number of a note, or a place where the
// line may break.
func joins(l *markup.Lexer) bool {
	if l.Tag != markup.TagOther {
		return l.Tag == markup.TagWbr
	}
	return string(l.Name) == "sup" || string(l.Name) == "sub"
}

// endWithin closes the innermost t, unless one of two containers was opened after it.
func (o *Outline) endWithin(t, container, other markup.Tag) {
	if o.depth[t] == 0 || o.over > 0 {
		return
	}
	for i := len(o.stack) - 1; i > 0; i-- {
		switch o.stack[i].tag {
		case t:
			o.popTo(i)
			return
		case container, other:
			return
		}
	}
}

// push opens an element.
func (o *Outline) push(l *markup.Lexer) {
	t := l.Tag
	if len(o.stack) >= maxDepth {
		o.over++
		return
	}
	parent := o.top()
	e := open{tag: t, node: parent.node, hints: parent.hints, name: nameHash(l)}
	own := hint.OfTag[t]
	if e.block = len(o.Text) == o.at && l.MayStartBlock(parent.tag, parent.block, len(o.stack) == 1); e.block {
		own |= o.hint(l.Name) // <site-footer> says what class="site-footer" does
	}
	var unseen hint.Set
	holds := false
	for i := range l.Attrs {
		switch a := &l.Attrs[i]; string(a.Key) {
		case "class", "role":
			if o.Binding.Doxygen {
				part, contents := o.Binding.takeDoxygen(t, a.Val)
				own |= part
				holds = holds || contents
				if t == markup.TagTr { // the class has a hash in it, which may have the word ad
					continue
				}
			}
			own |= o.hint(a.Val)
			if len(a.Val) > len(typedoc) && string(a.Val[:len(typedoc)]) == typedoc {
				o.Binding.API = true
			}
		case "pageids": // Dokka
			o.Binding.API = true
			holds = true
		case "itemprop":
			own |= o.hint(a.Val)
			e.signed = max(e.signed, o.sign(a.Val))
			if at, ok := l.Attr("content"); ok {
				o.say(string(a.Val), at)
			}
		case "rel":
			e.signed = max(e.signed, o.sign(a.Val))
		case "id":
			e.id = a.Val
			switch {
			case o.Binding.Scala:
				e.byID = o.Binding.takeScala(a.Val)
			case !o.Binding.Docbook:
				e.byID = hint.Names().Find(a.Val) // most occur once
			}
		case "hidden":
			unseen |= hint.InHidden
		case "aria-hidden":
			if string(a.Val) == "true" {
				unseen |= hint.InSilence
			}
		case "style":
			if hiding(a.Val) {
				unseen |= hint.InHidden
			}
		}
	}
	e.byID &^= own
	own |= e.byID
	switch t {
	case markup.TagBody, markup.TagHtml, markup.TagMain:
		own, e.byID = hint.OfTag[t], 0 // what a theme says about the whole page does not distinguish blocks
	case markup.TagArticle: // an article that is hidden until a script runs is still part of the page
	default:
		own |= unseen
	}
	e.silent = l.IsSilent() || own&(hint.InHidden|hint.InSilence) != 0 && !t.Shows() && !(own&hint.InHidden == 0 && leadsAway(l))
	e.own = own
	e.hints |= own
	if t.Is(markup.IsBlock) || e.block || t == markup.TagOther && own != 0 {
		e.node = o.addNode(l, parent.node, own)
	}
	if holds {
		o.Binding.Holds = e.node
	}
	if e.silent {
		o.silent++
	}
	o.depth[t]++
	o.stack = append(o.stack, e)
}

// leadsAway reports whether a tag is a link to another page. Teasers often hide a second link to
// the same page from screen readers, but its text is visible to everybody else; headings hide their
// mark, which is a link to themselves.
func leadsAway(l *markup.Lexer) bool {
	if l.Tag != markup.TagA {
		return false
	}
	_, ok := address(l)
	return ok
}

func (o *Outline) addNode(l *markup.Lexer, parent int32, own hint.Set) int32 {
	if len(o.Nodes) >= maxNodes {
		return parent
	}
	at := placeOf(l, &o.Nodes[parent])
	o.Nodes = append(o.Nodes, Node{Parent: parent, Tag: l.Tag, Own: own, Path: at.path, tags: at.tags, full: at.full, id: at.id, look: at.look})
	return int32(len(o.Nodes) - 1)
}

const (
	maxHints    = 2048 // attributes whose hints are remembered
	maxHintName = 64   // bytes of one
)

// hint returns the hints of the words in an attribute. The pages of a site repeat their classes, so most of them
// are remembered.
func (o *Outline) hint(val []byte) hint.Set {
	if len(val) == 0 {
		return 0
	}
	met := &o.met[(len(val)*29+int(val[0])*7+int(val[len(val)/2])*3+int(val[len(val)-1]))%len(o.met)]
	if string(met.val[:met.bytes]) == string(val) {
		return met.hints
	}
	h, ok := o.hintOf[string(val)]
	if !ok {
		h = hint.Names().Find(val)
		if bytes.Contains(val, []byte("hentry")) {
			h &^= notOfEntry
		}
		if len(val) <= maxHintName && len(o.hintOf) < maxHints {
			o.hintOf[string(val)] = h
		}
	}
	if len(val) <= maxHintName {
		met.bytes, met.hints = uint8(copy(met.val[:], val)), h
	}
	return h
}

// notOfEntry are hints that an entry of a blog cannot have (the microformat hAtom calls it hentry): themes give it the names
// of its categories and tags as classes, and one may be called navigation.
const notOfEntry = hint.InNav | hint.InFooter | hint.InAside | hint.SaysMenu | hint.SaysSide | hint.SaysFooter | hint.SaysComment | hint.SaysRelated | hint.SaysShare | hint.SaysPromo |
	hint.SaysPopup | hint.SaysCrumb | hint.SaysPager | hint.SaysControl | hint.SaysUnseen

// A metHint is an attribute that was met a short while ago, with its hints: most classes are those of elements just before.
type metHint struct {
	val   [maxHintName]byte
	bytes uint8
	hints hint.Set
}

// hiding reports whether a style attribute hides its element.
func hiding(style []byte) bool {
	i := bytes.Index(style, []byte("display"))
	if i < 0 {
		return false
	}
	rest := bytes.TrimLeft(style[i+len("display"):], " :")
	return bytes.HasPrefix(rest, []byte("none"))
}

// end closes the innermost element with a name, and all elements open inside it. An end tag does
// nothing if there is no such element or a boundary element is open inside it.
func (o *Outline) end(t markup.Tag, name uint32) {
	if t.Is(markup.IsBlock) {
		o.flush()
	}
	if t.Is(markup.SpansPage) {
		return
	}
	if o.over > 0 && t != markup.TagP && t != markup.TagA {
		o.over--
		return
	}
	if t == markup.TagA {
		o.closeLink()
	}
	if t.Heading() {
		t = t.OpenHeading(len(o.stack), func(i int) markup.Tag { return o.stack[i].tag })
	}
	if o.tree != nil && t == markup.TagP && o.depth[t] == 0 {
		o.tree.Start("p", nil) // as browsers do
	}
	if o.depth[t] == 0 {
		return
	}
	for i := len(o.stack) - 1; i > 0; i-- {
		e := &o.stack[i]
		if e.tag == t && e.name == name {
			if t == markup.TagA && slices.ContainsFunc(o.stack[i+1:], func(e open) bool { return e.tag.Is(markup.IsBlock) }) {
				o.forget(i)
				return
			}
			if e.block {
				o.flush()
			}
			o.popTo(i)
			return
		}
		if e.tag.Bars(t) {
			return
		}
		if t == markup.TagOther && e.tag.Is(markup.IsBlock) {
			return // an inline end tag does not close a block
		}
	}
}

// forget ends a link around open blocks, and leaves the blocks as they are (HTML standard,
// 13.2.6.4.7, the adoption agency algorithm). Its end tag then does nothing.
func (o *Outline) forget(i int) {
	e := &o.stack[i]
	o.depth[e.tag]--
	e.tag, e.name = markup.TagOther, 0
	o.depth[e.tag]++
}

// popTo closes the elements from the i-th on.
func (o *Outline) popTo(i int) {
	for _, e := range o.stack[i:] {
		o.depth[e.tag]--
		if e.silent {
			o.silent--
		}
		if e.signed > 0 {
			o.Authors[e.signed-1].To = int32(len(o.Text))
		}
	}
	o.stack = o.stack[:i]
	if o.tree != nil {
		o.tree.Close(i - 1)
	}
}

// link adds a URL.
func (o *Outline) link(l *markup.Lexer) {
	if o.inert > 0 {
		return
	}
	url, ok := address(l)
	if ok && len(o.Links) >= o.MaxLinks {
		o.MoreLinks++
		return
	}
	if !ok {
		if href, _ := l.Attr("href"); bytes.HasPrefix(href, []byte("tel:")) || bytes.HasPrefix(href, []byte("mailto:")) {
			o.Contacts++
		}
		return
	}
	a := Anchor{URL: url, From: int32(len(o.Text)), Block: int32(len(o.Blocks)), NoFollow: nofollow(l)}
	if l.Tag == markup.TagArea {
		a.Alt, _ = l.Attr("alt")
	}
	a.To = a.From
	o.Links = append(o.Links, a)
	if l.Tag == markup.TagA && o.silent == 0 {
		o.anchor = len(o.Links) - 1
	}
}

func (o *Outline) closeLink() {
	if o.anchor < 0 {
		return
	}
	a := &o.Links[o.anchor]
	a.To = int32(len(o.Text))
	o.anchor = -1
}

// settleNoscript drops text that is shown only without scripts, unless it is most of the page: some
// forums are built by a script, and have their posts in such elements.
func (o *Outline) settleNoscript() {
	inside, outside := 0, 0
	for i := range o.Blocks {
		if b := &o.Blocks[i]; b.Hints&hint.InNoscript != 0 {
			inside += b.Size()
		} else {
			outside += b.Size()
		}
	}
	if inside > 0 && inside <= outside {
		o.drop(func(b *Block) bool { return b.Hints&hint.InNoscript != 0 && b.mark != markKeep })
	}
}

// fewOfFrames is how many bytes the notice has that a set of frames shows where there are none: "This page is designed to be viewed
// using the frames feature. Link to the non-frame version." More is a page of its own for such browsers.
const fewOfFrames = 500

// settleFrames drops the notice of a set of frames: the page is what the frames show.
func (o *Outline) settleFrames() {
	if o.frames > 0 && len(o.Text) < fewOfFrames {
		o.drop(func(b *Block) bool { return b.mark != markKeep })
	}
}

// drop removes blocks.
func (o *Outline) drop(drops func(b *Block) bool) {
	place := make([]int32, len(o.Blocks)+1)
	kept := o.Blocks[:0]
	for i, b := range o.Blocks {
		place[i] = int32(len(kept))
		if !drops(&b) {
			kept = append(kept, b)
		}
	}
	place[len(place)-1] = int32(len(kept))
	for i := range o.Runs {
		r := &o.Runs[i]
		if b := int(r.Block); b+1 == len(place) || place[b+1] == place[b] {
			r.Block = -1
		} else {
			r.Block = place[b]
		}
	}
	o.Blocks = kept
	for i := range o.Links {
		o.Links[i].Block = place[o.Links[i].Block]
	}
	for i := range o.shown {
		o.shown[i].block = place[o.shown[i].block]
	}
}

// IsIn reports whether a node is the other one or inside it. A node's parent has a lower number.
func (o *Outline) IsIn(node, other int32) bool {
	for node > other {
		node = o.Nodes[node].Parent
	}
	return node == other
}

// Around returns the innermost node that has both a place and a node in it.
func (o *Outline) Around(place, node int32) int32 {
	for !o.IsIn(node, place) {
		place = o.Nodes[place].Parent
	}
	return place
}
