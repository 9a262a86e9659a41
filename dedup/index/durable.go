package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Open opens the catalog in a folder, or creates one. It forgets what the catalog has beyond last,
// the last document of the owner's store, and all of it if it was made with another Shape.
// Catalog.Last is then the document up to which the catalog is complete, and the owner enters the
// rest.
//
// A log with a damaged frame is cut there: the owner enters the rest again from its store. A run
// with a damaged head is a *DamageError.
func Open(dir string, last DocID, o Options) (*Catalog, error) {
	if !o.ReadOnly {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
	}
	x, err := New(o)
	if err != nil {
		return nil, err
	}
	x.dir = dir
	err = x.open(last)
	if errors.Is(err, errShape) {
		x.view.Store(&view{mem: x.view.Load().mem})
		x.Last = 0
		err = x.drop(func(string) bool { return true })
		if err == nil {
			err = x.openLogs(nil, last)
		}
	}
	if err != nil {
		if x.log != nil {
			err = errors.Join(err, x.log.close())
		}
		return nil, fmt.Errorf("index: %w", err)
	}
	if x.durable() {
		x.ahead = make(chan struct{})
		go x.readAhead(x.view.Load().runs) // Close waits for it
		x.inBackground(x.merge)            // short sessions each leave a run
	}
	return x, nil
}

// durable reports whether rows are written to files.
func (x *Catalog) durable() bool { return x.dir != "" && !x.o.ReadOnly }

func (x *Catalog) open(last DocID) error {
	entries, err := os.ReadDir(x.dir)
	if err != nil && !(x.o.ReadOnly && errors.Is(err, os.ErrNotExist)) {
		return err
	}
	var spans []runSpan
	var logs []DocID
	for _, e := range entries {
		if s, ok := parseRunName(e.Name()); ok {
			spans = append(spans, s)
		} else if from, ok := parseLogName(e.Name()); ok {
			logs = append(logs, from)
		}
	}
	if err := x.openRuns(spans, last); err != nil {
		return err
	}
	slices.Sort(logs)
	if err := x.openLogs(logs, last); err != nil {
		return err
	}
	used := func(name string) bool {
		path := filepath.Join(x.dir, name)
		return slices.ContainsFunc(x.view.Load().runs, func(r *run) bool { return r.path == path }) ||
			x.log != nil && x.log.path == path || slices.Contains(x.stale, path)
	}
	return x.drop(func(name string) bool { return !used(name) })
}

// openRuns opens consecutive runs, from the first document on, that end at last or before.
func (x *Catalog) openRuns(spans []runSpan, last DocID) error {
	// Of runs with the same start the longest comes first: it was merged from the others.
	slices.SortFunc(spans, func(a, b runSpan) int {
		if a.from != b.from {
			return int(int64(a.from) - int64(b.from))
		}
		return int(int64(b.to) - int64(a.to))
	})
	v := x.view.Load()
	runs := []*run(nil)
	for _, s := range spans {
		if s.from != x.Last || s.to > last {
			continue
		}
		r, err := openRun(filepath.Join(x.dir, s.name()), s, x.o.Shape, x.damage, false)
		if err != nil {
			return err
		}
		runs, x.Last = append(runs, r), s.to
	}
	x.view.Store(&view{runs, nil, v.mem})
	return nil
}

// openLogs reads from the logs what the runs lack, and continues the last log, or a new one.
func (x *Catalog) openLogs(logs []DocID, last DocID) error {
	mem, inRuns := x.view.Load().mem, x.Last
	type read struct {
		path string
		replay
	}
	var kept []read
	for _, from := range logs {
		if from > x.Last {
			break // the documents between are lost
		}
		path := filepath.Join(x.dir, logName(from))
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		p := readLog(file, x.o.Shape, last, func(rows []byte) bool { return mem.enter(rows, x.Last, x.o.Bands) })
		if err := file.Close(); err != nil {
			return err
		}
		if p.end > 0 && p.complete > inRuns {
			kept = append(kept, read{path, p})
		}
		if p.tail != "" {
			x.cut = append(x.cut, &DamageError{path, p.tail})
		}
		x.Last = max(x.Last, p.complete)
	}
	if !x.durable() {
		return nil
	}
	for _, k := range kept {
		x.stale = append(x.stale, k.path)
	}
	var err error
	if n := len(kept); n > 0 {
		x.stale = x.stale[:n-1]
		x.log, err = continueLog(kept[n-1].path, kept[n-1].replay)
		return err
	}
	x.log, err = createLog(x.dir, x.o.Shape, x.Last)
	return err
}

// drop deletes those files of an index for which unwanted holds.
func (x *Catalog) drop(unwanted func(name string) bool) error {
	if !x.durable() {
		return nil
	}
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isIndexFile(e.Name()) && unwanted(e.Name()) {
			if err := os.Remove(filepath.Join(x.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// isIndexFile reports whether a name is that of a catalog's file or of one that is being written.
// Other files are left alone.
func isIndexFile(name string) bool {
	name = strings.TrimSuffix(name, ".new")
	_, isRun := parseRunName(name)
	_, isLog := parseLogName(name)
	return isRun || isLog
}

// DropIndex deletes a gate's files, so that its tables are filled again.
func DropIndex(dir string) error {
	x := Catalog{dir: dir}
	if err := x.drop(func(string) bool { return true }); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// Check reads every byte of the files and returns what is wrong, as values of type *DamageError.
func (x *Catalog) Check() (faults []error) {
	if !x.durable() {
		faults = append(faults, x.cut...)
	}
	v := x.view.Load()
	for _, r := range v.runs {
		d := new(damage)
		again, err := openRun(r.path, r.runSpan, x.o.Shape, d, false) // read the file again, not its mapping
		if errors.Is(err, os.ErrNotExist) {
			continue // it was merged in the meantime
		}
		if err == nil {
			again.check()
			err = d.found()
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	if x.durable() {
		faults = append(faults, x.checkLogs()...)
	}
	return faults
}

// checkLogs reads the logs that are being written; of a read-only catalog, openLogs has read the
// logs.
func (x *Catalog) checkLogs() (faults []error) {
	for _, path := range append(slices.Clone(x.stale), x.log.path) {
		file, err := os.Open(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		p := readLog(file, x.o.Shape, ^DocID(0), func([]byte) bool { return true })
		if p.tail != "" {
			faults = append(faults, &DamageError{path, p.tail})
		}
		if err := file.Close(); err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}
