package search

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"gatecrawl.example/gatecrawl/scratch"
)

// A row is a key and a document, or two documents.
type row struct{ key, value uint64 }

func (a row) compare(b row) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value))
}

const rowBytes = 16

// A sorter sorts rows of any number, equal ones once: it keeps some in memory and writes
// them to a temporary file, sorted, when they are many.
type sorter struct {
	most int // rows in memory
	rows []row
	f    *os.File // of sorted runs; nil: all rows are in memory
	w    *bufio.Writer
	ends []int64 // of the runs, in bytes
}

func newSorter(most int) *sorter { return &sorter{most: most} }

func (s *sorter) add(r row) error {
	s.rows = append(s.rows, r)
	if len(s.rows) < s.most {
		return nil
	}
	s.sort()
	if len(s.rows) < s.most/2 {
		return nil // most were equal
	}
	return s.spill()
}

// sort sorts the rows in memory and drops repeated ones.
func (s *sorter) sort() {
	slices.SortFunc(s.rows, row.compare)
	s.rows = slices.Compact(s.rows)
}

// spill writes the rows in memory as a run.
func (s *sorter) spill() error {
	if s.f == nil {
		f, err := scratch.Create("", "crawl-search-*")
		if err != nil {
			return err
		}
		s.f, s.w = f, bufio.NewWriterSize(f, 1<<18)
	}
	var b [rowBytes]byte
	for _, r := range s.rows {
		binary.LittleEndian.PutUint64(b[:], r.key)
		binary.LittleEndian.PutUint64(b[8:], r.value)
		if _, err := s.w.Write(b[:]); err != nil {
			return temporary(err)
		}
	}
	if err := s.w.Flush(); err != nil {
		return temporary(err)
	}
	end := int64(len(s.rows)) * rowBytes
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	s.rows = s.rows[:0]
	return nil
}

// all calls visit with every row in order, once. The sorter is empty then.
func (s *sorter) all(visit func(row) error) error {
	s.sort()
	if s.f == nil {
		for _, r := range s.rows {
			if err := visit(r); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.rows = nil
	runs, err := s.runs()
	if err != nil {
		return err
	}
	last, any := row{}, false
	for len(runs) > 0 {
		r := runs[0].head
		if more, err := runs[0].next(); err != nil {
			return err
		} else if more {
			heap.Fix(&runs, 0)
		} else {
			heap.Pop(&runs)
		}
		if any && r == last {
			continue
		}
		last, any = r, true
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// runs opens every run at its first row.
func (s *sorter) runs() (runs, error) {
	var open runs
	from := int64(0)
	for _, end := range s.ends {
		r := &run{r: bufio.NewReaderSize(io.NewSectionReader(s.f, from, end-from), 1<<16)}
		from = end
		if more, err := r.next(); err != nil {
			return nil, err
		} else if more {
			open = append(open, r)
		}
	}
	heap.Init(&open)
	return open, nil
}

func (s *sorter) close() error {
	if s.f == nil {
		return nil
	}
	return scratch.Close(s.f)
}

// A run is a part of the file, sorted.
type run struct {
	r    *bufio.Reader
	head row
}

// next reads the next row, and reports whether there is one.
func (r *run) next() (bool, error) {
	var b [rowBytes]byte
	switch _, err := io.ReadFull(r.r, b[:]); {
	case err == io.EOF:
		return false, nil
	case err != nil:
		return false, temporary(err)
	}
	r.head = row{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	return true, nil
}

// runs are a heap by their first rows.
type runs []*run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return h[i].head.compare(h[j].head) < 0 }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(x any)        { *h = append(*h, x.(*run)) }
func (h *runs) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func temporary(err error) error { return fmt.Errorf("temporary file: %w", err) }
