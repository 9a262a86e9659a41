package gatecrawl

import (
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
)

// Hooks are functions of a program that embeds the crawler. A nil hook is not called and costs
// nothing.
//
// Hooks are called by the workers that visit the pages, from many goroutines at once. While
// a hook blocks, its worker visits no other page and Run does not return; the other workers
// go on, and the crawl stops when all of them are blocked. A panic in a hook is not
// recovered: it ends the process, and the job is as after a kill -9.
type Hooks struct {
	// Page is called once for each settled page, after its record is durable: a crash
	// between the two loses the call, but never repeats it. It is not called for a failed
	// attempt that will be retried, and not for links that were refused.
	Page func(Settled)

	// Record is like Page for a function that needs only the record: no keywords and no abstract
	// are made for it, which take a twentieth of a page's processor time.
	Record func(page.Record)

	// Link is called for each URL that a page links to, a redirect leads to or a sitemap
	// lists, unless a rule refuses it. It is called before the page is settled, so a crash
	// may repeat it, and it is called again for further links to the same URL. A slow hook
	// uses up the time of the page's lease.
	Link func(*Link)
}

// SetHooks sets the hooks. Call it before Run.
func (c *Crawler) SetHooks(h Hooks) { c.hooks = h }

// A Settled is a visit whose outcome is durable. A hook may keep it, but must not change its View
// and Response, since the next hook gets the same ones. Options.PageMemory does not count what a
// hook keeps.
type Settled struct {
	page.Record // with the gate's verdict; URL is the canonical one

	View     *purify.DocView // nil: not a document, or a copy with the same bytes, which is not read
	Response *fetch.Response // the server's answer, after its scripts if they ran; nil: there was none
}

// A Link is a URL that a page led to, before it is queued.
type Link struct {
	URL    weburl.URL
	From   weburl.URL // the page
	Anchor string     // the link's words, cut to 80 bytes; "" for a redirect and in a sitemap
	Depth  int        // links from the nearest seed

	cand *frontier.Candidate
}

// RuleHook is the rule of a URL that a link hook has refused.
const RuleHook = "hook"

// Refuse keeps the URL out of the queue, unless another page links to it and that link is
// not refused. crawl why shows the reason.
func (l *Link) Refuse(reason string) {
	l.cand.Refused = frontier.Refusal{Rule: RuleHook, Detail: reason}
}

// Raise adds to the score of the URL, as the priority of a seed does. With the default weights 1 is
// worth as much as being one link nearer to a seed. A negative number lowers the score; the sum is
// limited to ±priority.MaxSeed. If several links lead to a URL, the highest counts.
func (l *Link) Raise(by float32) {
	if sum := l.cand.Signals.Seed + by; sum == sum { // a number
		l.cand.Signals.Seed = min(max(sum, -priority.MaxSeed), priority.MaxSeed)
	}
}

// found calls the link hook for a link of a visited page, unless a rule refuses it. A kept page
// that is read again leads to no new links.
func (c *Crawler) found(v *visit, cand *frontier.Candidate) {
	if c.hooks.Link == nil || v.answer == nil || !cand.Refused.IsZero() {
		return
	}
	c.hooks.Link(&Link{URL: cand.URL, From: v.Lease.URL, Anchor: cand.Anchor, Depth: int(cand.Signals.Depth), cand: cand})
}

// tell calls the page hooks for a settled visit.
func (c *Crawler) tell(v *visit, r page.Record) {
	if c.hooks.Record != nil {
		c.hooks.Record(r)
	}
	if c.hooks.Page == nil {
		return
	}
	if v.view != nil {
		v.view.Sum()
	}
	c.hooks.Page(Settled{Record: r, View: v.view, Response: v.resp})
}
