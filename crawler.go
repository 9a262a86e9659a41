package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/priority"
	"gatecrawl/purify"
	"gatecrawl/warc"
)

// Ended says why a run came to its end.
type Ended string

// The ends of a run that are not failures.
const (
	Done        Ended = "done"        // nothing is left to fetch
	PageLimit   Ended = "page limit"  // Options.MaxPages is reached
	SizeLimit   Ended = "size limit"  // Options.MaxBytes is reached
	TimeLimit   Ended = "time limit"  // Options.TimeLimit is reached
	Interrupted Ended = "interrupted" // the context was cancelled
)

// A Crawler takes URLs from a store's queue and settles what it finds there.
type Crawler struct {
	o     Options
	store Store
	fetch *fetch.Fetcher
	scope *frontier.Scope
	topic *priority.Topic // nil: no focus
	sites *sites
	room  *places
	walls *walls
	hands *budget // of the bodies in hand
	pages *reading
	log   *slog.Logger

	renderer fetch.Renderer // nil: scripts are not run
	archive  *warc.Archive  // nil: answers are not written to one
}

// New returns a crawler over a store. The scope is widened by the roots that
// the store has kept. A nil topic crawls without a focus.
func New(o Options, st Store, f *fetch.Fetcher, scope *frontier.Scope, topic *priority.Topic, log *slog.Logger) (*Crawler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	roots, err := st.Roots()
	if err != nil {
		return nil, fmt.Errorf("read roots: %w", err)
	}
	for _, r := range roots {
		u, err := frontier.Parse(r)
		if err != nil {
			return nil, fmt.Errorf("root of the crawl: %w", err)
		}
		scope.AddRoot(u)
	}
	c := &Crawler{
		o: o, store: st, fetch: f, scope: scope, topic: topic, log: log, room: newPlaces(o.Workers), walls: newWalls(),
		hands: newBudget(o.PageMemory / 2), pages: newReading(o.PageMemory / 2),
	}
	c.sites = newSites(st, f, c.backoff, o.MaxDelay, c.pages, c.announced)
	return c, nil
}

// Seed queues a list of URLs and widens the scope by them, some ten thousand at
// a time. It hands each faulty line to bad and reads on. It returns how many
// URLs were new.
func (c *Crawler) Seed(ctx context.Context, seeds iter.Seq2[frontier.Seed, error], bad func(error)) (added int, err error) {
	const batch = 50_000
	var cs []frontier.Candidate
	roots := make(map[string]bool)
	flush := func() error {
		// The roots first: a crash in between leaves a scope that is too wide
		// by a host without URLs, and not URLs outside the scope.
		var rs []string
		for r := range roots {
			rs = append(rs, r)
		}
		if err := c.store.AddRoots(ctx, rs); err != nil {
			return err
		}
		n, err := c.store.Add(ctx, cs)
		added += n
		cs = cs[:0]
		clear(roots)
		return err
	}
	for s, err := range seeds {
		if err != nil {
			bad(err)
			continue
		}
		roots[c.scope.RootURL(s.URL)] = true
		c.scope.AddRoot(s.URL)
		cs = append(cs, frontier.Candidate{
			URL: s.URL, Label: s.Label, Signals: priority.Signals{Seed: s.Priority}, Refused: c.scope.CheckSeed(s.URL),
		})
		if len(cs) == batch {
			if err := flush(); err != nil {
				return added, err
			}
		}
	}
	return added, flush()
}

// Run crawls until nothing is left, a limit is reached, or ctx is cancelled.
// Then no more pages are begun, those in hand have Options.Grace to end, and
// when Run returns all that was settled is durable and the rest is back in the
// queue. The error is the store's: a crawl can't go on without it.
func (c *Crawler) Run(ctx context.Context) (Ended, error) {
	lend, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.o.TimeLimit > 0 {
		t := time.AfterFunc(c.o.TimeLimit, func() { stop(errTime) })
		defer t.Stop()
	}
	work, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	defer context.AfterFunc(lend, func() {
		time.AfterFunc(c.o.Grace, kill)
	})()

	l := newLimits(c.o, c.store.Totals())
	var g errgroup.Group
	for range c.o.Workers + c.o.Spare {
		g.Go(func() error { // ends with lend, with the queue, or with the store
			err := c.work(lend, work, l)
			if err != nil { // who finds the queue empty ends alone: an audit may have found something for another
				stop(err)
				l.stop()
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	switch cause := context.Cause(lend); {
	case cause == errTime:
		return TimeLimit, nil
	case cause != nil:
		return Interrupted, nil
	}
	if t := c.store.Totals(); t.Queued+t.Later == 0 {
		return Done, nil
	}
	return l.ended(), nil
}

var errTime = errors.New("time limit reached")

// work visits pages until no more may be begun.
func (c *Crawler) work(lend, work context.Context, l *limits) error {
	for {
		if err := c.catchUp(work); err != nil {
			return err
		}
		if !l.take() {
			return nil
		}
		c.room.enter()
		page, again, err := c.next(lend, work)
		c.room.leave()
		if err != nil {
			l.give(0, 0)
			if errors.Is(err, frontier.ErrEmpty) || errors.Is(err, errNoMore) {
				return nil
			}
			return err
		}
		answered := int64(0)
		if page.Status != 0 && !again {
			answered = 1
		}
		l.give(answered, page.Wire)
	}
}

// errNoMore says that no page may be begun any more.
var errNoMore = errors.New("no more pages are begun")

// next visits the page whose turn it is. again says that it is one that was visited
// before.
func (c *Crawler) next(lend, work context.Context) (page Page, again bool, err error) {
	lease, err := c.store.Next(lend)
	switch {
	case err == nil:
		c.room.begin()
		defer c.room.end()
		page, err = c.visit(work, lease)
		return page, lease.Again, err
	case errors.Is(err, frontier.ErrEmpty):
		if more, err := c.store.Audit(work); err != nil || more {
			return Page{}, false, err
		}
	case lend.Err() != nil:
		return Page{}, false, errNoMore
	}
	return Page{}, false, fmt.Errorf("next url: %w", err)
}

// visit is a page's whole way, from a lease to the record of what became of it.
// A page that fails is a record too; the error is the store's.
func (c *Crawler) visit(ctx context.Context, l frontier.Lease) (Page, error) {
	if aside, err := c.aside(ctx, l); err != nil || aside {
		return Page{}, err
	}
	if deferred, err := c.deferred(ctx, l); err != nil || deferred {
		return Page{}, err
	}
	v := c.begin(l)
	hold := c.hands.hold()
	defer hold.release()
	ctx = fetch.Within(ctx, hold)
	var site *site
	var asked bool
	var err error
	c.room.away(l.Probe, func() { site, asked, err = c.sites.of(ctx, l) })
	if err != nil || asked {
		return c.handBack(l, site, err) // the host has had its request
	}
	if c.forbidden(v, site) {
		return c.settle(ctx, v)
	}
	if asked, err = c.probe(ctx, l, site); err != nil || asked {
		return c.handBack(l, site, err)
	}
	version, err := c.knownVersion(l)
	if err != nil {
		return v.Page, err
	}
	var resp *fetch.Response
	c.room.away(l.Probe, func() { resp, err = c.fetch.FetchIf(ctx, l.URL, version) })
	if ctx.Err() != nil {
		return c.handBack(l, site, ctx.Err())
	}
	if !c.answered(v, site, resp, err) {
		return c.settle(ctx, v) // a redirect, an error, or no answer
	}

	if err := c.mayRead(ctx, v, resp, hold); err != nil {
		return c.handBack(l, site, err)
	}
	defer v.wasRead()
	if c.sitemap(v, resp) {
		return c.settle(ctx, v) // a source of links
	}

	o := c.ordersOf(resp)
	if o.noIndex != "" {
		c.unindexed(v, resp, o)
		return c.settle(ctx, v)
	}

	digest := dedup.DigestOf(resp.Body)
	known, err := c.store.CheckBytes(digest)
	if err != nil {
		return v.Page, fmt.Errorf("check %s: %w", l.URL, err)
	}
	mass := c.suspect(l, known)
	if known.Copy() && c.o.Mode == dedup.ModeDiscard && !mass {
		// Nothing of it will be kept but its links.
		v.Sign, v.Checked = &dedup.Signature{Bytes: digest}, known
		c.describe(v, c.readLinks(resp), o)
		return c.settle(ctx, v)
	}
	template, err := c.store.Template(l.URL.Key().Host())
	if err != nil {
		return v.Page, fmt.Errorf("template of %s: %w", l.URL, err)
	}
	resp, view, sig := c.view(ctx, v, site, resp, digest, template)
	if ctx.Err() != nil {
		return c.handBack(l, site, ctx.Err())
	}
	v.Sign = &sig
	c.describe(v, view, o)
	text := dedup.TextOf(view)
	v.Text = &text
	v.Checked, err = c.store.Check(sig, v.Text)
	if err != nil {
		return v.Page, fmt.Errorf("check %s: %w", l.URL, err)
	}
	mass = mass || !known.Copy() && c.suspect(l, v.Checked)
	soft, later := c.soft404(v, mass)
	if later {
		return c.handBack(l, site, nil) // the host is asked about it first
	}
	if soft {
		return c.settle(ctx, v) // no document
	}
	if err := c.compare(v); err != nil {
		return v.Page, fmt.Errorf("compare %s: %w", l.URL, err)
	}
	// A copy's too: the page that it is a copy of may be read another way by
	// the time that this one is settled.
	if err := keep(v, view, resp); err != nil {
		return v.Page, err
	}
	return c.settle(ctx, v)
}

// begin opens the record of a visit.
func (c *Crawler) begin(l frontier.Lease) *Visit {
	return &Visit{Lease: l, Page: Page{
		URL: l.URL.String(), Label: l.Label, Depth: int(l.Signals.Depth), Score: l.Score, Attempt: l.Attempt,
		Fetched: time.Now().UTC(),
	}}
}

// settle hands a visit to the store. A lost lease is no fault: someone else has
// the URL now.
func (c *Crawler) settle(ctx context.Context, v *Visit) (Page, error) {
	v.wasRead()
	if err := c.archived(v); err != nil {
		return v.Page, err
	}
	page, err := c.store.Settle(ctx, v)
	if errors.Is(err, frontier.ErrLeaseLost) {
		c.log.Warn("lease lost: the page took longer than a lease lasts", "url", v.Page.URL)
		return Page{}, nil
	}
	if err != nil {
		return page, err
	}
	if v.Retry > 0 {
		c.log.Debug("retry", "url", v.Page.URL, "host", v.Lease.URL.Host(), "reason", page.Reason, "in", v.Retry)
		return Page{}, nil
	}
	c.log.Debug("page", "url", page.URL, "host", v.Lease.URL.Host(), "status", page.Status,
		"verdict", page.Verdict, "of", page.Of, "reason", page.Reason)
	return page, nil
}

// handBack returns a lease unvisited: after the host was asked for its
// robots.txt, or because the crawl ends.
func (c *Crawler) handBack(l frontier.Lease, s *site, err error) (Page, error) {
	rest := time.Duration(0)
	if s != nil {
		l.Addr = s.file.Addr
		rest = c.rest(s)
		if s.unreachable() {
			rest = max(rest, min(s.file.Wait, c.o.MaxDelay))
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return Page{}, err
	}
	if err := c.store.Release(l, rest); err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
		return Page{}, err
	}
	return Page{}, nil
}

// rest is how long a host rests after a request: the larger of our delay and
// its own, within reason.
func (c *Crawler) rest(s *site) time.Duration {
	return max(c.o.Delay, min(s.rules.Delay(c.o.Token), c.o.MaxDelay))
}

// mostSlowed is how many times Delay a host rests at most because it is slow.
const mostSlowed = 10

// slowed is how long a host rests that took its time to answer: what costs it a
// second is asked less often than what costs it a millisecond.
func (c *Crawler) slowed(took time.Duration) time.Duration {
	return min(time.Duration(c.o.DelayFactor*float64(took)), mostSlowed*c.o.Delay)
}

// backoff is how long to wait after the given number of failed tries.
func (c *Crawler) backoff(tries int) time.Duration {
	return min(c.o.Backoff<<min(tries, 20), c.o.MaxDelay)
}

// forbidden fills in the record of a URL that robots.txt closes, and of one
// whose robots.txt is not to be had.
func (c *Crawler) forbidden(v *Visit, s *site) bool {
	if s.unreachable() {
		if v.Lease.Attempt < c.o.Retries && !s.file.Final {
			v.Retry = max(c.backoff(v.Lease.Attempt), min(s.file.Wait, c.o.MaxDelay), time.Millisecond)
		}
		v.Page.Verdict, v.Page.Reason, v.Down = VerdictFailed, s.file.Why(), s.file.Why()
		return true
	}
	answer := s.rules.Check(c.o.Token, v.Lease.URL)
	if answer.Allowed {
		return false
	}
	v.Page.Verdict, v.Page.Rule = VerdictRefused, "robots"
	v.Page.Reason = fmt.Sprintf("robots.txt line %d: %s", answer.Line, answer.Rule)
	return true
}

// answered fills in what the server said, and reports whether that is a
// document.
func (c *Crawler) answered(v *Visit, s *site, r *fetch.Response, err error) bool {
	p := &v.Page
	v.Finished, v.Rest = time.Now(), c.rest(s)
	if err != nil {
		p.Verdict, p.Reason = VerdictFailed, err.Error()
		var fault *fetch.Error
		if errors.As(err, &fault) {
			p.Reason = fmt.Sprintf("%s: %s", fault.Op, fault.Reason())
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
	case r.Location() != "":
		c.redirected(v, r.Location())
		return false
	case r.Status >= 200 && r.Status < 300 && r.Status != http.StatusNoContent && r.Status != http.StatusResetContent:
		version := r.Validators()
		p.ETag, p.LastModified = version.ETag, version.LastModified
		return true
	case r.Status == http.StatusNotModified && v.Lease.Again:
		p.Verdict, p.Rule, p.Reason = VerdictRefused, "not-modified", "not modified since the last visit"
		return false
	}
	p.Verdict, p.Reason = VerdictFailed, strings.TrimSpace(fmt.Sprintf("http %d %s", r.Status, strings.ToLower(http.StatusText(r.Status))))
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		v.Down = p.Reason // that is about the host, and not about the page
	}
	if r.Status == http.StatusTooManyRequests || r.Status >= 500 {
		wait, _ := fetch.RetryAfter(r.Header, v.Finished)
		c.retry(v, min(wait, c.o.MaxDelay))
	}
	return false
}

// retry puts a failed URL back for another try, if it has any left, and lets
// its host rest.
func (c *Crawler) retry(v *Visit, atLeast time.Duration) {
	wait := max(c.backoff(v.Lease.Attempt), atLeast)
	v.Rest = max(v.Rest, wait)
	if v.Lease.Attempt < c.o.Retries {
		v.Retry = max(wait, time.Millisecond)
	}
}

// redirected queues the target of a redirect: a URL like any other, as deep as
// the one that led there.
func (c *Crawler) redirected(v *Visit, location string) {
	p := &v.Page
	p.Verdict, p.Rule, p.Location = VerdictRefused, "redirect", location
	p.Reason = "redirects to " + location
	to, err := v.Lease.URL.Parse(location)
	if err != nil {
		p.Reason = fmt.Sprintf("redirects to %q, which is no address: %v", location, err)
		return
	}
	if clean := c.clean(to); clean != v.Lease.URL { // a server may insist on its session ids
		to = clean
	}
	p.Location = to.String()
	p.Reason = "redirects to " + p.Location
	if p.Depth == 0 && !c.tooFar(to) {
		// Who hands in example.com wants www.example.com, if that is its name.
		c.scope.AddRoot(to)
		v.Roots = append(v.Roots, c.scope.RootURL(to))
	}
	cand := frontier.Candidate{URL: to, From: v.Lease.URL.Key(), Label: v.Lease.Label, Signals: v.Lease.Signals, Trap: v.Lease.Trap.Redirect()}
	if cand.Refused = c.refuse(to, p.Depth, cand.Trap); cand.Refused.IsZero() && int(cand.Trap.Redirects) > c.o.MaxRedirects {
		cand.Refused = frontier.Refusal{Rule: "redirects", Detail: fmt.Sprintf("more than %d redirects in a row", c.o.MaxRedirects)}
	}
	v.Links = append(v.Links, cand)
}

// read purifies a document of a host whose template may be known. Of what is no
// text only the bytes count.
func (c *Crawler) read(r *fetch.Response, t *purify.Template) (view *purify.DocView, prints []purify.Print) {
	defer c.pages.short(r.Body)()
	switch {
	case !r.IsHTML() && !r.IsText():
		return &purify.DocView{Type: "other", Role: "other"}, nil
	case isFeed(r):
		view = purify.Feed(r.Body, mediaType(r))
	default:
		view, prints = purify.PurifyOn(t, r.URL.String(), r.Body, mediaType(r))
	}
	if c.o.IDF != nil {
		view.Weigh(c.o.IDF)
	}
	return view, prints
}

// readLinks reads of a document only where it links to.
func (c *Crawler) readLinks(r *fetch.Response) *purify.DocView {
	defer c.pages.short(r.Body)()
	switch {
	case isFeed(r):
		return purify.Feed(r.Body, mediaType(r))
	case !r.IsHTML():
		return &purify.DocView{}
	}
	return purify.Links(r.Body, mediaType(r))
}

// mediaType is the type that a response was taken for, and the charset as it was sent.
func mediaType(r *fetch.Response) string {
	sent := r.Header.Get("Content-Type")
	if i := strings.Index(strings.ToLower(sent), "charset"); i >= 0 {
		return r.ContentType + "; " + sent[i:]
	}
	return r.ContentType
}

// describe takes over into the record what the view says, and queues its links.
func (c *Crawler) describe(v *Visit, view *purify.DocView, o orders) {
	p := &v.Page
	view.ID, view.URL = v.Lease.URL.Key().String(), p.URL
	p.Title, p.Lang, p.PageType, p.Charset = view.Title, view.Lang, view.Type, view.Charset
	p.Digest = v.Sign.Bytes.String()
	p.Canonical = elsewhere(v.Lease.URL, view)
	if v.Sign.Tokens > 0 {
		p.SimHash, p.BodyTokens = fmt.Sprintf("%016x", v.Sign.SimHash), int(v.Sign.Tokens)
	}
	if c.topic != nil {
		words := make([]string, len(view.Keywords))
		for i, k := range view.Keywords {
			words[i] = k.Word
		}
		p.Relevance = float32(c.topic.Page(view.Title, words, view.Body))
	}
	v.Links = c.links(v, view, o)
	p.Links = len(v.Links)
}

// links turns what a page links to into candidates; the view's links are
// resolved on the way.
func (c *Crawler) links(v *Visit, view *purify.DocView, o orders) []frontier.Candidate {
	page := v.Lease.URL
	base := page
	if b, err := page.Parse(view.Base); err == nil && view.Base != "" {
		base = b
	}
	charset := "" // of queries: other documents than pages have theirs in UTF-8
	if strings.Contains(v.Page.Type, "html") {
		charset = view.Charset
	}
	from := page.Key()
	cs := make([]frontier.Candidate, 0, len(view.Links)+2)
	follow := func(ref string, l *purify.Link) {
		to, err := base.Parse(frontier.EncodeQuery(ref, charset))
		if err != nil {
			return // a link that is no address leads nowhere
		}
		to = c.clean(to)
		cand := frontier.Candidate{
			URL: to, From: from, Label: v.Lease.Label, Trap: v.Lease.Trap.Follow(page, to),
			Signals: priority.Signals{Depth: uint16(min(v.Page.Depth+1, 1<<16-1)), Relevance: v.Page.Relevance},
		}
		if l != nil {
			l.URL, cand.Anchor = to.String(), cut(l.Text, 80)
			cand.Signals.Anchor = float32(c.topic.Words(l.Text, to.Path()))
		}
		if cand.Refused = c.refusedLink(l, o); cand.Refused.IsZero() {
			cand.Refused = c.refuse(to, int(cand.Signals.Depth), cand.Trap)
		}
		cs = append(cs, cand)
	}
	for i := range view.Links {
		follow(view.Links[i].URL, &view.Links[i])
	}
	for _, ref := range append(o.links, view.Canonical, view.Refresh) {
		if ref != "" {
			follow(ref, nil)
		}
	}
	return cs
}

// tooFar reports whether a URL leads off this machine in a crawl that may not.
func (c *Crawler) tooFar(u frontier.URL) bool { return c.o.LoopbackOnly && !u.Loopback() }

// refuse says which rule keeps a found URL out.
func (c *Crawler) refuse(u frontier.URL, depth int, t frontier.Trail) frontier.Refusal {
	if c.tooFar(u) {
		return frontier.Refusal{Rule: "contact", Detail: "not on this machine, and the crawl names no contact"}
	}
	return c.scope.Check(u, depth, t)
}

// compare writes into the record of a near copy what it and the kept page do not
// share: of a copy nothing else is kept by which that could be told later.
func (c *Crawler) compare(v *Visit) error {
	if v.Checked.Level != dedup.LevelNear {
		return nil
	}
	kept, ok, err := c.store.Text(v.Checked.Of)
	if err != nil || !ok {
		return err
	}
	if d := dedup.Differ(*v.Text, kept); !d.IsZero() {
		v.Page.Differs = &d
	}
	return nil
}

// keep packs what is kept of a new page.
func keep(v *Visit, view *purify.DocView, r *fetch.Response) error {
	packed, err := PackView(view)
	if err != nil {
		return err
	}
	v.View = packed
	if r.IsHTML() || r.IsText() {
		v.Body = PackBody(r.Body)
	}
	return nil
}

// cut shortens s to n bytes, on the edge of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
