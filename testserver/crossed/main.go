// Crossed counts the files of the program that a URL and a page's body cross in a crawl. It has to
// be built with coverage counters in all packages, and writes them to two folders, body and url, in
// the folder given: the code that ran from the first byte of a page's response to its record, and
// the code that ran from a seed to the record of its URL, whose server answers 404. The command is
// in docs/design.md, Sizes.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: crossed FOLDER")
	}
	if err := count(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// count crawls a site of two pages, so that robots.txt is known before the second, and adds a seed
// after that page is settled.
func count(folder string) error {
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "In the year %d the bees of the garden behind the house gave more honey than the %d years before. ", 1990+i, i+2)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><title>Start</title><a href=/page>the page</a></html>")
	})
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		resetCounters()
		fmt.Fprintf(w, "<html><title>The page</title><h1>The page</h1><p>%s</p><a href=/>start</a></html>", &text)
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	job, err := os.MkdirTemp("", "crossed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(job)
	s := configs.Default()
	s.URL, s.Delay, s.Workers = []string{site.URL + "/"}, 0, 1
	c, err := crawl.Open(filepath.Join(job, "job"), s)
	if err != nil {
		return err
	}
	defer c.Close()
	c.OnPage(func(p gatecrawl.Settled) {
		switch strings.TrimPrefix(p.URL, site.URL) {
		case "/page":
			write(filepath.Join(folder, "body"))
			resetCounters()
			if _, err := c.AddSeeds(context.Background(), strings.NewReader(site.URL+"/none"), "seeds", nil); err != nil {
				log.Fatal(err)
			}
		case "/none":
			write(filepath.Join(folder, "url"))
		}
	})
	_, err = c.Run(context.Background())
	return err
}

// resetCounters sets all counters to zero.
func resetCounters() {
	if err := coverage.ClearCounters(); err != nil {
		log.Fatal(err)
	}
}

// write writes the counters to a folder.
func write(dir string) {
	for _, step := range []func(string) error{func(dir string) error { return os.MkdirAll(dir, 0o755) }, coverage.WriteMetaDir, coverage.WriteCountersDir} {
		if err := step(dir); err != nil {
			log.Fatal(err)
		}
	}
}
