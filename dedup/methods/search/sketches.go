package search

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"gatecrawl.example/gatecrawl/scratch"
)

// sketches are a file of sketches, of which a part is in memory while it is read.
type sketches struct {
	f     *os.File
	w     *bufio.Writer
	ends  []int64 // of each, in words
	cache map[uint32][]uint64
	held  int // words in cache
}

// cacheWords is how many words of sketches are in memory at the most.
const cacheWords = 8 << 20

func newSketches() (*sketches, error) {
	f, err := scratch.Create("", "crawl-search-*")
	if err != nil {
		return nil, err
	}
	return &sketches{f: f, w: bufio.NewWriterSize(f, 1<<18), cache: make(map[uint32][]uint64)}, nil
}

func (s *sketches) len() int { return len(s.ends) }

// add appends a sketch. None has no words.
func (s *sketches) add(sketch []uint64) error {
	end := int64(len(sketch))
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	var b [8]byte
	for _, x := range sketch {
		binary.LittleEndian.PutUint64(b[:], x)
		if _, err := s.w.Write(b[:]); err != nil {
			return temporary(err)
		}
	}
	return nil
}

// place returns where a sketch is and how many words it has.
func (s *sketches) place(doc uint32) (from int64, words int) {
	if doc > 0 {
		from = s.ends[doc-1]
	}
	return from, int(s.ends[doc] - from)
}

// get returns a sketch; nil: the document has none. All have to be added before.
func (s *sketches) get(doc uint32) ([]uint64, error) {
	from, words := s.place(doc)
	if words == 0 {
		return nil, nil
	}
	if sketch, ok := s.cache[doc]; ok {
		return sketch, nil
	}
	b := make([]byte, 8*words)
	if _, err := s.f.ReadAt(b, 8*from); err != nil {
		return nil, temporary(err)
	}
	sketch := decode(b)
	if s.held += words + 8; s.held > cacheWords {
		clear(s.cache)
		s.held = words + 8
	}
	s.cache[doc] = sketch
	return sketch, nil
}

// each calls visit with every sketch in order; nil for a document that has none.
func (s *sketches) each(visit func(doc uint32, sketch []uint64) error) error {
	if err := s.w.Flush(); err != nil {
		return temporary(err)
	}
	r := bufio.NewReaderSize(io.NewSectionReader(s.f, 0, 1<<62), 1<<18)
	for doc := range s.ends {
		_, words := s.place(uint32(doc))
		var sketch []uint64
		if words > 0 {
			b := make([]byte, 8*words)
			if _, err := io.ReadFull(r, b); err != nil {
				return temporary(err)
			}
			sketch = decode(b)
		}
		if err := visit(uint32(doc), sketch); err != nil {
			return err
		}
	}
	return nil
}

func decode(b []byte) []uint64 {
	sketch := make([]uint64, len(b)/8)
	for i := range sketch {
		sketch[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return sketch
}

func (s *sketches) close() error { return scratch.Close(s.f) }
