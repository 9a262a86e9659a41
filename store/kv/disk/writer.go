package disk

import (
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/store/kv"
)

const (
	// maxBatch bounds how many functions share a commit, and with it the memory that a
	// transaction takes.
	maxBatch = 512

	// fullBatch is how many functions are worth a commit of their own. A commit costs
	// two syncs and some pages that change in every one.
	fullBatch = 64

	// pause is how long after a function came the next one is waited for at most while
	// Options.Busy says that there may be some: then it shares the commit.
	pause = 10 * time.Millisecond

	// leastPause is the shortest pause, used when no function comes in: the busy goroutines may
	// wait for a slow host, or for this very commit.
	leastPause = pause / 32

	// linger is how long the first function of a batch waits for others at most. Half of what a
	// commit of few functions costs is fixed.
	linger = 4 * pause
)

// MaxBatch is how many calls of Update share a commit at most.
const MaxBatch = maxBatch

// An op is a function that was handed to Update.
type op struct {
	apply func(kv.Tx) error
	done  chan error // buffered; the commit's outcome
}

// writeLoop is the one writer. It ends when Close closes quit, after it has committed
// what was handed in and folded the log, or when a commit fails.
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
			// What is not in a file is still in the log: an error loses nothing.
			_ = s.foldLog()
			return
		}
		if err != nil {
			s.fail(err)
		}
		for _, o := range batch {
			o.done <- err
		}
		if err == nil {
			if err = s.spill(); err != nil {
				s.fail(err)
			}
		}
		if err != nil {
			return
		}
	}
}

// fail remembers why the writer ends, and tells it.
func (s *Store) fail(err error) {
	s.failedMu.Lock()
	s.failed = err
	s.failedMu.Unlock()
	if s.o.Failed != nil {
		s.o.Failed(err)
	}
}

// gather adds to a batch the functions that come in while others may still come: until the
// batch is worth a commit, or no one is busy, or none came for a pause, or the first has waited
// for linger. A pause is half as long after a function that waited and remained alone, and
// twice as long after a larger batch.
func (s *Store) gather(batch []op) []op {
	var next *time.Timer
	var last time.Time // when the batch is late
	defer func() {
		switch {
		case next == nil: // it did not wait
		case len(batch) > 1:
			s.pause = min(2*s.pause, pause)
		default:
			s.pause = max(s.pause/2, leastPause)
		}
	}()
	for len(batch) < maxBatch {
		select {
		case o := <-s.ops:
			batch = append(batch, o)
			continue
		default:
		}
		if len(batch) >= fullBatch || s.o.Busy == nil || !s.o.Busy() {
			return batch
		}
		wait := s.pause
		if next == nil {
			next, last = time.NewTimer(wait), time.Now().Add(linger)
			defer next.Stop()
		} else if wait = min(wait, time.Until(last)); wait <= 0 {
			return batch
		} else {
			next.Reset(wait)
		}
		select {
		case o := <-s.ops:
			batch = append(batch, o)
		case <-next.C:
			return batch
		}
	}
	return batch
}

// commit makes a batch durable in one transaction.
func (s *Store) commit(batch []op) error {
	btx, err := s.db.Begin(true)
	if err != nil {
		return fmt.Errorf("start of a transaction: %w", err)
	}
	defer btx.Rollback() // does nothing once it is committed
	t := s.newTx(btx, s.table.Snapshot())
	defer t.letGo()
	for _, o := range batch {
		if err := t.run(o.apply); err != nil {
			return err
		}
	}
	if err := t.finish(); err != nil {
		return err
	}
	if t.changed() || t.mark != nil {
		slab, err := t.write()
		if err != nil {
			return err
		}
		if err := s.logSlab(btx, slab); err != nil {
			return err
		}
		if err := s.keep(btx, t); err != nil {
			return err
		}
		if err := s.publish(btx, slab); err != nil {
			return err
		}
	}
	for _, fn := range t.after {
		fn()
	}
	return nil
}
