package parts

import (
	"context"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// What a job is held to.
const (
	sketchIsKept  = "a sample of shingles is of a kept page"
	pendingIsKept = "a page that is to be compared for parts has a sample"
	bothSides     = "of a part and its whole each names the other"
)

// Check hands to breach what does not hold, until that returns an error.
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

// Repair drops samples that are not of kept pages or cannot be read, and has the others
// compared again: what was found before is dropped.
func Repair(ctx context.Context, s kv.Store) error {
	const most = 1 << 12
	for _, t := range []*kv.Table{TableParts, TablePending} {
		for more := true; more; {
			err := s.Update(ctx, func(tx kv.Tx) error {
				var keys [][]byte
				for e, err := range tx.Scan(t, nil, nil) {
					if err != nil {
						return err
					}
					if keys = append(keys, slices.Clone(e.Key)); len(keys) == most {
						break
					}
				}
				for _, k := range keys {
					tx.Delete(t, k)
				}
				more = len(keys) == most
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	for from := []byte(nil); ; {
		var keys [][]byte
		err := s.Update(ctx, func(tx kv.Tx) error {
			keys = keys[:0]
			var bad [][]byte
			for e, err := range tx.Scan(TableSketches, from, nil) {
				if err != nil {
					return err
				}
				k := slices.Clone(e.Key)
				if sketchFault(tx, e) != nil {
					bad = append(bad, k)
				}
				if keys = append(keys, k); len(keys) == most {
					break
				}
			}
			for _, k := range keys {
				tx.Put(TablePending, k, present)
			}
			for _, k := range bad {
				tx.Delete(TableSketches, k)
				tx.Delete(TablePending, k)
			}
			return nil
		})
		if err != nil || len(keys) < most {
			return err
		}
		from = append(keys[len(keys)-1], 0)
	}
}
