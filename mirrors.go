package gatecrawl

import (
	"context"
	"encoding/binary"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// RuleMirror is the rule of URLs that are left out because another site has what
// theirs has.
const RuleMirror = mirror.RefusalRule

// elsewhere returns the URL that a page names as its canonical one, where
// that is on another site: a hint that this site is the copy.
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

// explored is how many URLs of a site that is a copy come on one that is fetched
// all the same, to see whether it still is one.
const explored = 50

// deferred puts a URL off whose site is a copy of another: its twin there is
// asked instead. What a user handed in is fetched, and so are a sample, and what
// was fetched before.
func (c *Crawler) deferred(ctx context.Context, l frontier.Lease) (bool, error) {
	if l.Again || l.From.IsZero() {
		return false, nil
	}
	to, ok := c.store.Twin(l.URL)
	if !ok {
		return false, nil
	}
	if k := l.URL.Key(); binary.BigEndian.Uint32(k[12:])%explored == 0 {
		return false, nil
	}
	twin := frontier.Candidate{URL: to, From: l.From, Anchor: l.Anchor, Label: l.Label, Signals: l.Signals, Trap: l.Trap}
	if twin.Refused = c.refuse(to, int(l.Signals.Depth), l.Trap); !twin.Refused.IsZero() {
		return false, nil
	}
	deferred, err := c.store.Defer(ctx, l, twin)
	if err != nil {
		return false, fmt.Errorf("visit %s: %w", l.URL, err)
	}
	if deferred {
		c.log.Debug("deferred", "url", l.URL.String(), "host", l.URL.Host(), "twin", to.String())
	}
	return deferred, nil
}
