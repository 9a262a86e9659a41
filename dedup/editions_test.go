package dedup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// letterPage is a part of an index by letters: a menu of letters, a sentence, and entries, each with the file that it is in.
func letterPage(title, menu string, entries ...string) string {
	var page strings.Builder
	fmt.Fprintf(&page, `<html lang="en"><head><title>%s</title></head><body><div class="tabs"><ul>`, title)
	for _, letter := range strings.Fields(menu) {
		fmt.Fprintf(&page, `<li><a href="part_%s.html">%[1]s</a></li>`, letter)
	}
	page.WriteString(`</ul></div><div class="contents"><p>Here is a list of all functions, variables, and typedefs with links to the files they belong to:</p><h3>- s -</h3><ul>`)
	for _, e := range entries {
		name, file, _ := strings.Cut(e, " ")
		fmt.Fprintf(&page, `<li>%s : <a href="%[2]s.html">%[2]s</a></li>`, name, file)
	}
	return page.String() + "</ul></div></body></html>"
}

// editionsOf returns the texts of pages of a site with sixty others.
func editionsOf(t *testing.T, pages map[string]string) map[string]*Text {
	t.Helper()
	var paths []string
	for path := range pages {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return siteAmong(t, 60, pages, paths)
}

// onHost returns a text as that of the same path on another host.
func (t *Text) onHost(host string) *Text {
	o := *t
	o.Host = host
	return &o
}

// choosing returns a text of which the models took nothing for the body but the blocks that start like this.
func (t *Text) choosing(start string) *Text {
	o := *t
	o.made, o.asked, o.cut = nil, nil, nil
	o.blocks = slices.Clone(t.blocks)
	for i := range o.blocks {
		o.blocks[i].Chosen = strings.HasPrefix(o.blocks[i].Text, start)
	}
	o.joinCompared()
	return &o
}

func wantOne(t *testing.T, what string, a, b *Text, want bool) {
	t.Helper()
	o := DefaultOptions()
	if v := o.compareTexts(outlineOf(a.Sign()), outlineOf(b.Sign()), a, b); v.same() != want {
		t.Errorf("%s: one page = %v (%.2f, %q), want %v", what, v.same(), v.j, v.apart, want)
	}
}

// A project has another name in the titles of a later version, and a file another folder.
func TestAPageInTwoVersionsIsOneUnderAnotherNameOfItsProject(t *testing.T) {
	const list, source = "<p>Here are the classes and structs with brief descriptions of rope, twine, wood and canvas:</p>", "<p>Ladders, twine and geese by the fence near the gate in the evening, said the reader of %s.</p>"
	licence := "<p>CPP-%s. Copyright %d by those who wrote it.</p><p>" + "Whoever has a copy may use it, change it and hand it on, as long as these lines stay in it; it is given as it is, and nobody answers for what it does or leaves undone, be it to a kite, a rope, a spar, a boat or a house by the river or near the hill, in summer or winter, in the rain, at night, with or without wind, and whether somebody had been warned of it in time or not at all by letter or in person.</p>"
	page := func(title, says string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><div class="contents">%s</div></body></html>`, title, says)
	}
	texts := editionsOf(t, map[string]string{
		"m/1.0/annotated.html": page("CPP-KITES: Class List", list),
		"m/2.0/annotated.html": page("CPP-ROPES: Class List", list),
		"m/2.0/classes.html":   page("CPP-ROPES: Class List", list),
		"m/1.0/sail_8c.html":   page("Kites: /Users/one/kites/src/sail.c File Reference", fmt.Sprintf(source, "kites")),
		"m/2.0/sail_8c.html":   page("Kites: /home/two/kites/src/sail.c File Reference", fmt.Sprintf(source, "kites")),
		"m/1.0/licence.html":   page("CPP-KITES: The Licence", fmt.Sprintf(licence, "KITES", 2025)),
		"m/2.0/licence.html":   page("CPP-ROPES: The Licence", fmt.Sprintf(licence, "ROPES", 2026)),
		"m/2.0/licences.html":  page("CPP-ROPES: The Licence", fmt.Sprintf(licence, "ROPES", 2026)),
		"m/2.0/sail_8d.html":   page("Kites: /home/two/kites/src/sail.d File Reference", fmt.Sprintf(source, "kites")),
	})
	wantOne(t, "lists in two versions", texts["m/1.0/annotated.html"], texts["m/2.0/annotated.html"], true)
	wantOne(t, "lists of two names", texts["m/1.0/annotated.html"], texts["m/2.0/classes.html"], false)
	wantOne(t, "a file in two versions", texts["m/1.0/sail_8c.html"], texts["m/2.0/sail_8c.html"], true)
	wantOne(t, "a licence in two versions", texts["m/1.0/licence.html"], texts["m/2.0/licence.html"], true)
	wantOne(t, "two licences", texts["m/1.0/licence.html"], texts["m/2.0/licences.html"], false)
	wantOne(t, "two files", texts["m/1.0/sail_8c.html"], texts["m/2.0/sail_8d.html"], false)
}

// The sentence above the entries of an index is no post with other comments around it: what two versions list is what they say.
func TestAnIndexInTwoVersionsIsWhatItLists(t *testing.T) {
	const title, sentence = "Kites: the names in its files", "Here is"
	few := []string{"sail_area kites.c", "sail_trim kites.c", "spar_bend kites.c"}
	texts := editionsOf(t, map[string]string{
		"m/1.0/part_s.html": letterPage(title, "", few...),
		"m/2.0/part_s.html": letterPage(title, "", append(slices.Clone(few), "spar_length rigging_and_spars.c", "spool_turn rigging_and_spars.c")...),
	})
	a, b := texts["m/1.0/part_s.html"].choosing(sentence), texts["m/2.0/part_s.html"].choosing(sentence)
	wantOne(t, "one host", a, b, false)
	wantOne(t, "two hosts", a, b.onHost("other.example"), false)
}

// The menu of a part stands above its pages. Another version of the generator leaves it to a script.
func TestAnIndexInTwoVersionsIsOneBelowAnotherMenu(t *testing.T) {
	const title = "Kites: Globals"
	entries := []string{"sail_area kites.c", "sail_trim kites.c", "spar_bend kites.c"}
	texts := editionsOf(t, map[string]string{
		"m/1.0/part_s.html":   letterPage(title, "Files All Functions Variables Macros a b c d e f g h i k l m n o p r s t u v w z", entries...),
		"m/2.0/part_s.html":   letterPage(title, "", entries...),
		"m/2.0/part_all.html": letterPage(title, "", entries...),
	})
	wantOne(t, "one part", texts["m/1.0/part_s.html"], texts["m/2.0/part_s.html"], true)
	wantOne(t, "two parts", texts["m/1.0/part_s.html"], texts["m/2.0/part_all.html"], false)
}

// A list of what two versions of a page list says the same by its whole body, although all of it stands in runs of links that both have.
func TestAListInTwoVersionsIsNoMenu(t *testing.T) {
	page := func(menu string, last ...string) string {
		var items strings.Builder
		for i := range 24 {
			fmt.Fprintf(&items, `<li><a href="c%d.html">Class of kite number %[1]d with %d spars and lines</a></li>`, i, i+2)
		}
		for _, l := range last {
			fmt.Fprintf(&items, `<li><a href="%s.html">Class of %[1]s</a></li>`, l)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Kites: Class Index</title></head><body><h1>Class Index</h1><p>- k -</p><ul>%s</ul><div>%s</div></body></html>`, items.String(), menu)
	}
	var menu strings.Builder
	for i := range 12 {
		fmt.Fprintf(&menu, `<p><a href="part%d.html">Part %[1]d of the manual and of its index</a></p>`, i)
	}
	texts := editionsOf(t, map[string]string{"m/1.0/classes.html": page(menu.String()), "m/2.0/classes.html": page("", "anchors")})
	wantOne(t, "a list", texts["m/1.0/classes.html"].choosing("Class of"), texts["m/2.0/classes.html"].choosing("Class of"), true)
}

// A page of a manual that says nothing, such as a list of deprecated methods without any, is the same page in another version, and no
// other page.
func TestAPageOfVersionsThatSaysNothingIsOne(t *testing.T) {
	page := func(title string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><h1>%[1]s</h1></body></html>`, title)
	}
	texts := editionsOf(t, map[string]string{
		"m/1.0/deprecated-list.html":   page("Deprecated List"),
		"m/2.0/deprecated-list.html":   page("Deprecated List"),
		"m/2.0/a/deprecated-list.html": page("Deprecated List"),
		"m/2.0/removed-list.html":      page("Deprecated List"),
		"m/3.0/deprecated-list.html":   page("Removed List"),
		"m/deprecated-list.html":       page("Deprecated List"),
		"n/deprecated-list.html":       page("Deprecated List"),
		"m/1.0/download.html":          page("Download of release 1.0"),
		"m/2.0/download.html":          page("Download of release 2.0"),
	})
	g, l := readingGate(t)
	doc := DocID(0)
	for _, path := range []string{"m/1.0/deprecated-list.html", "m/2.0/deprecated-list.html", "m/2.0/a/deprecated-list.html", "m/2.0/removed-list.html", "m/3.0/deprecated-list.html", "m/deprecated-list.html", "n/deprecated-list.html", "m/1.0/download.html", "m/2.0/download.html"} {
		doc++
		v := claimText(t, g, l, doc, *texts[path])
		if want := path == "m/2.0/deprecated-list.html"; v.Copy() != want || want && (v.Of != 1 || v.Level != LevelBody) {
			t.Errorf("%s: %+v; want a copy of the first page: %v", path, v, want)
		}
	}
}

// Three links that two versions of a page have make no lists of them: they have one subject, whatever they say.
func TestATableInTwoVersionsIsNoListOfItsLinks(t *testing.T) {
	page := func(rows ...string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>Kites: Sail Class Reference</title></head><body><div class="contents"><table><tr><td>%s</td></tr></table></div></body></html>`,
			strings.Join(rows, "</td></tr><tr><td>"))
	}
	rows := strings.Split("drive type of the rig, drives of the rig, message of the last error, identity of the partition, configuration for import and export, identity of the library", ", ")
	more := append(slices.Clone(rows), "minimum of the drives for reading", "minimum of the drives for writing")
	texts := editionsOf(t, map[string]string{"m/1.0/sail.html": page(rows...), "m/2.0/sail.html": page(more...)})
	a, b := texts["m/1.0/sail.html"], texts["m/2.0/sail.html"]
	a.Lists = []uint32{1, 2, 3} // a page of the class, of what it extends, and of its file
	b.Lists = a.Lists
	wantOne(t, "a table", a, b, false)
}

// Two tags of the same posts differ in their names. Two versions of a page have one, so that its name in their texts is what they say.
func TestTwoVersionsOfABriefPageSayOtherThingsIfOneSaysMoreOfItsName(t *testing.T) {
	page := func(of string) string {
		return fmt.Sprintf(`<html lang="en"><head><title>Kites: Sail Area Class Reference</title></head><body><div class="contents"><p>Set by trim of knots, at dawn or in rain%s</p></div></body></html>`, of)
	}
	texts := editionsOf(t, map[string]string{"m/1.0/sail_area.html": page(""), "m/2.0/sail_area.html": page(", by the sail area"), "m/2.0/sail_class.html": page(", by the sail area")})
	a, b := texts["m/1.0/sail_area.html"].reading(), texts["m/2.0/sail_area.html"].reading()
	if a.saysLike(b) {
		t.Error("two versions say the same, although only one says the name")
	}
	if !a.saysLike(texts["m/2.0/sail_class.html"].reading()) {
		t.Error("two lists under one title say other things")
	}
}
