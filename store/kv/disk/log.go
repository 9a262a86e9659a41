package disk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/s2"
	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// The rows of scattered tables are stored in one sorted table, each key preceded by its table's
// id. Its files are next to the bbolt file, which has its log, a slab for each commit, and its
// manifest.
const dirRuns = "runs"

// A manifest says which files belong to the scattered tables.
type manifest struct {
	Runs []runs.Meta `json:"runs"`
	Log  uint64      `json:"log"` // entries of the log up to here are in the files
}

// manifestIn reads the manifest; found is false if no file was ever written.
func manifestIn(btx *bbolt.Tx) (m manifest, found bool, err error) {
	b := btx.Bucket(bucketOwn).Get(keyManifest)
	if b == nil {
		return m, false, nil
	}
	return m, true, json.Unmarshal(b, &m)
}

func (m manifest) put(btx *bbolt.Tx) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return btx.Bucket(bucketOwn).Put(keyManifest, b)
}

func seqKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
func seqOf(k []byte) uint64  { return binary.BigEndian.Uint64(k) }

func (s *Store) runsDir() string { return runsBeside(s.path) }

func runsBeside(path string) string { return filepath.Join(filepath.Dir(path), dirRuns) }

// runsOptions are the options of the sorted files.
func (s *Store) runsOptions() runs.Options {
	var filter [256]int // by id of the table: how many bytes of a key are in filters
	for _, i := range s.sorted {
		if t := s.tables[i]; t.Filter > 0 {
			filter[t.ID] = 1 + t.Filter
		}
	}
	return runs.Options{Memory: s.o.Memory, ReadOnly: s.o.ReadOnly, Files: s.o.files, Part: func(key []byte) []byte {
		if len(key) == 0 {
			return nil
		}
		if n := filter[key[0]]; n > 0 && len(key) >= n {
			return key[:n]
		}
		return nil
	}}
}

// openTable opens the files that the manifest names and replays the log.
func (s *Store) openTable() error {
	damaged := func(format string, args ...any) error { return &kv.DamageError{Err: fmt.Errorf(format, args...)} }
	return s.db.View(func(btx *bbolt.Tx) error {
		m, _, err := manifestIn(btx)
		if err != nil {
			return damaged("list of the files in %s: %w", s.runsDir(), err)
		}
		if s.table, err = runs.Open(s.runsDir(), m.Runs, s.runsOptions()); err != nil {
			return damaged("scattered tables: %w", err)
		}
		s.logged = m.Log
		return btx.Bucket(bucketLog).ForEach(func(k, v []byte) error {
			slab, err := slabIn(v)
			if err != nil || len(k) < 8 {
				return damaged("log of scattered tables, entry %x: %w", k, err)
			}
			s.table.Apply(s.table.Fold(slab))
			s.logged = seqOf(k)
			return nil
		})
	})
}

// packedSlab is the first byte of an entry of the log that is compressed as an S2 block; a plain
// slab starts with 0, the length of what its first key shares with the previous one. The rows of a
// commit repeat hosts, paths and anchors, so compression halves the log and each sync.
const packedSlab = 1

// maxSlab bounds the size of an entry of the log, since a damaged one may claim any.
const maxSlab = 1 << 30

func packSlab(slab *runs.Slab) []byte {
	plain := slab.Bytes()
	room := make([]byte, 1+s2.MaxEncodedLen(len(plain)))
	room[0] = packedSlab
	return room[:1+len(s2.Encode(room[1:], plain))]
}

// slabIn decodes an entry of the log. In older files slabs are not compressed.
func slabIn(b []byte) (*runs.Slab, error) {
	if len(b) == 0 || b[0] != packedSlab {
		return runs.ParseSlab(b)
	}
	n, err := s2.DecodedLen(b[1:])
	if err == nil && n > maxSlab {
		err = s2.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	plain, err := s2.Decode(nil, b[1:])
	if err != nil {
		return nil, err
	}
	return runs.ParseSlab(plain)
}

// logPads is how many empty entries follow each slab of the log. bbolt does not split a leaf of
// fewer than five entries: without the empty ones each commit would write the two or three slabs
// before its own again.
const logPads = 3

// logSlab appends the changes of a commit to scattered tables to the log.
func (s *Store) logSlab(btx *bbolt.Tx, slab *runs.Slab) error {
	if slab.Len() == 0 {
		return nil
	}
	b := btx.Bucket(bucketLog)
	b.FillPercent = 1 // keys only grow
	k := seqKey(s.logged + 1)
	if err := b.Put(k, packSlab(slab)); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for pad := range byte(logPads) {
		if err := b.Put(append(k[:len(k):len(k)], pad), nil); err != nil {
			return fmt.Errorf("log: %w", err)
		}
	}
	return nil
}

// publish commits a transaction of bbolt together with its changes to the scattered tables, so that
// snapshots see both or neither. It holds no lock while the disk works: a snapshot that already
// finds the new pages of bbolt also uses the rows of the commit under way.
func (s *Store) publish(btx *bbolt.Tx, slab *runs.Slab) error {
	next := &version{id: btx.ID(), ready: make(chan struct{})}
	s.mu.Lock()
	s.next = next
	s.mu.Unlock()
	var fold runs.Fold
	var folding sync.WaitGroup
	folding.Go(func() { // ends within publish; the disk takes as long
		fold = s.table.Fold(slab)
		next.rows = s.table.With(fold)
		close(next.ready)
	})
	s.watched(false)
	err := btx.Commit()
	folding.Wait()
	if err == nil {
		s.watched(true)
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err) // snapshots may still see either state, so next stays
	}
	s.mu.Lock()
	if slab.Len() > 0 {
		s.logged++
		s.table.Apply(fold)
	}
	s.next = nil
	s.mu.Unlock()
	next.rows.Release()
	return nil
}

func (s *Store) watched(durable bool) {
	if s.o.watch != nil {
		s.o.watch(durable)
	}
}

// spill starts to write a file if there is enough to write. If the last file is not finished yet,
// the writer waits for it here: this bounds memory and log.
func (s *Store) spill() error {
	for s.table.Full() && !s.table.Freeze(s.logged) {
		if err := s.install(<-s.table.Done()); err != nil {
			return err
		}
	}
	return nil
}

// leastFold is the share of Options.Memory, as a divisor, from which it is worth writing a file
// when a store is closed. Less is replayed in some milliseconds.
const leastFold = 64

// foldLog writes what the next Open would have to replay to a file.
func (s *Store) foldLog() error {
	if s.table.Unwritten() < cmp.Or(s.o.Memory, DefaultMemory)/leastFold {
		return nil
	}
	for !s.table.Freeze(s.logged) || s.table.Unwritten() > 0 {
		if err := s.install(<-s.table.Done()); err != nil {
			return err
		}
	}
	return nil
}

// install makes a finished file part of the store, and deletes the log entries that it has.
func (s *Store) install(c runs.Change) error {
	if err := s.table.Prepare(&c); err != nil {
		return err
	}
	err := s.change(func(btx *bbolt.Tx) error {
		m, _, err := manifestIn(btx)
		if err != nil {
			return err
		}
		m.Runs, m.Log = c.Runs, max(m.Log, c.Log)
		if err := m.put(btx); err != nil {
			return err
		}
		return forget(btx.Bucket(bucketLog), m.Log)
	})
	if err != nil {
		return fmt.Errorf("list of the files in %s: %w", s.runsDir(), err)
	}
	s.table.Install(c)
	return nil
}

// change commits a change that does not concern a table.
func (s *Store) change(fn func(*bbolt.Tx) error) error {
	btx, err := s.db.Begin(true)
	if err != nil {
		return err
	}
	defer btx.Rollback() // does nothing once it is committed
	if err := fn(btx); err != nil {
		return err
	}
	return s.publish(btx, new(runs.Slab))
}

// forget deletes the entries of the log up to one.
func forget(log *bbolt.Bucket, upTo uint64) error {
	var old [][]byte
	c := log.Cursor()
	for k, _ := c.First(); k != nil && seqOf(k) <= upTo; k, _ = c.Next() {
		old = append(old, bytes.Clone(k))
	}
	for _, k := range old {
		if err := log.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
