package single

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// title writes what a test looks at.
func title(w io.Writer, v *purify.DocView) error {
	_, err := fmt.Fprintf(w, "%s %s", v.URL, v.Title)
	return err
}

func TestLinesComeInTheirOrderWithTheirFaults(t *testing.T) {
	var in strings.Builder
	for i := range 50 {
		fmt.Fprintf(&in, "{\"url\":\"http://example.org/%d\",\"html\":\"<title>T%d</title>\"}\n", i, i)
	}
	in.WriteString("no object\n{\"url\":\"http://example.org/\"}\n")
	seen := 0
	err := Lines(strings.NewReader(in.String()), purify.Reader{}, nil, title, func(n int, view []byte, err error) error {
		seen++
		want := fmt.Sprintf("http://example.org/%d T%d", n-1, n-1)
		switch {
		case n != seen:
			t.Errorf("line %d came as the %dth", n, seen)
		case n > 50 && err == nil:
			t.Errorf("line %d has no page and no fault", n)
		case n <= 50 && (err != nil || string(view) != want):
			t.Errorf("line %d: %q, %v; want %q", n, view, err, want)
		}
		return nil
	})
	if err != nil || seen != 52 {
		t.Errorf("%d lines, %v; want 52", seen, err)
	}
	enough := errors.New("enough")
	err = Lines(strings.NewReader(in.String()), purify.Reader{}, nil, title, func(int, []byte, error) error { return enough })
	if !errors.Is(err, enough) {
		t.Errorf("Lines = %v, want what emit returned", err)
	}
}

func TestAPageIsReadAsItsBytesSay(t *testing.T) {
	u, err := weburl.Parse("http://example.org/a/b")
	if err != nil {
		t.Fatal(err)
	}
	p := Page{URL: u, Type: "text/html", Content: []byte(`<base href="/c/"><title>T</title><p><a href="d">d</a>`)}
	if v := p.View(); v.Title != "T" || len(v.Links) != 1 || v.Links[0].URL != "http://example.org/c/d" || v.URL != u.String() {
		t.Errorf("View: title %q, links %v, URL %q", v.Title, v.Links, v.URL)
	}
	if got := p.Base(); got != "http://example.org/c/" {
		t.Errorf("Base = %q", got)
	}
	picture := Page{Content: []byte("\x89PNG\r\n\x1a\n")}
	if v := picture.View(); v.Type != "other" || v.Body != "" {
		t.Errorf("a picture has type %q and body %q", v.Type, v.Body)
	}
}

// BenchmarkLines1000Pages reports how many pages of crawl view --jsonl are read in a second.
func BenchmarkLines1000Pages(b *testing.B) {
	var in bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&in, "{\"url\":\"http://example.org/%d\",\"html\":\"<html><body><article><h1>Title</h1><p>%s</p></article></body></html>\"}\n",
			i, strings.Repeat(fmt.Sprintf("a sentence of page %d, with a few words. ", i), 60))
	}
	b.SetBytes(int64(in.Len()))
	for b.Loop() {
		err := Lines(bytes.NewReader(in.Bytes()), purify.Reader{}, nil, title, func(_ int, _ []byte, err error) error { return err })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

func TestAPageWithTheNameOfADocumentIsReadAsAPage(t *testing.T) {
	p := Page{Content: []byte("<!doctype html><title>Not found</title><p>There is no such report any more."), Type: "application/pdf"}
	if v := p.View(); v.Title != "Not found" || v.TextError != "" {
		t.Errorf("the page is read with title %q and %q, want its own title", v.Title, v.TextError)
	}
}
