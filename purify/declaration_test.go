package purify

import (
	"strings"
	"testing"
)

func TestADeclarationIsInTheBodyOfItsPage(t *testing.T) {
	const menu = `<table class=bar><tr><td>[<a href=i.html>Overview</a>][<a href=c.html>Constants</a>][<a href=t.html>Types</a>]</td><td>Reference for unit 'Linux'</td></tr></table>`
	for _, c := range []struct{ page, want string }{
		{`<title>CLONE_FS</title><body>` + menu + `<h1>CLONE_FS</h1><p><a href=clone.html>Clone</a> option: fs info shared between processes</p><h2>Declaration</h2>` +
			`<p>Source position: linux.pp line 62</p><table><tr><td><p><tt>const CLONE_FS = $00000200;</tt></p></td></tr></table>`, "const CLONE_FS = $00000200;"},
		{`<title>Waiter()-&gt;get_base() - Manual</title><body><header><h1><a href=/>The language</a></h1></header><div><article><h1>Method Waiter()-&gt;get_base()</h1><dl><dt>Method <b>get_base</b></dt>` +
			`<dd><p><code>int <b>get_base</b>()</code></p></dd><dt>Description</dt><dd><p>Gets the y position of the current line's base, in layout coordinates (origin at top left of the entire layout).</p></dd></dl></article></div>`,
			"Method get_base\nint get_base()\n"},
	} {
		if got := Purify([]byte(c.page), "text/html").Body; !strings.Contains(got, c.want) {
			t.Errorf("the body is\n%s\nwithout the declaration %q of the page\n%s", got, c.want, c.page)
		}
	}
}

func TestAListOfTheSameNameIsNoDeclaration(t *testing.T) {
	page := `<title>Dune</title><body><article><h1>Dune</h1><p>` + sentence(1) + `</p><p>` + sentence(2) + `</p></article><ul class=related><li><a href=1>Dune: Part Two (2024)</a><li><a href=2>The making of Dune (2021)</a></ul>`
	if got := Purify([]byte(page), "text/html").Body; strings.Contains(got, "Part Two") || strings.Contains(got, "making") {
		t.Errorf("a story with related ones has the body\n%s", got)
	}
}
