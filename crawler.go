package gatecrawl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/mirror/soft404"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/warc"
)

// Ended says why a run ended.
type Ended string

// The ends of a run that are not failures.
const (
	Done        Ended = "done"        // nothing is left to fetch
	PageLimit   Ended = "page limit"  // Options.MaxPages is reached
	SizeLimit   Ended = "size limit"  // Options.MaxBytes is reached
	TimeLimit   Ended = "time limit"  // Options.TimeLimit is reached
	TopicTail   Ended = "topic tail"  // Options.StopTail is reached
	TopicLimit  Ended = "topic limit" // Options.StopAfterRelevant is reached
	Interrupted Ended = "interrupted" // the context was cancelled
)

// The failures that end a run, as the status of a job has them. Run returns the error.
const (
	DiskFull Ended = "disk full"
	Failed   Ended = "failure" // any other
)

// Setting returns the name of the setting that ended the run and has to be changed before the job
// can go on: with the same value the next run would end at once. It returns "" for the other ends.
func (e Ended) Setting() string {
	switch e {
	case PageLimit:
		return "max-pages"
	case SizeLimit:
		return "max-bytes"
	case TopicTail:
		return "stop-tail"
	case TopicLimit:
		return "stop-after-relevant"
	}
	return ""
}

// A Crawler takes URLs from a store's queue and settles what it finds there.
type Crawler struct {
	o          Options
	store      Store
	fetch      *fetch.Fetcher
	scope      *frontier.Scope
	judge      *focus.Judge // nil: no focus
	sites      *sites
	slots      *limit.Slots
	errorPages *soft404.Detector
	probes     singleflight.Group // for error pages
	bodies     *limit.Memory      // of pages, from their answer until they are settled
	parse      *limit.ParseMemory
	tally      *tally
	pace       Pace // of the store; Store.Pace has the current Delay
	controls   *controls
	asking     asking
	proxy      proxy
	log        *slog.Logger

	reader    purify.Reader
	renderer  fetch.Renderer                                              // nil: scripts are not run
	archive   *warc.Archive                                               // nil: answers are not written to one
	within    func(context.Context) (context.Context, context.CancelFunc) // nil: requests end with Run and their leases
	earlier   Earlier                                                     // nil: no documents of earlier crawls are known
	resolved  resolved                                                    // IP addresses that the archive has
	learned   func(focus.Doc)                                             // nil: there is no observer
	topicEnds func(Ended)                                                 // ends the current run: no more pages are started
	hooks     Hooks
}

// New returns a crawler over a store. A nil judge crawls without a focus.
func New(o Options, st Store, f *fetch.Fetcher, scope *frontier.Scope, judge *focus.Judge, log *slog.Logger) (*Crawler, error) {
	pace := st.Pace()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Crawler{
		o: o, store: st, fetch: f, scope: scope, judge: judge, log: log, slots: limit.NewSlots(o.Workers), errorPages: soft404.NewDetector(),
		bodies: limit.NewMemory(o.PageMemory / 2), parse: limit.NewParseMemory(o.PageMemory/2, fetch.FreeBody),
		tally: newTally(), pace: pace, controls: newControls(o),
	}
	var err error
	if c.reader, err = o.Reader(); err != nil {
		return nil, err
	}
	if c.reader.Selectors != nil {
		c.parse.Extra = treeBytes
	}
	c.reader.Answers = true
	c.reader.Unsummed = o.IDF != nil || judge == nil // keywords need no IDF of their own then; DocView.Sum makes them for callers that want a kept page
	c.sites = newSites(st, c.parse)
	return c, nil
}

// Seed queues a list of URLs, 50,000 at a time, and adds them to the roots of the scope. It calls
// bad for each faulty line and each URL that a rule refuses, and goes on. It returns how many other URLs
// were new. If reading the list fails before its end, the URLs up to there are queued, and the
// error is that *seeds.ListError.
func (c *Crawler) Seed(ctx context.Context, list iter.Seq2[seeds.Seed, error], bad func(error)) (added int, err error) {
	const batch = 50_000
	var cs, refused []frontier.Candidate
	roots := make(map[string]bool) // of both
	flush := func() error {
		n, err := c.store.Add(ctx, cs)
		added += n
		if err == nil && len(refused) > 0 { // so that crawl why knows them
			_, err = c.store.Add(ctx, refused)
		}
		cs, refused = cs[:0], refused[:0]
		clear(roots)
		return err
	}
	var short error
	for s, err := range list {
		if _, ends := errors.AsType[*seeds.ListError](err); ends {
			short = errors.Join(short, err)
			continue
		}
		if err != nil {
			bad(err)
			continue
		}
		c.scope.AddRoot(s.URL)
		cand := frontier.Candidate{
			URL: s.URL, Label: s.Label, Signals: priority.Signals{Seed: s.Priority}, Refused: c.scope.CheckSeed(s.URL),
		}
		if r := cand.Refused; !r.IsZero() {
			bad(fmt.Errorf("seed %s is refused by rule %s: %s", s.URL, r.Rule, r.Detail))
		}
		if c.judge != nil {
			cand.Signals.Relevance = priority.SeedRelevance
		}
		if root := c.scope.RootURL(s.URL); !roots[root] {
			roots[root] = true
			cand.Root = root
		}
		if cand.Refused.IsZero() {
			cs = append(cs, cand)
		} else {
			refused = append(refused, cand)
		}
		if len(cs)+len(refused) == batch {
			if err := flush(); err != nil {
				return added, err
			}
		}
	}
	if err := flush(); err != nil {
		return added, err
	}
	return added, short
}

// Run crawls until nothing is left, a limit is reached, or ctx is cancelled. Then no more pages are
// started, and those under way get Options.Grace to finish. When Run returns, everything that was
// settled is durable and the rest is back in the queue. An error comes from the store, without
// which a crawl can't go on, or is a *ProxyError.
func (c *Crawler) Run(ctx context.Context) (Ended, error) {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.o.TimeLimit > 0 {
		t := time.AfterFunc(c.o.TimeLimit, func() { stop(errTime) })
		defer t.Stop()
	}
	work, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	defer context.AfterFunc(running, func() {
		time.AfterFunc(c.o.Grace, kill)
	})()

	turns, enough := context.WithCancel(running)
	defer enough()
	var topicEnd atomic.Value // of Ended
	c.topicEnds = func(e Ended) {
		topicEnd.CompareAndSwap(nil, e)
		enough()
	}
	t := c.store.Totals()
	if c.enoughRelevant(t.Harvest) { // an earlier run has reached the limit
		c.topicEnds(TopicLimit)
	}
	quota := c.controls.start(false, func(pages, bytes int64) *limit.Quota {
		return limit.NewQuota(pages, bytes, t.Answered(), t.Wire, enough)
	})
	defer context.AfterFunc(running, quota.Stop)()
	var g errgroup.Group
	for range c.o.Workers + c.o.Spare {
		g.Go(func() error { // ends with turns, with the queue, or with the store
			err := c.work(turns, work, quota)
			if err != nil { // only a failure stops the others: one worker may find the queue empty while an audit gives another one work
				stop(err)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	if running.Err() == nil && quota.Reached() == limit.Pages && topicEnd.Load() == nil {
		if err := c.visitAgain(running, work); err != nil {
			return "", err
		}
	}
	if running.Err() == nil && topicEnd.Load() != TopicLimit && quota.Reached() != limit.Bytes {
		if err := c.askHeld(running, work); err != nil {
			return "", err
		}
	}
	limited := quota.Reached() != limit.None
	if running.Err() == nil && (limited || topicEnd.Load() != nil) {
		if err := c.readAgain(running, work); err != nil {
			return "", err
		}
	}
	if running.Err() == nil && limited {
		if err := c.fetchRequisites(running, work); err != nil {
			return "", err
		}
	}
	if err := c.rerate(work); err != nil {
		return "", err
	}
	switch cause := context.Cause(running); {
	case cause == errTime:
		return TimeLimit, nil
	case cause != nil:
		return Interrupted, nil
	}
	if t := c.store.Totals(); t.Queued+t.Later == 0 {
		return Done, nil
	}
	if e, ok := topicEnd.Load().(Ended); ok {
		return e, nil
	}
	switch quota.Reached() {
	case limit.Pages:
		return PageLimit, nil
	case limit.Bytes:
		return SizeLimit, nil
	}
	return Done, nil
}

// visitAgain visits what was asked for again when no more pages may be fetched: Options.MaxPages does not
// count it, and Options.MaxBytes does.
func (c *Crawler) visitAgain(running, work context.Context) error {
	turns, enough := context.WithCancel(running)
	defer enough()
	quota := c.controls.start(true, func(pages, bytes int64) *limit.Quota {
		return limit.NewQuota(pages, bytes, 0, c.store.Totals().Wire, enough)
	})
	defer context.AfterFunc(running, quota.Stop)()
	return c.only(frontier.LeaseAgain, turns, work, quota)
}

// readAgain reads kept pages again with the last templates of their sites, as at the end of a crawl that
// finds nothing more. It requests nothing.
func (c *Crawler) readAgain(turns, work context.Context) error {
	return c.only(frontier.LeaseNone, turns, work, limit.NewQuota(0, 0, 0, 0, func() {}))
}

// only performs tasks of one kind until none is left.
func (c *Crawler) only(which frontier.Leasable, turns, work context.Context, quota *limit.Quota) error {
	c.store.SetLeasable(which)
	defer c.store.SetLeasable(frontier.LeaseAll)
	var g errgroup.Group
	for range c.o.Workers {
		g.Go(func() error { return c.work(turns, work, quota) }) // ends with turns, with the tasks, or with the store
	}
	return g.Wait()
}

var errTime = errors.New("time limit reached")

// work visits pages until no more may be started.
func (c *Crawler) work(turns, work context.Context, quota *limit.Quota) error {
	for {
		c.controls.pause.wait(turns)
		c.controls.quiet.wait(turns)
		c.slots.Acquire()
		err := c.next(turns, work, quota)
		c.slots.Release()
		switch {
		case errors.Is(err, frontier.ErrEmpty), errors.Is(err, errNoMore):
			return nil
		case err != nil:
			return err
		}
	}
}

// errNoMore says that no more pages may be started.
var errNoMore = errors.New("no more pages are started")

// next performs the next task. It checks the limits only after it has waited for a host: a task
// that hundreds of workers wait for has not started yet, and must not be fetched once a limit is
// reached.
func (c *Crawler) next(turns, work context.Context, quota *limit.Quota) error {
	if work.Err() != nil {
		return errNoMore
	}
	lease, err := c.store.Next(turns)
	switch {
	case err == nil:
	case turns.Err() != nil && !errors.Is(err, frontier.ErrEmpty):
		return errNoMore
	default:
		return fmt.Errorf("next url: %w", err)
	}
	if lease.Task == frontier.Reread { // in addition to the pages that are fetched: it takes no slot
		c.slots.Release()
		defer c.slots.Acquire()
		return c.reread(work, lease)
	}
	if c.Paused() || !c.controls.quiet.isOpen() { // the pause may have started while this worker waited for the URL
		return c.handBack(lease, 0)
	}
	if lease.Task == frontier.Requisite || lease.For == frontier.Requisite { // requisites count towards no limit
		c.slots.Start()
		_, err := c.do(work, lease)
		c.slots.Finish()
		return err
	}
	c.asking.wait(lease)
	defer c.asking.end(lease)
	if !quota.Reserve() {
		if err := c.handBack(lease, 0); err != nil {
			return err
		}
		return errNoMore
	}
	c.asking.start(lease)
	c.slots.Start()
	rec, err := c.do(work, lease)
	c.slots.Finish()
	answered := int64(0)
	if rec.Status != 0 && !lease.Again {
		answered = 1
	}
	quota.Use(answered, rec.Wire)
	return err
}

// handBack returns a lease that was not used, or whose request was cut off. In the second case rest
// is as long as after an answer, since the request may have reached the host.
func (c *Crawler) handBack(l frontier.Lease, rest time.Duration) error {
	if err := c.store.Release(l, rest); err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
		return err
	}
	return nil
}

// do performs a task and returns the record of a page that was settled. A URL that was not fetched
// because the proxy failed stays queued.
func (c *Crawler) do(ctx context.Context, l frontier.Lease) (page.Record, error) {
	rec, err := c.task(ctx, l)
	if _, gone := errors.AsType[*ProxyError](err); gone {
		err = errors.Join(err, c.handBack(l, 0))
	}
	return rec, err
}

func (c *Crawler) task(ctx context.Context, l frontier.Lease) (page.Record, error) {
	switch l.Task {
	case frontier.Robots:
		return page.Record{}, c.askRobots(ctx, l)
	case frontier.Requisite:
		return page.Record{}, c.visitRequisite(ctx, l)
	}
	return c.visit(ctx, l)
}

// rest is how long a host rests after a request: the crawl's delay or the one that its robots.txt
// asks for, whichever is longer, but at most Pace.MaxRest for the latter.
func (c *Crawler) rest(s *site) time.Duration {
	_, host, _ := strings.Cut(s.file.Origin, "://")
	return max(c.delay(host), min(s.rules.Delay(c.o.Token), c.pace.MaxRest))
}

// delay is the shortest time that a host rests after a page.
func (c *Crawler) delay(host string) time.Duration {
	return max(c.store.Pace().Delay, c.hostDelay(host))
}

// mostSlowed limits the rest of a slow host, as a multiple of Pace.Delay.
const mostSlowed = 10

// slowed is the rest of a host that took so long to answer: a host that spends a second on a page
// is asked less often than one that spends a millisecond.
func (c *Crawler) slowed(took time.Duration) time.Duration {
	return min(time.Duration(c.o.DelayFactor*float64(took)), mostSlowed*c.store.Pace().Delay)
}

// backoff is how long to wait after the given number of failed tries.
func (c *Crawler) backoff(tries int) time.Duration {
	return frontier.Backoff(c.pace.Backoff, tries+1, c.pace.MaxRest)
}
