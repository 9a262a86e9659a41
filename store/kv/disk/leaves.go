package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
)

// A Stray says to which table a row belongs that no page leads to any more, judged by its form;
// nil: that cannot be told. Of several rows with one key the one with the highest rank counts, and
// of equal ones the one further back in the file.
type Stray func(key, value []byte) (t *kv.Table, rank uint64)

// A leafScan finds rows in the leaves of a damaged file that no sound page leads to; if the file is
// cut short these may be all rows. A leaf does not say to which table it belongs, and superseded
// leaves stay in the file until bbolt needs their space. So each row needs evidence of its own:
// values of checked tables need the checksums that were written with them, all of the same time;
// entries of the log of scattered tables need its form; and other rows count if their owner
// recognizes them, see Stray.
type leafScan struct {
	s     *Store
	f     *pageFile
	to    *bbolt.DB
	stray Stray

	// partial reports whether the tree may lack records of a bucket. Other buckets are complete, so
	// that stray records of them are older.
	partial func(bucket []byte) bool

	sums map[string][]sumsFound

	own  []byte    // the manifest with the highest place in the log
	have *manifest // own, decoded; nil: none was found

	known map[*kv.Table]map[string]ranked // rows that their owner recognizes
}

// A sumsFound has the checksums of a key's values at one time, and says which values with these
// checksums were found.
type sumsFound struct {
	sums  sums
	found []bool
}

// A ranked is the best row with its key so far.
type ranked struct {
	value []byte
	rank  uint64
}

// leaves calls yield for the leaves that nothing leads to. Of a leaf that extends beyond the end of
// the file it yields the part that exists.
func (f *pageFile) leaves(yield func(b []byte) error) error {
	head := make([]byte, pageHead)
	for id := uint64(2); id < f.pages; id++ {
		if f.seen.has(id) {
			continue
		}
		if _, err := f.r.ReadAt(head, int64(id)*f.pageSize); err != nil {
			return err
		}
		if native.Uint64(head) != id || native.Uint16(head[8:]) != leafPage || native.Uint16(head[10:]) == 0 {
			continue
		}
		n := min(uint64(native.Uint32(head[12:]))+1, f.pages-id)
		if n > maxLeaf/uint64(f.pageSize) {
			continue
		}
		b := make([]byte, int64(n)*f.pageSize)
		if _, err := f.r.ReadAt(b, int64(id)*f.pageSize); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

// maxLeaf bounds the length of a leaf, since a damaged one may claim any: values are far shorter.
const maxLeaf = 1 << 30

// each calls yield for all records of the leaves.
func (s *leafScan) each(yield func(r record) error) error {
	return s.f.leaves(func(b []byte) error {
		return s.f.elements(b, "leaf", func(key, value, head []byte) error {
			return yield(record{key, value, native.Uint32(head)&1 != 0})
		})
	})
}

// run adds what is found to the copy.
func (s *leafScan) run() error {
	s.sums = make(map[string][]sumsFound)
	s.known = make(map[*kv.Table]map[string]ranked)
	s.f.fault = func(error) error { return nil }
	for _, pass := range []func() error{s.findSums, s.match, s.copyValues, s.copyKnown, s.copyLog} {
		if err := pass(); err != nil {
			return err
		}
	}
	return nil
}

// findSums collects checksums, the manifest, and the rows that their owner recognizes.
func (s *leafScan) findSums() error {
	return s.to.View(func(tx *bbolt.Tx) error {
		has := tx.Bucket(bucketSums)
		return s.each(func(r record) error {
			if r.bucket {
				return s.inline(r)
			}
			if s.know(r) {
				return nil
			}
			got, err := s.s.decodeSums(r.value)
			if err != nil || got.isZero() || has != nil && has.Get(r.key) != nil {
				return nil
			}
			key := string(r.key)
			for _, old := range s.sums[key] {
				if bytes.Equal(old.sums.encode(), got.encode()) {
					return nil
				}
			}
			s.sums[key] = append(s.sums[key], sumsFound{got, make([]bool, len(got))})
			return nil
		})
	})
}

// inline reads a small bucket, which is stored inside its entry.
func (s *leafScan) inline(r record) error {
	const head = 16
	if len(r.value) < head+pageHead || native.Uint64(r.value) != 0 {
		return nil
	}
	return s.f.elements(r.value[head:], "bucket", func(key, value, _ []byte) error {
		s.know(record{key: key, value: value})
		return nil
	})
}

// know reports whether a row is recognized by its form, and keeps it if it is the best one of its
// key.
func (s *leafScan) know(r record) bool {
	if bytes.Equal(r.key, keyManifest) {
		var m manifest
		if json.Unmarshal(r.value, &m) == nil && (s.have == nil || m.Log >= s.have.Log) {
			s.own, s.have = bytes.Clone(r.value), &m
		}
		return true
	}
	if s.stray == nil {
		return false
	}
	t, rank := s.stray(r.key, r.value)
	if t == nil || t.Scattered() || !s.partial([]byte(t.Name)) {
		return false
	}
	if t.Checked && !s.partial(bucketSums) {
		return false
	}
	if s.known[t] == nil {
		s.known[t] = make(map[string]ranked)
	}
	if old, ok := s.known[t][string(r.key)]; !ok || rank >= old.rank {
		s.known[t][string(r.key)] = ranked{bytes.Clone(r.value), rank}
	}
	return !t.Checked
}

// summed returns the names of the checked tables.
func (s *leafScan) summed() (names [][]byte) {
	for _, i := range s.s.summed {
		names = append(names, []byte(s.s.tables[i].Name))
	}
	return names
}

// match finds out which values with the checksums exist, in the copy and in leaves.
func (s *leafScan) match() error {
	names := s.summed()
	err := s.to.View(func(tx *bbolt.Tx) error {
		for key, all := range s.sums {
			left := all[:0]
			for _, c := range all {
				fits := true
				for kind, name := range names {
					b := tx.Bucket(name)
					if b == nil {
						continue
					}
					if v := b.Get([]byte(key)); v != nil {
						c.found[kind] = sumOf(v) == c.sums[kind]
						fits = fits && c.found[kind]
					}
				}
				if fits {
					left = append(left, c)
				}
			}
			s.sums[key] = left
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.each(func(r record) error {
		if r.bucket {
			return nil
		}
		all := s.sums[string(r.key)]
		if len(all) == 0 {
			return nil
		}
		sum := sumOf(r.value)
		for i := range all {
			for kind, want := range all[i].sums {
				all[i].found[kind] = all[i].found[kind] || sum == want
			}
		}
		return nil
	})
	for key, all := range s.sums {
		best := -1
		for i := range all {
			if best < 0 || all[i].count() >= all[best].count() {
				best = i // of equal ones the one further back, which is mostly newer
			}
		}
		// Without the value of the first checked table, the other values are useless.
		if best < 0 || all[best].sums[0] != 0 && !all[best].found[0] {
			delete(s.sums, key)
			continue
		}
		s.sums[key] = []sumsFound{all[best]}
	}
	return err
}

// count returns how many values were found.
func (c *sumsFound) count() (n int) {
	for _, yes := range c.found {
		if yes {
			n++
		}
	}
	return n
}

// copyValues writes the values that have the chosen checksums, and these checksums. If the copy has
// the checksums already, only values that it lacks are written.
func (s *leafScan) copyValues() error {
	in := newFiller(s.to)
	for key, all := range s.sums {
		if err := in.put(bucketSums, []byte(key), all[0].sums.encode()); err != nil {
			return err
		}
	}
	if err := in.flush(); err != nil {
		return err
	}
	names := s.summed()
	err := s.each(func(r record) error {
		if r.bucket || len(r.value) == 0 {
			return nil
		}
		kind, err := s.lacks(names, r.key, sumOf(r.value))
		if err != nil || kind < 0 {
			return err
		}
		return in.put(names[kind], r.key, r.value)
	})
	return errors.Join(err, in.flush())
}

// lacks returns which of a key's values has a checksum; -1 if none has, or if the copy has that
// value.
func (s *leafScan) lacks(names [][]byte, key []byte, sum uint32) (kind int, err error) {
	kind = -1
	err = s.to.View(func(tx *bbolt.Tx) error {
		var b []byte
		if sums := tx.Bucket(bucketSums); sums != nil {
			b = sums.Get(key)
		}
		want, err := s.s.decodeSums(b)
		if err != nil {
			return nil
		}
		for i, name := range names {
			if b := tx.Bucket(name); want[i] == sum && (b == nil || b.Get(key) == nil) {
				kind = i
			}
		}
		return nil
	})
	return kind, err
}

// copyKnown writes the rows that their owner recognizes, and the list of files.
func (s *leafScan) copyKnown() error {
	in := newFiller(s.to)
	for t, rows := range s.known {
		for key, best := range rows {
			if err := in.put([]byte(t.Name), []byte(key), best.value); err != nil {
				return err
			}
		}
	}
	if s.have != nil && s.namesFiles() {
		if err := in.put(bucketOwn, keyManifest, s.own); err != nil {
			return err
		}
	}
	return in.flush()
}

// namesFiles reports whether the manifest that was found names exactly the sorted files that exist.
// An older one does not: then all files are used.
func (s *leafScan) namesFiles() bool {
	files, err := s.files()
	if err != nil || len(files) != len(s.have.Runs) {
		return false
	}
	for _, m := range s.have.Runs {
		if !files[m.File] {
			return false
		}
	}
	return true
}

func (s *leafScan) files() (map[string]bool, error) {
	entries, err := os.ReadDir(s.s.runsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := make(map[string]bool)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".run") {
			files[e.Name()] = true
		}
	}
	return files, nil
}

// copyLog writes the entries of the log that are not in the sorted files yet.
func (s *leafScan) copyLog() error {
	if !s.partial(bucketLog) {
		return nil
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	from := uint64(1)
	switch {
	case s.have != nil:
		from = s.have.Log + 1
	case len(files) > 0:
		from = 2 // with entry 1 the log has everything, and these files are useless: see logWhole
	}
	in := newFiller(s.to)
	err = s.each(func(r record) error {
		if r.bucket || len(r.key) != 8 || seqOf(r.key) < from || !s.s.isSlab(r.value) {
			return nil
		}
		return in.put(bucketLog, r.key, r.value)
	})
	return errors.Join(err, in.flush())
}

// isSlab reports whether a value is an entry of the log: it must have changes, all with keys of a
// scattered table.
func (s *Store) isSlab(b []byte) bool {
	slab, err := slabIn(b)
	if err != nil || slab.Len() == 0 {
		return false
	}
	for key := range slab.Keys() {
		if len(key) < 2 || !s.hasID(key[0]) {
			return false
		}
	}
	return true
}

func (s *Store) hasID(id byte) bool {
	for _, i := range s.sorted {
		if s.tables[i].ID == id {
			return true
		}
	}
	return false
}

// A filler adds records to a file if their keys are not in it yet, some thousands in a transaction.
type filler struct {
	to    *bbolt.DB
	batch []fill
	bytes int
}

type fill struct{ bucket, key, value []byte }

func newFiller(to *bbolt.DB) *filler { return &filler{to: to} }

func (f *filler) put(bucket, key, value []byte) error {
	f.batch = append(f.batch, fill{bucket, key, bytes.Clone(value)})
	f.bytes += len(value)
	if len(f.batch) == salvageChunk || f.bytes > 64<<20 {
		return f.flush()
	}
	return nil
}

func (f *filler) flush() error {
	if len(f.batch) == 0 {
		return nil
	}
	err := f.to.Update(func(tx *bbolt.Tx) error {
		for _, r := range f.batch {
			b, err := tx.CreateBucketIfNotExists(r.bucket)
			if err != nil {
				return err
			}
			if b.Get(r.key) != nil {
				continue
			}
			if err := b.Put(r.key, r.value); err != nil {
				return err
			}
		}
		return nil
	})
	f.batch, f.bytes = f.batch[:0], 0
	return err
}
