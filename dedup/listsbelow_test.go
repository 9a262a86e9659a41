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

// The pages of a list of tags are next to a box of all tags, and a page of news has two lists, of which each has numbers of its own to
// turn it. Most of what two such pages say is the same.
func TestPartsOfOneListAreTwoByItsEntries(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("%s of %co%cel", menuTopics[i%9], 'a'+i%26, 'a'+i/26) }
	tags := func(page, from int) string {
		var list, box strings.Builder
		for i := from; i < from+10; i++ {
			fmt.Fprintf(&list, `<li><a href="/tags/%d/">The %s</a></li>`, i, name(i))
		}
		for i := range 200 {
			fmt.Fprintf(&box, `<a href="/tags/%d/">%s</a> `, i, name(i))
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Tags</title></head><body><main><h1>Tags</h1><ul>%s</ul><p><a href="/tags/page/%d/">Next</a></p></main><aside>%s</aside></body></html>`, &list, page+1, &box)
	}
	news := func(posts, notes int) string {
		var list, brief strings.Builder
		for i := range 60 {
			fmt.Fprintf(&list, `<li>%d May<p><a href="/post-%d.html">On the %s of the town</a></p></li>`, i+1, posts+i, name(posts+i))
		}
		for i := range 4 {
			fmt.Fprintf(&brief, `<li>%s 2009 - <a href="/note-%d.html">Of %s and %[3]s</a></li>`, months[(notes+i)%12], notes+i, name(notes+i))
		}
		return fmt.Sprintf(`<html lang="en"><head><title>News</title></head><body><main><h1>News</h1><ul>%s</ul><a href="/news.php?posts=%d&brief=%d">%[2]d</a></main><aside><ul>%[4]s</ul></aside></body></html>`,
			&list, posts+60, notes, &brief)
	}
	pages := map[string]string{
		"tags/page/3/": tags(3, 20), "tags/page/7/": tags(7, 60), "tags/page/3/index.html": tags(3, 20), "words/page/7/": tags(7, 60),
		"news.php?posts=60&brief=4": news(60, 4), "news.php?brief=44&posts=60": news(60, 44), "news.php?brief=4&posts=60": news(60, 4), "news.php?posts=60": news(60, 0),
	}
	site := pagesAmong(t, pages)
	for _, c := range []struct {
		a, b  string
		apart bool
	}{
		{"tags/page/3/", "tags/page/7/", true},
		{"tags/page/3/", "tags/page/3/index.html", false},
		{"tags/page/3/", "words/page/7/", false}, // left to the rules on lists of two names
		{"news.php?posts=60&brief=4", "news.php?brief=44&posts=60", true},
		{"news.php?posts=60&brief=4", "news.php?posts=60", true},
		{"news.php?posts=60&brief=4", "news.php?brief=4&posts=60", false},
	} {
		a, b := site[c.a], site[c.b]
		if got := partsApart(a.reading(), b.reading()); got != c.apart {
			t.Errorf("%s and %s are two parts of a list: %v, want %v (lists: %v, %v)", c.a, c.b, got, c.apart, a.listing, b.listing)
		}
		if j, same := one(a, b); c.apart && (same || j < ruling().Resemblance) {
			t.Errorf("%s and %s: one page: %v (J %.2f)", c.a, c.b, same, j)
		}
	}
}

var months = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
