package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// write runs a step that becomes durable as a whole, and waits until it is. Steps run one
// after the other; an error of one is a fault of the store, never of the visit, and
// ends it.
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
		err = s.fault() // of what follows the commit
	}
	return err
}

// fault returns why the store has ended, though the tables did not: the gate could not
// write its files.
func (s *Store) fault() error {
	s.faultMu.Lock()
	defer s.faultMu.Unlock()
	return s.gateFault
}

// txnOf returns the commit that a transaction belongs to. Steps that share a commit share
// what it has in hand.
func (s *Store) txnOf(tx kv.Tx) *txn {
	if s.current == nil || s.current.tx != tx {
		s.current = s.begin(tx)
		tx.BeforeCommit(s.current.finish)
		tx.OnCommit(s.current.committed)
	}
	return s.current
}

// A txn is a commit on its way to the disk.
type txn struct {
	s  *Store
	tx kv.Tx

	urls map[weburl.Key]*urlRecord // changed, and not written yet

	state    jobState // as it will be
	changes  map[weburl.HostKey]*change
	settled  []*activeLease
	waiting  int64
	waitTill int64
}

func (s *Store) begin(tx kv.Tx) *txn {
	s.sched.mu.Lock()
	waiting, waitTill := s.sched.waiting, s.sched.waitTill
	s.sched.mu.Unlock()
	return &txn{
		s: s, tx: tx,
		urls:     make(map[weburl.Key]*urlRecord),
		state:    s.state.clone(),
		changes:  make(map[weburl.HostKey]*change),
		waiting:  waiting,
		waitTill: waitTill,
	}
}

// in returns the job as it is within the transaction.
func (t *txn) in() snapshot { return snapshot{t.tx} }

// finish writes what the batch changed as a whole: URLs, hosts and totals.
func (t *txn) finish() error {
	if t.s.rules != nil { // none: a repair
		if err := errors.Join(t.s.rules.Finish(t.tx), t.s.twins.Finish(t.tx)); err != nil {
			return err
		}
	}
	for k, rec := range t.urls {
		t.tx.Put(tableURLs, k[:], rec.encode())
	}
	t.state.Totals.Hosts = int64(t.s.sched.encode(t.changes, func(h weburl.HostKey, v []byte) { t.tx.Put(tableHosts, h[:], v) }))
	first, ok, err := kv.First(kv.All(t.tx, tableLater))
	if err != nil {
		return err
	}
	t.waitTill = 0
	if ok {
		t.waitTill = laterTime(first.Key)
	}
	t.state.Totals.Later = t.waiting
	now := time.Now()
	t.state.Active += now.Sub(t.s.lastCommit).Seconds()
	t.s.lastCommit = now
	b, err := json.Marshal(t.state)
	if err != nil {
		return fmt.Errorf("totals: %w", err)
	}
	t.tx.Put(tableMeta, keyState, b)
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
	s.sched.committed(t.changes, t.urls, t.settled, t.waiting, t.waitTill)
	if s.gate == nil { // a repair
		return
	}
	if err := s.gate.Commit(); err != nil { // what is durable stays so
		err = fmt.Errorf("gate: %w", s.advise(err))
		s.faultMu.Lock()
		s.gateFault = err
		s.faultMu.Unlock()
		s.failed(err)
	}
}

// failed tells those who wait for a URL that there will be none.
func (s *Store) failed(err error) {
	s.sched.mu.Lock()
	defer s.sched.mu.Unlock()
	s.sched.fail(err)
}

// A jobState is what changes with every commit.
type jobState struct {
	Totals  page.Totals `json:"totals"`
	Order   uint64      `json:"order"`  // of the URL discovered last
	Active  float64     `json:"active"` // seconds
	Stopped string      `json:"stopped,omitempty"`
	Again   *requeueing `json:"again,omitempty"` // never changed, but replaced

	Recrawled time.Time `json:"recrawled,omitzero"` // the last re-crawl began
	Recrawls  uint64    `json:"recrawls,omitempty"` // how many there were
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
