package dedup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// A directory of links has a page for each of them, with the site's title, a number at the end of its URL, and the name in its first line.
// The same list in two orders says so there, too, and is one.
func TestTheFirstLineNamesAPageUnderItsSitesTitle(t *testing.T) {
	page := func(line, items string) string {
		var says strings.Builder
		for i := range 14 {
			fmt.Fprintf(&says, "<tr><td>%s of the rating that visitors gave</td><td>none so far</td></tr>", strings.Repeat("x", i+2))
		}
		return `<html lang="en"><head><title>The Kites of the World (kites.example)</title></head><body><div>The kites of the world :: Links</div><p><b>` + line +
			`</b></p>` + items + `<table>` + says.String() + `</table></body></html>`
	}
	list := func(names ...string) (items string) {
		for _, name := range names {
			items += `<p><a href="/go/` + name + `.html">` + name + `</a></p>`
		}
		return items
	}
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"two links", page("Profile of the link: Harbour", ""), page("Profile of the link: Brightling", ""), false},
		{"one link", page("Profile of the link: Harbour", ""), page("Profile of the link: Harbour (2)", ""), true},
		{"two orders", page("Sorted by rating", list("alder", "birch", "cedar", "elm")), page("Sorted by popularity", list("alder", "birch", "cedar", "elm")), true},
	} {
		site := pagesAmong(t, map[string]string{"/links-116.html": c.a, "/links-204.html": c.b})
		if j, same := one(site["/links-116.html"], site["/links-204.html"]); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one page: %v (J %.2f), want %v", c.name, same, j, c.same)
		}
	}
	days := pagesAmong(t, map[string]string{"/links-1.html": page("Today it is Tuesday, 10 November 2020", ""), "/links-2.html": page("Today it is Wednesday, 11 November 2020", "")})
	if a, b := days["/links-1.html"].reading(), days["/links-2.html"].reading(); a.opensBeyond(b) || b.opensBeyond(a) {
		t.Error("the day of a capture is the name of a page")
	}
}

// Two first pages of parts of a manual have the long menu of their part in common, of which the site's template does not know yet, and
// list other pages. Lists of the same posts are one under two names.
func TestFirstPagesOfTwoPartsAreTwoBelowOneMenu(t *testing.T) {
	var menu strings.Builder
	for i := range 300 {
		fmt.Fprintf(&menu, `<li><a href="/menu/%[1]c%[2]c.html">Entry %[1]c%[2]c</a><p>This entry says what %[1]c%[2]c does, and why one would want to have it on a day with wind.</p></li>`, 'a'+i%26, 'a'+i/26)
	}
	page := func(name string, items ...string) string {
		var list strings.Builder
		for _, item := range items {
			fmt.Fprintf(&list, `<li><a href="/part/%[1]s.html">How to %[1]s kites, %[1]s ropes, and what the %[1]s says</a></li>`, item)
		}
		return `<html lang="en"><head><title>` + name + `</title></head><body><nav><ul>` + menu.String() + `</ul></nav><main><h1>` + name + `</h1><p>This section is about ` + name + `.</p><ul>` + list.String() + `</ul></main></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/part/oak/": page("Analytics", "count", "measure", "weigh", "compare"), "/part/elm/": page("Annotations", "draw", "write", "paint", "sign", "glue"),
		"/part/ash/": page("Notes", "draw", "write", "paint", "sign", "glue"),
	})
	for _, x := range site {
		x.listing, x.Lists = true, nil // more links than are compared one by one
		for i := range x.blocks {
			b := &x.blocks[i]
			b.Chosen = !strings.HasPrefix(b.Text, "Entry") && !strings.HasPrefix(b.Text, "This entry")
		}
	}
	i := slices.IndexFunc(conditions, func(c condition) bool { return c.rule == ItemsDiffer })
	for path, want := range map[string]bool{"/part/oak/": true, "/part/ash/": false} {
		if got := conditions[i].holds(&pair{o: ruling(), a: site["/part/elm/"].reading(), b: site[path].reading(), j: .98}); got != want {
			t.Errorf("/part/elm/ and %s: they list different items: %v, want %v", path, got, want)
		}
	}
}

// A post is one page at two URLs though one of them has many comments, and is read as a page of its host's, and the other, in a folder
// of its own, is not. A list with the same words above it is another list.
func TestEqualBodiesUnderOneTitleAreOnePage(t *testing.T) {
	const post = "<p>The kites that we had in the first summer were made of paper, and the ones of the second summer were made of silk, which is why they flew so much higher over the bay.</p><p>Nobody knew at that time how long the string would have to be, so that the first ones were all lost at sea, and had to be made again.</p>"
	page := func(title, comments string) string {
		return `<html lang="en"><head><title>` + title + `</title></head><body><article><h2>How we flew the silk kites</h2>` + post + `</article><div class="sidebar">` + comments + `</div></body></html>`
	}
	var comments strings.Builder
	for i := range 4 {
		fmt.Fprintf(&comments, `<p>Visitor %[1]d wrote that word%[1]d was never said of sail%[1]d.</p>`, i)
	}
	const title = "How we flew the silk kites over the bay"
	site := pagesAmong(t, map[string]string{"/kites-1.html": page(title, comments.String()), "/fourth.html": page(title, "<p>Nobody has written yet.</p>")})
	bare := func(address, html string) *Text {
		view := purify.Purify([]byte(html), "text/html")
		view.URL = "http://a.example" + address
		text := TextOf(view)
		return &text
	}
	a, c := site["/kites-1.html"], bare("/silk/post/", page(title, ""))
	if a.Bare || !c.Bare {
		t.Fatalf("bare: %v and %v, want one that was read with a template and one without", a.Bare, c.Bare)
	}
	for i := range a.blocks {
		a.blocks[i].Chosen = strings.Contains(page("", ""), a.blocks[i].Text) && !strings.HasPrefix(a.blocks[i].Text, "Visitor")
	}
	if j := a.reading().resemblance(c.reading()); j >= ruling().Resemblance {
		t.Fatalf("resemblance %.2f with the comments, want texts that differ", j)
	}
	if _, same := one(a, c); !same {
		t.Error("a post with comments and the same post without are two")
	}
	c.listing = true
	if _, same := one(a, c); same {
		t.Error("a post and a list with its text are one")
	}
}
