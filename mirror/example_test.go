package mirror_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"gatecrawl.example/gatecrawl/mirror"
)

// pages are what a job knows, by URL.
type pages map[string]mirror.Document

func (p pages) Document(_ context.Context, url string) (mirror.Document, mirror.State, error) {
	if d, ok := p[url]; ok {
		return d, mirror.Present, nil
	}
	return mirror.Document{}, mirror.Unknown, nil
}

// A survey finds which sites have the documents of another.
func ExampleSurvey() {
	v, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	known := make(pages)
	for _, origin := range []string{"https://docs.example", "https://mirror.example"} {
		for n := range 60 {
			d := mirror.Document{Path: fmt.Sprintf("/manual/page-%d.html", n), Group: uint64(n + 1), Bytes: uint64(n + 1), Body: uint64(n + 1), Tokens: 300}
			d.SimHash = uint64(n+1) * 0x9E3779B97F4A7C15
			d.MarkTitle("Page " + strings.Repeat("x", n))
			v.Add(v.Site(origin), d)
			known[origin+d.Path] = d
		}
	}
	relations, err := v.Relations(context.Background(), known)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range relations {
		fmt.Println(r.A, r.B, r.Class, r.Canonical)
	}
	// Output:
	// https://docs.example https://mirror.example mirror https://docs.example
}

// Sites that differ in www or in the scheme are most often one.
func ExampleNamesakes() {
	fmt.Println(mirror.Namesakes("http://example.org"))
	// Output:
	// [http://www.example.org https://example.org https://www.example.org]
}
