package warc_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/warc"
)

// What a Writer writes a Reader reads.
func Example() {
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Gzip, 0)
	at := time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)
	answer := warc.ResponseDraft("https://example.org/", at, 200, http.Header{"Content-Type": {"text/html"}}, []byte("<p>A page."))
	if _, _, err := w.Write(answer); err != nil {
		log.Fatal(err)
	}

	r, err := warc.NewReader(&file, "example.warc.gz", warc.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		p, err := rec.Payload(1 << 20)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.Type, rec.URL(), p.Status, p.ContentType, string(p.Body))
	}
	// Output:
	// response https://example.org/ 200 text/html <p>A page.
}

// Captures reads an index in CDX or CDXJ.
func ExampleCaptures() {
	index := `org,example)/ 20261122060000 {"url": "https://example.org/", "status": "200", "mime": "text/html", "offset": "0", "length": "300", "filename": "a.warc.gz"}` + "\n"
	for c, err := range warc.Captures(strings.NewReader(index), "a.cdxj") {
		fmt.Println(c.URL, c.Status, err)
	}
	// Output:
	// https://example.org/ 200 <nil>
}
