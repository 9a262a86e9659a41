package gatecrawl_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// The parts of frames that have other words on each page.
const (
	varyRecent     = 1 << iota // five links to other pages in a column
	varyNeighbours             // links to the twelve pages before and after this one
	varyCounter                // a line with the number of visitors
	varyCards                  // three other pages below the text, with their first lines

	varyAll = 1<<iota - 1
)

// A varyingPage is a page that five sites have, each in its own frame.
type varyingPage struct {
	path, title string
	texts       [5][]string // paragraphs; most pages have the same on all sites
	items       [5][]string // titles of what a list has, which are others on each site
	is          [5]string   // names what the page says: equal names are equal pages
}

// varyingPages makes short pages. In one of ten two sites have another text under the same title, and one of ten is a list
// below one sentence (from 100 words or characters on no links are compared), with other items on each site.
func varyingPages(c *corpus.Corpus, seed uint64, n int) []varyingPage {
	rng := corpus.RNG(seed)
	say := func(topic, sentences int) string {
		var out []byte
		for range sentences {
			h := rng.Uint64()
			f := c.Facts(h)
			out = append(c.Sentences[topic][h%corpus.PoolSize].Append(out, &f, h, nil), ' ')
		}
		return strings.TrimSpace(string(out))
	}
	pages := make([]varyingPage, n)
	for i := range pages {
		p, topic := &pages[i], rng.IntN(len(c.Sentences))
		h := rng.Uint64()
		f := c.Facts(h)
		p.path, p.title = fmt.Sprintf("/p%d.html", i), string(c.Titles[topic][h%corpus.SmallPoolSize].Append(nil, &f, h, nil))
		text := []string{say(topic, 3)}
		if i%3 == 0 {
			text = append(text, say(topic, 3))
		}
		intro, other := []string{say(topic, 1)}, []string{say(topic, 3), say(topic, 3)}
		for site := range p.texts {
			p.texts[site], p.is[site] = text, p.path
			switch {
			case i%10 == 3 && site > 2:
				p.texts[site], p.is[site] = other, p.path+" other"
			case i%10 == 7:
				p.texts[site], p.is[site] = intro, fmt.Sprint(p.path, " list ", site)
				for range 24 {
					h := rng.Uint64()
					f := c.Facts(h)
					p.items[site] = append(p.items[site], string(c.Titles[topic][h%corpus.SmallPoolSize].Append(nil, &f, h, nil)))
				}
			}
		}
	}
	return pages
}

// varyingSite serves the pages in one of five frames, with the parts that vary, and a notice on all pages. What does not vary shows what the
// first page has.
func varyingSite(pages []varyingPage, site, vary int, lang string) servedSite {
	h := servedSite{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := slices.IndexFunc(pages, func(p varyingPage) bool { return p.path == r.URL.Path })
		if i < 0 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=%q><head><title>%s</title></head><body>%s</body></html>", lang, html.EscapeString(pages[i].title), framed(pages, i, site, vary))
	})}
	for _, p := range pages {
		h.seeds = append(h.seeds, p.path)
	}
	return h
}

// framed is the page numbered i in a site's frame.
func framed(pages []varyingPage, i, site, vary int) string {
	p, rng, at := &pages[i], corpus.RNG(uint64(i*5+site)), func(part int) int {
		if vary&part == 0 {
			return 0
		}
		return i
	}
	link := func(k int) string {
		return fmt.Sprintf("<a href=%q>%s</a>", pages[k].path, html.EscapeString(pages[k].title))
	}
	some := func(part, n int) (list []int) {
		for k := range n {
			if at(part) > 0 {
				k = rng.IntN(len(pages))
			}
			list = append(list, k)
		}
		return list
	}
	own := func(open, shut string) string {
		var b strings.Builder
		for _, says := range p.texts[site] {
			b.WriteString(open + html.EscapeString(says) + shut + "\n")
		}
		if len(p.items[site]) > 0 {
			b.WriteString("<ul>")
			for k, says := range p.items[site] {
				fmt.Fprintf(&b, "<li><a href=\"/item%d-%d-%d.html\">%s</a></li>", site, i, k, html.EscapeString(says))
			}
			b.WriteString("</ul>")
		}
		return b.String()
	}
	title, next := html.EscapeString(p.title), pages[(i+1)%len(pages)].path
	var b strings.Builder
	switch site {
	case 0:
		fmt.Fprintf(&b, "<header><p class=note>Help us to keep these pages: each coin pays for a day of the server.</p><h2><a href=\"/\">The Coast Paper</a></h2></header><main><article><h1>%s</h1><div class=post>%s</div></article></main><aside class=new><h3>New pages</h3><ul>", title, own("<p>", "</p>"))
		for _, k := range some(varyRecent, 5) {
			b.WriteString("<li>" + link(k) + "</li>")
		}
		b.WriteString("</ul></aside><footer>Made by hand. All rights are with The Coast Paper.</footer>")
	case 1:
		b.WriteString("<div class=alert>This is a mirror for readers without a fast line.</div><div class=toc><ul>")
		mid := max(12, at(varyNeighbours))
		for k := mid - 12; k < min(len(pages), mid+12); k++ {
			b.WriteString("<li>" + link(k) + "</li>")
		}
		fmt.Fprintf(&b, "</ul></div><div role=main><section><h1>%s</h1>%s</section></div><div class=foot>Written with the harbour's own program. <a href=%q>next</a></div>", title, own("<p>", "</p>"), next)
	case 2:
		fmt.Fprintf(&b, "<table width=100%%><tr><td colspan=2><font size=6>Old Tables</font> Closed from 24 December until 2 January.</td></tr><tr><td width=150><a href=/a>Products</a><br><a href=/b>Press</a><br><a href=/c>Jobs</a></td><td><b>%s</b><br><br>%s[<a href=%q>Forward</a>]</td></tr><tr><td colspan=2><small>Old Tables, 12 Long Road. Write to the keeper of the pages. You are visitor number %d of this page.</small></td></tr></table>",
			title, own("", "<br><br>"), next, 100_000+13*at(varyCounter))
	case 3:
		fmt.Fprintf(&b, "<nav class=bar><a href=\"/\">Grid and Sons</a> <a href=/team>Team</a></nav><div class=wide><p>We use cookies to make this site better for you.</p><div class=text><h2>%s</h2>%s</div><h4>You may also like</h4><div class=cards>", title, own("<p>", "</p>"))
		for _, k := range some(varyCards, 3) {
			says := []rune(pages[k].texts[site][0])
			fmt.Fprintf(&b, "<div class=card><h5>%s</h5><p>%s…</p></div>", link(k), html.EscapeString(string(says[:min(90, len(says))])))
		}
		b.WriteString("</div></div><div class=end>Grid and Sons, privacy and terms</div>")
	default:
		fmt.Fprintf(&b, "<div>Best seen on a telephone. Tap here for the full site.</div><div><b>%s</b></div>%s<div><a href=%q>next page</a></div>", title, own("<div>", "</div>"), next)
	}
	return b.String()
}

// TestEqualPagesInVaryingFrames crawls short pages that five sites have in five frames, in ten orders of arrival. Parts of the frames
// have other words on each page: teasers, neighbours, a number of visitors. Of equal pages one is kept.
//
//	go test -run TestEqualPagesInVaryingFrames -v .
//	GATECRAWL_SEED=7 GATECRAWL_WRONG=all ...   other pages and orders; all that is wrong
func TestEqualPagesInVaryingFrames(t *testing.T) {
	slow.Test(t, "crawls 6,000 pages")
	seed := uint64(env.Number(t, "GATECRAWL_SEED", 1))
	for _, c := range []struct {
		name   string
		vary   int
		orders int
		least  float64 // share of the equal pages to be found
	}{{"nothing varies", 0, 2, 1}, {"recent pages", varyRecent, 2, .97}, {"neighbours", varyNeighbours, 2, .97}, {"counter", varyCounter, 2, .97}, {"cards", varyCards, 2, .95}, {"all", varyAll, 10, .96}} {
		equal, found, wrong := 0, 0, 0
		for order := range uint64(c.orders) {
			e, f, w := crawlVarying(t, c.name, seed+order, c.vary, order%2 == 0)
			equal, found, wrong = equal+e, found+f, wrong+w
		}
		t.Logf("%s: %d of %d equal pages found (%.4f), %d wrong", c.name, found, equal, float64(found)/float64(equal), wrong)
		if float64(found) < c.least*float64(equal) {
			t.Errorf("%s: %d of %d equal pages found, want %g of them", c.name, found, equal, c.least)
		}
		if wrong > 0 {
			t.Errorf("%s: %d pages are discarded for another page", c.name, wrong)
		}
	}
}

// crawlVarying makes and crawls the pages of one seed, and counts the equal pages beyond the first of each, how many of these are
// discarded, and how many pages are for a page that says something else.
func crawlVarying(t *testing.T, name string, seed uint64, vary int, english bool) (equal, found, wrong int) {
	t.Helper()
	c, lang := corpus.Chinese(seed), "zh"
	if english {
		c, lang = corpus.English(seed), "en"
	}
	pages := varyingPages(c, seed, 75)
	var sites []servedSite
	for site := range 5 {
		sites = append(sites, varyingSite(pages, site, vary, lang))
	}
	says := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(pages, func(p varyingPage) bool { return p.path == u.Path })
		return pages[i].is[int(u.Hostname()[len("127.61.")]-'1')]
	}
	met := make(map[string]bool)
	for _, r := range crawlHandlers(t, crawlOrder{seed: seed, mirrors: mirror.ModeOff, templates: true}, sites...) {
		if !r.Document() {
			continue
		}
		is := says(r.URL)
		copied := r.Verdict == page.VerdictCopy
		if copied && says(r.Of) != is {
			wrong++
			t.Logf("%s, order %d: wrong: %s of %s: %s", name, seed, r.URL, r.Of, is)
		}
		if met[is] {
			if equal++; copied {
				found++
			} else if envIs("GATECRAWL_WRONG", "all") {
				t.Logf("%s, order %d: missed: %s", name, seed, r.URL)
			}
		}
		met[is] = true
	}
	return equal, found, wrong
}
