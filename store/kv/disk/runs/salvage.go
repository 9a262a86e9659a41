package runs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// Check reads every byte of a file of a table and compares the filters with the
// entries. A *DamageError says what is not as it was written; the options are the
// table's.
func Check(dir string, m Meta, o Options) error {
	r, err := openRun(filepath.Join(dir, m.File), m)
	if err != nil {
		return err
	}
	return errors.Join(r.check(o.withDefaults()), r.close())
}

func (r *run) check(o Options) error {
	var buf, last []byte
	w := runWriter{o: o} // of the filters
	for i := range r.blocks {
		b, err := r.read(i, buf)
		if err != nil {
			return err
		}
		buf = b
		first := true
		var fault error
		whole := eachEntry(b, func(e entry) bool {
			part := o.Part(e.key)
			if first && i > 0 && i%groupBlocks == 0 { // see runWriter.add
				w.know(part)
				fault = r.checkFilter(i/groupBlocks-1, &w)
			}
			first = false
			w.know(part)
			last = append(last[:0], e.key...)
			return fault == nil
		})
		if fault != nil {
			return fault
		}
		if !whole {
			return r.damaged("the block at byte %d can't be read behind key %x", r.blocks[i].at, last)
		}
	}
	if len(r.groups) == 0 {
		return nil
	}
	return r.checkFilter(len(r.groups)-1, &w)
}

// checkFilter compares the filter of a group with what it should know, and starts the next.
func (r *run) checkFilter(group int, w *runWriter) error {
	if !bytes.Equal(r.filter(group), w.filter()) {
		return r.damaged("the filter at byte %d does not know what is before it", r.groups[group].at)
	}
	return nil
}

// eachEntry calls yield for the entries of an unpacked block until it returns
// false. It reports whether all bytes make entries in rising order.
func eachEntry(b []byte, yield func(entry) bool) bool {
	var key []byte
	for at := 0; at < len(b); {
		shared, n := binary.Uvarint(b[at:])
		if n <= 0 || shared > uint64(len(key)) {
			return false
		}
		e, m, ok := cutEntry(b[at+n:])
		if !ok || at > 0 && bytes.Compare(e.key, key[shared:]) <= 0 {
			return false
		}
		at += n + m
		key = append(key[:shared], e.key...)
		if !yield(entry{key, e.value, e.gone}) {
			return true
		}
	}
	return true
}

// Salvage writes what can still be read of a damaged file to one of another name,
// which is to have its place in the manifest, and returns that. How many entries are
// lost the two manifests' numbers tell. Where the index is sound its checksums say
// which blocks are; otherwise, also of a file that was cut short, all is taken that
// unpacks to entries in rising order, from the start of the file on.
func Salvage(dir string, m Meta, name string, o Options) (Meta, error) {
	path := filepath.Join(dir, m.File)
	src := &salvageSource{}
	r, err := openRun(path, m)
	switch {
	case err == nil:
		src.run = r
		defer r.close() // only read
	case errors.Is(err, os.ErrNotExist):
	default:
		file, err := os.Open(path)
		if err != nil {
			return m, err
		}
		defer file.Close() // only read
		src.walk.file = file
	}
	if err := src.next(); err != nil {
		return m, err
	}
	m.File = name
	return writeRun(dir, m, o, src, false, pace{stop: new(atomic.Bool)})
}

// A salvageSource reads the blocks of a run that are left.
type salvageSource struct {
	run   *run // nil: its index is not sound
	block int
	walk  blockWalk

	entries []entry // of the current block, that are not read yet
	last    []byte  // key
}

func (s *salvageSource) current() *entry {
	if len(s.entries) == 0 {
		return nil
	}
	return &s.entries[0]
}

func (s *salvageSource) next() error {
	if len(s.entries) > 0 {
		s.last = append(s.last[:0], s.entries[0].key...)
		s.entries = s.entries[1:]
	}
	for len(s.entries) == 0 {
		b, err := s.unpacked()
		if err != nil || b == nil {
			return err
		}
		eachEntry(b, func(e entry) bool {
			if bytes.Compare(e.key, s.last) > 0 || s.last == nil {
				s.entries = append(s.entries, entry{bytes.Clone(e.key), e.value, e.gone})
			}
			return true
		})
	}
	return nil
}

// unpacked returns the next intact block; nil: there is none.
func (s *salvageSource) unpacked() (b []byte, err error) {
	if s.run == nil {
		b, err = s.walk.next(s.last)
		return b, err
	}
	for ; s.block < len(s.run.blocks); s.block++ {
		b, err := s.run.read(s.block, nil)
		if err == nil {
			s.block++
			return b, nil
		}
		if !errors.As(err, new(*DamageError)) {
			return nil, err
		}
	}
	return nil, nil
}

// A blockWalk finds blocks when no index says where they are.
type blockWalk struct {
	file   *os.File // nil: nothing is left of it
	at     int64
	window []byte // of the file, from at on
	end    bool   // the window goes to the file's end
}

const (
	// maxPacked is how long a block may be in the file.
	maxPacked = 1<<16 - 1

	// maxUnpacked is more than any block holds: blockBytes and one entry.
	maxUnpacked = 1 << 18
)

// next returns the next block whose keys are above last.
func (w *blockWalk) next(last []byte) ([]byte, error) {
	for w.file != nil {
		if len(w.window) < maxPacked && !w.end {
			b := make([]byte, 1<<20)
			n, err := w.file.ReadAt(b, w.at)
			if w.end = n < len(b); err != nil && !w.end {
				return nil, err
			}
			w.window = b[:n]
		}
		if len(w.window) == 0 {
			break
		}
		b, size := unpackedFirst(w.window[:min(len(w.window), maxPacked)], last)
		size = max(size, 1) // a filter, the index, or what is damaged: look one byte on
		w.window, w.at = w.window[size:], w.at+int64(size)
		if b != nil {
			return b, nil
		}
	}
	return nil, nil
}

// unpackedFirst unpacks the block that b starts with and returns its length in b; nil if there
// is none whose keys are above last.
func unpackedFirst(b, last []byte) (unpacked []byte, size int) {
	size, ok := packedLen(b)
	if !ok {
		return nil, 0
	}
	unpacked, err := s2.Decode(nil, b[:size])
	if err != nil {
		return nil, 0
	}
	n, above := 0, true
	whole := eachEntry(unpacked, func(e entry) bool {
		n++
		above = bytes.Compare(e.key, last) > 0
		return above
	})
	if !whole || !above || n == 0 {
		return nil, 0
	}
	return unpacked, size
}

// packedLen returns the length of the S2 block that b starts with: it says how long it is when
// it is unpacked, and its parts say how much of that they make
// (github.com/google/snappy/blob/main/format_description.txt, and S2's repeats).
func packedLen(b []byte) (size int, ok bool) {
	want, at := binary.Uvarint(b)
	if at <= 0 || want == 0 || want > maxUnpacked {
		return 0, false
	}
	for made := uint64(0); made < want; {
		if at >= len(b) {
			return 0, false
		}
		length, n := packedPart(b[at:])
		if n == 0 || n > len(b)-at || made+length > want {
			return 0, false
		}
		made += length
		at += n
	}
	return at, true
}

// packedPart returns how many bytes the part makes that b starts with, and how many it takes;
// 0: b is too short to tell.
func packedPart(b []byte) (length uint64, n int) {
	tag := uint64(b[0])
	switch more := int(tag >> 2); tag & 3 {
	case 0: // bytes as they are
		if more < 60 {
			return uint64(more) + 1, more + 2
		}
		more -= 59 // bytes of the length
		if len(b) <= more {
			return 0, 0
		}
		for i := range more {
			length |= uint64(b[1+i]) << (8 * i)
		}
		return length + 1, int(length) + 2 + more
	case 1:
		if len(b) < 2 {
			return 0, 0
		}
		if tag>>5 != 0 || b[1] != 0 { // a copy, with 11 bits of offset
			return tag>>2&7 + 4, 2
		}
		return repeated(b)
	case 2:
		return uint64(more) + 1, 3
	default:
		return uint64(more) + 1, 5
	}
}

// repeated is packedPart of a copy from as far back as the one before.
func repeated(b []byte) (length uint64, n int) {
	least := [...]uint64{5: 4, 6: 1 << 8, 7: 1 << 16}
	short := int(b[0] >> 2 & 7)
	if short < 5 {
		return uint64(short) + 4, 2
	}
	more := short - 4 // bytes of the length
	if len(b) < 2+more {
		return 0, 0
	}
	for i := range more {
		length |= uint64(b[2+i]) << (8 * i)
	}
	return length + least[short] + 4, 2 + more
}

// NextName returns a name that no file of the folder has, nor any of these.
func NextName(dir string, metas []Meta) (string, error) {
	serial := uint64(0)
	see := func(name string) {
		var n uint64
		if _, err := fmt.Sscanf(name, "%d"+ext, &n); err == nil {
			serial = max(serial, n)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, f := range files {
		see(f.Name())
	}
	for _, m := range metas {
		see(m.File)
	}
	return fmt.Sprintf("%08d%s", serial+1, ext), nil
}
