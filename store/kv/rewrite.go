package kv

import (
	"bytes"
	"context"
)

// rewriteChunk is how many rows one transaction of Rewrite changes.
const rewriteChunk = 5000

// Rewrite goes through a table once, and calls change for the rows for which wanted is true, some
// thousand in a transaction. It is for a repair, which may change more than fits into one
// transaction. wanted sees a snapshot that is older than the transaction by no more than that many
// rows; change may put and delete in any table. Rows that change puts after the current one may be
// passed to it as well. Nothing else may write at the same time.
func Rewrite(ctx context.Context, s Store, t *Table, wanted func(r Reader, key, value []byte) (bool, error), change func(tx Tx, key, value []byte) error) error {
	var from []byte
	for more := true; more; {
		var found []Entry
		more = false
		err := s.View(ctx, func(r Reader) error {
			for e, err := range r.Scan(t, from, nil) {
				if err != nil {
					return err
				}
				if len(found) == rewriteChunk {
					from, more = bytes.Clone(e.Key), true
					return nil
				}
				yes, err := wanted(r, e.Key, e.Value)
				if err != nil {
					return err
				}
				if yes {
					found = append(found, Entry{Key: bytes.Clone(e.Key), Value: bytes.Clone(e.Value)})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		err = s.Update(ctx, func(tx Tx) error {
			for _, e := range found {
				if err := change(tx, e.Key, e.Value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Forget deletes the rows of a table for which wrong is true, as Rewrite does.
func Forget(ctx context.Context, s Store, t *Table, wrong func(r Reader, key, value []byte) (bool, error)) error {
	return Rewrite(ctx, s, t, wrong, func(tx Tx, key, _ []byte) error {
		tx.Delete(t, key)
		return nil
	})
}
