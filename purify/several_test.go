package purify

import (
	"fmt"
	"strings"
	"testing"
)

// A list that shows posts whole has as much prose as an article. That its headlines lead to other pages tells it.
func TestAListOfWholePostsIsAListing(t *testing.T) {
	prose := strings.Repeat("<p>A bee flies from flower to flower, and in the evening it tells the others of its hive where it has found the most of them.", 6)
	posts := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i+1)
			b.WriteString(prose + "</div>")
		}
		return b.String()
	}
	const linked = "<div class=post><h2><a href=/2019/05/%02d/hive/>The hive of day %[1]d</a></h2><p class=meta>%[1]d May 2019</p>"
	title := func(s string) string { return "<title>" + s + " - Bees</title>" }
	for _, c := range []struct{ name, path, page, want string }{
		{"a front page", "/", title("News") + posts(5, linked), "listing"},
		{"a tag", "/tag/hive/", title("hive") + "<h1>Tag: hive</h1>" + posts(5, linked), "listing"},
		{"a month of one post", "/2019/05/", title("May 2019") + "<h1>May 2019</h1>" + posts(1, linked), "listing"},
		{"its second page", "/2019/05/page/2/", title("May 2019") + "<h1>May 2019</h1>" + posts(1, linked), "listing"},
		{"headlines that are no headings", "/tag/hive/", title("hive") + posts(4, "<div class=post><p class=title><a href=/p/%d/>The hive of day %[1]d</a></p><p class=meta>%[1]d May 2019</p>"), "listing"},
		{"links to the site's old host", "/blog/", title("News") + posts(5, "<div class=post><h2><a href=https://old.example/2019/05/%02d/hive/>The hive of day %[1]d</a></h2><p class=meta>%[1]d May 2019</p>"), "listing"},
		{"a post", "/2019/05/03/hive/", title("The hive of day 3") + posts(1, "<div class=post><h2><a href=/2019/05/%02[1]d/../03/hive/>The hive of day 3</a></h2>"), "article"},
		{"a post below its headline", "/hive/", title("The hive") + "<h1>The hive</h1>" + prose + posts(3, linked), "article"},
		{"what others have", "/best-hives/", title("The best hives") + "<h1>The best hives</h1>" + posts(5, "<div><h2><a href=https://shop%d.example/hive/>The hive of shop %[1]d</a></h2>"), "article"},
		{"a post with a day", "/best-hives/", "<meta property=article:published_time content=2019-05-03>" + title("The best hives") + "<h1>The best hives</h1>" + posts(5, linked), "article"},
		{"a day at the end of a name", "/why-do-bees-fly/2019/05/", title("Why do bees fly") + "<h1>Why do bees fly</h1>" + prose + posts(1, linked), "article"},
	} {
		if got := PurifyAt("https://bees.example"+c.path, []byte(c.page), "text/html; charset=utf-8").Type; got != c.want {
			t.Errorf("%s: type %s, want %s", c.name, got, c.want)
		}
	}
}

// A list of titles has little prose, and the site's description may be longer.
func TestAListOfTitlesIsAListing(t *testing.T) {
	var links strings.Builder
	for i := range 5 {
		fmt.Fprintf(&links, "<li><time>2019-05-%02d</time> <a href=/p/%[1]d/>The hive of day %[1]d, and where its bees fly</a>", i+1)
	}
	page := "<title>May 2019 - Bees</title><div class=sidebar><p>" + strings.Repeat("We keep bees, and write here about what they do all year. ", 12) + "</div><div id=posts><h2>2019</h2><ul>" + links.String() + "</ul></div>"
	if got := PurifyAt("https://bees.example/archives/2019/05/", []byte(page), "text/html; charset=utf-8").Type; got != "listing" {
		t.Errorf("type %s, want listing", got)
	}
}

// Posts on programs look like the pages of a manual. A tag of them is a list nevertheless, and a page of a manual that
// leads to others is not one unless its URL is that of a list.
func TestAListOfPostsOnProgramsIsAListing(t *testing.T) {
	var posts strings.Builder
	for i := range 4 {
		fmt.Fprintf(&posts, "<h2><a href=/2019/05/%02d/hive/>Hive.open(lid, %[1]d)</a></h2><p>Returns the frames of the hive, in the order in which they were put there. The lid is a path, or an object of the class Lid.<p>Opens it first if it is closed, which needs the rights of the keeper. An error is raised if the hive is empty.<pre>hive = Hive.open(lid=\"oak\", smoke=%[1]d)\nfor frame in hive:\n    frame.turn()\n</pre>", i+1)
	}
	page := "<meta name=generator content='mkdocs-1.5'><title>hive - Bees</title><div class='markdown docs'><h1>hive</h1>" + posts.String() + "</div>"
	for path, want := range map[string]string{"/tag/hive/": "listing", "/reference/hive/": "documentation"} {
		if got := PurifyAt("https://bees.example"+path, []byte(page), "text/html; charset=utf-8").Type; got != want {
			t.Errorf("%s: type %s, want %s", path, got, want)
		}
	}
}
