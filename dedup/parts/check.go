package parts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// The invariants of parts.
const (
	sketchIsKept  = "a sample of shingles is of a kept page"
	pendingIsKept = "a page that is to be compared for parts has a sample"
	bothSides     = "of a part and its whole each names the other"
)

// Check calls breach for each inconsistency, until breach returns an error.
func Check(r kv.Reader, breach func(what string, err error) error) error {
	for e, err := range r.Scan(TableSketches, nil, nil) {
		if err != nil {
			return err
		}
		if err := sketchFault(r, e); err != nil {
			if err := breach(sketchIsKept, err); err != nil {
				return err
			}
		}
	}
	for e, err := range r.Scan(TablePending, nil, nil) {
		if err != nil {
			return err
		}
		if has, err := kv.Has(r, TableSketches, e.Key); err != nil {
			return err
		} else if !has {
			if err := breach(pendingIsKept, fmt.Errorf("page %d has none", page.Seq(e.Key))); err != nil {
				return err
			}
		}
	}
	for e, err := range r.Scan(TableParts, nil, nil) {
		if err != nil {
			return err
		}
		if err := partsFault(r, e); err != nil {
			if err := breach(bothSides, err); err != nil {
				return err
			}
		}
	}
	return nil
}

func sketchFault(r kv.Reader, e kv.Entry) error {
	seq := page.Seq(e.Key)
	if _, err := decodeSketch(nil, e.Value); err != nil {
		return fmt.Errorf("page %d: %w", seq, err)
	}
	if kept, err := kv.Has(r, page.TableSignatures, e.Key); err != nil || !kept {
		return fmt.Errorf("page %d is not kept (%v)", seq, err)
	}
	return nil
}

func partsFault(r kv.Reader, e kv.Entry) error {
	seq := page.Seq(e.Key)
	list, err := decode(e.Value)
	if err != nil {
		return fmt.Errorf("page %d: %w", seq, err)
	}
	if known, err := kv.Has(r, TableSketches, e.Key); err != nil || !known {
		return fmt.Errorf("page %d has no sample (%v)", seq, err)
	}
	for _, s := range list {
		others, err := of(r, s.other)
		if err != nil {
			return err
		}
		named := slices.ContainsFunc(others, func(o shared) bool { return o.other == seq && o.part != s.part })
		if !named && len(others) < maxShared {
			return fmt.Errorf("page %d names page %d, which does not name it", seq, s.other)
		}
	}
	return nil
}

// Repair drops samples that do not belong to kept pages or can't be read, and all pairs that were
// found, and has the pages compared again.
func Repair(ctx context.Context, s kv.Store) error {
	all := func(kv.Reader, []byte, []byte) (bool, error) { return true, nil }
	isFault := func(r kv.Reader, k, v []byte) (bool, error) {
		return sketchFault(r, kv.Entry{Key: k, Value: v}) != nil, nil
	}
	err := errors.Join(
		kv.Forget(ctx, s, TableParts, all), kv.Forget(ctx, s, TablePending, all), kv.Forget(ctx, s, TableSketches, isFault))
	if err != nil {
		return err
	}
	return kv.Rewrite(ctx, s, TableSketches, all, func(tx kv.Tx, k, _ []byte) error {
		tx.Put(TablePending, k, present)
		return nil
	})
}
