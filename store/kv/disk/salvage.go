package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// damagedSuffix is appended to the name of a file whose readable parts a repair has copied.
const damagedSuffix = ".damaged"

// salvageChunk is how many rows one transaction of a salvage writes.
const salvageChunk = 5000

// fullPages is the fill of pages for rows that are written in the order of their keys.
const fullPages = 0.95

// salvage replaces a file with damaged pages by a copy of what can be read. It returns the tables
// of which every row was found.
func (r *repair) salvage() (whole map[string]bool, err error) {
	tmp := r.s.path + ".copy"
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	to, err := bbolt.Open(tmp, fileMode, &bbolt.Options{FreelistType: bbolt.FreelistArrayType, NoSync: true})
	if err != nil {
		return nil, err
	}
	whole, err = r.salvageInto(to)
	if err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(tmp))
	}
	return whole, errors.Join(os.Rename(r.s.path, r.s.path+damagedSuffix), os.Rename(tmp, r.s.path))
}

// salvageInto copies what the trees of a file lead to and, if the trees are incomplete, what else
// the leaves have.
func (r *repair) salvageInto(to *bbolt.DB) (whole map[string]bool, err error) {
	file, err := os.Open(r.s.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := readPageFile(file)
	if err != nil && !errors.Is(err, errCut) && !errors.Is(err, errNoMeta) {
		return nil, fmt.Errorf("%s: %w", r.s.path, err)
	}
	c := copier{to: to, s: r.s, read: make(map[string]bool)}
	f.fault = func(error) error { // the damaged page or entry is left out
		c.faults++
		delete(c.read, string(c.name))
		return nil
	}
	err = f.all(c.startBucket, func(_ []byte, row record) error { return c.put(row) })
	if err := errors.Join(err, c.flush()); err != nil {
		return nil, err
	}
	if c.faults == 0 {
		return c.read, nil
	}
	scan := leafScan{
		s: r.s, f: f, to: to, stray: r.o.Stray,
		partial: func(bucket []byte) bool { return !c.read[string(bucket)] },
	}
	return c.read, scan.run()
}

// A copier writes the records of one bucket after the other, some thousands in a transaction.
type copier struct {
	s      *Store
	to     *bbolt.DB
	name   []byte
	batch  []record
	read   map[string]bool // buckets without a fault so far
	faults int
}

func (c *copier) startBucket(bucket []byte, seq uint64) error {
	if err := c.flush(); err != nil {
		return err
	}
	c.name = c.s.rightName(bucket)
	c.read[string(c.name)] = true
	return c.to.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(c.name)
		if err != nil {
			return err
		}
		return b.SetSequence(seq)
	})
}

// rightName returns the right name of a bucket in whose name one byte was altered.
func (s *Store) rightName(name []byte) []byte {
	buckets := s.buckets()
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
	if len(c.batch) == salvageChunk {
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
