package wacz

import (
	"bufio"
	"container/heap"
	"errors"
	"io"
	"os"
	"slices"

	"gatecrawl.example/gatecrawl/scratch"
)

// A sorter sorts lines by their bytes, in memory if there are few, and otherwise in temporary
// files.
type sorter struct {
	dir   string
	most  int // bytes of lines that are sorted in memory
	lines []string
	bytes int
	runs  []*os.File // sorted
}

// sortAtOnce is the value of sorter.most for an archive.
const sortAtOnce = 32 << 20

// mostRuns bounds the number of temporary files. When it is reached they are merged into one.
const mostRuns = 64

// add adds a line, which includes its end.
func (s *sorter) add(line string) error {
	s.lines = append(s.lines, line)
	if s.bytes += len(line); s.bytes < s.most {
		return nil
	}
	return s.spill()
}

// spill writes the lines in memory to a file.
func (s *sorter) spill() error {
	slices.Sort(s.lines)
	err := s.run(func(w io.Writer) error {
		for _, l := range s.lines {
			if _, err := io.WriteString(w, l); err != nil {
				return err
			}
		}
		return nil
	})
	s.lines, s.bytes = s.lines[:0], 0
	if err != nil || len(s.runs) < mostRuns {
		return err
	}
	old := s.runs
	s.runs = nil
	err = s.run(func(w io.Writer) error { return merge(w, old) })
	return errors.Join(err, scratch.Close(old...))
}

// run writes a file of sorted lines.
func (s *sorter) run(write func(io.Writer) error) error {
	f, err := scratch.Create(s.dir, ".wacz-*.part")
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	w := bufio.NewWriterSize(f, 256<<10)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// writeTo writes all lines in their order.
func (s *sorter) writeTo(w io.Writer) error {
	if len(s.runs) == 0 {
		slices.Sort(s.lines)
		for _, l := range s.lines {
			if _, err := io.WriteString(w, l); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 256<<10)
	if err := merge(b, s.runs); err != nil {
		return err
	}
	return b.Flush()
}

// remove deletes the files.
func (s *sorter) remove() error {
	runs := s.runs
	s.runs, s.lines = nil, nil
	return scratch.Close(runs...)
}

// merge writes the lines of sorted files in their order.
func merge(w io.Writer, runs []*os.File) error {
	var heads heads
	for _, f := range runs {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		h := &head{in: bufio.NewReaderSize(f, 64<<10)}
		if more, err := h.next(); err != nil {
			return err
		} else if more {
			heads = append(heads, h)
		}
	}
	heap.Init(&heads)
	for len(heads) > 0 {
		h := heads[0]
		if _, err := io.WriteString(w, h.line); err != nil {
			return err
		}
		more, err := h.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&heads, 0)
		} else {
			heap.Pop(&heads)
		}
	}
	return nil
}

// A head is the next line of a file.
type head struct {
	in   *bufio.Reader
	line string
}

func (h *head) next() (more bool, err error) {
	h.line, err = h.in.ReadString('\n')
	if err == io.EOF {
		return false, nil // all lines have a line end
	}
	return err == nil, err
}

// heads are a heap, the least line first.
type heads []*head

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].line < h[j].line }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(*head)) }
func (h *heads) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
