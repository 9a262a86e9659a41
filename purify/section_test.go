package purify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// cityPage returns a page of a site that writes about each town what it writes about all towns of a kind: two texts, and some
// pages with texts of their own.
func cityPage(n int) string {
	name := fmt.Sprintf("Town%d", n)
	kind := n % 3
	about := func(k int) string {
		if kind == 2 {
			return sentence(1000*n + k)
		}
		return sentence(100*kind + k)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>Builders in %s</title></head><body><ul><li><a href=/>Home</a></li><li><a href=/all>All</a></li></ul><div class=story><h1>Builders in %s</h1><p>%s</p>", name, name, sentence(1000*n+500))
	for k := range 6 {
		fmt.Fprintf(&b, "<h2>%d. What a builder in %s does</h2><p>%s</p><p>%s</p>", k+1, name, about(2*k), about(2*k+1))
	}
	fmt.Fprintf(&b, "<h2>Last words</h2><p>%s</p></div><p>All rights of the builders are reserved by law, and none of them is for sale to anybody whosoever.</p></body></html>", about(12))
	return b.String()
}

// classPage returns a page of a manual about a class, which has a method of all classes between its own.
func classPage(n int) string {
	return fmt.Sprintf("<html><head><title>class Number%d</title></head><body><h1>class Number%d</h1><p>%s</p><dl><dt>make_number%d(count, of_what, and_where_to)</dt><dd>%s</dd>"+
		"<dt>classmethod is_registered_number_type(name)</dt><dd>True if a registered number type<dl><dt>Parameters</dt><dd>name (string) - the name of the type that is asked for</dd><dt>Returns</dt><dd>boolean</dd></dl></dd>"+
		"<dt>last_of_number%d(count, of_what, and_where_to)</dt><dd>%s</dd></dl></body></html>", n, n, sentence(10*n), n, sentence(10*n+1), n, sentence(10*n+2))
}

// fillingPage is a page of a town or a class.
func fillingPage(r *rand.Rand) string {
	n := r.IntN(300)
	if n%2 == 0 {
		return classPage(n)
	}
	return cityPage(n)
}

func TestTheParagraphsOfAnArticleStayIfItsHeadingsDo(t *testing.T) {
	var h host
	for n := range 40 {
		h.meet(cityPage(n))
	}
	for n := range 3 {
		got := h.again(cityPage(n))
		for k := range 13 {
			want := sentence(100*(n%3) + k)
			if n%3 == 2 {
				want = sentence(1000*n + k)
			}
			if !strings.Contains(got, want) {
				t.Fatalf("the body of page %d lacks its paragraph %d:\n%s", n, k, got)
			}
		}
		if strings.Contains(got, "All rights") {
			t.Errorf("the body of page %d has the site's footer:\n%s", n, got)
		}
	}
}

func TestAnAdvertisementInAnArticleStaysTheSites(t *testing.T) {
	page := func(n int) string { return article(n, "<h3>Help us</h3>"+promo) }
	var h host
	for n := range 20 {
		h.meet(page(n))
	}
	if got := h.again(page(3)); strings.Contains(got, "ten crowns") || !strings.Contains(got, sentence(32)) {
		t.Errorf("the body of a story with an advertisement in it is\n%s", got)
	}
}

func TestAHeadingStaysWithTheOnlyTextBelowIt(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf("<html><head><title>Story of number%d - The Paper</title></head><body><div class=story><h1>Story of number%d</h1>"+
			"<div><p>%s</p><p>%s</p><p>%s</p></div><div><h2>Who paid for number%d</h2>%s</div><div><h2>What became of number%d</h2><p>%s</p></div></div></body></html>",
			n, n, sentence(10*n), sentence(10*n+1), sentence(10*n+2), n, promo, n, sentence(10*n+3))
	}
	var h host
	for n := range 20 {
		h.meet(page(n))
	}
	if got := h.again(page(3)); !strings.Contains(got, "ten crowns") {
		t.Errorf("a section of the body has no text:\n%s", got)
	}
}

func TestATermStaysWithItsDefinition(t *testing.T) {
	var h host
	for n := range 20 {
		h.meet(classPage(n))
	}
	got := h.again(classPage(3))
	for _, want := range []string{"classmethod is_registered", "True if a registered", "Parameters", "name (string)", "Returns", "boolean"} {
		if !strings.Contains(got, want) {
			t.Errorf("the body of a class lacks %q:\n%s", want, got)
		}
	}
}

// Headings of one kind have what stands between them, in whatever elements, and a heading what follows it in its own element.
func TestTheBoxBetweenAStoryAndItsAuthorStaysTheSites(t *testing.T) {
	const box = "<p>Did you like this story? Do not hesitate to tell those of it whom you know, and those whom they know.</p><p>To make that as easy as it can be we have put some buttons here on which you can click as you like.</p>"
	for name, c := range map[string]struct {
		page string // of the last heading of the story, the box, and the author's name
		back bool
	}{
		"elements of their own": {"<div class=post><p>%s</p><p>%s</p><h2>%s</h2></div><div class=below><div>" + box + "</div><div><h4>About %s</h4></div></div>", false},
		"one element":           {"<div class=post><p>%s</p><p>%s</p><h2>%s</h2>" + box + "<h4>About %s</h4></div>", true},
		"elements of one kind":  {"<div class=post><p>%s</p><p>%s</p><div><h2>%s</h2></div><div>" + box + "</div><div><h2>About %s</h2></div></div>", true},
	} {
		page := func(n int) string {
			return fmt.Sprintf("<title>Story of number%[1]d</title><body><h1>Story of number%[1]d</h1>", n) + fmt.Sprintf(c.page, sentence(n), sentence(n+900), fmt.Sprintf("The winner is keeper%d", n), fmt.Sprintf("Ann%d", n))
		}
		var h host
		for n := range 40 {
			h.meet(page(n))
		}
		if got := h.again(page(77)); strings.Contains(got, "Did you like") != c.back || !strings.Contains(got, "The winner is") {
			t.Errorf("%s: the box is in the body: %v, want %v:\n%s", name, !c.back, c.back, got)
		}
	}
}

// A shop's advice is on all of its products. Where the models choose it and the lists of a description, the template leaves the lists alone.
func TestParagraphsStandInTheBodyWithTheListsAmongThem(t *testing.T) {
	item := func(n int) string { return "<ul><li>" + sentence(n) + "</li></ul>" }
	text := "<h2>What a hive is</h2><p>" + sentence(1) + "</p><p>" + sentence(2) + "</p>" + item(3) + item(4) + "<h2>Its roof</h2><p>" + sentence(5) + "</p><p><a href=/a>" + sentence(6) + "</a></p>"
	for _, c := range []struct {
		name, page string
		want, not  []int
	}{
		{"one description", "<div class=desc>" + text + "</div><div class=more><p>" + sentence(7) + "</p></div>", []int{1, 2, 3, 4, 5}, []int{6, 7}},
		{"lists of two elements", "<div class=desc>" + text + "</div><div class=more>" + item(8) + "<p>" + sentence(7) + "</p></div>", []int{3, 4, 8}, []int{1, 2, 5, 6, 7}},
		{"the whole page", text + "<p>" + sentence(7) + "</p>", []int{3, 4}, []int{1, 2, 5, 6, 7}},
		{"a share box in it", "<div class=desc>" + text + "<div class=share><p>" + sentence(7) + "</p></div></div>", []int{1, 2, 3, 4, 5}, []int{6, 7}},
	} {
		w := newWorkspace()
		w.Outline.Read([]byte("<body><h1>The hive of pine</h1>"+c.page), false)
		w.body.Choose(&metadata.Declared{})
		w.belongTo(nil)
		kept := make([]bool, len(w.Blocks))
		for i := range kept {
			kept[i] = w.Blocks[i].Tag == markup.TagLi
		}
		w.keepAmongLists(kept)
		body := w.body.Join(kept)
		for _, n := range c.want {
			if !strings.Contains(body, sentence(n)) {
				t.Errorf("%s: the body %q lacks sentence %d", c.name, body, n)
			}
		}
		for _, n := range c.not {
			if strings.Contains(body, sentence(n)) {
				t.Errorf("%s: the body %q has sentence %d", c.name, body, n)
			}
		}
		w.done()
	}
}
