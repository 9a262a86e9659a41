package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// product is a page of a shop: what it says of one thing, below what was just put into the cart.
func product(title, code, cart string, others ...string) string {
	var related strings.Builder
	for _, o := range others {
		fmt.Fprintf(&related, `<li><a href="/buy/%[1]s">%[1]s, as good as new and ready to be sent</a></li>`, strings.ReplaceAll(o, " ", "-"))
	}
	if cart != "" {
		cart = "<p>View your cart: \"" + cart + "\" was added to it, and waits there for an hour until it is sold to others.</p>"
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s | The shop of norms</title></head><body><article role="main"><h1>%[1]s</h1>%[2]s<p>30,000 crowns</p>
<p>Code of the norm: %[3]s</p><p>Title of the norm: %[1]s</p><p>Year of publication: 2015</p><p>Number of pages: 15</p></article><aside><ul>%[4]s</ul></aside></body></html>`, title, cart, code, related.String())
}

// A page of a shop under the URLs that put something into a cart is one page, whatever was put there
// and whatever else it offers besides. Two things with one title and two codes are two, and so
// are two pages of two names.
func TestANoticeOfWhatIsInACartMakesNoOtherPage(t *testing.T) {
	const sugar = "General norm for sugars of all kinds"
	pages := map[string]string{
		"/buy/sugar/index.html":     product(sugar, "NGA 13510", "", "Paper kites", "Wool hats", "Tin whistles"),
		"/buy/sugar/index1e54.html": product(sugar, "NGA 13510", "Conditions of hygiene in kitchens", "Glass vases", "Oil lamps", "Rope ladders"),
		"/buy/sugar/index0343.html": product(sugar, "NGA 13510", "Labels of food that is packed before it is sold", "Copper kettles", "Wool hats", "Door mats"),
		"/buy/cane/index.html":      product(sugar, "NGA 13999", "", "Paper kites", "Garden gnomes", "Oil lamps"),
		"/buy/sugar-2.html":         product(sugar, "NGA 13510", "Conditions of hygiene in kitchens", "Brass bells", "Oil lamps", "Tin whistles"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for _, c := range []struct {
		other string
		want  bool
	}{{"/buy/sugar/index1e54.html", true}, {"/buy/cane/index.html", false}, {"/buy/sugar-2.html", false}} {
		if _, same := one(site["/buy/sugar/index.html"], site[c.other]); same != c.want {
			t.Errorf("%s: one with the page itself: %v, want %v", c.other, same, c.want)
		}
	}
	if _, same := one(site["/buy/sugar/index1e54.html"], site["/buy/sugar/index0343.html"]); !same {
		t.Error("two carts make two pages of one thing")
	}
}

// postList is a page of a list of posts, with what each post starts with.
func postList(posts ...int) string {
	var list strings.Builder
	for _, n := range posts {
		fmt.Fprintf(&list, `<div><h2><a href="/post-%[1]d.html">Of matter %[1]d</a></h2><p>The %[1]dth matter took the %[2]s a week to settle, since nobody had a rope of %[3]d ells that was long enough for it.</p></div>`,
			n, []string{"fliers", "weavers", "sailors", "painters"}[n%4], 7*n)
	}
	return `<html lang="en"><head><title>Tips and things for fliers</title></head><body><h1>Tips and things for fliers</h1>` + list.String() + `</body></html>`
}

// Two lists of one title that have all posts in common but the first of the one and the last of the other
// are two.
func TestTheNextPostOnAListIsNoNotice(t *testing.T) {
	pages := map[string]string{"/tags/tips/page/8/index.html": postList(110, 111, 112, 113), "/topics/tips/page/8/index.html": postList(111, 112, 113, 114)}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	a, b := site["/tags/tips/page/8/index.html"], site["/topics/tips/page/8/index.html"]
	for _, text := range []*Text{a, b} {
		for i := range text.blocks {
			text.blocks[i].Chosen = text.blocks[i].Prose
		}
	}
	if j, same := one(a, b); same {
		t.Errorf("two lists that share three posts of five are one (%.2f)", j)
	}
}

// Of a manual in several languages some pages are translated in part: all say the same in one language, and each
// has a paragraph of its own.
func TestAParagraphInAnotherLanguageIsNoNotice(t *testing.T) {
	chapter := func(translated string) string {
		return `<html lang="en"><head><title>A.4. The live disk</title></head><body><article><h1>A.4. The live disk</h1>
<p>The disk barely needs an introduction, since it was the first that ran a whole system without being installed anywhere, and whoever wanted to see one took it along.</p>
<p>` + translated + `</p><p>Note that it can be installed too: first try it from the disk, and then keep it if it does all that you want from a system of this kind.</p></article></body></html>`
	}
	pages := map[string]string{
		"/en/live.html": chapter("A disk together with a stick lets you carry your files with you, and work on any computer that you find on your way without leaving a trace."),
		"/fr/live.html": chapter("Si vous cumulez ce disque avec une clef, vous pourrez emmener vos fichiers avec vous et travailler sur toutes les machines sans laisser de trace."),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	if j, same := one(site["/en/live.html"], site["/fr/live.html"]); same {
		t.Errorf("two pages of which one is translated in part are one (%.2f)", j)
	}
}
