package purify

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestADateIsFoundWhereItsClassSaysSo(t *testing.T) {
	far := ""
	for i := range 40 {
		far += "<p>" + prose(uint64(i), 1, 2)[0] + "</p>"
	}
	for _, c := range []struct{ name, page, want string }{
		{"in a class far from the heading", far + `<div class="story-date"><span>May 31, 2023</span></div>`, "2023-05-31"},
		{"in a line of an English label", far + `<p class="posted-on">Posted on 3 June 2022`, "2022-06-03"},
		{"in the teaser of another page", far + `<div class="related card"><span class=date>May 31, 2023</span></div>`, ""},
		{"in no class, the only one", far + `<div>May 31, 2023</div>`, "2023-05-31"},
		{"in no class, one of two", far + `<div>May 31, 2023</div><div>June 3, 2023</div>`, ""},
		{"in microdata", far + `<span itemprop="datePublished" content="2021-04-03T10:00">yesterday</span>`, "2021-04-03"},
		{"of an update alone", `<p>Zuletzt aktualisiert am 4. Mai 2021`, "2021-05-04"},
		{"of an update before its own", `<p>Mis à jour le 4 mai 2021</p><p>1 avril 2021`, "2021-04-01"},
		{"behind a label far from the heading", far + `<li>Datum: 26. Januar 2022</li>`, "2022-01-26"},
		{"behind a label in Chinese", far + `<li>发布日期：2022年1月26日</li>`, "2022-01-26"},
		{"behind a word that ends like a label", far + `<li>Update 26. Januar 2022</li>`, ""},
		{"behind other words there", far + `<li>Konzert am 26. Januar 2022</li>`, ""},
		{"at the start of a text", "<p>(18.01.2018) " + far[len("<p>"):], "2018-01-18"},
		{"within a text", "<p>On 18.01.2018 " + far[len("<p>"):], ""},
		{"with a year of two digits", `<span>28.01.22</span>` + far, "2022-01-28"},
		{"in a version", `<span>2.1.06.3</span><p>Version 1.2.22 is out` + far, ""},
		{"by the language of the page", `<p>04/05/2021`, "2021-05-04"},
	} {
		if got := Purify([]byte("<html lang=fr><h1>Bees in winter</h1>"+c.page), "text/html; charset=utf-8").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", c.name, got, c.want)
		}
	}
}

// Without an h1, the date is looked for around the heading that the page's title has.
func TestADateIsFoundBelowTheHeadingOfTheTitle(t *testing.T) {
	far := ""
	for i := range 40 {
		far += "<h3>" + prose(uint64(i), 1, 2)[0] + "</h3>"
	}
	page := far + "<h3>Bees in winter sleep</h3><span>30.01.2022 18:36</span><p>They do." + far + "<span>31.01.2022</span>"
	for title, want := range map[string]string{"Bees in winter sleep | Hive": "2022-01-30", "Hive": ""} {
		if got := Purify([]byte("<title>"+title+"</title>"+page), "text/html; charset=utf-8").Date; got != want {
			t.Errorf("under the title %q: date is %q, want %q", title, got, want)
		}
	}
}

func TestADayAboveTheMenuOfTheSiteIsNotThePages(t *testing.T) {
	const menu = "<nav><a href=/news/>News</a><a href=/sport/>Sport</a></nav>"
	for _, c := range []struct{ name, page, want string }{
		{"above", "<header><div class=date><ul><li>viernes, noviembre 22, 2024</ul></div>" + menu + "</header><h1>Bees in winter</h1>", ""},
		{"in a time element above", "<header><time datetime=2024-11-22>today</time>" + menu + "</header><h1>Bees in winter</h1>", ""},
		{"above and below", "<header><div class=date>viernes, noviembre 22, 2024</div>" + menu + "</header><h1>Bees in winter</h1><p>6 de mayo de 2024", "2024-05-06"},
		{"below", "<header>" + menu + "</header><div class=date>noviembre 22, 2024</div><h1>Bees in winter</h1>", "2024-11-22"},
		{"in the header of the article", "<header>" + menu + "</header><article><header><div class=date>noviembre 22, 2024</div><nav><a href=/news/>News</a></nav><h1>Bees in winter</h1></header></article>", "2024-11-22"},
	} {
		if got := Purify([]byte("<html lang=es>"+c.page+"<p>"+prose(1, 1, 9)[0]), "text/html; charset=utf-8").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAHeadingThatSaysUpdatedIsNotTheLabelOfItsDay(t *testing.T) {
	page := "<h1>Hive updated<br><small>Written by <a href=/>Ann Writer</a> on July 18, 2019</small></h1><p>It has a lid.</p><div>News on lids<br>February 6, 2017</div>"
	if got := Purify([]byte(page), "text/html").Date; got != "2019-07-18" {
		t.Errorf("date is %q, want 2019-07-18", got)
	}
}

func TestADayBelowTheHeadingOfAnotherPageIsThatPages(t *testing.T) {
	recent := "<h2>Recent posts</h2><h2><a href=/wax>Wax in autumn</a></h2><time>25 November 2020</time><h2><a href=/frames>Frames</a></h2><p>5 September 2020</p>"
	for name, c := range map[string]struct{ page, want string }{
		"no day of its own":      {"<h1>Bees in winter</h1><p>" + prose(1, 1, 9)[0] + "<p>" + recent, ""},
		"a day of its own":       {"<h1>Bees in winter</h1><p>2020-7-20 | 3 min</p><p>" + prose(1, 1, 9)[0] + "<p>" + recent, "2020-07-20"},
		"below its own heading":  {"<h1><a href=https://elsewhere.example/>Bees in winter</a></h1><time>20 July 2020</time><p>" + prose(1, 1, 9)[0], "2020-07-20"},
		"above another's h1":     {"<p class=title>Bees in winter, and the wax</p><p>2020-7-20 | 3 min</p><p>" + prose(1, 9, 9)[0] + strings.Repeat("<p>And so on and on.", 9) + "<h1><a href=/tags>Tags</a></h1>" + recent, "2020-07-20"},
		"alone next to the text": {"<h1>Bees in winter</h1>" + strings.Repeat("<p>And so on and on.", 40) + "<div class=widget><i></i> 2020-07-20 </div>", "2020-07-20"},
		"one of several":         {"<h1>Bees in winter</h1>" + strings.Repeat("<p>And so on and on.", 40) + "<div>2020-07-20</div><div>2020-07-21</div>", ""},
	} {
		page := `<title>Bees in winter, and the wax | Hive</title>` + c.page
		if got := PurifyAt("https://hive.example/bees", []byte(page), "text/html; charset=utf-8").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", name, got, c.want)
		}
	}
}

func TestADayOfPublicationComesBeforeThatOfAnUpdate(t *testing.T) {
	for name, page := range map[string]string{
		"as a theme of Pelican writes it": `<meta property="og:article:published_time" content="2015-01-27T21:43:00+01:00"><meta property="og:article:modified_time" content="2015-05-17"><h1>Bees</h1><p>Updated on May 17, 2015`,
		"as the day of its making":        `<h1>Bees</h1><time itemprop=dateCreated datetime="2015-01-27"></time><p>Updated on May 17, 2015`,
		"next to that of a rebuild":       `<meta property="og:updated_time" content="2016-03-22T14:03:51.000Z"><h1>Bees</h1>` + strings.Repeat("<p>And so on and on.", 40) + "<div class=meta-widget>2015-01-27</div>",
	} {
		if got := Purify([]byte(page), "text/html; charset=utf-8").Date; got != "2015-01-27" {
			t.Errorf("%s: date is %q, want 2015-01-27", name, got)
		}
	}
}

// A span of days is that of an event.
func TestASpanOfDaysIsNotTheDayOfAPage(t *testing.T) {
	for text, want := range map[string]string{
		"01.03.2016 - 23.04.2016 Call for talks":                               "",
		"21 - 22.05.2016 The meeting":                                          "",
		"1 March 2016 – 23 April 2016":                                         "",
		"March 1, 2016–April 23, 2016 in the hall":                             "",
		"01.03.2016 - Ann Writer":                                              "2016-03-01",
		"Tuesday, 1 March 2016 (All day) to Saturday, 23 April 2016 (All day)": "",
		"Date: 1. März 2016 bis 23. April 2016":                                "",
		"1 March 2016 to all keepers":                                          "2016-03-01",
		"1 March 2016, sent to Ann, read on 23 April 2016":                     "2016-03-01",
		"1 March 2016 – last changed by Ann on 23 April 2016":                  "2016-03-01",
		"4.1.0 - 01.03.2016":                                                   "2016-03-01",
		"29.2. - 1.3.2016":                                                     "",
		"Harbour news - 01.03.2016":                                            "2016-03-01",
		"<time datetime=2016-03-02>2 March</time> - 3 May 2016":                "2016-03-02",
	} {
		page := "<title>Ann Keeper</title><h1>Ann Keeper</h1><p>" + text + "</p><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://meeting.example/users/ann/", []byte(page), "text/html").Date; got != want {
			t.Errorf("the day of %q is %q, want %q", text, got, want)
		}
	}
}

// Programs write the moment of publication in UTC, and the day in the URL is the site's.
func TestTheDayInTheURLIsThatOfTheSitesTimeZone(t *testing.T) {
	for path, want := range map[string]string{
		"/2020/07/10/bees/": "2020-07-10",
		"/2020/07/08/bees/": "2020-07-08",
		"/2020/07/12/bees/": "2020-07-09", // not of a time zone
		"/2020/07/bees/":    "2020-07-09",
	} {
		page := "<meta property=article:published_time content='2020-07-09T16:00:00.000Z'><h1>Bees</h1><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://bees.example"+path, []byte(page), "text/html").Date; got != want {
			t.Errorf("%s: the day is %q, want %q", path, got, want)
		}
	}
}

// A time with the offset of its place has the day of that place. The URL may name the day of what the page is about.
func TestTheDayOfATimeWithAnOffsetIsThatOfThePage(t *testing.T) {
	for stamp, want := range map[string]string{
		"2015-10-18T08:00:00+08:00": "2015-10-18",
		"2015-10-18T08:00+0800":     "2015-10-18",
		"2015-10-18 08:00:00 -0500": "2015-10-18",
		"2015-10-18T00:00:00+00:00": "2015-10-17",
		"2015-10-18T00:00:00Z":      "2015-10-17",
		"2015-10-18":                "2015-10-17",
	} {
		for _, form := range [...]string{
			"<meta property=article:published_time content='%s'>",
			`<script type="application/ld+json">{"@type": "BlogPosting", "datePublished": "%s"}</script>`,
		} {
			page := fmt.Sprintf(form, stamp) + "<h1>Numbers of the draw</h1><p>" + prose(1, 1, 9)[0]
			if got := PurifyAt("https://draw.example/draw-15121-2015-10-17.html", []byte(page), "text/html").Date; got != want {
				t.Errorf("%s: the day is %q, want %q", stamp, got, want)
			}
		}
	}
}

func TestAMarkedDayTellsTheOrderOfTheNumbersOfAnother(t *testing.T) {
	for page, want := range map[string]string{
		"<title>Hives | Club</title><h1>Tag Archives : <span>Hives</span></h1><hr><article><header><h2><a href=/lids rel=bookmark>Lids of hives</a></h2><div class=entry-meta>This entry was posted in <a href=/wax>Wax</a> on <a href=/2018/08><time class=entry-date datetime=2018-08-07T13:14:40+02:00>07/08/2018</time></a> by Ann</div></header></article><p>Lids are closed in winter.</p>": "2018-08-07",
		"<title>Hives | Club</title><h1>Tag Archives : <span>Hives</span></h1><hr><article><header><h2><a href=/lids rel=bookmark>Lids of hives</a></h2><div class=entry-meta>This entry was posted in <a href=/wax>Wax</a> on <a href=/2018/08><time class=entry-date datetime=2018-07-08T13:14:40+02:00>07/08/2018</time></a> by Ann</div></header></article><p>Lids are closed in winter.</p>": "2018-07-08",
		"<h1>Hives</h1><p>Written 07/08/2018</p>": "2018-07-08",
	} {
		if got := PurifyAt("https://club.example/lids-of-hives", []byte("<html lang=en-US>"+page), "text/html").Date; got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// The pages of an API name its version, and show what it answers.
func TestADayInAURLOrAListingIsNotThatOfThePage(t *testing.T) {
	for _, c := range []struct{ name, block, want string }{
		{"a version in a path", "<p><b>/2012-04-24/Hives/{hive}</b>", ""},
		{"a path behind a method", "<p>GET /api/2012-04-24/Hives", ""},
		{"a parameter", "<p>/hives?from=2012-04-24", ""},
		{"an answer", "<pre>opened: 2012-04-24 10:15</pre>", ""},
		{"a source", `<div class="highlight">opened on 2012-04-24</div>`, ""},
		{"a byline", "<p>Opened on 2012-04-24", "2012-04-24"},
		{"a day behind a slash", "<p>24/04/2012", "2012-04-24"},
		{"a day behind a slash and a space", "<p>Keepers / 2012-04-24", "2012-04-24"},
	} {
		page := "<title>Hives</title><h1>Hives</h1>" + c.block + "</p><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://example.com/api/hives.html", []byte(page), "text/html").Date; got != c.want {
			t.Errorf("%s: the date is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheDayOfABirthOfAMemberOrOfTheAnswerIsNotThePages(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"a birth", `<p>Born: 19/03/1993</p>`, ""},
		{"a birth in a row of its own", `<table><tr><td>Date de naissance</td><td>19/03/1993</td></tr></table>`, ""},
		{"a birth before its own", `<p>Geboren am 19.03.1993</p><p>6. Mai 2021</p>`, "2021-05-06"},
		{"today", `<p>Hello, guest! :: Today: Wednesday, November 11, 2020</p>`, ""},
		{"today in Chinese", `<p>今天是2020年11月11日</p>`, ""},
		{"a part of a word", `<p>Ann Osborn: 19/03/1993</p>`, "1993-03-19"},
		{"the making of a manual", `<p>Extracted from Hives release 12 as of 2022-08-08.</p>`, ""},
		{"another label", `<p>Painted: 19/03/2003</p>`, "2003-03-19"},
		{"the first day of a member", `<p>Joined: 19/03/2003 Posts: 7</p><p>Posted: 6 May 2021</p>`, "2021-05-06"},
		{"that day below its label", `<dl><dt>Registriert:</dt><dd>19.03.2003</dd></dl>`, ""},
		{"a forum's clock", `<p>It is currently Wed Nov 11, 2020 5:12 pm</p>`, ""},
	} {
		page := "<html lang=en-GB><title>Bees in winter</title><h1>Bees in winter</h1>" + c.page + "<p>" + strings.Join(prose(1, 4, 3), "<p>")
		if got := PurifyAt("http://a.test/winter/bees", []byte(page), "text/html; charset=utf-8").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAListHasNoneOfTheDaysOfWhatItLists(t *testing.T) {
	list := ""
	for i := range 9 {
		list += fmt.Sprintf(`<article><h2><a href="/lids/%[1]d">Lids of the hive number %[1]d</a></h2><span>%[1]d May 2021</span><p>%[2]s</p></article>`, i+1, prose(uint64(i), 1, 2)[0])
	}
	post := `<article><h1>Lids of the hive</h1><span>6 May 2021</span><p>` + strings.Join(prose(1, 6, 3), "<p>") + "</article>"
	for _, c := range []struct{ name, url, page, want string }{
		{"a list", "http://a.test/category/lids/", "<title>Lids</title><h1>Lids</h1>" + list, ""},
		{"a list that declares its day", "http://a.test/category/lids/", "<title>Lids</title><meta property=article:published_time content=2021-05-04><h1>Lids</h1>" + list, "2021-05-04"},
		{"the list of a day", "http://a.test/2021/05/04/", "<title>Lids</title><h1>Lids</h1>" + list, "2021-05-04"},
		{"a first page", "http://a.test/", "<title>Hives</title>" + post, ""},
		{"a post", "http://a.test/lids/1", "<title>Lids of the hive</title>" + post, "2021-05-06"},
	} {
		if v := PurifyAt(c.url, []byte("<html lang=en-GB>"+c.page), "text/html"); v.Date != c.want {
			t.Errorf("%s: the date of the %s is %q, want %q", c.name, v.Type, v.Date, c.want)
		}
	}
}

// A footer may have the day of a decree in it, or that on which all pages were made.
func TestADayThatManyPagesOfASiteHaveIsNoneOfTheirs(t *testing.T) {
	page := func(day string, n int) string {
		return fmt.Sprintf("<title>The hive of name%[1]d</title><body><h1>The hive of name%[1]d</h1><p>%[2]s</p><p>%[3]s</p><div>Archived on %[4]s</div>", n, sentence(n), sentence(n+500), day)
	}
	var h host
	for n := range 60 {
		day := "8 August 2022"
		if n%3 > 0 { // a twentieth of the pages on one day
			day = fmt.Sprintf("%d May 2021", 1+n/3)
		}
		h.meet(page(day, n))
	}
	for day, want := range map[string]string{"8 August 2022": "", "4 May 2021": "2021-05-04", "30 May 2021": "2021-05-30"} {
		v, _ := Reader{Answers: true}.PurifyOn(h.template, "http://a.test/hive/77", []byte(page(day, 77)), "text/html")
		if v.Date != want {
			t.Errorf("the date of a page with %s is %q, want %q", day, v.Date, want)
		}
		if first, _ := (Reader{Answers: true}).PurifyOn(nil, "http://a.test/hive/77", []byte(page(day, 77)), "text/html"); first.Date == "" {
			t.Errorf("without a template the page of %s has no date", day)
		}
	}
}

// Whether many pages have the block of a day is a question to the template.
func TestADateIsReadAgainWhereMorePagesHaveIt(t *testing.T) {
	page := func(day string, n int) string {
		return fmt.Sprintf("<title>The hive of name%[1]d</title><body><h1>The hive of name%[1]d</h1><p>%[2]s</p><div>Archived on the %[3]s in the yard</div>", n, sentence(n), day)
	}
	var h host
	for n := range 60 {
		day := fmt.Sprintf("%d May 20%02d", 1+n%28, 12+n/28)
		if n%8 == 0 {
			day = "9 May 2011"
		}
		h.meet(page(day, n))
	}
	few := h.site.Last()
	for n := range 40 {
		h.meet(page("9 May 2011", n+100))
	}
	many := h.site.Last()
	v, _ := Reader{Answers: true}.PurifyOn(few, "http://a.test/hive/77", []byte(page("9 May 2011", 999)), "text/html")
	follows, _ := v.ReadWith(many)
	if w, _ := PurifyOn(many, "http://a.test/hive/77", []byte(page("9 May 2011", 999)), "text/html"); v.Date != "2011-05-09" || w.Date != "" || follows {
		t.Errorf("the date is %q, and %q with another template; it follows: %v", v.Date, w.Date, follows)
	}
}

func TestADayAfterThePageWasSentIsNotItsDate(t *testing.T) {
	const text = "<h1>Bees in winter</h1><p class=date>Posted on %s</p><p>Nobody saw the bees of the upper field before the second week of March, and the boards were white.</p>"
	sent := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	meta := func(day string) string { return "<meta property=article:published_time content=" + day + ">" }
	for name, c := range map[string]struct{ url, page, want string }{
		"in the metadata":         {"http://a.test/bees", meta("2099-01-01") + fmt.Sprintf(text, "3 May 2020"), "2020-05-03"},
		"and in the text":         {"http://a.test/bees", meta("2099-01-01") + fmt.Sprintf(text, "3 May 2031"), ""},
		"in the URL":              {"http://a.test/2031/05/03/bees", fmt.Sprintf(text, "3 May 2020"), "2020-05-03"},
		"as the day of an update": {"http://a.test/bees", "<meta property=article:modified_time content=2031-05-03><h1>Bees</h1><p>Some text", ""},
		"of an event, whose day and month exchanged are the page's": {"http://a.test/bees", fmt.Sprintf(text, "12/03/2026") + "<p>The fair opens on <time datetime=2026-12-03>3 December</time>.", "2026-03-12"},
		"tomorrow, as it is in the east":                            {"http://a.test/bees", meta("2026-12-01") + fmt.Sprintf(text, "3 May 2020"), "2026-12-01"},
	} {
		v, _ := Reader{Now: sent}.PurifyOn(nil, c.url, []byte("<html lang=en>"+c.page), "text/html")
		if v.Date != c.want {
			t.Errorf("%s: the date is %q, want %q", name, v.Date, c.want)
		}
	}
}

func TestABylineWithADayTellsBothWhereverItStands(t *testing.T) {
	far := ""
	for i := range 40 {
		far += "<h3>" + prose(uint64(i), 1, 2)[0] + "</h3>"
	}
	const by = "<p class=info> By Ann Writer <span class=date>March 25, 2009</span></p>"
	for _, c := range []struct{ name, page, day, author string }{
		{"far from the heading", far + by, "2009-03-25", "Ann Writer"},
		{"in German", far + "<p>Von Ann Writer, 25. März 2009</p>", "2009-03-25", "Ann Writer"},
		{"twice", far + by + far + "<p>By Bo Keeper, May 6, 2024</p>", "", ""},
		{"before other words", far + "<p>By Ann Writer, March 25, 2009, at the hive</p>", "", ""},
		{"without a name", far + "<p>By March 25, 2009</p>", "", ""},
		{"with a word that is not a name", far + "<p>By about March 25, 2009</p>", "", ""},
		{"in a card", far + "<div class=card>" + by + "</div>", "", ""},
	} {
		v := Purify([]byte("<h1>Bees in winter</h1>"+c.page), "text/html; charset=utf-8")
		if v.Date != c.day || v.Author != c.author {
			t.Errorf("%s: date %q, author %q; want %q, %q", c.name, v.Date, v.Author, c.day, c.author)
		}
	}
}

func TestTheDigitsOfAHashAreNotADay(t *testing.T) {
	for end, want := range map[string]string{
		"srn/c/7/2042101ac1f6e7741bfe43f3672e6d7c.html":  "",
		"srn/c/7/ac20210112f6e7741bfe43f3672e6d7c.html":  "",
		"srn/c/7/ac-20210112.html":                       "2021-01-12",
		"t20210112_feedface.html":                        "2021-01-12",
		"20210112abc.html":                               "2021-01-12",
		"2021/01/12/ac20f6e7741bfe43f3672e6d7c20b5.html": "2021-01-12",
	} {
		page := "<h1>Bees in winter</h1><p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://hive.example/"+end, []byte(page), "text/html; charset=utf-8").Date; got != want {
			t.Errorf("the day of %s is %q, want %q", end, got, want)
		}
	}
}

// The names are those of schema.org: datePosted is the day of publication of an offer of work or of a house, validThrough that on which the
// offer ends.
func TestAnOfferHasTheDayOnWhichItWasPostedAndNotThatOnWhichItEnds(t *testing.T) {
	const text = "<h1>A keeper of bees</h1><p>The hives of the harbour, Havn</p><p>Answers until <b>16 August 2026</b></p>"
	offer := func(days string) string {
		return `<script type="application/ld+json">{"@type":"JobPosting","title":"A keeper of bees",` + days + `}</script>`
	}
	for _, c := range []struct{ name, page, want string }{
		{"posted", offer(`"datePosted":"2026-07-31","validThrough":"2026-08-16"`) + text, "2026-07-31"},
		{"posted, in microdata", text + `<meta itemprop=datePosted content=2026-07-31>`, "2026-07-31"},
		{"an end alone", offer(`"validThrough":"2026-08-16T23:59"`) + text, ""},
		{"an end, and a day in the text", offer(`"validThrough":"2026-08-16"`) + text + "<p>31 July 2026", "2026-07-31"},
		{"a day alone", text, "2026-08-16"},
		{"an event that starts then", `<script type="application/ld+json">{"@type":"Event","startDate":"2026-08-16T10:00","endDate":"2026-08-17"}</script>` + text, ""},
	} {
		page := c.page + "<p>" + prose(1, 1, 9)[0]
		if got := PurifyAt("https://hive.example/work/keeper", []byte(page), "text/html").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", c.name, got, c.want)
		}
	}
}

func TestADeadlineIsNotTheDayOfAPage(t *testing.T) {
	for text, want := range map[string]string{
		"<p>Deadline: 16 August 2026":                              "",
		"<div>Closing date</div><div>16 August 2026</div>":         "",
		"<p><b>आवेदन की अंतिम तिथि:</b> 16 अगस्त 2026":             "",
		"<p>Fecha límite: 16 de agosto de 2026":                    "",
		"<p>报名截止日期：2026年8月16日":                                     "",
		"<p>31 July 2026</p><p>Apply by 16 August 2026":            "2026-07-31",
		"<p>Deadline: 16 August 2026</p><p>Posted on 31 July 2026": "2026-07-31",
		"<p>Deadlines and bees, 16 August 2026":                    "2026-08-16",
	} {
		page := "<h1>A keeper of bees</h1>" + text + "</p><p>" + prose(1, 1, 9)[0]
		if got := Purify([]byte(page), "text/html; charset=utf-8").Date; got != want {
			t.Errorf("%s: date is %q, want %q", text, got, want)
		}
	}
}
