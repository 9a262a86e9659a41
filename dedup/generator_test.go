package dedup

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

// Generators of manuals each make a file's name in their own way of the name that the title has.
func TestGeneratorsNameAThingInItsTitleAndItsFile(t *testing.T) {
	for _, c := range [][3]string{
		{"trimSail.html", "trimSail method Null safety", "trimsail"}, {"Sail-class.html", "Sail class", "sail"}, {"wind-constant.html", "wind constant", "wind"}, // dartdoc
		{"sail-class.html", "Our sailing class", ""}, {"trim.html", "Trim method", ""},
		{"Properties_T_Kites_Rigs_Sail.htm", "Sail Properties", "sail"}, {"M_Kites_Sail__ctor_2.htm", "Sail Constructor (String, Rope)", "sail"}, // Sandcastle
		{"M_Kites_Sail_1_Trim4.htm", "Sail Trim4 Method", "sail_trim4"}, {"M_Kites_Sail_2_Trim.htm", "Sail<TRope, TWind>.Trim(TRope, IList<TWind>) Method", "sail_trim"}, {"M_Kites_Sail_2_Trim.htm", "Sail TRope, TWind Trim Method", "sail_trim"}, {"M_Kites_Sail_Trim_1.htm", "Sail.Trim Method (Rope)", "sail_trim"},
		{"property.Sail.trim-set.html", "Kites Sail:trim-set", "sail.trim-set"}, {"method.Sail.add_rope.html", "Kites.Sail.add_rope", "sail.add_rope"}, {"signal.Sail.torn.html", "Kites.Sail::torn", "sail.torn"}, {"func.init.html", "Kites.init", "init"}, // gi-docgen
		{"kites.Sail.trim.html", "kites.Sail.trim", "trim"}, {"kites.Sail.html", "kites.Sail", ""}, {"kites.example.org.html", "kites.example.org", ""},
		{"property.house.html", "A house by the sea", ""}, {"method.payment.html", "How to pay", ""},
		{"T_Kites_Rope.htm", "Sail Class", ""}, {"A_Kites_Sail.htm", "Sailing today", ""},
		{"Kites_Rigs_Sail.html", `Class Kites\Rigs\Sail`, `kites\rigs\sail`}, {"class.windvaneexception.html", "The WindVaneException class", "windvaneexception"}, // PHP
		{"class.kites-rigs-sail.html", "Sail concrete", "kitesrigssail"}, {"class.boat.html", "Sail", ""},
		{"kite-trim.1.html", "KITE-TRIM", "kite-trim"}, {"kite-trim.1.html", "kite-trim(1) - a manual page", "kite-trim"}, {"kite.1.html", "All kites", ""}, // manual pages
	} {
		if got := cmp.Or(naming.EntryOf(c[0], c[1]), naming.TitledName(c[0], c[1])); got != c[2] {
			t.Errorf("EntryOf and TitledName(%q, %q) are %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for title, want := range map[string]string{ // under the name of a file that is no key
		"WindVane.TurnTo Method": "windvane turnto", "WindVane TurnTo Operator": "windvane turnto", "WindVane Properties": "windvane", "WindVane Constructor (String)": "windvane",
		"Yoga Class": "", "What to know of WindVane and of each of its Methods": "", "Method": "", "WindVane": "",
	} {
		if got := naming.NetName("sail.htm", title); got != want {
			t.Errorf("NetName(%q) is %q, want %q", title, got, want)
		}
	}
	for title, want := range map[string]string{"operator > method": ">", "operator >= method Null safety": ">=", "operator - a word": ""} {
		if got := naming.OperatorOf(title); got != want {
			t.Errorf("OperatorOf(%q) is %q, want %q", title, got, want)
		}
	}
	for name, want := range map[string]bool{"4711": true, "d95ea23fb423.html": true, "78f0c652-2e03-2b56.htm": true, "facade.html": false, "kite-4": false, "": false} {
		if got := naming.IsKey(name); got != want {
			t.Errorf("IsKey(%q) is %v, want %v", name, got, want)
		}
	}
}

// Pages of two things in a manual are two, though nearly all that they say is one example. Those of one thing in two versions are one.
func TestNamesOfAManualTellPagesApart(t *testing.T) {
	page := pagesThatName(31)
	of := func(address, title, heading, line string) *Text {
		x := page("http://a.example"+address, title, line, "so")
		x.Subject = heading
		return x
	}
	for _, c := range []struct {
		what string
		a, b *Text
		same bool
	}{
		{"methods of one class", of("/dart/Sail/trim.html", "trim method", "trim method", "It pulls the rope"), of("/dart/Sail/furl.html", "furl method", "furl method", "It leaves the rope"), false},
		{"a method of two classes", of("/dart/Sail/trim.html", "trim method", "trim method", "It pulls the rope"), of("/dart/Kite/trim.html", "trim method", "trim method", "It leaves the rope"), false},
		{"a method that both classes inherit", of("/dart/Sail/trim.html", "trim method", "trim method", "It pulls the rope"), of("/dart/Kite/trim.html", "trim method", "trim method", "It pulls the rope"), true},
		{"a method in two versions", of("/dart/1.2/Sail/trim.html", "trim method", "trim method", "It pulls the rope"), of("/dart/1.3/Sail/trim.html", "trim method", "trim method", "It pulls a rope"), true},
		{"functions whose folders have their names", of("/api/sail/trim/", "trim", "kites::sail::trim¶", "It pulls the rope"), of("/api/sail/furl/", "furl", "kites::sail::furl¶", "It leaves the rope"), false},
		{"posts whose folders have their titles", of("/blog/trim/", "trim", "Of trim", "It pulls the rope"), of("/blog/furl/", "furl", "Of trim", "It pulls a rope"), true},
		{"functions that differ in a digit", of("/api/trimSail/", "trimSail", "trimSail", "It pulls the rope"), of("/api/trimSail2/", "trimSail2", "trimSail2", "It leaves the rope"), false},
		{"classes that differ in a digit", of("/api/Sail7.html", "Sail7 (Kites 2)", "Class Sail7", "It pulls the rope"), of("/api/Sail8.html", "Sail8 (Kites 2)", "Class Sail8", "It leaves the rope"), false},
		{"properties of one class", of("/gtk/property.Sail.trim.html", "Kites Sail:trim", "Kites Sail:trim", "It pulls the rope"), of("/gtk/property.Sail.trim-set.html", "Kites Sail:trim-set", "Kites Sail:trim-set", "It leaves the rope"), false},
		{"methods under their qualified names", of("/api/kites.Sail.trim.html", "kites.Sail.trim", "kites.Sail.trim", "It pulls the rope"), of("/api/kites.Sail.furl.html", "kites.Sail.furl", "kites.Sail.furl", "It leaves the rope"), false},
		{"a method of two classes under its qualified names", of("/api/kites.Sail.trim.html", "kites.Sail.trim", "kites.Sail.trim", "It pulls the rope"), of("/api/kites.Kite.trim.html", "kites.Kite.trim", "kites.Kite.trim", "It pulls a rope"), true},
		{"a function in two versions", of("/1/trimSail/", "trimSail", "trimSail", "It pulls the rope"), of("/2/trimSail/", "trimSail", "trimSail", "It pulls a rope"), true},
		{"a manual page under two names", of("/man1/kite-trim.1.html", "KITE-TRIM", "KITE-TRIM", "It pulls the rope"), of("/man1/kite-furl.1.html", "KITE-FURL", "KITE-FURL", "It pulls the rope"), true},
		{"two manual pages", of("/man1/kite-trim.1.html", "KITE-TRIM", "KITE-TRIM", "It pulls the rope"), of("/man1/kite-furl.1.html", "KITE-FURL", "KITE-FURL", "It leaves the rope"), false},
		{"operators of .NET under keys", of("/html/0a1d.htm", "WindVane.Equality Operator", "WindVane.Equality Operator", "It is true"), of("/html/0b2e.htm", "WindVane.Inequality Operator", "WindVane.Inequality Operator", "It is false"), false},
		{"overloads of a method of .NET under keys", of("/html/0a1d.htm", "WindVane TurnTo(IntPtr, IntPtr, Rope64, IntPtr) Method", "WindVane TurnTo(IntPtr, IntPtr, Rope64, IntPtr) Method", "It is true of IntPtr and UIntPtr"), of("/html/0b2e.htm", "WindVane TurnTo(IntPtr, UIntPtr, Rope64, IntPtr) Method", "WindVane TurnTo(IntPtr, UIntPtr, Rope64, IntPtr) Method", "It is false of IntPtr and UIntPtr"), false},
		{"methods of two classes of .NET under keys", of("/html/0a1d.htm", "WindVane Methods", "WindVane Methods", "It is true of all"), of("/html/0b2e.htm", "WindSock Methods", "WindSock Methods", "It is false of all"), false},
		{"methods of two classes of .NET under keys, whose names are words", of("/html/0a1d2c3b-93be.htm", "Rope Methods", "Rope Methods", "It is true of all"), of("/html/0b2e2c3b-93be.htm", "Sail Methods", "Sail Methods", "It is false of all"), false},
		{"a method that two classes of .NET have from one base", of("/html/0a1d.htm", "Sail.Trim Method", "Sail.Trim Method", "It is true of all"), of("/html/0b2e.htm", "Kite.Trim Method", "Kite.Trim Method", "It is true of all"), false},
		{"a method of .NET at two keys", of("/html/0a1d.htm", "Sail.Trim Method", "Sail.Trim Method", "It is true of all"), of("/html/0b2e.htm", "Sail Trim Method", "Sail Trim Method", "It is true of all"), true},
		{"functions of PHP under what they do", of("/function.trim-sail.html", "Pulls the rope", "Pulls the rope", "trim_sail() pulls the rope"), of("/function.furl-sail.html", "Leaves the rope", "Leaves the rope", "furl_sail() leaves the rope"), false},
	} {
		if j, same := one(c.a, c.b); same != c.same || j < ruling().Resemblance {
			t.Errorf("%s: one %v, resemblance %.2f", c.what, same, j)
		}
	}
}

// Products with one description are two on two hosts, too, by a number or a code that the title and the end of the URL have. A copy under
// a title with the name of another site is one.
func TestModelsOnTwoHostsAreTwo(t *testing.T) {
	page := pagesThatName(35)
	kite := func(address, title string) *Text { return page(address, title, "It flies in all winds", "so") }
	a := kite("http://a.example/kite-x4711", "Kite X4711")
	for _, c := range []struct {
		address, title string
		same           bool
	}{
		{"http://b.example/kite-x4712", "Kite X4712", false},
		{"http://b.example/kite-x4711", "Kite X4711 - shop of kites", true},
		{"http://b.example/p/17", "Kite X4711", true},
	} {
		b := kite(c.address, c.title)
		b.Body += "It is sold in the shop of kites\n"
		if _, same := one(a, b); same != c.same {
			t.Errorf("%s, %q: one %v, want %v", c.address, c.title, same, c.same)
		}
	}
}

// Later pages of a list each have an entry of their own, of one long line, below a menu of long lines that only the list has.
func TestLaterPagesOfAListAreTwoByOneEntry(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	var next []string
	for i := range 4 {
		next = append(next, fmt.Sprintf(`<li><a href="/talks/next-%d/">Talk on %s</a><p>%s</p></li>`, i, text(r, 4), text(r, 140)))
	}
	talks := func(n int, entry string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>Talks</title></head><body><main><h1>Talks</h1><h2>Next talks</h2><ul>%s</ul><h2>Past talks</h2><ul><li><a href="/talks/past-%s/">Of %s</a><p>%s</p></li></ul>
<nav><a href="/talks/">First</a> <a href="/talks/page/%d/">Before</a> <a href="/talks/page/%d/">Next</a></nav></main></body></html>`, strings.Join(next, ""), entry, entry, text(rand.New(rand.NewPCG(uint64(n), 9)), 60), n-1, n+1)
	}
	pages := map[string]string{"talks/page/9/": talks(9, "ropes"), "talks/page/25/": talks(25, "sails"), "talks/page/26/": talks(25, "sails")}
	paths := []string{"talks/page/9/", "talks/page/25/", "talks/page/26/"}
	areOneByRule(t, siteAmong(t, 120, pages, paths), []twoPages{{paths[0], paths[1], false}, {paths[1], paths[2], true}})
}

// Lists under the title of their site, below a long text that only they have, are two by what they list: many links of one, or some of both.
func TestListsBelowALongTextAreTwoByTheirItems(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 1))
	frame := ""
	for range 8 {
		frame += "<p>" + text(r, 60) + "</p>"
	}
	list := func(heading string, seed uint64, items int) string {
		of := rand.New(rand.NewPCG(seed, 5))
		var links strings.Builder
		for i := range items {
			fmt.Fprintf(&links, `<li><a href="/news/%d-%d/">%s</a></li>`, seed, i, text(of, 9))
		}
		return fmt.Sprintf(`<html lang="en"><head><title>The town of Kite</title></head><body><div>%s</div><h2>%s</h2><ul>%s</ul></body></html>`, frame, heading, links.String())
	}
	lists := map[string]string{"news/": list("News", 1, 7), "rules/": list("Rules", 2, 0), "plans/": list("Plans", 3, 3), "jobs/": list("Jobs", 4, 3), "tidings/": list("News", 1, 7)}
	site := func(title string) map[string]*Text {
		pages := maps.Clone(lists)
		for i := range 80 {
			pages[fmt.Sprintf("page-%d/", i)] = fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><h2>On %s</h2><p>%s</p></body></html>`, title, text(r, 2), text(r, 80))
		}
		return siteOf(t, slices.Sorted(maps.Keys(pages)), func(path string) string { return pages[path] })
	}
	areOneByRule(t, site("The town of Kite"), []twoPages{{"news/", "rules/", false}, {"plans/", "jobs/", false}, {"news/", "tidings/", true}})
	areOneByRule(t, site("Another title"), []twoPages{{"plans/", "jobs/", true}}) // the title is that of a page, and the links are next to its text
}

// Under one title, which no line says, and at URLs that end in keys, the first heading names what a page is about.
func TestPagesUnderKeysAreWhatTheirHeadingsName(t *testing.T) {
	represents := text(rand.New(rand.NewPCG(33, 1)), 75)
	where := func(name, place string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>Family Map</title></head><body><main><h3>Tracking %s</h3><p>This map represents %s.</p><table><tr><td>about 1873</td><td><a href="/places/%s">%s</a></td></tr></table></main></body></html>`, name, represents, place, place)
	}
	pages := map[string]string{"maps/d95ea23fb423.html": where("Emma Nees", "Kansas"), "maps/d96d01860417.html": where("Dora Toenges", "Illinois"), "maps/0aa401860417.html": where("Emma Nees", "Kansas State")}
	paths := []string{"maps/d95ea23fb423.html", "maps/d96d01860417.html", "maps/0aa401860417.html"}
	areOneByRule(t, siteAmong(t, 120, pages, paths), []twoPages{{paths[0], paths[1], false}, {paths[0], paths[2], true}})
}

// Two pages that name two things, under one title and below one sentence, are not one since the models took only that sentence for
// their bodies.
func TestASentenceAboveTwoListsOfWordsIsNotTheirBody(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	sentence := "The following names are defined, and can be used only if " + text(r, 60) + "."
	names := func(of string) string {
		var rows strings.Builder
		for i := range 12 {
			fmt.Fprintf(&rows, "<dt>%s_%s (%d)</dt><dd>%s</dd>", of, text(r, 1), i*i, text(r, 5))
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Defined names</title></head><body><main><h1>Defined names</h1><p>%s</p></main><dl>%s</dl></body></html>`, sentence, rows.String())
	}
	pages := map[string]string{"kites.names.html": names("KITE"), "boats.names.html": names("BOAT")}
	paths := []string{"kites.names.html", "boats.names.html"}
	areOne(t, siteAmong(t, 120, pages, paths), []twoPages{{paths[0], paths[1], false}})
}
