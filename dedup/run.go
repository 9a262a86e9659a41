package dedup

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"unsafe"
)

// A run is Halves in a mapped file that is never changed. The file begins with
// 32 KiB in the machine's byte order:
//
//	0   8  "gcfprun1"
//	8   4  the document after which it begins
//	12  4  its last document
//	16  8  number of fingerprints
//	24  4  CRC-32C of the 32 KiB, with these four bytes zero
//	64     512 sections of 40 bytes: the 256 segments of the upper halves, then
//	       those of the lower
//
// A section is
//
//	0   8  where its data begins; 0: the segment is empty
//	8   8  home lines
//	16  4  slots, bits of a tag, reach, bits of a DocID, a byte each
//	20  4  CRC-32C of its data
//	24  8  entries in lines
//	32  8  entries spilt
//
// and its data are the lines and the packed DocIDs as in memory, then 16 bytes
// for each entry spilt: key and other half (8), document (4), zero (4).
type run struct {
	runSpan
	h *Halves
}

const (
	runHeader    = 1 << 15
	sectionTable = 64
	sectionBytes = 40
)

var runMagic = []byte("gcfprun1")

// errTorn says that a run is not as it was written.
var errTorn = errors.New("torn or altered")

// writeRun writes the fingerprints of all sources, a segment at a time, and
// opens the run.
func writeRun(dir string, span runSpan, sources []*Halves) (*run, error) {
	path := filepath.Join(dir, span.name())
	file, err := os.Create(path + ".new")
	if err != nil {
		return nil, err
	}
	err = writeSections(file, span, sources)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), removeIfThere(file.Name()))
	}
	return openRun(path, span)
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func writeSections(file *os.File, span runSpan, sources []*Halves) error {
	head := make([]byte, runHeader)
	copy(head, runMagic)
	native.PutUint32(head[8:], uint32(span.from))
	native.PutUint32(head[12:], uint32(span.to))
	w := bufio.NewWriterSize(file, 1<<20)
	if _, err := w.Write(head); err != nil {
		return err
	}
	at, count := int64(runHeader), 0
	for i := range 2 * segments {
		g := merged(sources, i, span.to)
		if g == nil {
			continue
		}
		if i < segments {
			count += g.len()
		}
		n, sum, err := g.writeTo(w)
		if err != nil {
			return err
		}
		b := head[sectionTable+i*sectionBytes:]
		native.PutUint64(b, uint64(at))
		native.PutUint64(b[8:], g.m)
		b[16], b[17], b[18], b[19] = byte(g.slots), byte(g.tagBits), byte(g.reach), byte(g.docBits)
		native.PutUint32(b[20:], sum)
		native.PutUint64(b[24:], uint64(g.n))
		native.PutUint64(b[32:], uint64(g.spill.n))
		at += n
	}
	native.PutUint64(head[16:], uint64(count))
	native.PutUint32(head[24:], crc32.Checksum(head, castagnoli))
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := file.WriteAt(head, 0)
	return err
}

// merged returns the i-th section of all sources as one, nil if it is empty.
func merged(sources []*Halves, i int, last DocID) *segment {
	var parts []*segment
	n := 0
	for _, h := range sources {
		if s := h.segment(i).Load(); s != nil {
			parts, n = append(parts, s), n+s.len()
		}
	}
	if n == 0 {
		return nil
	}
	width, once := bits.Len32(uint32(last)), i >= segments
	if once {
		width = 0
	}
	g := newSegment(n, width, fullest)
	for _, s := range parts {
		s.all(func(x, other uint32, doc DocID) bool {
			if !once || !g.has(x, other) {
				g.insert(x, other, doc, false)
			}
			return true
		})
	}
	return g
}

// writeTo writes the data of a section.
func (s *segment) writeTo(w io.Writer) (n int64, sum uint32, err error) {
	var spilt []byte
	s.spill.near(walk{budget: 64}, func(e spiltEntry) bool {
		spilt = native.AppendUint64(spilt, e.key)
		spilt = native.AppendUint64(spilt, uint64(e.doc))
		return true
	})
	for _, b := range [][]byte{bytesOf(s.lines), bytesOf(s.docs), spilt} {
		sum = crc32.Update(sum, castagnoli, b)
		if _, err := w.Write(b); err != nil {
			return 0, 0, err
		}
		n += int64(len(b))
	}
	return n, sum, nil
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

func openRun(path string, span runSpan) (*run, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() // a mapping outlives its file
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < runHeader {
		return nil, fmt.Errorf("%s: %w", path, errTorn)
	}
	b, err := mapFile(file, 0, int(info.Size()))
	if err != nil {
		return nil, err
	}
	if !mapped {
		if _, err := io.ReadFull(file, b); err != nil {
			return nil, err
		}
	}
	h, err := halvesOf(b, span)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap(b))
	}
	r := &run{span, h}
	runtime.AddCleanup(r, func(b []byte) { unmap(b) }, b) // nobody is there to hear an error
	return r, nil
}

// halvesOf returns the index in the bytes of a run, all of which it checks.
func halvesOf(b []byte, span runSpan) (*Halves, error) {
	head := append([]byte(nil), b[:runHeader]...)
	sum := native.Uint32(head[24:])
	native.PutUint32(head[24:], 0)
	if string(head[:8]) != string(runMagic) || crc32.Checksum(head, castagnoli) != sum ||
		native.Uint32(head[8:]) != uint32(span.from) || native.Uint32(head[12:]) != uint32(span.to) {
		return nil, errTorn
	}
	h := NewHalves()
	for i := range 2 * segments {
		section := head[sectionTable+i*sectionBytes:][:sectionBytes]
		if native.Uint64(section) == 0 {
			continue
		}
		s, err := segmentOf(b, section)
		if err != nil {
			return nil, err
		}
		h.segment(i).Store(s)
	}
	h.n.Store(int64(native.Uint64(head[16:])))
	return h, nil
}

// segmentOf returns a segment whose words are those of the run.
func segmentOf(b, section []byte) (*segment, error) {
	s := &segment{
		m:     native.Uint64(section[8:]),
		slots: int(section[16]), tagBits: int(section[17]), reach: int(section[18]), docBits: int(section[19]),
		n: int(native.Uint64(section[24:])),
	}
	s.first = (2*lineWords - s.slots) / 2
	at, spilt := native.Uint64(section), native.Uint64(section[32:])
	lines, docs := uint64(s.lineCount())*lineWords*8, uint64(s.docWords())*8
	size := lines + docs + spilt*spiltBytes
	if size > uint64(len(b)) || at > uint64(len(b))-size {
		return nil, errTorn
	}
	data := b[at:][:size]
	if crc32.Checksum(data, castagnoli) != native.Uint32(section[20:]) {
		return nil, errTorn
	}
	s.lines, s.docs = wordsOf(data[:lines]), wordsOf(data[lines:][:docs])
	for e := data[lines+docs:]; len(e) > 0; e = e[spiltBytes:] {
		s.spill.insert(native.Uint64(e), DocID(native.Uint64(e[8:])))
	}
	return s, nil
}

// wordsOf takes bytes that begin at a multiple of eight, as all sections do.
func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
