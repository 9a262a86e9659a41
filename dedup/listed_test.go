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
	for _, c := range []struct {
		a, b int
		same bool
	}{{0, 1, false}, {1, 2, true}} {
		if j, same := one(texts[paths[c.a]], texts[paths[c.b]]); same != c.same {
			t.Errorf("%s and %s: one %v, resemblance %.2f; want %v", paths[c.a], paths[c.b], same, j, c.same)
		}
	}
}
