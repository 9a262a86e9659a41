package runs

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// filterMemory is how many bytes of filters are held in memory, 1.3 for each entry that they
// know: those of the newest runs, which a look-up asks first and mostly without a hit. From the
// others a line is read from the file, which takes ten times as long.
const filterMemory = 32 << 20

// has reports whether a filter knows the part of a key that has this hash and is in block
// i or, if it is in none, belongs there; true may be wrong.
func (r *run) has(hash uint64, i int) (bool, error) {
	g := r.groups[i/groupBlocks]
	if g.lines == 0 {
		return false, nil
	}
	if held := r.held.Load(); held != nil {
		return inLine((*held)[(g.before+hash%g.lines)*lineBytes:][:lineBytes], hash), nil
	}
	var line [lineBytes]byte
	if _, err := r.file.ReadAt(line[:], g.at+int64(hash%g.lines*lineBytes)); err != nil {
		return false, fmt.Errorf("%s: %w", r.path, err)
	}
	return inLine(line[:], hash), nil
}

// hold reads the filters into memory. Filters that can't be read are left in the file: a caller
// that needs a line is told why.
func (r *run) hold(stop *atomic.Bool) {
	b := make([]byte, r.lines*lineBytes)
	for _, g := range r.groups {
		if _, err := r.file.ReadAt(b[g.before*lineBytes:][:g.lines*lineBytes], g.at); err != nil || stop.Load() {
			return
		}
	}
	r.held.Store(&b)
}

// holdFilters reads the filters of the newest runs into memory and drops those of others.
func (t *Table) holdFilters() {
	s := t.Snapshot()
	t.busy.Go(func() { // ends when they are read, or soon after Close
		defer s.Release()
		t.holding.Lock()
		defer t.holding.Unlock()
		holdNewest(s.runs, filterMemory, &t.stop)
	})
}

// holdNewest holds the filters of as many runs, which are given oldest first, as there is
// room for.
func holdNewest(rs []*run, room int64, stop *atomic.Bool) {
	for _, r := range slices.Backward(rs) {
		room -= int64(r.lines * lineBytes)
		switch {
		case room < 0:
			r.held.Store(nil)
		case r.held.Load() == nil:
			r.hold(stop)
		}
	}
}
