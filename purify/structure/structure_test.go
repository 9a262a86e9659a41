package structure_test

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/structure"
)

// docOf reads a page all of whose text is body: a line for each block.
func docOf(page string, links bool) *structure.Document {
	all, err := purify.ParseSelectors(nil, []string{"body"}, nil)
	if err != nil {
		panic(err)
	}
	view, _ := purify.Reader{Selectors: all}.PurifyOn(nil, "", []byte(page), "text/html")
	p := structure.Page{Bytes: []byte(page), ContentType: "text/html", Body: view.Body}
	if links {
		p.Resolve = func(url string) string { return "http://a.example/" + strings.TrimPrefix(url, "/") }
	}
	return structure.Read(p)
}

var cases = []struct{ name, page, markdown, text string }{
	{"headings and paragraphs", "<h1>Bees</h1><p>A hive<br>does not sleep.<h3>Honey</h3>Sweet.",
		"# Bees\n\nA hive\\\ndoes not sleep.\n\n### Honey\n\nSweet.",
		"Bees\n\nA hive\ndoes not sleep.\n\nHoney\n\nSweet."},
	{"web components", "<app-shell><x-head>Bees</x-head><x-text>A hive <x-i>never</x-i> sleeps.</x-text></app-shell>Honey.", "Bees\n\nA hive never sleeps.\n\nHoney.", "Bees\n\nA hive never sleeps.\n\nHoney."},
	{"what may be read in a field, and what was typed", "<p>Source:</p><textarea rows=2 readonly>= Bees =</textarea><textarea>draft</textarea>", "Source:\n\n\\= Bees =", "Source:\n\n= Bees ="},
	{"a heading's link to itself", `<h2>Basic Usage<a class="headerlink" href="#basic" title="Permalink">¶</a></h2><p>Words.`,
		"## Basic Usage\n\nWords.", "Basic Usage\n\nWords."},
	{"a heading that leads to itself, and ends with code", `<h2><a href="#dot">operator <tt>.</tt></a></h2><p>a<h2><a href=#call>operator <tt>#</tt></a><a href=#call>#</a></h2><p>b`,
		"## operator `.`\n\na\n\n## operator `#`\n\nb", "operator .\n\na\n\noperator #\n\nb"},
	{"lists in lists", "<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul><ul><li>e</ul>",
		"- a\n\n  3. b\n  4. c\n\n- d\n\n* e", "- a\n\n  3. b\n  4. c\n\n- d\n\n* e"},
	{"a tight list", "<ul><li>a<ul><li>b</ul><li>c</ul><p>d", "- a\n  - b\n- c\n\nd", "- a\n  - b\n- c\n\nd"},
	{"a listing in an item", "<ol><li><p>Run:</p><pre>a\n  b</pre><li>Stop.</ol>",
		"1. Run:\n\n   ```\n   a\n     b\n   ```\n\n2. Stop.", "1. Run:\n\n   a\n     b\n\n2. Stop."},
	{"a listing with a language", "<div class='highlight-go notranslate'><pre>\n\nif x &lt; 1 {\n\treturn\n}\n\n</pre></div>",
		"```go\nif x < 1 {\n\treturn\n}\n```", "if x < 1 {\n\treturn\n}"},
	{"a listing with fences, a line each element", "<pre><code class=language-md><span>```</span><br><div>a</div><div>  b</div></code></pre>",
		"````md\n```\na\n  b\n````", "```\na\n  b"},
	{"a listing beside its line numbers", "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>", "```\na\nb\n```", "a\nb"},
	{"a listing of one line beside its number", "<figure class=highlight><table><tr><td><pre>1</pre><td><pre>a := []byte(b)</pre></table></figure>", "```\na := []byte(b)\n```", "a := []byte(b)"},
	{"two listings in a table of data", "<table><tr><td><pre>0</pre><td><pre>a</pre></table>", "| | |\n| --- | --- |\n| `0` | `a` |", "0\ta"},
	{"a listing whose lines are numbered one by one", "<pre><div><span>1</span></div><div>if a {</div><div>2</div><div>  b</div><div>3</div><div>4</div><div>}</div></pre>",
		"```\nif a {\n  b\n\n}\n```", "if a {\n  b\n\n}"},
	{"a listing of Doxygen, a div a line", "<p>Code:</p><div class=\"fragment\"><div class=\"line\"><a id=l1></a><span class=\"lineno\">    7</span>if (a &lt; b) {</div>\n" +
		"<div class=\"line\"><span class=\"lineno\"><a href=#l8>    8</a></span>  <b>c</b>();</div>\n<div class=\"line\"><span class=\"lineno\">    9</span> </div>\n" +
		"<div class=\"line\"><span class=\"lineno\">   10</span>}</div>\n<div class=\"ttc\">a tooltip</div></div><p>Words.",
		"Code:\n\n```\nif (a < b) {\n  c();\n \n}\n```\n\na tooltip\n\nWords.", "Code:\n\nif (a < b) {\n  c();\n \n}\n\na tooltip\n\nWords."},
	{"text between the lines of a listing", "<p>Code:</p><div class=fragment>before<div class=line>a</div>between<div class=line>b</div>42</div>", "Code:\n\nbefore\n\n```\na\nb\n```\n\nbetween\n\n42", "Code:\n\nbefore\n\na\nb\n\nbetween\n\n42"},
	{"lines that are no listing", "<div class=fragment><div class=other>a</div></div><div class=line>  b</div><div class=fragments><div class=line>c</div></div>", "a\n\nb\n\nc", "a\n\nb\n\nc"},
	{"a listing that counts", "<pre>1\n2\nlines\nand more\n3</pre>", "```\n1\n2\nlines\nand more\n3\n```", "1\n2\nlines\nand more\n3"},
	{"a table", "<table><thead><tr><th>name<th>is|so</thead><tr><td rowspan=2>a<td>1<br>2<tr><td><code>x|y</code></table>",
		"| name | is\\|so |\n| --- | --- |\n| a | 1<br>2 |\n|  | `x\\|y` |", "name\tis|so\na\t1 2\n\tx|y"},
	{"cells behind the end of a row", "<table><tr><td>a<td>b</tr><td>c<td>d</tr><tr><td>e<td>f</table>",
		"| | |\n| --- | --- |\n| a | b |\n| c | d |\n| e | f |", "a\tb\nc\td\ne\tf"},
	{"a table without a head", "<table><tr><td>a<td colspan=2>b<tr><td>c<td>d<td>e</table>",
		"| | | |\n| --- | --- | --- |\n| a | b |  |\n| c | d | e |", "a\tb\nc\td\te"},
	{"columns that keep others apart", "<table><tr><td><p>&nbsp;<td>a<td>&nbsp;&nbsp;<td>b<tr><td><td>c<td></table>",
		"| | |\n| --- | --- |\n| a | b |\n| c |  |", "a\tb\nc"},
	{"code, a row each line", "<table><tr><td><tt><b>type</b> a = (</tt><tr><td><code>b</code><br><code>c|d</code><tr><td><p><tt>);</tt></table>",
		"```\ntype a = (\nb\nc|d\n);\n```", "type a = (\nb c|d\n);"},
	{"words below code in a table", "<table><tr><td><tt>a</tt><tr><td>b</table>", "`a`\n\nb", "a\n\nb"},
	{"a table for the layout", "<table><tr><td><h2>a</h2><td>b</table>", "## a\n\nb", "a\n\nb"},
	{"the columns of an index", "<table><tr><td><ul>" + strings.Repeat("<li>a", 41) + "</ul><td><ul><li>b</ul></table>",
		strings.Repeat("- a\n", 41) + "\n- b", strings.Repeat("- a\n", 41) + "\n- b"},
	{"the columns of a short index", "<table><tr><td><ul><li>a<li>b</ul><td><ul><li>c</ul></table>", "- a\n- b\n\n- c", "- a\n- b\n\n- c"},
	{"lists in a table of data", "<table><tr><td>a<td><ul><li>b<li>c</ul><tr><td>d<td>e</table>",
		"| | |\n| --- | --- |\n| a | - b<br>- c |\n| d | e |", "a\t- b - c\nd\te"},
	{"a list behind words in a table of data", "<table><tr><td>a<td>b:<ol start=3><li><p>c<p>d<li>e<ul><li>f</ul></ol><tr><td>g<td>h</table>",
		"| | |\n| --- | --- |\n| a | b:<br>3. c<br>d<br>4. e<br>- f |\n| g | h |", "a\tb: 3. c d 4. e - f\ng\th"},
	{"lists below their heads", "<table><tr><th>A<th>B<tr><td><ul><li>a<li>b</ul><td><ul><li>c</ul></table>d", "A\n\n- a\n- b\n\nB\n\n- c\n\nd", "A\n\n- a\n- b\n\nB\n\n- c\n\nd"},
	{"a note beside its icon", "<table><tr><td><img src=note.png><th>Note<tr><td><td><p>a<ul><li>b</ul></table>", "Note\n\na\n\n- b", "Note\n\na\n\n- b"},
	{"headings that nothing ends", "<h2>a<h2><h3>b</h3><p>c<h3>d</h3>", "## a\n\n### b\n\nc\n\n### d", "a\n\nb\n\nc\n\nd"},
	{"a declaration's link to itself", "<p>ppr :: Int <a href=#ppr>#</a><p>See <a href=#1>1</a> and <a href=#>C#</a>", "ppr :: Int\n\nSee 1 and C#", "ppr :: Int\n\nSee 1 and C#"},
	{"a quotation", "<blockquote><p>a<p>b<ul><li>c</ul></blockquote><p>d", "> a\n>\n> b\n>\n> - c\n\nd", "> a\n>\n> b\n>\n> - c\n\nd"},
	{"terms", "<dl><dt><b>a</b><dd>one<p>two<dt>b<dd><pre>c\nd</pre></dl>",
		"- **a**\n\n  one\n\n  two\n\n- b\n\n  ```\n  c\n  d\n  ```", "a\n    one\n\n    two\n\nb\n    c\n    d"},
	{"emphasis", "<p>a <b>b </b><i>c</i>, <code>d`e</code> <b>f</b><i>g</i> x<b>(y)</b>z", "a **b** *c*, ``d`e`` f*g* x(y)z", "a b c, d`e fg x(y)z"},
	{"code beside code", "<p><code>position(</code><em><code>part</code></em><code> in </code><code>text</code> <b>a</b><code>b</code><i><code>c</code></i>", "`position(part in text` **a**`bc`", "position(part in text abc"},
	{"signs of Markdown", "<p># a<p>1. b<p>- c<p>*d* _e_ f_g [h] &lt;i> &amp;amp; \\ `<p>===", "\\# a\n\n1\\. b\n\n\\- c\n\n\\*d\\* \\_e\\_ f_g \\[h] \\<i> \\&amp; \\\\ \\`\n\n\\===", "# a\n\n1. b\n\n- c\n\n*d* _e_ f_g [h] <i> &amp; \\ `\n\n==="},
	{"items without a list", "<li>a<li>b<p>c", "- a\n\n- b\n\n  c", "- a\n\n- b\n\n  c"},
}

func TestStructureIsWrittenAsItStandsInThePage(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc := docOf(c.page, false)
			if got := doc.Markdown(); got != c.markdown {
				t.Errorf("Markdown of %s\n--- got\n%s\n--- want\n%s", c.page, got, c.markdown)
			}
			if got := doc.Text(); got != c.text {
				t.Errorf("Text of %s\n--- got\n%s\n--- want\n%s", c.page, got, c.text)
			}
		})
	}
}

func TestLinksAreKeptWhereTheyAreAskedFor(t *testing.T) {
	page := `<h2><a href="/h">Head</a></h2><p>See <a href="/a b">the <b>whole</b> [text]</a>!<a href="c"><code>d</code></a>`
	want := "## [Head](http://a.example/h)\n\nSee [the **whole** \\[text\\]](<http://a.example/a b>)\\![`d`](http://a.example/c)"
	if got := docOf(page, true).Markdown(); got != want {
		t.Errorf("with links\n%s\nwant\n%s", got, want)
	}
	if got := docOf(page, false).Markdown(); strings.Contains(got, "example") {
		t.Errorf("without links\n%s", got)
	}
}

// TestALineThatIsNotInThePageIsAParagraph: no line of a body is ever missing.
func TestALineThatIsNotInThePageIsAParagraph(t *testing.T) {
	doc := structure.Read(structure.Page{Bytes: []byte("<h2>a</h2><p>b"), ContentType: "text/html", Body: "x\na\n- y\nb"})
	if got, want := doc.Markdown(), "x\n\n## a\n\n\\- y\n\nb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if found, lines := doc.Found(); found != 2 || lines != 4 {
		t.Errorf("found %d of %d lines, want 2 of 4", found, lines)
	}
}

// TestALineOfTheMenuIsNotTakenForTheBody: of two equal texts the one is body that stands
// next to the others of the body.
func TestALineOfTheMenuIsNotTakenForTheBody(t *testing.T) {
	page := "<ul><li>Examples<li>Notes</ul><h2>Examples</h2><p>One.<h2>Notes</h2><p>Two.<ul><li>Examples</ul>"
	doc := structure.Read(structure.Page{Bytes: []byte(page), ContentType: "text/html", Body: "Examples\nOne.\nNotes\nTwo."})
	if got, want := doc.Markdown(), "## Examples\n\nOne.\n\n## Notes\n\nTwo."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheTitleHeadsMarkdownThatHasNone(t *testing.T) {
	for _, c := range []struct{ page, body, want string }{
		{"<h1>T</h1><p>a", "a", "# T\n\na"},
		{"<h1>T</h1><p>a", "T\na", "# T\n\na"},
		{"<h2>T</h2><p>a", "T\na", "## T\n\na"},
		{"<h1>T</h1>", "", ""},
	} {
		doc := structure.Read(structure.Page{Bytes: []byte(c.page), ContentType: "text/html", Body: c.body, Title: "T"})
		if got := doc.Markdown(); got != c.want {
			t.Errorf("%s with the body %q: got %q, want %q", c.page, c.body, got, c.want)
		}
	}
}

func TestPlainTextIsOneListing(t *testing.T) {
	doc := structure.Read(structure.Page{Bytes: []byte("# Notes\n\n  a | b\n"), ContentType: "text/plain; charset=utf-8", Body: "# Notes\na | b"})
	if got, want := doc.Text(), "# Notes\n\n  a | b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestChunksAreCutAtHeadingsAndParagraphs(t *testing.T) {
	var page strings.Builder
	page.WriteString("<h1>Manual</h1><p>" + strings.Repeat("intro ", 20))
	for i := range 3 {
		fmt.Fprintf(&page, "<h2>Part %d</h2>", i)
		for range 4 {
			page.WriteString("<p>" + strings.Repeat("word ", 20))
		}
	}
	doc := docOf(page.String(), false)
	for _, plain := range []bool{false, true} {
		whole := doc.Markdown()
		if plain {
			whole = doc.Text()
		}
		chunks := doc.Chunks(50, plain)
		var trails []string
		end := 0
		for _, c := range chunks {
			if got := whole[c.Offset : c.Offset+len(c.Text)]; got != c.Text {
				t.Errorf("at %d stands %q, want %q", c.Offset, got, c.Text)
			}
			if gap := strings.TrimSpace(whole[end:c.Offset]); gap != "" {
				t.Errorf("%q is in no chunk", gap)
			}
			if end = c.Offset + len(c.Text); c.Words > 60 {
				t.Errorf("a chunk of %d words: %q", c.Words, c.Text)
			}
			trails = append(trails, strings.Join(c.Trail, " / "))
		}
		want := []string{"Manual", "Manual / Part 0", "Manual / Part 0", "Manual / Part 1", "Manual / Part 1", "Manual / Part 2", "Manual / Part 2"}
		if !slices.Equal(trails, want) || end != len(whole) {
			t.Errorf("plain %v: trails %q up to %d, want %q up to %d", plain, trails, end, want, len(whole))
		}
	}
}

func TestWordsAreCounted(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a bee's  hive - x_1 ": 4, "蜜蜂，hive": 3, "Привет, мир": 2, "한국어 문서": 2} {
		if got := structure.Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}

// FuzzDocument reads pages that may be broken: all words of a body are in its text.
func FuzzDocument(f *testing.F) {
	for _, c := range cases {
		f.Add(c.page)
	}
	f.Add("<table><tr><td colspan=999999 rowspan=99><li><dd><pre><h1><td><a href='#'>¶<ol start=-5><li value=x>")
	f.Fuzz(func(t *testing.T, page string) {
		view := purify.Purify([]byte(page), "text/html")
		doc := structure.Read(structure.Page{Bytes: []byte(page), ContentType: "text/html", Body: view.Body, Title: view.Title})
		md, plain := doc.Markdown(), doc.Text()
		numbers := strings.Contains(strings.ToLower(page), "<pre") || strings.Contains(page, "lineno") // of the lines of code, which are left out
		if _, lines := doc.Found(); lines > 0 && !strings.Contains(page, "¶") && !strings.Contains(page, "#") && !numbers && (md == "" || plain == "") {
			t.Errorf("of %q with the body %q nothing is written: %q, %q", page, view.Body, md, plain)
		}
		doc.Chunks(10, false)
	})
}

func BenchmarkMarkdown30kB(b *testing.B) {
	page := []byte("<h1>Bees</h1>" + strings.Repeat("<div class=section><h2>A part</h2><p>Some <b>forty</b> words of a paragraph that is neither long nor short, with <a href='/x/y'>a link</a> in it, and <code>code</code>.<ul><li>One item<li>Another item</ul></div>\n", 140))
	view := purify.Purify(page, "text/html")
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		structure.Read(structure.Page{Bytes: page, ContentType: "text/html; charset=utf-8", Body: view.Body}).Markdown()
	}
}

func TestAHeadingEndsWithTheEndOfAnother(t *testing.T) {
	page := "<h2>Bees</h1><div><ul><li>queen<li>worker</ul><p>A hive.</p></div></h3><h4>Wasps</h4><p>A nest."
	doc := structure.Read(structure.Page{Bytes: []byte(page), ContentType: "text/html", Body: "Bees\nqueen\nworker\nA hive.\nWasps\nA nest."})
	if got, want := doc.Markdown(), "## Bees\n\n- queen\n- worker\n\nA hive.\n\n#### Wasps\n\nA nest."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAReaderReadsEachPageAnew reads a long page, a short one and the long one again in one work space.
func TestAReaderReadsEachPageAnew(t *testing.T) {
	list := func(n int) structure.Page {
		var html, body strings.Builder
		for i := range n {
			fmt.Fprintf(&html, "<h2>Part %d &amp; more</h2><pre>a\n  b %d</pre><table><tr><td>x<td>y %d<tr><td>z<td>w</table>", i, i, i)
			fmt.Fprintf(&body, "Part %d & more\na b %d\nx\ny %d\nz\nw\n", i, i, i)
		}
		return structure.Page{Bytes: []byte(html.String()), ContentType: "text/html", Body: body.String(), Title: "Parts"}
	}
	var r structure.Reader
	for _, n := range []int{50, 1, 0, 50} {
		want := structure.Read(list(n))
		got := r.Read(list(n))
		if got.Markdown() != want.Markdown() || got.Text() != want.Text() || !reflect.DeepEqual(got.Chunks(20, true), want.Chunks(20, true)) {
			t.Errorf("%d parts are read as\n%s\nbehind others, want\n%s", n, got.Markdown(), want.Markdown())
		}
	}
}

// TestATableHasItsHeadWhereTheBodyLacksIt has bodies without the words above the columns of a table,
// which each page of a site repeats, a column alone, and a table of whose rows the body has none.
func TestATableHasItsHeadWhereTheBodyLacksIt(t *testing.T) {
	page := "<p>Options:</p><table><thead><tr><th>Option <code>name</code><th>What&nbsp;it<br>does</thead><tr><td>wax<td>Melts wax.<tr><td>smoke<td>Calms.</table>" +
		"<p>Between.</p><table><tr><th>Menu<th>Links<tr><td>Home<td>Index</table>"
	whole := [2]string{"Options:\n\nOption name\tWhat it does\nwax\tMelts wax.\nsmoke\tCalms.\n\nBetween.",
		"Options:\n\n| Option `name` | What it<br>does |\n| --- | --- |\n| wax | Melts wax. |\n| smoke | Calms. |\n\nBetween."}
	for _, body := range []string{
		"Options:\nwax\nMelts wax.\nsmoke\nCalms.\nBetween.",
		"Options:\nWhat it does\nwax\nMelts wax.\nBetween.", // a part of the head, and one row
		"Options:\nMelts wax.\nCalms.\nBetween.",            // one column
		"Options:\nBetween.",                                // none of it
	} {
		doc := structure.Read(structure.Page{Bytes: []byte(page), ContentType: "text/html", Body: body})
		if got := [2]string{doc.Text(), doc.Markdown()}; got != whole {
			t.Errorf("text and Markdown of %q are\n%s\nwant\n%s", body, got, whole)
		}
		if found, lines := doc.Found(); lines != strings.Count(body, "\n")+1 || found != lines {
			t.Errorf("%d of %d lines of %q are found", found, lines, body)
		}
	}
}

// TestABodyHasTheListsBetweenItsNeighbours has pages with lists, rows and listings that a body lacks, and says
// which of them are written.
func TestABodyHasTheListsBetweenItsNeighbours(t *testing.T) {
	const list = "<ul><li>A list of bees and of what they are for.<li>Drones</ul>"
	for _, c := range []struct{ name, page, body, text string }{
		{"between two paragraphs", "<p>One.</p>" + list + "<p>Two.</p>", "One.\nTwo.",
			"One.\n\n- A list of bees and of what they are for.\n- Drones\n\nTwo."},
		{"below an item", "<ul><li>One.<ol><li>A list of bees and of what they are for.</ol><li>Two.</ul>", "One.\nTwo.",
			"- One.\n  1. A list of bees and of what they are for.\n- Two."},
		{"a listing", "<p>One.</p><pre>a {\n\tb\n}</pre><p>Two.</p>", "One.\nTwo.", "One.\n\na {\n\tb\n}\n\nTwo."},
		{"a listing behind other words", "<p>One.</p><p>Tabs: C, Go</p><pre>a {\n\tb\n}</pre><p>Two.</p>", "One.\nTwo.", "One.\n\na {\n\tb\n}\n\nTwo."},
		{"a listing before the body", "<pre>Menu\nHome</pre><h1>f</h1><pre>int f(\n\tint)</pre><p>One.</p>", "One.", "int f(\n\tint)\n\nOne."},
		{"numbers of lines", "<p>One.</p><p>Tabs: C, Go</p><pre>1\n2</pre><pre>a\nb</pre><p>Two.</p>", "One.\na b\nTwo.", "One.\n\na\nb\n\nTwo."},
		{"a menu", "<p>One.</p><nav>" + list + "</nav><p>Two.</p>", "One.\nTwo.", "One.\n\nTwo."},
		{"links", `<p>One.</p><ul><li><a href="/a">A list of bees and of what they are for.</a><li><a href="/b">Drones</a></ul><p>Two.</p>`, "One.\nTwo.", "One.\n\nTwo."},
		{"who wrote it", "<p>One.</p><ul><li>By Ann Writer<li>May 6</ul><p>Two.</p>", "One.\nTwo.", "One.\n\nTwo."},
		{"below the title", "<h1>One.</h1>" + list + "<p>Two.</p>", "One.\nTwo.", "One.\n\nTwo."},
		{"with words of the page around it", "<p>One.</p>" + list + "<p>Advertisement</p><p>Two.</p>", "One.\nTwo.", "One.\n\nTwo."},
		{"below a heading of its own", "<p>One.</p><h2>More</h2>" + list + "<p>Two.</p>", "One.\nTwo.", "One.\n\nTwo."},
		{"behind the body", "<p>One.</p><p>Two.</p>" + list, "One.\nTwo.", "One.\n\nTwo."},
		{"the rest of rows", "<p>One.</p><table><tr><td>enum<td><a href=/a>Action</a><tr><td><a href=/b>Shape</a><td>round</table><p>Two.</p>", "One.\nenum\nround\nTwo.",
			"One.\n\nenum\tAction\nShape\tround\n\nTwo."},
		{"a menu beside the body", "<table><tr><td>Menu<td><h2>One.</h2><p>Two.</p></table>", "One.\nTwo.", "One.\n\nTwo."},
		{"links beside the body", "<table><tr><td>" + strings.Repeat("<a href=/a>A page of ours</a> ", 9) + "<td>One.</table>", "One.", "One."},
	} {
		doc := structure.Read(structure.Page{Bytes: []byte(c.page), ContentType: "text/html", Body: c.body})
		if got := doc.Text(); got != c.text {
			t.Errorf("%s: the text is\n%s\nwant\n%s", c.name, got, c.text)
		}
	}
}

func TestWhatFollowsALinkThatHeldBlocksIsInItsOwnContainer(t *testing.T) {
	const page = `<ul><li>one<a href=/1><ul><li>card <a href=/2>by</a> me</li></ul></a></li><li>two</ul><p>end`
	want := "- one\n  - [card](http://a.example/1) [by](http://a.example/2) me\n- two\n\nend"
	if got := docOf(page, true).Markdown(); got != want {
		t.Errorf("Markdown of %q is %q, want %q", page, got, want)
	}
}

// TestAListingIsPutTogetherOnce counts what is allocated for a listing of many lines: when the text was
// copied for each line of it, half of the time of an export went into listings.
func TestAListingIsPutTogetherOnce(t *testing.T) {
	const lines = 4000
	var page, body strings.Builder
	page.WriteString("<html><body><p>Before the listing there are some words.</p><div class=\"fragment\">")
	body.WriteString("Before the listing there are some words.")
	for i := range lines {
		line := fmt.Sprintf("call_number_%d(with, %d, words) // of each line", i, i)
		page.WriteString("<div class=\"line\">" + line + "</div>\n")
		body.WriteString("\n" + line)
	}
	page.WriteString("</div></body></html>")
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	doc := new(structure.Reader).Read(structure.Page{Bytes: []byte(page.String()), ContentType: "text/html; charset=utf-8", Body: body.String()})
	runtime.ReadMemStats(&is)
	if text := doc.Text(); strings.Count(text, "\n") < lines {
		t.Fatalf("a listing of %d lines has %d", lines, strings.Count(text, "\n"))
	}
	if got, most := is.TotalAlloc-was.TotalAlloc, uint64(40*page.Len()); got > most {
		t.Errorf("%d bytes were allocated for a page of %d, want at most %d", got, page.Len(), most)
	}
}

// TestARowIsPutTogetherOnce has the cells that a table has no columns for in its last one: when its text
// was copied for each of them, a row of twice as many took four times as long.
func TestARowIsPutTogetherOnce(t *testing.T) {
	const cells = 20000
	var page, body strings.Builder
	page.WriteString("<html><body><p>Before the table there are some words.</p><table><tr>")
	body.WriteString("Before the table there are some words.")
	for i := range cells {
		fmt.Fprintf(&page, "<td>hive %d", i)
		fmt.Fprintf(&body, "\nhive %d", i)
	}
	page.WriteString("</table></body></html>")
	doc := new(structure.Reader).Read(structure.Page{Bytes: []byte(page.String()), ContentType: "text/html; charset=utf-8", Body: body.String()})
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	text := doc.Text()
	runtime.ReadMemStats(&is)
	if strings.Count(text, "hive") != cells {
		t.Fatalf("a row of %d cells has %d", cells, strings.Count(text, "hive"))
	}
	if got, most := is.TotalAlloc-was.TotalAlloc, uint64(100*page.Len()); got > most {
		t.Errorf("%d bytes were allocated for a page of %d, want at most %d", got, page.Len(), most)
	}
}
