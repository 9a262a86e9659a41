package purify

import (
	"fmt"
	"strings"
	"testing"
)

func TestPagesOfAManualDifferByTheirTitles(t *testing.T) {
	page := func(name string) []byte {
		return []byte("<title>" + name + " — Manual v1.2</title><nav><a href=/>Home</a></nav><div class=body><h1>" + name + "<a href='#x'>¶</a></h1>" +
			"<p>Not implemented. This class exists to derive scalars from it, and has all methods of the array so that the two have one interface.</p></div>")
	}
	a, b := Purify(page("array.sort"), "text/html").Body, Purify(page("array.clip"), "text/html").Body
	if a == b {
		t.Errorf("two pages with one text and two titles have the same body %q", a)
	}
}

func TestABylineIsNotInTheBodyUnlessThePageHasNothingElse(t *testing.T) {
	const head = `<title>Bees in winter</title><article><h1>Bees in winter</h1><p>By Ann Writer, May 6, 2024</p>`
	story := prose(1, 2, 2)
	for _, page := range []string{head + "<p>" + strings.Join(story, "<p>"), head + "<p>" + story[0]} {
		if v := Purify([]byte(page), "text/html"); strings.Contains(v.Body, "Ann Writer") || !strings.Contains(v.Body, story[0]) {
			t.Errorf("the body of %q is %q, want the story without its byline", page, v.Body)
		}
	}
	if v := Purify([]byte(head), "text/html"); !strings.Contains(v.Body, "Ann Writer") {
		t.Errorf("the body of %q is %q, want what text there is", head, v.Body)
	}
}

// MediaWiki ends each page with its URL, for paper alone.
func TestTheFooterOnPaperIsNotInTheBody(t *testing.T) {
	page := func(n int, text string) string {
		return fmt.Sprintf(`<title>Hive %d - Bees</title><div id=content><h1>Hive %[1]d</h1><div id=bodyContent>%s<div class=printfooter>Retrieved from "<a href=/w/Hive_%[1]d>http://bees.example/w/Hive_%[1]d</a>"</div></div></div><div id=footer><p>All of the text is by the keepers of the bees, who are glad about each correction.</div>`, n, text)
	}
	var h host
	for n := range 12 {
		if body := h.again(page(n, "<p>"+sentence(n))); strings.Contains(body, "Retrieved") || !strings.Contains(body, sentence(n)) {
			t.Errorf("the body is %q", body)
		}
		h.meet(page(n, "<p>There is nothing here yet; you may write what you know about this hive."))
	}
	if body := h.again(page(99, "<p>There is nothing here yet; you may write what you know about this hive.")); strings.Contains(body, "Retrieved") {
		t.Errorf("the body of an empty page is %q", body)
	}
}

func TestAListIsWhatItListsAndNotItsSidebar(t *testing.T) {
	var months strings.Builder
	for year := range 9 {
		for _, m := range []string{"January", "March", "June", "October"} {
			fmt.Fprintf(&months, `<li><a href="/%d">%s %d</a> 1</li>`, 2010+year, m, 2010+year)
		}
	}
	side := `<h4>About</h4><p class="description">Notes on bees, hives and what they ask of their keepers, by two of them.</p><h4>Archives</h4><ul class="archive-list">` + months.String() + `</ul>`
	const own = `<h2>Tag: winter</h2><div class="item"><a href="/1">Bees in the cold</a> May 22</div><div class="item"><a href="/2">How to feed them</a> May 30</div>`
	for _, c := range []struct{ name, page string }{
		{"an aside behind main", `<main class="content">` + own + `</main><aside class="widgets">` + side + `</aside>`},
		{"an aside inside main", `<main class="layout"><div id="posts"><article>` + own + `</article></div><aside id="aside-content">` + side + `</aside></main>`},
		{"a class behind articles", `<div class="row"><article>` + own + `</article><div class="col sidebar">` + side + `</div></div>`},
		{"a class that holds all", `<div class="page has-sidebar"><main>` + own + `</main><div class="sidebar">` + side + `</div></div>`},
	} {
		v := Purify([]byte("<html><body><title>Tag: winter | Bees</title>"+c.page), "text/html")
		if !strings.Contains(v.Body, "Bees in the cold") || strings.Contains(v.Body, "October 2011") {
			t.Errorf("%s: body is %.120q, want the list", c.name, v.Body)
		}
	}
	story := `<h1>Bees</h1><p>` + strings.Join(prose(1, 5, 4), "<p>")
	v := Purify([]byte(`<div class="with-sidebar"><div class="text">`+story+`</div></div><article><a href="/1">Another story of bees</a></article>`), "text/html")
	if !strings.Contains(v.Body, prose(1, 5, 4)[3]) {
		t.Errorf("a story in what a class calls a sidebar is not body: %.100q", v.Body)
	}
}

// Notes that someone wrote by hand have nothing but what they say, in whatever element.
func TestAShortPageWithoutLinksAndFrameIsAllBody(t *testing.T) {
	const page = `<title>Notes</title><h1>Notes on bread</h1><p>Flour, water and salt.</p>` +
		`<ul><li>500 g flour</li><li>10 g salt</li></ul><pre>knead
  rest</pre><table><tr><th>Step</th><th>Time</th></tr><tr><td>Rest</td><td>4 h</td></tr></table>%s`
	for _, c := range []struct {
		name, rest string
		all        bool
	}{
		{"nothing else", "", true},
		{"a footer", "<footer><p>500 pages by the baker</p></footer>", false},
	} {
		body := PurifyAt("http://a.test/bread", []byte(fmt.Sprintf(page, c.rest)), "text/html").Body
		all := true
		for _, want := range []string{"Notes on bread", "Flour, water and salt.", "10 g salt", "knead", "Step", "4 h"} {
			all = all && strings.Contains(body, want)
		}
		if c.all && !all || strings.Contains(body, "by the baker") {
			t.Errorf("with %s the body is %q", c.name, body)
		}
	}
}

// Doxygen ends each page with the time at which it was made, next to the names of the folders that the page is in.
func TestWhenAPageWasMadeIsNotInTheBody(t *testing.T) {
	page := func(rows, below string) string {
		return `<title>Kites: Sail Class Reference</title><div id=top><div id=titlearea><table><tr><td><div id=projectname>Kites</div></td></tr></table></div></div>
<div class=header><div class=summary><a href=#m>Properties</a> | <a href=s-members.html>List of all members</a></div><div class=headertitle><div class=title>Kites.Sail Class Reference</div></div></div>
<div class=contents><table class=memberdecls>` + rows + `</table></div>
<div id=nav-path class=navpath><ul><li class=navelem><a class=el href=n.html>Kites</a></li><li class=navelem><a class=el href=s.html>Sail</a></li>` + below + `</ul></div>`
	}
	const (
		row  = `<tr><td class=memItemLeft>Rope</td><td class=memItemRight><b>Halyard</b> [get, set]</td></tr>`
		made = `<li class=footer>Generated on Thu Jul 5 2018 10:32:59 for Kites Software by <a href=http://www.doxygen.org/index.html><img src=doxygen.png></a> 1.8.15</li>`
	)
	if body := Purify([]byte(page(row, made)), "text/html").Body; strings.Contains(body, "10:32") || !strings.Contains(body, "Halyard") {
		t.Errorf("the body is %q, want what the class has", body)
	}
	var log strings.Builder
	for second := range 4 {
		fmt.Fprintf(&log, "<p>Thu Jul 5 2018 10:32:5%d the crew of the kite let go of the rope that held it.</p>", second)
	}
	if body := Purify([]byte("<title>Log</title><h1>Log of a kite</h1>"+log.String()), "text/html").Body; strings.Count(body, "10:32") != 4 {
		t.Errorf("the body is %q, want all of the log", body)
	}
}
