package gatecrawl

import (
	"context"
	"fmt"
	"net/http"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/template"
)

// catchUp purifies the pages again that were read with an older template than
// their host has. Each one becomes durable as a whole; what ctx cuts short is
// taken up by the next run.
func (c *Crawler) catchUp(ctx context.Context) error {
	for ctx.Err() == nil {
		e, err := c.store.Earlier()
		if err != nil || e == nil {
			return err
		}
		if err := c.revise(ctx, e); err != nil {
			return fmt.Errorf("purify %s again: %w", e.Page.URL, err)
		}
	}
	return nil
}

// revise replaces the view and the signature of a kept page. It stays kept, and
// its copies stay its copies.
func (c *Crawler) revise(ctx context.Context, e *template.Earlier) error {
	u, err := weburl.Parse(e.Page.URL)
	if err != nil {
		return err
	}
	memory := c.bodies.Reserve()
	defer memory.Release()
	if err := memory.Grow(ctx, keptBytes*page.UnpackedLen(e.Body)); err != nil {
		return nil // the crawl ends
	}
	body, err := page.UnpackBody(e.Body)
	if err != nil {
		return err
	}
	release, err := c.parse.AcquireLong(ctx, len(body), atOnce)
	if err != nil {
		return nil // the crawl ends
	}
	defer release()
	r := &fetch.Response{URL: u, Body: body, ContentType: e.Page.Type, Header: http.Header{}}
	r.Header.Set("Content-Type", e.Page.Type)
	if e.Page.Charset != "" {
		r.Header.Set("Content-Type", e.Page.Type+"; charset="+e.Page.Charset)
	}
	view, _ := c.read(r, e.Template)
	v := &visit{Visit: page.Visit{Lease: frontier.Lease{URL: u}, Page: e.Page}}
	c.sign(v, e.Digest, view, e.Template)
	c.describe(v, view, orders{})
	if v.View, err = page.PackView(view); err != nil {
		return err
	}
	return c.store.Revise(ctx, &v.Visit)
}
