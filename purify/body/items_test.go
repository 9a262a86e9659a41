package body

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/metadata"
)

// Blocks of an item whose text starts with + are in the body before.
func TestAListIsInTheBodyWholeOrNotAtAll(t *testing.T) {
	card := func(name, price string) string {
		return `<div class="card"><div class="top"><h3><a href="/p">` + name + `</a></h3></div><span class="label"><p>` + price + `</p></span></div>`
	}
	shop := func(cards ...string) string { return `<div class="shop">` + strings.Join(cards, "") + `</div>` }
	const item, chosen = `<li>Tail of silk</li>`, `<li>+Reel of ash</li>`
	for name, c := range map[string]struct {
		page, kind string
		want       []string
	}{
		"cards without names":           {shop(card("Reel", "+$4"), card("Tail", "+$5"), card("Keel", "+$6"), card("Sail", "+$7")), "collection", []string{"Reel", "Tail", "Keel", "Sail"}},
		"one card":                      {shop(card("+Reel", "+$4"), card("+Tail", "+$5"), card("+Keel", "+$6"), card("Sail", "$7")), "article", []string{"Sail", "$7"}},
		"comments":                      {shop(card("Ann says", "+Yes"), card("Ben says", "+No"), card("Cid says", "+I see"), card("Dan says", "+Why")), "forum", nil},
		"cards with names have buttons": {shop(card("+Reel", "<a href=/1>Buy a reel</a>"), card("+Tail", "<a href=/2>Buy a tail</a>"), card("+Keel", "<a href=/3>Buy a keel</a>"), card("+Sail", "<a href=/4>Buy a sail</a>")), "collection", nil},
		"buttons alone":                 {shop(card("Buy now", "+$4"), card("Buy now", "+$5"), card("Buy now", "+$6"), card("Buy now", "+$7")), "collection", nil},
		"three cards":                   {shop(card("Reel", "+$4"), card("Tail", "+$5"), card("Keel", "+$6")), "collection", nil},
		"one item":                      {"<ul>" + chosen + chosen + chosen + item + "</ul>", "article", []string{"Tail of silk"}},
		"half of the items":             {"<ul>" + chosen + item + chosen + item + "</ul>", "article", nil},
		"a menu":                        {"<ul>" + chosen + chosen + chosen + `<li class="sidebar">Tail of silk</li></ul>`, "article", nil},
		"paragraphs":                    {"<div><p>+One.</p><p>+Two.</p><p>+Three.</p><p>+Four.</p><p>Five.</p></div>", "article", nil},
	} {
		got := addedBy(c.page, func(ch *Chooser, kept []bool) {
			ch.count(new(metadata.Declared))
			ch.keepItems(kept, -1, c.kind)
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: added are %q, want %q", name, got, c.want)
		}
	}
}
