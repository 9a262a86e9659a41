package parts

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/scratch"
)

const (
	partitionBits = 8
	partitions    = 1 << partitionBits
	chunkLength   = 1 << 11 // numbers that are written at once
)

// A sorter takes any number of numbers and returns them sorted, in partitions by some of their bits. In memory are
// 4 MB at most, and the partition that was asked for last; the rest is in a temporary file.
type sorter struct {
	dir    string
	shift  int // the bits of a number above these, but for the lowest partitionBits of them, do not count
	last   [partitions][]uint64
	chunks [partitions][]uint32 // of the file, by their places
	f      *os.File             // nil: all is in memory
	n      uint32               // chunks in f
	b      [8 * chunkLength]byte
}

// newSorter returns an empty sorter with a file in dir. A number's partition is in the partitionBits bits above shift.
func newSorter(dir string, shift int) *sorter { return &sorter{dir: dir, shift: shift} }

func (s *sorter) add(x uint64) error {
	p := x >> s.shift & (partitions - 1)
	s.last[p] = append(s.last[p], x)
	if len(s.last[p]) < chunkLength {
		return nil
	}
	return s.write(int(p))
}

// write puts a full chunk of a partition into the file.
func (s *sorter) write(p int) (err error) {
	if s.f == nil {
		if s.f, err = scratch.Create(s.dir, "crawl-parts-*"); err != nil {
			return err
		}
	}
	for i, x := range s.last[p] {
		binary.LittleEndian.PutUint64(s.b[8*i:], x)
	}
	if _, err := s.f.WriteAt(s.b[:], int64(s.n)*int64(len(s.b))); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.chunks[p], s.last[p] = append(s.chunks[p], s.n), s.last[p][:0]
	s.n++
	return nil
}

// sorted returns the numbers of a partition, sorted, in the memory of another list.
func (s *sorter) sorted(p int, into []uint64) ([]uint64, error) {
	into = slices.Grow(into[:0], len(s.chunks[p])*chunkLength+len(s.last[p]))
	for _, at := range s.chunks[p] {
		if _, err := s.f.ReadAt(s.b[:], int64(at)*int64(len(s.b))); err != nil {
			return nil, fmt.Errorf("temporary file: %w", err)
		}
		for i := range chunkLength {
			into = append(into, binary.LittleEndian.Uint64(s.b[8*i:]))
		}
	}
	into = append(into, s.last[p]...)
	hashset.Sort(into)
	return into, nil
}

func (s *sorter) close() error {
	if s.f == nil {
		return nil
	}
	return scratch.Close(s.f)
}
