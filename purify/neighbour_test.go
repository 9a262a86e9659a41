package purify

import (
	"fmt"
	"strings"
	"testing"
)

// shopPage is a page of a shop: what it says of a product, and a list of others below.
func shopPage(name, said, others string) string {
	return fmt.Sprintf(`<html><head><title>%[1]s – Bee Shop</title><meta property="og:type" content="product"></head><body>
<header><a href="/">Bee Shop</a> <a href="/cart">Cart 0</a></header><nav><ul><li><a href="/">Home</a></li><li><a href="/all">All products</a></li></ul></nav>
<main><div class="product"><h1>%[1]s</h1>%[2]s<form action="/cart/add"><label>Quantity</label><input name="n"><button>Add to cart</button></form></div>%[3]s</main>
<footer><ul><li><a href="/search">Search</a></li><li>© 2021 Bee Shop</li></ul></footer></body></html>`, name, said, others)
}

// otherProducts is a list of n products from one on.
func otherProducts(from, n int) string {
	var b strings.Builder
	b.WriteString(`<div class="related-products"><h4>You may also like</h4><ul>`)
	for i := range n {
		fmt.Fprintf(&b, `<li><a href="/products/%[1]d"><p>Smoker of tinned steel No. %[1]d</p></a><span>$%[1]d.50</span></li>`, from+i)
	}
	return b.String() + "</ul></div>"
}

func TestTheBodyOfAProductIsWhatThePageSaysOfItAndNoneOfItsNeighbours(t *testing.T) {
	const price, text = `<span class="price">$12.50</span>`, `<p>Hive tool for frames that the bees have glued.</p>`
	for name, c := range map[string]struct {
		said      string
		want, not []string
	}{
		"a price alone":           {price, []string{"Hive tool W3", "$12.50"}, []string{"Smoker", "You may also like", "Add to cart", "Quantity"}},
		"a price and a line":      {price + text, []string{"Hive tool W3", "$12.50", "Hive tool for frames"}, []string{"Smoker"}},
		"a line":                  {text, []string{"Hive tool for frames"}, []string{"Smoker"}},
		"a text, and so no price": {price + strings.Repeat("<p>Hive tool for frames that the bees have glued, with a hook that lifts them, and made of one piece of steel.</p>", 4), []string{"with a hook"}, []string{"Smoker"}},
	} {
		v := PurifyAt("http://shop.example/products/w3", []byte(shopPage("Hive tool W3", c.said, otherProducts(20, 5))), "text/html")
		for _, want := range c.want {
			if !strings.Contains(v.Body, want) {
				t.Errorf("%s: the body of the %s lacks %q:\n%s", name, v.Type, want, v.Body)
			}
		}
		for _, not := range c.not {
			if strings.Contains(v.Body, not) {
				t.Errorf("%s: the body of the %s has %q:\n%s", name, v.Type, not, v.Body)
			}
		}
	}
}

func TestALinkListOfTheProductItselfIsInItsBody(t *testing.T) {
	parts := `<p>The kit of the beekeeper who starts, in a box of wood:</p><ul>`
	for i := range 5 {
		parts += fmt.Sprintf(`<li><a href="/products/%[1]d">Smoker of tinned steel No. %[1]d</a></li>`, i)
	}
	v := PurifyAt("http://shop.example/products/kit", []byte(shopPage("Kit for beekeepers", `<span class="price">$112.50</span>`+parts+"</ul>", "")), "text/html")
	if !strings.Contains(v.Body, "Smoker of tinned steel No. 3") {
		t.Errorf("the body of the %s lacks what the kit consists of:\n%s", v.Type, v.Body)
	}
}

func TestTheBodyOfANoticeWithoutTextIsNotTheRelatedArticles(t *testing.T) {
	page := `<html><head><title>Notice to keepers – Bee Office</title></head><body><nav><a href="/">Home</a></nav><div class="main"><h1>Notice to keepers</h1>
<div class="post"><span class="date">January 21, 2022</span><img src="notice.png"></div><div class="related-posts"><h2>Related stories</h2>`
	for i := range 6 {
		page += fmt.Sprintf(`<div class="post-item"><h3><a href="/2021/0%[1]d/day/">The day of the bees, part %[1]d of seven</a></h3><p>On the day of the bees the office has asked keepers of district %[1]d to come and to count what came through the winter…</p></div>`, i+1)
	}
	v := PurifyAt("http://office.example/2022/01/21/notice-to-keepers/", []byte(page+"</div></div></body></html>"), "text/html")
	if v.Type != "article" || !strings.Contains(v.Body, "Notice to keepers") || strings.Contains(v.Body, "day of the bees") {
		t.Errorf("the body of the %s is\n%s", v.Type, v.Body)
	}
}

// All pages have the shop's terms, which the models take for the body, and prices that other products have as well.
func TestAPageThatIsReadWithItsSitesTemplateHasNoNeighboursAndItsPrice(t *testing.T) {
	terms := `<div class="tab"><h2>Terms</h2><p>` + strings.Repeat("We send honey by mail within three days, in boxes that are padded with straw, and take back what was broken on its way. ", 4) + "</p></div>"
	page := func(n int) string {
		return shopPage(fmt.Sprintf("Honey of the year %d", 1990+n), `<span class="price">$12.50</span><p>`+fmt.Sprintf("Jar %d", n)+"</p>"+terms, otherProducts(10*n, 5))
	}
	var h host
	for n := range 12 {
		h.meet(page(n))
	}
	v, _ := PurifyOn(h.template, "http://shop.example/products/2010", []byte(page(20)), "text/html")
	if !strings.Contains(v.Body, "Honey of the year 2010\n$12.50") || strings.Contains(v.Body, "Smoker") {
		t.Errorf("the body of the %s is\n%s", v.Type, v.Body)
	}
}

func TestAListThatHasThePagesNameInItsHeadingIsTheBody(t *testing.T) {
	page := func(user string, n int) string {
		list := ""
		for i := range 5 {
			list += fmt.Sprintf(`<li><h3><a href="/news/%[1]d">Is the hive %[1]d empty now?</a></h3><span>News - Feb 28, 2016</span></li>`, 100*n+i)
		}
		return fmt.Sprintf(`<html><head><title>%[1]s</title><meta property="og:type" content="article"></head><body><nav><a href="/">Home</a></nav><div class="main"><h1>%[1]s</h1><img src="/%[2]d.png">
<div class="latest"><h2>Latest comments by %[1]s</h2><ul>%[3]s</ul></div><div class="terms"><p>%[4]s</p></div></div></body></html>`, user, n, list, strings.Repeat("Members write as they speak, and are kind to those who keep bees for the first time. ", 9))
	}
	var h host
	for n := range 12 {
		h.meet(page(fmt.Sprintf("Keeper%d", n), n))
	}
	if v, _ := PurifyOn(h.template, "http://a.test/user/77", []byte(page("Keeper77", 77)), "text/html"); v.Type != "article" || !strings.Contains(v.Body, "hive 7702") {
		t.Errorf("the body of the %s is %q", v.Type, v.Body)
	}
}

// Themes give the cards of a list classes of their own, such as first, last and sale.
func TestAShopsListHasTheCardsThatOtherPagesHaveToo(t *testing.T) {
	var h host
	best := func(class string) string {
		return `<li class="product ` + class + `"><a href="/p/best"><h2>Smoker of tinned steel with a bellows</h2></a><span class="price">$31.50</span></li>`
	}
	list := func(n int) string {
		var cards strings.Builder
		for i := range 7 {
			fmt.Fprintf(&cards, `<li class="product"><a href="/p/%[1]d"><h2>Hive tool of bent steel, model %[1]d</h2></a><span class="price">$%[1]d.20</span></li>`, 10*n+i)
		}
		return shopPage(fmt.Sprintf("Tools of row%d", n), "", `<ul class="products">`+cards.String()+best("last sale")+`</ul>`)
	}
	for n := range 40 {
		h.meet(list(n))
	}
	hasAll(t, h.again(list(7)), []string{"model 73", "with a bellows"}, []string{"All products"})
}
