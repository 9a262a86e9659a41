package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

// Two classes whose pages have little but what both inherit are two by titles and files, as phpDocumentor and Haxe
// name these. A post under two titles is one.
func TestClassesThatInheritAllAreTwo(t *testing.T) {
	var inherited strings.Builder
	for i := range 80 {
		fmt.Fprintf(&inherited, "method step%d of the sum and its parts. Counts what is there and returns the sum of part %[1]d, or nothing if none is.\n", i)
	}
	page := func(name, title, extra string) *Text {
		return &Text{Host: "a.example", Name: name, Title: title, Lang: "en", Body: extra + inherited.String()}
	}
	for _, c := range []struct {
		a, b *Text
		same bool
	}{
		{page("kites-rigs-WindVane.html", "WindVane extends Gauge", ""), page("kites-rigs-RainMeter.html", "RainMeter extends Gauge", ""), false},
		{page("wind-vane.html", "wind_vane extends gauge", ""), page("rain-meter.html", "rain_meter extends gauge", ""), false},
		{page("MenuElement.html", "class MenuElement", ""), page("Sail.html", "class Sail", ""), false},
		{page("rain-gauge.html", "rain_gauge", ""), page("float-rain-gauge.html", "float_rain_gauge extends rain_gauge", ""), false},
		{page("Oar.html", "Class Oar", ""), page("Sail.html", "Enum Class Sail", ""), false},
		{page("kites.MainSail.html", "Class: MainSail<Rope, Wind>", ""), page("kites.TopSail.html", "Class: TopSail<Rope, Wind>", ""), false},
		{page("operator_id5.html", "Function template operator<=", ""), page("operator_id7.html", "Function template operator==", ""), false},
		{page("doc-index-60.html", "Kites (Index - <)", ""), page("doc-index-62.html", "Kites (Index - >)", ""), false},
		{page("operator_id5.html", "Function template operator<=", ""), page("operator_id9.html", "Function template operator<=", "Since 2.0. "), true},
		{page("kites.Sail.trim.html", "kites.Sail.trim", ""), page("kites.rigs.Sail.trim.html", "kites.rigs.Sail.trim", ""), true},
		{page("Cow.html", "Cow (Kites 1.20 API)", ""), page("Hen.html", "Hen (Kites 1.20 API)", ""), false},
		{page("kites.react.ISail", "Interface: ISail", ""), page("kites.react.IOar", "Interface: IOar", ""), false},
		{page("kites.react.ISail", "Interface: ISail", ""), page("kites.react.ISail", "Interface: ISail", "Since 2.0. "), true},
		{page("wind-vane.html", "wind_vane extends gauge", ""), page("wind-vane.html", "wind_vane extends gauge", "Since 2.0. "), true},
		{page("bar", "Operator: |", ""), page("amp", "Operator: &", ""), false},
		{page("bar", "Operator: |", ""), page("bar", "Operator: |", "Since 2.0. "), true},
		{page("_Sail", "_Sail", ""), page("Sail", "Sail", ""), false},
		{page("-DirPort", "DirPort", ""), page("-__DirPort", "__DirPort", ""), false},
		{page("fn.trim.html", "trim in kites::rigs - Rust", ""), page("fn.ln_trim.html", "ln_trim in kites::rigs - Rust", ""), false},
		{page("fn.trim.html", "trim in kites::rigs - Rust", ""), page("fn.trim.html", "trim in kites::rigs - Rust", "Since 2.0. "), true},
		{page("trimSail.html", "trimSail", ""), page("trimSailAndRope.html", "trimSailAndRope", ""), false},
		{page("trimSail.html", "trimSail", ""), page("trimSail.html", "trimSail", "Since 2.0. "), true},
		{page("Sail.html", "Sail", ""), page("Sail.Rope.html", "Sail", ""), true}, // the program of a class, and of one within it
		{page("_backtick_2D.html", "Kites.Sail()->`-()", ""), page("_backtick_26.html", "Kites.Sail()->`&()", ""), false},
		{page("_backtick_2D.html", "Kites.Sail()->`-()", ""), page("_backtick_2D.html", "Kites.Sail()->`-()", "Since 2.0. "), true},
		{page("trim.html", "Kites.Sail.trim()", ""), page("trim_all.html", "Kites.Sail.trim_all()", ""), false},
		{page("a-walk.html", "A walk", ""), page("my-walk.html", "My walk", ""), true},
	} {
		o, x, y := DefaultOptions(), c.a.Sign(), c.b.Sign()
		if found := o.compareTexts(outlineOf(x), outlineOf(y), c.a, c.b); found.same() != c.same {
			t.Errorf("%s and %s: one page: %v (J %.2f), want %v", c.a.Name, c.b.Name, found.same(), found.j, c.same)
		}
	}
}

func TestTitledNames(t *testing.T) {
	for _, c := range []struct{ name, title, want string }{
		{"wind-vane.html", "wind_vane extends gauge", "windvane"}, {"MenuElement.html", "class MenuElement", "menuelement"},
		{"Sail.html", "Sail", "sail"}, {"Units$$meter$.html", "meter", "meter"},
		{"Text-Kite-Pos.html", "Text.Kite.Pos", "pos"}, {"Old-Text-Kite-Pos.html", "Old.Text.Kite.Pos", "pos"},
		{"kites.MainSail.html", "Class: MainSail<Rope, Wind>", "mainsail"}, {"Oar.html", "Enum Class Oar", "oar"},
		{"kites.rigs.Sail.trim_all.html", "Sail.trim_all", "trimall"}, {"kites.Sails.html", "Sail", ""},
		{"Cow.html", "Cow (Kites 1.20 API 中文)", "cow"}, {"kites.react.ISail", "Interface: ISail", "isail"}, {"Sail", "Class Sail", "sail"},
		{"kites.react.ISail", "ISail", ""}, {"Sail", "On the Sail", ""}, {"Sail.html", "On the Sail (1)", ""},
		{"Oar.html", "Class on the Oar", ""}, {"2.1.html", "2.1", ""},
		{"windvane.html", "WindVane", ""}, {"MenuElement", "MenuElement", ""}, {"About.html", "About the kites", ""},
		{"trimSail.html", "trimSail", "trimsail"}, {"trimSail.html", "On trimSail", ""}, {"trimsail.html", "trimSail", ""}, {"trimSail", "trimSail", ""},
		{"sails.html", "sails", ""}, {"$.html", "$", ""},
		{"Kite.Sail.html", "Kite.Sail (Kites 1.2 API)", "kitesail"}, {"kites.Sail.html", "kites.Sail (Kites 1.2 API)", ""},
		{"module-kites_rigs_Sail.html", "Module: kites/rigs/Sail", "kites/rigs/sail"}, {"module-kites_rigs_Sail-Sail.html", "Class: Sail", "sail"},
		{"module-kites_SMLBase-SMLBase.html", "Class: SMLBase", "smlbase"}, {"module-kites_rigs_Sail.html", "On: kites/rigs/Sail", ""},
		{"__Sail.html", "class __Sail", "__sail"}, {"kites.__MainSail.html", "Class: kites.__MainSail", "__mainsail"},
		{"fn.trim.html", "trim in kites::rigs", "trim"}, {"fn.ln_trim.html", "ln_trim in kites::rigs - Rust", "lntrim"}, {"fn.trim.html", "kites::rigs::trim", "trim"},
		{"macro.trim.html", "trim! in kites", ""}, {"fn.trim.html", "On the trim of sails", "trim"}, {"fn.trim.html", "Redirection", ""}, {"fn.html", "fn", ""},
		{"encode.html", "Image.GIF.encode()", "encode"}, {"encode_trans.html", "Image.GIF.encode_trans()", "encodetrans"}, {"trim.html", "Kites.Sail()->trim()", "trim"}, {"trim.html", "trim()", "trim"}, {"trim.html", `Kites\Sail::trim()`, "trim"},
		{"trim.html", "Method Sail.trim()", "trim"}, {"trim.html", "retrim()", ""}, {"trim.html", "The function trim()", ""}, {"trim.html", "Kites.trim(rope)", ""}, {"trim", "trim()", ""},
	} {
		if got := naming.TitledName(c.name, c.title); got != c.want {
			t.Errorf("%s under %q: %q, want %q", c.name, c.title, got, c.want)
		}
	}
}

func TestNamesOfThingsInFoldersOfTheirKind(t *testing.T) {
	for _, c := range []struct{ name, title, want string }{
		{"kites-rigs-Sail.html", "Sail extends Sail", "kitesrigssail"}, {"kites.rigs.windvane.html", "WindVane<Rope> | Kites", "kitesrigswindvane"},
		{"kites-WC-Wind-Vane.html", "WC_Wind_Vane implements Gauge", "kiteswcwindvane"}, {"Sail.html", "Sail", "sail"}, {"sail", "Sail", ""},
		{"kites-Sail.html", "Sail for the wind", ""}, {"kites-mainsail.html", "Sail", ""}, {"index.html", "Kites", ""}, {"Sail.html", "", ""},
	} {
		if got := naming.NameOfKind(c.name, c.title); got != c.want {
			t.Errorf("%s under %q: %q, want %q", c.name, c.title, got, c.want)
		}
	}
	line := &Text{folder: "api/classes", Name: "kites-Wind-Vane.html", Title: "Manual of Kites", Body: "Manual of Kites\nWind_Vane extends Gauge\n"}
	if got := line.titledName(); got != "kiteswindvane" {
		t.Errorf("under the title of the manual: %q", got)
	}
	if line.folder = "api/weeks"; line.titledName() != "" {
		t.Errorf("outside a folder of classes: %q", line.titledName())
	}
}

func TestSignsInTitles(t *testing.T) {
	for title, want := range map[string]string{
		"Function template operator<=": "<=", "kites::Sail::operator()(int)": "()", "operator[] (Kites)": "[]",
		"Kites: operator== of Sail": "==", "Operator: |": "|", "Operator: ...": "...", "Operator: prefix --": "prefix --", "Operator: prefix of a name": "", "Kites: operator ??": "??", "Operator - the docs": "", "Operator:": "", "Operators": "", "The operator of the kite": "", "cooperator<": "", "operators": "", "": "",
		"Kites.Sail()->`-()": "`-", "Kites.Sail()->`&()": "`&", "Kites.Sail()->``*()": "``*", "Kites.Sail()->`[]()": "`[]", "Kites.sail()": "", "Method Kites.Sail()->`|()": "`|", "Sail#<=>": "<=>", "Sail.+": "+", "kites::/": "/", "==(_:_:)": "==",
		"***": "", "Kites!": "", "Kites -": "", "Sail[]": "", "Kites->": "", "C++": "", "(all)": "", "Kites.": "", "sail(<)": "", "20.-": "-",
	} {
		if got := naming.OperatorOf(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

func TestPartsOfAnIndexByLetters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"functions_a.html", "functions_m.html", true}, {"functions_0x61.html", "functions_0x6d.html", true}, {"functions_0x61.html", "functions_m.html", true},
		{"globals_defs_0x6f.html", "globals_defs_0x70.html", true}, {"functions_a.html", "functions_A.html", false}, {"functions_0x61.html", "globals_0x62.html", false},
		{"functions_0x30.html", "functions_0x31.html", false}, {"functions_0xzz.html", "functions_0x61.html", false}, {"functions.html", "functions_0x61.html", false},
		{"doc-index.html", "doc-index-G.html", true}, {"doc-index-G.html", "doc-index.html", true}, {"genindex.html", "genindex-b.html", true},
		{"index.html", "index-e.html", false}, {"doc-index.html", "other-index-G.html", false}, {"vitamin.html", "vitamin-c.html", false}, {"doc-index.html", "doc-index.html", false},
		{"genindex-関.html", "genindex.html", true}, {"genindex-関.html", "genindex-例.html", true}, {"genindex-関数.html", "genindex.html", false}, {"kites-é.html", "kites-É.html", false},
		{"a.html", "b.html", false}, {"_a.html", "_b.html", false}, {"", "", false}, {"kites_of_0x", "kites_of_b", false},
	} {
		if got := naming.OfTwoLetters(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestOneLetterOfTwoIndexes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"functions_g.html", "functions_func_g.html", true}, {"functions_func_0x67.html", "functions_vars_g.html", true}, {"globals_defs_g.html", "globals_g.html", true},
		{"functions_g.html", "functions_0x67.html", false}, {"functions_g.html", "functions_func_h.html", false}, {"functions_g.html", "globals_g.html", false},
		{"functions.html", "functions_func.html", true}, {"hierarchy.html", "annotated.html", true}, {"", "", false},
		{"functions.html", "functions.html", false}, {"functions_of_sails.html", "functions.html", false}, {"hierarchy.html", "index.html", false}, {"hierarchy/", "annotated/", false},
	} {
		if got := naming.OfTwoIndexes(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// The functions of a class are most of its members, and of a letter there may be no others.
func TestALetterOfAnIndexIsNoLetterOfItsFunctions(t *testing.T) {
	page := func(names ...string) string {
		var items strings.Builder
		for _, n := range names {
			fmt.Fprintf(&items, `<li>%s() : <a href="classkites_1_1Sail.html">kites::Sail</a></li>`, n)
		}
		return `<html lang="en"><head><title>Kites: Class Members</title></head><body><div class="contents"><h3>- g -</h3><ul>` + items.String() + `</ul></div></body></html>`
	}
	names := strings.Fields("gaff gasket gather gaugeOf geometry getArea getHeight getLines getSpars getTear getTwine getWeight getWind gooseneck grip grommet guy gybe")
	pages := map[string]string{
		"/1.0/functions_g.html": page(append(names, "girth")...), "/1.0/functions_func_g.html": page(names...),
		"/2.0/functions_g.html": page(names...), "/2.0/functions_func_g.html": page(names...),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/1.0/functions_g.html", "/1.0/functions_func_g.html", false}, {"/1.0/functions_g.html", "/2.0/functions_func_g.html", false},
		{"/1.0/functions_g.html", "/2.0/functions_g.html", true}, {"/2.0/functions_g.html", "/2.0/functions_func_g.html", true},
	})
}

// Of a brief part of an index little may be left but the sentence above its entries.
func TestPartsOfAnIndexByLettersAreTwoWhateverTheySay(t *testing.T) {
	page := func(letter, entry string) string {
		return `<html lang="en"><head><title>Kites: Globals</title></head><body><div class="contents"><p>Here is a list of all functions, variables and types, with links to the files they belong to:</p><h3>- ` + letter + ` -</h3><ul><li>` + entry + `() : <a href="kites_8c.html">kites.c</a></li></ul></div></body></html>`
	}
	pages := map[string]string{"/1.0/globals_a.html": page("a", "attach"), "/1.0/globals_u.html": page("u", "unreef"), "/2.0/globals_a.html": page("a", "attach")}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{{"/1.0/globals_a.html", "/1.0/globals_u.html", false}, {"/1.0/globals_a.html", "/2.0/globals_a.html", true}})
	a, u := *site["/1.0/globals_a.html"], *site["/1.0/globals_u.html"]
	u.Body = a.Body
	if ruling().oneBody(outlineOf(a.Sign()), outlineOf(u.Sign()), a.reading(), u.reading()) {
		t.Error("two parts of an index are one, since their bodies are equal")
	}
	if _, same := one(&a, &u); same {
		t.Error("two parts of an index are one, since their texts are equal")
	}
	u.Host = "other.example"
	if _, same := one(&a, &u); same {
		t.Error("two parts of an index on two hosts are one")
	}
}

// The tree of a manual's classes has their names and descriptions as the list of them has.
func TestTwoListsOfOneManualAreTwo(t *testing.T) {
	page := func(title string, more ...string) string {
		var rows strings.Builder
		for i, name := range append(strings.Fields("Anchor Boom Cleat Davit Eyelet Fender Gaff Halyard Jib Keel Lanyard Mast"), more...) {
			fmt.Fprintf(&rows, `<tr><td><a href="class%s.html">%[1]s</a></td><td>The %[1]s of a boat%d, with what holds it%d</td></tr>`, name, i, i)
		}
		return `<html lang="en"><head><title>Kites: ` + title + `</title></head><body><div class="contents"><table>` + rows.String() + `</table></div></body></html>`
	}
	pages := map[string]string{
		"/1.0/annotated.html": page("Class List"), "/1.0/hierarchy.html": page("Class Hierarchy", "Object"),
		"/2.0/hierarchy.html": page("Class Hierarchy", "Object", "Oar"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/1.0/annotated.html", "/1.0/hierarchy.html", false}, {"/1.0/annotated.html", "/2.0/hierarchy.html", false}, {"/1.0/hierarchy.html", "/2.0/hierarchy.html", true},
	})
}

// Files of a program have one licence, and may have one name.
func TestFilesOfPHPAreTwoBelowOneLicence(t *testing.T) {
	page := func(title string) string {
		return `<html lang="en"><head><title>Kites</title></head><body><h2>` + title + `</h2>` + described(0, 12) + `</body></html>`
	}
	pages := map[string]string{
		"/files/src-rigs-windvane.html": page("WindVane.php"), "/files/src-masts-windvane.html": page("WindVane.php"), "/files/src-rigs-sail.html": page("Sail.php"),
		"/2.0/files/src-rigs-windvane.html": page("WindVane.php"),
	}
	paths := slices.Sorted(maps.Keys(pages))
	site := siteAmong(t, 80, pages, paths)
	for _, path := range paths {
		text := site[path]
		text.Title = strings.TrimSpace(text.Subject)
		if text.Title == "" || text.decides() {
			t.Errorf("%s: an equal body decides about the page of %q", path, text.Title)
		}
	}
	a := site["/files/src-rigs-windvane.html"]
	for path, want := range map[string]bool{"/files/src-masts-windvane.html": false, "/files/src-rigs-sail.html": false, "/2.0/files/src-rigs-windvane.html": true} {
		b := site[path]
		if got := ruling().oneBody(outlineOf(a.Sign()), outlineOf(b.Sign()), a.reading(), b.reading()); got != want {
			t.Errorf("rigs/WindVane.php and %s with one body are one: %v", path, got)
		}
	}
	for _, c := range []struct{ folder, name, title, want string }{
		{"docs/files", "src-rigs-windvane.html", "WindVane.php", "src-rigs-windvane"}, {"files", "windvane.html", "WindVane.php", "windvane"},
		{"docs", "src-rigs-windvane.html", "WindVane.php", ""}, {"files", "src-rigs-windvane.html", "WindVane", ""}, {"files", "src-rigs-vane.html", "WindVane.php", ""}, {"files", "", ".php", ""},
	} {
		if got := naming.NameOfSource(c.folder, c.name, c.title); got != c.want {
			t.Errorf("%s/%s under %s is the page of %q, want %q", c.folder, c.name, c.title, got, c.want)
		}
	}
}

// The source of a file in C is on a page of its own, which has the file's comments too, and so has the list of a class's members what the class has.
func TestAFileIsNotItsSource(t *testing.T) {
	page := func(title, more string) string {
		return `<html lang="en"><head><title>Kites: ` + title + `</title></head><body><div class="contents">` + described(0, 9) + more + `</div></body></html>`
	}
	pages := map[string]string{
		"/1.0/sail_8h.html": page("sail.h File Reference", "<p>Go to the source.</p>"), "/1.0/sail_8h_source.html": page("sail.h Source File", "<p>1 struct sail;</p>"),
		"/2.0/sail_8h_source.html": page("sail.h Source File", "<p>1 struct sail; 2 struct rope;</p>"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/1.0/sail_8h.html", "/1.0/sail_8h_source.html", false}, {"/1.0/sail_8h.html", "/2.0/sail_8h_source.html", false}, {"/1.0/sail_8h_source.html", "/2.0/sail_8h_source.html", true},
	})
	for _, c := range []struct {
		a, b string
		want bool
	}{{"classSail-members.html", "classSail.html", true}, {"classSail.html", "classSail.html", false}, {"classSail-members.html", "classKite.html", false}, {"open_source.html", "closed.html", false}} {
		if got := naming.OfTwoViews(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// A manual shows the whole file below each of the types in it, under its own title; the path above the text ends in the name of the type.
func TestTypesOfOneFileAreTwoByThePathsAboveThem(t *testing.T) {
	page := func(name string) string {
		return `<html lang="en"><head><title>Kites documentation</title></head><body><ol class="breadcrumb"><li>Interfaces</li><li>` + name + `</li></ol><main>` + described(0, 9) + `</main></body></html>`
	}
	pages := map[string]string{
		"/1.0/interfaces/Range.html": page("Range"), "/1.0/interfaces/YAxis.html": page("YAxis"), "/2.0/interfaces/Range.html": page("Range"),
		"/1.0/pages/Range.html": page("Range"), "/1.0/pages/YAxis.html": page("YAxis"),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for _, text := range site {
		text.Title, text.made = "Kites documentation", nil
	}
	areOne(t, site, []twoPages{{"/1.0/interfaces/Range.html", "/1.0/interfaces/YAxis.html", false}, {"/1.0/interfaces/Range.html", "/2.0/interfaces/Range.html", true}})
}

// The methods of two classes have one name and file, and nothing else differs but the class.
func TestMethodsInFoldersOfTwoClassesAreTwo(t *testing.T) {
	page := func(class string) string {
		return `<html lang="en"><head><title>Initiate</title></head><body><main><h1>Initiate</h1><p>MODULE SUBROUTINE Initiate of CLASS ` + class + ` INOUT obj</p>` + described(0, 9) + `</main></body></html>`
	}
	pages := map[string]string{"/api/TopSail/Initiate.html": page("TopSail"), "/api/TopSailList/Initiate.html": page("TopSailList"), "/2.0/TopSail/Initiate.html": page("TopSail"), "/api/guide/Initiate.html": page("TopSails")}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	areOne(t, site, []twoPages{
		{"/api/TopSail/Initiate.html", "/api/TopSailList/Initiate.html", false}, {"/api/TopSail/Initiate.html", "/2.0/TopSail/Initiate.html", true},
		{"/api/TopSail/Initiate.html", "/api/guide/Initiate.html", true},
	})
}
