package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// sailClass is the page of a class in a manual, with what it inherits as text or as links.
func sailClass(title, says string, linked bool) string {
	var above []string
	for i := range 40 {
		name := fmt.Sprintf("pull%c%cRope", 'A'+i%26, 'A'+i/26)
		if linked {
			name = `<a href="Kite.html#` + name + `">` + name + `</a>`
		}
		above = append(above, name)
	}
	return `<html lang="en"><head><title>` + title + `</title></head><body><main><h1>Class Sail</h1><p>A sail is what holds the wind of a kite, and what tears first when too much of that comes at once.</p>
<p>` + says + `</p><h2>Inherited of Kite</h2><p>` + strings.Join(above, ", ") + `</p>
<h2>trim</h2><p>Pulls the sail in by as many turns of the winch as are given, and lets it out again if they are below zero. No sail is pulled in further than its ropes allow.</p>
<h2>furl</h2><p>Takes the sail down, folds it, and binds it to the yard, so that a storm of two days cannot take it away. It may be set again by whoever knows the knot.</p></main></body></html>`
}

// One version of a manual has the names of inherited members as text, and another as links, which are not compared otherwise.
func TestTwoVersionsOfAPageAreOneByTheirWholeBodies(t *testing.T) {
	const says = "Each is sewn of two cloths."
	pages := map[string]string{
		"/1.0/api/Sail.html": sailClass("Sail", says, false), "/2.0/api/Sail.html": sailClass("Class Sail", says, true), "/2.0/api/Rope.html": sailClass("Class Rope", says, true),
		"/3.0/api/Sail.html": sailClass("Sail", "Each was once sewn of two cloths, until the makers of the third version found that a sail of one cloth with a seam of tarred thread is lighter, stands longer in the sun, and costs as much as a pair of boots does on the coast.", true),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	if j := site["/1.0/api/Sail.html"].reading().resemblance(site["/2.0/api/Sail.html"].reading()); j >= ruling().Resemblance {
		t.Fatalf("resemblance %.2f: want pages of which much is in links", j)
	}
	areOne(t, site, []twoPages{{"/1.0/api/Sail.html", "/2.0/api/Sail.html", true}, {"/1.0/api/Sail.html", "/2.0/api/Rope.html", false}, {"/1.0/api/Sail.html", "/3.0/api/Sail.html", false}})
}

// The names of inherited members are links, which are not compared otherwise where one page has few.
func TestTwoVersionsOfAReferenceAreTwoIfTheLinksInTheirBodiesDiffer(t *testing.T) {
	page := func(links int) string {
		var above strings.Builder
		for _, name := range inherited(links) {
			fmt.Fprintf(&above, `<li><a href="Kite.html#%[1]s">%[1]s</a></li>`, name)
		}
		return `<html lang="en"><head><title>Sail</title></head><body><main><h1>Class Sail</h1><p>A sail of two cloths.</p>` + members(inherited(30)...) + `<h3>Inherited of Kite</h3><ul>` + above.String() + `</ul></main></body></html>`
	}
	pages := map[string]string{"/1.0/api/Sail.html": page(6), "/1.1/api/Sail.html": page(7), "/2.0/api/Sail.html": page(90)}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOneByRule(t, site, []twoPages{{"/1.0/api/Sail.html", "/1.1/api/Sail.html", true}, {"/1.0/api/Sail.html", "/2.0/api/Sail.html", false}})
	a, b := site["/1.0/api/Sail.html"], site["/2.0/api/Sail.html"]
	if v := ruling().compareTexts(outlineOf(a.Sign()), outlineOf(b.Sign()), a, b); v.apart != VersionsDiffer {
		t.Errorf("apart: %q, want %q", v.apart, VersionsDiffer)
	}
}

// Generators write below each page when it was made.
func TestWhenAPageWasMadeIsNotCompared(t *testing.T) {
	page := func(of, made string) string {
		return `<html lang="en"><head><title>` + of + `</title></head><body><main><h1>` + of + `</h1><p>Opened at 08:30:00 on 1 May 2024 by the mayor of the town, who cut a rope of forty ells.</p></main><footer><p>` + made + `</p></footer></body></html>`
	}
	pages := map[string]string{
		"/3.8/Sail.html":  page("Sail", "Generated on Tue Jul 28 15:13:24 2020 by the writer of all these manuals 0.9.25 (of the second kind)"),
		"/3.12/Sail.html": page("Sail", "Generated on Sun Feb 4 20:29:34 2024 by the good old writer of manuals 0.9.34 (of the third kind)"),
		"/3.13/Sail.html": page("Sail", "Written by two of us, who do not know who writes the next, nor when that will be, or whether"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for path, want := range map[string]bool{"/3.8/Sail.html": false, "/3.13/Sail.html": true} {
		if body := site[path].Body; !strings.Contains(body, "08:30:00") || strings.Contains(body, "rit") != want {
			t.Errorf("%s: %q", path, body)
		}
	}
	areOne(t, site, []twoPages{{"/3.8/Sail.html", "/3.12/Sail.html", true}, {"/3.8/Sail.html", "/3.13/Sail.html", false}})
}

// A page without a body ends in the time when it was made, too; several times are what it lists.
func TestWhenAPageWithoutABodyWasMadeIsNotCompared(t *testing.T) {
	line := func(text string) purify.Block { return purify.Block{Text: text} }
	for _, c := range []struct {
		blocks []purify.Block
		want   int
	}{
		{[]purify.Block{line("Guid Id"), line("Guid GroupId"), line("Generated on Thu Jul 5 2018 10:33:01 for Kites by 1.8.15")}, 2},
		{[]purify.Block{line("5 Jul 2018 10:33:01 the rope broke"), line("5 Jul 2018 10:33:09 the kite fell")}, 2},
		{[]purify.Block{line("Opened on 5 Jul 2018 10:33:01"), line("a"), line("b"), line("c"), line("d"), line("e")}, 6},
	} {
		own := make([]int32, len(c.blocks))
		for i := range own {
			own[i] = int32(i)
		}
		if got := len(withoutStamps(c.blocks, own)); got != c.want {
			t.Errorf("%v: %d blocks, want %d", c.blocks, got, c.want)
		}
	}
}

// One version was read when the site had these lines on no other page, and the other when it had them on several.
func TestTwoVersionsOfAPageAreOneWhateverTheSiteRepeatedWhenTheyWereRead(t *testing.T) {
	class := func(of string) string {
		var b strings.Builder
		for i := range 24 {
			fmt.Fprintf(&b, "<h3>pull%c%s</h3><ul><li>Defined in the sources of all kinds of %[2]s, line %d</li></ul>", 'A'+i, of, 100+i)
		}
		return `<html lang="en"><head><title>` + of + `</title></head><body><main><h1>Class ` + of + `</h1>` + b.String() + `</main></body></html>`
	}
	const early, late, other = "/3.1/api/Sail.html", "/4.0/api/Sail.html", "/4.0/api/Yard.html"
	few := siteAmong(t, 60, map[string]string{early: class("Sail")}, []string{early})
	again := map[string]string{late: class("Sail"), other: class("Yard")}
	for i := range 20 {
		again[fmt.Sprintf("/4.0/api/part-%d.html", i)] = strings.NewReplacer("<h3>", fmt.Sprintf("<h3>of part %d: ", i), "<title>", fmt.Sprintf("<title>Part %d: ", i), "Class Sail", fmt.Sprintf("Part %d", i)).Replace(class("Sail"))
	}
	many := siteAmong(t, 60, again, slices.Sorted(maps.Keys(again)))
	if j := few[early].reading().resemblance(many[late].reading()); j >= doubtful {
		t.Fatalf("resemblance %.2f: want a page that lost much of its text", j)
	}
	areOne(t, map[string]*Text{early: few[early], late: many[late], other: many[other]}, []twoPages{{early, late, true}, {early, other, false}})
}

// What each of many functions takes stands on the pages of all of them, so that nothing of it is compared; another version says it in one line.
func TestTwoVersionsOfAPageAreTwoIfWhatTheSiteRepeatsInThemDiffers(t *testing.T) {
	const rig = "It looks at what the wind does to each of the panels one after the other, adds up what they bear, and gives the answer in the units of the land in which the kite is flown."
	page := func(of string, n int, lines ...string) string {
		says := fmt.Sprintf("The %s of a kite is found by walking along its seams from the %dth panel on, as long as the light lasts and nobody asks for the way. ", of, n+3) +
			fmt.Sprintf("Whoever wants the %s of two kites at once should ask for the sum instead, which takes half of the time and a tenth of the memory. ", of) +
			fmt.Sprintf("For kites without a tail the %s is that of the longest spar, give or take what %d knots in the line are worth on a dry day in autumn. ", of, n+2) +
			fmt.Sprintf("No kite has a %s of less than nothing, so whoever gets one has turned the kite over, and may turn it back.", of)
		return `<html lang="en"><head><title>` + of + `</title></head><body><main><h1>` + of + `</h1><p>` + says + `</p><p>` + strings.Join(lines, "</p><p>") + `</p></main></body></html>`
	}
	var early, late []string
	for i, of := range []string{"west", "east", "south", "north", "bottom", "top"} {
		early = append(early, fmt.Sprintf("kite_%s: the %s side of the kite, which must be given in metres above the sea or the lake, number %d of six.", of, of, i+1))
	}
	late = []string{"kite_west to kite_top: all sides of the kite in metres.", rig}
	pages := make(map[string]string)
	for i, of := range strings.Fields("area weight lift drag height length tension slack sag reach sheer twist camber chord draft rake gust yaw pitch roll") {
		pages["/1.0/"+of+".html"], pages["/2.0/"+of+".html"], pages["/2.1/"+of+".html"] = page(of, i, early...), page(of, i, late...), page(of, i, late...)
	}
	site := siteAmong(t, 60, pages, slices.Sorted(maps.Keys(pages)))
	a, b := site["/1.0/drag.html"], site["/2.0/drag.html"]
	if j := a.reading().resemblance(b.reading()); j < ruling().Resemblance {
		t.Fatalf("resemblance %.2f: want pages that are alike without what the site repeats", j)
	}
	areOne(t, site, []twoPages{{"/1.0/drag.html", "/2.0/drag.html", false}, {"/2.0/drag.html", "/2.1/drag.html", true}})
}
