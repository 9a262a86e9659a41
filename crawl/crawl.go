package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus/category"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/earlier"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/fetch/render"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/warc"
)

// Options are what a program adds to the settings of a crawl. The zero Options are valid.
type Options struct {
	// Log gets warnings, and at level debug a line for each page. Default nil: no log.
	Log *slog.Logger

	// Version of the program, for the User-Agent. Default "": none.
	Version string

	// Stdin is the list of seeds that the setting seeds calls "-". Default nil: the
	// setting may not name it.
	Stdin io.Reader

	// Headers are sent with requests to single hosts: HOST:Name=Value, as access.ParseHeader reads
	// it. They apply to this run; the job saves only their names. Default none.
	Headers []string

	// Again fetches all pages again, even if the job is not finished. Default false: all
	// pages of a finished job, and of any other job the pages that are older than the
	// setting refetch-after.
	Again bool

	// Repeated says that the run is one of several of a schedule. A job that may fetch no more pages, because it
	// or its hosts have as many as they may, is then re-crawled like a finished one. Default false.
	Repeated bool

	// RetryFailed fetches the pages again whose last fetch failed, and of a finished job
	// nothing else. Default false.
	RetryFailed bool

	// BadSeed is called for each line of a list that is not a URL, or is one that the
	// crawl may not fetch. The other lines are added. Default nil: a warning in Log.
	BadSeed func(error)

	// BadRule is called for each rule in the files of url-rules that cannot be applied.
	// Default nil: a warning in Log.
	BadRule func(error)

	// Seeded is called when all seeds have been added, with the number of new URLs.
	// Default nil.
	Seeded func(added int)

	// Timed is called with the duration of a step, concurrently by the workers; it must not block.
	// Default nil.
	Timed func(Step, time.Duration)

	// Rows reads the rows of another job with their DocViews, for the setting known. Default nil:
	// the job is opened for reading, which fails while a crawl runs on it.
	Rows func(ctx context.Context, dir string, fn func(*gatecrawl.Row) error) error

	// Known is called with each source of the setting known before it is read, and again
	// afterwards, with what it has. Default nil.
	Known func(s earlier.Source, done bool)

	// Share makes the crawl one of several processes that work on a job together. Default nil: the
	// whole job is here.
	Share *Share

	// Requeued is called with what a re-crawl fetches again, before it starts. Default nil.
	Requeued func(gatecrawl.Requeued)
}

// A Crawl is an open job with everything that works on it. Its methods may be called from
// many goroutines, except Run, Close, and those that are to be called before Run.
type Crawl struct {
	dir      string
	settings configs.Settings
	scope    *frontier.Scope
	idf      *dedup.IDF      // of settings; nil: none
	judge    *focus.Judge    // of the topic; nil: there is none
	subjects *category.Model // of settings; nil: none
	rules    []configs.HostRule
	grants   *access.Grants // nil: requests carry nothing
	o        Options

	start   *start
	store   Job
	fetcher *fetch.Fetcher
	crawler *gatecrawl.Crawler
	clock   clock
	known   *earlier.Documents // nil: of no earlier crawl
	closers []func() error     // what is to be closed, in the order of opening

	onPage   []func(gatecrawl.Settled)
	onRecord []func(page.Record)
	onLink   []func(*gatecrawl.Link)

	ran, closed atomic.Bool

	opened gatecrawl.Options // of the crawler, as it was opened
	folder fs.FileInfo       // the job's folder, as it was opened

	mu     sync.Mutex         // guards settings, once Run has started, and what follows
	cancel context.CancelFunc // of Run; nil: it has not started
	seeded bool               // the settings need not name the seeds any more
}

// Open opens the job in the folder dir, or starts one there, and saves the settings in it.
// configs.Default returns the defaults; SettingsOf returns those of an existing job, which the
// given ones replace. Seeds that an interrupted run has not added yet are added too. Open sends
// no requests, and writes nothing if the settings are invalid. Close the Crawl when it is no
// longer needed.
func Open(dir string, s configs.Settings) (*Crawl, error) { return OpenWith(dir, s, Options{}) }

// OpenWith is Open with options.
func OpenWith(dir string, s configs.Settings, o Options) (c *Crawl, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	c = &Crawl{dir: dir, settings: s, o: o.filled(), clock: wallClock}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
			c = nil
		}
	}()
	urls, lists, contact, err := pending(dir)
	if err != nil {
		return c, err
	}
	c.settings.URL, c.settings.Seeds = union(urls, s.URL), union(lists, s.Seeds)
	if err := c.mayStart(); err != nil {
		return c, err
	}
	if err := absolute(&c.settings); err != nil {
		return c, err
	}
	if err := c.mayCarry(); err != nil {
		return c, err
	}
	if err := c.openStore(); err != nil {
		return c, err
	}
	// From here on the job is ours alone.
	if err := c.keepsContact(contact); err != nil {
		return c, err
	}
	if err := save(dir, c.settings, c.store); err != nil {
		return c, err
	}
	if err := c.wire(); err != nil {
		return c, err
	}
	if err := c.render(); err != nil {
		return c, err
	}
	if err := c.recall(); err != nil {
		return c, err
	}
	return c, c.archive()
}

// filled returns options in which no function is nil.
func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	warn := func(what string) func(error) { return func(err error) { o.Log.Warn(what, "err", err) } }
	if o.BadSeed == nil {
		o.BadSeed = warn("seed is left out")
	}
	if o.BadRule == nil {
		o.BadRule = warn("rule is not followed")
	}
	if o.Seeded == nil {
		o.Seeded = func(int) {}
	}
	if o.Known == nil {
		o.Known = func(earlier.Source, bool) {}
	}
	if o.Rows == nil {
		o.Rows = readRows
	}
	if o.Requeued == nil {
		o.Requeued = func(gatecrawl.Requeued) {}
	}
	return o
}

// mayStart returns an error if the settings can't be a crawl, before anything is written.
func (c *Crawl) mayStart() (err error) {
	s := &c.settings
	if c.start, err = newStart(s, c.o.Stdin, c.o.BadSeed); err != nil {
		return err
	}
	c.closing(func() error { c.start.Close(); return nil })
	if s.Contact == "" {
		if err := c.start.staysHere(); err != nil {
			return err
		}
	}
	c.start.start()
	if first := c.start.first; first != nil {
		s.AllowLoopback = s.AllowLoopback || first.URL.Loopback()
	} else if len(s.Seeds) > 0 || !Exists(c.dir) {
		if c.start.ended != nil {
			c.o.BadSeed(c.start.ended)
		}
		return &NoSeedsError{s.Seeds}
	}
	return nil
}

// keepsContact returns an error if the job had a contact, was sent off this machine, and now has no
// contact, as for a new job.
func (c *Crawl) keepsContact(named string) error {
	if named == "" || c.settings.Contact != "" {
		return nil
	}
	roots, err := c.store.Roots()
	if err != nil {
		return err
	}
	for _, root := range roots {
		if !root.Loopback() {
			return &ContactError{root, named}
		}
	}
	return nil
}

// openStore opens the job after the files that its settings name have been read.
func (c *Crawl) openStore() (err error) {
	within, err := c.settings.LoadScope()
	if err != nil {
		return &SettingError{Err: err}
	}
	if c.idf, err = c.settings.LoadIDF(); err != nil {
		return &SettingError{Err: err}
	}
	if c.scope, err = frontier.NewScope(within); err != nil {
		return &SettingError{Err: err}
	}
	if name := c.settings.Categories; name != "" {
		if c.subjects, err = category.Open(name); err != nil {
			return &SettingError{Err: fmt.Errorf("categories: %w", err)}
		}
	}
	if err := c.mayKnow(); err != nil {
		return err
	}
	if err := c.readJudge(); err != nil {
		return err
	}
	if err := c.staysLoggedIn(); err != nil {
		return err
	}
	o := c.settings.StoreOptions()
	o.IDF, o.Refuse = c.idf.Version(), c.scope.Check
	o.Hosts = hostLimits(c.rules)
	o.Archive.About = c.settings.ArchiveAbout(c.o.Version)
	o.Warn = func(err error) { c.o.Log.Warn("pages are lost that were stored before", "err", err) }
	if c.store, err = c.open(o); err != nil {
		return err
	}
	c.closing(c.store.Close)
	c.folder, err = os.Stat(c.dir)
	return err
}

// stillThere returns an error if the job's folder was moved, deleted or unmounted while the crawl ran.
// Its files stay open, so nothing else would fail.
func (c *Crawl) stillThere() error {
	if now, err := os.Stat(c.dir); err == nil && os.SameFile(now, c.folder) {
		return nil
	}
	return fmt.Errorf("%s is not the folder of this crawl any more: it was moved, deleted or unmounted meanwhile; what was collected is in the folder, if that still exists", c.dir)
}

// A Share is what a process has of a job that it shares with others.
type Share struct {
	// Open opens the parts of the job that are in this process, in place of OpenJob.
	Open func(dir string, o store.Options) (Job, error)

	// Allowed returns an error if no request may be sent to the web now, and Within derives a
	// context that ends when none may be sent any more.
	Allowed func() error
	Within  func(context.Context) (context.Context, context.CancelFunc)
}

func (c *Crawl) open(o store.Options) (Job, error) {
	if c.o.Share != nil {
		return c.o.Share.Open(c.dir, o)
	}
	return OpenJob(c.dir, c.settings, o)
}

// wire connects the parts of the crawler.
func (c *Crawl) wire() (err error) {
	s := c.settings
	by := s.FetchOptions(c.o.Version)
	by.Grants = c.grants
	if c.o.Share != nil {
		by.Allowed = c.o.Share.Allowed
	}
	if by.Roots, err = s.LoadRoots(); err != nil {
		return &SettingError{Err: err}
	}
	if c.fetcher, err = fetch.New(by); err != nil {
		return err
	}
	c.closing(func() error { c.fetcher.Close(); return nil })
	if err := c.keepCookies(); err != nil {
		return err
	}
	roots, err := c.store.Roots()
	if err != nil {
		return err
	}
	for _, root := range roots {
		c.scope.AddRoot(root)
	}
	learner, err := c.openJudge()
	if err != nil {
		return err
	}
	o := s.CrawlOptions()
	o.IDF = c.idf
	if c.subjects != nil {
		o.Category = c.subjects.Likely
	}
	if o.URLRules, err = s.LoadURLRules(c.o.BadRule); err != nil {
		return &SettingError{Err: err}
	}
	o.RenderOf = renders(c.rules)
	c.opened = o
	var st gatecrawl.Store = c.store
	if c.o.Timed != nil {
		st = timed{c.store, c.o.Timed}
	}
	if c.crawler, err = gatecrawl.New(o, st, c.fetcher, c.scope, learner.judgeOrNil(), c.o.Log); err != nil {
		return err
	}
	if c.o.Share != nil {
		c.crawler.AskWithin(c.o.Share.Within)
	}
	if learner != nil {
		c.crawler.Learned(learner.learned)
	}
	c.crawler.SetHostDelays(c.allDelays(&s))
	return nil
}

// render gives the crawler a browser if the settings ask for one.
func (c *Crawl) render() error {
	s := &c.settings
	if s.Render == gatecrawl.RenderNever && len(renders(c.rules)) == 0 {
		return nil
	}
	o := render.Defaults()
	o.Fetch, o.MaxBody, o.Memory = c.fetcher.Fetch, int64(s.MaxBody), int64(s.RenderMemory)
	b, err := render.New(o)
	if err != nil {
		return &SettingError{"render " + string(s.Render), err}
	}
	c.closing(b.Close)
	c.crawler.RenderWith(b)
	return nil
}

// archive gives the crawler the archive of all answers if the settings ask for one.
func (c *Crawl) archive() error {
	s := &c.settings
	if s.WARC != configs.WARCAll {
		return nil
	}
	o := warc.DefaultArchiveOptions()
	o.About, o.Prefix, o.MaxBytes = c.settings.ArchiveAbout(c.o.Version), s.ArchivePrefix, int64(s.ArchiveSize)
	o.Compression = s.WARCCompression
	a, err := warc.OpenArchive(filepath.Join(c.dir, "warc"), o)
	if err != nil {
		return err
	}
	c.closing(a.Close)
	c.crawler.ArchiveIn(a)
	return nil
}

// closing makes Close call a function, before those that were given earlier.
func (c *Crawl) closing(f func() error) { c.closers = append(c.closers, f) }

// Close closes the job, after Run has returned or instead of Run. The job can be opened
// again. A second Close does nothing.
func (c *Crawl) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	var errs []error
	for i := len(c.closers) - 1; i >= 0; i-- {
		errs = append(errs, c.closers[i]())
	}
	return errors.Join(errs...)
}

// OnPage registers a function that is called once for each settled page: with its record and
// the gate's verdict, its DocView if the page was read, and the server's answer. Call it
// before Run. Several functions are called in the order of registration; gatecrawl.Hooks says
// what happens if one blocks or panics.
//
// After a crash a page may be in the job for which the function was not called: a program that
// must not miss any reads Pages or Kept.
func (c *Crawl) OnPage(f func(gatecrawl.Settled)) { c.onPage = append(c.onPage, f) }

// OnRecord is OnPage for a function that needs the record alone, before those of OnPage. It
// costs less: no keywords and no abstract are made for it.
func (c *Crawl) OnRecord(f func(page.Record)) { c.onRecord = append(c.onRecord, f) }

// OnLink registers a function that is called for each link that no rule refuses, before it is
// queued: the function may refuse the link or change its score. Call it before Run. Several
// functions are called in the order of registration; the last one that refuses a link gives
// the reason.
func (c *Crawl) OnLink(f func(*gatecrawl.Link)) { c.onLink = append(c.onLink, f) }

// Run adds the seeds and crawls until nothing is left, a limit of the settings is reached,
// or ctx is cancelled. Then pages that are being fetched have a few seconds to finish. When
// Run returns, all settled pages are durable and the rest is queued for the next run. Run
// may be called once: to continue, or to crawl a finished job again, open the job again. If a
// list of seeds is cut short, Run fetches nothing and returns a *ShortListError. If the job's folder is
// not where it was opened any more, Run says so at its end.
func (c *Crawl) Run(ctx context.Context) (gatecrawl.Ended, error) {
	switch {
	case c.closed.Load():
		return "", errClosed
	case c.ran.Swap(true):
		return "", errRan
	}
	c.crawler.SetHooks(c.hooks())
	ctx, stop := c.until(ctx)
	defer stop()
	ended, err := c.run(ctx)
	if err != nil {
		c.failed(err)
		return "", err
	}
	if err := c.store.Stopped(string(ended)); err != nil {
		return ended, err
	}
	return ended, c.stillThere()
}

// failed stores that an error has ended the run, if it had started: before that, the status says how
// the last one ended. A disk without room for that leaves a status that does not say it. What a share
// of a cluster's job has come to is in the log of all nodes.
func (c *Crawl) failed(err error) {
	if c.o.Share != nil || c.store.Ended() != "" {
		return
	}
	why := gatecrawl.Failed
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		why = gatecrawl.DiskFull
	}
	c.store.Stopped(string(why)) // err is what the caller has to know
}

// hooks returns the registered functions as Hooks.
func (c *Crawl) hooks() gatecrawl.Hooks {
	return gatecrawl.Hooks{Page: all(c.onPage), Record: all(c.onRecord), Link: all(c.onLink)}
}

// all returns a function that calls several in order; nil if there are none.
func all[T any](fs []func(T)) func(T) {
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fs[0]
	}
	return func(v T) {
		for _, f := range fs {
			f(v)
		}
	}
}

// run adds the seeds and then crawls.
func (c *Crawl) run(ctx context.Context) (gatecrawl.Ended, error) {
	err := c.readKnown(ctx)
	if err == nil {
		err = c.seed(ctx)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return gatecrawl.Interrupted, nil
	}
	if err != nil {
		return "", err
	}
	if err := c.refetch(ctx); err != nil {
		return "", err
	}
	if err := c.fetcher.CheckProxy(ctx); err != nil {
		return "", &ProxyError{gatecrawl.ProxyError{Err: err}}
	}
	if err := c.logIn(ctx); err != nil {
		return "", err
	}
	defer c.keepQuiet(ctx)()
	ended, err := c.crawler.Run(ctx)
	if p, ok := errors.AsType[*gatecrawl.ProxyError](err); ok {
		return "", &ProxyError{gatecrawl.ProxyError{Login: p.Login, Err: fmt.Errorf("proxy %s: %w", c.fetcher.Proxy(), p.Err)}}
	}
	if err == nil && ended != gatecrawl.Interrupted {
		_, err = c.store.FindParts(ctx)
	}
	return ended, err
}

// seed adds the start URLs. Until all are added the saved settings name them, so that a run after a
// crash adds the rest.
func (c *Crawl) seed(ctx context.Context) error {
	var fault error
	added, err := c.crawler.Seed(ctx, c.start.seeds(ctx, &c.settings, &fault), c.o.BadSeed)
	c.start.Close()
	if _, ends := errors.AsType[*seeds.ListError](err); fault != nil || err != nil && !ends {
		return errors.Join(fault, err)
	}
	err = short(errors.Join(c.start.ended, err))
	c.o.Seeded(added)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seeded = true // even if a list is cut short: the next run may go on without its rest
	return errors.Join(c.save(c.settings), err)
}

// isFinished reports whether the last run has left nothing to fetch: no URL, or in a schedule none that the limits of
// pages allow.
func (c *Crawl) isFinished(n page.Totals, full bool) bool {
	left := n.Queued + n.Later + n.Leased
	switch c.store.Ended() {
	case gatecrawl.Done:
		return left == 0 || c.o.Repeated && left == n.Held
	case gatecrawl.PageLimit:
		return c.o.Repeated && full
	}
	return false
}

// refetch queues old pages again: of a finished job all, or those that are older than the settings
// say; of an unfinished one only those that the settings or the program ask for, but see
// Options.Repeated.
func (c *Crawl) refetch(ctx context.Context) error {
	age := time.Duration(c.settings.RefetchAfter)
	before := time.Time{}
	n, most := c.store.Totals(), c.settings.MaxPages
	full := most > 0 && n.Answered() >= most
	retried := 0
	switch {
	case c.o.RetryFailed:
		var err error
		if retried, err = c.store.RetryFailed(ctx, full); err != nil {
			return err
		}
	case c.o.Again:
		before = time.Now()
	case age > 0 || c.isFinished(n, full):
		before = time.Now().Add(-age)
	}
	again := c.settings.Again(before)
	again.Ahead = full
	asked, err := c.store.Requeue(ctx, again)
	if ctx.Err() != nil {
		return nil // the next run queues the rest
	}
	if err != nil {
		return err
	}
	asked.Asked += retried
	c.o.Requeued(asked)
	return c.store.Stopped("") // by nothing yet
}
