package metadata

import (
	"bytes"
	"cmp"
	"html"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// If a page's metadata lacks the date or the author, they are looked for in the blocks around
// its first heading.

// How many blocks before and after the first h1 are searched for a byline.
const (
	bylineBefore = 8
	bylineAfter  = 25
)

// leastTitleWords is how many words a heading must have to be taken for the headline by the page's title.
const leastTitleWords = 3

const maxByline = 220 // bytes of a block that may be one

// A block that is only a byline is one of the first few below the heading, and has few words after
// the name, such as a date with a time.
const (
	belowHeading = 3 // blocks
	besideName   = 6 // words
)

// bylines returns the range of blocks around the page's heading, and the heading: the first h1, or, if there is
// none or it has no word of the page's title, the first heading that says most of that title.
func bylines(o *blocks.Outline, title string) (from, heading, to int) {
	h := o.FirstH1()
	if title != "" {
		said := words.Set(title)
		if h < 0 || words.Common(words.Set(string(o.BlockText(h))), said) == 0 {
			if i := titled(o, said); i >= 0 {
				h = i
			}
		}
	}
	h = max(h, 0)
	return max(h-bylineBefore, 0), h, min(h+bylineAfter, len(o.Blocks))
}

// titled returns the first block that is a heading, or is named as a title, and says most of a title with these
// words; -1 if there is none.
func titled(o *blocks.Outline, said words.WordSet) int {
	for i := range o.Blocks {
		if !Heads(o, i) {
			continue
		}
		if own := words.Set(string(o.BlockText(i))); own.Len() >= leastTitleWords && areMostlyIn(own, said) {
			return i
		}
	}
	return -1
}

// Date returns the day on which a page of a type was published; "" if it is not found. The days on the first page of a site and on a
// list are those of what they list, those of a genealogy are of lives, and a block that the site repeats says nothing about one of its pages.
func Date(o *blocks.Outline, m *Declared, kind, url string, site Known) string {
	ofURL := site.past(urlDay(cmp.Or(url, m.Canonical, m.OGURL)))
	if date := site.past(m.Date); date != "" {
		if ofURL != "" && !m.inZone && areNext(ofURL, date) {
			return ofURL // the one of its metadata is that of UTC
		}
		return date
	}
	if Home(url) || kind == "listing" || kind == "collection" || o.Binding.Gramps {
		return ofURL
	}
	from, heading, to := bylines(o, m.Title)
	top := underMenu(o, heading)
	from = max(from, top)
	page := newSelf(m, url)
	stamped := func(from, to int) string { return stamped(o, page, heading, from, to, m.Lang) }
	in := days{o, m.Lang, m.dueDays, site.Often}
	for _, d := range [...]func() string{
		func() string { return stamped(heading, to) },
		func() string { return stamped(from, heading) },
		func() string { return in.dated(page, from, heading, to) },
		func() string { return ofURL },
		func() string { return in.marked(top) },
		func() string { return in.labelled(top) },
		func() string { return in.leading(from, to) },
		func() string { return in.brief(from, to) },
		func() string { return stamped(top, len(o.Blocks)+1) },
		func() string { return in.lone(top) },
		func() string { d, _ := in.signed(top); return d },
	} {
		if day := site.past(d()); day != "" && !slices.Contains(m.dueDays, day) {
			return cmp.Or(site.past(inOrder(o, day)), day)
		}
	}
	return site.past(m.modified)
}

// past returns a day, "" if it is later than Until: that of an event, or of a template's example.
func (k Known) past(day string) string {
	if k.Until != "" && day > k.Until {
		return ""
	}
	return day
}

// days looks for days in the text of a page.
type days struct {
	*blocks.Outline
	lang  string
	due   []string             // days that the page declares for those of an event or a deadline
	often func(block int) bool // whether many pages of the site have a block; nil: unknown
}

// isOfPage reports whether a day in a block, with this text before it, may be that of the page: it is not if many pages have it,
// or if the text or the label above the block says that somebody was born, married or died then, or joined, or that it is the day on which the page was sent or made.
func (o days) isOfPage(block int, before []byte) bool {
	if bytes.IndexFunc(before, unicode.IsLetter) < 0 && block > 0 && o.Blocks[block-1].Size() <= maxLabel {
		if label := o.BlockText(block - 1); !bytes.ContainsAny(label, "0123456789") {
			before = label
		}
	}
	return !saysOtherDay(before) && (o.often == nil || !o.often(block))
}

const maxLabel = 40 // bytes

// saysOtherDay reports whether a text before a day has a word of otherDays.
func saysOtherDay(before []byte) bool {
	low := bytes.ToLower(before)
	var has [256]bool
	for _, c := range low {
		has[c] = true
	}
	for _, said := range otherDays {
		if !has[said[0]] || !has[said[len(said)-1]] { // as most
			continue
		}
		i := bytes.LastIndex(low, []byte(said))
		if i < 0 {
			continue
		}
		first, _ := utf8.DecodeLastRune(low[:i])
		last, _ := utf8.DecodeRune(low[i+len(said):])
		if own, _ := utf8.DecodeRuneInString(said); words.IsIdeograph(own) || !unicode.IsLetter(first) && !unicode.IsLetter(last) {
			return true
		}
	}
	return false
}

// otherDays are words before a day of birth, of another event in a life, of a deadline, before that on which a member of a forum joined it, and
// before that on which a page was sent or made from a program's source.
var otherDays = [...]string{
	"born", "birthday", "birth date", "date of birth", "geboren", "geburtstag", "geburtsdatum", "né le", "née le", "naissance", "anniversaire", "nacido", "nacida", "nacimiento", "cumpleaños", "nascido", "nascimento", "nato il", "nata il", "nascita", "geboortedatum", "urodziny", "urodzenia", "född", "рождения", "родился", "родилась", "生日", "出生",
	"died", "death", "baptised", "baptized", "baptism", "christened", "christening", "buried", "burial", "married", "marriage", "census", "gestorben", "verstorben", "getauft", "taufe", "begraben", "heirat", "verheiratet", "mort le", "morte le", "décès", "décédé le", "décédée le", "baptême", "mariage", "fallecido", "fallecida", "fallecimiento", "defunción", "bautismo", "matrimonio", "overleden", "overlijden", "gedoopt", "doop", "huwelijk", "getrouwd", "zmarł", "zmarła", "ślub", "död", "gift den", "умер", "умерла", "скончался", "скончалась",
	"joined", "join date", "registered", "member since", "registriert", "beigetreten", "mitglied seit", "dabei seit", "inscription", "inscrit le", "membre depuis", "registrado", "registado", "miembro desde", "membro desde", "iscritto il", "registrato", "lid geworden op", "lid sinds", "geregistreerd", "rejestracja", "dołączył", "dołączyła", "registrován", "blev medlem", "зарегистрирован", "зарегистрирована", "регистрация", "kayıt", "注册时间", "注册于",
	"it is currently", "the time now is", "last visited", "aktuelle zeit", "nous sommes le", "fecha actual",
	"today", "heute", "aujourd'hui", "aujourd’hui", "hoy", "hoje", "oggi", "vandaag", "dzisiaj", "dziś", "idag", "сегодня", "сьогодні", "今天", "今日",
	"deadline", "closing date", "due date", "last date", "apply by", "apply before", "valid until", "valid through", "expires", "bewerbungsfrist", "bewerbungsschluss", "einsendeschluss", "anmeldeschluss", "gültig bis", "date limite", "fecha límite", "fecha limite", "plazo", "válido hasta", "data limite", "prazo", "válido até", "scadenza", "sluitingsdatum", "termin składania", "sista ansökningsdag", "срок подачи", "действителен до", "截止", "締切", "締め切り", "마감일", "अंतिम तिथि", "अन्तिम तिथि", "अंतिम तारीख",
	"extracted from", "generated on", "generated at", "generated as of", "generated by", "erzeugt am", "généré le",
}

// inOrder returns a day of a page's text, with its month and day exchanged if only that day is in an element that is
// marked as one: "07/08/2018" may be of July or August.
func inOrder(o *blocks.Outline, day string) string {
	exchanged := day[:5] + day[8:] + "-" + day[5:7]
	found := false
	for _, list := range [...][]blocks.Stamp{o.Published, o.Times} {
		for _, s := range list {
			if strings.HasPrefix(s.Text, day) {
				return day
			}
			found = found || strings.HasPrefix(s.Text, exchanged)
		}
	}
	if found {
		return exchanged
	}
	return day
}

// areNext reports whether two days follow each other.
func areNext(a, b string) bool {
	day, errA := time.Parse(time.DateOnly, a)
	other, errB := time.Parse(time.DateOnly, b)
	return errA == nil && errB == nil && day.Sub(other).Abs() == 24*time.Hour
}

// underMenu returns the block below the last menu of the site's header, if that stands above the page's heading: a day
// above it is that on which the page was sent. It returns 0 if there is no such menu.
func underMenu(o *blocks.Outline, heading int) int {
	for i := heading - 1; i >= 0; i-- {
		if h := o.Blocks[i].Hints; h&hint.InNav != 0 && h&(hint.InHeader|hint.SaysHeader) != 0 && h&(hint.InArticle|hint.InMain|hint.SaysCrumb) == 0 {
			return i + 1
		}
	}
	return 0
}

// stamped returns the first day of an element that is marked as one in a range of blocks, and does not
// follow the heading of another page in a list.
func stamped(o *blocks.Outline, page self, heading, from, to int, lang string) string {
	for _, list := range [...][]blocks.Stamp{o.Published, o.Times} {
		for _, s := range list {
			if int(s.Block) < from || int(s.Block) >= to {
				continue
			}
			if d := day(s.Text, lang); d != "" && !page.listsAbove(o, int(s.Block), heading) {
				return d
			}
		}
	}
	return ""
}

// listsAbove reports whether the nearest heading above a block, which is not the page's own, is a link to
// another page.
func (s self) listsAbove(o *blocks.Outline, block, heading int) bool {
	for i := min(block, len(o.Blocks)-1); i >= max(0, block-belowHeading); i-- {
		if b := &o.Blocks[i]; b.Tag.Heading() {
			return i != heading && isLink(b) && s.leads(o, i)
		}
	}
	return false
}

// lone returns the day of the only block from one on that says nothing else; "" if there are several.
func (o days) lone(from int) string {
	only := ""
	for i := from; i < len(o.Blocks); i++ {
		b := &o.Blocks[i]
		if b.Size() > maxLoneDay || b.Linked > 0 || b.Hints&(outside|hint.SaysComment|hint.SaysCard|hint.SaysRelated) != 0 {
			continue
		}
		text := o.BlockText(i)
		if d, at := findDay(text, o.lang); d != "" && at == 0 && saysOnlyDay(text) && !isSpan(text, at, o.lang) && o.isOfPage(i, nil) {
			if only != "" {
				return ""
			}
			only = d
		}
	}
	return only
}

const maxLoneDay = 40 // bytes

// signed returns the day and the name of the only block from one on that says "By Ann Writer May 6, 2024" and nothing else; "" if there
// are several.
func (o days) signed(from int) (day, name string) {
	for i := from; i < len(o.Blocks); i++ {
		b := &o.Blocks[i]
		if b.Size() > maxByline || b.Hints&(outside|hint.SaysComment|hint.SaysCard|hint.SaysRelated) != 0 {
			continue
		}
		text := o.BlockText(i)
		by, _, ok := bytes.Cut(text[:min(len(text), longestSigning+1)], []byte(" "))
		if !ok || !signing[strings.ToLower(string(by))] {
			continue
		}
		rest := text[len(by)+1:]
		d, at := findDay(rest, o.lang)
		if d == "" || !saysOnlyDay(rest[at:]) {
			continue
		}
		said := strings.TrimRightFunc(string(rest[:at]), isMark)
		if first, _ := utf8.DecodeRuneInString(said); said == "" || unicode.IsLower(first) || personName(said) != said || !o.isOfPage(i, nil) {
			continue
		}
		if day != "" {
			return "", ""
		}
		day, name = d, said
	}
	return day, name
}

// signing are words before the name of an author.
var signing = setOf("by", "von", "par", "por")

const longestSigning = 3 // bytes

// saysOnlyDay reports whether a text that has a day has no words but those of days.
func saysOnlyDay(text []byte) bool {
	for i := 0; i < len(text); {
		n := wordAt(text[i:])
		if n == 0 {
			_, n = utf8.DecodeRune(text[i:])
		} else if word := text[i : i+n]; monthOf(word) == 0 && !plainGap(word) && !strings.Contains("年月日년월일", string(word)) {
			return false
		}
		i += n
	}
	return true
}

// dated returns the first day in a short block, searching from the heading on and then before it. A
// day that is not that of an update is preferred. Days of other pages in a list are left out.
func (o days) dated(page self, from, heading, to int) string {
	later := ""
	for n := range to - from {
		i := heading + n
		if i >= to {
			i = heading - 1 - (n - (to - heading))
		}
		d, before := o.in(i)
		if d == "" || page.listsAbove(o.Outline, i, heading) {
			continue
		}
		if !ofRenewal(before) {
			return d
		}
		later = cmp.Or(later, d)
	}
	return later
}

// marked returns the day of the first block from one on whose class or id says that it is a date, and that
// is not in a teaser of another page.
func (o days) marked(from int) string {
	for i := from; i < len(o.Blocks); i++ {
		if h := o.Blocks[i].Hints; h&hint.SaysMeta == 0 || h&(hint.SaysRelated|hint.SaysCard|hint.SaysSide|hint.InAside|hint.SaysComment|hint.InFooter|hint.SaysFooter) != 0 {
			continue
		}
		if d, before := o.in(i); d != "" && !ofRenewal(before) {
			return d
		}
	}
	return ""
}

// published are words before a day that say that it is the day of publication.
var published = [...]string{"date", "datum", "published", "posted", "veröffentlicht", "erschienen", "publié", "publicado", "publicada", "pubblicato", "gepubliceerd", "opublikowano", "опубликовано", "发布日期", "发布时间", "發布日期", "公開日", "掲載日", "작성일", "등록일"}

// labelled returns the day of the first short block from one on in which a word of published precedes the day.
func (o days) labelled(from int) string {
	for i := from; i < len(o.Blocks); i++ {
		b := &o.Blocks[i]
		if b.Hints&(outside|hint.SaysComment|hint.SaysCard|hint.SaysRelated) != 0 {
			continue
		}
		d, before := o.in(i)
		if d == "" || ofRenewal(before) {
			continue
		}
		said := strings.ToLower(string(bytes.TrimRightFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })))
		for _, label := range published {
			rest, ok := strings.CutSuffix(said, label)
			if last, _ := utf8.DecodeLastRuneInString(rest); ok && (rest == "" || !unicode.IsLetter(last)) {
				return d
			}
		}
	}
	return ""
}

// leading returns the day with which a text of the page starts: "(18.01.2018) The farmers ...".
func (o days) leading(from, to int) string {
	for i := from; i < to; i++ {
		b := &o.Blocks[i]
		text := o.Text[b.From:b.To]
		if len(text) <= maxByline || b.Hints&outside != 0 {
			continue
		}
		start := bytes.TrimPrefix(text[:leadingBytes], []byte("("))
		if d, at := findDay(start, o.lang); d != "" && at == 0 && markup.Digit(start[0]) && o.isOfPage(i, nil) {
			return d
		}
	}
	return ""
}

const leadingBytes = 24 // of a text that may be a day

// brief returns the day of a block that is nothing else, with a year of two digits: 28.01.22.
func (o days) brief(from, to int) string {
	for i := from; i < to; i++ {
		b := &o.Blocks[i]
		if b.Size() < 6 || b.Size() > 8 || b.Hints&outside != 0 || !markup.Digit(o.Text[b.From]) {
			continue
		}
		t, err := time.Parse("2.1.06", string(o.BlockText(i)))
		if err == nil && t.Year() >= 1990 {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

// in returns the day in a short block that is not a link, and the text before it.
func (o days) in(i int) (d string, before []byte) {
	b := &o.Blocks[i]
	text := o.Text[b.From:b.To]
	if len(text) > maxByline || b.Linked*3 > int32(len(text))*2 || b.Hints&(hint.InPre|hint.SaysCode) != 0 {
		return "", nil
	}
	d, at := findDay(text, o.lang)
	if d != "" && (slices.Contains(o.due, d) || isSpan(text, at, o.lang) || isInURL(text, at) || !o.isOfPage(i, text[:at])) {
		return "", nil
	}
	return d, text[:at]
}

// isInURL reports whether a day that starts at a place in a text is a part of a URL, as the version in
// "/2012-04-24/Accounts" and the parameter in "?from=2022-01-01".
func isInURL(text []byte, at int) bool {
	return at > 0 && (text[at-1] == '/' && (at == 1 || !markup.Digit(text[at-2])) || text[at-1] == '=')
}

// isSpan reports whether a day that starts at a place in a text is an end of a span of days, as in "1.3.2016 -
// 23.4.2016", "1 March 2016–23 April 2016", "1 March 2016 to Saturday, 23 April 2016" and "21 - 22.5.2016": those are of an event.
func isSpan(text []byte, at int, lang string) bool {
	if rest, ok := cutDash(bytes.TrimRight(text[:at], " "), bytes.CutSuffix); ok && endsInDay(rest) {
		return true
	}
	for i := at + 1; i < min(len(text), at+maxDayBytes); i++ {
		if text[i-1] == ' ' {
			if n := wordAt(text[i:]); n > 0 && until[string(text[i:i+n])] {
				d, next := findDay(text[i+n:], lang)
				return d != "" && len(bytes.Fields(text[i+n:][:next])) <= 1 // the day of the week
			}
		}
		rest, ok := cutDash(text[i:], bytes.CutPrefix)
		if !ok || text[i-1] != ' ' && text[i] == '-' {
			continue
		}
		d, next := findDay(rest, lang)
		return d != "" && len(bytes.TrimSpace(rest[:next])) == 0
	}
	return false
}

// until are words between the first day of a span and the last.
var until = setOf("to", "until", "till", "bis", "au", "al", "hasta", "até", "tot", "do", "до", "по")

// endsInDay reports whether a text ends in the number of a day, perhaps with that of its month: "21" and "29.2.". More
// numbers are those of a version, as in "4.1.0 - 7 March 2026".
func endsInDay(text []byte) bool {
	text = bytes.TrimRight(text, " .")
	word := text[bytes.LastIndexByte(text, ' ')+1:]
	if len(word) == 0 || len(word) > len("29.12") || bytes.Count(word, []byte(".")) > 1 {
		return false
	}
	return len(bytes.Trim(word, "0123456789.")) == 0 && word[0] != '.' && (len(word) <= 2 || bytes.IndexByte(word, '.') > 0)
}

const maxDayBytes = 40 // of a day in a text

// cutDash cuts a dash off a text.
func cutDash(text []byte, cut func(text, dash []byte) ([]byte, bool)) ([]byte, bool) {
	for _, dash := range [...]string{"-", "–", "—"} {
		if rest, ok := cut(text, []byte(dash)); ok {
			return rest, true
		}
	}
	return text, false
}

// urlDay returns the day in a URL: 2024-05-06, /2024/05/06/, /2024/0506/,
// /202405/06/ or 20240506.
func urlDay(url string) string {
	for i := range url {
		if url[i] != '2' && url[i] != '1' || i > 0 && markup.Digit(url[i-1]) || inHash(url, i) {
			continue
		}
		rest := url[i:]
		var parts [3]string
		for k, n := range [3]int{4, 2, 2} {
			if k > 0 && rest != "" && (rest[0] == '/' || rest[0] == '-') {
				rest = rest[1:]
			}
			if len(rest) < n {
				return ""
			}
			parts[k], rest = rest[:n], rest[n:]
		}
		if rest != "" && markup.Digit(rest[0]) || strings.Trim(parts[0]+parts[1]+parts[2], "0123456789") != "" {
			continue
		}
		if d := day(strings.Join(parts[:], "-"), ""); d != "" {
			return d
		}
	}
	return ""
}

// inHash reports whether a place in a URL is within at least leastHash hexadecimal digits in a row, with a letter among them.
func inHash(url string, at int) bool {
	isHex := func(c byte) bool { return markup.Digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
	from, to := at, at
	for from > 0 && isHex(url[from-1]) {
		from--
	}
	for to < len(url) && isHex(url[to]) {
		to++
	}
	return to-from >= leastHash && strings.ContainsFunc(url[from:to], unicode.IsLetter)
}

const leastHash = 16

// Author returns the name of the page's author; "" if it is not found. A person whom the metadata names
// comes before other authors there, such as the publisher. If the metadata names only the site, that is
// returned if no byline names a person.
func Author(o *blocks.Outline, m *Declared, url string) string {
	site := siteWords(m.site, cmp.Or(url, m.Canonical, m.OGURL))
	told := ""
	for _, list := range [...][]string{m.persons, m.others, o.Named} {
		for _, name := range list {
			if !site.is(name) {
				return name
			}
			told = cmp.Or(told, name)
		}
	}
	if name := signedBy(o, m, url); name != "" || len(m.posters) == 0 {
		return cmp.Or(name, told)
	}
	return m.posters[0]
}

// marked returns the first name that is marked up as the author's, or "".
func marked(o *blocks.Outline) string {
	for _, s := range o.Authors {
		text := o.Text[s.From:]
		if s.To >= 0 {
			text = o.Text[s.From:s.To]
		}
		for line := range bytes.Lines(text[:min(len(text), maxByline)]) {
			if name := personName(string(bytes.TrimSpace(line))); name != "" {
				return name
			}
		}
	}
	return ""
}

// signedBy returns the name in a byline, or nothing. A link to the page of a person is one if it leads to a page of the same site, or is
// labelled so, and does not stand in a text: there it names somebody of whom the text tells.
func signedBy(o *blocks.Outline, m *Declared, url string) string {
	if name := marked(o); name != "" {
		return name
	}
	from, _, to := bylines(o, "")
	h1 := o.FirstH1()
	for i := max(h1, from); i < to; i++ {
		if o.Blocks[i].Size() > maxByline || !saysBy(o.BlockText(i)) || isWay(o, i) {
			continue
		}
		if name := afterBy(string(o.BlockText(i))); name != "" {
			return name
		}
		if i+1 < to && isAuthorLabel(strings.TrimSuffix(string(o.BlockText(i)), ":")) && o.Blocks[i+1].Size() <= maxByline {
			if name := personName(string(o.BlockText(i + 1))); name != "" {
				return name
			}
		}
	}
	page := newSelf(m, url)
	for i := range o.Links {
		a := &o.Links[i]
		if int(a.Block) < from || int(a.Block) >= to || a.To <= a.From || o.Blocks[a.Block].Hints&outside != 0 || o.Blocks[a.Block].Size() > maxByline {
			continue
		}
		label := string(bytes.TrimRight(o.Text[min(o.Blocks[a.Block].From, a.From):a.From], " :")) // the block of a link may be gone, and the next one stand for it
		named := isAuthorLabel(label) || signing[strings.ToLower(label)]
		if writes(a.URL) && page.maySign(a, named) {
			if name := personName(string(o.Text[a.From:a.To])); name != "" && (named || !isPartOfText(o, a, name)) {
				return name
			}
		}
	}
	for i := from; i < to; i++ {
		b := &o.Blocks[i]
		n := &o.Nodes[b.Node]
		said := n.Own | o.Nodes[n.Parent].Own
		if i == h1 || said&hint.SaysBio == 0 || said&hint.SaysMenu != 0 || b.Hints&outside != 0 || b.Size() > 60 {
			continue
		}
		if b.Tag.Heading() && m.Title != "" && mostlyIn(string(o.BlockText(i)), m.Title) {
			continue // of a post, next to who wrote it
		}
		if b.Tag.Heading() && b.Tag != markup.TagH1 && hint.Names().Find(o.BlockText(i))&hint.SaysBio != 0 {
			continue // its id repeats its words: "user-interface"
		}
		if name := personName(string(o.BlockText(i))); name != "" && (!b.Tag.Heading() || !isPhrase(name)) {
			return cmp.Or(leadingName(o, i), name)
		}
	}
	_, name := days{Outline: o, lang: m.Lang}.signed(0)
	return name
}

// isPartOfText reports whether a link's text starts with a small letter, as nicknames do, and other text stands around it: "former Rep".
func isPartOfText(o *blocks.Outline, a *blocks.Anchor, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsLower(first) && int(a.To-a.From) < o.Blocks[a.Block].Size()
}

// isPhrase reports whether a heading of words in small and capital letters has a small letter at the start of its last word, which names
// do not: "Submitted sessions".
func isPhrase(heading string) bool {
	at := strings.LastIndexByte(heading, ' ')
	last, _ := utf8.DecodeRuneInString(heading[at+1:])
	return at >= 0 && unicode.IsLower(last)
}

// maySign reports whether a link leads to another page of the page's site, or of any site if it is labelled as that of the
// author, and not to the page in another language: that has the end of its URL. It is true if the page's URL is not known.
func (s self) maySign(a *blocks.Anchor, named bool) bool {
	if s.base == nil {
		return true
	}
	u, err := s.base.Parse(html.UnescapeString(strings.TrimSpace(string(a.URL))))
	return err == nil && (named || lastLabels(u.Hostname()) == lastLabels(s.base.Hostname())) && (u.RawQuery != "" || endOf(place(u)) != endOf(place(s.base)))
}

// lastLabels returns the last two labels of a host.
func lastLabels(host string) string {
	at := strings.LastIndexByte(host, '.')
	return strings.ToLower(host[strings.LastIndexByte(host[:max(at, 0)], '.')+1:])
}

// leadingName returns the name with which a block starts, if that is a link and the rest of the block is not: "Ann Writer",
// and what she does at the firm. It returns "" for other blocks.
func leadingName(o *blocks.Outline, block int) string {
	b := &o.Blocks[block]
	for i := range o.Links {
		a := &o.Links[i]
		if int(a.Block) != block || a.To <= a.From {
			continue
		}
		if a.From == b.From && a.To-a.From == b.Linked {
			return personName(string(o.Text[a.From:a.To]))
		}
		break
	}
	return ""
}

// Byline returns the block below the page's first h1 that has only the author and perhaps the date:
// "By Ann Writer, May 6, 2024"; -1 if there is none.
func Byline(o *blocks.Outline) int {
	h1 := o.FirstH1()
	if h1 < 0 {
		return -1
	}
	for i := h1 + 1; i < min(h1+1+belowHeading, len(o.Blocks)); i++ {
		if !o.Blocks[i].Tag.Heading() && signs(o.BlockText(i)) {
			return i
		}
	}
	return -1
}

// signs reports whether a text is "By", a name and at most a few words, such as a date. A sentence
// is not: "By Monday, bees fly."
func signs(text []byte) bool {
	if len(text) > maxByline || len(text) < 3 || !strings.EqualFold(string(text[:3]), "by ") || bytes.ContainsAny(text[len(text)-1:], ".!?:;") {
		return false
	}
	name := personName(string(text[3:]))
	if name == "" || markup.Digit(name[0]) { // "By 10 a.m."
		return false
	}
	_, rest, _ := strings.Cut(string(text), name)
	return len(strings.Fields(rest)) <= besideName
}

// writes reports whether the path of a URL is that of a person's page.
func writes(url []byte) bool {
	url, _, _ = bytes.Cut(url, []byte("#")) // a section
	if _, rest, ok := bytes.Cut(url, []byte("//")); ok {
		url = rest[max(0, bytes.IndexByte(rest, '/')):]
	}
	for _, s := range [...]string{"mode=viewprofile", "member.php?"} {
		if bytes.Contains(url, []byte(s)) {
			return true
		}
	}
	for _, s := range [...]string{"/people/", "/staff/", "/writers/", "/team/", "/u/"} {
		if _, rest, ok := bytes.Cut(url, []byte(s)); ok && !isListOfAll(rest) {
			return true
		}
	}
	for _, s := range [...]string{"/author", "/profile", "/user", "/contributor", "/member"} {
		before, rest, ok := bytes.Cut(url, []byte(s))
		rest, all := bytes.CutPrefix(rest, []byte("s"))
		if all && (len(bytes.Trim(rest, "/")) == 0 || bytes.HasPrefix(rest, []byte("/?"))) || asksToEnter(rest) {
			continue // the list of all of them, or a form for them
		}
		if bytes.Contains(before, []byte("/doc")) {
			continue // a manual for them
		}
		if s == "/user" && len(bytes.Trim(rest, "/")) == 0 {
			continue // a tag, or the page of the visitor
		}
		if s == "/profile" && isSubject(rest) && bytes.IndexByte(rest, '?') < 0 {
			continue // /profile_i.html of a catalog of beams
		}
		if ok && (len(rest) == 0 || !markup.Letter(rest[0])) && (s != "/user" || !isSubject(rest) && !isWork(rest)) { // /userguide/ is a manual
			return true
		}
	}
	return false
}

// isListOfAll reports whether nothing but the first page of a folder follows in a URL.
func isListOfAll(rest []byte) bool {
	return len(rest) == 0 || rest[0] == '?' || bytes.HasPrefix(rest, []byte("index."))
}

// asksToEnter reports whether what follows /user in a URL is the form with which users enter a site, or change what
// it knows of them.
func asksToEnter(rest []byte) bool {
	step, ok := bytes.CutPrefix(rest, []byte("/"))
	if !ok {
		return false
	}
	for _, s := range [...]string{"login", "logout", "register", "password", "signup", "sign_in", "sign_up", "setting", "settings"} {
		if after, ok := bytes.CutPrefix(step, []byte(s)); ok && (len(after) == 0 || !markup.Letter(after[0])) {
			return true
		}
	}
	return false
}

// isWork reports whether what follows /user in a URL leads two folders below the page of a user: /user/ann/snippets/sort.
func isWork(rest []byte) bool {
	return bytes.Count(bytes.Trim(rest, "/"), []byte("/")) > 1
}

// isSubject reports whether what follows /user in a URL makes it a word of a subject, as in /user-guide/ and
// /user-pools.html.
func isSubject(rest []byte) bool {
	return len(rest) > 1 && (rest[0] == '-' || rest[0] == '_') && markup.Letter(rest[1]) && !bytes.HasPrefix(rest[1:], []byte("profile"))
}

// saysBy reports whether afterBy may find something, or the block may be the label of the next one.
func saysBy(text []byte) bool {
	return markup.ContainsFold(text, "by") || markup.ContainsFold(text, "author")
}

// afterBy returns the name in "By Ann Writer, May 6" or "May 6, 2024 by Ann Writer", or nothing.
func afterBy(text string) string {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		return ""
	}
	for _, by := range [...]string{"written by", "posted by", "authored by", "published by", "article by", "author:", "by:", "by "} {
		i := strings.Index(low, by)
		if i < 0 || i > 0 && (by == "by " || by == "by:") && !opens(text[:i]) {
			continue
		}
		name := personName(text[i+len(by):])
		first, _ := utf8.DecodeRuneInString(name)
		if i > 0 && unicode.IsLower(first) { // "All of it is written by humans"
			continue
		}
		if by == "by " && !strings.Contains(name, " ") && isSentence(text) { // "By default, ..."
			return ""
		}
		if name != "" && !markup.Digit(name[0]) { // "By 10 a.m."
			return name
		}
		return ""
	}
	return ""
}

// isWay reports whether a heading is "By" and one word, as in "By train".
func isWay(o *blocks.Outline, i int) bool {
	way, ok := strings.CutPrefix(strings.ToLower(string(o.BlockText(i))), "by ")
	return ok && o.Blocks[i].Tag.Heading() && !strings.Contains(way, " ")
}

// isSentence reports whether a text ends as sentences and the starts of lists do.
func isSentence(text string) bool {
	return text != "" && strings.ContainsRune(".!?:;", rune(text[len(text)-1]))
}

// opens reports whether a byline may follow a text: a separator, or a date.
func opens(before string) bool {
	for _, sep := range [...]string{"| ", "· ", "• "} {
		if strings.HasSuffix(before, sep) {
			return true
		}
	}
	trimmed := strings.TrimRight(before, " ,")
	if len(trimmed) > maxDated || trimmed == "" || !markup.Digit(trimmed[len(trimmed)-1]) {
		return false
	}
	d, _ := findDay([]byte(trimmed), "")
	return d != ""
}

const maxDated = 60 // bytes of a text before "by" that is a date with its label

// personName returns the part at the start of a text that may be a name: two to 50 bytes, up to a
// punctuation mark, a number or a word that does not belong to names. A text in quotes is not one.
func personName(s string) string {
	s = strings.TrimLeft(s, " :")
	low := strings.ToLower(s)
	if len(low) != len(s) {
		return ""
	}
	for _, by := range [...]string{"by ", "written by ", "written by: ", "author ", "author: ", "articles by ", "author archives: ", "archives: ", "von ", "par ", "文章作者:", "文章作者：", "作者:", "作者："} {
		if strings.HasPrefix(low, by) {
			s, low = s[len(by):], low[len(by):]
		}
	}
	end := len(s)
	for i, r := range s {
		if r == ',' || r == '\n' || r == '»' || r == '|' || r == '·' || r == '•' || r == '—' || r == '–' || r == '(' || r == '/' || r == '⋅' || r == '@' && i > 0 && (s[i-1] == ' ' || isAddress(s[i:])) || unicode.IsDigit(r) && i > 0 && s[i-1] == ' ' {
			end = i
			break
		}
	}
	for _, stop := range [...]string{" on ", " - ", " in ", " under ", " published", " updated", " posted", " last ", " jan ", " feb ", " mar ", " apr ", " may ", " jun ", " jul ", " aug ", " sep ", " oct ", " nov ", " dec "} {
		if i := strings.Index(low[:end]+" ", stop); i > 0 && i < end {
			end = i
		}
	}
	for _, names := range monthNames {
		m, _, _ := strings.Cut(names, " ")
		if i := strings.Index(low[:end], m); i > 0 && (s[i-1] == ' ' || markup.Letter(s[i-1]) && s[i] != low[i]) { // "Ann WriterMay 6"
			end = i
		}
	}
	name := strings.TrimSpace(s[:cutAgo(s[:end])])
	n := strings.Count(name, " ") + 1
	if len(name) < 2 || len(name) > 50 || n > 6 {
		return ""
	}
	first, _ := utf8.DecodeRuneInString(name)
	if n > 1 && (unicode.IsLower(first) || asks(name)) || strings.ContainsRune("\"“„«", first) {
		return ""
	}
	if half := name[:len(name)/2]; name == half+half {
		name = half // it is there once for readers and once, hidden, for programs
	}
	if noName(name) || isHeading(name) || strings.HasSuffix(name, "*") || monthOf([]byte(name)) > 0 { // a form marks the fields that it needs
		return ""
	}
	return name
}

// cutAgo returns where a text ends without how long ago something was: "Ann Writer a year ago". Ago may be a name.
func cutAgo(text string) int {
	before, ok := strings.CutSuffix(strings.TrimRight(text, " "), " ago")
	if !ok {
		return len(text)
	}
	return max(strings.LastIndex(before, " a "), strings.LastIndex(before, " an "), strings.LastIndex(before, " one "), 0)
}

// isHeading reports whether a text is the heading of a section, with its number or with a mark for links to it, counts
// something ("1 comment") or names a channel of films.
func isHeading(text string) bool {
	rest := strings.TrimLeft(text, "0123456789.")
	return rest != text && strings.HasPrefix(rest, " ") || strings.HasSuffix(text, "¶") || strings.HasSuffix(text, "§") ||
		strings.Contains(strings.ToLower(text), "youtube") || strings.Contains(text, "יוטיוב")
}

// asks reports whether a text is a request to the reader, such as "Join us" or "Sign in".
func asks(text string) bool {
	verb, rest, _ := strings.Cut(strings.ToLower(text), " ")
	return requests[verb] || verb == "go" && strings.HasPrefix(rest, "back ")
}

var requests = setOf("join", "sign", "log", "follow", "see", "view", "subscribe", "read", "share", "learn", "get", "contact", "show", "browse", "download", "leave", "add", "back", "about", "more", "written", "help", "click")

// noName reports whether a text cannot be a name: words of a menu, a label, a URL or a number.
func noName(s string) bool {
	low := strings.TrimRight(strings.ToLower(s), "* ") // a form marks the fields that it needs
	menu := true
	for word := range strings.FieldsSeq(low) {
		menu = menu && notNames[word]
	}
	return menu || notNames[low] || strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") || strings.HasSuffix(s, "?") || isCount(low) ||
		strings.Contains(low, "www.") || isUnfilled(low) || isDay(low) || strings.IndexByte(s, '@') > 0 && isAddress(s[strings.IndexByte(s, '@'):]) || strings.ContainsAny(s, "<:[]=") || strings.Contains(low, "generated by") || strings.HasPrefix(low, "tweets by ") || strings.Contains(low, "password") || !strings.ContainsFunc(s, unicode.IsLetter)
}

// isCount reports whether a text in lower case is a number of something: "40.5k subscribers".
func isCount(low string) bool {
	n, what, ok := strings.Cut(low, " ")
	return ok && n != "" && markup.Digit(n[0]) && strings.Trim(n, "0123456789.,km+") == "" && readers[what]
}

var readers = setOf("subscribers", "followers", "following", "views", "likes", "fans", "members", "posts", "articles", "comments", "replies", "reviews", "abonnenten", "abonnés", "suscriptores", "inscritos", "iscritti", "подписчиков")

// isAddress reports whether what starts with an @ is the end of an address of mail.
func isAddress(at string) bool {
	word, _, _ := strings.Cut(at, " ")
	return strings.Contains(word, ".")
}

// isUnfilled reports whether a text has the marks of a template that was not filled in: {{ page.author }}.
func isUnfilled(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "<%") || strings.Contains(s, "${")
}

// isDay reports whether a text starts with a day, as the columns of a list of files do.
func isDay(s string) bool {
	if s == "" || !markup.Digit(s[0]) {
		return false
	}
	d, at := findDay([]byte(s), "")
	return d != "" && at == 0
}

var notNames = setOf(
	"por", "von", "par", "door", "przez", "av", "af", "di", "от", "автор",
	"author", "authors", "about the author", "name", "your name", "email", "e-mail", "website", "url", "avatar", "comment", "facebook", "twitter", "instagram", "linkedin", "bluesky", "mastodon", "youtube", "pinterest", "tiktok", "telegram", "whatsapp", "written by", "use case", "share", "follow", "admin", "administrator", "view profile", "profile", "join", "join date", "reply", "member", "members", "new member", "registered", "staff", "guest", "by", "users", "tags",
	"no author", "请设置文章作者", "anonymous", "unknown", "lost password", "create an account", "account settings", "my account", "settings", "username", "username or email address", "username or e-mail", "authors and speakers", "email address", "e-mail address", "remember me", "mật khẩu", "passwort", "contraseña", "senha", "wachtwoord", "people", "faq", "user page", "prev", "next", "inheritance", "publisher", "posted", "posted on", "instances", "sorry", "add", "message", "dashboard", "views", "personal tools", "navigation menu", "navigation", "main menu", "user menu", "user login", "who's online",
	"discuz! team and comsenz ui team", // Discuz, on every page
	"posts", "post", "contributors", "history", "historia", "cart", "panier", "recherche", "default", "size", "description", "last modified", "mot de passe",
	"login", "log", "log in", "sign in", "sign up", "register", "search",
	"注册", "登录", "注册登录", "登入", "退出", "搜索", "历史", "作者", "注冊", "登錄", "搜尋", "검색", "로그인", "sobre o autor", "sobre el autor", "circa l'autore", "sull'autore", "om forfatteren", "om författaren", "über den autor", "à propos de l'auteur", "over de auteur", "o autorze", "об авторе", "लेखकाबद्दल", "저자 소개", "על הסופר", "על המחבר", "ログイン", "新規登録",
)

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
