package purify

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

func paint(t *testing.T, page, contentType string, options PaintOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Paint(&out, []byte(page), contentType, options); err != nil {
		t.Fatalf("Paint(%.80q): %v", page, err)
	}
	return out.String()
}

// textOfClass returns the words of the elements of a class, a space between.
func textOfClass(t *testing.T, page, class string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data == "span" && attrOf(n.Parent, "class") == class && attrOf(n.Parent, "title") != "" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func attrOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestAPaintedPageShowsTheBodyGreenAndTheTemplateGrey(t *testing.T) {
	for site, put := range templates {
		page := put("Bees &amp; wasps", paragraphs(prose(5, 8, 3)))
		painted := paint(t, page, "text/html", PaintOptions{})
		want := strings.Join(strings.Fields(Purify([]byte(page), "text/html").Body), " ")
		if got := textOfClass(t, painted, "crawl-kept"); got != want {
			t.Errorf("%s: green text is\n%.200q, want the body\n%.200q", site, got, want)
		}
		if got := textOfClass(t, painted, "crawl-dropped"); !strings.Contains(got, "2024") || strings.Contains(got, "tracking") {
			t.Errorf("%s: grey text is %q, want the footer and no script", site, got)
		}
		if n := strings.Count(painted, `<span class="crawl-score `); n < 10 {
			t.Errorf("%s: %d scores are shown, want one a block", site, n)
		}
	}
}

func TestWhatOnlyPagesWithoutScriptsShowIsPaintedAsItIsJudged(t *testing.T) {
	page := "<noscript><p>Turn scripts on.</p></noscript>" + paragraphs(prose(5, 4, 3)) + "<noscript>and again</noscript><p>The last words of the page stand here.</p>"
	painted := paint(t, page, "text/html", PaintOptions{})
	want := strings.Join(strings.Fields(Purify([]byte(page), "text/html").Body), " ")
	if got := textOfClass(t, painted, "crawl-kept"); got != want || strings.Contains(painted, "Turn scripts on") {
		t.Errorf("green text is %.200q, want %.200q and no noscript", got, want)
	}
}

func TestPlainTextIsPaintedWhole(t *testing.T) {
	if got := paint(t, "a <b> & c", "text/plain", PaintOptions{}); !strings.Contains(got, `<pre class="crawl-kept">a &lt;b&gt; &amp; c</pre>`) {
		t.Errorf("Paint(text) = %q, want the text escaped", got)
	}
}

func TestLinksAndPicturesArePaintedOnlyWhereTheyLeadToTheWeb(t *testing.T) {
	const page = `<p>Words <a href="/a?x=1&amp;y=2">one</a> <a href="http://h.example/">two</a> <img src=p.png alt="a &quot;bee&quot;" width=20 onerror=x> and more.</p><link rel=stylesheet href=s.css><style>p{}</style>`
	for _, c := range []struct {
		name     string
		options  PaintOptions
		has, not []string
	}{
		{"no address", PaintOptions{}, []string{`href="http://h.example/"`, `[a &#34;bee&#34;]`}, []string{"/a?", "p.png", "s.css", "<style>p{}"}},
		{"no address, pictures", PaintOptions{Load: true}, []string{`href="http://h.example/"`, "<style>p{}"}, []string{"/a?", "p.png", "s.css"}},
		{"an address", PaintOptions{Base: "https://h.example/d/"}, []string{`<base href="https://h.example/d/">`, `href="/a?x=1&amp;y=2"`}, []string{"p.png", "s.css", "<style>p{}"}},
		{"pictures", PaintOptions{Base: "https://h.example/d/", Load: true}, []string{`<img src="p.png" alt="a &#34;bee&#34;" width="20">`, `<link rel="stylesheet" href="s.css">`, "<style>p{}</style>"}, []string{"onerror"}},
	} {
		got := paint(t, page, "text/html", c.options)
		for _, s := range c.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %s in %s", c.name, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%s: %s is in %s", c.name, s, got)
			}
		}
	}
}

func TestPaintRefusesABaseThatIsNoWebAddress(t *testing.T) {
	if err := Paint(new(bytes.Buffer), nil, "", PaintOptions{Base: "file:///etc/"}); err == nil {
		t.Error("Paint with base file:///etc/: no error")
	}
}

func TestPaintReportsAWriterThatFails(t *testing.T) {
	full := errors.New("disk full")
	if err := Paint(failing{full}, []byte("<p>x"), "text/html", PaintOptions{}); !errors.Is(err, full) {
		t.Errorf("Paint to a full disk = %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// attacks are ways in which pages run scripts or reach out.
var attacks = []string{
	`<script>alert(1)</script><p>x`, `<p onclick=alert(1)>x</p>`, `<a href="javascript:alert(1)">x</a>`, "<a href=\"java\tscript:alert(1)\">x</a>",
	`<a href="java` + strings.Repeat("\t", 200) + `&#115;cript:alert(1)">x</a>`, `<a href="&#1;javascript&colon;alert(1)">x</a>`, `<a href="data:text/html,x">x</a>`,
	`<a href="vbscript:x">x</a>`, `<a href=x:y>x</a>`, `<img src=x onerror=alert(1)>`, `<img src="javascript:alert(1)">`, `<img src="data:image/svg+xml,<svg onload=alert(1)>">`,
	`<img alt='"><script>alert(1)</script>'>`, `<svg onload=alert(1)><script>alert(1)</script></svg><p>x`, `<math href="javascript:alert(1)">x</math>`,
	`<iframe src=http://evil.example/></iframe><object data=x></object><embed src=x><p>x`, `<form action=http://evil.example/><input autofocus onfocus=alert(1)><button formaction=x>x</button></form>`,
	`<style>p{}</style/><script>alert(1)</script>`, `<style>@import "x";</sty</style><p>x`, `<style><!--</style><script>alert(1)</script>--></style>`,
	`<title></title><script>alert(1)</script>`, `<textarea><script>alert(1)</script></textarea><p>x`, `<noscript><p title="</noscript><script>alert(1)</script>">x`,
	`<p title="&quot;><script>alert(1)</script>">x`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `<!--><script>alert(1)</script>--><p>x`, `<p><![CDATA[<script>alert(1)</script>]]>`,
	`<p class='"><script>alert(1)</script>' id="x" style="background:url(http://evil.example/)">x`, `<base href=http://evil.example/><a href=/x>x</a>`, `<meta http-equiv=refresh content="0;url=http://evil.example/"><p>x`,
	`<plaintext><script>alert(1)</script>`, `<xmp><script>alert(1)</script></xmp>`, `</body></html><script>alert(1)</script>`, `<td colspan='2" onclick=alert(1) "'>x`,
	"<scr\x00ipt>alert(1)</script>", `<link rel=stylesheet href="javascript:alert(1)"><link rel=preload href=http://evil.example/ as=script><p>x`,
}

// harmless are the elements of a painted page, and its attributes.
var (
	harmless = wordSet(`html head body meta base title style link div dl dt dd span pre p h1 h2 h3 h4 h5 h6 ul ol li menu table thead tbody tfoot tr td th caption
		article aside section nav main header footer figure figcaption address blockquote br hr a img colgroup`)
	harmlessAttrs = wordSet("class id title href src alt width height rel target colspan rowspan charset content http-equiv name")
)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

// checkHarmless requires of a painted page that it runs nothing and, without
// load, fetches nothing.
func checkHarmless(t *testing.T, page []byte, contentType string, load bool) {
	t.Helper()
	var out bytes.Buffer
	if err := Paint(&out, page, contentType, PaintOptions{Base: "https://h.example/", Load: load}); err != nil {
		t.Fatal(err)
	}
	// A tokenizer, since a tree would hide what a browser may read otherwise.
	policies := 0
	for z := html.NewTokenizer(&out); z.Next() != html.ErrorToken; {
		n := z.Token()
		if n.Type != html.StartTagToken && n.Type != html.SelfClosingTagToken {
			continue
		}
		if !harmless[n.Data] || n.Data == "img" && !load || n.Data == "link" && !load {
			t.Errorf("painted %.200q (load %v) has a %v", page, load, n)
		}
		if n.Data == "base" && (policies == 0 || n.Attr[0].Val != "https://h.example/") {
			t.Errorf("painted %.200q has %v", page, n)
		}
		for _, a := range n.Attr {
			if a.Val == "Content-Security-Policy" {
				policies++
			}
			if a.Key == "http-equiv" && a.Val == "refresh" || !harmlessAttrs[a.Key] {
				t.Errorf("painted %.200q (load %v) has %v", page, load, n)
			}
			if kind := blocks.Scheme([]byte(a.Val)); (a.Key == "href" || a.Key == "src") && kind != "" && kind != "http" && kind != "https" {
				t.Errorf("painted %.200q (load %v) leads to %q", page, load, a.Val)
			}
		}
	}
	if policies != 1 {
		t.Errorf("painted %.200q has %d policies, want 1", page, policies)
	}
}

func TestAPaintedPageRunsNothing(t *testing.T) {
	for _, page := range attacks {
		for _, load := range []bool{false, true} {
			checkHarmless(t, []byte(page), "text/html", load)
		}
	}
}

func FuzzPaint(f *testing.F) {
	for _, page := range attacks {
		f.Add([]byte(page), "text/html", true)
		f.Add([]byte(page), "application/xhtml+xml", false)
	}
	f.Fuzz(checkHarmless)
}
