package dedup

import (
	"fmt"
	"math/rand/v2"
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
