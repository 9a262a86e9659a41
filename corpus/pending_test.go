package corpus

import (
	"reflect"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/warc"
)

// What read writes of a page is there when the page comes back from the temporary file.
func TestPagesComeBackFromTheTemporaryFileAsTheyWere(t *testing.T) {
	b, err := NewBatch(Options{Bodies: true, Workers: 1, Reader: purify.Reader{Unsummed: true}})
	if err != nil {
		t.Fatal(err)
	}
	fetched := time.Date(2026, 11, 26, 15, 2, 3, 123456789, time.FixedZone("", 3600))
	html := []byte("<html lang=en><title>A title</title><p>Some words of a body with a <a href=/x>link</a>, and more words of it.")
	given := []Page{
		{URL: "http://a.test/1", Body: html, Type: "text/html", Status: 200, Fetched: fetched, Payload: "sha1:ABC", Argument: "a.warc", File: "a.warc", Place: &warc.Place{Offset: 7, Inside: 9}},
		{URL: "http://a.test/\xff", Body: []byte("a text"), Type: "text/plain", File: "lines", Line: 3, Truncated: true},
		{URL: "http://a.test/2", Status: 301, Location: "/3", Fetched: fetched.UTC()},
		{URL: "http://a.test/4", Body: []byte("%PDF-1.4 broken"), Type: "application/pdf"},
		{URL: "http://a.test/5", Status: 404, Body: []byte("none"), Type: "text/html"},
	}
	f, err := newPendingFile()
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	var want []readPage
	for i, p := range given {
		r := b.read(p)
		if i == 1 {
			r.known = &page.Earlier{Archive: "old", URL: "http://a.test/old", Similarity: .9, Reason: "why"}
			r.same, r.kind, r.repeat = 4, 1<<63, true
		}
		if err := f.add(&r); err != nil {
			t.Fatal(err)
		}
		want = append(want, r)
	}
	i := 0
	for got, err := range f.all {
		if err != nil {
			t.Fatal(err)
		}
		want := want[i]
		if !got.Fetched.Equal(want.Fetched) || got.Fetched.Format(time.RFC3339Nano) != want.Fetched.Format(time.RFC3339Nano) {
			t.Errorf("page %d was fetched at %v, want %v", i, got.Fetched, want.Fetched)
		}
		got.Fetched, got.record.Fetched = want.Fetched, want.record.Fetched
		if (got.view == nil) != (want.view == nil) || got.view != nil && got.view.Body != want.view.Body {
			t.Errorf("the view of page %d is %+v, want %+v", i, got.view, want.view)
		}
		got.view, got.packed, got.prints, want.view, want.packed, want.prints = nil, nil, nil, nil, nil, nil
		if len(got.Body)+len(want.Body) == 0 {
			got.Body, want.Body = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("page %d comes back as %+v, want %+v", i, got, want)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d pages come back, want %d", i, len(want))
	}
}
