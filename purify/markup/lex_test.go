package markup

import (
	"fmt"
	"strings"
	"testing"
)

// tokensOf writes a page's tokens: a text in brackets, a tag with its attributes.
func tokensOf(page string, xml bool) string {
	var out strings.Builder
	l := NewLexer([]byte(page), xml)
	for kind := l.Next(); kind != TokenEnd; kind = l.Next() {
		switch kind {
		case TokenText:
			fmt.Fprintf(&out, "[%s]", l.Text)
		case TokenClose:
			fmt.Fprintf(&out, "</%s>", l.Name)
		case TokenStart:
			fmt.Fprintf(&out, "<%s", l.Name)
			for _, a := range l.Attrs {
				fmt.Fprintf(&out, " %s=%s", a.Key, a.Val)
			}
			if l.Self {
				out.WriteByte('/')
			}
			out.WriteByte('>')
		}
	}
	return out.String()
}

func TestALexerReadsWhatBrowsersRead(t *testing.T) {
	for _, c := range []struct{ page, want string }{
		{"", ""},
		{"a<b>c</B >d", "[a]<b>[c]</b>[d]"},
		{"1 < 2 <3 </> <", "[1 < 2 <3 </> <]"},
		{"a</", "[a</]"},
		{"a</3>b<!x>c<?y?>d", "[a][b][c][d]"},
		{"a<!-- - -- > <p> -->b<!-- --!>c<!-- d", "[a][b][c]"},
		{"a<!---->b<!-->c-->d", "[a][b][d]"},
		{"a<![CDATA[<b>]] ]]>c<![CDATA[d", "[a][<b>]] ][c][d]"},
		{"<body><![CDATA[\n<p>a</p><![CDATA[<p>b", "<body>[\n]<p>[a]</p><p>[b]"},
		{`<a HREF="x>y" b='"' c d = e f=/>g`, `<a href=x>y b=" c= d=e f=/>[g]`},
		{`<a href=x/y/>z<br/><br / >`, `<a href=x/y/>[z]<br/><br /=>`},
		{`<img/src=x><my-tag/x></p/y>`, `<img src=x><my-tag/x></p>`},
		{`<p class="a`, `<p class=a>`},
		{`<p class`, `<p class=>`},
		{"<title>a <b> & <svg/></titles></TITLE >b", "<title>[a <b> & <svg/></titles>]</title>[b]"},
		{"<script>if (a<b) '</p>'</script>c", "<script>[if (a<b) '</p>']</script>[c]"},
		{"<script><!-- <script> </script> --></script>a", "<script>[<!-- <script> </script> -->]</script>[a]"},
		{"<script><!-- </script>a", "<script>[<!-- ]</script>[a]"},
		{"<script>a<!-- <script>", "<script>[a<!-- <script>]"},
		{"<script/>a</script>b", "<script/>[a]</script>[b]"},
		{"<noscript><iframe src=x /></noscript><p>a</iframe>", "<noscript><iframe src=x/></noscript><p>[a]</iframe>"},
		{"<noscript><iframe></iframe><b></noscript><iframe/></noscript>a", "<noscript><iframe></iframe><b></noscript><iframe/>[</noscript>a]"},
		{"<plaintext>a</plaintext><b>", "<plaintext>[a</plaintext><b>]"},
		{`<a href="/v<e/x">`, `<a href=/v<e/x>`},
		{"<svg><title/><path/></svg><p>a<title/>b", "<sv-><titl-/><path/></sv-><p>[a]<title/>[b]"},
		{"<svg><style/><script/><script>a<b</script></svg>c<script/>d", "<sv-><styl-/><scrip-/><script>[a<b]</script></sv->[c]<script/>[d]"},
		{"<svg><p>a<script/>b</script>", "<sv-><p>[a]<script/>[b]</script>"},
		{"<svg><path/></svg><math>x</math>", "<sv-><path/></sv-><mat->[x]</mat->"},
	} {
		if got := tokensOf(c.page, false); got != c.want {
			t.Errorf("tokens of %q are %s, want %s", c.page, got, c.want)
		}
	}
}

func TestASelfClosedScriptOfXMLHasNoContent(t *testing.T) {
	if got, want := tokensOf("<script src='/>'/><p>a</p><title>b <i></title>", true), "<scrip- src=/>/><p>[a]</p><title>[b <i>]</title>"; got != want {
		t.Errorf("tokens are %s, want %s", got, want)
	}
}

func TestATagHasABoundOfAttributes(t *testing.T) {
	l := NewLexer([]byte("<p"+strings.Repeat(" a=1", 2*maxAttrs)+">"), false)
	if kind := l.Next(); kind != TokenStart || len(l.Attrs) != maxAttrs {
		t.Errorf("a tag of %d attributes has %d, want %d", 2*maxAttrs, len(l.Attrs), maxAttrs)
	}
}

// Tokens follow one another and lie in the page.
func FuzzLexer(f *testing.F) {
	for _, s := range []string{"<p a=1>b</p>", "<script><!--<script></script>--></script>", "<!--a--!><![CDATA[b]]>", "<title>a</tit", "<a b='", "</p"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, page []byte, xml bool) {
		l := NewLexer(append([]byte(nil), page...), xml)
		at := 0
		for kind := l.Next(); kind != TokenEnd; kind = l.Next() {
			if l.From < at || l.To <= l.From || l.To > len(page) {
				t.Fatalf("a token from %d to %d follows one to %d in a page of %d bytes", l.From, l.To, at, len(page))
			}
			at = l.To
		}
	})
}
