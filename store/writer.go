package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/frontier"
	"gatecrawl/purify"
	"gatecrawl/store/runs"
)

const (
	// maxBatch bounds how many operations share a commit, and with it the
	// memory that a transaction takes.
	maxBatch = 512

	// fullBatch is how many operations are worth a commit of their own. A
	// commit costs two syncs and some pages that change in every one.
	fullBatch = 64

	// resident is how long pages of the mapped file that were read stay in the process.
	resident = time.Second / 4

	// linger is how long an operation waits for others to share its commit
	// while pages are being worked on.
	linger = 4 * time.Millisecond
)

// errClosed is what operations get after Close.
var errClosed = errors.New("store is closed")

// An op is one step that becomes durable as a whole. Its apply runs in the
// writer's goroutine; an error of apply is a fault of the store, never of the
// visit, and ends the writer.
type op struct {
	apply func(*txn) error
	done  chan error // buffered; the commit's outcome
}

// write hands an operation to the writer and waits until it is durable.
func (s *Store) write(apply func(*txn) error) error {
	if s.readOnly {
		return errReadOnly
	}
	o := op{apply, make(chan error, 1)}
	select {
	case s.ops <- o:
		return <-o.done
	case <-s.stopped:
		return s.failure()
	}
}

// failure returns why the writer has ended.
func (s *Store) failure() error {
	s.failedMu.Lock()
	defer s.failedMu.Unlock()
	if s.failed == nil {
		return errClosed
	}
	return s.failed
}

// writeLoop is the one writer. It ends when Close closes quit, after it has
// committed what was handed in, or when a commit fails.
func (s *Store) writeLoop() {
	defer close(s.stopped)
	batch := make([]op, 0, maxBatch)
	for {
		batch = batch[:0]
		var err error
		select {
		case o := <-s.ops:
			batch = s.gather(append(batch, o))
			err = s.commit(batch)
		case c := <-s.table.Done():
			err = s.install(c)
		case <-s.quit:
			return
		}
		for _, o := range batch {
			o.done <- err
		}
		if err == nil {
			err = s.spill()
		}
		if now := time.Now(); now.Sub(s.gaveBack) > resident {
			s.gaveBack = now
			giveBackPages(s.db, s.mapped)
		}
		if err != nil {
			s.failedMu.Lock()
			s.failed = err
			s.failedMu.Unlock()
			s.sched.mu.Lock()
			s.sched.fail(err)
			s.sched.mu.Unlock()
			return
		}
	}
}

// gather adds to a batch what is handed in while others may still come: until
// it is worth a commit, or nobody works on a page, or the first has waited for
// linger.
func (s *Store) gather(batch []op) []op {
	var late <-chan time.Time
	for len(batch) < maxBatch {
		select {
		case o := <-s.ops:
			batch = append(batch, o)
			continue
		default:
		}
		if len(batch) >= fullBatch || s.sched.working() == 0 {
			return batch
		}
		if late == nil {
			t := time.NewTimer(linger)
			defer t.Stop()
			late = t.C
		}
		select {
		case o := <-s.ops:
			batch = append(batch, o)
		case <-late:
			return batch
		}
	}
	return batch
}

// commit makes a batch durable in one transaction and brings the scheduler up
// to date.
func (s *Store) commit(batch []op) error {
	tx, err := s.db.Begin(true)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback()
	s.mapped = tx.Size()
	t := s.begin(tx)
	defer t.table.Close()
	for _, o := range batch {
		if err := o.apply(t); err != nil {
			return err
		}
	}
	slab, err := t.finish()
	if err != nil {
		return err
	}
	if err := s.publish(tx, slab); err != nil {
		return err
	}
	s.texts.committed()
	s.stateMu.Lock()
	s.state = t.state
	s.stateMu.Unlock()
	s.templates.committed(&t.learned)
	s.mirrors.committed(t)
	s.sched.committed(t.changes, t.urls, t.settled, t.waiting, t.waitTill)
	if err := s.gate.Commit(); err != nil { // what is durable stays so
		return fmt.Errorf("gate: %w", s.advise(err))
	}
	return nil
}

// A txn is a batch on its way to the disk.
type txn struct {
	s  *Store
	tx *bbolt.Tx

	later, votes, groups                       *bbolt.Bucket
	pages, signatures, views, bodies, outlinks *summedBucket

	table *runs.Reader // as it was before the batch
	batch *runs.Batch  // what the batch does to it, but for urls
	urls  map[frontier.Key]*urlRecord

	sums     map[uint64]*sums
	state    jobState // as it will be
	changes  map[frontier.HostKey]*change
	settled  []*lent
	waiting  int64
	waitTill int64
	learned  learned
	dust     written

	mirrored  map[frontier.HostKey]*mirrorRecord // what the batch learned of mirrors
	reopening map[frontier.HostKey]frontier.Key
}

// fullPages is for buckets whose keys only ever grow.
const fullPages = 0.95

func (s *Store) begin(tx *bbolt.Tx) *txn {
	s.sched.mu.Lock()
	waiting, waitTill := s.sched.waiting, s.sched.waitTill
	s.sched.mu.Unlock()
	s.batch.Reset()
	t := &txn{
		s: s, tx: tx,
		table: s.reader(), batch: &s.batch, urls: make(map[frontier.Key]*urlRecord),
		later: tx.Bucket(bucketLater), votes: tx.Bucket(bucketVotes), groups: tx.Bucket(bucketGroups),
		sums:     make(map[uint64]*sums),
		state:    s.state.clone(),
		changes:  make(map[frontier.HostKey]*change),
		waiting:  waiting,
		waitTill: waitTill,
		learned:  learned{templates: make(map[frontier.HostKey]*purify.Template)},

		mirrored: make(map[frontier.HostKey]*mirrorRecord), reopening: s.mirrors.reopening,
	}
	from := tx.Bucket(bucketSums)
	for kind, b := range []**summedBucket{&t.pages, &t.signatures, &t.views, &t.bodies, &t.outlinks} {
		*b = &summedBucket{tx.Bucket(summedBuckets[kind]), kind, t.sums, from}
		(*b).FillPercent = fullPages
	}
	from.FillPercent, t.groups.FillPercent = fullPages, fullPages
	return t
}

// finish writes what the batch changed as a whole: checksums, URLs, hosts and totals.
// It returns what the batch does to the table.
func (t *txn) finish() (*runs.Slab, error) {
	if err := errors.Join(t.finishRules(), t.finishMirrors()); err != nil {
		return nil, err
	}
	if err := t.putSums(); err != nil {
		return nil, err
	}
	for k, rec := range t.urls {
		t.batch.Put(urlKey(k), rec.encode())
	}
	t.state.Totals.Hosts = int64(t.s.sched.encode(t.changes, t.batch.Put))
	t.waitTill = 0
	if k, _ := t.later.Cursor().First(); k != nil {
		t.waitTill = laterTime(k)
	}
	t.state.Totals.Later = t.waiting
	now := time.Now()
	t.state.Active += now.Sub(t.s.lastCommit).Seconds()
	t.s.lastCommit = now
	b, err := json.Marshal(t.state)
	if err != nil {
		return nil, fmt.Errorf("totals: %w", err)
	}
	if err := t.tx.Bucket(bucketMeta).Put(keyState, b); err != nil {
		return nil, fmt.Errorf("totals: %w", err)
	}
	slab := t.batch.Slab()
	return slab, t.s.logSlab(t.tx, slab)
}

// A jobState is what changes with every commit.
type jobState struct {
	Totals  gatecrawl.Totals `json:"totals"`
	Order   uint64           `json:"order"`  // of the URL discovered last
	Active  float64          `json:"active"` // seconds
	Stopped string           `json:"stopped,omitempty"`
	Again   *requeueing      `json:"again,omitempty"` // never changed, but replaced

	Recrawled time.Time `json:"recrawled,omitzero"` // the last re-crawl began
}

// clone copies the counts by name too.
func (j jobState) clone() jobState {
	for _, m := range []*map[string]int64{
		&j.Totals.Levels, &j.Totals.Classes, &j.Totals.Rules, &j.Totals.Reasons, &j.Totals.Statuses,
		&j.Totals.Mirrors, &j.Totals.Avoided,
	} {
		c := make(map[string]int64, len(*m)+1)
		for k, v := range *m {
			c[k] = v
		}
		*m = c
	}
	return j
}
