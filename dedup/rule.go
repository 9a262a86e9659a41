package dedup

import "slices"

// A Rule is why a kept page is another document than one that resembles it, in words; "" if it is not.
type Rule string

// The rules, in the order in which they are asked.
const (
	TextsDiffer       Rule = "too little of their texts is the same"
	LittleElseAgrees  Rule = "what both say may be a part of their site's frame, and titles, languages or links differ"
	FeedListsOthers   Rule = "one is a feed, and does not list the other"
	TwoOfASeries      Rule = "titles or URLs name two of a series"
	TwoThings         Rule = "headings name two things, or two titles are in two languages"
	TwoLists          Rule = "they list other things"
	LinkToEachOther   Rule = "they have two titles and link to each other"
	QuotesTheOther    Rule = "one quotes the other"
	MembersOfTwo      Rule = "folders and headings name two things that they are parts of"
	StrangersByTitle  Rule = "titles have no word in common, and each page has numbers of its own"
	TwoNumbers        Rule = "titles and URLs have two numbers"
	TwoDays           Rule = "dates and the numbers in URLs differ"
	TwoTimes          Rule = "dates, URLs and the numbers in titles differ"
	TurnedAround      Rule = "titles and URLs have the same words in another order"
	TwoQualifiers     Rule = "URLs qualify one name in two ways"
	TwoNames          Rule = "titles and URLs have two names"
	SayMuchElse       Rule = "under two titles each says what the other one lacks"
	ShowAnother       Rule = "under two titles one shows a text that the other one lacks, as some of the site's lists do"
	ShowOtherPictures Rule = "they are of two subjects or say next to nothing, and each shows pictures or films that the other one lacks"
	SayOtherThings    Rule = "what they say outside links differs"
	LinkElsewhere     Rule = "the links in their texts differ"
	OtherMenus        Rule = "they differ without the menus that both have"
	CalledTwo         Rule = "URLs have two names that the texts have too, and more than a twentieth of the texts differs"
	OneNamesMore      Rule = "one is short, and its title has a name that the other one lacks"
	TwoTitlesNumbered Rule = "titles name two things, and numbers in the texts differ too"

	KeptIsFeed  Rule = "the kept one is a feed" // and cannot stand for a page
	NotCompared Rule = "its text was not read"  // there are too many more likely ones
)

// A pair is what rules look at: a page and a kept one.
type pair struct {
	o    Options
	x, y outline
	a, b *reading
	j    float64 // how much the texts resemble each other
}

// A ruling asks whether two pages are two by a rule.
type ruling struct {
	rule  Rule
	below float64 // for pages that resemble each other by less
	holds func(p *pair) bool
}

const (
	unequal = 1 // for texts that are not the same
	always  = 2 // whatever the texts
)

// rulings are all rules. The first that holds tells two pages apart, and if none does they are one.
//
// Pages of one template can resemble each other by Options.Resemblance and more. Where their titles
// name two things they must do so by Siblings, and where their numbers differ too they are two in any
// case: two products with their prices, two jobs with their dates. Two of a series are two as well:
// the notes of one release and of the next.
var rulings = slices.Concat([]ruling{
	{TextsDiffer, always, func(p *pair) bool { return p.j < p.o.Resemblance }},
	{LittleElseAgrees, always, func(p *pair) bool { return !p.x.backs(p.y, p.a, p.b) }},
	{FeedListsOthers, unequal, func(p *pair) bool { return feedApart(p.x, p.y, p.a.text, p.b.text) }},
	{TwoOfASeries, unequal, func(p *pair) bool { return p.a.series.Apart(p.b.series) || p.a.file.Apart(p.b.file) }},
	{TwoThings, unequal, texts(thingsApart)},
	{TwoLists, unequal, (*pair).listsApart},
	{LinkToEachOther, unequal, texts(linkedApart)},
	{QuotesTheOther, unequal, texts(quotesApart)},
	{MembersOfTwo, unequal, texts(membersApart)},
}, namings, []ruling{
	{SayMuchElse, unequal, onHost(sayMuchElse)},
	{ShowAnother, unequal, onHost(showAnother)},
	{ShowOtherPictures, always, texts(picturedApart)},
	{SayOtherThings, always, func(p *pair) bool { return !p.a.text.sayAlike(p.b.text) }},
	{LinkElsewhere, always, func(p *pair) bool { return !p.o.listAlike(p.a.text, p.b.text) }},
	{OtherMenus, unequal, func(p *pair) bool { return !p.o.alikeBesideMenus(p.a.text, p.b.text) }},
	{CalledTwo, allButNamed, texts(calledApart)},
	{OneNamesMore, unequal, func(p *pair) bool { return min(p.x.tokens, p.y.tokens) < shortBody && p.a.isOfMoreThan(p.b) }},
	{TwoTitlesNumbered, always, func(p *pair) bool {
		return namedApart(p.a, p.b) && (p.j < p.o.Siblings || countedApart(p.a, p.b))
	}},
})

// namings tell two pages of one host apart by what names them, whatever their bodies are, unless these are
// equal.
var namings = []ruling{
	{StrangersByTitle, unequal, onHost(namesApart)},
	{TwoNumbers, unequal, onHost(func(a, b *reading) bool { return a.count.Apart(b.count) })},
	{TwoDays, unequal, onHost(titledAlike(datedApart))},
	{TwoTimes, unequal, onHost(recurs)},
	{TurnedAround, unequal, onHost(titledAlike(turnedApart))},
	{TwoQualifiers, unequal, onHost(titledAlike(qualifiedApart))},
	{TwoNames, unequal, (*pair).entitledApart},
}

func texts(holds func(a, b *reading) bool) func(*pair) bool {
	return func(p *pair) bool { return holds(p.a, p.b) }
}

func onHost(holds func(a, b *reading) bool) func(*pair) bool {
	return texts(func(a, b *reading) bool { return a.text.Host == b.text.Host && holds(a, b) })
}

func titledAlike(holds func(a, b *reading) bool) func(a, b *reading) bool {
	return func(a, b *reading) bool { return slices.Equal(a.title, b.title) && holds(a, b) }
}

// first returns the first of some rules that holds, "" if none does.
func (p *pair) first(of []ruling) Rule {
	for i := range of {
		if r := &of[i]; p.j < r.below && r.holds(p) {
			return r.rule
		}
	}
	return ""
}

// areTwo reports whether two pages are of two things by what names them.
func areTwo(a, b *reading) bool { return (&pair{a: a, b: b}).first(namings) != "" }
