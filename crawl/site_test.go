package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
)

// smallSite serves a start page that links to a story, to the same story with a word
// changed, to a page about something else and to one that is not there.
func smallSite() *httptest.Server {
	pages := map[string]string{
		"/":            `<title>Start</title><p>` + text("start") + `<p><a href="/bees">bees</a> <a href="/bees-again">again</a> <a href="/clocks">clocks</a> <a href="/gone">gone</a>`,
		"/bees":        `<title>Bees</title><h1>Bees</h1><p class=lead>` + text("bees"),
		"/bees-again":  `<title>Bees</title><h1>Bees</h1><p class=lead>` + strings.Replace(text("bees"), "bees-17", "wasps", 1),
		"/clocks":      `<title>Clocks</title><h1>Clocks</h1><p class=lead>` + text("clocks"),
		"/more/clocks": `<title>More</title><h1>More</h1><p class=lead>` + text("more"),
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><body>%s</body></html>", page)
	}))
}

// text is a hundred words and more on a subject.
func text(about string) string {
	var b strings.Builder
	for n := range 150 {
		fmt.Fprintf(&b, "%s-%d ", about, n)
	}
	return b.String() + "."
}

// newFolder makes a folder that lives as long as an example.
func newFolder() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}
