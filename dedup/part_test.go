package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// A short article may be a part of a list of articles; a page that says little but its menu may not.
func TestAShortArticleHasASampleAndAMenuHasNone(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	for _, c := range []struct {
		words, links int
		sampled      bool
	}{{70, 0, true}, {70, 20, true}, {70, 200, false}, {130, 200, true}, {30, 0, false}} {
		var menu strings.Builder
		for i := range c.links / 2 {
			fmt.Fprintf(&menu, `<li><a href="/%d.html">%s</a></li>`, i, text(r, 2))
		}
		view := purify.Purify(fmt.Appendf(nil, `<html lang="en"><head><title>Sails</title></head><body><main><h1>Sails</h1><p>%s.</p></main><ul>%s</ul></body></html>`,
			text(r, c.words), menu.String()), "text/html")
		for i := range view.Blocks { // a template is known, and it has none of the blocks
			view.Blocks[i].Chosen = !view.Blocks[i].Linked
		}
		view.Template, view.URL = 1, "http://a.example/sails.html"
		page := TextOf(view)
		if got := len(page.Sample()) > 0 && page.ForParts() != nil; got != c.sampled {
			t.Errorf("a page of %d words and %d in links is sampled: %v (%d tokens outside links), want %v", c.words, c.links, got, page.plain, c.sampled)
		}
	}
}

// PartOf reads a page as TextOf does, in memory that the next page is read in too.
func TestAPageIsReadForPartsAsItsTextIs(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 1))
	var says, little int
	for round := range 1000 {
		view := &purify.DocView{URL: "http://a.example/list/?page=2", Title: "A word", Body: text(r, r.IntN(100)), Layout: 1, Template: round % 3}
		for range r.IntN(12) {
			view.Blocks = append(view.Blocks, drawnBlocks(r, round%5 == 0)...)
		}
		switch round % 7 {
		case 0:
			view.Links = []purify.Link{{URL: "http://a.example/list/?page=3"}, {URL: "http://a.example/list/?page=1"}}
		case 3:
			view.URL, view.Links = "http://a.example/list/", []purify.Link{{URL: "/about", Text: "About"}, {URL: "/list/from/20", Text: "2"}}
		case 4:
			view.URL, view.Links = "http://a.example/list/", []purify.Link{{URL: "/about", Text: "About"}, {URL: "page/2/", Text: "next"}}
		case 5:
			view.URL, view.Links = "http://a.example/list/", []purify.Link{{URL: "/about", Text: "About"}, {URL: "/2", Text: "two"}}
		case 1:
			view.Type = "listing"
		case 2:
			view.Layout = uint64(r.IntN(2)) * purify.FeedLayout
		}
		page := TextOf(view)
		some := *view // as it is read from an archive
		if keep := PartLinks(view); keep == nil {
			some.Links = nil
		} else {
			some.Links = slices.DeleteFunc(slices.Clone(view.Links), func(l purify.Link) bool { return !keep([]byte(l.URL), l.Text) })
		}
		want, got := page.ForParts(), PartOf(&some)
		if want == nil || got == nil {
			if little++; want != nil || got != nil {
				t.Fatalf("a page of %d tokens outside links is read for parts: %v, its text %v", page.plain, got != nil, want != nil)
			}
			continue
		}
		says++
		if got.body.String() != want.body.String() || got.shingles.Shared(&want.shingles) != want.shingles.Len() || got.shingles.Len() != want.shingles.Len() {
			t.Fatalf("%q is read for parts with %d shingles, as %q with %d", got.body, got.shingles.Len(), want.body, want.shingles.Len())
		}
	}
	if says < 100 || little < 100 {
		t.Errorf("%d pages say enough and %d little, want 100 of each", says, little)
	}
}
