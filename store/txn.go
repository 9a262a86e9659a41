package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// write runs a step that becomes durable as a whole, and waits until it is. Steps run one after the
// other; an error in one is a fault of the store, never of the visit, and ends the store.
func (s *Store) write(apply func(*txn) error) error {
	if s.readOnly {
		return errReadOnly
	}
	err := s.kv.Update(context.Background(), func(tx kv.Tx) error {
		if err := s.fault(); err != nil {
			return err
		}
		return apply(s.txnOf(tx))
	})
	if err == nil {
		err = s.fault() // an error after the commit
	}
	return err
}

// fault returns why the store has ended although the tables have not: the gate could not write its
// files.
func (s *Store) fault() error {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	return s.gateFault
}

// txnOf returns the commit that a transaction belongs to. Steps that share a commit share its
// txn.
func (s *Store) txnOf(tx kv.Tx) *txn {
	if s.current == nil || s.current.tx != tx {
		s.current = s.start(tx)
		tx.BeforeCommit(s.current.finish)
		tx.OnCommit(s.current.committed)
	}
	return s.current
}

// A txn is a commit under way.
type txn struct {
	s  *Store
	tx kv.Tx

	queue *queue.Tx

	state job.State // the state after the commit
}

func (s *Store) start(tx kv.Tx) *txn {
	t := &txn{
		s: s, tx: tx,
		queue: s.queue.Begin(tx, s.state.Order),
		state: s.state.Clone(),
	}
	t.queue.Recrawl = t.state.Recrawls > 0
	return t
}

// in returns the job as changed by the transaction.
func (t *txn) in() snapshot { return snapshot{Reader: t.tx} }

// finish writes what the commit has changed as a whole: URLs, hosts and totals.
func (t *txn) finish() error {
	if t.s.rules != nil { // nil during a repair
		if err := errors.Join(t.s.rules.Finish(t.tx), t.s.twins.Finish(t.tx)); err != nil {
			return err
		}
		now := time.Now()
		t.state.Active += now.Sub(t.s.lastCommit).Seconds()
		t.s.lastCommit = now
	}
	if err := t.finishQueue(); err != nil {
		return err
	}
	if err := t.finishMail(); err != nil {
		return err
	}
	end, err := t.s.archive.Sync(t.state.Segments)
	if err != nil {
		return err
	}
	t.state.Segments = end
	b, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("totals: %w", err)
	}
	t.tx.Put(job.TableMeta, job.KeyState, b)
	return nil
}

// finishQueue writes what has become of the queue, and counts it.
func (t *txn) finishQueue() error {
	hosts, err := t.queue.Finish()
	if err != nil {
		return err
	}
	n, c := &t.state.Totals, &t.queue.Counts
	n.Hosts, n.Later = int64(hosts), t.queue.Waiting()
	n.Seen += c.Seen
	n.Queued += c.Queued
	for rule, refused := range c.Refused {
		if n.Rules[rule] += refused; n.Rules[rule] == 0 {
			delete(n.Rules, rule)
		}
	}
	t.state.Order = t.queue.Order()
	return nil
}

// committed brings what is in memory up to date with the tables.
func (t *txn) committed() {
	s := t.s
	s.current = nil
	s.texts.committed()
	s.stateMu.Lock()
	s.state = t.state
	s.stateMu.Unlock()
	t.queue.Committed()
	if s.gate == nil { // a repair, or a partition
		return
	}
	if err := s.gate.Commit(); err != nil { // what is durable stays so
		err = fmt.Errorf("gate: %w", s.advise(err))
		s.faultMu.Lock()
		s.gateFault = err
		s.faultMu.Unlock()
		s.queue.Fail(err)
	}
}
