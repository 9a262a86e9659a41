package fetch_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// One page, with its limits: no redirect is followed, and no private address asked.
func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, "<!DOCTYPE html><title>New</title>")
	}))
	defer site.Close()
	o := fetch.Defaults()
	o.Agent = fetch.Agent("me@example.org", "1.0")
	o.AllowLoopback = true
	f, err := fetch.New(o)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for _, path := range []string{"/old", "/new"} {
		u, err := weburl.Parse(site.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		r, err := f.Fetch(context.Background(), u)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %q %s\n", r.Status, r.Location(), r.ContentType)
	}
	// Output:
	// 301 "/new" text/html
	// 200 "" text/html
}
