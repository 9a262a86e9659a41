package purify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/css"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/truth"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// banner is more of a text than what stands below it, and the models take it for body.
const banner = `<html><head><title>Spare part 4711</title></head><body>
<div class="notice"><p>We and our partners store and read information on your device, such as cookies, so that
the site works, so that we learn how it is used, and so that what we show you is about what you like.</p>
<p>You can say no to all of it, which we regret, or to some of it, and you may change your mind at any time later on.</p></div>
<table class="data"><tr><th>Part<th>Price<tr><td>Bolt M8<td>0.20<tr><td>Nut M8<td>0.15</table>
</body></html>`

func selectors(t *testing.T, extract, keep, drop []string) *Selectors {
	t.Helper()
	s, err := ParseSelectors(extract, keep, drop)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readBy reads a page by selectors, without a template.
func readBy(t *testing.T, page string, extract, keep, drop []string) *DocView {
	t.Helper()
	r := Reader{Selectors: selectors(t, extract, keep, drop)}
	v, _ := r.PurifyOn(nil, "http://www.shop.test/parts/4711", []byte(page), "text/html")
	return v
}

func texts(v *DocView) string {
	var b strings.Builder
	for i := range v.Blocks {
		b.WriteString(v.Blocks[i].Text + "\n")
	}
	return b.String()
}

func TestWhatIsDroppedIsNeitherBodyNorCompared(t *testing.T) {
	if v := readBy(t, banner, nil, nil, nil); !strings.Contains(v.Body, "cookies") {
		t.Fatalf("the models do not take the notice for body, so this test shows nothing: %q", v.Body)
	}
	v := readBy(t, banner, nil, nil, []string{".notice"})
	if strings.Contains(v.Body, "cookies") || strings.Contains(texts(v), "cookies") {
		t.Errorf("the notice is still there:\nbody: %q\nblocks: %q", v.Body, texts(v))
	}
	if !strings.Contains(v.Body, "Bolt M8") {
		t.Errorf("without the notice the body is %q, want the table", v.Body)
	}
}

func TestWhatIsKeptIsTheBodyAlone(t *testing.T) {
	v := readBy(t, banner, nil, []string{"table.data"}, nil)
	want := "Part\nPrice\nBolt M8\n0.20\nNut M8\n0.15"
	if v.Body != want || strings.TrimSpace(texts(v)) != want {
		t.Errorf("body %q\nblocks %q\nwant %q", v.Body, texts(v), want)
	}
	if v := readBy(t, banner, nil, []string{"#nowhere"}, nil); !strings.Contains(v.Body, "cookies") {
		t.Errorf("where nothing matches the models choose; got %q", v.Body)
	}
	if v := readBy(t, strings.Replace(banner, "</body>", "<div id=empty><br></div></body>", 1), nil, []string{"#empty"}, nil); !strings.Contains(v.Body, "cookies") {
		t.Errorf("where no text matches the models choose; got %q", v.Body)
	}
}

func TestWhatIsDroppedIsNotKept(t *testing.T) {
	page := `<div class=a>one <div class=b>two <div class=c>three</div> four</div> five</div>`
	for _, c := range []struct {
		keep, drop, want string
	}{
		{".a", ".b", "one\nfive"},
		{".b", ".a", ""},
		{".c", "", "three"},
		{".b", ".c", "two\nfour"},
		{".a, .c", "", "one\ntwo\nthree\nfour\nfive"},
	} {
		var drop []string
		if c.drop != "" {
			drop = []string{c.drop}
		}
		if v := readBy(t, page, nil, []string{c.keep}, drop); v.Body != c.want {
			t.Errorf("keep %s, drop %s: body %q, want %q", c.keep, c.drop, v.Body, c.want)
		}
	}
}

func TestSelectorsDivideALine(t *testing.T) {
	page := `<p>The hammer <span class=ad>Buy now!</span> costs <b class=price>12 €</b> <i class=price>or 13 $</i> today.</p>`
	if v := readBy(t, page, nil, []string{".price"}, nil); v.Body != "12 € or 13 $" {
		t.Errorf("kept %q", v.Body)
	}
	if v := readBy(t, page, nil, []string{"p"}, []string{".ad"}); v.Body != "The hammer\ncosts 12 € or 13 $ today." {
		t.Errorf("without the advertisement %q", v.Body)
	}
}

func TestSelectorsOfAHostAreForItAndThoseBelow(t *testing.T) {
	page := `<p class=a>first of all</p><p class=b>second of all</p>`
	for host, covered := range map[string]bool{
		"shop.test": true, "SHOP.test": true, "www.shop.test": true, "www.shop.test:80": false,
		"hop.test": false, "test": true, "other.test": false, "m.www.shop.test": false,
	} {
		v := readBy(t, page, nil, []string{host + "=.b"}, nil)
		if got := v.Body == "second of all"; got != covered {
			t.Errorf("%s=.b on www.shop.test: body %q, want it to count: %v", host, v.Body, covered)
		}
	}
	s := selectors(t, nil, []string{"bücher.test:8080=p"}, nil)
	if b := s.keep[0]; b.host != "xn--bcher-kva.test:8080" || !b.covers("www.xn--bcher-kva.test:8080") || b.covers("xn--bcher-kva.test") {
		t.Errorf("the host is %q", b.host)
	}
	if s := selectors(t, nil, []string{"a_b.test=p"}, nil); s.keep[0].host != "a_b.test" {
		t.Errorf("the host is %q", s.keep[0].host)
	}
	if s := selectors(t, nil, []string{`a[href="x=y"]`}, nil); s.keep[0].host != "" {
		t.Errorf("an = within brackets is no end of a host; got %q", s.keep[0].host)
	}
}

func TestHiddenTextIsBodyWhereItIsKept(t *testing.T) {
	page := `<p>Seen by all who come here.</p><p class=x style="display:none">Seen by those who ask.</p><script class=x>var unseen</script><textarea class=x>typed</textarea>`
	if v := readBy(t, page, nil, []string{".x"}, nil); v.Body != "Seen by those who ask." {
		t.Errorf("body %q", v.Body)
	}
}

func TestNoTemplateTakesWhatIsKept(t *testing.T) {
	var h host
	page := func(n int) string {
		return strings.Replace(article(n, ""), "</body>", "<div class=terms><p>"+promo+"</p></div></body>", 1)
	}
	for n := range 12 {
		h.meet(page(n))
	}
	if h.template == nil {
		t.Fatal("no template was learned")
	}
	r := Reader{Selectors: selectors(t, nil, []string{".terms"}, nil)}
	v, _ := r.PurifyOn(h.template, "http://a.test/", []byte(page(99)), "text/html")
	if !strings.Contains(v.Body, "ten crowns") || len(v.Blocks) != 1 || v.Blocks[0].Shared {
		t.Errorf("the body is %q in %d blocks, want the terms that each page has", v.Body, len(v.Blocks))
	}
	v.Reframe(h.template)
	if len(v.Own(nil)) != 1 {
		t.Errorf("of another template's view: %d own blocks, want 1", len(v.Own(nil)))
	}
}

func TestLinksInDroppedTextAreFollowedAndNotOfTheBody(t *testing.T) {
	page := `<div class=story><p>` + sentence(1) + `</p><p class=more>See also <a href="/other">the other page</a></p><p>` + sentence(2) + `</p></div>`
	v := readBy(t, page, nil, nil, []string{".more"})
	if len(v.Links) != 1 || v.Links[0].URL != "/other" || v.Links[0].Body || v.Links[0].Text != "the other page" || v.Links[0].Context != "" {
		t.Errorf("links are %+v", v.Links)
	}
}

func TestFieldsAreExtracted(t *testing.T) {
	page := `<!DOCTYPE html><html lang=zh><head><title> Tea &amp; more </title><meta property="og:price" content="12.50">
<script type="application/ld+json">{"a": "<b>"}</script></head><body><h1>绿茶  <small>250 g</small></h1>
<ul class=tags><li>tea<li>green &lt;tea&gt;</ul>
<p class=p>One<br>two<script>no()</script></p><p class=p>three</p>
<table id=t><tr><td>1<td>2<tr><td>3</table>
<a href="../x?a=1&amp;b=2#top">x</a><a>none</a><a href="mailto:a@b.c">m</a><input value=" v "></body></html>`
	v := readBy(t, page, []string{
		"title=title", "price=meta[property='og:price']@content", "name=h1", "tags[]=.tags li", "p=.p", "ps[]=.p",
		"none=.nothing", "no[]=.nothing", "cells[]=table#t > tbody > tr > td", "href[]=a@HREF", "ld=script[type*=json]", "v=input@value",
		"lang=html@lang", "第一=li:nth-child(1)", "all=ul",
	}, nil, nil)
	got, err := json.Marshal(v.Fields)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"title":"Tea \u0026 more","price":"12.50","name":"绿茶 250 g","tags":["tea","green \u003ctea\u003e"],"p":"One two","ps":["One two","three"],` +
		`"cells":["1","2","3"],"href":["../x?a=1\u0026b=2#top","mailto:a@b.c"],"ld":"{\"a\": \"\u003cb\u003e\"}","v":"v","lang":"zh","第一":"tea","all":"tea green \u003ctea\u003e"}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back Fields
	if err := json.Unmarshal(got, &back); err != nil || len(back) != len(v.Fields) || !slices.Equal(back.Get("cells"), []string{"1", "2", "3"}) {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if len(v.FieldsCut) > 0 {
		t.Errorf("cut: %v", v.FieldsCut)
	}
}

func TestFieldsAreBounded(t *testing.T) {
	long := strings.Repeat("语", css.MaxValue)
	page := "<p>" + long + "</p>" + strings.Repeat("<i>x</i>", css.MaxList+1) + strings.Repeat("<b>"+strings.Repeat("y ", 4000)+"</b>", 50)
	v := readBy(t, page, []string{"p=p", "i[]=i", "b[]=b", "after=p", "one=i"}, nil, nil)
	if p := v.Fields.Get("p"); len(p) != 1 || len(p[0]) > css.MaxValue || len(p[0]) < css.MaxValue-3 || !strings.HasPrefix(long, p[0]) {
		t.Errorf("a long value has %d bytes", len(p[0]))
	}
	if n := len(v.Fields.Get("i")); n != css.MaxList {
		t.Errorf("a long list has %d texts", n)
	}
	all := 0
	for _, f := range v.Fields {
		for _, s := range f.Values {
			all += len(s)
		}
	}
	if all > css.MaxPage {
		t.Errorf("the fields of the page have %d bytes", all)
	}
	if want := []string{"p", "i", "b", "after", "one"}; !slices.Equal(v.FieldsCut, want) {
		t.Errorf("cut: %v, want %v", v.FieldsCut, want)
	}
}

func TestWithoutSelectorsNothingIsBuilt(t *testing.T) {
	s, err := ParseSelectors(nil, nil, nil)
	if s != nil || err != nil {
		t.Errorf("got %v, %v", s, err)
	}
	elsewhere := Reader{Selectors: selectors(t, nil, []string{"other.test=p"}, nil)}
	v, _ := elsewhere.PurifyOn(nil, "http://a.test/", []byte(banner), "text/html")
	if plain := Purify([]byte(banner), "text/html"); v.Body != plain.Body || len(v.Blocks) != len(plain.Blocks) {
		t.Errorf("selectors of another host change the page")
	}
}

func TestFaultsOfSelectorsAreAllNamed(t *testing.T) {
	_, err := ParseSelectors([]string{"x", "a=p", "a=i"}, []string{"p[", "no host=p"}, []string{":x"})
	for _, want := range []string{`"x" has no =`, "field a: it is there twice", `selector "p["`, `"no host" is not a host`, `selector ":x"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestTheTreeIsThatOfABrowser compares what selectors find in the tree that is built on the way with what
// they find in that of golang.org/x/net/html, on real pages. Answers differ where tags overlap.
func TestTheTreeIsThatOfABrowser(t *testing.T) {
	slow.Test(t, "has Chromium read real pages")
	questions := []string{
		"title", "body > *", "h1", "main, article", "ul > li", "table > tbody > tr > td", "p", "div > p", "a[href]", "img[src]@src", "nav a@href",
		"meta[name=description]@content", "footer", "li:first-child", "h2 + p", "pre", "dl dd", "form input@name", "head > link@rel", "span",
	}
	var fields []css.Field
	for _, q := range questions {
		f, err := css.ParseField("x[]=" + q)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	asked, same := 0, 0
	differ := make(map[string]int)
	for _, name := range []string{"mixed-zh-en.jsonl.zst", "web-content.jsonl.zst"} {
		eachPage(t, name, func(p *truth.Page) {
			text, _ := charset.Decode([]byte(p.HTML), "text/html; charset=utf-8")
			var o blocks.Outline
			o.Reset()
			tree := o.ReadTree(text, markup.IsXML("text/html", text))
			root, err := html.ParseWithOptions(strings.NewReader(string(text)), html.ParseOptionEnableScripting(false))
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs := tree.Document(), goquery.NewDocumentFromNode(root)
			for i := range fields {
				a, b := css.Budget(css.MaxPage), css.Budget(css.MaxPage)
				got, _ := fields[i].Extract(ours, &a)
				want, _ := fields[i].Extract(theirs, &b)
				if len(want.Texts) == 0 && len(got.Texts) == 0 {
					continue
				}
				if asked++; slices.Equal(got.Texts, want.Texts) {
					same++
				} else if differ[questions[i]]++; differ[questions[i]] <= 2 {
					t.Logf("%s: %s: %d texts, a browser's tree has %d: %s", p.URL, questions[i], len(got.Texts), len(want.Texts), firstDifference(got.Texts, want.Texts))
				}
			}
		})
	}
	t.Logf("of %d answers %d are the same (%.2f%%); others: %v", asked, same, 100*float64(same)/float64(asked), differ)
	if same*100 < asked*98 {
		t.Errorf("%d of %d answers are the same, want 98%%", same, asked)
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%d: %.80q, theirs %.80q", i, a[i], b[i])
		}
	}
	return "one list goes on"
}

func FuzzSelectorsOnAnyPage(f *testing.F) {
	f.Add(banner, "table", ".notice")
	f.Add("<table><td>x<div>y<b><p>z</b>", "td", "b")
	f.Add("<head><p>x</head><svg><title>y</svg><noscript><i>a</noscript>", "p", "i")
	f.Fuzz(func(t *testing.T, page, keep, drop string) {
		s, err := ParseSelectors([]string{"x[]=" + keep}, []string{keep}, []string{drop})
		if err != nil {
			return
		}
		v, _ := Reader{Selectors: s}.PurifyOn(nil, "http://a.test/", []byte(page), "text/html")
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Pinned && !b.Chosen {
				t.Errorf("block %q is kept by hand and not chosen", b.Text)
			}
		}
	})
}

func BenchmarkReadWithSelectors(b *testing.B) {
	page := []byte(strings.Repeat(article(1, promo), 12))
	for name, s := range map[string][3][]string{
		"none": {}, "extract": {{"h1=h1", "p[]=.story p"}}, "drop": {nil, nil, {".ad"}}, "keep": {nil, {".story"}, nil},
	} {
		sel, err := ParseSelectors(s[0], s[1], s[2])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s%dkB", name, len(page)>>10), func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				Reader{Selectors: sel}.PurifyOn(nil, "http://a.test/", page, "text/html")
			}
		})
	}
}
