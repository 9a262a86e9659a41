package gatecrawl

import (
	"bytes"
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/document"
)

// readInTurn waits until there is memory to read the document, and calls read.
func (c *Crawler) readInTurn(r *fetch.Response, t *purify.Template) (*purify.DocView, []purify.Print) {
	defer c.parse.AcquireShort(len(r.Body))()
	return c.read(r, t)
}

// read purifies a document; t is the template of its host, if known. A document that is not text,
// or has no text, is compared by its digest alone. The caller has reserved the memory for reading.
func (c *Crawler) read(r *fetch.Response, t *purify.Template) (view *purify.DocView, prints []purify.Print) {
	switch {
	case !r.IsHTML() && !r.IsText() && document.KindOf(r.ContentType) == document.None:
		return &purify.DocView{Type: "other", Role: "other"}, nil
	case isFeed(r):
		view = purify.Feed(r.Body, mediaType(r))
	default:
		reader := c.reader
		reader.Now = r.Started
		view, prints = reader.PurifyOn(t, r.URL.String(), r.Body, mediaType(r))
	}
	if c.o.IDF != nil {
		view.Weigh(c.o.IDF)
	}
	view.URL = r.URL.String()
	return view, prints
}

// readLinks reads only the links of a document.
func (c *Crawler) readLinks(r *fetch.Response) *purify.DocView {
	defer c.parse.AcquireShort(len(r.Body))()
	switch {
	case isFeed(r):
		return purify.Feed(r.Body, mediaType(r))
	case !r.IsHTML():
		return &purify.DocView{}
	}
	return c.reader.Links(r.Body, mediaType(r))
}

// mediaType returns the type that a response was detected as, with the charset that its header
// names.
func mediaType(r *fetch.Response) string {
	sent := r.Header.Get("Content-Type")
	if i := strings.Index(strings.ToLower(sent), "charset"); i >= 0 {
		return r.ContentType + "; " + sent[i:]
	}
	return r.ContentType
}

// categorize gives a page that declares no category the one that Options.Category finds, if any.
func (c *Crawler) categorize(view *purify.DocView) {
	if c.o.Category == nil || len(view.Category) > 0 {
		return
	}
	if name := c.o.Category(view.Title, view.Body); name != "" {
		view.Category = []string{name}
	}
}

// describe fills in the record from the view, and turns the view's links into candidates.
func (c *Crawler) describe(v *visit, view *purify.DocView, o orders) {
	p := &v.Page
	view.ID, view.URL = v.Lease.URL.Key().String(), p.URL
	p.Title, p.Lang, p.PageType, p.Charset = view.Title, view.Lang, view.Type, view.Charset
	p.Digest = v.Sign.Bytes.String()
	p.Canonical = elsewhere(v.Lease.URL, view)
	c.categorize(view)
	p.Category = view.Category
	if p.TextError = view.TextError; p.TextError != "" && p.Truncated {
		p.TextError = fmt.Sprintf("only its first %d bytes were received: %s", p.Bytes, view.TextError)
	}
	c.rate(v, view)
	ResolveFields(view, v.Lease.URL)
	p.Fields, p.FieldsCut = view.Fields, view.FieldsCut
	view.Fields, view.FieldsCut = nil, nil // the record has them
	v.Links = c.links(v, view, o)
	p.Links, p.MoreLinks = len(v.Links), view.MoreLinks
}

const (
	// keptBytes is how many bytes are reserved for each byte of a page that was read: its body, and
	// body and view packed for the store. linkBytes is what each of its links takes until the page
	// is settled.
	keptBytes = 3
	linkBytes = 600

	// treeBytes is what the elements of a page take if selectors need them: a tree has
	// css.MaxElements at most (go test ./purify -run HostilePagesWithSelectors).
	treeBytes = 64 << 20

	// freePage is how much memory a page may take until it is settled without a reservation: nine
	// in ten pages take less.
	freePage = 1 << 20
)

// pageMemory returns how much memory a page takes at most until it is settled, not counting its
// body; 0 if that is at most freePage.
func pageMemory(r *fetch.Response, maxLinks int) int64 {
	links := min(bytes.Count(r.Body, []byte{'<'}), maxLinks)
	if feed.SitemapOf(r.Body) != "" {
		links = feed.MaxItems // unpacked it has more than its bytes show
	}
	n := (keptBytes-1)*int64(len(r.Body)) + linkBytes*int64(links)
	if n <= freePage {
		return 0
	}
	return n
}

// blocked gives up the worker's slot while fn waits for other pages.
func (c *Crawler) blocked(fn func()) { c.slots.WhileBlocked(true, fn) }

// atOnce calls fn. It stands in for blocked where no slot is held.
func atOnce(fn func()) { fn() }
