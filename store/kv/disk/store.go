package disk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// fileMode lets only the owner of the store's files read them.
const fileMode = 0o600

// The buckets of this package. Every other bucket is a table that is not scattered.
var (
	bucketOwn  = []byte("kv.own")  // the list of tables, and of the sorted files
	bucketLog  = []byte("kv.log")  // of the scattered tables
	bucketSums = []byte("kv.sums") // of the checked tables, by key

	ownBuckets = [][]byte{bucketOwn, bucketLog, bucketSums}

	keyTables   = []byte("tables")
	keyManifest = []byte("runs")
	keyMark     = []byte("journal") // mark of the last commit, from the Journal
)

const (
	// MaxMemory is the highest Options.Memory.
	MaxMemory = 1 << 30

	// DefaultMemory is the default of Options.Memory.
	DefaultMemory = runs.DefaultMemory
)

// Options are the settings of a store. They do not affect its format on disk.
type Options struct {
	// Memory is how many bytes of changes to scattered tables are held in memory before they are
	// written to a file; for a while there may be twice as many. They are replayed when the store
	// is opened: 24 MiB take about a tenth of a second. Lower values yield more and smaller files.
	// Default 24 MiB, at most MaxMemory.
	Memory int

	// Busy reports whether other goroutines are at work that will call Update soon, so that a
	// commit should wait a few milliseconds for them. It is called often, and must be quick.
	// Nil: there never are any. If it is never false, commits take up to 40 ms longer than they
	// need.
	Busy func() bool

	// Failed is called once, from the writer's goroutine, if the store ends because of an error,
	// even one that no caller of Update would see.
	Failed func(error)

	// Init puts the first rows of a new store. After a crash the store exists with them or not at
	// all.
	Init func(kv.Tx) error

	// Journal also gets the changes of each commit. Nil: there is no journal.
	Journal Journal

	// ReadOnly opens a store for reading. While a store is open for reading nobody can write it.
	ReadOnly bool

	// Tests lose and fail writes with these.
	files runs.Files                                       // nil: the system's
	open  func(string, int, os.FileMode) (*os.File, error) // of bbolt's file; nil: os.OpenFile
	watch func(durable bool)                               // called before and after each commit of bbolt
}

func (o Options) validate() error {
	if o.Memory < 0 || o.Memory > MaxMemory {
		return fmt.Errorf("memory of scattered tables is %d: want 1 to %d bytes, or 0 for the default", o.Memory, MaxMemory)
	}
	return nil
}

var _ kv.Store = (*Store)(nil)

// A Store has tables in files.
type Store struct {
	path   string
	o      Options
	tables []*kv.Table // in the order of their declaration
	number map[*kv.Table]int
	sorted []int // numbers of the scattered tables, by id
	summed []int // numbers of the checked tables

	db    *bbolt.DB
	table *runs.Table

	// For the writer only.
	logged uint64        // the log's last entry
	keys   arena         // of the commit under way
	pause  time.Duration // how long the writer waits for the next function

	mu   sync.Mutex
	next *version // the following commit, while it is being written

	ops       chan op
	quit      chan struct{}
	stopped   chan struct{}
	closeOnce sync.Once
	closeErr  error

	failedMu sync.Mutex
	failed   error
}

// A version is the state after a commit that snapshots may see, although it is not durable yet.
type version struct {
	id    int
	ready chan struct{} // closed when rows is set
	rows  *runs.Snapshot
}

// Exists reports whether there is a store at a path. An empty file does not count, since a full
// disk or an interrupted copy may leave one.
func Exists(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.Size() > 0
}

// Open opens the store whose bbolt file is at path. If there is none it creates one, in an existing
// folder. Errors that callers may want to distinguish are fs.ErrNotExist (with ReadOnly, if there
// is none), kv.ErrLocked, and *kv.DamageError, after which Repair may help.
func Open(path string, tables []*kv.Table, o Options) (*Store, error) {
	if err := errors.Join(kv.Declared(tables), o.validate()); err != nil {
		return nil, err
	}
	if !Exists(path) {
		if o.ReadOnly {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		if err := create(path, tables, o); err != nil {
			return nil, err
		}
	}
	db, err := openDB(path, o)
	if err != nil {
		return nil, err
	}
	s := newStore(path, tables, o)
	s.db = db
	if err := s.guarded(s.load); err != nil {
		return nil, errors.Join(err, s.closeFiles())
	}
	if o.ReadOnly {
		close(s.stopped)
		return s, nil
	}
	go s.writeLoop() // ends in Close, or when the store fails
	return s, nil
}

func newStore(path string, tables []*kv.Table, o Options) *Store {
	s := &Store{
		path: path, o: o, tables: slices.Clone(tables), number: make(map[*kv.Table]int, len(tables)),
		ops: make(chan op), quit: make(chan struct{}), stopped: make(chan struct{}), pause: pause,
	}
	for i, t := range tables {
		s.number[t] = i
		if t.Scattered() {
			s.sorted = append(s.sorted, i)
		}
		if t.Checked {
			s.summed = append(s.summed, i)
		}
	}
	slices.SortFunc(s.sorted, func(a, b int) int { return int(tables[a].ID) - int(tables[b].ID) })
	return s
}

// openDB opens a bbolt file, if the pages that are read on opening are sound.
func openDB(path string, o Options) (db *bbolt.DB, err error) {
	if !o.ReadOnly {
		// When bbolt opens a file for writing it reads the list of free pages, and panics if that
		// is damaged, and then the process keeps the lock. So the pages are checked before.
		read := o
		read.ReadOnly, read.open = true, nil
		sound, err := openDB(path, read)
		if err != nil {
			return nil, err
		}
		if err := sound.Close(); err != nil {
			return nil, err
		}
	}
	defer func() { // for panics of bbolt about damaged pages
		if r := recover(); r != nil {
			db, err = nil, pagesError(path, r)
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err = bbolt.Open(path, fileMode, &bbolt.Options{
		Timeout:         200 * time.Millisecond, // a held lock is reported, not waited for
		ReadOnly:        o.ReadOnly,
		FreelistType:    bbolt.FreelistArrayType, // sorted; the map is sorted for each commit
		InitialMmapSize: 1 << 30,                 // when the map grows beyond that, readers wait for a moment
		OpenFile:        o.open,
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, kv.ErrLocked)
	case errors.As(err, new(*fs.PathError)) && ofSystem(err):
		return nil, err // it names the file
	case ofSystem(err):
		return nil, fmt.Errorf("open %s: %w", path, err)
	case err != nil:
		return nil, &kv.DamageError{Err: fmt.Errorf("open %s: %w", path, err)}
	}
	if !o.ReadOnly {
		return db, nil
	}
	fault, err := checkPages(path, openingBuckets)
	if err == nil && fault != nil {
		err = pagesError(path, fault)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func pagesError(path string, fault any) error {
	return &kv.DamageError{Err: fmt.Errorf("%s is corrupt (%v)", path, fault)}
}

// ofSystem reports whether the system refuses to open a file for reasons that are not in the file, so
// that a repair could change nothing.
func ofSystem(err error) bool {
	for _, why := range []syscall.Errno{
		syscall.EACCES, syscall.EPERM, syscall.EROFS, // the file is not this user's, or nobody's to change
		syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, // limits of the process or of the machine
		syscall.ENOSPC, syscall.EDQUOT,
		syscall.ENOLCK, syscall.ENOSYS, syscall.ENOTSUP, // the file system has no locks
	} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// guarded runs a step of opening, and returns an error if bbolt panics because of damaged pages.
func (s *Store) guarded(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = pagesError(s.path, r)
		}
	}()
	return step()
}

// create creates a store. Its file gets its name only when it is complete, so that a crash leaves a
// complete store or none.
func create(path string, tables []*kv.Table, o Options) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	tmp := f.Name()
	defer os.Remove(tmp)
	if err := errors.Join(f.Chmod(fileMode), f.Close()); err != nil {
		return err
	}
	db, err := bbolt.Open(tmp, fileMode, &bbolt.Options{FreelistType: bbolt.FreelistArrayType})
	if err != nil {
		return err
	}
	s := newStore(path, tables, o)
	if err := errors.Join(db.Update(s.putFirst), db.Close()); err != nil {
		return err
	}
	if i, err := os.Stat(path); err == nil && i.Size() == 0 {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	// Another process may create the same store at the same time: the first link counts.
	err = os.Link(tmp, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil: // the file system has no links
		err = os.Rename(tmp, path)
	}
	return errors.Join(err, durable.SyncDir(filepath.Dir(path)))
}

// putFirst writes the buckets and the first rows of a new store.
func (s *Store) putFirst(btx *bbolt.Tx) error {
	for _, name := range s.buckets() {
		if _, err := btx.CreateBucket(name); err != nil {
			return err
		}
	}
	if err := s.putTables(btx); err != nil || s.o.Init == nil {
		return err
	}
	t := s.newTx(btx, nil)
	if err := t.run(s.o.Init); err != nil {
		return err
	}
	slab, err := t.write()
	if err != nil {
		return err
	}
	return s.logSlab(btx, slab)
}

// buckets returns the buckets that the file must have.
func (s *Store) buckets() [][]byte {
	names := slices.Clone(ownBuckets)
	for _, t := range s.tables {
		if !t.Scattered() {
			names = append(names, []byte(t.Name))
		}
	}
	return names
}

// putTables writes the list of tables.
func (s *Store) putTables(btx *bbolt.Tx) error {
	var names []string
	for _, t := range s.tables {
		names = append(names, t.Name)
	}
	b, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return btx.Bucket(bucketOwn).Put(keyTables, b)
}

// tablesIn reads the list of tables.
func tablesIn(btx *bbolt.Tx) (names []string, err error) {
	own := btx.Bucket(bucketOwn)
	if own == nil {
		return nil, nil
	}
	err = json.Unmarshal(own.Get(keyTables), &names)
	return names, err
}

// load checks that the tables exist, creates those that are new in this version of the program, and
// opens the sorted files.
func (s *Store) load() error {
	var added bool
	err := s.db.View(func(btx *bbolt.Tx) error {
		if btx.Bucket(bucketOwn) == nil {
			return fmt.Errorf("%s: %w", s.path, ErrForeign)
		}
		there, err := tablesIn(btx)
		if err != nil {
			return &kv.DamageError{Err: fmt.Errorf("%s: list of tables: %w", s.path, err)}
		}
		for _, name := range s.buckets() {
			old := slices.Contains(there, string(name)) || slices.ContainsFunc(ownBuckets, func(b []byte) bool { return string(b) == string(name) })
			if btx.Bucket(name) == nil && old {
				return &kv.DamageError{Err: fmt.Errorf("table %s of %s is not there", name, s.path)}
			}
		}
		for _, t := range s.tables {
			added = added || !slices.Contains(there, t.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if added && !s.o.ReadOnly {
		err := s.db.Update(func(btx *bbolt.Tx) error {
			for _, name := range s.buckets() {
				if _, err := btx.CreateBucketIfNotExists(name); err != nil {
					return err
				}
			}
			return s.putTables(btx)
		})
		if err != nil {
			return err
		}
	}
	return s.openTable()
}

// ErrForeign says that a file was written by bbolt, but not by this package.
var ErrForeign = errors.New("a bbolt file of another program")

// View implements kv.Store.
//
// A view of only scattered tables needs no transaction of bbolt. When the file's map grows, which
// is rare, bbolt waits for all transactions to end, and new ones wait for it.
func (s *Store) View(ctx context.Context, fn func(kv.Reader) error, only ...*kv.Table) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	var r *reader
	if len(only) > 0 && !slices.ContainsFunc(only, func(t *kv.Table) bool { return !t.Scattered() }) {
		r = s.newReader(nil, s.table.Snapshot())
	} else if r, err = s.snapshot(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.release()) }()
	return fn(r)
}

// snapshot returns the store as it is after a commit. It does not wait for the disk, but perhaps
// until the changes of the last commit are sorted.
func (s *Store) snapshot() (*reader, error) {
	for {
		s.mu.Lock()
		btx, err := s.db.Begin(false)
		if err != nil {
			s.mu.Unlock()
			return nil, err
		}
		if s.next == nil || btx.ID() != s.next.id {
			rows := s.table.Snapshot()
			s.mu.Unlock()
			return s.newReader(btx, rows), nil
		}
		next := s.next
		select {
		case <-next.ready:
			rows := next.rows.Retain()
			s.mu.Unlock()
			return s.newReader(btx, rows), nil
		default:
		}
		s.mu.Unlock()
		if err := btx.Rollback(); err != nil {
			return nil, err
		}
		<-next.ready
	}
}

// Update implements kv.Store.
func (s *Store) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if s.o.ReadOnly {
		return kv.ErrReadOnly
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	o := op{fn, make(chan error, 1)}
	select {
	case s.ops <- o:
		return <-o.done
	case <-ctx.Done():
		return ctx.Err()
	case <-s.stopped:
		return s.failure()
	}
}

// failure returns why the writer has ended.
func (s *Store) failure() error {
	s.failedMu.Lock()
	defer s.failedMu.Unlock()
	if s.failed == nil {
		return kv.ErrClosed
	}
	return s.failed
}

// Close implements kv.Store.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.quit)
		<-s.stopped
		if s.o.Journal != nil {
			s.o.Journal.Close()
		}
		s.closeErr = s.closeFiles()
	})
	return s.closeErr
}

func (s *Store) closeFiles() error {
	if s.next != nil {
		s.next.rows.Release()
		s.next = nil
	}
	var errs []error
	if s.table != nil {
		errs = append(errs, s.table.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}
