package testserver

import (
	"fmt"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// The month that sites link to, and the years for whose months the calendar has pages.
const (
	calendarYear, calendarMonth = 2026, 3
	calendarFirst, calendarLast = 1000, 9999
)

func calendarPath(year, month int) string { return fmt.Sprintf("/calendar/%04d/%02d", year, month) }

// calendarPage makes the page of one month, or returns nil for another path.
func (s *site) calendarPage(path string) *page {
	rest, ok := strings.CutPrefix(path, "/calendar/")
	if !ok || !s.calendar || len(rest) != len("2026/03") || rest[4] != '/' {
		return nil
	}
	year, errYear := strconv.Atoi(rest[:4])
	month, errMonth := strconv.Atoi(rest[5:])
	if errYear != nil || errMonth != nil || year < calendarFirst || year > calendarLast || month < 1 || month > 12 {
		return nil
	}
	n := year*12 + month - 1
	seed := corpus.Mix(s.seed^0xca1e, uint64(n))
	title := s.corpus.Labels.Calendar + " " + s.corpus.Months[month-1] + " " + strconv.Itoa(year)
	if s.corpus.Chinese {
		title = strconv.Itoa(year) + "年" + s.corpus.Months[month-1] + "月" + s.corpus.Labels.Calendar
	}
	t := &corpus.Text{Corpus: s.corpus, Title: title, Seed: seed, Frame: seed, Length: 24, Topic: n % len(s.corpus.Topics), Day: (year-1970)*365 + month*30}
	t.Origin = t
	return &page{path: path, href: path[1:], site: s, kind: score.KindTrap, text: t, seed: seed, depth: 2, place: n, status: 200}
}

// appendTurns appends the links to the months before and after.
func appendTurns(dst []byte, p *page, s *skin.Skin) []byte {
	l := p.site.corpus.Labels
	for _, turn := range []struct {
		to    int
		label string
	}{{p.place - 1, l.Newer}, {p.place + 1, l.Older}} {
		if year := turn.to / 12; year >= calendarFirst && year <= calendarLast {
			dst = appendLink(dst, s.Turn, s.Up[p.depth], calendarPath(year, turn.to%12+1)[1:], turn.label)
		}
	}
	return dst
}

// addFaults adds redirects, a chain of two, a loop, dead links and slow pages.
// The page /elsewhere.html links to all of them.
func (s *site) addFaults(d *corpus.RNG) {
	var articles []*page
	for _, c := range s.sections {
		if c.corpus != nil && !c.library {
			articles = append(articles, c.items...)
		}
	}
	if len(articles) == 0 {
		return
	}
	redirect := func(path string, status int, target string) {
		s.add(&page{path: path, kind: score.KindRedirect, title: path[1:], status: status, target: target})
	}
	redirect("/old/story-1.html", 301, corpus.Pick(articles, d.Uint64()).path)
	redirect("/old/story-2.html", 302, corpus.Pick(articles, d.Uint64()).path)
	redirect("/old/chain-1.html", 301, "/old/chain-2.html")
	redirect("/old/chain-2.html", 302, corpus.Pick(articles, d.Uint64()).path)
	redirect("/old/loop-1.html", 302, "/old/loop-2.html")
	redirect("/old/loop-2.html", 302, "/old/loop-1.html")
	s.add(&page{path: "/old/missing.html", kind: score.KindDead, title: "old/missing.html", status: 404})
	s.add(&page{path: "/old/gone.html", kind: score.KindDead, title: "old/gone.html", status: 410})
	for range 2 {
		corpus.Pick(articles, d.Uint64()).kind = score.KindSlow
	}
}

// elsewhere returns the links of the page of old URLs.
func (s *site) elsewhere() []*page {
	var to []*page
	for _, p := range s.pages {
		switch {
		case p.kind == score.KindRedirect && p.path != "/old/chain-2.html" && p.path != "/old/loop-2.html",
			p.kind == score.KindDead && strings.HasPrefix(p.path, "/old/"),
			p.kind == score.KindForbidden && p.copyOf != nil:
			to = append(to, p)
		}
	}
	return to
}

// robots returns the site's robots.txt.
func (w *Web) robots(s *site) string {
	var b strings.Builder
	b.WriteString("# " + s.name + "\nUser-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /*?print=\n")
	from := s
	if s.mirrorOf != nil {
		from = s.mirrorOf
	}
	if from.crawlDelay {
		fmt.Fprintf(&b, "Crawl-delay: %s\n", strconv.FormatFloat(w.o.CrawlDelay.Seconds(), 'f', -1, 64))
	}
	b.WriteString("\nUser-agent: greedybot\nDisallow: /\n\nSitemap: http://" + s.addr + "/sitemap.xml\n")
	return b.String()
}

// perSitemap is the number of URLs in one sitemap file; the protocol allows
// 50,000.
const perSitemap = 1000

// sitemap returns the sitemap index, or with n > 0 its n-th file, or "" if there is none. Redirects, dead links and forbidden pages are not in it.
func (w *Web) sitemap(s *site, n int) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	var docs []*page
	for _, p := range s.pages {
		if p.document() {
			docs = append(docs, p)
		}
	}
	if n == 0 {
		b.WriteString("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
		for i := 1; (i-1)*perSitemap < len(docs); i++ {
			fmt.Fprintf(&b, "<sitemap><loc>http://%s/sitemap-%d.xml</loc></sitemap>\n", s.addr, i)
		}
		b.WriteString("</sitemapindex>\n")
		return b.String()
	}
	if n < 0 || (n-1)*perSitemap >= len(docs) {
		return ""
	}
	b.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range docs[(n-1)*perSitemap : min(n*perSitemap, len(docs))] {
		b.WriteString("<url><loc>http://" + s.addr + strings.ReplaceAll(p.path, "&", "&amp;") + "</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	return b.String()
}
