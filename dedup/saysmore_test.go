package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

// A page for the press shows the latest article whole, and below it whom one may call. Under one title, as with comments below a
// post, and at a URL that ends in the same name, as where a wiki gives out a page without its frame, the two are one.
func TestAnArticleWithWhomToCallBelowItIsAnotherPage(t *testing.T) {
	call := func(n int) string {
		people := ""
		for i := range n {
			people += fmt.Sprintf("<div>Anna%d Reader%d</div><div>anna%d@rope.example</div><div>+31%d55%d</div>", i, i, i, i, i)
		}
		return people
	}
	page := func(title, below string) string {
		return "<html><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1>" + described(0, 24) + below + "</main></body></html>"
	}
	const article, press = "Postcards for the harbour", "Media and contacts"
	texts := siteAmong(t, 40, map[string]string{
		"press/postcards/": page(article, ""), "media/": page(press, call(12)), "media-brief/": page(press, call(4)),
		"2019/postcards-2/": page(article, call(12)), "raw/postcards/": page(press, call(12)),
	}, []string{"press/postcards/", "media/", "media-brief/", "2019/postcards-2/", "raw/postcards/"})
	areOneByRule(t, texts, []twoPages{
		{"press/postcards/", "media/", false},
		{"media/", "press/postcards/", false},
		{"press/postcards/", "media-brief/", true},
		{"press/postcards/", "2019/postcards-2/", true},
		{"press/postcards/", "raw/postcards/", true},
	})
	list := strings.Replace(page("March 2012", ""), "</h1>", "</h1><h2>"+article+"</h2>", 1)
	texts = siteAmong(t, 40, map[string]string{"2012/03/": list, "2012/03/postcards/": page(article, call(12))}, []string{"2012/03/", "2012/03/postcards/"})
	areOneByRule(t, texts, []twoPages{{"2012/03/postcards/", "2012/03/", true}}) // with its comments, and without
}

// A shop's pages of two printers are the same but for the printers' numbers, which one of their titles or URLs has next to letters.
func TestPagesOfTwoModelsAreTwo(t *testing.T) {
	page := func(title, model string) string {
		says := strings.ReplaceAll(described(0, 40), "</p>", ".</p>")
		return "<html><head><title>" + title + "</title></head><body><main><h1>" + model + "</h1>" + says + "<p>Now your " + model + " prints from the telephone, too.</p></main></body></html>"
	}
	texts := siteAmong(t, 40, map[string]string{
		"shop-dj2510/": page("SHOP.EXAMPLE/DJ2510", "Deskjet 2510"), "deskjet-d5560/": page("Deskjet D5560", "Deskjet D5560"),
		"deskjet/": page("Deskjet D5560", "Deskjet D5560 Again"),
	}, []string{"shop-dj2510/", "deskjet-d5560/", "deskjet/"})
	areOneByRule(t, texts, []twoPages{
		{"shop-dj2510/", "deskjet-d5560/", false},
		{"deskjet-d5560/", "deskjet/", true},
	})
}

func TestModelsAreNumbersOfTitleAndURL(t *testing.T) {
	for _, c := range []struct {
		name, title, other, otherTitle string
		two                            bool
	}{
		{"123-hp-com-dj2510", "123.HP.COM/DJ2510 Support", "hp-deskjet-d5560", "HP deskjet D5560", true},
		{"envy4520", "123.hp.com/envy4520", "envy-4524", "Envy 4524", true},
		{"envy4520", "123.hp.com/envy4520", "envy-4524", "Envy 4520 and 4524", false}, // names both
		{"envy4520", "123.hp.com/envy4520", "envy-4520-setup", "Set up Envy 4520", false},
		{"envy4520", "123.hp.com/envy4520", "printers", "Envy 4524", false},
		{"envy4520", "Printers", "envy-4524", "Envy 4524", false},
		{"kites-12", "Kites, episode 12", "ropes-13", "Ropes, episode 13", false}, // too short
		{"report-2018", "Report of 2018", "report-2019", "For 2019", false},       // years
	} {
		if got := naming.OfTwoModels(c.name, c.title, c.other, c.otherTitle); got != c.two {
			t.Errorf("%q at %s and %q at %s: of two models %v", c.title, c.name, c.otherTitle, c.other, got)
		}
		if got := naming.OfTwoModels(c.other, c.otherTitle, c.name, c.title); got != c.two {
			t.Errorf("%q at %s and %q at %s: of two models %v", c.otherTitle, c.other, c.title, c.name, got)
		}
	}
}
