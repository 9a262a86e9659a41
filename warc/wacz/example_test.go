package wacz_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/wacz"
)

func Example() {
	var out bytes.Buffer
	w, err := wacz.NewWriter(&out, wacz.Options{Title: "A page", Software: "example/1.0"})
	if err != nil {
		panic(err)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	answer := warc.ResponseDraft("http://example.org/", at, 200, http.Header{"Content-Type": {"text/html"}}, []byte("<p>Hello"))
	if err := w.AddRecord(answer); err != nil {
		panic(w.Abort(err))
	}
	if err := w.AddPage(wacz.Page{URL: "http://example.org/", Time: at, Title: "A page", Text: "Hello"}); err != nil {
		panic(w.Abort(err))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	files, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		panic(err)
	}
	for _, f := range files.File {
		fmt.Println(f.Name)
	}
	// Output:
	// archive/data-00001.warc.gz
	// indexes/index.cdxj
	// pages/pages.jsonl
	// datapackage.json
	// datapackage-digest.json
}
