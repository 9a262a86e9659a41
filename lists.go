package gatecrawl

import (
	"bytes"
	"fmt"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
)

// isFeed reports whether a response is an RSS or Atom feed, which is a document too. Of a gzipped
// feed only the digest is used.
func isFeed(r *fetch.Response) bool {
	if !r.IsText() {
		return false
	}
	kind := feed.KindOf(r.Body)
	return kind == feed.RSS || kind == feed.Atom
}

// ruleSitemap is the rule of records of sitemaps.
const ruleSitemap = "sitemap"

// sitemap fills in the record of a sitemap and reports whether the response is one. A sitemap is a
// source of links and not a document. The URLs that it lists get its own depth.
func (c *Crawler) sitemap(v *visit, r *fetch.Response) bool {
	kind := feed.SitemapOf(r.Body)
	items := feed.Items(bytes.NewReader(r.Body), r.Charset(), feed.MaxBytes)
	if kind == feed.Text {
		items = feed.Lines(bytes.NewReader(r.Body), feed.MaxBytes)
		if r.IsText() && r.ContentType != "text/plain" {
			kind = "" // a table whose first column is URLs
		}
	}
	if kind == "" {
		return false
	}
	pageURL, bad := v.Lease.URL, 0
	more := ""
	for item, err := range items {
		if err != nil {
			more = "; " + err.Error()
			break
		}
		if len(v.Links) == feed.MaxItems {
			more = fmt.Sprintf("; it has more than %d, and the rest is left out", feed.MaxItems)
			break
		}
		to, err := pageURL.Parse(item.Ref)
		if err != nil {
			bad++
			continue
		}
		cand := c.listed(c.clean(to), pageURL, v.Page.Depth, v.Lease)
		cand.Modified = item.Modified
		c.found(v, &cand)
		v.Links = append(v.Links, cand)
	}
	if r.Truncated {
		more = "; it broke off or is longer than a sitemap may be, and the rest is left out"
	}
	if bad > 0 {
		what := "entries that are not URLs"
		if bad == 1 {
			what = "entry that is not a URL"
		}
		more = fmt.Sprintf(", and %d %s", bad, what) + more
	}
	p := &v.Page
	p.Verdict, p.Rule, p.PageType, p.Links = page.VerdictRefused, ruleSitemap, string(kind), len(v.Links)
	p.Reason = fmt.Sprintf("%s of %s%s", kind, urls(len(v.Links)), more)
	return true
}

// isEmptyFeed fills in the record of a feed without entries, such as that of the comments on a post without any, and
// reports whether the visit is of one. It says nothing, and is no document until it does.
func (v *visit) isEmptyFeed() bool {
	if v.view.Layout != purify.FeedLayout || v.view.Body != "" || len(v.view.Links) > 0 {
		return false
	}
	p := &v.Page
	p.Verdict, p.Rule, p.PageType, p.Title, p.Reason = page.VerdictRefused, "feed", v.view.Type, v.view.Title, "a feed without entries"
	v.dropDocument()
	p.SimHash, p.BodyTokens = "", 0
	return true
}

// listed returns the candidate for a URL that a sitemap lists. A chain of sitemaps that list
// sitemaps is limited like a chain of redirects.
func (c *Crawler) listed(to, from weburl.URL, depth int, l frontier.Lease) frontier.Candidate {
	cand := frontier.Candidate{
		URL: to, From: from.Key(), Label: l.Label, Trap: l.Trap.Redirect(),
		Signals: priority.Signals{Depth: l.Signals.Depth}, Kind: frontier.EntryLink,
	}
	cand.Refused = c.refuse(to, depth, cand.Trap)
	if cand.Refused.IsZero() && int(cand.Trap.Redirects) > c.o.MaxRedirects {
		cand.Refused = frontier.Refusal{Rule: "redirects", Detail: fmt.Sprintf("more than %d lists in a row", c.o.MaxRedirects)}
	}
	return cand
}

// announcedBy is the anchor of sitemaps that a robots.txt names; the scope does not apply to them.
const announcedBy = "Sitemap: in robots.txt"

// announced returns the sitemaps that an origin's robots.txt names. The protocol allows them to be
// on another host, so they need not be in the scope; the URLs that they list must be.
func (c *Crawler) announced(rules *robots.Rules, l frontier.Lease) (cs []frontier.Candidate) {
	home, err := weburl.Parse(l.URL.Origin() + "/robots.txt")
	if err != nil {
		return nil // the origin of a URL that was parsed
	}
	var unread []string
	for _, ref := range rules.Sitemaps() {
		to, err := home.Parse(ref)
		if err != nil {
			continue
		}
		if !c.o.Sitemaps {
			unread = append(unread, to.String())
			continue
		}
		cs = append(cs, frontier.Candidate{
			URL: to, From: home.Key(), Anchor: announcedBy, Label: l.Label, Signals: priority.Signals{Depth: l.Signals.Depth}, Refused: c.refuseNamed(to),
		})
	}
	c.tally.leftOut(unread)
	return cs
}

// refuseNamed is refuse for a seed, for a sitemap that a robots.txt names, and for what that redirects
// to.
func (c *Crawler) refuseNamed(u weburl.URL) frontier.Refusal {
	if c.tooFar(u) {
		return c.refuse(u, 0, frontier.Trail{})
	}
	return c.scope.CheckSeed(u)
}

// notAnnounced refuses what a robots.txt names as a sitemap if it is not one and the scope does not
// cover it.
func (c *Crawler) notAnnounced(v *visit) bool {
	if v.Lease.Anchor != announcedBy || v.Lease.Seed {
		return false
	}
	r := c.refuse(v.Lease.URL, v.Page.Depth, v.Lease.Trap)
	if r.IsZero() {
		return false
	}
	v.Page.Verdict, v.Page.Rule, v.Page.Reason = page.VerdictRefused, r.Rule, r.Detail
	return true
}

func urls(n int) string {
	if n == 1 {
		return "1 URL"
	}
	return fmt.Sprintf("%d URLs", n)
}
