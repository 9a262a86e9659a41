package metadata

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"iter"
	"math/bits"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// A Known says what the page's site repeats. The zero value says nothing.
type Known struct {
	Block   func(block int) bool   // whether the site repeats a block; nil: unknown
	Most    func(block int) bool   // whether most pages of the site have a block; nil: unknown
	Often   func(block int) bool   // whether many pages of the site have a block, as many as have a link of its frame; nil: unknown
	Part    func(part string) bool // whether many titles of the site have this part; nil: unknown
	Several func(part string) bool // whether several titles of the site have this part; nil: unknown
	Leads   func(part string) bool // whether most titles of the site have this part, or start or end with it; nil: unknown
	Fewer   func(a, b string) bool // whether several titles have the part b, and not half as many a; nil: unknown
	Until   string                 // the last day that may be that of a publication; "": any may
}

// Title returns the page's title. Its apostrophes are straight, since many pages use other
// apostrophes in the heading than in the metadata.
func Title(o *blocks.Outline, m *Declared, kind, url string, site Known) string {
	lead, tail := leadOf(m.Title), tailOf(m.Title)
	if site.Leads == nil || Home(url) || m.isDoxygen(o) {
		lead, tail = "", ""
	}
	if lead != "" && !site.Leads(lead) {
		lead = ""
	}
	if tail != "" && !site.Leads(tail) {
		tail = ""
	}
	if lead != "" || tail != "" {
		page := *m
		page.Title, page.OGTitle = withoutEnds(m.Title, lead, tail), withoutEnds(m.OGTitle, lead, tail)
		m = &page
	}
	return words.Straight(withoutEnds(withoutDay(bestTitle(o, m, kind, url, site), o, m, kind, url), lead, tail))
}

// isDoxygen reports whether Doxygen has written a page.
func (m *Declared) isDoxygen(o *blocks.Outline) bool {
	return o.Binding.Doxygen || strings.HasPrefix(m.Generator, "doxygen")
}

// leadOf returns the start of a title up to the first of leadSigns: the name of the site in "Paper House: The wax moth". It
// returns "" if there is none, or nothing follows.
func leadOf(title string) string {
	end := len(title)
	for _, sign := range leadSigns {
		if at := strings.Index(title[:end], sign); at > 0 {
			end = at + len(strings.TrimRight(sign, " "))
		}
	}
	if strings.TrimSpace(title[end:]) == "" {
		return ""
	}
	return title[:end]
}

// tailOf returns the end of a title from the last of tailSigns on: ", Paper House" of "The wax moth, Paper House". It returns ""
// if there is none, or nothing stands before it or behind it.
func tailOf(title string) string {
	from, size := 0, 0
	for _, sign := range tailSigns {
		if at := strings.LastIndex(title, sign); at > from {
			from, size = at, len(sign)
		}
	}
	if from == 0 || strings.TrimSpace(title[from+size:]) == "" {
		return ""
	}
	return title[from:]
}

// leadSigns and tailSigns may stand behind and before the name of a site, and more often do not: they are no separators.
var (
	leadSigns = [...]string{": ", "：", " > ", " ~ "}
	tailSigns = [...]string{", ", ": ", " : ", "：", " > ", " < ", " ~ "}
)

// withoutEnds returns a title without such a start and such an end; a title that is nothing else stays.
func withoutEnds(title, lead, tail string) string {
	if rest, ok := strings.CutPrefix(title, lead); ok && strings.TrimSpace(rest) != "" {
		title = strings.TrimSpace(rest)
	}
	if rest, ok := strings.CutSuffix(title, tail); ok && strings.TrimSpace(rest) != "" {
		title = strings.TrimSpace(rest)
	}
	return title
}

// withoutDay returns a title without the day and month at its start, if these are of the day of the page and no declared
// title has them: a theme shows them as a sign next to the heading, "25 Feb The wax moth".
func withoutDay(title string, o *blocks.Outline, m *Declared, kind, url string) string {
	number, rest, _ := strings.Cut(title, " ")
	name, own, _ := strings.Cut(rest, " ")
	date, err := strconv.Atoi(number)
	month := monthOf([]byte(strings.TrimRight(name, ".,")))
	if err != nil || len(number) > 2 || month == 0 || !saysMore(own) || strings.Contains(m.Title, number+" "+name) || strings.Contains(m.OGTitle, number+" "+name) {
		return title
	}
	if first, _, _ := strings.Cut(own, " "); IsYear(first) {
		return title
	}
	if day := Date(o, m, kind, url, Known{}); len(day) < len(time.DateOnly) || day[5:] != fmt.Sprintf("%02d-%02d", month, date) {
		return title
	}
	return own
}

// TitleParts returns the parts of the titles that a page declares, including the site's name, what is before the first colon, and what is
// behind the last comma.
func (m *Declared) TitleParts() []string {
	var parts []string
	for _, end := range [...]string{leadOf(m.Title), tailOf(m.Title)} {
		if end != "" {
			parts = append(parts, end)
		}
	}
	// The last is the title as Title cuts it if the ends are the site's.
	for _, title := range [...]string{m.Title, m.OGTitle, withoutEnds(m.Title, leadOf(m.Title), tailOf(m.Title))} {
		for part := range partsOf(title) {
			if part != "" && len(parts) < maxTitleParts && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

const maxTitleParts = 16

// bestTitle returns the h1 that the page's metadata confirms, or else the title without the site's
// name. Of 1,497 pages the known title was an h1 on two thirds, and og:title on 42%. The h1 of a
// page that sells a service is more often a slogan than a title, so for these the metadata is used
// unless the URL ends with the h1.
func bestTitle(o *blocks.Outline, m *Declared, kind, address string, known Known) string {
	if m.Title != "" && address != "" && m.isOfAnother(address) {
		page := *m
		page.OGTitle, page.OGURL = "", "" // on every page they are those of one page of the site
		m = &page
	}
	// The metadata is that of the site's first page, unless a heading confirms it.
	ofFirst := address != "" && !Home(address) && Home(m.Canonical)
	if date := archiveDate(m.Title, address); date != "" {
		return date
	}
	if isOfDay(m.Title, address) {
		return m.Title
	}
	if name := cmp.Or(doxygenName(o, m), manualsName(o), sourceName(m, address)); name != "" {
		return name
	}
	ofSite, bare := withoutDangling(m.Title), false
	if ofSite != "" {
		bare = isURLsStart(ofSite, address) || known.Part != nil && !known.Part(ofSite) // the site has no name
		page := *m
		page.Title = ""
		if bare || Home(address) {
			page.Title = ofSite
		}
		if m.OGTitle == ofSite || withoutDangling(m.OGTitle) == ofSite {
			page.OGTitle = page.Title
		}
		m = &page
		if bare {
			ofSite = ""
		}
	}
	site := siteWords(cmp.Or(m.site, nameInLink(o, m, address)), cmp.Or(address, m.Canonical, m.OGURL))
	site.repeated, site.onMost, site.several = known.Part, known.Leads, known.Several
	site.lists, site.paged = kind == "listing" || kind == "collection", listOf(address) != ""
	if m.isDoxygen(o) {
		site.whole = true // a list of members is named by all parts
	} else {
		site.fewer = known.Fewer
	}
	meta := site.toldTitle(m, address)
	h := nameHeadings(o, m, site, meta, address, known.Block)
	switch {
	case meta == "":
		if h.agreed == "" && h.ended == "" && h.last != "" {
			return h.last
		}
		if heading := cmp.Or(h.agreed, h.ended, h.alone, firstHeading(o, known.Block)); ofSite == "" || heading == h.alone || heading != ofSite {
			return heading
		}
		return ""
	case h.agreed != "" && isNumbered(h.agreed) && !isNumbered(meta) && site.startsOwn(m.Title, meta):
		return meta // the heading is that of the first section
	case h.ended != "" && (kind == "service" || h.agreed == ""):
		return h.ended
	case kind == "service", h.agreed != "" && !strings.Contains(meta, " ") && isURLsEnd(meta, address) && !hasWords(h.agreed, meta):
		return meta // a name; the heading is that of a section, as "Concurrent Haskell" of Control.Concurrent
	case h.agreed != "":
		best := h.agreed
		if h.shared || site.is(best) {
			if heading := site.headingBelow(o, m, address, known); heading != "" {
				return heading
			}
		}
		if own := site.headedRest(o, m.Title, best); own != "" {
			return own
		}
		if own := ownPart(o, m.Title, best); h.shared && own != "" && !site.isSites(own) {
			return own
		}
		if h.shared && mayHead(o, kind, known) {
			if heading := site.headingInSection(o, m, address, known, best); heading != "" {
				return heading
			}
		}
		if h.shared && (goesOn(meta, best) || isLastWord(best, meta) || !site.repeats(meta) && !mostlyIn(best, meta)) {
			return meta // the heading is the site's name, with one word more than in the titles, or a list's without the page's number
		}
		if site.lists && !site.paged && goesOn(meta, best) && site.withoutOwn(m.Title, site.isOwn) != m.Title {
			return meta // the heading is that of a wider list; what follows is not the site's name, which the title has, too
		}
		if name := hyphened(meta, best); name != "" {
			return name
		}
		if i := strings.LastIndex(best, " | "); i >= 0 && goesOn(m.Title, best) && site.isSites(strings.TrimPrefix(m.Title, best)) && !site.isOwn(best[i+3:]) {
			return best // the site's name is behind all of it
		}
		whole := best == m.Title && !isPair(best)
		if whole && site.repeated != nil && isURLsEnd(best, address) && site.trim(best) == best {
			return best // the URL has all of it
		}
		switch {
		case site.repeated == nil && (whole || strings.Contains(best, " | ")):
			best = site.trim(site.takeOff(best)) // the template's heading is the whole title
		case whole, strings.Contains(best, " | "):
			best = site.trimBoth(best)
		default:
			best = site.trim(best)
		}
		if site.firstOwn(m.Title) == meta && meta != m.Title && padded(best, meta) || glued(best, meta) || kind == "listing" && (counted(best, meta) || isLastWord(best, meta)) {
			return meta
		}
		return likeCased(best, meta)
	case h.alone != "" && !MayTitle(h.alone, address):
		return meta
	case h.count == 1 && h.alone != "" && !bare && !headingSays(o, meta) && (words.Set(h.alone).Len() > lone && !h.below || site.repeats(m.Title) || ofFirst || isURLsStart(h.alone, address) && !isURLsStart(meta, address) || endsAsURL(h.alone, address)):
		return h.alone
	case h.own == 1 && (site.repeats(m.Title) || !h.below && h.count == 1 && HasLetter(h.alone) && known.Several != nil && site.namesSection(o, m, address, known)):
		return h.alone
	}
	if heading := site.headingBelow(o, m, address, known); heading != "" {
		return heading
	}
	if h.own == 0 && mayHead(o, kind, known) {
		if heading := site.headingInSection(o, m, address, known, site.around(m.Title, meta)); heading != "" {
			return heading
		}
	}
	return cmp.Or(site.saidPart(o, m.Title, meta, address), site.headedPart(o, m.Title, meta, address), site.behindName(o, m.Title, meta, address), meta)
}

// nameInLink returns the text of the first link to the site's first page if it is the first or the last part of the page's
// title: the name of the site, where the page does not declare it. A link to the first page of a folder around the page tells it
// only if the rest of the title is a heading of the page: in a manual it has the name of a chapter.
func nameInLink(o *blocks.Outline, m *Declared, address string) string {
	first, rest, more := cutTitle(m.Title)
	if !more {
		return ""
	}
	_, last := cutLast(m.Title)
	for i := range o.Links {
		a := &o.Links[i]
		if text := o.Text[a.From:a.To]; len(text) == 0 || string(text) != first && string(text) != last {
			continue
		}
		site := siteWords("", cmp.Or(address, m.Canonical, m.OGURL))
		if site.is(last) || site.isIn(last) {
			return "" // the host has the last part
		}
		to, up := newSelf(m, address).above(a)
		name := string(o.Text[a.From:a.To])
		if up && (!strings.Contains(to, "/") || name == first && headingSays(o, strings.TrimSpace(rest))) {
			return name
		}
	}
	return ""
}

// headedRest returns what follows the name of the site in a title, for a page of a site whose titles are not known: the name
// is an h1 in the header of the page, and the rest a heading below it. "" for other titles.
func (s siteNames) headedRest(o *blocks.Outline, title, name string) string {
	part, rest, more := cutTitle(title)
	if rest = strings.TrimSpace(rest); s.repeated != nil || !more || part != name || s.is(rest) {
		return ""
	}
	above := false
	for i := range o.Blocks {
		switch b := &o.Blocks[i]; {
		case !b.Tag.Heading():
		case b.Tag == markup.TagH1:
			above = above || b.Hints&(hint.InHeader|hint.SaysHeader) != 0 && b.Hints&(hint.InMain|hint.InArticle) == 0 && headingAt(o, i) == name
		case above && b.Hints&notText == 0 && !isLink(b) && headingAt(o, i) == rest:
			return rest
		}
	}
	return ""
}

// isOfAnother reports whether og:title is that of another page: og:url is the site's first page, or a page with
// another name, and the page's title has little of og:title.
func (m *Declared) isOfAnother(address string) bool {
	if Home(m.OGURL) {
		return !Home(address)
	}
	return m.OGURL != "" && m.OGURL != m.Canonical && !Home(address) && endOf(m.OGURL) != endOf(address) && !mostlyIn(m.OGTitle, m.Title)
}

// headingBelow returns the page's own heading if its title is only the site's; "" if the title is not, or there is
// no such heading. Without a heading of the page's own it is one that other pages have, too, but not most of them: an
// event is headed "Birth", and a list has the name of its section.
func (s siteNames) headingBelow(o *blocks.Outline, m *Declared, address string, known Known) string {
	s.name = "" // some programs declare each page's title for the site's name
	if Home(address) || s.repeated == nil || !s.isSites(m.Title) {
		return ""
	}
	if heading := s.headingOf(o, m, address, known); heading != "" {
		return heading
	}
	if _, _, more := cutTitle(m.Title); more {
		return "" // it may be the title of a section
	}
	return s.lastCrumb(o, known)
}

// lastCrumb returns the end of the first way to a page that is named as breadcrumbs, if it has other items and the end is no link; "" if
// there is none.
func (s siteNames) lastCrumb(o *blocks.Outline, known Known) string {
	end, items := -1, 0
	for i := range o.Blocks {
		if o.Blocks[i].Hints&hint.SaysCrumb != 0 {
			end = i
			items++
		} else if end >= 0 {
			break
		}
	}
	if items < 2 || o.Blocks[end].Size() > maxHeading || o.Blocks[end].Linked > 0 || known.Block != nil && known.Block(end) {
		return ""
	}
	if name := string(o.BlockText(end)); HasLetter(name) && saysMore(name) && !s.is(name) {
		return name
	}
	return ""
}

func (s siteNames) headingOf(o *blocks.Outline, m *Declared, address string, known Known) string {
	page := newSelf(m, address)
	framed := func(i int) bool { return known.Block != nil && known.Block(i) }
	ofSite := func(i int) bool {
		return framed(i) || o.Blocks[i].Tag.Heading() && s.is(string(o.BlockText(i)))
	}
	if heading, _ := ownHeading(o, page, ofSite); heading != "" && MayTitle(heading, address) && !tellsTime(heading, m.Lang) {
		return heading
	}
	if known.Most == nil {
		return ""
	}
	ofMost := func(i int) bool {
		return ofSite(i) && (!Heads(o, i) || o.Blocks[i].Hints&notText != 0 || s.is(string(o.BlockText(i))) || known.Most(i))
	}
	heading, at := ownHeading(o, page, ofMost)
	if !HasLetter(heading) || !MayTitle(heading, address) || tellsTime(heading, m.Lang) {
		return "" // a year in a list
	}
	for i := at + 1; i < len(o.Blocks); i++ {
		if o.Blocks[i].Hints&outside == 0 && !framed(i) {
			return heading
		}
	}
	return "" // the heading of a footer
}

// tellsTime reports whether a heading tells when the thing that the page is about is or was: a span of days, or a birth or a death.
func tellsTime(heading, lang string) bool {
	d, at := findDay([]byte(heading), lang)
	return d != "" && isSpan([]byte(heading), at, lang) || strings.ContainsAny(heading, "0123456789") && saysOtherDay([]byte(heading))
}

// isInMenu reports whether a text is that of links in the page's menu, and all of these lead to other pages.
func isInMenu(o *blocks.Outline, m *Declared, address, text string) (is bool) {
	for i := range o.Blocks {
		if b := &o.Blocks[i]; b.Size() == len(text) && isLink(b) && b.Hints&(hint.InNav|hint.SaysMenu) != 0 && string(o.BlockText(i)) == text {
			if is = newSelf(m, address).leads(o, i); !is {
				return false
			}
		}
	}
	return is
}

// namesSection reports whether a page's title has only the names of the site and of a part of it: several titles have that, or it is in
// the page's menu.
func (s siteNames) namesSection(o *blocks.Outline, m *Declared, address string, known Known) bool {
	return consistsOf(m.Title, func(part string) bool { return s.isOwn(part) || known.Several(part) || isInMenu(o, m, address, part) })
}

// headingInSection returns the page's own heading if its title has only the names of the site and of a part of it; "" if it has more, or
// there is no such heading. ofSite is the heading that may be the site's.
func (s siteNames) headingInSection(o *blocks.Outline, m *Declared, address string, known Known, ofSite string) string {
	if Home(address) || known.Several == nil || !s.namesSection(o, m, address, known) {
		return ""
	}
	if !s.isOwn(ofSite) && !isOnMost(o, ofSite, known) {
		known.Most = nil // it may be the name of several pages
	}
	if heading := s.headingOf(o, m, address, known); HasLetter(heading) {
		return heading
	}
	return ""
}

// mayHead reports whether the first heading of a page of a type may name it: pages that list others may have the headings of these,
// if they have several.
func mayHead(o *blocks.Outline, kind string, known Known) bool {
	if kind != "listing" && kind != "collection" {
		return true
	}
	own := 0
	for i := range o.Blocks {
		if Heads(o, i) && o.Blocks[i].Hints&notText == 0 && (known.Block == nil || !known.Block(i)) {
			own++
		}
	}
	return own == 1
}

// around returns the other part of a title of two parts.
func (s siteNames) around(title, part string) string {
	first, rest, _ := cutTitle(title)
	if first == part {
		return strings.TrimSpace(rest)
	}
	return first
}

// isOnMost reports whether an h1 with a text is on most pages of the site.
func isOnMost(o *blocks.Outline, text string, known Known) bool {
	for i := range o.Blocks {
		if o.Blocks[i].Tag == markup.TagH1 && headingAt(o, i) == text {
			return known.Most != nil && known.Most(i)
		}
	}
	return false
}

// doxygenName returns the name that Doxygen writes above a page if the page's title does not have its words:
// the title of all lists of members is "Project: Member List". The name is in no heading, but in an
// element of the class title, unless the project has a theme of its own.
func doxygenName(o *blocks.Outline, m *Declared) string {
	if !strings.HasPrefix(m.Generator, "doxygen") && !o.Binding.Doxygen {
		return ""
	}
	project, told, _ := strings.Cut(m.Title, ": ")
	ofProject := ""
	for i := range o.Blocks {
		b := &o.Blocks[i]
		if b.Tag == markup.TagH1 {
			switch {
			case told != "" && told != "Main Page" && strings.HasPrefix(string(o.BlockText(i)), project):
				ofProject = told // each page has the project's name above it
			case b.Hints&outside == 0:
				return ofProject
			}
			continue
		}
		if b.Tag.Heading() || b.Tag == markup.TagDt || o.Nodes[b.Node].Own&hint.SaysTitle == 0 || b.Hints&outside != 0 || b.Size() > maxHeading || isLink(b) {
			continue
		}
		name := headingAt(o, i)
		own := words.Set(name)
		if words.Common(own, words.Set(m.Title)) == own.Len() || told != "" && strings.HasPrefix(name, told) { // a mark such as abstract follows
			return ofProject
		}
		return name
	}
	return ofProject
}

// sourceName returns the name of a class whose program javadoc has written as a page, which has it in its URL alone: all
// these pages are titled "Source code". A class within another one has the program of that: Observer.Flags.html is the same page
// as Observer.html, and has its title. It returns "" for other pages.
func sourceName(m *Declared, address string) string {
	if m.Title != "Source code" && !strings.EqualFold(m.Generator, "javadoc/SourceToHTMLConverter") || !strings.Contains(address, "/src-html/") {
		return ""
	}
	class, _, _ := strings.Cut(endOf(address), ".")
	return class
}

// withoutDangling returns what is left of a title of one part that ends or starts with a separator: the name of the
// site, which a template has joined to the page's title, although this page has none. It returns "" for other
// titles.
func withoutDangling(title string) string {
	for sep := range separatorsIn(title) {
		sep = strings.TrimSpace(sep)
		rest, ok := strings.CutSuffix(title, " "+sep)
		if !ok && strings.Trim(sep, "|-–—:") == "" { // "» Bees" is a page's title as old themes write it
			rest, ok = strings.CutPrefix(title, sep+" ")
		}
		if !ok {
			continue
		}
		if _, _, more := cutTitle(rest); !more {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// archiveDate returns the date of the list of a day, month or year, "12 October 2012" of "12 | October |
// 2012 | Site", as themes of WordPress write it, or of "Site » 2012 » October"; "" for other titles.
func archiveDate(title, address string) string {
	var date []string
	for part := range partsOf(title) {
		date = append(date, part)
	}
	at := slices.IndexFunc(date, func(part string) bool { return IsYear(part) && isDated(address, part) })
	if at < 0 || at > 2 {
		return ""
	}
	if from := date[at:]; at == 1 && monthOf([]byte(date[0])) == 0 && len(from) == 1+numbersBelow(address, from[0]) { // behind the site's name
		if len(from) == 1 {
			return from[0]
		} else if len(from) == 2 && monthOf([]byte(from[1])) > 0 {
			return from[1] + " " + from[0]
		}
	}
	for i, part := range date[:at] {
		day, err := strconv.Atoi(part)
		month := err != nil && !strings.ContainsAny(part, " 0123456789")
		if !month && (err != nil || day < 1 || day > 31 || i > 0) {
			return ""
		}
	}
	return strings.Join(date[:at+1], " ")
}

// isOfDay reports whether a title starts with a day or a month in numbers before a colon, and the page's URL ends with the same numbers:
// "16/1/2003 : Notes" of /2003/01/16.html.
func isOfDay(title, address string) bool {
	date, rest, ok := strings.Cut(title, ":")
	told := numbersIn(strings.TrimSpace(date))
	if !ok || strings.TrimSpace(rest) == "" || len(told) < 2 || !slices.ContainsFunc(told, IsYear) {
		return false
	}
	_, path, _ := strings.Cut(address, "//")
	folders := strings.Split(strings.TrimRight(path, "/"), "/")
	last := len(folders) - 1
	folders[last] = endOf(address)
	if len(folders) <= len(told) {
		return false
	}
	have := folders[len(folders)-len(told):]
	for i := range have {
		have[i] = strings.TrimLeft(have[i], "0")
	}
	slices.Sort(have)
	slices.Sort(told)
	return slices.Equal(have, told)
}

// numbersIn returns the numbers of a date without zeros at their starts; none if it has anything else than numbers and signs between them.
func numbersIn(date string) []string {
	if strings.Trim(date, "0123456789/.-") != "" {
		return nil
	}
	numbers := strings.FieldsFunc(date, isMark)
	for i := range numbers {
		numbers[i] = strings.TrimLeft(numbers[i], "0")
	}
	return numbers
}

// isDated reports whether a URL has a year as a folder, and below it only numbers and pages of a list.
func isDated(address, year string) bool {
	_, below, ok := strings.Cut(address+"/", "/"+year+"/")
	for folder := range strings.SplitSeq(strings.Trim(below, "/"), "/") {
		_, err := strconv.Atoi(folder)
		ok = ok && (err == nil || folder == "" || folder == "page" || strings.HasPrefix(folder, "index."))
	}
	return ok
}

// numbersBelow returns how many folders below a year in a URL are the numbers of a month and a day.
func numbersBelow(address, year string) (n int) {
	_, below, _ := strings.Cut(address+"/", "/"+year+"/")
	for folder := range strings.SplitSeq(below, "/") {
		if _, err := strconv.Atoi(folder); err != nil {
			break
		}
		n++
	}
	return n
}

// IsYear reports whether a text is a year in which a page may be dated, 1900 to 2099.
func IsYear(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && markup.Digit(s[2]) && markup.Digit(s[3])
}

// mostlyIn reports whether a text has enough of a heading's words for the two to agree.
func mostlyIn(heading, text string) bool {
	return areMostlyIn(words.Set(heading), words.Set(text))
}

func areMostlyIn(heading, text words.WordSet) bool {
	return float64(words.Common(heading, text)) >= agreed*float64(heading.Len())
}

// hasWords reports whether a heading has all words of a title.
func hasWords(heading, title string) bool {
	own := words.Set(title)
	return words.Common(own, words.Set(heading)) == own.Len()
}

// saidPart returns a part of a title that is also a line of the page and with which the end of its
// URL starts, if that is not so for the first part, which was taken. Then the first part is most
// likely the name of a site without a template yet. It returns "" if there is no such part: a page says
// the name of its site too, and the URL of a manual's page may start with it.
func (s siteNames) saidPart(o *blocks.Outline, title, taken, address string) string {
	first, rest, more := cutTitle(title)
	if !more || first != taken || isURLsStart(first, address) {
		return ""
	}
	for part := range partsOf(rest) {
		if isURLsStart(part, address) && isLine(o, part) && !isLine(o, first) && !s.is(part) {
			return part
		}
	}
	return ""
}

// behindName returns what follows the name of the site in a title that starts with it and of which only the
// first part behind that name was taken: "Site - News - Bees in winter" goes from the site to the page. It is
// a date, or the last of two parts if that is a line of the page and its URL starts with it, and else the
// whole rest.
func (s siteNames) behindName(o *blocks.Outline, title, taken, address string) string {
	first, rest, more := cutTitle(title)
	if !more || !s.is(first) && (s.repeated == nil || !s.repeated(first)) {
		return ""
	}
	var own, date []string
	for part := range partsOf(rest) {
		if date != nil || IsYear(part) && isDated(address, part) {
			date = append([]string{part}, date...)
		}
		if part != "" && !s.is(part) && (s.repeated == nil || !s.repeated(part)) {
			own = append(own, part)
		}
	}
	switch {
	case date != nil:
		return strings.Join(date, " ")
	case len(own) < 2 || own[0] != taken && own[0] != s.firstOwn(title):
		return ""
	case len(own) == 2 && isLine(o, own[1]) && isURLsStart(own[1], address):
		return own[1]
	case goesOn(taken, own[0]):
		return "" // it has them
	}
	return strings.Join(own, " - ")
}

// startsAlike reports whether two names start with the same letters, at least leastAlike of them or
// all of the shorter name. Names of less than leastStart never do.
func startsAlike(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= leastStart && n >= min(len(a), len(b), leastAlike)
}

const (
	leastStart = 4 // bytes
	leastAlike = 6 // bytes
)

// isLine reports whether a text is a block of the page.
func isLine(o *blocks.Outline, text string) bool {
	for i := range o.Blocks {
		if isText(o, i, text) {
			return true
		}
	}
	return false
}

// isText reports whether a text is a block of the page that is not in a menu, a footer or a dialog.
func isText(o *blocks.Outline, block int, text string) bool {
	b := &o.Blocks[block]
	return b.Size() == len(text) && b.Hints&outside == 0 && string(o.BlockText(block)) == text
}

// isURLsEnd reports whether a heading is the end of the page's URL, which has no apostrophes: Permission and
// /api/Permission$.html, "The bee's lid" and /the-bees-lid/.
func isURLsEnd(heading, address string) bool {
	name, end := squeezed(heading), squeezed(endOf(address))
	return name != "" && (name == end || strings.ReplaceAll(name, "'", "") == end)
}

// isURLsLast reports whether a heading has the last words of the page's URL: ClientId and
// /api/Thrift$$param$$ClientId$.html.
func isURLsLast(heading, address string) bool {
	name, end := squeezed(heading), strings.TrimRightFunc(endOf(address), isMark)
	for i := len(end); name != "" && i > 0; {
		i = strings.LastIndexFunc(end[:i], isMark)
		if i <= 0 {
			return false
		}
		if last := squeezed(end[i:]); last == name {
			return true
		} else if len(last) > len(name) {
			return false
		}
	}
	return false
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isURLsStart reports whether a heading starts with the start of the last part of the page's URL:
// "Kentucky Wildcats" and /kentucky/.
func isURLsStart(heading, address string) bool {
	return startsAlike(squeezed(heading), squeezed(endOf(address)))
}

// endsAsURL reports whether the last word of a heading is the name of a program's thing at the end of the page's
// URL: "Interface: WindVane" and /sails.WindVane.html.
func endsAsURL(heading, address string) bool {
	last := heading[strings.LastIndexByte(heading, ' ')+1:]
	inner := strings.IndexFunc(last, unicode.IsLower)
	return inner >= 0 && strings.ContainsFunc(last[inner:], unicode.IsUpper) && strings.HasSuffix(endOf(address), last)
}

// endOf returns the last segment of a URL's path without its extension. That of a page's AMP edition, /the-bees/amp/,
// is the page's.
func endOf(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address = strings.TrimSuffix(strings.TrimRight(address, "/"), "/amp")
	end := address[strings.LastIndexByte(address, '/')+1:]
	if i := strings.LastIndexByte(end, '.'); i > 0 {
		end = end[:i]
	}
	if plain, err := url.PathUnescape(end); err == nil {
		end = plain
	}
	return end
}

// toldTitle returns the metadata's title without the site's name.
func (s siteNames) toldTitle(m *Declared, address string) string {
	og := m.OGTitle
	if s.standsIn(og, m.Title) || s.repeats(og) && !s.repeats(m.Title) {
		og = "" // a theme gives all lists the same one
	}
	whole := cmp.Or(og, m.Title, m.Headline)
	first, _, _ := cutTitle(whole)
	switch {
	case emptyTitles[strings.ToLower(whole)], emptyTitles[strings.ToLower(first)]:
		return m.Headline
	case Home(cmp.Or(address, m.Canonical, m.OGURL)):
		return first
	case listOf(address) == "/": // the list of the first page goes on
		if _, last := cutLast(whole); isPageNumber(last) {
			return first + " - " + last
		}
		return first
	case s.lists && goesOn(s.severalOwn(m.Title), og):
		return s.severalOwn(m.Title)
	case goesOn(m.Title, og) && s.repeated != nil:
		return s.trimBoth(og)
	case goesOn(m.Title, og): // the site's name follows, so that the part before is one
		part, _, _ := strings.Cut(s.trim(og), " | ")
		return part
	}
	return s.takeOff(whole)
}

// standsIn reports whether an og:title is only the site's name although the page has a title
// of its own, which ends with that name or does not contain it.
func (s siteNames) standsIn(og, title string) bool {
	if og == "" || title == "" || og == title {
		return false
	}
	if s.name != "" && squeezed(og) == s.name {
		return true
	}
	before, ok := strings.CutSuffix(title, og)
	return ok && slices.ContainsFunc(separators[:], func(sep string) bool { return strings.HasSuffix(before, sep) })
}

// emptyTitles are texts that programs write if there is no title.
var emptyTitles = setOf(
	"<no title>", "untitled", "untitled document", "untitled page", "document", "new page", "new page 1", "title", "no title",
	"无标题文档", "无标题", "未命名", "無題ドキュメント",
)

// A naming has what the h1 elements of a page say about its title.
type naming struct {
	count  int    // how many there are, including those with the site's name
	agreed string // the one that has the most words of the metadata's titles, if it has enough
	alone  string // the last one that the site does not repeat
	own    int    // how many the site does not repeat
	ended  string // the one that is the end of the URL
	last   string // the one that is the last word of the URL's end
	shared bool   // the site repeats the block of agreed
	below  bool   // alone stands below text of the page, as the heading of a section
}

// nameHeadings reads the h1 elements of a page. meta is its metadata's title.
func nameHeadings(o *blocks.Outline, m *Declared, site siteNames, meta, address string, framed func(block int) bool) naming {
	var told, tail, title words.WordSet // words of the metadata's titles, of what is around the page's own, of meta, once an h1 was met
	var h naming
	// named is a heading with the words of meta that links to another page: then meta is most likely the name of a
	// site that comes first in its titles, and the page's title if no other heading is.
	most, named := 0, ""
	// covering is the first heading with all words of meta: "Bees – Day 8" of "Bees – Day 8 | Site".
	covering := ""
	said := false // there was text of the page
	for i := range o.Blocks {
		b := &o.Blocks[i]
		if b.Tag != markup.TagH1 || b.Size() > maxHeading || b.Size() < 2 || b.Hints&outside != 0 {
			said = said || b.IsProse() && b.Hints&notText == 0 && (framed == nil || !framed(i))
			continue
		}
		if h.count++; h.count == 1 {
			told, tail, title = words.Set(m.OGTitle+" "+m.Title+" "+m.Headline), site.tail(m.Title, m.OGTitle), words.Set(meta)
		}
		text := headingAt(o, i)
		if isURLsEnd(text, address) {
			h.ended = text
		}
		if isURLsLast(text, address) {
			h.last = text
		}
		own := words.Set(text)
		hit := words.Common(own, told)
		if (sameWords(own, tail) && named == "" || site.is(text)) && !sameWords(own, title) {
			continue // the heading is the site's name
		}
		if isLink(b) && newSelf(m, address).leads(o, i) {
			if sameWords(own, title) && named == "" {
				named = text
			}
			continue // the heading is the title of another page, as in a list of posts, or the site's name
		}
		shared := framed != nil && framed(i) // it is the site's name or slogan, or the name of a list
		if !shared {
			h.alone, h.below = text, said
			h.own++
			if covering == "" && title.Len() > 0 && words.Common(own, title) == title.Len() {
				covering = text
			}
		}
		if hit > most && float64(hit) >= agreed*float64(own.Len()) {
			h.agreed, h.shared, most = text, shared, hit
		}
	}
	if covering != "" && endsTitle(m.Title, h.agreed) {
		h.agreed, h.shared = covering, false
	}
	if h.count > 1 && most*leastPart < title.Len() {
		h.agreed = "" // it is the name of a section
	}
	h.agreed, h.alone = cmp.Or(h.agreed, named), cmp.Or(h.alone, named)
	return h
}

// notText has the hints of text that is not what a page is about.
const notText = outside | hint.InHeader | hint.InAside | hint.SaysHeader | hint.SaysSide | hint.SaysPopup | hint.SaysPromo | hint.SaysMenu | hint.SaysMeta | hint.SaysLead

// isNumbered reports whether a heading starts with the number of a section: "1. Lids", "2.1 Floors".
func isNumbered(heading string) bool {
	number, _, ok := strings.Cut(heading, " ")
	return ok && strings.IndexByte(number, '.') > 0 && strings.Trim(number, "0123456789.") == ""
}

// startsOwn reports whether a title consists of a part that is not the site's, and then only of parts that are, or of
// the first part alone. It is false as long as the titles of the site are not known.
func (s siteNames) startsOwn(title, part string) bool {
	if s.repeated == nil || s.isOwn(part) {
		return false
	}
	first, rest, more := cutTitle(title)
	return first == part && (!more || s.isSites(rest))
}

// headedPart returns a part of a title behind the first one, which was taken, if it is a heading below the first rank
// and the page's URL ends in a word that only that part has: "bundle:ant" of "Bundle Plugin – bundle:ant" at
// /ant-goal.html. It returns "" if there is no such part.
func (s siteNames) headedPart(o *blocks.Outline, title, taken, address string) string {
	first, rest, more := cutTitle(title)
	end := words.Set(endOf(address))
	if !more || first != taken || words.Common(end, words.Set(first)) > 0 {
		return ""
	}
	for part := range partsOf(rest) {
		if words.Common(end, words.Set(part)) > 0 && headingSays(o, part) && !s.isOwn(part) {
			return part
		}
	}
	return ""
}

// manualsName returns the name of a page of Unix's manual whose first heading is NAME: the name stands below it before
// a dash. It returns "" for other pages.
func manualsName(o *blocks.Outline) string {
	for i := range o.Blocks {
		b := &o.Blocks[i]
		if !b.Tag.Heading() || b.Hints&outside != 0 {
			continue
		}
		if !strings.EqualFold(string(o.BlockText(i)), "name") || i+1 == len(o.Blocks) || o.Blocks[i+1].Tag.Heading() {
			return ""
		}
		name, _, ok := strings.Cut(string(o.BlockText(i+1)), " - ")
		if !ok || len(name) > maxHeading || len(strings.Fields(name)) > lone {
			return ""
		}
		return name
	}
	return ""
}

// endsTitle reports whether a heading is the last of three or more parts of a title, as the name of a
// site is.
func endsTitle(title, heading string) bool {
	n, last := 0, ""
	for part := range partsOf(title) {
		n, last = n+1, part
	}
	return n > 2 && heading == last
}

// ownPart returns the end of a title whose first part is the name of a site, if that end is also a
// heading below the first rank; "" if there is none.
func ownPart(o *blocks.Outline, title, site string) string {
	part, rest, more := cutTitle(title)
	if part != site {
		return ""
	}
	for ; more; _, rest, more = cutTitle(rest) {
		if headingSays(o, rest) {
			return rest
		}
	}
	return ""
}

// headingSays reports whether a text is a heading below the first rank.
func headingSays(o *blocks.Outline, text string) bool {
	for i := range o.Blocks {
		if b := &o.Blocks[i]; b.Tag.Heading() && b.Tag != markup.TagH1 && isText(o, i, text) {
			return true
		}
	}
	return false
}

// A self has the URLs of a page: its own, and those in its metadata.
type self struct {
	base *url.URL // nil: not known
	is   []string
}

func newSelf(m *Declared, address string) self {
	if from := (selfFrom{address, m.Canonical, m.OGURL, m.Base}); m.selfFrom != from {
		m.self, m.selfFrom = selfOf(m, address), from
	}
	return m.self
}

// A selfFrom is what a self is made from: the zero one is from nothing.
type selfFrom struct{ address, canonical, ogURL, base string }

func selfOf(m *Declared, address string) self {
	base, err := url.Parse(cmp.Or(address, m.Canonical, m.OGURL))
	if err != nil || !base.IsAbs() {
		return self{}
	}
	s := self{base: base}
	for _, a := range [...]string{address, m.Canonical, m.OGURL} {
		if a == "" {
			continue
		}
		if u, err := base.Parse(a); err == nil {
			s.is = append(s.is, place(u))
		}
	}
	if u, err := base.Parse(m.Base); err == nil {
		s.base = u
	}
	return s
}

// isLink reports whether a block is a link and nothing else.
func isLink(b *blocks.Block) bool { return int(b.Linked) >= b.Size() }

// leads reports whether a block that is a link leads to another page.
func (s self) leads(o *blocks.Outline, block int) bool {
	if s.base == nil {
		return false
	}
	for i := range o.Links {
		a := &o.Links[i]
		if int(a.Block) != block || a.To == a.From {
			continue
		}
		u, err := s.base.Parse(html.UnescapeString(strings.TrimSpace(string(a.URL))))
		return err == nil && u.Host != "" && !slices.Contains(s.is, place(u))
	}
	return false
}

// above returns the place that a link leads to without its query, if that is the first page of the site or of a folder around
// the page, and not the page itself.
func (s self) above(a *blocks.Anchor) (to string, up bool) {
	if s.base == nil {
		return "", false
	}
	u, err := s.base.Parse(html.UnescapeString(strings.TrimSpace(string(a.URL))))
	if err != nil || u.RawQuery != "" || len(s.is) == 0 || slices.Contains(s.is, place(u)) {
		return "", false
	}
	to = strings.TrimSuffix(place(u), "?")
	return to, strings.HasPrefix(s.is[0], to+"/")
}

// place returns a URL without the parts in which two addresses of one page often differ.
func place(u *url.URL) string {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		if stem, _, _ := strings.Cut(path[at+1:], "."); stem == "index" {
			path = path[:at]
		}
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.") + path + "?" + u.RawQuery
}

// firstHeading returns the first heading of any level, of those that the site does not repeat if there are any; "" if there is
// none. That of a table of contents or of a sidebar is not one.
func firstHeading(o *blocks.Outline, framed func(block int) bool) string {
	first := ""
	for i := range o.Blocks {
		b := &o.Blocks[i]
		if !b.Tag.Heading() || b.Size() > maxHeading || b.Hints&(outside|hint.SaysToc|hint.InAside|hint.SaysSide) != 0 {
			continue
		}
		own := framed == nil || !framed(i)
		if !own && first != "" || headsContents(o, i) {
			continue
		}
		heading := headingAt(o, i)
		if own {
			return heading
		}
		first = heading
	}
	return first
}

// MayTitle reports whether a heading that the title of its page does not confirm may be its title at an address. On
// a numbered page of a list it is most likely that of the first thing there: only one that has a word of the list's
// folder names the list.
func MayTitle(heading, address string) bool {
	folder := listOf(address)
	if folder == "" {
		return true
	}
	if plain, err := url.PathUnescape(folder); err == nil {
		folder = plain
	}
	return words.Common(words.Set(heading), words.Set(folder)) > 0
}

// listOf returns the path of the folder whose list a URL is a numbered page of, as in /posts/page/2/ and
// /posts/page-2.html; "" for other URLs.
func listOf(address string) string {
	_, rest, _ := strings.Cut(address, "//")
	at := strings.IndexByte(rest, '/')
	if at < 0 {
		return ""
	}
	path, _, _ := strings.Cut(rest[at:], "?")
	path = strings.TrimSuffix(strings.TrimSuffix(path, "index.html"), "/")
	end := strings.TrimSuffix(path, ".html")
	number := end[len(strings.TrimRight(end, "0123456789")):]
	end = end[:len(end)-len(number)]
	folder, ok := strings.CutSuffix(strings.TrimRight(end, "/-_"), "/page")
	if !ok || number == "" || len(number) > 4 {
		return ""
	}
	return folder + "/"
}

// IsRepeated reports whether each part of a page's title is in many titles of its site.
func IsRepeated(title string, repeated func(part string) bool) bool {
	return siteNames{repeated: repeated}.repeats(title)
}

// Heads reports whether a block is a heading, or is named as a title, and can be the title of its page.
func Heads(o *blocks.Outline, block int) bool {
	b := &o.Blocks[block]
	return (b.Tag.Heading() || b.Hints&hint.SaysTitle != 0 && !isBelowHeading(o, block)) && b.Hints&outside == 0 && b.Size() <= maxHeading && !isLink(b) && saysMore(string(o.BlockText(block)))
}

// TellsAbout reports whether a block is no heading and its element is named as one that tells about the page, or as a title although a
// heading stands in it: a line with a day or a number of views.
func TellsAbout(o *blocks.Outline, block int) bool {
	b := &o.Blocks[block]
	return !b.Tag.Heading() && (b.Hints&hint.SaysMeta != 0 || b.Hints&hint.SaysTitle != 0 && isBelowHeading(o, block))
}

// isBelowHeading reports whether a block that is no heading stands with one in an element that is named as a title: the line with the day
// below the name of a post.
func isBelowHeading(o *blocks.Outline, block int) bool {
	if o.Blocks[block].Tag.Heading() || block == 0 {
		return false
	}
	at := o.Blocks[block].Node
	for at > 0 && o.Nodes[at].Own&hint.SaysTitle == 0 {
		at = o.Nodes[at].Parent
	}
	for i := block - 1; at > 0 && i >= 0; i-- {
		node := o.Blocks[i].Node
		for node > at {
			node = o.Nodes[node].Parent
		}
		if node != at {
			break
		}
		if o.Blocks[i].Tag.Heading() {
			return true
		}
	}
	return false
}

// saysMore reports whether a heading has more than a single letter, such as that of a part of an index.
func saysMore(heading string) bool { return len(squeezed(heading)) > 1 }

// HeadingOf returns the title that a heading says.
func HeadingOf(text string) string { return words.Straight(headingOf(text)) }

// ownHeading returns the first block of a page that its site does not repeat and that is no link, if it is a
// heading, or is named as a title; "" for others, and for a heading that leads to another page, as in a
// list of posts.
func ownHeading(o *blocks.Outline, page self, framed func(block int) bool) (heading string, block int) {
	above := "" // the last line above the heading
	for i := range o.Blocks {
		b := &o.Blocks[i]
		heads := b.Tag.Heading() || b.Hints&hint.SaysTitle != 0
		if b.Hints&(outside|hint.SaysCrumb) != 0 || framed != nil && framed(i) || isLink(b) && (!heads || !page.leads(o, i)) {
			continue
		}
		if Heads(o, i) {
			if heading := headingAt(o, i); IsBelow(heading, above) {
				return heading, i
			}
			return "", -1
		}
		text := string(o.BlockText(i))
		if above != "" || len(text) > maxHeading {
			return "", -1
		}
		if HasLetter(text) || i == 0 || !Heads(o, i-1) { // else it is the day of what the heading above it names
			above = text
		}
	}
	return "", -1
}

// HasLetter reports whether a text has a letter.
func HasLetter(text string) bool { return strings.IndexFunc(text, unicode.IsLetter) >= 0 }

// IsBelow reports whether a heading may follow a line of the page: that is the name of the page at the end of a way to
// it, and the heading has all of its words. It may follow no line.
func IsBelow(heading, above string) bool {
	return above == "" || words.Set(above).Len() > 0 && hasWords(heading, above)
}

const maxHeading = 300 // bytes of a heading that may be a title

// outside are the hints of places whose headings and links are not the page's own: menus, footers
// and dialogs.
const outside = hint.InNav | hint.InFooter | hint.InDialog

// headingAt returns the title that a heading says.
func headingAt(o *blocks.Outline, block int) string { return headingOf(string(o.BlockText(block))) }

// headsContents reports whether a heading stands right above a line, with or without a number, that is the heading of a section below: it
// is that of the table of contents.
func headsContents(o *blocks.Outline, block int) bool {
	next := block + 1
	if next == len(o.Blocks) || o.Blocks[next].Tag.Heading() {
		return false
	}
	line := bytes.TrimLeft(o.BlockText(next), "0123456789. ")
	for i := next + 1; i < len(o.Blocks) && len(line) > 0; i++ {
		if o.Blocks[i].Tag.Heading() && bytes.Contains(o.BlockText(i), line) && headingAt(o, i) == string(line) {
			return true
		}
	}
	return false
}

// headingOf returns a heading without a mark for links to it or to an editor, and without the label
// that a program writes before the name of a list.
func headingOf(text string) string {
	for _, mark := range [...]string{"[edit]", "[编辑]", "[編輯]"} {
		text = strings.TrimSuffix(text, mark)
	}
	text = strings.TrimRightFunc(text, func(r rune) bool { return strings.ContainsRune(linkSigns, r) || unicode.Is(unicode.Co, r) }) // Co: characters of icon fonts
	for _, label := range headingLabels {
		if rest, ok := strings.CutPrefix(text, label); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// linkSigns are the signs that generators of manuals show at a heading for the link to it, with a space and the marks that a character is text or a picture.
const linkSigns = " ¶#§🔗⚓⛓🖇☍\ufe0e\ufe0f"

// headingLabels are labels that shops, blogs and forums write before the name of a collection, a
// category or a thread.
var headingLabels = [...]string{
	"Title:", "Collection:", "Category:", "Tag:", "Author:", "Thread:", "Kategorie:", "Schlagwort:", "Catégorie :", "Étiquette :",
	"Categoría:", "Etiqueta:", "Рубрика:", "Метка:", "分类：", "标签：", "分類：", "標籤：", "主题：",
}

// padded reports whether a heading is a title to which a template has added something: a date or a
// number of comments.
func padded(heading, title string) bool {
	before, after, found := strings.Cut(heading, title)
	if !found || before+after == "" || after != "" && !strings.HasPrefix(after, " (") && !strings.HasPrefix(after, " [") {
		return false
	}
	before = strings.ToLower(strings.TrimSpace(before))
	return before == "" || !words.IsStop(before)
}

// counted reports whether a list's heading is a title and the number of things in the list: "Beehives 3".
func counted(heading, title string) bool {
	number, ok := strings.CutPrefix(heading, title+" ")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// glued reports whether a heading is a title of at least two words that continues with a capital
// and without a space: a second line, which only style sheets show as one.
func glued(heading, title string) bool {
	after, ok := strings.CutPrefix(heading, title)
	last, _ := utf8.DecodeLastRuneInString(title)
	next, _ := utf8.DecodeRuneInString(after)
	return ok && strings.Contains(title, " ") && unicode.IsLower(last) && unicode.IsUpper(next)
}

// agreed is the share of a heading's words that must be in the metadata's titles.
const agreed = 0.5

// leastPart says which part of the metadata's title an h1 must have to be the title of a page that
// has other h1 elements.
const leastPart = 4

// lone is the number of words above which a page's only h1 is its title even if the metadata does
// not confirm it.
const lone = 5

// likeCased returns a heading in capitals as the metadata has it.
func likeCased(title, meta string) string {
	if strings.EqualFold(title, meta) && title == strings.ToUpper(title) {
		return meta
	}
	return title
}

func sameWords(a, b words.WordSet) bool {
	return a.Len() == b.Len() && words.Common(a, b) == a.Len()
}

// A siteNames knows the names of a page's site: the one that the page declares, and its host.
type siteNames struct {
	name     string                 // letters and digits of the name, in lower case
	labels   []string               // the same for each label of the host except www
	repeated func(part string) bool // whether many titles of the site have a part; nil: unknown
	fewer    func(a, b string) bool // see Known.Fewer
	onMost   func(part string) bool // see Known.Leads
	several  func(part string) bool // see Known.Several
	lists    bool                   // the page lists others
	paged    bool                   // its URL has the number of a page of a list
	whole    bool                   // all parts of a title are the page's
}

func siteWords(name, address string) siteNames {
	s := siteNames{name: squeezed(name), labels: make([]string, 0, 4)}
	for label := range strings.SplitSeq(strings.TrimPrefix(Host(address), "www."), ".") {
		if s.labels = append(s.labels, squeezed(label)); len(s.labels) == maxLabels {
			break
		}
	}
	return s
}

const maxLabels = 8 // labels of a host that may be the site's name

// squeezed returns the letters and digits of a text in lower case.
func squeezed(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }) < 0 {
		return s // as most labels of hosts are
	}
	return words.Joined(s)
}

// is reports whether a text is the site's name, the start of its host, or the start of the host
// without its first labels, as for forum.example.com, with at least four letters.
func (s siteNames) is(text string) bool {
	t := squeezed(text)
	if t == "" || t == s.name {
		return t != ""
	}
	for i := 0; i+1 < len(s.labels) && len(t) >= 4; i++ {
		if strings.HasPrefix(strings.Join(s.labels[i:], ""), t) {
			return true
		}
	}
	return false
}

// called reports whether a text consists only of the site's name, or of labels of its host.
func (s siteNames) called(text string) bool {
	t := squeezed(text)
	if t == "" || t == s.name {
		return t != ""
	}
	for i := range s.labels {
		for j := i + 1; j <= len(s.labels); j++ {
			if strings.Join(s.labels[i:j], "") == t {
				return true
			}
		}
	}
	return false
}

// separators stand between the parts of a title. Most are separators between
// spaces only.
var separators = [...]string{" | ", " ❘ ", " ¦ ", " – ", " — ", " - ", " :: ", " -- ", " » ", " « ", " › ", " ‹ ", " · ", " • ", " ⋅ ", " / ", "_ ", "｜", "|"}

// separatorsWith has a bit for each separator whose mark ends in a byte.
var separatorsWith = func() (with [256]uint32) {
	for i, sep := range separators {
		mark := strings.TrimSpace(sep)
		with[mark[len(mark)-1]] |= 1 << i
	}
	return with
}()

// separatorsIn yields the separators whose marks may be in a title, in their order: few titles have more than one of them.
func separatorsIn(title string) iter.Seq[string] {
	return func(yield func(string) bool) {
		may := uint32(0)
		for i := range len(title) {
			may |= separatorsWith[title[i]]
		}
		for ; may != 0 && yield(separators[bits.TrailingZeros32(may)]); may &= may - 1 {
		}
	}
}

// cutTitle cuts a title at its first separator.
func cutTitle(title string) (part, rest string, found bool) {
	from, to := len(title), len(title)
	for sep := range separatorsIn(title) {
		if i := indexOutside(quotesAsBrackets(title), sep); i >= 0 && i < from && (sep != "_ " || !startsSeparated(title[i+1:])) {
			from, to = i, i+len(sep)
		}
	}
	for i := range from { // Chinese pages leave out the spaces
		if c := title[i]; i == 0 || c != '-' && c != '_' {
			continue
		}
		rest := strings.TrimLeft(title[i:], title[i:i+1])
		before, _ := utf8.DecodeLastRuneInString(title[:i])
		after, _ := utf8.DecodeRuneInString(rest)
		if wide := words.IsCJK(before); wide && words.IsCJK(after) || title[i] == '_' && (wide || words.IsCJK(after)) {
			from, to = i, len(title)-len(rest)
			break
		}
	}
	return strings.TrimSpace(title[:from]), title[to:], from < to
}

// startsSeparated reports whether a text starts with a separator.
func startsSeparated(text string) bool {
	return slices.ContainsFunc(separators[:], func(sep string) bool { return strings.HasPrefix(text, sep) })
}

// quotesAsBrackets returns a title of the same length in which paired quotation marks are replaced
// by brackets: the « in "le « sol libre de France »" is not a separator, while that in "Post «
// Blog" is.
func quotesAsBrackets(title string) string {
	for _, q := range [...][2]string{{"«", "»"}, {"‹", "›"}} {
		if i := strings.Index(title, q[0]); i >= 0 && strings.LastIndex(title, q[1]) > i {
			title = strings.ReplaceAll(title, q[0], strings.Repeat("(", len(q[0])))
			title = strings.ReplaceAll(title, q[1], strings.Repeat(")", len(q[1])))
		}
	}
	return title
}

// indexOutside returns where a separator first occurs in a title outside of brackets, -1 if
// nowhere: the brackets of "Index (G - K)" do not contain a separator.
func indexOutside(title, sep string) int {
	if !strings.Contains(title, sep) { // as most
		return -1
	}
	open, closed := 0, strings.LastIndexByte(title, ')')
	for at := 0; ; at += len(sep) {
		i := strings.Index(title[at:], sep)
		if i < 0 {
			return -1
		}
		before := title[at : at+i]
		open += strings.Count(before, "(") - strings.Count(before, ")")
		if at += i; open <= 0 || at > closed {
			return at
		}
	}
}

// partsOf cuts a title at its separators.
func partsOf(title string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part, rest, more := cutTitle(title); yield(part) && more; {
			part, rest, more = cutTitle(rest)
		}
	}
}

// takeOff returns the first part of a title that is neither the site's name nor what forum programs
// write before it. A part that is not in many titles of the site is preferred, and one that the fewest have if several
// have the first.
func (s siteNames) takeOff(title string) string {
	if topic := s.topicOf(title); topic != "" {
		return topic
	}
	if s.whole {
		return title
	}
	return cmp.Or(s.severalOwn(title), s.rarest(title, s.firstOwn(title)))
}

// severalOwn returns what is left of a title without the parts at its ends that are the site's, or that several pages have, if it has several
// parts: "Smokers – The big test" of "Smokers – The big test – Hives". A list may start with what other lists have: `News – Tagged "Steel"`.
// It returns "" for other titles, for those of which several pages have each part, and for those with the number of a page.
func (s siteNames) severalOwn(title string) string {
	if s.repeated == nil || s.several == nil {
		return ""
	}
	own := s.withoutOwn(title, s.isOwn)
	if utf8.RuneCountInString(own) == 1 && own != title && HasLetter(own) {
		return own // a letter of an index
	}
	rare, first := 0, true
	for part := range partsOf(own) {
		switch {
		case isHostName(part), !first && isPageNumber(part) && !IsYear(part), s.lists && !HasLetter(part) && !IsYear(part), s.paged && strings.ContainsFunc(part, unicode.IsDigit):
			return ""
		case !s.isOwn(part) && !s.several(part):
			rare++
		}
		first = false
	}
	inner := s.withoutOwn(own, s.several)
	if start, _, ok := strings.Cut(own, inner); ok && s.lists {
		inner = start + inner
	}
	if _, _, more := cutTitle(inner); !more || rare == 0 {
		return ""
	}
	return inner
}

// withoutOwn returns a title without the parts at its ends for which is is true; at least one part stays.
func (s siteNames) withoutOwn(title string, is func(part string) bool) string {
	for part, rest, more := cutTitle(title); more && is(part) && strings.TrimSpace(rest) != ""; part, rest, more = cutTitle(title) {
		title = strings.TrimSpace(rest)
	}
	for before, last := cutLast(title); last != "" && is(last); before, last = cutLast(title) {
		title = before
	}
	return title
}

// firstOwn is takeOff without comparing parts.
func (s siteNames) firstOwn(title string) string {
	first := ""
	for rest, more := title, true; more; {
		var part string
		part, rest, more = cutTitle(rest)
		switch {
		case utf8.RuneCountInString(part) < 2 || s.is(part) || slices.Contains(topicWords[:], part) || isHostName(part) && (more || first != ""):
		case s.repeated != nil && s.repeated(part):
			if first == "" || s.onMost != nil && s.onMost(first) && !s.onMost(part) {
				first = part // most titles have the name of the site
			}
		case first != "" && isPageNumber(part) && (!more || s.isSites(rest)):
			return first + " - " + part
		default:
			return part
		}
	}
	return cmp.Or(first, title)
}

// rarest returns the part of a title that not half as many titles of the site have as a part of it that was taken: the name of a
// manual is in the titles of its chapters. It returns the part that was taken if there is none. A number at the start or the end of a
// part counts pages or replies.
func (s siteNames) rarest(title, taken string) string {
	if s.fewer == nil {
		return taken
	}
	for part := range partsOf(title) {
		if part != taken && utf8.RuneCountInString(part) > 1 && !endsInNumber(part) && !isHostName(part) && s.name != squeezed(part) && s.fewer(part, taken) {
			taken = part
		}
	}
	return taken
}

// endsInNumber reports whether a text starts or ends with a number.
func endsInNumber(text string) bool {
	text = strings.TrimFunc(text, isMark)
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsDigit(first) || unicode.IsDigit(last)
}

// topicOf returns what follows the words that phpBB writes before the name of a topic, dashes and all: "Bees :: View topic - 2010 -
// any news?". It returns "" for other titles.
func (s siteNames) topicOf(title string) string {
	if !strings.Contains(title, " - ") {
		return "" // as most
	}
	for _, words := range topicWords {
		if at := strings.Index(title, words); at > 1 && title[at-1] == ' ' {
			if topic, ok := strings.CutPrefix(title[at+len(words):], " - "); ok {
				return s.trim(strings.TrimSpace(topic))
			}
		}
	}
	return ""
}

// topicWords are those words in the languages of the forums that have most pages.
var topicWords = [...]string{
	"View topic", "Thema anzeigen", "Voir le sujet", "Ver Tema", "Ver tema", "Просмотр темы", "Zobacz temat", "Leggi argomento", "Bekijk onderwerp", "Exibir tópico", "Zobrazit téma",
}

// isHostName reports whether a part of a title is the name of a host, as some sites have for theirs.
func isHostName(part string) bool {
	return strings.HasPrefix(part, "www.") && !strings.Contains(part, " ")
}

// isPair reports whether a title has two names of one thing, "Wax / Honey", and no other separator.
func isPair(title string) bool {
	_, _, more := cutTitle(strings.ReplaceAll(title, " / ", " "))
	return !more && strings.Count(title, " / ") == 1
}

// isPageNumber reports whether a part of a title is the number of a page of a list, with or without a word for it.
func isPageNumber(part string) bool {
	word, number, ok := strings.Cut(part, " ")
	if !ok {
		word, number = "", part
	}
	return number != "" && len(number) <= 4 && strings.Trim(number, "0123456789") == "" && !strings.ContainsAny(word, "0123456789")
}

// consistsOf reports whether is is true for each part of a title. An empty title has none.
func consistsOf(title string, is func(part string) bool) bool {
	for part := range partsOf(title) {
		if part != "" && !is(part) {
			return false
		}
	}
	return title != ""
}

// repeats reports whether each part of a title is in many of the site's titles.
func (s siteNames) repeats(title string) bool {
	return s.repeated != nil && consistsOf(title, s.repeated)
}

// isLastWord reports whether a heading is only the last word of a title: a theme's "Archives" of "Bees Archives", and
// not the name in "Tag: bees".
func isLastWord(heading, title string) bool {
	rest, ok := strings.CutSuffix(title, " "+heading)
	return ok && !strings.Contains(heading, " ") && strings.TrimRight(rest, ":：") == rest
}

// hyphened returns the first word of a title if it ends with a hyphen and a heading: "J-Index" where all parts of an index are headed
// "Index". It returns "" for other titles.
func hyphened(title, heading string) string {
	word, _, _ := strings.Cut(title, " ")
	if before, ok := strings.CutSuffix(word, "-"+heading); ok && before != "" {
		return word
	}
	return ""
}

// goesOn reports whether a title starts with another one and continues.
func goesOn(title, part string) bool {
	rest, ok := strings.CutPrefix(title, part)
	return ok && part != "" && startsSeparated(rest)
}

// trim removes the site's name after the last separator from a heading.
func (s siteNames) trim(heading string) string {
	at := 0
	for _, sep := range separators {
		at = max(at, strings.LastIndex(heading, sep))
	}
	if at > 0 {
		if _, last, _ := cutTitle(heading[at-1:]); s.is(last) {
			return strings.TrimSpace(heading[:at])
		}
	}
	return heading
}

// trimBoth removes what is the site's from both ends of a heading that is the page's whole title. The rest stays
// whole: once a site is known, a dash that its titles do not repeat is the page's own.
func (s siteNames) trimBoth(heading string) string {
	for part, rest, more := cutTitle(heading); more && s.isOwn(part) && strings.TrimSpace(rest) != ""; part, rest, more = cutTitle(heading) {
		heading = strings.TrimSpace(rest)
	}
	if part, last := cutLast(heading); last != "" && (s.isOwn(last) || s.isIn(last)) {
		return part
	}
	return heading
}

// cutLast cuts a title before its last part; last is "" if it has one part only.
func cutLast(title string) (before, last string) {
	_, rest, more := cutTitle(title)
	for more {
		last = rest
		_, rest, more = cutTitle(rest)
	}
	before = strings.TrimSuffix(title, last)
	for _, sep := range separators {
		if cut, ok := strings.CutSuffix(before, sep); ok {
			before = cut
			break
		}
	}
	return strings.TrimRight(before, " -_"), strings.TrimSpace(last)
}

// isSites reports whether each part of a title is the name of the site, or in many of its titles.
func (s siteNames) isSites(title string) bool { return consistsOf(title, s.isOwn) }

// isOwn reports whether a part of a title is the name of the site, or in many of its titles.
func (s siteNames) isOwn(part string) bool {
	return s.is(part) || s.repeated != nil && s.repeated(part)
}

// isIn reports whether a text has the name of the site's domain: "Promatcher Cost Report" of promatcher.example.
func (s siteNames) isIn(text string) bool {
	if len(s.labels) < 2 {
		return false
	}
	domain := s.labels[len(s.labels)-2]
	return len(domain) >= 4 && strings.Contains(squeezed(text), domain)
}

// tail returns the words around the page's own title: those that og does not have or, without og,
// those that takeOff removes.
func (s siteNames) tail(title, og string) words.WordSet {
	if og != "" && og != title && strings.Contains(title, og) {
		return words.Set(strings.Replace(title, og, " ", 1))
	}
	return words.Set(strings.Replace(title, s.takeOff(title), " ", 1))
}

// Host returns the host of an absolute URL, or of one that starts with //, in lower case and with its port if it has
// one; "" for other URLs.
func Host(url string) string {
	scheme, rest, ok := strings.Cut(url, "//")
	if !ok || scheme != "" && scheme[len(scheme)-1] != ':' {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
}

// Home reports whether a URL is a site's first page, whose title is the
// site's name.
func Home(address string) bool {
	_, rest, ok := strings.Cut(address, "//")
	_, path, _ := strings.Cut(rest, "/")
	return ok && path == ""
}
