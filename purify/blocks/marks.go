package blocks

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/css"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A mark is what selectors decide about a text.
type mark uint8

const (
	unmarked mark = iota
	markKeep
	markDrop
)

// ReadTree reads a page, and returns the tree of its elements.
func (o *Outline) ReadTree(page []byte, xml bool) *css.Tree {
	o.tree = css.NewTree()
	o.Read(page, xml)
	return o.tree
}

// ReadSelected reads a page with selectors that keep and drop parts of its text, and returns the
// tree of its elements.
//
// The selectors have to be applied before blocks are made, since one may select half of a line. So
// the page is read twice. First another outline reads it into the tree, in which every text has the
// number of its token. Then this outline reads it into blocks, and ends a block wherever the
// decision changes from one token to the next. Both use the same lexer, so they give a text the
// same number.
func (o *Outline) ReadSelected(other *Outline, page []byte, xml bool, keep, drop []*css.Selector) *css.Tree {
	tree := other.ReadTree(page, xml)
	o.marks = make([]mark, other.tokens)
	o.markTokens(tree, keep, markKeep)
	o.markTokens(tree, drop, markDrop) // last, so that dropped text is never part of the body
	o.Read(page, xml)
	o.leaveOut()
	return tree
}

// markTokens marks each token within the elements that the selectors match.
func (o *Outline) markTokens(t *css.Tree, selectors []*css.Selector, says mark) {
	doc := t.Document()
	for _, s := range selectors {
		t.Within(doc.FindMatcher(s).Nodes, func(token int32) { o.marks[token] = says })
	}
}

// Kept reports whether a selector keeps a block.
func (b *Block) Kept() bool { return b.mark == markKeep }

// admits reports whether the current token goes into a block. If the decision of the selectors
// changes here, it ends the block before. White space goes with the text around it.
func (o *Outline) admits(l *markup.Lexer) bool {
	is := o.marks[o.tokens]
	if o.silent > 0 && (is != markKeep || o.inSilentTag()) {
		return false
	}
	if len(bytes.TrimSpace(l.Text)) == 0 {
		return true
	}
	if is != o.mark && len(o.Text) > o.at {
		o.flush()
		if len(o.Text) > o.at {
			return false // the page has too many blocks, and this text does not belong to the last one
		}
	}
	o.mark = is
	return true
}

// inSilentTag reports whether an element is open whose content is never text, such as a script.
// Other silent elements are hidden ones, whose text a selector may keep.
func (o *Outline) inSilentTag() bool {
	for i := range o.stack {
		if o.stack[i].tag.Is(markup.IsSilent) {
			return true
		}
	}
	return false
}

// leaveOut removes the blocks that selectors drop, before the body is chosen: to the models it is
// as if the page did not have them.
func (o *Outline) leaveOut() {
	place := make([]int32, len(o.Blocks)+1)
	kept := o.Blocks[:0]
	for i, b := range o.Blocks {
		place[i] = -1
		if b.mark != markDrop {
			place[i] = int32(len(kept))
			kept = append(kept, b)
		}
	}
	o.Blocks = kept
	nowhere := int32(len(kept))
	place[len(place)-1] = nowhere
	for i := range o.Runs {
		if r := &o.Runs[i]; r.Block >= 0 {
			if r.Block = place[r.Block]; r.Block == nowhere {
				r.Block = -1
			}
		}
	}
	move := func(block *int32) {
		if *block = place[min(int(*block), len(place)-1)]; *block < 0 {
			*block = nowhere
		}
	}
	for i := range o.Links {
		move(&o.Links[i].Block)
	}
	for _, list := range [][]Stamp{o.Times, o.Published} {
		for i := range list {
			move(&list[i].Block)
		}
	}
}

// elementOf returns the name and attributes of the tag at hand.
func elementOf(l *markup.Lexer) (string, []html.Attribute) {
	name := string(l.Name)
	if was, ok := renamed[name]; ok {
		name = was
	}
	var attrs []html.Attribute
next:
	for i := range l.Attrs {
		a := html.Attribute{Key: utf8Text(l.Attrs[i].Key), Val: oneBreak.Replace(utf8Text(markup.Unescape(nil, l.Attrs[i].Val)))}
		for _, before := range attrs {
			if before.Key == a.Key {
				continue next // the first counts
			}
		}
		attrs = append(attrs, a)
	}
	return utf8Text([]byte(name)), attrs
}

// oneBreak replaces line ends as HTML does.
var oneBreak = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// renamed has the original names of elements that the lexer renames.
var renamed = map[string]string{
	"sv-": "svg", "xm-": "xml", "mat-": "math",
	"scrip-": "script", "styl-": "style", "titl-": "title", "textare-": "textarea", "ifram-": "iframe",
}

// tokenText returns the text of the current token as a reader sees it.
func (o *Outline) tokenText(l *markup.Lexer) string {
	switch o.top().tag {
	case markup.TagScript, markup.TagStyle, markup.TagIframe:
		return utf8Text(l.Text)
	}
	return utf8Text(markup.Unescape(nil, l.Text))
}

func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}

// addToTree adds an element to the tree, and opens it unless it is empty.
func (o *Outline) addToTree(l *markup.Lexer, isEmpty bool) {
	e := o.tree.Start(elementOf(l))
	if isEmpty {
		return
	}
	depth := len(o.stack)
	if o.push(l); len(o.stack) > depth {
		o.tree.Open(e)
	}
}
