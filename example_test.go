package gatecrawl_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// The parts of a crawl put together by hand. Package crawl does it from settings.
func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>Start</title><a href="/about">About</a><a href="/print/about">Print</a>`)
		case "/about", "/print/about":
			fmt.Fprint(w, `<title>About</title><p>A hive does not sleep. The bees form a cluster around the queen.`)
		}
	}))
	defer site.Close()
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	jobOptions := store.DefaultOptions()
	jobOptions.Delay = 0 // the site is our own
	job, err := store.Open(dir, jobOptions)
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	fetcher, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		log.Fatal(err)
	}
	scope, err := frontier.NewScope(frontier.DefaultScopeOptions())
	if err != nil {
		log.Fatal(err)
	}
	options := gatecrawl.DefaultOptions()
	options.Workers = 1 // one page after the other: the output below is always the same
	c, err := gatecrawl.New(options, job, fetcher, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		log.Fatal(err)
	}
	start, err := seeds.Parse(site.URL)
	if err != nil {
		log.Fatal(err)
	}
	first := func(yield func(seeds.Seed, error) bool) { yield(seeds.Seed{URL: start}, nil) }
	if _, err := c.Seed(context.Background(), first, func(err error) { log.Print(err) }); err != nil {
		log.Fatal(err)
	}
	ended, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("ended:", ended)
	err = job.Pages(context.Background(), 1, func(p page.Record) error {
		fmt.Println(p.URL[len(site.URL):], p.Verdict)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// ended: done
	// / new
	// /about new
	// /print/about copy
}
