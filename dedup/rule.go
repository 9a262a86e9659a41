package dedup

import (
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

// A Rule says in words why a kept page that resembles a page is another document. The empty Rule
// means that it is the same document.
type Rule string

// The rules, in the order in which they are tried. Each comment says which pages the rule is for,
// with an example, and when it tells two of them apart.
const (
	// All pages: the texts share less than Options.Resemblance of their shingles.
	TextsDiffer Rule = "too little of their texts is the same"

	// Pages whose common text may be no more than the frame of their site, because it is short or
	// was read without the site's template, such as two forms with the same three labels. They must
	// agree in title, language or links too: see outline.surroundingsAgree.
	ContextDiffers Rule = "what they share may be a part of their site's frame, and titles, languages or links differ"

	// A page and a feed with items: a shop's feed may describe all of its products in the words of
	// one product's page. The feed is a copy of the page only if it links to it.
	FeedDoesNotListPage Rule = "one is a feed, and does not list the other"

	// Pages that name a version or a date: the release notes of 2.4 and of 2.5. The titles, or the
	// ends of the URLs, are the same except for it. So are the parts of an index by letters, whatever their texts say: of brief ones
	// little may be left but the sentence above the entries. A file's page and that of its source are two views of one thing. So are two lists of all classes.
	TwoOfASeries Rule = "titles or URLs name two of a series"

	// Pages of one host under one title, such as "Member List", whose headings have names that
	// their URLs have too; pages under the title of their site with numbers in their URLs, whose first lines name two things; pages
	// of one folder with two ways to their title, such as "Grade 9 / Botany / Papers"; and pages under two titles in two languages.
	HeadingsDiffer Rule = "headings name two things, or two titles are in two languages"

	// Lists of two subjects, or two pages of a list, such as two months of a blog next to one menu:
	// less than half of the items are the same. The items of a later page may be those that the site repeats, if it
	// has few: then what is compared has none of them. So are the first pages of two parts of a manual, whose bodies have little in
	// common below one long menu. So are two lists of one form, such as the papers of two subjects
	// next to a list of all subjects, each of which has lines and items that the other lacks, and a list of many links
	// below a long text, under the title of the site. And so are a post and a list that does not link to it, but to one with nearly the same words.
	ItemsDiffer Rule = "they list different items"

	// Pages about two types of a program under two titles, on two hosts too, since each version of a manual may have its own: Sail<Rope> and Sail<Rope, Wind>, whose
	// documentation may be the same, or two classes that inherit nearly all that their pages say. A page of the same
	// type in another version ends in the same name. So are two operators, whose names are signs and no words, and two things of .NET in
	// one folder, by their titles: Sail.Trim and Kite.Trim, or two overloads.
	TypesDiffer Rule = "they are of two types of a program, by their titles and URLs"

	// Pages of one host about two things in a manual, by their titles and by the names that its generator gives to files: toString of
	// two classes, trimSail and trimSail2, the pages of two commands, two files of a program. Where both say the same they are one page under two names.
	EntriesDiffer Rule = "titles and URLs are those of two entries of a manual"

	// Pages of one host and two subjects that link to each other: the pages of a sister and a
	// brother, each in the list of the other's family.
	LinkToEachOther Rule = "they have two titles and link to each other"

	// Mails of one host: an answer has the lines of the other mail, each with one more ">".
	QuotesTheOther Rule = "one quotes the other"

	// Pages in two folders: the method close of one class and that of another. The folders have
	// the names of types, or the pages say a line or two, and each names its folder in a line of links.
	ParentsDiffer Rule = "they are parts of two things, by their folders and headings"

	// Pages of one host that show their titles: the records of two members of a parliament, which
	// both list the votes of all. The titles share no word, and each page has numbers of its own. So are brief pages of one
	// folder whose URLs differ only in numbers, such as two notices that say little but their titles.
	TitlesDiffer Rule = "titles share no word, and each page has numbers of its own in its text or URL"

	// Pages whose titles have a number that is in the URL too: episodes 12 and 13, also where each is on a host of its own. The
	// titles are the same except for it, or the number may be that of a model: see naming.OfTwoModels.
	NumbersDiffer Rule = "titles and URLs have different numbers"

	// Short pages of one host under one title with two dates, whose URLs differ only in digits: a
	// show on two evenings.
	DatesDiffer Rule = "dates and the numbers in URLs differ"

	// Pages of one host whose titles and URLs have the same words in another order: the train from
	// one town to another, and the train back.
	WordOrderDiffers Rule = "titles and URLs have the same words in another order"

	// Pages of one host under one title whose URLs are qualified names: a class Strings in two
	// namespaces. Each page has its own qualifier in its text.
	QualifiersDiffer Rule = "URLs qualify one name in two ways"

	// Pages of one host whose titles are the same except for a qualified name: the uses of a class and those
	// of a class within it, files of one name in two folders. Equal texts of them must be brief.
	QualifiedTitlesDiffer Rule = "titles have different qualified names"

	// Pages of one host under two titles with names that their URLs have too: two products, two
	// places. See pair.ownNamesApart for stories with two headlines and lists with two names.
	NamesDiffer Rule = "titles and URLs have different names"

	// Pages of one host under two titles with a long text in common: each service of a firm, above
	// what customers wrote about the firm. Each page has sentences that the other lacks.
	ProseDiffers Rule = "under two titles each has prose that the other lacks"

	// Lists of one host under two titles: some lists of a small blog show a whole post, or its first lines. One page
	// shows such a post, and the other does not. What is compared has none of it, so this holds for equal texts, too. So are an
	// article and a page that has it whole and says more, such as the names of those to call.
	OneShowsMore Rule = "under two titles one shows a text that the other lacks"

	// Pages of one host and under one title that say hardly anything but links, or little at all: their links lead elsewhere, under
	// the same words. So may the one picture of each. Or nothing is known yet of what their site repeats, and each shows or links to
	// something of its own.
	DestinationsDiffer Rule = "under one title they say little of their own, and their links lead elsewhere, or their pictures are others"

	// Pages of one host that each show a picture or film that the other lacks: two colours of a
	// product under one description. They are of two subjects, or say almost nothing.
	PicturesDiffer Rule = "they are of two subjects or say little, and each shows pictures or films that the other lacks"

	// Pages that are compared with their links because they say little else: two persons of one name in a family tree, who have
	// the same parents. What they say outside links differs.
	UnlinkedTextDiffers Rule = "what they say outside links differs"

	// Pages of one host and one subject that say little but links: a product in two sizes, next to
	// a menu of all sizes. They no longer resemble each other without the menu.
	DifferWithoutMenus Rule = "they differ without the menus that both have"

	// Pages with many links in their bodies, such as tables of the members of two classes. They no
	// longer resemble each other when these links are compared too.
	BodyLinksDiffer Rule = "the links in their texts differ"

	// Pages whose URLs have different names that their texts have too, such as two functions. They
	// are one document only if allButNamed of the texts is the same.
	NamesInTextsDiffer Rule = "URLs have different names that the texts have too, and more than a twentieth of the texts differs"

	// Pages of one host of two namespaces: a class of one name in two folders that are qualified names, or
	// whose paths end one that a line or the title of each page has, or classes whose texts have the qualified names
	// at the ends of their URLs. These say much else, too, or have two names below allButNamed: of many methods a
	// manual says only that they are there. Of two pages of rustdoc one says something else, or little in prose where
	// their qualified names are those of two things: see naming.OfTwoPaths. odoc's modules of one name are two whatever they say.
	NamespacesDiffer Rule = "they are of two namespaces by their URLs"

	// Short pages that do not link to the same pages: a package and a package within it. The title
	// of one has a name that it says and the other has nowhere.
	OneNamesMore Rule = "one is short, and its title has a name that the other lacks"

	// Pages whose titles each have a word that only their own text has: two products with their
	// prices. They are told apart below Options.Siblings, and always if their numbers differ too.
	TitlesNameTwo Rule = "titles name two things, and the texts or the numbers in them differ"

	// Pages of one thing by their titles and the ends of their URLs, such as a page in two versions of a manual. What is compared of
	// them is alike, but neither are their whole bodies nor their texts with all links: a list has other items, for instance.
	VersionsDiffer Rule = "their whole bodies, with links and what the site repeats, differ"

	// Pages of one host, each of which has a word of its own title again and again and the other's hardly
	// ever: an act for each of two towns, whose sections are the same.
	TitlesNameTwoOften Rule = "titles name two things, which each text names again and again"

	// A page, where the kept document is a feed, which cannot stand for a page.
	KeptIsFeed Rule = "the kept one is a feed"

	// Pages that were not compared, because there are too many likelier ones: see maxReads.
	NotCompared Rule = "its text was not read"

	// Pages that resemble each other, as was found when the run ended, and that the gate did not compare, because its tables do not bring
	// them together: they were signed with two states of their site's template, say. No comparison ends with it.
	NotMet Rule = "they were not compared: neither SimHashes nor bands of sketches nor titles bring them together"
)

// A pair is a page and a kept page that are compared.
type pair struct {
	o    Options
	x, y outline
	a, b *reading
	j    float64 // resemblance of the texts, 0 to 1
}

// A condition decides whether a rule tells two pages apart.
type condition struct {
	rule  Rule
	below float64 // the rule applies to pairs with a resemblance below this
	of    scope
	holds func(p *pair) bool
}

const (
	unequal = 1 // texts that are not the same
	always  = 2 // all texts, equal ones too
)

// A scope says what a rule tells apart.
type scope int

const (
	ofTexts  scope = iota // pages by what is compared of them
	ofBodies              // pages whose bodies may be one document, too, by what is outside these
)

// conditions has all rules in order. The first that holds tells two pages apart; if none holds, they
// are one document.
//
// TextsDiffer alone is not enough: pages of one template can share more than Options.Resemblance of
// their text and be two documents all the same. The other rules look for what tells such pages
// apart: names, numbers and dates, and what the pages list and show.
var conditions = []condition{
	{TextsDiffer, always, ofTexts, func(p *pair) bool { return p.j < p.o.Resemblance }},
	{ContextDiffers, always, ofTexts, func(p *pair) bool { return !p.x.surroundingsAgree(p.y, p.a, p.b) }},
	{FeedDoesNotListPage, unequal, ofTexts, func(p *pair) bool { return feedApart(p.x, p.y, p.a.text, p.b.text) }},
	{TwoOfASeries, always, ofBodies, func(p *pair) bool {
		return naming.OfTwoLetters(p.a.text.Name, p.b.text.Name) || p.j < unequal && (naming.OfTwoIndexes(p.a.text.Name, p.b.text.Name) || naming.OfTwoViews(p.a.text.Name, p.b.text.Name) || p.a.series.Apart(p.b.series) && !sectionOfEditions(p.a, p.b) || p.a.file.Apart(p.b.file) && !startOfVersions(p.a, p.b) ||
			min(p.x.tokens, p.y.tokens) < shortBody && pagesOfOneList(p.a.text, p.b.text))
	}},
	{HeadingsDiffer, unequal, ofTexts, texts(thingsApart)},
	{ItemsDiffer, always, ofBodies, func(p *pair) bool {
		return p.j < unequal && (p.listsApart() || entriesApart(p.a, p.b) || partsApart(p.a, p.b) || listOther(p.a, p.b)) || repeatedItemsApart(p.a, p.b) || listsBelowFrame(p.a, p.b) || listsOthers(p.a, p.b)
	}},
	{TypesDiffer, always, ofBodies, texts(typesApart)},
	{EntriesDiffer, unequal, ofBodies, texts(func(a, b *reading) bool { return ofTwoEntries(a.text, b.text) })},
	{LinkToEachOther, unequal, ofTexts, texts(linkedApart)},
	{QuotesTheOther, unequal, ofTexts, texts(quotesApart)},
	{ParentsDiffer, unequal, ofBodies, texts(membersApart)},
	// These tell pages apart by titles, URLs, numbers and dates, however similar their texts are.
	{TitlesDiffer, always, ofBodies, func(p *pair) bool { return onHost(namesApart)(p) && p.j < unequal || numberedApart(p.a, p.b) }},
	{NumbersDiffer, unequal, ofBodies, texts(func(a, b *reading) bool {
		return a.count.Apart(b.count) || naming.OfTwoModels(a.text.Name, a.text.Title, b.text.Name, b.text.Title)
	})},
	{DatesDiffer, unequal, ofBodies, onHost(func(a, b *reading) bool {
		return slices.Equal(a.title, b.title) && datedApart(a, b) || titledByDay(a, b) || isOtherIssue(a, b)
	})},
	{WordOrderDiffers, unequal, ofBodies, onHost(titledAlike(wordOrderApart))},
	{QualifiersDiffer, unequal, ofBodies, onHost(titledAlike(qualifiedApart))},
	{QualifiedTitlesDiffer, always, ofBodies, func(p *pair) bool {
		x, y := p.a.text, p.b.text
		return x.Host == y.Host && !areEditions(x, y) && (p.j < allButNamed || min(x.plain, y.plain) < briefBody) && naming.TitlesQualifyTwo(x.Title, y.Title)
	}},
	{NamesDiffer, unequal, ofBodies, (*pair).ownNamesApart},
	{ProseDiffers, unequal, ofTexts, onHost(proseApart)},
	{OneShowsMore, always, ofBodies, onHost(oneShowsMore)},
	{PicturesDiffer, always, ofBodies, texts(picturedApart)},
	{DestinationsDiffer, always, ofBodies, texts(func(a, b *reading) bool { return leadApart(a, b) || firstApart(a, b) })},
	{UnlinkedTextDiffers, always, ofTexts, func(p *pair) bool { return !p.a.text.sayAlike(p.b.text) }},
	{BodyLinksDiffer, always, ofTexts, func(p *pair) bool { return !p.o.listAlike(p.a.text, p.b.text) }},
	{DifferWithoutMenus, unequal, ofTexts, func(p *pair) bool { return !p.o.alikeWithoutMenus(p.a.text, p.b.text) && !p.haveLikeBodies() }},
	{NamesInTextsDiffer, allButNamed, ofBodies, texts(namedInTextsApart)},
	{NamespacesDiffer, always, ofBodies, func(p *pair) bool { return ofTwoNamespaces(p.a, p.b, p.j) }},
	{OneNamesMore, unequal, ofTexts, func(p *pair) bool { return min(p.x.tokens, p.y.tokens) < shortBody && p.a.isOfMoreThan(p.b) }},
	{TitlesNameTwo, always, ofTexts, func(p *pair) bool {
		return !ofOnePage(p.a, p.b) && namedApart(p.a, p.b) && (p.j < p.o.Siblings || countedApart(p.a, p.b) || siblings(p.a, p.b))
	}},
	{TitlesNameTwoOften, unequal, ofTexts, onHost(oftenNamedApart)},
}

// besideBodies has the conditions that tell pages apart whose bodies may be one document.
var besideBodies = slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return c.of != ofBodies })

// startOfVersions reports whether two pages under one title are the first pages of two folders that are versions. Release
// notes name their version in the title, or in a longer name.
func startOfVersions(a, b *reading) bool {
	return naming.IsVersion(a.text.Name) && naming.IsVersion(b.text.Name) && len(a.title) > 0 && slices.Equal(a.title, b.title)
}

// sectionOfEditions reports whether two pages are one section of a manual in two versions, which counts its sections: "3.6.5. Ropes"
// in one is "3.7.5. Ropes" in the next.
func sectionOfEditions(a, b *reading) bool {
	return areEditions(a.text, b.text) && naming.AreOneSection(a.text.Head, b.text.Head)
}

// texts makes a condition's function of one that needs only the two readings.
func texts(holds func(a, b *reading) bool) func(*pair) bool {
	return func(p *pair) bool { return holds(p.a, p.b) }
}

// onHost is texts for pages of one host; it does not hold for pages of two hosts.
func onHost(holds func(a, b *reading) bool) func(*pair) bool {
	return texts(func(a, b *reading) bool { return a.text.Host == b.text.Host && holds(a, b) })
}

// titledAlike restricts a condition to pages under one title.
func titledAlike(holds func(a, b *reading) bool) func(a, b *reading) bool {
	return func(a, b *reading) bool { return slices.Equal(a.title, b.title) && holds(a, b) }
}

// first returns the first rule that holds, "" if none does.
func (p *pair) first(of []condition) Rule {
	for i := range of {
		if r := &of[i]; p.j < r.below && r.holds(p) {
			return r.rule
		}
	}
	return ""
}
