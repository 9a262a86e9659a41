package purify

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/truth"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// compareLinks requires of Links what Purify returned.
func compareLinks(t *testing.T, whole, quick *DocView) {
	t.Helper()
	type address struct {
		URL      string
		NoFollow bool
	}
	type facts struct {
		Links                            []address
		Base, Refresh, Canonical, Robots string
	}
	of := func(v *DocView) facts {
		f := facts{Base: v.Base, Refresh: v.Refresh, Canonical: v.Canonical, Robots: v.Robots}
		for _, l := range v.Links {
			f.Links = append(f.Links, address{l.URL, l.NoFollow})
		}
		return f
	}
	if diff := cmp.Diff(of(whole), of(quick)); diff != "" {
		t.Errorf("Links disagrees (-Purify +Links)\n%s", diff)
	}
}

func TestLinksFindsWhatPurifyFindsOnRealPages(t *testing.T) {
	slow.Test(t, "reads real pages")
	n, links := 0, 0
	for _, name := range []string{"mixed-zh-en.jsonl.zst", "web-content.jsonl.zst"} {
		eachPage(t, name, func(p *truth.Page) {
			if n++; t.Failed() {
				return
			}
			v := Purify([]byte(p.HTML), "text/html")
			links += len(v.Links)
			compareLinks(t, v, Links([]byte(p.HTML), "text/html"))
			if t.Failed() {
				t.Logf("page %s", p.URL)
			}
		})
	}
	t.Logf("%d pages, %d links", n, links)
	if links < 10*n {
		t.Errorf("%d links on %d pages: too few to mean anything", links, n)
	}
}

func TestWhichAddressesAreLinks(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{`<a href="/one">x</a>`, "/one"},
		{`<A HREF=/one>x</A>`, "/one"},
		{`<a href=' /one&amp;two '>x</a>`, "/one&two"},
		{"<a href='/o\nn\te'>x</a>", "/one"},
		{`<area href=/one><iframe src=/two></iframe><frame src=/three>`, "/one /two /three"},
		{`<a href=/one>x</a><a href=/two>y</a><a href=/one>z</a>`, "/one /two"},
		{`<a href="javascript:void(0)">x</a><a href="JavaScript:x">x</a><a href="java` + "\t" + `script:x">x</a><a href="&#106;avascript:x">x</a>`, ""},
		{`<a href="mailto:a@b.example">x</a><a href="tel:1">x</a><a href="data:text/html,x">x</a><a href="#top">x</a><a href="">x</a><a>x</a>`, ""},
		{`<a href="/a:b">x</a><a href="?q=a:b">x</a><a href="http://h/">x</a><a href="HTTPS://h/">x</a><a href="//h/p">x</a>`, "/a:b ?q=a:b http://h/ HTTPS://h/ //h/p"},
		{`<!-- <a href=/one> --><script>"<a href=/two>"</script><template><a href=/three></template><noscript><a href=/four></noscript>`, "/four"},
		{`<a href="` + strings.Repeat("x", blocks.MaxURL+1) + `">x</a>`, ""},
		{`<a href="/中文?k=值">x</a>`, "/中文?k=值"},
		{`<a/href=/one>x</a>`, "/one"},
		{`<svg/><a href=/one>x</a>`, "/one"},
	} {
		v := Purify([]byte(c.page), "text/html; charset=utf-8")
		var got []string
		for _, l := range v.Links {
			got = append(got, l.URL)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("links of %.120q are %q, want %q", c.page, s, c.want)
		}
		compareLinks(t, v, Links([]byte(c.page), "text/html; charset=utf-8"))
	}
}

func TestALinkHasItsWords(t *testing.T) {
	page := templates["gazette"]("The Bridge", paragraphs(append(prose(1, 5, 4),
		`The mayor of the city said on Monday, in a long letter to the council, that <a href="/bridge" rel="external NoFollow">the old bridge</a> would be open again by the end of the year.`,
		`<a href="/photo"><img src=x alt="The bridge &amp; the river"></a>`)))
	v := Purify([]byte(page), "text/html")
	links := map[string]Link{}
	for _, l := range v.Links {
		links[l.URL] = l
	}
	bridge := links["/bridge"]
	if bridge.Text != "the old bridge" || !bridge.Body || !bridge.NoFollow || !strings.Contains(bridge.Context, "council, that the old bridge would be open") {
		t.Errorf("link in the text is %+v", bridge)
	}
	if photo := links["/photo"]; photo.Text != "The bridge & the river" {
		t.Errorf("link of an image is %+v, want the alt text", photo)
	}
	for _, url := range []string{"/privacy/", "/sport/", "/mayor-resigns/"} {
		if l := links[url]; l.URL == "" || l.Body || l.NoFollow {
			t.Errorf("link of the template is %+v, want it not in the body", l)
		}
	}
}

func TestWordsOfALinkAreBounded(t *testing.T) {
	page := "<p><a href=/x>" + strings.Repeat("汉字", 300) + "</a>" + strings.Repeat("上下文", 300) + "</p>"
	l := Purify([]byte(page), "text/html; charset=utf-8").Links[0]
	for what, s := range map[string]string{"text": l.Text, "context": l.Context} {
		if len(s) > maxWords || len(s) < maxWords-8 || !utf8.ValidString(s) {
			t.Errorf("%s has %d bytes, valid %v; want nearly %d", what, len(s), utf8.ValidString(s), maxWords)
		}
	}
}

func TestAPageHasNoMoreThanTenThousandLinks(t *testing.T) {
	var b strings.Builder
	for i := range blocks.MaxLinks + 500 {
		fmt.Fprintf(&b, "<a href=/%d>x</a> ", i)
	}
	v := Purify([]byte(b.String()), "text/html")
	if len(v.Links) != blocks.MaxLinks {
		t.Errorf("page has %d links, want %d", len(v.Links), blocks.MaxLinks)
	}
	compareLinks(t, v, Links([]byte(b.String()), "text/html"))
	few := Reader{MaxLinks: 7}
	own, _ := few.PurifyOn(nil, "", []byte(b.String()), "text/html")
	for _, c := range []struct {
		what      string
		view      *DocView
		read, not int
	}{
		{"Purify", v, blocks.MaxLinks, 500}, {"Links", Links([]byte(b.String()), "text/html"), blocks.MaxLinks, 500},
		{"Reader.PurifyOn", own, 7, blocks.MaxLinks + 493}, {"Reader.Links", few.Links([]byte(b.String()), "text/html"), 7, blocks.MaxLinks + 493},
	} {
		if len(c.view.Links) != c.read || c.view.MoreLinks != c.not {
			t.Errorf("%s reads %d links and counts %d more, want %d and %d", c.what, len(c.view.Links), c.view.MoreLinks, c.read, c.not)
		}
	}
}
