package gatecrawl

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// Earlier looks up documents of earlier crawls; a copy of one is not kept. Its methods are called
// from many goroutines, and answer a question in the same way as long as a crawl runs.
type Earlier interface {
	// CheckBytes looks up a body and its digest; ok is false if it is not known.
	CheckBytes(body []byte, digest dedup.Digest) (e page.Earlier, ok bool, err error)

	// Check looks up a page whatever its bytes are: a page that had the same body at the same URL, or at the same path of
	// another host, and then its signature and text. body is "" if it has no text.
	Check(url, body string, sig dedup.Signature, text *dedup.Text) (e page.Earlier, ok bool, err error)
}

// SetEarlier makes the crawler treat what earlier crawls have as copies. Call it before Run.
func (c *Crawler) SetEarlier(e Earlier) { c.earlier = e }

// knowsBytes ends the visit of a page whose bytes an earlier crawl has. Only its links are read.
func (c *Crawler) knowsBytes(_ context.Context, v *visit) (next, error) {
	if c.earlier == nil || v.known.Copy() {
		return goOn, nil
	}
	e, ok, err := c.earlier.CheckBytes(v.resp.Body, v.digest)
	if err != nil {
		return goOn, fmt.Errorf("documents of earlier crawls: %w", err)
	}
	if !ok {
		return goOn, nil
	}
	if c.judge != nil { // the page's text decides the score of its links
		v.of = &e
		return goOn, nil
	}
	v.Sign = &dedup.Signature{Bytes: v.digest}
	c.describe(v, c.readLinks(v.resp), v.orders)
	v.markEarlier(&e)
	return decided, nil
}

// knowsText ends the visit of a page that is a near copy of one that an earlier crawl has.
func (c *Crawler) knowsText(_ context.Context, v *visit) (next, error) {
	if v.of == nil {
		var err error
		if v.of, err = c.earlierText(v, v.view); err != nil || v.of == nil {
			return goOn, err
		}
	}
	v.markEarlier(v.of)
	return decided, nil
}

// earlierText returns the document of an earlier crawl that has the text of a page as it is read now; nil: there is none. A page
// that is kept is asked about again when its host has another template: the frame of the first pages is taken for their text.
func (c *Crawler) earlierText(v *visit, view *purify.DocView) (*page.Earlier, error) {
	if c.earlier == nil {
		return nil, nil
	}
	e, ok, err := c.earlier.Check(v.Page.URL, view.Body, *v.Sign, v.Text)
	if err != nil {
		return nil, fmt.Errorf("documents of earlier crawls: %w", err)
	}
	if !ok {
		return nil, nil
	}
	return &e, nil
}

// markEarlier makes a visit a copy of an earlier crawl's document; the gate of this job is not
// asked.
func (v *visit) markEarlier(e *page.Earlier) {
	e.Note(&v.Page)
	v.Page.Digest = v.digest.String()
	v.Sign, v.Text, v.Checked, v.Own = nil, nil, e.Verdict(), nil
}
