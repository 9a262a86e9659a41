package control_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/crawl"
)

// A job answers questions while a crawl works on it, from any process of its owner.
func Example() {
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s := configs.Default()
	s.URL, s.Contact = []string{"https://example.org/"}, "me@example.org"
	c, err := crawl.Open(dir, s)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if _, err := c.AddSeeds(context.Background(), strings.NewReader("https://example.org/"), "a list", nil); err != nil {
		log.Fatal(err)
	}
	stop, err := control.Serve(dir, &control.Running{Crawl: c, Board: board.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	client := control.Client{Dir: dir}
	answer, err := client.Ask(context.Background(), control.Question{Verb: "why", URL: "https://example.org/"})
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
