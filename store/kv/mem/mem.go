// Package mem keeps ordered tables in memory: a sorted map for each, whose snapshot is a copy
// that shares what does not change. Nothing outlives the store.
package mem

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"gatecrawl.example/gatecrawl/store/kv"
)

var _ kv.Store = (*Store)(nil)

// A Store is tables in memory.
type Store struct {
	tables []*kv.Table
	now    atomic.Pointer[snapshot] // what is committed

	mu    sync.Mutex // held by the one Update that runs
	ended error      // why there can be no more commits
}

type tree = btree.BTreeG[kv.Entry]

// A snapshot has a tree for each table. The trees never change.
type snapshot map[*kv.Table]*tree

// Open returns a store with these tables, which are empty.
func Open(tables []*kv.Table) (*Store, error) {
	if err := kv.Declared(tables); err != nil {
		return nil, err
	}
	now := make(snapshot, len(tables))
	for _, t := range tables {
		now[t] = btree.NewBTreeGOptions(func(a, b kv.Entry) bool { return bytes.Compare(a.Key, b.Key) < 0 }, btree.Options{NoLocks: true})
	}
	s := &Store{tables: slices.Clone(tables)}
	s.now.Store(&now)
	return s, nil
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, fn func(kv.Reader) error, only ...*kv.Table) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := *s.now.Load()
	if len(only) == 0 {
		return fn(now)
	}
	some := make(snapshot, len(only))
	for _, t := range only {
		some[t] = now[t]
	}
	return fn(some)
}

// Update implements kv.Store. Every call is a commit of its own.
func (s *Store) Update(ctx context.Context, fn func(kv.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return s.ended
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t := &tx{snapshot: make(snapshot, len(s.tables))}
	for table, rows := range *s.now.Load() {
		t.snapshot[table] = rows.Copy()
	}
	if s.ended = t.run(fn); s.ended != nil {
		return s.ended
	}
	s.now.Store(&t.snapshot)
	for _, f := range t.after {
		f()
	}
	return nil
}

// Check implements kv.Store: memory is taken to be as it was written.
func (s *Store) Check(ctx context.Context, _ func(error) error) error { return ctx.Err() }

// Close implements kv.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = kv.ErrClosed
	}
	return nil
}

func (s snapshot) rows(t *kv.Table) (*tree, error) {
	rows := s[t]
	if rows == nil {
		return nil, fmt.Errorf("table %s was not declared when the store, or the view, was opened", t.Name)
	}
	return rows, nil
}

// Get implements kv.Reader.
func (s snapshot) Get(t *kv.Table, key []byte) ([]byte, error) {
	rows, err := s.rows(t)
	if err != nil {
		return nil, err
	}
	e, _ := rows.Get(kv.Entry{Key: key})
	return e.Value, nil
}

// Scan implements kv.Reader.
func (s snapshot) Scan(t *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		rows, err := s.rows(t)
		if err != nil {
			yield(kv.Entry{}, err)
			return
		}
		rows.Ascend(kv.Entry{Key: from}, func(e kv.Entry) bool {
			return (to == nil || bytes.Compare(e.Key, to) < 0) && yield(e, nil)
		})
	}
}

// Falling implements kv.Reader.
func (s snapshot) Falling(t *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		rows, err := s.rows(t)
		if err == nil && t.Scattered() {
			err = kv.ErrScattered
		}
		if err != nil {
			yield(kv.Entry{}, err)
			return
		}
		each := func(e kv.Entry) bool {
			if to != nil && bytes.Compare(e.Key, to) >= 0 {
				return true // the pivot
			}
			return bytes.Compare(e.Key, from) >= 0 && yield(e, nil)
		}
		if to == nil {
			rows.Reverse(each)
		} else {
			rows.Descend(kv.Entry{Key: to}, each)
		}
	}
}

// A tx writes to trees of its own.
type tx struct {
	snapshot
	before []func() error
	after  []func()
	err    error // the first thing wrong with a Put
}

func (t *tx) run(fn func(kv.Tx) error) error {
	if err := fn(t); err != nil {
		return err
	}
	for len(t.before) > 0 && t.err == nil {
		f := t.before[0]
		t.before = t.before[1:]
		if err := f(); err != nil {
			return err
		}
	}
	return t.err
}

// frozen is the table as it is now: later writes do not affect a scan of it.
func (t *tx) frozen(table *kv.Table) snapshot {
	rows := t.snapshot[table]
	if rows == nil {
		return nil
	}
	return snapshot{table: rows.Copy()}
}

// Scan implements kv.Reader.
func (t *tx) Scan(table *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) { t.frozen(table).Scan(table, from, to)(yield) }
}

// Falling implements kv.Reader.
func (t *tx) Falling(table *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) { t.frozen(table).Falling(table, from, to)(yield) }
}

// Put implements kv.Tx.
func (t *tx) Put(table *kv.Table, key, value []byte) {
	rows, err := t.rows(table)
	if err == nil {
		err = table.Fits(key, value)
	}
	if err != nil {
		if t.err == nil {
			t.err = err
		}
		return
	}
	rows.Set(kv.Entry{Key: bytes.Clone(key), Value: append([]byte{}, value...)})
}

// Delete implements kv.Tx.
func (t *tx) Delete(table *kv.Table, key []byte) {
	rows, err := t.rows(table)
	if err != nil {
		t.err = err
		return
	}
	rows.Delete(kv.Entry{Key: key})
}

// BeforeCommit implements kv.Tx.
func (t *tx) BeforeCommit(fn func() error) { t.before = append(t.before, fn) }

// OnCommit implements kv.Tx.
func (t *tx) OnCommit(fn func()) { t.after = append(t.after, fn) }
