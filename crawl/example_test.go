package crawl_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/page"
)

// A crawl in five lines: settings, a folder, run, what was kept.
func Example() {
	site := smallSite() // in place of https://example.org
	defer site.Close()
	folder, remove := newFolder()
	defer remove()

	s := configs.Default()
	s.URL, s.Contact = []string{site.URL + "/"}, "me@example.org"
	s.Delay, s.Workers = 0, 1 // the site is our own, and its pages come in order
	c, err := crawl.Open(folder, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ended, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("ended:", ended)
	for kept, err := range c.Kept(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("kept:", kept.View.Title)
	}
	// Unordered output:
	// ended: done
	// kept: Start
	// kept: Bees
	// kept: Clocks
}

// A page hook is called with what became of each page when that is durable.
func ExampleCrawl_OnPage() {
	site := smallSite()
	defer site.Close()
	folder, remove := newFolder()
	defer remove()
	s := configs.Default()
	s.URL, s.Delay, s.Workers = []string{site.URL + "/"}, 0, 1
	c, err := crawl.Open(folder, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	path := func(url string) string { return strings.TrimPrefix(url, site.URL) }
	c.OnPage(func(p gatecrawl.Settled) {
		switch {
		case p.Verdict == page.VerdictCopy:
			fmt.Printf("%s is a copy of %s, %s\n", path(p.URL), path(p.Of), p.Class)
		case p.View != nil:
			fmt.Printf("%s: %s, %d links\n", path(p.URL), p.View.Title, len(p.View.Links))
		default:
			fmt.Printf("%s: %s\n", path(p.URL), p.Reason)
		}
	})
	if _, err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// /: Start, 4 links
	// /bees: Bees, 0 links
	// /bees-again is a copy of /bees, partial-layout
	// /clocks: Clocks, 0 links
	// /gone: http 404 not found
}

// A link hook keeps links out of the queue, or has them fetched earlier or later.
func ExampleCrawl_OnLink() {
	site := smallSite()
	defer site.Close()
	folder, remove := newFolder()
	defer remove()
	s := configs.Default()
	s.URL, s.Delay, s.Workers = []string{site.URL + "/"}, 0, 1
	c, err := crawl.Open(folder, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	c.OnLink(func(l *gatecrawl.Link) {
		switch {
		case strings.HasSuffix(l.URL.Path(), "-again"):
			l.Refuse("a page that is known to be a copy")
		case l.Anchor == "clocks":
			l.Raise(5)
		}
	})
	if _, err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	for p, err := range c.Pages(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.TrimPrefix(p.URL, site.URL))
	}
	// Output:
	// /
	// /clocks
	// /bees
	// /gone
}

// Pages yields all records, of what was refused and what failed too.
func ExampleCrawl_Pages() {
	site := smallSite()
	defer site.Close()
	folder, remove := newFolder()
	defer remove()
	s := configs.Default()
	s.URL, s.Delay, s.Workers = []string{site.URL + "/"}, 0, 1
	c, err := crawl.Open(folder, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}

	for p, err := range c.Pages(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Seq, strings.TrimPrefix(p.URL, site.URL), p.Verdict, p.Status)
	}
	// Output:
	// 1 / new 200
	// 2 /bees new 200
	// 3 /bees-again copy 200
	// 4 /clocks new 200
	// 5 /gone failed 404
}

// What keeps a crawl from starting says what to do.
func ExampleContactError() {
	s := configs.Default()
	s.URL = []string{"https://example.org/"}
	_, err := crawl.Open("news", s)
	fmt.Println(err)
	// Output:
	// https://example.org/ is not on this machine: set contact to a web page or mail address where its owner can reach you, such as you@example.org; it goes into the User-Agent
}
