package dedup

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// Of two mirrors one has lines in its frame that are on one page alone, of which no template can know, and of a brief page they are
// much.
func TestTheMarginOfABriefPageIsNoPartOfIt(t *testing.T) {
	line := func(says string, chosen bool) purify.Block {
		return purify.Block{Text: says, Print: purify.PrintOf(says), Chosen: chosen}
	}
	heading := line("Families", true)
	heading.Heads = true
	said := []purify.Block{line("Born 12 May 1871 in Lowell", true), line("Married to Anna Moretti", true), line("Three sons and a daughter", true)}
	site := templateOf(60)
	page := func(url, title string, more ...purify.Block) *purify.DocView {
		v := &purify.DocView{URL: url, Title: title, Lang: "en", Template: site.Generation(), Layout: 1}
		v.Blocks = append(append(v.Blocks, said...), more...)
		for _, b := range v.Blocks {
			v.Body += b.Text + "\n"
		}
		return v
	}
	changed := line("Made by a program of genealogists, last change was the 2015-12-23 15:07:05", true)
	for name, c := range map[string]struct {
		url, title string
		first      []purify.Block
		more       []purify.Block
		copy       bool
	}{
		"the day of the last change":                          {"http://b.example/p/moretti.html", "Carlo Moretti", nil, []purify.Block{changed}, true},
		"the same of the page that is kept":                   {"http://b.example/p/moretti.html", "Carlo Moretti", []purify.Block{changed}, nil, true},
		"a heading":                                           {"http://b.example/p/moretti.html", "Carlo Moretti", nil, []purify.Block{heading, changed}, true},
		"a line outside the body":                             {"http://b.example/p/moretti.html", "Carlo Moretti", nil, []purify.Block{line("Write to the keeper of these pages", false)}, true},
		"a line of the body":                                  {"http://b.example/p/moretti.html", "Carlo Moretti", nil, []purify.Block{line("He was a weaver and then kept an inn", true)}, false},
		"more outside the body than both have":                {"http://b.example/p/moretti.html", "Carlo Moretti", nil, []purify.Block{line("We also have the families of the towns of Lowell, Dracut and Chelmsford, and look for others of them", false)}, false},
		"each has a line that the other lacks":                {"http://b.example/p/moretti.html", "Carlo Moretti", []purify.Block{line("Write to the keeper of these pages", false)}, []purify.Block{changed}, false},
		"the same on one host":                                {"http://a.example/q/moretti.html", "Carlo Moretti", nil, []purify.Block{changed}, false},
		"a page of another name":                              {"http://b.example/p/rossi.html", "Carlo Moretti", nil, []purify.Block{changed}, false},
		"a page under another title, with the same few lines": {"http://b.example/p/moretti.html", "Carlo Moretti the elder", nil, []purify.Block{changed}, false},
	} {
		g, l := readingGate(t)
		claimView(t, g, l, 1, page("http://a.example/p/moretti.html", "Carlo Moretti", c.first...), site)
		if got := claimView(t, g, l, 2, page(c.url, c.title, c.more...), site); got.Copy() != c.copy {
			t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
		}
	}
}
