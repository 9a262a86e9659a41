package dedup

import (
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/splitmix"
)

// Facts tell pages apart that share a template and most of its words. Zero is a page that has
// none.
type Facts struct {
	Title   uint32 // hash of the title's tokens but versions
	Numbers uint32 // hash of the body's numbers but versions, in their order
}

// title and numbers skip versions ("3.11"): pages of two editions of a manual are
// of one page although their titles name the edition.

func titleFact(t *token.List) uint32 {
	h, any := uint64(0), false
	for i, s := range t.Sorts {
		if s != token.Version {
			h, any = splitmix.Mix(h^t.Hashes[i]), true
		}
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

// apart reports whether two bodies that resemble each other are likely to be
// pages of one template: both have a title, and titles and numbers differ.
func (f Facts) apart(other Facts) bool {
	return f.Title != 0 && other.Title != 0 && f.Title != other.Title && f.Numbers != other.Numbers
}

// namedApart reports whether two pages are named as two: each title has words of its own that
// occur in its own body and not in the other. This does not hold for a story that was printed
// under two headlines, nor for a page in two editions of a manual.
func namedApart(a, b *reading) bool { return a.names(b) && b.names(a) }

// titledApart reports whether the titles of two pages have less than half of their words in common.
func titledApart(a, b *reading) bool {
	return 2*hashset.Common(a.title, b.title) < min(len(a.title), len(b.title))
}

// isAbout reports whether a page is about what its title names, or says next to nothing of it: what it
// has in common with another one is not about that.
func (a *reading) isAbout(b *reading) bool { return a.silent || a.names(b) }

// countedApart reports whether each of two bodies has numbers of its own.
func countedApart(a, b *reading) bool { return a.counts(b) && b.counts(a) }

// names reports whether a's title has a word of its own that distinguishes the bodies.
func (a *reading) names(b *reading) bool {
	return slices.ContainsFunc(a.title, func(w uint64) bool { return a.tells(b, w) })
}

// tells reports whether a word of a's title is in its body, and in neither of b.
func (a *reading) tells(b *reading, w uint64) bool {
	return !hashset.Has(b.title, w) && hashset.Has(a.words, w) && !hashset.Has(b.words, w)
}

// counts reports whether a's body has a number of its own.
func (a *reading) counts(b *reading) bool {
	return slices.ContainsFunc(a.numbers, func(n uint64) bool { return !hashset.Has(b.numbers, n) })
}

// thingsApart reports whether two pages are of two things. Under one title, such as "Member
// List", two references of one site are where a heading has a name that the other's has not
// and that the end of the URL says too. Under a title that no line says, two pages of one site
// are where this holds for the first lines of both, unless they list the same. Under two titles,
// pages in two languages are.
func thingsApart(a, b *reading) bool {
	if slices.Equal(a.title, b.title) {
		switch {
		case a.text.Host != b.text.Host:
			return false
		case !a.headingSaysTitle() && !b.headingSaysTitle():
			return a.headed(b) && b.headed(a) && !a.listsTheSameLinks(b)
		}
		return a.text.isReference() && b.text.isReference() && (a.headed(b) || b.headed(a))
	}
	return !sameLanguage(a, b) && !sameSubject(a, b)
}

// linkedApart reports whether two pages of one host have two subjects and link to each other: a
// sister and a brother, each in the list of the other's family. So two tags that each post of both
// has are one only if they are equal.
func linkedApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.Host == y.Host && !sameSubject(a, b) && x.leadsTo(y) && y.leadsTo(x)
}

// NamesAnother reports whether of two pages one has a word in its title and at the end of its URL that the
// other one has in neither. A number counts if the titles are the same but for it: two episodes.
func NamesAnother(url, title, other, otherTitle string) bool {
	return namesAnother(namedBy(url, title), namedBy(other, otherTitle))
}

// namedBy returns a reading of a page's names alone.
func namedBy(url, title string) *reading {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	r := &reading{text: &Text{Title: title}}
	_, _, r.text.Name = namesIn(url)
	r.name(&scratch.tokens)
	return r
}

// namesTwo reports whether two pages are named as two things: each has a word in its title and at the end
// of its URL that the other one has in neither, or a number.
func namesTwo(a, b *reading) bool {
	return a.count.Apart(b.count) || a.isNamedBeside(b) && b.isNamedBeside(a)
}

func namesAnother(a, b *reading) bool {
	return a.count.Apart(b.count) || a.isNamedBeside(b) || b.isNamedBeside(a)
}

// datedApart reports whether two pages under one title that say little have dates that differ, and URLs whose
// ends differ in a number alone: a show on two evenings. Two versions of a page have URLs that end alike, and
// an article may be printed again on another day.
func datedApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.IsBrief() && y.IsBrief() && x.isOfAnotherDay(y) && x.Name != y.Name && naming.WithoutDigits(x.Name) == naming.WithoutDigits(y.Name)
}

// recurs reports whether two pages under titles that differ in numbers alone have dates that differ, and URLs that
// end in two ways: a party that is given each year. A chapter that has another number in another version of a
// manual has a URL that ends alike.
func recurs(a, b *reading) bool {
	x, y := a.text, b.text
	return x.IsBrief() && y.IsBrief() && x.isOfAnotherDay(y) && x.Title != y.Title && !sameName(x, y) && x.Name != y.Name &&
		naming.WithoutDigits(x.Title) == naming.WithoutDigits(y.Title)
}

// isOfAnotherDay reports whether two pages have dates that differ.
func (t *Text) isOfAnotherDay(other *Text) bool {
	return t.day != other.day && t.day != "" && other.day != ""
}

// qualifiedApart reports whether two pages under one title are of two things of a program by their qualified
// names, as the ends of their URLs have them, and each says its own: the class of one name in two namespaces.
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

// turnedApart reports whether two titles of the same words, and the ends of the pages' URLs, have them in
// another order: the way from one town to another, and the way back.
func turnedApart(a, b *reading) bool {
	x, y := a.text, b.text
	if strings.EqualFold(x.Title, y.Title) {
		return false
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	v, w := naming.LetterWords(&scratch.tokens, x.Name), naming.LetterWords(&scratch.tokens, y.Name)
	return !slices.Equal(v, w) && slices.Equal(hashset.Of(v), hashset.Of(w))
}

// entitledApart reports whether two pages of one host under two titles are named as two things. Of titles that have half of
// their words in common, as a program writes them, it is enough that the one has a name that its URL has too,
// or that both pages say their titles in a line and have numbers of their own: two products, two places.
// Other titles are two things where both have names in their URLs and each page has numbers of its own, both
// say little in prose, or the URLs end alike in two folders: a story may have two headlines. Lists of the
// same may have two names, if their numbers are the same and they are not of two types, and so may what a
// program's manual describes, and prose of which hardly more than the name differs: two tags of the same posts.
func (p *pair) entitledApart() bool {
	a, b := p.a, p.b
	x, y := a.text, b.text
	if x.Host != y.Host || slices.Equal(a.title, b.title) {
		return false
	}
	counted := countedApart(a, b)
	switch {
	case !counted && a.listsTheSameLinks(b) && !(naming.IsType(x.Name) && naming.IsType(y.Name)):
		return false
	case !counted && p.j >= allButName && x.isStory() && y.isStory():
		return false
	case titledApart(a, b):
		return (counted || x.isReference() && y.isReference() || sameName(x, y)) && a.isEntitled(b, true) && b.isEntitled(a, true)
	case a.isEntitled(b, false), b.isEntitled(a, false):
		return true
	}
	return counted && x.named && y.named && !a.isOfProgram() && !b.isOfProgram() && a.hasName(b) && b.hasName(a)
}

// allButName is the resemblance from which hardly more than the name of two stories differs.
const allButName = 0.98

// isStory reports whether a page says much, and most of it in prose.
func (t *Text) isStory() bool { return t.prose >= leastStory && 5*t.prose >= 4*t.plain }

const leastStory = 200 // tokens of prose

// isEntitled reports whether a's title has a name that b's title and URL lack, if it is unsaid b's text too,
// and that the end of a's URL has, or that of its folder if the URLs end alike.
func (a *reading) isEntitled(b *reading, unsaid bool) bool {
	name, other := a.text.Name, b.text.Name
	if sameName(a.text, b.text) {
		if name, other = foldersOf(a.text, b.text); naming.IsEdition(name) {
			return false
		}
	}
	if isOfProgram(name) || isOfProgram(other) {
		return false
	}
	tells := func(w uint64) bool {
		return hashset.Has(a.title, w) && !hashset.Has(b.title, w) && !hashset.Has(b.segment, w) && (!unsaid || !hashset.Has(b.words, w) && !hashset.Has(b.subject, w))
	}
	if a.hasNameIn(name, tells) {
		return true
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(naming.Keys(&scratch.tokens, name), tells)
}

// hasNameIn reports whether of the words without digits in the end of a URL or a folder one tells, as it is or
// as a word of the title that it spells in ASCII.
func (a *reading) hasNameIn(name string, tells func(uint64) bool) bool {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	return slices.ContainsFunc(naming.LetterWords(&scratch.tokens, name), tells) ||
		slices.ContainsFunc(naming.SpelledWords(&scratch.tokens, name, withoutNumbers(a.text.Title), ""), tells)
}

// hasName reports whether a's title has a word without digits that b says nowhere.
func (a *reading) hasName(b *reading) bool {
	scratch := signers.Get().(*signer)
	defer scratch.release()
	scratch.tokens.Read(withoutNumbers(a.text.Title))
	return slices.ContainsFunc(token.Features(nil, &scratch.tokens, 0, len(scratch.tokens.Hashes)), func(w uint64) bool {
		return !hashset.Has(b.title, w) && !hashset.Has(b.words, w) && !hashset.Has(b.subject, w)
	})
}

// isOfProgram reports whether a page is of something in a program's source by its title and the end of its URL.
func (a *reading) isOfProgram() bool {
	return isOfProgram(a.text.Name) && hashset.Common(a.segment, a.title) > 0
}

// isOfProgram reports whether the end of a URL, or a folder, is the name of something in a program's source
// other than a type: two methods may have one description.
func isOfProgram(name string) bool {
	stem := pageName(name)
	return !naming.IsType(name) && (naming.IsIdentifier(name) || strings.Contains(strings.TrimSuffix(stem, weburl.HTMLEnding(stem)), "."))
}

// withoutNumbers returns the words of a title that have no digit.
func withoutNumbers(title string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(title), func(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }), " ")
}

// isNamedBeside reports whether a has a word in its title and at the end of its URL that b has in neither.
func (a *reading) isNamedBeside(b *reading) bool {
	tells := func(w uint64) bool { return a.isNamed(b, w) }
	return slices.ContainsFunc(a.segment, tells) && a.hasNameIn(a.text.Name, tells)
}

// isNamed reports whether a word is in a's title and at the end of its URL, and in neither of b.
func (a *reading) isNamed(b *reading, w uint64) bool {
	return hashset.Has(a.segment, w) && hashset.Has(a.title, w) && !hashset.Has(b.title, w) && !hashset.Has(b.segment, w)
}

// allButNamed is the resemblance from which two pages with different names are one: the method
// of a class and the same one of another that inherits it.
const allButNamed = 0.95

// calledApart reports whether two pages have URLs that end in names of theirs. Two that list the same are one
// all the same, as two tags of the same posts are, but not if each lists something more, next to a menu that both
// have, nor if their names are identifiers: functions of one signature link to the same types.
func calledApart(a, b *reading) bool {
	called := a.isCalled(b) && b.isCalled(a)
	switch {
	case called && naming.IsIdentifier(a.text.Name) && naming.IsIdentifier(b.text.Name):
		return true
	case a.listsTheSameLinks(b):
		return called && a.text.listsMore(b.text) && b.text.listsMore(a.text)
	}
	return called || saidOfTwo(a, b)
}

// listsMore reports whether a page links to what another one does not link to, besides the two themselves.
func (t *Text) listsMore(other *Text) bool {
	return slices.ContainsFunc(t.Lists, func(to uint32) bool {
		_, both := slices.BinarySearch(other.Lists, to)
		return !both && !slices.Contains(t.ends, to) && !slices.Contains(other.ends, to)
	})
}

// saidOfTwo reports whether two pages of one host are named as two things, and each has a line that the other
// has not and that has its name. What they have in common may name both: next to a product stands a list of
// others. A story under two headlines has the words of both in lines that are the same.
func saidOfTwo(a, b *reading) bool {
	return a.text.Host == b.text.Host && namesTwo(a, b) && a.saysItsName(b) && b.saysItsName(a)
}

// saysItsName reports whether a line of a's body that b's has not, and that does not only repeat the title,
// has a word of a's title and URL that b's title and URL lack.
func (a *reading) saysItsName(b *reading) bool {
	theirs := make(map[string]bool)
	for line := range strings.SplitSeq(b.text.Body, "\n") {
		theirs[line] = true
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	t := &scratch.tokens
	for line := range strings.SplitSeq(a.text.Body, "\n") {
		if theirs[line] {
			continue
		}
		t.Read(line)
		named, more := false, false
		for _, w := range token.Features(nil, t, 0, len(t.Hashes)) {
			more = more || !hashset.Has(a.title, w)
			named = named || a.isNamed(b, w)
		}
		if named && more {
			return true
		}
	}
	return false
}

// foldersOf returns the names of the innermost folders of two pages that differ in their words or keys, both ""
// if none does.
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

// isCalled reports whether the end of a's URL has a name that its text has too, and nothing of the other
// page: the name of a class or of a command. Of an identifier the line that says the title is enough, on one
// host; a story under two headlines has URLs with the words of each. Where the two are of two
// hosts the title has to have it too, since another site may choose other words for its URLs. Of two
// references of one host the other one may have the name in its text: a class names those that are like
// it, and its own name may stand in no line but with links to what it extends.
func (a *reading) isCalled(b *reading) bool {
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
		return says && (oneHost || title) || oneHost && a.headSays(w) && !b.headSays(w)
	})
}

// membersApart reports whether two pages of one host that say only a line or two are in two folders, each
// of which is named in a line of links above what its page says: the method of a class and the one of
// another class that has the same name and arguments.
func membersApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != y.Host || !x.Thin || !y.Thin || min(x.plain, y.plain) >= briefBody {
		return false
	}
	mine, others := foldersOf(x, y)
	if naming.IsEdition(mine) || naming.IsEdition(others) {
		return false
	}
	scratch := signers.Get().(*signer)
	defer scratch.release()
	m, o := naming.FolderWords(&scratch.tokens, mine), naming.FolderWords(&scratch.tokens, others)
	return slices.ContainsFunc(m, a.headSays) && slices.ContainsFunc(o, b.headSays) && (a.isBelow(b, m) || b.isBelow(a, o))
}

// isBelow reports whether a's head has a word of a's folder that b's head lacks.
func (a *reading) isBelow(b *reading, folder []uint64) bool {
	return slices.ContainsFunc(folder, func(w uint64) bool { return a.headSays(w) && !b.headSays(w) })
}

// namesApart reports whether two pages each have a line that says their title, titles
// without a word in common, and numbers of their own: the records of two persons with the votes of all,
// which name both. Two pages of lists of the same posts may say how many pages each list has.
func namesApart(a, b *reading) bool {
	x, y := a.text, b.text
	return x.named && y.named && min(len(a.title), len(b.title)) >= leastName &&
		hashset.Common(a.title, b.title) == 0 && countedApart(a, b) && !(x.paged && y.paged && x.listsLike(y))
}

// leastName is how many words of a title tell two things apart, whatever their pages say.
const leastName = 2

// isOfMoreThan reports whether of two pages that do not list the same one has in its title and
// its text a name that the other has in neither: a package within another one.
func (a *reading) isOfMoreThan(b *reading) bool {
	return !a.listsTheSameLinks(b) && (a.names(b) || b.names(a))
}

// listsTheSameLinks reports whether two pages that say little but links lead to the same: two
// tags of the same posts. What the references of two classes link to is the class above them.
func (a *reading) listsTheSameLinks(b *reading) bool {
	x, y := a.text, b.text
	return x.Thin && y.Thin && (x.Links == y.Links && x.Links != 0 || x.listsLike(y))
}

// headed reports whether a's heading has a name that b's lacks, and that stands in a's URL.
func (a *reading) headed(b *reading) bool {
	return len(b.subject) > 0 && slices.ContainsFunc(a.subject, func(w uint64) bool { return !hashset.Has(b.subject, w) && hashset.Has(a.segment, w) })
}

// headingSaysTitle reports whether the subject has half of the title. Else it is only the first line
// of a page whose title no line says.
func (a *reading) headingSaysTitle() bool {
	return 2*hashset.Common(a.subject, a.title) >= len(a.title)
}
