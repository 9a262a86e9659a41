package body

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

var tea = strings.TrimSpace(strings.Repeat("Tea is grown on slopes. ", 20))

// leftOf reads a page whose blocks are all chosen with one probability, and returns the texts of those
// that stay in the body.
func leftOf(page string, probability float32, kind int) []string {
	ch := &Chooser{Outline: new(blocks.Outline)}
	ch.Reset()
	ch.Read([]byte(page), false)
	ch.buf.article, ch.buf.thread = kind == typeArticle, kind == typeForum
	p, kept := make([]float32, len(ch.Blocks)), make([]bool, len(ch.Blocks))
	for i := range p {
		p[i], kept[i] = probability, true
	}
	ch.markDoubtful(make([]int32, len(p)), p)
	ch.dropDoubtful(kept)
	ch.dropLoneLinks(kept)
	var left []string
	for i, k := range kept {
		if k {
			left = append(left, string(ch.BlockText(i)))
		}
	}
	return left
}

func TestDoubtfulTextOfAFrameIsNotInTheBody(t *testing.T) {
	for _, c := range []struct {
		name, page  string
		kind        int
		probability float32
		want        []string
	}{
		{"a shop", `<header><div><p>Free returns</p></div></header><p>Tea</p><nav><ul><li>Green</li></ul></nav><p>Pots</p><footer><p>Hours</p></footer>`, typeProduct, .5, []string{"Tea", "Pots"}},
		{"parts of a list", `<main><article><header><h2>Tea</h2></header><p>Green</p><footer><p>May 3</p></footer></article></main>`, typeProduct, .3, []string{"Tea", "Green", "May 3"}},
		{"a page that is called a menu", `<div class="left-navigation"><main><p>Tea</p></main><ul><li>Green</li></ul></div>`, typeProduct, .5, []string{"Tea"}},
		{"a shop that is likely enough", `<header><p>Free returns</p></header><p>Tea</p><footer><p>Hours</p></footer>`, typeProduct, .65, []string{"Free returns", "Tea", "Hours"}},
		{"fields", `<p>Tea</p><form>Your name <div>Size</div></form><button>Buy</button>`, typeProduct, .59, []string{"Tea"}},
		{"fields that are likelier", `<p>Tea</p><form>Your name</form><button>Buy</button>`, typeProduct, .7, []string{"Tea", "Buy"}},
		{"a page in a form", `<form id="aspnet"><div class="page"><div><p>Tea</p></div></div></form>`, typeProduct, .5, []string{"Tea"}},
		{"text in a form", "<form><p>" + tea + "</p><p>Your name</p></form>", typeProduct, .5, []string{tea}},
		{"a thread in a form", `<form><p>Which tea?</p></form>`, typeForum, .5, []string{"Which tea?"}},
		{"a preview in a thread", `<p>Which tea?</p><aside class="onebox"><p>Tea, an encyclopedia</p></aside>`, typeForum, .7, []string{"Which tea?"}},
		{"a box in an article", `<p>Tea</p><aside><p>How to brew it</p></aside>`, typeArticle, .7, []string{"Tea", "How to brew it"}},
		{"names of an article", `<p>Tea</p><div class="newsletter"><p>Our letter</p></div><p class="btn">Shop now</p>`, typeArticle, .5, []string{"Tea"}},
		{"a heading of an article", `<p class="btn">Shop now</p><h2 class="btn">Step 1</h2>`, typeArticle, .5, []string{"Step 1"}},
		{"names of a shop", `<p>Tea</p><p class="btn">Shop now</p>`, typeProduct, .5, []string{"Tea", "Shop now"}},
		{"a popup above a thread", `<p>Which tea?</p><div class="consent"><div><div><p>We value your privacy</p></div></div></div>`, typeForum, .45, []string{"Which tea?"}},
	} {
		if got := leftOf(c.page, c.probability, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%s: the body is %q, want %q", c.name, got, c.want)
		}
	}
}

// What the rules before have added to a body stays: the lead of an article may be in its header.
func TestTextThatTheForestsDidNotChooseIsNotDoubtful(t *testing.T) {
	ch := &Chooser{Outline: new(blocks.Outline)}
	ch.Reset()
	ch.Read([]byte(`<header><p>A lead</p></header><p>Tea</p>`), false)
	ch.markDoubtful([]int32{-1, 1}, []float32{.1, .9})
	kept := []bool{true, true}
	if ch.dropDoubtful(kept); !kept[0] || !kept[1] {
		t.Errorf("a lead that a rule has added and a text are kept: %v, want both", kept)
	}
}

func TestLinksThatStandAloneAreNotInAnArticle(t *testing.T) {
	const told = `<p>The keeper of the pots has written about it: <a href="/m">how green tea grows on the slopes of the north</a></p>`
	story := "<p>" + tea + "</p>"
	const video, more, item = `<div><a href="/v">View: a video</a></div>`, `<p><a href="/m">More on tea</a></p>`, `<ul><li><a href="/g">Green</a></li></ul>`
	for _, c := range []struct {
		name, page  string
		kind        int
		probability float32
		want        []string
	}{
		{"an article", story + video + more + item, typeArticle, .9, []string{tea, "More on tea", "Green"}},
		{"an article in doubt", story + video + more + item, typeArticle, .55, []string{tea, "Green"}},
		{"an article that tells of it", story + told, typeArticle, .55, []string{tea, "The keeper of the pots has written about it: how green tea grows on the slopes of the north"}},
		{"a thread", story + video, typeForum, .9, []string{tea}},
		{"an answer", story + more, typeForum, .55, []string{tea, "More on tea"}},
		{"a service", story + video, typeProduct, .9, []string{tea, "View: a video"}},
		{"a list", video + video + "<p>Two films</p>", typeArticle, .9, []string{"View: a video", "View: a video", "Two films"}},
	} {
		if got := leftOf(c.page, c.probability, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%s: the body is %q, want %q", c.name, got, c.want)
		}
	}
}
