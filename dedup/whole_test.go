package dedup

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

func TestWhatAFrameLeavesOverIsNoEdit(t *testing.T) {
	var lines []string
	for i := range 9 {
		lines = append(lines, strings.ReplaceAll("harbour# boats# with# red# sails# left# for# islands# in# the# south# at# noon# today#", "#", string(rune('a'+i))))
	}
	page := func(lines ...string) *Text {
		text := TextOf(purify.Purify([]byte("<html><body><article><h1>Harbour</h1><p>"+strings.Join(lines, "</p><p>")+"</p></article></body></html>"), "text/html"))
		return &text
	}
	with := func(at int, more string) []string {
		return append(append(append([]string{}, lines[:at]...), more), lines[at:]...)
	}
	instead := func(at int, other string) []string {
		l := append([]string{}, lines...)
		l[at] = other
		return l
	}
	for _, c := range []struct {
		what string
		page []string
		want bool
	}{
		{"the same", lines, true},
		{"a label in the middle", with(4, "Toggle menu"), true},
		{"a label of each line", strings.Split("By Anna Larsen of the island's newspaper\n"+strings.Join(lines, "\nBy Anna Larsen of the island's newspaper\n"), "\n"), true},
		{"words that end elsewhere", instead(4, strings.Replace(lines[4], "red", "r ed", 1)), true},
		{"a label before it", with(0, "Home / News"), true},
		{"a line at the foot", with(9, "This entry was posted in the news of the harbour and has had many readers"), true},
		{"a longer line at the foot", with(9, "This entry was posted in the news of the harbour and has had many readers who wrote to the paper about it"), false},
		{"a sentence in the middle", with(4, "The mayor said in the evening that nobody had been asked about the new pier."), false},
		{"a word changed", instead(4, strings.Replace(lines[4], "red", "blue", 1)), false},
		{"a paragraph less", append(append([]string{}, lines[:4]...), lines[5:]...), false},
	} {
		a, b := page(lines...), page(c.page...)
		if got := sameContent(a, b); got != c.want {
			t.Errorf("%s: sameContent = %v, want %v", c.what, got, c.want)
		}
		if got := sameContent(b, a); got != c.want {
			t.Errorf("%s, the other way: sameContent = %v, want %v", c.what, got, c.want)
		}
	}
	const title = "The harbour of the island in the south has seen its last boats leave today"
	titled, headed := page(lines...), page(with(4, title)...)
	titled.Title = title
	if !sameContent(titled, headed) || !sameContent(headed, titled) {
		t.Error("a line that repeats a title is an edit")
	}
	headed = page(with(0, title)...)
	byline := page(append([]string{title, "Written by Anna Larsen of the island's newspaper on the first of May"}, lines...)...)
	headed.Title, byline.Title = title, title
	if !sameContent(headed, byline) || !sameContent(byline, headed) {
		t.Error("a byline below the headline is an edit")
	}
	said := page(with(0, "News of the south: the harbour of the island has seen the very last of its boats")...)
	if !sameContent(titled, said) || !sameContent(said, titled) {
		t.Error("a headline in words of its own is an edit")
	}
	short, other := page(append([]string{"Price 10 euro today only"}, lines...)...), page(append([]string{"Price 12 euro today only"}, lines...)...)
	if sameContent(short, other) {
		t.Error("a short line with another number is no edit")
	}
	if sameContent(&Text{Body: "a b c"}, &Text{Body: "a b c\nd"}) {
		t.Error("a text without mark-up has a frame")
	}
	if !sameContent(&Text{Body: "a b c\nd"}, &Text{Body: "a b\nc d"}) {
		t.Error("two texts without mark-up differ by where their lines end")
	}
}

// What other pages are about is no difference in content: links, and below each link the first words of the page that it leads to.
// One more paragraph below a link is the page's own.
func TestTeasersOfOtherPagesAreNoEdit(t *testing.T) {
	var own []string
	for i := range 9 {
		own = append(own, strings.ReplaceAll("<p>harbour# boats# with# red# sails# left# for# islands# in# the# south# at# noon# today#</p>", "#", string(rune('a'+i))))
	}
	page := func(below string) *Text {
		text := TextOf(purify.Purify([]byte("<html><body><article><h1>Harbour</h1>"+strings.Join(own, "")+below+"</article></body></html>"), "text/html"))
		text.whole = true // the links of the body are compared too
		return &text
	}
	teaser := func(n string) string {
		return "<h4><a href=/" + n + ">About " + n + "</a></h4><p>" + strings.ReplaceAll("The first# words# of# another# page# that# has# much# to# say# of# what# was# seen# there# in# the# evening# hours#", "#", n) + "</p>"
	}
	text := func(n string) string {
		return strings.ReplaceAll(teaser(n), "<h4>", "<h4>As we wrote before we had seen the light of the next day, in ")
	}
	for _, c := range []struct {
		what, below string
		want        bool
	}{
		{"two teasers", teaser("one") + teaser("two"), true},
		{"two with a link between", teaser("one") + "<h4><a href=/more>About more</a></h4>" + teaser("two"), true},
		{"one", teaser("one"), false},
		{"two paragraphs below lines with a link in them", text("one") + text("two"), false},
		{"teasers that are most of the page", teaser("one") + teaser("two") + teaser("three") + teaser("four") + teaser("five") + teaser("six") + teaser("seven") + teaser("eight") + teaser("nine"), false},
	} {
		a, b := page(""), page(c.below)
		if got := sameContent(a, b); got != c.want {
			t.Errorf("%s: sameContent = %v, want %v (%q)", c.what, got, c.want, b.Body)
		}
		if got := sameContent(b, a); got != c.want {
			t.Errorf("%s, the other way: sameContent = %v, want %v", c.what, got, c.want)
		}
	}
}

// A document has its title above its text, and the page with the same text has it as its title alone.
func TestADocumentHasItsTitleInItsText(t *testing.T) {
	prose := "The harbour is open to all boats in every wind, and a light marks the way in.\nIn autumn it is dredged, and the boats lie on the other side for two weeks."
	page := TextOf(&purify.DocView{Title: "The harbour of Kappeln", Body: prose, Layout: 7, Blocks: []purify.Block{{Text: "The harbour of Kappeln", Print: 1, Chosen: true, Heads: true},
		{Text: strings.Split(prose, "\n")[0], Print: 2, Chosen: true, Prose: true}, {Text: strings.Split(prose, "\n")[1], Print: 3, Chosen: true, Prose: true}}})
	for body, same := range map[string]bool{
		"The harbour\nof Kappeln\n" + prose: true, prose: true, "The harbour of Arnis\n" + prose: false, "The harbour of Kappeln\n" + prose + " Gone.": false,
	} {
		document := TextOf(&purify.DocView{Body: body})
		if sameContent(&page, &document) != same || sameContent(&document, &page) != same {
			t.Errorf("%.40q: same content: %v, want %v", body, !same, same)
		}
	}
}
