package kv

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// A Table declares rows that are kept in the order of their keys, byte by byte. All
// that it says is part of the form on disk and must not change while there are rows,
// but for Fill.
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

	// Filter is how many of a key's first bytes an engine may remember in a filter, so that it
	// can tell without a read that there is no row: for tables that are mostly asked for keys
	// that they lack. 0: none. It helps Get if keys are that long or longer, and a Scan of a
	// prefix that is. Scattered tables only.
	Filter int

	// Checked asks for a checksum of every value, which Check compares. The checksums
	// that one key has in all checked tables are side by side.
	Checked bool

	// Fill is the share of a page that the engine fills before it splits it, from 0.1 to 1; 0
	// is the engine's default, right for keys that come in any order. 0.95 suits keys that only
	// grow: at 0.5 such pages stay half empty. Near 1, keys in between cost a split each.
	Fill float64
}

const (
	// MaxKey is how many bytes a key may have.
	MaxKey = 16 << 10

	// MaxScattered is how many bytes key and value of a row in a scattered table may have
	// together.
	MaxScattered = 32 << 10
)

// Scattered reports whether the table is a scattered one.
func (t *Table) Scattered() bool { return t.ID > 0 }

// Fits returns what is wrong with a row that is to be put, or nil.
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

// Declared returns what is wrong with the tables that a store is opened with, or nil.
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

// A Reader reads a snapshot. It is for one goroutine, and good until the function ends
// that it was handed to. Keys and values that it returns must not be changed.
type Reader interface {
	// Get returns the value of a key, and nil if there is no such row: an empty value is not
	// nil. It is valid as long as the reader.
	Get(t *Table, key []byte) ([]byte, error)

	// Scan yields the rows whose keys are not below from, and below to, in rising
	// order; a nil to is the end of the table. An entry is good until the next. Where
	// reading fails the last thing yielded is the error, with an empty entry.
	//
	// Within a Tx a scan yields the rows as they are when the range over it starts: later puts
	// and deletes do not affect it.
	Scan(t *Table, from, to []byte) iter.Seq2[Entry, error]

	// Falling is Scan from the last of these rows to the first. For a scattered table it yields
	// ErrScattered.
	Falling(t *Table, from, to []byte) iter.Seq2[Entry, error]
}

// A Tx is a transaction: a Reader that sees its own writes, in scans too. It is valid until the
// function ends that it was passed to, except for the functions of BeforeCommit.
type Tx interface {
	Reader

	// Put sets the value of a key. Neither may be changed before Update returns. A row
	// that the table cannot have, see Table.Fits, fails the Update.
	Put(t *Table, key, value []byte)

	// Delete takes a row out. It need not be there.
	Delete(t *Table, key []byte)

	// BeforeCommit runs fn once, after all functions that share the commit have run, in the
	// order of the calls: for what is written once a commit, such as counts. Functions that
	// share a commit get the same Tx, one after the other, so an owner can keep its pending
	// state by the Tx. Fn may write, and may call BeforeCommit again. Its error is an error of
	// the Update.
	BeforeCommit(fn func() error)

	// OnCommit has fn run once the commit is durable, before the Updates that share it
	// return: in the order in which commits were made, and within one in that in which
	// they asked for it. Caches follow the tables by it. It must be quick, for the next
	// commit waits, and must not call the store.
	OnCommit(fn func())
}

// A Store has tables. Its methods may be called from any goroutine, Close last.
type Store interface {
	// View calls fn with a snapshot of all tables, and returns its error. Fn should be short:
	// rows that are replaced meanwhile stay on disk. It must not call View or Update itself,
	// nor wait for a goroutine that does: either may wait for fn to end.
	//
	// Where tables are named, fn reads these alone. If all of them are scattered, that
	// costs less, and neither waits for other views nor lets anything wait.
	View(ctx context.Context, fn func(Reader) error, only ...*Table) error

	// Update calls fn with a transaction, and returns when what it wrote is durable. If ctx
	// ends before fn is called, fn is not called, and Update returns the context's error; from
	// then on the context does not matter. An error of fn ends the store: nothing of the commit
	// is kept, and every later Update fails.
	Update(ctx context.Context, fn func(Tx) error) error

	// Check reads every byte that the engine keeps and calls fn with what is not as it was
	// written, mostly a *DamageError, until fn returns an error. Updates may have to wait
	// meanwhile.
	Check(ctx context.Context, fn func(error) error) error

	// Close waits for the commit under way and releases the store. Calling it again does
	// nothing.
	Close() error
}

var (
	// ErrClosed is what Update returns after Close.
	ErrClosed = errors.New("store is closed")

	// ErrReadOnly is what Update returns where a store was opened to be read.
	ErrReadOnly = errors.New("store was opened for reading only")

	// ErrLocked says that another process, or this one, has the store open.
	ErrLocked = errors.New("store is in use")

	// ErrScattered is what Falling yields of a scattered table.
	ErrScattered = errors.New("a scattered table can be scanned upwards only")
)

// A DamageError says that stored bytes are not as they were written.
type DamageError struct {
	Table *Table // whose value it is; nil: of no single table
	Key   []byte // of the value; nil: of more than one
	Lost  bool   // the value is not there any more
	Err   error  // what is wrong
}

func (e *DamageError) Error() string {
	if e.Table == nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s, key %x: %v", e.Table.Name, e.Key, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }
