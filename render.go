package gatecrawl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A Render says on which pages scripts are run before they are read.
type Render string

// The choices of Options.Render.
const (
	RenderNever  Render = "never"
	RenderAuto   Render = "auto"   // pages with scripts that have almost no text without them
	RenderAlways Render = "always" // every HTML page with scripts
)

// UnmarshalText reads a choice.
func (r *Render) UnmarshalText(b []byte) error {
	switch v := Render(b); v {
	case RenderNever, RenderAuto, RenderAlways:
		*r = v
		return nil
	}
	return fmt.Errorf("invalid render mode %q: want never, auto or always", b)
}

// MarshalText writes the choice.
func (r Render) MarshalText() ([]byte, error) { return []byte(r), nil }

// emptyTokens is how many tokens a body must have for a page to count as readable without scripts.
// The text of pages that are not ("you need to enable JavaScript to run this app") has some ten.
const emptyTokens = 50

// RenderWith makes the crawler run the scripts of pages, as Options.Render says.
func (c *Crawler) RenderWith(r fetch.Renderer) { c.renderer = r }

// needsScripts reports whether a page is to be rendered.
func (c *Crawler) needsScripts(r *fetch.Response, sig dedup.Signature) bool {
	if c.renderer == nil || !r.IsHTML() || r.Truncated {
		return false
	}
	if !bytes.Contains(r.Body, []byte("<script")) && !bytes.Contains(r.Body, []byte("<SCRIPT")) {
		return false
	}
	when, own := c.o.RenderOf[r.URL.Host()]
	if !own {
		when = c.o.Render
	}
	return when == RenderAlways || when == RenderAuto && sig.Tokens < emptyTokens
}

// rendered returns a response after its scripts ran, or as it was if they failed; the record says
// which. It drops the validators that the server sent, which are those of the page without its
// scripts.
func (c *Crawler) rendered(ctx context.Context, v *visit, s *site, r *fetch.Response) *fetch.Response {
	html, err := c.renderer.Render(ctx, r, fetch.Manners{
		May:   func(u weburl.URL) bool { return s.rules.Check(c.o.Token, u).Allowed },
		Pause: c.rest(s),
	})
	v.Finished = time.Now() // scripts may have asked the host
	if err != nil {
		v.Page.Render = page.RenderFailed + err.Error()
		c.log.Debug("render", "url", v.Page.URL, "host", v.Lease.URL.Host(), "err", err)
		return r
	}
	v.Page.Render = "done"
	v.Page.ETag, v.Page.LastModified = "", ""
	done := *r
	done.Body, done.ContentType = html, "text/html"
	done.Header = r.Header.Clone()
	if done.Header == nil {
		done.Header = http.Header{}
	}
	done.Header.Set("Content-Type", "text/html; charset=utf-8")
	return &done
}

// purify reads a page with the template of its host, after running its scripts if it needs that.
func (c *Crawler) purify(ctx context.Context, v *visit) error {
	if err := c.purifyNow(v); err != nil || !c.needsScripts(v.resp, *v.Sign) {
		return err
	}
	after := c.rendered(ctx, v, v.site, v.resp)
	if after == v.resp {
		return nil
	}
	if len(v.resp.Body) <= fetch.FreeBody {
		release, err := c.parse.AcquireLong(ctx, len(after.Body), c.blocked)
		if err != nil {
			return nil // the crawl ends
		}
		defer release()
	}
	v.resp, v.Sum = after, sha256.Sum256(after.Body)
	v.view, v.Prints = c.readInTurn(after, v.template)
	c.sign(v, dedup.Digest(v.Sum[:]), v.view, v.template)
	return nil
}

// purifyNow reads a page as it was sent. It looks the template up only when the memory for reading
// is reserved: the host may get a new one during the wait.
func (c *Crawler) purifyNow(v *visit) error {
	defer c.parse.AcquireShort(len(v.resp.Body))()
	known, err := c.store.Known(v.Lease)
	if err != nil {
		return err
	}
	v.template, v.before, v.twin = known.Template, known.Seq, twinPage{known.Twin, known.TwinSeq, known.TwinBytes}
	v.view, v.Prints = c.read(v.resp, v.template)
	c.sign(v, v.digest, v.view, v.template)
	return nil
}

// sign writes into a visit the signature and the text of a view, for the gate. t is the template of
// the page's host, if it has one; the view need not have been read with it.
func (c *Crawler) sign(v *visit, digest dedup.Digest, view *purify.DocView, t *purify.Template) {
	text := dedup.TextOf(view, readBy(view, t))
	v.signed(c.o.IDF.SignPage(digest, view, &text), &text, view, t)
}

// signAgain is sign for a view that was signed before and has been reframed since.
func (c *Crawler) signAgain(v *visit, t *purify.Template) {
	text := v.Text.Again(v.view, readBy(v.view, t))
	v.signed(c.o.IDF.SignAgain(v.view, &text, v.Text, *v.Sign), &text, v.view, t)
}

// readBy returns the template that a view was read with, given the template t of its host; nil:
// none.
func readBy(view *purify.DocView, t *purify.Template) *purify.Template {
	if view.Template == 0 {
		return nil
	}
	return t
}

func (v *visit) signed(sig dedup.Signature, text *dedup.Text, view *purify.DocView, t *purify.Template) {
	v.Sign, v.Text, v.Template, v.Own = &sig, text, t.Generation(), nil
	v.Page.SimHash, v.Page.BodyTokens = "", 0
	if sig.Tokens > 0 {
		v.Page.SimHash, v.Page.BodyTokens = fmt.Sprintf("%016x", sig.SimHash), int(sig.Tokens)
	}
	if text.IsBrief() || text.Thin {
		// Without the blocks that its host repeats the gate may find it another page.
		v.Own = view.Own(v.Prints)
	}
}
