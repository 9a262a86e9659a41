package purify

import "testing"

func TestFindDay(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "Published on May 6, 2024 by Ann", "2024-05-06"},
		{"en", "6th of May 2024", "2024-05-06"},
		{"en", "Mon, 06 Dec 2021 10:00", "2021-12-06"},
		{"en", "Updated Sept. 9, 2023", "2023-09-09"},
		{"en", "January 14 2026", "2026-01-14"},
		{"", "2024-05-06T10:00:00Z", "2024-05-06"},
		{"", "posted 2024/5/6 12:30", "2024-05-06"},

		// Dots: the day first, whatever the language.
		{"", "03.11.2021", "2021-11-03"},
		{"de", "Stand: 3.11.2021, 10:15 Uhr", "2021-11-03"},
		{"en-US", "03.11.2021", "2021-11-03"},
		{"cs", "3. 11. 2021", "2021-11-03"},
		{"en", "03.16.2024", "2024-03-16"},

		// Slashes and dashes: the day first but in the language of the United States.
		{"en-US", "5/6/2024", "2024-05-06"},
		{"en-us", "5/16/2024", "2024-05-16"},
		{"en-US", "16/5/2024", "2024-05-16"},
		{"en-GB", "5/6/2024", "2024-06-05"},
		{"fr", "le 05/06/2024 à 10h", "2024-06-05"},
		{"", "5/6/2024", "2024-06-05"},
		{"en-GB", "5/16/2024", "2024-05-16"},
		{"en", "02-12-2025", "2025-12-02"},

		// Months by name.
		{"de", "13. Januar 2014", "2014-01-13"},
		{"de", "Donnerstag, 6. März 2014", "2014-03-06"},
		{"de", "13. Jänner 2014", "2014-01-13"},
		{"fr", "Publié le 1er août 2019 à 10:00", "2019-08-01"},
		{"fr", "12 févr. 2020", "2020-02-12"},
		{"es", "13 de enero de 2014", "2014-01-13"},
		{"es", "Sábado, 3 de septiembre del 2016", "2016-09-03"},
		{"it", "13 gennaio 2014", "2014-01-13"},
		{"it", "1º maggio 2014", "2014-05-01"},
		{"pt", "13 de janeiro de 2014", "2014-01-13"},
		{"pt", "7 out 2018", "2018-10-07"},
		{"nl", "13 maart 2014", "2014-03-13"},
		{"sv", "den 13 oktober 2014", "2014-10-13"},
		{"da", "13. maj 2014", "2014-05-13"},
		{"fi", "13. tammikuuta 2014", "2014-01-13"},
		{"pl", "13 stycznia 2014", "2014-01-13"},
		{"pl", "1 WRZEŚNIA 2014", "2014-09-01"},
		{"cs", "13. září 2014", "2014-09-13"},
		{"hu", "2014. január 13.", "2014-01-13"},
		{"ro", "13 ianuarie 2014", "2014-01-13"},
		{"tr", "13 Ağustos 2014", "2014-08-13"},
		{"id", "13 Agustus 2014", "2014-08-13"},
		{"ru", "13 января 2014 г.", "2014-01-13"},
		{"uk", "13 січня 2014 року", "2014-01-13"},
		{"el", "13 Ιανουαρίου 2014", "2014-01-13"},
		{"ar", "13 يناير 2014", "2014-01-13"},
		{"hi", "13 जनवरी 2014", "2014-01-13"},
		{"zh", "发布时间：2024年5月6日 10:00", "2024-05-06"},
		{"ja", "2024 年 5 月 6 日（月）", "2024-05-06"},
		{"ko", "2024년 5월 6일", "2024-05-06"},
		{"ko", "등록 2024. 5. 6. 오전", "2024-05-06"},

		{"en-US", "May 2024", ""},
		{"en-US", "call 555 2024 5566", ""},
		{"en-US", "In May we saw 30 of them in 2024", ""},
		{"", "2024-13-45", ""},
		{"", "31.02.2024", ""},
		{"", "version 1.2.3.2024", ""},
		{"", "10.0.2024", ""},
		{"en", "May 6 and 7, 2024", ""},
		{"", "", ""},
	} {
		if got, _ := findDay([]byte(c.text), c.lang); got != c.want {
			t.Errorf("findDay(%q, %q) = %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

func TestADateIsFoundWhereItsClassSaysSo(t *testing.T) {
	far := ""
	for i := range 40 {
		far += "<p>" + prose(uint64(i), 1, 2)[0] + "</p>"
	}
	for _, c := range []struct{ name, page, want string }{
		{"in a class far from the heading", far + `<div class="story-date"><span>May 31, 2023</span></div>`, "2023-05-31"},
		{"in a line of an English label", far + `<p class="posted-on">Posted on 3 June 2022`, "2022-06-03"},
		{"in the teaser of another page", far + `<div class="related card"><span class=date>May 31, 2023</span></div>`, ""},
		{"in no class", far + `<div>May 31, 2023</div>`, ""},
		{"in microdata", far + `<span itemprop="datePublished" content="2021-04-03T10:00">yesterday</span>`, "2021-04-03"},
		{"of an update alone", `<p>Zuletzt aktualisiert am 4. Mai 2021`, "2021-05-04"},
		{"of an update before its own", `<p>Mis à jour le 4 mai 2021</p><p>1 avril 2021`, "2021-04-01"},
		{"by the language of the page", `<p>04/05/2021`, "2021-05-04"},
	} {
		if got := Purify([]byte("<html lang=fr><h1>Bees in winter</h1>"+c.page), "text/html; charset=utf-8").Date; got != c.want {
			t.Errorf("%s: date is %q, want %q", c.name, got, c.want)
		}
	}
}
