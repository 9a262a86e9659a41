package kv

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// A Table declares rows that are kept in the order of their keys, byte by byte. Except for Fill,
// all of it is part of the format on disk and must not change while there are rows.
type Table struct {
	// Name identifies the table, and never changes. Names that start with "kv." are the
	// engine's.
	Name string

	// ID is above 0 for a scattered table: one whose keys come in no order and in great
	// number, such as hashes, and whose rows are small. No two scattered tables have
	// the same. An engine may keep such tables where a random write is cheap, and may
	// be able to scan them upwards only: see Reader.Falling. Key and value together
	// have at most MaxScattered bytes.
	ID byte

	// Filter is how many of a key's first bytes an engine may put into a filter, so that it can
	// tell without a read that a row does not exist. It is for tables that are mostly asked for
	// keys that they lack. 0: none. It helps Get for keys of at least that length, and a Scan of a
	// prefix of at least that length. Only for scattered tables.
	Filter int

	// Checked makes the engine store a checksum of every value, which Check compares. The checksums
	// of one key in all checked tables are adjacent.
	Checked bool

	// Fill is the share of a page that the engine fills before it splits it, from 0.1 to 1; 0 is
	// the engine's default, which is right for keys in any order. 0.95 suits keys that only grow:
	// at 0.5 such pages stay half empty. Near 1, each key in between costs a split.
	Fill float64
}

const (
	// MaxKey is the length limit of a key, in bytes.
	MaxKey = 16 << 10

	// MaxScattered is the limit of the length of key and value together, in bytes, of a row in a
	// scattered table.
	MaxScattered = 32 << 10
)

// Scattered reports whether the table is scattered.
func (t *Table) Scattered() bool { return t.ID > 0 }

// Fits returns an error if a table can't have a row.
func (t *Table) Fits(key, value []byte) error {
	switch {
	case len(key) == 0:
		return fmt.Errorf("table %s: a key is empty", t.Name)
	case len(key) > MaxKey:
		return fmt.Errorf("table %s: a key has %d bytes, and at most %d fit", t.Name, len(key), MaxKey)
	case t.Scattered() && len(key)+len(value) > MaxScattered:
		return fmt.Errorf("table %s, key %x: the row has %d bytes, and at most %d fit", t.Name, key, len(key)+len(value), MaxScattered)
	}
	return nil
}

// Declared returns an error if a store can't be opened with these tables.
func Declared(tables []*Table) error {
	names, ids := make(map[string]bool), make(map[byte]bool)
	for _, t := range tables {
		switch {
		case t.Name == "" || strings.HasPrefix(t.Name, "kv."):
			return fmt.Errorf("a table cannot be called %q", t.Name)
		case names[t.Name]:
			return fmt.Errorf("two tables are called %s", t.Name)
		case t.Scattered() && ids[t.ID]:
			return fmt.Errorf("table %s: another scattered table has id %q too", t.Name, t.ID)
		case t.Scattered() && t.Checked:
			return fmt.Errorf("table %s: a scattered table cannot be checked by value: an engine checks it by block", t.Name)
		case !t.Scattered() && t.Filter > 0:
			return fmt.Errorf("table %s: only a scattered table has filters", t.Name)
		case t.Fill != 0 && (t.Fill < 0.1 || t.Fill > 1):
			return fmt.Errorf("table %s: pages cannot be filled to %g: want 0.1 to 1", t.Name, t.Fill)
		}
		names[t.Name], ids[t.ID] = true, true
	}
	return nil
}

// An Entry is a row.
type Entry struct {
	Key, Value []byte
}

// A Reader reads a snapshot. Only one goroutine may use it, and only until the function returns
// that it was passed to. Keys and values that it returns must not be changed.
type Reader interface {
	// Get returns the value of a key, and nil if there is no such row; an empty value is not nil.
	// It is valid as long as the reader.
	Get(t *Table, key []byte) ([]byte, error)

	// Scan yields the rows with from <= key < to, in rising order; a nil to is the end of the
	// table. An entry is valid until the next one. If reading fails, the last thing yielded is the
	// error, with an empty entry.
	//
	// Within a Tx a scan yields the rows as they are when the range over it starts: later puts and
	// deletes do not affect it.
	Scan(t *Table, from, to []byte) iter.Seq2[Entry, error]

	// Falling is Scan in the reverse order. For a scattered table it yields ErrScattered.
	Falling(t *Table, from, to []byte) iter.Seq2[Entry, error]
}

// A Tx is a transaction: a Reader that sees its own writes, in scans too. It is valid until the
// function returns that it was passed to, and in the functions passed to BeforeCommit.
type Tx interface {
	Reader

	// Put sets the value of a key. Neither may be changed before Update returns. A row that the
	// table can't have (see Table.Fits) makes the Update fail.
	Put(t *Table, key, value []byte)

	// Delete removes a row. The row need not exist.
	Delete(t *Table, key []byte)

	// BeforeCommit runs fn once, after all functions that share the commit have run, in the order
	// of the calls. It is for what is written once a commit, such as counts. Functions that share a
	// commit get the same Tx, one after the other, so an owner can keep its pending state by the
	// Tx. fn may write, and may call BeforeCommit again. Its error is an error of the Update.
	BeforeCommit(fn func() error)

	// OnCommit runs fn once the commit is durable, before the Updates that share it return.
	// Functions run in the order of the commits, and within a commit in the order of the calls. It
	// is for caches that follow the tables. fn must be quick, since the next commit waits for it,
	// and must not call the store.
	OnCommit(fn func())
}

// A Store has tables. Its methods may be called from any goroutine, Close as the last one.
type Store interface {
	// View calls fn with a snapshot of all tables, and returns its error. fn should be short: rows
	// that are replaced meanwhile stay on disk. It must not call View or Update itself, nor wait
	// for a goroutine that does: either may wait for fn to end.
	//
	// If tables are named, fn reads only these. If all of them are scattered, the view costs less,
	// and neither waits for other views nor makes anything wait.
	View(ctx context.Context, fn func(Reader) error, only ...*Table) error

	// Update calls fn with a transaction, and returns when what fn wrote is durable. If ctx ends
	// before fn is called, fn is not called, and Update returns the context's error; after that the
	// context has no effect. An error of fn ends the store: nothing of the commit is kept, and
	// every later Update fails.
	Update(ctx context.Context, fn func(Tx) error) error

	// Check reads every byte that the engine stores and calls fn for all damage, mostly with a
	// *DamageError, until fn returns an error. Updates may have to wait meanwhile.
	Check(ctx context.Context, fn func(error) error) error

	// Close waits for the commit under way and closes the store. Calling it again does nothing.
	Close() error
}

var (
	// ErrClosed is what Update returns after Close.
	ErrClosed = errors.New("store is closed")

	// ErrReadOnly is what Update returns if the store was opened for reading.
	ErrReadOnly = errors.New("store was opened for reading only")

	// ErrLocked says that another process, or this one, has the store open.
	ErrLocked = errors.New("store is in use")

	// ErrScattered is what Falling yields for a scattered table.
	ErrScattered = errors.New("a scattered table can be scanned upwards only")
)

// A DamageError says that stored bytes are damaged.
type DamageError struct {
	Table *Table // of the value; nil: not of a single table
	Key   []byte // of the value; nil: of more than one value
	Lost  bool   // the value is missing
	Err   error  // what is wrong
}

func (e *DamageError) Error() string {
	if e.Table == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s, key %x: %v", e.Table.Name, e.Key, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }
