package kv

import "iter"

// A Divided keeps rows that belong together in two tables: those with short values in a scattered table, where a row takes little
// more than its own bytes, and the others in a plain one. It is for rows of hosts, of which a wide crawl has one for nearly each page,
// and whose keys are hashes: in a B-tree each takes 16 bytes besides its own, and a quarter of a page stays empty.
//
// A key has one row. Rows that an earlier version of the program has written are in Large, and move when they are written again.
type Divided struct {
	Large *Table
	Small *Table // scattered; nil: all rows are in Large
	Most  int    // the longest value, in bytes, in Small
}

// Tables returns the tables.
func (d *Divided) Tables() []*Table {
	if d.Small == nil {
		return []*Table{d.Large}
	}
	return []*Table{d.Large, d.Small}
}

// Get is Reader.Get. A row that a salvage of damaged files has brought back into Small does not count if there is one in Large.
func (d *Divided) Get(r Reader, key []byte) (v []byte, err error) {
	for _, t := range d.Tables() {
		if v, err = r.Get(t, key); err != nil || v != nil {
			break
		}
	}
	return v, err
}

// Has reports whether there is a row.
func (d *Divided) Has(r Reader, key []byte) (bool, error) {
	v, err := d.Get(r, key)
	return v != nil, err
}

// Put sets the value of a key.
func (d *Divided) Put(tx Tx, key, value []byte) error {
	to := d.Large
	if d.Small != nil && len(value) <= d.Most {
		to = d.Small
	}
	tx.Put(to, key, value)
	return d.remove(tx, key, to)
}

// Delete removes a row, if there is one.
func (d *Divided) Delete(tx Tx, key []byte) error { return d.remove(tx, key, nil) }

// remove deletes a row from the tables but one. It does so only where it is: in a scattered table each deletion is a row of its own.
func (d *Divided) remove(tx Tx, key []byte, but *Table) error {
	for _, t := range d.Tables() {
		if t == but {
			continue
		}
		has, err := Has(tx, t, key)
		if err != nil {
			return err
		}
		if has {
			tx.Delete(t, key)
		}
	}
	return nil
}

// All yields the rows, those in Large first.
func (d *Divided) All(r Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, t := range d.Tables() {
			for e, err := range All(r, t) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}
