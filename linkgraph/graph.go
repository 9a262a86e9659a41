package linkgraph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

var (
	tableEntries = &kv.Table{Name: "links", Fill: .95} // by the page's number, 8 bytes: file, offset and length of its entry
	tableFiles   = &kv.Table{Name: "linkfiles"}        // by a file's number, 4 bytes: how many bytes of it are committed
)

// Tables returns the tables of a graph.
func Tables() []*kv.Table { return []*kv.Table{tableEntries, tableFiles} }

// KeyLengths are the lengths of the keys of the tables, in bytes.
func KeyLengths() map[*kv.Table]int { return map[*kv.Table]int{tableEntries: 8, tableFiles: 4} }

// DefaultFileBytes is the length at which another file is started.
const DefaultFileBytes = 256 << 20

// A Graph has the links of one job. Add and Remove are for the goroutine that writes; the other
// methods may be called from many goroutines.
type Graph struct {
	dir      string
	maxBytes int64

	// For the writer only.
	file  uint32 // that is written
	end   int64  // of what is committed in it
	out   *os.File
	batch *batch
	seen  map[Target]bool // of the page whose links are added; reused
	some  []Link          // the same
}

// A batch has the entries that one commit adds.
type batch struct {
	tx      kv.Tx
	file    uint32
	start   int64  // where in the file the batch will be
	pending []byte // entries that are not written yet
}

// Open opens the links in a folder, which need not exist. Unless readOnly is set, it cuts off what
// was not committed.
func Open(dir string, r kv.Reader, readOnly bool) (*Graph, error) {
	g := &Graph{dir: dir, maxBytes: DefaultFileBytes}
	if readOnly {
		return g, nil
	}
	committed := make(map[uint32]int64)
	err := kv.Each(r, tableFiles, func(k, v []byte) error {
		n, size := binary.BigEndian.Uint32(k), sizeIn(v)
		committed[n] = size
		if n >= g.file {
			g.file, g.end = n, size
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g, g.cut(committed)
}

// cut removes from the files what was not committed.
func (g *Graph) cut(committed map[uint32]int64) error {
	files, err := os.ReadDir(g.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	for _, f := range files {
		n, ok := numberOf(f.Name())
		if !ok {
			continue
		}
		path := g.path(n)
		size, known := committed[n]
		if !known {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("links: %w", err)
			}
			continue
		}
		i, err := f.Info()
		if err != nil {
			return fmt.Errorf("links: %w", err)
		}
		if i.Size() > size {
			if err := os.Truncate(path, size); err != nil {
				return fmt.Errorf("links: %w", err)
			}
		}
	}
	return nil
}

const suffix = ".links"

func (g *Graph) path(n uint32) string {
	return filepath.Join(g.dir, fmt.Sprintf("%06d%s", n, suffix))
}

func numberOf(name string) (uint32, bool) {
	stem, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(stem, 10, 32)
	return uint32(n), ok && err == nil
}

// Close closes the file that is being written.
func (g *Graph) Close() error {
	if g.out == nil {
		return nil
	}
	f := g.out
	g.out = nil
	return f.Close()
}

// Add stores the links of a page, in place of earlier ones. Of several links to one target, the
// first is stored.
func (g *Graph) Add(tx kv.Tx, seq uint64, links []Link) {
	b := g.in(tx)
	from := len(b.pending)
	b.pending = appendEntry(b.pending, seq, g.each(links))
	e := row.Encoder{}
	e.Uint(uint64(b.file))
	e.Uint(uint64(b.start) + uint64(from))
	e.Uint(uint64(len(b.pending) - from))
	tx.Put(tableEntries, keyOf(seq), e.B)
}

// each returns the links without those whose target an earlier one has, until it is called again.
func (g *Graph) each(links []Link) []Link {
	seen, some := g.seen, g.some[:0]
	if seen == nil || len(links) > mostReused {
		seen, some = make(map[Target]bool, len(links)), nil
	}
	for _, l := range links {
		if !seen[l.Target] {
			seen[l.Target] = true
			some = append(some, l)
		}
	}
	if len(links) <= mostReused {
		clear(seen)
		g.seen, g.some = seen, some
	}
	return some
}

// mostReused is how many links a page may have for the memory of each to be used again: clearing a map takes time for
// as many as it ever had.
const mostReused = 400

// Remove deletes the links of a page.
func (g *Graph) Remove(tx kv.Tx, seq uint64) { tx.Delete(tableEntries, keyOf(seq)) }

// in returns the batch of a transaction.
func (g *Graph) in(tx kv.Tx) *batch {
	if g.batch != nil && g.batch.tx == tx {
		return g.batch
	}
	b := &batch{tx: tx, file: max(g.file, 1), start: g.end}
	if g.end >= g.maxBytes {
		b.file, b.start = g.file+1, 0
	}
	g.batch = b
	tx.BeforeCommit(func() error { return g.write(b) })
	tx.OnCommit(func() { g.file, g.end, g.batch = b.file, b.start+int64(len(b.pending)), nil })
	return b
}

// write writes the entries of a commit to the disk.
func (g *Graph) write(b *batch) error {
	if g.out == nil || g.file != b.file {
		if err := g.create(b); err != nil {
			return fmt.Errorf("links: %w", err)
		}
	}
	_, err := g.out.WriteAt(b.pending, b.start)
	if err == nil {
		err = g.out.Sync()
	}
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	b.tx.Put(tableFiles, binary.BigEndian.AppendUint32(nil, b.file), binary.AppendUvarint(nil, uint64(b.start)+uint64(len(b.pending))))
	return nil
}

// create opens the file to which a commit writes.
func (g *Graph) create(b *batch) error {
	if err := g.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(g.path(b.file), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	g.out = f
	if b.start > 0 {
		return nil
	}
	return errors.Join(durable.SyncDir(g.dir), durable.SyncDir(filepath.Dir(g.dir)))
}

func keyOf(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func sizeIn(v []byte) int64 {
	n, _ := binary.Uvarint(v)
	return int64(n)
}
