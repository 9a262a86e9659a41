package dedup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

func TestTheWayToTheNextPageIsNothingThatAListLists(t *testing.T) {
	list := func(url string, links ...string) Text {
		view := &purify.DocView{URL: url, Title: "Tag: iron", Template: 1, Layout: 1, Blocks: []purify.Block{{Text: "How the gate was mended", Linked: true, Chosen: true}}}
		for i, link := range links {
			view.Links = append(view.Links, purify.Link{URL: link, Body: true})
			view.Targets = append(view.Targets, uint32(i+1))
		}
		return TextOf(view)
	}
	month := list("http://site.example/2011/05/", "/posts/gate/")
	for _, c := range []struct {
		what string
		tag  Text
		want bool
	}{
		{"its second page", list("http://site.example/tags/iron/page/2/", "/posts/gate/", "/tags/iron/"), true},
		{"its first page", list("http://site.example/tags/iron/", "/posts/gate/", "/tags/iron/page/2/"), true},
		{"a list of two posts", list("http://site.example/tags/iron/", "/posts/gate/", "/posts/ladder/"), false},
	} {
		if got := month.Links == c.tag.Links && slices.Equal(month.Lists, c.tag.Lists); got != c.want || month.Links == 0 {
			t.Errorf("%s lists what a month with the same post does: %v, want %v", c.what, got, c.want)
		}
	}
}

// monthOf is a list of posts next to a menu of topics, which only the lists of its site have.
func monthOf(month string, posts ...string) string {
	var list, menu strings.Builder
	for _, post := range posts {
		list.WriteString(entry(post))
	}
	for i := range 24 {
		topic := fmt.Sprintf("%s%d", menuTopics[i%len(menuTopics)], i)
		fmt.Fprintf(&menu, `<li><a href="/topics/%[1]s/">All the notes on %[1]s of the last years</a></li>`, topic)
	}
	return blogPage("Archives: "+month, list.String()+`<aside><ul>`+menu.String()+`</ul></aside>`)
}

var menuTopics = []string{"copper", "silver", "gravel", "ladders", "orchards", "kettles", "twine", "sheds", "barrels"}

func TestAMenuThatOnlyListsHaveMakesNoTwoListsOne(t *testing.T) {
	pages := make(map[string]string)
	var paths []string
	add := func(path, page string) {
		pages[path] = page
		paths = append(paths, path)
	}
	for i := range 80 { // the posts have no menu
		add(fmt.Sprintf("posts/%d/", i), blogPage(fmt.Sprintf("Note %d", i), fmt.Sprintf("<p>Note %[1]d of %[1]d says that %[1]d geese and %[1]d ducks walked by the fence number %[1]d.</p>", i+100)))
		if i%5 == 0 {
			add(fmt.Sprintf("2011/%02d/", i/5), monthOf(fmt.Sprintf("2011/%d", i/5), fmt.Sprintf("gate%d", i), fmt.Sprintf("shed%d", i)))
		}
	}
	texts := siteOf(t, paths, func(path string) string { return pages[path] })
	a, b := texts["2011/01/"], texts["2011/02/"]
	for _, body := range []bool{true, false} { // which the models may take the menu for
		for _, text := range texts {
			for i := range text.blocks {
				if b := &text.blocks[i]; strings.HasPrefix(b.Text, "All the notes on") {
					b.Chosen = body
				}
			}
			text.joinCompared()
			text.made, text.asked = nil, nil
		}
		if body := a.Body; strings.Contains(body, "kettles5") || !strings.Contains(body, "shed5") {
			t.Errorf("a month is compared by %q, want its posts and not the menu", body)
		}
		if j, same := one(a, b); same || j > .6 {
			t.Errorf("two months are one: %t at %.2f", same, j)
		}
	}
	c, d := *a, *b // as they are while the menu is not known
	for _, month := range []*Text{&c, &d} {
		month.site, month.made, month.asked, month.blocks = nil, nil, nil, slices.Clone(month.blocks)
		for i := range month.blocks {
			month.blocks[i].Shared = false
		}
		month.joinCompared()
	}
	if j, same := one(&c, &d); same || j < ruling().Resemblance {
		t.Errorf("two months with their menu are one: %t at %.2f, want two that resemble each other", same, j)
	}
}

// potsFrom is a page of a shop's list of pots, under the words that all of its pages have.
func potsFrom(page, from int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<html lang="en"><head><title>Pots</title></head><body><main><h1>Pots</h1>`)
	for i := range 26 {
		fmt.Fprintf(&b, "<p>Our pots are made by hand in the town of the %c potters, of clay that is dug there, and fired with wood for two days and one night.</p>", 'A'+i)
	}
	for i := from; i < from+16; i++ {
		fmt.Fprintf(&b, `<div class="card"><a href="/pot-%d">Pot of glaze %[1]d-%c%c, %[1]d,00 a piece</a></div>`, i, 'a'+i%26, 'a'+i*7%26)
	}
	fmt.Fprintf(&b, `<nav><a href="/pots?page=%d">Next</a></nav></main></body></html>`, page+1)
	return b.String()
}

// Two pages of a list have the description of the list, and are two by what they list.
func TestPagesOfAListAreNotOneByTheWordsAboveIt(t *testing.T) {
	pages := map[string]string{"pots?page=2": potsFrom(2, 16), "pots?page=3": potsFrom(3, 32), "one": potsFrom(2, 16), "two": potsFrom(3, 32)}
	for path := range pages {
		if !strings.Contains(path, "?") {
			pages[path], _, _ = strings.Cut(pages[path], "<nav>")
		}
	}
	site := pagesAmong(t, pages)
	if _, same := one(site["one"], site["two"]); !same {
		t.Fatal("the words above the list do not make two pages one, so nothing is tried here")
	}
	a, b := site["pots?page=2"], site["pots?page=3"]
	if j, same := one(a, b); same {
		t.Errorf("two pages of a list with other pots are one at %.2f", j)
	}
	if _, same := one(b, site["two"]); !same {
		t.Error("one page of a list at two URLs is two")
	}
	for _, text := range []*Text{a, b} { // the words alone are taken for body, as models may
		for i := range text.blocks {
			text.blocks[i].Chosen = !strings.HasPrefix(text.blocks[i].Text, "Pot of")
		}
	}
	if j, same := one(a, b); same {
		t.Errorf("two pages of a list with other pots, outside their bodies, are one at %.2f", j)
	}
	if b.Sample() == nil {
		t.Error("nothing can be part of a page of a list that says much")
	}
}

// A page that is read as one post, although it shows several whole, is not a copy of that post.
func TestAListThatIsReadAsAPostKeepsItsOtherPosts(t *testing.T) {
	post := func(n, paragraphs int) (blocks []purify.Block) {
		for i := range paragraphs {
			var words []string
			for j := range 30 {
				words = append(words, fmt.Sprintf("w%dx%dx%d", n, i, j))
			}
			text := strings.Join(words, " ") + "."
			blocks = append(blocks, purify.Block{Text: text, Prose: true, Chosen: n == 1, Print: purify.Print(uint32(n*1000 + i))})
		}
		return blocks
	}
	page := func(title, path string, blocks []purify.Block) Text {
		var body []string
		for _, b := range blocks {
			if b.Chosen {
				body = append(body, b.Text)
			}
		}
		view := &purify.DocView{URL: "http://a.example" + path, Title: title, Type: "article", Lang: "en", Template: 1, Layout: 1, Body: strings.Join(body, "\n"), Blocks: blocks}
		return TextOf(view)
	}
	kept := page("Speech", "/tag/speech/", post(1, 30))
	for beside, same := range map[int]bool{30: false, 12: false, 2: false, 1: true} {
		list := page("Teaching", "/tag/teaching/", append(post(1, 30), post(2, beside)...))
		o := DefaultOptions()
		x, y := list.Sign(), kept.Sign()
		if found := o.compareTexts(outlineOf(x), outlineOf(y), &list, &kept); found.same() != same {
			t.Errorf("with %d paragraphs of another post: one page: %v (%v, J %.2f), want %v", beside, found.same(), found.apart, found.j, same)
		}
	}
}

// ordersOf is a shop of fourteen pots, each list of which has the first twelve in one order and the others on its second page.
func ordersOf() map[string]*Text {
	const all, first = 14, 12
	pages := make(map[string]string)
	var paths []string
	kinds := []string{"Round", "Tall", "Flat", "Blue", "Green", "Grey", "Red", "Small", "Wide", "Oval", "Deep", "Old", "New", "White"}
	for order := range all {
		for page := range 2 {
			var list strings.Builder
			for i := range all {
				if pot := kinds[(i+order*3)%all]; i < first == (page == 0) {
					fmt.Fprintf(&list, "<li class=\"product\"><a href=\"/pots/%s/\">%[1]s pot for a kitchen garden</a> <a href=\"/pots/%[1]s/more/\">Details</a></li>\n", pot)
				}
			}
			path := fmt.Sprintf("shop/index%04x.html", 0x1e00+order)
			if page > 0 {
				path = fmt.Sprintf("shop/page/2/index%04x.html", 0x2e00+order)
			}
			pages[path] = `<html lang="en"><head><title>Shop</title></head><body><header><a href="/">The potters of the valley</a></header><main><h1>Shop</h1>
<p>Our pots are made by hand in the town of the potters, of clay that is dug there, and fired with wood for two days and one night before they are sold.</p>
<ul><li><a href="/shop/price/">Sort by price of pots</a></li><li><a href="/shop/name/">Sort by name of pots</a></li><li><a href="/shop/age/">Sort by age of pots</a></li></ul>
<ul class="products">` + list.String() + `</ul>` + fmt.Sprintf("<p>Showing the pots of this page, of fourteen in all, in the order that was asked for by the visitor of the shop, who may ask for another one above, or look at the pots of the month, which cost less than the others and were made for those who can wait. This is list %d of the shop.</p>", order) + `</main></body></html>`
			paths = append(paths, path)
		}
	}
	var site purify.Site
	var template *purify.Template
	views := make(map[string]*purify.DocView)
	for _, path := range paths {
		view, prints := purify.PurifyOn(nil, "http://site.example/"+path, []byte(pages[path]), "text/html")
		view.URL, view.Type = "http://site.example/"+path, "listing"
		for i := range view.Blocks {
			view.Blocks[i].Chosen = true // as on most such pages
		}
		views[path], template = view, cmp.Or(site.Learn(prints), template)
	}
	texts := make(map[string]*Text)
	for path, view := range views {
		view.Reframe(template)
		text := TextOf(view, template)
		texts[path] = &text
	}
	return texts
}

// The pots of a small shop are in most of its lists, and so in its template. What is left of its lists is the same.
func TestSecondPagesOfAShopsOrdersAreTwo(t *testing.T) {
	site := ordersOf()
	for _, c := range []struct {
		what string
		a, b string
		same bool
	}{
		{"second pages in two orders", "shop/page/2/index2e00.html", "shop/page/2/index2e01.html", false},
		{"a second page and the first in another order, which has its pots", "shop/page/2/index2e00.html", "shop/index1e01.html", false},
		{"first pages in two orders, most of whose pots are the same", "shop/index1e00.html", "shop/index1e01.html", true},
	} {
		a, b := site[c.a], site[c.b]
		x, y := outlineOf(a.Sign()), outlineOf(b.Sign())
		j, same := one(a, b)
		if same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one page: %v (J %.2f), want %v; compared are\n%s", c.what, same, j, c.same, a.Body)
		}
		if got := a.decides() || ruling().oneBody(x, y, a.reading(), b.reading()); got != c.same {
			t.Errorf("%s: one page if their bodies were equal: %v, want %v", c.what, got, c.same)
		}
	}
	again := *site["shop/page/2/index2e00.html"]
	again.made = nil
	if j, same := one(site["shop/page/2/index2e00.html"], &again); !same {
		t.Errorf("a second page and the same: two at %.2f", j)
	}
}

// Of the lists of two tags one shows a post more, which ten other lists show. The body that the models chose is prose alone and,
// without what the site repeats, that of the post which both show; the lists are two all the same.
func TestAListThatShowsAPostMoreIsAnotherWhateverItsBody(t *testing.T) {
	post := func(name string, words int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<h2><a href=\"/posts/%s/\">On the %[1]s of the town</a></h2>", name)
		for i := range words / 20 {
			fmt.Fprintf(&b, "<p>Of the %s it was told on day %d that whoever had seen it once would know the %[1]s %d of the town by its sound alone.</p>", name, i, 7*i)
		}
		return b.String()
	}
	pages := make(map[string]string)
	page := func(path, title string, posts ...string) {
		pages[path] = "<html lang=\"en\"><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1>" + strings.Join(posts, "") + "</main></body></html>"
	}
	bridge, harbour := post("bridge", 300), post("harbour", 120)
	for i := range 10 {
		page(fmt.Sprintf("tags/boat%d/", i), fmt.Sprintf("Boats of kind %d", i), harbour, post(fmt.Sprint("boat", i), 100))
	}
	for i := range 30 {
		page(fmt.Sprintf("posts/%d/", i), fmt.Sprintf("Kite %d", i), post(fmt.Sprint("kite", i), 200))
	}
	page("tags/stone/", "Stone", bridge)
	page("tags/water/", "Water", bridge, harbour)
	site := pagesAmong(t, pages)
	for _, p := range site {
		p.listing, p.made = true, nil
		for i := range p.blocks {
			p.blocks[i].Chosen = p.blocks[i].Prose
		}
	}
	a, b := site["tags/stone/"], site["tags/water/"]
	o := DefaultOptions()
	if found := o.compareReadings(outlineOf(a.Sign()), outlineOf(b.Sign()), a.reading(), b.reading()); found.apart != OneShowsMore || found.j < o.Resemblance {
		t.Fatalf("as they are they are told apart by %q at %.2f, want %q", found.apart, found.j, OneShowsMore)
	}
	if j, same := one(a, b); same {
		t.Errorf("they are one (J %.2f)", j)
	}
}

// The lists of tags show the first lines of their posts. Those of a post with ten tags are what the site repeats, so that the body
// of each list that shows it may be that of its other post. Two lists that share that one are two if one shows a post more,
// and one if it shows a notice more.
func TestListsOfFirstLinesAreTwoByAPostMore(t *testing.T) {
	post := func(name string) string {
		return fmt.Sprintf(`<article><h2>What became of the %[1]s of the town</h2><p>Of the %[1]s it was told that whoever had seen it once would know its sound among all others, and
that nobody who lived in the town would be without it. This post says how the %[1]s was made, who made it, and what became of it when the old harbour was filled.</p><a href="/posts/%[1]s/">Read on</a></article>`, name)
	}
	pages := make(map[string]string)
	page := func(path, title string, posts ...string) {
		pages[path] = "<html lang=\"en\"><head><title>" + title + "</title></head><body><main><h1>" + title + "</h1>" + strings.Join(posts, "") + "</main></body></html>"
	}
	bridge, harbour, mill := post("bridge"), post("harbour"), post("mill")
	notice := `<div class="card"><p>Nothing was written here for a long time, and nothing will be from now on. Whoever wants to read on finds the posts of the same authors, and of
some others, at a place that is new, for which they have written together since the summer of the year before last.</p></div>` // on some pages of the site
	for i := range 9 {
		page(fmt.Sprintf("tags/boat%d/", i), fmt.Sprintf("Boats%d", i), harbour, post(fmt.Sprint("boat", i)))
		page(fmt.Sprintf("tags/wheel%d/", i), fmt.Sprintf("Wheels%d", i), notice, mill, post(fmt.Sprint("wheel", i)))
	}
	for i := range 30 {
		page(fmt.Sprintf("posts/%d/", i), fmt.Sprintf("Kite%d", i), post(fmt.Sprint("kite", i)))
	}
	page("tags/stone/", "Stone", bridge)
	page("tags/water/", "Water", bridge, harbour)
	page("tags/flour/", "Flour", bridge, mill)
	page("tags/bread/", "Bread", bridge, mill)
	page("tags/grain/", "Grain", notice, bridge, mill)
	site := pagesAmong(t, pages)
	for path, p := range site {
		if strings.HasPrefix(path, "tags/") {
			p.listing, p.made = true, nil
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"tags/stone/", "tags/water/", false}, {"tags/water/", "tags/flour/", false}, {"tags/flour/", "tags/bread/", true}, {"tags/bread/", "tags/grain/", true}} {
		a, b := site[c.a], site[c.b]
		if a.Body != b.Body {
			t.Fatalf("%s and %s: %q and %q; want one text", c.a, c.b, a.Body, b.Body)
		}
		if got := a.decides() || ruling().oneBody(outlineOf(a.Sign()), outlineOf(b.Sign()), a.reading(), b.reading()); got != c.same {
			t.Errorf("%s and %s are one by their bodies: %v, want %v", c.a, c.b, got, c.same)
		}
		if _, same := one(a, b); same != c.same {
			t.Errorf("%s and %s are one: %v, want %v", c.a, c.b, same, c.same)
		}
	}
}

// A tag has one post, and shows it whole. The post is next to the titles of other posts, which may be more than a quarter of both.
func TestAListWithAPostIsNotThePostIfTheirLinksDiffer(t *testing.T) {
	text := described(0, 6)
	related := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `<li><a href="/posts/%s%d/">What became of the %[1]s%[2]d in the year of the flood</a></li>`, menuTopics[i%9], i)
		}
		return "<aside><ul>" + b.String() + "</ul></aside>"
	}
	pages := map[string]string{
		"tags/rope/":       blogPage("Rope", `<h1>Rope</h1><article><h2><a href="/posts/twine/">Ropes that nothing wears</a></h2>`+text+`</article>`),
		"posts/twine/":     blogPage("Ropes that nothing wears", `<article><h1>Ropes that nothing wears</h1>`+text+`</article>`+related(7)),
		"old/posts/twine/": blogPage("Ropes that nothing wears", `<article><h1>Ropes that nothing wears</h1>`+text+`</article>`+related(1)),
	}
	site := siteAmong(t, 90, pages, slices.Sorted(maps.Keys(pages)))
	for path, p := range site {
		p.listing = path == "tags/rope/"
		for i := range p.blocks {
			p.blocks[i].Chosen = p.blocks[i].Prose
		}
		p.joinCompared()
		p.made, p.asked = nil, nil
	}
	for path, want := range map[string]bool{"posts/twine/": false, "old/posts/twine/": true} {
		if j, same := one(site["tags/rope/"], site[path]); same != want {
			t.Errorf("the tag and %s are one: %v (J %.2f), want %v", path, same, j, want)
		}
	}
}

// All that two tags of one post list stands outside of what the models took for the body, so that no link of them is known. What they say
// outside links is more words than they have different ones, or says nothing of the tags' names.
func TestTagsOfOnePostAreOneWhateverTheirBodies(t *testing.T) {
	const short = `<p>Posted on a Friday, and on a Friday nobody reads what is posted: the rope and the twine are short.</p>`
	tag := func(name, says string) string {
		return blogPage("Tag "+name, `<article><h2><a href="/posts/twine/">Of rope and twine</a></h2>`+says+`</article>`)
	}
	pages := map[string]string{
		"tags/rope/": tag("rope", short), "tags/twine/": tag("twine", short),
		"tags/lake-side-walks/": blogPage("lake side walks", described(0, 7)+`<h2><a href="/posts/frames/">Of frames</a></h2>`), "tags/mill-town-nights/": blogPage("mill town nights", described(0, 7)+`<h2><a href="/posts/frames/">Of frames</a></h2>`),
		"tags/plain-a/": blogPage("herons and geese", described(0, 4)), "tags/plain-b/": blogPage("kettle songs", described(0, 4)),
	}
	for i := range 40 {
		pages[fmt.Sprintf("posts/%d/", i)] = blogPage(fmt.Sprintf("Note %d", i), described(10*i+10, 10*i+14))
	}
	site := siteOf(t, slices.Sorted(maps.Keys(pages)), func(path string) string { return pages[path] })
	for _, listing := range []bool{true, false} {
		for _, p := range site {
			p.listing, p.Links, p.Lists, p.leads = listing, 0, nil, nil
			p.joinCompared()
			p.made, p.asked = nil, nil
		}
		for _, c := range []struct {
			a, b string
			same bool
		}{
			{"tags/rope/", "tags/twine/", listing}, {"tags/lake-side-walks/", "tags/mill-town-nights/", listing},
			{"tags/plain-a/", "tags/plain-b/", false}, // they list nothing
		} {
			a, b := site[c.a], site[c.b]
			if j, same := one(a, b); same != c.same || j < 1 {
				t.Errorf("%s and %s, lists by their views: %v, are one: %v (J %.2f), want %v; compared are\n%s", c.a, c.b, listing, same, j, c.same, a.Body)
			}
		}
	}
}
