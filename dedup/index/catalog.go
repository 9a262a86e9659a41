package index

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
)

// A Catalog holds the gate's tables: which documents have a digest, which fingerprints are near
// another, and the outline of each document. Without a folder it is all in memory. With a folder,
// the youngest documents are in memory with a log on disk, and the older ones are in runs: files
// that are written once and mapped. So the memory that it takes is bounded, and the page cache
// holds what is used of the runs.
//
// The tables can be rebuilt from the owner's store. Documents are entered in rising order, and
// their rows are written to the log only by Commit, after the store has committed them: the files
// may lack what the store has, but never have more. The owner enters again what they lack.
//
// Rows are entered under the owner's lock; Find, Near, Meet and OutlineOf may be called from many
// goroutines at the same time, also while runs are written.
type Catalog struct {
	dir    string // "": in memory
	o      Options
	view   atomic.Pointer[view]
	damage *damage

	revised *memory // what documents were revised to; never written to a file

	Last    DocID  // the document that was entered last
	rows    []byte // entered since the last commit
	log     *logFile
	stale   []string              // logs in addition to log that have rows of the part in memory
	cut     []error               // why logs were cut when they were opened
	spilled chan struct{}         // closed when nothing writes or merges runs; nil: nothing ever did
	ahead   chan struct{}         // closed when readAhead has ended; nil: it never started
	stop    atomic.Bool           // writing of runs and reading ahead must end
	failed  atomic.Pointer[error] // the first write error; the catalog takes no more rows
}

// Options are the settings of a catalog.
type Options struct {
	Design   Design
	Distance int
	Bands    int    // of a document
	Memory   int    // documents that are held in memory before they are written as a run
	Shape    uint64 // hash of all settings that decide which rows a document has
	ReadOnly bool
}

// A HeadTable is one of the tables from heads to documents.
type HeadTable int

const (
	BytesHeads HeadTable = iota // of payloads
	BodyHeads                   // of bodies
	bandHeads                   // of bands; in memory they are a bandTable
	HeadTables int       = iota

	digestTables = int(bandHeads)
)

// A view is what queries look at. Its parts have the documents in rising order: the runs, the
// memory that is being written as a run, and the memory that new documents are entered in.
type view struct {
	runs   []*run
	frozen *memory // or nil
	mem    *memory
}

// A memory is the part of a catalog that is not in a run.
type memory struct {
	heads [digestTables]heads
	near  Index
	bands bandTable
	known outlines
	docs  int
}

func (o Options) newMemory() (*memory, error) {
	near, err := NewIndex(o.Design, o.Distance)
	return &memory{near: near}, err
}

// New returns a catalog in memory.
func New(o Options) (*Catalog, error) {
	mem, err := o.newMemory()
	if err != nil {
		return nil, err
	}
	revised, err := o.newMemory()
	if err != nil {
		return nil, err
	}
	x := &Catalog{o: o, damage: new(damage), revised: revised}
	x.view.Store(&view{mem: mem})
	return x, nil
}

// Enter starts a document: the rows that follow are its rows. It reports whether they are needed:
// in a folder, a document that is not above Last is there already.
func (x *Catalog) Enter(doc DocID) bool {
	if x.dir == "" {
		return true
	}
	if doc <= x.Last {
		return false
	}
	x.Last = doc
	x.view.Load().mem.docs++
	if x.durable() {
		x.rows = appendDocRow(x.rows, doc)
	}
	return true
}

// AddHead records that a document has a digest, and reports whether that is new. In a folder it
// counts as new unless the part in memory has it, whatever older parts have.
func (x *Catalog) AddHead(t HeadTable, head uint64, doc DocID) bool {
	if !x.view.Load().mem.heads[t].add(head, doc) {
		return false
	}
	if x.durable() {
		x.rows = appendHeadRow(x.rows, t, head, doc)
	}
	return true
}

// AddNear records the fingerprint, the bands and the outline of a document.
func (x *Catalog) AddNear(doc DocID, fp uint64, keys Bands, o Outline) {
	m := x.view.Load().mem
	m.near.Insert(fp, doc)
	m.bands.add(keys, x.o.Bands, doc)
	m.known.set(doc, o)
	if x.durable() {
		x.rows = appendNearRow(x.rows, doc, fp, o, keys[:x.o.Bands])
	}
}

// Revise records the revised head, fingerprint and outline of a document in memory, in addition to
// those that it was entered with. A zero body means no body.
func (x *Catalog) Revise(doc DocID, body, fp uint64, keys Bands, o Outline) {
	m := x.revised
	if body != 0 && m.heads[BodyHeads].add(body, doc) {
		m.near.Insert(fp, doc)
		m.bands.add(keys, x.o.Bands, doc)
	}
	m.known.set(doc, o)
}

// Later are the documents of a catalog that were entered after one.
type Later struct {
	x     *Catalog
	after DocID
}

// Later returns the documents that were entered after a document; 0: all, and what documents were
// revised to. Runs that have none of them cost nothing.
func (x *Catalog) Later(after DocID) Later { return Later{x, after} }

// parts calls in for the runs and the parts in memory that may have documents, from the oldest on.
func (l Later) parts(inRun func(*run), inMemory func(*memory)) {
	v := l.x.view.Load()
	for _, r := range v.runs {
		if r.to > l.after {
			inRun(r)
		}
	}
	for _, m := range v.memories() {
		inMemory(m)
	}
	if l.after == 0 {
		inMemory(l.x.revised)
	}
	runtime.KeepAlive(v) // a run is unmapped when nothing holds it
}

// Find calls yield for every document with that head until it returns false.
func (l Later) Find(t HeadTable, head uint64, yield func(doc DocID) bool) {
	more := true
	each := func(doc DocID) bool {
		more = doc <= l.after || yield(doc)
		return more
	}
	l.parts(func(r *run) {
		if more {
			r.heads[t].find(head, each)
		}
	}, func(m *memory) {
		if more {
			m.heads[t].find(head, each)
		}
	})
}

// Met is how many documents each band has led to.
type Met [BandKeys]uint8

// Meet calls yield for the documents that share a band with keys, perhaps more than once for a
// document. Of each band it considers the first MaxMeet documents; met says how many of them were
// considered before, and is counted on.
func (l Later) Meet(keys Bands, met *Met, yield func(doc DocID)) {
	for i, k := range keys[:l.x.o.Bands] {
		k = bandOf(k, i)
		each := func(doc DocID) bool {
			if doc > l.after {
				yield(doc)
				met[i]++
			}
			return met[i] < MaxMeet
		}
		l.parts(func(r *run) {
			if met[i] < MaxMeet {
				r.heads[bandHeads].find(uint64(k)<<32, each)
			}
		}, func(m *memory) {
			if met[i] < MaxMeet {
				m.bands.find(k, each)
			}
		})
	}
}

// Near calls yield for every fingerprint within k bits of fp until it returns false.
func (l Later) Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	more := true
	each := func(doc DocID, fp uint64, d int) bool {
		more = doc <= l.after || yield(doc, fp, d)
		return more
	}
	l.parts(func(r *run) {
		if more {
			r.h.Near(fp, k, each)
		}
	}, func(m *memory) {
		if more {
			m.near.Near(fp, k, each)
		}
	})
}

// Find is Later.Find of all documents.
func (x *Catalog) Find(t HeadTable, head uint64, yield func(doc DocID) bool) {
	x.Later(0).Find(t, head, yield)
}

// Meet is Later.Meet of all documents.
func (x *Catalog) Meet(keys Bands, yield func(doc DocID)) { x.Later(0).Meet(keys, new(Met), yield) }

// Near is Later.Near of all documents.
func (x *Catalog) Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	x.Later(0).Near(fp, k, yield)
}

// OutlineOf returns the outline of a document; false: it has none.
func (x *Catalog) OutlineOf(doc DocID) (o Outline, ok bool) {
	v := x.view.Load()
	for _, m := range [...]*memory{x.revised, v.frozen, v.mem} {
		if m == nil {
			continue
		}
		if o, ok = m.known.at(doc); ok {
			return o, true
		}
	}
	for _, r := range v.runs {
		if r.from < doc && doc <= r.to {
			o, ok = r.known.at(doc)
		}
	}
	runtime.KeepAlive(v)
	return o, ok
}

// memories returns the parts in memory.
func (v *view) memories() []*memory {
	if v.frozen == nil {
		return []*memory{v.mem}
	}
	return []*memory{v.frozen, v.mem}
}

// Count returns the number of rows in all tables except those of bands, which do not keep all of
// theirs. A fingerprint and its outline are one row.
func (x *Catalog) Count() (n int) {
	v := x.view.Load()
	for _, r := range v.runs {
		n += r.h.Len()
		for t := range digestTables {
			n += r.heads[t].n
		}
	}
	for _, m := range append(v.memories(), x.revised) {
		n += m.near.Len()
		for t := range m.heads {
			n += m.heads[t].n
		}
	}
	return n
}

// Fault returns the first damage that was found in the files, or the error of a failed write. After
// a query it says whether the answer can be relied on.
func (x *Catalog) Fault() error {
	if err := x.damage.found(); err != nil {
		return err
	}
	if err := x.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// A DamageError says that a file of an index is damaged. Its content can be rebuilt from the store.
type DamageError struct {
	File string
	What string // what is wrong
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s is damaged: %s", e.File, e.What) }

// A damage remembers the first damage that was found in the files of an index.
type damage struct{ first atomic.Pointer[DamageError] }

func (d *damage) found() error {
	if e := d.first.Load(); e != nil {
		return e
	}
	return nil
}

func (d *damage) meet(file, what string) { d.first.CompareAndSwap(nil, &DamageError{file, what}) }

// Commit writes what was entered since the last call to the log; the store must have committed it
// before. When the part in memory is large enough, Commit moves it to a run. Rows survive a kill of
// the process; rows written shortly before a loss of power may be lost, which is noticed when the
// folder is opened.
func (x *Catalog) Commit() error {
	if err := x.Fault(); err != nil || !x.durable() {
		return err
	}
	if len(x.rows) > 0 {
		if err := x.log.append(x.rows, x.Last); err != nil {
			return x.fail(err)
		}
		x.rows = x.rows[:0]
	}
	if x.view.Load().mem.docs < x.o.Memory {
		return nil
	}
	x.wait()
	if err := x.Fault(); err != nil {
		return err
	}
	return x.fail(x.spill())
}

// fail remembers the first failure: after it the state on disk is unknown.
func (x *Catalog) fail(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("index %s: %w", x.dir, err)
	x.failed.CompareAndSwap(nil, &err)
	return *x.failed.Load()
}

// spill starts a new part in memory and a new log, and starts writing the old part as a run.
func (x *Catalog) spill() error {
	mem, err := x.o.newMemory()
	if err != nil {
		return err
	}
	log, err := createLog(x.dir, x.o.Shape, x.Last)
	if err != nil {
		return err
	}
	// A crash may have left a log without rows, which was continued: the new one has its name.
	old := slices.DeleteFunc(append(x.stale, x.log.path), func(path string) bool { return path == log.path })
	if err := x.log.close(); err != nil {
		return errors.Join(err, log.close())
	}
	x.stale, x.log = nil, log
	v := x.view.Load()
	x.view.Store(&view{v.runs, v.mem, mem})
	to := x.Last
	x.inBackground(func() error { return x.settle(to, old) })
	return nil
}

// inBackground calls settle or merge. Until it ends, which is soon after stop is set, only it changes the view. Its
// error is returned by the next Commit.
func (x *Catalog) inBackground(fn func() error) {
	done := make(chan struct{})
	x.spilled = done
	go func() {
		defer close(done)
		_ = x.fail(fn())
	}()
}

// wait waits until no run is being written.
func (x *Catalog) wait() {
	if x.spilled != nil {
		<-x.spilled
	}
}

// Settled waits until no run is being written and nothing is being read ahead.
func (x *Catalog) Settled() {
	x.wait()
	if x.ahead != nil {
		<-x.ahead
	}
}

// Runs returns the number of runs.
func (x *Catalog) Runs() int { return len(x.view.Load().runs) }

// settle writes the frozen part as a run that ends with document to, deletes the logs that are no
// longer needed, and merges runs.
func (x *Catalog) settle(to DocID, logs []string) error {
	v := x.view.Load()
	from := DocID(0)
	if n := len(v.runs); n > 0 {
		from = v.runs[n-1].to
	}
	r, err := x.writeRun(runSpan{from, to}, nil, v.frozen)
	if err != nil {
		return err
	}
	x.view.Store(&view{append(slices.Clip(v.runs), r), nil, v.mem})
	for _, name := range logs {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return x.merge()
}

// Runs are merged until each is at least mergeRatio times as large as all later ones together, and
// there are at most maxRuns. A query looks into every run; each merge into a larger one writes all rows
// again.
const (
	mergeRatio = 3
	maxRuns    = 6
)

// merge merges the last runs when together they have become as large as the one before them.
func (x *Catalog) merge() error {
	v := x.view.Load()
	if len(v.runs) == 0 || x.stop.Load() {
		return nil
	}
	first := firstToMerge(v.runs)
	parts := v.runs[first:]
	if len(parts) == 1 {
		return nil
	}
	r, err := x.writeRun(runSpan{parts[0].from, parts[len(parts)-1].to}, parts, nil)
	if errors.Is(err, errStopped) {
		return nil
	}
	if err != nil {
		return err
	}
	x.view.Store(&view{append(slices.Clip(v.runs[:first]), r), nil, v.mem})
	for _, p := range parts {
		if err := os.Remove(p.path); err != nil {
			return err
		}
	}
	return nil
}

// firstToMerge returns the place of the first run to merge; that of the last run if no merge is
// due.
func firstToMerge(runs []*run) int {
	first := len(runs) - 1
	size := runs[first].rows
	for first > 0 && (runs[first-1].rows < mergeRatio*size || first+1 > maxRuns) {
		first--
		size += runs[first].rows
	}
	return first
}

// quickLog is how many documents Close leaves in the log, which the next opening reads in some 50
// ms. If there are more, Close writes a run.
const quickLog = 1 << 15

// Close leaves files that are quick to open. What was not committed is lost. Closing again does
// nothing.
func (x *Catalog) Close() error {
	if !x.durable() || x.stop.Swap(true) {
		return nil
	}
	x.wait()
	if x.ahead != nil {
		<-x.ahead
	}
	if x.Fault() == nil && len(x.rows) == 0 && x.view.Load().mem.docs >= quickLog {
		_ = x.fail(x.spill()) // Fault returns the error
		x.wait()
	}
	if x.Fault() == nil {
		_ = x.fail(x.log.file.Sync())
	}
	return errors.Join(x.Fault(), x.log.close())
}
