package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/soft404"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// repeatedCopy reports whether a copy has to be compared with the error page of its site: the host
// has many copies of that page, so it may be what the host serves for missing pages.
func (c *Crawler) repeatedCopy(l frontier.Lease, v dedup.Verdict) bool {
	return c.o.Soft404 && v.Copy() && c.errorPages.RepeatedCopy(l.URL, v.Of) && c.mayServe(l.URL)
}

// repeatedText reports whether a page that would be new has to be compared with the error page of its site: the
// host has pages that say the same apart from their URLs.
func (c *Crawler) repeatedText(v *visit) bool {
	return c.o.Soft404 && !v.Lease.Again && !v.Checked.Copy() &&
		c.errorPages.RepeatedText(v.Lease.URL, v.says()) && c.mayServe(v.Lease.URL)
}

// mayServe reports whether a page's site may serve an error page with status 200 in its place: it does, or was
// not asked.
func (c *Crawler) mayServe(u weburl.URL) bool {
	probe, err := soft404.ProbeURL(u)
	if err != nil {
		return false
	}
	e, ok := c.errorPages.Known(probe.Key())
	return !ok || e.Served
}

// says returns what the page says apart from its URL.
func (v *visit) says() soft404.Text {
	return soft404.TextOf(v.Lease.URL, v.view.Title, v.view.Body)
}

// ruleErrorPage is page.Record.Rule of error pages with status 200.
const ruleErrorPage = "soft-404"

// soft404 records a page that is really the site's error page served with status 200.
// It looks at pages that say so in a server's words, at pages that would become another document than they were, and at hosts
// with many copies of one page, or many pages that differ by their URLs alone. Where the error page is not known yet the host is asked
// for it, when it has rested.
func (c *Crawler) soft404(ctx context.Context, v *visit, repeated bool) (bool, error) {
	changed := v.Lease.Again && !v.Checked.Copy()
	if !c.o.Soft404 || c.o.Mode == dedup.ModeOff {
		return false, nil
	}
	if soft404.SaysNotFound(v.Lease.URL, v.view.Title, v.view.Body) {
		v.refuseErrorPage("soft 404: it says that the server does not have it")
		return true, nil
	}
	if !repeated && !changed {
		return false, nil
	}
	probe, err := soft404.ProbeURL(v.Lease.URL)
	if err != nil {
		return false, nil // its URL is too long to add a name to
	}
	e, err := c.errorPageAt(ctx, v, probe)
	if err != nil || !e.Matches(v.Sign, v.says()) {
		return false, err
	}
	v.refuseErrorPage(fmt.Sprintf("soft 404: %s, where nothing is, says the same", probe))
	return true, nil
}

// refuseErrorPage records that the page is an error page.
func (v *visit) refuseErrorPage(why string) {
	p := &v.Page
	p.Verdict, p.Rule, p.Reason = page.VerdictRefused, ruleErrorPage, why
	v.dropDocument()
	v.Checked, v.Links, v.Reread, v.Template = dedup.Verdict{}, nil, nil, 0 // its links do not count
	p.Fields, p.FieldsCut = nil, nil
	p.Relevance, v.rating = 0, nil // a server that repeats what it was asked for says nothing on the topic
}

// errorPageAt returns what a site answers for a URL that does not exist. The first visit that needs
// it requests it when the host may be asked; other visits of that host wait for the answer.
func (c *Crawler) errorPageAt(ctx context.Context, v *visit, probe weburl.URL) (soft404.ErrorPage, error) {
	e, err, _ := c.probes.Do(probe.String(), func() (any, error) {
		if e, ok := c.errorPages.Known(probe.Key()); ok {
			return e, nil
		}
		e, err := c.probe(ctx, v, probe)
		if err == nil {
			c.errorPages.Learn(probe.Key(), e)
		}
		return e, err
	})
	if err != nil {
		return soft404.ErrorPage{}, err
	}
	return e.(soft404.ErrorPage), nil
}

// probe requests the error page in the folder of the visit's page, when the host has rested and it is this request's turn.
func (c *Crawler) probe(ctx context.Context, v *visit, probe weburl.URL) (soft404.ErrorPage, error) {
	if !v.site.rules.Check(c.o.Token, probe).Allowed {
		return soft404.ErrorPage{}, nil
	}
	known, err := c.store.Known(v.Lease)
	if err != nil {
		return soft404.ErrorPage{}, err
	}
	v.wasRead() // a visit that waits must not hold memory that others need for reading
	turn := c.store.Reserve(v.Lease, v.Finished.Add(v.Rest))
	var resp *fetch.Response
	var failed error
	c.slots.WhileBlocked(v.Lease.Probe, func() {
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(turn)):
			resp, failed = c.fetch.Fetch(ctx, probe)
		}
	})
	if err := ctx.Err(); err != nil {
		return soft404.ErrorPage{}, err
	}
	if fault, ok := errors.AsType[*fetch.Error](failed); ok && fault.Op == fetch.PhaseCanceled {
		return soft404.ErrorPage{}, context.Canceled // nothing was learned about the site: the visit is handed back
	}
	v.Finished = time.Now()
	if resp != nil {
		v.Rest = max(v.Rest, c.slowed(resp.Took))
	}
	return c.errorPage(ctx, probe, resp, failed, known.Template)
}

// errorPage reads the answer to a probe. A failed request, a redirect and an error status are
// correct answers for a missing page.
func (c *Crawler) errorPage(ctx context.Context, probe weburl.URL, r *fetch.Response, failed error, t *purify.Template) (soft404.ErrorPage, error) {
	if failed != nil || r.Location() != "" || r.Status < 200 || r.Status > 299 {
		return soft404.ErrorPage{}, nil
	}
	release, err := c.parse.AcquireLong(ctx, len(r.Body), c.blocked)
	if err != nil {
		return soft404.ErrorPage{}, err
	}
	defer release()
	view, _ := c.readInTurn(r, t)
	sig := c.o.IDF.SignView(dedup.DigestOf(r.Body), view)
	return soft404.ErrorPageOf(&sig, soft404.TextOf(probe, view.Title, view.Body)), nil
}
