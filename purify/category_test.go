package purify

import (
	"slices"
	"strings"
	"testing"
)

func TestCategoryIsThePlaceOnTheSite(t *testing.T) {
	const text = "<h1>Bees in winter</h1><p>The bees sit close together through the cold months of the year and live on what they gathered.</p>"
	list := func(names string) string {
		return `<script type="application/ld+json">{"@type":"BreadcrumbList","itemListElement":[` + names + `]}</script>`
	}
	for _, c := range []struct {
		name, url, page string
		want            []string
	}{
		{"JSON-LD", "", list(`{"name":"Home"},{"name":"Pets &amp; Animals"},{"name":"Insects"},{"name":"Bees in winter"}`), []string{"Pets & Animals", "Insects"}},
		{"JSON-LD that only leads home", "https://h.example/garden/bees", list(`{"name":"Home"},{"name":"Bees in winter"}`), []string{"garden"}},
		{"shown", "", `<div class="breadcrumbs"><a href=/>首页</a> <a href=/a>Animals</a> <a href=/b>Insects</a> <a href=/c>Bees in winter</a></div>`, []string{"Animals", "Insects"}},
		{"shown twice", "", `<nav class="breadcrumb"><a href=/a>Animals</a> <a href=/b>Insects</a></nav><nav class="breadcrumb"><a href=/a?1>Animals</a> <a href=/b?1>Insects</a></nav>`, []string{"Animals", "Insects"}},
		{"shown at length", "", `<nav class="breadcrumb"><a href=/a>` + strings.Repeat("动物", 60) + `</a></nav>`, []string{strings.Repeat("动物", 33)}},
		{"the site before it", "https://www.daily-news.example/", list(`{"name":"Daily News"},{"name":"Insects"},{"name":"Bees in winter"}`), []string{"Insects"}},
		{"shown in a menu", "", `<div class="breadcrumb"><a href=/l>Log in</a> <a href=/>Home</a> <a href=/b>Insects</a> <a href=/c>Bees in win…</a></div>`, []string{"Insects"}},
		{"section", "https://h.example/garden/bees", `<meta property="article:section" content="Science">`, []string{"Science"}},
		{"address", "https://h.example/en-us/garden/2024/05/small_animals/bees.html", "", []string{"garden", "small animals"}},
		{"where a program stores files", "https://h.example/wp-content/uploads/2023/05/bees.html", "", nil},
		{"nothing", "https://h.example/bees", "", nil},
	} {
		if got := PurifyAt(c.url, []byte(c.page+text), "text/html; charset=utf-8").Category; !slices.Equal(got, c.want) {
			t.Errorf("%s: category is %q, want %q", c.name, got, c.want)
		}
	}
}
