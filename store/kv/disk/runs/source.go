package runs

import "bytes"

// A source is a sorted list of entries being read. What current points to is good
// until next is called.
type source interface {
	current() *entry // nil at the end
	next() error
}

// A merge reads several sources as one. Where two have the same key, the source
// that stands later in the list, which is the newer, counts.
type merge struct {
	sources []source
	best    int
}

func newMerge(sources []source) *merge {
	m := &merge{sources: sources}
	m.choose()
	return m
}

// choose finds the source with the least key, the newest of equal ones. There are
// a few dozen sources at most, and mostly one or two that have anything.
func (m *merge) choose() {
	m.best = -1
	var least []byte
	for i, s := range m.sources {
		e := s.current()
		if e == nil {
			continue
		}
		if m.best < 0 || bytes.Compare(e.key, least) <= 0 {
			m.best, least = i, e.key
		}
	}
}

func (m *merge) current() *entry {
	if m.best < 0 {
		return nil
	}
	return m.sources[m.best].current()
}

// next passes over the current key in every source.
func (m *merge) next() error {
	key := m.current().key
	for i, s := range m.sources {
		if i == m.best {
			continue
		}
		if e := s.current(); e != nil && bytes.Equal(e.key, key) {
			if err := s.next(); err != nil {
				return err
			}
		}
	}
	if err := m.sources[m.best].next(); err != nil {
		return err
	}
	m.choose()
	return nil
}
