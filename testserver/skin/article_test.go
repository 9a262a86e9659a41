package skin

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

var shown = corpus.Markup{
	Title: [2]string{"[T ", "]"}, Heading: [2]string{"[H ", "]"}, Para: [2]string{"[P ", "]"},
	List: [2]string{"[L ", "]"}, Item: [2]string{"[I ", "]"},
}

func TestAnArticleIsRewrittenInTheMarkupOfTheLayout(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain words", "[P plain words]"},
		{`<div class=x id=y><h1 class=t>A</h1><p style=z>b <em class=e>c</em></p></div>`, "[T A] [P b <em>c</em>]"},
		{`<h1>A</h1><h1>B</h1><h3>C</h3>`, "[T A] [H B] [H C]"},
		{`<ul class=m><li class=n>a<li>b</ul>`, "[L [I a] [I b] ]"},
		{`<p>a<p>b`, "[P a] [P b]"},
		{`<div>a</div><div>b</div>`, "[P a] [P b]"},
		{`<div>a <a class=l data-x=1 href="?x=1&amp;y=2">b</a> c</div>`, `[P a <a href="?x=1&amp;y=2">b</a> c]`},
		{`<a href=u><div>a</div></a>b`, `[P <a href="u"> a </a>b]`},
		{`<table class=t><tr><td width=9>a<td>b</table>`, "<table> <tr> <td>a </td> <td>b </td> </tr> </table>"},
		{`a<script>b</script><style>c</style><span class=s>d</span>`, "[P ad]"},
		{`<pre class=code><span>x</span> y</pre>`, "<pre>x y </pre>"},
		{`a<div style="display: none"><div>b</div>c</div><p hidden>d</p>e<input hidden>f`, "[P aef]"},
		{`</div></p>a</section>`, "[P a]"},
	} {
		got := strings.ReplaceAll(strings.Join(strings.Fields(string(rewrite([]byte(c.in), &shown))), " "), " ]", "]")
		if want := strings.ReplaceAll(c.want, " ]", "]"); got != want {
			t.Errorf("rewrite(%q) = %q, want %q", c.in, got, want)
		}
	}
}
