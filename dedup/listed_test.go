package dedup

import (
	"fmt"
	"strings"
	"testing"
)

// A shop has one description on each list of a collection's products, which are tagged by brand and kind, and a
// menu of the tags. Two tags of the same products are one list.
func TestWhatAShopListsBelowOneDescriptionIsTwoLists(t *testing.T) {
	list := func(tag string, products ...string) string {
		var items, tags strings.Builder
		for _, p := range products {
			fmt.Fprintf(&items, `<div class="product"><a href="/products/%s">%s</a></div>`, strings.ReplaceAll(p, " ", "-"), p)
		}
		for _, name := range []string{"3mm pad", "5mm pad", "No pad", "Turf rolls", "Wall padding"} {
			fmt.Fprintf(&tags, `<li><a href="/collections/baseball/tag_%s">%s</a></li>`, strings.ReplaceAll(name, " ", "-"), name)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Equipment for baseball and softball</title></head><body><div class="crumb">Home / <a href="/collections/baseball">Baseball</a> / %s</div>
<ul class="tags">%s</ul><div class="grid">%s</div><div class="rte"><h2>Supplies for a facility</h2><p>Training centers for baseball and softball find all that they need for their
facility with us. We offer turf for sports, mats for hitting, tees for batting, machines that pitch, screens and padding of each kind and size.</p>
<p>We have supplies for fields under the open sky too, such as covers, tarps, collars, guards of mesh and machines that pitch, and more.</p></div></body></html>`, tag, tags.String(), items.String())
	}
	screens := []string{"Padded wheeled screen", "Mini padded screen for pitchers"}
	pages := map[string]string{
		"collections/baseball/brand_g-tee":     list("Gee", "Gee batting tee", "Gee low ball tee", "Gee rubber cup"),
		"collections/baseball/product_screens": list("Screens", screens...),
		"collections/baseball/brand_kodiak":    list("Kodiak", screens...),
	}
	paths := []string{"collections/baseball/brand_g-tee", "collections/baseball/product_screens", "collections/baseball/brand_kodiak"}
	texts := siteAmong(t, 40, pages, paths)
	areOne(t, texts, []twoPages{{paths[0], paths[1], false}, {paths[1], paths[2], true}})
}

// A list may have a longer description than what pages are compared by their links below, and no other pages that
// the links lead to.
func TestWhatAShopListsAboveALongTextIsTwoLists(t *testing.T) {
	var rte strings.Builder
	for i := range 8 {
		fmt.Fprintf(&rte, "<p>Of the turf of kind %[1]d we have rolls of each width for fields, cages and gardens, and number %[1]d lasts as long as you want it to.</p>", i)
	}
	list := func(products ...string) string {
		var items strings.Builder
		for i, p := range products {
			fmt.Fprintf(&items, `<article class="product card"><a href="/products/%[1]s"><img src="/%[1]s.jpg" alt="%[2]s"></a><h3><a href="/products/%[1]s">%[2]s</a></h3><span class="price">$%[3]d9.99</span></article>`, strings.ReplaceAll(p, " ", "-"), p, i+2)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Artificial turf for sports</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"CollectionPage","name":"Turf"}</script></head>
<body><main class="collection"><h1>Turf</h1><p class="count">6 products</p><div class="grid products">%s</div><div class="rte">%s</div></main></body></html>`, items.String(), rte.String())
	}
	named := func(kind string) (products []string) {
		for i := range 24 {
			products = append(products, fmt.Sprintf("%s of make %c", kind, 'a'+i))
		}
		return products
	}
	pages := map[string]string{
		"collections/turf/sport_golf": list(named("Golf mat")...),
		"collections/turf/infill":     list(named("Rubber infill")...),
		"collections/turf/brand_dc":   list(named("Rubber infill")...),
	}
	paths := []string{"collections/turf/sport_golf", "collections/turf/infill", "collections/turf/brand_dc"}
	texts := siteAmong(t, 40, pages, paths)
	g, l := readingGate(t)
	for i, c := range []struct {
		path string
		same bool
	}{{paths[0], false}, {paths[1], false}, {paths[2], true}} {
		text := texts[c.path]
		if !text.listing || text.paged || text.plain < ownText {
			t.Fatalf("%s: listing %v, paged %v, %d words; want a list of one page below a long text", c.path, text.listing, text.paged, text.plain)
		}
		if v := claimText(t, g, l, DocID(i+1), *text); v.Copy() != c.same {
			t.Errorf("%s: %+v; want a copy: %v", c.path, v, c.same)
		}
	}
}
