package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// ErrPages is wrapped by errors of Check if pages of the bbolt file are damaged. Then nothing else
// is checked, since whatever such pages lead to is unreliable.
var ErrPages = errors.New("pages are damaged")

// Check implements kv.Store. It first checks the pages of the bbolt file, which takes some seconds
// a gigabyte during which updates wait; then the sorted files, and the values of checked tables.
func (s *Store) Check(ctx context.Context, fn func(error) error) error {
	faults, err := s.pageFaults(ctx)
	if err != nil {
		return err
	}
	for _, f := range faults {
		err := fn(&kv.DamageError{Err: fmt.Errorf("%s: %w: %w", filepath.Base(s.path), ErrPages, f)})
		if err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return nil
	}
	return s.db.View(func(btx *bbolt.Tx) error {
		if err := s.checkFiles(ctx, btx, fn); err != nil {
			return err
		}
		return s.altered(btx, func(err error) error { return errors.Join(fn(err), ctx.Err()) })
	})
}

// pageFaults returns the faults of the pages of the bbolt file. They are compared with its list of
// free pages, so no writer may run.
func (s *Store) pageFaults(ctx context.Context) (faults []error, err error) {
	look := func(btx *bbolt.Tx) error {
		fault, err := checkPages(s.path, everyBucket)
		if fault != nil {
			faults = []error{fault}
		} else if err == nil {
			for err := range btx.Check() {
				faults = append(faults, err)
			}
		}
		return err
	}
	if s.o.ReadOnly {
		err = s.db.View(look)
	} else {
		err = s.Update(ctx, func(t kv.Tx) error { return look(t.(*tx).tx) })
	}
	return faults, err
}

// checkFiles reads every byte of the sorted files.
func (s *Store) checkFiles(ctx context.Context, btx *bbolt.Tx, fn func(error) error) error {
	m, _, err := manifestIn(btx)
	if err != nil {
		return fn(&kv.DamageError{Err: fmt.Errorf("the list of the files in %s cannot be read: %w", dirRuns, err)})
	}
	o := s.runsOptions()
	for _, meta := range m.Runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := runs.Check(s.runsDir(), meta, o)
		if errors.Is(err, fs.ErrNotExist) && !s.o.ReadOnly {
			continue // it was merged in the meantime
		}
		if err != nil {
			if err := fn(&kv.DamageError{Err: err}); err != nil {
				return err
			}
		}
	}
	return nil
}

// everyBucket and openingBuckets are for checkPages.
func everyBucket([]byte) bool { return true }

// openingBuckets are the buckets that are read when a store is opened.
func openingBuckets(name []byte) bool {
	return bytes.Equal(name, bucketOwn) || bytes.Equal(name, bucketLog)
}

// checkPages returns the first fault of the pages of a file; nil: they are sound. Nothing may write
// to the file in the meantime.
func checkPages(path string, wanted func(bucket []byte) bool) (fault, err error) {
	return checkFile(path, wanted, false)
}

// checkFile is checkPages. If strict is set it also finds faults that only matter to a writer of
// the file.
func checkFile(path string, wanted func(bucket []byte) bool, strict bool) (fault, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, fault := readPageFile(file)
	if fault == nil {
		f.strict = strict
		fault = f.check(wanted)
	}
	return fault, nil
}

func readPageFile(file *os.File) (*pageFile, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return openPageFile(file, info.Size(), os.Getpagesize())
}
