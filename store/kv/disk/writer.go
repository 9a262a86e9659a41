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

	// fullBatch is the number of functions for which a commit does not wait any longer. A commit
	// costs two syncs and some pages that change in each one.
	fullBatch = 64

	// pause is the longest time to wait for another function after the last one, if Options.Busy
	// says that there may be one: then both share the commit.
	pause = 10 * time.Millisecond

	// leastPause is the shortest pause, which is used while no function comes: the busy goroutines
	// may wait for a slow host, or for this very commit.
	leastPause = pause / 32

	// linger is how long the first function of a batch waits for others at most. Half the cost of a
	// commit with few functions is fixed.
	linger = 4 * pause
)

// MaxBatch is how many calls of Update can share a commit.
const MaxBatch = maxBatch

// An op is a function that was passed to Update.
type op struct {
	apply func(kv.Tx) error
	done  chan error // buffered; the commit's outcome
}

// writeLoop is the goroutine that writes. It ends when Close closes quit, after it has committed
// the functions that were passed in and folded the log, or when a commit fails.
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
			// What is not in a file is still in the log, so an error loses nothing.
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

// fail stores the error with which the writer ends, and reports it.
func (s *Store) fail(err error) {
	s.failedMu.Lock()
	s.failed = err
	s.failedMu.Unlock()
	if s.o.Failed != nil {
		s.o.Failed(err)
	}
}

// gather adds functions to a batch while others may still come: until the batch is full, nobody is
// busy, none has come for a pause, or the first has waited for linger. The next pause is half as
// long if a function has waited and remained alone, and twice as long after a larger batch.
func (s *Store) gather(batch []op) []op {
	var next *time.Timer
	var last time.Time // when the batch has to be committed
	defer func() {
		switch {
		case next == nil: // it need not wait
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
