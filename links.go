package gatecrawl

import (
	"errors"
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/words"
)

// redirected queues the target of a redirect: a URL like any other, with the depth of the URL that
// led there.
func (c *Crawler) redirected(v *visit, location string) {
	p := &v.Page
	p.Verdict, p.Rule, p.Location = page.VerdictRefused, "redirect", location
	p.Reason = "redirects to " + location
	to, err := v.Lease.URL.Parse(location)
	if err != nil {
		if fault, ok := errors.AsType[*weburl.ParseError](err); ok {
			err = fault.Err // without the text, which may be as long as a header
		}
		p.Location = weburl.Shorten(location)
		p.Reason = fmt.Sprintf("redirects to %q, which is not a URL: %v", p.Location, err)
		return
	}
	if clean := c.clean(to); clean != v.Lease.URL { // else a server may insist on its session IDs
		to = clean
	}
	p.Location = to.String()
	p.Reason = "redirects to " + p.Location
	root := ""
	if v.Lease.Seed && !c.tooFar(to) {
		// A user who enters example.com wants www.example.com if that is the site's name. An entry of a
		// sitemap may lead anywhere.
		c.scope.AddRoot(to)
		root = c.scope.RootURL(to)
	}
	cand := frontier.Candidate{URL: to, From: v.Lease.URL.Key(), Label: v.Lease.Label, Signals: v.Lease.Signals, Trap: v.Lease.Trap.Redirect(), Root: root}
	cand.Refused = c.refuse(to, p.Depth, cand.Trap)
	if v.Lease.Anchor == announcedBy { // the site's sitemap, wherever it is
		cand.Anchor, cand.Refused = announcedBy, c.refuseNamed(to)
	}
	if cand.Refused.IsZero() && int(cand.Trap.Redirects) > c.o.MaxRedirects {
		cand.Refused = frontier.Refusal{Rule: "redirects", Detail: fmt.Sprintf("more than %d redirects in a row", c.o.MaxRedirects)}
	}
	c.found(v, &cand)
	v.Links = append(v.Links, cand)
}

// moved makes a redirect of a page that is nothing else: it says hardly anything, and a meta refresh
// takes its readers to another page at once.
func (c *Crawler) moved(v *visit) bool {
	if !v.view.Moved {
		return false
	}
	to, err := page.Base(v.Lease.URL, v.view).Parse(v.view.Refresh)
	if err != nil || c.clean(to) == v.Lease.URL {
		return false
	}
	c.redirected(v, to.String())
	p := &v.Page
	p.Reason += " by a meta refresh"
	p.SimHash, p.BodyTokens, p.ETag, p.LastModified = "", 0, "", ""
	v.dropDocument()
	return true
}

// stubBytes is the length below which an answer says hardly anything.
const stubBytes = 300

// refreshed makes a redirect of an answer that says hardly anything and whose header Refresh takes
// its readers to another page at once.
func (c *Crawler) refreshed(v *visit, r *fetch.Response) bool {
	target, atOnce := purify.Refresh(r.Header.Get("Refresh"))
	if target == "" || !atOnce || r.Status < 200 || r.Status > 299 || len(r.Body) >= stubBytes {
		return false
	}
	if to, err := v.Lease.URL.Parse(target); err != nil || c.clean(to) == v.Lease.URL {
		return false
	}
	c.redirected(v, target)
	v.Page.Reason += " by the header Refresh"
	return true
}

// links returns what a page links to as candidates for the queue. It makes the view's links
// absolute on the way.
func (c *Crawler) links(v *visit, view *purify.DocView, o orders) []frontier.Candidate {
	pageURL := v.Lease.URL
	base := page.Base(pageURL, view)
	charset := "" // of queries: documents other than HTML pages have their queries in UTF-8
	if strings.Contains(v.Page.Type, "html") {
		charset = view.Charset
	}
	from := pageURL.Key()
	cs := make([]frontier.Candidate, 0, len(view.Links)+2)
	rated := make(map[weburl.URL]bool) // URLs that this page's rating was counted for; nil without a focus
	if c.judge == nil {
		rated = nil
	}
	entries := v.resp != nil && !v.resp.IsHTML() && isFeed(v.resp)
	follow := func(ref string, l *purify.Link) {
		to, err := base.Parse(weburl.EncodeQuery(ref, charset))
		if err != nil {
			return // not a URL: the link leads nowhere
		}
		to = c.clean(to)
		cs = append(cs, frontier.Candidate{
			URL: to, From: from, Label: v.Lease.Label, Trap: v.Lease.Trap.Follow(pageURL, to),
			Signals: priority.Signals{Depth: uint16(min(v.Page.Depth+1, 1<<16-1))},
		})
		cand := &cs[len(cs)-1]
		if l != nil {
			l.URL, cand.Anchor = to.String(), words.Cut(l.Text, 80)
			if cand.Kind = kindOf(l); entries {
				cand.Kind |= frontier.EntryLink
			}
		}
		if rated != nil {
			c.rateLink(v, cand, l, rated)
		}
		if cand.Refused = c.refusedLink(l, o); cand.Refused.IsZero() {
			cand.Refused = c.refuse(to, int(cand.Signals.Depth), cand.Trap)
		}
		c.found(v, cand)
	}
	for i := range view.Links {
		follow(view.Links[i].URL, &view.Links[i])
	}
	for _, ref := range append(o.links, view.Canonical, view.Refresh) {
		if ref != "" {
			follow(ref, nil)
		}
	}
	if c.o.Sitemaps && v.Lease.Seed { // each page of a blog has a feed of its comments
		for _, ref := range o.feeds {
			follow(ref, nil)
		}
	}
	return cs
}

// kindOf returns the kind of a page's link.
func kindOf(l *purify.Link) frontier.LinkKind {
	k := frontier.PageLink
	if l.Body {
		k |= frontier.BodyLink
	}
	if l.NoFollow {
		k |= frontier.NoFollowLink
	}
	return k
}

// tooFar reports whether a URL is on another machine in a crawl with LoopbackOnly.
func (c *Crawler) tooFar(u weburl.URL) bool { return c.o.LoopbackOnly && !u.Loopback() }

// refuse returns which rule excludes a URL that was found; the zero Refusal: none.
func (c *Crawler) refuse(u weburl.URL, depth int, t frontier.Trail) frontier.Refusal {
	if c.tooFar(u) {
		return frontier.Refusal{Rule: "contact", Detail: "not on this machine, and the crawl names no contact"}
	}
	return c.scope.Check(u, depth, t)
}

// elsewhere returns the canonical URL that a page declares if that is on another site: a hint that
// this page is a copy.
func elsewhere(of weburl.URL, view *purify.DocView) string {
	if view.Canonical == "" {
		return ""
	}
	to, err := page.Base(of, view).Parse(view.Canonical)
	if err != nil || to.Origin() == of.Origin() {
		return ""
	}
	return to.String()
}

// clean returns a URL without the parameters that the scope and the URL rules remove.
func (c *Crawler) clean(u weburl.URL) weburl.URL {
	u, _ = c.o.URLRules.Strip(c.scope.Clean(u))
	return u
}

// ResolveFields makes the URLs in the fields of a page absolute and writes them like the page's
// links, so that they compare equal to the URLs of records. A value that is not the URL of a page,
// such as mailto:me@example.org, stays as it is. A file has the zero URL; only its base element
// says what its URLs are relative to.
func ResolveFields(view *purify.DocView, at weburl.URL) {
	if len(view.Fields) == 0 {
		return
	}
	base := page.Base(at, view)
	view.Fields.Resolve(func(ref string) string {
		if base.IsZero() {
			return ""
		}
		to, err := base.Parse(weburl.EncodeQuery(strings.TrimSpace(ref), view.Charset))
		if err != nil {
			return ""
		}
		return to.String()
	})
}
