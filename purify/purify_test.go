package purify

import (
	"bytes"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// chinese are two paragraphs.
var chinese = [...]string{
	strings.Repeat("近日，研究人员发现，网页去除模板之后再比较，重复内容的识别率明显提高。这一方法先取出正文，再计算指纹。", 6),
	strings.Repeat("国家标准规定了汉字的编码方式，新闻网站大多已经改用统一码，但仍有不少旧网页沿用过去的编码。", 6),
}

func TestTheSameArticleInTwoTemplatesHasTheSameBody(t *testing.T) {
	const title = "The Bridge Across the Quiet River"
	for name, texts := range map[string][]string{
		"ten paragraphs": prose(3, 10, 4),
		"two paragraphs": prose(4, 2, 4),
		"chinese":        {chinese[0], chinese[1], chinese[0][:len(chinese[0])/2] + "据介绍，这项工作持续了三年。"},
	} {
		want := title + "\n" + strings.Join(texts, "\n")
		for site, put := range templates {
			got := Purify([]byte(put(title, paragraphs(texts))), "text/html; charset=utf-8").Body
			if strings.TrimPrefix(got, title+"\n") != strings.TrimPrefix(want, title+"\n") {
				t.Errorf("%s in %s: body (-want +got)\n%s", name, site, cmp.Diff(want, got))
			}
		}
		a := Purify([]byte(templates["gazette"](title, paragraphs(texts))), "").Body
		b := Purify([]byte(templates["portal"](title, paragraphs(texts))), "").Body
		if a != b {
			t.Errorf("%s: bodies differ between sites:\n%s", name, cmp.Diff(a, b))
		}
	}
}

func TestAShortPageHasABody(t *testing.T) {
	for name, page := range map[string]string{
		"one paragraph":      "<html><body><p>The bridge is closed until Monday.</p></body></html>",
		"no markup":          "The bridge is closed until Monday.",
		"only divs":          "<div><div>The bridge is closed until Monday.</div></div>",
		"in a broken table":  "<table><tr><td>The bridge is closed until Monday.",
		"beside a menu":      "<nav><ul>" + menu("home", "news") + "</ul></nav><p>The bridge is closed until Monday.</p>",
		"title left open":    "<html><head><meta charset=utf-8></head><p>The bridge is closed until Monday.<p>",
		"shown to no script": "<noscript><p>The bridge is closed until Monday.</p></noscript><script>app()</script>",
	} {
		if got := Purify([]byte(page), "text/html").Body; !strings.Contains(got, "The bridge is closed until Monday.") {
			t.Errorf("%s: Purify(%q).Body = %q", name, page, got)
		}
	}
}

func TestAHiddenMenuIsNoBody(t *testing.T) {
	texts := prose(3, 6, 4)
	page := "<title>Ferries</title><h1>Ferries</h1><div style='display:none'><ul>" + menu("home", "news", "sport", "weather") + "</ul></div>" + paragraphs(texts)
	if got, want := Purify([]byte(page), "text/html").Body, strings.Join(texts, "\n"); got != want {
		t.Errorf("body (-want +got)\n%s", cmp.Diff(want, got))
	}
}

func TestTheHeadingThatIsTheTitleIsNoBody(t *testing.T) {
	texts := prose(3, 6, 4)
	for _, head := range []string{"<h1>Ferries of the north</h1>", "<h2>Ferries of the north</h2>", "<header><h1> Ferries of\nthe north</h1></header>", ""} {
		page := "<title>Ferries of the north | Gazette</title>" + head + paragraphs(texts)
		if got, want := Purify([]byte(page), "text/html").Body, strings.Join(texts, "\n"); got != want {
			t.Errorf("body below %q (-want +got)\n%s", head, cmp.Diff(want, got))
		}
	}
}

func TestTheBodyDoesNotDependOnTheAddress(t *testing.T) {
	page := []byte(templates["portal"]("Ferries of the north", paragraphs(prose(3, 6, 4))))
	want := PurifyAt("", page, "text/html").Body
	for _, url := range []string{"https://shop.example/product/ferry-4711?color=red", "https://forum.example/viewtopic.php?t=1", "https://blog.example/2024/05/ferries"} {
		if got := PurifyAt(url, page, "text/html").Body; got != want {
			t.Errorf("at %s the body is another (-want +got)\n%s", url, cmp.Diff(want, got))
		}
	}
}

func TestPurifyReadsMetadata(t *testing.T) {
	page := templates["gazette"]("The Bridge Across the Quiet River", paragraphs(prose(1, 6, 4)))
	page = strings.Replace(page, "<title>", `<base href="/b/"><meta name="ROBOTS" content="NoIndex, nofollow"><meta http-equiv="Refresh" content="3; URL='/next?a=1&amp;b=2'"><title>`, 1)
	v := Purify([]byte(page), "text/html")
	got := []string{v.Type, v.Role, v.Title, v.Date, v.Author, v.Lang, v.Canonical, v.Base, v.Refresh, v.Robots, v.Charset, strings.Join(v.Category, ">")}
	want := []string{"article", "topic", "The Bridge Across the Quiet River", "2024-05-06", "Ann Writer", "en", "https://gazette.example/a/1", "/b/", "/next?a=1&b=2", "noindex, nofollow", "utf-8", "Science"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got)\n%s", diff)
	}
}

func TestTitleIsTheHeadingOrTheTitleWithoutTheSite(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"<title>Bees in winter | The Gazette</title><h1>Bees in winter</h1>", "Bees in winter"},
		{"<title>Bees in winter - The Gazette</title><h1>The Gazette</h1>", "Bees in winter"},
		{"<title>Bees in winter - Gazette</title>", "Bees in winter"},
		{"<title>Gazette</title>", "Gazette"},
		{"<h1>Bees</h1>", "Bees"},
		{"<title>蜜蜂过冬_每日新闻</title>", "蜜蜂过冬"},
		{"<title>蜜蜂过冬-每日新闻</title>", "蜜蜂过冬"},
		{"<title>Bees in winter « The Gazette</title>", "Bees in winter"},
		{"<title>The Gazette » Bees in winter</title><meta property=og:site_name content='the gazette'>", "Bees in winter"},
		{"<title>Bees in the « winter of the land » and their honey | The Gazette</title>", "Bees in the « winter of the land » and their honey"},
		{"<title>« Bees - in winter » and summer - The Gazette</title>", "« Bees - in winter » and summer"},
		{"<title>Gazette • View topic - Bees in winter</title><link rel=canonical href=http://www.gazette.example/t?1>", "Bees in winter"},
		{"<title>Gazette: Bees in winter</title><meta property=og:title content='Bees in winter'><h1>Gazette</h1>", "Bees in winter"},
		{"<title>Bees in winter | Animals | Gazette</title><h1>Bees in winter | Animals | Gazette</h1>", "Bees in winter"},
		{"<title>Gazette - News of the day</title><link rel=canonical href=https://gazette.example/>", "Gazette"},
		{"<title>bee_in_winter: a module</title>", "bee_in_winter: a module"},
		{"<title>Bee 过冬_News</title>", "Bee 过冬"},
		{"<title>The bee’s winter | Gazette</title><h1>The bee’s winter</h1>", "The bee's winter"},
		{"<title>Bees – Day 8 | The Long Gazette</title><h1>The Long Gazette</h1><h1>Bees – Day 8</h1>", "Bees – Day 8"},
		{"<title>Bees | Animals | The Long Gazette</title><h1>The Long Gazette</h1><h1>Bees</h1>", "Bees"},
		{"<title>Gazette | Animals | Bees</title><h1>Gazette</h1><h1>Bees</h1>", "Gazette"},
		{"<title>Bees in winter | Gazette</title><h1>Dec 18 2025 Bees in winter</h1>", "Bees in winter"},
		{"<title>Bees in winter | Gazette</title><h1>Bees in winter (gazette.example) 87</h1>", "Bees in winter"},
		{"<title>Bees in winter | Gazette</title><h1>The Bees in winter</h1>", "The Bees in winter"},
		{"<title>Bees in winter | Gazette</title><h1>Bees in winter: how they live</h1>", "Bees in winter: how they live"},
		{"<title>Gazette • View topic - Bees in winter</title><link rel=canonical href=http://forum.gazette.example/t?1>", "Bees in winter"},
		{"<title>Bees in winter / Animals / Gazette</title><link rel=canonical href=http://bbs.gazette.example/t?1><h1>Gazette</h1>", "Bees in winter"},
		{"<title>Bees – how they live - Gazette</title><meta property=og:title content='Bees – how they live'>", "Bees – how they live"},
		{"<title>Bees | Animals | Gazette</title><meta property=og:title content='Bees | Animals'>", "Bees"},
		{"<title>Shop bees at Gazette</title><h1><span>Collection: </span>Bees</h1>", "Bees"},
		{"<title>蜜蜂 - 百科</title><h1>蜜蜂<span>[编辑]</span></h1>", "蜜蜂"},
		{"<title>蜜蜂过冬--动物·科学--每日新闻</title>", "蜜蜂过冬"},
		{"<title>Bees in winter – Gazette</title><meta property=og:site_name content=Gazette><meta property=og:title content='Bees in winter – Gazette News'><h1>Bees in winter – Gazette</h1>", "Bees in winter"},
		{"<title>Black bees | Gazette</title><h1><span>Black bees</span><span>Ready for winter</span></h1>", "Black bees"},
		{"<title>Bees in winter</title><dialog open><h1>Choose the region that you live in now</h1></dialog>", "Bees in winter"},
		{"<title>How bees live in the winter and what they eat</title><h1>Winter</h1><h1>Food</h1>", "How bees live in the winter and what they eat"},
		{"<title>Untitled Document</title><h1>Bees</h1>", "Bees"},
		{"<title>&lt;no title&gt; &#8212; Bees 0.4 documentation</title><p>Bees are insects.</p>", ""}, // Sphinx
		{"<title>What bees do in winter | Gazette</title><h2>What bees do in winter</h2><p>They sleep.</p><h1>But some of them fly on warm days</h1>", "What bees do in winter"},
		{"<title>Bees in winter (Index - Q) | Gazette</title>", "Bees in winter (Index - Q)"},
		{"<nav><h2>Menu</h2></nav><h2>Bees in winter</h2><p>x</p>", "Bees in winter"},
		{"<title>Bees — bees 1.2 documentation</title><h1>Bees<a href='#bees'>\uf0c1</a></h1>", "Bees"},
		{"<svg><title>icon</title></svg><p>x</p>", ""},
		{"", ""},
	} {
		if got := Purify([]byte(c.page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("Purify(%q).Title = %q, want %q", c.page, got, c.want)
		}
	}
}

// Of a site of which nothing is known yet the first part of a title is the site's name if another part is a
// line of the page and the end of the URL, and so is a title of other words than an h1 that the URL says.
func TestTheTitlesPartThatURLAndPageSayIsTheTitle(t *testing.T) {
	for _, c := range []struct{ url, page, want string }{
		{"http://a.test/links/beekeepers/", "<title>The Gazette - Bee Keepers</title><div><a href=http://b.test/>Bee Keepers</a></div>", "Bee Keepers"},
		{"http://a.test/links/beekeepersofkent", "<title>The Gazette - News - Bee Keepers</title><div>Bee Keepers</div>", "Bee Keepers"},
		{"http://a.test/links/1/", "<title>The Gazette - Bee Keepers</title><div>Bee Keepers</div>", "The Gazette"},
		{"http://a.test/links/beekeepers/", "<title>The Gazette - Bee Keepers</title><div>Those who keep bees</div>", "The Gazette"},
		{"http://a.test/gazette-bees", "<meta property=og:site_name content=Gazette><title>Bees (Gazette) | Gazette</title><div>Gazette</div><h2>Bees Module</h2>", "Bees (Gazette)"},
		{"http://a.test/kentucky/", "<title>All the statistics</title><h1>Kentucky Wildcats</h1>", "Kentucky Wildcats"},
		{"http://a.test/1/", "<title>All the statistics</title><h1>Kentucky Wildcats</h1>", "All the statistics"},
		{"http://a.test/12/", "<title>All the statistics</title><h1>12 comments</h1>", "All the statistics"},
		{"http://a.test/gazette", "<title>Bees in winter - Gazette</title><div>Bees in winter</div><div>Gazette</div>", "Bees in winter"},
		{"http://a.test/bees-in-the-gazette", "<title>Bees in winter - Bees Weekly</title><div>Bees Weekly</div>", "Bees in winter"},
	} {
		if got := PurifyAt(c.url, []byte(c.page), "text/html").Title; got != c.want {
			t.Errorf("the title of %s at %s is %q, want %q", c.page, c.url, got, c.want)
		}
	}
}

// The parts of the title of a day, month or year are its date. Each alone is in many titles of the site.
func TestTheTitleOfAnArchiveIsItsDate(t *testing.T) {
	for _, c := range []struct{ url, title, want string }{
		{"http://a.test/2012/10/12/", "12 | October | 2012 | The Gazette", "12 October 2012"},
		{"http://a.test/blog/2012/10/", "October | 2012 | The Gazette", "October 2012"},
		{"http://a.test/2012/10", "octobre - 2012 - The Gazette", "octobre 2012"},
		{"http://a.test/2012/", "2012 | The Gazette", "2012"},
		{"http://a.test/2012/10/", "十月 | 2012 | 日报", "十月 2012"},
		{"http://a.test/2012/10/bees/", "Bees | October | 2012", "Bees"},
		{"http://a.test/2012/10/12/bees/", "12 bees | 2012 | The Gazette", "12 bees"},
		{"http://a.test/2013/10/", "October | 2012 | The Gazette", "October"},
		{"http://a.test/2012/10/", "October | The Gazette | 2012", "October"},
	} {
		if got := PurifyAt(c.url, []byte("<title>"+c.title+"</title><p>Posts of a time, the newest first."), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("the title of %q at %s is %q, want %q", c.title, c.url, got, c.want)
		}
	}
}

// What a page says of its site's first page is not its title.
func TestTheTitleOfTheFirstPageIsNotThatOfAnother(t *testing.T) {
	const page = "<title>Bees in winter | Gazette - News of animals</title><meta property=og:title content='Gazette - News | gazette.example'><meta property=og:url content=%s><h1><a href=/>Gazette - News</a></h1>"
	for of, want := range map[string]string{"https://gazette.example/": "Bees in winter", "https://gazette.example/bees": "News"} {
		view, _ := PurifyOn(nil, "https://gazette.example/bees", fmt.Appendf(nil, page, of), "text/html; charset=utf-8")
		if view.Title != want {
			t.Errorf("with og:url %s the title is %q, want %q", of, view.Title, want)
		}
	}
}

func TestTheHeadingOfAPageWithTheMetadataOfTheFirstPageIsItsTitle(t *testing.T) {
	const page = "<title>Gazette</title><link rel=canonical href=%s><h1>Bees in winter</h1><p>They sleep."
	for of, want := range map[string]string{"https://news.example/": "Bees in winter", "https://news.example/a17": "Gazette"} {
		view, _ := PurifyOn(nil, "https://news.example/a17", fmt.Appendf(nil, page, of), "text/html; charset=utf-8")
		if view.Title != want {
			t.Errorf("with the canonical %s the title is %q, want %q", of, view.Title, want)
		}
	}
}

func TestKeywordsOfChineseAreWholeWords(t *testing.T) {
	v := Purify([]byte("<p>"+strings.Repeat("气候变化影响粮食安全。研究指出，气候变化的后果严重，粮食安全需要重视。", 4)+"</p>"), "text/html; charset=utf-8")
	var words []string
	for _, k := range v.Keywords {
		words = append(words, k.Word)
	}
	for _, want := range []string{"气候变化", "粮食安全"} {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("keywords are %q, want one with %s", words, want)
		}
	}
	if v.Lang != "zh" {
		t.Errorf("language is %q, want zh", v.Lang)
	}
}

func TestNamesOfPlacesAreKeywords(t *testing.T) {
	v := Purify([]byte("<p>"+strings.Repeat("上海与周边城市推进一体化。专家认为，一体化使上海受益。", 3)+"</p>"), "text/html; charset=utf-8")
	for _, want := range []string{"上海", "一体化"} {
		if !slices.ContainsFunc(v.Keywords, func(k Keyword) bool { return k.Word == want }) {
			t.Errorf("keywords are %v, want %s among them", v.Keywords, want)
		}
	}
}

func TestKeywordsAreTheWordsThatAPageIsAbout(t *testing.T) {
	text := "The lighthouse was built in 1820. A keeper lived in the lighthouse with his family. When the lighthouse lamp broke, the keeper rowed to the harbour."
	v := Purify([]byte("<h1>History</h1><p>"+text+"</p>"), "text/html")
	if len(v.Keywords) < 2 || v.Keywords[0].Word != "lighthouse" || v.Keywords[1].Word != "keeper" {
		t.Errorf("keywords are %v, want lighthouse and keeper first", v.Keywords)
	}
	if !strings.Contains(v.Abstract, "lighthouse") {
		t.Errorf("abstract is %q, want a sentence about the lighthouse", v.Abstract)
	}
}

func TestTheAbstractIsOfSentencesAndNotOfHeadings(t *testing.T) {
	page := "<h1>The lighthouse keeper and the lighthouse of the harbour</h1><p>The keeper rowed to the harbour when the lamp of the lighthouse broke.</p><p>He came back on the next day with a lamp for the lighthouse.</p>"
	const want = "The keeper rowed to the harbour when the lamp of the lighthouse broke. He came back on the next day with a lamp for the lighthouse."
	if got := Purify([]byte(page), "text/html").Abstract; got != want {
		t.Errorf("abstract is %q, want %q", got, want)
	}
}

func TestLayoutFollowsTheTemplateAndNotTheText(t *testing.T) {
	layout := func(site string, seed uint64, n int) uint64 {
		texts := prose(seed, n, 4)
		return Purify([]byte(templates[site](strings.Join(strings.Fields(texts[0])[:5], " "), paragraphs(texts))), "text/html").Layout
	}
	for site := range templates {
		a, b := layout(site, 1, 4), layout(site, 2, 15)
		if d := bits.OnesCount64(a ^ b); d > 3 {
			t.Errorf("two articles of the %s differ in %d bits of layout, want at most 3", site, d)
		}
	}
	if d := bits.OnesCount64(layout("gazette", 1, 6) ^ layout("portal", 1, 6)); d < 12 {
		t.Errorf("one article in two sites differs in %d bits of layout, want at least 12", d)
	}
}

func TestPlainTextIsAllBody(t *testing.T) {
	v := Purify([]byte("Release notes\n\nFixed <a href='/x'>one</a>\nbug &amp; more.\n"), "text/plain; charset=utf-8")
	if want := "Release notes\nFixed <a href='/x'>one</a> bug &amp; more."; v.Body != want || len(v.Links) > 0 || v.Title != "Release notes" {
		t.Errorf("Purify(text) = body %q, title %q, %d links; want body %q, no links", v.Body, v.Title, len(v.Links), want)
	}
}

func TestAHeadingThatLeadsToAnotherPageIsNotTheTitle(t *testing.T) {
	for _, c := range []struct{ url, page, want string }{
		{"/tags/winter/", "<title>Tag: winter | Gazette</title><h1><a href='/2011/10/bees-in-winter/'>Bees in winter</a></h1>", "Tag: winter"},
		{"/tags/winter/", "<title>Tag: winter | Gazette</title><base href='http://gazette.example/2011/'><h1><a href='bees/'>Bees in winter</a></h1>", "Tag: winter"},
		{"/2011/10/bees/", "<title>Bees in winter | Gazette</title><h1><a href='/2011/10/bees/index.html#top'>Bees in winter: how they live</a></h1>", "Bees in winter: how they live"},
		{"/2011/10/bees/", "<title>Bees in winter | Gazette</title><h1><a href='http://www.gazette.example/2011/10/bees'>Bees in winter: how they live</a></h1>", "Bees in winter: how they live"},
		{"/p=12", "<title>Bees in winter | Gazette</title><link rel=canonical href='/2011/bees'><h1><a href='/2011/bees'>Bees in winter: how they live</a></h1>", "Bees in winter: how they live"},
		{"/2011/10/bees/", "<title>Bees in winter | Gazette</title><h1><a href='https://elsewhere.example/bees'>Bees in winter</a></h1>", "Bees in winter"},
	} {
		if got := PurifyAt("http://gazette.example"+c.url, []byte(c.page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("the title of %q at %s is %q, want %q", c.page, c.url, got, c.want)
		}
	}
}

// A theme's first heading is the site's name and leads to its start, and titles start with that name: of a site of which nothing is
// known yet, all pages had that title. Where there is no other heading the link is the title.
func TestTheSitesNameAboveThePagesHeadingIsNotItsTitle(t *testing.T) {
	const name = `<h1 id="blog-title"><a href="/blog/" rel="home">Harbour Notes</a></h1>`
	for own, want := range map[string]string{
		"<h1>About this blog</h1>":                                 "About this blog",
		"<h1><a href=/blog/2005/about/>About this blog</a></h1>":   "About this blog",
		"<h2>About this blog</h2>":                                 "About this blog",
		"<h2>Latest</h2>":                                          "Harbour Notes",
		"<h1><a href=/blog/2005/other/>Another post</a></h1>":      "Harbour Notes",
		"<h1>Dredging</h1><p>words</p><h1>About this blog</h1><p>": "About this blog",
	} {
		body := "<title>Harbour Notes · About this blog</title>" + name + own + "<p>" + strings.Repeat("Some words of the post. ", 20)
		if got := PurifyAt("https://a.example/blog/2005/about/", []byte(body), "text/html; charset=utf-8").Title; got != want {
			t.Errorf("the title of a page with %s is %q, want %q", own, got, want)
		}
	}
}

func TestATextsTitleIsItsFirstParagraphWithoutRules(t *testing.T) {
	for text, want := range map[string]string{
		"Read me\n=======\n\nA text.\n":     "Read me",
		"# Read me\n\nA text.\n":            "Read me",
		"169\n\n®\n\nSECTION IV\n\nA text.": "SECTION IV",
		"1\n\n2\n\n3\n\n4\n\n5\n\nA text.":  "",
		"-----\n\nA text.\n":                "A text.",
	} {
		if got := Purify([]byte(text), "text/plain").Title; got != want {
			t.Errorf("Purify(%q).Title = %q, want %q", text, got, want)
		}
	}
}

func TestXHTMLClosesItsSelfClosedTags(t *testing.T) {
	page := `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script src="x.js"/></head>
<body><p><a id="top"/>The first paragraph of the page. <a href="/one">one</a></p><div hidden="hidden"/><p>The second paragraph.</p></body></html>`
	v := Purify([]byte(page), "application/xhtml+xml")
	if want := "The first paragraph of the page. one\nThe second paragraph."; v.Body != want || len(v.Links) != 1 {
		t.Errorf("Purify(XHTML) = %q with %d links, want %q with 1", v.Body, len(v.Links), want)
	}
}

func TestPurifyChangesNothingAndRepeatsItself(t *testing.T) {
	page := page30kB()
	before := bytes.Clone(page)
	first := Purify(page, "text/html")
	for range 3 {
		Purify([]byte("<p class=nav>something else</p>"), "text/html")
		if again := Purify(page, "text/html"); !reflect.DeepEqual(first, again) {
			t.Fatalf("two views of one page differ (-first +second)\n%s", cmp.Diff(first, again))
		}
	}
	if !bytes.Equal(page, before) {
		t.Errorf("Purify changed the page")
	}
}

func TestWorkersDoNotDisturbOneAnother(t *testing.T) {
	pages := [][]byte{page30kB(), []byte(templates["portal"]("Bees in winter", paragraphs(prose(5, 8, 3))))}
	want := []*DocView{Purify(pages[0], ""), Purify(pages[1], "")}
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := range 20 {
				n := (w + i) % 2
				if got := Purify(pages[n], ""); !reflect.DeepEqual(got, want[n]) {
					t.Errorf("worker %d: view of page %d differs (-want +got)\n%s", w, n, cmp.Diff(want[n], got))
					return
				}
			}
		})
	}
	workers.Wait()
}

func FuzzPurify(f *testing.F) {
	for site, put := range templates {
		f.Add([]byte(put(site, paragraphs(prose(1, 2, 2)))), "text/html")
	}
	for _, s := range []string{
		"<svg/><p>a", "<a href=x><a href=y>z</a></a>", "<table><td></div><tr>", "<title>x", "<p>&#0;&#xffffff;&nbsp", "<!--><p>x",
		"<script type=application/ld+json>{\"@type\":[\"Article\"],\"author\":[[]]}</script>", "<base href=//x><meta http-equiv=refresh content=';url='>",
		"<noscript><p>a</noscript><a href='\x00'>", "\xff\xfe<\x00p\x00>\x00", "<?xml?><script/><p/>", "<a href=&#106;avascript:x>",
		"<title>a – b - c</title><meta property=og:title content='a – b'><h1>Tag: <i>b[edit]</h1><b itemprop=author>É<a rel=author>É",
	} {
		f.Add([]byte(s), "text/html")
		f.Add([]byte(s), "application/xhtml+xml; charset=gbk")
	}
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		before := bytes.Clone(page)
		v := Purify(page, contentType)
		if !utf8.ValidString(v.Body) || !utf8.ValidString(v.Title) || !utf8.ValidString(v.Abstract) || !utf8.ValidString(v.Author) {
			t.Errorf("not UTF-8: body %q, title %q, abstract %q, author %q", v.Body, v.Title, v.Abstract, v.Author)
		}
		if again := Purify(page, contentType); !reflect.DeepEqual(v, again) {
			t.Errorf("two views differ (-first +second)\n%s", cmp.Diff(v, again))
		}
		if !bytes.Equal(page, before) {
			t.Errorf("Purify changed the page")
		}
		compareLinks(t, v, Links(page, contentType))
	})
}

// A rarity is a collection that has these words everywhere, and any other in one document.
type rarity map[string]bool

func (r rarity) Rarity(word string) float64 {
	if r[word] {
		return 0
	}
	return 1
}

func TestAViewIsWeighedByItsCollection(t *testing.T) {
	v := Purify([]byte("<p>The lighthouse keeper rowed out. The lighthouse keeper came home. The lamp broke."), "text/html")
	v.Weigh(rarity{"lighthouse": true})
	if len(v.Keywords) == 0 || v.Keywords[0].Word != "keeper" {
		t.Errorf("keywords are %v, want keeper first", v.Keywords)
	}
}

// A view whose keywords are made later is the view of one reading.
func TestAViewThatIsSummedLaterIsTheSame(t *testing.T) {
	for _, p := range []struct{ page, kind string }{
		{"<title>The keeper</title><p>The lighthouse keeper kept the lighthouse for forty years. Nobody asked the keeper why.", "text/html"},
		{"<title>灯塔</title><p>灯塔看守人看守灯塔四十年。没有人问灯塔看守人为什么。", "text/html; charset=utf-8"},
		{"<title>Nothing</title>", "text/html"},
		{"A lighthouse, in plain text.\n\nThe lighthouse stands.", "text/plain"},
	} {
		want := Purify([]byte(p.page), p.kind)
		got, _ := Reader{Unsummed: true}.PurifyOn(nil, "", []byte(p.page), p.kind)
		if got.Keywords != nil || !got.Unsummed {
			t.Errorf("unsummed view of %q has keywords %v, unsummed: %v", p.page, got.Keywords, got.Unsummed)
		}
		if got.SumKeywords(); !reflect.DeepEqual(got.Keywords, want.Keywords) {
			t.Errorf("keywords of %q made later: %v, want %v", p.page, got.Keywords, want.Keywords)
		}
		if got.Sum(); !reflect.DeepEqual(got, want) {
			t.Errorf("summed later: %+v\nwant %+v", got, want)
		}
	}
}

// A document's paragraphs are those of its body, and its first one is its title if it is short.
func TestParagraphsOfADocumentAreLinesOfItsBody(t *testing.T) {
	const rtf = `{\rtf1\ansi The harbour of the town\par The keeper rowed out in the morning, before\line the boats came in.\par It cost two hundred crowns.\par}`
	view, _ := PurifyOn(nil, "http://a.example/harbour.rtf", []byte(rtf), "application/rtf")
	const body = "The harbour of the town\nThe keeper rowed out in the morning, before the boats came in.\nIt cost two hundred crowns."
	if view.Title != "The harbour of the town" || view.Body != body {
		t.Errorf("title %q and body %q, want the first paragraph and %q", view.Title, view.Body, body)
	}
}

// A heading that the end of the URL says is the title, whatever other headings there are.
func TestTheHeadingThatTheURLSaysIsTheTitle(t *testing.T) {
	const page = "<title>%s</title><main><h1>%s</h1><p>Flies a kite.</p></main><div><h1>Packages</h1><ul><li><a href=/kites>kites</a></ul></div>"
	for _, c := range []struct{ url, title, heading, want string }{
		{"http://a.example/1.0/api/kites/TailKnot%24.html", "", "TailKnot", "TailKnot"},
		{"http://a.example/1.0/api/kites/TailKnot/?v=1", "", "TailKnot", "TailKnot"},
		{"http://a.example/1.0/api/kites/TailKnot.html", "Kites 1.0 - all.kites.TailKnot", "TailKnot", "TailKnot"},
		{"http://a.example/1.0/api/kites/index.html", "", "TailKnot", "Packages"},
	} {
		v := PurifyAt(c.url, fmt.Appendf(nil, page, c.title, c.heading), "text/html")
		if v.Title != c.want {
			t.Errorf("%s, %q: the title is %q, want %q", c.url, c.title, v.Title, c.want)
		}
	}
}
