package gatecrawl

import (
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// orders are what a page asks of crawlers, in its headers and its head, and the other URLs of the
// page that its head names.
type orders struct {
	noIndex, noFollow string   // the source of the directive; "": the page does not say so
	links             []string // canonical and translated URLs, and the target of the header Refresh, as written
	feeds             []string // RSS and Atom, as written
}

// ordersOf reads the directives of a response. Without Options.ObeyMeta there are none.
func (c *Crawler) ordersOf(r *fetch.Response) orders {
	var o orders
	now := time.Now()
	o.add("X-Robots-Tag", robots.ParseTag(r.Header, c.o.Token, now))
	for _, l := range fetch.HeaderLinks(r.Header) {
		if l.Is("canonical") || l.Is("alternate") && l.HrefLang != "" {
			o.links = append(o.links, l.Target)
		}
	}
	if target, _ := purify.Refresh(r.Header.Get("Refresh")); target != "" {
		o.links = append(o.links, target)
	}
	if r.IsHTML() {
		head := purify.ReadOrders(r.Body, mediaType(r), c.o.Token)
		for _, content := range head.Robots {
			o.add("meta robots", robots.ParseDirectives(content, now))
		}
		o.links, o.feeds = append(o.links, head.Alternates...), head.Feeds
	}
	if !c.o.ObeyMeta {
		o.noIndex, o.noFollow = "", ""
	}
	return o
}

// add notes a directive. Its first source is the one that reasons name.
func (o *orders) add(by string, d robots.Directives) {
	if d.NoIndex && o.noIndex == "" {
		o.noIndex = by
	}
	if d.NoFollow && o.noFollow == "" {
		o.noFollow = by
	}
}

// ruleNoIndex is page.Record.Rule of pages that say noindex.
const ruleNoIndex = "noindex"

// ruleRobots is page.Record.Rule of URLs that robots.txt disallows.
const ruleRobots = "robots"

// unindexed fills in the record of a page that says noindex. Its links are followed unless it says
// nofollow too.
func (c *Crawler) unindexed(v *visit, r *fetch.Response, o orders) {
	p := &v.Page
	p.Verdict, p.Rule = page.VerdictRefused, ruleNoIndex
	p.Reason = o.noIndex + " says noindex"
	view := c.readLinks(r)
	v.Links, v.Page.MoreLinks = c.links(v, view, o), view.MoreLinks
	p.Links = len(v.Links)
}

// refusedLink returns why a link may not be followed; the zero Refusal: it may.
func (c *Crawler) refusedLink(l *purify.Link, o orders) frontier.Refusal {
	switch {
	case !c.o.ObeyMeta:
	case l != nil && l.NoFollow:
		return frontier.Refusal{Rule: "nofollow", Detail: "the link says rel=nofollow, ugc or sponsored"}
	case o.noFollow != "":
		return frontier.Refusal{Rule: "nofollow", Detail: fmt.Sprintf("the page's %s says nofollow", o.noFollow)}
	}
	return frontier.Refusal{}
}
