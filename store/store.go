package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/mirror/rules"
	"gatecrawl/priority"
	"gatecrawl/purify"
	"gatecrawl/store/runs"
)

// Version is the form of a job folder that this package reads and writes.
const Version = 2

// The files of a job folder that belong to this package.
const (
	fileDB     = "crawl.db"
	fileFilter = "seen.bloom"
	filePID    = "pid"
)

var (
	bucketMeta       = []byte("meta")
	bucketLater      = []byte("later")
	bucketPages      = []byte("pages")
	bucketViews      = []byte("views")
	bucketBodies     = []byte("bodies")
	bucketSignatures = []byte("signatures")
	bucketOutlinks   = []byte("outlinks")
	bucketVotes      = []byte("votes")
	bucketGroups     = []byte("groups")
	bucketRobots     = []byte("robots")
	bucketRoots      = []byte("roots")
	bucketSums       = []byte("sums")
	bucketLost       = []byte("lost")
	bucketRevised    = []byte("revised")
	bucketSites      = []byte("sites")
	bucketTemplates  = []byte("templates")
	bucketAgain      = []byte("again")

	keyJob   = []byte("job")
	keyState = []byte("state")

	// present is the value of keys that say all: within the transaction that
	// put it, a nil value reads like a key that is not there.
	present = []byte{1}
)

var buckets = [][]byte{
	bucketMeta, bucketLog, bucketLater, bucketPages, bucketViews, bucketBodies,
	bucketSignatures, bucketOutlinks, bucketVotes, bucketGroups, bucketRobots, bucketRoots,
	bucketSums, bucketLost, bucketRevised,
	bucketSites, bucketTemplates, bucketAgain,
	bucketMirrors, bucketSamples, bucketDeferred, bucketTwins,
}

// youngBuckets came when there were jobs already: an older job lacks them.
var youngBuckets = [][]byte{
	bucketSums, bucketLost, bucketRevised, bucketSites, bucketTemplates, bucketAgain, bucketLog,
	bucketMirrors, bucketSamples, bucketDeferred, bucketTwins,
}

// Options are the settings of a job's store.
type Options struct {
	// Dedup sets the gate.
	Dedup dedup.Options

	// Priority turns signals into scores.
	Priority priority.Options

	// PerHost is how many requests may be under way to one host at once.
	// Default 1. More than a few annoys small sites.
	PerHost int

	// Delay is the least time from one request to a host to the next: from the
	// end of a request with PerHost 1, from its start above that. Default 1 s.
	// At 0 a host is asked as fast as it answers.
	Delay time.Duration

	// PerIP is how many requests may be under way at once to the hosts at one IP
	// address, which is known once one of them answered. Default 16: one server
	// often carries thousands of hosts, and a large network's address even more;
	// 0 is no limit.
	PerIP int

	// QueueBy is what PerHost and Delay are about: a host, a registrable domain,
	// or an IP address. Default frontier.ByHost.
	QueueBy frontier.QueueBy

	// Backoff is how long a host rests after a request that it did not answer;
	// every second one in a row makes it twice as long, up to MaxRest. Default 1 s.
	Backoff time.Duration

	// MaxRest is the longest rest after failures, and the longest that a retry
	// may wait. Default 5 min.
	MaxRest time.Duration

	// ParkAfter is after how many requests in a row without an answer (or with one that
	// says that the host is too busy, see gatecrawl.Visit.Down) a host is parked:
	// nothing is asked of it for ParkFor, and a crawl with nothing else to do ends. Its
	// URLs stay in the queue; opening the job again tries it once more. Default 6; 0
	// never parks. With 1 a single lost packet parks a host. A host that did answer is
	// given four times as many as long as no other answers either: then our own line may
	// be down.
	ParkAfter int

	// ParkFor is how long a host stays parked. Default 30 min.
	ParkFor time.Duration

	// MaxProbes is how many URLs may be lent at once of hosts that did not answer
	// the last time, or were never asked. Default 0: no limit. With fewer workers
	// than this such hosts can keep all of them waiting for time-outs.
	MaxProbes int

	// HostBudget is how many pages of one host may be fetched; URLs beyond it
	// stay in the queue. Default 0: no limit.
	HostBudget int64

	// NewBudget is how many documents of one host may be new: copies and errors
	// do not count. URLs beyond it stay in the queue. Default 0: no limit.
	NewBudget int64

	// Lease is how long a URL may be lent out before it is lent again. Default
	// 10 min. It must be longer than a fetch may take, or slow pages are fetched
	// for ever.
	Lease time.Duration

	// Filter sizes the filter in front of the urls bucket.
	Filter dedup.FilterOptions

	// IDF is the version of the table that weighs the words of signatures; "" for
	// the weights without one. It is settled when a job begins: signatures of two
	// tables do not compare.
	IDF string

	// QueueMemory is how many bytes of changes to hosts, URLs and queue are held in
	// memory before they are written to a file; for a while there may be twice as
	// many. Default 24 MiB. They are replayed when a job is opened: 24 MiB take
	// about a tenth of a second. Less makes more, smaller files.
	QueueMemory int

	// Templates learns what a host's pages repeat and leaves it out of their
	// bodies. Default on. Without it a site's frame may be taken for its text:
	// copies in two frames are missed, and two texts in one frame are near.
	Templates bool

	// Rules sets what is learned of addresses that lead to the same page.
	Rules rules.Options

	// Mirrors says what is done about a host whose documents another one has:
	// see mirror.Twin. Only with Dedup.Mode discard are its addresses not asked
	// for. Default mirror.ModeOn. A document that only the copy has, at a path that
	// both have, may not be seen then: of those that were checked no more than 1 in
	// 100 was such, or all of the copy is asked for at the end of the crawl. With
	// mirror.ModeWatch mirrors are found and told, and every copy is fetched.
	Mirrors mirror.Mode

	// ReadOnly opens a job for inspection only. It fails while a crawl runs.
	ReadOnly bool
}

// DefaultOptions returns the defaults named above.
func DefaultOptions() Options {
	return Options{
		Dedup:    dedup.DefaultOptions(),
		Priority: priority.DefaultOptions(),
		PerHost:  1,
		Delay:    time.Second,
		Lease:    10 * time.Minute,
		Filter:   dedup.DefaultFilterOptions(),

		PerIP:     16,
		QueueBy:   frontier.ByHost,
		Backoff:   time.Second,
		MaxRest:   5 * time.Minute,
		ParkAfter: 6,
		ParkFor:   30 * time.Minute,

		QueueMemory: runs.DefaultMemory,
		Templates:   true,
		Rules:       rules.DefaultOptions(),
		Mirrors:     mirror.ModeOn,
	}
}

// maxPerHost is what a host counts of its requests with ease, and far more than any
// host bears.
const maxPerHost = 10_000

// Validate reports every fault at once.
func (o Options) Validate() error {
	var errs []error
	if o.PerHost < 1 {
		errs = append(errs, fmt.Errorf("per-host is %d: want at least 1 request at once", o.PerHost))
	}
	if o.PerHost > maxPerHost {
		errs = append(errs, fmt.Errorf("per-host is %d: want at most %d requests at once", o.PerHost, maxPerHost))
	}
	if o.Delay < 0 {
		errs = append(errs, fmt.Errorf("delay is %v: want 0 or more", o.Delay))
	}
	if o.NewBudget < 0 {
		errs = append(errs, fmt.Errorf("max-new-per-host is %d: want 0 (no limit) or more", o.NewBudget))
	}
	if o.HostBudget < 0 {
		errs = append(errs, fmt.Errorf("max-pages-per-host is %d: want 0 (no limit) or more", o.HostBudget))
	}
	if o.Lease <= 0 {
		errs = append(errs, fmt.Errorf("lease is %v: want more than 0", o.Lease))
	}
	if o.PerIP < 0 {
		errs = append(errs, fmt.Errorf("per-ip is %d: want 0 (no limit) or more", o.PerIP))
	}
	if err := new(frontier.QueueBy).UnmarshalText([]byte(o.QueueBy)); err != nil {
		errs = append(errs, fmt.Errorf("queue-by is wrong: %w", err))
	}
	if o.ParkAfter < 0 {
		errs = append(errs, fmt.Errorf("park-after is %d: want 0 (never) or more", o.ParkAfter))
	}
	if o.ParkFor <= 0 {
		errs = append(errs, fmt.Errorf("park-for is %v: want more than 0", o.ParkFor))
	}
	if o.Backoff < 0 {
		errs = append(errs, fmt.Errorf("backoff is %v: want 0 or more", o.Backoff))
	}
	if o.MaxRest <= 0 {
		errs = append(errs, fmt.Errorf("longest rest is %v: want more than 0", o.MaxRest))
	}
	if o.MaxProbes < 0 {
		errs = append(errs, fmt.Errorf("hosts that are probed at once are %d: want 0 (no limit) or more", o.MaxProbes))
	}
	if o.QueueMemory < 1 {
		errs = append(errs, fmt.Errorf("queue memory is %d: want at least 1 byte", o.QueueMemory))
	}
	if o.Dedup.Recent < maxBatch {
		errs = append(errs, fmt.Errorf("dedup recent is %d: want at least %d, as many as one commit may claim", o.Dedup.Recent, maxBatch))
	}
	return errors.Join(append(errs, o.Dedup.Validate(), o.Priority.Validate(), o.Rules.Validate())...)
}

// ErrNoJob says that a folder holds no job.
var ErrNoJob = errors.New("no job here")

var errReadOnly = errors.New("job was opened for inspection only")

// A LockedError says that another process has the job.
type LockedError struct {
	Dir string
	PID int // 0: not known
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("job %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("job %s is in use by process %d", e.Dir, e.PID)
}

// A VersionError says that a job was written by another version of a part
// whose results do not compare with ours.
type VersionError struct {
	Dir       string
	Part      string // "job folder", "url rules", "purify", "signature"
	Got, Want int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("job %s was written with %s version %d, and this program has version %d: "+
		"finish it with the program that began it, or begin a new job in another folder", e.Dir, e.Part, e.Got, e.Want)
}

// An IDFError says that a job's signatures were made with another table of words
// than those to come would be.
type IDFError struct {
	Dir       string
	Got, Want string // versions: of the job, and of the table at hand; "": none
}

func (e *IDFError) Error() string {
	switch {
	case e.Got == "":
		return fmt.Sprintf("job %s was begun without an idf table: go on without the setting idf, or begin a new job in another folder", e.Dir)
	case e.Want == "":
		return fmt.Sprintf("job %s was begun with idf table %s: name its file by the setting idf, or begin a new job in another folder", e.Dir, e.Got)
	}
	return fmt.Sprintf("job %s was begun with idf table %s, and this is table %s: name the file of the former, or begin a new job in another folder", e.Dir, e.Got, e.Want)
}

// A jobRecord is what never changes about a job.
type jobRecord struct {
	Version int       `json:"version"`
	Canon   int       `json:"canon"`         // frontier.CanonVersion
	Purify  int       `json:"purify"`        // purify.Version
	Sign    int       `json:"signature"`     // dedup.SignatureVersion
	IDF     string    `json:"idf,omitempty"` // version of the table of words; "": none
	Created time.Time `json:"created"`
}

func newJobRecord(idf string) jobRecord {
	return jobRecord{
		Version: Version, Canon: frontier.CanonVersion, Purify: purify.Version,
		Sign: dedup.SignatureVersion, IDF: idf, Created: time.Now().UTC(),
	}
}

// check refuses records of other versions. To look at a job it is enough to be
// able to read it; to go on with it, what is new has to compare with what is
// there.
func (j jobRecord) check(dir string, readOnly bool) error {
	for i, p := range []struct {
		part      string
		got, want int
	}{
		{"job folder", j.Version, Version},
		{"url rules", j.Canon, frontier.CanonVersion},
		{"purify", j.Purify, purify.Version},
		{"signature", j.Sign, dedup.SignatureVersion},
	} {
		if i == 0 && p.got == versionBefore {
			continue // see upgrade
		}
		if p.got != p.want && (i == 0 || !readOnly) {
			return &VersionError{Dir: dir, Part: p.part, Got: p.got, Want: p.want}
		}
	}
	return nil
}

// A Store is a job that is open.
type Store struct {
	dir      string
	db       *bbolt.DB
	readOnly bool
	discard  bool
	priority priority.Options
	job      jobRecord
	opened   time.Time

	table   *runs.Table
	logged  uint64       // the log's last entry; the writer's
	batch   runs.Batch   // of the transaction under way; the writer's
	visible sync.RWMutex // held while a commit becomes visible: see look

	gateOptions dedup.Options
	gate        *dedup.Gate // nil: to be read only
	gateOff     bool        // no copies are looked for
	readingMu   sync.Mutex
	reading     *dedup.Gate // of a job to be read, once it was asked

	filter *dedup.Filter
	sched  *scheduler
	known  *knownCache // the writer's

	templates templates
	mirrors   mirrors
	lookups   lookups

	ops        chan op
	quit       chan struct{}
	stopped    chan struct{}
	closeOnce  sync.Once
	lastCommit time.Time // the writer's
	gaveBack   time.Time // when giveBackPages was last called; the writer's
	mapped     int64     // bytes of the file before the last commit; the writer's

	stateMu sync.Mutex
	state   jobState // what is durable

	failedMu sync.Mutex
	failed   error

	rate rate

	texts pendingTexts
	rules learning

	toldAsked atomic.Int64 // copies that an audit queued and no worker was sent to yet
}

var (
	_ gatecrawl.Store     = (*Store)(nil)
	_ gatecrawl.Inspector = (*Store)(nil)
)

// Exists reports whether dir holds a job. An empty file is none: it is what a
// full disk or a copy that broke off leaves.
func Exists(dir string) bool {
	i, err := os.Stat(filepath.Join(dir, fileDB))
	return err == nil && i.Size() > 0
}

// Open opens the job in dir, and begins one where there is none. The errors
// that callers may want to tell apart are ErrNoJob (ReadOnly, and nothing is
// there), *LockedError and *VersionError.
func Open(dir string, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if !Exists(dir) {
		if o.ReadOnly {
			return nil, fmt.Errorf("%s: %w", dir, ErrNoJob)
		}
		if err := create(dir, o.IDF); err != nil {
			return nil, fmt.Errorf("new job: %w", err)
		}
	}
	s, err := openFile(dir, o)
	if err != nil {
		return nil, err
	}
	if err := s.guarded(func() error { return s.load(o) }); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	if o.ReadOnly {
		close(s.stopped)
		return s, nil
	}
	if err := os.WriteFile(filepath.Join(dir, filePID), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("job folder: %w", err), s.closeFiles())
	}
	go s.writeLoop() // ends in Close, or when the store fails
	if err := s.reopenAll(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openFile opens a job's file, and reads nothing of it but what it is.
func openFile(dir string, o Options) (*Store, error) {
	db, err := openDB(dir, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: dir, db: db, readOnly: o.ReadOnly,
		discard:  o.Dedup.Mode == dedup.ModeDiscard,
		priority: o.Priority, gateOptions: o.Dedup, gateOff: o.Dedup.Mode == dedup.ModeOff,
		templates: templates{off: !o.Templates},
		opened:    time.Now(), lastCommit: time.Now(), gaveBack: time.Now(),
		sched:   newScheduler(o),
		known:   newKnownCache(),
		ops:     make(chan op),
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if err := s.guarded(s.loadJob); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	return s, nil
}

// openDB opens a job's bbolt file, if the pages that are read on opening are sound.
func openDB(dir string, readOnly bool) (db *bbolt.DB, err error) {
	if !readOnly {
		// For writing bbolt reads the list of free pages. If that is damaged it panics,
		// and the process keeps the lock: so the pages are looked at before.
		sound, err := openDB(dir, true)
		if err != nil {
			return nil, err
		}
		if err := sound.Close(); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, fileDB)
	defer func() { // what bbolt does when its own pages lead it astray
		if r := recover(); r != nil {
			db, err = nil, pagesError(dir, r)
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err = bbolt.Open(path, 0o644, &bbolt.Options{
		Timeout:         200 * time.Millisecond, // a held lock is reported, not waited for
		ReadOnly:        readOnly,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: 1 << 30, // growing past it stops the readers for a moment
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, &LockedError{Dir: dir, PID: pid(dir)}
	case err != nil:
		return nil, fmt.Errorf("open %s: %w: if the file was whole once, run crawl check --job %s --repair", path, err, dir)
	}
	if !readOnly {
		return db, nil
	}
	fault, err := checkPages(dir, openingBuckets)
	if err == nil && fault != nil {
		err = pagesError(dir, fault)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func pagesError(dir string, fault any) error {
	return fmt.Errorf("the pages of %s do not hang together (%v): to mend the job, run crawl check --job %s --repair",
		filepath.Join(dir, fileDB), fault, dir)
}

// pid returns who has the job, as far as is known.
func pid(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, filePID))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// guarded runs a step of opening. Where bbolt's own pages lead it astray that
// panics, and is an error here.
func (s *Store) guarded(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = pagesError(s.dir, r)
		}
	}()
	return step()
}

// addBuckets makes the buckets that an older job lacks, and refuses a job that
// lacks one that every job has.
func (s *Store) addBuckets() error {
	var young [][]byte
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if tx.Bucket(name) != nil {
				continue
			}
			if !slices.ContainsFunc(youngBuckets, func(b []byte) bool { return bytes.Equal(b, name) }) {
				return fmt.Errorf("bucket %s of %s is not there: to mend the job, run crawl check --job %s --repair",
					name, filepath.Join(s.dir, fileDB), s.dir)
			}
			young = append(young, name)
		}
		return nil
	})
	if err != nil || s.readOnly || len(young) == 0 {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range young {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// load fills what is kept in memory.
func (s *Store) load(o Options) error {
	if err := s.addBuckets(); err != nil {
		return err
	}
	if !s.readOnly && s.job.IDF != o.IDF {
		return &IDFError{Dir: s.dir, Got: s.job.IDF, Want: o.IDF}
	}
	if err := s.openTable(o.QueueMemory); err != nil {
		return err
	}
	if s.job.Version == versionBefore {
		if err := s.upgrade(); err != nil {
			return fmt.Errorf("bring job %s to version %d: %w", s.dir, Version, err)
		}
	}
	if err := s.loadState(); err != nil {
		return err
	}
	if err := s.loadTemplates(); err != nil {
		return err
	}
	if err := s.loadRules(o.Rules); err != nil {
		return err
	}
	mode := o.Mirrors
	if mode == mirror.ModeOn && !s.discard {
		mode = mirror.ModeWatch // who keeps copies wants them
	}
	if err := s.loadMirrors(mode); err != nil {
		return err
	}
	if err := s.loadQueue(); err != nil || s.readOnly {
		return err
	}
	gate, err := s.openGate(o.Dedup)
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	s.gate = gate
	return s.loadFilter(o.Filter)
}

// create begins a job. Its file is made under another name and gets its own when
// it is whole, so that a crash leaves a job or none.
func create(dir, idf string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, fileDB+".new-*")
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer os.Remove(tmp)
	if err := errors.Join(f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	db, err := bbolt.Open(tmp, 0o644, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { return begin(tx, idf) }), db.Close()); err != nil {
		return err
	}
	path := filepath.Join(dir, fileDB)
	if i, err := os.Stat(path); err == nil && i.Size() == 0 {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	// Another process may begin the same job: the first link counts.
	err = os.Link(tmp, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil: // a file system without links
		return os.Rename(tmp, path)
	}
	return nil
}

// begin writes the buckets and the record of a new job.
func begin(tx *bbolt.Tx, idf string) error {
	for _, b := range buckets {
		if _, err := tx.CreateBucket(b); err != nil {
			return err
		}
	}
	for k, v := range map[string]any{string(keyJob): newJobRecord(idf), string(keyState): jobState{}} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketMeta).Put([]byte(k), b); err != nil {
			return err
		}
	}
	return nil
}

// loadJob reads the job's record.
func (s *Store) loadJob() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil || meta.Get(keyJob) == nil {
			return fmt.Errorf("%s is a bbolt file, but not of a crawl", filepath.Join(s.dir, fileDB))
		}
		if err := json.Unmarshal(meta.Get(keyJob), &s.job); err != nil {
			return fmt.Errorf("job record: %w", err)
		}
		return s.job.check(s.dir, s.readOnly)
	})
}

// loadState reads what changes with every commit.
func (s *Store) loadState() error {
	return s.db.View(func(tx *bbolt.Tx) error { return unmarshalState(tx, &s.state) })
}

func unmarshalState(tx *bbolt.Tx, j *jobState) error {
	if err := json.Unmarshal(tx.Bucket(bucketMeta).Get(keyState), j); err != nil {
		return fmt.Errorf("job state: %w", err)
	}
	return nil
}

// loadQueue takes the hosts into memory and looks up the first retry.
func (s *Store) loadQueue() error {
	return s.look(func(in glance) error {
		now := time.Now()
		s.sched.expect(s.state.Totals.Hosts)
		var fault error
		err := in.table.Range([]byte{kindHost}, nil, func(k, v []byte) bool {
			var h hostRecord
			if len(k) != len(hostKey(frontier.HostKey{})) {
				fault = fmt.Errorf("host %x: not the key of a host: run crawl check", k)
			} else if h, fault = decodeHost(v); fault == nil {
				s.sched.load(frontier.HostKey(k[1:]), &h, now, !s.readOnly)
			}
			return fault == nil
		})
		if err := errors.Join(err, fault); err != nil {
			return err
		}
		later := in.Bucket(bucketLater)
		if k, _ := later.Cursor().First(); k != nil {
			s.sched.waitTill = laterTime(k)
			s.sched.waiting = s.state.Totals.Later
		}
		return nil
	})
}

// loadFilter opens the filter in front of the urls bucket. It is filled anew
// where it may have missed a write (power loss, a file that is gone or torn).
func (s *Store) loadFilter(o dedup.FilterOptions) error {
	f, intact, err := dedup.OpenFilter(filepath.Join(s.dir, fileFilter), o)
	if err != nil {
		return err
	}
	s.filter = f
	if intact {
		return nil
	}
	if err := f.Reset(); err != nil {
		return err
	}
	err = s.look(func(in glance) error {
		return in.table.Range([]byte{kindURL}, nil, func(k, _ []byte) bool {
			f.Add(frontier.Key(k[1:]))
			return true
		})
	})
	if err != nil {
		return err
	}
	return f.Sync() // from now on it is whole
}

// Close commits what is in hand and closes the job. Nothing may be called
// after it.
func (s *Store) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.quit)
		<-s.stopped
		s.sched.mu.Lock()
		s.sched.fail(errClosed)
		s.sched.mu.Unlock()
		err = s.closeFiles()
		if !s.readOnly {
			os.Remove(filepath.Join(s.dir, filePID)) // a stale one only misleads a message
		}
	})
	return err
}

func (s *Store) closeFiles() error {
	var errs []error
	if s.gate != nil {
		errs = append(errs, s.gate.Close())
	}
	if s.table != nil {
		errs = append(errs, s.table.Close())
	}
	if s.filter != nil {
		errs = append(errs, s.filter.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}

// Dir returns the job folder.
func (s *Store) Dir() string { return s.dir }

// Add is frontier.Backlog's.
func (s *Store) Add(ctx context.Context, cs []frontier.Candidate) (int, error) {
	const chunk = 50_000 // a commit holds the pages that it changes in memory
	added := 0
	for len(cs) > 0 {
		if err := ctx.Err(); err != nil {
			return added, err
		}
		n := min(len(cs), chunk)
		links := s.links(cs[:n])
		var before, after int64
		err := s.write(func(t *txn) error {
			before = t.state.Totals.Seen
			err := t.add(links)
			after = t.state.Totals.Seen
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

// links computes the keys and scores of candidates.
func (s *Store) links(cs []frontier.Candidate) []link {
	ls := make([]link, len(cs))
	for i := range cs {
		c := &cs[i]
		ls[i] = link{c.URL.Key(), s.priority.Score(c.Signals), c}
	}
	return ls
}

// Next is frontier.Backlog's.
func (s *Store) Next(ctx context.Context) (frontier.Lease, error) {
	return s.sched.next(ctx, s, func() {
		// A failure reaches the callers of Next through the scheduler.
		_ = s.write(func(t *txn) error { return t.promote(s.sched.wall()) })
	})
}

// Release is frontier.Backlog's.
func (s *Store) Release(l frontier.Lease, rest time.Duration) error {
	was, owed, err := s.sched.release(l.Token, rest, l.Addr)
	if err != nil || !owed {
		return err
	}
	err = s.write(func(t *txn) error {
		t.changeOf(was.key.Host(), was.rec.url)
		return nil
	})
	if err != nil {
		return fmt.Errorf("rest of %s: %w", l.URL.Host(), err)
	}
	return nil
}

// Settle is gatecrawl.Store's.
func (s *Store) Settle(_ context.Context, v *gatecrawl.Visit) (gatecrawl.Page, error) {
	l, err := s.sched.settling(v.Lease.Token, answer{v.Finished, v.Rest, v.Lease.Addr, v.Down})
	if err != nil {
		return gatecrawl.Page{}, fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	links := s.links(v.Links)
	var page gatecrawl.Page
	err = s.write(func(t *txn) error {
		var err error
		page, err = t.settle(l, v, links)
		return err
	})
	if err != nil {
		return gatecrawl.Page{}, fmt.Errorf("settle %s: %w", v.Lease.URL, err)
	}
	s.rate.count(time.Now())
	return page, nil
}

// Signature is dedup.Signatures's: the exact truth behind the gate's tables. The
// gate does not ask for what it claimed last, so what is not durable yet is not
// asked for: dedup.Options.Recent is far above maxBatch.
func (s *Store) Signature(doc dedup.DocID) (sig dedup.Signature, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketSignatures).Get(seqKey(uint64(doc)))
		if b == nil {
			return fmt.Errorf("page %d: no signature is kept", doc)
		}
		var err error
		sig, err = decodeSignature(b)
		return err
	})
	return sig, err
}

// Robots is gatecrawl.Store's.
func (s *Store) Robots(origin string) (f fetch.RobotsFile, ok bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRobots).Get([]byte(origin))
		if b == nil {
			return nil
		}
		ok = true
		return f.UnmarshalBinary(append([]byte(nil), b...))
	})
	if err != nil {
		return f, false, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return f, ok, nil
}

// PutRobots is gatecrawl.Store's.
func (s *Store) PutRobots(_ context.Context, f fetch.RobotsFile) error {
	b, err := f.MarshalBinary()
	if err == nil {
		err = s.write(func(t *txn) error { return t.tx.Bucket(bucketRobots).Put([]byte(f.Origin), b) })
	}
	if err != nil {
		return fmt.Errorf("robots.txt of %s: %w", f.Origin, err)
	}
	return nil
}

// Roots is gatecrawl.Store's.
func (s *Store) Roots() ([]string, error) {
	var roots []string
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketRoots).ForEach(func(k, _ []byte) error {
			roots = append(roots, string(k))
			return nil
		})
	})
	return roots, err
}

// AddRoots is gatecrawl.Store's.
func (s *Store) AddRoots(_ context.Context, roots []string) error {
	if err := s.write(func(t *txn) error { return t.addRoots(roots) }); err != nil {
		return fmt.Errorf("add roots: %w", err)
	}
	return nil
}

// Stopped remembers why a run ended, for Status.
func (s *Store) Stopped(why string) error {
	return s.write(func(t *txn) error {
		t.state.Stopped = why
		return nil
	})
}

// Totals is gatecrawl.Store's.
func (s *Store) Totals() gatecrawl.Totals {
	s.stateMu.Lock()
	t := s.state.clone().Totals
	s.stateMu.Unlock()
	n := s.sched.counts()
	t.Hosts, t.Leased, t.Held, t.Later, t.ParkedHosts, t.Parked = n.hosts, n.leased, n.held, n.waiting, n.parkedHosts, n.parked
	t.Queued = max(0, t.Queued-t.Leased) // a lease ends a moment after its entry
	return t
}
