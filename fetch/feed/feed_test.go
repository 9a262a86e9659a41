package feed_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

	"gatecrawl.example/gatecrawl/fetch/feed"
)

// listings are documents, what listing they are, and what is read of them: an
// URL or an error a line.
var listings = []struct {
	what, text string
	kind       feed.Kind
	want       string
}{
	{"sitemap", `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
 <url>
  <loc> http://a.example/?x=1&amp;y=2 </loc><lastmod>2024-01-01</lastmod>
  <image:image><image:loc>http://a.example/p.jpg</image:loc></image:image>
  <xhtml:link rel="alternate" hreflang="de" href="http://a.example/de"/>
 </url>
 <url><loc><![CDATA[http://a.example/新闻]]></loc></url><url><loc/></url>
</urlset>`, feed.Sitemap, "5 http://a.example/?x=1&y=2\n9 http://a.example/新闻\n"},
	{"index", `<sitemapindex><sitemap><loc>/s1.xml.gz</loc></sitemap><loc>no</loc></sitemapindex>`,
		feed.Index, "1 /s1.xml.gz\n"},
	{"RSS 2.0", `<rss version="2.0"><channel><title>t</title><link>http://a.example/</link>
<image><link>http://a.example/logo</link></image>
<item><title>one</title><link>http://a.example/1</link><guid>http://a.example/g1</guid></item>
<item><guid>http://a.example/2</guid></item>
<item><guid isPermaLink="false">3</guid></item>
<item><guid>tag:4</guid></item>
<item><a10:link href="http://x"/><enclosure url="http://a.example/5.mp3"/><link>5</link></item>
</channel></rss>`, feed.RSS, "3 http://a.example/1\n4 http://a.example/2\n7 5\n"},
	{"RSS 1.0", `<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><link>http://a.example/</link></channel><item rdf:about="x"><link>http://a.example/1</link></item></rdf:RDF>`,
		feed.RSS, "1 http://a.example/1\n"},
	{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.example/"/><link rel="self" href="/feed"/>
<entry><link rel="alternate" type="text/html" href="/1"/><link rel="edit" href="/e"/><id>urn:1</id></entry>
<entry><link href='/2'/></entry></feed>`, feed.Atom, "2 /1\n3 /2\n"},
	{"closing tags missing", "<urlset><url><loc>http://a.example/1</loc><url><loc>http://a.example/2</loc>", feed.Sitemap,
		"1 http://a.example/1\n1 http://a.example/2\n"},
	{"breaks", "<urlset>\n<url><loc>http://a.example/1</loc></url>\n<url><loc", feed.Sitemap,
		"2 http://a.example/1\nline 3: invalid XML: unexpected EOF\n"},
	{"ends within a URL", "<urlset>\n<url><loc>http://a.example/1</loc></url>\n<url><loc>http://a.exam", feed.Sitemap,
		"2 http://a.example/1\nline 3: the document ends within a URL\n"},
	{"ends within a link", "<rss><channel><item><title>t</title><link>http://a.example/1", feed.RSS, "line 1: the document ends within a URL\n"},
	{"ends within a date", "<urlset><url><loc>http://a.example/1</loc><lastmod>2024-0", feed.Sitemap, "1 http://a.example/1\n"},
	{"entities do not multiply", `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>http://a.example/&b;</loc></url></urlset>`,
		feed.Sitemap, "1 http://a.example/&b;\n"},
	{"Latin-1", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>http://a.example/caf\xe9</loc></url></urlset>",
		feed.Sitemap, "1 http://a.example/café\n"},
	{"an encoding that nobody knows", "<?xml version='1.0' encoding='klingon'?><urlset><url><loc>http://a.example/é</loc></url></urlset>",
		feed.Sitemap, "1 http://a.example/é\n"},
	{"UTF-8 that says UTF-16", "<?xml version='1.0' encoding='utf-16'?><urlset><url><loc>http://a.example/é</loc></url></urlset>",
		feed.Sitemap, "1 http://a.example/é\n"},
	{"broken bytes and control characters", "<rss><channel><item><title>\xff\xe9</title><link>http://a.example/1</link></item>\n<item><title>\f\x1b</title><link>http://a.example/2</link></item></channel></rss>",
		feed.RSS, "1 http://a.example/1\n2 http://a.example/2\n"},
	{"a prefix of its own", `<sm:urlset xmlns:sm="s"><sm:url><sm:loc>http://a.example/1</sm:loc><i:image><i:loc>http://a.example/p</i:loc></i:image></sm:url></sm:urlset>`,
		feed.Sitemap, "1 http://a.example/1\n"},
	{"Atom with bases", `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xml:base="http://a.example/blog/"><a:entry><a:link href="1"/></a:entry>
<a:entry xml:base="2024/"><a:link href="2"/><a:link rel="alternate" href="/3"/></a:entry>
<a:entry><a:link href="http://b.example/4" xml:base="5/"/></a:entry></a:feed>`, feed.Atom,
		"1 http://a.example/blog/1\n2 http://a.example/blog/2024/2\n2 http://a.example/3\n3 http://b.example/4\n"},
	{"OPML", `<opml version="2.0"><head><title>mine</title></head><body><outline text="News">
<outline type="rss" text="A" xmlUrl="http://a.example/feed?a=1&amp;b=2" htmlUrl="http://a.example/"/>
<outline text="B" htmlUrl="http://b.example/"/><outline type="link" text="C" url="http://c.example/"/><outline text="D"/></outline></body></opml>`,
		feed.OPML, "2 http://a.example/feed?a=1&b=2\n3 http://b.example/\n3 http://c.example/\n"},
	{"a base that is relative", `<feed xml:base="blog/"><entry><link href="1"/></entry></feed>`, feed.Atom, "1 1\n"},
	{"a page", "<!doctype html><html><body>", "", ""},
	{"another document", "<?xml version='1.0'?><svg/>", "", ""},
	{"no document", "urlset", "", ""},
	{"nothing", "", "", ""},
}

func TestListingsAreKnownAndRead(t *testing.T) {
	for _, c := range listings {
		for how, text := range map[string][]byte{"plain": []byte(c.text), "zipped": zip(c.text), "with a mark": []byte("\ufeff" + c.text)} {
			if got := feed.KindOf(text); got != c.kind {
				t.Errorf("%s, %s: KindOf gave %q, want %q", c.what, how, got, c.kind)
			}
			if c.kind == "" {
				continue
			}
			if got := items(bytes.NewReader(text)); got != c.want {
				t.Errorf("%s, %s: Items gave\n%swant\n%s", c.what, how, got, c.want)
			}
		}
	}
}

func TestTextSitemapsAreKnownAndRead(t *testing.T) {
	many := strings.Repeat("http://a.example/\n", 1000)
	for text, want := range map[string]string{
		"http://a.example/1\r\n\r\n https://a.example/2 ": "http://a.example/1\nhttps://a.example/2\n",
		many:                              many,
		"http://a.example/ is a site":     "",
		"http://a.example/1\nsee above\n": "",
		"/1":                              "",
		"<urlset>\nhttp://a.example/":     "",
		"":                                "",
	} {
		for how, text := range map[string][]byte{"plain": []byte(text), "zipped": zip(text), "with a mark": []byte("\ufeff" + text)} {
			if got := feed.SitemapOf(text); (got == feed.Text) != (want != "") {
				t.Errorf("%s, %.60q: SitemapOf is %q", how, text, got)
			}
			if want == "" {
				continue
			}
			var b strings.Builder
			for item, err := range feed.Lines(bytes.NewReader(text), 0) {
				if err != nil {
					t.Errorf("%s, %.60q: %v", how, text, err)
				}
				fmt.Fprintln(&b, item.Ref)
			}
			if got := b.String(); got != want {
				t.Errorf("%s, %.60q: Lines gave\n%swant\n%s", how, text, got, want)
			}
		}
	}
}

// TestListsInUTF16AreKnownAndRead: with its byte order mark and without one, in both byte orders,
// zipped or not, and whichever Unicode encoding the text declares.
func TestListsInUTF16AreKnownAndRead(t *testing.T) {
	utf8s := []string{
		"<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>http://a.example/é</loc></url></urlset>",
		"<?xml version='1.0' encoding='utf-8'?><urlset><url><loc>http://a.example/é</loc></url></urlset>",
		"<urlset><url><loc>http://a.example/é</loc></url></urlset>",
		"http://a.example/é\r\n",
	}
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			for _, text := range utf8s {
				wide, err := unicode.UTF16(order, mark).NewEncoder().String(text)
				if err != nil {
					t.Fatal(err)
				}
				kind, list := feed.Sitemap, items
				if text[0] == 'h' {
					kind, list = feed.Text, lines
				}
				for how, doc := range map[string][]byte{"plain": []byte(wide), "zipped": zip(wide)} {
					if got := feed.SitemapOf(doc); got != kind {
						t.Errorf("%s, order %v, mark %v, %s: SitemapOf gave %q, want %q", text, order, mark, how, got, kind)
					}
					if got := list(bytes.NewReader(doc)); got != "1 http://a.example/é\n" {
						t.Errorf("%s, order %v, mark %v, %s: read %q", text, order, mark, how, got)
					}
				}
			}
		}
	}
}

// TestACharsetOfTheServerIsForADocumentThatSaysNothing: it neither declares one nor is UTF-8.
func TestACharsetOfTheServerIsForADocumentThatSaysNothing(t *testing.T) {
	for text, want := range map[string]string{
		"<urlset><url><loc>/\xe6</loc></url></urlset>":                                            "/ж",
		"<urlset><url><loc>/ж</loc></url></urlset>":                                               "/ж",
		"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/\xe6</loc></url></urlset>": "/æ",
		"<?xml version='1.0' encoding='UTF-8'?><urlset><url><loc>/ж</loc></url></urlset>":         "/ж",
		"<urlset><url><loc>/" + strings.Repeat("жа", 300) + "</loc></url></urlset>":               "/" + strings.Repeat("жа", 300),
	} {
		for item, err := range feed.Items(strings.NewReader(text), "windows-1251", 0) {
			if err != nil || item.Ref != want {
				t.Errorf("%.80s: read %.80q, %v; want %.80q", text, item.Ref, err, want)
			}
		}
	}
}

func lines(r io.Reader) string {
	var b strings.Builder
	for item, err := range feed.Lines(r, 0) {
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintln(&b, item.Line, item.Ref)
	}
	return b.String()
}

func items(r io.Reader) string {
	var b strings.Builder
	for item, err := range feed.Items(r, "", 0) {
		if err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintln(&b, item.Line, item.Ref)
	}
	return b.String()
}

func TestItemsOfASitemapSayWhenTheyChanged(t *testing.T) {
	for text, want := range map[string]string{
		"<loc>/1</loc><lastmod>2026-03-04T05:06:07.5+01:00</lastmod>": "2026-03-04T04:06:07.5Z",
		"<loc>/1</loc>\n<lastmod> 2026-03-04T05:06Z </lastmod>":       "2026-03-04T05:06:00Z",
		"<loc>/1</loc><lastmod>2026-03-04</lastmod>":                  "2026-03-05T00:00:00Z", // by its end
		"<loc>/1</loc><lastmod>2026-03</lastmod>":                     "",
		"<loc>/1</loc><lastmod>yesterday</lastmod>":                   "",
		"<loc>/1</loc>": "",
	} {
		n := 0
		for item, err := range feed.Items(strings.NewReader("<urlset><url>"+text+"</url><url><loc>/2</loc></url></urlset>"), "", 0) {
			got := ""
			if !item.Modified.IsZero() {
				got = item.Modified.UTC().Format(time.RFC3339Nano)
			}
			if n++; err != nil || item.Ref != fmt.Sprintf("/%d", n) || n == 1 && got != want || n == 2 && got != "" {
				t.Errorf("%s: item %d is %+v, %v; want it changed at %q", text, n, item, err, want)
			}
		}
		if n != 2 {
			t.Errorf("%s: %d items, want 2", text, n)
		}
	}
}

func TestItemsTakesLittleMemoryForAHostileListing(t *testing.T) {
	for what, text := range map[string]string{
		"deep":           "<urlset>\nhttp://a.example/" + strings.Repeat("<url>", 200_000),
		"a long address": "<urlset><url><loc>" + strings.Repeat("a", 1<<20),
		"unopened":       "<urlset>\nhttp://a.example/" + strings.Repeat("</url>", 200_000),
	} {
		n := 0
		for item := range feed.Items(strings.NewReader(text), "", 0) {
			if n++; len(item.Ref) > 1<<20 {
				t.Errorf("%s: an address of %d bytes", what, len(item.Ref))
			}
		}
		if n > 1 {
			t.Errorf("%s: %d items, want at most an error", what, n)
		}
	}
}

func TestItemsEndsAtTheLimitOfUnzippedBytes(t *testing.T) {
	text := "<urlset>\nhttp://a.example/" + strings.Repeat("<url><loc>http://a.example/</loc></url>", 10_000)
	n, last := 0, error(nil)
	for _, err := range feed.Items(bytes.NewReader(zip(text)), "", 1000) {
		n, last = n+1, err
	}
	if n > 1000/39+2 || last == nil || !strings.Contains(last.Error(), "longer than 1000 bytes") {
		t.Errorf("%d items, then %v", n, last)
	}
}

func FuzzItems(f *testing.F) {
	for _, c := range listings {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		feed.SitemapOf(text)
		for range feed.Lines(bytes.NewReader(text), 0) {
		}
		line := 0
		for item, err := range feed.Items(bytes.NewReader(text), "", 0) {
			if err != nil {
				continue
			}
			if item.Ref == "" || item.Line < line {
				t.Fatalf("item %+v after line %d", item, line)
			}
			line = item.Line
		}
	})
}

func BenchmarkItems(b *testing.B) {
	var text strings.Builder
	text.WriteString("<urlset>\nhttp://a.example/")
	for i := range 1000 {
		fmt.Fprintf(&text, "<url><loc>https://example.org/articles/%d/title-of-the-article</loc><lastmod>2024-05-31</lastmod></url>\n", i)
	}
	text.WriteString("</urlset>")
	b.Run("addresses=1000", func(b *testing.B) {
		b.SetBytes(int64(text.Len()))
		for b.Loop() {
			for range feed.Items(strings.NewReader(text.String()), "", 0) {
			}
		}
	})
}

func zip(text string) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	io.WriteString(z, text) // a bytes.Buffer takes everything
	z.Close()
	return out.Bytes()
}

func TestAFeedIsReadWithItsArticles(t *testing.T) {
	got := feed.Parse([]byte(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.example/blog/">
<title>Lights &amp; boats</title><entry xml:base="2024/"><title>One</title><link rel="edit" href="e"/><link href="1"/><link href="other"/><summary>Short.</summary><content>Long.</content></entry>
<entry><summary>No title, no link.</summary></entry><entry><title>Too many`), 2)
	want := feed.Feed{Title: "Lights & boats", Base: "http://a.example/blog/", Articles: []feed.Article{
		{Ref: "http://a.example/blog/2024/1", Title: "One", Text: "Long."}, {Text: "No title, no link."},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAnItemOfManyLinksDoesNotWaitForItsEnd(t *testing.T) {
	text := "<feed><entry>" + strings.Repeat(`<link href="/1"/>`, 1000)
	n := 0
	for _, err := range feed.Items(io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)), "", 0) {
		if err == nil {
			n++
		}
	}
	if n != 1000 {
		t.Errorf("%d links of one entry, want 1000", n)
	}
	if got := feed.Parse([]byte(text), 10); len(got.Articles) != 1 || got.Articles[0].Ref != "/1" {
		t.Errorf("Parse gave %+v, want one article", got)
	}
	n = 0
	for range feed.Items(strings.NewReader(text), "", 0) {
		if n++; n == 3 {
			break // and nothing more is yielded, which would panic
		}
	}
}

func TestASitemapMayNameTheDateBeforeTheURL(t *testing.T) {
	for item, err := range feed.Items(strings.NewReader("<urlset><url><lastmod>2026-03-04T05:06:00Z</lastmod><loc>/1</loc></url></urlset>"), "", 0) {
		if err != nil || item.Ref != "/1" || item.Modified.IsZero() {
			t.Errorf("item is %+v, %v, want its date", item, err)
		}
	}
}
