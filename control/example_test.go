package control_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
)

// A job answers questions while a crawl works on it, from any process of its owner.
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
	defer job.Close()
	u, err := seeds.Parse("example.org")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := job.Add(context.Background(), []frontier.Candidate{{URL: u}}); err != nil {
		log.Fatal(err)
	}
	stop, err := control.Serve(dir, job, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	client := control.Client{Dir: dir}
	answer, err := client.Ask(context.Background(), control.Question{Verb: "why", URL: u.String()})
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(text.Bytes(), []byte(`"state":"queued"`)))
	// Output:
	// true
}
