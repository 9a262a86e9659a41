package blocks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/markup"
)

func TestTextBeyondTheBoundOfBlocksIsInTheLast(t *testing.T) {
	var page strings.Builder
	for i := range maxBlocks + 50 {
		fmt.Fprintf(&page, "<p>word%d</p>", i)
	}
	var o Outline
	o.Reset()
	o.Read([]byte(page.String()), false)
	if len(o.Blocks) != maxBlocks {
		t.Fatalf("%d paragraphs make %d blocks, want %d", maxBlocks+50, len(o.Blocks), maxBlocks)
	}
	last := string(o.BlockText(maxBlocks - 1))
	if want := fmt.Sprintf("word%d word%d", maxBlocks-1, maxBlocks); !strings.HasPrefix(last, want) {
		t.Errorf("the last block starts %.40q, want %q", last, want)
	}
	if want := fmt.Sprintf("word%d", maxBlocks+49); !strings.HasSuffix(last, want) {
		t.Errorf("the last block ends %q, want %q", last[len(last)-20:], want)
	}
}

func TestTextIsCleanedAsABrowserShowsIt(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"white space", "<p>a \n\t b&nbsp;&nbsp;c\u3000d</p>", "a b c d"},
		{"entities", "<p>AT&amp;T &lt;b&gt; &eacute;&#233;&#xe9; &copy; &unknown; & so on</p>", "AT&T <b> ééé © &unknown; & so on"},
		{"inline tags join", "<p>un<b>broken</b> wor<span>d</span></p>", "unbroken word"},
		{"code is coloured within words", "<pre><span>ManagementIPv</span><span>4</span><span>Address</span> = <b>new</b><i>Port</i></pre>", "ManagementIPv4Address = newPort"},
		{"two words in two elements are two", "<p><span>Acme</span><span>Boots</span>, <a href=/w>Work</a><a href=/c>Company</a>, <label>Pads</label><span>158</span>, <b>KEEN</b><i>TARGHEE</i>", "Acme Boots, Work Company, Pads 158, KEEN TARGHEE"},
		{"a word with a tag in it is one", "<p><b>O</b>nce chil<i>dren</i> drank H<sub>2</sub>O on the 3<sup>rd</sup>, see Map<wbr>Reduce", "Once children drank H2O on the 3rd, see MapReduce"},
		{"a term ends where its kind starts", "<p><b>size</b><span>integer</span>, <code>np</code><span>.x</span>, <b>un</b><i>broken</i></p>", "size integer, np.x, unbroken"},
		{"web components", "<app-shell><app-top>Desk</app-top><x-pane><x-head>One</x-head>two <x-icon>up</x-icon> three</x-pane></app-shell>four", "Desk\nOne\ntwo up three\nfour"},
		{"a web component in a paragraph, a heading and an item", "<p><x-new>New</x-new> in June</p><h2><x-i>i</x-i> One</h2><ul><li><x-i>a</x-i> two</ul>", "New in June\ni One\na two"},
		{"br is a space", "<p>one<br>two</p>", "one two"},
		{"scripts and styles", "<p>one</p><script>var x='<p>two</p>'</script><style>p{}</style><template><p>three</p></template>", "one"},
		{"svg", `<p>one <svg viewBox="0 0 1 1"><title>icon</title><path d="M0"/></svg>two</p>`, "one two"},
		{"self-closed svg", `<p>one <svg class="icon"/>two</p><p>and three</p>`, "one two\nand three"},
		{"svg with a stray quote", `<p>one <svg><text>5" disk</text></svg>two</p><p>and three</p>`, "one two\nand three"},
		{"a drawing that nothing closes", `<ul><li><a href=/m>one<svg width="18"></a></li><li>two</li></ul><svg><g><p>three</p>`, "one\ntwo\nthree"},
		{"HTML in a drawing", `<p>one</p><svg><foreignObject><div>two</div></foreignObject></svg><p>three</p>`, "one\nthree"},
		{"an iframe that nothing closes", `<p>one</p><noscript><iframe src="/t" height="0" /></noscript><p>two</p>`, "one\ntwo"},
		{"a link hidden from readers of a screen", `<p>one <a href="/x" aria-hidden="true" tabindex="-1">two</a> <a href="#y" aria-hidden="true">#</a></p>`, "one two"},
		{"a hidden answer", `<dl><dt>one</dt><dd hidden>two</dd></dl>`, "one\ntwo"},
		{"hidden", `<p>one</p><p hidden>two</p><h2 style="display: none">three</h2><p aria-hidden="true">four</p>`, "one"},
		{"hidden words", `<p>one<span hidden> two</span><i aria-hidden="true">three</i></p>`, "one"},
		{"a hidden tab may be the page's", `<p>one</p><div style="display: none"><p>two</p></div>`, "one\ntwo"},
		{"a hidden body is shown", `<body style="display:none"><p>one</p></body>`, "one"},
		{"NUL and zero width", "<p>o\x00n\u200be\ufeff</p>", "one"},
		{"cdata", "<p><![CDATA[one]]></p>", "one"},
		{"slash in the tag", `<p/class=x>one</p>`, "one"},
		{"comment", "<p>one<!-- two -->three</p>", "onethree"},
	} {
		var o Outline
		o.Reset()
		o.Read([]byte(c.page), false)
		if got := strings.TrimSpace(string(o.Text)); got != c.want {
			t.Errorf("%s: text of %q is %q, want %q", c.name, c.page, got, c.want)
		}
	}
}

// The containers of a text are those that browsers make (x/net/html makes the same ones).
func TestMarkupThatDoesNotNestKeepsItsContainers(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"a link in a link", `<div><a href=/1><div><p>card</p><a href=/2>by</a></div></a><p>text</p></div>`, "div/p"},
		{"a link that ends in a block", `<div><a href=/1><div>card</a></div><p>text</p></div>`, "div/p"},
		{"a page in the page", `<article><p><body><p>chart</p></body></p><p>text</p></article>`, "article/p"},
		{"an item that ends twice", `<div><ul><li><ul><li>one</li></li><li>two</li></ul></li><li>text</li></ul></div>`, "div/ul/li"},
		{"a button without an end", `<div><aside><div><button>vote</div></aside><p>text</p></div>`, "div/p"},
		{"a button in a button", `<div><button>one<button>two</button><p>text</p></div>`, "div/p"},
		{"a paragraph's end in a button", `<div><p>one<button></p>text</button></div>`, "div/p/button"},
		{"a heading that ends as another", `<div><h2>one</h3><p>text</p></div>`, "div/p"},
		{"text behind the page", `<div>one</body></html>text`, "div"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o Outline
			o.Reset()
			o.Read([]byte("<html><body>"+c.page), false)
			last := &o.Blocks[len(o.Blocks)-1]
			var around []string
			for n := last.Node; n > 0; n = o.Nodes[n].Parent {
				if tag := o.Nodes[n].Tag; !tag.Is(markup.SpansPage) {
					around = append(around, tag.String())
				}
			}
			slices.Reverse(around)
			if got := strings.Join(around, "/"); got != c.want {
				t.Errorf("%q of %q is in %q, want %q", o.BlockText(len(o.Blocks)-1), c.page, got, c.want)
			}
		})
	}
}

func TestWhatFollowsALinkThatHeldBlocksIsNoLink(t *testing.T) {
	var o Outline
	o.Reset()
	o.Read([]byte(`<a href=/1><div>card</a> and text</div><p>more`), false)
	if len(o.Blocks) != 2 || o.Blocks[0].Linked != int32(len("card")) || o.Blocks[1].Linked != 0 {
		t.Errorf("blocks are %+v, want two, with only the card linked", o.Blocks)
	}
}
