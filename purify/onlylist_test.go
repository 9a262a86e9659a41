package purify

import (
	"fmt"
	"strings"
	"testing"
)

// collection returns a list of a small shop, which has each of its products in many lists, next to filters. Of the shop's products it
// has those from the first on, each fifth.
func collection(n, first int) string {
	var items strings.Builder
	for k := first; k < 40; k += 5 {
		fmt.Fprintf(&items, `<div class="grid__item product-card"><div class="product-card__price">$%d.50</div><a href="/products/p%[2]d" class="product-card__image"><img src="/p%[2]d.jpg" alt=""></a><a href="/products/p%[2]d" class="product-card__title">Pillowcase of linen, number %[2]d, in the colour of the sea</a><button class="product-form__cart">Add to cart</button></div>`, 10+k, k)
	}
	return fmt.Sprintf(`<html><head><title>Collection %d – Pillows of Halverstone</title><meta property="og:type" content="product.group"></head><body><header><nav><ul><li><a href="/">Home</a></li><li><a href="/collections/all">All products of the shop</a></li><li><a href="/pages/contact">Write to the people of the shop</a></li></ul></nav></header>
<main class="page-width"><h1>Collection %[1]d</h1><p>%[3]s</p><div class="filters"><ul><li>Linen</li><li>Cotton</li></ul></div><div class="grid">%[2]s</div></main><footer><p>Pillows of Halverstone</p></footer></body></html>`, n, items.String(), sentence(n))
}

func TestATemplateLeavesTheOnlyListOfACollection(t *testing.T) {
	var h host
	meet := func(page string) {
		_, prints := PurifyOn(h.template, "http://a.test/collections/sea", []byte(page), "text/html")
		if t := h.site.Learn(prints); t != nil {
			h.template = t
		}
	}
	for n := range 30 {
		meet(collection(n, n%2))
	}
	v, _ := PurifyOn(h.template, "http://a.test/collections/sea", []byte(collection(7, 1)), "text/html")
	if v.Type != "collection" {
		t.Fatalf("the test wants a collection, this is a %s", v.Type)
	}
	hasAll(t, v.Body, []string{"number 1,", "number 16,", "number 36,"}, []string{"Write to the people of the shop"})
}
