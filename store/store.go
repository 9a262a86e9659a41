package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/mail"
	"gatecrawl.example/gatecrawl/store/query"
	"gatecrawl.example/gatecrawl/store/requisite"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// Version is the version of the job folder's format that this package reads and writes.
const Version = job.Version

// tables has all tables of a job.
var tables = slices.Concat(robots.Tables(), job.Tables(), requisite.Tables(), mail.Tables(), page.Tables(), group.Tables(), template.Tables(), dust.Tables(), twins.Tables(), revisit.Tables(), queue.Tables(), linkgraph.Tables(), parts.Tables())

// Tables returns all tables of a job.
func Tables() []*kv.Table { return slices.Clone(tables) }

// Options are the settings of a job's store.
type Options struct {
	// Dedup are the settings of the gate.
	Dedup dedup.Options

	// Priority are the weights of signals in scores.
	Priority priority.Options

	// Options are those of the queue: politeness, budgets and leases.
	queue.Options

	// OnTopic is the relevance from which a page of a focused crawl counts as on the topic, see
	// gatecrawl.Options.OnTopic. Default .5.
	OnTopic float64

	// Filter sizes the filter in front of the table urls.
	Filter seen.Options

	// IDF is the version of the table that weighs the words of signatures; "" for the weights
	// without a table. It is fixed when a job is started: signatures with different tables can't be
	// compared.
	IDF string

	// Selectors is the version of the selectors of bodies, gatecrawl.Options.BodyVersion; "" if
	// there are none. It is fixed when a job is started, like IDF.
	Selectors string

	// QueueMemory is how many bytes of changes to hosts, URLs and queue are held in memory before
	// they are written to a file; for a while there may be twice as many. Default 24 MiB. They are
	// replayed when a job is opened: 24 MiB take about a tenth of a second. With less there are
	// more and smaller files.
	QueueMemory int

	// Templates learns what a host's pages repeat and removes it from their bodies. Default on.
	// Without it a site's frame may be taken for a page's text: copies in two frames are missed,
	// and different texts in one frame count as copies.
	Templates bool

	// Parts stores a sample of each kept page's text, some 300 bytes, by which FindParts finds
	// pages that share parts. Default true.
	Parts bool

	// Rules are the settings of learning which URLs lead to the same page.
	Rules dust.Options

	// Mirrors says what is done about a host whose documents another host has: see mirror.Twin. Its
	// URLs are left out only if Dedup.Mode is discard. Default mirror.ModeOn. Then a document may
	// be missed that only the copy has, at a path that both have: at most 1 in 100 of those that
	// were checked was such a document; if there are more, all of the copy is fetched at the end of
	// the crawl. With mirror.ModeWatch mirrors are found and reported, and every copy is fetched.
	Mirrors mirror.Mode

	// Archive are the settings of the files with the bytes of pages.
	Archive segment.Options

	// Requisites are the limits of the files that are needed to show kept pages.
	Requisites requisite.Options

	// Refuse returns what excludes a URL from the crawl at a depth, as frontier.Scope.Check does: a
	// URL is not postponed in favour of a twin that is refused. Default nil: nothing is refused.
	Refuse func(u weburl.URL, depth int, t frontier.Trail) frontier.Refusal

	// Warn is called by Open with what is wrong with the job and does not keep it from going on: its archive ends before
	// what was committed. Default nil: nobody hears of it.
	Warn func(error)

	// Partition makes the store one of several that share a job. Default nil: the store has the
	// whole job, and a gate of its own.
	Partition *Partition

	// ReadOnly opens a job for inspection only. It fails while a crawl runs.
	ReadOnly bool
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{
		Dedup:    dedup.DefaultOptions(),
		Priority: priority.DefaultOptions(),
		Options:  queue.DefaultOptions(),
		OnTopic:  gatecrawl.DefaultOptions().OnTopic,
		Filter:   seen.DefaultOptions(),

		QueueMemory: disk.DefaultMemory,
		Archive:     segment.DefaultOptions(),
		Requisites:  requisite.Options{Files: 200, Bytes: 20 << 20},
		Templates:   true,
		Parts:       true,
		Rules:       dust.DefaultOptions(),
		Mirrors:     mirror.ModeOn,
	}
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	var errs []error
	if o.QueueMemory < 1 || o.QueueMemory > disk.MaxMemory {
		errs = append(errs, fmt.Errorf("queue memory is %d: want 1 to %d bytes", o.QueueMemory, disk.MaxMemory))
	}
	if o.Dedup.Recent < disk.MaxBatch {
		errs = append(errs, fmt.Errorf("dedup recent is %d: want at least %d, as many as one commit may claim", o.Dedup.Recent, disk.MaxBatch))
	}
	return errors.Join(append(errs, o.Options.Validate(), o.Dedup.Validate(), o.Priority.Validate(), o.Rules.Validate(), o.Archive.Validate(), o.Requisites.Validate())...)
}

// ErrNoJob says that a folder has no job.
var ErrNoJob = errors.New("no job here")

// A TablesLostError says that a folder has pages of a job whose tables are missing. It wraps
// ErrNoJob. Nothing is opened or created there: a new job would write its own segments, and delete
// those that its tables do not have.
type TablesLostError struct {
	Dir   string
	Pages string // path of a segment
}

func (e *TablesLostError) Error() string {
	return fmt.Sprintf("%s is missing or empty, and %s has pages of its job: copy it back from a backup; if there is none, crawl export %s reads the pages, and a new job needs another folder",
		filepath.Join(e.Dir, job.FileTables), e.Pages, filepath.Dir(e.Pages))
}

// Unwrap returns ErrNoJob.
func (e *TablesLostError) Unwrap() error { return ErrNoJob }

// NoJob returns why a folder has no job: a *TablesLostError, or ErrNoJob.
func NoJob(dir string) error {
	if pages, err := segment.Any(filepath.Join(dir, archive.Dir)); err == nil && pages != "" {
		return &TablesLostError{dir, pages}
	}
	return fmt.Errorf("%s: %w", dir, ErrNoJob)
}

var errReadOnly = errors.New("job was opened for inspection only")

// The errors of Open that callers may want to distinguish, in addition to ErrNoJob.
type (
	LockedError    = folder.LockedError // another process has the job
	VersionError   = job.VersionError   // the job was written by a version of some part whose results can't be compared
	IDFError       = job.IDFError       // the job's signatures were made with another table of words
	SelectorsError = job.SelectorsError // the bodies of its pages were chosen with other selectors
)

// Want says that this process waits for the lock of the job in dir, until done is called: crawl serve
// then lets go of it. Wanted reports whether a process does.
func Want(dir string) (done func(), err error) { return folder.Want(dir) }

// Wanted reports whether a process waits for the lock of the job in dir: see Want.
func Wanted(dir string) bool { return folder.Wanted(dir) }

// Suspended returns the process that has the job in dir, if it was stopped, as by Ctrl-Z; otherwise 0.
func Suspended(dir string) (pid int) { return folder.Suspended(dir, job.FileTables) }

// A reader is the query.Reader that is embedded in a Store.
type reader = query.Reader

// A Store is an open job.
type Store struct {
	*reader // answers questions about what is durable

	dir      string
	kv       kv.Store
	readOnly bool
	discard  bool
	priority priority.Options
	onTopic  float64
	refuse   func(weburl.URL, int, frontier.Trail) frontier.Refusal // nil: nothing is refused
	job      job.Record
	opened   time.Time

	parts  bool          // samples of texts are stored
	recent *parts.Recent // the texts of these; nil: opened for reading only

	gateOptions dedup.Options
	gate        *dedup.Gate // nil: opened for reading only
	gateOff     bool        // the gate looks for no copies
	readingMu   sync.Mutex
	reading     *dedup.Gate // the gate of a job opened for reading, once a question was asked

	queue *queue.Queue
	pace  gatecrawl.Pace

	robots    *robots.Files
	groups    *group.Groups
	templates *template.Learner
	twins     *twins.Learner
	lookups   *linkrot.Lookups
	links     *linkgraph.Graph

	closeOnce sync.Once

	// Used by the writer only.
	current    *txn // the commit under way
	lastCommit time.Time

	faultMu   sync.Mutex
	gateFault error // see fault

	stateMu sync.Mutex
	state   job.State // the durable state

	rate  rate
	rates revisit.Summary

	archive *archive.Archive
	warn    func(error) // see Options.Warn

	texts pendingTexts
	rules *dust.Rules

	requisites *requisite.Files
	leasable   atomic.Uint32 // a frontier.Leasable: what Next leases
	ahead      atomic.Bool   // what is asked for again comes before URLs that were never visited

	partition    *partition // nil: the store has the whole job
	inPartitions bool       // it does not, which is known before partition is loaded

	hintsAsked atomic.Int64  // copies that an audit queued and that no worker was sent to yet
	answers    atomic.Uint64 // how often a URL was settled or left out
	audited    atomic.Pointer[vainAudit]
	comparing  sync.Mutex // held by the worker that compares kept pages again
}

var (
	_ gatecrawl.Store     = (*Store)(nil)
	_ gatecrawl.Inspector = (*Store)(nil)
)

// Exists reports whether dir has a job. An empty file does not count: a full disk or an interrupted
// copy leaves one.
func Exists(dir string) bool { return disk.Exists(filepath.Join(dir, job.FileTables)) }

// Open opens the job in dir, and creates one if there is none. The errors that callers may want to
// distinguish are ErrNoJob (with ReadOnly, if there is no job), *TablesLostError, *LockedError,
// *VersionError, *IDFError and *SelectorsError.
func Open(dir string, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := folder.NoLinks(dir, job.FileTables, job.FileFilter); err != nil && !o.ReadOnly {
		return nil, err
	}
	if !Exists(dir) {
		why := NoJob(dir)
		if o.ReadOnly || errors.As(why, new(*TablesLostError)) {
			return nil, why
		}
		if err := folder.Make(dir); err != nil {
			return nil, fmt.Errorf("new job: %w", err)
		}
	}
	if !o.ReadOnly {
		if err := mayChange(dir, o.Partition != nil); err != nil {
			return nil, err
		}
	}
	s, err := openTables(dir, o)
	if err != nil {
		return nil, err
	}
	if err := s.guarded(func() error { return s.load(o) }); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	if o.ReadOnly {
		return s, nil
	}
	if err := folder.NotePID(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("job folder: %w", err), s.closeFiles())
	}
	if err := errors.Join(s.reopenAll(), s.recountHarvest()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// mayChange returns a *job.VersionError if a job's record is of another version, and an error if
// the folder has a partition of a job and is not opened as one. It is called before anything may be
// written. A record that can't be read is not an error here.
func mayChange(dir string, asPartition bool) error {
	engine, err := disk.Open(filepath.Join(dir, job.FileTables), append(mail.Tables(), job.TableMeta), disk.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	s := &Store{dir: dir, kv: engine, readOnly: true}
	err = s.guarded(s.loadJob)
	if !errors.As(err, new(*job.VersionError)) {
		err = nil
	}
	var posts bool // a partition of an earlier version is recognised by its messages
	unread := s.guarded(func() error {
		return s.look(func(in snapshot) (err error) { posts, err = mail.Posts(in); return err })
	})
	if (s.job.Partition || unread == nil && posts) && !asPartition {
		err = errors.Join(err, fmt.Errorf("%s is a partition of a job: name the job's folder, which has the file partitions.json", dir))
	}
	return errors.Join(err, engine.Close())
}

// openTables opens a job's tables, and reads only its record.
func openTables(dir string, o Options) (*Store, error) {
	s := &Store{
		dir: dir, readOnly: o.ReadOnly, archive: archive.New(dir, o.Archive, o.ReadOnly),
		discard:  o.Dedup.Mode == dedup.ModeDiscard,
		priority: o.Priority, onTopic: o.OnTopic, refuse: o.Refuse, warn: o.Warn, gateOptions: o.Dedup, gateOff: o.Dedup.Mode == dedup.ModeOff,
		opened: time.Now(), lastCommit: time.Now(),
		pace: gatecrawl.Pace{Delay: o.Delay, Backoff: o.Backoff, MaxRest: o.MaxRest},
	}
	s.inPartitions = o.Partition != nil
	s.archive.Advise = s.adviseRepair
	s.queue = queue.New(o.Options, o.Priority, s.wanted)
	s.requisites = requisite.New(o.Requisites, s.archive, s.queue.Now)
	var journal disk.Journal
	if o.Partition != nil {
		journal = o.Partition.Journal
	}
	engine, err := disk.Open(filepath.Join(dir, job.FileTables), tables, disk.Options{
		Journal: journal,
		Memory:  o.QueueMemory, ReadOnly: o.ReadOnly,
		Busy:   func() bool { return s.queue.Working() > 0 },
		Failed: s.queue.Fail,
		Init: func(tx kv.Tx) error {
			r := job.NewRecord(o.IDF, o.Selectors)
			r.Partition = o.Partition != nil
			return job.Init(tx, r)
		},
	})
	switch {
	case errors.Is(err, kv.ErrLocked):
		return nil, folder.LockedBy(dir, job.FileTables)
	case errors.Is(err, disk.ErrForeign):
		return nil, job.Foreign(dir)
	case errors.As(err, new(*kv.DamageError)):
		return nil, s.adviseRepair(err)
	case err != nil:
		return nil, err
	}
	s.kv = engine
	s.lookups = linkrot.NewLookups(engine, lostJob{s})
	s.groups = group.New(o.Dedup, groupedJob{s})
	s.templates = s.newTemplates(o.Templates)
	if s.parts = o.Parts; s.parts && !o.ReadOnly {
		s.recent = parts.NewRecent(dir, s.partTemplate)
	}
	s.robots = robots.NewFiles(s.kv.View, func(tries int) time.Duration { return frontier.Backoff(s.pace.Backoff, tries+1, s.pace.MaxRest) }, s.pace.MaxRest)
	if err := s.guarded(s.loadJob); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	err = s.look(func(in snapshot) (err error) {
		s.links, err = linkgraph.Open(filepath.Join(dir, job.DirLinks), in, o.ReadOnly)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	s.reader = query.New(query.Job{
		Tables: s.kv, Archive: s.archive, Requisites: s.requisites, Queue: s.queue, Links: s.links, Robots: s.robots, Mirrored: mirroredJob{s},
		Priority: o.Priority, Rates: &s.rates, IDF: s.job.IDF, Gate: s.askGate, Template: s.Template, Text: s.Text, Totals: s.Totals, Advise: s.advise, Elsewhere: s.elsewhere,
	})
	return s, nil
}

// adviseRepair adds to the error of damaged tables what the user can do.
func (s *Store) adviseRepair(err error) error {
	if s.inPartitions {
		return job.AdvisePartition(s.dir, err)
	}
	return job.AdviseRepair(s.dir, err)
}

// guarded runs a step of opening. Damaged pages may lead the tables astray, which panics; here that
// is an error.
func (s *Store) guarded(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = s.adviseRepair(fmt.Errorf("%s is corrupt (%v)", filepath.Join(s.dir, job.FileTables), r))
		}
	}()
	err = step()
	if errors.As(err, new(*kv.DamageError)) {
		err = s.adviseRepair(err)
	}
	return err
}

// load loads what is kept in memory.
func (s *Store) load(o Options) error {
	if !s.readOnly {
		if err := s.job.CheckSettings(s.dir, o.IDF, o.Selectors); err != nil {
			return err
		}
	}
	if err := errors.Join(s.openPartition(o.Partition), s.loadState(), s.openArchive()); err != nil {
		return err
	}
	if !s.readOnly {
		if err := s.look(func(in snapshot) error { return s.templates.Load(in) }); err != nil {
			return err
		}
	}
	if err := s.look(func(in snapshot) (err error) { s.rules, err = dust.Load(in, o.Rules, ruledJob{s}); return err }); err != nil {
		return err
	}
	if err := s.loadMirrors(o.Mirrors); err != nil {
		return err
	}
	if err := s.loadQueue(); err != nil || s.readOnly {
		return err
	}
	if o.Priority.Cash > 0 && !o.Priority.Focused {
		err := s.look(func(in snapshot) error {
			return s.queue.LoadCash(in, page.Outlinks)
		})
		if err != nil {
			return err
		}
	}
	if s.partition == nil {
		gate, err := s.openGate(o.Dedup)
		if err != nil {
			return fmt.Errorf("gate: %w", err)
		}
		s.gate = gate
	}
	return s.queue.OpenFilter(filepath.Join(s.dir, job.FileFilter), o.Filter)
}

// loadJob reads the job's record.
func (s *Store) loadJob() error {
	return s.look(func(in snapshot) (err error) {
		if s.job, err = in.Record(s.dir); err != nil {
			return err
		}
		return s.job.Check(s.dir, s.readOnly)
	})
}

// loadState reads the job's state.
func (s *Store) loadState() error {
	return s.look(func(in snapshot) (err error) {
		s.state, err = in.State()
		return err
	})
}

// openArchive opens the archive up to the end that the last commit has recorded.
func (s *Store) openArchive() error {
	return s.look(func(in snapshot) error {
		if err := s.archive.Open(in, s.state.Segments); err != nil {
			return err
		}
		err := s.archive.Cut(s.state.Segments)
		if err != nil && s.warn != nil {
			s.warn(err)
		}
		return nil
	})
}

// pack packs the bytes of a visit that is likely to be kept, before its commit. It returns nil for
// other visits, which are packed when it turns out that they are kept.
func (s *Store) pack(v *page.Visit) (*segment.Packed, error) {
	if v.Body == nil || v.Sign == nil || s.readOnly || s.discard && v.Checked.Copy() {
		return nil, nil
	}
	return s.archive.Pack(v)
}

// loadQueue loads the hosts into memory.
func (s *Store) loadQueue() error {
	return s.queue.Load(s.kv, s.state.Totals.Hosts, s.state.Totals.Later, !s.readOnly)
}

// Close commits what is under way and closes the job. No method may be called after it.
func (s *Store) Close() error {
	var err error
	s.closeOnce.Do(func() {
		s.settleQueue()
		tables := s.kv.Close() // this commits what is under way, which needs the gate
		s.queue.Fail(kv.ErrClosed)
		err = errors.Join(tables, s.closeFiles())
		if !s.readOnly {
			folder.ForgetPID(s.dir)
		}
	})
	return err
}

// settleQueue writes into the records of URLs what only the queue in memory knows of them: the cash
// owed to those that wait, for readers of the closed job, and the links to those that are done, for
// the next run. Cash that it fails to write stays in the journal.
func (s *Store) settleQueue() {
	if s.readOnly || s.gate == nil && s.partition == nil || s.fault() != nil {
		return
	}
	for more := true; more; {
		err := s.write(func(t *txn) (err error) {
			if s.priority.Focused {
				more, err = t.queue.SettleLinked()
			} else {
				more, err = t.queue.SettleCash()
			}
			return err
		})
		if err != nil {
			return
		}
	}
}

func (s *Store) closeFiles() error {
	var errs []error
	if s.gate != nil {
		errs = append(errs, s.gate.Close())
	}
	errs = append(errs, s.queue.Close(), s.kv.Close(), s.archive.Close(), s.recent.Close())
	if s.links != nil {
		errs = append(errs, s.links.Close())
	}
	return errors.Join(errs...)
}

// Dir returns the job folder.
func (s *Store) Dir() string { return s.dir }

// Add implements frontier.Backlog.
func (s *Store) Add(ctx context.Context, cs []frontier.Candidate) (int, error) {
	const chunk = 50_000 // a commit holds the database pages that it changes in memory
	added := 0
	for len(cs) > 0 {
		if err := ctx.Err(); err != nil {
			return added, err
		}
		n := min(len(cs), chunk)
		links := s.queue.Links(cs[:n])
		var before, after int64
		err := s.write(func(t *txn) error {
			before = t.queue.Counts.Seen + t.queue.Counts.Readmitted
			err := t.add(links)
			after = t.queue.Counts.Seen + t.queue.Counts.Readmitted
			return err
		})
		if err != nil {
			return added, fmt.Errorf("add urls: %w", err)
		}
		added += int(after - before)
		cs = cs[n:]
	}
	return added, nil
}

// Reserve implements gatecrawl.Store.
func (s *Store) Reserve(l frontier.Lease, from time.Time) time.Time {
	if l.Task == frontier.Reread {
		return from // its token is the number of a page
	}
	return s.queue.Reserve(l, from)
}

// Release implements frontier.Backlog.
func (s *Store) Release(l frontier.Lease, rest time.Duration) error {
	switch l.Task {
	case frontier.Robots:
		s.robots.Leave(l.URL.Origin())
	case frontier.Reread:
		s.templates.Leave()
		return nil
	}
	held, err := s.queue.Release(l, rest)
	if err != nil || held == nil {
		return err
	}
	err = s.write(func(t *txn) error {
		t.queue.Touch(held)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rest of %s: %w", l.URL.Host(), err)
	}
	return nil
}

// Settle implements gatecrawl.Store.
func (s *Store) Settle(_ context.Context, v *page.Visit) (page.Record, error) {
	defer s.answers.Add(1)
	switch {
	case v.Lease.Task == frontier.Reread:
		s.templates.Leave() // the next page is read while this one is committed
		return v.Page, s.revise(v)
	case v.Lease.Task == frontier.Robots && v.Robots != nil:
		return v.Page, s.settleRobots(v)
	case v.Lease.Task == frontier.Robots:
		defer s.robots.Leave(v.Lease.URL.Origin())
	}
	if v.Lease.Task == frontier.Requisite || v.Lease.Task == frontier.Robots && v.Lease.For == frontier.Requisite {
		return v.Page, s.settleRequisite(v)
	}
	l, err := s.queue.Hold(v.Lease, queue.Answer{Finished: v.Finished, Rest: v.Rest, Addr: v.Lease.Addr, Down: v.Down})
	if err != nil {
		return page.Record{}, fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	links := s.queue.Links(v.Links)
	packed, err := s.pack(v)
	if err != nil {
		return page.Record{}, fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	var rec page.Record
	err = s.write(func(t *txn) error {
		var err error
		rec, err = t.settle(l, v, links, packed)
		return err
	})
	if err != nil {
		return page.Record{}, fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	s.rate.count(time.Now())
	return rec, nil
}

// Robots returns the stored robots.txt of an origin; ok is false if there is none.
func (s *Store) Robots(origin string) (f robots.File, ok bool, err error) {
	return s.robots.Get(context.Background(), origin)
}

// settleRobots stores an origin's robots.txt, queues the links that it brought, and releases the
// URL that waits for it.
func (s *Store) settleRobots(v *page.Visit) error {
	links := s.queue.Links(v.Links)
	err := s.write(func(t *txn) error {
		if err := s.robots.Put(t.tx, *v.Robots); err != nil {
			return err
		}
		return t.add(links)
	})
	if err != nil {
		return fmt.Errorf("settle the robots.txt of %s: %w", v.Lease.URL.Origin(), err)
	}
	v.Lease.Task = v.Lease.For // the file is known now
	return s.Release(v.Lease, v.Rest)
}

// SaveSettings stores a copy of the settings that the job is crawled with. The caller decides what
// it contains.
func (s *Store) SaveSettings(text []byte) error {
	row := job.Settings(text, time.Now())
	return s.write(func(t *txn) error { t.tx.Put(job.TableMeta, job.KeySettings, row); return nil })
}

// SavedSettings returns what SaveSettings has stored in a job that no process has open; nil:
// nothing. It also reports whether anything was ever queued in the job.
func SavedSettings(dir string) (text []byte, started bool, err error) {
	o := DefaultOptions()
	o.ReadOnly = true
	s, err := openTables(dir, o)
	if err != nil {
		return nil, false, err
	}
	err = s.guarded(func() error {
		return s.look(func(in snapshot) error {
			state, err := in.State()
			started = err != nil || state.Totals.Seen > 0
			v, err := in.Get(job.TableMeta, job.KeySettings)
			text, _ = job.SettingsIn(v)
			return err
		})
	})
	return text, started, errors.Join(err, s.closeFiles())
}

// Roots returns the roots of the crawl's scope that its candidates have added: see
// frontier.Candidate.Root.
func (s *Store) Roots() ([]weburl.URL, error) {
	var roots []weburl.URL
	err := s.look(func(in snapshot) error {
		for e, err := range job.Roots.All(in) {
			if err != nil {
				return err
			}
			u, err := weburl.Parse(string(e.Key))
			if err != nil {
				return err
			}
			roots = append(roots, u)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("roots of the crawl: %w", err)
	}
	return roots, nil
}

// Stopped stores why a run ended, for Status.
func (s *Store) Stopped(why string) error {
	return s.write(func(t *txn) error {
		t.state.Stopped = why
		return nil
	})
}

// Pace implements gatecrawl.Store.
func (s *Store) Pace() gatecrawl.Pace {
	p := s.pace
	p.Delay = s.queue.Delay()
	return p
}

// Totals implements gatecrawl.Store.
func (s *Store) Totals() page.Totals {
	s.stateMu.Lock()
	t := s.state.Clone().Totals
	s.stateMu.Unlock()
	n := s.queue.Totals()
	t.Hosts, t.Leased, t.Held, t.Later, t.ParkedHosts, t.Parked = n.Hosts, n.Leased, n.Held, n.Waiting, n.ParkedHosts, n.Parked
	t.Aside, t.AsideHosts = n.Aside, n.AsideHosts
	t.Queued = max(0, t.Queued-t.Leased) // a lease ends a moment after its entry
	return t
}
