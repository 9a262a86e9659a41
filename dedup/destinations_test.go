package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// Pages under one title with the same words lead to other files, or show another picture. Sessions, sort orders, a form's way back,
// another copy of the files and versions of a page do not make two.
func TestEqualWordsWithOtherLinks(t *testing.T) {
	list := func(word string, n int, url func(j int) string) string {
		var items strings.Builder
		for j := range n {
			fmt.Fprintf(&items, `<li><a href="%s">%s</a></li>`, url(j), fmt.Sprintf(word, j))
		}
		return "<ul>" + items.String() + "</ul>"
	}
	parts := func(of, query string) string {
		return list("Part %d of the collection", 30, func(j int) string { return fmt.Sprintf("%s-%d.zip%s", of, j, query) })
	}
	const get = `<p>Click the link below to get the file.</p>`
	profile := func(links string) string {
		return `<p>This member has not written anything about themselves yet.</p><p>Send ` + links + `</p>`
	}
	for _, c := range []struct {
		what              string
		url, other        string
		inner, otherInner string
		same              bool
	}{
		{"lists", "/l/1.html", "/l/2.html", parts("/f/kites", ""), parts("/f/sails", ""), false},
		{"lists of one name each", "/l/1.html", "/l/2.html", list("Watch now%.0d", 30, func(j int) string { return fmt.Sprint("/w/1-", j) }), list("Watch now%.0d", 30, func(j int) string { return fmt.Sprint("/w/2-", j) }), false},
		{"lists by a parameter", "/l?of=1", "/l?of=2", parts("/f/kites", ""), parts("/f/sails", ""), false},
		{"one list twice", "/l/1.html", "/l/2.html", parts("/f/kites", ""), parts("/f/kites", ""), true},
		{"another copy of the files", "/l/1.html", "/l/2.html", parts("/f/kites", ""), parts("https://mirror.example/pub/kites", ""), true},
		{"a session", "/l/1.html", "/l/2.html", parts("/f/kites", "?s=1"), parts("/f/kites", "?s=2"), true},
		{"a version", "/l/1.html", "/l/2.html", parts("/f/kites-1.2", ""), parts("/f/kites-1.3", ""), true},
		{"a page in two versions", "/1.2/a/list.html", "/1.3/a/list.html", parts("/f/kites", ""), parts("/f/sails", ""), true},
		{"a sort order", "/l", "/l?by=size", `<p><a href="/l?by=size">By size</a></p>` + parts("/f/kites", ""), `<p><a href="/l?by=name">By size</a></p>` + parts("/f/kites", ""), true},
		{"files", "/l/1.html", "/l/2.html", get + `<a href="/f/kites.zip">Download now</a>`, get + `<a href="/f/sails.zip">Download now</a>`, false},
		{"one file", "/l/1.html", "/l/2.html", get + `<a href="/f/kites.zip">Download now</a>`, get + `<a href="/pub/f/kites.zip">Download now</a>`, true},
		{"members", "/l/1.html", "/l/2.html", profile(`<a href="/msg?to=anna">a message</a>`), profile(`<a href="/msg?to=ben">a message</a>`), false},
		{"pages of a program that names them without a value", "/p.php?rubric3", "/p.php?rubric4", list("Read more%.0d", 30, func(j int) string { return fmt.Sprint("p.php?article1", j) }), list("Read more%.0d", 30, func(j int) string { return fmt.Sprint("p.php?article2", j) }), false},
		{"parameters in another order", "/l/1.html", "/l/2.html", list("Watch now%.0d", 30, func(j int) string { return fmt.Sprintf("/w?a=%d&b=1", j) }), list("Watch now%.0d", 30, func(j int) string { return fmt.Sprintf("/w?b=1&a=%d", j) }), true},
		{"a way back", "/l/1.html", "/l/2.html", profile(`<a href="/enter?next=/l/1.html">a message</a>`), profile(`<a href="/enter?next=/l/2.html">a message</a>`), true},
		{"pictures", "/l/1.html", "/l/2.html", get + `<img src="/b/a7.png" width=400 height=300>`, get + `<img src="/b/c9.png" width=400 height=300>`, false},
		{"one picture", "/l/1.html", "/l/2.html", get + `<img src="/b/a7.png" width=400 height=300>`, get + `<img src="/b/a7.png" width=400 height=300>`, true},
	} {
		page := `<!doctype html><html lang=en><head><title>Files</title></head><body><main><h1>Files</h1>%s</main></body></html>`
		areOneAt(t, c.what, textAt(c.url, fmt.Sprintf(page, c.inner), 1), textAt(c.other, fmt.Sprintf(page, c.otherInner), 1), c.same)
	}
}

// Front pages of two sites that say "Read more" ten times are one only if they lead to pages of the same names. What names the pages that it
// leads to says what it is of: a mirror has other URLs.
func TestWordsOfLinksThatNameNothing(t *testing.T) {
	front := func(host, word, folder string, n int) *Text {
		var items strings.Builder
		for i := range n {
			text := word
			if strings.Contains(word, "%") {
				text = fmt.Sprintf(word, i+1)
			}
			fmt.Fprintf(&items, `<p><a href="/%s/%c%s.html">%s</a></p>`, folder, 'a'+i, folder[:2], text)
		}
		html := `<!doctype html><html lang=en><head><title>Newest</title></head><body><h1>Newest</h1>` + items.String() + `</body></html>`
		v := purify.PurifyAt("http://"+host+"/", []byte(html), "text/html")
		v.URL, v.Template = "http://"+host+"/", 1
		text := TextOf(v)
		return &text
	}
	for _, word := range []string{"Read more", "post", "Chapter %d"} {
		areOneAt(t, word, front("a.example", word, "kites", 12), front("b.example", word, "sails", 12), false)
		areOneAt(t, word+", a mirror", front("a.example", word, "kites", 12), front("b.example", word, "kites", 12), true)
	}
	const naming = "Ropes Harbour lights Storm petrels Northern ferries Weather masts Tarred barrels No. %d"
	areOneAt(t, "names", front("a.example", naming, "kites", 12), front("b.example", naming, "sails", 12), true)
}

// textAt returns the text of a page of one site at a path, which is read with the template of some number; 0: with none.
func textAt(path, html string, template int) *Text {
	v := purify.PurifyAt("http://a.example"+path, []byte(html), "text/html")
	v.URL, v.Template = "http://a.example"+path, template
	text := TextOf(v)
	return &text
}

// areOneAt fails unless a gate takes two pages for one, or for two, and does so for equal texts of them by their bodies, too.
func areOneAt(t *testing.T, what string, a, b *Text, same bool) {
	t.Helper()
	o, x, y := DefaultOptions(), outlineOf(a.Sign()), outlineOf(b.Sign())
	if found := o.compareTexts(x, y, a, b); found.same() != same {
		t.Errorf("%s: one page: %v (%s), want %v", what, found.same(), found.apart, same)
	}
	if a.Body != b.Body {
		return
	}
	if is := o.oneBody(x, y, a.reading(), b.reading()); is != same {
		t.Errorf("%s: one by their bodies: %v, want %v", what, is, same)
	}
}
