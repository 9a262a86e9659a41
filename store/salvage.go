package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// fileDamaged is what a file is called of which a repair made a copy.
const fileDamaged = fileDB + ".damaged"

// everyBucket and openingBuckets are for checkPages.
func everyBucket([]byte) bool { return true }

// openingBuckets are those that are read on opening.
func openingBuckets(name []byte) bool {
	return bytes.Equal(name, bucketMeta) || bytes.Equal(name, bucketLog)
}

// checkPages returns the first fault of the pages of a job's file; nil: they are
// sound. Nothing may write the file meanwhile.
func checkPages(dir string, wanted func(bucket []byte) bool) (fault, err error) {
	return checkFile(dir, wanted, false)
}

// checkFile is checkPages, and finds also what only matters to who changes the
// file, if strict.
func checkFile(dir string, wanted func(bucket []byte) bool, strict bool) (fault, err error) {
	file, err := os.Open(filepath.Join(dir, fileDB))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, fault := readDBFile(file)
	if fault == nil {
		f.strict = strict
		fault = f.check(wanted)
	}
	return fault, nil
}

func readDBFile(file *os.File) (*dbFile, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return openDBFile(file, info.Size(), os.Getpagesize())
}

// salvage replaces a file whose pages do not hang together by a copy of what can
// be read.
func salvage(dir string) error {
	path := filepath.Join(dir, fileDB)
	tmp := path + ".copy"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	to, err := bbolt.Open(tmp, 0o644, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoSync: true})
	if err != nil {
		return err
	}
	err = salvageInto(to, path)
	if err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return errors.Join(os.Rename(path, filepath.Join(dir, fileDamaged)), os.Rename(tmp, path))
}

func salvageInto(to *bbolt.DB, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	f, err := readDBFile(file)
	if err != nil && !errors.Is(err, errCut) {
		return fmt.Errorf("%s: %w", path, err)
	}
	f.fault = func(error) error { return nil } // its page or entry is left out
	c := copier{to: to}
	err = f.all(c.begin, func(_ []byte, r record) error { return c.put(r) })
	return errors.Join(err, c.flush())
}

// A copier writes the records of one bucket after the other, some thousand in a
// transaction.
type copier struct {
	to    *bbolt.DB
	name  []byte
	batch []record
}

func (c *copier) begin(bucket []byte, seq uint64) error {
	if err := c.flush(); err != nil {
		return err
	}
	c.name = rightName(bucket)
	return c.to.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(c.name)
		if err != nil {
			return err
		}
		return b.SetSequence(seq)
	})
}

// rightName returns the name of a bucket in which one byte was altered.
func rightName(name []byte) []byte {
	for _, b := range buckets {
		if bytes.Equal(b, name) {
			return b
		}
	}
	for _, b := range buckets {
		wrong := 0
		for i := range min(len(b), len(name)) {
			if b[i] != name[i] {
				wrong++
			}
		}
		if len(b) == len(name) && wrong == 1 {
			return b
		}
	}
	return bytes.Clone(name)
}

func (c *copier) put(r record) error {
	if len(r.key) > bbolt.MaxKeySize {
		return nil
	}
	c.batch = append(c.batch, r)
	if len(c.batch) == repairChunk {
		return c.flush()
	}
	return nil
}

func (c *copier) flush() error {
	if len(c.batch) == 0 {
		return nil
	}
	err := c.to.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(c.name)
		b.FillPercent = fullPages
		for _, r := range c.batch {
			if err := b.Put(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	})
	c.batch = c.batch[:0]
	return err
}
