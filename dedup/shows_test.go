package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// blogPost is a post as its own page and the lists of a blog have it, below its headline.
func blogPost(headline string, tags ...string) string {
	var links strings.Builder
	for _, t := range tags {
		fmt.Fprintf(&links, `<li><a href="/tags/%s/">%[1]s</a></li>`, t)
	}
	return fmt.Sprintf(`<article><h2>%s</h2><p>3 May 2019</p><ul>%s</ul>
<p>Last March the old kettle began to sing whenever the wind came from the river, and nobody in the house could say why it had been silent for so long.</p>
<p>We took it to the smith, who looked into it for an hour and then said that its lid had been made for another one, which is why it shook.</p></article>`, headline, links.String())
}

func TestAListShowsAPostAndNoTagOfIt(t *testing.T) {
	const title = "The kettle that sang"
	const linked = `<a href="/2019/kettle/">` + title + `</a>`
	label := func(tag string) string { return fmt.Sprintf(`<p><a href="/tags/%s/">%[1]s</a></p>`, tag) }
	views := make(map[string]*purify.DocView)
	var s purify.Site
	var site *purify.Template
	read := func(path, title, says string) {
		url := "http://blog.test/" + path
		view, prints := purify.PurifyOn(nil, url, []byte(blogPage(title, says)), "text/html")
		view.URL = url
		views[path] = view
		if site == nil {
			site = s.Learn(prints)
		}
	}
	for n := range 5 {
		read(fmt.Sprint("posts/", n), fmt.Sprint("Post ", n), fmt.Sprintf("<h1>Post %d</h1><p>This is what post%d says of things%d, and of others%d too, which is not much.</p>", n, n, n, n))
	}
	read("2019/kettle/", title, blogPost(title, "iron", "wind"))
	read("2019/smith/", "The smith's kettle", blogPost("The smith’s kettle | A tale", "iron"))
	read("tags/tales/", "tales", "<h1>tales</h1>"+blogPost(`<a href="/2019/smith/">The smith’s kettle | A tale</a>`, "iron"))
	read("2019/menu/", title, "<p>"+title+"</p>"+blogPost(title, "iron", "wind"))
	read("tags/iron/", "iron", "<h1>iron</h1>"+blogPost(linked, "iron", "wind"))
	read("tags/wind/", "wind", "<h1>wind</h1>"+blogPost(linked, "iron", "wind"))
	const day = "<ul><li>3 May 2019</li></ul>"
	read("2019/boat/", "The boat that sang", "<div>The boat that sang</div>"+day+strings.ReplaceAll(blogPost("The boat that sang"), "<p>3 May 2019</p>", ""))
	read("archive/2019/", "2019", "<h1>2019</h1>"+day+strings.ReplaceAll(blogPost(`<a href="/2019/boat/">The boat that sang</a>`), "<p>3 May 2019</p>", ""))
	read("page/2/", "Notes of a gardener", blogPost(linked, "iron", "wind"))
	read("page/3/", "Notes of a gardener", blogPost(`<a href="../../2019/menu/">`+title+"</a>", "iron", "wind"))
	read("tags/steam/", "steam", "<h1>steam</h1>"+label("steam")+blogPost(linked))
	read("tags/rain/", "rain", "<h1>rain</h1>"+label("steam")+blogPost(linked))
	read("elsewhere/", "snow", "<h1>snow</h1>"+blogPost(`<a href="/2018/kettle/">`+title+"</a>"))
	read("below/", "snow", "<h1>snow</h1>"+blogPost("Another kettle")+"<ul><li>"+linked+"</li></ul>")
	read("another/", "snow", "<h1>snow</h1><h2>"+linked+"</h2><p>Of this post the list has nothing but a sentence that nobody else has written, long as it may be for one.</p>")
	const long = "The story of the kettle that sang whenever the wind came from the river, and of the smith who could not say why it did"
	const brief = "<p>It sang again this morning, at five.</p><p>The smith came, and said nothing.</p>"
	read("2019/long/", long, blogPost(long))
	read("tags/long/", "long", "<h1>long</h1>"+blogPost(`<a href="/2019/long/">`+long+"</a>"))
	read("2019/brief/", "It sang", "<h2>It sang</h2>"+brief)
	read("tags/brief/", "brief", `<h1>brief</h1><h2><a href="/2019/brief/">It sang</a></h2>`+brief)
	if site == nil {
		t.Fatal("there is no template")
	}
	for _, c := range []struct {
		list, article string
		want          bool
		why           string
	}{
		{"tags/iron/", "2019/kettle/", true, "a tag with one post"},
		{"page/2/", "2019/kettle/", true, "a page of the blog"},
		{"archive/2019/", "2019/boat/", true, "a year with one post, which has its title in its menu, above its day"},
		{"tags/tales/", "2019/smith/", true, "the title is a part of the headline, with a straight apostrophe"},
		{"tags/long/", "2019/long/", true, "the headline is as long as a paragraph"},
		{"tags/brief/", "2019/brief/", true, "the post has no line as long as a paragraph"},
		{"page/3/", "2019/menu/", true, "the post has its title in its header too, and the link is relative"},
		{"2019/kettle/", "tags/iron/", false, "the post does not show the list"},
		{"tags/iron/", "tags/wind/", false, "a tag of the post, named below its headline"},
		{"tags/wind/", "tags/iron/", false, "the other way round"},
		{"tags/rain/", "tags/steam/", false, "a tag of the post, named above its headline"},
		{"elsewhere/", "2019/kettle/", false, "the headline leads to another page"},
		{"below/", "2019/kettle/", false, "the link is below what both say"},
		{"another/", "2019/kettle/", false, "they say nothing in common"},
		{"2019/kettle/", "2019/menu/", false, "they have one title"},
	} {
		if got := Shows(views[c.list], views[c.article], site); got != c.want {
			t.Errorf("%s shows %s: %v, want %v: %s", c.list, c.article, got, c.want, c.why)
		}
	}
}

// A site that was copied, or is served under another name, links to its posts by its own name, and a list of the latest posts has the
// headlines on all pages.
func TestAListShowsAPostByItsType(t *testing.T) {
	const title = "The kettle that sang"
	post := func(url string) *purify.DocView {
		return &purify.DocView{URL: url, Title: title, Type: "article", Blocks: []purify.Block{{Text: "The kettle"}, {Text: "kettle that sang"}, {Text: "that sang"}}}
	}
	list := func(kind, name string, blocks ...purify.Block) *purify.DocView {
		return &purify.DocView{URL: "http://blog.test/2019/05/", Title: name, Type: kind, Blocks: blocks, Links: []purify.Link{
			{URL: "https://www.kettles.example/notes/2019/05/kettle/"}, {URL: "../2019/the-lid-of-iron/index.html"}, {URL: "12/index.html"}, {URL: "2019/06/kettle/"},
		}}
	}
	headline := purify.Block{Text: "The kettle  that sang", Linked: true}
	for _, c := range []struct {
		list *purify.DocView
		post string
		want bool
		why  string
	}{
		{list("listing", "May", headline), "http://blog.test/2019/05/kettle/", true, "a link to it by the site's own name"},
		{list("collection", "May", headline), "http://blog.test/2019/05/kettle/", true, "a collection of one"},
		{list("listing", "May", headline), "http://blog.test/2019/05/12/", true, "a link to the file"},
		{list("listing", "May", headline), "http://blog.test/iron/the-lid-of-iron/", true, "a broken link with a name of three words or more"},
		{list("listing", "May", headline), "http://blog.test/2018/05/kettle/", false, "a link to a post of another year"},
		{list("listing", "May", headline), "http://blog.test/05/13/", false, "no link"},
		{list("listing", "May", headline), "http://blog.test/", false, "no link to the front page"},
		{list("listing", "May", headline), "http://elsewhere.test/2019/05/kettle/", false, "a page of another host"},
		{list("listing", "May", headline), "http://blog.test/2019/05/kettle/?page=2", false, "another query"},
		{list("listing", title, headline), "http://blog.test/2019/05/kettle/", true, "a list with the title of its first article"},
		{list("listing", "May", purify.Block{Text: "kettle that sang", Linked: true}), "http://blog.test/2019/05/kettle/", true, "a line of the article that the title has"},
		{list("listing", "May", purify.Block{Text: "that sang", Linked: true}), "http://blog.test/2019/05/kettle/", false, "two words of the title"},
		{list("listing", "May", headline), "http://blog.test/2019/06/kettle/", true, "a link that is relative to another page"},
		{list("article", "May", headline), "http://blog.test/2019/05/kettle/", false, "two articles, which say nothing in common"},
		{list("listing", "May", purify.Block{Text: title}), "http://blog.test/2019/05/kettle/", false, "the headline is not a link"},
	} {
		if got := Shows(c.list, post(c.post), nil); got != c.want {
			t.Errorf("%s shows %s: %v, want %v: %s", c.list.Type, c.post, got, c.want, c.why)
		}
	}
}

func TestAPageIsCanonicalIfTheOtherNamesIt(t *testing.T) {
	for _, c := range []struct {
		url, canonical string // of the page
		other, names   string // of the other page, and what it names
		want           bool
	}{
		{"http://a.test/kettle/", "", "http://a.test/kettle/amp/", "/kettle/", true},
		{"http://a.test/kettle/", "/kettle/index.html", "http://a.test/kettle/amp/", "/kettle/", true},
		{"http://a.test/kettle/", "http://a.test/kettle/", "http://a.test/kettle/amp/", "../", true},
		{"http://a.test/kettle", "", "http://a.test/kettle?session=1", "http://a.test/kettle", true},
		{"http://a.test/", "", "http://a.test/kettle", "http://a.test/", true},
		{"http://a.test/kettle/", "https://b.example/notes/kettle/", "http://a.test/kettle/amp/", "https://b.example/notes/kettle/", true},
		{"http://a.test/kettle/", "", "http://a.test/kettle/amp/", "https://b.example/notes/kettle/", true},
		{"http://a.test/", "", "http://a.test/kettle/", "https://b.example/", false},
		{"http://a.test/kettle/", "index.html", "http://a.test/kettle/comment-page-1/", "https://b.example/kettle/", true},
		{"http://a.test/kettle/", "https://b.example/lid/", "http://a.test/kettle/amp/", "https://b.example/kettle/", false},
		{"http://a.test/kettle/", "", "http://a.test/notes/kettle/", "https://b.example/notes/kettle/", false},
		{"http://a.test/kettle/", "", "http://a.test/lid/", "/lid/", false},
		{"http://a.test/kettle/", "", "http://a.test/lid/", "", false},
		{"http://a.test/kettle/", "", "http://b.test/kettle/amp/", "http://a.test/kettle/", false},
	} {
		v, other := &purify.DocView{URL: c.url, Canonical: c.canonical}, &purify.DocView{URL: c.other, Canonical: c.names}
		if got := IsCanonical(v, other); got != c.want {
			t.Errorf("%s, which names %q, is canonical for %s, which names %q: %v, want %v", c.url, c.canonical, c.other, c.names, got, c.want)
		}
		if IsCanonical(other, v) {
			t.Errorf("%s is canonical for %s", c.other, c.url)
		}
	}
}
