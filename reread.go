package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// reread reads a kept page again that was read with an older template than its host has now, and
// replaces its view and its signature. If ctx ends first the next run does it.
func (c *Crawler) reread(ctx context.Context, l frontier.Lease) error {
	e, err := c.store.Known(l)
	if err != nil {
		return fmt.Errorf("read %s again: %w", l.URL, err)
	}
	memory := c.bodies.Reserve()
	defer memory.Release()
	view, prints, err := c.readKept(ctx, e, l.URL, e.Template, memory, atOnce)
	if err != nil {
		return c.store.Release(l, 0) // the crawl ends
	}
	v := &visit{Visit: page.Visit{Lease: l, Page: e.Page, Body: e.Body, Prints: prints}, view: view}
	c.sign(v, e.Digest, view, e.Template)
	c.describe(v, view, orders{})
	v.Page.Relevance = e.Page.Relevance // all pages are rated again at the end of the run
	if v.Earlier, err = c.earlierText(v, view); err != nil {
		return fmt.Errorf("read %s again: %w", l.URL, err)
	}
	v.View = page.PackViewOn(view, e.Body)
	if c.earlier == nil && len(view.Blocks) > 0 { // Earlier is of the text as it was read
		v.Reread = func(t *purify.Template) { c.readWith(v, t) }
	}
	_, err = c.store.Settle(ctx, &v.Visit)
	return err
}

// readKept reads the bytes of a kept page with a template. Memory grows by what that takes; blocked is called with what waits
// for other pages. The only error is that of ctx.
func (c *Crawler) readKept(ctx context.Context, e page.Known, u weburl.URL, t *purify.Template, memory *limit.Reservation, blocked func(func())) (*purify.DocView, []purify.Print, error) {
	var err error
	if blocked(func() { err = memory.Grow(ctx, keptBytes*int64(len(e.Body))) }); err != nil {
		return nil, nil, err
	}
	release, err := c.parse.AcquireLong(ctx, len(e.Body), blocked)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	r := &fetch.Response{URL: u, Body: e.Body, ContentType: e.Page.Type, Header: http.Header{}, Started: e.Page.Fetched}
	r.Header.Set("Content-Type", e.Page.Type)
	if e.Page.Charset != "" {
		r.Header.Set("Content-Type", e.Page.Type+"; charset="+e.Page.Charset)
	}
	view, prints := c.readInTurn(r, t)
	return view, prints, nil
}

// textNow returns the text of a stored page, read for a URL with a template, or with the one of the moment if t is nil; ok is false if its
// bytes are not kept. What is stored of its text was read with the template of its time, and what only one of the two templates takes out is
// no difference.
func (c *Crawler) textNow(ctx context.Context, v *visit, seq uint64, u weburl.URL, t *purify.Template) (text dedup.Text, ok bool, err error) {
	e, err := c.store.Known(frontier.Lease{Task: frontier.Reread, Token: seq, URL: u})
	if errors.Is(err, page.ErrNoBytes) || err == nil && e.Body == nil {
		return text, false, nil
	}
	if err != nil {
		return text, false, fmt.Errorf("what is kept: %w", err)
	}
	if t == nil {
		t = e.Template
	}
	v.wasRead() // a visit that waits must not hold memory that others need for reading
	view, _, err := c.readKept(ctx, e, u, t, v.memory, c.blocked)
	if err != nil {
		return text, false, err
	}
	return dedup.TextOf(view, readBy(view, t)), true, nil
}
