package inspect

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/purify"
)

func TestASiteIsAskedForADocumentAsItsRobotsAllow(t *testing.T) {
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
		t.Fatal(err)
	}
	defer client.Close()
	p := prober{client: client, template: func(weburl.URL) (*purify.Template, error) { return nil, nil }}
	for _, c := range []struct {
		path  string
		want  mirror.State
		asked bool
	}{
		{"/", mirror.Present, true}, {"/gone", mirror.Absent, true}, {"/private", mirror.Unknown, false},
	} {
		u, err := weburl.Parse(site.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		_, state, asked, err := p.probe(context.Background(), u)
		if state != c.want || asked != c.asked || err != nil {
			t.Errorf("probe(%s) = %v, %v, %v, want %v, %v", c.path, state, asked, err, c.want, c.asked)
		}
	}
}
