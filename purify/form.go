package purify

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A frame may have parts whose words differ from page to page: teasers of other pages below an article, a list of
// the pages around this one, a line with the number of visitors. No block of them is on many pages, but their form is: where on a page they
// are, by tags and classes, and that there is a link in all blocks there; or a line that is the same but for its numbers.
//
// A form tells no page what its body is. Many pages of a site may list links of their own at one place. It is only for the
// comparison of two pages that may be one in two layouts.

// A Form names the form of a block that may be in a frame and have other words on each page; 0: it has none.
type Form uint32

const (
	maxFormPlaces = 64 // places of a page that may have a form
	maxForms      = 24 // forms that a Site learns from a page
	maxFollowing  = 2  // blocks after one with a link that tell of the page it leads to
	maxNumbered   = 8  // lines of a page with numbers that have a form, the last ones
	leastLetters  = 16 // of such a line, in bytes
	leastForms    = 8  // pages of a site from which forms count
)

// A formPlace is where on a page elements are that may have a form, and whether all blocks in them so far have a link or tell of one.
type formPlace struct {
	place uint32 // Node.Place
	no    bool
}

// formBlocks sets the forms of a page's blocks. Other articles on the page have none.
func (w *workspace) formBlocks() {
	s := &w.site
	s.forms = reuse.Slice(s.forms, len(w.Blocks))
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
	numbered := 0
	for i := end - 1; i >= 0; i-- {
		at := int(s.forms[i]) - 1
		s.forms[i] = 0
		switch b := &w.Blocks[i]; {
		case at >= 0 && !s.formOf[at].no && b.Node > 0:
			s.forms[i] = Form(max(1, s.formOf[at].place*2654435761))
		case numbered < maxNumbered && !b.Tag.Heading():
			if s.forms[i] = w.numberedForm(i); s.forms[i] != 0 {
				numbered++
			}
		}
	}
}

// follows reports whether a block is in another place of the element that the block before it is in.
func (w *workspace) follows(i int) bool {
	here, before := &w.Nodes[w.Blocks[i].Node], &w.Nodes[w.Blocks[i-1].Node]
	return here.Parent == before.Parent && here.Place() != before.Place()
}

// numberedForm returns the form of a line that has numbers: that of the line without them. It is 0 for any other block.
func (w *workspace) numberedForm(i int) Form {
	b := &w.Blocks[i]
	if b.Size() < shortText || b.Size() > maxNumberedLine {
		return 0
	}
	text := w.Text[b.From:b.To]
	if !slices.ContainsFunc(text, markup.Digit) {
		return 0
	}
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
	for _, f := range w.site.forms {
		if f == 0 {
			continue
		}
		if p := f.print(); !slices.Contains(forms, p) {
			if forms = append(forms, p); len(forms) == maxForms {
				break
			}
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
