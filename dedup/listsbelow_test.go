package dedup

import (
	"fmt"
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
