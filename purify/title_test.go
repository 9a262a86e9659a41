package purify

import (
	"fmt"
	"strings"
	"testing"
)

func TestADoxygenPageIsNamedAboveItsText(t *testing.T) {
	frame := func(title, name string) string {
		return `<html><head><meta name=generator content="Doxygen 1.9.1"><title>` + title + `</title></head><body><div id=titlearea><div id=projectname>Hives</div></div><div class=header><div class=summary><a href=#pub>Public Member Functions</a></div><div class=headertitle><div class=title>` + name + `</div></div></div><div class=contents><h2>Public Member Functions</h2><p>` + prose(1, 1, 9)[0]
	}
	for _, c := range []struct{ name, title, heading, want string }{
		{"a list of members", "Hives: Member List", "hive::Queen&lt; T &gt; Member List", "hive::Queen< T > Member List"},
		{"no title", "", "hive::Queen Class Reference", "hive::Queen Class Reference"},
		{"a title with the path", "Hives: hive/queen.hpp File Reference", "queen.hpp File Reference", "Hives: hive/queen.hpp File Reference"},
		{"a mark behind the name", "Hives: hive::Queen Class Reference", "hive::Queen Class Reference<span class=mlabels><span class=mlabel>abstract</span></span>", "Hives: hive::Queen Class Reference"},
	} {
		if got := PurifyAt("https://example.com/classQueen.html", []byte(frame(c.title, c.heading)), "text/html").Title; got != c.want {
			t.Errorf("%s: title is %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ name, title, h1, want string }{
		{"a heading of its own", "Hives: Smokers", "Smokers", "Smokers"},
		{"the project's name as heading", "Hives: Smokers", "Hives 4.5", "Smokers"},
		{"the project's name above sections", "Hives: Smokers", "Hives</h1><h1>Lighting", "Smokers"},
		{"the first page", "Hives: Main Page", "Hives 4.5", "Hives: Main Page"},
	} {
		page := `<head><meta name=generator content="Doxygen 1.9.1"><title>` + c.title + `</title></head><h1>` + c.h1 + `</h1><h2>Functions</h2><p>` + prose(1, 1, 9)[0] + `<dl><dt class="list__title">Returns</dt><dd>the smoker that was lit last.</dd></dl>`
		if got := PurifyAt("https://example.com/group__smokers.html", []byte(page), "text/html").Title; got != c.want {
			t.Errorf("a theme with %s: title is %q, want %q", c.name, got, c.want)
		}
	}
}

// A title may have a bar of its own. The site's name follows the whole of it, which the heading confirms.
func TestATitleWithABarOfItsOwnIsWhole(t *testing.T) {
	for _, c := range []struct{ title, h1, want string }{
		{"Five Frames | Raspberry Picking - Beside The River", "Five Frames | Raspberry Picking", "Five Frames | Raspberry Picking"},
		{"Five Frames | Raspberry Picking", "Five Frames | Raspberry Picking", "Five Frames"},
		{"Five Frames | Beside The River - Beside The River", "Five Frames | Beside The River", "Five Frames"},
	} {
		page := `<title>` + c.title + `</title><meta property="og:site_name" content="Beside The River"><meta property="og:title" content="` + c.title + `"><h1>` + c.h1 + `</h1><p>` + prose(1, 1, 9)[0]
		if got := PurifyAt("https://example.com/2018/09/22/five-frames/", []byte(page), "text/html").Title; got != c.want {
			t.Errorf("%s: %q, want %q", c.title, got, c.want)
		}
	}
}

func TestAHeadingThatTheAddressEndsWithIsTheTitleOfAPageWithoutOne(t *testing.T) {
	page := `<title></title><div id=packages><h1>Packages</h1><ul><li><a href=index.html>hives</a></li></ul></div><div id=definition><h1><a href="Hive$$Queen.html">Queen</a></h1></div><p>` + prose(1, 1, 9)[0]
	if got := PurifyAt("https://example.com/hives/Hive$$Queen$.html", []byte(page), "text/html").Title; got != "Queen" {
		t.Errorf("title is %q, want Queen", got)
	}
}

func TestATitleWithADanglingSeparatorIsTheSites(t *testing.T) {
	for _, c := range []struct{ name, url, page, want string }{
		{"no heading", "/2026/05/01/4711.html", "<title>Ann Keeper - </title><h1></h1><p>", ""},
		{"in front", "/2026/05/01/4711.html", "<title>| Ann Keeper</title><p>", ""},
		{"a heading", "/2026/05/01/4711.html", "<title>Ann Keeper - </title><h2>Bees in winter</h2><p>", "Bees in winter"},
		{"the end of the URL", "/bees-matter/", "<title>Bees matter | </title><h1>Please click below to see what the keepers said of bees.</h1><p>", "Bees matter"},
		{"a heading with its words", "/bees/", "<title>Bees in winter | </title><h1>Bees in winter</h1><p>", "Bees in winter"},
		{"the first page", "/", "<title>Ann Keeper - </title><p>", "Ann Keeper"},
		{"a number below zero", "/degrees.html", "<title>-5 degrees</title><p>", "-5 degrees"},
	} {
		if got := PurifyAt("https://example.com"+c.url, []byte(c.page+prose(1, 1, 9)[0]), "text/html").Title; got != c.want {
			t.Errorf("%s: title is %q, want %q", c.name, got, c.want)
		}
	}
}

// Doxygen before 1.8 names itself in a comment alone.
func TestAPageOfAnOldDoxygenIsNamedAboveItsText(t *testing.T) {
	page := `<head><title>Hives: Member List</title><link href="doxygen.css" rel="stylesheet"></head><body><div class=header><div class=headertitle><div class=title>Smoker Member List</div></div></div><div class=contents>` + prose(1, 1, 9)[0]
	if got := Purify([]byte(page), "text/html").Title; got != "Smoker Member List" {
		t.Errorf("the title is %q", got)
	}
}

func TestAPageThatDoxygenHasWrittenIsDocumentation(t *testing.T) {
	text := "<p>" + strings.Join(prose(1, 8, 9), "<p>")
	page := `<meta name=generator content="Doxygen 1.8.11"><title>Hives: Bees in winter</title><div class=header><div class=headertitle><div class=title>Bees in winter</div></div></div><article>By Ann Writer, May 6, 2024` + text
	if got := PurifyAt("https://example.com/news/bees.html", []byte(page), "text/html").Type; got != "documentation" {
		t.Errorf("type is %q, want documentation", got)
	}
}

func TestASectionsHeadingIsNotTheTitleOfAModule(t *testing.T) {
	const page = "<title>Control.Concurrent</title><p class=caption>Control.Concurrent</p><h1>Concurrent sails</h1><p>Sails that are set at once.</p><h1>Scheduling</h1><p>Which sail is next.</p>"
	got := PurifyAt("https://docs.example/base/Control-Concurrent.html", []byte(page), "text/html").Title
	if got != "Control.Concurrent" {
		t.Errorf("the title is %q, want that of the module, which is the end of the URL", got)
	}
}

func TestATitleThatManyPagesHaveIsNotThePages(t *testing.T) {
	for name, c := range map[string]struct{ url, page, want string }{
		"og:title of another page": {"https://portal.example/service/csc-bihar.html",
			`<title>Offices in Bihar - Contact</title><meta property="og:title" content="Chemists near you 2026"><meta property="og:url" content="https://portal.example/service/chemists.html"><h1>Offices</h1>`, "Offices in Bihar"},
		"og:url of the same page elsewhere": {"https://mirror.example/service/csc-bihar.html",
			`<title>Offices in Bihar - Contact</title><meta property="og:title" content="The offices of a state"><meta property="og:url" content="https://portal.example/2/csc-bihar.html"><p>`, "The offices of a state"},
		"a module's, under a type's heading": {"https://kites.example/api/sails.WindVane.html",
			`<title>sails - Kite Docs v0.11.0</title><h1>Interface: WindVane</h1>`, "Interface: WindVane"},
		"two names of one thing": {"https://formats.example/apple/java.html",
			`<title>Single / Double: Java parsing library</title><h1>Single / Double: Java parsing library</h1>`, "Single / Double: Java parsing library"},
		"the number of things in a list": {"https://diary.example/tags/honey/",
			`<title>honey | Diary</title><h1>honey <span>3</span></h1><ul><li><a href=/a>Of wax</a><li><a href=/b>Of bees</a><li><a href=/c>Of hives</a></ul>`, "honey"},
	} {
		if got := PurifyAt(c.url, []byte(c.page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("%s: the title is %q, want %q", name, got, c.want)
		}
	}
}

// Once the titles of a site are known, a dash that they do not repeat is the page's own.
func TestADashInAHeadingThatIsTheWholeTitleIsThePages(t *testing.T) {
	page := func(title string, n int) []byte {
		return fmt.Appendf(nil, "<title>%s</title><body><p>Club</p><h1>%[1]s</h1><table><tr><td>%s</td></tr></table>", title, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(string(page(fmt.Sprintf("Boats - Of type%d", n), n)))
	}
	for title, want := range map[string]string{
		"The year in letters - The wind turned": "The year in letters - The wind turned",
		"转载-红队作战手册":                             "转载-红队作战手册",
		"Masts / Sails / Ropes":                 "Masts / Sails / Ropes",
		"Boats - Masts - Of pine":               "Masts - Of pine", // all titles have the first part
		"Masts of pine - The Clubhouse Shop":    "Masts of pine",   // the last part has the name of the domain
	} {
		if v, _ := PurifyOn(h.template, "http://clubhouse.example/masts/20", page(title, 20), "text/html; charset=utf-8"); v.Title != want {
			t.Errorf("the title of %q is %q, want %q", title, v.Title, want)
		}
	}
}

// The end of a URL has all words of a page's title, and none of its site's name.
func TestATitleThatTheURLHasIsWhole(t *testing.T) {
	page := func(title string, n int) []byte {
		return fmt.Appendf(nil, "<title>%s</title><body><p>Club</p><h1>%[1]s</h1><table><tr><td>%s</td></tr></table>", title, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(string(page(fmt.Sprintf("REVIEW | Type%d", n), n)))
	}
	for _, c := range []struct{ path, title, want string }{
		{"/review-the-boats-masts/", "REVIEW | The boat’s masts", "REVIEW | The boat's masts"},
		{"/review-the-boats-masts/amp/", "REVIEW | The boat’s masts", "REVIEW | The boat's masts"},
		{"/4711/", "REVIEW | The boat’s masts", "The boat's masts"}, // all titles have the first part
		{"/masts-clubhouse/", "Masts | Clubhouse", "Masts"},
	} {
		if v, _ := PurifyOn(h.template, "http://clubhouse.example"+c.path, page(c.title, 20), "text/html; charset=utf-8"); v.Title != c.want {
			t.Errorf("the title of %q at %s is %q, want %q", c.title, c.path, v.Title, c.want)
		}
	}
}

// A template may join nothing to the titles of all pages.
func TestATitleWithADanglingSeparatorIsThePagesWhereOthersHaveAnotherOne(t *testing.T) {
	page := func(title string, n int) string {
		return fmt.Sprintf("<title>%s |</title><body><p>Club</p><h2>Please click below to see what was said of number%d.</h2><p>%s", title, n, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(page(fmt.Sprintf("Minutes of year%d", n), n))
	}
	if v, _ := PurifyOn(h.template, "http://a.test/4711", []byte(page("Minutes of year20", 20)), "text/html"); v.Title != "Minutes of year20" {
		t.Errorf("the title is %q", v.Title)
	}
}

// The numbered pages of a list start with whatever post comes next.
func TestTheHeadingOfAPostIsNotTheTitleOfANumberedPage(t *testing.T) {
	for _, c := range []struct{ url, head, want string }{
		{"/page/5/", "<title>Club</title><h1>A boat that was made of cork and pine</h1>", "Club"},
		{"/page/5/", "<title>Club - All that floats</title><h1>Club</h1><h2>Cork</h2>", "Club"},
		{"/page/5/", "<title>Club | Page 5</title><h1>Club</h1>", "Club - Page 5"},
		{"/posts/page/31/", "<title>Blog</title><h1>A boat that was made of cork and pine</h1>", "Blog"},
		{"/posts/page-31.html", "<title>Blog</title><h1>A boat that was made of cork and pine</h1>", "Blog"},
		{"/posts/31/", "<title>Blog</title><h1>A boat that was made of cork and pine</h1>", "A boat that was made of cork and pine"},
		{"/tags/cork%20boats/page/2/", "<title>Blog</title><h1>All the boats of cork that we have seen here</h1>", "All the boats of cork that we have seen here"},
	} {
		page := c.head + "<p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://club.example"+c.url, []byte(page), "text/html").Title; got != c.want {
			t.Errorf("the title of %s below %q is %q, want %q", c.url, c.head, got, c.want)
		}
	}
}

// The name of a page may stand at the end of a way to it, above the heading that says more.
func TestALineAboveTheHeadingMayBeOfItsWords(t *testing.T) {
	page := func(n int, above string) []byte {
		return fmt.Appendf(nil, "<title>All of the club</title><body><p>Club</p>%s<h3>boat%d: a boat of cork</h3><table><tr><td>%s</td></tr></table><h1>Boats</h1><h1>Masts</h1>", above, n, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(string(page(n, "")))
	}
	const url = "http://a.test/boats/20"
	for above, want := range map[string]string{
		"<p>boat20":          "boat20: a boat of cork",
		"<p>Under repair":    "All of the club",
		"<p>boat20<p>boat20": "All of the club",
		"<ol class=breadcrumb><li>Boats of this year<li>Number twenty</ol>": "boat20: a boat of cork",
	} {
		if v, _ := PurifyOn(h.template, url, page(20, above), "text/html"); v.Title != want {
			t.Errorf("the title below %q is %q, want %q", above, v.Title, want)
		}
	}
	early := PurifyAt(url, page(20, "<p>boat20"), "text/html")
	early.URL = url
	if early.Reframe(h.template); early.Title != "boat20: a boat of cork" {
		t.Errorf("the title of a page that was read before is %q", early.Title)
	}
}

// A few pages of a site may have its name for a title and above their own heading.
func TestTheNameOfTheSiteIsNotTheTitleOfAPageWithAHeadingOfItsOwn(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf("<title>Boats of type%d</title><body><p>Club</p><h1>Boats of type%[1]d</h1><table><tr><td>%s</td></tr></table>", n, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(page(n))
	}
	const named = "<title>Cork Club</title><body><p>Club</p><h1>🚤 Cork Club</h1><h2>A boat of cork</h2><p>"
	for path, want := range map[string]string{"/boats/cork": "A boat of cork", "/": "🚤 Cork Club", "/page/2/": "🚤 Cork Club"} {
		if v, _ := PurifyOn(h.template, "http://corkclub.example"+path, []byte(named+sentence(20)), "text/html; charset=utf-8"); v.Title != want {
			t.Errorf("the title of %s is %q, want %q", path, v.Title, want)
		}
	}
	const each = "<title>Log 20</title><meta property=og:site_name content='Log 20'><body><p>Club</p><h1>Log 20</h1><h2>A cold wind</h2><p>"
	if v, _ := PurifyOn(h.template, "http://corkclub.example/log/20", []byte(each+sentence(20)), "text/html"); v.Title != "Log 20" {
		t.Errorf("the title of a page that says that it is its site's is %q", v.Title)
	}
}

// A theme has one heading on all its lists, or the name of the list behind its kind in the title.
func TestAListsTitleSaysMoreThanTheHeadingOfItsTheme(t *testing.T) {
	list := "<ul>"
	for i := range 12 {
		list += fmt.Sprintf(`<li><h2><a href="/2026/05/%02d/bees-%d/">Bees of week %d</a></h2><p>The hive stood in the sun.</p></li>`, i+1, i, i)
	}
	for _, c := range []struct{ title, h1, want string }{
		{"winter Archives &ndash; Ann Keeper", "Archives", "winter Archives"},
		{"Tag: winter &ndash; Ann Keeper", "winter", "winter"},
	} {
		page := fmt.Sprintf(`<html lang=en><title>%s</title><body class="archive tag"><h1 class="page-title">%s</h1>%s</ul>`, c.title, c.h1, list)
		if got := PurifyAt("https://example.com/tag/winter/", []byte(page), "text/html"); got.Title != c.want {
			t.Errorf("title is %q, want %q (type %s)", got.Title, c.want, got.Type)
		}
	}
}

// A heading may be that of a section, of the site or of a program's form, and the page's title stand elsewhere.
func TestTheTitleComesBeforeTheHeadingOfASection(t *testing.T) {
	text := "<p>" + prose(1, 1, 9)[0]
	for _, c := range []struct{ name, url, page, want string }{
		{"a page of Unix's manual", "/man/smoke-hive.html", "<title></title><ul><li><a href=#NAME>NAME</a></ul><h1>NAME</h1><p>smoke-hive - lights a smoker</p><h1>SYNOPSIS</h1><pre>smoke-hive [options]</pre><h1>AUTHORS</h1><p>Ann Writer", "smoke-hive"},
		{"the same with a title", "/man/smoke.pm.html", "<title>Bees::Smoke - Bee-Keepers rollover smoking fields.</title><h1>NAME</h1><p>Bees::Smoke - Bee-Keepers rollover smoking fields.</p><h1>SYNOPSIS</h1><h1>SMOKING FIELDS</h1><p>Ann Writer", "Bees::Smoke"},
		{"a heading NAME without a name", "/man/smoke-hive.html", "<title></title><h1>NAME</h1><h1>AUTHORS</h1><p>Ann Writer", "AUTHORS"},
		{"what a goal of a plugin does", "/plugin/smoke-goal.html", "<title>Hive Plugin – hive:smoke</title><h2>Hive Plugin</h2>" + text + "<h2>hive:smoke</h2>" + text, "hive:smoke"},
		{"a plugin's page of its own name", "/plugin/hive.html", "<title>Hive Plugin – Keepers</title><h2>Hive Plugin</h2>" + text + "<h2>Keepers</h2>" + text, "Hive Plugin"},
		{"a section's heading below text", "/2026/smoker-goes-out.html", "<title>smoker: fuel is wet, cannot light</title>" + text + text + "<h1>What to do with all the wet fuel</h1>" + text, "smoker: fuel is wet, cannot light"},
		{"a heading above all text", "/2026/smoker-goes-out.html", "<title>smoker: fuel is wet, cannot light</title><h1>What to do with all the wet fuel</h1>" + text + text, "What to do with all the wet fuel"},
	} {
		if got := PurifyAt("https://example.com"+c.url, []byte(c.page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("%s: title is %q, want %q", c.name, got, c.want)
		}
	}
}

// The programs that make books number the sections, and a theme has its word above all lists.
func TestTheTitlesOfASiteTellTheHeadingsOfItsProgram(t *testing.T) {
	page := func(title, h1 string, n int) string {
		return fmt.Sprintf("<title>%s</title><body><p>Club</p><h1>%s</h1><table><tr><td>%s</td></tr></table>", title, h1, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(page(fmt.Sprintf("Boats of type%d · The Yard", n), fmt.Sprintf("1. Boats of kind%d", n), n))
		h.meet(page(fmt.Sprintf("tag%d Archives – The Yard", n), "Archives", n+100))
	}
	for _, c := range []struct{ title, h1, want string }{
		{"Boats of cork · The Yard", "1. Cork boats of pine", "Boats of cork"},
		{"1. Boats of cork · The Yard", "1. Boats of cork", "1. Boats of cork"},
		{"Boats of cork · The Yard", "Boats of cork and pine", "Boats of cork and pine"},
		{"cork Archives – The Yard", "Archives", "cork Archives"},
	} {
		if v, _ := PurifyOn(h.template, "http://a.test/boats/20", []byte(page(c.title, c.h1, 20)), "text/html; charset=utf-8"); v.Title != c.want {
			t.Errorf("the title of %q below %q is %q, want %q", c.title, c.h1, v.Title, c.want)
		}
	}
}

// A theme shows the day of a post as a sign in its heading.
func TestTheDayInAHeadingIsNotPartOfTheTitle(t *testing.T) {
	for _, c := range []struct{ name, head, heading, want string }{
		{"a sign", "<title>Moths in hives</title>", "<span class=date>25 Fév<meta itemprop=x></span> The wax moth comes in summer", "The wax moth comes in summer"},
		{"the other day", "<title>Moths in hives</title>", "<span>26 Fév</span> The wax moth comes in summer", "26 Fév The wax moth comes in summer"},
		{"a title with it", "<title>25 Fév The wax moth comes in summer</title>", "25 Fév The wax moth comes in summer", "25 Fév The wax moth comes in summer"},
		{"a day with its year", "<title>Moths in hives</title>", "25 Fév 2021 was the day of the wax moth", "25 Fév 2021 was the day of the wax moth"},
	} {
		page := "<html lang=fr>" + c.head + "<meta property=article:published_time content=2021-02-25T16:56:00+01:00><h1>" + c.heading + "</h1><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://bees.example/wax-moth/", []byte(page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The title of the list of a month has the name of the site before the date, after it, or not at all.
func TestTheListOfAMonthIsNamedByItsDate(t *testing.T) {
	for _, c := range []struct{ title, path, want string }{
		{"October | 2012 | Hives", "2012/10/", "October 2012"},
		{"Hives.example » 2012 » October", "2012/10/", "October 2012"},
		{"Hives » 2012 » October", "2012/10/page/2/", "October 2012"},
		{"Hives » 2012", "2012/", "2012"},
		{"2012 | Hives", "2012/", "2012"},
		{"12 | October | 2012 | Hives", "2012/10/12/", "12 October 2012"},
	} {
		page := "<title>" + c.title + "</title><h2><a href=/wax>Wax of the winter</a></h2><p>" + prose(1, 1, 9)[0] + "<h2><a href=/lids>Lids of the summer</a></h2><p>" + prose(2, 1, 9)[0]
		if got := PurifyAt("https://hives.example/"+c.path, []byte(page), "text/html").Title; got != c.want {
			t.Errorf("%s at %s: title is %q, want %q", c.title, c.path, got, c.want)
		}
	}
}

// Javadoc writes the program of a class once more for each class within it: these pages are one document, under one title.
func TestTheSourceOfAClassIsNamedByItsURL(t *testing.T) {
	for _, head := range []string{"<title>Source code</title>", "<title>Quellcode</title><meta name=generator content=javadoc/SourceToHTMLConverter>"} {
		page := head + "<main><div class=source-container><pre>package hives;\n\nfinal class Hive {\n  enum Lid { OPEN, CLOSED }\n}\n</pre></div></main>"
		for _, file := range []string{"Hive.html", "Hive.Lid.html"} {
			if got := PurifyAt("https://hives.example/api/src-html/hives/"+file, []byte(page), "text/html").Title; got != "Hive" {
				t.Errorf("%s, %s: title is %q, want Hive", head, file, got)
			}
		}
	}
}

// Each page of a genealogy has the tree's name above it, and an event has the kind of the event for its heading, as many others have.
func TestAHeadingThatSeveralPagesHaveIsTheTitleBelowTheNameOfTheSite(t *testing.T) {
	page := func(title, heading string, n int) string {
		if heading != "" {
			heading = "<h3>" + heading + "</h3>"
		}
		return fmt.Sprintf(`<title>%s</title><body><div id=header><h1>The Hill Family</h1></div><nav><ul><li><a href=/events.html>Events</a></li><li><a href=/places.html>Places</a></li><li><a href=/map.html>Map</a></li><li><a href=/map/2.html>Map</a></li></ul></nav>
<div class=content>%s<table><tr><td>Date</td><td>day %d of May</td></tr></table><h4>Sources</h4><p>%s</p></div><div id=footer><h5>All rights are the family's</h5></div>`, title, heading, n, sentence(n))
	}
	var h host
	for n := range 60 {
		h.meet(page("The Hill Family - Events", []string{"Birth", "Death", "Marriage"}[n%3], n))
		h.meet(page(fmt.Sprintf("The Hill Family - Hill, John%d", n), fmt.Sprintf("Hill, John%d", n), n+100))
	}
	for _, c := range []struct{ url, title, heading, want string }{
		{"/evt/4.html", "The Hill Family - Events", "Birth", "Birth"},
		{"/evt/4.html", "The Hill Family - Events", "", "Events"},         // the first heading is "Sources", as on most pages
		{"/plc/4.html", "The Hill Family - Places", "Malvern", "Malvern"}, // a part of the menu
		{"/places.html", "The Hill Family - Places", "Malvern", "Places"}, // the link leads to the page itself
		{"/map.html", "The Hill Family - Map", "Malvern", "Map"},
		{"/map/2.html", "The Hill Family - Map", "Malvern", "Map"}, // two chapters have one name
	} {
		if v, _ := PurifyOn(h.template, "http://a.test"+c.url, []byte(page(c.title, c.heading, 999)), "text/html"); v.Title != c.want {
			t.Errorf("the title of %q above %q at %s is %q, want %q", c.title, c.heading, c.url, v.Title, c.want)
		}
	}
}

// Of the first pages of a site it is not known what its titles repeat. The page may show it all the same.
func TestThePageMayTellTheNameOfItsSite(t *testing.T) {
	const text = "<p>The tide turns at noon, and the boats come in with it. The tide turns at noon, and the boats come in with it."
	for _, c := range []struct{ name, url, page, want string }{
		{"in its header", "/p/1.html", "<title>The Hill Family - Hill, John</title><div id=header><h1>The Hill Family</h1></div><h2>Hill, John</h2>" + text, "Hill, John"},
		{"in the header of its text", "/p/1.html", "<title>Hill, John - The Hill Family</title><main><div class=header><h1>Hill, John</h1></div>" + text + "<h2>The Hill Family</h2></main>", "Hill, John"},
		{"in no heading", "/p/1.html", "<title>The Hill Family - Hill, John</title><div id=header><h1>The Hill Family</h1></div><h2>John</h2>" + text, "The Hill Family"},
		{"in a link to the first page", "/novosti/1.html", "<title>Tide Watch - Boats at noon</title><a href=/index.html>Tide Watch</a>" + text, "Boats at noon"},
		{"in a link to the first page of another site", "/novosti/1.html", "<title>Tide Watch - Boats at noon</title><a href=http://tide.example/>Tide Watch</a>" + text, "Tide Watch"},
		{"in a link to a page", "/novosti/1.html", "<title>Tide Watch - Boats at noon</title><a href=/tide.html>Tide Watch</a>" + text, "Tide Watch"},
		{"in a link to the folder", "/sea/novosti/1.html", "<title>Tide Watch - Boats at noon</title><a href=../index.html>Tide Watch</a><h2>Boats at noon</h2>" + text, "Boats at noon"},
		{"a chapter's name in a link to the folder", "/sea/tides/1.html", "<title>Tides — Manual of the sea</title><a href=index.html>Tides</a>" + text, "Tides"},
		{"in a link to itself", "/", "<title>Tide Watch - Boats at noon</title><a href=/>Tide Watch</a>" + text, "Tide Watch"},
		{"the host at the end", "/novosti/1.html", "<title>Boats at noon - Harbour news</title><a href=/>Boats at noon</a>" + text, "Boats at noon"},
		{"as a host", "/forum/1.html", "<title>www.tidewatch.example :: Boats at noon</title>" + text, "Boats at noon"},
		{"as a host alone", "/forum/1.html", "<title>www.tidewatch.example</title>" + text, "www.tidewatch.example"},
		{"before a program's words in Russian", "/forum/1.html", "<title>Прилив • Просмотр темы - Лодки в полдень</title>" + text, "Лодки в полдень"},
		{"before a program's words", "/forum/1.html", "<title>Tide Watch :: View topic - 2010 - any news?</title>" + text, "2010 - any news?"},
	} {
		if got := PurifyAt("http://harbour.example"+c.url, []byte(c.page), "text/html; charset=utf-8").Title; got != c.want {
			t.Errorf("%s: the title is %q, want %q", c.name, got, c.want)
		}
	}
}

// A part of a title that several pages have names none of them if fewer have another part, or the heading.
func TestThePartOfATitleThatTheFewestHaveNamesThePage(t *testing.T) {
	page := func(title, heading string, n int) string {
		return fmt.Sprintf("<title>%s</title><body><div>%s</div><p>%s</p>", title, heading, sentence(n))
	}
	var h host
	for n := range 60 {
		own := fmt.Sprintf("name%dly", n)
		h.meet(page("Hives | Notes of "+own, "", n))
		h.meet(page("Hives | Found things", "", n+100))
		if n < 30 {
			h.meet(page(fmt.Sprintf("Hives (tut) - Chapter %d: %s", n, own), "<h3>"+own+"</h3>", n+200))
			h.meet(page("Hives | The camp of May", "<h1>User "+own+"</h1>", n+300))
			h.meet(page("Hives | Smokers - of "+own, "<h1>Smokers - of "+own+"</h1>", n+400))
			h.meet(page("Hives | Manual of lids - "+own, "", n+500))
		}
	}
	for _, c := range []struct{ name, title, heading, want string }{
		{"a chapter", "Hives (tut) - Chapter 77: Functions", "<h3>Functions</h3>", "Chapter 77: Functions"},
		{"all parts are on many pages", "Hives | Found things", "", "Found things"},
		{"a heading of its own", "Hives | The camp of May", "<h1>User ksolis</h1>", "User ksolis"},
		{"headings of its own", "Hives | The camp of May", "<h1>User ksolis</h1><h1>Bees</h1>", "The camp of May"},
		{"a dash in the heading", "Hives | Smokers - of tin", "<h1>Smokers - of tin</h1>", "Smokers - of tin"},
		{"a chapter below the site's name", "Hives | Manual of lids - Setup", "", "Manual of lids - Setup"},
		{"a number of a list", "Hives (tut) | page 2 of 5", "", "Hives (tut)"},
		{"the start of the host's name", "keepers | Hives", "<h1>keepers</h1>", "keepers"},
		{"no other part", "Hives (tut)", "", "Hives (tut)"},
	} {
		if v, _ := PurifyOn(h.template, "http://keepers.example/2/77", []byte(page(c.title, c.heading, 999)), "text/html"); v.Title != c.want {
			t.Errorf("%s: the title of %q is %q, want %q", c.name, c.title, v.Title, c.want)
		}
	}
}

func TestTheHeadingOfATableOfContentsIsNotTheTitle(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf(`<body><h2>All about bees</h2><div class=toc><h2>Contents</h2><ul><li><a href=#a>Of it</a></ul></div><h2>The hold of number%d</h2><p>%s</p>`, n, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(page(n))
	}
	for _, c := range []struct {
		template *Template
		page     string
		want     string
	}{
		{h.template, page(50), "The hold of number50"},
		{nil, strings.Replace(page(50), "<h2>All about bees</h2>", "", 1), "The hold of number50"},
		{h.template, strings.Replace(page(50), "The hold of number50", "All about bees", 1), "All about bees"},
	} {
		if v, _ := PurifyOn(c.template, "http://a.test/hold/50", []byte(c.page), "text/html"); v.Title != c.want {
			t.Errorf("the title is %q, want %q", v.Title, c.want)
		}
	}
}

func TestATitleIsReadAgainWhereAnotherPartIsOnFewerPages(t *testing.T) {
	page := func(manual, chapter string, n int) string {
		return fmt.Sprintf("<title>%s - %s</title><body><p>%s</p>", manual, chapter, sentence(n))
	}
	var h host
	for n := range 33 {
		manual, chapter := fmt.Sprintf("Manual of name%d", n), fmt.Sprintf("Chapter of name%d", n)
		if n < 11 {
			manual = "Manual of hives"
		}
		if n >= 5 && n < 10 {
			chapter = "Chapter of lids"
		}
		h.meet(page(manual, chapter, n))
	}
	few := h.site.Last() // 11 and 5 pages
	for n := range 6 {
		h.meet(page("Manual of yards", "Chapter of lids", n+100))
	}
	many := h.site.Last()
	for _, c := range []struct {
		first, then *Template
		want        string
	}{
		{few, many, "Chapter of lids"},
		{many, few, "Manual of hives"},
	} {
		v, _ := Reader{Answers: true}.PurifyOn(c.first, "http://keepers.example/2/77", []byte(page("Manual of hives", "Chapter of lids", 999)), "text/html")
		if follows, _ := v.ReadWith(c.then); v.Title != c.want || follows {
			t.Errorf("the title is %q, want %q; with another template it follows: %v", v.Title, c.want, follows)
		}
	}
}

// Most titles of a site may start with its name and a colon. What fewer have is the name of a part of the site, or of the page.
func TestTheNameThatMostTitlesStartWithIsTheSites(t *testing.T) {
	page := func(title, heading string, n int) string {
		return fmt.Sprintf(`<title>%s</title><body><div id=top><b>Paper House</b> | <a href=/>home</a></div><div id=content>%s<p>%s</p></div>`, title, heading, sentence(n))
	}
	for _, c := range []struct{ name, lead, other, heading, want string }{
		{"a name", "Paper House: ", "Paper House: ", "<h2>Glue of flour</h2>", "Glue of flour"},
		{"a name and no heading", "Paper House: ", "Paper House: ", "<p>Glue of flour</p>", "Glue of flour"},
		{"a name and a heading", "Paper House: ", "Paper House: ", "<h1>Glue of flour</h1>", "Glue of flour"},
		{"a name in the heading", "Paper House: ", "Paper House: ", "<h1>Paper House: Glue of flour</h1>", "Glue of flour"},
		{"a name in Chinese letters", "纸屋：", "纸屋：", "<h2>Glue of flour</h2>", "Glue of flour"},
		{"two parts of a site", "Guide: ", "Reference: ", "<h2>Glue of flour</h2>", "Guide: Glue of flour"},
		{"one title of that kind", "Glue: ", "", "<h2>Glue of flour</h2>", "Glue: Glue of flour"},
	} {
		for _, pages := range []int{10, 30, 100} {
			var h host
			h.meet(page("Paper House", "<h2>Welcome</h2>", 0))
			for n := range pages {
				lead := c.lead
				if n%2 == 1 || c.other == "" {
					lead = c.other
				}
				h.meet(page(fmt.Sprintf("%sPaper of sort%d", lead, n), fmt.Sprintf("<h2>Paper of sort%d</h2>", n), n+1))
			}
			if v, _ := PurifyOn(h.template, "http://a.test/glue.html", []byte(page(c.lead+"Glue of flour", c.heading, 999)), "text/html"); v.Title != c.want {
				t.Errorf("%s, of %d pages: %q, want %q", c.name, pages, v.Title, c.want)
			}
			if v, _ := PurifyOn(h.template, "http://a.test/", []byte(page(c.lead+"Glue of flour", "", 999)), "text/html"); v.Title != c.lead+"Glue of flour" {
				t.Errorf("%s, of %d pages: the first page is %q, want its whole title", c.name, pages, v.Title)
			}
		}
	}
}

// What most titles have at one end is the site's. What no other page is known to have is the page's own, with the separators in it.
func TestWhatOnlyThePageHasStaysInTheTitle(t *testing.T) {
	list := func(n int) string {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, `<li class=product><a href="/products/%d-%d"><img src="/%d.jpg"> %s</a> $%d.00</li>`, n, i, i, sentence(n + i)[:30], i+3)
		}
		return `<ul class="product-grid">` + b.String() + `</ul>`
	}
	for _, c := range []struct{ name, format, title, url, page, want string }{
		{"a dash before a bar", "Sort%d | Paper House", "Glue of flour – The great test | Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue of flour – The great test"},
		{"a dash before a dash", "Sort%d – Paper House", "Glue of flour – Tests – Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue of flour – Tests"},
		{"a dash behind the site", "Paper House - Sort%d", "Paper House - glue - the glue of flour", "/glue.html", "<p>" + sentence(900), "glue - the glue of flour"},
		{"a number with a dash", "Sort%d – Paper House", "36.6 – the new glue – Paper House", "/new-glue/", "<p>" + sentence(900), "36.6 – the new glue"},
		{"a name with a number", "Sort%d – Paper House", "Glue 4 – the new one – Paper House", "/new-glue/", "<p>" + sentence(900), "Glue 4 – the new one"},
		{"a letter", "Sort%d - Paper House", "J - Paper House", "/J/", "<h1>J</h1><p>" + sentence(900), "J"},
		{"an underscore at the end of a name", "Sort%d - Paper House", "glue_ - Paper House", "/glue_/", "<p>" + sentence(900), "glue_"},
		{"a heavy bar", "Paper House ❘ Sort%d ❘ Glues and papers", "Paper House ❘ Glue of flour ❘ Glues and papers", "/glue-of-flour/", "<p>" + sentence(900), "Glue of flour"},
		{"a bar in the heading", "Sort%d – Paper House", "Buy glue of flour – Paper House", "/products/glue-of-flour", "<h1>Glue of flour | 10mg</h1><p>" + sentence(900), "Glue of flour | 10mg"},
		{"a bar in og", "Sort%d – Paper House", "Glue of flour | 10mg – Paper House", "/products/glue-of-flour", "<meta property=og:title content='Glue of flour | 10mg'><p>" + sentence(900), "Glue of flour | 10mg"},
		{"a colon before the site", "Sort%d : Paper House", "Glue: of flour : Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue: of flour"},
		{"an angle before the site", "Sort%d > Paper House", "Glue > of flour > Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue > of flour"},
		{"an angle behind the site", "Paper House > Sort%d", "Paper House > Glue of flour", "/glue-of-flour/", "<p>" + sentence(900), "Glue of flour"},
		{"an angle of the page", "Sort%d | Paper House", "Glue > flour | Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue > flour"},
		{"a list with the name of a table", "Sort%d", "glues - house.papers", "/glues.html", "<h1>glues</h1>" + list(900), "glues"},
		{"two names of the site", "Sort%d – Paper House – Glues", "Glue of flour – Paper House – Glues", "/glue-of-flour/", "<p>" + sentence(900), "Glue of flour"},
		{"a list of a tag", "Sort%d – Paper House", `Glues – Tagged "Flour" – Paper House`, "/collections/glues/flour", "<h1>Glues</h1>" + list(900), `Glues – Tagged "Flour"`},
		{"a list of a tag that og does not have", "Sort%d – Paper House", `Glues – Tagged "Flour" – Paper House`, "/collections/glues/flour", "<meta property=og:title content=Glues><h1>Glues</h1>" + list(900), `Glues – Tagged "Flour"`},
		{"a list's page", "Sort%d – Paper House", `Glues – Trang 2 trên 3 – Paper House`, "/glues/page/2/", "<h1>Glues</h1>" + list(900), "Glues"},
		{"a comma before the site", "Sort%d, Paper House", "Glue, of flour, Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue, of flour"},
		{"a comma of the page", "Sort%d | Paper House", "Glue, of flour | Paper House", "/glue-of-flour/", "<p>" + sentence(900), "Glue, of flour"},
		{"a letter of an index", "Sort%d (House 1.0 API)", "J-Index (House 1.0 API)", "/index-files/index-10.html", "<h1>Index</h1><p>" + sentence(900), "J-Index"},
		{"a day", "Sort%d", "16/1/2003 : Paper and more", "/2003/01/16.html", "<h1>Paper and more</h1><p>" + sentence(900), "16/1/2003 : Paper and more"},
		{"a day before a name", "Sort%d", "16/1/2003 : Paper and more", "/2003/01/16/paper.html", "<h1>Paper and more</h1><p>" + sentence(900), "Paper and more"},
	} {
		var h host
		for n := range 50 {
			h.meet(fmt.Sprintf("<title>"+c.format+"</title><body><p>%s</p>", n, sentence(n)))
		}
		if v, _ := PurifyOn(h.template, "http://a.test"+c.url, []byte("<title>"+c.title+"</title><body>"+c.page), "text/html; charset=utf-8"); v.Title != c.want {
			t.Errorf("%s: the title of a %s is %q, want %q", c.name, v.Type, v.Title, c.want)
		}
	}
	page := `<head><meta name=generator content="Doxygen 1.9.1"><title>Hives: Class Members - Functions</title></head><body><div class=contents><ul><li>add() : Hive<li>all() : Yard</ul></div>`
	if got := PurifyAt("https://example.com/functions_func.html", []byte(page), "text/html").Title; got != "Hives: Class Members - Functions" {
		t.Errorf("the title of a list that Doxygen has written is %q", got)
	}
}

// The name of the site is on most pages, and a name that only many of them have is that of a page.
func TestThePartThatFewerThanMostTitlesHaveIsThePages(t *testing.T) {
	var h host
	for n := range 60 {
		title := "Old Box / Manual of Hives"
		if n%3 == 0 {
			title = fmt.Sprintf("Old Box / Sort%d", n)
		}
		h.meet(fmt.Sprintf("<title>%s</title><body><p>%s</p>", title, sentence(n)))
	}
	if v, _ := PurifyOn(h.template, "http://a.test/d/7.html", []byte("<title>Old Box / Manual of Hives</title><body><p>"+sentence(900)), "text/html"); v.Title != "Manual of Hives" {
		t.Errorf("the title is %q, want the part that is not in most titles", v.Title)
	}
}

// A line below a heading tells of the page, and is not its name.
func TestALineNextToAHeadingIsNotTheTitle(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf(`<title>Manual of Hives | Nest</title><body><div class="panel"><div class="panel-heading"><h3>Manual of Hives</h3><span>Updated %d days ago, %d views</span></div><div class="panel-body"><p>%s</div></div>`, n%90+2, 37*n+11, sentence(n))
	}
	var h host
	for n := range 30 {
		h.meet(page(n))
	}
	if v, _ := PurifyOn(h.template, "http://a.test/d/7.html", []byte(page(900)), "text/html"); v.Title != "Manual of Hives" {
		t.Errorf("the title is %q, want the heading", v.Title)
	}
}

// A page whose title and headings are the site's is named at the end of its breadcrumbs.
func TestTheEndOfTheBreadcrumbsNamesAPageWithoutATitle(t *testing.T) {
	page := func(title, crumbs string, n int) string {
		return fmt.Sprintf("<title>%s</title><body><ol class=breadcrumb>%s</ol><div class=tabs><a href=#info>Info</a><a href=#source>Source</a></div><p>%s</p>", title, crumbs, sentence(n))
	}
	var h host
	for n := range 30 {
		h.meet(page("Hive documentation", fmt.Sprintf("<li>Classes<li>Class%d", n), n))
	}
	for _, c := range []struct{ name, title, crumbs, want string }{
		{"an end", "Hive documentation", "<li>Classes<li>QueenBee", "QueenBee"},
		{"an end with a link", "Hive documentation", "<li>Classes<li><a href=/queen>QueenBee</a>", "Hive documentation"},
		{"no way", "Hive documentation", "<li>QueenBee", "Hive documentation"},
		{"a title", "Queens - Hive documentation", "<li>Classes<li>QueenBee", "Queens"},
	} {
		if v, _ := PurifyOn(h.template, "http://a.test/classes/x.html", []byte(page(c.title, c.crumbs, 900)), "text/html"); v.Title != c.want {
			t.Errorf("%s: the title is %q, want %q", c.name, v.Title, c.want)
		}
	}
}

// A forum has the name of a section in the titles of its topics, behind its own name and a colon.
func TestTheTopicBehindANameAndASectionIsTheTitle(t *testing.T) {
	page := func(section, topic string, n int) string {
		return fmt.Sprintf("<title>Paper House: %s » %s</title><body><h1>Paper House</h1><h3>%s</h3><p>%s</p>", section, topic, topic, sentence(n))
	}
	var h host
	for n := range 60 {
		h.meet(page([]string{"Glues", "Papers"}[n%2], fmt.Sprintf("What of sort%d?", n), n))
	}
	if v, _ := PurifyOn(h.template, "http://a.test/topic-post99.html", []byte(page("Glues", "What of flour?", 900)), "text/html; charset=utf-8"); v.Title != "What of flour?" {
		t.Errorf("the title is %q, want the topic", v.Title)
	}
}

// What several pages have at an end of their titles is a section, and what stands between two dashes is not cut.
func TestTheSectionOfAPageIsNotItsOwn(t *testing.T) {
	var h host
	for n := range 60 {
		h.meet(fmt.Sprintf("<title>Sort%d – %s – Paper House</title><body><p>%s</p>", n, []string{"Glues", "Papers", "Pens", "Inks", "Cards"}[n%5], sentence(n)))
	}
	for title, want := range map[string]string{
		"Flour – Glues – Paper House":            "Flour",
		"Flour – The test – Glues – Paper House": "Flour – The test",
		"Glues – Flour – The test – Paper House": "Flour – The test",
	} {
		if v, _ := PurifyOn(h.template, "http://a.test/f.html", []byte("<title>"+title+"</title><body><p>"+sentence(900)), "text/html; charset=utf-8"); v.Title != want {
			t.Errorf("%q: the title is %q, want %q", title, v.Title, want)
		}
	}
}

func TestWhatATemplateWritesForAMissingValueIsNoTitleAndNoAuthor(t *testing.T) {
	for page, want := range map[string]string{
		`<title>undefined | Bee Shop</title><h1>Hive tools for spring</h1>`:                                                 "Hive tools for spring",
		`<title>null</title><h2>Hive tools for spring</h2>`:                                                                 "Hive tools for spring",
		`<title>[object Object] - Bee Shop</title><h1>Hive tools for spring</h1>`:                                           "Hive tools for spring",
		`<title>Hive tools for spring</title><meta property="og:title" content="undefined"><meta name=author content=null>`: "Hive tools for spring",
		`<title>undefined - Scripts for bees</title><h1>undefined</h1>`:                                                     "undefined",
		`<title>null and void - Bee law</title>`:                                                                            "null and void",
	} {
		v := PurifyAt("http://a.test/tools/w3", []byte("<html lang=en>"+page+"<p>The bees have glued the frames, so that nobody moves them without a hook of steel.</p>"), "text/html")
		if v.Title != want || v.Author != "" {
			t.Errorf("%s: title and author are %q and %q, want %q and none", page, v.Title, v.Author, want)
		}
	}
}

func TestTheHeadingOfASidebarIsNotTheTitle(t *testing.T) {
	const side = "<div class=sidebar><h3>Categories</h3><ul><li><a href=/wax>Wax</a><li><a href=/lids>Lids</a></ul></div>"
	for _, c := range []struct{ name, page, want string }{
		{"above a page without a heading", side + "<p>" + sentence(1), ""},
		{"above a heading", side + "<h2>The hold of a hive</h2><p>" + sentence(1), "The hold of a hive"},
		{"in an aside", "<aside><h3>Categories</h3></aside><p>" + sentence(1), ""},
	} {
		if v := Purify([]byte("<body>"+c.page), "text/html"); v.Title != c.want {
			t.Errorf("%s: the title is %q, want %q", c.name, v.Title, c.want)
		}
	}
}

func TestALifeOrASpanOfDaysBelowTheNameOfAPageIsNotItsTitle(t *testing.T) {
	page := func(name, below string, n int) string {
		return fmt.Sprintf("<title>%s | Museum of Hives</title><h1 id=site-name><a href=/>Museum of Hives</a></h1><h1>%[1]s</h1><h3>%s</h3><p>%s</p>", name, below, sentence(n))
	}
	var h host
	for n := range 12 {
		h.meet(page("Hives of oak", fmt.Sprintf("Room number%d of it", n), n))
	}
	for below, want := range map[string]string{
		"Born Moscow, 1909; died Moscow, 1968":   "Hives of oak",
		"May 10–July 1, 2011 in the hall of wax": "Hives of oak",
		"Room number50 of it":                    "Room number50 of it",
		"Minutes of May 6, 2024":                 "Minutes of May 6, 2024",
	} {
		if v, _ := PurifyOn(h.template, "http://a.test/oak/50", []byte(page("Hives of oak", below, 50)), "text/html; charset=utf-8"); v.Title != want {
			t.Errorf("above %q the title is %q, want %q", below, v.Title, want)
		}
	}
}

func TestTheSignOfALinkToAHeadingIsNotOfTheTitle(t *testing.T) {
	for _, sign := range []string{"¶", "#", "§", "🔗", "⚓︎", "🔗\ufe0f"} {
		page := "<title>Lids - Hive manual</title><h1 id=lids>Lids<a class=headerlink href=#lids title='Permanent link'>" + sign + "</a></h1><p>" + sentence(1)
		if v := Purify([]byte(page), "text/html; charset=utf-8"); v.Title != "Lids" {
			t.Errorf("with the sign %q the title is %q, want Lids", sign, v.Title)
		}
	}
}

// The marks are links to an editor as MediaWiki writes them behind each heading, in any language.
func TestLinksInBracketsBehindAHeadingAreNotOfTheTitle(t *testing.T) {
	for heading, want := range map[string]string{
		"概要<span>[</span><a href=/w?a=edit>編集</a><span> | </span><a href=/w?a=source>ソースを編集</a><span>]</span>": "概要",
		"Floors <span>[<a href=/w?a=edit>bearbeiten</a>]</span>":                                               "Floors",
		"Floors [<a href=/wood>1.2</a>]":               "Floors [1.2]",
		"Floors [of wood]":                             "Floors [of wood]",
		"Floors <a href=/wood>of</a> [wood]":           "Floors of [wood]",
		"Floors [see <a href=/wood>wood</a> or stone]": "Floors [see wood or stone]",
	} {
		page := "<h2>" + heading + "</h2><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://hive.example/floors", []byte(page), "text/html; charset=utf-8").Title; got != want {
			t.Errorf("%s: title is %q, want %q", heading, got, want)
		}
	}
}

func TestLinksInBracketsBehindAHeadingAreNotOfTheText(t *testing.T) {
	const text = "<p>%s</p><h2>Floors of wood%s</h2><p>%s</p>"
	p := prose(1, 2, 9)
	at := func(links string) *DocView {
		return PurifyAt("https://hive.example/floors", fmt.Appendf(nil, text, p[0], links, p[1]), "text/html; charset=utf-8")
	}
	want, got := at(""), at(" <span>[<a href=/w?a=edit>bearbeiten</a>]</span>")
	if got.Body != want.Body || got.Body == "" {
		t.Errorf("body is %q, want %q", got.Body, want.Body)
	}
	if version := at(" [<a href=/w?a=edit>1.2</a>]"); !strings.Contains(version.Body, "Floors of wood [1.2]") {
		t.Errorf("body is %q, want the version in it", version.Body)
	}
}

func TestTheHeadingOfATableOfContentsIsNotATitle(t *testing.T) {
	const contents = "<h2>目次</h2><ul><li><a href=#a>1 Floors of wood</a></li><li><a href=#b>2 Lids</a></li></ul>"
	const sections = "<h2 id=a>Floors of wood</h2><p>They last.</p><h2 id=b>Lids</h2><p>They close.</p>"
	for page, want := range map[string]string{
		contents + sections: "Floors of wood",
		"<h2>Hives</h2><ul><li>Floors of stone</li><li>Frames</li></ul>" + sections: "Hives",
	} {
		if got := PurifyAt("https://hive.example/floors", []byte(page), "text/html; charset=utf-8").Title; got != want {
			t.Errorf("%s: title is %q, want %q", page, got, want)
		}
	}
}

// The first pages of a section are too few for their title to be one that several pages have.
func TestAnH1IsTheTitleBelowTheNameOfASectionInTheMenu(t *testing.T) {
	page := func(title, h1 string, n int) string {
		return fmt.Sprintf(`<title>%s</title><body><nav><ul><li><a href=/places.html>Places</a></li><li><a href=/events.html>Events</a></li></ul></nav><h1>%s</h1><p>%s</p>`, title, h1, sentence(n))
	}
	var h host
	for n := range 60 {
		h.meet(page(fmt.Sprintf("Tide Watch - Boat %dly", n), fmt.Sprintf("Boat %dly", n), n))
	}
	for _, c := range []struct{ url, title, want string }{
		{"/plc/4.html", "Tide Watch - Places", "Malvern"},
		{"/places.html", "Tide Watch - Places", "Places"},
		{"/plc/4.html", "Tide Watch - Lands", "Lands"}, // not in the menu
	} {
		if v, _ := PurifyOn(h.template, "http://a.test"+c.url, []byte(page(c.title, "Malvern", 999)), "text/html"); v.Title != c.want {
			t.Errorf("the title of %q at %s is %q, want %q", c.title, c.url, v.Title, c.want)
		}
	}
}
