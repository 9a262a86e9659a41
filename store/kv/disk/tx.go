package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/tidwall/btree"
	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// A reader reads the store as it is after a commit.
type reader struct {
	s       *Store
	tx      *bbolt.Tx      // nil: only scattered tables are read
	rows    *runs.Snapshot // nil: the store is being created
	row     *runs.Reader   // a reader of rows; nil until it is used
	buckets []bucket
	key     []byte // key of a scattered table, with its id
}

// A bucket is that of a table, with the cursor of Get, which keeps the memory for its way down.
type bucket struct {
	*bbolt.Bucket // nil: not opened yet
	cursor        *bbolt.Cursor
}

func (s *Store) newReader(btx *bbolt.Tx, rows *runs.Snapshot) *reader {
	return &reader{s: s, tx: btx, rows: rows, buckets: make([]bucket, len(s.tables))}
}

// letGo releases the sorted files.
func (r *reader) letGo() {
	if r.row != nil {
		r.row.Close()
	}
	if r.rows != nil {
		r.rows.Release()
	}
}

// release ends a view.
func (r *reader) release() error {
	r.letGo()
	if r.tx == nil {
		return nil
	}
	return r.tx.Rollback()
}

// find returns the number of a table.
func (r *reader) find(t *kv.Table) (int, error) {
	i, ok := r.s.number[t]
	if !ok {
		return 0, fmt.Errorf("table %s was not declared when the store was opened", t.Name)
	}
	return i, nil
}

// bucket returns the bucket of a table that is not scattered.
func (r *reader) bucket(i int) (*bbolt.Bucket, error) {
	if r.buckets[i].Bucket == nil {
		name := r.s.tables[i].Name
		if r.tx == nil {
			return nil, fmt.Errorf("table %s is not one of those that the view was opened with", name)
		}
		b := r.tx.Bucket([]byte(name))
		if b == nil {
			if r.s.o.ReadOnly { // the table is new in this version of the program and has no rows
				return nil, nil
			}
			return nil, &kv.DamageError{Err: fmt.Errorf("table %s of %s is not there", name, r.s.path)}
		}
		r.buckets[i].Bucket = b
	}
	return r.buckets[i].Bucket, nil
}

// sorted returns a reader of the scattered tables; nil if these have no rows.
func (r *reader) sorted() *runs.Reader {
	if r.row == nil && r.rows != nil {
		r.row = r.rows.Reader()
	}
	return r.row
}

// Get implements kv.Reader.
func (r *reader) Get(t *kv.Table, key []byte) ([]byte, error) {
	i, err := r.find(t)
	if err != nil {
		return nil, err
	}
	return r.get(i, t, key)
}

func (r *reader) get(i int, t *kv.Table, key []byte) ([]byte, error) {
	if t.Scattered() {
		rows := r.sorted()
		if rows == nil {
			return nil, nil
		}
		r.key = append(append(r.key[:0], t.ID), key...)
		v, ok, err := rows.Get(r.key)
		if err != nil || !ok {
			return nil, damaged(err)
		}
		return v, nil
	}
	b, err := r.bucket(i)
	if err != nil || b == nil || len(key) == 0 {
		return nil, err
	}
	c := &r.buckets[i].cursor
	if *c == nil {
		*c = b.Cursor()
	}
	if found, v := (*c).Seek(key); bytes.Equal(found, key) {
		return v, nil
	}
	return nil, nil
}

// Scan implements kv.Reader.
func (r *reader) Scan(t *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		i, err := r.find(t)
		switch {
		case err != nil:
			yield(kv.Entry{}, err)
		case t.Scattered():
			r.scanSorted(t, from, to, yield)
		default:
			r.scanBucket(i, from, to, yield)
		}
	}
}

func (r *reader) scanSorted(t *kv.Table, from, to []byte, yield func(kv.Entry, error) bool) {
	rows := r.sorted()
	if rows == nil {
		return
	}
	prefix := kv.CommonPrefix(from, to)
	start := append([]byte{t.ID}, from...)
	bounded := len(prefix) == 0 || !bytes.Equal(to, kv.After(prefix))
	err := rows.Range(start[:1+len(prefix)], start, func(key, value []byte) bool {
		key = key[1:]
		if bounded && to != nil && bytes.Compare(key, to) >= 0 {
			return false
		}
		return yield(kv.Entry{Key: key, Value: value}, nil)
	})
	if err != nil {
		yield(kv.Entry{}, damaged(err))
	}
}

func (r *reader) scanBucket(i int, from, to []byte, yield func(kv.Entry, error) bool) {
	b, err := r.bucket(i)
	if err != nil {
		yield(kv.Entry{}, err)
	}
	if b == nil {
		return
	}
	c := b.Cursor()
	for k, v := c.Seek(from); k != nil && (to == nil || bytes.Compare(k, to) < 0); k, v = c.Next() {
		if !yield(kv.Entry{Key: k, Value: v}, nil) {
			return
		}
	}
}

// Falling implements kv.Reader.
func (r *reader) Falling(t *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		i, err := r.find(t)
		if err == nil && t.Scattered() {
			err = kv.ErrScattered
		}
		var b *bbolt.Bucket
		if err == nil {
			b, err = r.bucket(i)
		}
		if err != nil {
			yield(kv.Entry{}, err)
		}
		if b == nil {
			return
		}
		c := b.Cursor()
		var k, v []byte
		if to != nil {
			k, _ = c.Seek(to)
		}
		if k == nil {
			k, v = c.Last()
		}
		if to != nil && k != nil && bytes.Compare(k, to) >= 0 {
			k, v = c.Prev()
		}
		for ; k != nil && bytes.Compare(k, from) >= 0; k, v = c.Prev() {
			if !yield(kv.Entry{Key: k, Value: v}, nil) {
				return
			}
		}
	}
}

// damaged converts an error of a sorted file to a *kv.DamageError.
func damaged(err error) error {
	if d, ok := errors.AsType[*runs.DamageError](err); ok {
		return &kv.DamageError{Err: d}
	}
	return err
}

// A tx is a transaction that becomes a commit. What it writes stays in memory until all functions
// have run, so that the transaction of bbolt still has the rows from before.
type tx struct {
	*reader
	pending []*changes // by table; nil: none
	before  []func() error
	after   []func()
	mark    []byte // mark of changes that come from a journal
	err     error  // first error of a Put
}

// A change is a new value of a key; nil deletes the key.
type change struct {
	head  uint64 // first bytes of the key, next to each other in memory: comparing them is mostly enough
	key   []byte
	value []byte
}

func changeOf(key, value []byte) change {
	if len(key) >= 8 {
		return change{binary.BigEndian.Uint64(key), key, value}
	}
	var head [8]byte
	copy(head[:], key)
	return change{binary.BigEndian.Uint64(head[:]), key, value}
}

type changes = btree.BTreeG[change]

func newChanges() *changes {
	return btree.NewBTreeGOptions(func(a, b change) bool {
		if a.head != b.head {
			return a.head < b.head
		}
		return bytes.Compare(a.key, b.key) < 0
	}, btree.Options{NoLocks: true})
}

func (s *Store) newTx(btx *bbolt.Tx, rows *runs.Snapshot) *tx {
	s.keys.reset()
	return &tx{reader: s.newReader(btx, rows), pending: make([]*changes, len(s.tables))}
}

// run calls a function that was passed to Update.
func (t *tx) run(fn func(kv.Tx) error) error {
	if err := fn(t); err != nil {
		return err
	}
	return t.err
}

// finish calls the functions that were passed to BeforeCommit.
func (t *tx) finish() error {
	for len(t.before) > 0 {
		fn := t.before[0]
		t.before = t.before[1:]
		if err := fn(); err != nil {
			return err
		}
	}
	return t.err
}

// changed reports whether there is anything to write.
func (t *tx) changed() bool {
	for _, p := range t.pending {
		if p != nil {
			return true
		}
	}
	return false
}

// Put implements kv.Tx.
func (t *tx) Put(table *kv.Table, key, value []byte) {
	if err := table.Fits(key, value); err != nil {
		t.fault(err)
		return
	}
	if table.Scattered() {
		value = t.s.keys.clone(value) // such rows are small, and the caller may reuse its buffer
	} else if value == nil {
		value = []byte{}
	}
	t.set(table, key, value)
}

// Delete implements kv.Tx.
func (t *tx) Delete(table *kv.Table, key []byte) {
	if len(key) > 0 {
		t.set(table, key, nil)
	}
}

func (t *tx) set(table *kv.Table, key, value []byte) {
	i, err := t.find(table)
	if err != nil {
		t.fault(err)
		return
	}
	if t.pending[i] == nil {
		t.pending[i] = newChanges()
	}
	t.pending[i].Set(changeOf(t.s.keys.clone(key), value))
}

func (t *tx) fault(err error) {
	if t.err == nil {
		t.err = err
	}
}

// BeforeCommit implements kv.Tx.
func (t *tx) BeforeCommit(fn func() error) { t.before = append(t.before, fn) }

// OnCommit implements kv.Tx.
func (t *tx) OnCommit(fn func()) { t.after = append(t.after, fn) }

// Get implements kv.Reader.
func (t *tx) Get(table *kv.Table, key []byte) ([]byte, error) {
	i, err := t.find(table)
	if err != nil {
		return nil, err
	}
	if p := t.pending[i]; p != nil {
		if c, ok := p.Get(changeOf(key, nil)); ok {
			return c.value, nil
		}
	}
	return t.get(i, table, key)
}

// Scan implements kv.Reader.
func (t *tx) Scan(table *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return t.scan(table, from, to, t.reader.Scan(table, from, to), false)
}

// Falling implements kv.Reader.
func (t *tx) Falling(table *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	return t.scan(table, from, to, t.reader.Falling(table, from, to), true)
}

// scan merges the changes that the transaction has made when the scan starts with the rows from
// before.
func (t *tx) scan(table *kv.Table, from, to []byte, rows iter.Seq2[kv.Entry, error], falling bool) iter.Seq2[kv.Entry, error] {
	return func(yield func(kv.Entry, error) bool) {
		i, err := t.find(table)
		if err != nil || t.pending[i] == nil {
			rows(yield)
			return
		}
		own := changesIn(t.pending[i].Copy(), from, to, falling)
		defer own.at.Release()
		for e, err := range rows {
			if err != nil {
				yield(kv.Entry{}, err)
				return
			}
			replaced := false
			for own.ok && !replaced {
				order := bytes.Compare(own.at.Item().key, e.Key)
				if falling {
					order = -order
				}
				if order > 0 {
					break
				}
				replaced = order == 0
				if !own.yield(yield) {
					return
				}
			}
			if !replaced && !yield(e, nil) {
				return
			}
		}
		for own.ok {
			if !own.yield(yield) {
				return
			}
		}
	}
}

// An ownRows iterates over changes from one key to another.
type ownRows struct {
	at       btree.IterG[change]
	ok       bool // at is at a change
	from, to []byte
	falling  bool
}

func changesIn(p *changes, from, to []byte, falling bool) *ownRows {
	o := &ownRows{at: p.Iter(), from: from, to: to, falling: falling}
	switch {
	case !falling:
		o.ok = o.at.Seek(changeOf(from, nil))
	case to == nil:
		o.ok = o.at.Last()
	case o.at.Seek(changeOf(to, nil)): // the first change that is not below to
		o.ok = o.at.Prev()
	default:
		o.ok = o.at.Last()
	}
	o.bound()
	return o
}

// bound ends the iteration at the last key.
func (o *ownRows) bound() {
	if !o.ok {
		return
	}
	key := o.at.Item().key
	if o.falling {
		o.ok = bytes.Compare(key, o.from) >= 0
	} else {
		o.ok = o.to == nil || bytes.Compare(key, o.to) < 0
	}
}

// yield passes on the current row, unless it is deleted, and goes on.
func (o *ownRows) yield(yield func(kv.Entry, error) bool) bool {
	e := o.at.Item()
	if o.falling {
		o.ok = o.at.Prev()
	} else {
		o.ok = o.at.Next()
	}
	o.bound()
	return e.value == nil || yield(kv.Entry{Key: e.key, Value: e.value}, nil)
}

// write writes the changes of the transaction to the buckets, and returns those of the scattered
// tables.
func (t *tx) write() (*runs.Slab, error) {
	if err := t.writeSums(); err != nil {
		return nil, err
	}
	for i, p := range t.pending {
		if p == nil || t.s.tables[i].Scattered() {
			continue
		}
		if err := t.writeBucket(i, p); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.s.tables[i].Name, err)
		}
	}
	n, size := 0, 0
	for _, i := range t.s.sorted {
		if p := t.pending[i]; p != nil {
			n += p.Len()
			p.Scan(func(c change) bool { size += len(c.key) + len(c.value); return true })
		}
	}
	slab := runs.NewSlab(size, n)
	for _, i := range t.s.sorted {
		if p := t.pending[i]; p != nil {
			p.Scan(func(c change) bool { slab.Add(t.s.tables[i].ID, c.key, c.value, c.value == nil); return true })
		}
	}
	return slab, nil
}

func (t *tx) writeBucket(i int, p *changes) error {
	b, err := t.bucket(i)
	if err != nil {
		return err
	}
	if fill := t.s.tables[i].Fill; fill > 0 {
		b.FillPercent = fill
	}
	p.Scan(func(c change) bool {
		if c.value == nil {
			err = b.Delete(c.key)
		} else {
			err = b.Put(c.key, c.value)
		}
		return err == nil
	})
	return err
}

// An arena has copies of short byte strings that last as long as a transaction.
type arena struct {
	free  []byte
	block int // bytes of the last block
}

// The sizes of blocks. Each is twice as large as the one before, since many transactions have only
// a few hundred bytes.
const (
	firstBlock = 2 << 10
	mostBlock  = 64 << 10
)

// reset drops all copies. Their memory is not reused, since slabs and pages may still refer to it:
// the garbage collector frees it.
func (a *arena) reset() { *a = arena{} }

func (a *arena) clone(b []byte) []byte {
	if len(b) == 0 {
		return []byte{}
	}
	if len(b) > len(a.free) {
		a.block = min(max(firstBlock, 2*a.block), mostBlock)
		a.free = make([]byte, max(a.block, len(b)))
	}
	n := copy(a.free, b)
	c := a.free[:n:n]
	a.free = a.free[n:]
	return c
}
