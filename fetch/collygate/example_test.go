package collygate_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gocolly/colly/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/collygate"
)

// bees has a story, the same with a sentence more, and a start page that links to both.
func bees() *httptest.Server {
	story := "<title>Bees</title><article><h1>Bees</h1><p>" + "A hive does not sleep. The bees form a cluster around the queen and shiver to keep the hive warm, " +
		"and it slowly moves over the honey that was stored in summer. " + "A strong hive eats twenty kilos of honey before spring. "
	pages := map[string]string{
		"/":       "<title>Start</title><a href=/bees>bees</a><a href=/copied>the same, copied</a>",
		"/bees":   story,
		"/copied": story + "Copied from a friend.",
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, pages[r.URL.Path])
	}))
}

// A program that is written with colly gets the gate by one call.
func Example() {
	site := bees()
	defer site.Close()

	c := colly.NewCollector()
	gate := collygate.Use(c) // the one call
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	c.OnHTML("h1", func(e *colly.HTMLElement) {
		path := e.Request.URL.Path
		if m := gate.VerdictOf(e.Response); m.Copy() {
			fmt.Println(path, "is a copy of", strings.TrimPrefix(m.Of, site.URL))
			return
		}
		fmt.Println(path, "is new:", e.Text)
	})
	if err := c.Visit(site.URL + "/"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// /bees is new: Bees
	// /copied is a copy of /bees
}

// In the mode discard the handlers for HTML do not see copies.
func ExampleGate_Attach() {
	site := bees()
	defer site.Close()

	o := collygate.DefaultOptions()
	o.Dedup.Mode = dedup.ModeDiscard
	gate, err := collygate.New(o)
	if err != nil {
		log.Fatal(err)
	}
	c := colly.NewCollector()
	gate.Attach(c)
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	c.OnHTML("h1", func(e *colly.HTMLElement) { fmt.Println("handled:", e.Request.URL.Path) })
	if err := c.Visit(site.URL + "/"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(gate.Len(), "pages are kept")
	// Output:
	// handled: /bees
	// 2 pages are kept
}
