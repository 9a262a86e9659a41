package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// RepairOptions are the settings of Repair.
type RepairOptions struct {
	// Options are those with which the store is opened.
	Options Options

	// Stray recognizes rows of tables that are not checked, by their form. Nil: such rows are lost
	// if the pages that led to them are lost.
	Stray Stray

	// Tell is called with what was found, where, and what was done about it.
	Tell func(where, what string) error
}

// Repaired is the outcome of a repair.
type Repaired struct {
	// Whole reports whether all rows of a table exist, as far as the engine can tell. Values of
	// checked tables may be altered: Check finds these.
	Whole func(t *kv.Table) bool

	// Scattered says that rows of scattered tables are lost.
	Scattered bool
}

// Repair makes a store with damaged files openable. No process may have it open. It saves what can
// be read; a file that it replaces is kept, with .damaged at the end of its name. A repair that was
// interrupted can be repeated.
func Repair(ctx context.Context, path string, tables []*kv.Table, o RepairOptions) (done Repaired, err error) {
	if err := errors.Join(kv.Declared(tables), o.Options.validate()); err != nil {
		return done, err
	}
	o.Options.ReadOnly = false
	r := &repair{s: newStore(path, tables, o.Options), o: o}
	whole, err := r.pages()
	if err != nil {
		return done, err
	}
	if r.s.db, err = openDB(path, o.Options); err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, r.s.db.Close()) }()
	for _, step := range []func(context.Context) error{r.buckets, r.log, r.files} {
		if err := step(ctx); err != nil {
			return done, err
		}
	}
	done.Scattered = r.torn
	done.Whole = func(t *kv.Table) bool {
		if t.Scattered() {
			return !r.torn
		}
		return whole == nil || whole[t.Name]
	}
	return done, nil
}

// A repair repairs a store that is not open.
type repair struct {
	s    *Store
	o    RepairOptions
	torn bool // rows of scattered tables are lost
}

func (r *repair) tell(where, format string, args ...any) error {
	return r.o.Tell(where, fmt.Sprintf(format, args...))
}

// pages replaces a file with damaged pages by a copy of what can be read. Nobody may start to write
// to the store in the meantime. It returns the tables that are complete; nil: all are.
func (r *repair) pages() (whole map[string]bool, err error) {
	read := r.o.Options
	read.ReadOnly = true
	hold, err := openDB(r.s.path, read)
	if errors.Is(err, kv.ErrLocked) || errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	if err != nil { // bbolt cannot open it, so no process has it open
		hold, err = nil, nil
	}
	fault, err := checkFile(r.s.path, everyBucket, true)
	if hold != nil && fault == nil && err == nil {
		foreign := false
		fault = r.s.guarded(func() error {
			if foreign = r.isForeign(hold); foreign {
				return nil
			}
			return r.checkNames(hold)
		})
		if foreign {
			return nil, errors.Join(fmt.Errorf("%s: %w", r.s.path, ErrForeign), hold.Close())
		}
	}
	if err == nil && fault != nil {
		name := filepath.Base(r.s.path)
		err = r.tell("the file", "%s is corrupt (%v): what can be read is copied; the old file is %s", name, fault, name+damagedSuffix)
		if err == nil {
			whole, err = r.salvage()
		}
	}
	if hold != nil {
		err = errors.Join(err, hold.Close())
	}
	return whole, err
}

// isForeign reports whether a sound file has none of this package's buckets.
func (r *repair) isForeign(db *bbolt.DB) bool {
	foreign := true
	_ = db.View(func(btx *bbolt.Tx) error { // cannot fail: fn returns nil
		for _, name := range ownBuckets {
			foreign = foreign && btx.Bucket(name) == nil
		}
		return nil
	})
	return foreign
}

// checkNames returns an error if a bucket is missing, or a bucket has a name that differs in one
// byte.
func (r *repair) checkNames(db *bbolt.DB) (fault error) {
	_ = db.View(func(btx *bbolt.Tx) error { // cannot fail: fn returns nil
		_ = btx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
			if right := r.s.rightName(name); !bytes.Equal(right, name) {
				fault = fmt.Errorf("table %s is called %q", right, name)
			}
			return nil
		})
		there, err := tablesIn(btx)
		if err != nil || btx.Bucket(bucketOwn) == nil {
			fault = errors.New("the list of its tables is not there")
		}
		for _, name := range there {
			for _, t := range r.s.tables {
				if t.Name == name && !t.Scattered() && btx.Bucket([]byte(name)) == nil {
					fault = fmt.Errorf("table %s is not there", name)
				}
			}
		}
		return nil
	})
	return fault
}

// buckets creates the buckets that are missing.
func (r *repair) buckets(context.Context) error {
	return r.s.db.Update(func(btx *bbolt.Tx) error {
		for _, name := range r.s.buckets() {
			if _, err := btx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return r.s.putTables(btx)
	})
}

// log deletes the entries of the log that cannot be read.
func (r *repair) log(context.Context) error {
	var bad [][]byte
	err := r.s.db.View(func(btx *bbolt.Tx) error {
		return btx.Bucket(bucketLog).ForEach(func(k, v []byte) error {
			pad := len(k) == 9 && len(v) == 0
			if _, err := slabIn(v); !pad && (err != nil || len(k) != 8) {
				bad = append(bad, bytes.Clone(k))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	r.torn = len(bad) > 0
	for _, k := range bad {
		if err := r.tell("the log of the scattered tables", "entry %x is altered, and gone", k); err != nil {
			return err
		}
		if err := r.s.db.Update(func(btx *bbolt.Tx) error { return btx.Bucket(bucketLog).Delete(k) }); err != nil {
			return err
		}
	}
	return nil
}

// files replaces each damaged sorted file by what can be read of it.
func (r *repair) files(ctx context.Context) error {
	var m manifest
	known := false
	err := r.s.db.View(func(btx *bbolt.Tx) (err error) { m, known, err = manifestIn(btx); return err })
	if err == nil && !known && r.logWhole() {
		return nil // no sorted file was ever written
	}
	changed := err != nil || !known
	if changed {
		if m.Runs, err = r.unnamed(nil); err != nil {
			return err
		}
		if len(m.Runs) == 0 {
			return r.s.db.Update(func(btx *bbolt.Tx) error { return btx.Bucket(bucketOwn).Delete(keyManifest) })
		}
		r.torn = true
		if err := r.tell("the table's files", "the list of them is gone: all %d in %s are taken", len(m.Runs), dirRuns); err != nil {
			return err
		}
	}
	var left []runs.Meta
	for i, meta := range m.Runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		fault := runs.Check(r.s.runsDir(), meta, r.checkOptions())
		if fault == nil {
			left = append(left, meta)
			continue
		}
		if !errors.As(fault, new(*runs.DamageError)) && !errors.Is(fault, fs.ErrNotExist) {
			return fault
		}
		changed, r.torn = true, true
		meta, err := r.salvageRun(m.Runs, i, fault)
		if err != nil {
			return err
		}
		if meta.Entries > 0 {
			left = append(left, meta)
		}
	}
	if !changed {
		return nil
	}
	m.Runs = left
	return r.s.db.Update(m.put)
}

// checkOptions are the options for reading the sorted files without the store.
func (r *repair) checkOptions() runs.Options {
	o := r.s.runsOptions()
	o.ReadOnly = true
	return o
}

// logWhole reports whether the log starts with the first entry of the store, and so has everything
// that is in the scattered tables.
func (r *repair) logWhole() (whole bool) {
	_ = r.s.db.View(func(btx *bbolt.Tx) error { // cannot fail: fn returns nil
		k, _ := btx.Bucket(bucketLog).Cursor().First()
		whole = len(k) == 8 && seqOf(k) == 1
		return nil
	})
	return whole
}

// salvageRun makes a file from what is left of the i-th one.
func (r *repair) salvageRun(all []runs.Meta, i int, fault error) (runs.Meta, error) {
	dir, meta := r.s.runsDir(), all[i]
	if errors.Is(fault, fs.ErrNotExist) { // maybe only its name was changed
		others, err := r.unnamed(all)
		if err != nil {
			return meta, err
		}
		for _, o := range others {
			if o.Bytes == meta.Bytes {
				meta.File = o.File
			}
		}
	}
	name, err := runs.NextName(dir, all)
	if err != nil {
		return meta, err
	}
	left, err := runs.Salvage(dir, meta, name, r.checkOptions())
	if err != nil {
		return meta, err
	}
	kept := "nothing of it is left"
	old := filepath.Join(dir, meta.File)
	if err := os.Rename(old, old+damagedSuffix); err == nil {
		kept = "the old file is " + meta.File + damagedSuffix
	} else if !errors.Is(err, fs.ErrNotExist) {
		return meta, err
	}
	lost := ""
	if meta.Entries > 0 {
		lost = fmt.Sprintf(" of %d", meta.Entries)
	}
	return left, r.tell("the table's files", "%v: %d%s entries are saved; %s", fault, left.Entries, lost, kept)
}

// unnamed returns the sorted files that are not among these, in the order of their numbers.
func (r *repair) unnamed(named []runs.Meta) (metas []runs.Meta, err error) {
	entries, err := os.ReadDir(r.s.runsDir()) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	is := make(map[string]bool)
	for _, m := range named {
		is[m.File] = true
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		var age uint64
		if _, err := fmt.Sscanf(e.Name(), "%d.run", &age); err == nil && strings.HasSuffix(e.Name(), ".run") && !is[e.Name()] {
			metas = append(metas, runs.Meta{File: e.Name(), Age: age, Bytes: info.Size()})
		}
	}
	return metas, nil
}
