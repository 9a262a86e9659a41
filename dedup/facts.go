package dedup

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/slug"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/splitmix"
)

// Facts are hashes by which pages that share a template and most of their words can be told apart.
// The zero Facts are those of a page without a title and numbers.
type Facts struct {
	Title   uint32 // hash of the title's tokens, without versions
	Numbers uint32 // hash of the body's numbers, without versions, in their order
}

// titleFact and numbersFact leave out versions ("3.11"): pages of two editions of a manual are one
// document although their titles name the edition.

func titleFact(t *token.List, title string) uint32 {
	h, any := uint64(0), false
	for i, s := range t.Sorts {
		if s != token.Version {
			h, any = splitmix.Mix(h^t.Hashes[i]), true
		}
	}
	for _, c := range naming.SignOf(title) { // a sign is no word, and may be what an index lists
		h = splitmix.Mix(h ^ uint64(c))
	}
	return fact(h, any)
}

func numbersFact(t *token.List) uint32 {
	h, any := uint64(0), false
	for i, s := range t.Sorts {
		if s == token.Number {
			h, any = splitmix.Mix(h^t.Hashes[i]), true
		}
	}
	return fact(h, any)
}

func fact(h uint64, any bool) uint32 {
	if !any {
		return 0
	}
	return max(1, uint32(h>>32))
}

// apart reports whether two bodies that resemble each other are likely to be two pages of one
// template: both have a title, and titles and numbers differ.
func (f Facts) apart(other Facts) bool {
	return f.Title != 0 && other.Title != 0 && f.Title != other.Title && f.Numbers != other.Numbers
}

// namedApart reports whether two pages are named as two: each title has a word of its own that is
// in its own body and not in the other. This does not hold for a story under two headlines, nor for
// a page in two editions of a manual.
func namedApart(a, b *reading) bool { return a.names(b) && b.names(a) }

// siblings reports whether two pages of one folder have titles that share half of their words, each as a heading: the branches of a firm
// in two towns. The URLs of two versions of a page end alike, and a story under two headlines shares less of them. Things of a program are
// left to the rules about these: a method that two classes inherit is one under two names.
func siblings(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && x.folder == y.folder && len(x.ends) > 0 && len(y.ends) > 0 && x.ends[0] != y.ends[0] &&
		!titledApart(a, b) && !naming.HasCode(x.Title) && !naming.HasCode(y.Title) && x.titled() != "" && y.titled() != ""
}

// titledApart reports whether two titles share less than half of the words of the shorter one.
func titledApart(a, b *reading) bool {
	return 2*hashset.Common(a.title, b.title) < min(len(a.title), len(b.title))
}

// isAbout reports whether a page is about what its title names, or does not mention that at all. In
// both cases what it has in common with b is not about it.
func (a *reading) isAbout(b *reading) bool { return a.silent || a.names(b) }

// countedApart reports whether each of two bodies has numbers of its own.
func countedApart(a, b *reading) bool { return a.counts(b) && b.counts(a) }

// names reports whether a's title has a word of its own that distinguishes the bodies.
func (a *reading) names(b *reading) bool {
	return slices.ContainsFunc(a.title, func(w uint64) bool { return a.tells(b, w) })
}

// tells reports whether a word of a's title is in a's body, and neither in b's title nor in b's
// body.
func (a *reading) tells(b *reading, w uint64) bool {
	return !hashset.Has(b.title, w) && hashset.Has(a.words, w) && !hashset.Has(b.words, w)
}

// counts reports whether a's body has a number that b's body lacks.
func (a *reading) counts(b *reading) bool {
	return slices.ContainsFunc(a.numbers, func(n uint64) bool { return !hashset.Has(b.numbers, n) })
}

// thingsApart reports whether two pages are about two things by their headings or languages.
//
// Two references of one host under one title, such as "Member List", are if a heading has a name
// that the other heading lacks and that is in the URL too. Two pages of one host whose title no
// line says are if this holds for the first lines of both. Pages under two titles are if they are of two subjects and in two languages.
func thingsApart(a, b *reading) bool {
	if slices.Equal(a.title, b.title) {
		switch {
		case a.text.Host != b.text.Host:
			return false
		case openedApart(a, b), pathsApart(a, b):
			return true
		case !a.headingSaysTitle() && !b.headingSaysTitle():
			return a.headed(b) && b.headed(a) || a.headsAlone(b) && b.headsAlone(a)
		}
		return a.text.isReference() && b.text.isReference() && (a.headed(b) || b.headed(a))
	}
	return !sameLanguage(a, b) && !sameSubject(a, b)
}

// openedApart reports whether two pages of one folder, under one title that no line says and at URLs that differ only in a number, are about
// two things by their first lines that differ: each has a word that the other page has nowhere. Lists of the same in two orders are one.
func openedApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.folder != y.folder || !naming.DifferInKeys(x.Name, y.Name) || x.named || y.named || a.listsTheSameLinks(b) {
		return false
	}
	return a.opensBeyond(b) && b.opensBeyond(a)
}

// pathsApart reports whether two pages of one folder and under one title are about two things by headings that lead to their title: "Grade 9 / Botany /
// Papers" and "Grade 10 / Geology / Papers". Neither page has the other's, and one links to something to which the other does not: of two
// lists without an entry nothing is lost.
func pathsApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != y.Host || x.folder != y.folder || len(x.ends) == 0 || len(y.ends) == 0 || x.ends[0] == y.ends[0] || !slices.Equal(a.title, b.title) || len(a.title) == 0 {
		return false
	}
	mine, theirs := x.pathsToTitle(), y.pathsToTitle()
	return len(mine) > 0 && len(theirs) > 0 && !slices.ContainsFunc(mine, func(line string) bool { return slices.Contains(theirs, line) }) &&
		(x.leadsBeyond(y) || y.leadsBeyond(x))
}

// leadsBeyond reports whether a page links to one that is not another page and to which that one does not link.
func (t *Text) leadsBeyond(other *Text) bool {
	theirs := other.whereTo().pages
	return slices.ContainsFunc(t.whereTo().pages, func(to uint32) bool { return !hashset.Has(theirs, to) && !slices.Contains(other.ends, to) })
}

// pathsToTitle returns the lines outside links that are the page's title behind other names and separators, and name no day.
func (t *Text) pathsToTitle() (lines []string) {
	for i := range t.blocks {
		b := &t.blocks[i]
		above, ok := strings.CutSuffix(b.Text, t.Title)
		if words := strings.Fields(above); !ok || b.Linked || b.Prose || len(b.Text) > longestName || len(words) < 2 || !isPathSign(words[len(words)-1]) {
			continue
		}
		if strings.ContainsFunc(withoutNumbers(above), unicode.IsLetter) && purify.DayIn(b.Text, t.Lang) == "" {
			lines = append(lines, above)
		}
	}
	return lines
}

// isPathSign reports whether a word is a sign that programs put between the names of folders.
func isPathSign(word string) bool {
	return slices.Contains([]string{"/", ">", "»", "›", "→"}, word)
}

// longestName is how many bytes a line has at most that may name what a page is about.
const longestName = 120

// opensBeyond reports whether the first line outside links that another page lacks, and that names no day, may be a name, and has a word that
// the other page has nowhere.
func (a *reading) opensBeyond(b *reading) bool {
	t, theirs := a.text, b.text.blockTexts()
	for i := range t.blocks {
		line := t.blocks[i].Text
		if t.blocks[i].Linked || t.isExcluded(i) || theirs[line] || !strings.ContainsFunc(line, unicode.IsLetter) || purify.DayIn(line, t.Lang) != "" {
			continue
		}
		if t.blocks[i].Prose || len(line) > longestName {
			return false // no name
		}
		w := signers.Get().(*signer)
		defer w.release()
		return slices.ContainsFunc(w.tokens.FeaturesOf(withoutNumbers(line)), func(word uint64) bool { return !b.has(word) })
	}
	return false
}

// typesApart reports whether two pages are about two types of a program under two titles, each of which
// names its type: interface_with_sails.html may be an article.
func typesApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Name == y.Name {
		return false
	}
	return titledByCodeApart(x, y) || !slices.Equal(a.title, b.title) && x.typeName() != "" && y.typeName() != ""
}

// differInCapitals reports whether two pages of one folder are those of a type and of a thing that has its name with a small
// letter, by their titles and as Dokka writes it: -sail.html is the page of Sail, and sail.html that of sail. So are those of a
// class and of the object of its name, which Scaladoc marks with a sign: Sail.html and Sail$.html.
func differInCapitals(x, y *Text) bool {
	if x.folder != y.folder || x.Name == y.Name {
		return false
	}
	bare := func(name string) string { return strings.TrimPrefix(name, "-") }
	return x.Title != y.Title && strings.EqualFold(x.Title, y.Title) && strings.EqualFold(bare(x.Name), bare(y.Name)) ||
		isObjectOf(x.Name, y.Name) || isObjectOf(y.Name, x.Name)
}

// isObjectOf reports whether a file has the name that Scaladoc gives to the object of a class.
func isObjectOf(name, class string) bool {
	stem, ok := strings.CutSuffix(name, "$.html")
	return ok && stem+".html" == class
}

// titledByCodeApart reports whether the titles and the ends of the URLs of two pages name two things of a
// program, or, on one host, the titles two things of .NET or two parts of an index of operators. Names that differ only in digits are left to the rules about
// numbers: they may be versions.
func titledByCodeApart(x, y *Text) bool {
	return areTwo(naming.WithoutDigits(x.titledName()), naming.WithoutDigits(y.titledName())) ||
		x.Host == y.Host && (areTwo(naming.SignOf(x.Title), naming.SignOf(y.Title)) || differInCapitals(x, y) || differInMarks(x, y) || ofTwoNets(x, y))
}

// areTwo reports whether two names differ. "" is not a name.
func areTwo(name, other string) bool { return name != "" && other != "" && name != other }

// differInMarks reports whether two pages are of two names of a program that differ in the signs at their start alone, as the ends of
// their URLs do: _Sail and Sail, or .trim_sail and trim_sail, whose pages are dot-trim_sail.html and trim_sail.html.
func differInMarks(x, y *Text) bool {
	if x.listing || y.listing {
		return false
	}
	name := naming.SharedStem(x.Name, y.Name)
	if name == "" {
		return false
	}
	mine, ok := x.marksBefore(name)
	others, both := y.marksBefore(name)
	return ok && both && mine != others
}

// marksBefore returns the signs that the page has in front of a name where its title or a line has it first as a word of its own.
func (t *Text) marksBefore(name string) (marks string, ok bool) {
	if marks, ok = naming.MarksBefore(t.Title, name); ok {
		return marks, ok
	}
	return naming.MarksBefore(t.Body, name)
}

// titledName returns the name of something in a program that the page's title and URL have, or the operator that its
// title names.
func (t *Text) titledName() string {
	return cmp.Or(naming.OperatorOf(t.Title), t.nameOfKind(), naming.NameOfSource(t.folder, t.Name, t.Title), naming.TitledName(t.Name, t.Title), t.typeName())
}

// ofTwoEntries reports whether two pages of one host are of two things by their titles and the ends of their URLs, as generators of manuals
// make them. In one folder names that are all of the titles may differ only in digits: trimSail and trimSail2. One page may be that of two
// commands, so equal texts are one.
func ofTwoEntries(x, y *Text) bool {
	switch {
	case x.Host != y.Host:
		return false
	case areTwo(x.entry(), y.entry()), ofTwoClasses(x, y), naming.OfTwoSources(x.folder, x.Name, x.Title, y.folder, y.Name, y.Title):
		return true
	}
	return x.folder == y.folder && x.Name != y.Name && x.isTitledByName() && y.isTitledByName()
}

// ofTwoNets reports whether two pages of one folder are of two things of .NET, or of two overloads, by their titles.
func ofTwoNets(x, y *Text) bool {
	return x.folder == y.folder &&
		(areTwo(naming.NetName(x.Name, x.Title), naming.NetName(y.Name, y.Title)) || areTwo(naming.NetOverload(x.Name, x.Title), naming.NetOverload(y.Name, y.Title)))
}

// entry returns the name of the thing whose page in a manual it is: see naming.EntryOf; "" if there is none.
func (t *Text) entry() string {
	return cmp.Or(naming.EntryOf(t.Name, t.Title), naming.ModulePath(t.folder, t.Name, t.Title), t.nameBelowTitle(), t.nameOfFunction())
}

// nameOfFunction returns the name of the function whose page in a manual of PHP it is, by the end of the URL and the text: trim_sail of
// function.trim-sail.html. The title says what it does.
func (t *Text) nameOfFunction() string {
	name, ok := strings.CutPrefix(strings.TrimSuffix(t.Name, ".html"), "function.")
	if name = strings.ReplaceAll(name, "-", "_"); !ok || !strings.Contains(name, "_") || !strings.Contains(t.Body, name) {
		return ""
	}
	return name
}

// isTitledByName reports whether the end of the page's URL is its title, and a program's name without those around it, and the page is no
// list: a list may have two names, and a function two modules.
func (t *Text) isTitledByName() bool {
	return t.Title != "" && strings.TrimSuffix(t.Name, ".html") == t.Title && (naming.IsIdentifier(t.Title) || strings.Contains(t.Title, "_")) && !strings.ContainsAny(t.Title, ".:/") && !t.listing && !t.Thin
}

// nameBelowTitle returns the title of a page in small letters if it is the end of the page's URL and of a qualified name that is its heading: size of
// /api/sail/size/ with the heading kites::sail::size.
func (t *Text) nameBelowTitle() string {
	heading := strings.TrimRight(t.Subject, "¶#")
	if t.Name == "" || t.Name != t.Title || strings.ContainsFunc(heading, unicode.IsSpace) || !(strings.HasSuffix(heading, "::"+t.Name) || strings.HasSuffix(heading, "."+t.Name)) {
		return ""
	}
	return strings.ToLower(t.Name)
}

// nameOfKind returns the name of a thing in a program whose page is in a folder of its kind: see naming.NameOfKind. Where a
// program gives all pages the title of the manual, one of the first lines of the page has it, or a line that is not compared, such as the last
// folder in the path above the page, is the name of the file.
func (t *Text) nameOfKind() string {
	if !naming.IsOfKind(t.folder) {
		return ""
	}
	if name := naming.NameOfKind(t.Name, t.Title); name != "" {
		return name
	}
	n := 0
	for line := range strings.Lines(t.Body) {
		if name := naming.NameOfKind(t.Name, line); name != "" {
			return name
		}
		if n++; n > mostHeads {
			break
		}
	}
	file := strings.TrimSuffix(t.Name, ".html")
	if naming.IsFileOfType(t.Name) && slices.ContainsFunc(t.blocks, func(b purify.Block) bool { return b.Text == file }) {
		return naming.NameOfKind(t.Name, file)
	}
	return ""
}

// mostHeads is how many lines may be above the one with the name of a thing.
const mostHeads = 2

// typeName returns the name of the type of a program whose page it is, in small letters, if the page's title has it; else "".
func (t *Text) typeName() string {
	name := strings.ToLower(naming.TypeName(t.Name, t.Title))
	if name == "" || !naming.SaysQualified(strings.ToLower(t.Title), name) {
		return ""
	}
	return name
}

// linkedApart reports whether two pages of one host have two subjects and link to each other: a
// sister and a brother, each in the list of the other's family. Two tags of the same posts, of
// which each post has both, are therefore one document only if they are equal.
func linkedApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && !sameSubject(a, b) && x.leadsTo(y) && y.leadsTo(x)
}

// NamesAnother reports whether one of two pages has a word in its title and at the end of its URL
// that the other has in neither. A number counts if the titles are the same except for it: two
// episodes.
func NamesAnother(url, title, other, otherTitle string) bool {
	return namesAnother(namedBy(url, title), namedBy(other, otherTitle))
}

// namedBy returns a reading with only the names of a page: its title and the end of its URL.
func namedBy(url, title string) *reading {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	r := &reading{text: &Text{Title: title}}
	_, _, r.text.Name = namesIn(url)
	r.text.Name = naming.TitledCased(r.text.Name, title)
	r.name(&scratch.tokens)
	return r
}

// namesTwo reports whether each of two pages has a word in its title and at the end of its URL that
// the other has in neither, or a number as in NamesAnother.
func namesTwo(a, b *reading) bool {
	return a.count.Apart(b.count) || a.hasNameBeyond(b) && b.hasNameBeyond(a)
}

// namesAnother is NamesAnother for readings.
func namesAnother(a, b *reading) bool {
	return a.count.Apart(b.count) || a.hasNameBeyond(b) || b.hasNameBeyond(a)
}

// datedApart reports whether two brief pages have two dates, and URLs that differ only in digits: a
// show on two evenings. The caller knows that they have one title. Two versions of a page have URLs
// that end in the same name, in a version, or in two hashes of a file, and an article that is printed
// again on another day has a URL with other words or is longer.
func datedApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.IsBrief() && y.IsBrief() && x.isOfAnotherDay(y) && naming.DifferInKeys(x.Name, y.Name)
}

// titledByDay reports whether two titles that share half of their words name two days: "Weekly news of 16 July 2016". A rest
// of digits and months is all that differs in the titles of two issues.
func titledByDay(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Title == y.Title || titledApart(a, b) || slices.Equal(a.titleNumbers, b.titleNumbers) {
		return false
	}
	return areTwo(purify.DayIn(x.Title, x.Lang), purify.DayIn(y.Title, y.Lang))
}

// isOtherIssue reports whether two pages are two issues of a series: headings with their titles are the same except for numbers and
// months, and their URLs end differently in one folder, or are in the folders of two days or months. Versions of a page are in other folders.
func isOtherIssue(a, b *reading) bool {
	x, y := a.text, b.text
	if x.folder == y.folder && (x.folder == "" || pageName(x.Name) == pageName(y.Name)) || x.folder != y.folder && !(naming.IsDate(x.folder) && naming.IsDate(y.folder)) {
		return false
	}
	mine, others := x.titled(), y.titled()
	if mine == "" || others == "" || strings.EqualFold(withoutSigns(mine), withoutSigns(others)) { // a link to itself may be a # or a ¶
		return false
	}
	of := purify.Unnumbered(mine)
	return of != "#" && of != "" && of == purify.Unnumbered(others)
}

// withoutSigns returns the letters and digits of a text.
func withoutSigns(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}

// titled returns the first heading that has the whole title; "" if none has.
func (t *Text) titled() string {
	title := strings.ToLower(t.Title)
	for i := range t.blocks {
		if b := &t.blocks[i]; title != "" && b.Heads && strings.Contains(strings.ToLower(b.Text), title) {
			return b.Text
		}
	}
	return ""
}

// isOfAnotherDay reports whether two pages have dates that differ.
func (t *Text) isOfAnotherDay(other *Text) bool {
	return t.day != other.day && t.day != "" && other.day != ""
}

// qualifiedApart reports whether two pages are about two things of a program by the qualified names
// at the ends of their URLs: classes of one name in two namespaces. Each page must have its own
// qualifier in its text. The caller knows that they have one title.
func qualifiedApart(a, b *reading) bool {
	mine, others := naming.Qualifiers(a.text.Name, b.text.Name)
	if mine == "" || others == "" {
		return false
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	says := func(a, b *reading, name string) bool {
		return slices.ContainsFunc(naming.FolderWords(&scratch.tokens, name), func(w uint64) bool { return hashset.Has(a.words, w) && !hashset.Has(b.words, w) })
	}
	return says(a, b, mine) && says(b, a, others)
}

// ofTwoNamespaces reports whether two pages of one host are of two namespaces: see NamespacesDiffer. j is the resemblance
// of the pages. rustdoc has a page of a thing in each module that exports it: two of them must say something else.
func ofTwoNamespaces(a, b *reading, j float64) bool {
	x, y := a.text, b.text
	switch {
	case x.Host != y.Host:
		return false
	case ofTwoModules(x, y):
		return true
	case !namespacesApart(a, b):
		return false
	case ofTwoPaths(a, b, j):
		return true
	case x.Name == y.Name && (!naming.IsOfRust(x.Name) || j < unequal && (a.saysBeyond(b) || b.saysBeyond(a))):
		return true
	}
	return a.saysMuchElse(b) || j < allButNamed && !naming.OfOneLastPart(pageName(x.Name), pageName(y.Name))
}

// ofTwoModules reports whether two pages are of things of one name in two modules, by titles as odoc writes them: "Module Kites.Sail" and "Module Boats.Sail".
func ofTwoModules(x, y *Text) bool {
	return x.Name == y.Name && areTwo(naming.KindQualifier(x.folder, x.Name, x.Title), naming.KindQualifier(y.folder, y.Name, y.Title))
}

// ofTwoPaths reports whether two pages of rustdoc are of two things of one name by the names around it in their titles: one of them has a word that
// the other has nowhere, besides names, or says little in prose. A thing that is exported from two modules has one description; columns of one name
// in two tables have none.
func ofTwoPaths(a, b *reading, j float64) bool {
	x, y := a.text, b.text
	mine, others := naming.TitledQualifier(x.folder, x.Name, x.Title), naming.TitledQualifier(y.folder, y.Name, y.Title)
	if x.Name != y.Name || !naming.IsOfRust(x.Name) || mine == "" || others == "" {
		return false
	}
	return naming.OfTwoPaths(mine, others) && (min(x.prose, y.prose) < ownText || j < unequal && (a.beyond(b) > 0 || b.beyond(a) > 0))
}

// saysBeyond reports whether a page has leastBeyond words that the other one lacks: see beyond.
func (a *reading) saysBeyond(b *reading) bool { return a.beyond(b) >= leastBeyond }

// beyond returns how many words a page has that the other one has nowhere, and that are not in the names by which a program calls it.
func (a *reading) beyond(b *reading) int {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	in := naming.FolderWords(&scratch.tokens, strings.ReplaceAll(a.text.folder, "/", "_"))
	n := 0
	for _, w := range a.words {
		if !b.has(w) && !hashset.Has(a.title, w) && !hashset.Has(in, w) {
			n++
		}
	}
	return n
}

const leastBeyond = 3

// namespacesApart reports whether two pages are about two things of a program by the qualified names in
// their URLs. Each page must have its own name in its text; it may have the other's too, since a class
// names those that it extends. Pages of one name in folders of two namespaces need not: the line with
// the namespace is on the pages of all its classes, and may be left out as the site's.
func namespacesApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Name == y.Name {
		return areTwo(x.namespace(), y.namespace())
	}
	mine, others := pageName(x.Name), pageName(y.Name)
	return naming.IsQualified(mine) && naming.IsQualified(others) && x.saysQualified(mine) && y.saysQualified(others)
}

// namespace returns the qualified name of the folders of a page: that of its innermost folder, or one that the title or a
// line of the page has and of which the folders are the last parts, with the name of the page behind it or without.
// "" if there is none. Digits are left out, since they may be those of a version.
func (t *Text) namespace() string {
	if _, inner := cutLast(t.folder); naming.IsQualified(inner) {
		return inner
	}
	if name := naming.TitledQualifier(t.folder, t.Name, t.Title); name != "" {
		return name
	}
	end := strings.ReplaceAll(t.folder, "/", ".")
	for i := range t.blocks {
		if name := naming.QualifiedBy(t.blocks[i].Text, end, pageName(t.Name)); name != "" {
			return naming.WithoutDigits(name)
		}
	}
	return ""
}

// saysQualified reports whether a line of the page has a qualified name, also one that is not compared.
func (t *Text) saysQualified(name string) bool {
	return naming.SaysQualified(t.Body, name) || slices.ContainsFunc(t.blocks, func(b purify.Block) bool { return naming.SaysQualified(b.Text, name) })
}

// wordOrderApart reports whether two titles have the same words in another order, and so have the ends
// of the URLs: the train from one town to another, and the train back.
func wordOrderApart(a, b *reading) bool {
	x, y := a.text, b.text
	if strings.EqualFold(x.Title, y.Title) {
		return false
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	v, w := naming.LetterWords(&scratch.tokens, x.Name), naming.LetterWords(&scratch.tokens, y.Name)
	return !slices.Equal(v, w) && slices.Equal(hashset.Of(v), hashset.Of(w))
}

// ownNamesApart reports whether two pages of one host under two titles are about two things by the
// names in their titles and URLs.
//
// If the titles share half of their words, as titles that a program writes do, one page with a name
// in its title and URL that the other's lack is enough; so are two pages that each show their
// titles, have numbers of their own and have a name in the title that the other does not have
// anywhere: two products, two places.
//
// If the titles share less, both pages need such names, which the other's text must lack too. In
// addition each page must have numbers of its own, or both say little in prose, or the URLs end in
// the same name in two folders: a story may have two headlines. Or they are notices, see isNotice, and share no word.
//
// Lists of the same items may have two names if their numbers are the same and they are not of two
// types, and so may two stories of which hardly more than the name differs. So may the entries of a
// program's manual: see isOfProgram.
func (p *pair) ownNamesApart() bool {
	a, b := p.a, p.b
	x, y := a.text, b.text
	if x.Host != y.Host || slices.Equal(a.title, b.title) {
		return false
	}
	counted := countedApart(a, b)
	switch {
	case !counted && a.listsTheSameLinks(b):
		return false
	case !counted && p.j >= allButName && x.isStory() && y.isStory():
		return false
	case hashset.Common(a.title, b.title) == 0 && a.isNotice() && b.isNotice():
		return true
	case titledApart(a, b):
		return (counted || x.isReference() && y.isReference() || sameName(x, y)) && a.hasOwnName(b, true) && b.hasOwnName(a, true)
	case a.hasOwnName(b, false), b.hasOwnName(a, false):
		return true
	}
	return counted && x.named && y.named && !a.isOfProgram() && !b.isOfProgram() && a.hasName(b) && b.hasName(a)
}

// isNotice reports whether a page says little under its title, which is a heading of its own and the end of its URL: that a part of a
// manual is not written yet, in the box of all such parts.
func (a *reading) isNotice() bool {
	t := a.text
	name := pageName(t.Name)
	return t.IsBrief() && !t.listing && !t.Thin && strings.EqualFold(withoutSigns(strings.TrimSuffix(name, weburl.HTMLEnding(name))), withoutSigns(t.Title)) && t.titled() != ""
}

// allButName is the resemblance from which hardly more than the name differs between two stories.
const allButName = 0.98

// isStory reports whether a page has much prose and little else.
func (t *Text) isStory() bool { return t.prose >= leastStory && 5*t.prose >= 4*t.plain }

const leastStory = 200 // tokens of prose

// hasOwnName reports whether a's title has a name that b's title and URL lack and that is at the
// end of a's URL, or in the name of its folder if both URLs end in the same name. With unsaid, b's
// text must lack the name too.
func (a *reading) hasOwnName(b *reading, unsaid bool) bool {
	name, other, ofProgram := a.text.Name, b.text.Name, isOfProgram
	if sameName(a.text, b.text) {
		if name, other = foldersOf(a.text, b.text); weburl.IsEdition(name) {
			return false
		}
		ofProgram = isFolderOfProgram
	}
	if ofProgram(name) || ofProgram(other) {
		return false
	}
	tells := func(w uint64) bool {
		return hashset.Has(a.title, w) && !hashset.Has(b.title, w) && !hashset.Has(b.segment, w) && (!unsaid || !b.has(w))
	}
	if a.hasNameIn(name, tells) || a.hasTranslatedName(b, unsaid) {
		return true
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(naming.Keys(&scratch.tokens, name), tells)
}

// hasTranslatedName reports whether a's title has a name that b's title lacks, in letters that the end of a's URL can't have,
// and the end has a word that b's lacks: 東京支社 and 大阪支社 at tokyo.html and osaka.html. The word may be the name in
// another language, or its sound. With unsaid, b's text must lack the name too.
//
// It does not hold if the URL spells a word of the title, since it would spell the name then.
func (a *reading) hasTranslatedName(b *reading, unsaid bool) bool {
	x, y := a.text, b.text
	if sameName(x, y) || slug.BeyondASCII(x.Name) || slug.BeyondASCII(y.Name) {
		return false
	}
	names := slug.Own(x.Title, y.Title)
	if unsaid {
		names = slices.DeleteFunc(names, func(n string) bool { return strings.Contains(y.Body, n) || strings.Contains(y.Subject, n) })
	}
	if len(names) == 0 || len(slug.Words(x.Name, x.Title)) > 0 {
		return false
	}
	theirs := naming.PlainWords(y.Name)
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(naming.PlainWords(x.Name), func(w string) bool {
		scratch.tokens.Read(w)
		return len(w) >= leastTranslated && !slices.Contains(theirs, w) && !weburl.IsEdition(w) && !hashset.Has(a.title, scratch.tokens.Hashes[0])
	})
}

// leastTranslated is how many letters a word of a URL must have to be a name: codes of languages have fewer.
const leastTranslated = 3

// hasNameIn reports whether tells holds for one of the words without digits at the end of a URL or
// in a folder's name, for these words written together, or for a word of the title that the URL spells in ASCII.
func (a *reading) hasNameIn(name string, tells func(uint64) bool) bool {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(naming.LetterWords(&scratch.tokens, name), tells) ||
		slices.ContainsFunc(naming.JoinedWords(&scratch.tokens, name), tells) ||
		slices.ContainsFunc(naming.SpelledWords(&scratch.tokens, name, withoutNumbers(a.text.Title), ""), tells)
}

// hasName reports whether a's title has a word without digits that b does not have anywhere.
func (a *reading) hasName(b *reading) bool {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(scratch.tokens.FeaturesOf(withoutNumbers(a.text.Title)), func(w uint64) bool { return !b.has(w) })
}

// isOfProgram reports whether a page is about something in a program's source, by its title and the
// end of its URL.
func (a *reading) isOfProgram() bool {
	return isOfProgram(a.text.Name) && hashset.Common(a.segment, a.title) > 0
}

// isOfProgram reports whether the end of a URL or the name of a folder is that of something in a
// program's source other than a type. Two methods, unlike two types, may have one description.
func isOfProgram(name string) bool {
	stem := pageName(name)
	return !naming.IsType(name) && (naming.IsIdentifier(name) || strings.Contains(strings.TrimSuffix(stem, weburl.HTMLEnding(stem)), "."))
}

// isFolderOfProgram is isOfProgram for the name of a folder that is not the page's own. Small letters with underscores
// between them may be words: sail_trim/README.html and fast_sail_trim/README.html are two examples of a manual.
func isFolderOfProgram(folder string) bool {
	return isOfProgram(folder) && (strings.ToLower(folder) != folder || strings.Contains(folder, "."))
}

// withoutNumbers returns a title without the words that have a digit.
func withoutNumbers(title string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(title), func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }), " ")
}

// hasNameBeyond reports whether a has a word in its title and at the end of its URL that b has in
// neither.
func (a *reading) hasNameBeyond(b *reading) bool {
	tells := func(w uint64) bool { return a.isNamed(b, w) }
	return slices.ContainsFunc(a.segment, tells) && a.hasNameIn(a.text.Name, tells)
}

// isNamed reports whether a word is in a's title and at the end of its URL, and in neither of b's.
func (a *reading) isNamed(b *reading, w uint64) bool {
	return hashset.Has(a.segment, w) && hashset.Has(a.title, w) && !hashset.Has(b.title, w) && !hashset.Has(b.segment, w)
}

// allButNamed is the resemblance from which two pages are one document although their URLs have
// different names that their texts have too: the method of a class, and the same method in a class
// that inherits it.
const allButNamed = 0.95

// Two pages with different names may be two documents although allButNamed of their texts is the same:
// two types of a library with hundreds of inherited members. Then each has muchElse runs of three words
// that the other lacks. If both are long, with longReference runs in common, and titled by their names
// alone, each needs only someElse.
const (
	muchElse      = 30
	someElse      = 5
	longReference = 300
)

// saysMuchElse reports whether each of two pages has so many runs of words that the other lacks.
func (a *reading) saysMuchElse(b *reading) bool {
	both := hashset.Common(a.shingles, b.shingles)
	own := min(len(a.shingles), len(b.shingles)) - both
	return own >= muchElse || own >= someElse && both >= longReference && a.isTitledByName() && b.isTitledByName()
}

// isTitledByName reports whether all words of a page's title are at the end of its URL.
func (a *reading) isTitledByName() bool {
	return len(a.title) > 0 && !slices.ContainsFunc(a.title, func(w uint64) bool { return !hashset.Has(a.segment, w) })
}

// namedInTextsApart reports whether two pages have different names in their URLs that their texts have
// too.
//
// Two pages that list the same are one document all the same, as two tags of the same posts are.
// They are not if each lists something more, since what both list is a menu then; and they are not
// if the names are identifiers or those of types, since functions of one signature link to the same types.
func namedInTextsApart(a, b *reading) bool {
	called := a.isNamedInText(b) && b.isNamedInText(a)
	switch {
	case called && isOfSource(a.text.Name) && isOfSource(b.text.Name):
		return true
	case a.listsTheSameLinks(b):
		return called && a.text.listsMore(b.text) && b.text.listsMore(a.text)
	}
	return called || saidOfTwo(a, b)
}

// isOfSource reports whether the end of a URL is that of something in a program's source.
func isOfSource(name string) bool { return naming.IsIdentifier(name) || naming.IsType(name) }

// listsMore reports whether a page links to a page that the other does not link to, apart from the
// two themselves.
func (t *Text) listsMore(other *Text) bool {
	return slices.ContainsFunc(t.Lists, func(to uint32) bool {
		return !hashset.Has(other.Lists, to) && !slices.Contains(t.ends, to) && !slices.Contains(other.ends, to)
	})
}

// saidOfTwo reports whether two pages of one host are named as two things, and each has a line with
// its name that the other lacks. A line that both have does not count, since it may name both: a
// list of other products next to each product. A story under two headlines has the words of both in
// lines that both pages have.
func saidOfTwo(a, b *reading) bool {
	return a.text.Host == b.text.Host && namesTwo(a, b) && a.saysItsName(b) && b.saysItsName(a)
}

// saysItsName reports whether a's body has a line that b's lacks, with a word of a's title and URL
// that b's title and URL lack. A line that only repeats the title does not count.
func (a *reading) saysItsName(b *reading) bool {
	theirs := lineSet(b.text.Body)
	scratch := signers.Get().(*signer)
	defer scratch.release()
	for line := range strings.SplitSeq(a.text.Body, "\n") {
		if theirs[line] {
			continue
		}
		named, more := false, false
		for _, w := range scratch.tokens.FeaturesOf(line) {
			more = more || !hashset.Has(a.title, w)
			named = named || a.isNamed(b, w)
		}
		if named && more {
			return true
		}
	}
	return false
}

// foldersOf returns the names of the innermost folders of two pages that differ in their words or
// keys, or "" for both if no two differ.
func foldersOf(x, y *Text) (mine, others string) {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	in, of := x.folder, y.folder
	for in != "" && of != "" {
		in, mine = cutLast(in)
		of, others = cutLast(of)
		if !slices.Equal(naming.FolderWords(&scratch.tokens, mine), naming.FolderWords(&scratch.tokens, others)) ||
			!slices.Equal(naming.Keys(&scratch.tokens, mine), naming.Keys(&scratch.tokens, others)) {
			return mine, others
		}
	}
	return "", ""
}

// isNamedInText reports whether the end of a's URL has a name that a's text has too, and that b does not
// have anywhere: the name of a class or of a command.
//
// On one host the title line alone is enough as text if the URL has an identifier; a story under
// two headlines has URLs with the words of each. On two hosts the title must have the name too,
// since another site may choose other words for its URLs. Of two references of one host, b may have
// the name in its text: a class names similar ones, and its own name may be only in a line of links
// that says what it extends.
func (a *reading) isNamedInText(b *reading) bool {
	oneHost := a.text.Host == b.text.Host
	references := oneHost && a.text.isReference() && b.text.isReference()
	return slices.ContainsFunc(a.segment, func(w uint64) bool {
		title := hashset.Has(a.title, w)
		says := oneHost && title && a.text.named && naming.IsIdentifier(a.text.Name) || hashset.Has(a.words, w) || hashset.Has(a.subject, w)
		switch {
		case hashset.Has(b.segment, w), hashset.Has(b.title, w):
			return false
		case references:
			return title || says || a.headSays(w)
		case hashset.Has(b.words, w), hashset.Has(b.subject, w):
			return false
		}
		return says && (oneHost || title)
	})
}

// membersApart reports whether two pages are in two folders that are types of a program: the
// method of one class, and a method of another class with the same name. If they are of one host and say only a line or two,
// it is enough that each folder is named in a line of links above the page's text.
func membersApart(a, b *reading) bool {
	x, y := a.text, b.text
	mine, others := foldersOf(x, y)
	if sameName(x, y) && naming.IsType(naming.Cased(mine)) && naming.IsType(naming.Cased(others)) {
		return true
	}
	if x.Host != y.Host {
		return false
	}
	if !x.Thin || !y.Thin || min(x.plain, y.plain) >= briefBody || weburl.IsEdition(mine) || weburl.IsEdition(others) {
		return false
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	m, o := naming.FolderWords(&scratch.tokens, mine), naming.FolderWords(&scratch.tokens, others)
	return slices.ContainsFunc(m, a.headSays) && slices.ContainsFunc(o, b.headSays) && (a.isBelow(b, m) || b.isBelow(a, o))
}

// ofTwoClasses reports whether two pages of one host are members of one name of two classes, as dartdoc has them, and do not say the
// same outside links. A class may inherit what the other's member says.
func ofTwoClasses(x, y *Text) bool {
	if x.Host != y.Host || x.Title != y.Title || !sameName(x, y) {
		return false
	}
	mine, others := foldersOf(x, y)
	if !naming.MembersOfTwo(x.Name, x.Title, mine, others) {
		return false
	}
	if len(x.blocks) > 0 && len(y.blocks) > 0 {
		plain := func(b *purify.Block) bool { return !b.Linked }
		x, y = x.of(plain, false), y.of(plain, false)
	}
	return x.Body != y.Body
}

// isBelow reports whether a's head has a word of a's folder that b's head lacks. The head is what
// reading.headSays looks at.
func (a *reading) isBelow(b *reading, folder []uint64) bool {
	return slices.ContainsFunc(folder, func(w uint64) bool { return a.headSays(w) && !b.headSays(w) })
}

// namesApart reports whether two pages each have a line that says their title, the titles share no
// word, and each page has numbers of its own: the records of two persons next to the votes of all,
// which name both. Two lists of the same posts are not told apart: they may say how many pages each
// list has.
func namesApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.named && y.named && min(len(a.title), len(b.title)) >= leastName &&
		hashset.Common(a.title, b.title) == 0 && countedApart(a, b) && !(x.paged && y.paged && x.listsLike(y))
}

// numberedApart reports whether two pages of one folder say fewer than mostNamed words, each with a line that says its title,
// have titles that share less than half of their words, and URLs that differ only in numbers or are two keys: two notices of a school that say
// little but their titles, next to the latest notices. What they have in common may be a story under two headlines if it has
// ownText words of prose; then each must name what its title names and the other does not, or have numbers of its own, such as the
// days on which a person was born and died above the family's history.
func numberedApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && x.named && y.named && x.IsBrief() && y.IsBrief() && min(len(a.title), len(b.title)) >= leastTitle && titledApart(a, b) &&
		(x.folder == y.folder && naming.DifferInKeys(x.Name, y.Name) || naming.OfTwoHashes(x.folder, x.Name, y.folder, y.Name)) && (max(x.prose, y.prose) < ownText || namedApart(a, b) || countedApart(a, b))
}

// leastName is how many words a title must have to tell two pages apart whatever they say.
const leastName = 2

// isOfMoreThan reports whether one of two pages that do not list the same has a name in its title
// and its text that the other has in neither: a package within another one.
func (a *reading) isOfMoreThan(b *reading) bool {
	return !a.listsTheSameLinks(b) && (a.names(b) || b.names(a))
}

// listsTheSameLinks reports whether two pages that say little but links link to the same pages, of which each may
// have a few that the other lacks: two tags of the same posts. For references it says less: two classes may link to the same base
// classes.
func (a *reading) listsTheSameLinks(b *reading) bool {
	x, y := a.text, b.text
	return x.Thin && y.Thin && (x.Links == y.Links && x.Links != 0 || x.listsLike(y) && !x.listsMany(y) && !y.listsMany(x))
}

// headed reports whether a's heading has a name that b's heading lacks and that is in a's URL.
func (a *reading) headed(b *reading) bool {
	return len(b.subject) > 0 && slices.ContainsFunc(a.subject, func(w uint64) bool { return !hashset.Has(b.subject, w) && hashset.Has(a.segment, w) })
}

// headsAlone reports whether a's URL ends in a key and its heading has a word that b has nowhere: under one title, such as "Family map", which
// no line says, the heading names what the page is about.
func (a *reading) headsAlone(b *reading) bool {
	t := a.text
	return t.Host == b.text.Host && naming.IsKey(t.Name) && slices.ContainsFunc(t.blocks, func(block purify.Block) bool { return block.Heads && block.Text == t.Subject }) &&
		a.heads(b)
}

// headingSaysTitle reports whether the heading has half of the title's words. Otherwise it is only
// the first line of a page whose title no line says.
func (a *reading) headingSaysTitle() bool {
	return 2*hashset.Common(a.subject, a.title) >= len(a.title)
}

// pagesOfOneList reports whether two pages are the second and the third of a list, or two others, by their URLs:
// /tags/kites/page/2/ and /tags/kites/page/3/.
func pagesOfOneList(a, b *Text) bool {
	return a.paged && b.paged && a.Host == b.Host && a.folder == b.folder && a.Name != b.Name && a.isLaterPage() && b.isLaterPage()
}

// isLaterPage reports whether a page is the second of a list, or a later one, by the end of its URL: page/2/, or page/2/index1e54.html
// of a list in another order.
func (t *Text) isLaterPage() bool {
	return strings.HasSuffix("/"+t.folder, "/page") && t.Name != "" && strings.Trim(t.Name, "0123456789") == ""
}
