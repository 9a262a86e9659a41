package purify

import (
	"slices"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// A frame may have parts whose words differ from page to page: teasers of other pages below an article, a list of
// the pages around this one, a line with the number of visitors. No block of them is on many pages, but their form is: where on a page they
// are, by tags and classes, and that there is a link in all blocks there; or a line that is the same but for its numbers.
//
// A form tells no page what its body is: many pages of a site may list links of their own at one place. It is for the
// comparison of two pages that may be one in two layouts. Only at the ends of a body is a line or a bar of links left out whose form most
// pages of the site have: see dropForms.

// A Form names the form of a block that may be in a frame and have other words on each page; 0: it has none.
type Form uint32

const (
	maxFormPlaces = 64 // places of a page that may have a form
	maxForms      = 24 // forms that a Site learns from a page besides those of the last lines
	maxFollowing  = 2  // blocks after one with a link that tell of the page it leads to
	maxNumbered   = 8  // lines of a page with numbers that have a form, the last ones
	leastLetters  = 16 // of such a line, in bytes
	leastForms    = 8  // pages of a site from which forms count
	leastBar      = 3  // links of a bar of links
	maxEnds       = 2  // lines that are left out at an end of a body, and that are always learned
	leastOfOwn    = 60 // bytes that must be left of a body without the forms at its ends
)

// A formPlace is where on a page elements are that may have a form, and whether all blocks in them so far have a link or tell of one.
type formPlace struct {
	place uint32 // Node.Place
	no    bool
}

// formBlocks sets the forms of a page's blocks. Other articles on the page have none.
func (w *workspace) formBlocks() {
	s := &w.site
	s.forms, s.ofLine = reuse.Slice(s.forms, len(w.Blocks)), reuse.Slice(s.ofLine, len(w.Blocks))
	s.formOf = s.formOf[:0]
	end := min(w.end, len(w.Blocks))
	following := 0
	for i := range end {
		b := &w.Blocks[i]
		switch {
		case b.Linked > 0:
			following = 0
		case i > 0 && following < maxFollowing && w.follows(i) && (following > 0 || w.Blocks[i-1].Linked > 0):
			following++
		default:
			following = maxFollowing
		}
		place := w.Nodes[b.Node].Place()
		at := slices.IndexFunc(s.formOf, func(p formPlace) bool { return p.place == place })
		if at < 0 && len(s.formOf) < maxFormPlaces {
			at, s.formOf = len(s.formOf), append(s.formOf, formPlace{place: place})
		}
		if at >= 0 && b.Linked == 0 && following == maxFollowing {
			s.formOf[at].no = true
		}
		s.forms[i] = Form(at + 1)
	}
	numbered, links := 0, len(w.Links)
	for i := end - 1; i >= 0; i-- {
		at := int(s.forms[i]) - 1
		s.forms[i] = 0
		to := links
		for to > 0 && int(w.Links[to-1].Block) > i {
			to--
		}
		for links = to; links > 0 && int(w.Links[links-1].Block) == i; {
			links--
		}
		bar := Form(0)
		if to-links >= leastBar && numbered < maxNumbered {
			bar = w.barForm(i, w.Links[links:to])
		}
		switch b := &w.Blocks[i]; {
		case bar != 0:
			s.forms[i], s.ofLine[i] = bar, true
			numbered++
		case at >= 0 && !s.formOf[at].no && b.Node > 0:
			s.forms[i] = Form(max(1, s.formOf[at].place*2654435761))
		case numbered < maxNumbered && !b.Tag.Heading():
			if s.forms[i] = w.numberedForm(i); s.forms[i] != 0 {
				s.ofLine[i] = true
				numbered++
			}
		}
	}
	w.aboutForms(end)
}

// aboutForms sets the forms of the first lines with numbers that tell about the page.
func (w *workspace) aboutForms(end int) {
	for i, n := 0, 0; i < end && n < maxEnds; i++ {
		if metadata.TellsAbout(&w.Outline, i) && w.site.forms[i] == 0 {
			w.site.forms[i] = w.numberedForm(i)
			w.site.ofLine[i] = w.site.forms[i] != 0
			n++
		}
	}
}

// barForm returns the form of a bar of links, "[ Contents | Hives | Index ]" or "Other pages: Hives, Wax, Lids", and of the line that stands
// behind it in one block: that of the block without its links, what separates these, and its numbers. It is 0 for any other block.
func (w *workspace) barForm(i int, links []blocks.Anchor) Form {
	b := &w.Blocks[i]
	if b.Tag.Heading() {
		return 0
	}
	rest, at := append(w.bar[:0], w.Text[b.From:max(b.From, links[0].From)]...), b.From
	for k := range links {
		a := &links[k]
		if a.From < at || a.To > b.To || k > 0 && hasLetterOrDigit(w.Text[at:a.From]) {
			return 0 // a sentence with links
		}
		at = a.To
	}
	rest = append(append(rest, '@'), w.Text[at:b.To]...)
	w.bar = rest
	switch {
	case len(rest) > maxNumberedLine:
		return 0
	case hasLetterOrDigit(rest):
		if f := w.unnumbered(rest); f != 0 {
			return f
		}
		if hasLetterOrDigit(w.Text[at:b.To]) {
			return 0 // what a few words after links say is not known
		}
	}
	return Form(max(1, uint32(xxhash.Sum64(rest))^w.Nodes[b.Node].Place()*2654435761))
}

// hasLetterOrDigit reports whether a text has a letter or a digit.
func hasLetterOrDigit(text []byte) bool {
	for _, r := range string(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// dropForms removes from the ends of a body a line with numbers of its own ("Generated on day 5 of the year.") or a bar of links, if most
// pages of the site have one of the same form, and returns how many. At the start that is a line below headings of which
// metadata.TellsAbout is true. In the midst of a body such a line may be a page's datum, in a list or a table as well, and where hardly anything
// else is left it is what the page says.
func (w *workspace) dropForms(kept []bool) (dropped int) {
	if w.pinned || w.site.template == nil {
		return 0
	}
	var ends []int
	for i := 0; i < len(kept) && len(ends) < maxEnds; i++ {
		switch b := &w.Blocks[i]; {
		case !kept[i] || b.Tag.Heading():
			continue
		case metadata.TellsAbout(&w.Outline, i) && w.hasFrameForm(i):
			ends = append(ends, i)
			continue
		}
		break
	}
	head := len(ends)
	for i := len(kept) - 1; i >= 0 && len(ends) < head+maxEnds; i-- {
		if kept[i] {
			if slices.Contains(ends, i) || !w.hasFrameForm(i) {
				break
			}
			ends = append(ends, i)
		}
	}
	if len(ends) == 0 {
		return 0
	}
	own := 0
	for i, k := range kept {
		if k && !w.Blocks[i].Tag.Heading() && !slices.Contains(ends, i) {
			own += w.Blocks[i].Size()
		}
	}
	if own < leastOfOwn {
		return 0
	}
	for _, i := range ends {
		kept[i] = false
	}
	return len(ends)
}

// hasFrameForm reports whether a block is a line with numbers or a bar of links, of whose form the page has no other and most pages of the
// site have one. It notes the answer.
func (w *workspace) hasFrameForm(i int) bool {
	f := w.site.forms[i]
	if !w.site.ofLine[i] || slices.Index(w.site.forms, f) != i || slices.Contains(w.site.forms[i+1:], f) {
		return false
	}
	switch w.Blocks[i].Tag {
	case markup.TagPre, markup.TagLi, markup.TagTd, markup.TagTh, markup.TagDt, markup.TagDd:
		return false
	}
	p := f.print()
	has := w.site.template.Pages() >= leastForms && w.site.template.onMost(w.site.template.pages(p))
	w.site.most = append(w.site.most, headedAnswer{p, has})
	return has
}

// follows reports whether a block is in another place of the element that the block before it is in.
func (w *workspace) follows(i int) bool {
	here, before := &w.Nodes[w.Blocks[i].Node], &w.Nodes[w.Blocks[i-1].Node]
	return here.Parent == before.Parent && here.Place() != before.Place()
}

// numberedForm returns the form of a line that has numbers: that of the line without them. It is 0 for any other block.
func (w *workspace) numberedForm(i int) Form {
	b := &w.Blocks[i]
	if b.Size() > maxNumberedLine {
		return 0
	}
	text := w.Text[b.From:b.To]
	if !slices.ContainsFunc(text, markup.Digit) {
		return 0
	}
	return w.unnumbered(text)
}

// unnumbered returns the form of a text without its numbers, 0 if hardly anything else is in it.
func (w *workspace) unnumbered(text []byte) Form {
	masked, letters := w.scratch[:0], 0
	for at, c := range text {
		switch {
		case markup.Digit(c):
			if n := len(masked); n == 0 || masked[n-1] != '#' {
				masked = append(masked, '#')
			}
		case len(masked) > 0 && masked[len(masked)-1] == '#' && at+1 < len(text) && markup.Digit(text[at+1]) && (c == '.' || c == ',' || c == ':'):
		default:
			if c >= 0x80 || markup.Letter(c) {
				letters++
			}
			masked = append(masked, c)
		}
	}
	w.scratch = masked
	if letters < leastLetters {
		return 0
	}
	return Form(max(1, uint32(xxhash.Sum64(masked))))
}

// maxNumberedLine is the longest line, in bytes, that has a form for what it is without its numbers.
const maxNumberedLine = 400

// withForms adds the forms of a page's blocks to what a Site learns from it.
func (w *workspace) withForms(prints []Print) []Print {
	var forms []Print
	add := func(f Form, most int) {
		if p := f.print(); f != 0 && len(forms) < most && !slices.Contains(forms, p) {
			forms = append(forms, p)
		}
	}
	for _, f := range w.site.forms {
		add(f, maxForms)
	}
	for i := len(w.site.forms) - 1; i >= 0 && len(forms) < maxForms+maxEnds; i-- {
		if w.site.ofLine[i] {
			add(w.site.forms[i], maxForms+maxEnds)
		}
	}
	prints = append(prints, forms...)
	slices.Sort(prints)
	return slices.Compact(prints)
}

func (f Form) print() Print { return Print(f) | ofNoBlock }

// mayBeForm reports whether a Print is that of a form. One in 128 of the other names that are not of blocks looks like one.
func (p Print) mayBeForm() bool { return p&^ofNoBlock>>formBits == 0 && !p.OfBlock() }

const formBits = 32

// FramesForm reports whether half of the site's pages have blocks of the form of a block; a nil template says no.
func (t *Template) FramesForm(b *Block) bool {
	return t != nil && b.Form != 0 && !b.Pinned && t.fed >= leastForms && 2*int(t.pages(b.Form.print())) >= t.fed
}
