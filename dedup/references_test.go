package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// twoPages are two pages of a site, which are to be one or not.
type twoPages struct {
	a, b string
	want bool
}

func areOne(t *testing.T, site map[string]*Text, cases []twoPages) {
	t.Helper()
	for _, c := range cases {
		if j, same := one(site[c.a], site[c.b]); same != c.want {
			t.Errorf("%s and %s are one: %v (%.2f), want %v", c.a, c.b, same, j, c.want)
		}
	}
}

// areOneByRule is areOne for pages whose texts resemble each other enough, so that a rule tells them apart.
func areOneByRule(t *testing.T, site map[string]*Text, cases []twoPages) {
	t.Helper()
	areOne(t, site, cases)
	for _, c := range cases {
		if j, _ := one(site[c.a], site[c.b]); j < ruling().Resemblance {
			t.Errorf("%s and %s: resemblance %.2f, want texts that resemble each other", c.a, c.b, j)
		}
	}
}

// members are lines of a reference: what a class inherits, or has itself.
func members(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "<dl><dt>%[1]s()</dt><dd>public %[1]s(mixed value) : void</dd></dl>\n", name)
	}
	return b.String()
}

func inherited(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("pulls%cRope%c", 'A'+i%26, 'A'+i/26))
	}
	return names
}

// classPage is the page of a class as a generator of manuals writes it that gives each page of the
// manual one title: the class's name stands in a line that is mostly links to what it extends.
func classPage(name, of, extends, uses string, own ...string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>Documentation</title></head><body><main><article>
<h2>%[1]s <span>extends <a href="%[3]s.html">%[3]s, the class above it</a></span></h2><p>%[4]s</p><p>Tests the output of %[2]s</p>%[5]s</article></main></body></html>`,
		name, of, extends, uses, members(append(inherited(40), own...)...))
}

// Two classes that inherit nearly all of what they have are two, whatever line has their names, and
// although one of them names the other.
func TestClassesThatInheritTheSameAreTwo(t *testing.T) {
	pages := map[string]string{
		"/classes/KiteTest.html":       classPage("KiteTest", "kites", "OutputTestAbstract", "", "sails", "tails"),
		"/classes/ReelTest.html":       classPage("ReelTest", "reels", "OutputTestAbstract", "", "spins", "stops"),
		"/classes/PaperKiteTest.html":  classPage("PaperKiteTest", "paper", "KiteTest", "It is like KiteTest and ReelTest.", "folds"),
		"/classes/core-wind-test.html": classPage("wind_test", "winds", "OutputTestAbstract", "", "blows", "turns"),
		"/classes/core-rain-test.html": classPage("rain_test", "rains", "OutputTestAbstract", "", "falls", "stops"),
		"/old/KiteTest.html":           classPage("KiteTest", "kites", "OutputTestAbstract", "", "sails", "tails", "lands"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for _, c := range []struct {
		other string
		want  bool
	}{{"/classes/core-wind-test.html", false}, {"/classes/ReelTest.html", false}, {"/classes/PaperKiteTest.html", false}, {"/old/KiteTest.html", true}} {
		if j, same := one(site["/classes/KiteTest.html"], site[c.other]); same != c.want {
			t.Errorf("%s: one with KiteTest: %v (%.2f), want %v", c.other, same, j, c.want)
		}
	}
	if j, same := one(site["/classes/core-wind-test.html"], site["/classes/core-rain-test.html"]); same {
		t.Errorf("wind_test and rain_test are one (%.2f)", j)
	}
}

// briefClass is the page of a class that has little but links to the classes above it.
func briefClass(name, constructor string, own ...string) string {
	var above strings.Builder
	for _, c := range []string{"Attribute", "ManyAttributes", "ColumnValue", "TableValue", "Product"} {
		fmt.Fprintf(&above, `<li><a href="/api/%[1]s.html">%[1]s, which is above it</a></li>`, c)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><h1>%[1]s</h1><pre>class %[2]s is an attribute of columns with values</pre>
<ul>%[3]s</ul><p>new %[2]s</p><p>It is made once, and then stays.</p>%[4]s</main></body></html>`, name, constructor, above.String(), members(own...))
}

// tagPage is a list of the posts with a tag.
func tagPage(tag string, posts int) string {
	var b strings.Builder
	for i := range posts {
		fmt.Fprintf(&b, `<li>%d May <a href="/post-%[2]d.html">The %[2]dth of all posts about kites and reels</a></li>`, i+1, i)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><h1>%[1]s</h1><p>All posts with %[1]s are in this list, %[2]d of them.</p><ul>%[3]s</ul></main></body></html>`, tag, posts, b.String())
}

// Two lists of the same items are one if they say the same but for their names. Two classes that lead to
// the same classes above them are not.
func TestClassesBelowTheSameClassesAreTwo(t *testing.T) {
	pages := map[string]string{
		"/api/Unique.html":     briefClass("Unique", "Unique()"),
		"/api/Indexed.html":    briefClass("Indexed", "Indexed(nameOfIndex: Text, length: Int)", "nameOfIndex", "length"),
		"/tags/knots.html":     tagPage("knots", 6),
		"/tags/splicings.html": tagPage("splicings", 6),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for _, c := range []struct {
		a, b string
		want bool
	}{{"/api/Unique.html", "/api/Indexed.html", false}, {"/tags/knots.html", "/tags/splicings.html", true}} {
		if j, same := one(site[c.a], site[c.b]); same != c.want {
			t.Errorf("%s and %s are one: %v (%.2f), want %v", c.a, c.b, same, j, c.want)
		}
	}
}

// memberPage is the page of one method: a way to it, and what it looks like.
func memberPage(version, class, method, looks string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>%[3]s</title></head><body><div class="breadcrumbs"><a href="/%[1]s/">kites</a>/<a href="/%[1]s/all/">all kites</a>/<a href="index.html">%[2]s</a>/%[3]s</div>
<main><h1>%[3]s</h1><pre>%[4]s</pre></main></body></html>`, version, class, method, looks)
}

const longSignature = "open fun fly(wind: Wind, rope: Rope, field: Field, hour: Hour, seen: Sighting): Flight throws Storm, Calm"

// sectionPage is a section of a law next to a list of all of its sections.
func sectionPage(number int, title, says string) string {
	var list strings.Builder
	for i := range 80 {
		fmt.Fprintf(&list, `<li><a href="/law/%[1]d/">%[1]d. The %[1]dth matter of kites, their ropes and the fields that they are flown over</a></li>`, i)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>Section %[1]d %[2]s</title></head><body><aside><p>The law of kites, ropes and all that hangs on them, as the assembly of fliers has made it, with its chapters</p><ul>%[3]s</ul></aside>
<main><h1>Section %[1]d %[2]s</h1><p>%[4]s</p></main></body></html>`, number, title, list.String(), says)
}

// Two pages that say a line or two are two if they are of two classes, or say other sentences, whatever is
// next to them.
func TestPagesOfALineOrTwoAreOfWhatTheyAreIn(t *testing.T) {
	pages := map[string]string{
		"/1/kites/-paper-kite/fly.html": memberPage("1", "PaperKite", "fly", "open fun fly(wind: Wind, rope: Rope): Flight"),
		"/2/kites/-paper-kite/fly.html": memberPage("2", "PaperKite", "fly", "open fun fly(wind: Wind, rope: Rope): Flight"),
		"/1/kites/-box-kite/fly.html":   memberPage("1", "BoxKite", "fly", "open fun fly(wind: Wind, rope: Rope): Flight"),
		"/1/kites/-kite/fly.html":       memberPage("1", "Kite", "fly", longSignature),
		"/1/kites/-kite-tail/fly.html":  memberPage("1", "KiteTail", "fly", longSignature),
		"/1/kites/-sail/value-of.html":  memberPage("1", "Sail", "valueOf", valueOf),
		"/1/kites/-rope/value-of.html":  memberPage("1", "Rope", "valueOf", valueOf),
		"/2/kites/-rope/value-of.html":  memberPage("2", "Rope", "valueOf", valueOf),
		"/law/11/":                      sectionPage(11, "Allowances for fliers", "A flier who has flown for ten years is paid for the rope that was lost, if the loss was seen by two others."),
		"/law/85/":                      sectionPage(85, "Duties of all fliers", "Every flier obeys what the keeper of the field has written down, and tells him at once of storms that come."),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/1/kites/-paper-kite/fly.html", "/2/kites/-paper-kite/fly.html", true},
		{"/1/kites/-paper-kite/fly.html", "/1/kites/-box-kite/fly.html", false},
		{"/1/kites/-kite/fly.html", "/1/kites/-kite-tail/fly.html", false},
		{"/1/kites/-sail/value-of.html", "/1/kites/-rope/value-of.html", false},
		{"/1/kites/-rope/value-of.html", "/2/kites/-rope/value-of.html", true},
		{"/law/11/", "/law/85/", false},
	})
}

const valueOf = `fun valueOf(value: String): Constant<p>Returns the constant of this type with the name that is given. It must match exactly, and characters around it are not allowed.</p>`

// functionPage is the page of a function among many that take and return the same types.
func functionPage(name, does string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>Function kites::%[1]s</title></head><body><main><h1>Function kites::%[1]s</h1><ul><li><a href="/type/Wind.html">Wind</a></li>
<li><a href="/type/Rope.html">Rope</a></li><li><a href="/type/Mask.html">Mask</a></li><li><a href="/src/kites.html">source</a></li></ul><pre>pub unsafe fn %[1]s(a: Wind, b: Wind, c: Rope) -> Mask</pre>
<p>Compares lanes of packed %[2]s in a and b and puts what comes out into a mask.</p><p>Only where the processor has wide lanes and the program was built for these, else nothing is known.</p></main></body></html>`, name, does)
}

// Two functions whose names are identifiers are two, whatever their types.
func TestFunctionsOfTheSameTypesAreTwo(t *testing.T) {
	pages := map[string]string{
		"/kites/fn.wide_cmp_signed.html":   functionPage("wide_cmp_signed", "signed numbers"),
		"/kites/fn.wide_cmp_unsigned.html": functionPage("wide_cmp_unsigned", "unsigned numbers"),
		"/ropes/fn.wide_cmp_signed.html":   functionPage("wide_cmp_signed", "signed numbers"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for other, want := range map[string]bool{"/kites/fn.wide_cmp_unsigned.html": false, "/ropes/fn.wide_cmp_signed.html": true} {
		if j, same := one(site["/kites/fn.wide_cmp_signed.html"], site[other]); same != want {
			t.Errorf("%s: one with wide_cmp_signed: %v (%.2f), want %v", other, same, j, want)
		}
	}
}

// usesPage is a page of a manual that says who uses a class, as a generator writes it that declares the
// language of the machine on which it runs.
func usesPage(lang, version, class string) string {
	return fmt.Sprintf(`<html lang="%[1]s"><head><title>Uses of Class kites.%[3]s (Kites %[2]s API)</title></head><body><main><h2>Uses of Class kites.%[3]s</h2>
<p>Packages that use <a href="%[3]s.html">%[3]s</a></p><p>Methods in kites.field that return <a href="%[3]s.html">%[3]s</a> and are called with the length of a rope</p></main></body></html>`, lang, version, class)
}

// sourcePage is the source of a module, with a title or without.
func sourcePage(title string, words int) string {
	var source strings.Builder
	for i := range words / 4 {
		fmt.Fprintf(&source, "kite%[1]d :: Rope%[2]d -> Tail%[3]d -> IO ()\nkite%[1]d = \\r -> knot (r + %[1]d) :| []\n", i, i*i, i%7)
	}
	return `<html><head>` + title + `</head><body><pre>` + source.String() + `</pre></body></html>`
}

// tablePage is the page of a class whose members are named within what is said of them, or in a cell of
// their own.
func tablePage(version string, within bool) string {
	var rows strings.Builder
	for i := range 24 {
		name, says := fmt.Sprintf("KNOT_OF_KIND_%d", i), fmt.Sprintf("the rope number %d, of %d ells, is tied twice with it.", i*3, i*i+7)
		cell := `<td><code><a href="Knots.html#%[1]s">%[1]s</a></code><div>` + says + `</div></td>`
		if within {
			cell = `<td><a href="Knots.html#%[1]s">%[1]s</a> ` + says + `</td>`
		}
		fmt.Fprintf(&rows, "<tr>"+cell+"</tr>", name)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>KnotKind (Kites %s API)</title></head><body><main><h2>Class KnotKind</h2><p>This class has the kinds of knots, each of which is one of these.</p><table>%s</table></main></body></html>`, version, rows.String())
}

// A page of a manual is one in all versions, whatever language they declare and wherever the names stand.
func TestAReferenceIsOneHoweverAVersionWritesIt(t *testing.T) {
	pages := map[string]string{
		"/1/uses/Knot.html":       usesPage("de", "1.3.5", "Knot"),
		"/2/uses/Knot.html":       usesPage("en", "1.3.7", "Knot"),
		"/2/uses/Tail.html":       usesPage("en", "1.3.7", "Tail"),
		"/src/kites-storage.html": sourcePage("<title>kites/storage.k</title>", 1200),
		"/src/kites.storage.html": sourcePage("", 1200),
		"/src/kites.ropes.html":   sourcePage("", 400),
		"/1/KnotKind.html":        tablePage("1.3.5", true),
		"/2/KnotKind.html":        tablePage("1.3.7", false),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for path, text := range site { // no sentences for the models
		if strings.HasPrefix(path, "/src/") {
			for i := range text.blocks {
				text.blocks[i].Prose = false
			}
			text.made, text.asked, text.Head = nil, nil, ""
			text.joinCompared()
		}
	}
	areOne(t, site, []twoPages{
		{"/1/uses/Knot.html", "/2/uses/Knot.html", true},
		{"/1/uses/Knot.html", "/2/uses/Tail.html", false},
		{"/src/kites-storage.html", "/src/kites.storage.html", true},
		{"/src/kites-storage.html", "/src/kites.ropes.html", false},
		{"/1/KnotKind.html", "/2/KnotKind.html", true},
	})
}

// headerPage is the source of a file of a library below the licence of all its files.
func headerPage(file, says string) string {
	var licence strings.Builder
	for i := range 12 {
		fmt.Fprintf(&licence, "Whoever flies these kites in field %d keeps this text, takes no rope of %d ells away, and asks nobody for a storm that he has not seen. ", i, i*i+5)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>File %[1]s - Kites</title></head><body><main><h1>File %[1]s</h1><pre>%[2]s
namespace kites { %[3]s }</pre></main></body></html>`, file, licence.String(), says)
}

// The name of a folder that is asked for with its index is the name of the page, and an identifier in it
// has underscores.
func TestAFoldersIndexHasTheFoldersName(t *testing.T) {
	pages := map[string]string{
		"/1/kite__tail_8h_source/index.html": headerPage("kite_tail.h", "enum class KiteTail { Red, Blue, Green, White, Long };"),
		"/1/rope__knot_8h_source/index.html": headerPage("rope_knot.h", "enum class RopeKnot { Lowest, Low, Normal, High, Highest };"),
		"/2/kite__tail_8h_source/":           headerPage("kite_tail.h", "enum class KiteTail { Red, Blue, Green, White, Long };"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for other, want := range map[string]bool{"/1/rope__knot_8h_source/index.html": false, "/2/kite__tail_8h_source/": true} {
		if j, same := one(site["/1/kite__tail_8h_source/index.html"], site[other]); same != want {
			t.Errorf("%s: one with kite_tail.h: %v (%.2f), want %v", other, same, j, want)
		}
	}
	if host, folder, name := namesIn("http://a.example/all/kites/index.html"); host != "a.example" || folder != "all" || name != "kites" {
		t.Errorf("the end of a folder's index is %q in %q", name, folder)
	}
	if _, folder, name := namesIn("http://a.example/index.html"); folder != "" || name != "index.html" {
		t.Errorf("the end of a host's index is %q in %q", name, folder)
	}
}

// storyPage is a news story under a headline, with other surroundings.
func storyPage(headline, byline, more string) string {
	var story strings.Builder
	for i := range 16 {
		fmt.Fprintf(&story, "<p>On day %d of the flood the %dth boat left the harbour with %d people on board and came back with none of them.</p>", i, i*i+3, 11*i+2)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s</title></head><body><main><h1>%[1]s</h1><p>%[2]s</p>%[3]s<p>%[4]s</p></main></body></html>`, headline, byline, story.String(), more)
}

// A story under two headlines is one, though the URLs have the words of each.
func TestAStoryUnderTwoHeadlinesIsOne(t *testing.T) {
	pages := map[string]string{
		"/news/waters-still-rising/":    storyPage("Waters still rising", "By a reporter who stood on the wall all night and wrote this down", "Whoever can help goes to the school."),
		"/news/hundreds-leave-by-ship/": storyPage("Hundreds leave by ship", "From our correspondent at the quay of the old fishermen", "The school has beds for everybody now."),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	if j, same := one(site["/news/waters-still-rising/"], site["/news/hundreds-leave-by-ship/"]); !same || j >= allButNamed {
		t.Errorf("a story under two headlines is one: %v (%.2f), want true below %.2f", same, j, allButNamed)
	}
}
