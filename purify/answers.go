package purify

import (
	"slices"

	"gatecrawl.example/gatecrawl/purify/words"
)

// Answers are what a template answered while a page was read with it, and all blocks of the page. A template that gives the same
// answers where the page's title and body depend on them makes the same view but for DocView.Blocks, and these follow from the
// blocks of the page: DocView.ReadWith needs no bytes.
type Answers struct {
	host, by *Template // the template of the host, and what its For returned for the page
	names    []Print   // of the page's blocks
	title    string
	parts    []partAnswer
	several  []partAnswer   // on parts of titles as well: whether several have them
	leads    []partAnswer   // and whether most start with them
	fewer    []fewerAnswer  // on pairs of parts: whether fewer titles have the first
	below    []fewerAnswer  // on blocks: whether fewer pages have the heading above
	most     []headedAnswer // whether most pages have a block
	often    []headedAnswer // whether many pages have it, as many as have a link of the frame
	headline []Print        // names of the page's headline, one for each time that the page has it
	headed   []headedAnswer
	blocks   []candidate
	counted  bool // the body depends on how many pages have a block in another way than headed
	pinned   bool // selectors have chosen the body
}

// maxAnswered is how many blocks a page with Answers has at most: they take some 50 bytes each.
const maxAnswered = 4096

// A partAnswer says whether many titles of a site have a part.
type partAnswer struct {
	name Print
	has  bool
}

// A fewerAnswer says whether several titles have the part b, and not half as many the part a; or the same of blocks and pages.
type fewerAnswer struct {
	a, b Print
	is   bool
}

// A headedAnswer says whether a block belongs to the page's headline, see isHeaded, or whether most or many pages have it.
type headedAnswer struct {
	block Print
	is    bool
}

// A candidate is a block that a template decides about: a view has it if it is chosen, or if the template lacks it.
type candidate struct {
	Block      // Shared: the template has it, pinned or not
	asked bool // title or body depend on that
	menu  bool // it belongs to a menu
}

// asked is framed for what decides a page's title or body: it notes that the block was asked for.
func (w *workspace) asked(i int) bool {
	w.site.asked[i] = true
	return w.framed(i)
}

// askedPart is Template.inTitles, and notes the answer.
func (w *workspace) askedPart(host *Template, part string) bool {
	has := host.inTitles(part)
	w.site.parts = append(w.site.parts, partAnswer{printOfPart(part), has})
	return has
}

// askedSeveral is Template.inSeveralTitles, and notes the answer.
func (w *workspace) askedSeveral(host *Template, part string) bool {
	has := host.inSeveralTitles(part)
	w.site.several = append(w.site.several, partAnswer{printOfPart(part), has})
	return has
}

// askedFewer is Template.inFewer, and notes the answer.
func (w *workspace) askedFewer(host *Template, a, b string) bool {
	f := fewerAnswer{a: printOfPart(a), b: printOfPart(b)}
	f.is = host.inFewer(f.a, f.b)
	w.site.fewer = append(w.site.fewer, f)
	return f.is
}

// askedLeads is Template.leadsTitles, and notes the answer.
func (w *workspace) askedLeads(host *Template, part string) bool {
	has := host.leadsTitles(part)
	w.site.leads = append(w.site.leads, partAnswer{printOfPart(part), has})
	return has
}

// askedMost reports whether most pages of the site have a block, and notes the answer.
func (w *workspace) askedMost(i int) bool {
	if i >= w.end {
		return true // it belongs to another article
	}
	has := w.site.template.onMost(w.site.pages[i])
	w.site.most = append(w.site.most, headedAnswer{w.site.prints[i], has})
	return has
}

// askedOften reports whether many pages of the site have a block, and notes the answer.
func (w *workspace) askedOften(i int) bool {
	if i >= w.end {
		return true // it belongs to another article
	}
	has := w.site.template.frames(w.site.pages[i], false, true)
	w.site.often = append(w.site.often, headedAnswer{w.site.prints[i], has})
	return has
}

// answers returns what the template host, which is by for the page, answered while the page was read; nil if it has too many
// blocks. The listed blocks are those of the view.
func (w *workspace) answers(host, by *Template, names []Print, title string, listed []Block) *Answers {
	n := min(w.end, len(w.Blocks)) // of those below no template is asked
	if n > maxAnswered {
		return nil
	}
	a := &Answers{host: host, by: by, names: names, title: title, parts: slices.Clone(w.site.parts), counted: w.site.counted, pinned: w.pinned}
	a.several, a.fewer, a.most = slices.Clone(w.site.several), slices.Clone(w.site.fewer), slices.Clone(w.site.most)
	a.below = slices.Clone(w.site.below)
	a.leads, a.often = slices.Clone(w.site.leads), slices.Clone(w.site.often)
	a.headline, a.headed = slices.Clone(w.site.headline), slices.Clone(w.site.headed)
	a.blocks = make([]candidate, n)
	next := 0 // of the listed ones
	for i := range a.blocks {
		c := &a.blocks[i]
		if next < len(listed) && int(w.site.listed[next]) == i {
			c.Block = listed[next]
			next++
		} else {
			c.Block = w.block(i, false)
		}
		b := &w.Blocks[i]
		c.Text, c.Shared = w.site.text[b.From:b.To], w.framed(i)
		c.asked, c.menu = w.site.asked[i], w.site.menu[i]
	}
	return a
}

// areOf reports whether the template of a host, which is by for the page, gives the same answers where title and body depend on them.
func (a *Answers) areOf(host, by *Template) bool {
	switch {
	case host == a.host:
		return true
	case host == nil, a.host == nil, (by == nil) != (a.by == nil), (by.Blocks() == 0) != (a.by.Blocks() == 0), a.counted:
		return false
	}
	for _, p := range a.parts {
		if host.frames(host.pages(p.name), false, true) != p.has {
			return false
		}
	}
	for _, p := range a.several {
		if host.pages(p.name) > 0 != p.has {
			return false
		}
	}
	for _, f := range a.fewer {
		if host.inFewer(f.a, f.b) != f.is {
			return false
		}
	}
	for _, f := range a.below {
		if by.inFewer(f.a, f.b) != f.is {
			return false
		}
	}
	for _, p := range a.leads {
		if host.onMost(host.pages(p.name)) != p.has {
			return false
		}
	}
	for _, m := range a.most {
		if by.onMost(by.pages(m.block)) != m.is {
			return false
		}
	}
	for _, m := range a.often {
		if by.frames(by.pages(m.block), false, true) != m.is {
			return false
		}
	}
	if len(a.headed) > 0 {
		headline := by.pages(a.headline[0])
		for _, p := range a.headline[1:] {
			headline = min(headline, by.pages(p))
		}
		for _, h := range a.headed {
			if by.belongs(by.pages(h.block), headline) != h.is {
				return false
			}
		}
	}
	for i := range a.blocks {
		if c := &a.blocks[i]; c.asked && by.frames(by.pages(c.Print), c.Prose, c.Linked) != c.Shared {
			return false
		}
	}
	return true
}

// listedBy returns the blocks that the view has with a template, as blocksOf does, and whether the menus among them are those that
// title and body depend on.
func (a *Answers) listedBy(by *Template) (list []Block, alike bool) {
	var at []int32
	aside := 0
	for i := range a.blocks {
		b := a.blocks[i].Block
		b.Shared = by.Has(&b)
		if !b.Chosen {
			if a.pinned || b.Shared {
				continue
			}
			if b.Text = words.Cut(b.Text, maxAside-aside); b.Text == "" {
				continue
			}
			aside += len(b.Text)
		}
		list, at = append(list, b), append(at, int32(i))
	}
	menus := by.shareMenus(list)
	for i := range a.blocks {
		c := &a.blocks[i]
		isMenu := false
		if len(menus) > 0 && int(at[menus[0]]) == i {
			isMenu, menus = true, menus[1:]
		}
		if isMenu != c.menu && (c.asked || c.Chosen) {
			return nil, false
		}
	}
	return list, true
}

// ReadWith makes of a view what reading its page with the template of its host would make, if that follows from its Answers, and
// reports whether it does; otherwise the view does not change. It follows if the template gives the same answers wherever the
// title or the body depends on them. Then only Template and Blocks differ; a title that Reframe has changed is that of the page
// again. If no block leaves the view or joins it, Blocks stays the same slice. moved reports whether the template has other blocks
// of the page than the one that it was read with.
func (v *DocView) ReadWith(host *Template) (follows, moved bool) {
	a := v.Answers
	if a == nil {
		return false, false
	}
	by := host.For(a.names)
	if !a.areOf(host, by) {
		return false, false
	}
	list, alike := a.listedBy(by)
	if !alike {
		return false, false
	}
	for i := range a.blocks {
		c := &a.blocks[i]
		moved = moved || by.frames(by.pages(c.Print), c.Prose, c.Linked) != c.Shared
	}
	v.Template, v.Title = by.Generation(), a.title
	if !slices.EqualFunc(list, v.Blocks, func(a, b Block) bool { return a.Print == b.Print && a.Text == b.Text }) {
		v.Blocks, v.Places = list, nil
		return true, moved
	}
	for i := range list {
		v.Blocks[i].Shared = list[i].Shared
	}
	return true, moved
}
