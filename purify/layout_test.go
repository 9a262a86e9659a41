package purify_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

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
