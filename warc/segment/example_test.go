package segment_test

import (
	"fmt"
	"log"
	"os"
	"time"

	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// A record is appended, synced, and read by its place.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := segment.Open(dir, segment.End{File: 1}, nil, segment.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	body := []byte("<p>Bees")
	packed, err := s.Pack(&segment.Record{
		Draft: warc.Draft{Type: warc.Response, URL: "http://a.example/", Date: time.Now(), Kind: warc.KindResponse},
		Head:  warc.AppendResponseHead(nil, 200, nil, len(body)),
		Body:  body,
	})
	if err != nil {
		log.Fatal(err)
	}
	place, _, _, err := s.Append(packed)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		log.Fatal(err)
	}
	got, err := s.Payload(place)
	fmt.Printf("%s %s %v\n", s.Name(place.File), got, err)
	// Output: crawl-00001.warc.zst <p>Bees <nil>
}
