package store_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
)

// A job folder can be read while no crawl works on it, and after.
func Example() {
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	job, err := store.Open(dir, store.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	u, err := seeds.Parse("example.org")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := job.Add(context.Background(), []frontier.Candidate{{URL: u}}); err != nil {
		log.Fatal(err)
	}
	if err := job.Close(); err != nil { // what Add returned for is durable
		log.Fatal(err)
	}

	o := store.DefaultOptions()
	o.ReadOnly = true
	if job, err = store.Open(dir, o); err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	fmt.Println(job.Totals().Queued, "URL waits;", job.Totals().Pages, "pages")
	// Output:
	// 1 URL waits; 0 pages
}
