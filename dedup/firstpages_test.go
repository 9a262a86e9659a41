package dedup

import (
	"fmt"
	"strings"
	"testing"
)

// The first pages of a site of pictures, read before it is known what the site repeats, have nothing in common but the frame, which is
// most of them. With the site's template, or if they show the same, they are one.
func TestFirstPagesThatShowSomethingOfTheirOwn(t *testing.T) {
	frame := "<aside><p>" + strings.Repeat("We walk along the river with an old camera and write down what we saw there, most of all in spring. ", 8) + "</p></aside>"
	page := func(i int) string { return fmt.Sprintf(`<div><img src="/img/%d.jpg"></div>`, i) }
	var front strings.Builder
	for i := range 8 {
		fmt.Fprintf(&front, `<a href="/p/%d.html">%d</a> `, i, i)
	}
	for _, c := range []struct {
		what         string
		url, other   string
		inner, later string
		template     int
		same         bool
	}{
		{"two pictures", "/p/1.html", "/p/2.html", page(1), page(2), 0, false},
		{"the list of the pictures and one of them", "/", "/p/2.html", front.String(), page(2), 0, false},
		{"two headings", "/p/sab.html", "/p/sirat.html", "<h1>The Quiet Camera</h1><h2>The mill</h2>", "<h1>The Quiet Camera</h1><h2>The lake</h2>", 0, false},
		{"two headings that differ in a number", "/p/sab.html", "/p/sirat.html", "<h1>The Quiet Camera</h1><h2>Picture 7</h2>", "<h1>The Quiet Camera</h1><h2>Picture 8</h2>", 0, true},
		{"one heading", "/p/sab.html", "/p/sirat.html", "<h1>The Quiet Camera</h1><h2>The mill</h2>", "<h1>The Quiet Camera</h1><h2>The mill</h2>", 0, true},
		{"one picture", "/p/1.html", "/p/2.html", page(1), page(1), 0, true},
		{"a page with a picture, for print", "/p/1.html", "/print/p1.html", page(1), "", 0, true},
		{"two versions of a page", "/1.2/a.html", "/1.3/a.html", page(1), page(2), 0, true},
		{"two pictures, when the frame is known", "/p/1.html", "/p/2.html", page(1), page(2), 1, true},
	} {
		page := `<!doctype html><html lang=en><head><title>The Quiet Camera</title></head><body>%s` + frame + `</body></html>`
		areOneAt(t, c.what, textAt(c.url, fmt.Sprintf(page, c.inner), c.template), textAt(c.other, fmt.Sprintf(page, c.later), c.template), c.same)
	}
}
