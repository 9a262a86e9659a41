package purify

import (
	"strings"
	"time"
	"unicode"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/document"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// MaxLinks is how many links of a page are read by default; further links are counted.
const MaxLinks = blocks.MaxLinks

// Purify reduces a page, given as its bytes and its Content-Type header, to its DocView. It never
// fails: from a broken page it reads what it can. The caller sets ID and URL.
func Purify(page []byte, contentType string) *DocView {
	return PurifyAt("", page, contentType)
}

// PurifyAt is Purify for a page whose absolute URL is known. The URL helps to determine the page's
// type, to remove the site's name from its title, and to find the category of a page that declares
// none.
func PurifyAt(url string, page []byte, contentType string) *DocView {
	view, _ := PurifyOn(nil, url, page, contentType)
	return view
}

// PurifyOn is PurifyAt for a page of a site with a known template; nil if there is none, or it does
// not apply to the page: see Template.For. It also returns what a Site may learn from the page,
// which is nothing if the page is not HTML.
func PurifyOn(t *Template, url string, page []byte, contentType string) (*DocView, []Print) {
	return Reader{}.PurifyOn(t, url, page, contentType)
}

// A Reader reads pages like the functions with the names of its methods, with settings.
type Reader struct {
	// MaxLinks is how many links of a page are read; 0 means the constant MaxLinks.
	MaxLinks int

	// Selectors find body text and fields. Default nil: none. With them the page's elements are
	// kept while it is read, at some 40 bytes each.
	Selectors *Selectors

	// Unsummed makes PurifyOn leave out Keywords and Abstract until DocView.Sum is called: they
	// take a fifth of the time of reading a page. Default false.
	Unsummed bool

	// Now is when the page was sent: a day that is more than one day later is not the Date of its view. Default zero: any day may be.
	Now time.Time

	// Answers makes PurifyOn note in DocView.Answers what it asked the template, for DocView.ReadWith, and
	// where each of DocView.Blocks starts. Default false.
	Answers bool
}

func (r Reader) links() int {
	if r.MaxLinks == 0 {
		return MaxLinks
	}
	return r.MaxLinks
}

// fewWords is the length in bytes below which the text of a page, with its links and its frame, says
// hardly anything: "This page has moved. Click here if your browser does not take you there."
const fewWords = 300

// PurifyOn is the function PurifyOn. It also reads the documents of package document (PDF, Office
// and others) as text; for a file that is broken or encrypted, TextError says why there is none.
func (r Reader) PurifyOn(t *Template, url string, page []byte, contentType string) (*DocView, []Print) {
	if k := document.KindOf(contentType); k != document.None {
		text, err := document.Text(k, page)
		view := r.plainView([]byte(text), "")
		if err != nil {
			view.TextError = err.Error()
		} else {
			view.declare(k, document.Title(k, page))
		}
		view.Category = metadata.Folders(url)
		view.Template = t.Generation()
		return view, nil
	}
	text, html := charset.Decode(page, contentType)
	if markup.IsPlainText(contentType) {
		view := r.plainView(text, html)
		view.Category = metadata.Folders(url)
		view.Template = t.Generation()
		return view, nil
	}
	w := newWorkspace()
	defer w.done()
	w.MaxLinks = r.links()
	fields, cut := w.readWith(r.Selectors, url, text, markup.IsXML(contentType, text))
	m := metadata.Read(w.Head.Markup)
	kept := w.body.Choose(&m)
	w.choosePinned(kept)
	// The model of types was trained on single pages, so the type is determined from what this page
	// shows.
	kind := w.body.Type(&m, url, kept)
	role := w.body.Role(kind, kept)
	w.keepSections(kept, &m, kind)
	layout := w.Layout(kept)
	w.leaveFollowing(kept, &m, kind)
	w.belongTo(t)
	prints := w.lesson()
	known := metadata.Known{Block: w.asked, Most: w.askedMost, Often: w.askedOften}
	if !r.Now.IsZero() {
		known.Until = r.Now.UTC().AddDate(0, 0, 1).Format(time.DateOnly) // it may be tomorrow where the page was written
	}
	host := t // its titles count even in a folder whose frame is not known
	if t != nil {
		known.Part = func(part string) bool { return w.askedPart(host, part) }
		known.Several = func(part string) bool { return w.askedSeveral(host, part) }
		known.Leads = func(part string) bool { return w.askedLeads(host, part) }
		known.Fewer = func(a, b string) bool { return w.askedFewer(host, a, b) }
	}
	if t.For(prints) != t {
		t = nil
		w.belongTo(t)
	}
	title := metadata.Title(&w.Outline, &m, kind, url, known)
	blocks, pictures := w.blocksOf(kept), w.Pictures(kept)
	var places *Places
	if r.Answers {
		places = w.placesOfListed()
	}
	prints = w.withForms(withParts(prints, &m, pictures))
	dropped := w.dropShared(kept, title, kind)
	w.dropCrumbs(kept)
	links := w.linkList(kept)
	w.keepInherited(kept, title)
	w.trim(kept)
	said := w.body.Join(kept)
	lang := words.Language(m.Lang, said) // names in a list tell no language
	listed := w.keepListed(kept, kind)
	ends := w.dropForms(kept)
	if listed || ends > 0 {
		said = w.body.Join(kept)
	}
	view := &DocView{
		Type:      kind,
		Role:      role,
		Category:  metadata.Category(&w.Outline, &m, url, title),
		Title:     title,
		Body:      said,
		Links:     links,
		MoreLinks: w.MoreLinks,
		Date:      metadata.Date(&w.Outline, &m, kind, url, known),
		Author:    metadata.Author(&w.Outline, &m, url),
		Lang:      lang,
		Canonical: m.Canonical,
		Base:      m.Base,
		Refresh:   m.Refresh,
		Robots:    m.Robots,
		Charset:   html,
		Layout:    layout,
		Template:  t.Generation(),
		NoScript:  w.allNoscript(kept),
		Dropped:   dropped + ends,
		Fields:    fields,
		FieldsCut: cut,
		Blocks:    blocks,
		Pictures:  pictures,
	}
	view.Moved = m.AtOnce && m.Refresh != "" && len(w.Text) < fewWords && (!w.Head.NoScript || m.Refresh == m.Canonical || leadTo(view.Links, m.Refresh))
	view.Targets = targetsOf(url, view.Links)
	if r.Answers {
		view.Answers, view.Places = w.answers(host, t, prints, title, blocks), places
	}
	if view.Unsummed = r.Unsummed; !r.Unsummed {
		view.sum(&w.digest, nil)
	}
	return view, prints
}

// sum fills in the keywords and the abstract.
func (v *DocView) sum(d *words.Digest, in Words) {
	v.Keywords = d.Keywords(v.Body, in)
	v.Abstract = d.Abstract(v.Body, v.Keywords)
	v.Unsummed = false
}

// Links is the fast way for a page whose text is known already: it returns a view with only Links,
// Base, Refresh, Canonical, Robots and Charset. The links have the URL, order and NoFollow of
// Purify's, no text, and Body is true for all.
func Links(page []byte, contentType string) *DocView { return Reader{}.Links(page, contentType) }

// Links is the function Links.
func (r Reader) Links(page []byte, contentType string) *DocView {
	text, html := charset.Decode(page, contentType)
	view := &DocView{Charset: html}
	if markup.IsPlainText(contentType) {
		return view
	}
	w := newWorkspace()
	defer w.done()
	limit := r.links()
	set := &w.set
	set.reset(limit)
	found := 0
	for url, nofollow := range w.EachLink(text, markup.IsXML(contentType, text)) {
		if found++; found > limit {
			continue
		}
		if cut := set.add(url, nofollow); cut != nil {
			cut.body = true
		}
	}
	m := metadata.Read(w.Head.Markup)
	view.Links, view.MoreLinks = set.links(), max(0, found-limit)
	view.Base, view.Refresh, view.Canonical, view.Robots = m.Base, m.Refresh, m.Canonical, m.Robots
	return view
}

// firstLine returns the first line of a text that has two letters, without the marks of a Markdown
// heading; "" if that is a paragraph. Page numbers, ruled lines and single letters are not titles.
func (w *workspace) firstLine() string {
	for i := range w.Blocks[:min(len(w.Blocks), maxLines)] {
		b := &w.Blocks[i]
		line := strings.Trim(string(w.Text[b.From:b.To]), "#=-~*_ ")
		first := strings.IndexFunc(line, unicode.IsLetter)
		if first < 0 || first == strings.LastIndexFunc(line, unicode.IsLetter) {
			continue
		}
		if b.Size() > maxWords {
			return ""
		}
		return line
	}
	return ""
}

// maxLines is how many lines of a text may precede its title.
const maxLines = 5

// plainView returns the view of a text without mark-up: all of it is body, one paragraph a line.
func (r Reader) plainView(text []byte, html string) *DocView {
	w := newWorkspace()
	defer w.done()
	w.ReadText(text)
	kept := make([]bool, len(w.Blocks))
	for i := range kept {
		kept[i] = true
	}
	view := &DocView{Type: "other", Role: "topic", Body: w.body.Join(kept), Charset: html}
	if view.Body == "" {
		view.Role = "other"
	}
	view.Title = w.firstLine()
	view.Lang = words.Language(view.Lang, view.Body)
	if view.Unsummed = r.Unsummed; !r.Unsummed {
		view.sum(&w.digest, nil)
	}
	return view
}
