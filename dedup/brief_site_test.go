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

// blogPage is a page of a blog with its frame around what it says.
func blogPage(title, says string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body>
<header><a href="/">Notes of a gardener who reads</a> <a href="/archives/">All the notes by month</a></header>
<main>%s</main>
<footer><p>Written in the evening hours with a pencil, typed later. Some rights are reserved by those who wrote.</p></footer>
</body></html>`, title, says)
}

// entry is a line of a list of posts.
func entry(post string) string {
	return fmt.Sprintf(`<ul><li><a href="/posts/%s/">How the %[1]s was mended after the winter</a></li></ul>`, post)
}

// comment is what a reader said below a post.
func comment(i int, url string) string {
	return fmt.Sprintf("<li><b>Reader %d of %s</b><p>Comment %s%d: ladder %s gravel %d orchard, twine and %s beyond the shed.</p></li>", i, url, url, i, url, 7*i, url)
}

func TestPagesThatSayLittleAreOneByWhatTheySayAndList(t *testing.T) {
	six := func(of func(i int) string) string {
		var all strings.Builder
		for i := range 6 {
			all.WriteString(of(i))
		}
		return all.String()
	}
	under := func(title, says, comments string) string {
		return blogPage(title, fmt.Sprintf("<article><h1>%s</h1>\n<p>%s</p></article>\n<section class=\"comments\"><h2>Comments</h2><ol>%s</ol></section>", title, says, comments))
	}
	post := func(url string) string {
		return under("The kettle that sang in spring", "Last March the old kettle began to sing whenever the wind came from the river, and nobody in the house could say why.",
			six(func(i int) string { return comment(i, url) }))
	}
	const asks = "<p>Is %[2]s%[1]d the gravel of %[2]s or twine%[1]d%[2]s?</p>"
	short := func(url string) string {
		return under("The lid that fell in summer", "Last July the new lid began to fall whenever the wind came from the forest, and nobody in the house could say why.",
			six(func(i int) string { return fmt.Sprintf("<li><b>Reader %[1]d of %[2]s</b>"+asks+"</li>", i, url) }))
	}
	feed := func(url string) string {
		return blogPage("The Kettle Mending Centre", "<p>All kettles and lids are mended here on the day on which they come, for a price that nobody in the town can beat, and each lid of iron is rubbed with sand until those who come for it see their faces in it.</p>"+
			six(func(i int) string { return fmt.Sprintf(asks, i, url) }))
	}
	// The page of a shop's news, below a text that each page of its news has.
	news := func(title, head, posted, says string) string {
		return blogPage(title, fmt.Sprintf(`<p>All kettles and lids are mended here on the day on which they come, for a price that nobody in the town can beat, and each lid of iron is rubbed with sand until those who come for it see their faces in it. Spouts, handles and whistles are sold by weight: see our <a href="/services.html">page of all services</a>.</p>
			<div><div>Posted %s</div><div><a href="http://pages.example/kettles/">%s</a></div></div><div>%s</div>`, posted, head, says))
	}
	line := func(link string) string {
		return blogPage("The wind that came in autumn", "<article><h1>The wind that came in autumn</h1><p>2017-05-23 hallway</p><p>Even the oldest boats, tied up on Monday, help the council.</p></article>"+link)
	}
	const latest = "<aside><ul><li><a href='/posts/latest/'>How the latest was mended after the winter</a></li></ul></aside>"
	const up = `<nav><a href="/1.3/">Kettles 1.3, the documentation of all of it</a> <a href="/1.3/up.html">Reference of every call</a></nav>`
	pages := map[string]string{
		"2011/05/":          blogPage("Archives: 2011/5", `<h2><a href="/2011/">2011</a></h2>`+entry("gate")),
		"tags/iron/":        blogPage("Tag: iron", `<h2><a href="/2011/">2011</a></h2>`+entry("gate")),
		"tags/wood/":        blogPage("Tag: wood", `<h2><a href="/2011/">2011</a></h2>`+entry("ladder")),
		"tags/iron/page/2/": blogPage("Tag: iron", `<ul><li><a href="/posts/gate/">How the gate was mended after the winter</a></li><li><a href="/tags/iron/">1</a></li></ul>`),
		"tags/copper/":      blogPage("Tag: copper", `<h2>copper</h2>`+entry("gate")),
		"tags/silver/":      blogPage("Tag: silver", `<h2>silver</h2>`+entry("gate")),
		"2012/06/":          blogPage("Archives: 2012/6", latest+entry("latest")),
		"tags/late/":        blogPage("Tag: late", latest+entry("latest")),
		"posts/kettle/":     post("kettle"),
		"?p=12":             post("notes"),
		"posts/lid/":        short("lid"),
		"?p=13":             short("notes"),
		"?p=14":             short("diary"),
		"notes/lid/":        short("letters"),
		"posts/wind/":       line(""),
		"notes/wind/":       line(`<p><a href="/posts/lid/">Elmstead and all of its free-kick goalkeepers</a></p>`),
		"news/200312/":      feed("roof"),
		"news/200502/":      feed("hours"),
		"posts/hours/":      news("Holiday Hours", "Holiday Hours", "June 27, 2020", "The holiday hours of this week are on the door. Have a fun and safe day of midsummer!"),
		"posts/200327/":     news("Holiday Hours", "Holiday Hours", "March 27, 2020", "A lid of a new kind was made in the city, which sings by itself. Read about it below."),
		"posts/180208_tax/": news("Kettle Security", "Kettle Security - Whistles", "February 8, 2021", "This is a great time of the year to have your kettle looked over for holes, before you boil in it what is dear to you."),
		"posts/seventh/":    news("Seven Lids of Tin", "Seven Lids of Tin", "November 27, 2020", "See below."),
		"1.2/modules.html":  blogPage("Index of modules", `<p>k m</p><p>kettle.exceptions</p>`+entry("modules")),
		"1.3/modules.html":  strings.Replace(blogPage("Index of modules", `<p>k m</p><p>kettle.exceptions</p>`+entry("modules")), "<main>", up+"<main>", 1),
		"1.2/hum.html":      blogPage("kettle.hum", `<h1>kettle.hum</h1><p>Kettle.hum(pitch, volume)</p><p>Calls hum on each.</p><p><a href="/1.2/boil.html">kettle.boil</a></p><p><a href="/1.2/sing.html">kettle.sing</a></p>`),
		"1.3/hum.html":      blogPage("kettle.hum", `<p><a href="/1.3/boil.html">kettle.boil</a></p><p><a href="/1.3/sing.html">kettle.sing</a></p><h1>kettle.hum</h1><p>Kettle.hum(pitch, volume)</p><p>Calls hum on each.</p>`),
		"1.3/hiss.html":     blogPage("kettle.hum", `<p><a href="/1.3/boil.html">kettle.boil</a></p><p><a href="/1.3/sing.html">kettle.hiss</a></p><h1>kettle.hum</h1><p>Kettle.hum(pitch, force)</p><p>Calls hum on each.</p>`),
		"1.3/moved.html":    blogPage("Index of modules", `<p>Moved away</p><p>sails.warnings</p>`+entry("modules")),
	}
	fields := func(names ...string) string {
		var items strings.Builder
		for _, name := range names {
			fmt.Fprintf(&items, `<li><a href="/%s.html">%[1]s of its own structure</a></li>`, name)
		}
		return blogPage("Kettles: fields of data", "<p>Here is a list of all fields of structures and unions with links to the structures they belong to:</p><ul>"+items.String()+"</ul>")
	}
	pages["fields_o.html"], pages["fields_p.html"] = fields("offset"), fields("padding", "palette", "patch", "period", "phase", "pitch", "pixels", "position", "pressure", "product")
	members := func(names ...string) string {
		var items strings.Builder
		for _, name := range names {
			fmt.Fprintf(&items, `<li>%s_of_the_kettle() of : <a href="/kettle.html">Kettle</a></li>`, name)
		}
		return blogPage("Kettles: members of namespaces", "<p>Here is a list of all members of namespaces with links to what is written of each one:</p><h3>- "+names[0][:1]+" -</h3><ul>"+items.String()+"</ul>")
	}
	pages["members_k.html"], pages["members_x.html"] = members("keep", "key", "kind", "knob"), members("xdigit")
	versions := func(numbers ...string) string {
		var items strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&items, `<li><a href="/%s/">%[1]s</a></li>`, n)
		}
		return blogPage("Documentation of kettles before", "<h1>Documentation of kettles before</h1><p>These were kettles.</p><ul>"+items.String()+"</ul>")
	}
	pages["1.2/past.html"], pages["1.3/past.html"] = versions("0.9.6", "1.0.1", "1.1.0"), versions("1.0.1", "1.1.0", "1.2.0", "1.2.1", "1.2.2", "1.2.3")
	pages["1.3/past/"] = versions("1.0.1", "1.1.0", "1.2.0", "1.2.1", "1.2.2", "1.2.3")
	var paths []string
	for path := range pages {
		paths = append(paths, path)
	}
	for i := range 12 { // what the frame is
		path := fmt.Sprintf("filler/%d/", i)
		pages[path] = blogPage(fmt.Sprintf("Filler %d", i), fmt.Sprintf(latest+"<p>Page %[1]d of %[1]d says that %[1]d geese and %[1]d ducks walked by the fence number %[1]d.</p>", i+100))
		paths = append(paths, path)
	}
	texts := siteOf(t, paths, func(path string) string { return pages[path] })
	for _, url := range []string{"fields_o.html", "fields_p.html"} {
		for i, b := range texts[url].blocks {
			texts[url].blocks[i].Chosen = b.Linked || strings.HasPrefix(b.Text, "Here is a list")
		}
	}
	for _, url := range []string{"members_k.html", "members_x.html"} {
		for i, b := range texts[url].blocks {
			texts[url].blocks[i].Chosen = strings.HasPrefix(b.Text, "Here is a list")
		}
	}
	for _, url := range []string{"posts/kettle/", "?p=12"} {
		for i, b := range texts[url].blocks { // what the models take for comments of a page that is longer
			texts[url].blocks[i].Chosen = b.Chosen && strings.HasPrefix(b.Text, "Last March")
		}
	}
	for _, url := range []string{"news/200312/", "news/200502/", "posts/hours/", "posts/200327/", "posts/180208_tax/", "posts/seventh/"} {
		for i, b := range texts[url].blocks {
			texts[url].blocks[i].Chosen = strings.HasPrefix(b.Text, "All kettles")
		}
	}
	for _, url := range []string{"posts/lid/", "?p=13", "?p=14", "notes/lid/"} {
		for i, b := range texts[url].blocks {
			taken := map[string]string{"?p=14": "Nothing", "notes/lid/": "Is "}
			texts[url].blocks[i].Chosen = strings.HasPrefix(b.Text, cmp.Or(taken[url], "Last July"))
		}
	}
	for _, url := range []string{"posts/wind/", "notes/wind/"} {
		for i := range texts[url].blocks {
			texts[url].blocks[i].Chosen = false
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
		why  string
	}{
		{"2011/05/", "tags/iron/", true, "list one post; a year above it is no name"},
		{"2011/05/", "tags/wood/", false, "list two posts"},
		{"2011/05/", "tags/iron/page/2/", true, "list one post; the ways to the list's other pages are no posts"},
		{"tags/copper/", "tags/silver/", false, "list one post and name two things in a heading"},
		{"2012/06/", "tags/late/", true, "list one post that is linked from each page of the site"},
		{"posts/kettle/", "?p=12", true, "are one short post with other comments"},
		{"posts/lid/", "?p=13", true, "are one short post with other short comments"},
		{"posts/lid/", "?p=14", true, "are one short post, of which the models took nothing in the one page"},
		{"posts/wind/", "notes/wind/", true, "are one post of one line, next to other links, of which the models took nothing"},
		{"news/200312/", "news/200502/", false, "have the site's name for a title, and a sentence of its frame for a body"},
		{"posts/hours/", "posts/200327/", false, "have one title by mistake, other days and sentences, and a sentence of a part of their site for a body"},
		{"posts/180208_tax/", "posts/200327/", false, "have two titles, other sentences, and the same text for a body"},
		{"posts/seventh/", "posts/hours/", false, "have two titles, two days, and the same text for a body"},
		{"posts/lid/", "notes/lid/", true, "are one short post, of which the models took the comments in the one page"},
		{"fields_o.html", "fields_p.html", false, "have one title and one sentence, and list other things"},
		{"members_k.html", "members_x.html", false, "have one title and one sentence, and name other things beside their bodies"},
		{"1.2/past.html", "1.3/past.html", false, "list other versions by their numbers"},
		{"1.3/past.html", "1.3/past/", true, "list the same versions"},
		{"1.2/modules.html", "1.3/modules.html", true, "have one title, words and list, and another way up"},
		{"1.2/hum.html", "1.3/hum.html", true, "have the same lines in another order"},
		{"1.2/hum.html", "1.3/hiss.html", false, "have lines of one kind in another order, and one of them differs"},
		{"1.2/modules.html", "1.3/moved.html", false, "have one title and list and say two things"},
	} {
		if j, same := one(texts[c.a], texts[c.b]); same != c.want {
			t.Errorf("%s and %s, which %s: one is %t at %.2f\n%q\n%q", c.a, c.b, c.why, same, j, texts[c.a].Body, texts[c.b].Body)
		}
	}
}

// The examples of a program are a script each, below one sentence with one link, so that only their titles name them. A list says
// next to nothing outside its links.
func TestTwoExamplesBelowOneSentenceAreTwo(t *testing.T) {
	page := func(title, says string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body>%s</body></html>`, title, says)
	}
	example := func(title string) string {
		return page(title, `<div>You can see the <a href="https://kites.example/guide">guide</a>. The code of the example is slow, since it is translated when it runs.</div><div id="kite"></div>`)
	}
	tag := func(title string) string { return page(title, entry("gate")+entry("ladder")+entry("shed")) }
	pages := map[string]string{
		"1.2/example28-trim.html": example("28. Trim"), "1.2/example29-furl.html": example("29. Furl"), "1.3/example29-furl.html": example("29. Furl"),
		"tags/iron/": tag("Tag: iron"), "tags/wood/": tag("Tag: wood"),
	}
	paths := slices.Sorted(maps.Keys(pages))
	areOneByRule(t, siteAmong(t, 40, pages, paths), []twoPages{
		{"1.2/example28-trim.html", "1.2/example29-furl.html", false},
		{"1.2/example28-trim.html", "1.3/example29-furl.html", false},
		{"1.2/example29-furl.html", "1.3/example29-furl.html", true},
		{"tags/iron/", "tags/wood/", true},
	})
}

func TestTwoListsAreTwoWhileTheirSiteIsNotKnown(t *testing.T) {
	frame := strings.Repeat("This gazette is written by people who live between the two rivers and says so on each of its pages. ", 8)
	page := func(path, title, says string) *Text {
		html := fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><main><h1>%[1]s</h1>%s</main><div><p>%s</p></div></body></html>`, title, says, frame)
		view, _ := purify.PurifyOn(nil, "http://site.example/"+path, []byte(html), "text/html")
		view.URL = "http://site.example/" + path
		text := TextOf(view)
		return &text
	}
	list := page("tags/iron/", "Tag: iron", entry("gate"))
	for _, c := range []struct {
		what  string
		other *Text
		want  bool
	}{
		{"a list of another post", page("2012/05/", "Archives: May", entry("ladder")), false},
		{"a list of the same post", page("2011/05/", "Archives: May", entry("gate")), true},
		{"the same list under another URL", page("tags/iron/index.html", "Tag: iron", entry("gate")), true},
	} {
		if !list.Bare || !c.other.Bare {
			t.Fatal("a site is known after one page")
		}
		if j, same := one(list, c.other); same != c.want || j < ruling().Resemblance {
			t.Errorf("%s: one is %t at %.2f, want %t and that they resemble each other", c.what, same, j, c.want)
		}
	}
}
