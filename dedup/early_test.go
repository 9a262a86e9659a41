package dedup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// templateOf returns the template of a host of which so many pages count, each with a block of its own.
func templateOf(pages int) (last *purify.Template) {
	var site purify.Site
	for n := range pages {
		if made := site.Learn([]purify.Print{1, purify.Print(100 + n)}); made != nil {
			last = made
		}
	}
	return last
}

// TestPagesOfTwoThingsAreNotOneBeforeTheirHostIsKnown has two pages that say the same and name two things:
// while few pages of their host are known it may be a frame.
func TestPagesOfTwoThingsAreNotOneBeforeTheirHostIsKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 7))
	shop, customers := text(r, 60), text(r, 900)
	page := func(url, title, says string, site *purify.Template) *purify.DocView {
		v := &purify.DocView{URL: url, Title: title, Body: says, Template: site.Generation(), Layout: 1}
		for i, s := range []string{title, says} {
			v.Blocks = append(v.Blocks, purify.Block{Text: s, Print: purify.PrintOf(s), Prose: i == 1, Chosen: true})
		}
		return v
	}
	early, late := templateOf(7), templateOf(60)
	for name, c := range map[string]struct {
		url, title string
		says       string
		site       *purify.Template
		copy       bool
	}{
		"another thing of a host with few pages":       {"http://shop.example/ferrara", "Cue Ferrara", shop, early, false},
		"another thing of one with many":               {"http://shop.example/ferrara", "Cue Ferrara", shop, late, true},
		"the same thing under another URL":             {"http://shop.example/aurora2", "Cue Aurora", shop, early, true},
		"another title, which the URL does not repeat": {"http://shop.example/p2", "Cue Aurora of wood", shop, early, true},
		"another host": {"http://mirror.example/ferrara", "Cue Ferrara", shop, early, true},
		"another page above what all customers say, of a host with few pages": {"http://shop.example/p2", "Visiting hours", customers, early, false},
		"another page above what all customers say, of one with many":         {"http://shop.example/p2", "Visiting hours", customers, late, true},
		"another headline of a long text of a host with few pages":            {"http://shop.example/p2", "Cue Aurora of wood", customers, early, true},
		"a long text of another host with few pages":                          {"http://mirror.example/p2", "Visiting hours", customers, early, true},
	} {
		g, l := readingGate(t)
		claimView(t, g, l, 1, page("http://shop.example/aurora", "Cue Aurora", c.says, c.site), c.site)
		if got := claimView(t, g, l, 2, page(c.url, c.title, c.says, c.site), c.site); got.Copy() != c.copy {
			t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
		}
	}
}

// cuePage is a product of a shop, which names others next to it, and of which the shop says in two sentences
// what it says of all of its products.
func cuePage(name string, others ...string) string {
	var page strings.Builder
	fmt.Fprintf(&page, `<html lang="en"><head><title>Cue %[1]s of ash</title></head><body><main><h1>Cue %[1]s of ash</h1>
<p>The shop takes orders for the cue %[1]s until the end of each month.</p>`, name)
	for i := range 12 {
		fmt.Fprintf(&page, "<p>Each cue of ash is turned in %d steps from wood that has lain dry for %d months, and is sent in a case with %d locks.</p>", i*i+4, 7*i+5, i+2)
	}
	page.WriteString("<h2>Others have bought</h2>")
	for _, other := range others {
		fmt.Fprintf(&page, "<div><span>Cue %s of ash</span><b>in %d shops</b></div>", other, len(other))
	}
	return page.String() + "</main></body></html>"
}

// Two products of one shop are two, though next to each stands the name of the other.
func TestProductsThatNameEachOtherAreTwo(t *testing.T) {
	pages := map[string]string{
		"/cues/cue-aurora-of-ash/":       cuePage("Aurora", "Ferrara", "Galaxy", "Olanda"),
		"/cues/cue-ferrara-of-ash/":      cuePage("Ferrara", "Aurora", "Galaxy", "Olanda"),
		"/sale/cue-aurora-of-ash/":       cuePage("Aurora", "Ferrara", "Sultan", "Olanda"),
		"/cues/cue-aurora-of-ash-wood-2": cuePage("Aurora", "Ferrara", "Galaxy", "Sultan"),
		"/cues/Mark18Pro.html":           cuePage("Mark18Pro", "Oak23Air", "Galaxy", "Olanda"),
		"/cues/Oak23Air.html":            cuePage("Oak23Air", "Mark18Pro", "Galaxy", "Olanda"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/cues/cue-aurora-of-ash/", "/cues/cue-ferrara-of-ash/", false},
		{"/cues/cue-aurora-of-ash/", "/sale/cue-aurora-of-ash/", true},
		{"/cues/cue-aurora-of-ash/", "/cues/cue-aurora-of-ash-wood-2", true},
		{"/cues/Mark18Pro.html", "/cues/Oak23Air.html", false},
	})
}

// Two episodes of one series, of which the site says the same, are two if their pages differ in anything.
func TestEpisodesOfASeriesAreTwo(t *testing.T) {
	episode := func(number int, more string) string {
		var page strings.Builder
		fmt.Fprintf(&page, `<html lang="en"><head><title>Kites episode %[1]d in colour</title></head><body><main><h1>Kites episode %[1]d in colour</h1>`, number)
		for i := range 12 {
			fmt.Fprintf(&page, "<p>The series tells of %d children who fly kites of %d colours above a town by the sea until the wind of day %d is gone.</p>", i*i+4, 7*i+5, i+2)
		}
		return page.String() + more + "</main></body></html>"
	}
	pages := map[string]string{
		"/river/kites-episode-12-in-colour/":    episode(12, "<p>At home in 360 lines</p>"),
		"/river/kites-episode-13-in-colour/":    episode(13, "<p>On the way in 720 lines</p>"),
		"/archive/kites-episode-12-in-colour/":  episode(12, "<p>On the way in 720 lines</p>"),
		"/archive/kites-episode-12-in-colour-2": episode(12, "<p>On the way in 720 lines</p>"),
		"/sea/kites-episode-14-in-colour/":      episode(14, ""),
		"/sea/kites-episode-15-in-colour/":      episode(15, ""),
	}
	areOne(t, siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages))), []twoPages{
		{"/river/kites-episode-12-in-colour/", "/river/kites-episode-13-in-colour/", false},
		{"/river/kites-episode-12-in-colour/", "/archive/kites-episode-12-in-colour/", true},
		{"/river/kites-episode-12-in-colour/", "/archive/kites-episode-12-in-colour-2", true},
		{"/sea/kites-episode-14-in-colour/", "/sea/kites-episode-15-in-colour/", true}, // all that they say is the same
	})
}
