package purify

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/idna"

	"gatecrawl.example/gatecrawl/purify/css"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// Selectors tell what the models cannot know of a page: which of its text is body,
// which is not, and which fields are to be read from it. They are immutable; nil says
// nothing. Only HTML has what they select.
type Selectors struct {
	fields     []css.Field
	keep, drop []bound
}

// A bound is a selector for the pages of a host and of those below it.
type bound struct {
	host     string // lower case, with its port if one was given; "" is any
	selector *css.Selector
}

// maxSelectors bounds the selectors that name text, since each is a walk over each page.
const maxSelectors = 256

// ParseSelectors compiles selectors. Each of extract is a field, NAME=SELECTOR or
// NAME=SELECTOR@ATTR, see css.ParseField. Each of keep and drop is a SELECTOR, or
// HOST=SELECTOR for the pages of one host and of all below it. The error names every
// fault; without any selector the result is nil.
func ParseSelectors(extract, keep, drop []string) (*Selectors, error) {
	var faults []error
	s := new(Selectors)
	named := make(map[string]bool)
	for _, text := range extract {
		f, err := css.ParseField(text)
		if err == nil && named[f.Name] {
			err = fmt.Errorf("field %s: it is there twice: want one selector for each name; a list of selectors has commas between them", f.Name)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		named[f.Name] = true
		s.fields = append(s.fields, f)
	}
	if n := len(s.fields); n > css.MaxFields {
		faults = append(faults, fmt.Errorf("there are %d fields: want at most %d", n, css.MaxFields))
	}
	s.keep = bind(keep, &faults)
	s.drop = bind(drop, &faults)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(s.fields)+len(s.keep)+len(s.drop) == 0 {
		return nil, nil
	}
	return s, nil
}

// Version names what the selectors say of bodies; "" where they say nothing. Bodies of
// two versions do not compare. The order in which they were given does not count.
func (s *Selectors) Version() string {
	if s == nil || len(s.keep)+len(s.drop) == 0 {
		return ""
	}
	var lines []string
	for i, list := range [][]bound{s.keep, s.drop} {
		for _, b := range list {
			lines = append(lines, fmt.Sprintf("%d %s=%s\n", i, b.host, b.selector))
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("%016x", xxhash.Sum64String(strings.Join(slices.Compact(lines), "")))
}

func bind(texts []string, faults *[]error) []bound {
	var list []bound
	for _, text := range texts {
		b := bound{}
		host, rest, ok := css.CutOutside(text, '=')
		if !ok {
			rest = text
		}
		var err error
		if ok {
			if b.host, err = hostName(host); err != nil {
				*faults = append(*faults, fmt.Errorf("%q: %w", text, err))
				continue
			}
		}
		if b.selector, err = css.Parse(rest); err != nil {
			*faults = append(*faults, err)
			continue
		}
		list = append(list, b)
	}
	if len(list) > maxSelectors {
		*faults = append(*faults, fmt.Errorf("there are %d selectors: want at most %d", len(list), maxSelectors))
	}
	return list
}

// hostName brings a host into the form in which URLs have it.
func hostName(text string) (string, error) {
	text = strings.TrimSpace(text)
	name, port, hasPort := strings.Cut(text, ":")
	ascii, err := strings.ToLower(name), error(nil)
	if strings.Trim(ascii, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		ascii, err = idna.Lookup.ToASCII(ascii)
	}
	if err != nil || ascii == "" || strings.Trim(port, "0123456789") != "" || hasPort && port == "" {
		return "", fmt.Errorf("%q is no host: want SELECTOR, or HOST=SELECTOR such as example.org=.sidebar", text)
	}
	if hasPort {
		ascii += ":" + port
	}
	return ascii, nil
}

// covers reports whether a selector is for the pages of a host, given as host:port or
// host.
func (b *bound) covers(host string) bool {
	if b.host == "" {
		return true
	}
	if name, _, ok := strings.Cut(host, ":"); ok && !strings.Contains(b.host, ":") {
		host = name
	}
	above, ok := strings.CutSuffix(host, b.host)
	return ok && (above == "" || strings.HasSuffix(above, "."))
}

// hostOf returns the host of an absolute URL, lower case, with its port if it has one.
func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
}

// A mark says what Selectors say of a text.
type mark uint8

const (
	unmarked mark = iota
	markKeep
	markDrop
)

// bodyFor returns the selectors that name text of the pages of a URL.
func (s *Selectors) bodyFor(url string) (keep, drop []*css.Selector) {
	if s == nil || len(s.keep)+len(s.drop) == 0 {
		return nil, nil
	}
	host := hostOf(url)
	for i := range s.keep {
		if s.keep[i].covers(host) {
			keep = append(keep, s.keep[i].selector)
		}
	}
	for i := range s.drop {
		if s.drop[i].covers(host) {
			drop = append(drop, s.drop[i].selector)
		}
	}
	return keep, drop
}

// readWith reads a page, and what the selectors extract from it.
//
// A selector that names text has to be known before blocks are made, since it may be
// about half a line. So a page with such selectors is read twice: first for the tree
// alone, whose every text has the number of its token, and then for the blocks, where a
// block ends wherever what the selectors say of its tokens changes. Both readings are of
// the same lexer, so a number means the same text in both.
func (o *outline) readWith(s *Selectors, url string, page []byte, xml bool) (Fields, []string) {
	keep, drop := s.bodyFor(url)
	if len(keep)+len(drop) > 0 {
		first := newOutline()
		defer first.done()
		first.tree = css.NewTree()
		first.read(page, xml)
		o.marks = make([]mark, first.tokens)
		markTokens(first.tree, o.marks, keep, markKeep)
		markTokens(first.tree, o.marks, drop, markDrop) // last: what is dropped is never body
		o.read(page, xml)
		o.leaveOut()
		return s.extract(first.tree)
	}
	if s == nil || len(s.fields) == 0 {
		o.read(page, xml)
		return nil, nil
	}
	o.tree = css.NewTree()
	o.read(page, xml)
	return s.extract(o.tree)
}

// markTokens notes of each token in an element of the selectors what they say of it.
func markTokens(t *css.Tree, marks []mark, selectors []*css.Selector, says mark) {
	doc := t.Document()
	for _, s := range selectors {
		t.Within(doc.FindMatcher(s).Nodes, func(token int32) { marks[token] = says })
	}
}

// extract reads the fields of a page. Its second result are the names of those of which
// the page has more than is kept.
func (s *Selectors) extract(t *css.Tree) (fields Fields, cut []string) {
	if len(s.fields) == 0 {
		return nil, nil
	}
	doc := t.Document()
	left := css.Budget(css.MaxPage)
	for i := range s.fields {
		f := &s.fields[i]
		v, ok := f.Extract(doc, &left)
		if v.Cut || t.Cut() && (f.List || !ok) {
			cut = append(cut, f.Name)
		}
		if len(v.Texts) > 0 {
			fields = append(fields, Field{Name: f.Name, List: f.List, Values: v.Texts, url: v.URL})
		}
	}
	return fields, cut
}

// admits reports whether the current token goes into a block, and ends the block before it
// where the selectors say something else of that. Text that is only white space goes with
// what is around it.
func (o *outline) admits(l *markup.Lexer) bool {
	is := o.marks[o.tokens]
	if o.silent > 0 && (is != markKeep || o.inSilentTag()) {
		return false
	}
	if len(bytes.TrimSpace(l.Text)) == 0 {
		return true
	}
	if is != o.mark && len(o.text) > o.at {
		o.flush()
		if len(o.text) > o.at {
			return false // the page has too many blocks, and this text is not of the last one
		}
	}
	o.mark = is
	return true
}

// inSilentTag reports whether an element is open whose content is never text, such as a
// script; others are silent since they are hidden, and a selector may keep those.
func (o *outline) inSilentTag() bool {
	for i := range o.stack {
		if o.stack[i].tag.Is(markup.IsSilent) {
			return true
		}
	}
	return false
}

// leaveOut takes the blocks away that a selector drops, before the body is chosen: the
// models see the page as if it did not have them.
func (o *outline) leaveOut() {
	place := make([]int32, len(o.blocks)+1)
	kept := o.blocks[:0]
	for i, b := range o.blocks {
		place[i] = -1
		if b.mark != markDrop {
			place[i] = int32(len(kept))
			kept = append(kept, b)
		}
	}
	o.blocks = kept
	nowhere := int32(len(kept))
	place[len(place)-1] = nowhere
	for i := range o.runs {
		if r := &o.runs[i]; r.block >= 0 {
			if r.block = place[r.block]; r.block == nowhere {
				r.block = -1
			}
		}
	}
	move := func(block *int32) {
		if *block = place[min(int(*block), len(place)-1)]; *block < 0 {
			*block = nowhere
		}
	}
	for i := range o.links {
		move(&o.links[i].block)
	}
	for _, list := range [][]stamp{o.times, o.issued} {
		for i := range list {
			move(&list[i].block)
		}
	}
}

// chooseMarked replaces a choice by the blocks that selectors keep, if there are any.
func (o *outline) chooseMarked(kept []bool) {
	if o.marks == nil {
		return
	}
	for i := range o.blocks {
		o.pinned = o.pinned || o.blocks[i].mark == markKeep
	}
	for i := range kept {
		if o.pinned {
			kept[i] = o.blocks[i].mark == markKeep
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
		a := html.Attribute{Key: utf8Text(l.Attrs[i].Key), Val: oneBreak.Replace(utf8Text(unescape(nil, l.Attrs[i].Val)))}
		for _, before := range attrs {
			if before.Key == a.Key {
				continue next // the first counts
			}
		}
		attrs = append(attrs, a)
	}
	return utf8Text([]byte(name)), attrs
}

// oneBreak writes the end of a line as HTML has it.
var oneBreak = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// renamed has the names that the lexer gives to elements for reasons of its own.
var renamed = map[string]string{
	"sv-": "svg", "xm-": "xml", "mat-": "math",
	"scrip-": "script", "styl-": "style", "titl-": "title", "textare-": "textarea", "ifram-": "iframe",
}

// tokenText returns the text of the current token as a reader of the page has it.
func (o *outline) tokenText(l *markup.Lexer) string {
	switch o.top().tag {
	case markup.TagScript, markup.TagStyle, markup.TagIframe:
		return utf8Text(l.Text)
	}
	return utf8Text(unescape(nil, l.Text))
}

func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}
