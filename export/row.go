package export

import (
	"fmt"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/structure"
)

// A row is a row of a job, with data that is computed when it is needed.
type row struct {
	from  *gatecrawl.Row
	page  *page.Record
	e     *Exporter
	url   weburl.URL
	seen  *purify.DocView
	doc   *structure.Document
	plain *string
	md    *string

	chunk       *structure.Chunk // set if pages are cut into chunks
	chunkNumber int              // from 1
}

func (e *Exporter) rowOf(from *gatecrawl.Row) (*row, error) {
	u, err := weburl.Parse(from.Page.URL)
	if err != nil {
		return nil, err
	}
	return &row{from: from, page: &from.Page, e: e, url: u}, nil
}

func (r *row) host() string { return r.url.Host() }

// view returns the page's DocView, an empty one if none is kept; without its links unless the
// export needs them.
func (r *row) view() (*purify.DocView, error) {
	if r.seen != nil {
		return r.seen, nil
	}
	if r.from.View == nil {
		r.seen = new(purify.DocView)
		return r.seen, nil
	}
	unpack := page.UnpackBriefOn
	if r.e.needsLinks {
		unpack = page.UnpackViewOn
	}
	v, err := unpack(r.from.View, func() ([]byte, error) { return r.from.Body, nil })
	if err != nil {
		r.seen = new(purify.DocView)
		return r.seen, fmt.Errorf("%s: %w", r.page.URL, err)
	}
	r.seen = v
	return v, nil
}

// summed is view with its keywords, and with its abstract if the export needs it.
func (r *row) summed() (*purify.DocView, error) {
	v, err := r.view()
	if r.e.needsSum {
		v.Sum()
	} else {
		v.SumKeywords()
	}
	return v, err
}

// contentType returns the type of the page's bytes, with the charset in which they were read.
func (r *row) contentType() string {
	if r.page.Charset == "" {
		return r.page.Type
	}
	return r.page.Type + "; charset=" + r.page.Charset
}

// decoded returns the page's bytes as UTF-8; "" for a picture or a PDF, which have no charset.
func (r *row) decoded() string {
	if r.from.Body == nil || r.page.Charset == "" {
		return ""
	}
	text, _ := charset.Decode(r.from.Body, r.contentType())
	return strings.ToValidUTF8(string(text), "\ufffd")
}

// document returns the page's text with its structure.
func (r *row) document() (*structure.Document, error) {
	if r.doc != nil {
		return r.doc, nil
	}
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	p := structure.Page{Bytes: r.from.Body, ContentType: r.contentType(), Body: v.Body, Title: v.Title}
	if r.e.o.Links {
		p.Resolve = r.absolute
	}
	if v.Body == "" {
		p.Bytes = nil // the page has no text of its own
	}
	r.doc = r.e.reader.Read(p)
	return r.doc, nil
}

// absolute returns a URL of the page as an absolute one, "" if it is not a URL.
func (r *row) absolute(ref string) string {
	if ref == "" {
		return ""
	}
	to, err := page.Base(r.url, r.seen).Parse(ref)
	if err != nil {
		return ""
	}
	return to.String()
}

// text returns the page's text, or the text of its chunk, plain or as Markdown.
func (r *row) text(plain bool) (string, error) {
	if r.chunk != nil && plain == r.e.plainChunks {
		return r.chunk.Text, nil
	}
	if r.chunk != nil {
		return "", nil
	}
	cached := &r.md
	if plain {
		cached = &r.plain
	}
	if *cached == nil {
		doc, err := r.document()
		if err != nil {
			return "", err
		}
		text := ""
		if plain {
			text = doc.Text()
		} else {
			text = doc.Markdown()
		}
		*cached = &text
	}
	return **cached, nil
}

// words counts the words of the text.
func (r *row) words() (int, error) {
	if r.chunk != nil {
		return r.chunk.Words, nil
	}
	v, err := r.view()
	return structure.Words(v.Body), err
}

// links returns the page's links with absolute URLs, without duplicates.
func (r *row) links() ([]purify.Link, error) {
	v, err := r.view()
	if err != nil {
		return nil, err
	}
	base := page.Base(r.url, v)
	list := make([]purify.Link, 0, len(v.Links))
	for _, l := range v.Links {
		to, err := base.Parse(l.URL)
		if err != nil {
			continue // a scheme that is not fetched
		}
		l.URL = to.String()
		list = append(list, l)
	}
	return list, nil
}

// place returns the position of the page's response in the job's archive.
func (r *row) place() place { return r.e.archive.find(r.page.URL, r.page.Fetched) }

// shortest returns a float32 as the float64 with the same digits: .6 instead of .6000000238.
func shortest(f float32) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	return v
}
