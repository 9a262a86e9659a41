package purify

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/truth"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestContainersAreThoseOfABrowser compares the elements around each text of real pages with those
// that x/net/html finds, which parses as browsers do. Many pages close what they did not open.
func TestContainersAreThoseOfABrowser(t *testing.T) {
	slow.Test(t, "parses 1,628 real pages twice")
	pages, differ := 0, 0
	for _, file := range []string{"web-content.jsonl.zst", "mixed-zh-en.jsonl.zst"} {
		eachPage(t, file, func(p *truth.Page) {
			text, _ := charset.Decode([]byte(p.HTML), "text/html")
			want := containersOf(t, string(text))
			var o blocks.Outline
			o.Reset()
			o.Read(text, false)
			all, other := 0, 0
			for i := range o.Blocks {
				start := startOf(string(o.BlockText(i)))
				if path, ok := want[start]; ok && path != "" {
					all++
					if path != pathOf(&o, i) {
						other++
					}
				}
			}
			pages++
			if other*10 > all {
				differ++
				t.Logf("%d of %d texts of %s %s are elsewhere", other, all, p.ID, p.URL)
			}
		})
	}
	t.Logf("on %d of %d pages more than a tenth of the texts are in other containers", differ, pages)
	if differ*100 > pages {
		t.Errorf("%d of %d pages have other containers, want at most one in a hundred", differ, pages)
	}
}

// ofPath are the elements that are compared: those whose names mean the same to both parsers.
var ofPath = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq("article aside blockquote dd div dl dt footer form h1 h2 h3 h4 header li main nav ol p section table td th ul") {
		m[name] = true
	}
	return m
}()

// startOf returns the start of a text by which it is found, or nothing if it is too short.
func startOf(text string) string {
	const enough = 20
	if text = strings.Join(strings.Fields(text), " "); len(text) < enough {
		return ""
	}
	return text[:enough]
}

func pathOf(o *blocks.Outline, block int) string {
	path := ""
	for n := o.Blocks[block].Node; n > 0; n = o.Nodes[n].Parent {
		if name := o.Nodes[n].Tag.String(); ofPath[name] {
			path = "/" + name + path
		}
	}
	return path
}

// containersOf returns the elements around each text by its start, "" if two texts have the same.
func containersOf(t *testing.T, page string) map[string]string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	around := map[string]string{}
	var walk func(n *html.Node, path string)
	walk = func(n *html.Node, path string) {
		switch {
		case n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style" || n.Data == "template" || n.Data == "head" || n.Data == "noscript"):
			return
		case n.Type == html.ElementNode && ofPath[n.Data]:
			path += "/" + n.Data
		case n.Type == html.TextNode:
			start := startOf(n.Data)
			if _, again := around[start]; again {
				path = ""
			}
			around[start] = path
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, path)
		}
	}
	walk(doc, "")
	delete(around, "")
	return around
}
