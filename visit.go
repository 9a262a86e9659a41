package gatecrawl

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
)

// visit does all that happens to a page, from the lease of its URL to the record of the outcome. A
// page that fails gets a record too; an error comes from the store or the proxy.
func (c *Crawler) visit(ctx context.Context, l frontier.Lease) (page.Record, error) {
	v := c.start(l)
	defer v.release()
	ctx = fetch.WithMemory(ctx, v.memory)
	for _, step := range []func(context.Context, *visit) (next, error){
		c.checkScope, // the rules of this run: refused
		c.obeyRobots, // robots.txt: refused
		c.fetchPage,  // one request: a redirect, a failure, not modified
		c.reserve,    // memory to read the page
		c.classify,   // a sitemap, and a page that says noindex: only its links count
		c.checkBytes, // gate, level 3: the bytes of a known page
		c.knowsBytes, // gate: the bytes of a document of an earlier crawl
		c.readPage,   // purify: view, links, signature; after the page's scripts if they must run. A redirect by a meta refresh
		c.checkTopic, // off the topic, where only pages on it are kept: only its links count
		c.knowsText,  // gate: the text of a document of an earlier crawl
		c.checkText,  // gate, levels 4 and 5; compares with the site's error page, which may be requested for it
		c.keep,       // what is stored of the page
	} {
		switch n, err := step(ctx, v); {
		case err != nil && !errors.Is(err, context.Canceled):
			return v.Page, fmt.Errorf("visit %s: %w", l.URL, err)
		case err != nil || n == giveBack:
			return page.Record{}, c.handBack(v.Lease, c.owed(v))
		case n == decided:
			return c.settle(ctx, v)
		}
	}
	return c.settle(ctx, v)
}

// A next says how a visit goes on after a step.
type next int

const (
	goOn     next = iota // with the next step
	decided              // the record says what became of the URL
	giveBack             // the URL stays queued: the crawl ends, or its request was not allowed or cut off
)

// A visit is a page.Visit under way, with what its steps pass on to each other.
type visit struct {
	page.Visit
	memory   *limit.Reservation
	site     *site            // what robots.txt says; nil: not known yet
	asked    bool             // its host was asked, or may have been
	answer   *fetch.Response  // what the server said; nil: nothing
	resp     *fetch.Response  // the answer as it is read: after the page's scripts if they ran
	orders   orders           // what the page's owner asks of crawlers
	digest   dedup.Digest     // of the answer's bytes
	version  fetch.Validators // of a requisite that was fetched before
	known    dedup.Verdict    // what the gate says of the bytes
	of       *page.Earlier    // the document of an earlier crawl with the same bytes; nil: there is none, or the page need not be read
	repeated bool             // its host has many copies of the page that it is a copy of
	view     *purify.DocView  // nil: the page was not read
	template *purify.Template // the template that the page was read with; nil: none
	twin     twinPage         // the page on the site that its site mirrors
	before   uint64           // the number of the document's record before this visit; 0: there is none
	rating   *focus.Rating    // nil: the page was not rated, or the crawl has no topic
	unread   func()           // releases the memory for reading; nil: there is none
}

// A twinPage is a page on the site that another site mirrors.
type twinPage struct {
	url        weburl.URL // the zero URL: there is none
	seq, bytes uint64     // see page.Known
}

// dropDocument drops what only the visit of a document has: what the gate compares, and what its site's template learns.
func (v *visit) dropDocument() { v.Sign, v.Text, v.Prints, v.Own = nil, nil, nil, nil }

// start opens the record of a visit.
func (c *Crawler) start(l frontier.Lease) *visit {
	return &visit{
		memory: c.bodies.Reserve(),
		Visit: page.Visit{Lease: l, Page: page.Record{
			URL: l.URL.String(), Label: l.Label, Depth: int(l.Signals.Depth), Score: l.Score, Attempt: l.Attempt,
			Fetched: time.Now().UTC(),
		}},
	}
}

// release releases what the visit has reserved.
func (v *visit) release() {
	v.wasRead()
	v.memory.Release()
}

// wasRead releases the memory for reading, if it is still reserved.
func (v *visit) wasRead() {
	if v.unread != nil {
		v.unread()
		v.unread = nil
	}
}

// checkScope refuses a queued URL that the rules of this run exclude: a run with other rules may
// have queued it.
func (c *Crawler) checkScope(_ context.Context, v *visit) (next, error) {
	l := &v.Lease
	var r frontier.Refusal
	switch {
	case !l.From.IsZero() && l.Anchor != announcedBy:
		r = c.refuse(l.URL, int(l.Signals.Depth), l.Trap)
	default:
		r = c.refuseNamed(l.URL)
	}
	if r.IsZero() {
		return goOn, nil
	}
	v.Page.Verdict, v.Page.Rule, v.Page.Reason = page.VerdictRefused, r.Rule, r.Detail
	return decided, nil
}

// obeyRobots refuses a page that the site's robots.txt disallows.
func (c *Crawler) obeyRobots(ctx context.Context, v *visit) (next, error) {
	var err error
	if v.site, err = c.sites.of(ctx, v.Lease); err != nil {
		return goOn, err
	}
	if c.forbidden(v, v.site) {
		return decided, nil
	}
	return goOn, nil
}

// fetchPage requests the page, on condition that it is not the version that the job has.
func (c *Crawler) fetchPage(ctx context.Context, v *visit) (next, error) {
	var version fetch.Validators
	if v.Lease.Again {
		known, err := c.store.Known(v.Lease)
		if err != nil {
			return goOn, err
		}
		if !c.o.Requisites || known.Sought { // else its bytes are needed, to find its requisites
			version = fetch.Validators{ETag: known.ETag, LastModified: known.LastModified}
		}
	}
	return c.request(ctx, v, version)
}

// request sends the request for a URL, which is conditional if a version is known.
func (c *Crawler) request(ctx context.Context, v *visit, version fetch.Validators) (next, error) {
	var err error
	asking, cancel := c.withinLease(ctx, v.Lease)
	defer cancel()
	v.asked = true
	c.slots.WhileBlocked(v.Lease.Probe, func() { v.resp, err = c.fetch.FetchIf(asking, v.Lease.URL, version) })
	fault, _ := errors.AsType[*fetch.Error](err)
	switch {
	case fault == nil:
	case fault.Op == fetch.PhaseProxy:
		return giveBack, c.proxy.failed(asking, fault.Err, fault.Retry)
	case fault.Op == fetch.PhaseCanceled:
		return giveBack, nil // nothing was learned about the page
	}
	c.proxy.answered()
	switch {
	case err != nil && asking.Err() != nil:
		return giveBack, nil // the crawl ends, or another worker has the URL by now, whatever the request failed with before
	case ctx.Err() != nil:
		return giveBack, nil
	case !c.answered(v, v.resp, err):
		return decided, nil
	}
	return goOn, nil
}

// owed is how long the host of a visit that is handed back rests.
func (c *Crawler) owed(v *visit) time.Duration {
	if !v.asked {
		return 0
	}
	return c.rest(v.site)
}

// withinLease returns a context that ends with the lease: after that the URL may be leased again,
// and a host must not be asked for it twice at once.
func (c *Crawler) withinLease(ctx context.Context, l frontier.Lease) (context.Context, context.CancelFunc) {
	leave := func() {}
	if c.within != nil {
		ctx, leave = c.within(ctx)
	}
	if l.Expires.IsZero() {
		return ctx, leave
	}
	ctx, cancel := context.WithDeadline(ctx, l.Expires)
	return ctx, func() { cancel(); leave() }
}

// AskWithin sets a function that derives the context of each request. It is for a process that may
// lose the right to ask hosts to another process. Call it before Run.
func (c *Crawler) AskWithin(within func(context.Context) (context.Context, context.CancelFunc)) {
	c.within = within
}

// reserve waits until there is memory to read the page and to keep what is made of it.
func (c *Crawler) reserve(ctx context.Context, v *visit) (next, error) {
	if n := pageMemory(v.resp, c.o.MaxLinks); !v.memory.TryGrow(n) {
		var err error
		c.blocked(func() { err = v.memory.Grow(ctx, n) })
		if err != nil {
			return giveBack, nil // the crawl ends
		}
	}
	release, err := c.parse.AcquireLong(ctx, len(v.resp.Body), c.blocked)
	if err != nil {
		return giveBack, nil
	}
	v.unread = release
	return goOn, nil
}

// classify ends the visit of a sitemap, and of a page that says noindex: only the links of both
// count.
func (c *Crawler) classify(_ context.Context, v *visit) (next, error) {
	if c.sitemap(v, v.resp) || c.notAnnounced(v) {
		return decided, nil
	}
	v.orders = c.ordersOf(v.resp)
	if v.orders.noIndex != "" {
		c.unindexed(v, v.resp, v.orders)
		return decided, nil
	}
	return goOn, nil
}

// checkBytes asks the gate about the bytes. Only the links of a copy that is discarded are read,
// unless it may be an error page.
func (c *Crawler) checkBytes(_ context.Context, v *visit) (next, error) {
	v.Sum = sha256.Sum256(v.resp.Body)
	v.digest = dedup.Digest(v.Sum[:])
	v.Page.Hostless = page.HostlessOf(v.resp.Body, v.Lease.URL.Hostname())
	var err error
	v.Asked = time.Now()
	if v.known, err = c.store.CheckBytes(v.digest); err != nil {
		return goOn, fmt.Errorf("gate: %w", err)
	}
	v.repeated = c.repeatedCopy(v.Lease, v.known)
	if !v.known.Copy() || c.o.Mode != dedup.ModeDiscard || v.repeated {
		return goOn, nil
	}
	v.Sign, v.Checked = &dedup.Signature{Bytes: v.digest}, v.known
	view := c.readLinks(v.resp)
	c.describe(v, view, v.orders)
	if v.Lease.Again { // it may be the kept page itself, crawled before without its files
		v.Needs = c.filesOf(v, view)
	}
	return decided, nil
}

// readPage purifies the page, with the template of its host if it has one.
func (c *Crawler) readPage(ctx context.Context, v *visit) (next, error) {
	if err := c.purify(ctx, v); err != nil {
		return goOn, err
	}
	if v.view.Template == 0 {
		v.template = nil
	}
	if ctx.Err() != nil {
		return giveBack, nil
	}
	if c.moved(v) || v.isEmptyFeed() {
		return decided, nil
	}
	c.describe(v, v.view, v.orders)
	return goOn, nil
}

// checkText asks the gate about the text, and finds out whether the page is an error page.
func (c *Crawler) checkText(ctx context.Context, v *visit) (next, error) {
	var err error
	v.Asked = time.Now()
	if v.Checked, err = c.store.Check(*v.Sign, v.Text); err != nil {
		return goOn, fmt.Errorf("gate: %w", err)
	}
	repeated := v.repeated || !v.known.Copy() && (c.repeatedCopy(v.Lease, v.Checked) || c.repeatedText(v))
	if soft, err := c.soft404(ctx, v, repeated); err != nil || soft {
		return decided, err
	}
	return goOn, c.compare(ctx, v)
}

// compare compares a page with its twin, and writes into the record of a near copy the passages that only the copy or only the kept
// page has. Nothing else is kept of a copy, so this can't be done later.
func (c *Crawler) compare(ctx context.Context, v *visit) error {
	twin, err := c.compareTwin(ctx, v)
	if err != nil || v.Checked.Level != dedup.LevelNear {
		return err
	}
	kept, ok := v.Text.Compared(v.Checked.Of)
	v.Says = ok && dedup.SayTheSame(v.Text, &kept)
	switch again := v.before != 0 && uint64(v.Checked.Of) == v.before; {
	case again:
		now, there, err := c.textNow(ctx, v, v.before, v.Lease.URL, v.template)
		if err != nil {
			return err
		}
		if there {
			kept, ok = now, true
		}
	case twin != nil && v.twin.seq == uint64(v.Checked.Of):
		kept, ok = *twin, true
	}
	if !ok {
		return nil
	}
	if d := dedup.Differ(*v.Text, kept); !d.IsZero() {
		v.Page.Differs = &d
	}
	return nil
}

// compareTwin finds out whether a page says the same as the one at its URL on the site that its site mirrors, unless the gate has
// found that by their bytes or bodies. It returns the text of that one; nil: its bytes are not kept, or were not needed.
func (c *Crawler) compareTwin(ctx context.Context, v *visit) (*dedup.Text, error) {
	if v.twin.bytes == 0 || v.Checked.Copy() && v.Checked.Level != dedup.LevelNear {
		return nil, nil
	}
	text, ok, err := c.textNow(ctx, v, v.twin.bytes, v.twin.url, nil)
	if err != nil || !ok {
		return nil, err
	}
	if dedup.SayTheSame(v.Text, &text) {
		v.Same = v.twin.seq
	}
	return &text, nil
}

// keep packs what is stored of a new page. A copy is packed too: the gate may find it a new page
// when it is settled, if the kept page has been read with another template by then.
func (c *Crawler) keep(_ context.Context, v *visit) (next, error) {
	// Keep a PDF or the like even if its text can't be read today. Keep a linked picture or sound
	// too if the archive is to be replayed.
	if v.resp.IsHTML() || v.resp.IsText() || v.view.Body != "" || v.view.TextError != "" || c.o.Requisites {
		v.Body, v.Visit.Answer = v.resp.Body, answerOf(v)
	}
	v.Needs = c.filesOf(v, v.view)
	v.View = page.PackViewOn(v.view, v.Body)
	if len(v.view.Blocks) > 0 {
		v.Reread = func(t *purify.Template) {
			follows := c.readWith(v, t)
			if !follows {
				v.view.Reframe(t.For(v.Prints))
				c.signAgain(v, t)
				v.View = page.Repack(v.View, v.view)
			}
			// Documents of earlier crawls are asked about its new text when it is read again: here the writer would wait for them.
			v.Behind = c.earlier != nil || !follows
		}
	}
	return goOn, nil
}

// readWith makes of a visit's page what reading its bytes with a newer template of its host would, if that follows from its view,
// and reports whether it does. Otherwise the visit does not change.
func (c *Crawler) readWith(v *visit, t *purify.Template) bool {
	had := v.view.Blocks
	follows, moved := v.view.ReadWith(t)
	if !follows {
		return false
	}
	v.Moved = moved
	c.signAgain(v, t)
	if now := v.view.Blocks; len(now) > 0 && len(had) > 0 && &now[0] == &had[0] {
		v.View = page.Repack(v.View, v.view)
	} else {
		v.View = page.PackViewOn(v.view, v.Body)
	}
	return true
}

// settle hands a visit to the store. A lost lease is not an error: another worker has the URL now.
func (c *Crawler) settle(ctx context.Context, v *visit) (page.Record, error) {
	v.wasRead()
	if err := c.archived(v); err != nil {
		return v.Page, err
	}
	v.Await = func(wait func()) { c.slots.WhileBlocked(true, wait) }
	rec, err := c.store.Settle(ctx, &v.Visit)
	if errors.Is(err, frontier.ErrLeaseLost) {
		c.log.Warn("the page is fetched again", "url", v.Page.URL, "why", err)
		return page.Record{}, nil
	}
	if err != nil {
		return rec, err
	}
	c.tally.settled(v, &rec)
	c.learn(v, &rec)
	if v.Retry > 0 {
		c.log.Debug("retry", "url", v.Page.URL, "host", v.Lease.URL.Host(), "reason", rec.Reason, "in", v.Retry)
		return page.Record{}, nil
	}
	c.logPage(v, &rec)
	c.tell(v, rec)
	return rec, nil
}

// logPage writes a line about a settled page, without its empty fields.
func (c *Crawler) logPage(v *visit, p *page.Record) {
	if !c.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	fields := []any{"url", p.URL, "host", v.Lease.URL.Host(), "status", p.Status, "verdict", p.Verdict}
	for _, f := range []struct{ name, value string }{{"of", p.Of}, {"reason", p.Reason}} {
		if f.value != "" {
			fields = append(fields, f.name, f.value)
		}
	}
	c.log.Debug("page", fields...)
}

// forbidden fills in the record of a URL that robots.txt disallows, and of one whose robots.txt
// can't be fetched.
func (c *Crawler) forbidden(v *visit, s *site) bool {
	if s.unreachable() {
		if v.Lease.Attempt < c.o.Retries && !s.file.Final {
			v.Retry = max(c.backoff(v.Lease.Attempt), min(s.file.Wait, c.pace.MaxRest), time.Millisecond)
		}
		v.Page.Verdict = page.VerdictFailed
		v.Page.Failure, v.Page.Reason = s.file.Why()
		v.Down = v.Page.Reason
		return true
	}
	answer := s.rules.Check(c.o.Token, v.Lease.URL)
	if answer.Allowed {
		return false
	}
	v.Page.Verdict, v.Page.Rule = page.VerdictRefused, ruleRobots
	v.Page.Reason = fmt.Sprintf("robots.txt line %d: %s", answer.Line, answer.Rule)
	return true
}

// answered fills in what the server answered, and reports whether that is a document.
func (c *Crawler) answered(v *visit, r *fetch.Response, err error) bool {
	p := &v.Page
	v.Finished, v.Rest = time.Now(), c.rest(v.site)
	if err != nil {
		p.Verdict, p.Failure, p.Reason = page.VerdictFailed, "request", err.Error()
		var fault *fetch.Error
		if errors.As(err, &fault) {
			p.Failure, p.Reason = string(fault.Op), fmt.Sprintf("%s: %s", fault.Op, fault.Reason())
		}
		v.Down = p.Reason
		if fault == nil || fault.Retry {
			c.retry(v, 0)
		}
		return false
	}
	v.answer, v.Lease.Addr, v.Rest = r, r.Addr, max(v.Rest, c.slowed(r.Took))
	p.Status, p.Type = r.Status, r.ContentType
	p.Fetched, p.TookMS = r.Started.UTC(), int(r.Took.Milliseconds())
	p.Bytes, p.Wire, p.Truncated = int64(len(r.Body)), r.Wire, r.Truncated
	switch {
	case r.Location() != "" && v.Lease.Task == frontier.Requisite:
		v.Needs = c.movedTo(v, r.Location())
		return true
	case r.Location() != "":
		c.redirected(v, r.Location())
		if p.Location == p.URL {
			c.toItself(v, r)
			return false
		}
		v.Cookies = r.KeptCookies
		if back := len(v.Links) == 1 && v.Links[0].URL.Key() == v.Lease.From; back && !r.KeptCookies && len(r.Header["Set-Cookie"]) > 0 {
			p.Reason += ", which redirects here, with a cookie; the setting cookies keeps those of all hosts"
		}
		return false
	case v.Lease.Task != frontier.Requisite && c.refreshed(v, r):
		return false
	case r.Status >= 200 && r.Status < 300 && r.Status != http.StatusNoContent && r.Status != http.StatusResetContent:
		version := r.Validators()
		p.ETag, p.LastModified = version.ETag, version.LastModified
		return true
	case r.Status == http.StatusNotModified && v.Lease.Again:
		p.Verdict, p.Rule, p.Reason = page.VerdictRefused, "not-modified", "not modified since the last visit"
		return false
	}
	p.Verdict = page.VerdictFailed
	p.Failure = strings.TrimSpace(fmt.Sprintf("http %d %s", r.Status, strings.ToLower(http.StatusText(r.Status))))
	p.Reason = p.Failure
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		v.Down = p.Reason // this concerns the host, not only the page
	}
	if r.Status == http.StatusTooManyRequests || r.Status >= 500 {
		wait, _ := fetch.RetryAfter(r.Header, v.Finished)
		c.retry(v, min(wait, c.pace.MaxRest))
	}
	return false
}

// toItself is for a redirect to the same URL. If the answer has set a cookie that is kept, the server
// may show the page to whoever comes with it, and is asked once more.
func (c *Crawler) toItself(v *visit, r *fetch.Response) {
	v.Links = nil
	v.Page.Reason = "redirects to itself"
	switch {
	case r.OtherCookies && v.Lease.Attempt == 0:
		v.Retry = time.Millisecond // no failure: the setting retries does not apply
	case !r.OtherCookies && len(r.Header["Set-Cookie"]) > 0:
		v.Page.Reason += ", with a cookie; the setting cookies keeps those of all hosts"
	}
}

// retry queues a failed URL for another try, if it has any left, and makes its host rest for as
// long.
func (c *Crawler) retry(v *visit, atLeast time.Duration) {
	wait := max(c.backoff(v.Lease.Attempt), atLeast)
	v.Rest = max(v.Rest, wait)
	if v.Lease.Attempt < c.o.Retries {
		v.Retry = max(wait, time.Millisecond)
	}
}
