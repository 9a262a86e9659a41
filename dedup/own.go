package dedup

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/paging"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/splitmix"
)

// ownText is the number of tokens outside links from which only these are compared. A page with
// fewer is compared with its links: it is a list, or a page of a few lines. Of the values 40 and 100,
// this one missed fewer copies on the ten sites of docs/design-gate.md, What is compared; neither found a
// wrong one there.
const ownText = 100

// TextOf returns the part of a page that is compared word by word: all that it says, without what
// its site repeats as far as the given templates know. Links are left out if enough text is left
// without them. Lines that only repeat the title are left out, since the title is compared
// separately.
//
// The body that the models chose is not used if a template is known. On every page that has little
// else they choose one and the same frame of the site, and for a page in two layouts they choose
// differently; what is left of a page without its frame is the same in both. Without a template, or
// with nil, only the body is compared. A page without mark-up has no title: what its view calls the
// title is the first line of its body.
func TextOf(view *purify.DocView, templates ...*purify.Template) Text {
	return textFrom(view, nil, templates)
}

// Again is TextOf for the view that t was made of, which may have been reframed since: blocks that
// were cut into tokens for t are not cut again.
func (t *Text) Again(view *purify.DocView, templates ...*purify.Template) Text {
	return textFrom(view, t, templates)
}

func textFrom(view *purify.DocView, was *Text, templates []*purify.Template) Text {
	switch {
	case view == nil:
		return Text{}
	case view.Layout == 0:
		return Text{Body: view.Body}
	case view.Layout == purify.FeedLayout:
		return feedText(view)
	case len(view.Blocks) == 0:
		return Text{Title: view.Title, Body: view.Body}
	}
	t := Text{Title: view.Title, Lang: view.Lang, day: view.Date, blocks: view.Blocks, site: templates, Bare: view.Template == 0}
	t.Host, t.folder, t.Name = namesIn(view.URL)
	t.Name = naming.TitledCased(t.Name, t.Title)
	t.place, t.edition = placeOfURL(view.URL)
	t.ends = endsOf(view.URL)
	if was != nil && was.cut != nil && len(was.blocks) == len(t.blocks) && &was.blocks[0] == &t.blocks[0] {
		t.cut = was.cut
	} else {
		t.cut = newCuts(t.blocks)
	}
	here := t.readAs(view)
	t.show(view.Pictures)
	t.joinCompared()
	t.link(view, here)
	t.lead(view)
	return t
}

// readAs notes what decides, besides the blocks, which of them are compared: whether a template is known, and whether
// the page is a list.
func (t *Text) readAs(view *purify.DocView) (here paging.Page) {
	if len(t.site) > 0 {
		t.Bare = !slices.ContainsFunc(t.site, isKnown)
	}
	here = paging.Of(view.URL)
	t.paged = here.IsOneOf(view.Links)
	t.listing = t.paged || isListing(view)
	return here
}

func isListing(view *purify.DocView) bool { return view.Type == "listing" || view.Type == "collection" }

// feedText is TextOf for a feed, whose items are its Lists.
func feedText(view *purify.DocView) Text {
	t := Text{Body: view.Body, paged: true, listing: true}
	for _, l := range view.Links[:min(len(view.Links), maxLists)] {
		if sum := purify.TargetOf(l.URL); sum != 0 {
			t.Lists = append(t.Lists, sum)
		}
	}
	slices.Sort(t.Lists)
	t.Lists = slices.Compact(t.Lists)
	return t
}

// language returns the language of a text without its region and script.
func (t *Text) language() string { return primary(t.Lang) }

// namesIn returns the host of a URL, "" for the URL of a file; the last segment of its path,
// without a final slash, a folder's index, the "amp" that blogs put behind the URL of a page's light form, and percent-encoding;
// and the two folders before that, "" for the first one.
func namesIn(address string) (host, folder, segment string) {
	address, _, _ = strings.Cut(address, "?")
	path := address
	if _, rest, ok := strings.Cut(address, "://"); ok {
		host, path, _ = strings.Cut(rest, "/")
	}
	path, segment = cutLast(strings.TrimRight(path, "/"))
	for path != "" && (pageName(segment) == "index" || segment == "index.php" || segment == "amp") {
		path, segment = cutLast(path)
	}
	around, folder := cutLast(path)
	if _, above := cutLast(around); above != "" {
		folder = above + "/" + folder
	}
	if strings.Contains(segment, "%") {
		if name, err := url.PathUnescape(segment); err == nil && utf8.ValidString(name) {
			segment = name
		}
	}
	return host, folder, naming.Cased(segment)
}

// cutLast splits a path at its last slash. A path without a slash is all last.
func cutLast(path string) (before, last string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// placeOfURL returns a hash of a URL's path without the versions that folders are named after, and these; 0 if there are none.
func placeOfURL(url string) (place uint64, edition string) {
	path, edition := weburl.CutVersions(url)
	if edition == "" {
		return 0, ""
	}
	return max(1, xxhash.Sum64String(path)), edition
}

// areEditions reports whether the URLs of two pages differ in nothing but versions: those of a page in two versions of a manual,
// on one host or two.
func areEditions(a, b *Text) bool {
	return a.place != 0 && a.place == b.place && a.edition != b.edition
}

// maxEnds is how many folders before the end of a URL's path endsOf hashes.
const maxEnds = 4

// endsOf returns hashes of the end of a URL's path, and of the end with one or more folders before
// it, with the query: links are hashed as they are written in pages, where their paths may be
// relative.
func endsOf(url string) (ends []uint32) {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return nil
	}
	path, query, asks := strings.Cut(rest, "?")
	if asks {
		query = "?" + query
	}
	for i := len(path); len(ends) < maxEnds; {
		if i = strings.LastIndexByte(path[:i], '/'); i < 0 {
			return ends
		}
		if end := path[i+1:]; asks || end != "" && !weburl.IsIndex(end) {
			ends = append(ends, purify.TargetOf(end+query))
		}
	}
	return ends
}

// link records where a page links to: from its body, or, if the body may have a frame in it, from
// the whole page.
func (t *Text) link(view *purify.DocView, here paging.Page) {
	if len(view.Targets) != len(view.Links) {
		return
	}
	var sums []uint64
	for i := range view.Links {
		if !t.Bare && !view.Links[i].Body || t.Thin && here.Turns(view.Links[i].URL) {
			continue
		}
		if view.Targets[i] != 0 {
			sums = append(sums, uint64(view.Targets[i]))
		}
	}
	if len(sums) == 0 {
		return
	}
	sums = hashset.Of(sums)
	t.Links = max(1, uint32(token.Chain(sums)>>32))
	if !t.Thin || t.Bare || len(sums) > maxLists {
		return
	}
	for _, s := range sums {
		t.Lists = append(t.Lists, uint32(s))
	}
}

// leads are where a page leads, as sorted sets.
type leads struct {
	pages        []uint32 // all pages that it links to, also from its frame, as in Lists
	destinations []uint32 // of a thin page, the ends of its own links; see destinationsOf
}

// lead records where a page leads that is thin or was read without a template. Which of its links are in its body depends on the
// template that it was read with.
func (t *Text) lead(view *purify.DocView) {
	if !t.Thin && !t.Bare {
		return
	}
	var l leads
	if t.Thin {
		l.destinations = t.destinationsOf(view)
	}
	if len(view.Targets) <= maxLists {
		l.pages = slices.DeleteFunc(slices.Clone(view.Targets), func(to uint32) bool { return to == 0 })
		slices.Sort(l.pages)
		l.pages = slices.Compact(l.pages)
	}
	t.setLeads(l)
}

// setLeads sets where a page leads, unless that is nowhere.
func (t *Text) setLeads(l leads) {
	if len(l.pages) > 0 || len(l.destinations) > 0 {
		t.leads = &l
	}
}

// whereTo returns where a page leads.
func (t *Text) whereTo() leads {
	if t.leads == nil {
		return leads{}
	}
	return *t.leads
}

// maxLists is the most links of a page that are compared one by one; a page with more has no Lists.
const maxLists = 512

// repeated reports whether one of the templates has a block.
func repeated(b *purify.Block, templates []*purify.Template) bool {
	for _, site := range templates {
		if site.Has(b) {
			return true
		}
	}
	return false
}

// isExcluded reports whether a block is not compared: it is part of the site's frame or, if no
// template is known, outside the body.
func (t *Text) isExcluded(i int) bool {
	b := &t.blocks[i]
	if t.Bare {
		return !b.Chosen
	}
	return len(t.site) == 0 && b.Shared || repeated(b, t.site)
}

// joinCompared joins the blocks that are compared, one a line.
func (t *Text) joinCompared() {
	w := signers.Get().(*signer)
	defer w.release()
	t.joinComparedOn(w)
}

func (t *Text) joinComparedOn(w *signer) {
	own := make([]int32, 0, len(t.blocks))
	for i := range t.blocks {
		if !t.isExcluded(i) {
			own = append(own, int32(i))
		}
	}
	if !t.Bare {
		own = purify.WithoutMenus(t.blocks, own, t.site)
	}
	t.noteOwn(own)
	own = withoutStamps(t.blocks, own)
	w.tokens.Read(t.Title)
	named := hashset.Of(append([]uint64(nil), w.tokens.Hashes...))
	t.cutBlocks(w, own)
	t.plain, t.prose, t.listed, t.named = 0, 0, 0, false
	kept := own[:0]
	opening, opened := "", false // the first line, if it is short
	for _, at := range own {
		b := &t.blocks[at]
		hashes, sorts := t.tokensOf(&w.tokens, at)
		says, more := saysMoreThanTitle(hashes, sorts, named)
		if !more {
			t.named = t.named || says
			if len(b.Text) > len(t.Head) {
				t.Head = b.Text
			}
		}
		if more && t.Subject == "" && !b.Linked && len(hashes) <= maxSubject && holdsHalf(hashes, named) {
			t.Subject = b.Text
		}
		if says && !b.Linked && !opened {
			if opened = true; len(hashes) <= maxSubject {
				opening = b.Text
			}
		}
		if b.Linked && !says && !naming.IsVersion(b.Text) || !more {
			continue // a page number; the title
		}
		if !b.Linked {
			t.plain += len(hashes)
		} else if b.Chosen {
			t.listed += len(hashes)
		}
		if b.Prose {
			t.prose += len(hashes)
		}
		kept = append(kept, at)
	}
	if t.Subject == "" && !t.named {
		t.Subject = opening
	}
	if !t.fixed {
		t.Thin = t.plain < ownText || t.listing
	}
	if !t.Thin {
		kept = slices.DeleteFunc(kept, func(at int32) bool { b := &t.blocks[at]; return b.Linked && !(t.whole && b.Chosen) })
	}
	t.join(kept)
}

// saysMoreThanTitle reports whether a line has a word, and whether it has a token that the title lacks.
func saysMoreThanTitle(line []uint64, sorts []token.Sort, title []uint64) (says, more bool) {
	more = len(title) == 0
	for i, h := range line {
		says = says || sorts[i] == token.Word || sorts[i] == token.Character
		more = more || !hashset.Has(title, h)
		if says && more {
			break
		}
	}
	return says, more
}

// maxSubject is how many tokens a line may have to count as a heading that says more than the
// title.
const maxSubject = 24

// holdsHalf reports whether a block has half of a title's tokens.
func holdsHalf(block, title []uint64) bool {
	held := 0
	for _, w := range title {
		if slices.Contains(block, w) {
			held++
		}
	}
	return held > 0 && 2*held >= len(title)
}

// isReference reports whether a page has little prose: it lists the members of a class, the
// arguments of a command, the values of a table.
func (t *Text) isReference() bool {
	return len(t.blocks) > 0 && mostlyTerse*t.prose < t.plain
}

// mostlyTerse is how many times as many tokens outside links as tokens of prose a reference page
// has at least.
const mostlyTerse = 2

// onEdge reports whether the number of a page's words outside links is close to ownText, which
// decides whether its links are compared. What its site turns out to repeat may put it on the other
// side.
func (t *Text) onEdge() bool {
	return len(t.blocks) > 0 && !t.listing && ownText/2 <= t.plain && t.plain < 2*ownText
}

// other returns the text of a page with the other choice: with its links if the text is without
// them, and the reverse.
func (t *Text) other() *Text {
	o := *t
	o.made, o.asked, o.Head, o.Thin, o.fixed = nil, nil, "", !t.Thin, true
	o.joinCompared()
	return &o
}

// entire returns the text of all that the models took for the body of a page, with its links and with what its site repeats.
func (t *Text) entire() *Text {
	e := *t
	e.made, e.asked, e.Head, e.Subject, e.Bare, e.Thin, e.fixed = nil, nil, "", "", true, true, true
	e.joinCompared()
	return &e
}

// withBodyLinks returns the text of a page with the links in its body; nil if these are few
// compared with the rest. A table of a class's members names them in links.
func (t *Text) withBodyLinks() *Text {
	if t.Thin || t.listed < leastSaid || mostlyPlain*t.listed < t.plain {
		return nil
	}
	w := *t
	w.made, w.asked, w.Head, w.fixed, w.whole = nil, nil, "", true, true
	w.joinCompared()
	return &w
}

// mostlyPlain is how many times as many words outside links as words in links a body has at least
// if its links are not compared.
const mostlyPlain = 3

// chosen returns the part of a page's own text that the models took for its body; nil if a frame
// may be in it. What is outside the body and not repeated by the site, such as comments and teasers
// of other pages, may differ from one URL of a page to another.
func (t *Text) chosen() *Text {
	if t.Bare || len(t.blocks) == 0 {
		return nil
	}
	c := t.of(func(b *purify.Block) bool { return b.Chosen }, t.listing)
	c.Head = cmp.Or(c.Head, t.Head) // a heading above the body names the body too
	return c
}

// aroundBody returns the links of a page's own text that the models did not take for body.
func (t *Text) aroundBody() *Text {
	return t.of(func(b *purify.Block) bool { return b.Linked && !b.Chosen }, true)
}

// of returns the text of the blocks for which some holds, with its links or without.
func (t *Text) of(some func(*purify.Block) bool, links bool) *Text {
	b := *t
	b.made, b.asked, b.Head, b.Thin, b.fixed, b.blocks = nil, nil, "", links, true, nil
	if t.cut != nil {
		b.cut = t.cut.without()
	}
	for i := range t.blocks {
		if some(&t.blocks[i]) {
			b.blocks = append(b.blocks, t.blocks[i])
			if t.cut != nil {
				b.cut.blocks = append(b.cut.blocks, t.cut.blocks[i])
			}
		}
	}
	b.joinCompared()
	return &b
}

// isMostOf reports whether the chosen part of a page's text says enough by itself and is at least
// half of it. It is false for a very long page, whose text outside the body may be incomplete.
func (t *Text) isMostOf(whole *Text) bool {
	return t.plain >= leastSaid && 2*t.plain >= whole.plain && !purify.IsCut(whole.blocks)
}

// framedBy returns a text without what the site of the other text repeats; nil if that removes
// nothing. If two sites are copies of each other, the template of one may have what the other's has
// not learned yet.
func (t *Text) framedBy(other *Text) *Text {
	if t.Host == other.Host {
		return nil
	}
	theirs := slices.DeleteFunc(slices.Clone(other.site), func(site *purify.Template) bool { return !isKnown(site) })
	if len(theirs) == 0 {
		return nil
	}
	for i := range t.blocks {
		if b := &t.blocks[i]; (t.Bare || !repeated(b, t.site)) && repeated(b, theirs) {
			return t.readOn(slices.Concat(t.site, theirs))
		}
	}
	return nil
}

// eachLine calls fn with each line of a text and its hash.
func (t *Text) eachLine(fn func(line string, hash uint64)) {
	links := make(map[string]bool)
	for i := range t.blocks {
		if t.blocks[i].Linked {
			links[t.blocks[i].Text] = true
		}
	}
	for line := range strings.SplitSeq(t.Body, "\n") {
		fn(line, lineHash(line, links[line]))
	}
}

// lineHash returns a hash of a line's words. In a line of links their order does not count: some sites write a list of other
// languages or tags in another order each time.
func lineHash(line string, links bool) (h uint64) {
	for word := range strings.FieldsSeq(line) {
		if x := splitmix.Mix(xxhash.Sum64String(word)); links {
			h += x
		} else {
			h = splitmix.Mix(h ^ x)
		}
	}
	return splitmix.Mix(h)
}

// Lines returns a digest of a text's lines in which their order does not count; 0: it has none.
func (t *Text) Lines() uint64 {
	if t.Body == "" {
		return 0
	}
	h := uint64(1)
	t.eachLine(func(_ string, hash uint64) { h += hash })
	return max(1, splitmix.Mix(h))
}

// On returns a text that was read without a template as if it had been read with the given one; nil
// if it was read with one, or if site is not known.
func (t *Text) On(site *purify.Template) *Text {
	if !t.Bare || len(t.blocks) == 0 || !isKnown(site) {
		return nil
	}
	return t.readOn([]*purify.Template{site})
}

// readOn returns a text as if it had been read with the given templates.
func (t *Text) readOn(templates []*purify.Template) *Text {
	on := *t
	on.Bare, on.made, on.asked, on.Head, on.Subject, on.site = false, nil, nil, "", "", templates
	on.joinCompared()
	return &on
}

// isKnown reports whether there is a template.
func isKnown(site *purify.Template) bool { return site.Generation() > 0 }
