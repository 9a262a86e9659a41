package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// TestAPageIsNoCopyOfAFeed has a blog's feed of one post before and after the post, with the post
// alone and with a line more, with texts and without: the post is kept, and the feed is its copy
// where it comes later. Of two feeds the first is kept.
func TestAPageIsNoCopyOfAFeed(t *testing.T) {
	post := text(rand.New(rand.NewPCG(23, 11)), 300)
	feedOf := func(more string) *purify.DocView {
		return purify.Feed(fmt.Appendf(nil, `<?xml version="1.0"?><rss version="2.0"><channel><title>A tag</title><item>
			<title>A post</title><link>https://a.example/post</link><description>%s%s</description></item></channel></rss>`, post, more), "application/rss+xml")
	}
	page := purify.Purify(fmt.Appendf(nil, `<!doctype html><html lang=en><title>A post</title><body><article><h1>A post</h1><p>%s</p></article></body></html>`, post), "text/html")
	feed, longer := feedOf(""), feedOf(" More words than these are in the feed.")
	for _, read := range []bool{true, false} {
		// order claims two documents, and returns whether the second is a copy, by the gate and by Compare.
		order := func(a, b *purify.DocView) (gate, compare bool) {
			g, l := readingGate(t)
			put := l.put
			if !read {
				var r *records
				g, r = newGate(t, nil)
				put = r.put
			}
			sigs := make([]Signature, 2)
			for i, v := range []*purify.DocView{a, b} {
				text := TextOf(v)
				sigs[i] = SignPage(DigestOf(fmt.Appendf(nil, "bytes %d", i)), v, &text)
				asked := &text
				if !read {
					asked = nil
				}
				near, err := g.Neighbours(sigs[i], asked, 0)
				if err != nil {
					t.Fatal(err)
				}
				if one := a.Layout == b.Layout; i > 0 && len(near) > 0 != one {
					t.Errorf("neighbours %+v, want some: %v", near, one)
				}
				got, err := g.Claim(DocID(i+1), sigs[i], asked)
				if err != nil {
					t.Fatal(err)
				}
				gate = got.Copy()
				put(DocID(i+1), sigs[i])
				l.texts[DocID(i+1)] = text
			}
			return gate, DefaultOptions().Compare(sigs[0], sigs[1]).Copy()
		}
		for _, c := range []struct {
			name string
			a, b *purify.DocView
			copy bool
		}{
			{"page behind its feed", feed, page, false},
			{"page behind a longer feed", longer, page, false},
			{"feed behind its page", page, feed, true},
			{"longer feed behind its page", page, longer, true},
			{"feed behind a feed", feed, longer, true},
		} {
			if gate, compare := order(c.a, c.b); gate != c.copy || compare != c.copy {
				t.Errorf("%s, texts %v: copy %v by the gate, %v by Compare, want %v", c.name, read, gate, compare, c.copy)
			}
		}
	}
}

// TestFeedsAreOfWhatTheyList has the feeds of two tags of a shop whose products have one description, and
// the pages of two products.
func TestFeedsAreOfWhatTheyList(t *testing.T) {
	says := text(rand.New(rand.NewPCG(24, 12)), 150)
	feedOf := func(kind string, products ...int) *Text {
		var items strings.Builder
		for _, i := range products {
			fmt.Fprintf(&items, "<item><title>Bottle %d</title><link>https://a.example/bottle-%[1]d</link><description>%s</description></item>", i, says)
		}
		view := purify.Feed(fmt.Appendf(nil, `<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title>%s</channel></rss>`, kind, items.String()), "application/rss+xml")
		text := TextOf(view)
		return &text
	}
	all := feedOf("All bottles", 1, 2, 3, 4, 5, 6)
	for _, c := range []struct {
		what string
		b    *Text
		same bool
	}{
		{"one of six", feedOf("Bottle 3", 3), false},
		{"the same six", feedOf("Bottles", 6, 5, 4, 3, 2, 1), true},
		{"an item more", feedOf("Bottles", 1, 2, 3, 4, 5, 6, 7), true},
	} {
		if j, same := one(all, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
	for i, same := range map[int]bool{3: true, 4: false} {
		view := purify.Purify(fmt.Appendf(nil, `<!doctype html><html lang=en><title>Bottle %d</title><body><article><h1>Bottle %[1]d</h1><p>%s</p></article></body></html>`, i, says), "text/html")
		view.URL = fmt.Sprintf("https://a.example/bottle-%d", i)
		page := TextOf(view)
		feed := feedOf("Bottle 3", 3)
		x, y := outlineOf(feed.Sign()), outlineOf(page.Sign())
		x.layout, y.layout = purify.FeedLayout, view.Layout
		if v := ruling().compareTexts(x, y, feed, &page); v.same() != same || v.j < ruling().Resemblance {
			t.Errorf("the feed of bottle 3 and the page of bottle %d: one %v, resemblance %.2f", i, v.same(), v.j)
		}
	}
}
