package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// Before anything is known of a part of a site the text above each page of a list may be all that is compared:
// a theme's own words above the posts. Neither a check nor what is asked of a page that is read again takes
// two pages of a list with other items for one.
func TestPagesOfAListBelowOneTextAreNotOne(t *testing.T) {
	above := strings.Repeat("<p>We build what nobody else dares to draw, and we draw it with great care for those who live in it.</p>\n", 8)
	list := func(page, item int) *Text {
		var items strings.Builder
		for i := range 10 {
			fmt.Fprintf(&items, `<li><a href="/post-%d/">What happened on day %[1]d</a></li>`, item+i)
		}
		view := purify.Purify(fmt.Appendf(nil, `<html lang="en"><head><title>Our small steps</title></head><body><main><h1>A commitment</h1>%s</main><ul>%s</ul></body></html>`, above, items.String()), "text/html")
		view.URL = fmt.Sprintf("http://site.example/page/%d/", page)
		text := TextOf(view)
		return &text
	}
	first, other, again := list(2, 10), list(3, 20), list(4, 10)
	if !first.Bare || !first.paged || first.prose < ownText || strings.Contains(first.Body, "day") {
		t.Fatalf("bare %v, paged %v, %d words of prose; want a page of a list of which only the text above it is compared:\n%s", first.Bare, first.paged, first.prose, first.Body)
	}
	g, l := readingGate(t)
	claimText(t, g, l, 1, *first)
	for _, c := range []struct {
		name string
		text *Text
		same bool
	}{{"other items", other, false}, {"the same items", again, true}} {
		checked, err := g.Check(c.text.Sign(), c.text)
		if err != nil || checked.Copy() != c.same {
			t.Errorf("%s: Check says %+v, %v; want a copy: %v", c.name, checked, err, c.same)
		}
		near, err := g.Nearest(c.text.Sign(), c.text, 2)
		if err != nil || len(near) > 0 != c.same {
			t.Errorf("%s: Nearest says %+v, %v; want some: %v", c.name, near, err, c.same)
		}
	}
}

// The papers of two classes are each below a menu of all classes, under one title; the heading says whose they are.
func TestListsUnderOneTitleAreTwoByTheWayToIt(t *testing.T) {
	page := func(way, paper string) string {
		var menu strings.Builder
		for i := range 40 {
			fmt.Fprintf(&menu, `<li><a href="papers?class=%d">Class %[1]d of botany%[1]d and of geology%[1]d</a></li>`, i)
		}
		return `<html lang="en"><head><title>Papers</title></head><body><ul>` + menu.String() + `</ul><h2>` + way + `</h2><table><tr><td>1</td><td><a href="/get/` + paper + `">Of ` + paper + `</a></td></tr></table></body></html>`
	}
	pages := map[string]string{
		"/papers?class=1&id=1": page("Grade 9 / Botany / Papers", "2018"), "/papers?class=1&id=2": page("Grade 9 / Geology / Papers", "2017"),
		"/papers?class=2&id=1": page("Grade 10 / Botany / Papers", "2016"), "/papers?class=1&id=1&sort=year": page("Grade 9 / Botany / Papers", "2018"),
		"/papers?class=3&id=1": page("Papers", "2017"), "/papers?class=3&id=2": page(`<a href="/">Grade 9 / Geology / Papers</a>`, "2017"),
		"/papers?class=4&id=1": page("5 May 2019 / Papers", "2017"), "/old/papers?class=1&id=2": page("Grade 9 / Geology / Papers", "2017"),
		"/papers?class=5&id=1": page("Grade 9 / Zoology / Papers", "2018"),
	}
	site := siteAmong(t, 120, pages, slices.Sorted(maps.Keys(pages)))
	first := site["/papers?class=1&id=1"].reading()
	for path, want := range map[string]bool{
		"/papers?class=1&id=2": true, "/papers?class=2&id=1": true, "/papers?class=1&id=1&sort=year": false, "/papers?class=1&id=1": false,
		"/papers?class=3&id=1": false, "/papers?class=3&id=2": false, "/papers?class=4&id=1": false, "/papers?class=5&id=1": false, "/old/papers?class=1&id=2": false,
	} {
		if got := pathsApart(first, site[path].reading()); got != want {
			t.Errorf("botany of grade 9 and %s are two: %v", path, got)
		}
	}
	a, b := first.text, site["/papers?class=1&id=2"]
	if j, same := one(a, b); same || j < ruling().Resemblance {
		t.Errorf("two classes are one page: %v (J %.2f)", same, j)
	}
}

// A blog has a post twice, with other words in its headline. A list has the older one.
func TestAPostIsNoCopyOfAListOfAnother(t *testing.T) {
	post := func(url, headline, links string) *Text {
		view := purify.Purify([]byte(`<html lang="en"><head><title>`+headline+`</title></head><body><main><h1>`+headline+`</h1>`+described(0, 12)+links+`</main></body></html>`), "text/html")
		view.URL = url
		text := TextOf(view)
		return &text
	}
	list := func(link string) *Text {
		text := post("http://blog.example/2010/06/", "June 2010", `<p><a href="`+link+`">More</a></p>`)
		text.listing, text.Thin = true, true
		view := purify.Purify([]byte(`<p><a href="`+link+`">More</a></p>`), "text/html")
		view.URL = "http://blog.example/2010/06/"
		text.lead(view)
		return text
	}
	article := post("http://blog.example/2011/04/26/kites-for-sale/", "Kites for sale", "")
	for link, want := range map[string]bool{
		"/2010/06/11/kites-4-sale/": true, "/2011/04/26/kites-for-sale/": false, "/blog.example/2011/04/26/kites-for-sale/": false, "https://www.blog.example/2011/04/26/kites-for-sale/": false,
	} {
		if got := listsOthers(list(link).reading(), article.reading()); got != want {
			t.Errorf("a list of %s is of another post: %v", link, got)
		}
		if got := listsOthers(article.reading(), list(link).reading()); got != want {
			t.Errorf("the other way round, a list of %s is of another post: %v", link, got)
		}
	}
	about := post("http://blog.example/about/us/", "About", "")
	if listsOthers(list("/2010/06/11/kites-4-sale/").reading(), about.reading()) {
		t.Error("a page in no folder of a day is a post")
	}
}
