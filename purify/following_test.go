package purify

import (
	"fmt"
	"strings"
	"testing"
)

// An item is an article of a site that shows more of them below each.
type item struct{ title, day, text string }

var items = []item{
	{"The bridge of the old harbour is closed", "12 May 2024", "Nobody may walk over the bridge until the ropes are new, and the ferry crosses twice an hour instead."},
	{"Kites of paper win the first prize", "14 May 2024", "The jury praised how long they flew, and that a child had folded the best of them from a single sheet."},
	{"Rain fills the wells of the valley", "9 May 2024", "It rained for eleven days, so that the gardens are green and the fountains run again since Thursday."},
}

func (i item) html(heading string) string {
	return fmt.Sprintf(`<div class="news"><%[1]s class="title">%[2]s</%[1]s><p class="day">%[3]s</p><p>%[4]s</p></div>`, heading, i.title, i.day, i.text)
}

func newsPage(title string, articles ...string) []byte {
	return fmt.Appendf(nil, `<html lang="en"><head><title>%s | The Harbour Post</title></head><body><div class="nav"><a href="/">Home</a> <a href="/sport">Sport</a></div>
<div class="main">%s</div><div class="footer">Copyright The Harbour Post. Write to us by post or by telephone.</div></body></html>`, title, strings.Join(articles, "\n"))
}

func TestArticlesBelowThePagesOwnAreNotItsBody(t *testing.T) {
	order := []string{items[0].html("h1"), items[1].html("h1"), items[2].html("h1")}
	view := PurifyAt("http://post.example/a", newsPage(items[0].title, order...), "text/html")
	for i, it := range items {
		if strings.Contains(view.Body, it.text) != (i == 0) {
			t.Errorf("article %d: the body is\n%s", i, view.Body)
		}
		for _, b := range view.Blocks {
			if i > 0 && b.Text == it.text {
				t.Errorf("the page is compared by %q", it.text)
			}
		}
	}
	_, names := PurifyOn(nil, "http://post.example/a", newsPage(items[0].title, order...), "text/html")
	for _, name := range names {
		if name == PrintOf(items[1].text) {
			t.Error("a template counts an article that is not the page's")
		}
	}
}

func TestSectionsWithoutADateArePartOfAnArticle(t *testing.T) {
	own := items[0].html("h1")
	undated := item{items[1].title, "By a friend of ours", items[1].text}.html("h1")
	again := item{"The bridge of the old harbour: pictures", items[1].day, items[1].text}.html("h1")
	for name, page := range map[string][]byte{
		"a section without a date":                  newsPage(items[0].title, own, undated),
		"a section of the title's words":            newsPage(items[0].title, own, again),
		"a heading of another rank":                 newsPage(items[0].title, own, items[1].html("h2")),
		"a list, whose title names no item":         newsPage("All news of May", own, items[1].html("h1")),
		"a list whose first item is about the site": newsPage("All news", item{"Good luck to the Harbour Post", items[0].day, items[0].text}.html("h1"), items[1].html("h1")),
	} {
		if body := PurifyAt("http://post.example/a", page, "text/html").Body; !strings.Contains(body, items[1].text) {
			t.Errorf("%s: the body lacks what follows:\n%s", name, body)
		}
	}
}

func TestSelectorsKeepArticlesBelowThePagesOwn(t *testing.T) {
	s, err := ParseSelectors(nil, []string{".news"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	view, _ := Reader{Selectors: s}.PurifyOn(nil, "http://post.example/a", newsPage(items[0].title, items[0].html("h1"), items[1].html("h1")), "text/html")
	if !strings.Contains(view.Body, items[1].text) {
		t.Errorf("the body is\n%s", view.Body)
	}
}

func TestAMenuOfTheNewestArticlesDoesNotEndThePage(t *testing.T) {
	newest := ""
	for _, it := range items {
		newest += fmt.Sprintf(`<div class="news"><h3>%s</h3><p class="day">%s</p></div>`, it.title, it.day)
	}
	own := items[0].html("h1")
	for name, page := range map[string][]byte{
		"in headings of their own":       newsPage(items[0].title, `<div class="newest">`+newest+"</div>", own),
		"with articles below the page's": newsPage(items[0].title, `<div class="newest">`+newest+"</div>", own, items[1].html("h1")),
		"each with a line of its text":   newsPage(items[0].title, strings.ReplaceAll(newest, "</p></div>", "</p><p>Nobody may walk over the bridge until the ropes are new.</p></div>"), own),
	} {
		view := PurifyAt("http://post.example/a", page, "text/html")
		if !strings.Contains(view.Body, items[0].text) {
			t.Errorf("%s: the body lacks the article:\n%s", name, view.Body)
		}
		if strings.Contains(view.Body, items[1].text) {
			t.Errorf("%s: another article is in the body:\n%s", name, view.Body)
		}
	}
}

func TestASentenceBelowAPictureIsTheBodyAboveLongerArticles(t *testing.T) {
	const own = "The innumerable deaths of workers who built the stands are why many find fault with the harbour office and its regatta"
	const other = `"As the mayor of this town I will see to it that the wardens have all they need from me to go on as the law says. As I said to the judge, I will not step in nor press on what they decide; may the law guide the case".`
	head := func(title, day, lead string) string {
		return fmt.Sprintf(`<h1 class="article-heading">%s</h1><div class="article-excerpt show-lg"><p>%s</p></div><div class="article-meta show-lg"><div class="date">%s</div></div></div>`, title, lead, day)
	}
	page := `<title>Deadly goals</title><meta property="og:url" content="https://post.example/drawn/deadly-goals/"><div class="article-heading-top">` + head("Deadly goals", "28 November 2022", own) +
		`<section class="article-cover"><div class="article-heading-top"><a href="/drawn/" class="cat">Drawn news</a>` +
		head("Nicholas Peters: a tragedy", "8 August 2023", "Nicholas Peters answers well to how badly his father has raised him") + "</section><p>" + other + "</p>"
	view := PurifyAt("", []byte(page), "text/html")
	if view.Body != own {
		t.Errorf("the body is\n%s", view.Body)
	}
	for _, b := range view.Blocks {
		if b.Text == other {
			t.Errorf("the page is compared by %q", b.Text)
		}
	}
}

func TestArticlesBelowMayLinkToThePagesOwn(t *testing.T) {
	below := item{items[1].title, items[1].day, items[1].text + `</p><h2 class="more"><a href="/a">` + items[0].title + `</a></h2><p>More of this tomorrow.`}
	page := newsPage(items[0].title, items[0].html("h1"), below.html("h1"), items[2].html("h1"))
	body := PurifyAt("http://post.example/a", page, "text/html").Body
	if !strings.Contains(body, items[0].text) || strings.Contains(body, items[1].text) {
		t.Errorf("the body is\n%s", body)
	}
}

func TestAHeadlineInOtherWordsThanTheTitleIsThePagesOwnByItsSchema(t *testing.T) {
	const title = "Harbour: detour for walkers"
	schema := func(headlines ...string) string {
		list := ""
		for _, h := range headlines {
			list += fmt.Sprintf(`<script type="application/ld+json">{"@type":"NewsArticle","headline":%q}</script>`, h)
		}
		return list
	}
	for _, c := range []struct {
		name, schema string
		ends         bool
	}{
		{"the one headline", schema(items[0].title), true},
		{"one headline twice", schema(items[0].title, items[0].title), true},
		{"a list of two articles", schema(items[0].title, items[1].title), false},
		{"another headline", schema("Walkers need patience"), false},
		{"none", "", false},
	} {
		page := newsPage(title, items[0].html("h1"), items[1].html("h1"), items[2].html("h1"))
		page = []byte(strings.Replace(string(page), "</head>", c.schema+"</head>", 1))
		body := PurifyAt("http://post.example/a", page, "text/html").Body
		if !strings.Contains(body, items[0].text) || strings.Contains(body, items[1].text) != !c.ends {
			t.Errorf("%s: the body is\n%s", c.name, body)
		}
	}
}
