package linkgraph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A location says where an entry is.
type location struct {
	file         uint32
	offset, size int64
}

func decodeLocation(v []byte) (location, error) {
	d := row.Decoder{B: v}
	l := location{uint32(d.Uint()), int64(d.Uint()), int64(d.Uint())}
	if d.Err != nil || l.offset < 0 || l.offset > math.MaxInt64-maxEntry || l.size < entryHead || l.size > maxEntry {
		return l, errEntry
	}
	return l, nil
}

// errShort says that a file ends before the entry does.
var errShort = errors.New("the file ends within the entry")

// files reads entries. It is for one goroutine; close it.
type files struct {
	g    *Graph
	n    uint32
	f    *os.File
	at   int64 // offset of room in the file
	room []byte
	one  []byte
}

// window is how many bytes are read at once; a shorter file is read as a whole. Entries are mostly
// asked for in their order.
const window = 1 << 20

func (r *files) close() {
	if r.f != nil {
		r.f.Close() // it was read
		r.f = nil
	}
}

// entry returns the bytes of an entry, which are valid until the next call.
func (r *files) entry(l location) ([]byte, error) {
	if r.f == nil || r.n != l.file {
		r.close()
		f, err := os.Open(r.g.path(l.file))
		if err != nil {
			return nil, fmt.Errorf("links: %w", err)
		}
		r.f, r.n, r.room = f, l.file, r.room[:0]
		info, err := f.Stat()
		if err != nil {
			return nil, fmt.Errorf("links: %w", err)
		}
		if size := int(min(info.Size(), window)); size > cap(r.room) {
			r.room = make([]byte, 0, size)
		}
	}
	if l.offset >= r.at && l.offset+l.size <= r.at+int64(len(r.room)) {
		return r.room[l.offset-r.at:][:l.size], nil
	}
	if l.size > int64(cap(r.room)) {
		r.one = make([]byte, l.size)
		return r.one, r.read(r.one, l)
	}
	n, err := r.f.ReadAt(r.room[:cap(r.room)], l.offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	r.at, r.room = l.offset, r.room[:n]
	if err == nil && int64(n) < l.size {
		err = errShort
	}
	if err != nil {
		return nil, r.fault(l, err)
	}
	return r.room[:l.size], nil
}

func (r *files) read(b []byte, l location) error {
	_, err := r.f.ReadAt(b, l.offset)
	if errors.Is(err, io.EOF) {
		err = errShort
	}
	if err != nil {
		return r.fault(l, err)
	}
	return nil
}

func (r *files) fault(l location, err error) error {
	return fmt.Errorf("links: %s, at %d: %w", r.g.path(l.file), l.offset, err)
}

// links reads the entry of a page.
func (r *files) links(seq uint64, v []byte, texts bool, room []Link) ([]Link, error) {
	l, err := decodeLocation(v)
	if err != nil {
		return nil, fmt.Errorf("links of page %d: %w", seq, err)
	}
	b, err := r.entry(l)
	if err != nil {
		return nil, err
	}
	of, links, err := readEntry(b, texts, room)
	if err == nil && of != seq {
		err = errEntry
	}
	if err != nil {
		return nil, r.fault(l, err)
	}
	return links, nil
}

// A Reader reads links of one snapshot. It is for one goroutine. Close it.
type Reader struct {
	files files
	in    kv.Reader
}

// Reader returns a Reader of a snapshot.
func (g *Graph) Reader(in kv.Reader) *Reader { return &Reader{files: files{g: g}, in: in} }

// Close closes the file that was read last.
func (r *Reader) Close() { r.files.close() }

// Of returns the links of a page in the order of the page; ok is false if none were ever added.
func (r *Reader) Of(seq uint64) (links []Link, ok bool, err error) {
	v, err := r.in.Get(tableEntries, keyOf(seq))
	if err != nil || v == nil {
		return nil, false, err
	}
	links, err = r.files.links(seq, v, true, nil)
	return links, err == nil, err
}

// Each calls fn with the links of every page, in the order of the pages' numbers, with the words of
// the links if texts is set. The links are valid until fn returns.
func (r *Reader) Each(ctx context.Context, texts bool, fn func(seq uint64, links []Link) error) error {
	var room []Link
	return kv.Each(r.in, tableEntries, func(k, v []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(k)
		links, err := r.files.links(seq, v, texts, room[:0])
		if err != nil {
			return err
		}
		room = links
		return fn(seq, links)
	})
}
