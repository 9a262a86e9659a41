package live_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/live"
	"gatecrawl.example/gatecrawl/purify"
)

// A site is asked for a document, as its robots.txt allows.
func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
		case "/gone":
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, "<!doctype html><title>A page</title><p>Some words.</p>")
		}
	}))
	defer site.Close()
	client, err := fetch.NewClient(fetch.ClientOptions{Fetch: fetch.Options{AllowLoopback: true}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	p := live.Prober{Client: client, Template: func(weburl.URL) (*purify.Template, error) { return nil, nil }}
	for _, path := range []string{"/", "/gone", "/private"} {
		u, err := weburl.Parse(site.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		_, state, asked, err := p.Probe(context.Background(), u)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(path, state == mirror.Present, state == mirror.Absent, asked)
	}
	// Output:
	// / true false true
	// /gone false true true
	// /private false false false
}
