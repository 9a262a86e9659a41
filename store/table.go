package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"go.etcd.io/bbolt"

	"gatecrawl/frontier"
	"gatecrawl/store/runs"
)

// The table has what comes in no order and in great number: hosts, URLs and the
// entries of the queue. Its files lie beside the bbolt file, which has its log
// (bucketLog, a slab for each commit) and its manifest: a commit of bbolt is a
// commit of both.
const dirRuns = "runs"

var (
	bucketLog = []byte("log")
	keyRuns   = []byte("runs") // in meta
)

// A key of the table begins with what it is a key of.
const (
	kindHost  = 'h' // then the host's key
	kindQueue = 'q' // then the host's key and the position
	kindURL   = 'u' // then the URL's key
)

func hostKey(h frontier.HostKey) []byte { return append([]byte{kindHost}, h[:]...) }
func urlKey(k frontier.Key) []byte      { return append([]byte{kindURL}, k[:]...) }
func queueOf(h frontier.HostKey) []byte { return append([]byte{kindQueue}, h[:]...) }
func hostIn(queueKey []byte) []byte     { return queueKey[1:7] }
func positionIn(queueKey []byte) []byte { return queueKey[7:] }
func urlOfEntry(k, tail []byte) (u frontier.Key) {
	copy(u[:6], hostIn(k))
	copy(u[6:], tail)
	return u
}

// filterPart is what the filters of the table's files know of a key: of a URL
// everything, of an entry of the queue the host.
func filterPart(key []byte) []byte {
	switch {
	case len(key) == 17 && key[0] == kindURL:
		return key
	case len(key) >= 7 && key[0] == kindQueue:
		return key[:7]
	case len(key) == 9: // of URL rules
		return key
	case len(key) == 25 && key[0] == kindLeft, len(key) == 17 && key[0] == kindAgree:
		return key[:9]
	}
	return nil
}

// A manifest says which files belong to the table.
type manifest struct {
	Runs []runs.Meta `json:"runs"`
	Log  uint64      `json:"log"` // entries of the log up to here are in the files
}

// openTable opens the files that the manifest names and replays the log.
func (s *Store) openTable(memory int) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		var m manifest
		if b := tx.Bucket(bucketMeta).Get(keyRuns); b != nil {
			if err := json.Unmarshal(b, &m); err != nil {
				return s.adviseTable(fmt.Errorf("manifest of the queue: %w", err))
			}
		}
		t, err := runs.Open(filepath.Join(s.dir, dirRuns), m.Runs, runs.Options{
			Memory: memory, Part: filterPart, ReadOnly: s.readOnly,
		})
		if err != nil {
			return s.adviseTable(fmt.Errorf("queue: %w", err))
		}
		s.table, s.logged = t, m.Log
		log := tx.Bucket(bucketLog)
		if log == nil {
			return nil
		}
		return log.ForEach(func(k, v []byte) error {
			slab, err := runs.ParseSlab(v)
			if err != nil {
				return s.adviseTable(fmt.Errorf("log of the queue, entry %d: %w", seqOf(k), err))
			}
			s.table.Apply(s.table.Fold(slab))
			s.logged = seqOf(k)
			return nil
		})
	})
}

// logPads is how many empty entries stand behind each slab of the log. A leaf of bbolt
// has at least two entries and is not split below five: without them each commit
// writes the two or three slabs before its own once more.
const logPads = 3

// logSlab writes what a commit does to the table into the log.
func (s *Store) logSlab(tx *bbolt.Tx, slab *runs.Slab) error {
	if slab.Len() == 0 {
		return nil
	}
	b := tx.Bucket(bucketLog)
	b.FillPercent = 1 // keys only ever grow
	k := seqKey(s.logged + 1)
	if err := b.Put(k, slab.Bytes()); err != nil {
		return fmt.Errorf("log: %w", err)
	}
	for pad := range byte(logPads) {
		if err := b.Put(append(k[:len(k):len(k)], pad), nil); err != nil {
			return fmt.Errorf("log: %w", err)
		}
	}
	return nil
}

// publish commits a transaction and what it does to the table, so that look sees
// both or none.
func (s *Store) publish(tx *bbolt.Tx, slab *runs.Slab) error {
	s.visible.Lock()
	defer s.visible.Unlock()
	var fold runs.Fold
	var folding sync.WaitGroup
	folding.Go(func() { fold = s.table.Fold(slab) }) // ends within publish; the disk takes as long
	err := tx.Commit()
	folding.Wait()
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if slab.Len() > 0 {
		s.logged++
		s.table.Apply(fold)
	}
	return nil
}

// spill begins to write a file when there is enough to write. While the last one
// is not finished the crawl waits for it here: memory and log are bounded.
func (s *Store) spill() error {
	for s.table.Full() && !s.table.Freeze(s.logged) {
		if err := s.install(<-s.table.Done()); err != nil {
			return err
		}
	}
	return nil
}

// install makes a finished file part of the job, and forgets what of the log is in it.
func (s *Store) install(c runs.Change) error {
	if err := s.table.Prepare(&c); err != nil {
		return err
	}
	err := s.db.Update(func(tx *bbolt.Tx) error {
		var m manifest
		if b := tx.Bucket(bucketMeta).Get(keyRuns); b != nil {
			if err := json.Unmarshal(b, &m); err != nil {
				return err
			}
		}
		m.Runs, m.Log = c.Runs, max(m.Log, c.Log)
		b, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketMeta).Put(keyRuns, b); err != nil {
			return err
		}
		return forget(tx.Bucket(bucketLog), m.Log)
	})
	if err != nil {
		return fmt.Errorf("manifest of the queue: %w", err)
	}
	s.table.Install(c)
	return nil
}

// forget deletes the log up to an entry.
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

// A glance is the job at one moment, to be read.
type glance struct {
	*bbolt.Tx
	table *runs.Reader
}

// look calls fn with the job as it is now.
func (s *Store) look(fn func(in glance) error) (err error) {
	s.visible.RLock()
	tx, err := s.db.Begin(false)
	if err != nil {
		s.visible.RUnlock()
		return err
	}
	in := glance{tx, s.reader()}
	s.visible.RUnlock()
	defer func() {
		in.table.Close()
		err = errors.Join(err, tx.Rollback())
	}()
	return fn(in)
}

// url reads a record; ok is false where the URL was never met.
func (in glance) url(k frontier.Key) (rec urlRecord, ok bool, err error) { return urlIn(in.table, k) }

func urlIn(t *runs.Reader, k frontier.Key) (rec urlRecord, ok bool, err error) {
	b, ok, err := t.Get(urlKey(k))
	if err != nil || !ok {
		return rec, false, err
	}
	if rec, err = decodeURL(b); err != nil {
		return rec, false, fmt.Errorf("url %s: %w", k, err)
	}
	return rec, true, nil
}

// reader returns the table as it is now.
func (s *Store) reader() *runs.Reader {
	t := s.table.Snapshot()
	defer t.Release()
	return t.Reader()
}

// A peek is the table at one moment, for the scheduler.
type peek struct{ table *runs.Reader }

func (s *Store) peek() queuePeek { return peek{s.reader()} }

func (p peek) release() { p.table.Close() }

func (p peek) url(k frontier.Key) (rec urlRecord, ok bool, err error) { return urlIn(p.table, k) }

func (p peek) heads(h frontier.HostKey, from position, limit int, skip func(frontier.Key) bool) (es []waiting, more bool, err error) {
	prefix := queueOf(h)
	err = p.table.Range(prefix, append(prefix[:len(prefix):len(prefix)], from[:]...), func(k, tail []byte) bool {
		u := urlOfEntry(k, tail)
		switch {
		case skip(u):
		case len(es) == limit:
			more = true
			return false
		default:
			es = append(es, waiting{position(positionIn(k)), [10]byte(tail)})
		}
		return true
	})
	return es, more, err
}

// A position is where an entry stands in its host's queue: by falling score, then
// by rising order.
type position [12]byte

func positionOf(score float32, order uint64) (p position) {
	binary.BigEndian.PutUint32(p[:], ^sortable(score))
	binary.BigEndian.PutUint64(p[4:], order)
	return p
}

func (p position) before(q position) bool { return bytes.Compare(p[:], q[:]) < 0 }

// A rough is the first half of a position's score: it stands before all positions that
// have it, and after those of a smaller one.
type rough uint16

func (p position) rough() rough { return rough(binary.BigEndian.Uint16(p[:])) }

func (r rough) position() (p position) {
	binary.BigEndian.PutUint16(p[:], uint16(r))
	return p
}

func (p position) score() float32 { return unsortable(^binary.BigEndian.Uint32(p[:])) }

// A waiting is an entry of a host's queue.
type waiting struct {
	at   position
	tail [10]byte // of the URL's key
}

func (w waiting) key(h frontier.HostKey) (k frontier.Key) {
	copy(k[:6], h[:])
	copy(k[6:], w.tail[:])
	return k
}

// queueKey sorts a host's entries by position.
func queueKey(host frontier.HostKey, score float32, order uint64) []byte {
	p := positionOf(score, order)
	return append(queueOf(host), p[:]...)
}

// versionBefore is the form of a job folder in which hosts, URLs and queue were
// buckets of the bbolt file.
const versionBefore = 1

// upgrade moves what a job of the version before has in buckets into the table. It
// changes nothing but the table until all is moved, so it can be done again after a
// crash. A job that is opened for inspection is moved in memory.
func (s *Store) upgrade() error {
	const chunk = 100_000
	for _, kind := range []struct {
		bucket string
		kind   byte
	}{{"hosts", kindHost}, {"urls", kindURL}, {"queue", kindQueue}} {
		var from []byte
		for more := true; more; {
			var b runs.Batch
			err := s.db.View(func(tx *bbolt.Tx) error {
				old := tx.Bucket([]byte(kind.bucket))
				if old == nil {
					return fmt.Errorf("there is no bucket %s", kind.bucket)
				}
				c := old.Cursor()
				k, v := c.Seek(from)
				for ; k != nil && b.Len() < chunk; k, v = c.Next() {
					b.Put(append([]byte{kind.kind}, k...), v)
				}
				more, from = k != nil, bytes.Clone(k)
				return nil
			})
			if err != nil {
				return err
			}
			if err := s.applyAll(&b); err != nil {
				return err
			}
		}
	}
	if s.readOnly {
		return nil
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{"hosts", "urls", "queue"} {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		s.job.Version = Version
		b, err := json.Marshal(s.job)
		if err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Put(keyJob, b)
	})
}

// applyAll makes a batch durable by itself.
func (s *Store) applyAll(b *runs.Batch) error {
	slab := b.Slab()
	if s.readOnly {
		s.table.Apply(s.table.Fold(slab))
		return nil
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.CreateBucketIfNotExists(bucketLog); err != nil {
		return err
	}
	if err := s.logSlab(tx, slab); err != nil {
		return err
	}
	if err := s.publish(tx, slab); err != nil {
		return err
	}
	return s.spill()
}
