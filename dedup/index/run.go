package index

import (
	"bufio"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/mmap"
)

// A run is a part of a catalog in a mapped file that is never changed. The file
// starts with 32 KiB in the machine's byte order:
//
//	0   8  "gcgater1"
//	8   8  shape, see Options.Shape
//	16  4  the document after which it starts
//	20  4  its last document
//	24  8  fingerprints
//	32  8  length of the file
//	40  8  rows of all tables
//	48  4  CRC-32C of the 32 KiB, with these four bytes zero
//	64     512 sections of 40 bytes: the 256 segments of the upper halves, then
//	       those of the lower
//	20544  tables of heads, 24 bytes each, and the table of outlines
//
// A section is
//
//	0   8  where its data starts; 0: the segment is empty
//	8   8  home lines
//	16  4  slots, bits of a tag, reach, bits of a DocID, a byte each
//	20  4  CRC-32C of its data
//	24  8  entries in lines
//	32  8  entries spilt
//
// and its data are the lines and the packed DocIDs as in memory, then 16 bytes
// for each entry spilt: key and other half (8), document (4), zero (4). A table
// of heads or outlines is
//
//	0   8  where its data starts, a multiple of eight
//	8   8  rows
//	16  4  CRC-32C of its directory
//	20  4  zero
//
// Their data are described at runHeads and runOutlines. The directories are checked on opening,
// and all else when it is first read: no answer comes from bytes that are not as they were
// written.
type run struct {
	runSpan
	path    string
	bytes   []byte
	trusted bool
	rows    int
	h       *Halves
	heads   [HeadTables]runHeads
	known   runOutlines
}

const (
	runHeader    = 1 << 15
	sectionTable = 64
	sectionBytes = 40
	extraTable   = sectionTable + 2*lanes.Segments*sectionBytes
	extraBytes   = 24
)

var runMagic = []byte("gcgater1")

// errStopped says that a run was not written because the catalog was closed.
var errStopped = errors.New("stopped")

// A runSpan is the range of a run's documents: those above from, up to to.
type runSpan struct{ from, to DocID }

const runSuffix = ".run"

func (s runSpan) name() string { return fmt.Sprintf("%010d-%010d%s", s.from, s.to, runSuffix) }

func parseRunName(name string) (s runSpan, ok bool) {
	if _, err := fmt.Sscanf(strings.TrimSuffix(name, runSuffix), "%d-%d", &s.from, &s.to); err != nil {
		return runSpan{}, false
	}
	return s, s.name() == name
}

// writeRun writes runs, or a part in memory, as one run, and opens it. It returns errStopped if the
// catalog stops meanwhile.
func (x *Catalog) writeRun(span runSpan, runs []*run, mem *memory) (*run, error) {
	path := filepath.Join(x.dir, span.name())
	w := runWriter{x: x, span: span, runs: runs, mem: mem}
	err := w.write(path + ".new")
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err == nil {
		err = durable.SyncDir(x.dir)
	}
	if err != nil {
		return nil, errors.Join(err, removeIfThere(path+".new"))
	}
	return openRun(path, span, x.o.Shape, x.damage, true)
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// A runWriter writes one run.
type runWriter struct {
	x    *Catalog
	span runSpan
	runs []*run
	mem  *memory // or nil

	file *os.File
	w    *bufio.Writer
	head []byte
	at   int64
}

func (w *runWriter) write(name string) (err error) {
	w.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.file.Close()) }()
	w.w = bufio.NewWriterSize(w.file, 1<<20)
	w.head = make([]byte, runHeader)
	if err := w.put(w.head); err != nil {
		return err
	}
	rows, err := w.halves()
	if err != nil {
		return err
	}
	Native.PutUint64(w.head[24:], uint64(rows))
	for t := range HeadTables {
		n, err := w.headTable(HeadTable(t))
		if err != nil {
			return err
		}
		rows += n
	}
	if err := w.outlines(); err != nil {
		return err
	}
	if err := w.x.damage.found(); err != nil {
		return err // the error explains why the copied data may be incomplete
	}
	copy(w.head, runMagic)
	Native.PutUint64(w.head[8:], w.x.o.Shape)
	Native.PutUint32(w.head[16:], uint32(w.span.from))
	Native.PutUint32(w.head[20:], uint32(w.span.to))
	Native.PutUint64(w.head[32:], uint64(w.at))
	Native.PutUint64(w.head[40:], uint64(rows))
	Native.PutUint32(w.head[48:], durable.Sum(w.head))
	if err := w.w.Flush(); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(w.head, 0); err != nil {
		return err
	}
	return w.file.Sync()
}

func (w *runWriter) put(b []byte) error {
	n, err := w.w.Write(b)
	w.at += int64(n)
	return err
}

// align writes zeros up to a multiple of eight.
func (w *runWriter) align() error { return w.put(make([]byte, -w.at&7)) }

// stopped is called from time to time during a merge.
func (w *runWriter) stopped() error {
	if w.mem == nil && w.x.stop.Load() {
		return errStopped
	}
	return nil
}

// extra writes the entry of a table in the head.
func (w *runWriter) extra(i int, at int64, n int, sum uint32) {
	b := w.head[extraTable+i*extraBytes:]
	Native.PutUint64(b, uint64(at))
	Native.PutUint64(b[8:], uint64(n))
	Native.PutUint32(b[16:], sum)
}

// halves writes the fingerprints, one segment at a time, and returns their number.
func (w *runWriter) halves() (count int, err error) {
	var sources []*Halves
	for _, r := range w.runs {
		sources = append(sources, r.h)
	}
	if w.mem != nil {
		sources = append(sources, halvesOf(w.mem.near))
	}
	for i := range 2 * lanes.Segments {
		if err := w.stopped(); err != nil {
			return 0, err
		}
		g := merged(sources, i, w.span.to)
		if g == nil {
			continue
		}
		if i < lanes.Segments {
			count += g.len()
		}
		at := w.at
		sum, err := w.segment(g)
		if err != nil {
			return 0, err
		}
		b := w.head[sectionTable+i*sectionBytes:]
		Native.PutUint64(b, uint64(at))
		Native.PutUint64(b[8:], g.m)
		b[16], b[17], b[18], b[19] = byte(g.slots), byte(g.tagBits), byte(g.reach), byte(g.docBits)
		Native.PutUint32(b[20:], sum)
		Native.PutUint64(b[24:], uint64(g.n))
		Native.PutUint64(b[32:], uint64(g.spill.n))
	}
	return count, nil
}

// halvesOf returns an index as Halves.
func halvesOf(x Index) *Halves {
	if h, ok := x.(*Halves); ok {
		return h
	}
	fps, docs := make([]uint64, 0, x.Len()), make([]DocID, 0, x.Len())
	x.Near(0, 64, func(doc DocID, fp uint64, _ int) bool {
		fps, docs = append(fps, fp), append(docs, doc)
		return true
	})
	h := NewHalves()
	h.InsertAll(fps, docs)
	return h
}

// merged returns the i-th segment of all sources as one; nil if it is empty.
func merged(sources []*Halves, i int, last DocID) *segment {
	var es []lanes.Entry
	for _, h := range sources {
		if s := h.segment(i); s != nil {
			es = s.entries(es)
		}
	}
	if len(es) == 0 {
		return nil
	}
	if i >= lanes.Segments {
		return filled(es, 0, packed, true)
	}
	return filled(es, bits.Len32(uint32(last)), packed, false)
}

// segment writes the data of a section and returns its checksum.
func (w *runWriter) segment(s *segment) (sum uint32, err error) {
	var spilt []byte
	s.spill.all(func(e lanes.Entry) bool {
		spilt = Native.AppendUint64(spilt, uint64(e.X)<<32|uint64(e.Other))
		spilt = Native.AppendUint64(spilt, uint64(e.Doc))
		return true
	})
	for _, b := range [][]byte{bytesOf(s.lines), bytesOf(s.docs), spilt} {
		sum = durable.Update(sum, b)
		if err := w.put(b); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// openRun maps a run. A trusted run was just written: its tables are not checked when they are
// first read. The error is a *DamageError, or one of the file system.
func openRun(path string, span runSpan, shape uint64, d *damage, trusted bool) (*run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the mapping stays valid after the file is closed
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < runHeader {
		return nil, &DamageError{path, "it is shorter than its head"}
	}
	b, err := mmap.ReadOnly(file, int(info.Size()))
	if err != nil {
		return nil, err
	}
	r := &run{runSpan: span, path: path, bytes: b, trusted: trusted}
	if err := r.open(shape, d); err != nil {
		return nil, errors.Join(err, mmap.Unmap(b))
	}
	runtime.AddCleanup(r, func(b []byte) { mmap.Unmap(b) }, b) // no caller can receive an error
	return r, nil
}

// errShape says that a file was made with settings under which documents have other rows.
var errShape = errors.New("made with other settings")

// open reads the head and the directories.
func (r *run) open(shape uint64, d *damage) error {
	head := slices.Clone(r.bytes[:runHeader])
	sum := Native.Uint32(head[48:])
	Native.PutUint32(head[48:], 0)
	if string(head[:8]) != string(runMagic) || durable.Sum(head) != sum {
		return &DamageError{r.path, "its head is altered"}
	}
	if Native.Uint64(head[8:]) != shape {
		return errShape
	}
	if Native.Uint32(head[16:]) != uint32(r.from) || Native.Uint32(head[20:]) != uint32(r.to) {
		return &DamageError{r.path, "it has another name than it was given"}
	}
	if n := Native.Uint64(head[32:]); n != uint64(len(r.bytes)) {
		return &DamageError{r.path, fmt.Sprintf("it has %d bytes of %d", len(r.bytes), n)}
	}
	r.h = NewHalves()
	for i := range 2 * lanes.Segments {
		section := head[sectionTable+i*sectionBytes:][:sectionBytes]
		if Native.Uint64(section) != 0 {
			r.h.setSegment(i, r.segment(section, d))
		}
	}
	r.h.n.Store(int64(Native.Uint64(head[24:])))
	r.rows = int(Native.Uint64(head[40:]))
	for i := range HeadTables + 1 {
		b := head[extraTable+i*extraBytes:]
		at, n, sum := Native.Uint64(b), int(Native.Uint64(b[8:])), Native.Uint32(b[16:])
		ok := false
		if i < HeadTables {
			r.heads[i], ok = openHeads(r, r.bytes[at:], n, sum, d)
		} else {
			r.known, ok = openOutlines(r, r.bytes[at:], n, sum, d)
		}
		if !ok {
			return &DamageError{r.path, "a directory is altered"}
		}
	}
	return nil
}

// segment returns a segment that uses the words of the run, after checking them.
func (r *run) segment(section []byte, d *damage) *segment {
	s := &segment{
		m:     Native.Uint64(section[8:]),
		slots: int(section[16]), tagBits: int(section[17]), reach: int(section[18]), docBits: int(section[19]),
		n: int(Native.Uint64(section[24:])),
	}
	s.setHead()
	at, spilt := Native.Uint64(section), Native.Uint64(section[32:])
	lines, docs := uint64(s.lineCount())*lanes.LineWords*8, uint64(s.docWords())*8
	data := r.bytes[at:][:lines+docs+spilt*spiltBytes] // the head was checked before
	s.lines, s.docs = mmap.Words(data[:lines]), mmap.Words(data[lines:][:docs])
	s.unread.Store(&unread{sum: Native.Uint32(section[20:]), data: data, spilt: data[lines+docs:], file: r.path, damage: d, trusted: r.trusted})
	return s
}

// check reads every byte; damage has what is wrong.
func (r *run) check() {
	for i := range 2 * lanes.Segments {
		r.h.segment(i)
	}
	for t := range r.heads {
		r.heads[t].check()
	}
	r.known.check()
}

func bytesOf[T uint32 | uint64](words []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), int(unsafe.Sizeof(T(0)))*len(words))
}
