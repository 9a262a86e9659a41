package runs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/durable"
)

// errStopped says that a file was given up because the table closes.
var errStopped = errors.New("table is being closed")

// A runWriter writes a run.
type runWriter struct {
	o   Options
	out *bufio.Writer
	at  int64

	block  []byte
	first  []byte // key of the block, shortened
	last   []byte // key written last
	packed []byte
	index  []byte
	blocks uint64

	hashes  []uint64 // of what the group's filter is to know
	part    []byte   // added last
	entries int64
	err     error
}

// writeRun writes what src has to a new file. Entries of deleted keys are left out if there is
// nothing older for them to hide.
func writeRun(dir string, m Meta, o Options, src source, oldest bool, p pace) (_ Meta, err error) {
	path := filepath.Join(dir, m.File)
	o = o.withDefaults()
	f, err := o.Files.Create(path)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(path))
		}
	}()
	w := &runWriter{o: o, out: bufio.NewWriterSize(f, 256<<10)}
	passed := int64(0)
	for e := src.current(); e != nil; e = src.current() {
		if passed%mergeStep == 0 {
			if err := p.wait(passed); err != nil {
				return m, err
			}
		}
		passed++
		if !e.gone || !oldest {
			w.add(e)
		}
		if w.err != nil {
			return m, fmt.Errorf("%s: %w", path, w.err)
		}
		if err := src.next(); err != nil {
			return m, err
		}
	}
	w.finish()
	if w.err != nil {
		return m, fmt.Errorf("%s: %w", path, w.err)
	}
	if err := f.Sync(); err != nil {
		return m, err
	}
	m.Entries, m.Bytes = w.entries, w.at
	return m, errors.Join(f.Close(), o.Files.SyncDir(dir))
}

func (w *runWriter) add(e *entry) {
	shared := 0
	part := w.o.Part(e.key)
	if len(w.block) == 0 && w.blocks > 0 && w.blocks%groupBlocks == 0 {
		// A search for the first of the entries with this part looks into the
		// block before it.
		w.know(part)
		w.flushFilter()
	}
	if len(w.block) == 0 {
		w.first = append(w.first[:0], separator(w.last, e.key)...)
	} else {
		shared = commonPrefix(w.last, e.key)
	}
	w.block = binary.AppendUvarint(w.block, uint64(shared))
	w.block = entry{e.key[shared:], e.value, e.gone}.appendTo(w.block)
	w.last = append(w.last[:0], e.key...)
	w.entries++
	w.know(part)
	if len(w.block) >= blockBytes {
		w.flush()
	}
}

// know adds a part to the group's filter.
func (w *runWriter) know(part []byte) {
	if part == nil || len(w.hashes) > 0 && string(part) == string(w.part) {
		return
	}
	w.part = append(w.part[:0], part...)
	w.hashes = append(w.hashes, xxhash.Sum64(part))
}

// flushFilter writes the filter of the group that ends.
func (w *runWriter) flushFilter() {
	filter := w.filter()
	w.index = binary.AppendUvarint(w.index, uint64(len(filter)/lineBytes))
	w.write(filter)
}

// filter returns the filter of the group that ends, and starts the next.
func (w *runWriter) filter() []byte {
	lines := (uint64(len(w.hashes))*keyBits + lineBytes*8 - 1) / (lineBytes * 8)
	filter := make([]byte, lines*lineBytes)
	for _, h := range w.hashes {
		line := filter[h%lines*lineBytes:][:lineBytes]
		bitsOf(h, func(bit uint64) { line[bit/8] |= 1 << (bit % 8) })
	}
	w.hashes = w.hashes[:0]
	return filter
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// separator returns the shortest key that is above last and not above key.
func separator(last, key []byte) []byte { return key[:min(commonPrefix(last, key)+1, len(key))] }

// flush writes the block.
func (w *runWriter) flush() {
	if len(w.block) == 0 {
		return
	}
	w.packed = s2.Encode(w.packed[:cap(w.packed)], w.block)
	if len(w.packed) > 1<<16-1 {
		w.err = fmt.Errorf("an entry of %d bytes is too long", len(w.block))
		return
	}
	w.index = binary.AppendUvarint(w.index, uint64(len(w.packed)))
	w.index = binary.AppendUvarint(w.index, uint64(len(w.first)))
	w.index = append(w.index, w.first...)
	w.index = binary.LittleEndian.AppendUint32(w.index, durable.Sum(w.packed))
	w.blocks++
	w.block = w.block[:0]
	w.write(w.packed)
}

func (w *runWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
		w.at += int64(len(b))
	}
}

// finish writes what is left, index and tail.
func (w *runWriter) finish() {
	w.flush()
	if w.blocks > 0 {
		w.flushFilter()
	}
	indexAt := w.at
	w.write(w.index)
	var tail []byte
	tail = binary.LittleEndian.AppendUint64(tail, uint64(indexAt))
	tail = binary.LittleEndian.AppendUint64(tail, w.blocks)
	tail = binary.LittleEndian.AppendUint32(tail, durable.Sum(w.index))
	tail = binary.LittleEndian.AppendUint32(tail, durable.Sum(tail))
	w.write(append(tail, magic...))
	if w.err == nil {
		w.err = w.out.Flush()
	}
}
