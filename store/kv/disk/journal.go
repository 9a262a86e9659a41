package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/store/kv"
)

// A Journal stores the changes of commits outside of the store, so that a complete copy of the
// store can be made.
type Journal interface {
	// Commit is called by the writer before each commit, with its changes in the form that
	// Store.Apply reads; the next commit waits. It returns a mark, which becomes part of the
	// commit, so that Store.Mark says which commit a store has. If it returns an error the store
	// ends, without the commit. It may call s.Dump, whose rows are then those before the commit.
	Commit(s *Store, redo []byte) (mark []byte, err error)

	// Close is called when the store is closed, after the last commit. The store must not be read
	// after Close has returned.
	Close()
}

// keep passes the changes of a transaction to the journal, and writes the mark of the commit.
func (s *Store) keep(btx *bbolt.Tx, t *tx) (err error) {
	mark := t.mark
	if s.o.Journal != nil {
		if mark, err = s.o.Journal.Commit(s, t.redo()); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
	}
	if mark == nil {
		return nil
	}
	return btx.Bucket(bucketOwn).Put(keyMark, mark)
}

// Changes are encoded as follows: for each table its name, the number of its rows, and for each row
// the key and the value with its length plus one, or 0 for a row that is deleted. All lengths are
// varints.

// redo returns the changes of the transaction.
func (t *tx) redo() []byte {
	size := 0
	for i, p := range t.pending {
		if p != nil {
			size += 16 + len(t.s.tables[i].Name)
			p.Scan(func(c change) bool { size += 12 + len(c.key) + len(c.value); return true })
		}
	}
	b := make([]byte, 0, size)
	for i, p := range t.pending {
		if p == nil {
			continue
		}
		b = appendTable(b, t.s.tables[i], p.Len())
		p.Scan(func(c change) bool { b = appendRow(b, c.key, c.value); return true })
	}
	return b
}

func appendTable(b []byte, t *kv.Table, rows int) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Name)))
	b = append(b, t.Name...)
	return binary.AppendUvarint(b, uint64(rows))
}

// appendRow appends a row; a nil value deletes it.
func appendRow(b, key, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	if value == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(value))+1)
	return append(b, value...)
}

var errRedo = errors.New("changes of a journal are not as they were written")

// A redoReader reads changes.
type redoReader struct{ b []byte }

func (r *redoReader) number() (uint64, error) {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		return 0, errRedo
	}
	r.b = r.b[size:]
	return n, nil
}

func (r *redoReader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		return nil, errRedo
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b, nil
}

func (r *redoReader) text() ([]byte, error) {
	n, err := r.number()
	if err != nil {
		return nil, err
	}
	return r.bytes(n)
}

// row reads a row; a nil value deletes it.
func (r *redoReader) row() (key, value []byte, err error) {
	if key, err = r.text(); err != nil {
		return nil, nil, err
	}
	n, err := r.number()
	if err != nil || n == 0 {
		return key, nil, err
	}
	value, err = r.bytes(n - 1)
	return key, value, err
}

// apply makes the changes in a transaction.
func (r *redoReader) apply(tx kv.Tx, tables []*kv.Table) error {
	for len(r.b) > 0 {
		name, err := r.text()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(tables, func(t *kv.Table) bool { return t.Name == string(name) })
		if i < 0 {
			return fmt.Errorf("changes of a journal are in a table %q: they were written by another version of the program", name)
		}
		rows, err := r.number()
		for ; err == nil && rows > 0; rows-- {
			var key, value []byte
			if key, value, err = r.row(); err != nil {
				break
			}
			if value == nil {
				tx.Delete(tables[i], key)
			} else {
				tx.Put(tables[i], key, value)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Apply applies commits of another store to this one, in their order and in one transaction, with
// the mark of the last. The store must be a copy without any other writer.
func (s *Store) Apply(mark []byte, redos ...[]byte) error {
	return s.Update(context.Background(), func(t kv.Tx) error {
		for _, b := range redos {
			if err := (&redoReader{b}).apply(t, s.tables); err != nil {
				return err
			}
		}
		t.(*tx).mark = mark
		return nil
	})
}

// Mark returns the mark of the last commit that was journaled; nil if none was.
func (s *Store) Mark() (mark []byte, err error) {
	err = s.db.View(func(btx *bbolt.Tx) error {
		mark = bytes.Clone(btx.Bucket(bucketOwn).Get(keyMark))
		return nil
	})
	return mark, err
}

// dumpBytes is the approximate size of the changes that Dump passes on at once.
const dumpBytes = 1 << 20

// Dump passes on all rows, as changes to an empty store, as they are after one commit. It first
// calls start with the mark of that commit. What it passes on is valid until the next call.
func (s *Store) Dump(ctx context.Context, start func(mark []byte) error, fn func(redo []byte) error) error {
	return s.View(ctx, func(r kv.Reader) error {
		if err := start(bytes.Clone(r.(*reader).tx.Bucket(bucketOwn).Get(keyMark))); err != nil {
			return err
		}
		for _, t := range s.tables {
			if err := dumpTable(ctx, r, t, fn); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		return nil
	})
}

func dumpTable(ctx context.Context, r kv.Reader, t *kv.Table, fn func(redo []byte) error) error {
	var rows []byte
	n := 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		err := fn(append(appendTable(nil, t, n), rows...))
		rows, n = rows[:0], 0
		return err
	}
	for e, err := range r.Scan(t, nil, nil) {
		if err != nil {
			return err
		}
		value := e.Value
		if value == nil {
			value = []byte{}
		}
		rows = appendRow(rows, e.Key, value)
		if n++; len(rows) < dumpBytes {
			continue
		}
		if err := errors.Join(ctx.Err(), flush()); err != nil {
			return err
		}
	}
	return flush()
}
