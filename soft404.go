package gatecrawl

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/mirror/soft404"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// repeatedCopy reports whether a copy has to be compared with the error page of its
// site: the host has many copies of that page, and may serve it for all that is missing.
func (c *Crawler) repeatedCopy(l frontier.Lease, v dedup.Verdict) bool {
	if !c.o.Soft404 || !v.Copy() || !c.errorPages.RepeatedCopy(l.URL, v.Of) {
		return false
	}
	probe, err := soft404.ProbeURL(l.URL)
	if err != nil {
		return false
	}
	e, ok := c.errorPages.Known(probe.Key())
	return !ok || e.Served
}

// soft404 records a page that is really the site's error page served with status 200.
// It looks at pages that would become another document than they were, and at hosts
// with many copies of one page. Where the error page is not known yet the host is asked
// for it in a turn of its own. A page that would become another document waits for
// that, and later is true; a copy does not wait, and the copies after it are compared.
func (c *Crawler) soft404(v *visit, repeated bool) (soft, later bool) {
	changed := v.Lease.Again && !v.Checked.Copy()
	if !c.o.Soft404 || c.o.Mode == dedup.ModeOff || !repeated && !changed {
		return false, false
	}
	probe, err := soft404.ProbeURL(v.Lease.URL)
	if err != nil {
		return false, false // its URL is too long for a name beside it
	}
	e, ok := c.errorPages.Known(probe.Key())
	if !ok {
		return false, c.errorPages.WantProbe(probe.Key()) && changed
	}
	if !e.Matches(v.Sign) {
		return false, false
	}
	p := &v.Page
	p.Verdict, p.Rule = page.VerdictRefused, "soft-404"
	p.Reason = fmt.Sprintf("soft 404: %s, where nothing is, says the same", probe)
	v.Sign, v.Text, v.Checked = nil, nil, dedup.Verdict{} // no document, and no links of one
	v.Links, v.Prints, v.Own, v.Reread, v.Template = nil, nil, nil, nil, 0
	p.Fields, p.FieldsCut = nil, nil
	return true, false
}

// probe asks the host for the error page beside the page, if that is wanted. It is the
// host's request then, and the page waits for its next turn.
func (c *Crawler) probe(ctx context.Context, v *visit) (next, error) {
	if c.errorPages.ProbesWanted() == 0 {
		return goOn, nil
	}
	l := &v.Lease
	probe, err := soft404.ProbeURL(l.URL)
	if err != nil || !c.errorPages.TakeProbe(probe.Key()) {
		return goOn, nil
	}
	if !v.site.rules.Check(c.o.Token, probe).Allowed {
		c.errorPages.Learn(probe.Key(), soft404.ErrorPage{})
		return goOn, nil
	}
	known, err := c.store.Known(*l)
	if err != nil {
		return goOn, err
	}
	var resp *fetch.Response
	c.slots.WhileBlocked(l.Probe, func() { resp, err = c.fetch.Fetch(ctx, probe) })
	if ctx.Err() != nil {
		return giveBack, nil
	}
	e, err := c.errorPage(ctx, resp, err, known.Template)
	if err != nil {
		return giveBack, err
	}
	c.errorPages.Learn(probe.Key(), e)
	return giveBack, nil
}

// errorPage reads the answer to a probe. A failed request, a redirect and an error
// status are proper answers for what is missing.
func (c *Crawler) errorPage(ctx context.Context, r *fetch.Response, failed error, t *purify.Template) (soft404.ErrorPage, error) {
	if failed != nil || r.Location() != "" || r.Status < 200 || r.Status > 299 {
		return soft404.ErrorPage{}, nil
	}
	release, err := c.parse.AcquireLong(ctx, len(r.Body), c.blocked)
	if err != nil {
		return soft404.ErrorPage{}, err
	}
	defer release()
	view, _ := c.read(r, t)
	sig := c.o.IDF.SignView(dedup.DigestOf(r.Body), view)
	return soft404.ErrorPageOf(&sig), nil
}
