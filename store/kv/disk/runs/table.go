package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/durable"
)

// Options are the settings of a table.
type Options struct {
	// Memory is how many bytes of changes are kept in memory before they are
	// written to a run; for a while there may be twice as many. Default 24 MiB.
	// The owner's log grows to about the same size, and is read when a table is
	// opened. Small values write more and smaller runs.
	Memory int

	// Part returns the part of a key that Get and Range look for in the filters:
	// for Get the whole key or a start of it, for Range the prefix. Where it returns
	// nil no filter has such keys. Default: no filter has any key. It must never change
	// for a folder.
	Part func(key []byte) []byte

	// ReadOnly leaves the folder as it is.
	ReadOnly bool

	// Files makes the files of runs. Default: those of the operating system. Tests lose
	// and fail writes by it.
	Files Files
}

// A Files makes files, and their names durable.
type Files interface {
	// Create makes an empty file, or empties it.
	Create(path string) (File, error)

	// SyncDir makes the names in a folder durable.
	SyncDir(dir string) error
}

// A File is written from its start to its end. Sync makes what was written durable.
type File interface {
	io.WriteCloser
	Sync() error
}

// osFiles are the files of the operating system.
type osFiles struct{}

// Create implements Files.
func (osFiles) Create(path string) (File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// SyncDir implements Files, where the system can.
func (osFiles) SyncDir(dir string) error { return durable.SyncDir(dir) }

// DefaultMemory is the default of Options.Memory.
const DefaultMemory = 24 << 20

// ext is how the names of runs end.
const ext = ".run"

// fanIn is how many runs of like size are merged to one. With more, a look-up asks
// more runs; with fewer, an entry is written more often.
const fanIn = 4

// A Change is a new file, and the files that it replaces. The owner makes it durable and hands
// it to Install; if Err is set there is no file, and the table can't go on.
type Change struct {
	Runs []Meta // all runs of the table from now on, for the manifest
	Log  uint64 // what the owner's log has up to here is in them
	Err  error

	add   *run
	less  []*run
	tier  int // of the largest of less
	flush bool
}

// A Table is a sorted table in a folder. Its owner calls Fold, Apply, Install, Freeze and
// Close from one goroutine; a Snapshot may be taken from any.
type Table struct {
	dir  string
	o    Options
	done chan Change
	stop atomic.Bool
	came atomic.Int64   // entries of all slabs, for the pace of merges
	busy sync.WaitGroup // goroutines of flush and merges

	// the owner's
	serial  uint64 // of the file named last
	merging [tiers]bool

	mu     sync.Mutex
	slabs  []*Slab // oldest first
	frozen []*Slab // older than slabs; on its way to a run
	runs   []*run  // oldest first
	memory int     // of slabs
	now    *Snapshot
}

// Open opens the table whose manifest names these runs, in any order. The folder is created if
// there is none; files in it that are not named are deleted.
func Open(dir string, metas []Meta, o Options) (*Table, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o = o.withDefaults()
	t := &Table{dir: dir, o: o, done: make(chan Change, 1+tiers)}
	metas = slices.Clone(metas)
	slices.SortFunc(metas, func(a, b Meta) int { return int(int64(a.Age - b.Age)) })
	for _, m := range metas {
		r, err := openRun(filepath.Join(dir, m.File), m)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open run: %w", err), t.Close())
		}
		r.refs.Store(1)
		t.runs = append(t.runs, r)
		var serial uint64
		if _, err := fmt.Sscanf(m.File, "%d"+ext, &serial); err != nil {
			return nil, errors.Join(fmt.Errorf("run %q: not the name of a run", m.File), t.Close())
		}
		t.serial = max(t.serial, serial)
	}
	if o.ReadOnly {
		return t, nil
	}
	if err := t.clear(metas); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	t.merge() // what the last owner did not finish
	return t, nil
}

func (o Options) withDefaults() Options {
	if o.Files == nil {
		o.Files = osFiles{}
	}
	if o.Part == nil {
		o.Part = func([]byte) []byte { return nil }
	}
	return o
}

// clear makes the folder and deletes the files of crashed writers.
func (t *Table) clear(metas []Meta) error {
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	files, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		known := slices.ContainsFunc(metas, func(m Meta) bool { return m.File == f.Name() })
		if known || !strings.HasSuffix(f.Name(), ext) {
			continue
		}
		if err := os.Remove(filepath.Join(t.dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// A Fold is what a table is to have in memory from the next Apply on.
type Fold struct {
	slabs  []*Slab
	memory int
	added  int // entries
}

// Fold computes the table's memory with one more slab. It takes most of the time of making a
// change visible, and may run while the change is made durable: no other method that only the
// owner may call may come between Fold and its Apply.
func (t *Table) Fold(s *Slab) Fold {
	f := Fold{slices.Clone(t.slabs), t.memory, s.Len()} // snapshots have the old list
	if s.Len() == 0 {
		return f
	}
	f.memory += s.size()
	// Like the digits of a binary number: a slab is merged with those that are not
	// much larger, so there are few, and an entry is moved few times.
	for n := len(f.slabs); n > 0 && f.slabs[n-1].size() < 2*s.size(); n = len(f.slabs) {
		f.memory -= f.slabs[n-1].size() + s.size()
		s = f.slabs[n-1].merged(s)
		f.memory += s.size()
		f.slabs = f.slabs[:n-1]
	}
	f.slabs = append(f.slabs, s)
	return f
}

// Apply makes changes visible that are durable in the owner's log.
func (t *Table) Apply(f Fold) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.slabs, t.memory = f.slabs, f.memory
	t.came.Add(int64(f.added))
	t.changed()
}

// Full reports whether it is time to call Freeze.
func (t *Table) Full() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.memory >= t.o.Memory
}

// Unwritten returns how many bytes of changes are in no run yet.
func (t *Table) Unwritten() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.memory
	for _, s := range t.frozen {
		n += s.size()
	}
	return n
}

// Freeze starts to write what is in memory, everything that the owner's log has up to the given
// place, to a run. It returns false, and does nothing, while the last one is still being
// written: then receive a Change first.
func (t *Table) Freeze(log uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frozen != nil {
		return false
	}
	if len(t.slabs) == 0 {
		return true
	}
	t.frozen, t.slabs, t.memory = t.slabs, nil, 0
	sources := make([]source, len(t.frozen))
	for i, s := range t.frozen {
		sources[i] = s.source(0)
	}
	c := Change{Log: log, flush: true}
	oldest := len(t.runs) == 0
	m := t.name()
	t.busy.Go(func() { // ends when the file is written, or soon after Close
		t.write(c, m, newMerge(sources), oldest, pace{stop: &t.stop})
	})
	return true
}

// name returns a file name that was never used, and the highest age.
func (t *Table) name() Meta {
	t.serial++
	return Meta{File: fmt.Sprintf("%08d%s", t.serial, ext), Age: t.serial}
}

// write makes a run, and sends it to the owner.
func (t *Table) write(c Change, m Meta, src source, oldest bool, p pace) {
	m, c.Err = writeRun(t.dir, m, t.o, src, oldest, p)
	if c.Err == nil {
		c.add, c.Err = openRun(filepath.Join(t.dir, m.File), m)
	}
	t.done <- c // there is room for a flush and all merges
}

// Done hands out finished files.
func (t *Table) Done() <-chan Change { return t.done }

// Prepare fills in a Change what the manifest is to say.
func (t *Table) Prepare(c *Change) error {
	if c.Err != nil {
		return fmt.Errorf("write run: %w", c.Err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.Runs = nil
	for _, r := range t.with(c) {
		c.Runs = append(c.Runs, r.meta)
	}
	return nil
}

// with returns the runs as they are after a change.
func (t *Table) with(c *Change) []*run {
	rs := make([]*run, 0, len(t.runs)+1)
	for _, r := range t.runs {
		if !slices.Contains(c.less, r) {
			rs = append(rs, r)
		}
	}
	rs = append(rs, c.add)
	slices.SortFunc(rs, func(a, b *run) int { return int(int64(a.meta.Age - b.meta.Age)) })
	return rs
}

// Install switches to the new file of a Change that the manifest has, and starts a merge if
// there are enough runs of like size.
func (t *Table) Install(c Change) {
	c.add.refs.Store(1)
	t.mu.Lock()
	t.changed()
	t.runs = t.with(&c)
	if c.flush {
		t.frozen = nil
	} else {
		t.merging[c.tier] = false
	}
	t.mu.Unlock()
	for _, r := range c.less {
		r.dropped.Store(true)
		_ = r.release() // the manifest does not name it: Open would delete it too
	}
	t.merge()
}

// merge starts to merge the newest runs of like size, if there are enough.
func (t *Table) merge() {
	from, to := t.due()
	if to == from {
		return
	}
	c := Change{less: slices.Clone(t.runs[from:to]), tier: t.runs[to-1].tier()}
	t.merging[c.tier] = true
	m := t.name()
	m.Age = c.less[len(c.less)-1].meta.Age
	for _, r := range c.less {
		r.merging = true
		r.refs.Add(1)
	}
	p := t.pace()
	t.busy.Go(func() { // ends when the file is written, or soon after Close
		defer func() {
			for _, r := range c.less {
				_ = r.release() // only read
			}
		}()
		sources := make([]source, len(c.less))
		for i, r := range c.less {
			s, err := r.from()
			if err != nil {
				c.Err = err
				t.done <- c
				return
			}
			sources[i] = s
		}
		t.write(c, m, newMerge(sources), from == 0, p)
	})
}

// tiers is more than a size in 64 bits makes.
const tiers = 32

// tier is by size: a run of the next one is fanIn times as large.
func (r *run) tier() int {
	n := 0
	for b := r.meta.Bytes; b >= 1<<16; b /= fanIn {
		n++
	}
	return n
}

// due returns which runs to merge: the newest of at least fanIn neighbours of one tier, or of
// tiers below it. At most one merge per tier is under way: meanwhile those of smaller tiers go
// on.
func (t *Table) due() (from, to int) {
	for to = len(t.runs); to > 0; to-- {
		tier := t.runs[to-1].tier()
		for from = to; from > 0 && !t.runs[from-1].merging && t.runs[from-1].tier() <= tier; from-- {
		}
		if to-from >= fanIn && !t.merging[tier] {
			return from, to
		}
	}
	return 0, 0
}

// Close gives up what is being written and closes the files. Take no snapshot after
// it; those taken before stay good until they are released.
func (t *Table) Close() error {
	t.stop.Store(true)
	t.busy.Wait()
	var errs []error
	for {
		select {
		case c := <-t.done:
			if c.add != nil { // no manifest will name it
				errs = append(errs, c.add.close(), os.Remove(c.add.path))
			}
			continue
		default:
		}
		break
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed()
	for _, r := range t.runs {
		errs = append(errs, r.release())
	}
	t.runs = nil
	return errors.Join(errs...)
}

// A Snapshot is the table at one moment. It may be read from many goroutines until
// it is released.
type Snapshot struct {
	part func([]byte) []byte
	mem  []*Slab // oldest first
	runs []*run  // oldest first
	refs atomic.Int32
}

// hash returns that of the part of a key that the filters know; ok is false for a key of which
// they know none.
func (s *Snapshot) hash(key []byte) (hash uint64, ok bool) {
	part := s.part(key)
	return xxhash.Sum64(part), part != nil
}

// Snapshot returns the table as it is. Release it.
func (t *Table) Snapshot() *Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now == nil {
		t.now = t.snapshot(t.slabs) // held by the table
	}
	t.now.refs.Add(1)
	return t.now
}

// With returns the table as it will be when a Fold is applied. Release it. Nothing that
// only the owner may call may come between the Fold and With.
func (t *Table) With(f Fold) *Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.snapshot(f.slabs)
}

// snapshot makes one, with one holder. The caller has mu.
func (t *Table) snapshot(slabs []*Slab) *Snapshot {
	s := &Snapshot{part: t.o.Part, runs: t.runs}
	s.mem = append(append(make([]*Slab, 0, len(t.frozen)+len(slabs)), t.frozen...), slabs...)
	for _, r := range t.runs {
		r.refs.Add(1)
	}
	s.refs.Store(1)
	return s
}

// Retain adds a holder to a snapshot that has one, and returns it.
func (s *Snapshot) Retain() *Snapshot {
	s.refs.Add(1)
	return s
}

// changed makes the next Snapshot a new one. The caller holds mu.
func (t *Table) changed() {
	if t.now != nil {
		t.now.Release()
		t.now = nil
	}
}

// Release lets the table delete what the snapshot was the last to need.
func (s *Snapshot) Release() {
	if s.refs.Add(-1) > 0 {
		return
	}
	for _, r := range s.runs {
		_ = r.release() // only read
	}
}
