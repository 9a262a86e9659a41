// Package single reads one page, or pages one a line, as a crawl would, but without a crawl: for
// crawl view and crawl near. Since the site of such a page is not known, it is read without a
// template.
package single

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/document"
)

// maxBytes bounds a file, as a fetched page is bounded.
const maxBytes = 64 << 20

// A Page is a page as it was received.
type Page struct {
	URL     weburl.URL // zero if it is a file
	Content []byte
	Type    string      // as in a Content-Type header; "" if it is not known
	File    os.FileInfo // nil if it is not a file
	Reader  purify.Reader
}

// View reduces the page, and makes its links absolute if its URL is known.
func (p *Page) View() *purify.DocView {
	v := p.read()
	gatecrawl.ResolveFields(v, p.URL)
	if p.URL == (weburl.URL{}) {
		if base, err := weburl.Parse(v.Base); err == nil {
			resolve(v, base)
		}
		return v
	}
	v.ID, v.URL = p.URL.Key().String(), p.URL.String()
	resolve(v, p.URL)
	return v
}

// Kind returns the media type of the page. For a file only its bytes tell.
func (p *Page) Kind() string {
	if t := document.Sniff(p.Content); t != "" {
		return t
	}
	if p.URL.IsZero() {
		return fetch.Sniff(p.Content)
	}
	return fetch.MediaType(p.Type, p.Content)
}

// read reads a feed as a feed, as a crawl does, and any other text as a page. If the bytes are not
// text, the view is nil.
func (p *Page) read() *purify.DocView {
	t := p.Kind()
	if document.KindOf(t) != document.None {
		v, _ := p.Reader.PurifyOn(nil, p.URL.String(), p.Content, t)
		return v
	}
	if t != "" && !fetch.IsTextType(t) {
		return &purify.DocView{Type: "other", Role: "other"}
	}
	switch feed.KindOf(p.Content) {
	case feed.RSS, feed.Atom:
		return purify.Feed(p.Content, p.Type)
	}
	sent := p.Type
	if document.KindOf(sent) != document.None && t != "" {
		sent = t // a page with the name of a document
	}
	v, _ := p.Reader.PurifyOn(nil, p.URL.String(), p.Content, sent)
	return v
}

// Read reads a page from a file, compressed or not, up to 64 MB of it.
func Read(r io.Reader, contentType string) (*Page, error) {
	plain, err := corpus.Decompress(r)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	content, err := io.ReadAll(io.LimitReader(plain, maxBytes))
	if err != nil {
		return nil, err
	}
	return &Page{Content: content, Type: contentType}, nil
}

// Base returns the URL that the page's links are relative to: its own URL or that of its base
// element, or else its canonical URL; "" if it has none of them.
func (p *Page) Base() string {
	v := purify.Links(p.Content, p.Type)
	if p.URL != (weburl.URL{}) {
		return page.Base(p.URL, v).String()
	}
	for _, address := range []string{v.Base, v.Canonical} {
		if u, err := weburl.Parse(address); err == nil {
			return u.String()
		}
	}
	return ""
}

// resolve makes the links of a view absolute. Links that are not URLs stay unchanged.
func resolve(v *purify.DocView, of weburl.URL) {
	base := page.Base(of, v)
	for i := range v.Links {
		if u, err := base.Parse(v.Links[i].URL); err == nil {
			v.Links[i].URL = u.String()
		}
	}
}

// Lines makes a DocView from each line of in, an object with url and html, on all processors. It
// passes what encode writes for each to emit, in the order of the lines.
func Lines(in io.Reader, reader purify.Reader, words *dedup.IDF, encode func(io.Writer, *purify.DocView) error, emit func(n int, view []byte, err error) error) error {
	type viewed struct {
		n    int
		view []byte
		err  error
	}
	return corpus.InOrder(corpus.Lines(in), runtime.GOMAXPROCS(0), func(l corpus.Line) viewed {
		view, err := viewLine(l.Text, reader, words, encode)
		return viewed{l.N, view, err}
	}, func(v viewed) error { return emit(v.n, v.view, v.err) })
}

// Pages is Lines for the pages of WARC files that are text, in their order. n is the number of the
// document, from 1.
func Pages(from *corpus.Source, reader purify.Reader, words *dedup.IDF, encode func(io.Writer, *purify.DocView) error, emit func(n int, view []byte, err error) error) error {
	type viewed struct {
		view []byte
		err  error
	}
	n := 0
	return corpus.InOrder(from.Pages, runtime.GOMAXPROCS(0), func(p corpus.Page) viewed {
		if p.Fault != nil {
			return viewed{err: p.Fault}
		}
		kind, text := p.Document()
		if !text {
			return viewed{}
		}
		v, _ := reader.PurifyOn(nil, p.URL, p.Body, kind)
		view, err := encoded(v, p.URL, words, encode)
		return viewed{view, err}
	}, func(v viewed) error {
		if v.view == nil && v.err == nil {
			return nil
		}
		n++
		return emit(n, v.view, v.err)
	})
}

// viewLine turns one line of input into one of output.
func viewLine(line []byte, reader purify.Reader, words *dedup.IDF, encode func(io.Writer, *purify.DocView) error) ([]byte, error) {
	var in struct {
		URL  string  `json:"url"`
		HTML *string `json:"html"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("not an object with url and html: %w", corpus.ExplainJSON(err))
	}
	if in.HTML == nil {
		return nil, errors.New(`no "html" in the object`)
	}
	v, _ := reader.PurifyOn(nil, in.URL, []byte(*in.HTML), "text/html; charset=utf-8")
	return encoded(v, in.URL, words, encode)
}

// encoded returns what encode writes for the view of a page.
func encoded(v *purify.DocView, url string, words *dedup.IDF, encode func(io.Writer, *purify.DocView) error) ([]byte, error) {
	v.URL = url
	if words != nil {
		v.Weigh(words)
	}
	if u, err := weburl.Parse(url); err == nil {
		gatecrawl.ResolveFields(v, u)
		resolve(v, u)
	}
	var b bytes.Buffer
	err := encode(&b, v)
	return b.Bytes(), err
}
