package gatecrawl

import (
	"context"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/requisites"
)

// visitRequisite fetches a file that is needed to show a page: a visit without gate, text and
// links.
func (c *Crawler) visitRequisite(ctx context.Context, l frontier.Lease) error {
	v := c.start(l)
	defer v.release()
	ctx = fetch.WithMemory(ctx, v.memory)
	for _, step := range []func(context.Context, *visit) (next, error){
		c.checkRequisite, // the rules of this run, and the limit of the page's files: refused
		c.obeyRobots,     // robots.txt: refused
		c.fetchRequisite, // one request: a redirect, a failure, the file
		c.readRequisite,  // the requisites of a style sheet; what is stored
	} {
		switch n, err := step(ctx, v); {
		case err != nil && !errors.Is(err, context.Canceled):
			return fmt.Errorf("visit %s: %w", l.URL, err)
		case err != nil || n == giveBack:
			return c.handBack(v.Lease, c.owed(v))
		case n == decided:
			return c.settleRequisite(ctx, v)
		}
	}
	return c.settleRequisite(ctx, v)
}

// checkRequisite refuses a file that the rules of this run exclude, and one whose page has reached
// the limit of bytes for its files.
func (c *Crawler) checkRequisite(_ context.Context, v *visit) (next, error) {
	r := c.refuseRequisite(v.Lease.URL)
	if r.IsZero() {
		known, err := c.store.Known(v.Lease)
		if err != nil || !known.Full {
			v.version = fetch.Validators{ETag: known.ETag, LastModified: known.LastModified}
			return goOn, err
		}
		r = frontier.Refusal{Rule: "requisites-size", Detail: "its page has as many bytes of files as it may"}
	}
	v.Page.Verdict, v.Page.Rule, v.Page.Reason = page.VerdictRefused, r.Rule, r.Rule+": "+r.Detail
	return decided, nil
}

// refuseRequisite returns which rule excludes a file. The scope does not apply: a page within it
// needs the file.
func (c *Crawler) refuseRequisite(u weburl.URL) frontier.Refusal {
	if c.tooFar(u) {
		return frontier.Refusal{Rule: "contact", Detail: "not on this machine, and the crawl names no contact"}
	}
	return c.scope.CheckSeed(u)
}

// fetchRequisite requests the file. Credentials that are set for its site are sent only if the page
// is of the same site: a page of another site must not be able to use them.
func (c *Crawler) fetchRequisite(ctx context.Context, v *visit) (next, error) {
	if v.Lease.From.Host() != v.Lease.URL.Key().Host() {
		ctx = fetch.Bare(ctx)
	}
	return c.request(ctx, v, v.version)
}

// readRequisite finds the requisites of a style sheet, and packs what is stored of the file.
func (c *Crawler) readRequisite(_ context.Context, v *visit) (next, error) {
	v.Body, v.Visit.Answer = v.resp.Body, answerOf(v)
	v.Page.Location = v.resp.Location()
	if v.Page.Location == "" && v.resp.ContentType == "text/css" {
		v.Needs = c.needsOf(&v.Lease, v.Lease.URL, requisites.OfStyle(v.resp.Body, c.o.MaxLinks))
	}
	return goOn, nil
}

// settleRequisite hands the visit of a file to the store.
func (c *Crawler) settleRequisite(ctx context.Context, v *visit) error {
	if err := c.archived(v); err != nil {
		return err
	}
	_, err := c.store.Settle(ctx, &v.Visit)
	if errors.Is(err, frontier.ErrLeaseLost) {
		return nil
	}
	c.log.Debug("requisite", "url", v.Page.URL, "host", v.Lease.URL.Host(), "status", v.Page.Status, "reason", v.Page.Reason)
	return err
}

// mostImports limits a chain of style sheets that import each other.
const mostImports = 8

// filesOf returns the files that are needed to show a page; nil if the crawl does not fetch these.
func (c *Crawler) filesOf(v *visit, view *purify.DocView) []frontier.Candidate {
	if !c.o.Requisites {
		return nil
	}
	files := []frontier.Candidate{} // an empty list is recorded: these files need not be looked for again
	if v.resp.IsHTML() {
		files = append(files, c.needsOf(&v.Lease, page.Base(v.Lease.URL, view), requisites.Of(v.resp.Body, c.o.MaxLinks))...)
	}
	return files
}

// needsOf returns the requisites of a page or a style sheet as candidates. Refused ones are left
// out: there are many, and no page is lost.
func (c *Crawler) needsOf(l *frontier.Lease, base weburl.URL, refs []string) []frontier.Candidate {
	from, depth := l.URL.Key(), uint16(0)
	if l.Task == frontier.Requisite {
		from, depth = l.From, l.Signals.Depth+1
	}
	if depth > mostImports {
		return nil
	}
	var cs []frontier.Candidate
	for _, ref := range refs {
		to, err := base.Parse(ref)
		if err != nil || !c.refuseRequisite(to).IsZero() {
			continue
		}
		cand := frontier.Candidate{URL: to, From: from}
		cand.Signals.Depth = depth
		cs = append(cs, cand)
	}
	return cs
}

// movedTo returns the target of a file's redirect, as a requisite of the same page.
func (c *Crawler) movedTo(v *visit, location string) []frontier.Candidate {
	if int(v.Lease.Trap.Redirects) >= c.o.MaxRedirects {
		return nil
	}
	l := v.Lease
	cs := c.needsOf(&l, l.URL, []string{location})
	for i := range cs {
		cs[i].Trap, cs[i].Signals.Depth = l.Trap.Redirect(), l.Signals.Depth
	}
	return cs
}

// fetchRequisites fetches the remaining requisites of kept pages when no more pages may be fetched.
func (c *Crawler) fetchRequisites(turns, work context.Context) error {
	return c.only(frontier.LeaseRequisites, turns, work, limit.NewQuota(0, 0, 0, 0, func() {}))
}
