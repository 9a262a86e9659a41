package gatecrawl

import (
	"context"
	"fmt"
	"net/http"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
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
	if err := memory.Grow(ctx, keptBytes*int64(len(e.Body))); err != nil {
		return c.store.Release(l, 0) // the crawl ends
	}
	release, err := c.parse.AcquireLong(ctx, len(e.Body), atOnce)
	if err != nil {
		return c.store.Release(l, 0) // the crawl ends
	}
	defer release()
	r := &fetch.Response{URL: l.URL, Body: e.Body, ContentType: e.Page.Type, Header: http.Header{}}
	r.Header.Set("Content-Type", e.Page.Type)
	if e.Page.Charset != "" {
		r.Header.Set("Content-Type", e.Page.Type+"; charset="+e.Page.Charset)
	}
	view, _ := c.readInTurn(r, e.Template)
	v := &visit{Visit: page.Visit{Lease: l, Page: e.Page, Body: e.Body}}
	c.sign(v, e.Digest, view, e.Template)
	c.describe(v, view, orders{})
	v.Page.Relevance = e.Page.Relevance // the relevance that it was kept by and that the harvest counts
	if v.Earlier, err = c.earlierText(v); err != nil {
		return fmt.Errorf("read %s again: %w", l.URL, err)
	}
	v.View = page.PackViewOn(view, e.Body)
	_, err = c.store.Settle(ctx, &v.Visit)
	return err
}
