package purify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFeedsAreListings(t *testing.T) {
	link := func(url, text string) Link { return Link{URL: url, Text: text, Body: true} }
	for _, c := range []struct {
		name, feed, title, body string
		links                   []Link
	}{
		{"rss", `<?xml version="1.0"?><rss version="2.0"><channel><title>The harbour</title><link>http://h/</link>
			<description>All of it</description>
			<item><title>Boats &amp; nets</title><link>http://h/1</link><description>&lt;p&gt;They came &lt;b&gt;early&lt;/b&gt;.&lt;/p&gt;</description></item>
			<item><title>Coffee</title><guid>http://h/2</guid><description><![CDATA[<script>x()</script>None was left.]]></description></item>
			<item><guid isPermaLink="false">x7</guid><description>No title.</description></item></channel></rss>`,
			"The harbour", "Boats & nets\nThey came early .\nCoffee\nNone was left.\nNo title.",
			[]Link{link("http://h/1", "Boats & nets"), link("http://h/2", "Coffee")}},
		{"atom", `<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Lights</title><link href="/"/>
			<entry><title>One</title><link rel="edit" href="/edit/1"/><link rel="alternate" href="/1"/><link href="/other"/><summary>Short.</summary>
			<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Long<br/> and <i>whole</i>.</p></div></content></entry>
			<entry><title>Two</title><link href="/2"/></entry></feed>`,
			"Lights", "One\nLong and whole.\nTwo", []Link{link("/1", "One"), link("/2", "Two")}},
		{"rdf", `<rdf:RDF xmlns:rdf="x" xmlns:content="y"><channel><title>Old</title></channel>
			<item rdf:about="http://h/1"><title>A</title><link>http://h/1</link><content:encoded>B c.</content:encoded></item></rdf:RDF>`,
			"Old", "A\nB c.", []Link{link("http://h/1", "A")}},
		{"in another charset", "<?xml version='1.0' encoding='windows-1252'?><rss><channel><title>Caf\xe9</title><item><title>Th\xe9</title></item></channel></rss>",
			"Café", "Thé", nil},
		{"torn", `<rss><channel><title>T</title><item><title>A</title><link>/1</link><description>Begun`, "T", "A\nBegun", []Link{link("/1", "A")}},
		{"a text without an end", `<rss><channel><item><title>A<link>/1</link></item><item><title>B</title></item>`, "", "A /1\nB", nil},
		{"control characters", "<rss><channel><title>T\x0b</title><item><title>A\x0cB</title><link>/1</link></item><item><title>C</title><link>/2</link></item>",
			"T", "A B\nC", []Link{link("/1", "A B"), link("/2", "C")}},
		{"empty", "", "", "", nil},
	} {
		v := Feed([]byte(c.feed), "application/rss+xml")
		if v.Title != c.title || v.Body != c.body || v.Type != "listing" {
			t.Errorf("%s: %s, title %q, body %q; want %q, %q", c.name, v.Type, v.Title, v.Body, c.title, c.body)
		}
		if diff := cmp.Diff(c.links, v.Links); diff != "" {
			t.Errorf("%s: links -want +got\n%s", c.name, diff)
		}
	}
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte(`<rss><channel><title>T</title><item><title>A</title><link>/1</link><description>&lt;b&gt;x`))
	f.Add([]byte(`<feed><entry><content><div>x</content></entry>`))
	f.Fuzz(func(t *testing.T, page []byte) {
		v := Feed(page, "application/xml")
		for _, l := range v.Links {
			if l.URL == "" {
				t.Error("a link without an address")
			}
		}
	})
}

func TestReadOrders(t *testing.T) {
	const page = `<!DOCTYPE html><html><head><META NAME="Robots" CONTENT="noindex"><meta name=robots content='no&#102;ollow'>
		<meta name="gatecrawl" content="none"><meta name="otherbot" content="noarchive">
		<link rel="alternate" hreflang="de" href="/de?a&amp;b"><link rel=alternate type=application/rss+xml href=/feed>
		<link rel=alternate type="Application/Atom+XML; charset=utf-8" href=" /atom"><link type=application/rss+xml href=/none>
		<LINK REL="x Alternate" HREFLANG=fr HREF=" /fr ">
		<script>"<meta name=robots content=all>"</script></head>
		<body><meta name=robots content=late></body></html>`
	want := Orders{Robots: []string{"noindex", "nofollow", "none"}, Alternates: []string{"/de?a&b", "/fr"}, Feeds: []string{"/feed", "/atom"}}
	if diff := cmp.Diff(want, ReadOrders([]byte(page), "text/html", "gatecrawl")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	utf16 := "\xff\xfe"
	for _, c := range []byte(page) {
		utf16 += string([]byte{c, 0})
	}
	if diff := cmp.Diff(want, ReadOrders([]byte(utf16), "text/html", "gatecrawl")); diff != "" {
		t.Errorf("in UTF-16: -want +got\n%s", diff)
	}
	for _, none := range []string{"", "<p>robots</p>", strings.Repeat(" ", maxOrdersHead) + page} {
		if got := ReadOrders([]byte(none), "text/html", "gatecrawl"); len(got.Robots)+len(got.Alternates) > 0 {
			t.Errorf("ReadOrders(%.40q) = %+v, want nothing", none, got)
		}
	}
	if got := ReadOrders([]byte(page), "text/plain", "gatecrawl"); len(got.Robots) > 0 {
		t.Errorf("plain text orders %+v", got)
	}
}

func TestTheBaseOfAFeedIsThatOfItsFirstElement(t *testing.T) {
	for feed, want := range map[string]string{
		`<feed xml:base="/blog/"><entry xml:base="2024/"><title>A</title></entry></feed>`: "/blog/",
		`<feed><entry xml:base="2024/"><title>A</title></entry></feed>`:                   "",
		`<feed base="/blog/"><entry><title>A</title></entry></feed>`:                      "",
	} {
		if v := Feed([]byte(feed), "application/atom+xml"); v.Base != want {
			t.Errorf("base of %s is %q, want %q", feed, v.Base, want)
		}
	}
}
