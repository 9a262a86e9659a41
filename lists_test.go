package gatecrawl_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// urlset is a sitemap of paths of the world.
func (w *world) urlset(paths ...string) string {
	var b strings.Builder
	b.WriteString("<?xml version='1.0' encoding='UTF-8'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "<url><loc>%s%s</loc></url>\n", w.srv.URL, p)
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

func TestASitemapIsASourceOfLinksAsDeepAsItself(t *testing.T) {
	w := newWorld(t)
	w.sco.MaxDepth = 0
	w.text("/sitemap.xml", "text/xml", fmt.Sprintf("<sitemapindex><sitemap><loc>%s/part.xml.gz</loc></sitemap><sitemap><loc>/more</loc></sitemap></sitemapindex>", w.srv.URL))
	w.mux.HandleFunc("GET /part.xml.gz", func(rw http.ResponseWriter, r *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, w.urlset("/1", "/2"))
		z.Close()
		rw.Header().Set("Content-Type", "application/x-gzip")
		rw.Write(b.Bytes())
	})
	w.text("/more", "text/html", w.urlset("/3")+"<url><loc") // a wrong type, and the end is missing
	for _, p := range []string{"/1", "/2", "/3"} {
		w.page(p, "<p>page "+p+`</p><a href="/linked">more</a>`)
	}
	pages, _ := w.crawl(t.Context(), "/sitemap.xml")
	for path, reason := range map[string]string{
		"/sitemap.xml": "sitemap-index of 2 URLs",
		"/part.xml.gz": "sitemap of 2 URLs",
		"/more":        "sitemap of 1 URL; line 5: invalid XML: unexpected EOF",
	} {
		if p := pages[path]; p.Verdict != page.VerdictRefused || p.Rule != "sitemap" || p.Reason != reason {
			t.Errorf("%s is %s by rule %q: %q, want %q", path, p.Verdict, p.Rule, p.Reason, reason)
		}
	}
	for _, path := range []string{"/1", "/2", "/3"} {
		if p := pages[path]; p.Verdict != page.VerdictNew || p.Depth != 0 {
			t.Errorf("%s is %s at depth %d", path, p.Verdict, p.Depth)
		}
	}
	if _, ok := pages["/linked"]; ok {
		t.Error("a link of a listed page was followed at depth 0")
	}
}

func TestATextOfAddressesIsASitemap(t *testing.T) {
	w := newWorld(t)
	w.sco.MaxDepth = 0
	w.text("/sitemap.txt", "text/plain", w.srv.URL+"/1\r\n\r\n"+w.srv.URL+"/2\r\n"+w.srv.URL+"/3")
	w.text("/1", "text/plain", "one of the pages that the list has")
	w.text("/2", "text/plain", w.srv.URL+"/3 is an address and more")
	w.text("/3", "text/csv", w.srv.URL+"/4,a-name\n"+w.srv.URL+"/5,another\n")
	pages, _ := w.crawl(t.Context(), "/sitemap.txt")
	if p := pages["/sitemap.txt"]; p.Rule != "sitemap" || p.Reason != "sitemap-text of 3 URLs" {
		t.Errorf("the list is %s by rule %q: %q", p.Verdict, p.Rule, p.Reason)
	}
	for _, path := range []string{"/1", "/2", "/3"} {
		if p := pages[path]; p.Verdict != page.VerdictNew {
			t.Errorf("%s is %s", path, p.Verdict)
		}
	}
}

func TestSitemapsThatListEachOtherEnd(t *testing.T) {
	w := newWorld(t)
	w.o.MaxRedirects = 5
	w.mux.HandleFunc("GET /s/{n}", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(rw, w.urlset(r.URL.Path+"1"))
	})
	pages, ended := w.crawl(t.Context(), "/s/1")
	if n := len(w.asked()); ended != gatecrawl.Done || n != w.o.MaxRedirects+1 {
		t.Errorf("%s after %d sitemaps, %d records", ended, n, len(pages))
	}
}

func TestSitemapsOfRobotsAreTakenWhereTheSettingSaysSo(t *testing.T) {
	for _, on := range []bool{false, true} {
		w := newWorld(t)
		w.o.Sitemaps = on
		w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /closed\n\nSitemap: /map.xml\nSitemap: http://192.0.2.1/other.xml\n")
		w.o.LoopbackOnly = true
		w.text("/map.xml", "application/xml", w.urlset("/alone", "/closed"))
		w.page("/", "<p>home</p>")
		w.page("/alone", "<p>nobody links here</p>")
		pages, _ := w.crawl(t.Context(), "/")
		if _, found := pages["/alone"]; found != on {
			t.Errorf("sitemaps %v: the page that only a sitemap names is found: %v", on, found)
		}
		if p := pages["/closed"]; on && p.Rule != "robots" {
			t.Errorf("the listed page that robots.txt closes is %+v", p)
		}
	}
}

func TestSitemapsOfRobotsThatAreNotReadAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		on    bool
		seeds []string
		want  int64
	}{
		"off":               {false, []string{"/"}, 2},
		"on":                {true, []string{"/"}, 0},
		"one is the seed":   {false, []string{"/", "/map.xml"}, 1},
		"both are the seed": {false, []string{"/map.xml", "/more.xml"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.o.Sitemaps = c.on
			w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow:\n\nSitemap: /map.xml\nSitemap: /more.xml\nSitemap: /map.xml\n")
			w.text("/map.xml", "application/xml", w.urlset("/1"))
			w.text("/more.xml", "application/xml", w.urlset("/2"))
			for _, p := range []string{"/", "/1", "/2"} {
				w.page(p, "<p>page "+p+"</p>")
			}
			w.crawl(t.Context(), c.seeds...)
			st, err := w.store.Status(t.Context())
			if err != nil || int64(len(st.Unread)) != c.want || c.want == 1 && st.Unread[0] != w.srv.URL+"/more.xml" {
				t.Errorf("Status = %v, %v; want %d sitemaps that were not read", st.Unread, err, c.want)
			}
			switch got := w.tally.Sitemaps; {
			case got == nil:
				if c.want != 0 {
					t.Errorf("none is told as not read, want %d", c.want)
				}
			case got.Count != c.want || c.want == 1 && got.URL != w.srv.URL+"/more.xml":
				t.Errorf("not read: %d, the first %s; want %d", got.Count, got.URL, c.want)
			}
		})
	}
}

func TestASitemapOfRobotsIsReadWhereItIsRedirectedTo(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	w.o.Sitemaps = true
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow:\n\nSitemap: /map.xml\nSitemap: /missing.xml\n")
	w.mux.Handle("GET /map.xml", http.RedirectHandler(other.srv.URL+"/map.xml", http.StatusFound))
	w.mux.Handle("GET /missing.xml", http.RedirectHandler(other.srv.URL+"/home", http.StatusFound))
	other.text("/map.xml", "application/xml", w.urlset("/alone")+other.urlset("/home"))
	other.page("/home", prose(1)+`<a href="/more">more</a>`)
	other.page("/more", prose(2))
	w.page("/", "<p>home</p>")
	w.page("/alone", "<p>nobody links here</p>")
	pages, _ := w.crawl(t.Context(), "/")
	if p := pages["/alone"]; p.Verdict != page.VerdictNew {
		t.Errorf("the page that only the sitemap names is %+v", p)
	}
	if p := pages[other.srv.URL+"/home"]; p.Rule != "scope:host" {
		t.Errorf("the page of the other host is %s by rule %q", p.Verdict, p.Rule)
	}
	if got := other.asked(); slices.Contains(got, "/more") {
		t.Errorf("the other host was asked for %v", got)
	}
}

func TestASitemapWithTooManyAddressesIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.MaxPages = 1
	paths := make([]string, 50_001)
	for i := range paths {
		paths[i] = fmt.Sprint("/", i)
	}
	w.text("/sitemap.xml", "application/xml", w.urlset(paths...))
	pages, _ := w.crawl(t.Context(), "/sitemap.xml")
	if p := pages["/sitemap.xml"]; p.Links != 50_000 || !strings.Contains(p.Reason, "more than 50000") {
		t.Errorf("%d links: %s", p.Links, p.Reason)
	}
}

func TestListingsAreToldByTheirFirstElement(t *testing.T) {
	t.Parallel()
	const (
		sitemap = `<urlset><url><loc>/listed</loc></url></urlset>`
		feed    = `<rss version="2.0"><channel><title>News</title><item><title>One</title><link>/listed</link></item></channel></rss>`
		page    = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Page</title></head><body><a href="/listed">urlset, rss</a></body></html>`
		prolog  = "<?xml version=\"1.0\"?>\n"
	)
	zipped := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, s)
		z.Close()
		return b.String()
	}
	for name, c := range map[string]struct{ contentType, body, rule, title string }{
		"sitemap":                   {"text/xml", prolog + sitemap, "sitemap", ""},
		"sitemap as HTML":           {"text/html", sitemap, "sitemap", ""},
		"sitemap as XHTML":          {"application/xhtml+xml", sitemap, "sitemap", ""},
		"sitemap in a file":         {"application/gzip", zipped(sitemap), "sitemap", ""},
		"sitemap in a file as HTML": {"text/html", zipped(prolog + sitemap), "sitemap", ""},
		"feed":                      {"application/rss+xml", feed, "", "News"},
		"feed as HTML":              {"text/html", "\ufeff " + feed, "", "News"},
		"feed as XHTML":             {"application/xhtml+xml", prolog + feed, "", "News"},
		"feed in a file":            {"application/gzip", zipped(feed), "", ""},
		"page":                      {"text/html", "<!-- rss -->" + page, "", "Page"},
		"page as XHTML":             {"application/xhtml+xml", prolog + "<!DOCTYPE html>" + page, "", "Page"},
		"page as XML":               {"application/xml", prolog + page, "", "Page"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.text("/1", c.contentType, c.body)
			w.page("/listed", prose(1))
			pages, _ := w.crawl(t.Context(), "/1")
			if p := pages["/1"]; p.Rule != c.rule || p.Title != c.title {
				t.Errorf("it is %s by rule %q, with the title %q; want rule %q and title %q", p.Verdict, p.Rule, p.Title, c.rule, c.title)
			}
			if _, ok := pages["/listed"]; ok == (name == "feed in a file") {
				t.Errorf("its link was followed: %v", ok)
			}
		})
	}
}

// A blog has a feed of comments for each post, most of them without any.
func TestAFeedWithoutEntriesIsNoDocumentUntilItHasOne(t *testing.T) {
	w := newWorld(t)
	entry := ""
	w.mux.HandleFunc("GET /bees/feed", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html") // as a mirror of the site sends it
		fmt.Fprintf(rw, `<?xml version="1.0"?><rss version="2.0"><channel><title>Comments on: Bees</title><link>%s/bees</link>%s</channel></rss>`, w.srv.URL, entry)
	})
	w.page("/bees", prose(1)+`<a href="/bees/feed">Comments</a>`)
	pages, _ := w.crawl(t.Context(), "/bees")
	if p := pages["/bees/feed"]; p.Verdict != page.VerdictRefused || p.Rule != "feed" || p.Reason != "a feed without entries" || p.Title != "Comments on: Bees" || !p.List() {
		t.Errorf("a feed without entries is %s by rule %q: %q, title %q", p.Verdict, p.Rule, p.Reason, p.Title)
	}
	entry = `<item><title>By Ann</title><description>They sleep in winter.</description></item>`
	if n := w.rerun(); n.New != 1 {
		t.Errorf("when it has an entry %d documents are new, want the feed", n.New)
	}
}

func TestTheBaseOfAFeedIsHeeded(t *testing.T) {
	w := newWorld(t)
	w.text("/feed", "application/atom+xml", `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><entry><title>one</title><link href="1"/></entry></feed>`)
	w.page("/blog/1", prose(1))
	if pages, _ := w.crawl(t.Context(), "/feed"); pages["/blog/1"].Verdict != page.VerdictNew {
		t.Errorf("the item of the feed is not there: %+v", pages)
	}
}
