package purify_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// Articles with mark-up of their own in the templates of the test web: the layout is the
// template's, whatever the article has in it.
func TestLayoutIsTheFrames(t *testing.T) {
	prose := strings.Repeat("<p>The harbour was busy in the early morning light, and nobody spoke of what had been.</p>", 8)
	articles := []string{
		"<h1>Harbour</h1>" + prose,
		"<h1>Harbour</h1><table><tr><td>" + prose + "</td></tr></table><ul><li>one boat of many</li><li>two boats</li></ul>",
		"<h1>Harbour</h1>" + prose + "<h2>Boats</h2><blockquote>" + prose + "</blockquote><pre>x = 1</pre><dl><dt>a</dt><dd>b</dd></dl>",
	}
	var layouts [][]uint64 // by template, then article
	for n := range skin.Layouts {
		s := skin.New(&skin.Layouts[n], n, corpus.Mix(77, uint64(n)), "site", skin.UTF8, corpus.LabelsOnly(), []skin.Link{{Path: "a", Label: "All pages"}}, nil, 200)
		var of []uint64
		for _, a := range articles {
			of = append(of, purify.Purify(s.Wrap([]byte("<html><body><main>"+a+"</main></body></html>")), "text/html").Layout)
		}
		layouts = append(layouts, of)
	}
	for i, a := range layouts {
		for j, b := range layouts {
			for k, x := range a {
				for l, y := range b {
					switch d := bits.OnesCount64(x ^ y); {
					case i == j && d > 17:
						t.Errorf("template %d: articles %d and %d are %d bits apart", i, k, l, d)
					case i != j && d <= 17:
						t.Errorf("templates %d and %d: %d bits apart with articles %d and %d", i, j, d, k, l)
					}
				}
			}
		}
	}
	for _, page := range []string{"<p>" + prose, "<html><body>" + prose + "</body></html>", "<div>" + prose + "</div>"} {
		if purify.Purify([]byte(page), "text/html").Layout == 0 {
			t.Error(fmt.Sprintf("%.30s", page), "has no layout")
		}
	}
}

// Templates of which no element has a class: the layouts of two are apart though both have an html, a head and a body, and tables and
// divisions in them.
func TestLayoutsWithoutClasses(t *testing.T) {
	prose := strings.Repeat("<p>The harbour was busy in the early morning light, and nobody spoke of what had been.</p>", 8)
	articles := []string{"<h1>Harbour</h1>" + prose, "<h1>Harbour</h1><h2>Boats</h2><ul><li>one boat of many</li><li>two boats</li></ul>" + prose, prose + prose,
		"<h1>Names of properties</h1><ul>" + strings.Repeat("<li>id-at-countryName, C</li><li>id-at-localityName, L</li>", 20) + "</ul>"}
	frames := []struct{ before, after string }{
		{`<table><tr><td colspan="2">The Paper Archive</td></tr><tr><td><b>Contents</b><br><a href="/a">One</a><br><a href="/b">Two</a></td><td>`,
			`</td></tr><tr><td colspan="2">Write to the webmaster</td></tr></table>`},
		{`<div id="top"><b>Quay Notes</b> <a href="/">home</a></div><div id="content">`,
			`</div><div id="links">See also:<ul><li><a href="/a">One</a></li></ul></div><div id="bottom">Copyright of the people of Quay Notes</div>`},
		{`<div id="page"><div id="masthead">Green Door</div><div id="primary">`, `</div><div id="secondary">Notes of the workshop</div></div>`},
		{`<center><b>Old Mill Pages</b><br><a href="/">Index</a></center><hr>`, `<hr><p align="center"><a href="/1">Back</a> Changed by the keeper</p>`},
		{`<header><a href="/">Harbour Office</a></header><div><nav><ul><li><a href="/1">Section 1</a></li></ul></nav><main>`, `</main></div><footer>Made by volunteers</footer>`},
	}
	layouts := make([][]uint64, len(frames))
	for i, f := range frames {
		for _, a := range articles {
			page := "<html><head><title>Harbour</title></head><body>" + f.before + a + f.after + "</body></html>"
			layouts[i] = append(layouts[i], purify.Purify([]byte(page), "text/html").Layout)
		}
	}
	wantFramesTold(t, layouts)
}

// wantFramesTold has the layouts of articles by frame: those of one frame are alike, and those of two are not.
func wantFramesTold(t *testing.T, layouts [][]uint64) {
	t.Helper()
	for i, a := range layouts {
		for j, b := range layouts {
			for k, x := range a {
				for l, y := range b {
					if d := bits.OnesCount64(x ^ y); (d <= 17) != (i == j) {
						t.Errorf("frames %d and %d with articles %d and %d: %d bits apart", i, j, k, l, d)
					}
				}
			}
		}
	}
}

// Frames of the same elements without classes, as before style sheets: the page's colours and the tables' borders tell them
// apart, also where an article's headings are taken for a part of the frame. The case of the mark-up, the folder of a picture
// and the width of a column do not count.
func TestLayoutsOfFramesThatLookDifferent(t *testing.T) {
	prose := strings.Repeat("The harbour was busy in the early morning light, and nobody spoke of what had been.<br><br>", 8)
	articles := []string{prose, "<center><i>In the morning</i></center>" + prose, "<ul><li>One boat</li><li>Two boats</li></ul>" + prose + "<blockquote>" + prose + "</blockquote>"}
	const head, foot = `<center><b>Old Mill Pages</b><br><a href="/">Index</a> | <a href="/all">All pages</a></center><hr>`,
		`<hr><center><a href="/1">Back</a></center><address>Changed by the keeper, visitor 4711</address></body></html>`
	const row, end = `<tr><td><b>Contents</b><br><a href="/a">One</a><br><a href="/b">Two</a></td><td>`, `</td></tr><tr><td>Write to the webmaster</td></tr></table></body></html>`
	frames := [][]struct{ before, after string }{
		{{`<body bgcolor="#ffffff">` + head, foot}, {`<BODY BGCOLOR=FFFFFF>` + head, foot}},
		{{`<body background="img/paper.gif" text="black">` + head, foot}, {`<body background="../../img/Paper.gif" text="Black">` + head, foot}},
		{{`<body>` + head + `<table border="0" width="600"><tr><td>`, `</td></tr></table>` + foot}},
		{{`<body><table border="1" cellpadding="4">` + row, end}},
		{{`<body><table width="95%" align="center">` + row, end}, {`<body><table width="640" align="CENTER">` + row, end}},
	}
	layouts := make([][]uint64, len(frames))
	for i, same := range frames {
		for _, f := range same {
			for _, a := range articles {
				page := "<html><head><title>Harbour</title></head>" + f.before + a + f.after
				layouts[i] = append(layouts[i], purify.Purify([]byte(page), "text/html").Layout)
			}
		}
	}
	wantFramesTold(t, layouts)
}

// An article keeps its own head, list of labels and links to its neighbours in the frame of another
// site: the layout is the other site's.
func TestLayoutOfAnArticleWithMarkup(t *testing.T) {
	prose := strings.Repeat("<p>The harbour was busy in the early morning light, and nobody spoke of what had been.</p>", 8)
	article := `<article class="post"><header class="post-head"><h1 class="post-title">Harbour</h1><p class="lead">In the morning</p><div class="post-meta"><ul class="meta"><li class="when"><a href="/2020">2020</a></li>
<li class="where"><a href="/harbour">Harbour</a></li></ul></div></header><section class="post-body">` + prose + `</section><footer class="post-foot">
<div class="tags"><ul class="tag-list"><li class="tag"><a href="/t/boats">boats</a></li></ul></div><nav class="post-nav"><div class="nav-next nav-item"><a href="/1">One</a></div>
<div class="nav-prev nav-item"><a href="/2">Two</a></div></nav>
<aside class="share"><ul class="share-list"><li class="share-mail"><a href="/m">Mail</a></li><li class="share-print"><a href="/p">Print</a></li></ul></aside>
<div class="subscribe"><form class="subscribe-form"><p class="hint">Your address</p></form></div>
<section class="author"><div class="author-box"><h4 class="author-name">Ann</h4><div class="author-links"><a href="/ann">All by Ann</a></div></div></section>
</footer></article>`
	layoutIn := func(before, after string) uint64 {
		return purify.Purify([]byte("<html><body>"+before+article+after+"</body></html>"), "text/html").Layout
	}
	own := layoutIn(`<div class="page"><header class="site-head"><h1 class="site">Site</h1></header><div class="content">`,
		`</div><footer class="site-foot"><p>All rights reserved</p></footer></div>`)
	table := layoutIn(`<table><tr><td colspan=2><h2>My mirror</h2></td></tr><tr><td><ul><li><a href="/">Start</a></li></ul></td><td>`,
		`</td></tr><tr><td colspan=2><hr><small>Kept by me</small></td></tr></table>`)
	if d := bits.OnesCount64(own ^ table); d <= 17 {
		t.Errorf("the layouts of two sites with one article are %d bits apart", d)
	}
}

// Two sites made of web components have two layouts, and what a component's name says of it counts as a class does.
func TestPagesOfWebComponents(t *testing.T) {
	const prose = "The station was built by people of the valley and still runs on a battery of lead, as it did in the year of its opening."
	one := purify.Purify([]byte("<body><rux-shell><rux-top>Space desk</rux-top><rux-nav>Start Shop</rux-nav><rux-panel><rux-text>"+prose+"</rux-text></rux-panel><rux-footer>Imprint and data protection</rux-footer></rux-shell>"), "text/html")
	other := purify.Purify([]byte("<body><my-app><my-nav><my-link>Home</my-link></my-nav><my-main><my-p>"+prose+"</my-p></my-main></my-app>"), "text/html")
	if one.Body != prose || other.Body != prose {
		t.Errorf("the bodies are %q and %q, want %q", one.Body, other.Body, prose)
	}
	if d := bits.OnesCount64(one.Layout ^ other.Layout); d <= 17 {
		t.Errorf("the layouts %x and %x are %d bits apart", one.Layout, other.Layout, d)
	}
}

// TestLayoutsOfSites prints how often the layouts of two pages are taken for one, on ten published
// sites: two pages of a site, two of different sites, and a page and its main element, with all of
// its mark-up, in a table of another site.
func TestLayoutsOfSites(t *testing.T) {
	const most = 40 // pages of a site
	archives, _ := filepath.Glob("../../shared/data/sites/*.tar.zst")
	if len(archives) == 0 {
		t.Skip("needs the real sites next to the repository")
	}
	alike := func(a, b uint64) int {
		if bits.OnesCount64(a^b) <= 17 {
			return 1
		}
		return 0
	}
	var sites [][]uint64
	var moved, movedAlike, within, withinAlike, across, acrossAlike int
	for _, name := range archives {
		var layouts []uint64
		for _, page := range pagesOf(t, name, most) {
			own := purify.Purify(page, "text/html").Layout
			layouts = append(layouts, own)
			doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			if main := doc.Find("main, article, [role=main]").First(); main.Length() > 0 {
				article, _ := goquery.OuterHtml(main)
				other := purify.Purify([]byte(`<html><body><table><tr><td colspan=2><h2><a href="/">My mirror</a></h2></td></tr><tr><td><ul><li><a href="/">Start</a></li>
<li><a href="/list">All pages</a></li></ul></td><td>`+article+`</td></tr><tr><td colspan=2><hr><small>Kept by me</small></td></tr></table></body></html>`), "text/html").Layout
				moved, movedAlike = moved+1, movedAlike+alike(own, other)
			}
		}
		for i, a := range layouts {
			for _, b := range layouts[:i] {
				within, withinAlike = within+1, withinAlike+alike(a, b)
			}
			for _, site := range sites {
				for _, b := range site {
					across, acrossAlike = across+1, acrossAlike+alike(a, b)
				}
			}
		}
		sites = append(sites, layouts)
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	t.Logf("alike: %.3f of %d pairs of a site, %.4f of %d pairs of two sites, %.3f of %d articles in another site",
		share(withinAlike, within), within, share(acrossAlike, across), across, share(movedAlike, moved), moved)
	if share(withinAlike, within) < .97 || share(acrossAlike, across) > .001 || share(movedAlike, moved) > .02 {
		t.Error("the layouts of a site's pages are to be alike, those of others not")
	}
}

// pagesOf returns the first HTML pages of an archive.
func pagesOf(t *testing.T, name string, most int) (pages [][]byte) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for files := tar.NewReader(z); len(pages) < most; {
		h, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if strings.HasSuffix(h.Name, ".html") {
			page, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(name, err)
			}
			pages = append(pages, page)
		}
	}
	return pages
}
