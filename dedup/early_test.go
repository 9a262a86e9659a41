package dedup

import (
	"fmt"
	"math/rand/v2"
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
	shop := text(rand.New(rand.NewPCG(30, 7)), 60)
	page := func(url, title string, site *purify.Template) (*purify.DocView, *purify.Template) {
		v := &purify.DocView{URL: url, Title: title, Body: shop, Template: site.Generation(), Layout: 1}
		for i, s := range []string{title, shop} {
			v.Blocks = append(v.Blocks, purify.Block{Text: s, Print: purify.PrintOf(s), Prose: i == 1, Chosen: true})
		}
		return v, site
	}
	early, late := templateOf(7), templateOf(60)
	for name, c := range map[string]struct {
		url, title string
		site       *purify.Template
		copy       bool
	}{
		"another thing of a host with few pages":       {"http://shop.example/ferrara", "Cue Ferrara", early, false},
		"another thing of one with many":               {"http://shop.example/ferrara", "Cue Ferrara", late, true},
		"the same thing under another URL":             {"http://shop.example/aurora2", "Cue Aurora", early, true},
		"another title, which the URL does not repeat": {"http://shop.example/p2", "Cue Aurora of wood", early, true},
		"another host": {"http://mirror.example/ferrara", "Cue Ferrara", early, true},
	} {
		g, l := readingGate(t)
		for i, p := range []struct{ url, title string }{{"http://shop.example/aurora", "Cue Aurora"}, {c.url, c.title}} {
			v, site := page(p.url, p.title, c.site)
			text := TextOf(v, site)
			sig := SignPage(DigestOf(fmt.Appendf(nil, "bytes %d", i)), v, &text)
			got, err := g.Claim(DocID(i+1), sig, &text)
			if err != nil {
				t.Fatal(err)
			}
			l.put(DocID(i+1), sig)
			l.texts[DocID(i+1)] = text
			if i == 1 && got.Copy() != c.copy {
				t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
			}
		}
	}
}
