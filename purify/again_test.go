package purify

import (
	"strings"
	"testing"
)

func TestWhatStandsAtTwoPlacesIsInTheBodyOnce(t *testing.T) {
	story := prose(1, 6, 3)
	const lead = "The keepers of the valley have counted their hives again, and three of ten are empty."
	got := Purify([]byte(`<title>Empty hives</title><main><article><h1>Empty hives</h1><div class="text-small"><p>`+lead+`</div><div class="text-large"><div><p>`+lead+`</div></div><p>`+
		strings.Join(story, "<p>")+`</article></main>`), "text/html").Body
	if n := strings.Count(got, lead); n != 1 {
		t.Errorf("the body has a text that stands in two parts of the page %d times:\n%s", n, got)
	}
	for _, text := range story {
		if !strings.Contains(got, text) {
			t.Errorf("the body lacks %q:\n%s", text, got)
		}
	}
}

func TestAnAnswerIsInTheBodyWithoutWhatItQuotes(t *testing.T) {
	said := []string{
		"My second hive has been humming louder than the first one since Tuesday, and I do not know why they would do that in April.",
		"They may be about to swarm. Look for queen cells at the lower edge of the frames, and take out what you find there.",
		"I looked this morning. There are three of them, and one is open already, so I am late by a day or two I suppose.",
		"Then set up an empty box next to it and wait for a warm noon. Ours went into the old box by themselves last year.",
	}
	var posts strings.Builder
	for i, text := range said {
		posts.WriteString(`<div class="post"><div class="author">keeper` + string(rune('a'+i)) + `</div><div class="postbody">`)
		if i > 0 {
			posts.WriteString(`<blockquote><p>` + said[i-1] + `</p></blockquote>`)
		}
		posts.WriteString(`<p>` + text + `</p></div></div>`)
	}
	body := PurifyAt("http://bees.example/viewtopic.php?t=311", []byte(`<title>Bees :: View topic - Humming hive</title><div class="forum topic"><h1>Humming hive</h1>`+posts.String()+`</div>`), "text/html").Body
	for _, text := range said {
		if n := strings.Count(body, text); n != 1 {
			t.Errorf("the body has %q %d times:\n%s", text, n, body)
		}
	}
}

// One place that says a thing twice means it: the chorus of a song, a step that is done again, cells of a table.
func TestWhatOnePlaceRepeatsStaysInTheBody(t *testing.T) {
	const chorus = "And the wind goes over the barley, the barley, and the wind goes over the barley."
	for name, page := range map[string]string{
		"a song":         "<p>" + sentence(1) + "<p>" + chorus + "<p>" + sentence(2) + "<p>" + chorus,
		"source code":    "<p>" + sentence(1) + "<pre>make clean; make all; " + chorus + "</pre><p>" + sentence(2) + "<ul><li>" + sentence(3) + "<pre>make clean; make all; " + chorus + "</pre></ul>",
		"cells":          "<p>" + sentence(1) + "<table><tr><th>Field<th>Wind<tr><td class=a>" + chorus + "<td class=b>" + chorus + "</table><p>" + sentence(2),
		"contents":       "<ul class=toc><li><a href=#a>The wind over the barley</a><li><a href=#b>The rain on the barley</a></ul><h2 id=a>The wind over the barley</h2><p>" + sentence(1) + "<h2 id=b>The rain on the barley</h2><p>" + sentence(2),
		"a step":         "<p>" + sentence(1) + "<ol><li>" + chorus + "</li><li>" + sentence(2) + "</li></ol><p>" + sentence(3) + "<ul class=again><li>" + sentence(4) + "</li><li>" + chorus + "</li><li>" + sentence(5) + "</li></ul>",
		"bylines":        "<p>" + sentence(1) + "<article class='post tag-wind'><h2><a href=/a>Wind</a></h2><p>" + sentence(2) + "<p>18 August 2022 by the keeper of the barley</article><article class='post tag-rain'><h2><a href=/b>Rain</a></h2><p>" + sentence(3) + "<p>18 August 2022 by the keeper of the barley</article>",
		"a short answer": "<div><p>" + sentence(1) + "<p>It does not, yet.</div><div><blockquote>" + sentence(2) + "</blockquote><div><p>It does not, yet.</div></div>",
	} {
		want := 2
		text := chorus
		switch name {
		case "a short answer":
			text = "It does not, yet."
		case "bylines":
			text = "18 August 2022 by the keeper of the barley"
		case "contents":
			text = "The wind over the barley"
		}
		body := Purify([]byte("<title>Barley</title><main><article><h1>Barley</h1>"+page+"</article></main>"), "text/html").Body
		if n := strings.Count(body, text); n != want {
			t.Errorf("%s: the body has %q %d times, want %d:\n%s", name, text, n, want, body)
		}
	}
}

// A page that a script fills has a menu and a footer, and no text between them.
func TestAFrameThatAScriptFillsHasNoBody(t *testing.T) {
	frame := `<a href="#c" class="skip">Skip to content</a><nav class="menu"><ul>` + menu("Men", "Women", "Kids", "Packs", "Gear", "Stories", "Activism") + `</ul></nav>
<div class="cart drawer"><h2>Cart (0)</h2><p>Subtotal</p><p>$0 USD</p><p>Shipping</p><p>Calculated at checkout</p></div><div id="app"></div>
<footer class="footer"><ul>` + strings.Repeat(menu("Trade in", "Shop", "Returns and exchanges", "Help center", "Privacy notice", "Terms of use", "Accessibility"), 3) + `</ul><p>© 2024 All rights reserved</p></footer>`
	page := `<title>Jackets</title>` + frame
	if v := PurifyAt("https://coats.example/collections/jackets", []byte(page), "text/html"); v.Body != "" {
		t.Errorf("the body is %q, want none", v.Body)
	}
	page = strings.Replace(page, `<div id="app">`, `<div id="app"><h1>Jackets</h1>`, 1)
	if v := PurifyAt("https://coats.example/collections/jackets", []byte(page), "text/html"); v.Body == "" {
		t.Error("a page with a headline has no body")
	}
}

func TestWhatIsAskedAboutAProductIsNotInItsBody(t *testing.T) {
	const (
		description = "A smoker of steel for two hives or for three, with bellows of leather and a guard that keeps the hand from the heat. It burns for an hour with a handful of straw."
		question    = "Does it come with a lighter, or do I have to bring my own matches to the hives each time?"
		answer      = "It does not, since most of our keepers have one in the pocket of the jacket they work in."
		guide       = "Measure the opening of the hive from the left to the right, and choose the next larger size."
	)
	page := `<title>Smoker 10 cm | Bee tools</title><meta property="og:type" content="product"><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Smoker 10 cm","offers":{"@type":"Offer","price":"39.00"}}</script>
<main class="product-page"><h1 class="product-title">Smoker 10 cm</h1><div class="price">$39.00</div><form class="product-form"><button>Add to cart</button></form>
<div class="product-description"><p>` + description + `</p><p>` + description[:60] + `, in three sizes.</p><ul><li>Height 25 cm</li><li>Weight 800 g</li><li>Stainless steel</li></ul></div>
<div class="size-modal"><p>` + guide + `</p></div>
<div class="product-questions"><div class="question"><p>` + question + `</p></div><div class="answer"><p>` + answer + `</p></div></div></main>`
	v := PurifyAt("https://tools.example/products/smoker-10", []byte(page), "text/html")
	if v.Type != "product" || !strings.Contains(v.Body, description) {
		t.Fatalf("a %s with the body %q", v.Type, v.Body)
	}
	for _, not := range []string{question, answer, guide} {
		if strings.Contains(v.Body, not) {
			t.Errorf("the body has %q:\n%s", not, v.Body)
		}
	}
}
