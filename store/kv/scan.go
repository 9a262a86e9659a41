package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
)

// After returns the first key that is above all keys with a prefix; nil: there is none, because the
// prefix is empty or consists of 0xff.
func After(prefix []byte) []byte {
	for n := len(prefix); n > 0; n-- {
		if prefix[n-1] < 0xff {
			after := bytes.Clone(prefix[:n])
			after[n-1]++
			return after
		}
	}
	return nil
}

// Prefix yields the rows whose keys start with prefix, in rising order.
func Prefix(r Reader, t *Table, prefix []byte) iter.Seq2[Entry, error] {
	return r.Scan(t, prefix, After(prefix))
}

// PrefixFrom is Prefix from the first key that is at least from.
func PrefixFrom(r Reader, t *Table, prefix, from []byte) iter.Seq2[Entry, error] {
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	return r.Scan(t, from, After(prefix))
}

// CommonPrefix returns the prefix that all keys k with from <= k < to share.
func CommonPrefix(from, to []byte) []byte {
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	if n < len(from) && n == len(to)-1 && from[n] < 0xff && from[n]+1 == to[n] {
		// To is the key after this prefix. Where bytes of 0xff follow, keys that are not
		// below from have them too.
		for n++; n < len(from) && from[n] == 0xff; n++ {
		}
	}
	return from[:n]
}

// All yields every row of a table.
func All(r Reader, t *Table) iter.Seq2[Entry, error] { return r.Scan(t, nil, nil) }

// First returns the first row of a scan; false: there is none.
func First(rows iter.Seq2[Entry, error]) (Entry, bool, error) {
	for e, err := range rows {
		return Entry{bytes.Clone(e.Key), bytes.Clone(e.Value)}, err == nil, err
	}
	return Entry{}, false, nil
}

// Has reports whether a table has a key.
func Has(r Reader, t *Table, key []byte) (bool, error) {
	v, err := r.Get(t, key)
	return v != nil, err
}

// Count returns the number of rows in a scan.
func Count(rows iter.Seq2[Entry, error]) (n int64, err error) {
	for _, err := range rows {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// A Counter is a row with a number: 8 bytes, big-endian.
type Counter struct {
	Table *Table
	Key   []byte
}

// Get returns the number, 0 if there is no row.
func (c Counter) Get(r Reader) (uint64, error) {
	v, err := r.Get(c.Table, c.Key)
	switch {
	case err != nil || v == nil:
		return 0, err
	case len(v) != 8:
		return 0, fmt.Errorf("counter %s of %s: it has %d bytes and should have 8", c.Key, c.Table.Name, len(v))
	}
	return binary.BigEndian.Uint64(v), nil
}

// Set sets the number.
func (c Counter) Set(tx Tx, n uint64) {
	tx.Put(c.Table, c.Key, binary.BigEndian.AppendUint64(nil, n))
}

// Next increments the number and returns it.
func (c Counter) Next(tx Tx) (uint64, error) {
	n, err := c.Get(tx)
	if err == nil {
		n++
		c.Set(tx, n)
	}
	return n, err
}

// Each calls fn for every row of a table, until fn returns an error, which it returns.
func Each(r Reader, t *Table, fn func(key, value []byte) error) error {
	for e, err := range All(r, t) {
		if err == nil {
			err = fn(e.Key, e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
