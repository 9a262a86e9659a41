package dedup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// IndexOptions are the settings of a DurableIndex.
type IndexOptions struct {
	// Memory is the number of fingerprints that are held in memory, about 20
	// bytes each, before Sync moves them into a run on disk. Default 16
	// million. A small number makes many runs, which are merged again and
	// again; a large one a long log, which is read whole on opening.
	Memory int

	// Runs is the number of runs from which on they are merged into one.
	// Default 4. Each run is asked by every query; each merge writes all runs
	// anew.
	Runs int
}

// DefaultIndexOptions returns the defaults that IndexOptions names.
func DefaultIndexOptions() IndexOptions { return IndexOptions{Memory: 1 << 24, Runs: 4} }

// Validate reports every fault at once.
func (o IndexOptions) Validate() error {
	var faults []error
	if o.Memory < 1 {
		faults = append(faults, fmt.Errorf("index memory: want at least one fingerprint, got %d", o.Memory))
	}
	if o.Runs < 1 {
		faults = append(faults, fmt.Errorf("index runs: want at least one, got %d", o.Runs))
	}
	return errors.Join(faults...)
}

// A DurableIndex is an Index in a folder: Halves in memory with a log behind
// them, and runs, Halves that were written once and are mapped. Memory stays
// bounded: what is in runs is the page cache's. All methods may be called from
// many goroutines; queries take no lock.
//
// The signatures of the owner's store are the truth, and the index may lag
// behind them or, after a crash, be ahead:
//
//   - Documents are inserted in rising order. One that is not above the last is
//     ignored, so that filling again from an earlier one does no harm.
//   - Sync is called when the inserted documents are durable in the store. Then
//     they are durable here too.
//   - OpenIndex is told the store's last document, forgets what it has beyond,
//     and says up to which document it is complete. The owner inserts the rest.
//
// A record of the log that is torn or altered, and all behind it, is cut off. A
// run that is torn or altered is deleted with all behind it; every byte is
// covered by a checksum, and all are checked on opening.
type DurableIndex struct {
	dir string
	o   IndexOptions

	view atomic.Pointer[view]

	mu     sync.Mutex
	log    *logFile
	last   DocID
	failed error // of a write; the index takes no more
	closed bool
}

var _ Index = (*DurableIndex)(nil)

// A view is what queries see.
type view struct {
	runs []*run
	mem  *Halves
}

const logName = "fingerprints.log"

// OpenIndex opens the index in a folder, or makes one, and returns the document
// up to which it is complete: last at most, the last document of the owner's
// store, and 0 if it is empty. An error is one of the options or of the file
// system. Only one process at a time may have the folder open.
func OpenIndex(dir string, last DocID, o IndexOptions) (x *DurableIndex, complete DocID, err error) {
	if err := o.Validate(); err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, 0, fmt.Errorf("index: %w", err)
	}
	x = &DurableIndex{dir: dir, o: o}
	v := &view{mem: NewHalves()}
	v.runs, err = openRuns(dir, last)
	if err != nil {
		return nil, 0, fmt.Errorf("index %s: %w", dir, err)
	}
	if n := len(v.runs); n > 0 {
		x.last = v.runs[n-1].to
	}
	x.log, err = openLog(filepath.Join(dir, logName), x.last, last, v.mem)
	if err != nil {
		return nil, 0, fmt.Errorf("index %s: %w", dir, err)
	}
	x.last = max(x.last, x.log.last)
	x.view.Store(v)
	return x, x.last, nil
}

// openRuns opens the runs that follow one another from the first document on
// and end at last or before, and deletes the others.
func openRuns(dir string, last DocID) (runs []*run, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+runSuffix+"*"))
	if err != nil {
		return nil, err
	}
	var spans []runSpan
	for _, name := range names {
		s, ok := parseRunName(filepath.Base(name))
		if !ok { // half written
			if err := os.Remove(name); err != nil {
				return nil, err
			}
			continue
		}
		spans = append(spans, s)
	}
	// Of those that begin alike the longest first: it is the others' merger.
	slices.SortFunc(spans, func(a, b runSpan) int {
		if a.from != b.from {
			return int(int64(a.from) - int64(b.from))
		}
		return int(int64(b.to) - int64(a.to))
	})
	at := DocID(0)
	for _, s := range spans {
		path := filepath.Join(dir, s.name())
		var r *run
		if s.from == at && s.to <= last {
			r, err = openRun(path, s)
			if err != nil && !errors.Is(err, errTorn) {
				return nil, err
			}
		}
		if r == nil {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
			continue
		}
		runs, at = append(runs, r), s.to
	}
	return runs, nil
}

// Design returns DesignHalves.
func (x *DurableIndex) Design() Design { return DesignHalves }

// Insert adds a fingerprint, if doc is above all documents inserted before. Of
// a failed write Sync tells.
func (x *DurableIndex) Insert(fp uint64, doc DocID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || x.failed != nil || doc <= x.last {
		return
	}
	if x.failed = x.log.append(fp, doc); x.failed != nil {
		return
	}
	x.view.Load().mem.Insert(fp, doc)
	x.last = doc
}

// Near calls yield for every fingerprint within k bits of fp.
func (x *DurableIndex) Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	v := x.view.Load()
	more := true
	for _, h := range v.parts() {
		if more {
			h.Near(fp, k, func(doc DocID, fp uint64, d int) bool { more = yield(doc, fp, d); return more })
		}
	}
	runtime.KeepAlive(v) // a run is unmapped when nothing holds it
}

func (v *view) parts() []*Halves {
	parts := make([]*Halves, 0, len(v.runs)+1)
	for _, r := range v.runs {
		parts = append(parts, r.h)
	}
	return append(parts, v.mem)
}

// NearBatch answers many queries; see Index.
func (x *DurableIndex) NearBatch(fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool) {
	nearBatch(x, fps, k, yield)
}

// Len returns the number of fingerprints.
func (x *DurableIndex) Len() (n int) {
	for _, h := range x.view.Load().parts() {
		n += h.Len()
	}
	return n
}

// Bytes returns the size of the part in memory and of the mapped runs.
func (x *DurableIndex) Bytes() (n int64) {
	for _, h := range x.view.Load().parts() {
		n += h.Bytes()
	}
	return n
}

// Complete returns the last document inserted.
func (x *DurableIndex) Complete() DocID {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.last
}

// Sync makes durable what was inserted, and moves it into a run when it is more
// than Memory. The documents must be durable in the owner's store.
func (x *DurableIndex) Sync() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(); err != nil {
		return err
	}
	if x.view.Load().mem.Len() >= x.o.Memory {
		return x.keep(x.snapshot())
	}
	return x.keep(x.log.sync())
}

// Snapshot moves what is in memory into a run, so that the next opening has no
// log to read. The rule of Sync holds.
func (x *DurableIndex) Snapshot() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(); err != nil {
		return err
	}
	return x.keep(x.snapshot())
}

func (x *DurableIndex) ready() error {
	if x.closed {
		return os.ErrClosed
	}
	return x.failed
}

// keep remembers the first failure: after it nobody knows what is on disk.
func (x *DurableIndex) keep(err error) error {
	if err != nil {
		x.failed = fmt.Errorf("index %s: %w", x.dir, err)
	}
	return x.failed
}

func (x *DurableIndex) snapshot() error {
	v := x.view.Load()
	if v.mem.Len() == 0 {
		return x.log.sync()
	}
	from := DocID(0)
	if n := len(v.runs); n > 0 {
		from = v.runs[n-1].to
	}
	runs, old := v.runs, []*run(nil)
	sources := []*Halves{v.mem}
	if len(runs)+1 > x.o.Runs {
		sources, from, old, runs = v.parts(), 0, runs, nil
	}
	r, err := writeRun(x.dir, runSpan{from, x.last}, sources)
	if err != nil {
		return err
	}
	// The run stands. What it replaces is no longer needed, and would be
	// deleted on opening.
	x.view.Store(&view{append(slices.Clip(runs), r), NewHalves()})
	for _, o := range old {
		if err := os.Remove(filepath.Join(x.dir, o.name())); err != nil {
			return err
		}
	}
	runtime.KeepAlive(v)
	return x.log.restart(x.last)
}

// Close makes durable what was inserted and closes the files. The rule of Sync
// holds. Closing again does nothing.
func (x *DurableIndex) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	err := x.failed
	if err == nil {
		err = x.keep(x.log.sync())
	}
	return errors.Join(err, x.log.file.Close())
}

// A runSpan says which documents a run has: those above from, up to to.
type runSpan struct{ from, to DocID }

const runSuffix = ".run"

func (s runSpan) name() string { return fmt.Sprintf("%010d-%010d%s", s.from, s.to, runSuffix) }

func parseRunName(name string) (s runSpan, ok bool) {
	if _, err := fmt.Sscanf(strings.TrimSuffix(name, runSuffix), "%d-%d", &s.from, &s.to); err != nil {
		return runSpan{}, false
	}
	return s, s.name() == name
}
