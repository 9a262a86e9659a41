package gatecrawl_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
)

// TestARecrawlFetchesNewEntriesOfFeedsAndSitemapsFirst crawls a site again whose feed and
// sitemap name a page each that nothing else links to.
func TestARecrawlFetchesNewEntriesOfFeedsAndSitemapsFirst(t *testing.T) {
	t.Parallel()
	const pages = 30
	w := newWorld(t)
	w.o.Workers, w.o.Soft404 = 1, false
	var feed, listed []string // paths, newest last
	front := `<a href="/feed.xml">feed</a> <a href="/sitemap.xml">sitemap</a> `
	for n := range pages {
		w.page(pathOf(n), "<p>"+prose(n+1)+"</p>")
		front += fmt.Sprintf(`<a href="%s">%d</a> `, pathOf(n), n)
	}
	w.page("/", "<p>"+prose(1000)+"</p>"+front)
	feed, listed = []string{pathOf(0)}, []string{pathOf(1)}
	list := func(path, contentType, format, item string, of *[]string) {
		w.mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", contentType)
			var items strings.Builder
			for _, p := range *of {
				fmt.Fprintf(&items, item, w.srv.URL+p)
			}
			fmt.Fprintf(rw, format, items.String())
		})
	}
	list("/feed.xml", "application/rss+xml", `<rss version="2.0"><channel><title>News</title>%s</channel></rss>`,
		"<item><title>One</title><link>%s</link><description>It says something that is new today.</description></item>", &feed)
	list("/sitemap.xml", "application/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>`,
		"<url><loc>%s</loc></url>", &listed)
	w.crawl(t.Context(), "/")

	for _, path := range []string{"/new/in-feed", "/new/in-sitemap"} {
		w.page(path, "<p>"+prose(2000+len(path))+"</p>")
	}
	feed, listed = append(feed, "/new/in-feed"), append(listed, "/new/in-sitemap")
	w.hits = nil
	if _, err := w.store.Requeue(t.Context(), gatecrawl.Again{Before: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w.crawl(t.Context())
	asked := slices.DeleteFunc(slices.Clone(w.hits), func(p string) bool { return p == "/robots.txt" })
	first := slices.Sorted(slices.Values(asked[:min(4, len(asked))]))
	if want := []string{"/feed.xml", "/new/in-feed", "/new/in-sitemap", "/sitemap.xml"}; !slices.Equal(first, want) {
		t.Errorf("a re-crawl asked for %v, want first %v", asked, want)
	}
	if len(asked) != pages+5 {
		t.Errorf("a re-crawl asked %d times, want each of %d pages once: %v", len(asked), pages+5, asked)
	}
}
