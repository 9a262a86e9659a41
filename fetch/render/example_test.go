package render_test

import (
	"context"
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/render"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A page as its scripts leave it. What they ask for goes through the fetcher, with its
// checks and limits.
func Example() {
	f, err := fetch.New(fetch.Options{Agent: fetch.Agent("me@example.org", "1.0")})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	o := render.Defaults()
	o.Fetch = f.Fetch
	browser, err := render.New(o) // Chromium is to be installed
	if err != nil {
		log.Fatal(err)
	}
	defer browser.Close()
	u, err := weburl.Parse("https://example.org/app")
	if err != nil {
		log.Fatal(err)
	}
	page, err := f.Fetch(context.Background(), u)
	if err != nil {
		log.Fatal(err)
	}
	html, err := browser.Render(context.Background(), page, fetch.Manners{May: func(weburl.URL) bool { return true }})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(html))
}
