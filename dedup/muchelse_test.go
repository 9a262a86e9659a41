package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The services of a firm have what customers wrote about it below their own texts, which is many times
// longer, and some of them have URLs that name nothing. The same service under two URLs is one page.
func TestAServiceBelowWhatCustomersWriteIsAPageOfItsOwn(t *testing.T) {
	says := func(seed uint64, words int) string {
		r := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for i := range words {
			fmt.Fprintf(&b, "w%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
			if i%12 == 11 {
				b.WriteString("as they said there. ")
			}
		}
		return b.String()
	}
	var reviews strings.Builder
	for i := range 30 {
		fmt.Fprintf(&reviews, "<div class=review><p>%s</p></div>\n", says(uint64(100+i), 120))
	}
	service := func(title string, seed uint64) string {
		return fmt.Sprintf("<html lang=en><head><title>%s</title></head><body><article><h1>%[1]s</h1><p>%s</p></article><section>%s</section></body></html>",
			title, says(seed, 250), reviews.String())
	}
	texts := siteAmong(t, 30, map[string]string{
		"p4448.html":           service("Care of wounded dogs", 1),
		"teeth-of-cats.html":   service("Cleaning the teeth of cats", 2),
		"cleaning/teeth.html":  service("Cleaning the teeth of cats", 2),
		"care-of-wounded.html": strings.Replace(service("Care of wounded dogs", 1), "</h1>", "</h1><p>Call us today.</p>", 1),
	}, []string{"p4448.html", "teeth-of-cats.html", "cleaning/teeth.html", "care-of-wounded.html"})
	areOneByRule(t, texts, []twoPages{
		{"p4448.html", "teeth-of-cats.html", false},
		{"teeth-of-cats.html", "cleaning/teeth.html", true},
		{"p4448.html", "care-of-wounded.html", true},
	})
}

// A shop has the same long text on each product, and a sentence or two of the product's own above it. One of them
// is at the URL of another product.
func TestAProductAboveWhatAShopAlwaysSaysIsAPageOfItsOwn(t *testing.T) {
	always := "<p>We bake each treat slowly and with care, and we send it on the day on which you ask for it, wherever you are.</p>"
	for i := range 30 {
		always += fmt.Sprintf("<p>Of question %[1]d that we are asked the answer is number %[1]d: we have treats for dogs of each age, and number %[1]d is one that they like.</p>", i)
	}
	product := func(name, says string) string {
		return fmt.Sprintf("<html lang=en><head><title>%s – Pebbles</title></head><body><main><h1>%[1]s</h1><p>%s</p>%s</main></body></html>", name, says, always)
	}
	stick := "This savory salmon stick has concentrated oils from cold seas, for a coat that shines and for joints that stay supple when they grow old."
	pages := map[string]string{
		"products/salmon-stick":  product("Salmon Stick", stick),
		"products/green-bar":     product("Dental Biscuit", "A crunchy biscuit which cleans teeth while your dog chews it, with parsley and mint that make its breath fresh all day long."),
		"collections/salmon/old": product("Salmon Stick", stick+" It is back."),
	}
	paths := []string{"products/salmon-stick", "products/green-bar", "collections/salmon/old"}
	texts := siteAmong(t, 40, pages, paths)
	areOneByRule(t, texts, []twoPages{{paths[0], paths[1], false}, {paths[0], paths[2], true}})
}
