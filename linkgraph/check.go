package linkgraph

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gatecrawl.example/gatecrawl/store/kv"
)

// A Job is what a check and a repair need from the job.
type Job interface {
	// Linked reports whether the links of a page belong to the graph.
	Linked(r kv.Reader, seq uint64) (bool, error)
	// Links returns the links of such a page, computed from what else is stored of it.
	Links(r kv.Reader, seq uint64) ([]Link, error)
}

// Check reads all entries, and calls breach for each that is wrong.
func (g *Graph) Check(ctx context.Context, r kv.Reader, job Job, breach func(what string, err error) error) error {
	err := kv.Each(r, tableFiles, func(k, v []byte) error {
		n, size := binary.BigEndian.Uint32(k), sizeIn(v)
		i, err := os.Stat(g.path(n))
		if err == nil && i.Size() < size {
			err = fmt.Errorf("%s has %d bytes of %d", g.path(n), i.Size(), size)
		}
		if err != nil {
			return breach("every file of links is whole", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in := g.Reader(r)
	defer in.Close()
	var room []Link
	return kv.Each(r, tableEntries, func(k, v []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(k)
		links, err := in.files.links(seq, v, true, room[:0])
		if err != nil {
			return breach("every page's links can be read", err)
		}
		room = links
		ok, err := job.Linked(r, seq)
		if err == nil && !ok {
			err = breach("links are those of kept pages", fmt.Errorf("page %d", seq))
		}
		return err
	})
}

// Repair deletes entries that cannot be read or that do not belong to a kept page, and adds the
// entries that are missing, for the kept pages that `pages` yields. It returns how many it has
// added.
func (g *Graph) Repair(ctx context.Context, s kv.Store, job Job, pages func(r kv.Reader, from uint64, fn func(seq uint64) (more bool, err error)) error) (added int64, err error) {
	err = kv.Forget(ctx, s, tableEntries, func(r kv.Reader, k, v []byte) (bool, error) {
		if len(k) != 8 {
			return true, nil
		}
		in := g.Reader(r)
		defer in.Close()
		if _, err := in.files.links(binary.BigEndian.Uint64(k), v, true, nil); err != nil {
			if damaged(err) {
				return true, nil
			}
			return false, err
		}
		ok, err := job.Linked(r, binary.BigEndian.Uint64(k))
		return !ok, err
	})
	if err == nil {
		err = g.repairFiles(ctx, s)
	}
	if err != nil {
		return 0, err
	}
	const chunk = 500
	for from := uint64(1); ; {
		var seqs []uint64
		err := s.View(ctx, func(r kv.Reader) error {
			return pages(r, from, func(seq uint64) (bool, error) {
				from = seq + 1
				there, err := kv.Has(r, tableEntries, keyOf(seq))
				if err != nil || there {
					return true, err
				}
				ok, err := job.Linked(r, seq)
				if ok {
					seqs = append(seqs, seq)
				}
				return len(seqs) < chunk, err
			})
		})
		if err != nil || len(seqs) == 0 {
			return added, err
		}
		err = s.Update(ctx, func(tx kv.Tx) error {
			for _, seq := range seqs {
				links, err := job.Links(tx, seq)
				if err != nil {
					return err
				}
				g.Add(tx, seq, links)
			}
			return nil
		})
		if err != nil {
			return added, err
		}
		added += int64(len(seqs))
	}
}

// repairFiles sets the committed length of each file to its real length if that is shorter.
func (g *Graph) repairFiles(ctx context.Context, s kv.Store) error {
	return kv.Rewrite(ctx, s, tableFiles, func(_ kv.Reader, k, v []byte) (bool, error) {
		return len(k) != 4 || g.sizeOf(k) < sizeIn(v), nil
	}, func(tx kv.Tx, k, _ []byte) error {
		if len(k) != 4 {
			tx.Delete(tableFiles, k)
			return nil
		}
		size := g.sizeOf(k)
		tx.Put(tableFiles, bytes.Clone(k), binary.AppendUvarint(nil, uint64(size)))
		if binary.BigEndian.Uint32(k) == g.file {
			g.end = size
		}
		return nil
	})
}

// sizeOf returns the size of a file on the disk; 0 if there is no such file.
func (g *Graph) sizeOf(key []byte) int64 {
	i, err := os.Stat(g.path(binary.BigEndian.Uint32(key)))
	if err != nil {
		return 0
	}
	return i.Size()
}

// damaged reports whether an error means that an entry is lost, as opposed to a failure of the
// disk.
func damaged(err error) bool {
	return errors.Is(err, errEntry) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errShort)
}
