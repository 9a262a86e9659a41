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

// readInTurn is read when it is the document's turn.
func (c *Crawler) readInTurn(r *fetch.Response, t *purify.Template) (*purify.DocView, []purify.Print) {
	defer c.parse.AcquireShort(len(r.Body))()
	return c.read(r, t)
}

// read purifies a document of a host whose template may be known. For anything that is not text
// or has no text, only the digest counts. The caller has the document's turn.
func (c *Crawler) read(r *fetch.Response, t *purify.Template) (view *purify.DocView, prints []purify.Print) {
	switch {
	case !r.IsHTML() && !r.IsText() && document.KindOf(r.ContentType) == document.None:
		return &purify.DocView{Type: "other", Role: "other"}, nil
	case isFeed(r):
		view = purify.Feed(r.Body, mediaType(r))
	default:
		view, prints = c.reader.PurifyOn(t, r.URL.String(), r.Body, mediaType(r))
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

// mediaType is the type that a response was taken for, and the charset as it was sent.
func mediaType(r *fetch.Response) string {
	sent := r.Header.Get("Content-Type")
	if i := strings.Index(strings.ToLower(sent), "charset"); i >= 0 {
		return r.ContentType + "; " + sent[i:]
	}
	return r.ContentType
}

// categorize gives a page that declares no category a likely one, if there is one.
func (c *Crawler) categorize(view *purify.DocView) {
	if c.o.Category == nil || len(view.Category) > 0 {
		return
	}
	if name := c.o.Category(view.Title, view.Body); name != "" {
		view.Category = []string{name}
	}
}

// describe takes over into the record what the view says, and queues its links.
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
	// keptBytes is what is reserved for a page that was read, for each byte of it: its
	// body, and packed for the store body and view. linkBytes is what each of its links
	// takes until it is settled.
	keptBytes = 3
	linkBytes = 600

	// treeBytes is what the elements of a page take where selectors ask for them: a tree
	// has css.MaxElements at most (go test ./purify -run HostilePagesWithSelectors).
	treeBytes = 64 << 20

	// freePage is what a page may take until it is settled without reserving memory:
	// nine in ten pages take less.
	freePage = 1 << 20
)

// pageMemory returns the most memory that a page takes until it is settled, not counting its body,
// if that is more than is free.
func pageMemory(r *fetch.Response, maxLinks int) int64 {
	links := min(bytes.Count(r.Body, []byte{'<'}), maxLinks)
	if feed.SitemapOf(r.Body) != "" {
		links = feed.MaxItems // what is packed has more than it shows
	}
	n := (keptBytes-1)*int64(len(r.Body)) + linkBytes*int64(links)
	if n <= freePage {
		return 0
	}
	return n
}

// blocked calls fn, which waits for other pages, without the slot of a worker.
func (c *Crawler) blocked(fn func()) { c.slots.WhileBlocked(true, fn) }

// atOnce calls fn where no slot is held.
func atOnce(fn func()) { fn() }
