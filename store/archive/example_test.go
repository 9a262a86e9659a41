package archive_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// The bytes of a page go to a segment, and can be read by the page's number.
func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := mem.Open(slices.Concat(page.Tables(), job.Tables()))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	a := archive.New(dir, segment.DefaultOptions(), false)
	err = s.View(ctx, func(r kv.Reader) error { return a.Open(r, segment.End{}) })
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()

	v := &page.Visit{Body: []byte("<p>Swifts fly to Africa.")}
	v.Page = page.Record{Seq: 1, URL: "https://example.org/", Status: 200, Fetched: time.Unix(0, 0)}
	err = s.Update(ctx, func(tx kv.Tx) error { return a.Keep(tx, 1, nil, v) })
	if err != nil {
		log.Fatal(err)
	}
	err = s.View(ctx, func(r kv.Reader) error {
		body, err := a.Body(r, 1)
		fmt.Println(string(body))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// <p>Swifts fly to Africa.
}
