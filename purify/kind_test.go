package purify

import (
	"fmt"
	"strings"
	"testing"
)

func TestAPageThatSaysLittleIsWhatItIsSaidToBe(t *testing.T) {
	links := strings.Repeat("<li><a href=/p>Another page of the site</a>", 12)
	for _, c := range []struct{ name, url, page, kind, role string }{
		{"one word", "", "hello", "other", "topic"},
		{"one paragraph", "", "<title>A note</title><p>The shop is closed on Monday.", "other", "topic"},
		{"a notice in Chinese", "", "<h1>停水通知</h1><p>因管道检修，5月8日停水。", "other", "topic"},
		{"an error", "https://h.example/x", "<title>404 Not Found</title><h1>404 Not Found</h1><hr>nginx", "other", "topic"},
		{"nothing", "", "", "other", "other"},
		{"links alone", "", "<ul>" + links + "</ul>", "", "hub"}, // of a type that the forests choose
		{"og:type", "", "<meta property=og:type content=article><p>The shop is closed on Monday.", "article", "topic"},
		{"a program", "", "<meta name=generator content='Discourse 3.4'><title>Bees</title><div id=main></div>", "forum", "other"},
		{"a folder", "https://h.example/products/bee", "<title>Bee</title><div id=app></div>", "product", "other"},
		{"a manual's page", "", `<link rel=index href=i><h1>size<a href="#size">¶</a></h1><p>The number of elements.`, "documentation", "topic"},
		{"a constant", "https://h.example/bee/constant.PRICE.html", `<meta name=generator content=rustdoc><title>PRICE in bee - Rust</title><h1>Constant PRICE</h1><pre>pub const PRICE: u32 = 12;</pre>`, "documentation", "topic"},
		{"a class's uses", "", `<title>Uses of Bee</title><link rel="stylesheet" href="../stylesheet.css" title="Style"><h2>Uses of Class<br>Bee</h2><p>No usage of Bee`, "documentation", "topic"},
		{"a class", "", `<title>Bee</title><link rel="stylesheet" href="../stylesheet.css" title="Style"><h2>Class Bee</h2><p>` + strings.Repeat("A bee flies from flower to flower and tells the others where they are. ", 8), "documentation", "topic"},
		{"a host", "https://docs.h.example/bee", "<p>See the next page.", "documentation", "topic"},
	} {
		v := PurifyAt(c.url, []byte(c.page), "text/html; charset=utf-8")
		if v.Type != c.kind && (c.kind != "" || v.Type == "other") || v.Role != c.role {
			t.Errorf("%s: type %s, role %s; want %s, %s", c.name, v.Type, v.Role, c.kind, c.role)
		}
	}
}

// A post with many comments looks like a thread. Its URL tells them apart.
func TestAPostWithManyCommentsIsAnArticle(t *testing.T) {
	var page strings.Builder
	page.WriteString("<title>Colcannon</title><h1>Colcannon</h1><div class=post><p>Boil the potatoes, then mash them with kale.</div><div id=comments>")
	for n := range 40 {
		fmt.Fprintf(&page, "<div class='post comment'><div class=author><a href=/u/ann%d>ann%[1]d</a> <span class=date>October %d, 2007 at 5:17 pm</span></div><p>I made it, and it was better than what I had with number%[1]d. How long did you boil yours?<a href=#r>Reply</a></div>", n, 1+n%28)
	}
	for path, want := range map[string]string{
		"/2007/10/colcannon/":         "article",
		"/2007/10/11/colcannon.html":  "article",
		"/2007/10/msg00123.html":      "forum",
		"/2007/10/":                   "listing",
		"/viewtopic.php?t=4711":       "forum",
		"/forum/t/colcannon/20071011": "forum",
	} {
		if got := PurifyAt("https://cook.example"+path, []byte(page.String()), "text/html").Type; got != want {
			t.Errorf("%s: type %s, want %s", path, got, want)
		}
	}
}

// What documents one class or function of a program is mostly links to others. The lists of a reference are told by
// the names that programs give them.
func TestAPageOfAReferenceIsAListByItsNameAlone(t *testing.T) {
	var links strings.Builder
	for i := range 30 {
		fmt.Fprintf(&links, "<li><a href=bee%d.html>Bee%[1]d</a></li>", i)
	}
	page := func(head, body string) string {
		return "<html lang=en><head><title>Hive | Bees</title>" + head + "</head><body>" + body + "<h1>Hive</h1><ul>" + links.String() + "</ul></body></html>"
	}
	const (
		doxygen = `<link href="doxygen.css" rel="stylesheet" type="text/css">`
		javadoc = `<link rel="stylesheet" type="text/css" href="../stylesheet.css" title="Style">`
		exdoc   = `<meta name=generator content="ExDoc v0.37.2">`
		haddock = `<link href="linuwial.css" rel="stylesheet" type="text/css" title="Linuwial">`
		scala   = `<link href="../lib/template.css" media="screen" type="text/css" rel="stylesheet">`
		typedoc = `<header class="tsd-page-toolbar"></header>`
		dokka   = `<div id=content class=main-content pageIds="bees::hive"></div>`
	)
	for _, c := range []struct{ path, head, body, want string }{
		{"interfaces/Hive.html", "", "", "listing"},
		{"interfaces/Hive.html", "", typedoc, "documentation"},
		{"modules/hive.html", "", typedoc, "listing"},
		{"hierarchy.html", "", typedoc, "listing"},
		{"bees/-hive/index.html", "", dokka, "documentation"},
		{"bees/-hive/", "", dokka, "documentation"},
		{"bees/index.html", "", dokka, "listing"},
		{"Hive.html", exdoc, "", "documentation"},
		{"api-reference.html", exdoc, "", "listing"},
		{"Data-Hive.html", haddock, "", "documentation"},
		{"doc-index-H.html", haddock, "", "listing"},
		{"bees/Hive.html", scala, "", "documentation"},
		{"index/index-h.html", scala, "", "listing"},
		{"class_hive.html", doxygen, "", "documentation"},
		{"class_hive-members.html", doxygen, "", "listing"},
		{"functions_func_h.html", doxygen, "", "listing"},
		{"annotated.html", doxygen, "", "listing"},
		{"bees/Hive.html", javadoc, "", "documentation"},
		{"bees/class-use/Hive.html", javadoc, "", "listing"},
		{"bees/package-summary.html", javadoc, "", "listing"},
	} {
		if got := PurifyAt("https://h.example/"+c.path, []byte(page(c.head, c.body)), "text/html").Type; got != c.want {
			t.Errorf("%s with %s%s: type %s, want %s", c.path, c.head, c.body, got, c.want)
		}
	}
}

// A list of posts with their first lines, and how many answered, looks like a thread too.
func TestAListOfATagIsNoThread(t *testing.T) {
	var page strings.Builder
	page.WriteString("<title>Potatoes</title><div class=posts>")
	for n := range 40 {
		fmt.Fprintf(&page, "<div class='post comment'><div class=author><span>ann%d</span> <span class=date>October %d, 2007 at 5:17 pm</span></div><p>I made it, and it was better than what I had with number%[1]d. How long did you boil yours?<a href=#r>Reply</a></div>", n, 1+n%28)
	}
	for url, want := range map[string]string{
		"http://h.example/tags/potatoes/":               "listing",
		"http://h.example/category/potatoes/page/2/":    "listing",
		"http://h.example/topic/potatoes-in-the-garden": "forum",
		"http://h.example/archive/board/t39/post.html":  "forum", // a copy of a whole board
	} {
		if v := PurifyAt(url, []byte(page.String()), "text/html"); v.Type != want {
			t.Errorf("%s is %s, want %s", url, v.Type, want)
		}
	}
	program := "<meta name=generator content='Discourse 3.4'>" + page.String()
	if v := PurifyAt("http://h.example/tags/potatoes/", []byte(program), "text/html"); v.Type != "forum" {
		t.Errorf("a board by its program is %s, want forum", v.Type)
	}
}

// A class whose members are mostly links looks like a list. Its page says what it is.
func TestAPageThatDeclaresWhatItsHeadingNamesIsDocumentation(t *testing.T) {
	var links strings.Builder
	for i := range 30 {
		fmt.Fprintf(&links, "<div class=row><div><a href=kind%d.html>Kind%[1]d</a></div><div><a href=kite.html#m%[1]d>member%[1]d</a>()</div><div>from <a href=toy.html>Toy</a></div></div>", i)
	}
	for _, c := range []struct{ declaration, want string }{
		{"<p>class <b>Kite</b> extends <a href=toy.html>Toy</a></p>", "documentation"},
		{"<pre><code>public final class Kite : Toy</code></pre>", "documentation"},
		{"<pre>Task&lt;Toy&gt; Kite( int size )</pre>", "documentation"},
		{"<p>Every class of kites is here</p>", "listing"},
		{"<pre>buy new Kite(4);</pre>", "listing"},
		{"<pre>final class KiteShop</pre>", "listing"},
	} {
		page := "<title>Kite | Toys</title><h1>Kite</h1>" + c.declaration + "<h2>Members</h2>" + links.String()
		if got := PurifyAt("https://toys.example/kite.html", []byte(page), "text/html").Type; got != c.want {
			t.Errorf("with %q below its heading a page is of the type %s, want %s", c.declaration, got, c.want)
		}
	}
}
