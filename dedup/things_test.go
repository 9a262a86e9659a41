package dedup

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// siteOf returns the texts of the pages of a site, by their paths, with what the site's
// template makes of them.
func siteOf(t *testing.T, paths []string, page func(path string) string) map[string]*Text {
	t.Helper()
	var site purify.Site
	var template *purify.Template
	for _, path := range paths {
		_, prints := purify.PurifyOn(nil, "http://site.example/"+path, []byte(page(path)), "text/html")
		if made := site.Learn(prints); made != nil {
			template = made
		}
	}
	texts := make(map[string]*Text)
	for _, path := range paths {
		view, _ := purify.PurifyOn(template, "http://site.example/"+path, []byte(page(path)), "text/html")
		view.URL = "http://site.example/" + path
		text := TextOf(view, template)
		if text.Bare {
			t.Fatalf("%d pages make no template", len(paths))
		}
		texts[path] = &text
	}
	return texts
}

// Doxygen writes capitals as an underscore and the letter where file names must not differ in case, and Dokka
// as a hyphen and the letter.
func TestNamesOfGeneratorsHaveTheirCapitals(t *testing.T) {
	for end, want := range map[string]string{
		"class_param_test-members.html":           "classParamTest-members.html",
		"classv8_1_1_reg_exp.html":                "classv8_1_1RegExp.html",
		"structkites_1_1wind__rope_1_1_sail.html": "structkites_1_1wind__rope_1_1Sail.html",
		"classKite_1_1Sail.html":                  "classKite_1_1Sail.html",
		"classes_of_kites.html":                   "classes_of_kites.html",
		"wind__rope_8h_source.html":               "wind__rope_8h_source.html",

		"-http-client/index.html":        "-HttpClient", // Dokka
		"-http-client/-u-r-l-parser":     "-URLParser",
		"-http-client/fetch-page.html":   "fetch-page.html",
		"-http-client/-http-client.html": "-HttpClient.html",
		"options/__-dir-port/index.html": "-__DirPort",
		"options/__dir-port.html":        "__dir-port.html",

		"kites/a-sail-for-storms/amp/":           "a-sail-for-storms", // a page's light form
		"kites/a-sail-for-storms/amp/index.html": "a-sail-for-storms",
		"amp/":                                   "amp",
	} {
		if _, _, name := namesIn("http://a.example/" + end); name != want {
			t.Errorf("the end of the URL %s is %s, want %s", end, name, want)
		}
	}
}

// siteAmong is siteOf for pages, the given paths first, and so many posts that have nothing in common
// with them.
func siteAmong(t *testing.T, posts int, pages map[string]string, paths []string) map[string]*Text {
	t.Helper()
	for i := range posts {
		path := fmt.Sprintf("/post-%d.html", i)
		pages[path] = filler(path)
		paths = append(paths, path)
	}
	return siteOf(t, paths, func(path string) string { return pages[path] })
}

// ruling returns the options by which the rules are tested: a lower resemblance than the default's, so that it is the rules that tell
// pages apart.
func ruling() Options {
	o := DefaultOptions()
	o.Resemblance, o.Siblings = 0.8, 0.8
	return o
}

// one reports whether a gate with these options takes two pages for one, and how much they
// resemble each other.
func one(a, b *Text) (j float64, same bool) {
	v := ruling().compareTexts(outlineOf(a.Sign()), outlineOf(b.Sign()), a, b)
	return v.j, v.same()
}

// memberList is a list of all members of a class as generators of manuals write it: its
// <title> is that of every other, and the class's name stands in a heading that is a div, in
// links, and in the end of the URL.
func memberList(class string) string {
	var rows strings.Builder
	for i := range 120 {
		of := "Kites::BasicSail"
		if i%8 == 0 {
			of = class
		}
		fmt.Fprintf(&rows, "<tr><td>member%c%c(const BasicSail &amp; other) const</td><td><a href=\"%[3]s.html\">%[3]s</a></td></tr>\n", 'a'+i%26, 'a'+i/26, of)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>Kites: Member List</title></head><body><div id="top"><table><tr><td>Kites, the library of kites</td></tr></table></div>
<div class="header"><div class="headertitle"><div class="title">%s Member List</div></div></div>
<div class="contents"><p>This is the complete list of members for %[1]s, including all inherited members.</p><table class="directory">%s</table></div>
<hr class="footer"><address>Generated for Kites by a program that reads the sources</address></body></html>`, class, rows.String())
}

// filler is a page that has nothing in common with another but its site.
func filler(path string) string {
	return "<html><head><title>" + path + "</title></head><body><p>Of " + strings.Repeat(path+" ", 30) + "</p></body></html>"
}

func TestListsOfMembersAreOfTheirClasses(t *testing.T) {
	const head, tail = "class_kites_sail_3_01", "-members.html"
	lists := []string{head + "bool" + tail, head + "int" + tail, head + "vector_3_01int" + tail}
	paths := lists
	for i := range 60 {
		paths = append(paths, fmt.Sprintf("page%d.html", i))
	}
	texts := siteOf(t, paths, func(path string) string {
		if !strings.HasPrefix(path, head) {
			return filler(path)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, head), tail)
		return memberList("Kites::Sail&lt; " + strings.ReplaceAll(name, "_3_01", "&lt; ") + " &gt;")
	})
	for i, a := range lists {
		for _, b := range lists[:i] {
			j, same := one(texts[b], texts[a])
			if j < ruling().Resemblance {
				t.Fatalf("%s and %s: resemblance %.2f; want lists that only their class tells apart", a, b, j)
			}
			if same {
				t.Errorf("%s is taken for %s", a, b)
			}
		}
	}
	again := *texts[lists[1]]
	again.Name = "the_list_of_an_integer_sail.html"
	if _, same := one(texts[lists[1]], &again); !same {
		t.Error("a list under two URLs is taken for two")
	}
}

// A post that is not translated has a page in each language of its site, with the title,
// the summary and the labels of that language.
func TestAPostInTwoLanguagesIsNotOneByItsBodyAlone(t *testing.T) {
	const story = `<p>For the first three days of the week I was in a small town by the river, where my grandfather lives, and I spent a lot of time in the garden.</p>
<p>Even though these were holidays I have done much: I have read two books, repaired the fence behind the house and prepared everything for the exam of the next week.</p>`
	post := func(lang, title, summary, by string) *Text {
		view := purify.Purify(fmt.Appendf(nil, `<html lang="%s"><head><title>%s</title></head><body><main><article><h1>%[2]s</h1><p class="summary">%s</p><p>%s</p>%s</article></main></body></html>`, lang, title, summary, by, story), "text/html")
		for i := range view.Blocks {
			view.Blocks[i].Chosen = strings.HasPrefix(view.Blocks[i].Text, "For the") || strings.HasPrefix(view.Blocks[i].Text, "Even")
		}
		view.Template = 1
		text := TextOf(view)
		return &text
	}
	en := post("en", "A week by the river", "I visited my grandfather, and saw how the town differs from the city where I study and work since last year.", "Posted on the sixteenth of May, two minutes to read")
	ru := post("ru", "Неделя у реки", "Я навещала дедушку и увидела чем городок отличается от города в котором я учусь и работаю с прошлого года.", "Опубликовано шестнадцатого мая, две минуты для прочтения")
	if j, same := one(en, ru); same {
		t.Errorf("the Russian page is taken for the English one at %.2f", j)
	}
	other := post("en", "A week by the river", "I visited my grandmother, and saw what has become of the places that she had told us about when we were small.", "Posted on the sixteenth of May, two minutes to read")
	if j, same := one(en, other); !same {
		t.Errorf("a page with another summary in one language is taken for another at %.2f", j)
	}
}

// module is a page of a manual that only names the modules below it, in the frame of a theme
// that no other part of its site has.
func module(title string, below ...string) string {
	var items strings.Builder
	for _, name := range below {
		fmt.Fprintf(&items, `<li><a href="/old/%[1]s.html">%[1]s</a></li>`, name)
	}
	var frame strings.Builder
	for i := range 60 {
		fmt.Fprintf(&frame, "<div>Toggle %c%c</div>\n", 'a'+i%26, 'a'+i/26)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%s - Kites 1.0 documentation</title></head><body><div class="frame">%s</div>
<article role="main"><h1>%[1]s</h1><p>Modules in this package</p><ul>%[3]s</ul></article></body></html>`, title, frame.String(), items.String())
}

// Two pages that have nothing in common but the frame of their part of a site, of which the
// template of the site does not know, are two. In two versions under one title they are one.
func TestTheFrameOfAPartOfASiteIsNoBody(t *testing.T) {
	pages := map[string]string{
		"/old/plots.html": module("plots", "lines", "areas", "legends"), "/old/scores.html": module("scores", "ranks", "means", "medians", "weights"),
		"/older/plots.html": strings.ReplaceAll(module("plots", "lines", "areas", "legends"), "/old/", "/older/"),
	}
	paths := []string{"/old/plots.html", "/old/scores.html", "/older/plots.html"}
	site := siteAmong(t, 30, pages, paths)
	plots, scores, older := site["/old/plots.html"], site["/old/scores.html"], site["/older/plots.html"]
	if j, same := one(plots, scores); same {
		t.Errorf("two modules are one: J %.2f of\n%s\nand\n%s", j, plots.Body, scores.Body)
	}
	if j, same := one(plots, older); !same {
		t.Errorf("a module in two versions is two: J %.2f", j)
	}
	if c := NewComparer(DefaultOptions(), []Text{*plots, *scores}); c.sigs[0].Body == c.sigs[1].Body && c.Compare(0, 1).Copy() {
		t.Error("the equal bodies of two modules make them one")
	}
}

// facet is a page of a shop: the things of one size or colour, next to the list of all of them.
func facet(name string, things ...string) string {
	var list, all strings.Builder
	for _, thing := range things {
		fmt.Fprintf(&list, `<div class="card"><h2><a href="/shop/%[1]s">%[1]s</a></h2><span>€19.99</span></div>`, thing)
	}
	for i := range 30 {
		fmt.Fprintf(&all, `<li><a href="/by/%[1]c%[1]c">%[1]c kind %[1]c%[1]c</a></li>`, 'a'+i%26)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>Goods</title></head><body><h1>%s</h1>%s<h3>Kinds</h3><ul>%s</ul></body></html>`, name, list.String(), all.String())
}

// Two pages under one title that list two things next to one menu are two, though the menu is
// nearly all they say. Two that list the same are one.
func TestAMenuIsNotWhatAPageLists(t *testing.T) {
	pages := map[string]string{
		"/by/red": facet("red", "slippers-with-fins"), "/by/green": facet("green", "a-witch-hat-of-wool"), "/by/small": facet("small", "a-witch-hat-of-wool"),
	}
	paths := []string{"/by/red", "/by/green", "/by/small"}
	site := siteAmong(t, 30, pages, paths)
	if j, same := one(site["/by/red"], site["/by/green"]); same || j < ruling().Resemblance {
		t.Errorf("two lists beside one menu: resemblance %.2f, one: %v; want two that the menu makes alike", j, same)
	}
	if _, same := one(site["/by/green"], site["/by/small"]); !same {
		t.Error("two lists of one thing are two")
	}
}

// Each facet has a title of its own here.
func TestAMenuIsNotWhatAPageOfAnotherTitleLists(t *testing.T) {
	named := func(name string, things ...string) string {
		return strings.Replace(facet(name, things...), "Goods", name+" goods", 1)
	}
	pages := map[string]string{
		"/by/red": named("red", "slippers-with-fins"), "/by/green": named("green", "a-witch-hat-of-wool"), "/by/small": named("small", "a-witch-hat-of-wool"),
	}
	site := siteAmong(t, 30, pages, []string{"/by/red", "/by/green", "/by/small"})
	areOne(t, site, []twoPages{{"/by/red", "/by/green", false}, {"/by/green", "/by/small", true}})
}

// class is a page of a reference whose generator gives each page the same title.
func class(name, text string) string {
	var menu strings.Builder
	for i := range 150 {
		fmt.Fprintf(&menu, `<li><a href="/ref/Library.%c%cThing">%[1]c%[2]cThing</a></li>`, 'a'+i%26, 'a'+i/26)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>item.name | Reference</title></head><body><div class="side"><ul>%s</ul></div>
<div class="doc"><p>Class Library.%s Extends Library.Base</p>%s</div></body></html>`, menu.String(), name, text)
}

// Under a title that no line of the pages says, two of a reference are what their first lines and
// their URLs name, whether they have next to nothing besides one menu or a text with the same
// members. Two URLs of one class are one.
func TestPagesUnderATitleThatSaysNothingAreWhatTheirFirstLinesName(t *testing.T) {
	members := "<p>" + text(rand.New(rand.NewPCG(24, 12)), 140) + "</p>"
	pages := map[string]string{
		"/ref/Library.List.cls": class("List", "<p>A dummy, so that the name of a list stays what it was.</p>"), "/ref/Library.Base.cls": class("Base", "<p>What all classes have in common.</p>"),
		"/ref/Report.Row.cls": class("Row", members), "/ref/Report.Cell.cls": class("Cell", members),
		"/old/Report.Row.cls": class("Row", members),
	}
	paths := slices.Sorted(maps.Keys(pages))
	site := siteAmong(t, 30, pages, paths)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"/ref/Library.List.cls", "/ref/Library.Base.cls", false},
		{"/ref/Report.Row.cls", "/ref/Report.Cell.cls", false},
		{"/ref/Report.Row.cls", "/old/Report.Row.cls", true},
	} {
		j, same := one(site[c.a], site[c.b])
		if same != c.want || j < ruling().Resemblance {
			t.Errorf("%s and %s: resemblance %.2f, one: %v; want one: %v", c.a, c.b, j, same, c.want)
		}
	}
}

// Two pages of a manual that are still to be written have the same menu, and a line that says
// when they were made.
func TestAMenuIsNoPage(t *testing.T) {
	unwritten := func(title string) string {
		var menu strings.Builder
		for i := range 14 {
			fmt.Fprintf(&menu, `<li><a href="/preview/%[1]c%[1]c">Chapter %[1]c of the handbook</a></li>`, 'a'+i)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><nav><ul>%s</ul></nav>
<article><h1>%[1]s</h1></article><p>This document was made by a program on the third of February.</p></body></html>`, title, menu.String())
	}
	pages := map[string]string{"/preview/kites": unwritten("Kites"), "/preview/sails": unwritten("Sails")}
	paths := []string{"/preview/kites", "/preview/sails"}
	site := siteAmong(t, 30, pages, paths)
	if j, same := one(site["/preview/kites"], site["/preview/sails"]); same || j < ruling().Resemblance {
		t.Errorf("two pages without text: resemblance %.2f, one: %v; want two that their menu makes alike", j, same)
	}
}

// pagesAmong returns the texts of some pages of a site whose other pages have nothing in common
// with them.
func pagesAmong(t *testing.T, pages map[string]string) map[string]*Text {
	t.Helper()
	paths := slices.Sorted(maps.Keys(pages))
	for i := range 30 {
		paths = append(paths, fmt.Sprintf("/post-%d.html", i))
	}
	return siteOf(t, paths, func(path string) string { return cmp.Or(pages[path], filler(path)) })
}

// uses is a page of a manual that says of a thing that nothing uses it, and no more.
func uses(name string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>Uses of Package %[1]s (Kites 7.1 API)</title></head><body><main>
<h1>Uses of Package<br>%[1]s</h1>No usage of %[1]s</main></body></html>`, name)
}

// A package and one within it are two, however much of their one line is the same.
func TestAPackageIsNotOneWithinIt(t *testing.T) {
	outer, inner := "com.kites.winds.commands", "com.kites.winds.commands.gui"
	site := pagesAmong(t, map[string]string{"/a/package-use.html": uses(outer), "/a/gui/package-use.html": uses(inner), "/b/package-use.html": uses(outer)})
	a, b := site["/a/package-use.html"], site["/a/gui/package-use.html"]
	if j, same := one(a, b); same || j < ruling().Resemblance {
		t.Errorf("%q and %q: resemblance %.2f, one: %v; want two that one word tells apart", a.Body, b.Body, j, same)
	}
	if _, same := one(a, site["/b/package-use.html"]); !same {
		t.Error("one package in two places is two")
	}
}

// trigger is the reference of a class of which its name alone tells it from its siblings.
func trigger(name string) string {
	var methods strings.Builder
	for i := range 30 {
		by := "program"
		if i%3 == 0 {
			by = name
		}
		fmt.Fprintf(&methods, "<h3>method%c%c</h3><p>The %s calls this method for each row, and it does to that row what number %d of the list above says.</p>", 'a'+i%26, 'a'+i/26, by, i)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s (Kites 7.1 API)</title></head><body><main><h1>Class %[1]s</h1>
<p>public class %[1]s extends Trigger</p>%s</main></body></html>`, name, methods.String())
}

// Two classes whose URLs, titles and texts have each its name are two; one under a title that
// has more words is one.
func TestClassesAreWhatTheirURLsCallThem(t *testing.T) {
	site := pagesAmong(t, map[string]string{
		"/a/DeleteTrigger.html": trigger("DeleteTrigger"), "/a/UpdateTrigger.html": trigger("UpdateTrigger"),
		"/b/DeleteTrigger.html": strings.Replace(trigger("DeleteTrigger"), "<title>", "<title>Reference of ", 1),
	})
	a, b := site["/a/DeleteTrigger.html"], site["/a/UpdateTrigger.html"]
	if j, same := one(a, b); same || j < ruling().Resemblance {
		t.Errorf("two classes: resemblance %.2f, one: %v; want two that their name tells apart", j, same)
	}
	if _, same := one(a, site["/b/DeleteTrigger.html"]); !same {
		t.Error("one class under two titles is two")
	}
	for _, text := range []*Text{a, b} { // a body of what no name stands in, as models may take it
		for i := range text.blocks {
			text.blocks[i].Chosen = strings.Contains(text.blocks[i].Text, "The program calls")
		}
	}
	if j, same := one(a, b); same || a.chosen().reading().resemblance(b.chosen().reading()) < 1 {
		t.Errorf("two classes with one body: resemblance %.2f, one: %v; want two that their name tells apart", j, same)
	}
}

// Types of a Kotlin library that wrap a text have the same members, and nothing else to say.
func TestTypesOfAFewWordsInDokkaAreTwo(t *testing.T) {
	page := func(name, extra string) string {
		var members strings.Builder
		for _, m := range []string{"open operator override fun equals(other: Any?): Boolean", "open override fun hashCode(): Int", "open override fun toString(): String",
			"inline fun show(value: String): String", "inline fun of(text: String): Result", "inline fun parseOrNull(text: String): String?"} {
			fmt.Fprintf(&members, `<div><a href="/lib/values/-abstract-value/%s.html">%[1]s</a></div>`, m)
		}
		return `<html lang="en"><head><title>` + name + `</title></head><body><h1>` + name + `</h1>
<div>class <a href="index.html">` + name + `</a> : <a href="/lib/values/-abstract-value/index.html">AbstractValue</a>&lt;String&gt;</div><h2>Types</h2>
<div>object Companion : <a href="/lib/values/-factory/index.html">NonBlankStringValueFactory</a>&lt;` + name + `&gt;</div>` + extra + `
<h2>Properties</h2><div><a href="/lib/values/-abstract-value/value.html">open override val value: String</a></div><h2>Functions</h2>` + members.String() + `</body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/lib/model/-branch/index.html": page("Branch", ""), "/lib/model/-owner/index.html": page("Owner", ""),
		"/lib/model/-commit-hash/index.html": page("CommitHash", ""),
		"/lib/2.0/model/-branch/index.html":  page("Branch", "<p>since 2.0</p>"),
	})
	branch := site["/lib/model/-branch/index.html"]
	for path, same := range map[string]bool{"/lib/model/-owner/index.html": false, "/lib/model/-commit-hash/index.html": false, "/lib/2.0/model/-branch/index.html": true} {
		if j, got := one(branch, site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Branch and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
		if _, got := one(branch, site[path].onHost("2.a.example")); got != same {
			t.Errorf("Branch and %s on a host of its version: one page: %v, want %v", path, got, same)
		}
	}
}

// A name that starts with underscores is another one, and its page that of a type as well.
func TestTypesWithUnderscoresInFrontOfTheirNamesAreTwoInDokka(t *testing.T) {
	page := func(name, extra string, from int) string {
		return `<html lang="en"><head><title>` + name + `</title></head><body><h1>` + name + `</h1><div>class <a href="index.html">` + name + `</a></div>
` + described(from, from+6) + extra + `</body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/kites/-top-sail/index.html": page("TopSail", "", 0), "/kites/__-top-sail/index.html": page("__TopSail", "<p>It is set as needed.</p>", 0),
		"/kites/-top-sail/trim.html": page("trim", "<p>Of TopSail.</p>", 8), "/kites/__-top-sail/trim.html": page("trim", "<p>Of __TopSail.</p>", 8),
		"/kites/__-oar/index.html": page("__Oar", "<p>It is of oak.</p>", 0), "/2.0/kites/__-top-sail/index.html": page("__TopSail", "<p>since 2.0</p>", 0),
	})
	areOneByRule(t, site, []twoPages{
		{"/kites/-top-sail/index.html", "/kites/__-top-sail/index.html", false}, {"/kites/__-oar/index.html", "/kites/__-top-sail/index.html", false},
		{"/kites/-top-sail/trim.html", "/kites/__-top-sail/trim.html", false},
		{"/kites/__-top-sail/index.html", "/2.0/kites/__-top-sail/index.html", true},
	})
}

// Two iterators of a library list all that an iterator does, and link to the same types.
func TestTypesThatLinkToTheSameTypesAreTwo(t *testing.T) {
	var inherited strings.Builder
	for i := range 90 {
		fmt.Fprintf(&inherited, `<h4><a href="/std/iter/trait.Iterator.html#m%d">fn step%[1]d(self) -&gt; IntoIter or Keys</a> <a href="/std/option/enum.Option.html">Option</a></h4>`, i)
	}
	page := func(of, name, says string) string {
		return `<html lang="en"><head><title>std::` + of + "::" + name + ` - Rust</title></head><body><h1>Struct std::` + of + "::" + name + `</h1>
<pre>pub struct ` + name + ` { // some fields omitted }</pre><div class="docblock"><p>` + says + `</p></div><h3>impl Iterator for ` + name + `</h3>` + inherited.String() + `</body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/std/map/struct.Keys.html": page("map", "Keys", "Of the keys of a map."), "/std/option/struct.IntoIter.html": page("option", "IntoIter", "Of what an option has."),
		"/1.7/std/map/struct.Keys.html": page("map", "Keys", "Of the keys of any map."),
	})
	for path, same := range map[string]bool{"/std/option/struct.IntoIter.html": false, "/1.7/std/map/struct.Keys.html": true} {
		if j, got := one(site["/std/map/struct.Keys.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Keys and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// A library has an enum of one name in each module. rustdoc also has a page of a thing in each module that exports it: that of an outer module is one
// with it, and that of another one if both say much.
func TestNamesakesInTwoModulesAreTwoInRustdocIfOneSaysMore(t *testing.T) {
	var traits strings.Builder
	for i := range 40 {
		fmt.Fprintf(&traits, "<h4>fn step%d(self) of a message in its wire form, by the map of objects</h4>", i)
	}
	page := func(title, of, variants string) string {
		return `<html lang="en"><head><title>` + title + ` - Rust</title></head><body><h1>Enum ` + strings.ReplaceAll(of, "::", "::<wbr>") + `</h1>
<pre>pub enum Request { ` + variants + ` }</pre><h2>Trait Implementations</h2>` + traits.String() + `</body></html>`
	}
	documented := func(module string) string {
		said := strings.Repeat("<p>The crew asks for wind, rope and a calm sea, and the harbour answers in the order of the boats that left it this morning.</p>", 4)
		return strings.Replace(page("kites::rigs::"+module+"::Request", "kites::rigs::"+module+"::Request", ""), "<h2>", said+"<h2>", 1)
	}
	const bind = "Bind { name: u32, id: AnonymousObject }"
	module := func(name string) string {
		return `<html lang="en"><head><title>` + name + ` - Rust</title></head><body><h1>Module ` + name + `</h1><p>An interface of the protocol.</p>` + traits.String() + `</body></html>`
	}
	call := page("kites::rigs::set_call::Request", "kites::rigs::set_call::Request", "")
	const first = "/kites/rigs/set_call/enum.Request.html"
	for _, c := range []struct {
		a, path, b string
		same       bool
	}{
		{call, "/kites/rigs/set_registry/enum.Request.html", page("kites::rigs::set_registry::Request", "kites::rigs::set_registry::Request", bind), false},
		{call, "/kites/rigs/set_region/enum.Request.html", page("kites::rigs::set_region::Request", "kites::rigs::set_region::Request", ""), false},
		{call, "/kites/rigs/enum.Request.html", page("kites::rigs::Request", "kites::rigs::Request", ""), true},
		{call, "/3.0/docs/kites/rigs/set_call/enum.Request.html", call, true},
		{documented("set_call"), "/kites/rigs/set_region/enum.Request.html", documented("set_region"), true},
		{call, "/2.0/kites/rigs/set_call/enum.Request.html", page("kites::rigs::set_call::Request", "kites::rigs::set_call::Request", bind), true},
		{page("Request in kites::rigs::set_call", "kites::rigs::set_call::Request", ""), "/kites/rigs/set_registry/enum.Request.html",
			page("Request in kites::rigs::set_registry", "kites::rigs::set_registry::Request", bind), false},
	} {
		areOneByRule(t, pagesAmong(t, map[string]string{first: c.a, c.path: c.b}), []twoPages{{first, c.path, c.same}})
	}
	sea := strings.Replace(module("kites_client::rigs::sea"), "<h4>", "<p>Its buoys, anchors and harbours</p><h4>", 1)
	areOneByRule(t, pagesAmong(t, map[string]string{"/kites_client/rigs/sea/index.html": sea, "/kites_server/rigs/sea/index.html": module("kites_server::rigs::sea")}),
		[]twoPages{{"/kites_client/rigs/sea/index.html", "/kites_server/rigs/sea/index.html", false}})
}

// Two tables of a database have a column of one name, whose pages are equal but for names. What an outer module exports is one with it.
func TestAnEqualBodyIsNotEnoughForThingsInTwoModulesOfRust(t *testing.T) {
	page := func(folder, of string) *Text {
		return &Text{Title: "Struct kites::" + of + "::id", Body: "pub struct id;", Host: "kites.example", Name: "struct.id.html", folder: folder,
			blocks: []purify.Block{{Text: "pub struct id;", Chosen: true}}}
	}
	sail := page("sail/columns", "tables::sail::columns")
	for _, c := range []struct {
		of   *Text
		same bool
	}{
		{page("rope/columns", "tables::rope::columns"), false},
		{page("tables/sail", "tables::sail"), true},
		{page("sail/columns", "tables::sail::columns"), true},
	} {
		if same := !ofTwoNamespaces(sail.reading(), c.of.reading(), 1); same != c.same {
			t.Errorf("%s and %s are one: %v, want %v", sail.Title, c.of.Title, same, c.same)
		}
	}
}

// odoc's modules of one name in two modules have the same fields; those of two versions of an interface are one.
func TestThingsOfOneNameInTwoModulesAreTwoInOdoc(t *testing.T) {
	page := func(folder, name, title string) *reading {
		return (&Text{Title: title, Body: "val authors : Author.t list", Host: "kites.example", Name: name, folder: folder}).reading()
	}
	feed := page("kites/Reef", "Feed", "Module Reef.Feed")
	for _, c := range []struct {
		a, b *reading
		same bool
	}{
		{feed, page("kites/Sail", "Feed", "Module Sail.Feed"), false},
		{feed, page("2.0/Reef", "Feed", "Module Reef.Feed"), true},
		{feed, page("Reef/Feed", "Entry", "Module Reef.Feed.Entry"), false},
		{page("kites/Reef_v2", "Feed", "Module Reef_v2.Feed"), page("kites/Reef_v3", "Feed", "Module Reef_v3.Feed"), true},
		{page("notes/kites", "html", "Notes on Kites.html"), page("notes/boats", "html", "Notes on Boats.html"), true},
	} {
		if same := !ofTwoNamespaces(c.a, c.b, 1) && !titledByCodeApart(c.a.text, c.b.text); same != c.same {
			t.Errorf("%s and %s are one: %v, want %v", c.a.text.Title, c.b.text.Title, same, c.same)
		}
	}
}

// The files of a program in rustdoc's folders of sources start with the same license and modules.
func TestFilesOfSourcesAreTwo(t *testing.T) {
	var lines strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, "// rope %d is used under the license of the harbour\nmod rope%[1]d;\n", i)
	}
	page := func(name, more string) string {
		return `<html lang="en"><head><title>` + name + ` - source</title></head><body><h1>` + name + `</h1><pre>` + lines.String() + more + `</pre></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/src/kites/wool/add.rs.html": page("add.rs", "mod add;"), "/src/kites/wool/sub.rs.html": page("sub.rs", "mod sub;"),
		"/src/kites/wool/mod.rs.html": page("mod.rs", "mod wool;"), "/src/kites/silk/mod.rs.html": page("mod.rs", "mod silk;"),
		"/2.0/src/kites/wool/mod.rs.html": page("mod.rs", "mod wool; mod rope41;"),
	})
	areOneByRule(t, site, []twoPages{
		{"/src/kites/wool/add.rs.html", "/src/kites/wool/sub.rs.html", false}, {"/src/kites/wool/mod.rs.html", "/src/kites/silk/mod.rs.html", false},
		{"/src/kites/wool/mod.rs.html", "/2.0/src/kites/wool/mod.rs.html", true},
	})
}

// The bodies of two types may be all that they inherit.
func TestAnEqualBodyIsNotEnoughForATypeOfDokka(t *testing.T) {
	page := func(folder, title string) *Text {
		return &Text{Host: "a.example", Name: naming.Cased(folder), Title: title}
	}
	port, streams, article := page("-o-r-port", "ORPort"), page("-max-streams", "MaxStreams"), page("-o-r-port", "Ports of a network")
	if !titledByCodeApart(port, streams) {
		t.Error("two types are not apart by their names")
	}
	if got := article.titledName(); got != "" {
		t.Errorf("an article is called %q", got)
	}
}

// The name of a type is the last one of the file's name; a file of another program may be named like those of Doxygen.
func TestNamesOfTypes(t *testing.T) {
	for name, want := range map[string]string{
		"classKite_1_1Sail.html": "Sail", "structkites_1_1wind__rope_1_1Sail-members.html": "Sail", "structkites_1_1Sail_3_01Rope_00_01Winds_01_4.html": "Sail",
		"structkites_1_1set__sail.html": "set_sail", "struct.WindVane.html": "WindVane", "-HttpClient": "HttpClient", "-HttpClient.html": "", // its constructor
		"sails.html": "", "namespacekites.html": "", "interface_with_sails.html": "",
	} {
		if got := naming.TypeName(name, ""); got != want {
			t.Errorf("TypeName(%q) is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[[2]string]string{
		{"classwx_sail_ctrl-members.html", "wxSailCtrl Member List"}: "wxSailCtrl", {"classwxSailCtrl.html", "wxSailCtrl Class Reference"}: "wxSailCtrl",
		{"structsail__t.html", "sail_t Struct Reference"}: "sail_t", {"structsail.html", "sail Struct Reference"}: "sail", {"structsail.html", "Kites and their sail"}: "",
		{"classwx_sail_ctrl.html", "wxRopeCtrl Class Reference"}: "", {"classroom.html", "The room"}: "", {"classkites_1_1sail__t.html", "kites::sail_t"}: "sail_t",
	} {
		if got := naming.TypeName(name[0], name[1]); got != want {
			t.Errorf("TypeName(%q) is %q, want %q", name, got, want)
		}
	}
	a := &Text{Name: naming.Cased("interface_with_sails_.html"), Title: "Interface with sails", Host: "a.example"}
	if a.typeName() != "" {
		t.Error("an article on an interface is that of a type")
	}
	b := &Text{Name: naming.Cased("class_kites_1_1_wind_sail.html"), Title: "kites::WindSail Class Reference", Host: "a.example"}
	if b.typeName() == "" {
		t.Error("a class of Doxygen is not that of a type")
	}
}

// Two specializations of a template have the same members, and say nothing else.
func TestSpecializationsOfOneTemplateAreTwo(t *testing.T) {
	page := func(arguments, says string) string {
		title := "kites::Sail&lt; " + arguments + " &gt; Struct Template Reference"
		return `<html lang="en"><head><title>Kites: ` + title + `</title></head><body><div class="title">` + title + `</div>
<h2>Public Member Functions</h2><div>void operator() (F rope, Winds &amp;winds, Args... args) const</div><div>template void set (F rope, Winds &amp;winds, std::size_t most, bool all=false)</div><div>` + says + `The documentation for this struct was generated from the following file: kites/sail.h</div></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/structkites_1_1Sail_3_01Rope_01_4.html":            page("Rope", ""),
		"/structkites_1_1Sail_3_01Rope_00_01Winds_01_4.html": page("Rope, Winds", ""),
		"/2.0/structkites_1_1Sail_3_01Rope_01_4.html":        page("Rope", "since 2.0 "),
	})
	for path, same := range map[string]bool{"/structkites_1_1Sail_3_01Rope_00_01Winds_01_4.html": false, "/2.0/structkites_1_1Sail_3_01Rope_01_4.html": true} {
		if j, got := one(site["/structkites_1_1Sail_3_01Rope_01_4.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Sail of Rope and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// A method of a class and that of a class which extends it have nearly the same text in Dokka.
func TestMethodsOfTwoTypesAreTwoInDokka(t *testing.T) {
	page := func(of, override string) string {
		return `<html lang="en"><head><title>e</title></head><body><div><a href="/log/index.html">log</a>/<a href="index.html">` + of + `</a>/<a href="e.html">e</a></div><h1>e</h1>
<div>` + override + ` fun e(message: String?, vararg args: Any?)</div><p>Logs an error message with optional format arguments.</p>
<div>` + override + ` fun e(t: Throwable?, message: String?, vararg args: Any?)</div><p>Logs an error and a message with optional format arguments.</p>
<div>` + override + ` fun e(t: Throwable?)</div><p>Logs an error.</p></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/log/-tree/e.html": page("Tree", "open"), "/log/-forest/e.html": page("Forest", "override"), "/2.0/log/-tree/e.html": page("Tree", "abstract"),
	})
	for path, same := range map[string]bool{"/log/-forest/e.html": false, "/2.0/log/-tree/e.html": true} {
		if j, got := one(site["/log/-tree/e.html"], site[path]); got != same || j < .6 {
			t.Errorf("e of Tree and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
		if _, got := one(site["/log/-tree/e.html"], site[path].onHost("2.a.example")); got != same {
			t.Errorf("e of Tree and %s on a host of its version: one page: %v, want %v", path, got, same)
		}
	}
}

// A method of a type and the same of a type that has it from there may differ in what is declared alone, outside of what is taken for the body.
func TestMethodsOfTwoTypesAreTwoWhateverTheirBodies(t *testing.T) {
	read := func(path, of, declared string) *Text {
		view := purify.PurifyAt("http://a.example"+path, []byte(`<html lang="en"><head><title>canShowSails</title></head><body><div><a href="/log/index.html">log</a>/<a href="index.html">`+of+`</a></div>
<h1>canShowSails</h1><div>`+declared+` val canShowSails: Boolean</div><p>`+strings.Repeat("Whether the view may show the sails of a kite, which depends on how much of the sky it has. ", 4)+`</p></body></html>`), "text/html")
		for i := range view.Blocks {
			view.Blocks[i].Chosen = view.Blocks[i].Prose
		}
		view.Template, view.URL = 1, "http://a.example"+path
		text := TextOf(view)
		return &text
	}
	tree := read("/log/-tree-view/can-show-sails.html", "TreeView", "abstract")
	for _, c := range []struct {
		path, of, declared string
		same               bool
	}{
		{"/log/-default-tree-view/can-show-sails.html", "DefaultTreeView", "open override", false},
		{"/2.0/log/-tree-view/can-show-sails.html", "TreeView", "protected abstract", true},
	} {
		other := read(c.path, c.of, c.declared)
		for _, text := range []*Text{other, other.onHost("2.a.example")} {
			if j, same := one(tree, text); same != c.same {
				t.Errorf("%s on %s: one page: %v (J %.2f), want %v", c.path, text.Host, same, j, c.same)
			}
		}
	}
}

// Digits in the names of types and functions are no versions.
func TestNamesInDokkaThatDifferInDigitsAreTwo(t *testing.T) {
	page := func(of, name, says string) string {
		return `<html lang="en"><head><title>` + name + `</title></head><body><div><a href="/kites/index.html">kites</a>/<a href="index.html">` + of + `</a>/<a href="x.html">` + name + `</a></div>
<h1>` + name + `</h1><div>fun <a href="x.html">` + name + `</a>(` + says + `)</div></body></html>`
	}
	method := func(of, since string) string {
		return page(of, "paint", since+"sail: Sail, rope: Rope?, height: Int, width: Int)</div><p>Paints the sail and the rope in the colours that they were given when they were bought, from the top to the bottom and from the left to the right, on both sides.</p><div>(")
	}
	function := func(name, says string) string {
		return page("kites", name, `length: Long = 224, sails: Int = 10): Kite</div><p>Makes a `+says+` kite without a tail for an evening by the sea, and ties it to a rope.</p>
<div>length</div><p>How long its rope is in metres.</p><div>sails</div><p>How many sails it has, the small ones too, but not those that were torn in the last storm and have not been sewn since then.</p><div>(`)
	}
	site := pagesAmong(t, map[string]string{
		"/kites/-sail-canvas/paint.html": method("SailCanvas", ""), "/kites/-sail-canvas2/paint.html": method("SailCanvas2", "the "),
		"/2.0/kites/-sail-canvas/paint.html": method("SailCanvas", "the "),
		"/kites/sail50v2-light.html":         function("sail50v2Light", "Sail50V2"), "/kites/sail152-light.html": function("sail152Light", "Sail152"),
		"/2.0/kites/sail50v2-light.html": function("sail50v2Light", "light Sail50V2"),
	})
	for pair, same := range map[[2]string]bool{
		{"/kites/-sail-canvas/paint.html", "/kites/-sail-canvas2/paint.html"}:    false,
		{"/kites/-sail-canvas/paint.html", "/2.0/kites/-sail-canvas/paint.html"}: true,
		{"/kites/sail50v2-light.html", "/kites/sail152-light.html"}:              false,
		{"/kites/sail50v2-light.html", "/2.0/kites/sail50v2-light.html"}:         true,
	} {
		if j, got := one(site[pair[0]], site[pair[1]]); got != same || j < ruling().Resemblance {
			t.Errorf("%s: one page: %v (J %.2f), want %v", pair, got, j, same)
		}
	}
}

// Javadoc names the package of a class in a line that all classes of the package have, and in the tree of what it extends.
func TestNamesakesInTwoPackagesAreTwoInJavadoc(t *testing.T) {
	page := func(of, since string) string {
		var members strings.Builder
		for _, m := range []string{"Length", "Width", "Colour", "Rope", "Tail", "Maker", "Owner", "Price"} {
			fmt.Fprintf(&members, "<li><h4>get%s</h4><pre>public java.lang.String get%[1]s()</pre><div>Gets the value of the field that was set when the kite was made.</div></li>\n", m)
		}
		return `<html lang="en"><head><title>Kite (Kites API)</title></head><body><div class="header"><div class="subTitle">` + of + `</div><h2>Class Kite</h2></div>
<ul><li>java.lang.Object</li><li>` + of + `.Kite</li></ul><p>` + since + ` A kite and what is known of it.</p><ul>` + members.String() + `</ul></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/api/org/example/kites/Kite.html": page("org.example.kites", "Since 1.0."), "/api/org/example/kites/us/core/Kite.html": page("org.example.kites.us.core", "Since 1.1."),
		"/2.0/api/org/example/kites/Kite.html": page("org.example.kites", "Since the first version."),
	})
	for path, same := range map[string]bool{"/api/org/example/kites/us/core/Kite.html": false, "/2.0/api/org/example/kites/Kite.html": true} {
		if j, got := one(site["/api/org/example/kites/Kite.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Kite and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
	short := pagesAmong(t, map[string]string{
		"/api/kites/spy/Kite.html": page("kites.spy", "Since 1.0."), "/api/kites/annotations/Kite.html": page("kites.annotations", "Since 1.1."),
		"/2.0/api/kites/spy/Kite.html": page("kites.spy", "Since the first version."),
	})
	for path, same := range map[string]bool{"/api/kites/annotations/Kite.html": false, "/2.0/api/kites/spy/Kite.html": true} {
		if j, got := one(short["/api/kites/spy/Kite.html"], short[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Kite of kites.spy and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// A title may write a name as one word that its URL writes with hyphens, next to the name of a thing that it extends.
func TestANameThatHasAnotherInItIsAnother(t *testing.T) {
	kites, ropes := namedBy("http://a.example/4.0/kites/", "Kites API Reference"), namedBy("http://a.example/4.0/kites-rope/", "KitesRope API Reference")
	if !ropes.hasOwnName(kites, false) {
		t.Error("KitesRope at kites-rope is no name that Kites lacks")
	}
	if again := namedBy("http://a.example/4.1/kites-rope/", "KitesRope API Reference (new)"); ropes.hasOwnName(again, false) || again.hasOwnName(ropes, false) {
		t.Error("KitesRope has a name that KitesRope lacks")
	}
}

// Haddock has a page of its index for each sign with which operators start.
func TestPartsOfAnIndexBySignsAreTwo(t *testing.T) {
	page := func(sign string) string {
		return `<html lang="en"><head><title>kites: A library (Index - ` + sign + `)</title></head><body><p class="caption">Index - ` + sign + `</p><table><tr><td>` + sign +
			`</td><td><a href="Kites-Sail.html">Kites.Sail</a>, <a href="Kites-Rope.html">Kites.Rope</a></td></tr></table></body></html>`
	}
	site := pagesAmong(t, map[string]string{"/kites/doc-index-33.html": page("!"), "/kites/doc-index-60.html": page("&lt;"), "/2.0/kites/doc-index-33.html": page("!")})
	for path, same := range map[string]bool{"/kites/doc-index-60.html": false, "/2.0/kites/doc-index-33.html": true} {
		if j, got := one(site["/kites/doc-index-33.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("the index of ! and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// Doxygen has a class of one name in a namespace and in one below it, with the same members.
func TestNamesakesInANamespaceBelowAreTwoInDoxygen(t *testing.T) {
	page := func(name string) string {
		var members strings.Builder
		for _, m := range []string{"Serialize", "Deserialize", "Size", "ToString", "Equals", "Bytes"} {
			fmt.Fprintf(&members, "<div>override %s () of the bytes that it wraps, as in all types</div>", m)
		}
		return `<html lang="en"><head><title>Kites: ` + name + ` Class Reference</title></head><body><div class="title">` + name + ` Class Reference</div>
<div>Inheritance diagram for ` + name + `:</div><h2>Public Member Functions</h2>` + members.String() + `</body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/class_kites_1_1_sail.html": page("Kites.Sail"), "/class_kites_1_1_factory_1_1_sail.html": page("Kites.Factory.Sail"),
		"/2.0/class_kites_1_1_sail.html": strings.Replace(page("Kites.Sail"), "<h2>", "<p>since 2.0</p><h2>", 1),
	})
	members := pagesAmong(t, map[string]string{
		"/class_kites_1_1_sail-members.html":             strings.Replace(page("Kites.Sail"), "Class Reference", "Member List", 2),
		"/class_kites_1_1_factory_1_1_sail-members.html": strings.Replace(page("Kites.Factory.Sail"), "Class Reference", "Member List", 2),
	})
	if j, same := one(members["/class_kites_1_1_sail-members.html"], members["/class_kites_1_1_factory_1_1_sail-members.html"]); same || j < ruling().Resemblance {
		t.Errorf("the members of two: one page: %v (J %.2f)", same, j)
	}
	for path, same := range map[string]bool{"/class_kites_1_1_factory_1_1_sail.html": false, "/2.0/class_kites_1_1_sail.html": true} {
		if j, got := one(site["/class_kites_1_1_sail.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("Sail and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// A manual's index has a page for each letter, which has little but the row of letters.
func TestPartsOfAnIndexByLettersAreTwo(t *testing.T) {
	page := func(entries string) string {
		var row strings.Builder
		for c := 'a'; c <= 'z'; c++ {
			fmt.Fprintf(&row, `<a href="members_%c.html#index_%[1]c">%[1]c</a> `, c)
		}
		return `<html lang="en"><head><title>Kites: Members</title></head><body><div>` + row.String() + `</div>
<div>Here is a list of all documented members with links to the documentation of the kite, sail or rope to which each of them belongs</div><ul><li>` + entries + `</ul></body></html>`
	}
	site := pagesAmong(t, map[string]string{"/members_g.html": page("gust()"), "/members_l.html": page("line()"), "/old/members_g.html": page("gust(), gale()")})
	for path, same := range map[string]bool{"/members_l.html": false, "/old/members_g.html": true} {
		if j, got := one(site["/members_g.html"], site[path]); got != same || j < ruling().Resemblance {
			t.Errorf("members_g.html and %s: one page: %v (J %.2f), want %v", path, got, j, same)
		}
	}
}

// function is the page of a function of a manual: a line or two next to the menu of its version.
func function(version, name, says, links string) string {
	var menu strings.Builder
	for i := range 200 {
		fmt.Fprintf(&menu, `<div><a href="/%s/%[2]c%[3]c.html">%[2]c%[3]cSynthesizer</a></div>`, version, 'a'+i%26, 'a'+i/26)
	}
	for _, of := range []string{"alike", "between", "log"} {
		fmt.Fprintf(&menu, `<div><a href="%s.html">%[1]s</a></div>`, of)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[2]s</title></head><body><div class="list">%[3]s</div>
<h1>%[2]s</h1><p>%[4]s</p><p><a href="/%[1]s/%[5]s.html">%[5]s</a></p></body></html>`, version, name, menu.String(), says, links)
}

// Two functions next to the menu of a version, of which their site's template does not know, are
// two by what little they say.
func TestALineBesideAMenuTellsPagesApart(t *testing.T) {
	const power, within = "Equal power gain scale. Good for fading one source into the next one.", "Assert that the number is in the given range, or throw an error."
	site := pagesAmong(t, map[string]string{
		"/v1/equalPower.html": function("v1", "equalPower", power, "normalRange"), "/v1/between.html": function("v1", "between", within, "numbers"),
		"/v1/fading.html": function("v1", "fading", power, "fade"),
		"/v1/alike.html":  function("v1", "alike", power, "numbers"), "/v1/log.html": function("v1", "log", "() => void", "numbers"),
	})
	a, b := site["/v1/equalPower.html"], site["/v1/between.html"]
	if j, same := one(a, b); same || j < ruling().Resemblance {
		t.Errorf("two functions: resemblance %.2f, one: %v; want two that the menu makes alike", j, same)
	}
	for _, path := range []string{"/v1/alike.html", "/v1/log.html"} { // one that links to the same, one of two words
		if j, same := one(site[path], b); same || j < ruling().Resemblance {
			t.Errorf("%s and between.html: resemblance %.2f, one: %v; want two that the menu makes alike", path, j, same)
		}
	}
	if site["/v1/alike.html"].Links != b.Links {
		t.Error("two functions that link to the same do not")
	}
	if _, same := one(a, site["/v1/fading.html"]); !same {
		t.Error("a function under two names is two")
	}
}

// Pages about two things that a program has written have most sentences in common, and what names
// the thing stands outside what models take for body.
func TestBodiesOfTwoSubjectsAreNearlyEqualOrTwo(t *testing.T) {
	about := func(title, own string, changed int) *Text {
		var main, aside strings.Builder
		for i := range 12 {
			word := "money"
			if i < changed {
				word = title
			}
			fmt.Fprintf(&main, "<p>Whoever asks for this %s is told within %d days at the office of the district, where nothing has to be paid for the form of kind %c.</p>", word, 20+i, 'a'+i)
		}
		for i := range 9 {
			fmt.Fprintf(&aside, "<p>%s %d: %s.</p>", title, 1970+i, strings.Repeat(fmt.Sprint(own, " ", i, ", "), 3))
		}
		view := purify.Purify(fmt.Appendf(nil, "<html lang=\"en\"><head><title>%s</title></head><body><main><h1>%[1]s</h1>%s</main>%s</body></html>", title, main.String(), aside.String()), "text/html")
		for i := range view.Blocks {
			view.Blocks[i].Chosen = strings.HasPrefix(view.Blocks[i].Text, "Whoever")
		}
		view.Template = 1
		text := TextOf(view)
		return &text
	}
	solar := about("Sunlight", "a roof of one family", 2)
	for _, c := range []struct {
		what  string
		other *Text
		want  bool
	}{
		{"another subject's", about("Craftsmen", "tools for eighteen trades", 2), false},
		{"the same subject's with another way to ask", about("Sunlight", "the mill of a village", 0), true},
	} {
		whole, bodies := solar.reading().resemblance(c.other.reading()), solar.chosen().reading().resemblance(c.other.chosen().reading())
		if whole >= ruling().Resemblance || bodies < ruling().Resemblance {
			t.Fatalf("%s: resemblance %.2f, of the bodies %.2f; want bodies that alone are alike", c.what, whole, bodies)
		}
		if _, same := one(solar, c.other); same != c.want {
			t.Errorf("%s page is one with it: %v, want %v", c.what, same, c.want)
		}
	}
}

// A news site shows an article and below it the next ones of its section, so that the pages of a
// section have the same words in another order. The page of one story under two headlines has them in
// one order.
func TestAnArticleAboveTheNextOnesIsNotTheNextOne(t *testing.T) {
	topics := []string{"bridge", "hospital", "orchard", "harbour"}
	article := func(topic string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<h1>The %s of the town</h1>", topic)
		for i := range 6 {
			fmt.Fprintf(&b, "<p>Of the %s the mayor said on day %d that nobody who had %s %d could tell what the %[1]s would cost the town in the end.</p>",
				topic, 3*i+len(topic), []string{"seen report", "read letter", "heard speech"}[i%3], 100*len(topic)+i)
		}
		return b.String()
	}
	page := func(title string, from int) *Text {
		var all strings.Builder
		for i := range topics {
			all.WriteString(article(topics[(from+i)%len(topics)]))
		}
		view := purify.Purify(fmt.Appendf(nil, "<html lang=\"en\"><head><title>%s</title></head><body><main>%s</main></body></html>", title, all.String()), "text/html")
		view.URL, view.Template = "http://news.example/"+title, 1
		text := TextOf(view)
		return &text
	}
	title := func(i int) string { return "The " + topics[i] + " of the town" }
	first := page(title(0), 0)
	for i := 1; i < len(topics); i++ {
		if j, same := one(first, page(title(i), i)); j < ruling().Resemblance || same {
			t.Errorf("the page of the article on the %s, alike by %.2f, is that on the %s: %v; want false of two that are alike", topics[i], j, topics[0], same)
		}
	}
	if j, same := one(first, page("What the mayor said", 0)); !same {
		t.Errorf("one page under two headlines, alike by %.2f, is two", j)
	}
}

// relative is the record of a person in a family tree: what is known of her or him, and the names of
// all children of the family, as links to their records.
func relative(family []string, own string) string {
	var rows strings.Builder
	for _, name := range family {
		if name == own {
			fmt.Fprintf(&rows, "<tr><td></td><td>%s</td></tr>\n", name)
		} else {
			fmt.Fprintf(&rows, `<tr><td>Sister</td><td><a href="%s.html">%[1]s</a></td></tr>`+"\n", name)
		}
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><div class="record"><h3>%[1]s</h3>
<table><tr><td>Birth Name</td><td>%[1]s</td></tr><tr><td>Gender</td><td>female</td></tr></table><h4>Parents</h4><table>
<tr><td>Father</td><td><a href="%[2]s-senior.html">%[2]s senior</a></td></tr><tr><td>Mother</td><td><a href="%[3]s-senior.html">%[3]s senior</a></td></tr>
%[4]s</table></div></body></html>`, own, family[0], family[1], rows.String())
}

func TestTwoOfAFamilyAreTwo(t *testing.T) {
	names := []string{"betsy", "benjamin", "rachel", "fairborn", "charles", "james", "ida", "harriet", "thomas", "walter", "emily", "rennie",
		"agnes", "robert", "louisa", "henry", "edith", "albert", "clara", "george", "mabel", "arthur"}
	pages := make(map[string]string)
	var paths []string
	for f := range 20 {
		var family []string
		for _, name := range names {
			family = append(family, fmt.Sprintf("%s-hill%c%c", name, 'a'+f%5, 'a'+f/5))
		}
		for _, own := range family {
			paths = append(paths, own+".html")
			pages[own+".html"] = relative(family, own)
		}
	}
	texts := siteOf(t, paths, func(path string) string { return pages[path] })
	for _, path := range paths[1:len(names)] {
		if j, same := one(texts[path], texts[paths[0]]); same || j < ruling().Resemblance {
			t.Errorf("%s and %s: one %v, resemblance %.2f", path, paths[0], same, j)
		}
	}
}

// act is an act of parliament for a town, which names another act in passing.
func act(town, year, other string, r *rand.Rand) string {
	var sections strings.Builder
	for i := range 60 {
		fmt.Fprintf(&sections, "<p>%d. The board may by order in writing", i+1)
		for range 40 {
			fmt.Fprintf(&sections, " word%d", r.IntN(400))
		}
		if i%4 == 0 {
			fmt.Fprintf(&sections, " the harbour of %s", town)
		}
		sections.WriteString(".</p>\n")
	}
	fmt.Fprintf(&sections, "<p>It is amended by the act for %s.</p>", other)
	return fmt.Sprintf(`<html lang="en"><head><title>The %s Harbour Act, %s</title></head><body><h3>The %[1]s Harbour Act, %[2]s</h3>%[3]s</body></html>`, town, year, sections.String())
}

// Acts with the same sections for two towns are two though one names the other in passing, and an act is
// one in two editions that name their years again and again.
func TestActsForTwoTownsAreTwo(t *testing.T) {
	pages := map[string]string{}
	for path, of := range map[string][3]string{
		"act-1.html": {"Alderney", "1983", "Brightling"}, "act-2.html": {"Brightling", "1984", "Alderney"}, "act-3.html": {"Alderney", "1985", "Cresswell"},
	} {
		pages[path] = act(of[0], of[1], of[2], rand.New(rand.NewPCG(1, 2)))
	}
	texts := siteAmong(t, 20, pages, []string{"act-1.html", "act-2.html", "act-3.html"})
	for path, want := range map[string]bool{"act-2.html": false, "act-3.html": true} {
		if j, same := one(texts[path], texts["act-1.html"]); same != want || j < .95 {
			t.Errorf("%s and the first act: one %v, resemblance %.2f; want %v", path, same, j, want)
		}
	}
}

// The records of two persons with the votes of all are two, though the votes name both and are nearly
// all that they say; one that was counted again is one, and so is a story under two headlines.
func TestTwoOfAHouseAreTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	votes := text(r, 400) + " on the report of Anna Lind: for\n" + text(r, 400) + " on the report of Bertil Holm: against\n"
	record := func(name string, votesCast int) *Text {
		own := fmt.Sprintf("Telephone %d, of the committee for %s\n%d votes were cast\n", r.IntN(1e6), text(r, 12), votesCast)
		return &Text{Title: name, Subject: "House", Host: "house.example", Body: own + votes, Links: 7, named: true}
	}
	anna, bertil := record("Anna Lind", 801), record("Bertil Holm", 802)
	if j, same := one(anna, bertil); same || j < 0.9 {
		t.Errorf("two members: one %v, resemblance %.2f", same, j)
	}
	again := *record("Anna Lind", 803)
	if j, same := one(anna, &again); !same {
		t.Errorf("one member: one %v, resemblance %.2f", same, j)
	}
	story := *record("Anna Lind", 804)
	other := story
	story.Title, other.Title = "Sea takes harbour", "A storm at night"
	other.Body += "A word more\n"
	if j, same := one(&story, &other); !same || j == 1 {
		t.Errorf("a story under two headlines: one %v, resemblance %.2f", same, j)
	}
}

// Two pages of one host whose URLs end in names that only their own texts have are two, whatever
// their titles say: manuals of commands under the name of the program, of policies with one text.
func TestTheEndsOfURLsNameTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var options []string
	for range 8 {
		options = append(options, text(r, 50))
	}
	manual := func(host, path, title, name, does string) *Text {
		body := name + " - " + does + "\n" + strings.Join(options, " "+name+" ") + "\n"
		return &Text{Title: title, Subject: name, Name: path, Host: host, Body: body, Links: 7}
	}
	group := manual("a.example", "oadm-policy-remove-group.1.html", "OADM POLICY(1)", "oadm policy remove-group", "take a group from a policy")
	pods := manual("a.example", "oadm-pod-network.1.html", "OADM(1)", "oadm pod-network", "join the network of pods")
	abrt := manual("a.example", "abrt_watch_selinux.8.html", "abrt_watch_selinux(8)", "abrt_watch_selinux", "what it may do")
	vm := manual("a.example", "vmtools_selinux.8.html", "vmtools_selinux(8)", "vmtools_selinux", "what it may do")
	alias := manual("a.example", "oadm-remove-group.1.html", "OADM POLICY(1)", "oadm policy remove-group", "take a group from this policy")
	elsewhere := manual("b.example", "vmtools_selinux.8.html", "vmtools_selinux(8)", "vmtools_selinux", "what it may do")
	mirrored := manual("b.example", "network-of-pods.html", "OADM(1)", "oadm network", "join the network of pods")
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"two commands of a program", group, pods, false},
		{"two policies", abrt, vm, false},
		{"one command under two names", group, alias, true},
		{"a copy elsewhere", pods, mirrored, true},
		{"two policies on two hosts", abrt, elsewhere, false},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance || !same && j >= allButNamed {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// The number of a page of a list is not a name of it.
func TestANumberIsNotAName(t *testing.T) {
	var list token.List
	if words := naming.SegmentWords(&list, "7"); len(words) > 0 {
		t.Errorf("7 has %d names", len(words))
	}
	if words := naming.SegmentWords(&list, "abrt_watch_selinux.8.html"); len(words) < 4 {
		t.Errorf("abrt_watch_selinux.8 has %d names, want its words and the whole", len(words))
	}
}

// pagesThatName returns what makes pages of a heading, a line, and seven paragraphs, which are the same for
// all of them, with a name between each two.
func pagesThatName(seed uint64) func(address, title, line, name string) *Text {
	r := rand.New(rand.NewPCG(seed, seed))
	var says []string
	for range 7 {
		says = append(says, text(r, 40))
	}
	return func(address, title, line, name string) *Text {
		x := &Text{Title: title, Subject: title, Body: line + "\n" + strings.Join(says, " "+name+" ") + "\n", Links: 7}
		x.Host, x.folder, x.Name = namesIn(address)
		return x
	}
}

// A name in a URL is one of the page's text however the URL writes it: with the letters that ASCII has, or
// with the others as bytes in hexadecimal digits.
func TestNamesInURLsAreThoseOfTheText(t *testing.T) {
	page := pagesThatName(9)
	service := func(address, town string) *Text {
		return page(address, "Boilers "+town, "The boilers of "+town, town)
	}
	for _, c := range []struct {
		what string
		a, b *Text
	}{
		{"German", service("http://a.example/boilers-gruenbach/", "Grünbach"), service("http://a.example/boilers-roetha/", "Rötha")},
		{"Russian", service("http://a.example/boilers-moskva/", "Москва"), service("http://a.example/boilers-tver/", "Тверь")},
		{"with percent signs", service("http://a.example/boilers-%d0%9c%d0%be%d1%81%d0%ba%d0%b2%d0%b0", "Москва"),
			service("http://a.example/boilers-%d0%a2%d0%b2%d0%b5%d1%80%d1%8c", "Тверь")},
		{"Chinese", service("http://a.example/boilers-%e5%8c%97%e4%ba%ac", "北京"), service("http://a.example/boilers-%e4%b8%8a%e6%b5%b7", "上海")},
	} {
		if j, same := one(c.a, c.b); same || j < ruling().Resemblance || j >= allButNamed {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// Pages that a program writes of things are two by what their titles and URLs name, whatever else is the
// same, but not if they are equal.
func TestAProgramsPagesOfTwoThingsAreTwo(t *testing.T) {
	page := pagesThatName(12)
	of := func(address, title, line, day string) *Text {
		x := page("http://a.example"+address, title, line, "so")
		x.named, x.day = true, day
		return x
	}
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"companies by their letters", of("/us-kite/plan.html", "KITE risk plan", "Price 14 and trade value 3100 in all of the last weeks", ""),
			of("/us-boat/plan.html", "BOAT risk plan", "Price 99 and trade value 5200 in all of the last weeks", ""), false},
		{"companies by their numbers", of("/tw-1477/plan.html", "1477 risk plan", "It is below the line of twenty days", ""),
			of("/tw-2344/plan.html", "2344 risk plan", "It is above the line of twenty days", ""), false},
		{"a name more", of("/shows/night-of-boats", "Night of boats", "Doors open at the usual hour", ""),
			of("/shows/dark-night-of-boats", "Dark night of boats", "Doors open at a later hour", ""), false},
		{"there and back", of("/route/naples-to-tampa/", "Naples to Tampa", "More ways from Naples", ""),
			of("/route/tampa-to-naples/", "Tampa to Naples", "More ways from Tampa", ""), false},
		{"pages of a script", of("/shop/blue-kite.php", "Blue kite for children", "Of the best make", ""),
			of("/shop/red-kite.php", "Red kite for children", "Of the worst make", ""), false},
		{"places without names in their URLs", of("/facility/f_70", "Brennan station", "At 3200 by the river road", ""),
			of("/facility/f_81", "Hillside station", "At 301 by the river road", ""), false},
		{"a show on two evenings", of("/shows/night-3124", "Night of boats", "Sat, Sep 12", "2026-09-12"),
			of("/shows/night-3087", "Night of boats", "Sat, Nov 28", "2026-11-28"), false},
		{"a show under two URLs", of("/shows/night-3124", "Night of boats", "Sat, Sep 12, in the hall", "2026-09-12"),
			of("/shows/night-3087", "Night of boats", "Sat, Sep 12, in our hall", "2026-09-12"), true},
		{"a page in two versions", of("/12/night", "Night of boats", "As of September", "2025-09-12"),
			of("/13/night", "Night of boats", "As of November", "2026-11-28"), true},
		{"equal pages", of("/us-kite/plan.html", "KITE risk plan", "Price and trade value are not known", ""),
			of("/us-boat/plan.html", "BOAT risk plan", "Price and trade value are not known", ""), true},
		{"editions", of("/stable/plan.html", "The stable plan", "Read this one before the other one", ""),
			of("/latest/plan.html", "The latest plan", "Read that one before the other one", ""), true},
		{"examples in folders", of("/examples/sail_trim/README.html", "Trim a sail", "Pull the rope until it is tight", ""),
			of("/examples/fast_sail_trim/README.html", "Trim a sail with a fast hand", "Pull the rope until it is still tight", ""), false},
		{"methods of two classes", of("/api/mainSail/trim.html", "trim of mainSail", "Pulls the rope until it is tight", ""),
			of("/api/topSail/trim.html", "trim of topSail", "Pulls the rope until it is still tight", ""), true},
		{"models by their codes", of("/shop/firmware-for-a-kite-eg8145v5", "Firmware for a kite EG8145V5", "It is for the EG8145V5", ""),
			of("/shop/firmware-for-a-kite-hg8145v5", "Firmware for a kite HG8145V5", "It is for the HG8145V5", ""), false},
		{"classes of one name", of("/api/Kites.Extras.Sails.Strings.html", "Class Strings", "Namespace: Kites.Extras.Sails", ""),
			of("/api/Kites.Extras.Tails.Strings.html", "Class Strings", "Namespace: Kites.Extras.Tails", ""), false},
		{"a class in two versions", of("/1/Kites.Extras.Sails.Strings.html", "Class Strings", "Namespace: Kites.Extras.Sails of 1", ""),
			of("/2/Kites.Extras.Sails.Strings.html", "Class Strings", "Namespace: Kites.Extras.Sails of 2", ""), true},
		{"types of a program", of("/kites/struct.KiteSail.html", "KiteSail in kites", "Of wood and linen", ""),
			of("/kites/struct.BoatSail.html", "BoatSail in kites", "Of linen and rope", ""), false},
		{"methods", of("/Kite.fly.html", "Kite.fly of kites", "It flies and returns where it is now", ""),
			of("/Boat.fly.html", "Boat.fly of kites", "It flies and tells where it is now", ""), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// Pages of one host whose titles are the same except for a qualified name are two, unless they say the same
// and are not brief.
func TestTitlesWithTwoQualifiedNamesAreOfTwo(t *testing.T) {
	page := pagesThatName(13)
	of := func(address, title, line string, words int) *Text {
		x := page("http://a.example/api/"+address, title, line, "so")
		x.named, x.plain, x.prose = true, words, words
		return x
	}
	uses := func(host, class string) *Text {
		x := of("class-use/Sail.html", "Uses of Class "+class, "No usage of "+class, 9)
		x.Host = host
		return x
	}
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"a class and one within it", uses("a.example", "org.kites.Sail"), uses("a.example", "org.kites.Sail.None"), false},
		{"the same elsewhere", uses("a.example", "org.kites.Sail"), uses("b.example", "org.kites.Sail.None"), true},
		{"files of one name, of which little is said", of("concept_2group_8hpp.html", "kites/concept/group.hpp File Reference", "Defines a group.", 9),
			of("group_8hpp.html", "kites/group.hpp File Reference", "Defines a group.", 9), false},
		{"a folder and one in it", of("dir_4b7f3d.html", "kites Directory Reference", "Files and folders", 9),
			of("dir_b9606a.html", "kites/sails Directory Reference", "Files and folders", 9), false},
		{"modules with one signature", of("Ident/Map.html", "Map (kites.Ident.Map)", "Maps by keys", 500), of("Path/Map.html", "Map (kites.Path.Map)", "Maps by keys", 500), true},
		{"a file in two versions", of("1.2/group_8hpp.html", "kites/group.hpp File Reference 1.2", "Since 1.1", 9),
			of("1.3/group_8hpp.html", "kites/group.hpp File Reference 1.3", "Since 1.0", 9), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
	for _, c := range []struct {
		title, other string
		two          bool
	}{
		{"Uses of Class org.kites.Sail (Kites 4.2 API)", "Uses of Class org.kites.Sail (Kites 5.0 API)", false},
		{"Notes on TCP/IP", "Notes on IP", false},
		{"Kites 1.2.3", "Kites 1.2.4", false},
		{"Index of /pub/kites", "Index of /pub/boats", true},
		{"S (kites.Path.S)", "Make (kites.Path.Make)", true},
		{"S (kites.Path.S)", "Sails (kites.Path.Make)", false},
		{"kites::Sail Class Reference", "boats::Sail Class Reference", false},
		{"std::kites::Sail Class Reference", "kites::Sail Class Reference", false},
	} {
		if got := naming.TitlesQualifyTwo(c.title, c.other); got != c.two {
			t.Errorf("TitlesQualifyTwo(%q, %q) is %v", c.title, c.other, got)
		}
	}
}

// Two pages whose URLs end alike are two if each names the folder that it is in, but not if the folder is
// one of a version.
func TestTheFolderOfAPageNamesIt(t *testing.T) {
	page := pagesThatName(10)
	interview := func(address, title, school string) *Text {
		return page(address, title, "What "+school+" asks", school)
	}
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"two schools", interview("http://a.example/schools/booth/interview/", "Booth interviews", "Booth"),
			interview("http://a.example/schools/kellogg/interview/", "Kellogg interviews", "Kellogg"), false},
		{"two schools in two versions", interview("http://a.example/schools/booth/1.2/interview/", "Booth interviews", "Booth"),
			interview("http://a.example/schools/kellogg/1.3/interview/", "Kellogg interviews", "Kellogg"), false},
		{"one school in two versions", interview("http://a.example/stable/interview/", "Interviews - stable", "Booth"),
			interview("http://a.example/latest/interview/", "Interviews - latest", "Kellogg"), true},
		{"a school elsewhere", interview("http://a.example/schools/booth/interview/", "Booth interviews", "Booth"),
			interview("http://b.example/schools/booth-school/interview/", "Booth interviews", "the school"), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance || j >= allButNamed {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// A name within a longer one names another thing: the school of a state, and the one of its university.
func TestANameWithinALongerOneIsAnother(t *testing.T) {
	page := pagesThatName(11)
	school := func(address, title, name string) *Text {
		return page(address, title, "What one asks", name)
	}
	kansas := school("http://a.example/schools/kansas", "Kansas interviews", "Kansas")
	function := school("http://a.example/numpy.vander.html", "numpy.vander", "numpy.vander")
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"a qualified name", function, school("http://a.example/numpy.ma.vander.html", "numpy.ma.vander", "numpy.ma.vander"), true},
		{"a longer name", kansas, school("http://a.example/schools/kansas-state", "Kansas State interviews", "Kansas State"), false},
		{"a longer title", kansas, school("http://a.example/schools/kansas-1", "Kansas State interviews", "Kansas State"), true},
		{"elsewhere", kansas, school("http://b.example/schools/kansas-state", "Kansas State interviews", "Kansas State"), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance || j >= allButNamed {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// A small blog that shows its posts whole in its lists has a post of a dozen categories on so many pages that it is
// taken for frame. Then a list of that post and another one is left with the other one.
func TestAListOfTwoPostsIsNotOneOfThem(t *testing.T) {
	post := func(name string) string {
		var says strings.Builder
		for i := range 5 {
			fmt.Fprintf(&says, "<p>Line %d says that %s", i, name)
			for j := range 24 {
				fmt.Fprintf(&says, " %s%d", name, 24*i+j)
			}
			says.WriteString(" came home late.</p>")
		}
		return "<article><h2>How " + name + " was made</h2>" + says.String() + "</article>"
	}
	list := func(name string, posts ...string) string {
		return "<html><head><title>" + name + "</title></head><body><h1>Category: " + name + "</h1><main>" + strings.Join(posts, "") + "</main></body></html>"
	}
	pages := map[string]string{
		"/boat/":          list("The boat of planks", post("boat")),
		"/category/wood/": list("Wood", post("kite"), post("boat")),
		"/category/oars/": list("Oars", post("boat")),
		"/cart/":          list("The cart of planks", post("cart")),
		"/category/hubs/": list("Hubs", post("cart"), post("note")),
	}
	paths := slices.Sorted(maps.Keys(pages))
	for i := range 10 {
		path := fmt.Sprintf("/category/%d/", i)
		pages[path] = list(fmt.Sprintf("Things of sort %d", i), post("kite"), post(fmt.Sprintf("thing%d", i)))
		paths = append(paths, path)
	}
	for i := range 50 {
		path := fmt.Sprintf("/post-%d.html", i)
		pages[path] = list(path, post(fmt.Sprintf("post%d", i)), post("note"))
		paths = append(paths, path)
	}
	site := siteOf(t, paths, func(path string) string { return pages[path] })
	areOneByRule(t, site, []twoPages{
		{"/boat/", "/category/wood/", false}, {"/category/wood/", "/boat/", false},
		{"/boat/", "/category/oars/", true}, {"/category/oars/", "/boat/", true},
		{"/cart/", "/category/hubs/", true}, {"/category/hubs/", "/cart/", true}, // which has a note that is below half of the pages
	})
}

// Of a list that shows one post whole and the first lines of others, the models take that post for the body.
func TestAListWithOnePostWholeIsNotThatPost(t *testing.T) {
	article := func(name, says string) string {
		return fmt.Sprintf(`<article><header><h1><a href="/%s/">How the %[1]s was made</a></h1></header><time>2014-01-07</time><div class="article-entry">%s</div></article>`, name, says)
	}
	begins := func(name string) string {
		return article(name, "<p>"+name+" was what all of us wanted to have before the winter came, and so we went to the yard one day, with a rope and two bags of nails. <a href='/"+name+"/'>Read more</a></p>")
	}
	var lines strings.Builder
	for i := range 6 {
		fmt.Fprintf(&lines, "<p>Line %d of the kite is on paper%[1]d, string%[1]d, the river%[1]d and a hill%[1]d where boys%[1]d stayed in grass%[1]d till it was%[1]d found by those%[1]d who made it, and wind%[1]d came, or rain%[1]d.</p>", i)
	}
	whole := article("kite", lines.String())
	page := func(title, says string) string {
		return "<html><head><title>" + title + "</title></head><body><header><a href='/'>Home</a></header><section id='main'>" + says + "</section></body></html>"
	}
	pager := "<nav><a href='/page/2/'>2</a> <a href='/page/4/'>4</a></nav>"
	pages := map[string]string{
		"kite/":               page("How the kite was made - Sheds", whole),
		"page/3/":             page("Sheds", begins("ladder")+begins("barrow")+begins("rake")+whole+pager),
		"tags/paper/":         page("Tag: paper - Sheds", whole),
		"tags/string/page/2/": page("Tag: string - Sheds", whole+pager),
	}
	site := pagesAmong(t, pages)
	kite := site["kite/"]
	for path, want := range map[string]bool{"page/3/": false, "tags/paper/": true, "tags/string/page/2/": true} {
		list := site[path]
		for i := range list.blocks { // as they do in a theme that is used widely
			list.blocks[i].Chosen = strings.Contains(kite.Body, list.blocks[i].Text)
		}
		for _, pair := range [][2]*Text{{kite, list}, {list, kite}} {
			if j, same := one(pair[0], pair[1]); same != want || j < doubtful {
				t.Errorf("%s: one is %t at %.2f, want %t", path, same, j, want)
			}
		}
	}
}

// Of the posts on a page of a list one has a summary, and the others have titles alone.
func TestAPageOfAListIsNotTheOnePostThatHasASummary(t *testing.T) {
	summary := ""
	for i := range 9 {
		summary += mended(i)
	}
	entry := func(name, says string) string {
		return fmt.Sprintf(`<div><h1><a href="/posts/%s/">Of %[1]s in the yard and how each of them came there when the river had gone, or earlier%[1]s</a></h1>%s</div>`, name, says)
	}
	page := func(says string) string {
		return "<html><head><title>Sheds and yards weekly</title></head><body><p>Sheds and yards weekly</p><main>" + says + "</main></body></html>"
	}
	others := ""
	for i := range 12 {
		others += entry(fmt.Sprintf("oars%d", i), "")
	}
	pages := pagesAmong(t, map[string]string{
		"posts/page/7/": page(others + entry("ladders", summary) + "<a href='/posts/page/6/'>6</a>"),
		"tags/ladders/": page(entry("ladders", summary)),
		"posts/page/9/": page(entry("ladders", summary) + "<a href='/posts/page/6/'>6</a>"),
	})
	for _, path := range []string{"posts/page/7/", "tags/ladders/", "posts/page/9/"} {
		for i := range pages[path].blocks { // as they do in a theme that is used widely
			b := &pages[path].blocks[i]
			b.Chosen = b.Prose && !b.Linked
		}
	}
	areOne(t, pages, []twoPages{{"tags/ladders/", "posts/page/7/", false}, {"tags/ladders/", "posts/page/9/", true}})
}

// Two tags whose lists stand below a cloud of all tags link to each other, also where links have the letters that
// URLs have percent-encoded, and where a parameter names the tag.
func TestListsThatLinkToEachOtherAreTwo(t *testing.T) {
	tags := []string{"小程序", "云存储", "读取浏览器"}
	for _, c := range []struct{ link, url string }{
		{"/tags/%s/", "tags/%s/"},
		{"list.php?tag=%s&amp;by=day", "list.php?tag=%s&by=day"},
		{"/?tag=%s", "?tag=%s"},
	} {
		list := func(tag, post string) string {
			var cloud strings.Builder
			for _, name := range tags {
				fmt.Fprintf(&cloud, `<a href="%s">%s</a> `, fmt.Sprintf(c.link, name), name)
			}
			for i := range 40 {
				fmt.Fprintf(&cloud, `<a href="%s">a tag with the number%d</a> `, fmt.Sprintf(c.link, fmt.Sprint("tag", i)), i)
			}
			return fmt.Sprintf(`<html><head><title>标签: %s</title></head><body><main><div>%s</div><ul><li><a href="/posts/%s/">%[3]s</a></li></ul></main></body></html>`, tag, cloud.String(), post)
		}
		at := func(i int) string { return fmt.Sprintf(c.url, url.PathEscape(tags[i])) }
		texts := pagesAmong(t, map[string]string{at(0): list(tags[0], "Kites"), at(1): list(tags[1], "Boats")})
		areOneByRule(t, texts, []twoPages{{at(0), at(1), false}})
	}
}

// Two tags of a blog, of which one has seven posts that the other lacks, stand next to a menu that the site's template does
// not know yet. Together with it nine in ten of their links are the same.
func TestListsThatDifferInManyItemsAreTwoNextToALongMenu(t *testing.T) {
	list := func(tag string, posts int) string {
		var items strings.Builder
		for i := range 46 {
			fmt.Fprintf(&items, `<li><a href="/shelves/%d/">Shelf number%[1]d of the shed with its tools%[1]d</a></li>`, i)
		}
		for i := range posts {
			fmt.Fprintf(&items, `<li><a href="/posts/%d/">How thing%[1]d was mended in year%[1]d</a></li>`, i)
		}
		return fmt.Sprintf("<html><head><title>Posts about %s</title></head><body><main><h1>Posts about %[1]s</h1><ul>%s</ul></main></body></html>", tag, items.String())
	}
	pages := pagesAmong(t, map[string]string{"tags/kites.html": list("kites", 18), "tags/boats.html": list("boats", 25), "tags/masts.html": list("masts", 20)})
	areOneByRule(t, pages, []twoPages{{"tags/boats.html", "tags/kites.html", false}, {"tags/masts.html", "tags/kites.html", true}})
}

// The first pages of two packages of a manual say what those of all its packages say. One of them was read without a template,
// since too few pages of its folder were known.
func TestAFrameThatOneOfTwoShortPagesWasReadWithDoesNotMakeThemOne(t *testing.T) {
	page := func(name, title, own string) string {
		return fmt.Sprintf(`<html lang=en><head><title>%s</title></head><body><main><h1>%[1]s</h1>
<p>The types of this library are made from the records of the sea, and each of them follows what the harbour says of it, so that boats and masts may change
without a word of ours. To set out you should look at the quay and the rope, where all that is common to boats, masts and sails is kept in one place for you.</p>
<p>Lines of the harbour: %s</p><ul><li><a href="/%s/types.html">%[2]s</a></li></ul></main></body></html>`, title, own, name)
	}
	paths := []string{"kites-1.4/index.html", "boats-1.4/index.html"}
	pages := map[string]string{
		paths[0]: page("kites-1.4", "kites-1.4: Kites of the sea.", "tails"),
		paths[1]: page("boats-1.4", "boats-1.4: Boats that rent a harbour of theirs.", "sheets"),
	}
	read := siteAmong(t, 30, pages, paths)
	view := purify.Purify([]byte(pages[paths[0]]), "text/html")
	view.URL = "http://site.example/" + paths[0]
	bare := TextOf(view)
	if x := outlineOf(bare.Sign()); !bare.Bare || x.tokens < briefBody || x.tokens >= ownText {
		t.Fatalf("bare %v, %d tokens", bare.Bare, x.tokens)
	}
	again := *read[paths[0]]
	areOneByRule(t, map[string]*Text{"bare": &bare, "boats": read[paths[1]], "again": &again}, []twoPages{{"boats", "bare", false}, {"again", "bare", true}})
}

// mended is what a post says of a thing, and mendedPost the post in a list.
func mended(i int) string {
	return fmt.Sprintf("<p>Of thing%d there were number%[1]d parts in the yard%[1]d, and hardly one was whole%[1]d or dry%[1]d.</p>", i)
}

func mendedPost(i int) string {
	return fmt.Sprintf(`<div><h2><a href="/posts/%d/">How thing%[1]d was mended</a></h2>%s</div>`, i, mended(i))
}

// Of the second page of all posts under two addresses the models may take all titles for body, or one.
func TestAPageOfPostsIsOneUnderTwoAddresses(t *testing.T) {
	list := func(from int) string {
		var posts strings.Builder
		for i := range 6 {
			posts.WriteString(mendedPost(from + i))
		}
		return fmt.Sprintf("<html><head><title>Sheds</title></head><body><main>%s</main><a href='/page/1/'>1</a></body></html>", posts.String())
	}
	few := pagesAmong(t, map[string]string{"page/2/": list(0), "posts/page/2/": strings.Replace(list(0), "<main>", "<main><p>Page two</p>", 1), "posts/page/3/": list(6)})
	few["page/2/"].Lists = few["page/2/"].Lists[:1]
	areOne(t, few, []twoPages{
		{"page/2/", "posts/page/2/", true}, {"posts/page/2/", "page/2/", true},
		{"page/2/", "posts/page/3/", false}, {"posts/page/3/", "page/2/", false},
	})
}

// Pages of two lists of the same posts say of how many pages they are one, and how long they took to make.
func TestNumbersOfAListsPagesDoNotMakeItAnother(t *testing.T) {
	list := func(title string, of int) string {
		var posts strings.Builder
		for i := range 8 {
			posts.WriteString(mendedPost(i))
		}
		return fmt.Sprintf("<html><head><title>%s</title></head><body><main><h1>%[1]s</h1>%s</main><p>Page 3 of %d. <a href='2/'>2</a></p><p>%d queries</p></body></html>", title, posts.String(), of, 7*of)
	}
	pages := pagesAmong(t, map[string]string{"page/3/": list("Sheds Weekly", 12), "category/sheds/page/3/": list("Everything about mending", 17)})
	areOne(t, pages, []twoPages{{"page/3/", "category/sheds/page/3/", true}})
}

// Of two tags of one post that is shown whole hardly more than the name differs. Products that have a few words in
// common are two by their names.
func TestListsOfOnePostAreOneWhateverTheirNames(t *testing.T) {
	list := func(name string, words int) string {
		var says strings.Builder
		for i := range words / 10 {
			says.WriteString(mended(i))
		}
		return fmt.Sprintf("<html><head><title>%s Archives</title></head><body><main><h1>Of the sort: %[1]s</h1><article>%s</article></main></body></html>", name, says.String())
	}
	for words, same := range map[int]bool{900: true, 90: false} {
		pages := pagesAmong(t, map[string]string{"tag/kites/": list("Kites", words), "tag/oars/": list("Oars", words)})
		areOne(t, pages, []twoPages{{"tag/kites/", "tag/oars/", same}})
	}
}

// Two types that inherit what their pages list are two, however long the pages are and if they say nothing else, if
// titles and files name them. A method on the pages of two classes is one.
func TestTwoTypesWithTheSameInheritedMembersAreTwo(t *testing.T) {
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "def member%d of%d takes%d: F%d\n", i, i, i, i)
		}
		return b.String()
	}
	one := func(a, b Text) (float64, bool) {
		o := DefaultOptions()
		x, y := a.Sign(), b.Sign()
		found := o.compareTexts(outlineOf(x), outlineOf(y), &a, &b)
		return found.j, found.same()
	}
	page := func(name, title, own string, inherited int) Text {
		return Text{Host: "a.example", Name: name + ".html", Title: title, Lang: "en", Body: "trait " + name + "\n" + own + "\n" + members(inherited)}
	}
	for _, c := range []struct {
		what string
		a, b Text
		same bool
	}{
		{"two types", page("Bounded", "Bounded", "an interval that Bounded ends on both sides at a lower and an upper value", 300), page("Above", "Above", "all values that are Above a lower one without any end that is known", 300), false},
		{"two types under one title", page("Bounded", "Intervals", "an interval that Bounded ends on both sides", 300), page("Above", "Intervals", "all values that are Above a lower one", 300), true},
		{"two short pages", page("Bounded", "Bounded", "Bounded", 60), page("Above", "Above", "Above", 60), false},
		{"names alone", page("Bounded", "Bounded", "", 300), page("Above", "Above", "", 300), false},
		{"a type and a value of its name", page("WindRope", "WindRope", "", 300), page("windRope", "windRope", "", 300), false},
		{"a class and the object of its name", page("Bounded", "Bounded", "", 300), page("Bounded$", "Bounded", "", 300), false},
		{"one type in another spelling of the file", page("WindRope", "WindRope", "", 300), page("windrope", "WindRope", "", 300), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < allButNamed {
			t.Errorf("%s: one page: %v (J %.3f), want %v above %v", c.what, same, j, c.same, allButNamed)
		}
	}
}

// A library may have a class for each type of number, in namespaces of their own, with the same members.
func TestNamesakesInTwoNamespacesAreTwo(t *testing.T) {
	page := pagesThatName(13)
	class := func(address, title, line string) *Text { return page(address, title, line, "that") }
	matrix := func(namespace, line string) *Text {
		return class("http://a.example/api/"+namespace+"/DenseMatrix.htm", "DenseMatrix", line)
	}
	r := rand.New(rand.NewPCG(13, 1))
	much, others, short, brief := text(r, 28), text(r, 28), text(r, 12), text(r, 12)
	sprite := class("http://a.example/docs/Phaser.GameObjects.Sprite.html", "Sprite", "new Phaser.GameObjects.Sprite(scene) "+much)
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"folders", matrix("Numerics.Algebra.Single", "stores a float"), matrix("Numerics.Algebra.Double", "stores a double"), false},
		{"folders, with equal texts", matrix("Numerics.Algebra.Single", ""), matrix("Numerics.Algebra.Double", ""), false},
		{"versions", matrix("3.0.1", "stores a float"), matrix("3.0.2", "stores a double"), true},
		{"hosts in the folders of a mirror", matrix("www.site.com", "a float"), matrix("old.site.com", "a double"), true},
		{"one namespace on two hosts", matrix("Numerics.Algebra.Single", "stores a float"),
			class("http://b.example/api/Numerics.Algebra.Single/DenseMatrix.htm", "DenseMatrix", "stores a double"), true},
		{"names that one text has both of", sprite,
			class("http://a.example/docs/Phaser.Physics.Arcade.Sprite.html", "Sprite", "Phaser.Physics.Arcade.Sprite extends Phaser.GameObjects.Sprite "+others), false},
		{"names above hardly more", sprite,
			class("http://a.example/docs/Phaser.Physics.Arcade.Sprite.html", "Sprite", "Phaser.Physics.Arcade.Sprite extends Phaser.GameObjects.Sprite"), true},
		{"names that could be hosts but for their capitals", class("http://a.example/src/Data.Sail.Read.html", "", "module Data.Sail.Read "+much),
			class("http://a.example/src/Data.Sail.Lazy.Read.html", "", "module Data.Sail.Lazy.Read "+others), false},
		{"modules of which one is within the other", class("http://a.example/src/Data.Sail.Mast.html", "", "module Data.Sail.Mast "+short),
			class("http://a.example/src/Data.Sail.Mast.Safe.html", "", "module Data.Sail.Mast.Safe "+brief), false},
		{"a module under an older name", class("http://a.example/src/Data.Sail.Mast.html", "", "module Data.Sail.Mast "+short),
			class("http://a.example/src/Data.Old.Sail.Mast.html", "", "module Data.Old.Sail.Mast "+brief), true},
		{"modules by their titles", class("http://a.example/BoatAPI/Model/Base.html", "Class: BoatAPI::Model::Base", "a model"),
			class("http://a.example/KiteAPI/Model/Base.html", "Class: KiteAPI::Model::Base", "its model"), false},
		{"a module in two versions", class("http://a.example/1/Boats/Base.html", "Class: Boats::Base", "a model"),
			class("http://a.example/2/Boats/Base.html", "Class: Boats::Base", "its model"), true},
		{"a module's title above other folders", class("http://a.example/c/1/Base.html", "Class: Boats::Base", "a model"),
			class("http://a.example/c/2/Base.html", "Class: Kites::Base", "its model"), true},
		{"a name that its page does not say", sprite,
			class("http://a.example/docs/Phaser.Physics.Arcade.Sprite.html", "Sprite", "extends Phaser.GameObjects.Sprite, Phaser.Physics.Arcade.Sprites "+others), true},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// Two classes of one name in two packages may have bodies that are nearly equal, below lines that name the packages.
func TestNamesakesInTwoPackagesAreTwoWhateverTheirBodies(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	var members strings.Builder
	for range 6 {
		fmt.Fprintf(&members, "<p>%s, it returns.</p>", text(r, 40))
	}
	page := func(version, name, field string) *Text {
		view := purify.Purify(fmt.Appendf(nil, `<html lang=en><head><title>Source</title></head><body><p>org.example.%s</p><p>Related: package %[1]s %s</p>
<main><h1>Source</h1>%s<p>val %s%s: String</p></main></body></html>`, name, text(r, 60), members.String(), name, field), "text/html")
		for i := range view.Blocks {
			view.Blocks[i].Chosen = strings.HasSuffix(view.Blocks[i].Text, "returns.") || strings.HasPrefix(view.Blocks[i].Text, "val")
		}
		view.Template, view.URL = 1, "http://a.example/"+version+"org/example/"+name+"/Source.html"
		text := TextOf(view)
		return &text
	}
	kites := page("1.2/", "kites", "Height")
	for _, c := range []struct {
		what string
		b    *Text
		same bool
	}{
		{"another package", page("1.2/", "sheds", "Height"), false},
		{"another version", page("1.3/", "kites", "Width"), true},
	} {
		if _, same := one(kites, c.b); same != c.same {
			t.Errorf("%s: one %v, want %v", c.what, same, c.same)
		}
		x, y := kites.Sign(), c.b.Sign()
		if same := ruling().oneBody(outlineOf(x), outlineOf(y), kites.reading(), c.b.reading()); same != c.same {
			t.Errorf("%s, under one body: one %v, want %v", c.what, same, c.same)
		}
	}
}

// A post with many comments shows them in parts, each below the post. The parts are one document, as are the page
// that shows the post alone and that with a form for an answer.
func TestPagesOfTheCommentsOnAPostAreOne(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	var post strings.Builder
	for range 6 {
		fmt.Fprintf(&post, "<p>%s, he wrote.</p>", text(r, 40))
	}
	page := func(name string) *Text {
		var comments strings.Builder
		for range 4 {
			fmt.Fprintf(&comments, "<p>A reader says: %s.</p>", text(r, 40))
		}
		view := purify.Purify(fmt.Appendf(nil, "<html lang=en><head><title>The kite</title></head><body><main><h1>The kite</h1>%s</main>%s</body></html>", post.String(), comments.String()), "text/html")
		for i := range view.Blocks {
			view.Blocks[i].Chosen = !strings.HasPrefix(view.Blocks[i].Text, "A reader")
		}
		view.Template, view.URL = 1, "http://a.example/2007/07/06/kite/"+name
		text := TextOf(view)
		return &text
	}
	first := page("comment-page-1/")
	for _, name := range []string{"comment-page-2/", "", "?replytocom=3"} {
		other := page(name)
		if whole := first.reading().resemblance(other.reading()); whole >= ruling().Resemblance {
			t.Fatalf("%q: resemblance %.2f; want bodies that alone are alike", name, whole)
		}
		if _, same := one(first, other); !same {
			t.Errorf("%q is another document", name)
		}
	}
}

// Each page of a list shows one post, whose title is also in the menu of all pages, so that only its day is left of
// it.
func TestTwoPagesOfAListAreTwo(t *testing.T) {
	page := func(n, day int) string {
		return fmt.Sprintf(`<html lang=en><head><title>Kites</title></head><body><main><h1>Kites</h1><p>All that is kept in this shed about kites, the newest first, with the day of each, as those who mend the sails and the ropes have written it down for themselves and for whoever comes after them to this place by the water</p>
<h2><a href="/posts/%d/">post%[1]d</a></h2><p>March %d</p></main><p><a href="/tags/kites/page/1/">1</a> <a href="/tags/kites/page/2/">2</a> <a href="/tags/kites/page/3/">3</a></p></body></html>`, n, day)
	}
	pages := pagesAmong(t, map[string]string{
		"tags/kites/page/2/": page(2, 7), "tags/kites/page/3/": page(3, 9), "page/4/": page(4, 8), "page/5/": page(5, 10),
	})
	for _, p := range pages {
		p.Lists = nil // the links are those of the menu, too
	}
	areOneByRule(t, pages, []twoPages{{"tags/kites/page/2/", "tags/kites/page/3/", false}, {"page/4/", "page/5/", false}})
}

// A manual's older versions each say so above a page of two lines.
func TestAShortPageOfTwoVersionsIsOneBelowALineWithTheVersion(t *testing.T) {
	page := func(version, says string) string {
		return `<html lang="en"><head><title>Sails</title></head><body><main><p>Kites ` + version + ` manual</p><p>This is the manual of version ` + version + `, which is not the latest version. Read that of 4.4.0.</p>
<h1>Sails</h1><p>` + says + `</p></main></body></html>`
	}
	const sails = "All sails of this shed were sewn by one maker."
	pages := pagesAmong(t, map[string]string{
		"3.1.1/tools/sails.html": page("3.1.1", sails), "3.2.0/tools/sails.html": page("3.2.0", sails), "3.3.0/tools/ropes.html": page("3.3.0", sails),
		"3.4.0/tools/sails.html": page("3.4.0", "All ropes of this shed were laid by one other person."),
		"3.1.1/all.html":         page("3.1.1", "3.1.1 3.1.0 3.0.9 3.0.8 3.0.7 3.0.6 3.0.5"), "3.2.0/all.html": page("3.2.0", "3.2.0 3.1.1 3.1.0 3.0.9 3.0.8 3.0.7 3.0.6"),
	})
	for _, p := range pages {
		if j := p.reading().resemblance(pages["3.1.1/tools/sails.html"].reading()); p != pages["3.1.1/tools/sails.html"] && j >= ruling().Resemblance {
			t.Fatalf("resemblance %.2f: want pages whose versions are much of their texts:\n%s", j, p.Body)
		}
	}
	areOne(t, pages, []twoPages{
		{"3.1.1/tools/sails.html", "3.2.0/tools/sails.html", true},
		{"3.1.1/tools/sails.html", "3.3.0/tools/ropes.html", false},
		{"3.1.1/tools/sails.html", "3.4.0/tools/sails.html", false},
		{"3.1.1/all.html", "3.2.0/all.html", false},
	})
}

// Each version of a manual links to the source of its own version, on another host.
func TestLinksToTheSourceOfAVersionAreOne(t *testing.T) {
	page := func(version, file string) string {
		return `<html lang="en"><head><title>SailException</title></head><body><main><h1>SailException</h1><p>class SailException extends KiteException implements Tearable</p>
<p>It is thrown when the wind tears a sail. <a href="https://code.example/kites/blob/` + version + `/src/` + file + `">View source</a></p></main></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/v1.14.1/SailException.html": page("v1.14.1", "SailException.php"), "/v1.3.1/SailException.html": page("v1.3.1", "SailException.php"),
		"/v1.4.0/SailException.html": page("v1.4.0", "Sails.php"),
	})
	areOneByRule(t, site, []twoPages{{"/v1.14.1/SailException.html", "/v1.3.1/SailException.html", true}})
	if a, b := site["/v1.14.1/SailException.html"], site["/v1.4.0/SailException.html"]; a.Links == b.Links {
		t.Error("links to two files are one")
	}
}

// Issues of a newsletter have one title but for the day, which only the folders of their URLs have.
func TestIssuesOfTwoDaysAreTwo(t *testing.T) {
	page := func(title, news string) string {
		return `<html lang="ko"><head><title>` + title + `</title></head><body><main><h1>` + title + `</h1><p>` + news + `</p>` +
			`<p>바람이 세게 불면 연을 높이 날릴 수 있습니다. 매주 토요일 아침에 강가에서 만나 함께 연을 날리고 이야기를 나눕니다. 비가 오면 도서관에 모여 새로운 모양을 그리고, 실과 종이를 고르는 법을 배웁니다.</p>
<p>지난달에 잃어버린 연을 찾은 사람은 다음 모임에 가져와 주세요. 아이들을 위한 작은 연은 입구에서 빌릴 수 있으며, 어른은 장갑을 끼고 줄을 잡아야 합니다.</p></main></body></html>`
	}
	for _, titles := range [][2]string{
		{"연 주간 뉴스 2016년 7월 16일", "연 주간 뉴스 2016년 7월 22일"}, {"Kites weekly of July 16, 2016", "Kites weekly of 22 June 2016"},
		{"Bulletin du 16 juillet 2016", "Bulletin du 22 juillet 2016"}, {"风筝周报 2016年7月16日", "风筝周报 2016年7月22日"},
	} {
		areOneByRule(t, pagesAmong(t, map[string]string{"/16/weekly/": page(titles[0], "새 연이 나왔다"), "/22/weekly/": page(titles[1], "새 줄이 나왔다")}),
			[]twoPages{{"/16/weekly/", "/22/weekly/", false}})
		areOneByRule(t, pagesAmong(t, map[string]string{"/1.0/weekly/": page(titles[0], "새 연이 나왔다"), "/2.0/weekly/": page(titles[0], "새 줄이 나왔다")}),
			[]twoPages{{"/1.0/weekly/", "/2.0/weekly/", true}})
	}
	for _, c := range []struct {
		a, b, title, other string
		one                bool
	}{
		{"/2019/03/relatorio/", "/2019/04/relatorio/", "Relatório de março de 2019", "Relatório de abril de 2019", false},
		{"/letters/aaaa/", "/letters/bbbb/", "会報 第2号", "会報 第3号", false}, {"/letters/aaaa/", "/letters/bbbb/", "Letter no. ٢", "Letter no. ٣", false},
		{"/letters/aaaa/", "/letters/bbbb/", "科技周刊第二期", "科技周刊第十三期", false},
		{"/kites-5/sails/", "/kites-6/sails/", "Chapter 3. Sails", "Chapter 4. Sails", true}, // two versions of a manual
		{"/kites/3.6.1/", "/kites/3.7.2/", "Documentation of Kites", "Documentation of Kites#", true},
		{"/letters/aaaa/", "/letters/aaaa/?print=1", "Letter no. 2 (3)", "Letter no. 2 (4)", true},
	} {
		areOneByRule(t, pagesAmong(t, map[string]string{c.a: page(c.title, "새 연이 나왔다"), c.b: page(c.other, "새 줄이 나왔다")}), []twoPages{{c.a, c.b, c.one}})
	}
}

// The branches of a firm have one text but for the town, and may have URLs with an id.
func TestPagesOfTwoThingsInOneFolderAreTwo(t *testing.T) {
	var common strings.Builder
	for i, thing := range strings.Fields("sails ropes frames tails reels bags pegs lamps flags gloves maps books") {
		fmt.Fprintf(&common, "<p>Of %s we have those of %d makers, for all winds and all ages, and each customer may try them behind the house for as long as the weather lasts.</p>\n", thing, i+3)
	}
	page := func(town string) string {
		return `<html lang="en"><head><title>Branch ` + town + `</title></head><body><main><h1>Branch ` + town + `</h1><p>Our shop in ` + town + ` is open every day but Monday, and its workshop on Fridays.</p>
` + common.String() + `<p>To find us in ` + town + `, follow the river from the bridge to the old mill.</p></main></body></html>`
	}
	story := func(headline string) string {
		return strings.NewReplacer("<title>Branch Leeds", "<title>"+headline, "<h1>Branch Leeds", "<h1>"+headline).Replace(page("Leeds"))
	}
	site := pagesAmong(t, map[string]string{"/branch.php-id=48/": page("Leeds"), "/branch.php-id=52/": page("York"), "/2.0/branch.php-id=48/": story("Branch Leads")})
	areOneByRule(t, site, []twoPages{{"/branch.php-id=48/", "/branch.php-id=52/", false}, {"/branch.php-id=48/", "/2.0/branch.php-id=48/", true}})
}
