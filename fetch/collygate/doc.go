// Package collygate gives the duplicate gate to programs that are written with colly.
//
//	c := colly.NewCollector()
//	gate := collygate.Use(c)
//	c.OnHTML("article", func(e *colly.HTMLElement) {
//		if m := gate.VerdictOf(e.Response); m.Copy() {
//			fmt.Println(e.Request.URL, "is a copy of", m.Of)
//			return
//		}
//		...
//	})
//
// Call Use before the handlers are registered: then each response is compared before they
// run, and they can ask for the verdict. With dedup.ModeDiscard the handlers for HTML and XML
// do not see copies at all. Async collectors work, and several collectors may share a gate.
// The package changes neither what is fetched nor when.
//
// Pages are compared as in a crawl: by their texts, without the template of their host, which
// is learned from its first five pages on. A crawl does more: it signs kept pages again
// whenever the template of their host changes, not only when it is first known; it remembers
// earlier runs; it revisits kept pages; and it knows mirrors, error pages with status 200
// and URLs that lead to the same page. And it stores pages on disk, where this is all in
// memory.
package collygate
